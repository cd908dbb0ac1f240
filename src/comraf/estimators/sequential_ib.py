"""Sequential information bottleneck: the rows alone are clustered, the columns observed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy.typing as npt

from comraf.estimators._run import Verbose
from comraf.estimators._tables import ROWS, RowPlacer
from comraf.graph import Graph, Node
from comraf.inference import SequentialOptions, run_sequential

__all__ = ["SequentialIB"]


class SequentialIB(RowPlacer):
    """Flat clustering of rows that keeps the most information on unclustered columns.

    The special case of a Comraf in which all other nodes are observed as singletons: a
    random partition, swept row by row until it stands still; the best of several.

    Parameters
    ----------
    n_clusters : int
        Clusters of rows.
    n_restarts : int
        Random starts, the best objective kept.
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
        How counts enter.
    edge_weights : str or mapping of str to float
        As in `comraf.MDC`.
    max_passes : int
        Most sweeps over the rows in one restart.
    tol : float
        A restart ends when at most this share of the rows moved in a sweep.
    labels_as, label_weight, link_weight
        As in `comraf.MDC`.
    n_jobs, random_state, time_limit, verbose
        As in `comraf.MDC`.

    Attributes
    ----------
    labels_, modality_labels_, objective_, n_iter_, result_, graph_, sides_
        As in `comraf.MDC`; columns are singletons.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> labels = SequentialIB(n_clusters=2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_restarts: int = 10,
        weighting: str = "root_rows",
        edge_weights: Mapping[str, float] | str = "root_mass",
        max_passes: int = 30,
        tol: float = 0.0,
        labels_as: str = "intrinsic",
        label_weight: float = 1.0,
        link_weight: float = math.inf,
        n_jobs: int | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
        verbose: Verbose = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_restarts = n_restarts
        self.weighting = weighting
        self.edge_weights = edge_weights
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
        """Cluster the rows of ``X``; see `comraf.MDC.fit` for what ``X`` may be."""
        options = SequentialOptions(
            n_restarts=self.n_restarts, max_passes=self.max_passes, tol=self.tol
        )
        tables = self._tables(X)
        nodes = [Node(ROWS, n_clusters=self.n_clusters)]
        nodes += [Node(name, observed="singletons") for name in tables]
        graph = Graph(nodes, self._edges(tables, self.weighting, self.edge_weights, sample_weight))
        known = self._knowledge(graph, labels, must_link, cannot_link, transfer)
        self._keep(self._solved(graph, run_sequential, options, known), graph)
        return self
