"""Raw counts become the table of a side: values merged, dropped, renumbered.

The counts are read row group by row group, so that no more than the finished table is ever
in memory, and not even that while it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.gather import ITEMS_FILE
from comraf.collection.shelf import Shelf
from comraf.store import writing

__all__ = [
    "Fold",
    "RawTable",
    "as_csr_piece",
    "cut",
    "detail_type",
    "document_counts",
    "table_schema",
    "write_pieces",
    "write_side",
]

Ints = NDArray[np.int64]


@dataclass(slots=True)
class Fold:
    """How the raw values of one kind become the values of a side.

    Attributes
    ----------
    name, kind : str
        Of the side: "words", "people", "values" or "dates" is its kind.
    raw : str
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
    raw: str
    target: Ints
    values: list[str]
    min_documents: int = 1
    max_documents: int = 2**31
    presence: bool = False
    gentle: bool = False
    details: dict[str, list[Any]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


class RawTable:
    """The raw counts of one kind, read from the items' file a row group at a time."""

    def __init__(self, shelf: Shelf, raw: str, n_values: int) -> None:
        self._shelf = shelf
        self._raw = raw
        self.n_values = n_values

    def pieces(self) -> Iterator[sp.csr_array]:
        """Yield documents x raw values, some documents at a time."""
        import pyarrow.parquet as pq

        columns = [f"{self._raw}:ids", f"{self._raw}:counts"]
        with pq.ParquetFile(
            self._shelf.source(ITEMS_FILE), page_checksum_verification=True
        ) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=columns)
                yield as_csr_piece(
                    table.column(0).combine_chunks(),
                    table.column(1).combine_chunks(),
                    self.n_values,
                )

    def frequencies(self) -> tuple[Ints, Ints]:
        """In how many documents each raw value stands, and how often in all."""
        documents = np.zeros(self.n_values, np.int64)
        total = np.zeros(self.n_values, np.int64)
        for piece in self.pieces():
            documents += np.bincount(piece.indices, minlength=self.n_values)
            total += np.bincount(piece.indices, weights=piece.data, minlength=self.n_values).astype(
                np.int64
            )
        return documents, total

    def whole(self) -> sp.csr_array:
        """Return all documents at once."""
        pieces = list(self.pieces())
        if not pieces:
            return sp.csr_array((0, self.n_values), dtype=np.int32)
        return sp.csr_array(sp.vstack(pieces, format="csr"))


def as_csr_piece(ids: Any, counts: Any, n_columns: int) -> sp.csr_array:
    """Two list columns of pyarrow as a sparse table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_csr_piece(pa.array([[0, 2], []]), pa.array([[5, 1], []]), 3).toarray().tolist()
    [[5, 0, 1], [0, 0, 0]]
    """
    offsets = ids.offsets.to_numpy()
    indptr = offsets - offsets[0]
    indices = ids.flatten().to_numpy(zero_copy_only=False)
    data = counts.flatten().to_numpy(zero_copy_only=False)
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))


def _mapped(piece: sp.csr_array, fold: Fold, target: Ints, n_values: int) -> sp.csr_array:
    """A piece of raw counts in the numbers of the side."""
    columns = target[piece.indices]
    keep = columns >= 0
    ends = np.concatenate([[0], np.cumsum(keep)])[piece.indptr]
    table = sp.csr_array((piece.data[keep], columns[keep], ends), shape=(piece.shape[0], n_values))
    table.sum_duplicates()
    if fold.presence:
        table.data[:] = 1
    return table


def document_counts(raw: RawTable, fold: Fold) -> Ints:
    """In how many documents each value of the side would stand.

    Values that are merged count once for a document that has several of their forms.
    """
    documents = np.zeros(len(fold.values), np.int64)
    if len(fold.values):
        for piece in raw.pieces():
            mapped = _mapped(piece, fold, fold.target, len(fold.values))
            documents += np.bincount(mapped.indices, minlength=len(fold.values))
    return documents


def cut(fold: Fold, documents: Ints) -> Ints:
    """Leave out values in too few or too many documents, and sort the others by name.

    Changes the fold, tells in its facts how many went, and returns the document counts of
    those that stay.

    Examples
    --------
    >>> fold = Fold("tags", "values", "values", np.array([0, 1]), ["b", "a"], min_documents=2)
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


def detail_type(pa: Any, name: str) -> Any:
    """Return the type of a further column of a side's values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> str(detail_type(pa, "sent"))
    'int64'
    """
    if name in ("addresses", "spellings"):
        return pa.list_(pa.string())
    return pa.int64() if name in ("sent", "received") else pa.string()


def table_schema(pa: Any) -> Any:
    """Return the columns of a table's file: one row a document.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table_schema(pa).names
    ['columns', 'counts']
    """
    return pa.schema([("columns", pa.list_(pa.int32())), ("counts", pa.list_(pa.int32()))])


def write_side(
    shelf: Shelf,
    raw: RawTable,
    fold: Fold,
    documents: Ints,
    files: tuple[str, str],
    tick: Callable[[], None],
) -> dict[str, Any]:
    """Write the values and the table of a side; return what the header says about it."""
    pieces = (_mapped(piece, fold, fold.target, len(fold.values)) for piece in raw.pieces())
    return write_pieces(shelf, pieces, fold, documents, files, tick)


def write_pieces(
    shelf: Shelf,
    pieces: Iterable[sp.csr_array],
    fold: Fold,
    documents: Ints,
    files: tuple[str, str],
    tick: Callable[[], None],
) -> dict[str, Any]:
    """Write a side whose table comes in pieces, documents x its values, all in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    values_file, table_file = files
    n_entries = total = empty = 0
    schema = table_schema(pa)
    with writing(shelf):
        columns: dict[str, Any] = {
            "value": pa.array(fold.values, pa.string()),
            "documents": pa.array(documents, pa.int64()),
        }
        for name, column in fold.details.items():
            columns[name] = pa.array(column, detail_type(pa, name))
        pq.write_table(
            pa.table(columns), shelf.sink(values_file), compression="zstd", write_page_checksum=True
        )
        with pq.ParquetWriter(
            shelf.sink(table_file), schema, compression="zstd", write_page_checksum=True
        ) as writer:
            for mapped in pieces:
                offsets = pa.array(mapped.indptr, pa.int32())
                lists = [
                    pa.ListArray.from_arrays(offsets, pa.array(part, pa.int32()))
                    for part in (mapped.indices, mapped.data)
                ]
                writer.write_table(pa.Table.from_arrays(lists, schema=schema))
                n_entries += mapped.nnz
                total += int(mapped.data.sum(dtype=np.int64))
                empty += int((np.diff(mapped.indptr) == 0).sum())
                tick()
    return {
        "name": fold.name,
        "kind": fold.kind,
        "values": values_file,
        "table": table_file,
        "n_values": len(fold.values),
        "n_entries": n_entries,
        "total": total,
        "facts": {**fold.facts, "empty_items": empty},
    }
