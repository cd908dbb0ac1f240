"""A second copy of a node whose clusters are the node's own.

An edge from documents to documents, its second end tied, is worth the mutual information of the
clusters with themselves: of one document's cluster and its neighbour's. A move changes both ends
at once, which the sweeps of this package don't know. So it goes in rounds: the copy is observed
as the clusters that there are, the node is swept against it, and the copy follows. A round
stands only if the objective with both ends tied has risen by it; so it never falls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from comraf.inference.control import Control, Stopped
from comraf.inference.moves import Tick, counts_of, improve
from comraf.inference.polishing import finer, settle
from comraf.inference.problem import Outcome, Problem
from comraf.objectives import State
from comraf.progress import Event, TracePoint

__all__ = ["Tie", "tie_rounds", "tied_outcome"]

# Rounds end by themselves; on 2,000 documents after 2 to 17.
_MOST_ROUNDS = 50
# A whole sweep may overshoot, since the copy stands still meanwhile: then fewer may move.
_PASSES = (2.0, 0.5, 0.1)
# Less is rounding.
_LEAST_GAIN = 1e-12


@dataclass(frozen=True, eq=False)
class Tie:
    """Which nodes of a problem are copies of one of its nodes.

    Attributes
    ----------
    node : int
        The node that is clustered.
    copies : sequence of int
        Observed nodes whose values are the node's.
    group : array of int, optional
        Where the node's values are groups of what the copies have: the group of each.
    """

    node: int
    copies: Sequence[int]
    group: npt.NDArray[np.int64] | None = None

    def state(self, problem: Problem, state: State) -> State:
        """The state with the copies in the node's clusters, these numbered by mass.

        Values of the node without counts are in cluster 0, as in every result.
        """
        state = problem.canonical(state)
        occupied = problem.occupied[self.node]
        labels = np.zeros(len(occupied), dtype=np.int32)
        labels[occupied] = state.labels[self.node]
        if self.group is not None:
            labels = labels[self.group]
        for copy in self.copies:
            state = state.replace(copy, labels, state.n_clusters[self.node])
        return state


def tie_rounds(
    problem: Problem,
    state: State,
    tie: Tie,
    rng: np.random.Generator,
    tick: Tick,
    *,
    fine: bool = False,
) -> tuple[State, list[float]]:
    """Sweep a node against its own copy until the tied objective rises no more.

    Parameters
    ----------
    problem : Problem
    state : State
        Partitions to start from; those of the copies don't matter.
    tie : Tie
    rng : Generator
    tick : callable
        Told of every round; may raise to end them.
    fine : bool
        Hold the node against single values of its fullest neighbour, as polishing does.

    Returns
    -------
    state : State
    values : list of float
        The tied objective at the start and after every round that stood.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> near = [[0, 2, 1, 0], [2, 0, 0, 0], [0, 0, 0, 2], [0, 1, 2, 0]]
    >>> nodes = [Node("d", n_clusters=2), Node("copy", observed="singletons")]
    >>> problem = Problem(Graph(nodes, [Edge("d", "copy", near)]))
    >>> start = problem.start({0: (np.array([0, 1, 1, 1], dtype=np.int32), 2)})
    >>> state, values = tie_rounds(
    ...     problem, start, Tie(0, [1]), np.random.default_rng(0), lambda part: None
    ... )
    >>> state.labels[0].tolist() == state.labels[1].tolist(), values[-1] > values[0]
    (True, True)
    """

    def seen(there: State) -> State:
        return finer(problem, there, tie.node) if fine else there

    state = tie.state(problem, state)
    k = state.n_clusters[tie.node]
    values = [problem.objective.value(seen(state))]
    for _ in range(_MOST_ROUNDS):
        plan = problem.objective.plan(tie.node, seen(state))
        for passes in _PASSES:
            counts = counts_of(plan, state.labels[tie.node], k)
            improve(plan, counts, rng, lambda part: tick(0.0), passes=passes)
            there = tie.state(problem, state.replace(tie.node, counts.labels, k))
            value = problem.objective.value(seen(there))
            if value > values[-1] + _LEAST_GAIN:
                break
        else:
            break
        state = there
        values.append(value)
        tick(1.0 / _MOST_ROUNDS)
    return state, values


def tied_outcome(
    problem: Problem,
    outcome: Outcome,
    tie: Tie,
    seed: np.random.SeedSequence,
    control: Control,
    passes: float = 2.0,
) -> Outcome:
    """What a search has found with the copies as singletons, with the copies tied.

    Rounds follow, seen as finely as the search ended; then values settle where they did so
    in the search, and the other hidden sides are swept once more. A search that was stopped
    early is tied and left as it is.
    """
    name = problem.names[tie.node]
    done = {point.action for point in outcome.trace if point.node == name}
    rng = np.random.default_rng(
        np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 7))
    )
    state = tie.state(problem, outcome.state)
    k = state.n_clusters[tie.node]
    stopped = outcome.interrupted

    def tick(part: float) -> None:
        control.advance(
            0.0, lambda share: Event("MDC", share, node=name, n_clusters=k, message="tying")
        )

    trace = list(outcome.trace)
    if not stopped:
        try:
            fine = "polish" in done
            state, _ = tie_rounds(problem, state, tie, rng, tick, fine=fine)
            if "settle" in done:
                state = tie.state(problem, settle(problem, state, tie.node, rng, tick))
            for other in problem.hidden:
                if other != tie.node:
                    plan = problem.objective.plan(other, state)
                    counts = counts_of(plan, state.labels[other], state.n_clusters[other])
                    improve(plan, counts, rng, tick, passes=passes)
                    state = state.replace(other, counts.labels, state.n_clusters[other])
            state = tie.state(problem, state)
        except (Stopped, KeyboardInterrupt):  # what was reached before the rounds is whole
            control.stop()
            stopped = True
    value = problem.objective.value(state)
    trace.append(TracePoint(trace[-1].step + 1 if trace else 1, name, "tie", k, value))
    return replace(
        outcome,
        state=state,
        objective=value,
        trace=tuple(trace),
        interrupted=stopped,
        levels=_ended(outcome.levels, state),
    )


def _ended(
    levels: Mapping[int, tuple[npt.NDArray[np.int32], ...]], state: State
) -> dict[int, tuple[npt.NDArray[np.int32], ...]]:
    """Levels whose last one is what came out."""
    return {node: (*steps[:-1], state.labels[node]) for node, steps in levels.items()}
