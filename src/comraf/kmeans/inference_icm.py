"""Iterated conditional modes: each group in turn goes where it is cheapest, given all others.

One search for all objectives of this room. What a group costs in each cluster is the sum of terms
that come as arrays: a number for each group and cluster, such as its distance to the centre;
links between blocks of items, whose prices are the same everywhere; pairs of groups whose prices
differ by cluster, as those of a learnt metric do; and ties, as those of kernels and graphs. The
kernels are compiled for the terms that are there: one that is None takes no time.

Free groups, which no link reaches, go straight to their nearest centre; the others are swept in
random order until none moves. A move to a cluster where something is that must be kept apart is
never made, so what holds at the start holds at the end. In two clusters a pair that must be apart
could then never move at all: so, where no single move pays, all that stands in the way changes
places with the group, as a chain (Kempe's, of graph colouring).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comraf.kernels.calls import call
from comraf.kernels.jit import jit, jit_part
from comraf.kmeans.field import Field
from comraf.kmeans.rows import Floats, Stored, stored

__all__ = [
    "Labels",
    "LinkTerm",
    "PairTerm",
    "Terms",
    "TieTerm",
    "icm",
    "price",
    "pulls_within",
    "sweep",
    "terms_of",
]

Labels = NDArray[np.int32]
_Numbers = NDArray[np.int64]

# A move must pay this part of the costs it compares; below lies rounding noise.
_NOISE = 1e-12


class LinkTerm(NamedTuple):
    """Prices of links, by blocks: see `comraf.kmeans.field.Field`."""

    members: Stored
    between: Stored
    extra: Stored
    #: Items of blocks by cluster, kept up to date by moves.
    counts: Floats


class PairTerm(NamedTuple):
    """Pairs of groups with a price for each cluster, listed with both of their ends."""

    starts: _Numbers
    others: _Numbers
    #: Row of the pair in the two tables of prices.
    numbers: _Numbers
    #: Price for having one end, but not the other, in a cluster; and for having both there.
    must: Floats
    cannot: Floats


class TieTerm(NamedTuple):
    """Minus the ties within clusters by their masses; all but the first four change with moves."""

    own: Floats
    mass: Floats
    dense: Floats
    sparse: Stored
    #: Whether links are ties too.
    shared: bool
    #: Ties within clusters, their masses, groups in them, and (dense only) their ties to groups.
    sums: Floats
    masses: Floats
    sizes: _Numbers
    near: Floats


class Terms(NamedTuple):
    """What a search has to know; ``forbidden`` has the groups that must be apart."""

    costs: Floats
    forbidden: Stored
    links: LinkTerm | None
    pairs: PairTerm | None
    ties: TieTerm | None


def terms_of(
    field: Field,
    costs: Floats,
    labels: Labels,
    *,
    pairs: PairTerm | None = None,
    ties: TieTerm | None = None,
) -> Terms:
    """What a search from these labels has to know; pairs take the place of the field's links."""
    links = None
    if pairs is None:
        members, between, extra = map(stored, (field.members, field.between, field.extra))
        links = LinkTerm(members, between, extra, field.counts(labels, costs.shape[1]))
    return Terms(costs, stored(field.forbidden), links, pairs, ties)


def icm(
    field: Field,
    costs: Floats,
    labels: Labels,
    rng: np.random.Generator,
    *,
    pairs: PairTerm | None = None,
    max_sweeps: int = 100,
) -> Labels:
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
    pairs : PairTerm, optional
        Links whose prices differ by cluster, in place of those that the field has.
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
    labels = labels.copy()
    bound = field.bound
    if pairs is not None:
        bound = np.flatnonzero(np.diff(pairs.starts) + np.diff(field.forbidden.indptr))
    rows = np.arange(len(labels))
    nearest = costs.argmin(axis=1).astype(np.int32)
    here = costs[rows, labels]
    better = costs[rows, nearest] < here - _NOISE * np.abs(here)
    better[bound] = False
    labels[better] = nearest[better]
    if not len(bound):
        return labels
    terms = terms_of(field, costs, labels, pairs=pairs)
    for _ in range(max_sweeps):
        if not sweep(terms, labels, rng, bound):
            break
    return labels


