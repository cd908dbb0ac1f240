"""Groups and labels that a person brings in: tables by the ids of items, and logs of sessions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from comraf.errors import InputError, ReadError
from comraf.results.files import plain_cell, safe_cell
from comraf.supervision.files import (
    GROUP_NAMES,
    ITEM_NAMES,
    LABEL_NAMES,
    UNKNOWN,
    cells,
)
from comraf.supervision.naming import Located, listed, quoted

if TYPE_CHECKING:
    import numpy.typing as npt

    from comraf.results.groups import Groups

__all__ = ["Table", "read_table"]

_NO = {"", "0", "no", "false"}
_Row = tuple[int, dict[str, str]]


@dataclass(frozen=True)
class Table:
    """What a table says of items, by their numbers.

    Attributes
    ----------
    groups : mapping of int to str
        The group of items, as it is called there.
    labels : mapping of str to list of int
        Items of each class.
    names : mapping of str to str
        Names of the groups; "" for one that has none.
    pinned, doubted : list of int
    """

    groups: Mapping[int, str] = field(default_factory=dict)
    labels: Mapping[str, Sequence[int]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    pinned: Sequence[int] = ()
    doubted: Sequence[int] = ()

    def numbered(self, now: Groups) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
        """A group for each item, and their names: those that are not told of stay as they are.

        A group is the one that has this id now, or this name, else a new one.
        """
        known: dict[str, int] = {name: group for group, name in now.names.items()}
        known |= {str(group): group for group in now.order}
        of = now.of.copy()
        for item, called in self.groups.items():
            of[item] = known.setdefault(called, now.next_id + len(known))
        return of, {known[called]: name for called, name in self.names.items()}


def read_table(text: str, called: str, ids: Sequence[str]) -> Table:
    r"""Read a table of items with their groups, or their labels, or both.

    A line for each item: CSV whose header names the columns, or an object of JSON. The column of
    ids is called id or item; that of labels label or class; that of groups group or cluster, beside
    which a column name may stand. Two columns without a header are ids and labels.

    Parameters
    ----------
    text : str
    called : str
        What errors call the file.
    ids : sequence of str
        Ids of all items.

    Raises
    ------
    ReadError
        It is no such table.
    InputError
        It is about items that are not there, or says two things of one.

    Examples
    --------
    >>> read_table("item,label\nb,tea\n", "x.csv", ["a", "b"]).labels
    {'tea': [1]}
    """
    is_json = text.lstrip().startswith("{")
    rows = _objects(text, called) if is_json else _lines(text, called)
    roles = _roles(rows, called)
    numbers: dict[str, int] = {} if is_json else {safe_cell(one): n for n, one in enumerate(ids)}
    numbers |= {one: number for number, one in enumerate(ids)}
    lacking = [Located.at(name, n) for n, row in rows if (name := _item(row, roles)) not in numbers]
    if lacking:
        raise InputError(
            f"{called}: is about items that this collection lacks: "
            f"{listed(map(quoted, lacking), len(lacking))}"
        )

    def told(role: str, by: Callable[[dict[str, str]], Any] | None = None) -> dict[Any, str]:
        """What a column says of each item, or of what else stands in the line."""
        found: dict[Any, tuple[str, int]] = {}
        if role not in roles:
            return {}
        for line, row in rows:
            value = row.get(roles[role], "")
            key = numbers[_item(row, roles)] if by is None else by(row)
            if by is None and value in UNKNOWN | {""}:
                continue
            before, first = found.setdefault(key, (value, line))
            if before != value:
                raise InputError(
                    f"{called}: {quoted(_item(row, roles) if by is None else key)} is "
                    f"{quoted(before)} in line {first} and {quoted(value)} in line {line}"
                )
        return {key: value for key, (value, _) in found.items()}

    groups = told("group")
    labels: dict[str, list[int]] = {}
    for item, label in told("label").items():
        labels.setdefault(label, []).append(item)
    names: dict[str, str] = {}
    if "group" in roles and "name" in roles:

        def called_in(row: dict[str, str]) -> str:
            return row.get(roles["group"], "")

        named = told("named", called_in)
        names = {
            group: "" if named.get(group, "1").casefold() in _NO else name
            for group, name in told("name", called_in).items()
            if name or group in named  # a cell that is left empty takes no name away
        }
    elif groups:
        names = {one: one for one in groups.values() if not one.isdecimal()}
    marked = {
        role: [item for item, on in told(role).items() if on.casefold() not in _NO]
        for role in ("pinned", "wrong")
    }
    there = set(groups.values())
    names = {group: name for group, name in names.items() if group in there}
    return Table(groups, labels, names, marked["pinned"], marked["wrong"])


def _item(row: Mapping[str, str], roles: Mapping[str, str]) -> str:
    return row.get(roles["item"], "")


def _lines(text: str, called: str) -> list[_Row]:
    """Rows of a CSV file; two columns need no header."""
    rows = list(cells(text, called))
    if not rows:
        raise ReadError(f"{called}: is empty")
    head = [cell.casefold() for cell in rows[0][1]]
    if not _named(head):
        if len(head) != 2:
            raise ReadError(
                f"{called}: its first line does not name the columns; name them item and label, or "
                "item and group"
            )
        head = ["item", "label"]
    else:
        del rows[0]
    for line, row in rows:
        if len(row) != len(head):
            raise ReadError(
                f"{called}, line {line}: has {len(row)} columns and the first has {len(head)}"
            )
    return [(n, dict(zip(head, map(plain_cell, row), strict=True))) for n, row in rows]


def _named(head: Sequence[str]) -> bool:
    return any(name in ITEM_NAMES for name in head) and any(
        name in {*LABEL_NAMES, *GROUP_NAMES, "name"} for name in head[1:]
    )


def _objects(text: str, called: str) -> list[_Row]:
    """Rows of JSON lines."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ReadError(f"{called}, line {number}: is no object of JSON")
        rows.append((number, {name.casefold(): _cell(value) for name, value in found.items()}))
    return rows


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)


def _roles(rows: Sequence[_Row], called: str) -> dict[str, str]:
    """Which column says what."""
    head = list(dict.fromkeys(name for _, row in rows for name in row))
    item = next((name for name in head if name in ITEM_NAMES), None)
    rest = [name for name in head if name != item]
    wanted = {"label": LABEL_NAMES, "group": GROUP_NAMES, "name": {"name"}, "named": {"named"}}
    wanted |= {"pinned": {"pinned"}, "wrong": {"wrong"}}
    found = {
        role: column
        for role, names in wanted.items()
        if (column := next((name for name in rest if name in names), None)) is not None
    }
    if item is not None and "name" in found and not {"label", "group"} & found.keys():
        found["label"] = found.pop("name")  # item,name: the name is the class's
    if item is None or not {"label", "group"} & found.keys():
        raise ReadError(
            f"{called}: has no columns of items and of labels or groups; name them item and label, "
            "or item and group"
        )
    return {"item": item, **found}
