"""Comraf: MDC inference on any graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from comraf.errors import InputError
from comraf.estimators._run import Verbose, run
from comraf.graph import Graph
from comraf.inference import Step, options_for, run_mdc
from comraf.results import Result

__all__ = ["Comraf"]


class Comraf(BaseEstimator):
    """Find the most likely partitions of all hidden nodes of a Comraf graph.

    Parameters
    ----------
    graph : Graph
        Nodes, edges, numbers of clusters, what is observed.
    effort, n_runs, n_restarts, schedule, moves, passes, merge_cost, n_jobs, random_state, verbose
        As in :class:`comraf.MDC`; the schedules ``reverse`` and ``bottom_up`` are said by the
        nodes' directions here.

    Attributes
    ----------
    labels_ : dict of str to array of int
        Cluster of every value of every node, by the node's name.
    objective_ : float
        Sum over edges of weight times mutual information, in nats.
    result_ : Result
        Everything the run found.

    Examples
    --------
    >>> from comraf import Edge, Graph, Node
    >>> words = [[5, 4, 0], [4, 6, 1], [0, 1, 6], [1, 0, 5]]
    >>> people = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> graph = Graph(
    ...     [
    ...         Node("documents", n_clusters=2),
    ...         Node("words", n_clusters=2, direction="top-down"),
    ...         Node("people", observed="singletons"),
    ...     ],
    ...     [Edge("documents", "words", words), Edge("documents", "people", people)],
    ... )
    >>> labels = Comraf(graph, random_state=0).fit().labels_["documents"]
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(
        self,
        graph: Graph,
        *,
        effort: str = "default",
        n_runs: int | None = None,
        n_restarts: int = 1,
        schedule: str | Sequence[Step] = "thesis",
        moves: str = "sequential",
        passes: float = 2.0,
        merge_cost: str = "loss",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: Verbose = 0,
    ) -> None:
        self.graph = graph
        self.effort = effort
        self.n_runs = n_runs
        self.n_restarts = n_restarts
        self.schedule = schedule
        self.moves = moves
        self.passes = passes
        self.merge_cost = merge_cost
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Run inference on the graph; ``X`` and ``y`` are ignored, the data is in the graph."""
        if not isinstance(self.graph, Graph):
            raise InputError(f"graph is {type(self.graph).__name__}; give a comraf.Graph")
        options = options_for(
            self.effort,
            n_runs=self.n_runs,
            n_restarts=self.n_restarts,
            schedule=self.schedule,
            moves=self.moves,
            passes=self.passes,
            merge_cost=self.merge_cost,
        )
        result: Result = run(
            self.graph,
            lambda problem, seed, n_jobs, control: run_mdc(problem, options, seed, n_jobs, control),
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
        )
        self.result_ = result
        self.labels_: dict[str, npt.NDArray[np.int32]] = {
            name: np.array(labels) for name, labels in result.labels.items()
        }
        self.objective_ = result.objective
        return self