def sweep(terms: Terms, labels: Labels, rng: np.random.Generator, groups: Any) -> int:
    """Move groups in random order, in place; where none moves, chains; how many of them did."""
    costs, (starts, others, _), *rest = _bare(terms)
    shared = (labels, _NOISE, costs, starts, others, *rest)
    moved = call(_sweep, rng.permutation(groups), *shared)
    chained = np.flatnonzero(np.diff(starts) > 0)
    if not moved and len(chained):
        moved = call(_exchange, rng.permutation(chained), *shared)
    return int(moved)


def _bare(terms: Any) -> Any:
    """Tuples without names: numba finds out the types of named ones anew at each call."""
    return tuple(map(_bare, terms)) if isinstance(terms, tuple) else terms


def pulls_within(labels: Labels, links: LinkTerm) -> Floats:
    """Pulls of links within each cluster, each pair from both sides."""
    return np.asarray(call(_pulls_within, labels, links.counts.shape[1], _bare(links)))


@jit
def _pulls_within(labels, k, links):  # type: ignore[no-untyped-def]
    out = np.empty(k)
    sums = np.zeros(k)
    for i in range(labels.shape[0]):
        h = labels[i]
        out[:] = 0.0
        _add_links(i, labels, out, links)
        sums[h] -= out[h]
        _count(i, h, links)
    return sums


@jit_part
def _add_links(i, labels, out, links):  # type: ignore[no-untyped-def]
    """Subtract what blocks and other groups pull at group i, whose items are taken from counts."""
    (mp, mi, mv), (bp, bi, bv), (ep, ei, ev), counts = links
    for p in range(mp[i], mp[i + 1]):
        counts[mi[p], labels[i]] -= mv[p]
    for p in range(mp[i], mp[i + 1]):
        b = mi[p]
        for q in range(bp[b], bp[b + 1]):
            pull = mv[p] * bv[q]
            for h in range(out.shape[0]):
                out[h] -= pull * counts[bi[q], h]
    for p in range(ep[i], ep[i + 1]):
        out[labels[ei[p]]] -= ev[p]


@jit_part
def _count(i, h, links):  # type: ignore[no-untyped-def]
    """Count the items of group i in cluster h."""
    (mp, mi, mv), _, _, counts = links
    for p in range(mp[i], mp[i + 1]):
        counts[mi[p], h] += mv[p]


@jit_part
def _add_pairs(i, labels, out, pairs):  # type: ignore[no-untyped-def]
    """Add the prices of pairs."""
    starts, others, numbers, must, cannot = pairs
    for p in range(starts[i], starts[i + 1]):
        q = numbers[p]
        other = labels[others[p]]
        far = must[q, other]
        for h in range(out.shape[0]):
            out[h] += cannot[q, h] if h == other else must[q, h] + far


@jit_part
def _per(sums, mass):  # type: ignore[no-untyped-def]
    return sums / mass if mass > 0 else 0.0


@jit_part
def _add_ties(i, labels, out, tied, ties):  # type: ignore[no-untyped-def]
    """Add what ties lose and gain, so that where the group is now costs 0."""
    own, mass, dense, (gp, gi, gv), shared, sums, masses, _, near = ties
    k = out.shape[0]
    home = labels[i]
    if dense.shape[0]:
        for h in range(k):
            tied[h] = near[h, i]
        tied[home] -= own[i]
    else:
        for h in range(k):
            tied[h] = 0.0
        for p in range(gp[i], gp[i + 1]):
            if gi[p] != i:
                tied[labels[gi[p]]] += gv[p]
    if shared:
        for h in range(k):
            tied[h] -= out[h]
            out[h] = 0.0
    here = out[home]
    was = _per(sums[home], masses[home])
    left = was - _per(sums[home] - 2 * tied[home] - own[i], masses[home] - mass[i])
    scale = 0.0
    for h in range(k):
        if h == home:
            continue
        there = _per(sums[h], masses[h])
        joined = there - _per(sums[h] + 2 * tied[h] + own[i], masses[h] + mass[i])
        out[h] += left + joined - here
        scale = max(scale, abs(there))
    out[home] = 0.0
    return scale + abs(was) + abs(here)


