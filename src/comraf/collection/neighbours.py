"""A collection with one side more: which documents are near which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import scipy.sparse as sp

from comraf.collection.collection import Collection, _Tables
from comraf.errors import InputError

__all__ = ["NEIGHBOURS", "with_neighbours"]

#: Name of the table of documents x documents.
NEIGHBOURS = "neighbours"


class _Neighboured(Collection):
    """A collection whose tables have one of neighbours among them; its files stay as they are."""

    def __init__(
        self,
        collection: Collection,
        table: sp.csr_array,
        vectors: Any,
        notes: Sequence[str] | None,
        weight: float | None,
    ) -> None:
        super().__init__(collection._source, collection._header)
        self.notes = collection.notes if notes is None else tuple(notes)
        self.vectors = vectors
        names = [name for name in collection.tables if name != NEIGHBOURS]
        # the documents are no new values: they have names already, and no side of their own
        self.sides = collection.sides

        def load(name: str) -> Any:
            return table if name == NEIGHBOURS else collection.tables[name]

        said = getattr(collection.tables, "weights", {})
        weights = {name: said.get(name) for name in names} | {NEIGHBOURS: weight}
        told = [{"name": name, "facts": {"weight": weights[name]}} for name in weights]
        self.tables = _Tables(told, load)


def with_neighbours(
    collection: Collection,
    table: sp.csr_array,
    vectors: Any = None,
    notes: Sequence[str] | None = None,
    weight: float | None = None,
) -> Collection:
    """The same collection with a table of its documents' neighbours.

    Parameters
    ----------
    collection : Collection
    table : sparse array
        Documents x documents, as `comraf.neighbour_table` makes it.
    vectors : array or Looks, optional
        The embeddings that it was made of, or looks of photos, which place new documents: the
        attribute ``vectors`` of what is returned.
    notes : sequence of str, optional
        Notes in place of the collection's own.
    weight : float, optional
        What the table weighs beside others that were measured; by default it is weighed like
        what was counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from comraf import neighbour_table
    >>> from comraf.collection.build import build_collection
    >>> from comraf.collection.detect import open_reader
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "abc":
    ...         _ = pathlib.Path(folder, f"{name}.txt").write_text(f"Pump {name} leaks.")
    ...     collection = build_collection(open_reader(folder))
    >>> near = with_neighbours(collection, neighbour_table([[1, 0], [1, 1], [1, 2]], 1))
    >>> near.tables["neighbours"].toarray().tolist()
    [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    """
    n = len(collection)
    if table.shape != (n, n):
        raise InputError(
            f"the table of neighbours is {table.shape[0]} x {table.shape[1]}, but the collection "
            f"has {n} items"
        )
    if NEIGHBOURS in collection.sides:
        raise InputError(
            f"the collection has a side {NEIGHBOURS!r} already; give that column another name"
        )
    return _Neighboured(collection, table, vectors, notes, weight)
