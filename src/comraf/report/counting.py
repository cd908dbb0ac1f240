"""Counts of groups by values, out of large sparse tables a stretch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.results.telling import contributions

__all__ = [
    "View",
    "group_counts",
    "log_lift",
    "membership",
    "present",
    "row_stretches",
    "worths",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Rows handled at once; keeps what is dense within some tens of megabytes.
STRETCH = 8192


@dataclass(frozen=True, eq=False)
class View:
    """Documents by the values of one side, and the clusters of these values if it has any.

    ``by_group`` counts the values in each group of documents; ``kind`` is "words", "people",
    "values", "dates" or, of what photos look like, "looks"; ``solved`` tells whether the side was
    in the graph. With ``single`` every value has been made a cluster of its own, and the last one
    holds what is not shown.
    """

    name: str
    table: sp.csr_array
    by_group: sp.csr_array
    labels: npt.NDArray[np.int32] | None
    n_clusters: int
    weight: float = 1.0
    kind: str = "values"
    solved: bool = True
    single: bool = False

    @property
    def clusters(self) -> npt.NDArray[np.int32]:
        """The cluster of each value, of a side that has any."""
        if self.labels is None:
            raise ValueError(f"the side {self.name!r} was not clustered")
        return self.labels

    @property
    def mass(self) -> Floats:
        """How often each value occurs."""
        return np.asarray(self.by_group.sum(axis=0), dtype=np.float64)

    @property
    def joint(self) -> Floats:
        """Groups of documents by clusters of values, counted."""
        return np.asarray((self.by_group @ membership(self.clusters, self.n_clusters)).toarray())


def membership(labels: npt.NDArray[np.integer], n_clusters: int) -> sp.csr_array:
    """Values by clusters: one where a value belongs.

    Examples
    --------
    >>> membership(np.array([1, 0]), 2).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    n = len(labels)
    return sp.csr_array((np.ones(n), np.asarray(labels), np.arange(n + 1)), shape=(n, n_clusters))


def present(table: sp.csr_array) -> sp.csr_array:
    """One where a table has anything.

    Examples
    --------
    >>> present(sp.csr_array([[3, 0], [1, 2]])).toarray().tolist()
    [[1, 0], [1, 1]]
    """
    ones = np.ones(len(table.data), dtype=np.int64)
    return sp.csr_array((ones, table.indices, table.indptr), shape=table.shape)


def row_stretches(table: sp.csr_array) -> Iterator[tuple[int, sp.csr_array]]:
    """Stretches of rows as floating point numbers, each with the number of its first row.

    Examples
    --------
    >>> [start for start, part in row_stretches(sp.csr_array((20_000, 3)))]
    [0, 8192, 16384]
    """
    for start in range(0, table.shape[0], STRETCH):
        part = table[start : start + STRETCH]
        yield start, sp.csr_array(part, dtype=np.float64)


def group_counts(
    table: sp.csr_array, labels: npt.NDArray[np.integer], n_groups: int
) -> sp.csr_array:
    """Counts of each column in each group of rows.

    Examples
    --------
    >>> table = sp.csr_array([[1, 2], [0, 3], [4, 0]])
    >>> group_counts(table, np.array([0, 0, 1]), 2).toarray().tolist()
    [[1.0, 5.0], [4.0, 0.0]]
    """
    total = sp.csr_array((n_groups, table.shape[1]))
    for start, part in row_stretches(table):
        here = labels[start : start + part.shape[0]]
        total = total + membership(here, n_groups).T @ part
    total = sp.csr_array(total)
    total.sum_duplicates()
    return total


def worths(counts: sp.csr_array) -> sp.csr_array:
    """What each column adds to the information of rows and columns; only what is positive.

    A column w in row c adds p(w,c) log p(w,c) / (p(w) p(c)) nats: much if it is frequent in c
    and rarer elsewhere.

    Examples
    --------
    >>> worths(sp.csr_array([[9, 0, 2], [0, 3, 1]])).toarray().round(2).tolist()
    [[0.19, 0.0, 0.0], [0.0, 0.26, 0.01]]
    """
    kept = contributions(counts)
    kept.data[kept.data < 1e-12] = 0.0
    kept.eliminate_zeros()
    return kept


def log_lift(joint: Floats, unit: float = 1.0) -> Floats:
    """log2 of observed over expected counts, each with one ``unit`` added.

    The added unit keeps cells of a few counts near 0, where they belong.

    Examples
    --------
    >>> log_lift(np.array([[7.0, 0.0], [0.0, 7.0]])).round(2).tolist()
    [[0.83, -2.17], [-2.17, 0.83]]
    """
    total = joint.sum()
    if total <= 0:
        return np.zeros_like(joint)
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True) / total
    lift: Floats = np.log2((joint + unit) / (expected + unit))
    return lift
