"""The log of a session as lines that can be taken away, and said again about the same items.

Lines are objects of JSON: the first says what the log is about, each other one is an entry. Items
are known by their ids, so the collection may have them in another order; values of other sides go
by their names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from comraf._version import __version__
from comraf.errors import InputError, ReadError
from comraf.results.groups import Groups
from comraf.session.log import Entry
from comraf.session.said import KINDS
from comraf.session.session import SessionState
from comraf.supervision.naming import listed, quoted

if TYPE_CHECKING:
    from comraf.session.session import Session, Step

__all__ = ["is_log", "log_lines", "replay"]

_FORMAT = 1
_WHAT = "session log"
_FAULTS = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)

Values = Callable[[str], Sequence[str]]


def log_lines(session: Session, ids: Sequence[str], values: Values) -> Iterator[str]:
    """The log as lines; ``values`` gives the names of a side's values."""
    head = {
        "comraf": _WHAT,
        "format": _FORMAT,
        "made_by": __version__,
        "head": session.version,
        "items": list(ids),
    }
    yield json.dumps(head, ensure_ascii=True) + "\n"
    named: set[str] = set()
    for entry in session.log.entries():
        said = dict(entry.said)
        if "side" in said and said["side"] not in named:
            named.add(said["side"])
            of = {"side": said["side"], "values": list(values(said["side"]))}
            yield json.dumps(of, ensure_ascii=True) + "\n"
        if entry.kind == "run":
            said["of"] = session.groups_of_run(entry).tolist()
        told = {
            "version": entry.id,
            "after": entry.parent,
            "kind": entry.kind,
            "said": said,
            "who": entry.who,
            "at": entry.at,
        }
        yield json.dumps(told, ensure_ascii=True) + "\n"


def is_log(line: str) -> bool:
    """Whether a file that begins with this line is a log.

    Examples
    --------
    >>> is_log('{"comraf": "session log", "format": 1}'), is_log("item,label")
    (True, False)
    """
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(head, dict) and head.get("comraf") == _WHAT


def replay(
    session: Session,
    lines: Iterable[str],
    ids: Sequence[str],
    values: Values,
    *,
    called: str = "the log",
    at: int | None = None,
) -> Step:
    """Say again what led to where the log stood: all of it, or nothing.

    The groups become those that the log began with, then each entry follows. What was said before
    holds no more; undo goes back to it. What was undone in the log, and its other branches, are
    left out. Searches are not made again: their groups are in the log.

    Parameters
    ----------
    session : Session
    lines : iterable of str
        As `log_lines` gives them.
    ids : sequence of str
        Ids of the session's items.
    values : callable
        Gives the names of a side's values.
    called : str
        What errors call the log.
    at : int, optional
        As for the verbs of the session.

    Raises
    ------
    InputError
        It is about other items.
    ReadError
        It is damaged, or of a newer comraf.
    """
    try:
        theirs = _Theirs(session, list(lines), ids, values, called)
    except InputError:
        raise
    except _FAULTS as error:
        raise ReadError(
            f"{called}: is damaged: it can't be read ({type(error).__name__})"
        ) from None
    return session.say_all(theirs.steps(), at=at)


