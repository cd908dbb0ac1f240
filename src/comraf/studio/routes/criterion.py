"""A criterion of one's own: values said and found, steps, and the groups that follow."""

from __future__ import annotations

from typing import Any

from comraf.errors import InputError
from comraf.studio.routes.given import number, text, version
from comraf.studio.view import View

__all__ = ["ROUTES"]

_MOST_GROUPS = 100


def _shown(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return view.criterion.shown()


def _sides(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return {"sides": view.criterion.sides()}


def _begin(view: View, given: dict[str, Any]) -> dict[str, Any]:
    k, sides = number(given, "groups"), given.get("sides")
    if not 2 <= k <= _MOST_GROUPS:
        raise InputError(f"groups: give a number from 2 to {_MOST_GROUPS}")
    if not isinstance(sides, list) or not sides or not all(isinstance(s, str) for s in sides):
        raise InputError("sides: name one or more")
    view.criterion.begin(k, sides)
    return view.criterion.shown()


def _suggested(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return view.criterion.suggested(text(given, "search", ""), text(given, "side", "") or None)


def _uncovered(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return view.criterion.uncovered(number(given, "start", 0))


def _put(view: View, given: dict[str, Any]) -> dict[str, Any]:
    mine = view.criterion.at(version(given))
    mine.log.put(view.criterion.values(given.get("values")), number(given, "group"))
    return view.criterion.shown()


def _delete(view: View, given: dict[str, Any]) -> dict[str, Any]:
    mine = view.criterion.at(version(given))
    mine.log.delete(view.criterion.values(given.get("values")))
    return view.criterion.shown()


def _rename(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.criterion.at(version(given)).rename(number(given, "group"), text(given, "name"))
    return view.criterion.shown()


def _undo(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.criterion.at(version(given)).undo()
    return view.criterion.shown()


def _redo(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.criterion.at(version(given)).redo()
    return view.criterion.shown()


def _step(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.criterion.start(version(given))
    return view.criterion.shown()


def _cancel(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.criterion.cancel()
    return view.criterion.shown()


def _take(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.criterion.take(number(given, "values_at"), version(given))
    return view.criterion.shown()


ROUTES = {
    ("GET", "/api/criterion"): _shown,
    ("POST", "/api/criterion"): _begin,
    ("GET", "/api/criterion/sides"): _sides,
    ("GET", "/api/criterion/suggested"): _suggested,
    ("GET", "/api/criterion/uncovered"): _uncovered,
    ("POST", "/api/criterion/put"): _put,
    ("POST", "/api/criterion/delete"): _delete,
    ("POST", "/api/criterion/rename"): _rename,
    ("POST", "/api/criterion/undo"): _undo,
    ("POST", "/api/criterion/redo"): _redo,
    ("POST", "/api/criterion/step"): _step,
    ("POST", "/api/criterion/cancel"): _cancel,
    ("POST", "/api/criterion/take"): _take,
}
