"""A sweep by what clusters would be expected to say, not by what they happened to say.

Counts of single words in a cluster of a few hundred documents are a small sample. Here each
cluster's distribution is mixed with that of the whole side before it is asked how well an
element fits: with shrinkage ``s``, an element with counts ``v`` scores, in cluster ``c``::

    sum_j coef[col_j] * v_j * (1 + s) * log((N[col_j, c] / (M[c] * Q[col_j]) + s) / (1 + s))

where ``N`` and the mass ``M`` are without the element and ``Q`` is the column's share of all
counts. Without shrinkage that is the log-likelihood ratio of the cluster to the whole; with
much of it, the excess of the observed over the expected: a rare word seen once by chance
counts for less. Preferences count as they do in every other sweep.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from comraf.kernels.compiled import NEAR, TOLERANCE, add_wishes, best_three, screened, shift
from comraf.kernels.jit import jit, jit_part
from comraf.kernels.plan import CountArray, FloatArray, Plan

__all__ = [
    "MOST_SINGLE",
    "SHRINK",
    "Background",
    "background",
    "settling",
    "settling_act",
    "settling_look",
    "settling_sweep",
    "shrunken_scores",
]

#: Weight of the whole side's distribution beside a cluster's own. From 10 to 100 it hardly
#: matters; at 1 small collections lose (docs/experiments.md).
SHRINK = 30.0
#: Cells of the largest table, single values of a side x clusters, that is worked with; with
#: more of them values are held against clusters of that side (2 GB).
MOST_SINGLE = 2**28


# A cluster's screen is made anew when its mass has changed by more than this share.
_STALE = 0.03


class Background(NamedTuple):
    """What is known of every column before any cluster is looked at."""

    edge: npt.NDArray[np.int64]  # the edge of each cell column, -1 for mass columns
    rarity: FloatArray  # one over the column's share of the edge's counts
    shrink: float


def background(plan: Plan, counts: CountArray, shrink: float = SHRINK) -> Background:
    """The background of a plan, from counts (columns, k) of any partition of all elements."""
    edge = np.full(plan.n_columns, -1, dtype=np.int64)
    rarity = np.ones(plan.n_columns)
    totals = counts.sum(axis=1)
    for e, (first, last) in enumerate(plan.segments):
        edge[first:last] = e
        # a column that nobody has says nothing: its counts are zero in every cluster
        rarity[first:last] = max(1, totals[last]) / np.maximum(totals[first:last], 1)
    return Background(edge, rarity, float(shrink))


@jit
def _inverse(plan, state):  # type: ignore[no-untyped-def]
    """One over each cluster's mass on each edge, (edges, k); 0 for a cluster without any."""
    k = state.counts.shape[1]
    out = np.zeros((plan.segments.shape[0], k))
    for e in range(plan.segments.shape[0]):
        for c in range(k):
            mass = state.counts[plan.segments[e, 1], c]
            if mass > 0:
                out[e, c] = 1.0 / mass
    return out


@jit_part
def _share(back, t, inverse, col):  # type: ignore[no-untyped-def]
    """What a column says of a cluster that counts ``t`` of it and whose mass is 1 / ``inverse``."""
    return math.log((t * inverse * back.rarity[col] + back.shrink) / (1.0 + back.shrink))


@jit_part
def _say(plan, back, state, inverse, c, weighted, out):  # type: ignore[no-untyped-def]
    """What every column says of cluster ``c``, as in `said`."""
    for col in range(out.shape[0]):
        e = back.edge[col]
        if e < 0:
            out[col, c] = 0.0
            continue
        w = (1.0 + back.shrink) * plan.coef[col] if weighted else 1.0
        out[col, c] = w * _share(back, np.float64(state.counts[col, c]), inverse[e, c], col)


@jit
def said(plan, back, state, weighted, out):  # type: ignore[no-untyped-def]
    """What every column says of every cluster, 0 for mass columns, into ``out``: (columns, k).

    With ``weighted`` by the column's weight: the score that a unit of it has.
    """
    inverse = _inverse(plan, state)
    for c in range(out.shape[1]):
        _say(plan, back, state, inverse, c, weighted, out)


