"""Versions: what led here, going to another one, branches, names, what is different."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from comraf.report.markup import plain
from comraf.results.groups import Groups
from comraf.session.log import Entry
from comraf.studio.routes.given import number, text, version
from comraf.studio.view import View

__all__ = ["ROUTES"]

_PAGE = 100
_MOST_FLOWS = 60


def _history(view: View, given: dict[str, Any]) -> dict[str, Any]:
    session = view.project.session
    start = number(given, "start", 0)
    shown = list(islice(session.history(), start, start + _PAGE + 1))
    names: dict[int, list[str]] = {}
    for name, entry in session.versions().items():
        names.setdefault(entry, []).append(plain(name, 80))
    return {
        "version": session.version,
        "more": len(shown) > _PAGE,
        "entries": [
            {
                "version": entry.id,
                "kind": entry.kind,
                "who": plain(entry.who, 60),
                "at": entry.at,
                "what": _told(view, entry),
                "names": names.get(entry.id, []),
            }
            for entry in shown[:_PAGE]
        ],
    }


def _told(view: View, entry: Entry) -> str:
    """An entry in a few words."""
    said = entry.said
    if entry.kind.startswith("side ") and entry.kind != "side answer":
        own = replace(entry, kind=entry.kind.removeprefix("side "))
        return f"{plain(said['side'], 40)}: {_told(view, own)}"
    if entry.kind == "run":
        return _searched(said.get("settings") or {})
    if entry.kind == "merge":
        name = f" as “{plain(said['name'], 60)}”" if said.get("name") else ""
        return f"merged {' and '.join(map(str, said['groups'][:6]))}{name}"
    if entry.kind == "split":
        return f"split {said['group']} in {max(said['parts']) + 1}"
    if entry.kind == "rename":
        return f"named {said['group']} “{plain(said['name'], 60)}”"
    if entry.kind == "import":
        parts = [f"{len(set(said['of'])):,} groups"] if "of" in said else []
        n_labels = sum(map(len, said.get("labels", {}).values()))
        parts += [f"{n_labels:,} labels"] if n_labels else []
        return f"from {plain(said['from'], 60) or 'elsewhere'}: {', '.join(parts) or 'marks'}"
    n = f"{len(said.get('items', ())):,}"
    if entry.kind == "move":
        return f"moved {n} to {'a new group' if said['to'] is None else said['to']}"
    if entry.kind == "pin":
        return f"{'pinned' if said['on'] else 'unpinned'} {n}"
    if entry.kind == "doubt":
        return f"{'called' if said['on'] else 'no longer calls'} the group of {n} wrong"
    if entry.kind == "label":
        return f"labelled {n} “{plain(said['name'], 60)}”"
    of = f"{plain(said['side'], 40)} " if "side" in said else ""
    return f"{of}{' and '.join(map(str, said['pair']))}: {said['relation'] or 'taken back'}"


def _searched(settings: Mapping[str, Any]) -> str:
    """What a search went by."""
    if "cut" in settings:
        return f"cut the tree at {settings['cut']} groups"
    if not settings:
        return "groups of a search"
    weights = settings.get("weights", {})
    sides = [
        f"{plain(name, 40)} × {weights[name]:g}" if name in weights else plain(name, 40)
        for name in settings["by"]
    ]
    early = ", stopped early" if settings.get("stopped") else ""
    return f"found {settings['n_clusters']} groups by {', '.join(sides)}{early}"


def _go(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.project.session.go(number(given, "version"), at=version(given))
    return {"state": view.state()}


def _branch(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.project.session.branch(text(given, "name"))
    return {"state": view.state()}


def _name(view: View, given: dict[str, Any]) -> dict[str, Any]:
    view.project.session.name_version(text(given, "name"), version(given))
    return {"state": view.state()}


def _compare(view: View, given: dict[str, Any]) -> dict[str, Any]:
    session = view.project.session
    one, other = number(given, "one"), number(given, "other")
    found = session.compare(one, other)
    before, after = session.at(one).groups, session.at(other).groups
    names = {groups: view.names(version) for groups, version in ((before, one), (after, other))}

    def called(groups: Groups, group: int) -> str:
        return plain(names[groups][group], 80)

    return {
        "n_moved": found.change.n_moved,
        "added": [[g, called(after, g), after.size(g)] for g in found.change.added],
        "deleted": [[g, called(before, g), before.size(g)] for g in found.change.deleted],
        "divided": [
            [g, called(before, g), before.size(g)]
            for g in found.became
            if g not in found.change.deleted
        ],
        "became": list(found.became.items()),
        "origins": list(found.origins.items()),
        "flows": [
            [a, called(before, a), b, called(after, b), n] for a, b, n in found.flows[:_MOST_FLOWS]
        ],
    }


ROUTES = {
    ("GET", "/api/history"): _history,
    ("POST", "/api/go"): _go,
    ("POST", "/api/branch"): _branch,
    ("POST", "/api/name"): _name,
    ("GET", "/api/compare"): _compare,
}
