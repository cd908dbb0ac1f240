"""The file of a session: an append-only log in SQLite.

Entries form a tree: each knows the one it was said after. Where a branch stands is the last of its
marks, so that undo and redo are written down, too, and no line is ever changed or removed. What
`Log.append` has returned is on the disk.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from comraf._version import __version__
from comraf.errors import ReadError, WriteError
from comraf.store import sync

__all__ = ["Entry", "Log", "Mark", "States"]

#: Tells a file of ours from other SQLite files.
_APPLICATION = 0x636F6D72
_SECONDS_TO_WAIT = 10.0
# States that are kept in memory: each may be as large as the collection.
_MOST_STATES = 64
_T = TypeVar("_T")
_KEPT = ("log", "marks", "runs", "facts")

# One script for each version of the file; a newer comraf applies those that are missing.
_MIGRATIONS = (
    """
    CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL, digest TEXT NOT NULL,
        made TEXT NOT NULL
    ) STRICT;
    CREATE TABLE log (
        id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER REFERENCES log (id),
        run INTEGER REFERENCES runs (id), kind TEXT NOT NULL, said TEXT NOT NULL,
        who TEXT NOT NULL, at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE marks (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL CHECK (kind IN ('branch', 'name')),
        name TEXT NOT NULL, entry INTEGER NOT NULL REFERENCES log (id), at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX marks_by_name ON marks (kind, name, id);
    """,
)


@dataclass(frozen=True)
class Entry:
    """One thing that was said.

    Attributes
    ----------
    id : int
    parent : int or None
        The entry after which it was said.
    run : int or None
        The run it brought in, if it did.
    kind : str
        "run", "merge", "split", "move", "rename", "pin", "doubt", "label", "answer", "import";
        "side merge" and so on about values of another side.
    said : mapping
        What exactly, as plain data.
    who, at : str
        By whom, and when (ISO 8601, UTC).
    """

    id: int
    parent: int | None
    run: int | None
    kind: str
    said: Mapping[str, Any]
    who: str
    at: str


@dataclass(frozen=True)
class Mark:
    """Where a branch stands, or what a name means; the latest of a name counts."""

    kind: str
    name: str
    entry: int
    at: str


class Log:
    """An open log; several processes may have it open, one writes at a time.

    Parameters
    ----------
    path : Path
        The file. It is made if it is not there.

    Raises
    ------
    ReadError
        It is damaged, was made by a newer comraf, or is something else. It is left as it is.
    WriteError
        It can't be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Log(Path(folder, "session.db")) as log:
    ...     entry = log.append("rename", {"group": 0, "name": "ships"}, None, branch="main")
    ...     log.entry(entry).said["name"], log.marks("branch")["main"].entry == entry
    ('ships', True)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        new = not path.exists()
        with self._said():
            self._db = sqlite3.connect(
                path, timeout=_SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
            )
        try:
            with self._said():
                self._open()
        except BaseException:
            self._db.close()
            if new:
                with suppress(OSError):
                    path.unlink()
            raise
        if new:
            sync(path.parent)

    def _open(self) -> None:
        with self._transaction():  # two processes may find an empty file at once
            (application,) = self._db.execute("PRAGMA application_id").fetchone()
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if application != _APPLICATION and (application or version or tables):
                raise ReadError(
                    f"{self.path}: is a database of something else; move it away, or choose "
                    "another folder"
                )
            if version > len(_MIGRATIONS):
                raise ReadError(
                    f"{self.path}: was written by a newer comraf (format {version}, this one reads "
                    f"up to {len(_MIGRATIONS)}); update comraf. Nothing in it was changed"
                )
            for number, script in enumerate(_MIGRATIONS[version:], version + 1):
                for statement in filter(str.strip, script.split(";")):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {number}")
            if not application:
                self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
                for table in _KEPT:
                    for verb in ("UPDATE", "DELETE"):
                        self._db.execute(
                            f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table} "
                            f"BEGIN SELECT RAISE(ABORT, 'nothing is changed or removed here'); END"
                        )
                self.fact("made_by", __version__)
        for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            self._db.execute(f"PRAGMA {setting}")
        (verdict,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Turn what SQLite says into errors with a way out."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorname", "") or ""
            if "BUSY" in code or "LOCKED" in code:
                raise WriteError(
                    f"{self.path}: another program is writing it and does not stop; close that one "
                    "and try again"
                ) from None
            if "FULL" in code:
                raise WriteError(
                    f"{self.path}: the disk is full; free some space and say it again. What was "
                    "said before is there"
                ) from None
            if isinstance(error, sqlite3.OperationalError) and "CORRUPT" not in code:
                raise WriteError(f"{self.path}: can't be opened or written: {error}") from None
            if isinstance(error, (sqlite3.DatabaseError, sqlite3.IntegrityError)):
                raise ReadError(
                    f"{self.path}: is damaged ({error}); it was left as it is. Put back a copy of "
                    "it, or move it away to begin anew"
                ) from None
            raise

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing; nobody else writes meanwhile."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file; what is in it is whole at any moment."""
        self._db.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def append(
        self,
        kind: str,
        said: Mapping[str, Any],
        parent: int | None,
        *,
        branch: str,
        run: int | None = None,
        who: str = "",
    ) -> int | None:
        """Add an entry after ``parent``; its id, or None if the branch stands elsewhere by now."""
        return self.extend([Entry(-1, parent, run, kind, said, who, "")], parent, branch=branch)

    def extend(self, entries: Sequence[Entry], parent: int | None, *, branch: str) -> int | None:
        """Add entries, each after the one before, the first after ``parent``; the id of the last.

        None if the branch stands elsewhere by now. Of the entries only run, kind, what was said
        and by whom count.
        """
        with self._said(), self._transaction():
            if self._head(branch) != parent:
                return None
            now = _now()
            for one in entries:
                text = json.dumps(one.said, ensure_ascii=False, separators=(",", ":"))
                parent = self._db.execute(
                    "INSERT INTO log (parent, run, kind, said, who, at) VALUES (?, ?, ?, ?, ?, ?)",
                    (parent, one.run, one.kind, text, one.who, now),
                ).lastrowid
                assert parent is not None  # noqa: S101 - an INSERT has one
                self._mark("branch", branch, parent, now)
        return parent

    def mark(self, kind: str, name: str, entry: int, *, after: int | None = None) -> bool:
        """Set a branch or a name; False if a branch is not at ``after``, None for a new one."""
        with self._said(), self._transaction():
            if kind == "branch" and self._head(name) != after:
                return False
            self._mark(kind, name, entry, _now())
        return True

    def _mark(self, kind: str, name: str, entry: int, now: str) -> None:
        self._db.execute(
            "INSERT INTO marks (kind, name, entry, at) VALUES (?, ?, ?, ?)",
            (kind, name, entry, now),
        )

    def _head(self, branch: str) -> int | None:
        row = self._db.execute(
            "SELECT entry FROM marks WHERE kind = 'branch' AND name = ? ORDER BY id DESC LIMIT 1",
            (branch,),
        ).fetchone()
        return None if row is None else int(row[0])

    def head(self, branch: str) -> int | None:
        """The entry at which a branch stands; None if there is no such branch."""
        with self._said():
            return self._head(branch)

    def latest_branch(self) -> str:
        """The branch on which something was said last, or that was begun since."""
        with self._said():
            row = self._db.execute(
                "SELECT name FROM marks WHERE kind = 'branch' ORDER BY id DESC LIMIT 1"
            ).fetchone()
        return str(row[0])

    def add_run(self, place: str, digest: str) -> int:
        """Write down where a run lies and how its groups are recognised; its number."""
        with self._said(), self._transaction():
            made = self._db.execute(
                "INSERT INTO runs (place, digest, made) VALUES (?, ?, ?)", (place, digest, _now())
            ).lastrowid
        assert made is not None  # noqa: S101 - an INSERT has one
        return made

    def run(self, number: int) -> tuple[str, str]:
        """Where a run lies, and how its groups are recognised."""
        with self._said():
            row = self._db.execute(
                "SELECT place, digest FROM runs WHERE id = ?", (number,)
            ).fetchone()
        if row is None:
            raise ReadError(f"{self.path}: is damaged: there is no run {number}")
        return row[0], row[1]

    def entry(self, number: int) -> Entry:
        """One entry."""
        return next(self.entries(number))

    def entries(self, last: int | None = None) -> Iterator[Entry]:
        """An entry and those before it, the latest first; without a number all, in order.

        One after the other, as they are asked for: logs are long, and mostly the end is wanted.
        """
        wanted: int | None = 0 if last is None else last
        which = "id > ? ORDER BY id LIMIT 1" if last is None else "id = ?"
        columns = "id, parent, run, kind, said, who, at"
        while wanted is not None:
            with self._said():
                row = self._db.execute(
                    f"SELECT {columns} FROM log WHERE {which}",  # noqa: S608 - no input
                    (wanted,),
                ).fetchone()
            if row is None and last is None:
                return
            if row is None:
                raise ReadError(f"{self.path}: is damaged: there is no entry {wanted}")
            number, parent, run, kind, said, who, at = row
            yield Entry(number, parent, run, kind, json.loads(said), who, at)
            wanted = number if last is None else parent

    def marks(self, kind: str) -> dict[str, Mark]:
        """The latest mark of every branch, or of every name."""
        with self._said():
            rows = self._db.execute(
                "SELECT kind, name, entry, at FROM marks WHERE kind = ? ORDER BY id", (kind,)
            ).fetchall()
        return {row[1]: Mark(*row) for row in rows}

    def left(self, branch: str, entry: int) -> int | None:
        """The entry after this one where a branch stood last: where redo goes."""
        with self._said():
            row = self._db.execute(
                "SELECT m.entry FROM marks m JOIN log l ON l.id = m.entry WHERE m.kind = 'branch' "
                "AND m.name = ? AND l.parent = ? ORDER BY m.id DESC LIMIT 1",
                (branch, entry),
            ).fetchone()
        return None if row is None else int(row[0])

    def fact(self, key: str, value: str | None = None) -> str | None:
        """A fact about the session; with a value it is written, once and for all."""
        with self._said():
            if value is not None:
                self._db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (key, value))
            row = self._db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def check(self) -> str:
        """What SQLite's own check of the whole file says: "ok"."""
        with self._said():
            return str(self._db.execute("PRAGMA integrity_check").fetchone()[0])


