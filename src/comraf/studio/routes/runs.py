"""Groups found anew by what was said: begun, watched, stopped, resumed, taken."""

from __future__ import annotations

from typing import Any

from comraf.errors import InputError
from comraf.studio.routes.given import version
from comraf.studio.settings import settings_in
from comraf.studio.view import View

__all__ = ["ROUTES"]


def _run(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return view.rerun.shown()


def _start(view: View, given: dict[str, Any]) -> dict[str, Any]:
    """Begin one: by the settings of now, or by others."""
    settings = given.get("settings", {})
    if not isinstance(settings, dict):
        raise InputError("settings: give an object")
    view.rerun.start(version(given), **(settings_in(view, settings) if settings else {}))
    return view.rerun.shown()


def _stop(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.rerun.stop()
    return view.rerun.shown()


def _resume(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.rerun.resume()
    return view.rerun.shown()


def _cancel(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.rerun.cancel()
    return view.rerun.shown()


def _take(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.rerun.take(version(given))
    return view.rerun.shown()


ROUTES = {
    ("GET", "/api/run"): _run,
    ("POST", "/api/run"): _start,
    ("POST", "/api/run/stop"): _stop,
    ("POST", "/api/run/cancel"): _cancel,
    ("POST", "/api/run/resume"): _resume,
    ("POST", "/api/run/take"): _take,
}
