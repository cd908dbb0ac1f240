"""The page, and the state that it shows."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from comraf.studio.page import drawn
from comraf.studio.routes.given import number
from comraf.studio.view import View

__all__ = ["ROUTES"]


def _page(view: View, given: dict[str, Any]) -> Response:
    return HTMLResponse(drawn("studio.html", secret=view.secret()))


def _state(view: View, given: dict[str, Any]) -> dict[str, Any]:
    version = number(given, "version") if "version" in given else None
    return view.state(version) | {"search": view.index.is_ready()}


ROUTES = {
    ("GET", "/"): _page,
    ("GET", "/api/about"): lambda view, given: view.about(),
    ("GET", "/api/state"): _state,
}
