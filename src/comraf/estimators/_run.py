"""What every front door does around inference: seeds, listeners, warnings, results."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from comraf.errors import InputError, InterruptedWarning
from comraf.graph import Graph
from comraf.inference import Control, Outcome, Problem
from comraf.inference.control import effective_jobs
from comraf.progress import Listener, PrintListener
from comraf.results import EdgeInformation, Result

__all__ = ["Verbose", "run"]

Verbose = int | bool | Listener
Infer = Callable[[Problem, np.random.SeedSequence, int, Control], Outcome]


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """Seeds from whatever scikit-learn accepts as ``random_state``."""
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**32, size=4).tolist())
    words = check_random_state(random_state).randint(0, 2**31 - 1, size=4, dtype=np.int64)
    return np.random.SeedSequence(words.tolist())


def listener_for(verbose: Verbose) -> Listener | None:
    """Silence for 0, printed steps for 1, the caller's own listener for a callable."""
    if callable(verbose):
        return verbose
    if verbose is None or not isinstance(verbose, (int, np.integer)):
        raise InputError(
            f"verbose={verbose!r}; give 0, 1, or a callable that takes progress events"
        )
    return PrintListener() if verbose else None


def run(
    graph: Graph, infer: Infer, *, n_jobs: int | None, random_state: Any, verbose: Verbose
) -> Result:
    """Run an inference method on a graph and wrap up what it found."""
    started = time.perf_counter()
    control = Control(listener_for(verbose))
    problem = Problem(graph)
    outcome = infer(problem, seed_sequence(random_state), effective_jobs(n_jobs), control)
    if outcome.interrupted:
        warnings.warn(
            "stopped early: the result is the best state found until then, brought to the numbers "
            "of clusters wanted in haste",
            InterruptedWarning,
            stacklevel=3,
        )
    edges = tuple(
        EdgeInformation(edge.a, edge.b, term.weight, term.information(outcome.state))
        for edge, term in zip(graph.edges, problem.edges, strict=True)
    )
    return Result(
        labels=problem.expand(outcome.state),
        n_clusters=dict(zip(problem.names, outcome.state.n_clusters, strict=True)),
        objective=outcome.objective,
        edges=edges,
        trace=outcome.trace,
        interrupted=outcome.interrupted,
        seconds=time.perf_counter() - started,
        stability=problem.expand_stability(outcome.stability),
        n_runs=outcome.n_runs,
    )
