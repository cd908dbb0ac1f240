"""Counts become the table of a side: values merged, dropped, renumbered.

What was counted while reading stays with the items. A side of it keeps which of its values each
raw value is, and its table is made of the two whenever it is asked for. Counts are read row group
by row group, so that no more than the finished table is ever in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.files import (
    ITEMS_FILE,
    Files,
    Rows,
    arrow_schema,
    numbers,
    side_files,
    table_writer,
    write_table,
)
from comraf.store import writing

Ints = NDArray[np.int64]
_ROWS = 5000
_TABLE_COLUMNS = ("columns", "counts")
_DETAILS = {
    "addresses": "list<string>",
    "spellings": "list<string>",
    "sent": "int64",
    "received": "int64",
}


class RawCounts:
    """What was counted while reading, or a table that was written, from its file.

    Parameters
    ----------
    files : Files
    raw : str
        Which counts of the items; empty for a table.
    n_values : int
    table : str
        Name of the file of a table.
    """

    def __init__(self, files: Files, raw: str, n_values: int, table: str = "") -> None:
        self._files = files
        self._file = table or ITEMS_FILE
        self._columns = list(_TABLE_COLUMNS) if table else [f"{raw}:ids", f"{raw}:counts"]
        self.raw = raw
        self.n_values = n_values

    def pieces(self) -> Iterator[sp.csr_array]:
        """Yield documents x raw values, some documents at a time."""
        rows = Rows(self._files, self._file)
        for group in rows.pieces(self._columns):
            ids, counts = (group.column(name).combine_chunks() for name in self._columns)
            offsets = numbers(ids.offsets)
            indices = numbers(ids.flatten())
            data = numbers(counts.flatten())
            if len(data) and (indices.min() < 0 or data.min() < 1):
                raise ValueError("a column or a count that can't be")
            shape = (len(offsets) - 1, self.n_values)
            yield sp.csr_array((data, indices, offsets - offsets[0]), shape=shape)
        rows.close()

    @cached_property
    def frequencies(self) -> tuple[Ints, Ints]:
        """In how many documents each raw value stands, and how often in all."""
        documents, total = (np.zeros(self.n_values, np.int64) for _ in range(2))
        for piece in self.pieces():
            documents += np.bincount(piece.indices, minlength=self.n_values)
            sums = np.bincount(piece.indices, weights=piece.data, minlength=self.n_values)
            total += sums.astype(np.int64)
        return documents, total

    def whole(self) -> sp.csr_array:
        """Return all documents at once."""
        pieces = list(self.pieces())
        if not pieces:
            return sp.csr_array((0, self.n_values), dtype=np.int32)
        return sp.csr_array(sp.vstack(pieces, format="csr"))


class TableCounts:
    """A table that was made of something else than counts of the items."""

    raw = ""

    def __init__(self, table: sp.csr_array) -> None:
        self._table = table

    def pieces(self) -> Iterator[sp.csr_array]:
        """Yield some rows at a time."""
        for start in range(0, self._table.shape[0], _ROWS):
            yield self._table[start : start + _ROWS]


@dataclass(slots=True)
class Fold:
    """How the raw values of one kind become the values of a side.

    Attributes
    ----------
    name, kind : str
        Of the side: "words", "people", "values" or "dates" is its kind.
    counts : RawCounts or TableCounts
        Which counts it is made of.
    target : ndarray of int64
        For each raw value the number of its value, or -1.
    values : list of str
        Names of the values.
    min_documents, max_documents : int
        Values in fewer or more documents go.
    presence : bool
        Whether a value counts once in a document, however often it stands there.
    gentle : bool
        Whether nothing is cut if nothing would be left.
    details : dict of str to list
        Further columns, one entry for each value.
    facts : dict
        What was found and left out, for people and for JSON.
    """

    name: str
    kind: str
    counts: RawCounts | TableCounts
    target: Ints
    values: list[str]
    min_documents: int = 1
    max_documents: int = 2**31
    presence: bool = False
    gentle: bool = False
    details: dict[str, list[Any]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def pieces(self) -> Iterator[sp.csr_array]:
        """Yield documents x values, some documents at a time."""
        given = self.counts.pieces()
        return mapped(given, self.target, len(self.values), presence=self.presence)


def mapped(
    pieces: Iterator[sp.csr_array], target: Ints, n_values: int, *, presence: bool
) -> Iterator[sp.csr_array]:
    """Counts of raw values in the numbers of the values of a side."""
    for piece in pieces:
        columns = target[piece.indices]
        keep = columns >= 0
        ends = np.concatenate([[0], np.cumsum(keep)])[piece.indptr]
        shape = (piece.shape[0], n_values)
        table = sp.csr_array((piece.data[keep], columns[keep], ends), shape=shape)
        table.sum_duplicates()
        if presence:
            table.data[:] = 1
        yield table


def document_counts(fold: Fold) -> Ints:
    """In how many documents each value of the side would stand.

    Values that are merged count once for a document that has several of their forms.
    """
    documents = np.zeros(len(fold.values), np.int64)
    if len(fold.values):
        for piece in fold.pieces():
            documents += np.bincount(piece.indices, minlength=len(fold.values))
    return documents


def cut(fold: Fold, documents: Ints) -> Ints:
    """Leave out values in too few or too many documents, and sort the others by name.

    Changes the fold, tells in its facts how many went, and returns the document counts of
    those that stay.

    Examples
    --------
    >>> counts = TableCounts(sp.csr_array((0, 2)))
    >>> fold = Fold("tags", "values", counts, np.array([0, 1]), ["b", "a"], min_documents=2)
    >>> cut(fold, np.array([5, 1])).tolist(), fold.values, fold.target.tolist(), fold.facts
    ([5], ['b'], [0, -1], {'rare': 1})
    """
    rare = (documents < fold.min_documents) & (documents > 0)
    frequent = documents > fold.max_documents
    for name, gone in (("rare", rare), ("frequent", frequent)):
        if gone.any():
            fold.facts[name] = int(gone.sum())
    if frequent.any():
        worst = np.flatnonzero(frequent)[np.argsort(-documents[frequent], kind="stable")][:20]
        fold.facts["frequent_values"] = [fold.values[i] for i in worst]
    kept = np.flatnonzero((documents >= fold.min_documents) & ~frequent & (documents > 0))
    order = np.array(sorted(kept.tolist(), key=fold.values.__getitem__), dtype=np.int64)
    renumbered = np.full(len(fold.values) + 1, -1, np.int64)
    renumbered[order] = np.arange(len(order))
    # -1 points at the last entry, which stays -1
    fold.target = renumbered[fold.target]
    fold.values = [fold.values[i] for i in order]
    fold.details = {name: [column[i] for i in order] for name, column in fold.details.items()}
    return documents[order] if len(order) else np.zeros(0, np.int64)


def write_side(
    files: Files, fold: Fold, documents: Ints, number: int, tick: Callable[[], None]
) -> dict[str, Any]:
    """Write the values of a side, and its table or what it is made by; return its header."""
    import pyarrow as pa

    values_file, table_file = side_files(number, fold.counts.raw)
    columns = {"value": fold.values, "documents": documents, **fold.details}
    kinds = {name: _DETAILS.get(name, "string") for name in columns} | {"documents": "int64"}
    write_table(files, values_file, pa.table(columns, schema=arrow_schema(kinds)))
    if fold.counts.raw:
        target = pa.table({"value": pa.array(fold.target, pa.int32())})
        write_table(files, table_file, target)
        found = _measured(fold.pieces(), tick)
    else:
        schema = arrow_schema(dict.fromkeys(_TABLE_COLUMNS, "list<int32>"))
        with writing(files), table_writer(files, table_file, schema) as writer:
            found = _measured(_writing(fold.pieces(), writer), tick)
    n_entries, total, empty = found
    entry = {
        "name": fold.name,
        "kind": fold.kind,
        "values": values_file,
        "table": table_file,
        "n_values": len(fold.values),
        "n_entries": n_entries,
        "total": total,
        "facts": {**fold.facts, "empty_items": empty},
    }
    if fold.counts.raw:
        entry |= {"raw": fold.counts.raw, "presence": fold.presence}
    return entry


def _measured(pieces: Iterator[sp.csr_array], tick: Callable[[], None]) -> tuple[int, int, int]:
    """How many entries a table has, their sum, and how many documents have none."""
    n_entries = total = empty = 0
    for piece in pieces:
        n_entries += piece.nnz
        total += int(piece.data.sum(dtype=np.int64))
        empty += int((np.diff(piece.indptr) == 0).sum())
        tick()
    return n_entries, total, empty


def _writing(pieces: Iterator[sp.csr_array], writer: Any) -> Iterator[sp.csr_array]:
    """Write the pieces of a table as they go by."""
    import pyarrow as pa

    for piece in pieces:
        offsets = pa.array(piece.indptr, pa.int32())
        lists = [
            pa.ListArray.from_arrays(offsets, pa.array(part, pa.int32()))
            for part in (piece.indices, piece.data)
        ]
        writer.write_table(pa.Table.from_arrays(lists, schema=writer.schema))
        yield piece
