"""Local search over one node: sequential, shuffled and annealed moves, in slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.kernels import compiled
from comraf.kernels.calls import call
from comraf.kernels.plan import Counts, FloatArray, Plan, phi_table
from comraf.objectives import Labels

__all__ = ["MOVES", "Tick", "counts_of", "improve", "plan_value", "slices", "sweep_once"]

MOVES = ("sequential", "shuffled", "annealed")

# A slice of compiled work lasts about this long; between slices Ctrl-C and progress are
# looked after. Cells a second: measured 0.4 to 1.1 billion; only the order matters.
_SLICE_CELLS = 10_000_000

# Annealing starts where a draw wanders over clusters within this many nats per unit of
# mass of the best one, and cools to nothing.
_HOT = 0.5

Tick = Callable[[float], None]


def counts_of(plan: Plan, labels: Labels, k: int) -> Counts:
    """Counts of a partition, ready to be swept; refuses what does not fit in memory."""
    # the table itself, and as much again for what matching copies of it
    check_fits(
        16.0 * plan.n_columns * k,
        f"the table of {plan.n_columns} columns x {k} clusters",
        "ask for fewer clusters, or make one of the two sides top-down",
    )
    counts = call(compiled.count, plan, labels, k)
    return Counts(
        counts=counts,
        cell_max=counts.max(axis=1) if k else np.zeros(plan.n_columns, np.int64),
        sizes=np.bincount(labels, minlength=k).astype(np.int64),
        labels=np.array(labels, dtype=np.int32),
    )


def table_for(plan: Plan) -> FloatArray:
    """Table of phi for every count that can turn up."""
    return phi_table(int(plan.data.sum()) if len(plan.data) else 1)


def plan_value(plan: Plan, state: Counts) -> float:
    """The part of the objective that moves of this node can change."""
    total = float(compiled.value(state.counts, plan.coef, table_for(plan)))
    if len(plan.pair_weights):
        own = np.repeat(state.labels, np.diff(plan.pair_indptr))
        # each pair stands in both of its rows
        total += 0.5 * float(plan.pair_weights[own == state.labels[plan.pair_indices]].sum())
    if len(plan.unary):
        total += float(plan.unary[np.arange(plan.n_elements), state.labels].sum())
    return total


def slices(n: int, cells_each: float) -> Iterator[tuple[int, int]]:
    """Cut ``range(n)`` so that each piece touches a bounded number of cells.

    Examples
    --------
    >>> list(slices(3, 1e7))
    [(0, 1), (1, 2), (2, 3)]
    """
    length = max(1, int(_SLICE_CELLS / max(cells_each, 1.0)))
    for start in range(0, n, length):
        yield start, min(n, start + length)


def sweep_once(
    plan: Plan,
    state: Counts,
    order: npt.NDArray[np.int64],
    random: npt.NDArray[np.uint64],
    tick: Tick,
    *,
    temperature: float = 0.0,
    share: float = 1.0,
) -> tuple[int, float]:
    """One pass over ``order``; returns (elements moved, gain)."""
    k = len(state.sizes)
    phi, out = table_for(plan), np.empty(k)
    n = len(order)
    moved, gained = 0, 0.0
    for start, stop in slices(n, k * len(plan.data) / max(1, plan.n_elements)):
        m, g = compiled.sweep(plan, state, order, start, stop, phi, temperature, random, out)
        moved += m
        gained += g
        tick(share * (stop - start) / n)
    return moved, gained


def improve(
    plan: Plan,
    state: Counts,
    rng: np.random.Generator,
    tick: Tick,
    *,
    moves: str = "sequential",
    passes: float = 2.0,
) -> float:
    """Local search of a given length in place; returns the gain of the objective.

    ``passes`` counts looks at every element; a fraction looks at a random part of them. Shuffled
    moves try one cluster in a look, all others all of them. Annealing ends in a local optimum.
    """
    if moves not in MOVES:
        raise InputError(parameter="moves", given=moves, allowed=MOVES)
    n, k = plan.n_elements, len(state.sizes)
    random = rng.integers(0, 2**64, size=1, dtype=np.uint64)
    if n == 0 or k < 2 or passes <= 0:
        tick(1.0)
        return 0.0
    if moves == "shuffled":
        return _shuffle(plan, state, random, tick, math.ceil(passes * n))
    if moves == "annealed":
        return _anneal(plan, state, rng, random, tick, passes)
    rounds = math.ceil(passes)
    gained = 0.0
    for number in range(rounds):
        part = min(1.0, passes - number)
        order = _some(rng, n, part)
        moved, gain = sweep_once(plan, state, order, random, tick, share=1.0 / rounds)
        gained += gain
        if moved == 0 and part == 1.0:
            tick(1.0 - (number + 1) / rounds)
            break  # a local optimum: further passes change nothing
    return gained


def _some(rng: np.random.Generator, n: int, part: float) -> npt.NDArray[np.int64]:
    """A random part of the elements, in random order."""
    return rng.permutation(n).astype(np.int64)[: max(1, math.ceil(part * n))]


def _anneal(
    plan: Plan,
    state: Counts,
    rng: np.random.Generator,
    random: npt.NDArray[np.uint64],
    tick: Tick,
    passes: float,
) -> float:
    """Passes that cool down along the way, then cold ones until nothing moves."""
    orders = [
        _some(rng, plan.n_elements, min(1.0, passes - number))
        for number in range(math.ceil(passes))
    ]
    looks = np.concatenate(orders)
    gained, done = 0.0, 0
    for piece in np.array_split(looks, min(len(looks), 10 * len(orders))):
        heat = _HOT * max(0.0, 1.0 - 1.25 * done / len(looks))
        share = 0.5 * len(piece) / len(looks)
        gained += sweep_once(plan, state, piece, random, tick, temperature=heat, share=share)[1]
        done += len(piece)
    moved, share = 1, 0.5
    while moved:
        order = _some(rng, plan.n_elements, 1.0)
        moved, gain = sweep_once(plan, state, order, random, tick, share=share)
        gained, share = gained + gain, 0.0
    return gained


def _shuffle(
    plan: Plan, state: Counts, random: npt.NDArray[np.uint64], tick: Tick, n_trials: int
) -> float:
    elements = np.arange(plan.n_elements, dtype=np.int64)
    phi = table_for(plan)
    gained = 0.0
    # a trial reads the counts of two clusters, each from memory of its own: 10 x a cell
    for start, stop in slices(n_trials, 20 * len(plan.data) / plan.n_elements):
        _, gain = compiled.shuffle(plan, state, elements, stop - start, phi, random)
        gained += gain
        tick((stop - start) / n_trials)
    return gained
