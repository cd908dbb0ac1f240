"""Clusters against categories: the one table that all measures of a clustering read."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Contingency", "as_items", "contingency", "encode"]


@dataclass(frozen=True, eq=False)
class Contingency:
    """How many items of each category each cluster holds, nonzero cells only.

    Attributes
    ----------
    clusters, categories : tuple
        Names of rows and columns; sorted where they can be compared, else as first met.
    rows, columns, counts : numpy.ndarray of int64
        The nonzero cells, by row and then by column.
    n_items : int
        Items counted.
    n_unknown : int
        Items left out because their truth is unknown.

    Examples
    --------
    >>> table = contingency(["a", "a", "b", None], [1, 1, 1, 0])
    >>> table.clusters, table.categories, table.counts.tolist(), table.n_unknown
    ((1,), ('a', 'b'), [2, 1], 1)
    """

    clusters: tuple[Hashable, ...]
    categories: tuple[Hashable, ...]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_items: int
    n_unknown: int

    @property
    def cluster_sizes(self) -> NDArray[np.int64]:
        """Items in each cluster."""
        return np.bincount(self.rows, self.counts).astype(np.int64)

    @property
    def category_sizes(self) -> NDArray[np.int64]:
        """Items in each category."""
        return np.bincount(self.columns, self.counts).astype(np.int64)

    @property
    def largest_shares(self) -> NDArray[np.int64]:
        """Items of the commonest category of each cluster."""
        # Cells are in order of rows, and no row is without a cell.
        return np.maximum.reduceat(self.counts, np.unique(self.rows, return_index=True)[1])

    def to_sparse(self) -> csr_array[Any]:
        """Return the table as a scipy array of clusters x categories.

        Examples
        --------
        >>> contingency(["a", "b", "b"], [0, 0, 1]).to_sparse().toarray()
        array([[1, 1],
               [0, 1]])
        """
        from scipy.sparse import csr_array

        starts = np.searchsorted(self.rows, np.arange(len(self.clusters) + 1))
        shape = (len(self.clusters), len(self.categories))
        return csr_array((self.counts, self.columns, starts), shape=shape)


def contingency(truth: object, labels: object) -> Contingency:
    """Count the items of each category in each cluster.

    Memory grows with the number of items and of nonzero cells, never with clusters x categories.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; ``None``, NaN, ``NA`` and the number -1 mean that it is unknown.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    Contingency

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    >>> contingency(["a", "a", "b"], ["x", "y", "y"]).cluster_sizes.tolist()
    [1, 2]
    """
    truth_items, label_items = as_items(truth, "truth"), as_items(labels, "labels")
    n = len(truth_items)
    if n != len(label_items):
        raise InputError(
            f"truth has {n} items and labels has {len(label_items)}; "
            "both need one entry for each item, in the same order"
        )
    if n == 0:
        raise InputError("truth has 0 items and labels has 0; a measure needs at least 1")
    clusters, label_codes = encode(label_items, "labels")
    homeless = int(np.count_nonzero(label_codes < 0))
    if homeless:
        raise InputError(
            f"{homeless} of {n} items have no cluster (label -1, None or NaN); give them a "
            "cluster of their own, or leave them out of truth and labels alike"
        )
    categories, truth_codes = encode(truth_items, "truth")
    known = truth_codes >= 0
    n_known = int(np.count_nonzero(known))
    if n_known == 0:
        raise InputError(
            f"the truth of 0 of {n} items is known (-1, None and NaN mean unknown); "
            "at least 1 is needed"
        )
    if n_known < n:
        truth_codes, label_codes = truth_codes[known], label_codes[known]
        present, label_codes = np.unique(label_codes, return_inverse=True)
        clusters = tuple(clusters[code] for code in present)
    cells, counts = np.unique(label_codes * len(categories) + truth_codes, return_counts=True)
    rows, columns = np.divmod(cells, len(categories))
    return Contingency(
        clusters, categories, rows, columns, counts.astype(np.int64), n_known, n - n_known
    )


def as_items(values: object, name: str, or_else: str = "") -> Sequence[Any] | NDArray[Any]:
    """Bring what a user may hand over to a one-dimensional array or a sequence.

    Examples
    --------
    >>> as_items(("a", "b"), "truth")
    ('a', 'b')
    """
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # masked entries become None
    elif hasattr(values, "to_pylist"):  # pyarrow
        values = values.to_pylist()
    elif hasattr(values, "to_numpy"):  # pandas, polars
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputError(
                f"{name} has shape {values.shape}; give one dimension, an entry for each item"
            )
        return values
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes, bytearray)):
        return values
    raise InputError(
        f"{name} is of type {type(values).__name__}; give an array, a list, a tuple or a Series "
        f"with an entry for each item{or_else}"
    )


def encode(
    items: Sequence[Any] | NDArray[Any], name: str
) -> tuple[tuple[Hashable, ...], NDArray[np.int64]]:
    """Number the different values 0, 1, …; an unknown value gets -1.

    Examples
    --------
    >>> values, codes = encode(["b", None, "a", "b"], "truth")
    >>> values, codes.tolist()
    (('a', 'b'), [1, -1, 0, 1])
    """
    if isinstance(items, np.ndarray) and items.dtype.kind in "biufUS":
        distinct, inverse = np.unique(items, return_inverse=True)
        return _without_unknown(distinct.tolist(), inverse.astype(np.int64))
    numbers: dict[Hashable, int] = {}
    found = np.empty(len(items), dtype=np.int64)
    for place, item in enumerate(items):
        try:
            found[place] = numbers.setdefault(item, len(numbers))
        except TypeError as error:
            raise InputError(
                f"entry {place} of {name} is of type {type(item).__name__}, which can't be "
                "hashed; name classes by strings, numbers or tuples"
            ) from error
    values, codes = _without_unknown(list(numbers), found)
    try:
        order = sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # values of types that don't compare stay as they were met
        return values, codes
    rank = np.empty(len(values) + 1, dtype=np.int64)
    rank[order] = np.arange(len(values))
    rank[-1] = -1  # the place that code -1 reads
    return tuple(values[place] for place in order), rank[codes]


def _without_unknown(
    values: list[Any], codes: NDArray[np.int64]
) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    known = np.array([not _is_unknown(value) for value in values], dtype=bool)
    if known.all():
        return tuple(values), codes
    renumbered = np.where(known, np.cumsum(known) - 1, -1).astype(np.int64)
    return tuple(v for v, keep in zip(values, known, strict=True) if keep), renumbered[codes]


def _is_unknown(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":
        return True
    if isinstance(value, (str, bytes, tuple, frozenset)):
        return False
    # Only NaN and NaT differ from themselves.
    return bool(value != value) or bool(value == -1)
