"""Clique-wise MDC: one table at a time, each as if there were no other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.estimators._columns import column_nodes, meetings
from comraf.estimators._knowing import classes_of_clusters, support_of_clusters
from comraf.estimators._run import Verbose
from comraf.estimators._tables import ROWS, RowPlacer
from comraf.graph import Graph, Node
from comraf.inference import CliquewiseOptions, run_cliquewise
from comraf.results import Result

__all__ = ["CliquewiseMDC"]

INTERACTIONS = ("rows", "all")


class CliquewiseMDC(RowPlacer):
    """Flat multi-way clustering that looks at one table at a time (thesis, Algorithm 3).

    Rows and all columns start in random clusters. Tables take turns: the rows, then the columns
    of a table are moved by the mutual information of that table alone, whatever it does to the
    others. Simpler and quicker than `comraf.MDC` and usually less accurate; meant
    for tables whose information has no common scale.

    Parameters
    ----------
    n_clusters : int
        Clusters of rows.
    column_clusters : int, mapping of str to int, or None
        Clusters of columns (for all tables, or by table name); None takes as many as
        `comraf.MDC` would split them to.
    interactions : {"rows", "all"}
        With ``rows`` each table's columns meet the rows only (a tree); with ``all`` the
        columns of every two tables meet each other, too, by how often they occur in the
        same row (the full, loopy graph of thesis 4.6.6).
    n_restarts : int
        Random starts, the best objective kept.
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
        How counts enter.
    edge_weights : str or mapping of str to float
        As in `comraf.MDC`; here they choose between restarts and between rounds, but
        have no say in the moves.
    max_rounds : int
        Most visits of every table in one restart.
    moves : {"sequential", "shuffled", "annealed"}
        As in `comraf.MDC`.
    passes : float
        Length of the local search on each side of a visit, in looks at every value.
    tol : float
        A restart ends when a round raises the objective by no more than this share of it.
    labels_as, label_weight, link_weight
        As in `comraf.MDC`.
    n_jobs, random_state, time_limit, verbose
        As in `comraf.MDC`.

    Attributes
    ----------
    labels_, modality_labels_, objective_, n_iter_, result_, graph_, sides_
        As in `comraf.MDC`; ``n_iter_`` counts rounds. After a fit on a graph
        ``labels_`` are those of the node ``"rows"`` or, without one, of the first hidden node.

    Examples
    --------
    >>> words = [[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]]
    >>> people = [[1, 0], [2, 0], [0, 1], [0, 3]]
    >>> model = CliquewiseMDC(2, column_clusters=2, interactions="all", random_state=0)
    >>> labels = model.fit_predict({"words": words, "people": people})
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    >>> [(edge.a, edge.b) for edge in model.result_.edges]
    [('rows', 'words'), ('rows', 'people'), ('words', 'people')]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        column_clusters: int | Mapping[str, int] | None = None,
        interactions: str = "rows",
        n_restarts: int = 10,
        weighting: str = "root_rows",
        edge_weights: Mapping[str, float] | str = "root_mass",
        max_rounds: int = 20,
        moves: str = "sequential",
        passes: float = 1.0,
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
        self.interactions = interactions
        self.n_restarts = n_restarts
        self.weighting = weighting
        self.edge_weights = edge_weights
        self.max_rounds = max_rounds
        self.moves = moves
        self.passes = passes
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
        """Cluster rows and columns of the tables, or all hidden nodes of a graph.

        Parameters
        ----------
        X : array-like, sparse, DataFrame, mapping of str to these, or Graph
            As in `comraf.MDC.fit`; or any graph of one's own, which then says itself
            what ``n_clusters``, ``column_clusters``, ``interactions``, ``weighting`` and
            ``edge_weights`` say of tables.
        y : ignored
        sample_weight : array-like, optional
            One factor of 0 or more for each row.
        labels, must_link, cannot_link, transfer
            As in `comraf.MDC.fit`.
        """
        options = CliquewiseOptions(
            n_restarts=self.n_restarts,
            max_rounds=self.max_rounds,
            moves=self.moves,
            passes=self.passes,
            tol=self.tol,
        )
        graph = self._graph(X, sample_weight)
        known = self._knowledge(graph, labels, must_link, cannot_link, transfer)
        result = self._solved(graph, run_cliquewise, options, known)
        if isinstance(X, Graph):
            self.graph_ = graph
            self._adopt(result)
        else:
            self._keep(result, graph)
        return self

    def _graph(self, X: Any, sample_weight: npt.ArrayLike | None) -> Graph:
        if self.interactions not in INTERACTIONS:
            raise InputError(
                parameter="interactions", given=self.interactions, allowed=INTERACTIONS
            )
        if isinstance(X, Graph):
            if sample_weight is not None:
                raise InputError(
                    "sample_weight can't be given with a graph; its edges have row_weights"
                )
            for name in (
                "n_features_in_",
                "feature_names_in_",
                "table_columns_",
                "sides_",
                "scorer_",
            ):
                if hasattr(self, name):  # of an earlier fit on tables
                    delattr(self, name)
            return X
        tables = self._tables(X)
        edges = self._edges(tables, self.weighting, self.edge_weights, sample_weight)
        if self.interactions == "all":
            weights = {edge.b: edge.weight for edge in edges}
            edges += meetings(tables, weights, sample_weight)
        rows = Node(ROWS, n_clusters=self.n_clusters)
        return Graph([rows, *column_nodes(tables, self.column_clusters)], edges)

    def _adopt(self, result: Result) -> None:
        if ROWS in result.labels:
            super()._adopt(result)
            return
        self.result_ = result
        first = next(node.name for node in self.graph_.nodes if node.hidden)
        self.labels_ = np.array(result.labels[first])
        self.modality_labels_ = {name: np.array(labels) for name, labels in result.labels.items()}
        self.objective_ = result.objective
        self.n_iter_ = max(1, result.trace[-1].step if result.trace else 1)
        known = self._row_knowledge
        self.cluster_classes_ = classes_of_clusters(known, self.labels_, result.n_clusters[first])
        self.cluster_support_ = support_of_clusters(known, self.labels_, result.n_clusters[first])

    def _new_tables(self, X: Any) -> Any:
        if hasattr(self, "graph_") and not hasattr(self, "sides_"):
            raise InputError(
                "this was fitted on a graph; new values of any of its nodes are placed by "
                "comraf.Comraf, new rows by a fit on tables"
            )
        return super()._new_tables(X)
