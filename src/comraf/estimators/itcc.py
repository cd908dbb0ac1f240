"""Information-theoretic co-clustering: rows and columns together, flat."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy.typing as npt

from comraf.errors import InputError
from comraf.estimators._columns import column_nodes
from comraf.estimators._knowing import has_pairs
from comraf.estimators._run import Verbose
from comraf.estimators._tables import ROWS, RowPlacer
from comraf.graph import Graph, Node
from comraf.inference import ITCCOptions, run_itcc

__all__ = ["ITCC"]


class ITCC(RowPlacer):
    """Co-clustering of rows and columns that keeps the most mutual information between them.

    The method of Dhillon, Mallela and Modha (2003), a Comraf of two hidden nodes without a
    hierarchy: rows and columns go in turn to the clusters they fit best, until that
    raises the objective no more; the best of several starts.

    Parameters
    ----------
    n_clusters : int
        Clusters of rows.
    column_clusters : int, mapping of str to int, or None
        Clusters of columns (for all tables, or by table name); None takes as many as
        `comraf.MDC` would split them to.
    updates : {"batch", "sequential"}
        ``batch`` moves all rows at once by the clusters' prototypes, then all columns, as
        published. ``sequential`` moves one after the other, each by what the ones before it
        have changed: a little better and about twice as dear.
    n_restarts : int
        Starts, the best objective kept.
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
        How counts enter.
    edge_weights : str or mapping of str to float
        As in `comraf.MDC`.
    first_passes : float
        Sweeps of the rows against single columns before the columns are clustered. With 0
        both sides start at random, as published; that ends in worse places.
    max_passes : int
        Most updates of both sides in one restart.
    tol : float
        A restart ends when an update of both sides raises the objective by no more than this
        share of it.
    labels_as, label_weight, link_weight
        As in `comraf.MDC`.
    n_jobs, random_state, time_limit, verbose
        As in `comraf.MDC`.

    Attributes
    ----------
    labels_, modality_labels_, objective_, n_iter_, result_, graph_, sides_
        As in `comraf.MDC`; ``n_iter_`` counts updates of both sides.

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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        column_clusters: int | Mapping[str, int] | None = None,
        updates: str = "batch",
        n_restarts: int = 10,
        weighting: str = "root_rows",
        edge_weights: Mapping[str, float] | str = "root_mass",
        first_passes: float = 8.0,
        max_passes: int = 20,
        tol: float = 1e-3,
        labels_as: str = "intrinsic",
        label_weight: float = 1.0,
        link_weight: float = math.inf,
        n_jobs: int | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
        verbose: Verbose = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.column_clusters = column_clusters
        self.updates = updates
        self.n_restarts = n_restarts
        self.weighting = weighting
        self.edge_weights = edge_weights
        self.first_passes = first_passes
        self.max_passes = max_passes
        self.tol = tol
        self.labels_as = labels_as
        self.label_weight = label_weight
        self.link_weight = link_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        transfer: Any = None,
    ) -> Self:
        """Cluster rows and columns of ``X``; see `comraf.MDC.fit` for what it may be."""
        options = ITCCOptions(
            updates=self.updates,
            n_restarts=self.n_restarts,
            first_passes=self.first_passes,
            max_passes=self.max_passes,
            tol=self.tol,
        )
        tables = self._tables(X)
        graph = Graph(
            [Node(ROWS, n_clusters=self.n_clusters), *column_nodes(tables, self.column_clusters)],
            self._edges(tables, self.weighting, self.edge_weights, sample_weight),
        )
        known = self._knowledge(graph, labels, must_link, cannot_link, transfer)
        if self.updates == "batch" and any(has_pairs(k) for k in known.values()):
            raise InputError(
                "updates='batch' moves all rows at once and can't look at pairs of them; use "
                "updates='sequential' with cannot-links, and with must-links of finite weight"
            )
        self._keep(self._solved(graph, run_itcc, options, known), graph)
        return self