@jit_part
def _own_inverse(plan, state, i, out):  # type: ignore[no-untyped-def]
    """One over the mass of ``i``'s own cluster on each edge, without ``i``, into column 0."""
    a = state.labels[i]
    for e in range(out.shape[0]):
        mass = np.int64(state.counts[plan.segments[e, 1], a])
        for p in range(plan.indptr[i], plan.indptr[i + 1]):
            if plan.indices[p] == plan.segments[e, 1]:
                mass -= plan.data[p]
        out[e, 0] = 1.0 / mass if mass > 0 else 0.0


@jit_part
def _fit(plan, back, state, inverse, place, i, c):  # type: ignore[no-untyped-def]
    """Score of element ``i`` in cluster ``c``, from which it is left out if it is there."""
    # One over the cluster's mass is in this place, a column, of ``inverse``.
    mine = state.labels[i] == c
    fit = 0.0
    whole = 1.0 + back.shrink
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        e = back.edge[col]
        if e >= 0:
            v = plan.data[p]
            t = np.float64(state.counts[col, c] - (v if mine else 0))
            fit += whole * plan.coef[col] * v * _share(back, t, inverse[e, place], np.int64(col))
    for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
        if state.labels[plan.pair_indices[p]] == c:
            fit += plan.pair_weights[p]
    if plan.unary.shape[0] > 0:
        fit += plan.unary[i, c]
    return fit


@jit_part
def _renew(plan, back, state, inverse, then, i, c):  # type: ignore[no-untyped-def]
    """Bring the masses of cluster ``c``, and the screen of element ``i``'s columns, up to date."""
    # The screen of all columns, where the mass is no longer about what it was ``then``.
    stale = False
    for e in range(inverse.shape[0]):
        mass = state.counts[plan.segments[e, 1], c]
        inverse[e, c] = 1.0 / mass if mass > 0 else 0.0
        stale |= abs(inverse[e, c] - then[e, c]) > _STALE * then[e, c]
    if state.screen.shape[0] == 0:
        return
    if stale:
        _say(plan, back, state, inverse, c, True, state.screen)
        for e in range(inverse.shape[0]):  # a slice would compile half as much again
            then[e, c] = inverse[e, c]
        return
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        e = back.edge[col]
        if e >= 0:
            unit = (1.0 + back.shrink) * plan.coef[col]
            t = np.float64(state.counts[col, c])
            state.screen[col, c] = unit * _share(back, t, inverse[e, c], np.int64(col))


@jit
def settling(plan, back, state):  # type: ignore[no-untyped-def]
    """Begin a pass: one over each cluster's mass on each edge, (edges, k), and a fresh screen.

    That comes twice: as it is, and as it was when the screen of a cluster was made.
    """
    inverse = _inverse(plan, state)
    if state.screen.shape[0] > 0:
        said(plan, back, state, True, state.screen)
    return inverse, inverse.copy()


@jit
def settling_look(plan, back, state, inverse, order, start, stop, exact, to, gain):  # type: ignore[no-untyped-def]
    """Find the cluster that elements ``order[start:stop]`` would fit best; nothing moves.

    With ``exact`` all clusters are looked at, else the best by the screen, which is about what
    columns say of clusters, and the two after it if they come near.
    """
    own = np.zeros((inverse.shape[0], 1))
    k = state.sizes.shape[0]
    wishes = np.empty(k)
    approx = np.empty(k, np.float32)
    for position in range(start, stop):
        i = order[position]
        a = np.int64(state.labels[i])
        to[i], gain[i] = -1, -np.inf
        if plan.indptr[i] == plan.indptr[i + 1] or state.sizes[a] < 2:
            continue
        _own_inverse(plan, state, i, own)
        here = _fit(plan, back, state, own, np.int64(0), i, a)
        b, there = -1, -np.inf
        if exact:
            for c in range(k):
                if c != a:
                    fit = _fit(plan, back, state, inverse, c, i, c)
                    if fit > there:
                        b, there = c, fit
        else:
            screened(plan, state, i, approx)
            for c in range(k):
                wishes[c] = approx[c]
            add_wishes(plan, state, i, wishes)
            b, two, three, first, second, third = best_three(wishes, a)
            if first < here - NEAR * plan.mass[i]:
                to[i], gain[i] = b, first - here
                continue
            there = _fit(plan, back, state, inverse, b, i, b)
            near = max(here, there) - NEAR * plan.mass[i] + first - there
            for c, value in ((two, second), (three, third)):
                if value >= near:
                    fit = _fit(plan, back, state, inverse, c, i, c)
                    if fit > there:
                        b, there = c, fit
        to[i], gain[i] = b, there - here


