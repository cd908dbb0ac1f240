"""Other sides than documents: their groups and values, and the documents of each."""

from __future__ import annotations

from typing import Any

from comraf.studio import others
from comraf.studio.routes.given import number, text
from comraf.studio.view import View

__all__ = ["ROUTES"]

_LONGEST = 200


def _perhaps(given: dict[str, Any], name: str) -> int | None:
    return number(given, name) if name in given else None


def _values(view: View, given: dict[str, Any]) -> dict[str, Any]:
    sought = text(given, "text", "")[:_LONGEST]
    start = number(given, "start", 0)
    return others.values_of(view, text(given, "side"), _perhaps(given, "circle"), sought, start)


def _documents(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return others.documents_of(
        view,
        text(given, "side"),
        value=_perhaps(given, "value"),
        circle=_perhaps(given, "circle"),
        group=_perhaps(given, "group"),
        start=number(given, "start", 0),
    )


ROUTES = {
    ("GET", "/api/sides/{side}"): lambda view, given: others.groups_of(view, text(given, "side")),
    ("GET", "/api/sides/{side}/values"): _values,
    ("GET", "/api/sides/{side}/documents"): _documents,
    ("GET", "/api/sides/{side}/mosaic"): lambda view, given: others.mosaic(
        view, text(given, "side")
    ),
}
