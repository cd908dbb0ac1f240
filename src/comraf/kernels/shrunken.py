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

from comraf.kernels.compiled import TOLERANCE
from comraf.kernels.jit import jit
from comraf.kernels.plan import FloatArray, Plan

__all__ = ["MOST_SINGLE", "SHRINK", "Background", "background", "shrunken_scores", "shrunken_sweep"]

#: Weight of the whole side's distribution beside a cluster's own. From 10 to 100 it hardly
#: matters; at 1 small collections lose (docs/experiments.md).
SHRINK = 30.0
#: Cells of the largest table, single values of a side x clusters, that is worked with; with
#: more of them values are held against clusters of that side (2 GB).
MOST_SINGLE = 2**28


class Background(NamedTuple):
    """What is known of every column before any cluster is looked at."""

    edge: npt.NDArray[np.int64]  # the edge of each cell column, -1 for mass columns
    rarity: FloatArray  # one over the column's share of the edge's counts
    shrink: float


def background(plan: Plan, counts: npt.NDArray[np.int64], shrink: float = SHRINK) -> Background:
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


@jit
def _shift(plan, state, inverse, i, c, sign):  # type: ignore[no-untyped-def]
    """Pull element ``i`` out of cluster ``c`` (sign -1) or put it there (sign 1)."""
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        t = state.counts[col, c] + sign * plan.data[p]
        state.counts[col, c] = t
        if t > state.cell_max[col]:
            state.cell_max[col] = t
    for e in range(plan.segments.shape[0]):
        mass = state.counts[plan.segments[e, 1], c]
        inverse[e, c] = 1.0 / mass if mass > 0 else 0.0


@jit
def _fit(plan, back, state, inverse, i, out):  # type: ignore[no-untyped-def]
    """Score of element ``i``, which is in no cluster now, in each cluster."""
    k = out.shape[0]
    out[:] = 0.0
    whole = 1.0 + back.shrink
    nothing = math.log(back.shrink / whole)
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        e = back.edge[col]
        if e < 0:
            continue
        w = whole * plan.coef[col] * plan.data[p]
        rarity = back.rarity[col]
        for c in range(k):
            t = state.counts[col, c]
            if t > 0:
                out[c] += w * math.log((t * inverse[e, c] * rarity + back.shrink) / whole)
            else:
                out[c] += w * nothing
    for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
        out[state.labels[plan.pair_indices[p]]] += plan.pair_weights[p]
    if plan.unary.shape[0] > 0:
        for c in range(k):
            out[c] += plan.unary[i, c]


@jit
def shrunken_sweep(plan, back, state, order, start, stop, out):  # type: ignore[no-untyped-def]
    """Move each element to the cluster it fits best; how many moved.

    The last element of a cluster stays. ``state`` is changed in place.
    """
    inverse = _inverse(plan, state)
    moved = 0
    for position in range(start, stop):
        i = order[position]
        own = state.labels[i]
        if plan.indptr[i] == plan.indptr[i + 1] or state.sizes[own] < 2:
            continue
        _shift(plan, state, inverse, i, own, -1)
        _fit(plan, back, state, inverse, i, out)
        best = own
        for c in range(out.shape[0]):
            if out[c] > out[best] + TOLERANCE * plan.mass[i]:
                best = c
        _shift(plan, state, inverse, i, best, 1)
        if best != own:
            state.labels[i] = best
            state.sizes[own] -= 1
            state.sizes[best] += 1
            moved += 1
    return moved


@jit
def shrunken_scores(plan, back, state, own, start, stop, out):  # type: ignore[no-untyped-def]
    """Score of each element ``start:stop`` in each cluster, into rows of ``out``.

    With ``own`` each element is left out of its own cluster while it is looked at, unless its
    label is -1; otherwise all are new, and the counts stand.
    """
    inverse = _inverse(plan, state)
    for i in range(start, stop):
        inside = own and state.labels[i] >= 0
        if inside:
            _shift(plan, state, inverse, i, state.labels[i], -1)
        _fit(plan, back, state, inverse, i, out[i - start])
        if inside:
            _shift(plan, state, inverse, i, state.labels[i], 1)
