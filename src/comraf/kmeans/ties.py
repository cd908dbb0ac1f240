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

from comraf.kmeans.base import Run
from comraf.kmeans.field import Field
from comraf.kmeans.inference_icm import Labels, Terms, TieTerm, pulls_within, sweep, terms_of
from comraf.kmeans.rows import Floats, stored

__all__ = ["Found", "Ties", "search"]


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
    graph = stored(ties.table if sparse else sp.csr_array((n, n)))
    none = np.zeros((n, k))  # never written to, so it takes no memory

    def state() -> tuple[Terms, float]:
        """All that moves keep up to date, afresh: rounding does not add up. And the objective."""
        sums, masses, near = ties.within(labels, k)
        sizes = np.bincount(labels, minlength=k).astype(np.int64)
        term = TieTerm(ties.own, ties.mass, dense, graph, shared, sums, masses, sizes, near)
        terms = terms_of(field, none, labels, ties=term)
        if shared and len(field.bound) and terms.links:
            sums += pulls_within(labels, terms.links)
        value = ties.value(sums, masses) + (0.0 if shared else field.penalty(labels, k))
        return terms, value

    _fill(ties, field, labels, k)
    now, objective = state()
    trace = [objective]
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        before = labels.copy()
        if not sweep(now, labels, rng, n):
            break
        now, objective = state()
        if objective > trace[-1]:  # by rounding alone: what was before stands
            labels = before
            break
        trace.append(objective)
        if trace[-2] - objective <= tol * abs(objective):
            break
    sums, mass, _ = ties.within(labels, k)
    penalty = trace[-1] - ties.value(sums, mass)
    return Found(labels, np.empty((0, 0)), trace[-1], n_iter, trace, penalty, sums, mass)


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
