"""Chunks come together: copies dropped, words numbered, everything written as it comes.

What stays in memory is the numbering of all different words and people, a fingerprint of
every item, and one row group; texts and counts go to the file at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.chunks import RAW_SIDES, Chunk, RawBlock
from comraf.collection.items import Unit
from comraf.collection.kinds import kind_of
from comraf.collection.remarks import Remarks
from comraf.collection.shelf import Shelf
from comraf.errors import Note
from comraf.store import writing

__all__ = [
    "COPIES",
    "FEATURES_FILE",
    "ITEMS_FILE",
    "NO_WORDS",
    "SKIPPED",
    "SKIPPED_FILE",
    "UNITS_FILE",
    "VOCABULARY_FILE",
    "Gatherer",
    "copy_key",
    "items_schema",
]

ITEMS_FILE = "items.parquet"
UNITS_FILE = "units.parquet"
SKIPPED_FILE = "skipped.parquet"
VOCABULARY_FILE = "vocabulary.parquet"
FEATURES_FILE = "features.parquet"
"""What can be seen in photos, one row an item; only collections of photos have it."""

NO_WORDS, COPIES, SKIPPED = "no_words", "copies", "skipped"
"""Codes of notes: about photos without words of captions, second copies, skipped items."""

_GROUP_ITEMS = 1000
_GROUP_TEXT = 8_000_000
_SKIPS = 10_000


def items_schema(pa: Any) -> Any:
    """Return the columns of the file that holds the items.

    Examples
    --------
    >>> import pyarrow as pa
    >>> items_schema(pa).names[:3]
    ['id', 'given_id', 'title']
    """
    numbers = pa.list_(pa.int32())
    columns = [
        ("id", pa.string()),
        ("given_id", pa.string()),
        ("title", pa.string()),
        ("date", pa.timestamp("us", tz="UTC")),
        ("source", pa.string()),
        ("truth", pa.string()),
        ("digest", pa.string()),
        ("notes", pa.list_(pa.string())),
        ("text", pa.string()),
    ]
    for name in RAW_SIDES:
        columns += [(f"{name}:ids", numbers), (f"{name}:counts", numbers)]
    return pa.schema(columns)


def copy_key(*parts: str | None) -> bytes:
    """Return 16 bytes that stand for some strings.

    Examples
    --------
    >>> copy_key("a", None) == copy_key("a", ""), len(copy_key("a"))
    (False, 16)
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = b"-" if part is None else b"+" + part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.digest()


