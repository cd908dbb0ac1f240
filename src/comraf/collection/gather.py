"""Chunks come together: copies dropped, words numbered, everything written as it comes.

What stays in memory is the numbering of all different words and people, a fingerprint of
every item, and one row group; texts and counts go to the file at once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from comraf.collection.counting import Chunk, RawBlock
from comraf.collection.files import (
    FEATURES_FILE,
    ITEMS_FILE,
    SKIPPED_FILE,
    UNITS_FILE,
    VOCABULARY_FILE,
    Files,
    arrow_schema,
    items_schema,
    table_writer,
    write_table,
)
from comraf.collection.items import COLUMNS, RAW_SIDES, Unit, digest_of
from comraf.collection.kinds import kind_of
from comraf.errors import Note
from comraf.store import writing

NO_WORDS, COPIES, SKIPPED = "no_words", "copies", "skipped"
"""Codes of notes: about photos without words of captions, second copies, skipped items."""

_SKIPPED_COLUMNS = {"unit": "int64", "source": "string", "reason": "string"}
_UNIT_COLUMNS = {
    "path": "string",
    "start": "int64",
    "stop": "int64",
    "line": "int64",
    "fingerprint": "string",
    "items": "int32",
    "copies": "list<binary>",
}
_GROUP_ITEMS = 1000
_GROUP_TEXT = 8_000_000
_SKIPS = 10_000
_VALUES = 100_000
_MOST_REMARKS = 20
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d[\d,.]*")


def copy_key(*parts: str | None) -> bytes:
    """Return 16 bytes that stand for some strings.

    Examples
    --------
    >>> copy_key("a", None) == copy_key("a", ""), len(copy_key("a"))
    (False, 16)
    """
    return bytes.fromhex(digest_of(*("-" if part is None else f"+{part}" for part in parts)))


class Remarks:
    """Counts remarks; those that differ only in their numbers are one.

    Examples
    --------
    >>> remarks = Remarks()
    >>> for line in (3, 7):
    ...     remarks.add(f"line {line} is not UTF-8")
    >>> remarks.counted()
    ['2 items: line 3 is not UTF-8']
    """

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, str]] = {}

    def add(self, remark: str) -> None:
        """Count one."""
        kind = _NUMBERS.sub("#", remark)
        if kind in self._kinds:
            count, first = self._kinds[kind]
            self._kinds[kind] = (count + 1, first)
        elif len(self._kinds) < _MOST_REMARKS:
            self._kinds[kind] = (1, remark)

    def counted(self) -> list[str]:
        """Return them for people, the commonest first."""
        several = sorted(self._kinds.values(), key=lambda entry: -entry[0])
        return [f"{count} item{'s' if count > 1 else ''}: {first}" for count, first in several]


class Gatherer:
    """Takes chunks in the order of their documents and writes them down.

    Parameters
    ----------
    files : Files
        Where they go.
    units : sequence of Unit
        All units, so that a later update knows what it has seen.
    kind : str
        Kind of the reader.
    keep_copies : bool
        Whether copies stay.

    Examples
    --------
    >>> from comraf.collection.counting import Counting, make_chunks
    >>> from comraf.collection.files import MemoryFiles
    >>> from comraf.collection.items import Item
    >>> class One:
    ...     def read(self, unit):
    ...         yield Item("1", "The pump leaks.")
    >>> gatherer = Gatherer(MemoryFiles(), [Unit("a"), Unit("b")], "text")
    >>> for chunk in make_chunks(One(), enumerate(gatherer.units), Counting()):
    ...     gatherer.add(chunk)
    >>> gatherer.finish()
    >>> gatherer.n_items, gatherer.n_copies, list(gatherer.vocabularies["words"])
    (1, 1, ['the', 'pump', 'leaks'])
    """

    def __init__(
        self, files: Files, units: Sequence[Unit], kind: str, *, keep_copies: bool = False
    ) -> None:
        self.files = files
        self.units = units
        self.vocabularies: dict[str, dict[str, int]] = {name: {} for name in RAW_SIDES}
        self.n_items = 0
        self.n_skipped = 0
        self.n_copies = 0
        self.n_truths = 0
        self.first_skip = ""
        self._n_clashes = 0
        self._first_clash = ""
        self._n_twins = 0
        self._first_twin = ""
        self._remarks = Remarks()
        self._features_seen: dict[bytes, str] = {}
        self._messages = kind_of(kind).messages
        self._keep_copies = keep_copies
        self._seen: set[bytes] = set()
        self._ids: set[bytes] = set()
        self._numbers: dict[str, int] = {}
        self._items_of_unit = np.zeros(len(units), np.int32)
        self._copies: dict[int, list[bytes]] = {}
        self._skips: list[tuple[int, str, str]] = []
        self._clear()
        schemas = {ITEMS_FILE: items_schema(), SKIPPED_FILE: arrow_schema(_SKIPPED_COLUMNS)}
        if kind_of(kind).photos:
            schemas[FEATURES_FILE] = arrow_schema({"features": "binary"})
        with writing(files):
            self._writers = {
                name: table_writer(files, name, schema, 3) for name, schema in schemas.items()
            }

    def _clear(self) -> None:
        names = (*COLUMNS, "given_id", "features")
        self._columns: dict[str, list[Any]] = {name: [] for name in names}
        self._blocks: dict[str, list[RawBlock]] = {name: [] for name in RAW_SIDES}
        self._size = 0

    def has_seen(self, key: bytes) -> bool:
        """Tell whether an item of this key would be dropped as a copy."""
        return not self._keep_copies and key in self._seen

    def add(self, chunk: Chunk) -> None:
        """Take a chunk."""
        for unit, skip in chunk.skips:
            self.n_skipped += 1
            self.first_skip = self.first_skip or f"{skip.source}: {skip.reason}"
            self._skips.append((unit, skip.source, skip.reason))
        for unit, keys in chunk.copies:
            self.n_copies += len(keys)
            self._copies.setdefault(unit, []).extend(keys)
        if len(self._skips) >= _SKIPS:
            self._write_skips()
        if not len(chunk):
            return
        keep = np.array([self._is_new(chunk, i) for i in range(len(chunk))], dtype=bool)
        rows = np.flatnonzero(keep).tolist()
        for name, values in chunk.columns.items():
            self._columns[name] += values if len(rows) == len(chunk) else [values[i] for i in rows]
        first = len(self._columns["given_id"])
        for row, i in enumerate(rows, first):
            self._take_item(row, chunk.units[i])
        for name, block in chunk.raws.items():
            kept = block if len(rows) == len(chunk) else block.select(keep)
            self._blocks[name].append(self._renumbered(name, kept))
        self.n_items += len(rows)
        if len(self._columns["id"]) >= _GROUP_ITEMS or self._size >= _GROUP_TEXT:
            self._write_items()

    def _take_item(self, row: int, unit: int) -> None:
        """Give an item that was taken a name of its own, and see what is to be told about it."""
        columns = self._columns
        given, features = columns["id"][row], columns["features"][row]
        unique = columns["id"][row] = self._unique(given)
        columns["given_id"].append(None if unique == given else given)
        if unique != given:
            self._n_clashes += 1
            self._first_clash = self._first_clash or f"{given!r} is now {unique!r}"
        self._items_of_unit[unit] += 1
        self._size += len(columns["text"][row]) + len(features)
        self.n_truths += columns["truth"][row] is not None
        for note in columns["notes"][row]:
            self._remarks.add(note)
        if FEATURES_FILE in self._writers:
            # photos of which all that can be seen was seen before
            key = hashlib.blake2b(features, digest_size=16).digest()
            if (first := self._features_seen.setdefault(key, unique)) != unique:
                self._n_twins += 1
                self._first_twin = self._first_twin or f"'{unique}' of '{first}'"

    def notes(self) -> list[str]:
        """Return what had to be repaired, dropped and skipped, for people."""
        notes = self._remarks.counted()
        if self._n_clashes:
            notes.append(
                f"{self._n_clashes} {'item has' if self._n_clashes == 1 else 'items have'} the id "
                f"of another one and got a new one; the first: {self._first_clash}"
            )
        if self._n_twins:
            alone = self._n_twins == 1
            verb = "photo is a copy of another" if alone else "photos are copies of others"
            notes.append(f"{self._n_twins} {verb}, and kept; the first: {self._first_twin}")
        if self.n_copies:
            notes.append(Note("{n} second copies dropped", COPIES, n=self.n_copies))
        if self.n_skipped:
            items = "1 item" if self.n_skipped == 1 else f"{self.n_skipped} items"
            text = "{items} skipped; the first: {first}"
            notes.append(Note(text, SKIPPED, items=items, first=self.first_skip))
        return notes

    def _is_new(self, chunk: Chunk, i: int) -> bool:
        columns = chunk.columns
        dated = columns["date"][i] is not None and chunk.raws["people"].lengths[i] > 0
        name = None if self._messages and dated else columns["id"][i]
        key = copy_key(name, columns["digest"][i], columns["truth"][i])
        if self.has_seen(key):
            self.n_copies += 1
            self._copies.setdefault(chunk.units[i], []).append(key)
            return False
        self._seen.add(key)
        return True

    def _unique(self, given: str) -> str:
        name = given
        while (key := copy_key(name)) in self._ids:
            # all numbers below were given to others that are called so
            number = self._numbers[given] = self._numbers.get(given, 1) + 1
            name = f"{given}#{number}"
        self._ids.add(key)
        return name

    def _renumbered(self, name: str, block: RawBlock) -> RawBlock:
        """The same counts in the numbers of all values."""
        vocabulary = self.vocabularies[name]
        numbers = np.array(
            [vocabulary.setdefault(value, len(vocabulary)) for value in block.names], np.int32
        )
        ids = numbers[block.ids] if len(block.ids) else block.ids
        return RawBlock([], block.lengths, ids, block.counts)

    def _write_items(self) -> None:
        import pyarrow as pa

        if not self._columns["id"]:
            return
        columns: dict[str, Any] = dict(self._columns)
        for name, blocks in self._blocks.items():
            lengths = np.concatenate([block.lengths for block in blocks])
            offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
            for part in ("ids", "counts"):
                values = np.concatenate([getattr(block, part) for block in blocks])
                numbers = pa.array(values, pa.int32())
                columns[f"{name}:{part}"] = pa.ListArray.from_arrays(offsets, numbers)
        with writing(self.files):
            for name in (ITEMS_FILE, FEATURES_FILE):
                if writer := self._writers.get(name):
                    schema = writer.schema
                    arrays = [pa.array(columns[field.name], field.type) for field in schema]
                    writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        self._clear()

    def _write_skips(self) -> None:
        if self._skips:
            import pyarrow as pa

            writer = self._writers[SKIPPED_FILE]
            columns = dict(zip(_SKIPPED_COLUMNS, zip(*self._skips, strict=True), strict=True))
            with writing(self.files):
                writer.write_table(pa.table(columns, schema=writer.schema))
            self._skips = []

    def finish(self) -> None:
        """Write what is still in memory, and close the files."""
        import pyarrow as pa

        self._write_items()
        self._write_skips()
        with writing(self.files):
            for writer in self._writers.values():
                writer.close()
        columns = {
            **{name: [getattr(unit, name) for unit in self.units] for name in Unit.__slots__},
            "items": self._items_of_unit,
            "copies": [self._copies.get(number) for number in range(len(self.units))],
        }
        schema = arrow_schema(_UNIT_COLUMNS)
        write_table(self.files, UNITS_FILE, pa.table(columns, schema=schema))
        schema = arrow_schema({"side": "string", "value": "string"})
        with (
            writing(self.files),
            table_writer(self.files, VOCABULARY_FILE, schema, 3) as writer,
        ):
            for name, vocabulary in self.vocabularies.items():
                values = list(vocabulary)
                for start in range(0, len(values), _VALUES):
                    part = values[start : start + _VALUES]
                    writer.write_table(pa.table([[name] * len(part), part], schema=schema))

    def abandon(self) -> None:
        """Close the files, whatever is in them."""
        for writer in self._writers.values():
            # the disk may be full or gone; the files are removed next
            with suppress(Exception):
                writer.close()
