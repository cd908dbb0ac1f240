"""Multi-way distributional clustering: one run as published, or what several agree on.

Where a single node is hidden and all others stand as they are, the same search is that of the
information bottleneck, and of Comraf* with several tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from comraf.errors import InputError
from comraf.inference.consensus import run_consensus
from comraf.inference.control import Control
from comraf.inference.methods import Method
from comraf.inference.options import MDCOptions, options_for
from comraf.inference.problem import Outcome, Problem
from comraf.inference.schedule import Step

__all__ = ["IB", "METHOD", "MDCOptions", "run_ib", "run_mdc"]


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


def run_ib(
    problem: Problem,
    options: MDCOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    """Climb along a hierarchy of the only hidden node, which is polished whatever its direction."""
    if len(problem.hidden) > 1:
        raise InputError(
            "the method ib clusters a single side and observes all others; observe them in "
            "the model spec (observed: singletons), or leave out {p[method]}",
            "method",
            "ib",
        )
    return run_mdc(problem, replace(options, polished=problem.hidden), seed, n_jobs, control)


def _options(
    *,
    effort: str = "default",
    n_runs: int | None = None,
    n_restarts: int = 1,
    moves: str = "sequential",
    passes: float = 2.0,
    merge_cost: str = "loss",
    schedule: str | Sequence[Step] = "thesis",
    balance: bool = False,
    sizes: str = "auto",
    polished: tuple[int, ...] | None = None,
) -> MDCOptions:
    return options_for(**locals())


def _ib_options(
    *,
    effort: str = "quick",
    n_runs: int | None = None,
    n_restarts: int = 1,
    moves: str = "sequential",
    passes: float = 2.0,
    merge_cost: str = "loss",
) -> MDCOptions:
    return options_for(**locals())


_LONG = ("checkpoint", "engine", "scheduler")
METHOD = Method("mdc", run_mdc, _options, more=_LONG, estimator="MDC")
IB = Method(
    "ib",
    run_ib,
    _ib_options,
    sides=False,
    more=(*_LONG, "direction"),
    estimator="InformationBottleneck",
)
