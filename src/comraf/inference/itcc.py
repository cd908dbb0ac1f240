"""Information-theoretic co-clustering: two sides in turn, flat, in batches or one by one.

Dhillon, Mallela and Modha (2003) put all rows at once to the prototypes they fit best, then
all columns, and so on; the objective never falls. Starting from random partitions of both
sides that ends in poor places: random clusters of columns tell rows apart by chance alone. So
rows are swept a few times against single columns first, and the columns gathered around random
ones among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.inference.control import Control, Stopped, run_seeds
from comraf.inference.flat import Passes, Restart, best_restart, flat_clusters, random_state
from comraf.inference.gathering import gather
from comraf.inference.methods import Method
from comraf.inference.moves import Tick, counts_of, improve, slices, sweep_once
from comraf.inference.problem import Outcome, Problem
from comraf.kernels.plan import FloatArray, Plan
from comraf.kernels.prototypes import assign, prototypes, self_scores
from comraf.objectives import Labels, State
from comraf.parameters import check_int, check_number
from comraf.progress import Event, TracePoint

__all__ = ["METHOD", "UPDATES", "ITCCOptions", "batch_step", "run_itcc"]

UPDATES = ("batch", "sequential")


@dataclass(frozen=True, slots=True)
class ITCCOptions:
    """How co-clustering goes; see `comraf.ITCC`."""

    updates: str = "batch"
    n_restarts: int = 10
    first_passes: float = 8.0
    max_passes: int = 20
    tol: float = 1e-3

    def __post_init__(self) -> None:
        if self.updates not in UPDATES:
            raise InputError(parameter="updates", given=self.updates, allowed=UPDATES)
        check_int("n_restarts", self.n_restarts)
        check_number("first_passes", self.first_passes)
        check_int("max_passes", self.max_passes)
        check_number("tol", self.tol, below=1)


def batch_step(plan: Plan, labels: Labels, k: int, tick: Tick) -> tuple[Labels, int]:
    """All elements at once to the prototypes they fit best: (labels, elements moved).

    A cluster that loses all of its elements is refilled with the one that fits worst where
    it is: a finer partition never tells less. Preferences of pairs and of single elements
    are not looked at.
    """
    check_fits(
        40.0 * plan.n_columns * k,
        f"the prototypes of {k} clusters over {plan.n_columns} columns",
        "ask for fewer clusters, or use updates='sequential'",
    )
    weights = prototypes(plan, counts_of(plan, labels, k, screen=False).counts)
    new = np.array(labels, dtype=np.int32)
    scores = np.empty(plan.n_elements)
    moved = 0
    for start, stop in slices(plan.n_elements, k * len(plan.data) / max(1, plan.n_elements)):
        moved += assign(
            plan.indptr, plan.indices, plan.data, plan.mass, weights, start, stop, new, scores
        )
        tick((stop - start) / plan.n_elements)
    return new, moved + _refill(plan, new, scores, k)


def _refill(plan: Plan, labels: Labels, scores: FloatArray, k: int) -> int:
    """Give every empty cluster an element, in place; returns how many were given."""
    sizes = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(sizes == 0)
    if len(empty) == 0:
        return 0
    badly = np.argsort(scores - self_scores(plan), kind="stable")
    position = 0
    for cluster in empty:
        while sizes[labels[badly[position]]] == 1:
            position += 1
        i = badly[position]
        sizes[labels[i]] -= 1
        sizes[cluster] += 1
        labels[i] = cluster
    return len(empty)


def run_itcc(
    problem: Problem,
    options: ITCCOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    """The best of several co-clusterings of the first hidden node and those joined to it.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> table = [[5, 0, 1], [4, 1, 0], [0, 6, 5], [0, 4, 6]]
    >>> graph = Graph(
    ...     [Node("d", n_clusters=2), Node("w", n_clusters=2)], [Edge("d", "w", table)]
    ... )
    >>> outcome = run_itcc(Problem(graph), ITCCOptions(), np.random.SeedSequence(0))
    >>> outcome.state.labels[0].tolist()
    [1, 1, 0, 0]
    """
    control = control or Control()
    first, others = problem.hidden[0], problem.hidden[1:]
    for node in others:
        if set(problem.neighbours(node)) & set(others) or first not in problem.neighbours(node):
            raise InputError(
                f"co-clustering is about {problem.names[first]!r} and the sides joined to it, but "
                f"{problem.names[node]!r} is joined to others; use the method cliquewise or MDC"
            )
    if options.updates == "batch" and problem.preferences:
        raise InputError(
            "batches move all values at once and can't look at pairs of them; use the method mdc, "
            "cliquewise or sequential"
        )
    wanted = flat_clusters(problem)
    finished: list[int] = []
    begun: list[Restart] = []

    def event(done: float) -> Event:
        known = [restart.objective for restart in list(begun)]
        return Event(
            "co-clustering",
            done,
            node=problem.names[first],
            n_clusters=wanted[first],
            restart=len(finished),
            n_restarts=options.n_restarts,
            objective=max(known, default=None),
        )

    def attempt(child: np.random.SeedSequence) -> Restart:
        passes, n = Passes(options.max_passes), options.n_restarts

        def tick(part: float) -> None:
            control.advance(passes.more(part) / n, event)

        restart = _search(problem, options, wanted, np.random.default_rng(child), tick, begun)
        control.advance(passes.rest() / n, event)
        finished.append(1)
        return restart

    batches = run_seeds(attempt, seed, options.n_restarts, n_jobs, control)
    best = best_restart(batches, begun, control)
    if best is None:
        state = random_state(problem, wanted, np.random.default_rng(seed.spawn(1)[0]))
        best = Restart(state, problem.objective.value(state), [])
    control.settle(1.0)
    control.tell(event)
    return Outcome(
        problem.canonical(best.state),
        best.objective,
        tuple(best.trace),
        interrupted=control.stopped,
    )


def _search(
    problem: Problem,
    options: ITCCOptions,
    wanted: dict[int, int],
    rng: np.random.Generator,
    tick: Tick,
    begun: list[Restart],
) -> Restart:
    state = _start(problem, options, wanted, rng, lambda part: tick(0.3 * part), begun)
    restart = Restart(state, problem.objective.value(state), [])
    begun.append(restart)
    share = 0.7 / (options.max_passes * len(problem.hidden))
    for number in range(options.max_passes):
        moved = 0
        for node in problem.hidden:
            plan = problem.objective.plan(node, state)
            k = state.n_clusters[node]
            if options.updates == "batch":
                labels, n = batch_step(plan, state.labels[node], k, lambda part: tick(share * part))
            else:
                counts = counts_of(plan, state.labels[node], k)
                order = rng.permutation(plan.n_elements).astype(np.int64)
                n, _ = sweep_once(plan, counts, order, tick, share=share)
                labels = counts.labels
            state = state.replace(node, labels, k)
            moved += n
        before = restart.objective
        restart.state, restart.objective = state, problem.objective.value(state)
        restart.trace.append(
            TracePoint(
                number + 1,
                ", ".join(problem.names[node] for node in problem.hidden),
                options.updates,
                wanted[problem.hidden[0]],
                restart.objective,
            )
        )
        if moved == 0 or restart.objective - before <= options.tol * restart.objective:
            break
    return restart


def _start(
    problem: Problem,
    options: ITCCOptions,
    wanted: dict[int, int],
    rng: np.random.Generator,
    tick: Tick,
    begun: list[Restart],
) -> State:
    """Rows swept against single columns, columns gathered; random if no pass is wanted."""
    state = random_state(problem, wanted, rng)
    if options.first_passes == 0:
        return state
    first, others = problem.hidden[0], problem.hidden[1:]
    finer = state
    for node in others:
        finer = finer.replace(node, problem.singletons(node), problem.sizes[node])
    plan = problem.objective.plan(first, finer)
    counts = counts_of(plan, state.labels[first], wanted[first])
    try:
        improve(plan, counts, rng, tick, passes=options.first_passes)
    except (Stopped, KeyboardInterrupt):  # rows half sorted are worth more than random ones
        state = state.replace(first, counts.labels, wanted[first])
        state = _gathered(problem, state, wanted, rng, lambda part: None, passes=0.0)
        begun.append(Restart(state, problem.objective.value(state), []))
        raise
    state = state.replace(first, counts.labels, wanted[first])
    # gathered clusters lack cells that a batch step would need to get out of them
    return _gathered(problem, state, wanted, rng, lambda part: tick(0.0), passes=1.0)


def _gathered(
    problem: Problem,
    state: State,
    wanted: dict[int, int],
    rng: np.random.Generator,
    tick: Tick,
    passes: float,
) -> State:
    """The state with every side but the first gathered around random values of it."""
    for node in problem.hidden[1:]:
        plan = problem.objective.plan(node, state)
        counts = counts_of(plan, gather(plan, wanted[node], rng, tick), wanted[node])
        improve(plan, counts, rng, tick, passes=passes)
        state = state.replace(node, counts.labels, wanted[node])
    return state


METHOD = Method("itcc", run_itcc, ITCCOptions, estimator="ITCC")
