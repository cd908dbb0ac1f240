"""Local search over one node: sequential, shuffled and annealed moves, in slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.inference.team import ALONE, Team
from comraf.kernels import compiled
from comraf.kernels.calls import call, fixed
from comraf.kernels.plan import Counts, FloatArray, Plan, phi_table
from comraf.objectives import Labels

__all__ = [
    "MOVES",
    "NO_SCREEN",
    "Offers",
    "Tick",
    "counts_of",
    "improve",
    "in_batches",
    "look_cells",
    "no_offers",
    "plan_value",
    "screened",
    "slices",
    "sweep_once",
    "table_for",
    "until_still",
]

MOVES = ("sequential", "shuffled", "annealed")

# A slice of compiled work lasts about this long; between slices Ctrl-C and progress are
# looked after. Cells a second: measured 0.4 to 1.1 billion; only the order matters.
_SLICE_CELLS = 10_000_000

#: The last fields of `comraf.kernels.plan.Counts` where all clusters are looked at exactly.
NO_SCREEN = np.zeros((0, 0), np.float32), np.zeros(0, np.int64)

# Up to so many clusters all are looked at exactly; among more, those that a screen chooses.
_LOOK_AT_ALL = 2

# Sides of many elements are swept in so many batches; with 8 or 64 the end is worth as much
# (docs/experiments.md), and fewer of them keep more threads at work.
_BATCHES = 16
# Below so many elements they are swept one by one.
_MANY = 4096

# And shuffled in blocks of so many.
_BLOCK = 8

# After so many passes every other one looks only at the elements that were closest to moving. This
# share of them has 84 to 100% of the moves.
_WHOLE_PASSES = 2
_CLOSEST = 0.3

# Annealing starts where a draw wanders over clusters within this many nats per unit of
# mass of the best one, and cools to nothing.
_HOT = 0.5

Tick = Callable[[float], None]
T = TypeVar("T")


def counts_of(plan: Plan, labels: Labels, k: int, *, screen: bool = True) -> Counts:
    """Counts of a partition, ready to be swept; refuses what does not fit in memory.

    Those that are only looked at need no screen.
    """
    # the table itself, and as much again for what matching copies of it
    check_fits(
        16.0 * plan.n_columns * k,
        f"the table of {plan.n_columns} columns x {k} clusters",
        "ask for fewer clusters, or make one of the two sides top-down",
    )
    state = Counts(
        call(compiled.count, plan, fixed(labels), k),
        np.bincount(labels, minlength=k).astype(np.int64),
        np.array(labels, dtype=np.int32),
        *NO_SCREEN,
    )
    return screened(plan, state) if screen else state


def screened(plan: Plan, state: Counts) -> Counts:
    """The state with a screen, if it has so many clusters that one is worth it."""
    if len(state.sizes) <= _LOOK_AT_ALL:
        return state
    typical = call(compiled.typical, plan)
    screen = call(compiled.screen, plan, state.counts, typical, table_for(plan))
    return state._replace(screen=screen, typical=typical)


def look_cells(plan: Plan, state: Counts, *, exact: bool = False) -> float:
    """Cells that the look at one element costs: a cell of the screen is much cheaper."""
    k = len(state.sizes)
    entries = len(plan.data) / max(1, plan.n_elements)
    return entries * (k if exact or not len(state.screen) else 4 + k / 40)


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


def slices(n: int, cells_each: float, step: int = 1) -> Iterator[tuple[int, int]]:
    """Cut ``range(n)`` so that each piece touches a bounded number of cells.

    Pieces are as long as some whole steps.

    Examples
    --------
    >>> list(slices(3, 1e7))
    [(0, 1), (1, 2), (2, 3)]
    """
    length = step * max(1, int(_SLICE_CELLS / max(cells_each, 1.0) / step))
    for start in range(0, n, length):
        yield start, min(n, start + length)


class Offers(NamedTuple):
    """What elements were offered last: a cluster, and what moving there gains."""

    to: npt.NDArray[np.int32]
    gain: FloatArray


def no_offers(plan: Plan) -> Offers:
    """Room for the offers to all elements of a plan."""
    n = plan.n_elements
    return Offers(np.full(n, -1, np.int32), np.full(n, -np.inf))


def sweep_once(
    plan: Plan,
    state: Counts,
    order: npt.NDArray[np.int64],
    tick: Tick,
    *,
    share: float = 1.0,
    exact: bool = False,
    offers: Offers | None = None,
    team: Team = ALONE,
) -> tuple[int, float]:
    """One pass over ``order``; returns (elements moved, gain).

    Elements of a batch are looked at by all threads of the team that are idle, and move one
    after the other: how many threads there are never changes what comes out.
    """
    n, phi = len(order), table_for(plan)
    to, gain = no_offers(plan) if offers is None else offers

    def sweep(start: int, stop: int, batch: int) -> tuple[int, float]:
        done = compiled.sweep(plan, state, order, start, stop, batch, exact, phi, to, gain)
        return cast(tuple[int, float], done)

    def look(first: int, last: int) -> None:
        compiled.look_apart(plan, state, order, first, last, exact, phi, to, gain)

    def act(first: int, last: int) -> tuple[int, float]:
        done = compiled.act(plan, state, order, first, last, phi, to, gain)
        return cast(tuple[int, float], done)

    moved, gained = 0, 0.0
    cells = look_cells(plan, state, exact=exact)
    for m, g in in_batches(n, cells, sweep, look, act, lambda part: tick(share * part), team):
        moved += m
        gained += g
    return moved, gained


def in_batches(
    n: int,
    cells_each: float,
    sweep: Callable[[int, int, int], T],
    look: Callable[[int, int], None],
    act: Callable[[int, int], T],
    tick: Tick,
    team: Team,
) -> Iterator[T]:
    """What comes of a pass over ``n`` elements: of ``sweep(start, stop, batch)`` for each slice.

    Where threads may help, of ``act(start, stop)`` for each batch, after they have looked at it.
    Many elements go in 16 batches, few one by one.
    """
    batch = 1 if n < _MANY else math.ceil(n / _BATCHES)
    for start, stop in slices(n, cells_each, batch):
        if batch == 1 or team.n_threads == 1:
            yield sweep(start, stop, batch)
        else:
            for first in range(start, stop, batch):
                last = min(stop, first + batch)
                team.share(look, first, last, cells_each)
                yield act(first, last)
        tick((stop - start) / n)


def improve(
    plan: Plan,
    state: Counts,
    rng: np.random.Generator,
    tick: Tick,
    *,
    moves: str = "sequential",
    passes: float = 2.0,
    offers: Offers | None = None,
    enough: float = 0.0,
    team: Team = ALONE,
) -> float:
    """Local search of a given length in place; returns the gain of the objective.

    ``passes`` counts looks at every element; a fraction looks at a random part of them. Shuffled
    moves try one cluster in a look, all others all of them. Annealing ends in a local optimum.
    ``offers`` of an earlier search, and ``enough``, are for sequential moves; see `until_still`.
    """
    if moves not in MOVES:
        raise InputError(parameter="moves", given=moves, allowed=MOVES)
    n, k = plan.n_elements, len(state.sizes)
    if n == 0 or k < 2 or passes <= 0:
        tick(1.0)
        return 0.0
    if moves == "shuffled":
        return _shuffle(plan, state, rng, tick, math.ceil(passes * n))
    if moves == "annealed":
        return _anneal(plan, state, rng, tick, passes)
    offers = no_offers(plan) if offers is None else offers
    gained = 0.0

    def look(order: npt.NDArray[np.int64], exact: bool, share: float) -> int:
        nonlocal gained
        moved, gain = sweep_once(
            plan, state, order, tick, share=share, exact=exact, offers=offers, team=team
        )
        gained += gain
        return moved

    everyone = np.arange(n, dtype=np.int64)
    until_still(
        plan,
        look,
        everyone,
        offers.gain,
        rng,
        tick,
        passes,
        always_exact=not len(state.screen),
        enough=enough,
    )
    return gained


def shuffled(elements: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Elements in random order; many of them in blocks, since neighbours in memory are read faster.

    Examples
    --------
    >>> sorted(shuffled(np.arange(5), np.random.default_rng(0)).tolist())
    [0, 1, 2, 3, 4]
    """
    if len(elements) < _MANY:
        return rng.permutation(elements)
    starts = rng.permutation(math.ceil(len(elements) / _BLOCK)) * _BLOCK
    places = (starts[:, None] + np.arange(_BLOCK)).ravel()
    order: npt.NDArray[np.int64] = elements[places[places < len(elements)]]
    return order


