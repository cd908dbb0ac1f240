"""Iterated conditional modes: each group in turn goes where it is cheapest, given all others.

Free groups, which no link reaches, go straight to their nearest centre; the others are swept in
random order until none moves. A move to a cluster where something is that must be kept apart is
never made, so what holds at the start holds at the end. In two clusters a pair that must be apart
could then never move at all: so, where no single move pays, all that stands in the way changes
places with the group, as a chain (Kempe's, of graph colouring).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comraf.kernels.calls import call
from comraf.kernels.jit import jit
from comraf.kmeans.field import Field

__all__ = ["NOISE", "icm", "linked_row", "put"]

# A move must pay this part of the costs it compares; below lies rounding noise.
NOISE = 1e-12


def icm(
    field: Field,
    costs: NDArray[np.float64],
    labels: NDArray[np.int32],
    rng: np.random.Generator,
    *,
    max_sweeps: int = 100,
) -> NDArray[np.int32]:
    """Labels of groups that no single move betters.

    Parameters
    ----------
    field : Field
    costs : numpy.ndarray of float, shape (n_groups, k)
        Summed distance of each group's items to each centre.
    labels : numpy.ndarray of int32, shape (n_groups,)
        Where to start. No pair that must be apart is together.
    rng : numpy.random.Generator
        Draws the orders.
    max_sweeps : int
        Most sweeps; each lowers the objective, so they end by themselves unless there are many.

    Returns
    -------
    numpy.ndarray of int32, shape (n_groups,)

    Examples
    --------
    >>> from comraf.supervision import read_knowledge
    >>> from comraf.kmeans.field import read_field
    >>> field = read_field(read_knowledge(3, cannot_link=[(0, 1)]), 1.0)
    >>> costs = np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 1.0]])
    >>> start = np.array([0, 1, 1], dtype=np.int32)
    >>> icm(field, costs, start, np.random.default_rng(0)).tolist()
    [1, 0, 0]
    """
    k = costs.shape[1]
    labels = labels.copy()
    rows = np.arange(len(labels))
    nearest = costs.argmin(axis=1).astype(np.int32)
    here = costs[rows, labels]
    better = costs[rows, nearest] < here - NOISE * here
    better[field.bound] = False
    labels[better] = nearest[better]
    if not len(field.bound):
        return labels
    counts = field.counts(labels, k)
    parts = [
        part
        for table in (field.members, field.between, field.extra, field.forbidden)
        for part in (table.indptr, table.indices, table.data)
    ]
    chained = np.flatnonzero(np.diff(field.forbidden.indptr) > 0)
    for _ in range(max_sweeps):
        order = rng.permutation(field.bound)
        moved = call(_sweep, order, costs, labels, counts, NOISE, *parts)
        if not moved and len(chained):
            order = rng.permutation(chained)
            moved = call(_exchange, order, costs, labels, counts, NOISE, *parts)
        if not moved:
            break
    return labels


@jit
def linked_row(i, costs, labels, counts, out, mp, mi, md, bp, bi, bd, ep, ei, ed):  # type: ignore[no-untyped-def]
    """Cost of group i in each cluster, but for a constant; its items are taken out of counts."""
    k = costs.shape[1]
    for h in range(k):
        out[h] = costs[i, h]
    for p in range(mp[i], mp[i + 1]):
        counts[mi[p], labels[i]] -= md[p]
    for p in range(mp[i], mp[i + 1]):
        b = mi[p]
        for q in range(bp[b], bp[b + 1]):
            pull = md[p] * bd[q]
            for h in range(k):
                out[h] -= pull * counts[bi[q], h]
    for p in range(ep[i], ep[i + 1]):
        out[labels[ei[p]]] -= ed[p]


@jit
def put(i, h, labels, counts, mp, mi, md):  # type: ignore[no-untyped-def]
    """Put a group that was taken out of counts into cluster h."""
    labels[i] = h
    for p in range(mp[i], mp[i + 1]):
        counts[mi[p], h] += md[p]


@jit
def _sweep(order, costs, labels, counts, noise, mp, mi, md, bp, bi, bd, ep, ei, ed, fp, fi, fd):  # type: ignore[no-untyped-def]
    """Move each group of ``order`` to the cheapest cluster open to it; how many moved."""
    k = costs.shape[1]
    out = np.empty(k)
    shut = np.full(k, -1, np.int64)
    moved = 0
    for step in range(order.shape[0]):
        i = order[step]
        linked_row(i, costs, labels, counts, out, mp, mi, md, bp, bi, bd, ep, ei, ed)
        for p in range(fp[i], fp[i + 1]):
            shut[labels[fi[p]]] = step
        best = labels[i]
        now = out[best]
        for h in range(k):
            if shut[h] != step and out[h] < out[best] and out[h] < now - noise * abs(now):
                best = h
        if best != labels[i]:
            moved += 1
        put(i, best, labels, counts, mp, mi, md)
    return moved


@jit
def _exchange(order, costs, labels, counts, noise, mp, mi, md, bp, bi, bd, ep, ei, ed, fp, fi, fd):  # type: ignore[no-untyped-def]
    """Let chains of groups that must be apart change places between two clusters, if it pays."""
    n, k = costs.shape
    out = np.empty(k)
    chain = np.empty(n, np.int64)
    seen = np.full(n, -1, np.int64)
    moved = 0
    turn = 0
    for step in range(order.shape[0]):
        i = order[step]
        for to in range(k):
            home = labels[i]
            if to == home:
                continue
            turn += 1
            chain[0] = i
            seen[i] = turn
            size, at = 1, 0
            while at < size:
                a = chain[at]
                at += 1
                other = to if labels[a] == home else home
                for p in range(fp[a], fp[a + 1]):
                    b = fi[p]
                    if seen[b] != turn and labels[b] == other:
                        seen[b] = turn
                        chain[size] = b
                        size += 1
            change, scale = 0.0, 0.0
            for c in range(size):  # one by one, so that each step is priced as it is
                a = chain[c]
                old = labels[a]
                new = to if old == home else home
                linked_row(a, costs, labels, counts, out, mp, mi, md, bp, bi, bd, ep, ei, ed)
                change += out[new] - out[old]
                scale += abs(out[old]) + abs(out[new])
                put(a, new, labels, counts, mp, mi, md)
            if change < -noise * scale:
                moved += 1
                continue
            for c in range(size):
                a = chain[c]
                new = to if labels[a] == home else home
                for p in range(mp[a], mp[a + 1]):
                    counts[mi[p], labels[a]] -= md[p]
                put(a, new, labels, counts, mp, mi, md)
    return moved
