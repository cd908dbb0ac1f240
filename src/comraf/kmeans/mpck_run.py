"""MPCK-Means on scaled rows: metrics, links that are priced by them, E-steps and M-steps.

A broken must-link costs more the farther its items are from each other, a broken cannot-link the
nearer they are. Both are measured by the metrics that are learnt, so that each link that is broken
says how a metric should change. All of the objective that one metric has to do with is convex in
it: a step towards the closed form that raises it is halved until it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.graph.tables import check_fits
from comraf.kernels.calls import call
from comraf.kernels.jit import jit
from comraf.kmeans.base import Run
from comraf.kmeans.distances import SquaredEuclidean
from comraf.kmeans.field import Field
from comraf.kmeans.hmrf_run import first_labels, reseed
from comraf.kmeans.inference_icm import NOISE
from comraf.kmeans.mpck_forms import Form, Gaps
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import Start

__all__ = ["Learnt", "Links", "Prices", "Problem", "expect", "list_links", "solve"]

Labels = NDArray[np.int32]

_EUCLIDEAN = SquaredEuclidean()

# Lengths of steps from a metric to the one in closed form.
_STEPS = (1.0, 0.5, 0.25, 0.125)


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of items that have a price, one by one.

    Attributes
    ----------
    pairs : numpy.ndarray of int64, shape (m, 2)
        Items.
    groups : numpy.ndarray of int64, shape (m, 2)
        The groups they are in, which move as one.
    must, cannot : numpy.ndarray of float, shape (m,)
        Weights of breaking them.
    n_groups : int
        How many groups there are.
    """

    pairs: NDArray[np.int64]
    groups: NDArray[np.int64]
    must: Floats
    cannot: Floats
    n_groups: int

    @cached_property
    def within(self) -> NDArray[np.bool_]:
        """Pairs whose items are of one group, together whatever happens."""
        return np.asarray(self.groups[:, 0] == self.groups[:, 1])

    @cached_property
    def around(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Pairs of each group: where they begin, the groups at their other ends, their numbers."""
        free = np.flatnonzero(~self.within)
        a, b = self.groups[free].T
        here, there, number = (np.concatenate(both) for both in ((a, b), (b, a), (free, free)))
        order = np.argsort(here, kind="stable")
        starts = np.zeros(self.n_groups + 1, dtype=np.int64)
        np.cumsum(np.bincount(here, minlength=self.n_groups), out=starts[1:])
        return starts, there[order], number[order]


def list_links(field: Field, k: int) -> Links:
    """All pairs of a field that have a price.

    Examples
    --------
    >>> from comraf.supervision import read_knowledge
    >>> from comraf.kmeans.field import read_field
    >>> known = read_knowledge(3, must_link=[(0, 1, 1.0)], cannot_link=[(1, 2, 2.0)])
    >>> links = list_links(read_field(known, 1.0), 2)
    >>> links.pairs.tolist(), links.must.tolist(), links.cannot.tolist()
    ([[0, 1], [0, 2], [1, 2]], [1.0, 0.0, 0.0], [0.0, 1.0, 2.0])
    """
    n = len(field.block)
    there = np.flatnonzero(field.block >= 0)
    sizes = np.bincount(field.block[there], minlength=len(field.must)).astype(np.float64)
    priced = np.flatnonzero(field.must > 0)
    a, b = field.across.T
    many = float((sizes[priced] * (sizes[priced] - 1) / 2).sum() + sizes[a] @ sizes[b])
    check_fits(
        (100.0 + 32.0 * k) * many,
        f"{many:,.0f} links that follow from those given",
        "take constraints='original', or link_weight=math.inf, where items move as one",
    )
    order = there[np.argsort(field.block[there], kind="stable")]
    items = np.split(order, np.cumsum(sizes)[:-1].astype(np.int64)) if len(sizes) else []
    one, other = [field.pairs[:, 0]], [field.pairs[:, 1]]
    must, cannot = [field.more_must], [field.more_cannot]
    for block in priced.tolist():
        i, j = np.triu_indices(len(items[block]), 1)
        one.append(items[block][i])
        other.append(items[block][j])
        must.append(np.full(len(i), field.must[block]))
        cannot.append(np.zeros(len(i)))
    for (p, q), near, far in zip(field.across, field.near, field.apart, strict=True):
        one.append(np.repeat(items[p], len(items[q])))
        other.append(np.tile(items[q], len(items[p])))
        must.append(np.full(len(one[-1]), near))
        cannot.append(np.full(len(one[-1]), far))
    ends = np.sort(np.column_stack([np.concatenate(one), np.concatenate(other)]), axis=1)
    keys, where = np.unique(ends[:, 0] * n + ends[:, 1], return_inverse=True)
    together, apart = np.zeros(len(keys)), np.zeros(len(keys))
    np.add.at(together, where, np.concatenate(must))
    np.add.at(apart, where, np.concatenate(cannot))
    pairs = np.column_stack(np.divmod(keys, max(n, 1))).astype(np.int64).reshape(-1, 2)
    groups = field.closure.group[pairs]
    # a given price less that of a block, added to it again, may leave a rounding error of nothing
    together = np.where((together > 1e-12) & (groups[:, 0] != groups[:, 1]), together, 0.0)
    apart = np.where(apart > 1e-12, apart, 0.0)
    kept = (together > 0) | (apart > 0)
    return Links(pairs[kept], groups[kept], together[kept], apart[kept], field.n_groups)


@dataclass(frozen=True, eq=False)
class Problem:
    """What one fit has: scaled rows, what is known of them, and the form of metrics."""

    X: Any
    field: Field
    links: Links
    pool: Gaps
    form: Form
    shared: bool
    floor: float

    @cached_property
    def gaps(self) -> Gaps:
        """Differences of linked items."""
        return Gaps(self.X, self.links.pairs[:, 0], self.links.pairs[:, 1])

    def prices(self, centers: Floats, metrics: Floats) -> Prices:
        """What each group costs in each cluster, and each link if it is broken."""
        form, links = self.form, self.links
        logs = np.array([form.log_det(metric) for metric in metrics])
        own = self.field.by_group(form.distances(self.X, centers, metrics) - logs)
        lengths = self.gaps.lengths(form, metrics)
        longest = self.longest(metrics) if len(links.cannot) else np.zeros(len(metrics))
        must = links.must[:, None] * lengths / 2
        cannot = links.cannot[:, None] * np.maximum(longest - lengths, 0)
        np.add.at(own, links.groups[links.within, 0], cannot[links.within])
        return Prices(links, own, must, cannot)

    def longest(self, metrics: Floats) -> Floats:
        """Largest squared distance of two rows of the pool by each metric."""
        if not len(self.pool):
            return np.zeros(len(metrics))
        return np.asarray(self.pool.lengths(self.form, metrics).max(axis=0))


@dataclass(frozen=True, eq=False)
class Prices:
    """The objective as a function of labels, for given centres and metrics.

    Attributes
    ----------
    links : Links
    own : numpy.ndarray of float, shape (n_groups, k)
        Distances less the logarithm of the determinant, summed over the items of each group;
        with cannot-links inside it.
    must : numpy.ndarray of float, shape (m, k)
        What each must-link costs for having one end, but not the other, in each cluster.
    cannot : numpy.ndarray of float, shape (m, k)
        What each cannot-link costs for having both ends in each cluster.
    """

    links: Links
    own: Floats
    must: Floats
    cannot: Floats

    def penalty(self, labels: Labels) -> float:
        """Price of all links that labels of groups break."""
        a, b = labels[self.links.groups].T
        rows = np.arange(len(a))
        split = self.must[rows, a] + self.must[rows, b]
        return float(np.where(a == b, self.cannot[rows, a], split).sum())

    def value(self, labels: Labels) -> float:
        """The objective."""
        within = self.links.within
        own = float(self.own[np.arange(len(labels)), labels].sum())
        a = labels[self.links.groups[within, 0]]
        twice = float(self.cannot[np.flatnonzero(within), a].sum())  # in both parts
        return own + self.penalty(labels) - twice

    def moves(self, labels: Labels, group: int) -> Floats:
        """The objective, but for a constant, with one group in each of the clusters."""
        out = np.empty(self.own.shape[1])
        _row(group, self.own, labels, out, *self.links.around, self.must, self.cannot)
        return out


def expect(
    field: Field, prices: Prices, labels: Labels, rng: np.random.Generator, max_sweeps: int = 100
) -> Labels:
    """Sweep groups in random order, each to its cheapest cluster, until none moves.

    What must be apart stays apart; where that shuts all ways, chains of groups change places.
    """
    labels = labels.copy()
    starts, _, _ = prices.links.around
    shut = field.forbidden
    chained = np.flatnonzero(np.diff(shut.indptr) > 0)
    bound = (np.diff(starts) > 0) | (np.diff(shut.indptr) > 0)
    free = np.flatnonzero(~bound)
    here = prices.own[free, labels[free]]
    nearest = prices.own[free].argmin(axis=1).astype(np.int32)
    better = prices.own[free, nearest] < here - NOISE * np.abs(here)
    labels[free[better]] = nearest[better]
    linked = np.flatnonzero(bound)
    tables = (*prices.links.around, prices.must, prices.cannot, shut.indptr, shut.indices)
    for _ in range(max_sweeps if len(linked) else 0):
        moved = call(_sweep, rng.permutation(linked), prices.own, labels, NOISE, *tables)
        if not moved and len(chained):
            order = rng.permutation(chained)
            moved = call(_exchange, order, prices.own, labels, NOISE, *tables)
        if not moved:
            break
    return labels


@jit
def _row(i, own, labels, out, ap, ao, aq, must, cannot):  # type: ignore[no-untyped-def]
    """Cost of group i in each cluster, but for a constant."""
    k = own.shape[1]
    for h in range(k):
        out[h] = own[i, h]
    for p in range(ap[i], ap[i + 1]):
        q = aq[p]
        other = labels[ao[p]]
        far = must[q, other]
        for h in range(k):
            out[h] += cannot[q, h] if h == other else must[q, h] + far


@jit
def _sweep(order, own, labels, noise, ap, ao, aq, must, cannot, fp, fi):  # type: ignore[no-untyped-def]
    """Move each group of ``order`` to the cheapest cluster open to it; how many moved."""
    k = own.shape[1]
    out = np.empty(k)
    shut = np.full(k, -1, np.int64)
    moved = 0
    for step in range(order.shape[0]):
        i = order[step]
        _row(i, own, labels, out, ap, ao, aq, must, cannot)
        for p in range(fp[i], fp[i + 1]):
            shut[labels[fi[p]]] = step
        best = labels[i]
        now = out[best]
        for h in range(k):
            if shut[h] != step and out[h] < out[best] and out[h] < now - noise * abs(now):
                best = h
        if best != labels[i]:
            moved += 1
            labels[i] = best
    return moved


@jit
def _exchange(order, own, labels, noise, ap, ao, aq, must, cannot, fp, fi):  # type: ignore[no-untyped-def]
    """Let chains of groups that must be apart change places between two clusters, if it pays."""
    n, k = own.shape
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
                for p in range(fp[a], fp[a + 1]):
                    b = fi[p]
                    if seen[b] != turn and labels[b] == home + to - labels[a]:
                        seen[b] = turn
                        chain[size] = b
                        size += 1
            change, scale = 0.0, 0.0
            for c in range(size):  # one by one, so that each step is priced as it is
                a = chain[c]
                new = home + to - labels[a]
                _row(a, own, labels, out, ap, ao, aq, must, cannot)
                change += out[new] - out[labels[a]]
                scale += abs(out[new]) + abs(out[labels[a]])
                labels[a] = new
            if change < -noise * scale:
                moved += 1
                continue
            for c in range(size):
                labels[chain[c]] = home + to - labels[chain[c]]
    return moved


@dataclass(eq=False)
class Learnt(Run):
    """Where a run ended, and the metric of each cluster there."""

    metrics: Floats = field(default_factory=lambda: np.empty(0))


def solve(
    problem: Problem,
    start: Start,
    metric: Floats,
    rng: np.random.Generator,
    *,
    max_iter: int,
    tol: float,
) -> Learnt:
    """Alternate labels with centres and metrics until the objective stands still.

    ``metric`` is the one that all clusters start with. The run ends when the objective falls by
    no more than ``tol`` for each number in the table: learnt distances sum to about as much.
    """
    X, field = problem.X, problem.field
    group = field.closure.group
    k = len(start.centers)
    centers = start.centers
    metrics = np.repeat(metric[None], k, axis=0)
    least = tol * X.shape[0] * X.shape[1]
    prices = problem.prices(centers, metrics)
    labels = first_labels(field, prices.own, start)
    trace: list[float] = []
    objective = np.inf
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        before = objective
        labels = expect(field, prices, labels, rng)
        objective = prices.value(labels)
        trace.append(objective)
        new = _EUCLIDEAN.centers(X, labels[group], k)  # means are best by any metric
        new_metrics = _learn(problem, labels, new, metrics, prices)
        reseed(new, X, _EUCLIDEAN, field, prices.own, labels)
        new_prices = problem.prices(new, new_metrics)
        value = new_prices.value(labels)
        if value > objective:  # by rounding alone
            break
        centers, metrics, prices, objective = new, new_metrics, new_prices, value
        trace.append(objective)
        if before - objective <= least:
            break
    penalty = prices.penalty(labels)
    return Learnt(labels[group], centers, objective, n_iter, trace, penalty, metrics)


def _learn(
    problem: Problem, labels: Labels, centers: Floats, metrics: Floats, prices: Prices
) -> Floats:
    """Better metrics for given labels: the closed form, as far as it lowers the objective."""
    k = len(centers)
    form, links, gaps = problem.form, problem.links, problem.gaps
    items = labels[problem.field.closure.group]
    sizes = np.bincount(items, minlength=k).astype(np.float64)
    scatters = form.scatters(problem.X, items, centers)
    a, b = labels[links.groups].T
    rows = np.arange(len(a))
    for h in range(k):
        half = np.where((a != b) & ((a == h) | (b == h)), links.must / 2, 0)
        if half.any():
            scatters[h] += gaps.scatter(form, half)
    paid = (a == b) & (prices.cannot[rows, a] > 0)
    broken = [np.flatnonzero(paid & (a == h)) for h in range(k)]
    new = metrics.copy()
    if problem.shared:
        together = np.concatenate(broken) if k else rows
        one = _step(problem, scatters.sum(axis=0), float(sizes.sum()), together, metrics[0])
        new[:] = one
        return new
    for h in np.flatnonzero(sizes).tolist():
        new[h] = _step(problem, scatters[h], sizes[h], broken[h], metrics[h])
    empty = np.flatnonzero(sizes == 0)
    if len(empty):  # no label is there, so nothing is paid for the metric of all others
        new[empty] = form.best(scatters.sum(axis=0) / sizes.sum(), problem.floor)
    return new


def _step(
    problem: Problem, scatter: Floats, size: float, broken: NDArray[np.int64], old: Floats
) -> Floats:
    """The metric in closed form, or the longest step towards it that lowers the objective."""
    form, links, gaps = problem.form, problem.links, problem.gaps
    weights = links.cannot[broken]
    some = Gaps(problem.X, gaps.i[broken], gaps.j[broken])

    def value(metric: Floats) -> float:
        price = float((scatter * metric).sum()) - size * form.log_det(metric)
        if len(some):
            far = problem.longest(metric[None])[0] - some.lengths(form, metric[None])[:, 0]
            price += float(weights @ np.maximum(far, 0))
        return price

    total = scatter.copy()
    if len(some):
        pool = problem.pool
        longest = np.zeros(len(pool))
        longest[int(pool.lengths(form, old[None])[:, 0].argmax())] = weights.sum()
        total += pool.scatter(form, longest) - some.scatter(form, weights)
    aim = form.best(total / size, problem.floor)
    now = value(old)
    for step in _STEPS:
        metric = old + step * (aim - old)
        if value(metric) < now:
            return np.asarray(metric)
    return old
