"""Kernel k-means and graph cuts on tables of ties: the start, and the search for labels.

All objectives of this kind have one form. Items have a mass each and a tie to each other item,
and what is made small is a constant minus the sum, over clusters, of all ties within a cluster
divided by its mass. Ties are kernel values and masses 1 for kernel k-means, edges and degrees for
the normalised cut, and so on. Only sums of ties by cluster are needed, so a sparse table of ties
stays sparse.

Textbook kernel k-means moves all items at once, which lowers the objective only where ties are
positive definite; so a constant σ is added to all items' ties to themselves, which adds σk to the
objective and holds each item more to where it is. Here one item moves at a time, by the exact
change of the objective. That never raises it, whatever the ties are, and σ would cancel out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.kernels.calls import call
from comraf.kernels.jit import jit
from comraf.kmeans.base import Run
from comraf.kmeans.field import Field
from comraf.kmeans.inference_icm import NOISE, linked_row, put
from comraf.kmeans.rows import Floats

__all__ = ["Found", "Ties", "search"]

Labels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Ties:
    """What clusters are made of.

    Attributes
    ----------
    table : array or csr_array of shape (n, n)
        Ties of items to each other; symmetric.
    mass : numpy.ndarray of float, shape (n,)
        Mass of each item, above 0.
    constant : float
        What the sum of ties by mass is taken from.
    """

    table: Any
    mass: Floats
    constant: float = 0.0

    def by_group(self, field: Field) -> Ties:
        """Ties and masses of groups of items that move as one."""
        joined = field.joined
        if joined is None:
            return self
        table = joined @ (joined @ self.table).T  # symmetric, so this is the one as the other
        if sp.issparse(table):
            table = sp.csr_array(table)
            table.sum_duplicates()
        return Ties(table, joined @ self.mass, self.constant)

    @cached_property
    def own(self) -> Floats:
        """Ties of items to themselves."""
        return np.array(self.table.diagonal(), dtype=np.float64)

    def within(self, labels: Labels, k: int) -> tuple[Floats, Floats, Floats]:
        """Ties within each cluster, mass of each, and (dense only) ties of clusters to items."""
        mass = np.bincount(labels, weights=self.mass, minlength=k).astype(np.float64)
        n = len(labels)
        if sp.issparse(self.table):
            rows = np.repeat(labels, np.diff(self.table.indptr))
            same = rows == labels[self.table.indices]
            sums = np.bincount(rows[same], weights=self.table.data[same], minlength=k)
            return sums.astype(np.float64), mass, np.empty((0, 0))
        member = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
        near = np.ascontiguousarray(member @ self.table)
        sums = np.bincount(labels, weights=near[labels, np.arange(n)], minlength=k)
        return sums.astype(np.float64), mass, near

    def value(self, sums: Floats, mass: Floats) -> float:
        """The objective by ties within clusters and their masses."""
        return self.constant - float((sums[mass > 0] / mass[mass > 0]).sum())


@dataclass(eq=False)
class Found(Run):
    """Where a search ended, by groups: what clusters are made of in place of centres.

    Attributes
    ----------
    sums, mass : numpy.ndarray of float, shape (k,)
        Ties within clusters, without links, and their masses.
    """

    sums: Floats = field(default_factory=lambda: np.empty(0))
    mass: Floats = field(default_factory=lambda: np.empty(0))


def search(
    ties: Ties,
    field: Field,
    labels: Labels,
    k: int,
    rng: np.random.Generator,
    *,
    shared: bool = True,
    max_iter: int = 100,
    tol: float = 0.0,
) -> Found:
    """Move groups one at a time while that lowers the objective.

    Parameters
    ----------
    ties : Ties
        Of groups.
    field : Field
        Links of items; groups.
    labels : numpy.ndarray of int32, shape (n_groups,)
        Where to start. No pair that must be apart is together.
    k : int
    rng : numpy.random.Generator
        Draws the orders.
    shared : bool
        Whether links are ties, so that their price is divided by the mass of the cluster; else
        they are prices beside the objective, as HMRF-KMeans has them.
    max_iter : int
        Most sweeps.
    tol : float
        Stop when a sweep lowers the objective by no more than this share of it.

    Examples
    --------
    >>> from comraf.kmeans.field import read_field
    >>> from comraf.supervision import read_knowledge
    >>> x = np.array([0.0, 1.0, 8.0, 9.0])
    >>> ties = Ties(np.outer(x, x), np.ones(4), float(x @ x))
    >>> field = read_field(read_knowledge(4), 0.0)
    >>> start = np.array([0, 1, 1, 1], dtype=np.int32)
    >>> found = search(ties, field, start, 2, np.random.default_rng(0))
    >>> found.labels.tolist(), found.objective
    ([0, 0, 1, 1], 1.0)
    """
    labels = labels.copy()
    n = len(labels)
    sparse = sp.issparse(ties.table)
    dense = np.empty((0, 0)) if sparse else np.ascontiguousarray(ties.table)
    graph = _parts(ties.table if sparse else sp.csr_array((n, n)))
    links = _parts(field.members) + _parts(field.between) + _parts(field.extra)
    shut = _parts(field.forbidden)
    none = np.zeros((n, k))  # never written to, so it takes no memory
    fixed = (none, ties.own, ties.mass, dense)
    chained = np.flatnonzero(np.diff(field.forbidden.indptr) > 0)

    def state() -> tuple[Any, ...]:
        """All that is kept up to date by moves, afresh: rounding does not add up."""
        sums, mass, near = ties.within(labels, k)
        counts = field.counts(labels, k)
        sizes = np.bincount(labels, minlength=k).astype(np.int64)
        if shared and len(field.bound):
            sums += call(_linked, field.bound, none, labels, counts, links)
        return sums, mass, near, counts, sizes

    def value(sums: Floats, mass: Floats) -> float:
        return ties.value(sums, mass) + (0.0 if shared else field.penalty(labels, k))

    _fill(ties, field, labels, k)
    now = state()
    trace = [value(now[0], now[1])]
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        before = labels.copy()
        given = (bool(shared), NOISE, labels, fixed, now, graph, links, shut)
        moved = call(_sweep, rng.permutation(n), *given)
        if not moved and len(chained):
            moved = call(_exchange, rng.permutation(chained), *given)
        if not moved:
            break
        now = state()
        objective = value(now[0], now[1])
        if objective > trace[-1]:  # by rounding alone: what was before stands
            labels = before
            break
        trace.append(objective)
        if trace[-2] - objective <= tol * abs(objective):
            break
    sums, mass, _ = ties.within(labels, k)
    penalty = trace[-1] - ties.value(sums, mass)
    return Found(labels, np.empty((0, 0)), trace[-1], n_iter, trace, penalty, sums, mass)


def _parts(table: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    # of one type always, so that kernels are compiled once
    return (
        table.indptr.astype(np.int64, copy=False),
        table.indices.astype(np.int64, copy=False),
        table.data.astype(np.float64, copy=False),
    )


def _fill(ties: Ties, field: Field, labels: Labels, k: int) -> None:
    """Give, in place, each empty cluster the group that lowers the objective most there."""
    for h in np.flatnonzero(np.bincount(labels, minlength=k) == 0).tolist():
        sums, mass, near = ties.within(labels, k)
        n = len(labels)
        if sp.issparse(ties.table):
            rows = np.repeat(np.arange(n), np.diff(ties.table.indptr))
            same = labels[rows] == labels[ties.table.indices]
            own: Floats = np.bincount(rows[same], ties.table.data[same], n).astype(np.float64)
        else:
            own = near[labels, np.arange(n)]
        rest = mass[labels] - ties.mass
        movable = (np.bincount(labels, minlength=k)[labels] > 1) & (rest > 0)
        if not movable.any():
            return  # fewer groups than clusters
        left = (sums[labels] - 2 * own + ties.own)[movable] / rest[movable]
        change = np.full(n, np.inf)
        alone = ties.own[movable] / ties.mass[movable]
        change[movable] = (sums / np.where(mass > 0, mass, 1))[labels[movable]] - left - alone
        labels[int(change.argmin())] = h


# Arguments of the kernels come in bundles: ``fixed`` is (zeros of shape (n, k), ties of groups to
# themselves, masses, dense ties), ``state`` what moves change: (ties within clusters, masses of
# clusters, dense ties of clusters to groups, items of blocks by cluster, groups by cluster).
# ``graph`` has sparse ties, ``links`` members, between and extra of the field, ``shut`` what must
# be apart.


@jit
def _linked(order, none, labels, counts, links):  # type: ignore[no-untyped-def]
    """Pulls of links within each cluster, each pair from both sides."""
    k = none.shape[1]
    out = np.empty(k)
    sums = np.zeros(k)
    for step in range(order.shape[0]):
        i = order[step]
        h = labels[i]
        linked_row(i, none, labels, counts, out, *links)
        sums[h] -= out[h]
        put(i, h, labels, counts, links[0], links[1], links[2])
    return sums


@jit
def _per(sums, mass):  # type: ignore[no-untyped-def]
    return sums / mass if mass > 0 else 0.0


@jit
def _price(i, shared, labels, ties, out, fixed, state, graph, links):  # type: ignore[no-untyped-def]
    """Change of the objective if group i went to each cluster; ``ties`` are those that it has.

    The group's items are taken out of the counts: ``_move`` has to follow. Returned is the size of
    what was subtracted from each other, by which rounding is judged.
    """
    none, own, weights, dense = fixed
    sums, mass, near, counts, _ = state
    k = none.shape[1]
    home = labels[i]
    linked_row(i, none, labels, counts, out, *links)
    if dense.shape[0]:
        for h in range(k):
            ties[h] = near[h, i]
        ties[home] -= own[i]
    else:
        first, others, values = graph
        for h in range(k):
            ties[h] = 0.0
        for p in range(first[i], first[i + 1]):
            if others[p] != i:
                ties[labels[others[p]]] += values[p]
    if shared:
        for h in range(k):
            ties[h] -= out[h]
            out[h] = 0.0
    here = out[home]
    was = _per(sums[home], mass[home])
    left = was - _per(sums[home] - 2 * ties[home] - own[i], mass[home] - weights[i])
    scale = 0.0
    for h in range(k):
        if h == home:
            continue
        there = _per(sums[h], mass[h])
        joined = there - _per(sums[h] + 2 * ties[h] + own[i], mass[h] + weights[i])
        out[h] += left + joined - here
        scale = max(scale, abs(there))
    out[home] = 0.0
    return scale + abs(was) + abs(here)


@jit
def _move(i, h, labels, ties, fixed, state, links):  # type: ignore[no-untyped-def]
    """Put a group that ``_price`` has taken out into cluster h."""
    _, own, weights, dense = fixed
    sums, mass, near, counts, sizes = state
    home = labels[i]
    put(i, h, labels, counts, links[0], links[1], links[2])
    if h == home:
        return
    sums[home] -= 2 * ties[home] + own[i]
    sums[h] += 2 * ties[h] + own[i]
    mass[home] -= weights[i]
    mass[h] += weights[i]
    sizes[home] -= 1
    sizes[h] += 1
    if sizes[home] == 0:
        sums[home] = 0.0
        mass[home] = 0.0
    for j in range(dense.shape[0]):
        near[home, j] -= dense[i, j]
        near[h, j] += dense[i, j]


@jit
def _sweep(order, shared, noise, labels, fixed, state, graph, links, shut):  # type: ignore[no-untyped-def]
    """Move each group of ``order`` to the best cluster open to it; how many moved."""
    sizes = state[4]
    k = len(sizes)
    out, ties = np.empty(k), np.empty(k)
    closed = np.full(k, -1, np.int64)
    moved = 0
    for step in range(order.shape[0]):
        i = order[step]
        home = labels[i]
        if sizes[home] == 1:
            continue  # no cluster loses its last group
        scale = _price(i, shared, labels, ties, out, fixed, state, graph, links)
        for p in range(shut[0][i], shut[0][i + 1]):
            closed[labels[shut[1][p]]] = step
        best = home
        for h in range(k):
            if closed[h] != step and out[h] < out[best] and out[h] < -noise * scale:
                best = h
        if best != home:
            moved += 1
        _move(i, best, labels, ties, fixed, state, links)
    return moved


@jit
def _exchange(order, shared, noise, labels, fixed, state, graph, links, shut):  # type: ignore[no-untyped-def]
    """Let chains of groups that must be apart change places between two clusters, if it pays."""
    sizes = state[4]
    n, k = len(labels), len(sizes)
    out, ties = np.empty(k), np.empty(k)
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
                for p in range(shut[0][a], shut[0][a + 1]):
                    b = shut[1][p]
                    if seen[b] != turn and labels[b] == other:
                        seen[b] = turn
                        chain[size] = b
                        size += 1
            change, scale = 0.0, 0.0
            for back in range(2):  # there, and back if that did not pay
                for c in range(size):  # one by one, so that each step is priced as it is
                    a = chain[c]
                    new = to if labels[a] == home else home
                    scale += _price(a, shared, labels, ties, out, fixed, state, graph, links)
                    if back == 0:
                        change += out[new]
                    _move(a, new, labels, ties, fixed, state, links)
                if back == 0 and change < -noise * scale and sizes[home] > 0:
                    moved += 1
                    break
    return moved
