"""Flat sequential search (sIB and its kin): random partitions, swept until they stand still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from comraf.errors import InputError
from comraf.inference.control import Control, Stopped, run_seeds
from comraf.inference.flat import Passes, flat_clusters, random_state
from comraf.inference.methods import Method
from comraf.inference.moves import counts_of, sweep_once
from comraf.inference.problem import Outcome, Problem
from comraf.kernels.plan import Counts, Plan
from comraf.objectives import State
from comraf.parameters import check_int, check_number
from comraf.progress import Event, TracePoint

__all__ = ["METHOD", "SequentialOptions", "run_sequential"]


@dataclass(frozen=True, slots=True)
class SequentialOptions:
    """How the flat search goes; see `comraf.SequentialIB`."""

    n_restarts: int = 10
    max_passes: int = 30
    tol: float = 0.0

    def __post_init__(self) -> None:
        check_int("n_restarts", self.n_restarts)
        check_int("max_passes", self.max_passes)
        check_number("tol", self.tol, below=1)


@dataclass(frozen=True, eq=False)
class _Found:
    state: State
    objective: float
    passes: int


def run_sequential(
    problem: Problem,
    options: SequentialOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    """The best of several flat searches; every hidden node needs a number of clusters."""
    control = control or Control()
    for node in problem.hidden:
        if problem.graph.nodes[node].n_clusters is None:
            raise InputError(
                f"node {problem.names[node]!r} has no number of clusters; a flat search needs one"
            )
    finished: list[int] = []

    def event(done: float) -> Event:
        return Event(
            "sequential search", done, restart=len(finished), n_restarts=options.n_restarts
        )

    def attempt(seed: np.random.SeedSequence) -> _Found:
        passes, n = Passes(options.max_passes), options.n_restarts
        found = _search(
            problem,
            options,
            np.random.default_rng(seed),
            lambda part: control.advance(passes.more(part) / n, event),
            control,
        )
        control.add(passes.rest() / n)
        finished.append(1)
        return found

    batches = run_seeds(attempt, seed, options.n_restarts, n_jobs, control)
    results = (found for batch in batches for found in batch)
    best = max(results, key=lambda found: found.objective, default=None)
    if best is None:  # stopped before the first restart ended: a random start is all there is
        wanted = flat_clusters(problem)
        state = random_state(problem, wanted, np.random.default_rng(seed.spawn(1)[0]))
        best = _Found(state, problem.objective.value(state), 0)
    control.reporter.tell(event(1.0))
    names = ", ".join(problem.names[node] for node in problem.hidden)
    point = TracePoint(
        best.passes, names, "sweep", best.state.n_clusters[problem.hidden[0]], best.objective
    )
    return Outcome(
        problem.canonical(best.state), best.objective, (point,), interrupted=control.stopped
    )


def _search(
    problem: Problem,
    options: SequentialOptions,
    rng: np.random.Generator,
    tick: Callable[[float], None],
    control: Control,
) -> _Found:
    state = random_state(problem, flat_clusters(problem), rng)
    # Where all neighbours are observed the plan never changes and neither do the counts'
    # columns: one table serves all passes.
    kept: dict[int, tuple[Plan, Counts]] = {}
    share = 1.0 / (options.max_passes * len(problem.hidden))
    passes = 0
    try:
        for _ in range(options.max_passes):
            passes += 1
            still = True
            for node in problem.hidden:
                if node not in kept or len(problem.hidden) > 1:
                    plan = problem.objective.plan(node, state)
                    kept[node] = plan, counts_of(plan, state.labels[node], state.n_clusters[node])
                plan, counts = kept[node]
                order = rng.permutation(problem.sizes[node]).astype(np.int64)
                moved, _ = sweep_once(plan, counts, order, tick, share=share, team=control.team)
                state = state.replace(node, counts.labels.copy(), state.n_clusters[node])
                still &= moved <= options.tol * len(order)
            if still:
                break
    except (Stopped, KeyboardInterrupt):  # the last whole pass is worth more than nothing
        control.stop()
    return _Found(state, problem.objective.value(state), passes)


METHOD = Method(
    "sequential", run_sequential, SequentialOptions, sides=False, estimator="SequentialIB"
)
