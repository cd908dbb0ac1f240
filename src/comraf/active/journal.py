"""Answers on disk: each is there before the next question is asked.

A journal is a file of JSON lines. The first line says which items it is about; each other line is
one answer, appended and forced to the disk at once. A process that is killed may leave a torn last
line, which was never acknowledged and is cut off when the journal is opened again.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from comraf.active.answers import Answers, ordered
from comraf.errors import ConflictError, InputError, ReadError, Setting, WriteError
from comraf.store import sync

__all__ = ["Journal", "take_back"]

_FORMAT = "comraf-answers"
_VERSION = 1
_OPENING = json.dumps({"format": _FORMAT})[:-1].encode()


class Journal:
    """All answers that were ever given about some items, and what follows from them.

    Parameters
    ----------
    path : path, optional
        File to keep answers in; one that exists is read and continued. In memory if left out.
    n : int
        Number of items.
    items : str
        Fingerprint of the items. A file about other items is refused.
    seed : int
        Seed of the choice of questions, for a new file; an old one has its own.
    known : iterable of (int, int, bool)
        What is known without having been asked; it is not written. An answer against it is
        refused.
    noisy : bool
        Whether some answers may be wrong. All are kept then, also where they contradict each
        other, and nothing follows from them.

    Attributes
    ----------
    seed : int
        Seed with which the journal was begun.
    facts : Answers
        What follows from all answers together, and from what was known; with `noisy`, from what
        was known alone.

    Examples
    --------
    >>> journal = Journal(None, n=3, items="abc", seed=0)
    >>> journal.append(2, 0, True)
    >>> journal.append(0, 1, None)
    >>> len(journal), journal.find(0, 2), list(journal)
    (2, (True,), [(0, 2, True), (0, 1, None)])
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        n: int,
        items: str,
        seed: int,
        known: Iterable[tuple[int, int, bool]] = (),
        noisy: bool = False,
    ) -> None:
        self.path = None if path is None else Path(path)
        self.n, self.items, self.seed, self.noisy = n, items, seed, noisy
        self.facts = Answers(n)
        for link in known:
            self.facts.tell(*link)
        self._given: dict[tuple[int, int], bool | None] = {}
        self._size = 0
        if self.path is not None:
            self._open(self.path)

    def __len__(self) -> int:
        return len(self._given)

    def __iter__(self) -> Iterator[tuple[int, int, bool | None]]:
        return ((i, j, same) for (i, j), same in self._given.items())

    def find(self, i: int, j: int) -> tuple[bool | None] | None:
        """The answer to this very pair in a tuple of one; None if it was not asked."""
        pair = ordered(i, j)
        return (self._given[pair],) if pair in self._given else None

    def append(self, i: int, j: int, same: bool | None) -> None:
        """Keep one answer; it is on the disk when this returns.

        Raises
        ------
        WriteError
            The file can't be written, or someone else wrote to it. The answer is not kept then,
            neither here nor there.
        ConflictError
            The opposite follows from earlier answers, and they are not said to be noisy.
        """
        pair = ordered(i, j)
        if not self.noisy and same is not None and self.facts.follows(*pair) is (not same):
            self.facts.tell(*pair, same)  # raises, before anything is written
        if self.path is not None:
            self._write(self.path, {"a": pair[0], "b": pair[1], "same": same})
        self._take(*pair, same)

    def _take(self, i: int, j: int, same: bool | None) -> None:
        if not self.noisy:
            self.facts.tell(i, j, same)
        self._given[i, j] = same

    def _open(self, path: Path) -> None:
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            content = b""
        except OSError as error:
            raise ReadError(f"{path} can't be read: {error.strerror}") from error
        whole = content[: content.rfind(b"\n") + 1]
        torn = content[len(whole) :]
        if not whole:
            # Killed while the first line was written, or a file of someone else's.
            if torn and not (_OPENING.startswith(torn) or torn.startswith(_OPENING)):
                raise self._foreign(path)
            self._cut(path, 0)
            head = {"format": _FORMAT, "version": _VERSION, "n": self.n}
            self._write(path, {**head, "items": self.items, "seed": self.seed})
            sync(path.parent)
            return
        lines = whole.splitlines()
        self._read_head(path, lines[0])
        for number, line in enumerate(lines[1:], start=2):
            self._read_line(path, number, line)
        if torn:
            self._cut(path, len(whole))
        self._size = len(whole)

    def _read_head(self, path: Path, line: bytes) -> None:
        head = _parsed(line)
        if head is None or head.get("format") != _FORMAT:
            raise self._foreign(path)
        if head.get("version") != _VERSION:
            raise ReadError(
                f"{path} is a journal of version {head.get('version')!r}; this comraf reads "
                f"version {_VERSION}"
            )
        if head.get("n") != self.n or head.get("items") != self.items:
            raise InputError(
                "{path} has answers about other items: {then} of them, here are {now}{differ}; "
                "give the same rows in the same order, or another file",
                code="other_items",
                path=path,
                then=head.get("n"),
                now=self.n,
                differ="" if head.get("n") != self.n else " that differ",
            )
        if not _whole(head.get("seed")):
            raise ReadError(f"line 1 of {path} is damaged: it has no seed")
        self.seed = head["seed"]

    def _read_line(self, path: Path, number: int, line: bytes) -> None:
        entry: dict[str, Any] = _parsed(line) or {}
        i: Any = entry.get("a")
        j: Any = entry.get("b")
        same: Any = entry.get("same", "missing")
        if not (self._is_row(i) and self._is_row(j) and i != j and _is_answer(same)):
            raise ReadError(
                f"line {number} of {path} is damaged: {line[:60].decode(errors='replace')!r}; "
                "take it out if its answer may be lost"
            )
        try:
            self._take(*ordered(i, j), same)
        except ConflictError as error:
            raise error.about(
                "line {number} of {path}: {error}, or say that answers may be wrong ({noise})",
                noise=Setting("noise", 0.1),
                number=number,
                path=path,
            ) from error

    def _is_row(self, value: Any) -> bool:
        return _whole(value) and value < self.n

    def _foreign(self, path: Path) -> ReadError:
        return ReadError(f"{path} is no journal of answers; nothing was written to it")

    def _cut(self, path: Path, size: int) -> None:
        try:
            with path.open("ab") as stream:
                stream.truncate(size)
        except OSError as error:
            raise WriteError(f"{path} can't be written: {error.strerror}") from error

    def _write(self, path: Path, entry: dict[str, Any]) -> None:
        line = json.dumps(entry).encode() + b"\n"
        try:
            with path.open("ab", buffering=0) as stream:
                if stream.tell() != self._size:
                    raise WriteError(
                        f"{path} was changed by someone else since it was opened; start again to "
                        "go on from what is there now"
                    )
                try:
                    if stream.write(line) != len(line):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    os.fsync(stream.fileno())
                except OSError:
                    # A full disk may have taken half of the line.
                    stream.truncate(self._size)
                    raise
        except WriteError:
            raise
        except OSError as error:
            raise WriteError(
                f"{path} can't be written: {error.strerror}; the last answer is not kept, all "
                "earlier ones are"
            ) from error
        self._size += len(line)


def take_back(path: Path) -> bool:
    r"""Cut the last answer off a journal; False where it has none.

    Each line after the first is one answer, so that the file is again what it was before.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.jsonl")
    ...     _ = file.write_text('{"n": 3}\n{"a": 0}\n')
    ...     take_back(file), file.read_text(), take_back(file)
    (True, '{"n": 3}\n', False)
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
        if len(lines) < 2:
            return False
        with path.open("r+b") as stream:
            stream.truncate(sum(map(len, lines[:-1])))
            os.fsync(stream.fileno())
    except OSError as error:
        raise WriteError(f"{path}: can't be written: {error.strerror or error}") from error
    return True


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_answer(value: object) -> bool:
    return value is None or isinstance(value, bool)
