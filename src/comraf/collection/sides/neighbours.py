"""Which items are near which: a side that is made once vectors are at hand, after reading."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import scipy.sparse as sp

from comraf.collection.collection import Collection, Tables
from comraf.collection.sides import NEIGHBOURS, SideKind
from comraf.errors import InputError

SIDE = SideKind(NEIGHBOURS, "items that are near by embeddings or looks", limits=(), items=True)


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
    out = copy.copy(collection)  # the items are no new values: they have no side of their own
    out.notes = collection.notes if notes is None else tuple(notes)
    out.vectors = vectors
    names = [*(name for name in collection.tables if name != NEIGHBOURS), NEIGHBOURS]
    weights = {**getattr(collection.tables, "weights", {}), NEIGHBOURS: weight}
    out.tables = Tables(
        {name: weights.get(name) for name in names},
        lambda name: table if name == NEIGHBOURS else collection.tables[name],
    )
    return out