def until_still(
    plan: Plan,
    look: Callable[[npt.NDArray[np.int64], bool, float], int],
    elements: npt.NDArray[np.int64],
    gain: FloatArray,
    rng: np.random.Generator,
    tick: Tick,
    passes: float,
    *,
    always_exact: bool,
    enough: float = 0.0,
) -> None:
    """Pass after pass over some elements, in random order, until a whole one moves nothing.

    ``look(order, exact, share)`` makes a pass, tells its share of the ticks, writes to ``gain``
    what each element would gain by moving, and returns how many moved. From the third pass on, or
    from the first where ``gain`` is known already, every other one is over those alone that were
    closest to moving. A standstill of passes that are not exact is confirmed by one that is. So
    small a share of moves as ``enough`` ends the search too.
    """
    n, rounds = len(elements), math.ceil(passes)
    exact = always_exact
    whole = _WHOLE_PASSES if np.isneginf(gain[elements]).all() else 0
    if n < _MANY:  # every move changes what is close
        whole = rounds
    for number in range(rounds):
        part = min(1.0, passes - number)
        order = shuffled(elements, rng)[: max(1, math.ceil(part * n))]
        if part == 1.0 and not exact and number >= whole and (number - whole) % 2 == 0:
            part = _CLOSEST
            far = -gain[elements] / np.maximum(plan.mass[elements], 1e-300)
            chosen = np.sort(np.argsort(far, kind="stable")[: math.ceil(part * n)])
            order = shuffled(elements[chosen], rng)
        moved = look(order, exact, 1.0 / rounds)
        if moved <= enough * n and part == 1.0:
            if exact or moved:
                tick(1.0 - (number + 1) / rounds)
                break  # a local optimum: further passes change nothing
            exact = True
        else:
            exact = always_exact


