"""Multi-way distributional clustering: one run as published, or what several agree on."""

from __future__ import annotations

import numpy as np

from comraf.inference.consensus import run_consensus
from comraf.inference.control import Control
from comraf.inference.options import MDCOptions
from comraf.inference.problem import Outcome, Problem

__all__ = ["MDCOptions", "run_mdc"]


def run_mdc(
    problem: Problem,
    options: MDCOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    """Climb the problem's objective along a schedule, once or several times.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> table = [[5, 0, 1], [4, 1, 0], [0, 6, 5], [0, 4, 6]]
    >>> graph = Graph(
    ...     [Node("d", n_clusters=2), Node("w", direction="top-down")], [Edge("d", "w", table)]
    ... )
    >>> outcome = run_mdc(Problem(graph), MDCOptions(), np.random.SeedSequence(0))
    >>> outcome.state.n_clusters[0]
    2
    """
    return run_consensus(problem, options, seed, n_jobs, control)
