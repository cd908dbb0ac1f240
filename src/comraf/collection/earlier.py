"""What an earlier build knows about a source that has grown since."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from comraf.collection.counting import Chunk, Counting, RawBlock, make_chunks
from comraf.collection.files import (
    SKIPPED_FILE,
    UNITS_FILE,
    VOCABULARY_FILE,
    open_table,
    reading,
)
from comraf.collection.items import (
    COLUMNS,
    RAW_SIDES,
    READING_VERSION,
    MovableReader,
    Reader,
    Unit,
)
from comraf.collection.kinds import kind_of
from comraf.collection.store import Stored

_NOT_OPTIONS = frozenset(("path", "root", "notes", "files"))


def _options(reader: Reader) -> dict[str, Any]:
    """What a reader was told, or found out, about how to read."""
    options = getattr(reader, "__dict__", {})
    return {
        name: options[name]
        for name in sorted(options)
        if name not in _NOT_OPTIONS and name != "kind" and not name.startswith("_")
    }


def reader_options(reader: Reader) -> dict[str, Any]:
    """Return what a reader was told about how to read, as JSON can hold it; its columns too.

    Examples
    --------
    >>> from comraf.collection.readers.frames import FrameReader
    >>> import pandas
    >>> reader_options(FrameReader(pandas.DataFrame({"body": ["A leak.", "A pump."]})))["text"]
    ['body']
    """
    options = _options(reader)
    if is_dataclass(columns := options.pop("columns", None)):
        options |= asdict(columns)  # type: ignore[arg-type]
    found: dict[str, Any] = json.loads(json.dumps(options, default=repr))
    return found


def reader_signature(reader: Reader) -> str:
    """Return a line that differs when a reader would read the same bytes in another way.

    Examples
    --------
    >>> class Plain:
    ...     kind = "text"
    ...     def __init__(self):
    ...         self.path, self.quotes = "somewhere", "keep"
    >>> reader_signature(Plain())
    "text 3 quotes='keep'"
    """
    shown = [f"{name}={value!r}" for name, value in _options(reader).items()]
    return " ".join([reader.kind, str(READING_VERSION), *shown])


class Earlier:
    """Items of an earlier build, to be used again where their unit has not changed.

    Parameters
    ----------
    stored : Stored
        The earlier collection.
    counting, reader : str
        How items are counted and read now; when that differs from then, nothing is used.
    """

    def __init__(self, stored: Stored, counting: str, reader: str) -> None:
        self._stored = stored
        self.header = header = stored.header
        self.usable = (
            header.get("counting") == counting
            and header.get("reader") == reader
            # a frame has no fingerprints, and its repr says nothing about its rows
            and not kind_of(header.get("kind")).in_memory
        )
        self._names: dict[str, list[str]] = {}
        self._firsts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._copies: list[list[bytes] | None] = []
        self._moved: frozenset[int] = frozenset()
        self._sources: dict[int, str] = {}
        self.n_units = 0

    def match(self, units: Sequence[Unit], reader: Reader) -> list[int]:
        """For each unit its number in the earlier build if it can be used again, else -1.

        A unit of which something was skipped is read again even if it looks the same: what
        was wrong, a permission perhaps, need not have been within it. A unit that has only
        moved within its file is used again where the reader allows it.
        """
        if not self.usable:
            return [-1] * len(units)
        with reading(self._stored.files):
            table = self._read(UNITS_FILE)
            failed = set(self._read(SKIPPED_FILE)["unit"])
            words = self._read(VOCABULARY_FILE)
            counts = np.array(table["items"], dtype=np.int64)
            self._firsts = np.concatenate([[0], np.cumsum(counts)])
            if self._firsts[-1] != self._stored.n_items or (counts < 0).any():
                raise ValueError("its units don't account for its items")
            self._copies = table["copies"]
            for side, value in zip(words["side"], words["value"], strict=True):
                self._names.setdefault(side, []).append(value)
            columns = [table[name] for name in ("path", "start", "stop", "fingerprint", "line")]
            known = {
                Unit(*row): number
                for number, row in enumerate(zip(*columns, strict=True))
                if row[3] and number not in failed
            }
            self.n_units = len(self._copies)
        found = [known.get(unit, -1) for unit in units]
        if hasattr(reader, "content"):
            self._find_moved(units, found, known, cast(MovableReader, reader).content)
        return found

    def _find_moved(
        self,
        units: Sequence[Unit],
        found: list[int],
        known: dict[Unit, int],
        content: Callable[[Unit], Hashable],
    ) -> None:
        """Fill in the units that now lie elsewhere, each used once."""
        used = set(found)
        left: dict[Hashable, list[int]] = {}
        for unit, number in reversed(known.items()):
            if number not in used:
                left.setdefault(content(unit), []).append(number)
        moved = []
        for i, unit in enumerate(units):
            if found[i] < 0 and (numbers := left.get(content(unit))):
                found[i] = numbers.pop()
                moved.append(i)
        self._moved = frozenset(moved)

    def has_all(self, known: Sequence[int]) -> bool:
        """Tell whether these are all units of the earlier build, in their order and places."""
        return not self._moved and list(known) == list(range(self.n_units))

    def _read(self, name: str) -> dict[str, list[Any]]:
        with open_table(self._stored.files, name) as file:
            columns: dict[str, list[Any]] = file.read().to_pydict()
        return columns

    def chunks(
        self,
        batch: Sequence[tuple[int, Unit]],
        known: Sequence[int],
        has_seen: Callable[[bytes], bool],
        reader: Reader,
        counting: Counting,
    ) -> Iterator[Chunk]:
        """Yield the items of unchanged units as they were read then.

        A unit of which a copy was dropped then is read again if the item that it was a copy
        of has gone since.
        """
        for number, unit in batch:
            if number in self._moved:
                self._sources[number] = cast(MovableReader, reader).source(unit)
        run: list[tuple[int, int]] = []
        for number, unit in batch:
            old = known[number]
            copies = self._copies[old] or ()
            follows = run and old == run[-1][1] + 1
            if run and (not follows or copies):
                yield from self._stretch(run)
                run = []
            # asked only now: what stands before this unit has been taken
            if copies and not all(map(has_seen, copies)):
                yield from make_chunks(reader, [(number, unit)], counting)
                continue
            run.append((number, old))
        if run:
            yield from self._stretch(run)

    def _stretch(self, run: list[tuple[int, int]]) -> Iterator[Chunk]:
        """Items of units that follow each other, a row group at a time."""
        first, last = run[0][1], run[-1][1]
        begin, end = int(self._firsts[first]), int(self._firsts[last + 1])
        sizes = np.diff(self._firsts[first : last + 2])
        owners = np.repeat([number for number, _ in run], sizes).tolist()
        at = 0
        for piece in self._stored.rows().pieces(None, begin, end):
            with reading(self._stored.files):
                yield self._chunk(piece, begin + at, owners[at : at + len(piece)])
            at += len(piece)
        copies = [(number, keys) for number, old in run if (keys := self._copies[old])]
        yield Chunk(copies=copies, finished=len(run))

    def _chunk(self, piece: Any, start: int, owners: list[int]) -> Chunk:
        """Some items as they were read then, the first of them number `start`."""
        columns: dict[str, list[Any]] = {name: piece.column(name).to_pylist() for name in COLUMNS}
        given = zip(columns["id"], piece.column("given_id").to_pylist(), strict=True)
        columns["id"] = [name if other is None else other for name, other in given]
        columns["date"] = piece.column("date").cast("int64").to_pylist()
        columns["notes"] = [tuple(notes or ()) for notes in columns["notes"]]
        sources = zip(owners, columns["source"], strict=True)
        columns["source"] = [self._sources.get(number, source) for number, source in sources]
        columns["features"] = [b""] * len(piece)
        if kind_of(self.header["kind"]).photos:
            columns["features"] = list(self._stored.features(start, start + len(piece)))
        raws = {}
        for name in RAW_SIDES:
            ids, counts = (
                piece.column(f"{name}:{part}").combine_chunks() for part in ("ids", "counts")
            )
            numbers = ids.flatten().to_numpy(zero_copy_only=False)
            used, local = np.unique(numbers, return_inverse=True)
            names = self._names.get(name, [])
            if len(used) and (used[0] < 0 or used[-1] >= len(names)):
                raise ValueError(f"{name} that are not in its vocabulary")
            raws[name] = RawBlock(
                [names[i] for i in used.tolist()],
                np.diff(ids.offsets.to_numpy()).astype(np.int32),
                local.astype(np.int32),
                counts.flatten().to_numpy(zero_copy_only=False).astype(np.int32),
            )
        return Chunk(owners, columns, raws)

    def close(self) -> None:
        """Let go of the earlier files, so that they can be replaced on every system."""
        self._stored.close()