class _Theirs:
    """A log from elsewhere, followed entry by entry in the numbers of our items."""

    def __init__(
        self, session: Session, lines: list[str], ids: Sequence[str], values: Values, called: str
    ) -> None:
        self._session, self._values, self._called = session, values, called
        head = self._parsed(lines[0] if lines else "", 1)
        if head.get("comraf") != _WHAT:
            raise ReadError(f"{called}: is no log of a session")
        found = head.get("format")
        if not isinstance(found, int) or found > _FORMAT:
            raise ReadError(
                f"{called}: was written by a newer comraf (format {found}, this one reads up to "
                f"{_FORMAT}); update comraf"
            )
        self._place = self._places(head.get("items"), ids)
        entries = {}
        self._names: dict[str, list[str]] = {}
        self._columns_of: dict[str, npt.NDArray[np.int64]] = {}
        for number, line in enumerate(lines[1:], start=2):
            if line.strip():
                told = self._parsed(line, number)
                if "values" in told:
                    self._names[str(told.get("side"))] = list(told["values"])
                else:
                    entries[told.get("version")] = told
        self._path: list[dict[str, Any]] = []
        wanted = head.get("head")
        while wanted is not None or not self._path:
            told = entries.get(wanted) or {}
            parent = told.get("after")
            if not told or not (parent is None or parent < wanted):
                raise ReadError(f"{called}: is damaged: version {wanted} is not there")
            self._path.append(told)
            wanted = parent
        self._path.reverse()
        self._state: SessionState | None = None

    def _parsed(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ReadError(f"{self._called}, line {number}: is damaged: this is no object of JSON")
        return found

    def _places(self, items: Any, ids: Sequence[str]) -> npt.NDArray[np.int64]:
        """The number here of each of their items."""
        if not isinstance(items, list) or not items:
            raise ReadError(f"{self._called}: is damaged: it does not say what it is about")
        numbers = {item: number for number, item in enumerate(ids)}
        lacking = [str(item) for item in items if item not in numbers]
        if len(lacking) == len(items):
            raise InputError(f"{self._called}: is the log of another collection")
        if lacking:
            raise InputError(
                f"{self._called}: is about items that this collection lacks: "
                f"{listed(map(quoted, lacking), len(lacking))}"
            )
        if len(set(items)) != len(ids) or len(items) != len(ids):
            more = [one for one in ids if one not in set(items)]
            raise InputError(
                f"{self._called}: is the log of another collection: it does not know "
                f"{listed(map(quoted, more), len(more))}"
            )
        return np.array([numbers[item] for item in items], dtype=np.int64)

    def steps(self) -> Iterator[Callable[[SessionState], Entry | None]]:
        """What is to be said, one after the other, each about what holds then."""
        for told in self._path:
            yield lambda now, told=told: self._next(told, now)  # type: ignore[misc]

    def _next(self, told: Mapping[str, Any], now: SessionState) -> Entry | None:
        """The next entry in the ids of our groups; None if nothing is left to be said."""
        version, kind = told.get("version"), str(told.get("kind"))
        if kind not in KINDS:
            raise ReadError(
                f"{self._called}: version {version} is {kind!r}, which this comraf does not know; "
                "update it"
            )
        try:
            said = self._here(told)
            before = self._state
            entry = Entry(-1, None, None, kind, KINDS[kind](said), str(told.get("who") or ""), "")
            self._state, _ = self._session.after(before, entry)
            if before is None:
                return None if _is_same(now, self._state) else self._whole(entry, anew=True)
            if kind in ("run", "import"):
                return self._whole(entry)
            if "side" in said:  # its groups are those that the log began with, here as there
                return replace(entry, said=said)
            return replace(entry, said=self._renumbered(said, before, now))
        except InputError as error:
            raise error.about(
                "{called}: version {version}: {error}", called=self._called, version=version
            ) from None
        except _FAULTS as error:
            raise ReadError(
                f"{self._called}: is damaged: version {version} can't be read "
                f"({type(error).__name__})"
            ) from None

    def _here(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """What was said, in the numbers of our items and values."""
        said = dict(told["said"])
        side = said.get("side")
        place = self._place if side is None else self._columns(side)

        def ours(numbers: Sequence[int]) -> list[int]:
            for number in numbers:
                if not 0 <= number < len(place):
                    raise IndexError
                if place[number] < 0:
                    name = quoted(self._names[side or ""][number])
                    raise InputError(f"{side} of this collection have no {name}")
            return [int(place[number]) for number in numbers]

        for name in ("items", "pinned", "doubted", "pair"):
            if name in said:
                said[name] = ours(said[name])
        if "labels" in said:
            said["labels"] = {name: ours(some) for name, some in said["labels"].items()}
        order = np.argsort(place)
        if "of" in said:
            if side is not None and not np.array_equal(
                place[order], np.arange(len(self._values(side)))
            ):
                raise InputError(f"{side} of this collection are others than those of the log")
            said["of"] = np.array(said["of"], dtype=np.int64)[order]
        if "parts" in said:
            assert self._state is not None  # noqa: S101 - a log begins with a run
            now = self._state.groups
            if side is not None:
                now = Groups.start(said["of"]) if "of" in said else self._state.sides[side]
            rank = np.argsort(np.argsort(order[now.items(said["group"])]))
            said["parts"] = np.asarray(said["parts"])[rank]
        return said

    def _columns(self, side: str) -> npt.NDArray[np.int64]:
        """The number here of each of their values of a side; -1 for one that is not there."""
        if side not in self._columns_of:
            there = {name: number for number, name in enumerate(self._values(side))}
            found = [there.get(name, -1) for name in self._names[side]]
            self._columns_of[side] = np.array(found, dtype=np.int64)
        return self._columns_of[side]

    def _whole(self, entry: Entry, anew: bool = False) -> Entry:
        """All groups and names as they are in the log now, and what else an import said."""
        assert self._state is not None  # noqa: S101 - called when there is one
        groups = self._state.groups
        said = {
            "from": self._called,
            **{name: what for name, what in entry.said.items() if name != "names"},
            "of": groups.of,
            "names": {group: groups.names.get(group, "") for group in groups.order},
        }
        return replace(entry, kind="import", said=said | ({"anew": True} if anew else {}))

    def _renumbered(
        self, said: Mapping[str, Any], before: SessionState, now: SessionState
    ) -> dict[str, Any]:
        """The same with the ids that these groups have here."""

        def ours(group: int) -> int:
            return int(now.groups.of[before.groups.items(group)[0]])

        found = dict(said)
        if "group" in said:
            found["group"] = ours(said["group"])
        if "groups" in said:
            found["groups"] = [ours(group) for group in said["groups"]]
        if said.get("to") is not None:
            found["to"] = ours(said["to"])
        return found


def _is_same(now: SessionState, then: SessionState) -> bool:
    """Whether the groups and their names are the same, and nothing else was said."""
    pairs = np.unique(np.stack([now.groups.of, then.groups.of]), axis=1).T.tolist()
    same = len(pairs) == len(now.groups) == len(then.groups)
    names = [(now.groups.names.get(a, ""), then.groups.names.get(b, "")) for a, b in pairs]
    quiet = not (now.pinned or now.doubted or now.labels or now.answers or now.others or now.sides)
    return same and quiet and all(a == b for a, b in names)
