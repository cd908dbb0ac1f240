"""The last touches: a side swept against single values of its fullest neighbours.

Polishing climbs the objective with single values; settling asks each value once more where
it fits, by clusters whose distributions are shrunk towards the whole side's.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import numpy.typing as npt

from comraf.inference.control import Haste, Stopped
from comraf.inference.moves import (
    Tick,
    counts_of,
    improve,
    in_batches,
    look_cells,
    no_offers,
    until_still,
)
from comraf.inference.problem import Problem
from comraf.inference.team import ALONE, Team
from comraf.kernels.calls import call
from comraf.kernels.plan import Counts, Plan
from comraf.kernels.shrunken import (
    MOST_SINGLE,
    background,
    settling,
    settling_act,
    settling_look,
    settling_sweep,
)
from comraf.objectives import State

__all__ = [
    "MOST_SINGLE",
    "POLISH_PASSES",
    "full",
    "polish",
    "settle",
    "settle_counts",
    "worth",
]

#: Passes of polishing what runs agree on.
POLISH_PASSES = 10.0
# A pass in which so few of the values move is the last.
_ENOUGH = 0.001
#: Passes of settling, if values don't stand still before.
SETTLE_PASSES = 10


def full(problem: Problem, node: int, k: int) -> list[int]:
    """Numbers of the neighbours whose single values ``k`` clusters of a node are polished by."""
    names = problem.graph.full(problem.names[node], MOST_SINGLE // max(1, k))
    return [problem.graph.index[name] for name in names]


def polish(
    problem: Problem,
    state: State,
    node: int,
    rng: np.random.Generator,
    tick: Tick,
    passes: float = POLISH_PASSES,
    team: Team = ALONE,
) -> State:
    """Sweep a node against single values of its fullest neighbours instead of clusters.

    Clusters of words are good for finding groups of documents; once they are found, single
    words tell better which of them a document belongs to. Sides about as full as the fullest
    one do so too (`comraf.Graph.full`); sparser ones stay clustered: single people, say,
    each seen a few times, would tie documents together by chance. So does a side with which
    the table of single values and clusters would be larger than 2 GB.

    Cut short by a tick, it raises `Stopped`; in `Haste` it returns what it has.
    """
    k = state.n_clusters[node]
    plan = problem.objective.plan(node, finer(problem, state, node))
    counts = counts_of(plan, state.labels[node], k)
    with suppress(*((Stopped,) if isinstance(tick, Haste) else ())):
        improve(plan, counts, rng, tick, passes=passes, enough=_ENOUGH, team=team)
    return state.replace(node, counts.labels, k)


def finer(problem: Problem, state: State, node: int) -> State:
    """The state with single values of the node's fullest neighbours, where they fit."""
    for other in full(problem, node, state.n_clusters[node]):
        state = state.replace(other, problem.singletons(other), problem.sizes[other])
    return state


def worth(problem: Problem, state: State, node: int) -> float:
    """What the terms of a node are worth with single values of its fullest neighbours.

    Partitions of the node into equally many clusters can be compared by it.
    """
    there = finer(problem, state, node)
    return float(sum(t.value(there) for t in problem.objective.terms if t.touches(node)))


def settle(
    problem: Problem,
    state: State,
    node: int,
    rng: np.random.Generator,
    tick: Tick,
    team: Team = ALONE,
) -> State:
    """Let each value of a node go where it is expected to fit.

    The objective counts what is there, and in a cluster of few values much of that is there
    by chance. Shrunk towards the whole, clusters tell better where values belong: see
    `comraf.kernels.shrunken`. Nothing is merged or emptied.
    """
    k = state.n_clusters[node]
    plan = problem.objective.plan(node, finer(problem, state, node))
    counts = counts_of(plan, state.labels[node], k)
    everyone = np.arange(plan.n_elements, dtype=np.int64)
    settle_counts(plan, counts, everyone, rng, tick, team=team)
    return state.replace(node, counts.labels, k)


def settle_counts(
    plan: Plan,
    counts: Counts,
    elements: npt.NDArray[np.int64],
    rng: np.random.Generator,
    tick: Tick,
    passes: int = SETTLE_PASSES,
    team: Team = ALONE,
) -> None:
    """Settle some elements, in place, until none moves or the passes are over."""
    back = background(plan, counts.counts)
    to, gain = no_offers(plan)

    def look(order: npt.NDArray[np.int64], exact: bool, share: float) -> int:
        masses = call(settling, plan, back, counts)

        def sweep(start: int, stop: int, batch: int) -> int:
            span = (order, start, stop, batch, exact)
            return int(settling_sweep(plan, back, counts, *masses, *span, to, gain))

        def some(first: int, last: int) -> None:
            settling_look(plan, back, counts, masses[0], order, first, last, exact, to, gain)

        def act(first: int, last: int) -> int:
            return int(settling_act(plan, back, counts, *masses, order, first, last, to, gain))

        def told(part: float) -> None:
            tick(part * share)

        cells = 4 * look_cells(plan, counts, exact=exact)  # a logarithm costs several cells
        return sum(in_batches(len(order), cells, sweep, some, act, told, team))

    exact = not len(counts.screen)
    until_still(plan, look, elements, gain, rng, tick, passes, always_exact=exact, enough=_ENOUGH)
