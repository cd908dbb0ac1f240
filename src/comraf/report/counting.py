"""Counts of groups by values, and what they are worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.graph.tables import membership
from comraf.results.contributions import contributions

__all__ = [
    "View",
    "log_lift",
    "present",
    "worths",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


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


def present(table: sp.csr_array) -> sp.csr_array:
    """One where a table has anything.

    Examples
    --------
    >>> present(sp.csr_array([[3, 0], [1, 2]])).toarray().tolist()
    [[1, 0], [1, 1]]
    """
    ones = np.ones(len(table.data), dtype=np.int64)
    return sp.csr_array((ones, table.indices, table.indptr), shape=table.shape)


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