class Gatherer:
    """Takes chunks in the order of their documents and writes them down.

    Parameters
    ----------
    shelf : Shelf
        Where the files go.
    units : sequence of Unit
        All units, so that a later update knows what it has seen.
    kind : str
        Kind of the reader.
    keep_copies : bool
        Whether copies stay.

    Examples
    --------
    >>> from comraf.collection.chunks import Counting, make_chunks
    >>> from comraf.collection.items import Item
    >>> from comraf.collection.shelf import MemoryShelf
    >>> class One:
    ...     def read(self, unit):
    ...         yield Item("1", "The pump leaks.")
    >>> gatherer = Gatherer(MemoryShelf(), [Unit("a"), Unit("b")], "text")
    >>> for chunk in make_chunks(One(), enumerate(gatherer.units), Counting()):
    ...     gatherer.add(chunk)
    >>> gatherer.finish()
    >>> gatherer.n_items, gatherer.n_copies, list(gatherer.vocabularies["words"])
    (1, 1, ['the', 'pump', 'leaks'])
    """

    def __init__(
        self, shelf: Shelf, units: Sequence[Unit], kind: str, *, keep_copies: bool = False
    ) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._pa, self._pq = pa, pq
        self.shelf = shelf
        self.units = units
        self.vocabularies: dict[str, dict[str, int]] = {name: {} for name in RAW_SIDES}
        self.n_items = 0
        self.n_skipped = 0
        self.n_copies = 0
        self.n_truths = 0
        self.first_skip = ""
        self._clashes: list[tuple[str, str]] = []
        self._n_clashes = 0
        self._remarks = Remarks()
        self._looks: dict[bytes, str] = {}
        self._n_twins = 0
        self._first_twin = ""
        self._messages = kind_of(kind).messages
        self._keep_copies = keep_copies
        self._seen: set[bytes] = set()
        self._ids: set[bytes] = set()
        self._numbers: dict[str, int] = {}
        self._kept = np.zeros(len(units), np.int32)
        self._copies: dict[int, list[bytes]] = {}
        self._columns: dict[str, list[Any]] = {}
        self._blocks: dict[str, list[RawBlock]] = {}
        self._text = 0
        self._skips: list[tuple[int, str, str]] = []
        self._skip_schema = pa.schema(
            [("unit", pa.int64()), ("source", pa.string()), ("reason", pa.string())]
        )
        self._schema = items_schema(pa)
        self._feature_schema = pa.schema([("features", pa.binary())])
        self._features: Any = None
        self._clear()
        with writing(shelf):
            self._items = self._writer(ITEMS_FILE, self._schema)
            self._skipped = self._writer(SKIPPED_FILE, self._skip_schema)
            if kind_of(kind).photos:
                self._features = self._writer(FEATURES_FILE, self._feature_schema)

    def _writer(self, name: str, schema: Any) -> Any:
        return self._pq.ParquetWriter(
            self.shelf.sink(name),
            schema,
            compression="zstd",
            write_page_checksum=True,
            compression_level=3,
        )

    def _clear(self) -> None:
        names = ("id", "given_id", "title", "date", "source", "truth", "digest", "notes", "text")
        self._columns = {name: [] for name in (*names, "features")}
        self._blocks = {name: [] for name in RAW_SIDES}
        self._text = 0

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
        columns = self._columns
        for i in rows:
            given = chunk.ids[i]
            unique = self._unique(given)
            columns["id"].append(unique)
            columns["given_id"].append(None if unique == given else given)
            if unique != given:
                self._n_clashes += 1
                self._clashes = self._clashes or [(given, unique)]
            self._kept[chunk.units[i]] += 1
            self._text += len(chunk.texts[i]) + len(chunk.features[i])
            self.n_truths += chunk.truths[i] is not None
            for note in chunk.notes[i]:
                self._remarks.add(note)
            if self._features is not None:
                self._note_twin(unique, chunk.features[i])
        for name, values in (
            ("title", chunk.titles),
            ("date", chunk.dates),
            ("source", chunk.sources),
            ("truth", chunk.truths),
            ("digest", chunk.digests),
            ("notes", chunk.notes),
            ("text", chunk.texts),
            ("features", chunk.features),
        ):
            columns[name].extend(values if len(rows) == len(chunk) else [values[i] for i in rows])
        for name in RAW_SIDES:
            block = chunk.raws[name]
            if len(rows) < len(chunk):
                block = _select(block, keep)
            self._blocks[name].append(self._renumber(name, block))
        self.n_items += len(rows)
        if len(columns["id"]) >= _GROUP_ITEMS or self._text >= _GROUP_TEXT:
            self._write_items()

    def told(self) -> list[str]:
        """Return what had to be repaired, dropped and skipped, for people."""
        notes = self._remarks.told()
        for given, unique in self._clashes:
            notes.append(
                f"{self._n_clashes} {'item has' if self._n_clashes == 1 else 'items have'} the id "
                f"of another one and got a new one; the first: {given!r} is now {unique!r}"
            )
        if self._first_twin:
            verb = (
                "photo is a copy of another"
                if self._n_twins == 1
                else "photos are copies of others"
            )
            notes.append(f"{self._n_twins} {verb}, and kept; the first: {self._first_twin}")
        if self.n_copies:
            notes.append(Note("{n} second copies dropped", COPIES, n=self.n_copies))
        if self.n_skipped:
            items = "1 item" if self.n_skipped == 1 else f"{self.n_skipped} items"
            text = "{items} skipped; the first: {first}"
            notes.append(Note(text, SKIPPED, items=items, first=self.first_skip))
        return notes

    def _note_twin(self, name: str, features: bytes) -> None:
        """Count photos of which all that can be seen was seen before."""
        first = self._looks.setdefault(hashlib.blake2b(features, digest_size=16).digest(), name)
        if first != name:
            self._n_twins += 1
            self._first_twin = self._first_twin or f"'{name}' of '{first}'"

    def _is_new(self, chunk: Chunk, i: int) -> bool:
        digest, truth = chunk.digests[i], chunk.truths[i]
        dated = chunk.dates[i] is not None and chunk.raws["people"].lengths[i] > 0
        name = None if self._messages and dated else chunk.ids[i]
        key = copy_key(name, digest, truth)
        if key in self._seen and not self._keep_copies:
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

    def _renumber(self, name: str, block: RawBlock) -> RawBlock:
        known = self.vocabularies[name]
        numbers = np.fromiter(
            (known.setdefault(value, len(known)) for value in block.names),
            np.int32,
            len(block.names),
        )
        ids = numbers[block.ids] if len(block.ids) else block.ids
        return RawBlock([], block.lengths, ids, block.counts)

    def _write_items(self) -> None:
        if not self._columns["id"]:
            return
        pa = self._pa
        arrays = [
            pa.array(self._columns[field.name], field.type)
            for field in self._schema
            if field.name in self._columns
        ]
        for name in RAW_SIDES:
            blocks = self._blocks[name]
            offsets = np.concatenate([[0], np.cumsum(np.concatenate([b.lengths for b in blocks]))])
            starts = pa.array(offsets, pa.int32())
            arrays += [
                pa.ListArray.from_arrays(starts, pa.array(np.concatenate(values), pa.int32()))
                for values in ([b.ids for b in blocks], [b.counts for b in blocks])
            ]
        with writing(self.shelf):
            self._items.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
            if self._features is not None:
                column = pa.array(self._columns["features"], pa.binary())
                table = pa.Table.from_arrays([column], schema=self._feature_schema)
                self._features.write_table(table)
        self._clear()

    def _write_skips(self) -> None:
        if self._skips:
            columns = [list(column) for column in zip(*self._skips, strict=True)]
            arrays = [
                self._pa.array(c, f.type) for c, f in zip(columns, self._skip_schema, strict=True)
            ]
            table = self._pa.Table.from_arrays(arrays, schema=self._skip_schema)
            with writing(self.shelf):
                self._skipped.write_table(table)
            self._skips = []

    def finish(self) -> None:
        """Write what is still in memory, and close the files."""
        self._write_items()
        self._write_skips()
        with writing(self.shelf):
            self._items.close()
            self._skipped.close()
            if self._features is not None:
                self._features.close()
            self._write_units()
            self._write_vocabulary()

    def abandon(self) -> None:
        """Close the files, whatever is in them."""
        for writer in filter(None, (self._items, self._skipped, self._features)):
            # the disk may be full or gone; the files are removed next
            with suppress(Exception):
                writer.close()

    def _write_units(self) -> None:
        pa, units = self._pa, self.units
        copies = [self._copies.get(number) for number in range(len(units))]
        table = pa.table(
            {
                "path": pa.array([unit.path for unit in units], pa.string()),
                "start": pa.array([unit.start for unit in units], pa.int64()),
                "stop": pa.array([unit.stop for unit in units], pa.int64()),
                "line": pa.array([unit.line for unit in units], pa.int64()),
                "fingerprint": pa.array([unit.fingerprint for unit in units], pa.string()),
                "items": pa.array(self._kept, pa.int32()),
                "copies": pa.array(copies, pa.list_(pa.binary())),
            }
        )
        self._write_table(UNITS_FILE, table)

    def _write_vocabulary(self) -> None:
        pa = self._pa
        schema = pa.schema([("side", pa.string()), ("value", pa.string())])
        with self._writer(VOCABULARY_FILE, schema) as writer:
            for name in RAW_SIDES:
                values = list(self.vocabularies[name])
                for start in range(0, len(values), 100_000):
                    part = values[start : start + 100_000]
                    columns = [pa.array([name] * len(part)), pa.array(part, pa.string())]
                    writer.write_table(pa.Table.from_arrays(columns, schema=schema))

    def _write_table(self, name: str, table: Any) -> None:
        self._pq.write_table(
            table, self.shelf.sink(name), compression="zstd", write_page_checksum=True
        )


def _select(block: RawBlock, keep: NDArray[np.bool_]) -> RawBlock:
    entries = np.repeat(keep, block.lengths)
    return RawBlock(block.names, block.lengths[keep], block.ids[entries], block.counts[entries])
