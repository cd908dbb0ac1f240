"""What can be said of groups, as plain data: checked before it is written down.

A verb of a session and a line of a log that is read in go the same way, so that a file from
elsewhere can say nothing that a person could not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from comraf.errors import InputError

__all__ = ["checked", "name_of"]

_LONGEST_NAME = 200
_RELATIONS = ("same", "different", "unknown")

Said = Mapping[str, Any]


def _int(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise InputError(f"{number!r} is no whole number")
    return int(number)


def _ints(numbers: Iterable[Any]) -> list[int]:
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind in "iu":
        return [int(number) for number in numbers.tolist()]
    return [_int(number) for number in numbers]


def _perhaps(number: Any) -> int | None:
    return None if number is None else _int(number)


def name_of(name: Any) -> str | None:
    """A name, as it is written down.

    Examples
    --------
    >>> name_of("tea")
    'tea'
    """
    if name is None:
        return None
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or "\x00" in name:
        raise InputError(
            f"name={str(name)[:40]!r}; give a string of at most {_LONGEST_NAME} characters"
        )
    # lone surrogates can't be written to a file
    return name.encode("utf-8", "replace").decode()


def _names(names: Mapping[Any, Any] | None) -> dict[str, str]:
    return {str(int(number)): name_of(name) or "" for number, name in (names or {}).items()}


def _merge(said: Said) -> Said:
    return {"groups": _ints(said["groups"]), "name": name_of(said["name"])}


def _split(said: Said) -> Said:
    parts = np.unique(np.asarray(said["parts"]), return_inverse=True)[1]
    return {"group": _int(said["group"]), "parts": parts.tolist()}


def _move(said: Said) -> Said:
    return {"items": _ints(said["items"]), "to": _perhaps(said["to"])}


def _rename(said: Said) -> Said:
    return {"group": _int(said["group"]), "name": name_of(said["name"])}


def _marked(said: Said) -> Said:
    return {"items": _ints(said["items"]), "on": bool(said["on"])}


def _label(said: Said) -> Said:
    return {"items": _ints(said["items"]), "name": name_of(said["name"])}


def _answer(said: Said) -> Said:
    relation = said["relation"]
    if relation not in (*_RELATIONS, ""):
        raise InputError(parameter="relation", given=relation, allowed=_RELATIONS)
    one, other = _ints(said["pair"])
    return {"pair": sorted((one, other)), "relation": relation}


def _of_side(check: Callable[[Said], Said]) -> Callable[[Said], Said]:
    """The same about another side, perhaps with the groups that its values were in."""

    def checked(said: Said) -> Said:
        of = {"of": _ints(said["of"])} if "of" in said else {}
        return {**check(said), "side": str(said["side"]), **of}

    return checked


def _run(said: Said) -> Said:
    found: dict[str, Any] = {"names": _names(said["names"])}
    if said.get("settings") is not None:
        found["settings"] = dict(said["settings"])
    if "of" in said:
        found["of"] = _ints(said["of"])
    return found


def _import(said: Said) -> Said:
    found: dict[str, Any] = {"from": name_of(str(said.get("from") or ""))}
    if "of" in said:
        found |= _run({"names": {}, **said})
    if said.get("labels"):
        named = ((name_of(str(name)), _ints(items)) for name, items in said["labels"].items())
        found["labels"] = {name: items for name, items in named if name}
    for mark in ("pinned", "doubted"):
        if said.get(mark):
            found[mark] = _ints(said[mark])
    if said.get("anew"):
        found["anew"] = True
    return found


#: By the kind of an entry: what it says, checked.
KINDS: Mapping[str, Callable[[Said], Said]] = {
    "run": _run,
    "merge": _merge,
    "split": _split,
    "move": _move,
    "rename": _rename,
    "pin": _marked,
    "doubt": _marked,
    "label": _label,
    "answer": _answer,
    "side answer": _of_side(_answer),
    "side merge": _of_side(_merge),
    "side split": _of_side(_split),
    "side move": _of_side(_move),
    "side rename": _of_side(_rename),
    "import": _import,
}


def checked(kind: str, said: Said) -> Said:
    """What is said, as it is written down; whatever can't be meant is refused.

    Examples
    --------
    >>> checked("rename", {"group": np.int64(2), "name": "tea", "more": 1})
    {'group': 2, 'name': 'tea'}
    """
    return KINDS[kind](said)
