"""Overlapping clusters: a row may be a member of several, and is then near their sum.

For given components each row looks for its members by itself (and by what links say of the rows
that it is linked to); for given members the best components are a least squares problem, or are
improved by multiplicative steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import xlogy

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.kernels.calls import call
from comraf.kmeans.base import Data, LinkedKMeans, Run, WithoutTransform, best
from comraf.kmeans.distances import metric_for
from comraf.kmeans.hmrf import HMRFKMeans
from comraf.kmeans.overlap_kernels import TINY, divergence, ratios, search
from comraf.kmeans.rows import Floats, lengths, parts, row_sums, stored
from comraf.kmeans.seeding import mean_weight, starting_centers
from comraf.parameters import check_int, check_random
from comraf.supervision import Closure, Knowledge, close

__all__ = ["OverlappingKMeans"]

Members = NDArray[np.bool_]

# Multiplicative steps of the components for each search over memberships.
_STEPS = 5
# The least entry of a component as a part of its column's mean: what a component has none of
# makes a row of it unlikely, never impossible. No step could leave 0.
_FLOOR = 1e-4
# What differs between a row and the sum of its components, by the name of the metric.
_LOSSES = {
    "euclidean": "euclidean",
    "cosine": "euclidean",
    "kl": "kl",
    "itakura-saito": "itakura-saito",
}
# A run from rows by chance goes on from the best of so many short ones, of so many rounds.
_TRIES, _SHORT = 5, 4


@dataclass(eq=False, repr=False, kw_only=True)
class OverlappingKMeans(WithoutTransform, LinkedKMeans):
    """Clusters that share rows: each row is about the sum of the components it is a member of.

    The model is X ≈ Z M with Z of zeros and ones (Banerjee et al. 2005). For given components
    each row searches its memberships: from what it has, and from the best single ones, it adds,
    drops and swaps while it pays. For given memberships the components are the least squares
    solution, or are improved by multiplicative steps. No step raises the objective. Each row is a
    member of one cluster at least.

    Zero is a place of its own in this model: a sum of components depends on where zero is. Rows
    that are counts, amounts or tf-idf weights fit it, rows that were centred do not.

    Parameters
    ----------
    metric : {"euclidean", "cosine", "kl", "itakura-saito"} or Distance
        The loss: squared error; squared error of rows of unit length; I-divergence of rows as
        they are, which are not scaled to a sum of 1 here; Itakura–Saito.
    max_overlap : int, optional
        Most memberships of a row; none if left out.
    link_weight : "auto" or float
        Price of a link that has none of its own, for each membership that breaks it. A must-link
        is broken by each membership that only one of its rows has, a cannot-link by each that
        both have. "auto": the mean distance of two rows. ``math.inf``: all links hold.
    init : {"k-means++", "mean"}
        Where the clustering starts from which memberships start.
    n_init : int
        Runs, the one with the least objective is kept. They start by turns from the clusters of
        `comraf.kmeans.HMRFKMeans`, from rows far apart, and from rows by chance. Where many
        rows overlap, more runs are worth their time.

    Attributes
    ----------
    memberships_ : numpy.ndarray of bool, shape (n, n_clusters)
        Clusters of each row.
    labels_ : numpy.ndarray of int32
        The main one of these: the component that is nearest to the row by itself.
    components_ : numpy.ndarray of shape (n_clusters, n_features)
        What a membership adds to a row.
    objective_ : float
        What is made small: ``loss_ + penalty_``.
    loss_ : float
        What rows differ by from the sums of their components.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[4.0, 0.0], [4.2, 0.1], [0.0, 3.0], [0.1, 3.1], [4.1, 3.0]])
    >>> model = OverlappingKMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.memberships_.sum(axis=1).tolist()
    [1, 1, 1, 1, 2]
    >>> int(model.predict_memberships([[3.9, 3.2]]).sum())
    2
    """

    metric: Any = "euclidean"
    max_overlap: int | None = None
    _uses = ("must_link", "cannot_link")
    _instead = (
        "a row may have several classes here: give must_link and cannot_link, or take HMRFKMeans"
    )
    _no_centers = (
        "a row is near a sum of components, not near a centre; predict_memberships says of which, "
        "loss_ how near"
    )

    def _data(self, X: Any) -> Data:
        data = super()._data(X)
        check_fits(
            4.0 * 8 * data.n * data.k,
            f"{data.n:,} rows by {data.k:,} clusters",
            "ask for fewer clusters, or take a sample of the rows",
        )
        return data

    def _usual_weight(self, data: Data) -> float:
        found = mean_weight(data.rows, data.metric)
        if self._loss == "kl":  # a distance of shares, but each row counts as much as it sums to
            found *= float(row_sums(data.raw).mean())
        return found

    def _solve(self, data: Data, known: Knowledge) -> None:
        loss, most, k = self._loss, self._most, data.k
        closure = close(data.n, known.must, known.cannot, ids=data.ids)
        # for KL rows are prepared for the start alone: here sums count, not only shares
        table = contract(data.raw if loss == "kl" else data.rows, loss, closure)
        pulls = read_pulls(known, closure)

        def climb(Z: Members, M: Floats, rng: np.random.Generator, max_iter: int) -> Overlapped:
            return solve(table, pulls, Z, M, rng, most=most, max_iter=max_iter, tol=float(self.tol))

        def run(number: int, rng: np.random.Generator, random: np.random.RandomState) -> Overlapped:
            Z = _one_each(self._first_labels(data, known, random), closure, k)
            M = fitted(table, Z, _means(table, Z))
            if number % 3 == 1:
                far = starting_centers(table.rows, k, _plain(loss), self.init, random)
                M = _as_components(table, far)
            elif number % 3 == 2:
                short = best(
                    climb(Z, _some_rows(table, k, rng), rng, _SHORT) for _ in range(_TRIES)
                )
                Z, M = short.members, short.centers
            return climb(Z, M, rng, self.max_iter)

        found = self._best(run, check_random(self.random_state))
        found.labels = _main(table, found.members, found.centers)[closure.group]
        self._keep(found)
        self.memberships_ = found.members[closure.group]
        self.components_ = found.centers
        self.loss_ = found.objective - found.penalty

    def predict_memberships(self, X: Any) -> NDArray[np.bool_]:
        """Clusters of each row of ``X``, shape (n, n_clusters), by the components found."""
        return self._searched(X)[1]

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The main cluster of each row of ``X``, as in ``labels_``."""
        table, Z = self._searched(X)
        return _main(table, Z, self.components_)

    def _searched(self, X: Any) -> tuple[Table, NDArray[np.bool_]]:
        """New rows, and the memberships that suit them."""
        _, given, rows = self._new(X)
        loss = self._loss
        table = Table(given if loss == "kl" else rows, loss, np.ones(rows.shape[0]))
        Z = _alone(table, self.components_)
        order = np.arange(len(Z))
        M = self.components_
        return table, memberships(table, M, without_links(table), self._most, Z=Z, order=order)

    @property
    def _loss(self) -> str:
        """Name of the loss that goes with the metric."""
        return _LOSSES[metric_for(self.metric).name]

    @property
    def _most(self) -> int:
        """Most memberships of a row."""
        k = int(self.n_clusters)
        return k if self.max_overlap is None else min(k, self.max_overlap)

    def _check(self) -> None:
        name = metric_for(self.metric).name
        if name not in _LOSSES:
            raise InputError(
                "{given} has no rule for components that are summed; choose one of {allowed}",
                "metric",
                name,
                allowed=_LOSSES,
            )
        super()._check()
        if self.max_overlap is not None:
            check_int("max_overlap", self.max_overlap)

    def _first_labels(
        self, data: Data, known: Knowledge, random: np.random.RandomState
    ) -> NDArray[np.int32]:
        """Clusters that do not overlap, in which all holds that must."""
        model = HMRFKMeans(
            self.n_clusters,
            constraints="original",
            init=self.init,
            n_init=1,
            max_iter=self.max_iter,
            random_state=random.randint(2**31 - 1),
        )
        model.link_weight_ = self.link_weight_
        return model._search(data, known).labels


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, each for one or more items that share all memberships.

    The loss of items of one membership is that of their mean, as many times, and a constant:
    this holds for each Bregman divergence.

    Attributes
    ----------
    rows : array or csr_array of shape (n, d)
    loss : {"euclidean", "kl", "itakura-saito"}
        What differs between a row and the sum of its components.
    weights : numpy.ndarray of float, shape (n,)
        How many items each row stands for.
    within : float
        Loss of items against the rows that stand for them.
    """

    rows: Any
    loss: str
    weights: Floats
    within: float = 0.0

    @property
    def entries(self) -> tuple[Any, ...]:
        """Entries by rows, as the kernels read them: all of a dense table."""
        if sp.issparse(self.rows):
            return tuple(stored(self.rows))
        n, d = self.rows.shape
        columns = np.tile(np.arange(d), n)
        return np.arange(n + 1) * d, columns, np.ascontiguousarray(self.rows).ravel()

    @property
    def floor(self) -> Floats:
        """Least entry of a component in each column."""
        means = np.asarray(self.rows.mean(axis=0), dtype=np.float64).ravel()
        return np.maximum(_FLOOR * means, TINY)


@dataclass(frozen=True, eq=False)
class Pulls:
    """What links ask of the rows of a table.

    Attributes
    ----------
    own : numpy.ndarray of float, shape (n,)
        Price of each membership, from cannot-links between items that one row stands for.
    must, cannot : csr_array of shape (n, n)
        Price of each membership that only one of two rows has, and that both have.
    forbidden : csr_array of shape (n, n)
        Rows that must share none.
    """

    own: Floats
    must: sp.csr_array
    cannot: sp.csr_array
    forbidden: sp.csr_array

    @property
    def arrays(self) -> tuple[Any, ...]:
        """As the kernels read them."""
        tables = (self.must, self.cannot, self.forbidden)
        return (self.own, *(tuple(stored(table)) for table in tables))

    def penalty(self, Z: Members) -> float:
        """Price of all that memberships break.

        Examples
        --------
        >>> from comraf.supervision import close, read_knowledge
        >>> known = read_knowledge(3, must_link=[(0, 1, 2.0)], cannot_link=[(1, 2, 5.0)])
        >>> pulls = read_pulls(known, close(3, known.must, known.cannot))
        >>> pulls.penalty(np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]], dtype=bool))
        9.0
        """
        price = float(self.own @ Z.sum(axis=1))
        for table, broken in ((self.must, np.logical_xor), (self.cannot, np.logical_and)):
            pairs = table.tocoo()
            price += 0.5 * float(pairs.data @ broken(Z[pairs.row], Z[pairs.col]).sum(axis=1))
        return price


@dataclass(eq=False)
class Overlapped(Run):
    """Where a run ended: components in place of centres, and memberships of rows."""

    members: Members = field(default_factory=lambda: np.empty((0, 0), dtype=bool))


def contract(rows: Any, loss: str, closure: Closure) -> Table:
    """Rows as they are, or the mean of each group of items that must share all memberships.

    Examples
    --------
    >>> from comraf.supervision import close, read_links
    >>> closure = close(3, read_links([(0, 2)], 3), read_links(None, 3))
    >>> table = contract(np.array([[1.0], [5.0], [3.0]]), "euclidean", closure)
    >>> table.rows.tolist(), table.weights.tolist(), table.within
    ([[2.0], [5.0]], [2.0, 1.0], 2.0)
    """
    n = rows.shape[0]
    if closure.n_groups == n:
        return Table(rows, loss, np.ones(n))
    sizes = closure.sizes.astype(np.float64)
    mean = sp.csr_array(
        (1 / sizes[closure.group], (closure.group, np.arange(n))), shape=(closure.n_groups, n)
    )
    means = mean @ rows
    means = sp.csr_array(means) if sp.issparse(means) else np.asarray(means)
    within = float(_convex(rows, loss).sum() - sizes @ _convex(means, loss))
    return Table(means, loss, sizes, max(within, 0.0))


def _convex(rows: Any, loss: str) -> Floats:
    """φ of each row, the convex function of which the loss is the Bregman divergence."""
    if loss == "euclidean":
        return np.asarray(lengths(rows) ** 2)
    if sp.issparse(rows):  # only for KL: no entry may be 0 for Itakura–Saito
        logs = rows.copy()
        logs.data = xlogy(rows.data, rows.data) - rows.data
        return row_sums(logs)
    return row_sums(xlogy(rows, rows) - rows if loss == "kl" else -np.log(rows))


def read_pulls(known: Knowledge, closure: Closure) -> Pulls:
    """Links between the rows of a table."""
    n = closure.n_groups
    own = np.zeros(n)

    def table(pairs: NDArray[np.int64], weights: Floats) -> sp.csr_array:
        a, b = pairs.reshape(-1, 2).T
        both = (np.concatenate([a, b]), np.concatenate([b, a]))
        found = sp.coo_array((np.concatenate([weights, weights]), both), shape=(n, n)).tocsr()
        found.sum_duplicates()
        return found

    must, cannot = known.must.soft, known.cannot.soft
    ends = [closure.group[links.pairs].reshape(-1, 2) for links in (must, cannot)]
    far = [end[:, 0] != end[:, 1] for end in ends]
    np.add.at(own, ends[1][~far[1], 0], cannot.weights[~far[1]])
    return Pulls(
        own,
        table(ends[0][far[0]], must.weights[far[0]]),
        table(ends[1][far[1]], cannot.weights[far[1]]),
        table(closure.cannot, np.ones(len(closure.cannot))),
    )


def losses(table: Table, Z: Members, M: Floats) -> Floats:
    """Loss of each row against the sum of its components, for one item."""
    if table.loss != "euclidean":
        out = call(divergence, *table.entries, np.ascontiguousarray(M.T), Z, table.loss == "kl")
        return np.asarray(np.maximum(out, 0))
    rows, n = table.rows, Z.shape[0]
    out = np.empty(n)
    if sp.issparse(rows):
        gram = M @ M.T
        for part in parts(n, len(M)):
            z = Z[part].astype(np.float64)
            fit = np.einsum("ij,ij->i", z, np.asarray(rows[part] @ M.T))
            out[part] = lengths(rows[part]) ** 2 - 2 * fit + np.einsum("ij,ij->i", z @ gram, z)
    else:
        for part in parts(n, rows.shape[1]):
            out[part] = lengths(rows[part] - Z[part].astype(np.float64) @ M) ** 2
    return np.maximum(out, 0)


def memberships(
    table: Table,
    M: Floats,
    pulls: Pulls,
    most: int,
    *,
    Z: Members,
    order: NDArray[np.int64],
) -> Members:
    """Better memberships for given components: each row adds, drops and swaps while it pays.

    Each row searches from the memberships it has and from the best single ones, and keeps what
    it has where nothing else is better.

    Parameters
    ----------
    table : Table
    M : numpy.ndarray of float, shape (k, d)
        Components.
    pulls : Pulls
    most : int
        Most memberships of a row.
    Z : numpy.ndarray of bool, shape (n, k)
        Memberships so far.
    order : numpy.ndarray of int64
        Rows in the order in which they search; linked ones see what those before them found.

    Returns
    -------
    numpy.ndarray of bool, shape (n, k)
    """
    Z = Z.copy()
    squares = divergent = None
    if table.loss == "euclidean":
        fits = np.ascontiguousarray(np.asarray(table.rows @ M.T))
        squares = (fits, M @ M.T, lengths(table.rows) ** 2)
    else:
        divergent = (table.entries, np.ascontiguousarray(M.T), M.sum(axis=1), table.loss == "kl")
    call(search, order, Z, table.weights, most, pulls.arrays, squares, divergent)
    return Z


def fitted(table: Table, Z: Members, M: Floats) -> Floats:
    """Components for given memberships: the best ones by least squares, or better ones."""
    if table.loss == "euclidean":
        member = sp.csr_array(Z.T.astype(np.float64)) * table.weights[None, :]
        member = sp.csr_array(member)
        totals = member @ table.rows
        totals = totals.toarray() if sp.issparse(totals) else np.asarray(totals)
        gram = (member @ Z.astype(np.float64)).reshape(len(M), len(M))
        # the pseudo-inverse: clusters that always come together share what there is
        return np.asarray(np.linalg.pinv(gram, hermitian=True) @ totals)
    floor = table.floor
    there = Z.any(axis=0)
    kl = table.loss == "kl"
    entries = table.entries
    masses = table.weights @ Z
    columns = np.ascontiguousarray(np.maximum(M, floor).T)
    for _ in range(_STEPS):
        up, down = call(ratios, *entries, columns, Z, table.weights, kl)
        if kl:
            factor = up[:, there] / masses[there]
        else:
            factor = np.sqrt(up[:, there] / np.maximum(down[:, there], TINY))
        # the bound that such a step makes least is convex in each entry, so the floor is safe
        columns[:, there] = np.maximum(columns[:, there] * factor, floor[:, None])
    return np.asarray(np.ascontiguousarray(columns.T))


def solve(
    table: Table,
    pulls: Pulls,
    Z: Members,
    M: Floats,
    rng: np.random.Generator,
    *,
    most: int,
    max_iter: int,
    tol: float,
) -> Overlapped:
    """Search memberships and fit components in turn until nothing gets better.

    No step is taken that raises the objective.

    Parameters
    ----------
    table : Table
    pulls : Pulls
    Z : numpy.ndarray of bool, shape (n, k)
        Where to start; rows that must share nothing share nothing.
    M : numpy.ndarray of float, shape (k, d)
        Components to start from.
    rng : numpy.random.Generator
        Draws the orders.
    most : int
        Most memberships of a row.
    max_iter : int
        Most rounds.
    tol : float
        Stop when the objective falls by no more than this share of it.

    Examples
    --------
    >>> from comraf.supervision import close, read_knowledge
    >>> known = read_knowledge(3)
    >>> closure = close(3, known.must, known.cannot)
    >>> table = contract(np.array([[4.0, 0.0], [0.0, 3.0], [4.0, 3.0]]), "euclidean", closure)
    >>> Z = np.array([[1, 0], [0, 1], [0, 1]], dtype=bool)
    >>> rng = np.random.default_rng(0)
    >>> pulls = read_pulls(known, closure)
    >>> run = solve(table, pulls, Z, table.rows[:2], rng, most=2, max_iter=9, tol=0.0)
    >>> run.members.astype(int).tolist(), round(run.objective, 9)
    ([[1, 0], [0, 1], [1, 1]], 0.0)
    """

    def value(Z: Members, M: Floats) -> float:
        return float(table.weights @ losses(table, Z, M)) + table.within + pulls.penalty(Z)

    objective = value(Z, M)
    trace = [objective]
    n_iter = 0
    for n_iter in range(1, max_iter + 1):
        before, old = objective, Z
        order = rng.permutation(len(Z))
        found = memberships(table, M, pulls, most, Z=Z, order=order)
        now = value(found, M)
        if now > objective:  # by rounding alone: what was there stands
            found, now = Z, objective
        Z, objective = found, now
        Z, M, objective = _refilled(table, Z, M, objective, value)
        trace.append(objective)
        new = fitted(table, Z, M)
        now = value(Z, new)
        if now <= objective:
            M, objective = new, now
        trace.append(objective)
        if (np.array_equal(Z, old) and n_iter > 1 and table.loss == "euclidean") or (
            before - objective <= tol * abs(objective)
        ):
            break
    none = np.empty(0, dtype=np.int32)
    return Overlapped(none, M, objective, n_iter, trace, pulls.penalty(Z), Z)


def _refilled(
    table: Table,
    Z: Members,
    M: Floats,
    objective: float,
    value: Callable[[Members, Floats], float],
) -> tuple[Members, Floats, float]:
    """Make of each component without members the row that fits worst, where that is no loss."""
    empty = np.flatnonzero(~Z.any(axis=0))
    if not empty.size:
        return Z, M, objective
    worst = iter(np.argsort(-table.weights * losses(table, Z, M), kind="stable").tolist())
    for h in empty.tolist():
        for _ in range(10):
            row = next(worst, None)
            if row is None:
                return Z, M, objective
            if (Z[:, Z[row]].sum(axis=0) < 2).any():
                continue  # it would leave a cluster of its own
            new_z, new_m = Z.copy(), M.copy()
            new_z[row] = False
            new_z[row, h] = True
            new_m[h] = _as_components(table, table.rows[[row]])[0]
            now = value(new_z, new_m)
            if now <= objective:
                Z, M, objective = new_z, new_m, now
                break
    return Z, M, objective


def without_links(table: Table) -> Pulls:
    """The pulls of no links at all."""
    n = len(table.weights)
    none = sp.csr_array((n, n))
    return Pulls(np.zeros(n), none, none, none)


def _plain(loss: str) -> Any:
    """The distance that goes with a loss, on rows that are as they should be."""
    return metric_for("euclidean" if loss == "kl" else loss)


def _some_rows(table: Table, k: int, rng: np.random.Generator) -> Floats:
    """Rows by chance: rows far from each other are sums of many components too often."""
    chosen = rng.choice(len(table.weights), k, replace=len(table.weights) < k)
    return _as_components(table, table.rows[chosen])


def _one_each(labels: NDArray[np.int32], closure: Closure, k: int) -> NDArray[np.bool_]:
    """The single membership of each group."""
    Z = np.zeros((closure.n_groups, k), dtype=bool)
    Z[closure.group, labels] = True
    return Z


def _means(table: Table, Z: NDArray[np.bool_]) -> Floats:
    """Means of the clusters of single memberships, where the fit may start."""
    labels = Z.argmax(axis=1)
    means = metric_for("euclidean").centers(table.rows, labels, Z.shape[1], table.weights)
    return _as_components(table, means)


def _as_components(table: Table, rows: Any) -> Floats:
    """Rows as components: dense, and nowhere below the floor where the loss needs one."""
    M = np.array(rows.toarray() if sp.issparse(rows) else rows)
    return M if table.loss == "euclidean" else np.maximum(M, table.floor)


def _singles(table: Table, M: Floats) -> Floats:
    """Loss of each row against each component alone, shape (n, k)."""
    n, k = len(table.weights), len(M)
    return np.column_stack([losses(table, np.tile(np.arange(k) == h, (n, 1)), M) for h in range(k)])


def _alone(table: Table, M: Floats) -> NDArray[np.bool_]:
    """The best single membership of each row."""
    found = _singles(table, M)
    Z = np.zeros(found.shape, dtype=bool)
    Z[np.arange(len(Z)), found.argmin(axis=1)] = True
    return Z


def _main(table: Table, Z: NDArray[np.bool_], M: Floats) -> NDArray[np.int32]:
    """The nearest component of those that each row is a member of."""
    nearest = np.where(Z, _singles(table, M), np.inf).argmin(axis=1)
    return np.asarray(nearest, dtype=np.int32)
