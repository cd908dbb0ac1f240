"""A person's own criterion: which values belong to which group, in a log that only grows.

The log says what a person said and what a step found. Everything else, such as which documents
have any of these values, follows from it and is written nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from comraf.errors import InputError, Parameter, ReadError
from comraf.session.log import Entry, Log, States
from comraf.session.session import MAIN, StaleError

__all__ = ["Criterion", "CriterionLog", "Value", "begun"]

#: A value with its side: ("words", "excellent").
Value = tuple[str, str]

_LONGEST_NAME = 200


@dataclass(frozen=True, eq=False)
class Criterion:
    """What holds after all that was said and found. Pure data: each verb gives another one.

    Attributes
    ----------
    n_groups : int
    group_of : mapping of Value to int
        The group of each value that is in one.
    said : frozenset of Value
        Those of them that a person put there; no step moves them.
    deleted : frozenset of Value
        What a person took out; no step brings it back.
    names : mapping of int to str
        Names of groups that have one.

    Examples
    --------
    >>> told = Criterion(2).put([("words", "good"), ("words", "kind")], 0)
    >>> told = told.found({("words", "kind"): 1, ("words", "fine"): 0})
    >>> told.delete([("words", "fine")]).found({("words", "fine"): 0}).values(0)
    [('words', 'good'), ('words', 'kind')]
    """

    n_groups: int
    group_of: Mapping[Value, int] = field(default_factory=dict)
    said: frozenset[Value] = frozenset()
    deleted: frozenset[Value] = frozenset()
    names: Mapping[int, str] = field(default_factory=dict)

    def values(self, group: int) -> list[Value]:
        """The values of a group, in the order in which they came."""
        return [value for value, other in self.group_of.items() if other == group]

    def name(self, group: int) -> str:
        """The name of a group; those without one go by their number."""
        return self.names.get(group) or f"group {group}"

    def put(self, values: Iterable[Value], group: int) -> Criterion:
        """Put values into a group, from another one or from none; they stay there."""
        self._check(group)
        given = list(values)
        said = self.said.union(given)
        group_of = {**self.group_of, **dict.fromkeys(given, group)}
        return replace(self, group_of=group_of, said=said, deleted=self.deleted.difference(given))

    def delete(self, values: Iterable[Value]) -> Criterion:
        """Take values out of their groups, for good."""
        given = frozenset(values)
        left = {value: group for value, group in self.group_of.items() if value not in given}
        return replace(self, group_of=left, said=self.said - given, deleted=self.deleted | given)

    def rename(self, group: int, name: str) -> Criterion:
        """Give a group a name."""
        self._check(group)
        return replace(self, names={**self.names, group: name})

    def found(self, group_of: Mapping[Value, int]) -> Criterion:
        """Take in what a step found; what a person said of a value stands."""
        new = {
            value: group
            for value, group in group_of.items()
            if value not in self.said and value not in self.deleted
        }
        return replace(self, group_of={**self.group_of, **new})

    def _check(self, group: int) -> None:
        if not 0 <= group < self.n_groups:
            raise InputError(
                "there is no group {group}; groups are numbered from 0 to {last}",
                group=group,
                last=self.n_groups - 1,
            )


class CriterionLog:
    """A criterion with the log of everything that led to it; undo and redo without end.

    Every verb is on the disk when it returns.

    Parameters
    ----------
    path : path-like
        The file; it is made, or gone on with.
    items : str
        A fingerprint of the documents and their sides. A file about others is refused.
    n_groups : int, optional
        How many groups; a file that is there knows it.
    about : mapping, optional
        What else a new file is to know; see `begun`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with CriterionLog(Path(folder, "criterion.db"), "abc", 2) as log:
    ...         log.put([("words", "good")], 0)
    ...         log.put([("words", "bad")], 0)
    ...     with CriterionLog(Path(folder, "criterion.db"), "abc") as log:
    ...         log.undo(), log.now.values(0), log.redo(), len(log.now.values(0))
    (True, [('words', 'good')], True, 2)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        items: str,
        n_groups: int | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self.log = Log(Path(path))
        self._made = States(self.log, _after)
        try:
            if self.log.head(MAIN) is None:
                if n_groups is None:
                    option = Parameter("n_clusters")
                    raise InputError("say how many groups there are to be: {option}", option=option)
                said = {"groups": n_groups, "items": items, **(about or {})}
                self.log.append("criterion", said, None, branch=MAIN)
            first = _first(self.log)
            then, k = first.get("items"), first.get("groups")
            if then is None:
                raise ReadError(f"{path}: is a session of another kind; choose another folder")
            if then != items:
                raise InputError(
                    "{path} is about other documents or sides than there are now; begin anew with "
                    "another {p[place]}",
                    code="other_items",
                    path=path,
                )
            if n_groups not in (None, k):
                text = "{given}, but {path} was begun with {k}; say that, or begin anew elsewhere"
                raise InputError(text, "n_clusters", n_groups, path=path, k=k)
        except BaseException:
            self.log.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self.log.close()

    def __enter__(self) -> CriterionLog:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def version(self) -> int:
        """The entry at which we stand."""
        head = self.log.head(MAIN)
        assert head is not None  # noqa: S101 - it was begun
        return head

    @property
    def now(self) -> Criterion:
        """What holds."""
        return self.at(self.version)

    @property
    def before(self) -> Criterion | None:
        """What held before the last step, if a step is the last thing that was done."""
        entry = self.log.entry(self.version)
        return self.at(entry.parent) if entry.kind == "found" and entry.parent else None

    def at(self, version: int) -> Criterion:
        """What held in a version."""
        return self._made.at(version)

    def put(self, values: Iterable[Value], group: int) -> None:
        """Put values into a group; see `Criterion.put`."""
        self._say("put", {"values": _pairs(values), "group": int(group)})

    def delete(self, values: Iterable[Value]) -> None:
        """Take values out of their groups; see `Criterion.delete`."""
        self._say("delete", {"values": _pairs(values)})

    def rename(self, group: int, name: str) -> None:
        """Give a group a name."""
        if "\x00" in name or len(name) > _LONGEST_NAME:
            raise InputError(
                f"{name[:40]!r} can't be a name; give one of at most {_LONGEST_NAME} characters"
            )
        name = name.encode("utf-8", "replace").decode()
        self._say("rename", {"group": int(group), "name": name})

    def found(self, group_of: Mapping[Value, int]) -> None:
        """Write down what a step found that is new."""
        now = self.now
        new = now.found(group_of).group_of
        told = [[*value, group] for value, group in new.items() if now.group_of.get(value) != group]
        self._say("found", {"values": told})

    def undo(self) -> bool:
        """Go back by one thing that was said, or one step; False at the beginning."""
        head = self.version
        parent = self.log.entry(head).parent
        return parent is not None and self._go(parent, head)

    def redo(self) -> bool:
        """Take the last undo back; False where nothing was undone since."""
        head = self.version
        child = self.log.left(MAIN, head)
        return child is not None and self._go(child, head)

    def _go(self, version: int, head: int) -> bool:
        if not self.log.mark("branch", MAIN, version, after=head):
            raise _stale()
        return True

    def _say(self, kind: str, said: Mapping[str, Any]) -> None:
        head = self.version
        # what can't be is refused here, before anything is written
        made = _after(self.at(head), Entry(-1, head, None, kind, said, "", ""))
        number = self.log.append(kind, said, head, branch=MAIN)
        if number is None:
            raise _stale()
        self._made.keep(number, made)


def begun(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """How the log of a criterion was begun: ``groups``, and what it was given to know."""
    with Log(Path(path)) as log:
        return _first(log)


def _first(log: Log) -> Mapping[str, Any]:
    return next(iter(log.entries())).said


def _after(before: Criterion | None, entry: Entry) -> Criterion:
    """What holds after an entry."""
    said = entry.said
    if before is None:
        return Criterion(int(said["groups"]))
    if entry.kind == "put":
        return before.put(map(_pair, said["values"]), said["group"])
    if entry.kind == "delete":
        return before.delete(map(_pair, said["values"]))
    if entry.kind == "rename":
        return before.rename(said["group"], said["name"])
    if entry.kind == "found":
        return before.found({(side, value): group for side, value, group in said["values"]})
    raise ReadError(f"the log holds {entry.kind!r}, which this comraf does not know; update it")


def _pairs(values: Iterable[Value]) -> list[list[str]]:
    given = [[side, value] for side, value in values]
    if not given:
        raise InputError("no values are given; name one or more")
    return given


def _pair(given: list[str]) -> Value:
    side, value = given
    return side, value


def _stale() -> StaleError:
    return StaleError("somebody else changed the groups meanwhile; look again, then say it anew")
