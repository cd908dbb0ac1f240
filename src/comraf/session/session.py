"""A session: groups that a person edits, with all that was said, undo and redo without end."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.errors import ComrafError, InputError, ReadError
from comraf.results.groups import Change, Difference, Groups, difference, heirs
from comraf.session.log import Entry, Log, States
from comraf.session.said import checked, name_of

__all__ = ["MAIN", "Session", "SessionState", "StaleError", "Step"]

#: The branch that every session begins with.
MAIN = "main"
# Groups of runs by where these lie, or what gives them.
Runs = MutableMapping[str, npt.ArrayLike] | Callable[[str], npt.ArrayLike]
# Edits of groups, by the side whose groups they are about: what they are called in the log.
_EDITS = {"merge", "split", "move", "rename"}


class StaleError(ComrafError, RuntimeError):
    """The groups have changed since they were looked at; ``since`` says how."""

    def __init__(self, message: str, since: Sequence[Entry] = (), head: int | None = None) -> None:
        super().__init__(message)
        self.since, self.head = tuple(since), head


@dataclass(frozen=True, eq=False)
class SessionState:
    """Everything that holds in one version.

    Attributes
    ----------
    groups : Groups
    pinned : frozenset of int
        Items that stay where they are when groups are found anew.
    doubted : frozenset of int
        Items of which somebody said that their group is wrong.
    labels : mapping of int to str
        Classes of items, as somebody said.
    answers : mapping of (int, int) to str
        Of pairs of items: "same", "different" or "unknown".
    others : mapping of str to mapping
        Answers about values of other sides, by the name of the side.
    sides : mapping of str to Groups
        Groups of other sides that were edited since the run, by the name of the side.
    run : int
        The run that the groups come from.
    settings : mapping
        What that run went by, as far as it was another than the one before.
    origins : mapping of int to (str, tuple of int)
        Of groups that were not there from the beginning as they are: what made them, and of which
        groups, such as ("merge", (3, 7)).
    """

    groups: Groups
    pinned: frozenset[int] = frozenset()
    doubted: frozenset[int] = frozenset()
    labels: Mapping[int, str] = field(default_factory=dict)
    answers: Mapping[tuple[int, int], str] = field(default_factory=dict)
    others: Mapping[str, Mapping[tuple[int, int], str]] = field(default_factory=dict)
    sides: Mapping[str, Groups] = field(default_factory=dict)
    run: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)

    @cached_property
    def clusters(self) -> str:
        """What the groups of all other sides are recognised by: the run, and what was edited."""
        edited = (f"{side} {digest_of(one.of)}" for side, one in sorted(self.sides.items()))
        return " ".join((str(self.run), *edited))


@dataclass(frozen=True)
class Step:
    """What was done: the entry of the log, and how the groups changed by it."""

    entry: int
    change: Change


class Session:
    """Groups of a collection with the log of everything a person said of them.

    Open one with `Session.begin`, or with `Session.open` where there is one already. All verbs
    return what they changed; when they return, it is on the disk. They take ``at``, the version
    the person looked at: if the groups have changed since, nothing is done and `StaleError` says
    what happened.

    Parameters
    ----------
    path : path-like
        The file of the session.
    runs : mapping of str to array of int, or callable
        Gives the group of each item in a run by the run's place.
    branch : str
    who : str
        Who speaks; written beside everything that is said.
    sides : callable, optional
        Gives the groups that the run of a state has for a side's values.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "session.db")
    >>> session = Session.begin(path, [0, 0, 1, 2], ids=list("abcd"), names={0: "tea"})
    >>> session.merge(0, 2).change.deleted
    (2,)
    >>> session.rename(0, "hot drinks").entry == session.version
    True
    >>> session.undo(), session.groups.name(0), session.groups.of.tolist()
    (True, 'tea', [0, 0, 1, 0])
    >>> session.redo(), session.groups.name(0)
    (True, 'hot drinks')
    >>> session.close(); folder.cleanup()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        runs: Runs | None = None,
        *,
        branch: str = MAIN,
        who: str = "",
        sides: Callable[[SessionState, str], npt.ArrayLike] | None = None,
    ) -> None:
        unsaid = f"{path}: nothing was said there yet; begin with Session.begin"
        if not Path(path).exists():
            raise InputError(unsaid)
        self.log = Log(Path(path))
        self.who = who
        self._runs, self._sides = runs, sides
        self._made = States(self.log, lambda before, entry: self.after(before, entry)[0])
        try:
            if self.log.head(MAIN) is None:
                raise InputError(unsaid)
            if self.log.head(branch) is None:
                raise InputError(
                    parameter="branch", given=branch, allowed=list(self.log.marks("branch"))
                )
        except BaseException:
            self.log.close()
            raise
        self.branch_name = branch

    @classmethod
    def begin(
        cls,
        path: str | os.PathLike[str],
        of: npt.ArrayLike,
        *,
        ids: Sequence[str],
        names: Mapping[int, str] | None = None,
        place: str = "",
        runs: Runs | None = None,
        who: str = "",
        sides: Callable[[SessionState, str], npt.ArrayLike] | None = None,
    ) -> Session:
        """Begin a session with the groups of a run, or go on with the one that is there.

        Parameters
        ----------
        path : path-like
        of : array of int
            Group of each item.
        ids : sequence of str
            Ids of the items, by which the collection is recognised.
        names : mapping of int to str, optional
        place : str
            Where the run lies; without one, the groups are written into the log.
        runs, who, sides
            As for `Session`.

        Raises
        ------
        InputError
            The session is about other items, or its run has other groups by now.
        """
        given = np.asarray(of, dtype=np.int64)
        if given.ndim != 1 or len(given) != len(ids):
            raise InputError(f"{given.size:,} groups are given for {len(ids):,} items")
        path = Path(path)
        with Log(path) as log:
            known = log.fact("items", digest_of(ids))
            if known != digest_of(ids):
                raise InputError(
                    f"{path}: is about other items than these {len(ids):,}; the collection has "
                    "moved or changed. Open the one it was begun with, or begin anew in another "
                    "folder"
                )
            if log.head(MAIN) is None:
                run = log.add_run(place, digest_of(given))
                said: dict[str, Any] = {"names": names}
                if not place:
                    said["of"] = given
                log.append("run", checked("run", said), None, branch=MAIN, run=run, who=who)
        found: Runs | None = {place: given} if place and runs is None else runs
        return cls(path, found, who=who, sides=sides)

    def close(self) -> None:
        """Close the file."""
        self.log.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Session({str(self.log.path)!r}, version {self.version} of {self.branch_name!r})"

    @property
    def version(self) -> int:
        """The version that the branch stands at."""
        head = self.log.head(self.branch_name)
        assert head is not None  # noqa: S101 - checked when it was chosen
        return head

    @property
    def said(self) -> SessionState:
        """Everything that holds now."""
        return self.at(self.version)

    @property
    def groups(self) -> Groups:
        """The groups now."""
        return self.said.groups

    def at(self, version: int | str) -> SessionState:
        """Everything that held in a version, given by its number, its name or a branch."""
        return self._made.at(self.number(version))

    def number(self, version: int | str) -> int:
        """The number of a version."""
        if isinstance(version, str):
            marks = self.log.marks("name") | self.log.marks("branch")
            if version not in marks:
                raise InputError(parameter="version", given=version, allowed=list(marks))
            return marks[version].entry
        try:
            return self.log.entry(version).id
        except ReadError:
            raise InputError(f"there is no version {version}") from None

    # -- what can be said

    def merge(
        self, *groups: int, name: str | None = None, side: str | None = None, at: int | None = None
    ) -> Step:
        """Make one group of several; the first lives on. ``side``: groups of another side."""
        return self._edit("merge", side, {"groups": groups, "name": name}, at)

    def split(
        self, group: int, parts: npt.ArrayLike, *, side: str | None = None, at: int | None = None
    ) -> Step:
        """Make several groups of one: ``parts`` has a number for each of its items.

        `comraf.workflows.answer.Answer` and the studio find parts; here they are given, so that
        the log says all and needs no search to be read again.
        """
        return self._edit("split", side, {"group": group, "parts": parts}, at)

    def move(
        self,
        items: Iterable[int],
        to: int | None = None,
        *,
        side: str | None = None,
        at: int | None = None,
    ) -> Step:
        """Put items into another group, or into a new one; they are pinned there.

        Of another ``side``, its values by their numbers; these are not pinned.
        """
        return self._edit("move", side, {"items": items, "to": to}, at)

    def rename(
        self, group: int, name: str, *, side: str | None = None, at: int | None = None
    ) -> Step:
        """Give a group a name; "" takes it away."""
        return self._edit("rename", side, {"group": group, "name": name}, at)

    def _edit(self, verb: str, side: str | None, said: dict[str, Any], at: int | None) -> Step:
        """Say something of groups, of items or of another side: the log has what these were."""
        # So it says all by itself. Whoever edits them must know them: they are those of the run.
        if side is None:
            return self._say(verb, said, at)
        at = self.looked_at(at)
        said["side"], now = side, self.at(at)
        if side not in now.sides:
            if self._sides is None:
                raise InputError(f"the groups of {side} are not known; use comraf.open_project")
            said["of"] = np.asarray(self._sides(now, side), dtype=np.int64)
        return self._say(f"side {verb}", said, at)

    def pin(self, items: Iterable[int], on: bool = True, *, at: int | None = None) -> Step:
        """Say that items belong where they are; ``on=False`` takes it back."""
        return self._say("pin", {"items": items, "on": on}, at)

    def doubt(self, items: Iterable[int], on: bool = True, *, at: int | None = None) -> Step:
        """Say that items are in a wrong group, without saying which is right."""
        return self._say("doubt", {"items": items, "on": on}, at)

    def label(self, items: Iterable[int], name: str, *, at: int | None = None) -> Step:
        """Say what class items are of; "" takes it back."""
        return self._say("label", {"items": items, "name": name}, at)

    def answer(
        self,
        one: int,
        other: int,
        relation: str,
        *,
        side: str | None = None,
        at: int | None = None,
    ) -> Step:
        """Say whether two items belong together: "same", "different", "unknown"; "" takes it back.

        With ``side`` two of its values are meant, by their numbers: two people, two words. What
        contradicts earlier answers is written all the same: `comraf.open_project` gives a project
        whose ``reply`` refuses that.
        """
        said: dict[str, Any] = {"pair": (one, other), "relation": relation, "side": side}
        return self._say("answer" if side is None else "side answer", said, at)

    def adopt(
        self,
        of: npt.ArrayLike | None = None,
        *,
        names: Mapping[int, str] | None = None,
        labels: Mapping[str, Iterable[int]] | None = None,
        pinned: Iterable[int] = (),
        doubted: Iterable[int] = (),
        source: str = "",
        at: int | None = None,
    ) -> Step:
        """Take groups and labels that were made elsewhere, as one entry.

        Groups that are mostly the same keep their ids; the sides of the groups stay those of the
        run. `comraf.open_project` gives a project whose ``import_file`` reads them from a file.

        Parameters
        ----------
        of : array of int, optional
            The group of each item, by any numbers.
        names : mapping of int to str, optional
            Names of these groups; "" takes one away, and those not named keep theirs.
        labels : mapping of str to list of int, optional
            Items of each class.
        pinned, doubted : list of int
        source : str
            Where it comes from.
        at : int, optional
        """
        said: dict[str, Any] = {"labels": labels, "pinned": pinned, "doubted": doubted}
        if of is not None:
            said |= {"of": np.asarray(of, dtype=np.int64), "names": names or {}}
        return self._say("import", {**said, "from": source}, at)

    def regroup(
        self,
        of: npt.ArrayLike,
        *,
        names: Mapping[int, str] | None = None,
        place: str = "",
        settings: Mapping[str, Any] | None = None,
        at: int | None = None,
    ) -> Step:
        """Take the groups of another run; those that are mostly the same keep their ids.

        What was said of single items holds on: pinned items stay in their groups where these live
        on. ``settings`` are what the run went by, as plain data; without any, those of the run
        before hold on.
        """
        given = np.asarray(of, dtype=np.int64)
        run = self.log.add_run(place, digest_of(given))
        said: dict[str, Any] = {"names": names, "settings": settings}
        if not place:
            said["of"] = given
        elif isinstance(self._runs, MutableMapping):
            self._runs[place] = given
        return self._say("run", said, at, run)

    def _say(
        self, kind: str, said: Mapping[str, Any], at: int | None, run: int | None = None
    ) -> Step:
        head, said = self.looked_at(at), checked(kind, said)
        # what can't be done is refused here, before anything is written
        made, change = self.after(self.at(head), Entry(-1, head, run, kind, said, self.who, ""))
        number = self.log.append(kind, said, head, branch=self.branch_name, run=run, who=self.who)
        if number is None:
            raise self._stale(head, self.version)
        self._made.keep(number, made)
        return Step(number, change)

    def say_all(
        self, steps: Iterable[Callable[[SessionState], Entry | None]], *, at: int | None = None
    ) -> Step:
        """Say one thing after the other, all of it or nothing; what changed in all.

        Each step is given what holds then, and says what comes next: an entry of which kind, words
        and person count, or nothing.
        """
        head = self.looked_at(at)
        start = now = self.at(head)
        said: list[Entry] = []
        for step in steps:
            if (entry := step(now)) is not None:
                said.append(replace(entry, said=checked(entry.kind, entry.said)))
                now, _ = self.after(now, said[-1])
        number = self.log.extend(said, head, branch=self.branch_name)
        if number is None:
            raise self._stale(head, self.version)
        self._made.keep(number, now)
        return Step(number, difference(start.groups, now.groups).change)

    def looked_at(self, at: int | None) -> int:
        """The version that the branch stands at, if it is the one that the person looked at."""
        head = self.version
        if at is not None and at != head:
            raise self._stale(at, head)
        return head

    def _stale(self, at: int, head: int) -> StaleError:
        before = {entry.id for entry in self.log.entries(at)} if self._exists(at) else set()
        since = [entry for entry in self.log.entries(head) if entry.id not in before][::-1]
        what = ", ".join(entry.kind for entry in since[-3:]) or "undo"
        return StaleError(
            f"the groups have changed meanwhile ({what}); look again, then say it once more",
            since,
            head,
        )

    def _exists(self, number: int) -> bool:
        try:
            self.log.entry(number)
        except ReadError:
            return False
        return True

    # -- where one stands

    def undo(self, *, at: int | None = None) -> bool:
        """Go back one step; False at the beginning."""
        head = self.looked_at(at)
        parent = self.log.entry(head).parent
        return parent is not None and self.go(parent, at=head)

    def redo(self, *, at: int | None = None) -> bool:
        """Take back the last undo; False where nothing was undone since."""
        head = self.looked_at(at)
        child = self.log.left(self.branch_name, head)
        return child is not None and self.go(child, at=head)

    def go(self, version: int | str, *, at: int | None = None) -> bool:
        """Stand at another version; whatever is said next follows from there."""
        head = self.looked_at(at)
        if not self.log.mark("branch", self.branch_name, self.number(version), after=head):
            raise self._stale(head, self.version)
        return True

    def branch(self, name: str, version: int | str | None = None) -> None:
        """Begin another branch at a version (by default this one), or go on with one."""
        name = self._free_name(name)
        start = self.version if version is None else self.number(version)
        if self.log.head(name) is None and name in self.log.marks("name"):
            raise InputError(f"{name!r} is the name of a version; choose another one")
        # if somebody began it first, this goes on with theirs
        if not self.log.mark("branch", name, start) and version is not None:
            raise InputError(f"there is a branch {name!r} already; choose another name")
        self.branch_name = name

    def branches(self) -> dict[str, int]:
        """All branches and where they stand."""
        return {name: mark.entry for name, mark in self.log.marks("branch").items()}

    def name_version(self, name: str, version: int | str | None = None) -> None:
        """Give a version a name to find it by."""
        number = self.version if version is None else self.number(version)
        if name in self.log.marks("branch"):
            raise InputError(f"{name!r} is the name of a branch; choose another one")
        self.log.mark("name", self._free_name(name), number)

    def versions(self) -> dict[str, int]:
        """Versions that have a name."""
        return {name: mark.entry for name, mark in self.log.marks("name").items()}

    def _free_name(self, name: str) -> str:
        name = name_of(name) or ""
        if not name.strip():
            raise InputError(f"name={name!r}; give one that can be seen")
        return name

    # -- what was said

    def history(self) -> Iterator[Entry]:
        """Everything that led to where the branch stands, the latest first."""
        return self.log.entries(self.version)

    def change(self, version: int) -> Change:
        """What an entry changed."""
        entry = self.log.entry(version)
        before = None if entry.parent is None else self.at(entry.parent)
        return self.after(before, entry)[1]

    def compare(self, one: int | str, other: int | str) -> Difference:
        """How the groups of two versions differ."""
        return difference(self.at(one).groups, self.at(other).groups)

    def groups_of_run(self, entry: Entry) -> npt.NDArray[np.int64]:
        """The groups of a run, from where it lies."""
        if "of" in entry.said:
            return np.asarray(entry.said["of"], dtype=np.int64)
        place, digest = self.log.run(entry.run or 0)
        try:
            found = self._runs(place) if callable(self._runs) else (self._runs or {})[place]
        except KeyError:
            raise ReadError(
                f"the run in {place!r} is not given; open the session with it"
            ) from None
        given = np.asarray(found, dtype=np.int64)
        if digest_of(given) != digest:
            raise ReadError(
                f"{place}: its groups are not those that this session was about; put back the run, "
                "or begin a session anew in another folder"
            )
        return given

    def after(self, before: SessionState | None, entry: Entry) -> tuple[SessionState, Change]:
        """What holds after an entry, and how the groups changed."""
        made, change = self._made_by(before, entry)
        if before is None or made.groups is before.groups or not change.descends:
            return made, change
        # a few items that were moved into a group are no origin of it, but all that was merged is
        told = change.descends if entry.kind == "merge" else heirs(made.groups, before.groups)
        known = {**before.origins, **{group: (entry.kind, of) for group, of in told.items()}}
        there = {group: known[group] for group in made.groups.order if group in known}
        return replace(made, origins=there), change

    def _made_by(self, before: SessionState | None, entry: Entry) -> tuple[SessionState, Change]:
        said = entry.said
        if entry.kind == "run":
            names = {int(number): name for number, name in said["names"].items()}
            of = self.groups_of_run(entry)
            if before is None:
                groups = Groups.start(of, names)
                return SessionState(groups, run=entry.run or 0), Change(added=groups.order)
            groups, change = before.groups.replaced(of, names, fixed=before.pinned)
            settings = said.get("settings", before.settings)
            made = replace(before, groups=groups, run=entry.run or 0, settings=settings, sides={})
            return made, change
        if entry.kind == "import":
            assert before is not None  # noqa: S101 - a session begins with a run
            return self._imported(before, said)
        assert before is not None  # noqa: S101 - a session begins with a run
        now, change = before.groups, Change()
        side: str | None = said.get("side")
        verb = entry.kind.removeprefix("side ")
        if verb in _EDITS and side is None:
            now, change = _edited(now, verb, said)
            if verb == "move":
                items = frozenset(said["items"])
                pinned, doubted = before.pinned | items, before.doubted - items
                before = replace(before, pinned=pinned, doubted=doubted)
        elif verb in _EDITS and side is not None:
            theirs = Groups.start(said["of"]) if "of" in said else before.sides[side]
            theirs, change = _edited(theirs, verb, said)
            before = replace(before, sides={**before.sides, side: theirs})
        elif entry.kind == "pin":
            items = frozenset(self._checked(now, said["items"]))
            before = replace(
                before, pinned=before.pinned | items if said["on"] else before.pinned - items
            )
        elif entry.kind == "doubt":
            items = frozenset(self._checked(now, said["items"]))
            before = replace(
                before, doubted=before.doubted | items if said["on"] else before.doubted - items
            )
        elif entry.kind == "label":
            items = frozenset(self._checked(now, said["items"]))
            labels = {item: name for item, name in before.labels.items() if item not in items}
            labels |= dict.fromkeys(items, said["name"]) if said["name"] else {}
            before = replace(before, labels=labels)
        elif entry.kind == "answer":
            one, other = self._checked(now, said["pair"])
            if one == other:
                raise InputError(f"item {one} is given twice; give two items")
            before = replace(before, answers=_told(before.answers, one, other, said["relation"]))
        elif entry.kind == "side answer":
            one, other = said["pair"]
            if one == other or one < 0:
                raise InputError(f"values {one} and {other} are given; give two, by their numbers")
            known = _told(before.others.get(said["side"], {}), one, other, said["relation"])
            before = replace(before, others={**before.others, said["side"]: known})
        else:
            raise ReadError(
                f"{self.log.path}: holds {entry.kind!r}, which this comraf does not know; update it"
            )
        return replace(before, groups=now), change

    def _imported(
        self, before: SessionState, said: Mapping[str, Any]
    ) -> tuple[SessionState, Change]:
        """What holds after groups and labels were taken from elsewhere."""
        if said.get("anew"):
            before = SessionState(before.groups, run=before.run)
        groups, of = before.groups, said.get("of")
        if of is not None:
            groups, _ = groups.replaced(of)
            place = {number: item for item, number in enumerate(of)}
            for number, name in said["names"].items():
                if int(number) in place:
                    groups, _ = groups.rename(int(groups.of[place[int(number)]]), name)
        labels = dict(before.labels)
        for name, items in said.get("labels", {}).items():
            labels |= dict.fromkeys(self._checked(groups, items), name)
        marks = {
            mark: getattr(before, mark) | frozenset(self._checked(groups, said[mark]))
            for mark in ("pinned", "doubted")
            if mark in said
        }
        settings = said.get("settings", before.settings)
        made = replace(before, groups=groups, labels=labels, settings=settings, **marks)
        return made, difference(before.groups, groups).change

    def _checked(self, groups: Groups, items: Sequence[int]) -> list[int]:
        n = len(groups.of)
        for item in items:
            if not 0 <= item < n:
                raise InputError(f"there is no item {item}; they are numbered from 0 to {n - 1}")
        if not items:
            raise InputError("no items are given; name one or more by their numbers")
        return list(items)


def _edited(groups: Groups, verb: str, said: Mapping[str, Any]) -> tuple[Groups, Change]:
    """Groups after an edit."""
    if verb == "merge":
        return groups.merge(said["groups"], said["name"])
    if verb == "split":
        return groups.split(said["group"], np.asarray(said["parts"], dtype=np.int64))
    if verb == "move":
        return groups.move(said["items"], said["to"])
    return groups.rename(said["group"], said["name"])


def _told(
    answers: Mapping[tuple[int, int], str], one: int, other: int, relation: str
) -> dict[tuple[int, int], str]:
    """Answers with one more, in place of what was said of this pair before."""
    rest = {pair: how for pair, how in answers.items() if pair != (one, other)}
    return {**rest, (one, other): relation} if relation else rest


def digest_of(given: Any) -> str:
    """A fingerprint of ids or labels.

    Examples
    --------
    >>> digest_of(["a", "b"]) != digest_of(["ab"])
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    if isinstance(given, np.ndarray):
        digest.update(np.ascontiguousarray(given, dtype="<i8").tobytes())
    else:
        for text in given:
            raw = str(text).encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()
