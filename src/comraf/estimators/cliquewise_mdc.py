"""Clique-wise MDC: one table at a time, each as if there were no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from comraf.errors import InputError
from comraf.estimators._graphs import meetings
from comraf.estimators.base import CoClusterer
from comraf.graph import Edge, Graph
from comraf.inference import CliquewiseOptions, run_cliquewise

__all__ = ["CliquewiseMDC"]

INTERACTIONS = ("rows", "all")


@dataclass(eq=False, repr=False, kw_only=True)
class CliquewiseMDC(CoClusterer):
    """Flat multi-way clustering that looks at one table at a time (thesis, Algorithm 3).

    Rows and all columns start in random clusters. Tables take turns: the rows, then the columns
    of a table are moved by the mutual information of that table alone, whatever it does to the
    others. Simpler and quicker than `comraf.MDC` and usually less accurate; meant
    for tables whose information has no common scale: ``edge_weights`` choose between restarts and
    between rounds, but have no say in the moves.

    ``fit`` also takes a graph of one's own as ``X``, which then says itself what ``n_clusters``,
    ``column_clusters``, ``interactions``, ``weighting`` and ``edge_weights`` say of tables.

    Parameters
    ----------
    interactions : {"rows", "all"}
        With ``rows`` each table's columns meet the rows only (a tree); with ``all`` the
        columns of every two tables meet each other, too, by how often they occur in the
        same row (the full, loopy graph of thesis 4.6.6).
    n_restarts : int
        Random starts, the best objective kept.
    max_rounds : int
        Most visits of every table in one restart.
    moves : {"sequential", "shuffled", "annealed"}
        Local search, as in `comraf.MDC`.
    passes : float
        Length of the local search on each side of a visit, in looks at every value.
    tol : float
        A restart ends when a round raises the objective by no more than this share of it.

    Attributes
    ----------
    labels_ : array of int, (n_rows,)
        Cluster of each row; after a fit on a graph those of the node ``"rows"`` or, without one,
        of the first hidden node.
    n_iter_ : int
        Rounds.

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

    interactions: str = "rows"
    n_restarts: int = 10
    max_rounds: int = 20
    moves: str = "sequential"
    passes: float = 1.0
    tol: float = 1e-3

    _method = staticmethod(run_cliquewise)

    def _options(self) -> CliquewiseOptions:
        if self.interactions not in INTERACTIONS:
            raise InputError(
                parameter="interactions", given=self.interactions, allowed=INTERACTIONS
            )
        return CliquewiseOptions(
            n_restarts=self.n_restarts,
            max_rounds=self.max_rounds,
            moves=self.moves,
            passes=self.passes,
            tol=self.tol,
        )

    def _graph(self, X: Any, sample_weight: npt.ArrayLike | None) -> Graph:
        if not isinstance(X, Graph):
            return super()._graph(X, sample_weight)
        if sample_weight is not None:
            raise InputError(
                "sample_weight can't be given with a graph; its edges have row_weights"
            )
        of_tables = "n_features_in_ feature_names_in_ table_columns_ sides_ scorer_"
        for name in of_tables.split():
            if hasattr(self, name):  # of an earlier fit
                delattr(self, name)
        return X

    def _edges(self, tables: Mapping[str, Any], sample_weight: npt.ArrayLike | None) -> list[Edge]:
        edges = super()._edges(tables, sample_weight)
        if self.interactions == "all":
            weights = {edge.b: edge.weight for edge in edges}
            edges += meetings(tables, weights, sample_weight)
        return edges

    def _set_scorer(self) -> None:
        if hasattr(self, "n_features_in_"):  # fitted on tables
            super()._set_scorer()

    def _new_tables(self, X: Any) -> Any:
        if hasattr(self, "graph_") and not hasattr(self, "sides_"):
            raise InputError(
                "this was fitted on a graph; new values of any of its nodes are placed by "
                "comraf.Comraf, new rows by a fit on tables"
            )
        return super()._new_tables(X)