@jit
def settling_act(plan, back, state, inverse, then, order, start, stop, to, gain):  # type: ignore[no-untyped-def]
    """Move elements ``order[start:stop]`` to where `settling_look` said, if they still fit better.

    Returns how many moved. The last element of a cluster stays.
    """
    own = np.zeros((inverse.shape[0], 1))
    changed = np.zeros(state.sizes.shape[0], np.bool_)
    moved = 0
    for position in range(start, stop):
        i = order[position]
        least = TOLERANCE * plan.mass[i]
        if not gain[i] > least:
            continue
        a, b = np.int64(state.labels[i]), np.int64(to[i])
        if changed[a] or changed[b]:
            if state.sizes[a] < 2:
                continue
            _own_inverse(plan, state, i, own)
            here = _fit(plan, back, state, own, np.int64(0), i, a)
            gain[i] = _fit(plan, back, state, inverse, b, i, b) - here
            if not gain[i] > least:
                continue
        shift(plan, state, i, b)
        _renew(plan, back, state, inverse, then, i, a)
        _renew(plan, back, state, inverse, then, i, b)
        changed[a] = changed[b] = True
        moved += 1
    return moved


@jit
def settling_sweep(plan, back, state, inverse, then, order, start, stop, batch, exact, to, gain):  # type: ignore[no-untyped-def]
    """Move each element to the cluster it fits best, ``batch`` of them at a time; how many moved.

    Elements of a batch look at the same counts; those that fit better elsewhere then move, one
    after the other. ``gain`` keeps how much better each element would fit where ``to`` says.
    """
    moved = 0
    for first in range(start, stop, batch):
        last = min(stop, first + batch)
        settling_look(plan, back, state, inverse, order, first, last, exact, to, gain)
        moved += settling_act(plan, back, state, inverse, then, order, first, last, to, gain)
    return moved


@jit
def shrunken_scores(plan, back, state, start, stop, table, out):  # type: ignore[no-untyped-def]
    """Score of each element ``start:stop`` in each cluster, into rows of ``out``.

    Each element is left out of its own cluster while it is looked at, unless its label is -1.
    ``table`` is what columns have `said`, or has no rows: then that is worked out for each element.
    """
    k = out.shape[1]
    inverse = _inverse(plan, state)
    own = np.zeros((inverse.shape[0], 1))
    whole = 1.0 + back.shrink
    for i in range(start, stop):
        row = out[i - start]
        row[:] = 0.0
        for p in range(plan.indptr[i], plan.indptr[i + 1]):
            col = plan.indices[p]
            e = back.edge[col]
            if e < 0:
                continue
            w = whole * plan.coef[col] * plan.data[p]
            if table.shape[0] > 0:
                for c in range(k):
                    row[c] += w * table[col, c]
            else:
                for c in range(k):
                    t = np.float64(state.counts[col, c])
                    row[c] += w * _share(back, t, inverse[e, c], np.int64(col))
        add_wishes(plan, state, i, row)
        if state.labels[i] >= 0:
            _own_inverse(plan, state, i, own)
            a = np.int64(state.labels[i])
            row[a] = _fit(plan, back, state, own, np.int64(0), i, a)
