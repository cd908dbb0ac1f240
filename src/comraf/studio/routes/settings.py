"""Sides, weights and numbers: what was read, what could be chosen, and the tree cut anywhere."""

from __future__ import annotations

from typing import Any

from comraf.studio import settings
from comraf.studio.routes.given import number, version
from comraf.studio.view import View

__all__ = ["ROUTES"]


def _ask_audit(view: View, given: dict[str, Any]) -> dict[str, Any]:
    settings.ask_audit(view)
    return {}


def _ask_numbers(view: View, given: dict[str, Any]) -> dict[str, Any]:
    settings.ask_numbers(view)
    return {}


def _information(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return view.for_version("information", lambda: settings.information(view))


def _cut(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.project.cut(number(given, "groups"), at=version(given))
    return {"state": view.state()}


ROUTES = {
    ("GET", "/api/settings"): lambda view, given: settings.shown(view),
    ("POST", "/api/settings"): lambda view, given: settings.checked(view, given),
    ("POST", "/api/settings/audit"): _ask_audit,
    ("POST", "/api/settings/numbers"): _ask_numbers,
    ("GET", "/api/information"): _information,
    ("POST", "/api/cut"): _cut,
}