class States(Generic[_T]):
    """What held in the versions of a log; the last ones are kept, others follow from the log.

    Parameters
    ----------
    log : Log
    after : callable
        What holds after an entry, given what held before (None before the first).
    """

    def __init__(self, log: Log, after: Callable[[_T | None, Entry], _T]) -> None:
        self._log, self._after = log, after
        self._kept: OrderedDict[int, _T] = OrderedDict()

    def at(self, version: int) -> _T:
        """What held in a version."""
        path: list[Entry] = []
        found: _T | None = None
        for entry in self._log.entries(version):
            if (found := self._kept.get(entry.id)) is not None:
                break
            path.append(entry)
        for entry in reversed(path):
            found = self._after(found, entry)
            self.keep(entry.id, found)
        assert found is not None  # noqa: S101 - the first entry makes one
        return found

    def keep(self, version: int, state: _T) -> None:
        """Remember what holds in a version."""
        self._kept[version] = state
        self._kept.move_to_end(version)
        while len(self._kept) > _MOST_STATES:
            self._kept.popitem(last=False)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of ours, by its header alone.

    Examples
    --------
    >>> is_log("no-such-file")
    False
    """
    try:
        with open(path, "rb") as file:
            head = file.read(100)
    except OSError:
        return False
    return head[:15] == b"SQLite format 3" and head[68:72] == _APPLICATION.to_bytes(4, "big")
