"""Information-theoretic co-clustering: rows and columns together, flat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from comraf.errors import InputError
from comraf.estimators._knowledge import has_pairs
from comraf.estimators.base import CoClusterer
from comraf.graph import Graph
from comraf.inference import ITCCOptions, run_itcc
from comraf.supervision import Knowledge

__all__ = ["ITCC"]


@dataclass(eq=False, repr=False, kw_only=True)
class ITCC(CoClusterer):
    """Co-clustering of rows and columns that keeps the most mutual information between them.

    The method of Dhillon, Mallela and Modha (2003), a Comraf of two hidden nodes without a
    hierarchy: rows and columns go in turn to the clusters they fit best, until that
    raises the objective no more; the best of several starts.

    Parameters
    ----------
    updates : {"batch", "sequential"}
        ``batch`` moves all rows at once by the clusters' prototypes, then all columns, as
        published. ``sequential`` moves one after the other, each by what the ones before it
        have changed: a little better and about twice as dear.
    n_restarts : int
        Starts, the best objective kept.
    first_passes : float
        Sweeps of the rows against single columns before the columns are clustered. With 0
        both sides start at random, as published; that ends in worse places.
    max_passes : int
        Most updates of both sides in one restart.
    tol : float
        A restart ends when an update of both sides raises the objective by no more than this
        share of it.

    Attributes
    ----------
    n_iter_ : int
        Updates of both sides.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> model = ITCC(n_clusters=2, column_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    >>> columns = model.modality_labels_["columns"]
    >>> bool(columns[0] == columns[1] != columns[2] == columns[3])
    True
    """

    updates: str = "batch"
    n_restarts: int = 10
    first_passes: float = 8.0
    max_passes: int = 20
    tol: float = 1e-3

    _method = staticmethod(run_itcc)

    def _options(self) -> ITCCOptions:
        return ITCCOptions(
            updates=self.updates,
            n_restarts=self.n_restarts,
            first_passes=self.first_passes,
            max_passes=self.max_passes,
            tol=self.tol,
        )

    def _knowledge(self, graph: Graph, **given: Any) -> dict[str, Knowledge]:
        known = super()._knowledge(graph, **given)
        if self.updates == "batch" and any(has_pairs(k) for k in known.values()):
            raise InputError(
                "updates='batch' moves all rows at once and can't look at pairs of them; use "
                "updates='sequential' with cannot-links, and with must-links of finite weight"
            )
        return known
