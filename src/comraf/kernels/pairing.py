"""Agglomeration of sparse clusters, one closest pair at a time, exactly.

What a merger of two clusters loses depends only on the columns that both have (and on their
masses), so costs are summed along the lists of clusters of each column. Each cluster keeps
the closest of those that were born after it. When that one is gone, its cost stays as a
lower bound, and is worked out anew only if it comes out as the smallest of all: so the pair
that is merged is always the closest of all pairs, at a small part of the cost of looking.

Clusters are numbered as in SciPy: ``0 .. n - 1`` are the leaves, ``n + t`` what merger ``t`` made.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from comraf.kernels.jit import jit
from comraf.kernels.plan import FloatArray, IntArray, Plan

__all__ = ["ACTIVE", "MERGED", "Forest", "costs_reference", "find_first", "make_forest", "merge"]

# Places in Forest.at.
ACTIVE, MERGED, USED = 0, 1, 2


class Forest(NamedTuple):
    """All that agglomeration works on; everything but the coefficients changes in place."""

    row_start: IntArray  # per cluster, into the pool
    row_length: IntArray
    pool_column: npt.NDArray[np.int32]
    pool_value: IntArray
    list_start: IntArray  # per column: clusters that have it, by increasing number
    list_length: IntArray
    list_cluster: npt.NDArray[np.int32]
    list_value: IntArray
    coef: FloatArray  # per column
    mass: IntArray  # (edges, clusters)
    mass_coef: FloatArray
    active: npt.NDArray[np.int32]  # clusters not merged yet, by increasing number
    peer: npt.NDArray[np.int32]  # closest of the clusters born later; -1 where that is gone
    cost: FloatArray  # of merging with it, or a bound from below
    shared: FloatArray  # scratch, all zeros between calls
    children: IntArray
    heights: FloatArray
    at: IntArray  # active clusters, mergers made, pool used


def make_forest(plan: Plan) -> Forest:
    """Every element of a plan as a leaf; preferences of pairs and elements are not looked at."""
    n, masses = plan.n_elements, plan.segments[:, 1]
    most = max(1, 2 * n - 1)
    owner = np.repeat(np.arange(n), np.diff(plan.indptr))
    is_mass = np.isin(np.arange(plan.n_columns), masses)
    number = np.cumsum(~is_mass) - 1
    cell = ~is_mass[plan.indices]
    columns = number[plan.indices[cell]].astype(np.int32)
    values, rows = plan.data[cell], owner[cell]
    mass = np.zeros((len(masses), most), dtype=np.int64)
    edge_of = np.full(plan.n_columns, -1)
    edge_of[masses] = np.arange(len(masses))
    mass[edge_of[plan.indices[~cell]], owner[~cell]] = plan.data[~cell]
    lengths = np.zeros(most, dtype=np.int64)
    lengths[:n] = np.bincount(rows, minlength=n)
    starts = np.zeros(most, dtype=np.int64)
    starts[1:n] = np.cumsum(lengths[: n - 1])
    # within a row and within a list alike, in increasing order
    by_row = np.lexsort((columns, rows))
    by_column = np.lexsort((rows, columns))
    n_columns = int((~is_mass).sum())
    list_length = np.bincount(columns, minlength=n_columns).astype(np.int64)
    room = 2 * len(values) + 1
    pool_column, pool_value = np.zeros(room, dtype=np.int32), np.zeros(room, dtype=np.int64)
    pool_column[: len(values)], pool_value[: len(values)] = columns[by_row], values[by_row]
    return Forest(
        row_start=starts,
        row_length=lengths,
        pool_column=pool_column,
        pool_value=pool_value,
        list_start=np.concatenate([[0], np.cumsum(list_length)]).astype(np.int64),
        list_length=list_length,
        list_cluster=rows[by_column].astype(np.int32),
        list_value=values[by_column].astype(np.int64),
        coef=plan.coef[~is_mass],
        mass=mass,
        mass_coef=-plan.coef[masses],
        active=np.arange(n, dtype=np.int32),
        peer=np.full(most, -1, dtype=np.int32),
        cost=np.full(most, np.inf),
        shared=np.zeros(most),
        children=np.zeros((max(0, n - 1), 2), dtype=np.int64),
        heights=np.zeros(max(0, n - 1)),
        at=np.array([n, 0, len(values)], dtype=np.int64),
    )


@jit
def excess(a, b, phi):  # type: ignore[no-untyped-def]
    """phi(a + b) - phi(a) - phi(b), from the table or without cancellation beyond it."""
    if a + b < phi.shape[0]:
        return phi[a + b] - phi[a] - phi[b]
    if a == 0 or b == 0:
        return 0.0
    return a * math.log1p(b / a) + b * math.log1p(a / b)


@jit
def loss(forest, i, j, phi):  # type: ignore[no-untyped-def]
    """What merging clusters i and j loses, ``shared[j]`` being what their columns save."""
    total = -forest.shared[j]
    for e in range(forest.mass.shape[0]):
        total += forest.mass_coef[e] * excess(forest.mass[e, i], forest.mass[e, j], phi)
    return max(0.0, total)  # 0 comes out as a difference: clip what rounding leaves


@jit
def look(forest, i, phi):  # type: ignore[no-untyped-def]
    """Find the closest of the clusters born after ``i``; returns list entries read."""
    work = 0
    for p in range(forest.row_start[i], forest.row_start[i] + forest.row_length[i]):
        column = forest.pool_column[p]
        v = forest.pool_value[p]
        coef = forest.coef[column]
        first = forest.list_start[column]
        q = first + forest.list_length[column] - 1
        while q >= first and forest.list_cluster[q] > i:
            forest.shared[forest.list_cluster[q]] += coef * excess(v, forest.list_value[q], phi)
            q -= 1
            work += 1
    forest.peer[i] = -1
    forest.cost[i] = np.inf
    position = forest.at[0] - 1
    while position >= 0 and forest.active[position] > i:
        j = forest.active[position]
        lost = loss(forest, i, j, phi)
        # the lowest number among equals; numbers fall on the way
        if lost <= forest.cost[i]:
            forest.cost[i] = lost
            forest.peer[i] = j
        forest.shared[j] = 0.0
        position -= 1
        work += 1
    return work


@jit
def find_first(forest, start, stop, phi):  # type: ignore[no-untyped-def]
    """Closest later leaf of leaves ``start:stop``."""
    for i in range(start, stop):
        look(forest, i, phi)


@jit
def compact(forest):  # type: ignore[no-untyped-def]
    """Move the rows of active clusters to the front of the pool."""
    # rows were put into the pool in the order of their numbers, and active is in that order
    used = 0
    for position in range(forest.at[0]):
        c = forest.active[position]
        start = forest.row_start[c]
        for p in range(forest.row_length[c]):
            forest.pool_column[used + p] = forest.pool_column[start + p]
            forest.pool_value[used + p] = forest.pool_value[start + p]
        forest.row_start[c] = used
        used += forest.row_length[c]
    forest.at[2] = used


@jit
def unite(forest, i, j, u):  # type: ignore[no-untyped-def]
    """Row and masses of cluster ``u``: those of i and j, added."""
    if forest.at[2] + forest.row_length[i] + forest.row_length[j] > forest.pool_column.shape[0]:
        compact(forest)
    p, q = forest.row_start[i], forest.row_start[j]
    p_end, q_end = p + forest.row_length[i], q + forest.row_length[j]
    start = forest.at[2]
    fill = start
    while p < p_end or q < q_end:
        left = forest.pool_column[p] if p < p_end else forest.coef.shape[0]
        right = forest.pool_column[q] if q < q_end else forest.coef.shape[0]
        forest.pool_column[fill] = min(left, right)
        value = np.int64(0)
        if left <= right:
            value += forest.pool_value[p]
            p += 1
        if right <= left:
            value += forest.pool_value[q]
            q += 1
        forest.pool_value[fill] = value
        fill += 1
    forest.row_start[u] = start
    forest.row_length[u] = fill - start
    forest.at[2] = fill
    for e in range(forest.mass.shape[0]):
        forest.mass[e, u] = forest.mass[e, i] + forest.mass[e, j]


@jit
def enter(forest, i, j, u, phi):  # type: ignore[no-untyped-def]
    """Put u into the lists in the place of i and j, and sum up what it shares with others."""
    work = 0
    for p in range(forest.row_start[u], forest.row_start[u] + forest.row_length[u]):
        column = forest.pool_column[p]
        v = forest.pool_value[p]
        coef = forest.coef[column]
        first = forest.list_start[column]
        fill = first
        for q in range(first, first + forest.list_length[column]):
            c = forest.list_cluster[q]
            if c in (i, j):
                continue
            t = forest.list_value[q]
            forest.list_cluster[fill] = c
            forest.list_value[fill] = t
            forest.shared[c] += coef * excess(v, t, phi)
            fill += 1
        forest.list_cluster[fill] = u
        forest.list_value[fill] = v
        work += fill + 1 - first
        forest.list_length[column] = fill + 1 - first
    return work


@jit
def merge(forest, budget, phi):  # type: ignore[no-untyped-def]
    """Merge closest pairs until one cluster is left or ``budget`` list entries were read."""
    n = forest.children.shape[0] + 1
    work = 0
    while forest.at[0] > 1 and work < budget:
        best = -1
        for position in range(forest.at[0]):
            c = forest.active[position]
            if best < 0 or forest.cost[c] < forest.cost[best]:
                best = c
        work += forest.at[0]
        if forest.peer[best] < 0:  # only a bound: look again
            work += look(forest, best, phi)
            continue
        i, j = np.int64(best), np.int64(forest.peer[best])
        t = forest.at[1]
        u = n + t
        forest.children[t, 0] = i
        forest.children[t, 1] = j
        forest.heights[t] = forest.cost[best]
        unite(forest, i, j, u)
        work += enter(forest, i, j, u, phi)
        fill = 0
        for position in range(forest.at[0]):
            c = forest.active[position]
            if c in (i, j):
                continue
            forest.active[fill] = c
            fill += 1
            lost = loss(forest, u, c, phi)
            forest.shared[c] = 0.0
            gone = forest.peer[c] in (i, j)
            if lost < forest.cost[c] or (lost == forest.cost[c] and (gone or forest.peer[c] < 0)):
                forest.cost[c] = lost
                forest.peer[c] = u
            elif gone:
                forest.peer[c] = -1
        forest.active[fill] = u
        forest.at[0] = fill + 1
        forest.at[1] = t + 1
    return work


def costs_reference(plan: Plan, counts: IntArray) -> FloatArray:
    """Loss of merging every two clusters by plain NumPy, infinite on the diagonal.

    ``counts`` are those of the clusters, (columns, k), mass columns included.
    """
    from comraf.kernels.reference import phi

    single = plan.coef @ phi(counts)
    joint = plan.coef @ phi(counts[:, :, None] + counts[:, None, :]).reshape(len(counts), -1)
    k = counts.shape[1]
    out = single[:, None] + single[None, :] - joint.reshape(k, k)
    np.fill_diagonal(out, np.inf)
    return np.asarray(np.where(out < 0, 0.0, out))
