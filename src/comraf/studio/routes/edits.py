"""What a person says of groups, of documents or another side: each verb names its version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comraf.session.session import Step
from comraf.studio.routes.given import flag, number, numbers, text, version
from comraf.studio.view import View

__all__ = ["ROUTES", "VERBS", "change_of"]

_MOST_PARTS = 50


def _about(given: dict[str, Any]) -> dict[str, Any]:
    """Whose groups are meant, and the version that was looked at."""
    return {"side": text(given, "side", "") or None, "at": version(given)}


def _merge(view: View, given: dict[str, Any]) -> Step:
    name = text(given, "name", "") or None
    return view.project.session.merge(*numbers(given, "groups"), name=name, **_about(given))


def _split(view: View, given: dict[str, Any]) -> Step:
    parts = min(number(given, "parts", 2), _MOST_PARTS)
    return view.project.split(number(given, "group"), parts, **_about(given))


def _move(view: View, given: dict[str, Any]) -> Step:
    to = None if given.get("to") is None else number(given, "to")
    return view.project.session.move(numbers(given, "items"), to, **_about(given))


def _rename(view: View, given: dict[str, Any]) -> Step:
    return view.project.session.rename(number(given, "group"), text(given, "name"), **_about(given))


def _pin(view: View, given: dict[str, Any]) -> Step:
    return view.project.session.pin(
        numbers(given, "items"), flag(given, "on", True), at=version(given)
    )


def _doubt(view: View, given: dict[str, Any]) -> Step:
    return view.project.session.doubt(
        numbers(given, "items"), flag(given, "on", True), at=version(given)
    )


def _label(view: View, given: dict[str, Any]) -> Step:
    """Label documents, or all of some groups."""
    session = view.project.session
    if "groups" in given:
        groups = session.groups
        items = [row for g in numbers(given, "groups") for row in groups.items(g).tolist()]
    else:
        items = numbers(given, "items")
    return session.label(items, text(given, "name"), at=version(given))


#: What can be said.
VERBS: dict[str, Callable[[View, dict[str, Any]], Step]] = {
    "merge": _merge,
    "split": _split,
    "move": _move,
    "rename": _rename,
    "pin": _pin,
    "doubt": _doubt,
    "label": _label,
}


def change_of(view: View, step: Step) -> dict[str, Any]:
    """What a step changed, and the groups after it."""
    change = step.change
    return {
        "change": {
            "added": change.added,
            "deleted": change.deleted,
            "changed": change.changed,
            "descends": {str(group): origins for group, origins in change.descends.items()},
            "n_moved": change.n_moved,
        },
        "state": view.state(),
    }


def _say(verb: Callable[[View, dict[str, Any]], Step]) -> Callable[..., dict[str, Any]]:
    return lambda view, given: change_of(view, verb(view, given))


def _undo(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return {"done": view.project.session.undo(at=version(given)), "state": view.state()}


def _redo(view: View, given: dict[str, Any]) -> dict[str, Any]:
    return {"done": view.project.session.redo(at=version(given)), "state": view.state()}


ROUTES = {
    **{("POST", f"/api/{name}"): _say(verb) for name, verb in VERBS.items()},
    ("POST", "/api/undo"): _undo,
    ("POST", "/api/redo"): _redo,
}