@jit_part
def _tie(i, home, h, tied, ties):  # type: ignore[no-untyped-def]
    """Move the ties of group i from one cluster to another."""
    own, mass, dense, _, _, sums, masses, sizes, near = ties
    sums[home] -= 2 * tied[home] + own[i]
    sums[h] += 2 * tied[h] + own[i]
    masses[home] -= mass[i]
    masses[h] += mass[i]
    sizes[home] -= 1
    sizes[h] += 1
    if sizes[home] == 0:
        sums[home] = 0.0
        masses[home] = 0.0
    for j in range(dense.shape[0]):
        near[home, j] -= dense[i, j]
        near[h, j] += dense[i, j]


@jit_part
def price(i, labels, out, tied, costs, links, pairs, ties):  # type: ignore[no-untyped-def]
    """Cost of group i in each cluster, but for a constant; ``tied`` are its ties to each.

    The group is taken out of the counts of links: ``_put`` has to follow. Returned is the size of
    what was subtracted from each other to get there, by which rounding is judged.
    """
    for h in range(out.shape[0]):
        out[h] = costs[i, h]
    scale = 0.0
    if links is not None:
        _add_links(i, labels, out, links)
    if pairs is not None:
        _add_pairs(i, labels, out, pairs)
    if ties is not None:
        scale = _add_ties(i, labels, out, tied, ties)
    return scale


@jit_part
def _put(i, h, labels, tied, links, ties):  # type: ignore[no-untyped-def]
    """Put a group that ``price`` has taken out into cluster h."""
    home = labels[i]
    labels[i] = h
    if links is not None:
        _count(i, h, links)
    if ties is not None and h != home:
        _tie(i, home, h, tied, ties)


@jit_part
def _groups(h, ties):  # type: ignore[no-untyped-def]
    """How many groups a cluster has, where that matters: without mass it has no mean tie."""
    return 2 if ties is None else ties[7][h]


@jit
def _sweep(order, labels, noise, costs, fp, fi, links, pairs, ties):  # type: ignore[no-untyped-def]
    """Move each group of ``order`` to the cheapest cluster open to it; how many moved."""
    k = costs.shape[1]
    out, tied = np.empty(k), np.empty(k)
    shut = np.full(k, -1, np.int64)
    moved = 0
    for step in range(order.shape[0]):
        i = order[step]
        home = labels[i]
        if _groups(home, ties) == 1:
            continue
        size = price(i, labels, out, tied, costs, links, pairs, ties) + abs(out[home])
        for p in range(fp[i], fp[i + 1]):
            shut[labels[fi[p]]] = step
        best = home
        for h in range(k):
            if shut[h] != step and out[h] < out[best] and out[h] < out[home] - noise * size:
                best = h
        if best != home:
            moved += 1
        _put(i, best, labels, tied, links, ties)
    return moved


@jit
def _exchange(order, labels, noise, costs, fp, fi, links, pairs, ties):  # type: ignore[no-untyped-def]
    """Let chains of groups that must be apart change places between two clusters, if it pays."""
    n, k = costs.shape
    out, tied = np.empty(k), np.empty(k)
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
                other = home + to - labels[a]
                for p in range(fp[a], fp[a + 1]):
                    b = fi[p]
                    if seen[b] != turn and labels[b] == other:
                        seen[b] = turn
                        chain[size] = b
                        size += 1
            change, scale = 0.0, 0.0
            for back in range(2):  # there, and back if that did not pay
                for c in range(size):  # one by one, so that each step is priced as it is
                    a = chain[c]
                    old = labels[a]
                    new = home + to - old
                    rounding = price(a, labels, out, tied, costs, links, pairs, ties)
                    if back == 0:
                        change += out[new] - out[old]
                        scale += rounding + abs(out[new]) + abs(out[old])
                    _put(a, new, labels, tied, links, ties)
                if back == 0 and change < -noise * scale and _groups(home, ties) > 0:
                    moved += 1
                    break
    return moved
