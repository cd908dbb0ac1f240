"""Groups found anew by what was said: begun, watched, cancelled, taken."""

from __future__ import annotations

from typing import Any

from comraf.studio.routes.given import version
from comraf.studio.view import View

__all__ = ["ROUTES"]


def _run(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return view.rerun.shown()


def _start(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.rerun.start(version(given))
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
    ("POST", "/api/run/cancel"): _cancel,
    ("POST", "/api/run/take"): _take,
}