def _some(rng: np.random.Generator, n: int, part: float) -> npt.NDArray[np.int64]:
    """A random part of the elements, in random order."""
    return rng.permutation(n).astype(np.int64)[: max(1, math.ceil(part * n))]


def _anneal(
    plan: Plan, state: Counts, rng: np.random.Generator, tick: Tick, passes: float
) -> float:
    """Passes that cool down along the way, then cold ones until nothing moves."""
    n, k = plan.n_elements, len(state.sizes)
    orders = [_some(rng, n, min(1.0, passes - number)) for number in range(math.ceil(passes))]
    looks = np.concatenate(orders)
    phi, out, random = table_for(plan), np.empty(k), _state_of(rng)
    gained, done = 0.0, 0
    for piece in np.array_split(looks, min(len(looks), 10 * len(orders))):
        heat = _HOT * max(0.0, 1.0 - 1.25 * done / len(looks))
        for start, stop in slices(len(piece), k * len(plan.data) / n):
            gained += compiled.anneal(plan, state, piece, start, stop, phi, heat, random, out)[1]
            tick(0.5 * (stop - start) / len(looks))
        done += len(piece)
    moved, share = 1, 0.5
    while moved:
        order = _some(rng, n, 1.0)
        moved, gain = sweep_once(plan, state, order, tick, share=share, exact=True)
        gained, share = gained + gain, 0.0
    return gained


def _state_of(rng: np.random.Generator) -> npt.NDArray[np.uint64]:
    """The seed of a compiled stream of random numbers."""
    return rng.integers(0, 2**64, size=1, dtype=np.uint64)


def _shuffle(
    plan: Plan, state: Counts, rng: np.random.Generator, tick: Tick, n_trials: int
) -> float:
    elements = np.arange(plan.n_elements, dtype=np.int64)
    phi, random = table_for(plan), _state_of(rng)
    gained = 0.0
    # a trial reads the counts of two clusters, each from memory of its own: 10 x a cell
    for start, stop in slices(n_trials, 20 * len(plan.data) / plan.n_elements):
        _, gain = compiled.shuffle(plan, state, elements, stop - start, phi, random)
        gained += gain
        tick((stop - start) / n_trials)
    return gained
