"""Clique-wise MDC (thesis, Algorithm 3): edge by edge, each as if there were no other.

All sides start in random partitions of the size wanted. An edge is visited by sweeping the
values of its one end, then of its other, by the information of this edge alone; the partitions
found there are where the next edge begins. So terms that have no common scale never meet in
one sum. Each visit raises the information of its own edge and may lower that of others, so the
rounds have no common objective to climb and need not come to rest; what is kept of them, and of
several restarts, is the state with the highest weighted sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from comraf.errors import InputError
from comraf.inference.control import Control, run_seeds
from comraf.inference.flat import Passes, Restart, best_restart, flat_clusters, random_state
from comraf.inference.methods import Method
from comraf.inference.moves import MOVES, Tick, counts_of, improve
from comraf.inference.problem import Outcome, Problem
from comraf.objectives import Objective, State
from comraf.parameters import check_int, check_number
from comraf.progress import Event, TracePoint

__all__ = ["METHOD", "CliquewiseOptions", "run_cliquewise", "visit"]


@dataclass(frozen=True, slots=True)
class CliquewiseOptions:
    """How edges are visited; see `comraf.CliquewiseMDC`."""

    n_restarts: int = 10
    max_rounds: int = 20
    moves: str = "sequential"
    passes: float = 1.0
    tol: float = 1e-3

    def __post_init__(self) -> None:
        check_int("n_restarts", self.n_restarts)
        check_int("max_rounds", self.max_rounds)
        check_number("passes", self.passes)
        check_number("tol", self.tol, below=1)
        if self.moves not in MOVES:
            raise InputError(parameter="moves", given=self.moves, allowed=MOVES)


def run_cliquewise(
    problem: Problem,
    options: CliquewiseOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    """Visit the edges of any graph in turn, several times, from several random starts.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> table = [[5, 0, 1], [4, 1, 0], [0, 6, 5], [0, 4, 6]]
    >>> nodes = [Node("d", n_clusters=2), Node("w", n_clusters=2, direction="top-down")]
    >>> problem = Problem(Graph(nodes, [Edge("d", "w", table)]))
    >>> outcome = run_cliquewise(problem, CliquewiseOptions(), np.random.SeedSequence(0))
    >>> outcome.state.labels[0].tolist()
    [1, 1, 0, 0]
    """
    control = control or Control()
    return _Rounds(problem, options, control).run(seed, n_jobs)


class _Rounds:
    def __init__(self, problem: Problem, options: CliquewiseOptions, control: Control) -> None:
        self.problem, self.options, self.control = problem, options, control
        self.wanted = flat_clusters(problem)
        # an edge without weight says nothing, and its ends are seen at other edges
        self.edges = [
            number
            for number, term in enumerate(problem.edges)
            if term.weight > 0 and {term.a, term.b} & set(problem.hidden)
        ]
        self.begun: list[Restart] = []
        self.finished = 0

    def run(self, seed: np.random.SeedSequence, n_jobs: int) -> Outcome:
        n = self.options.n_restarts
        batches = run_seeds(self._restart, seed, n, n_jobs, self.control)
        best = best_restart(batches, self.begun, self.control)
        if best is None:
            rng = np.random.default_rng(seed.spawn(1)[0])
            state = random_state(self.problem, self.wanted, rng)
            best = Restart(state, self.problem.objective.value(state), [])
        self.control.settle(1.0)
        self.control.tell(partial(self._event, None, best.objective))
        return Outcome(
            self.problem.canonical(best.state),
            best.objective,
            tuple(best.trace),
            interrupted=self.control.stopped,
        )

    def _event(self, node: int | None, objective: float | None, done: float) -> Event:
        node = self.problem.hidden[0] if node is None else node
        return Event(
            "clique-wise MDC",
            done,
            node=self.problem.names[node],
            n_clusters=self.wanted[node],
            restart=self.finished,
            n_restarts=self.options.n_restarts,
            objective=objective,
        )

    def _restart(self, seed: np.random.SeedSequence) -> Restart:
        rng = np.random.default_rng(seed)
        state = random_state(self.problem, self.wanted, rng)
        restart = Restart(state, self.problem.objective.value(state), [])
        self.begun.append(restart)
        ends = sum(2 for _ in self.edges)
        share = 1.0 / (self.options.max_rounds * ends)
        passes = Passes(self.options.max_rounds)
        before = restart.objective
        for number in range(self.options.max_rounds):
            for edge in self.edges:
                state = self._visit(state, edge, rng, share, passes, restart.objective)
            value = self.problem.objective.value(state)
            names = ", ".join(self.problem.names[node] for node in self.problem.hidden)
            k = self.wanted[self.problem.hidden[0]]
            if not restart.trace or value > restart.objective:  # any round beats a random start
                restart.state, restart.objective = state, value
                restart.trace.append(TracePoint(number + 1, names, "round", k, value))
            if value - before <= self.options.tol * value:
                break
            before = value
        left = passes.rest() / self.options.n_restarts
        self.control.advance(left, partial(self._event, None, restart.objective))
        self.finished += 1
        return restart

    def _visit(
        self,
        state: State,
        edge: int,
        rng: np.random.Generator,
        share: float,
        passes: Passes,
        objective: float,
    ) -> State:
        def tick_for(node: int) -> Tick:
            event, n = partial(self._event, node, objective), self.options.n_restarts
            return lambda part: self.control.advance(passes.more(part * share) / n, event)

        term = self.problem.edges[edge]
        for node in (term.a, term.b):
            if node in self.wanted:
                state = visit(
                    self.problem,
                    state,
                    edge,
                    node,
                    rng,
                    tick_for(node),
                    moves=self.options.moves,
                    passes=self.options.passes,
                )
        return state


def visit(
    problem: Problem,
    state: State,
    edge: int,
    node: int,
    rng: np.random.Generator,
    tick: Tick,
    *,
    moves: str = "sequential",
    passes: float = 1.0,
) -> State:
    """Move the values of one end of an edge by that edge alone; all other edges are not seen.

    Preferences of pairs and single values belong to the node and stay in force.
    """
    kept = [t for t in problem.objective.terms if t not in problem.edges and t.touches(node)]
    plan = Objective([problem.edges[edge], *kept]).plan(node, state)
    counts = counts_of(plan, state.labels[node], state.n_clusters[node])
    improve(plan, counts, rng, tick, moves=moves, passes=passes)
    return state.replace(node, counts.labels, state.n_clusters[node])


METHOD = Method("cliquewise", run_cliquewise, CliquewiseOptions, estimator="CliquewiseMDC")
