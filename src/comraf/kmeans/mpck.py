"""MPCK-Means: k-means that learns from links, and from the rows, how to measure distances.

A broken must-link costs more the farther its items are from each other, a broken cannot-link the
nearer they are. Both are measured by the metrics that are learnt, so that each link that is broken
says how a metric should change. All of the objective that one metric has to do with is convex in
it: a step towards the closed form that raises it is halved until it does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from comraf.graph.tables import check_fits
from comraf.kmeans.alternating import Alternated, Model, alternate, reseed
from comraf.kmeans.base import Data, FieldKMeans
from comraf.kmeans.distances import SquaredEuclidean
from comraf.kmeans.field import Field, neighbourhoods
from comraf.kmeans.inference_icm import Labels, PairTerm, icm
from comraf.kmeans.mpck_forms import FORMS, Form, Gaps, far_apart
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import Start, first_centers
from comraf.parameters import check_number, check_random
from comraf.supervision import Knowledge

__all__ = ["Links", "MPCKMeans", "Metrics", "Problem", "list_links"]

_EUCLIDEAN = SquaredEuclidean()

# Lengths of steps from a metric to the one in closed form.
_STEPS = (1.0, 0.5, 0.25, 0.125)


@dataclass(eq=False, repr=False, kw_only=True)
class MPCKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, FieldKMeans):
    """K-means with links that learns a metric for each cluster, or one for all.

    The objective is the sum over rows of (x − μ)ᵀ A (x − μ) − log det A, with the centre μ and
    the metric A of the row's cluster, and a price for each link that is broken. A must-link costs
    its weight times the squared distance of its items, by the mean of both clusters' metrics; a
    cannot-link costs its weight times what the items are nearer to each other than the farthest
    two rows. So columns that put linked items far from each other lose weight and those that tell
    unlike ones apart gain it, and clusters may have shapes of their own. No step raises the
    objective.

    Parameters
    ----------
    form : {"diagonal", "full"}
        A weight for each column, or a matrix, which sees correlations but takes
        ``n_features ** 2`` numbers and needs many rows in each cluster.
    shared : bool
        One metric for all clusters.
    link_weight : "auto" or float
        Weight of a link that has none of its own, or of what two labels say. "auto": 1, for
        prices are distances already. ``math.inf``: all of it holds.
    floor : float
        The least spread of a cluster along any direction, as a share of the spread of all rows
        (of their variance, where columns are divided by their standard deviations). Without it,
        rows that agree in a column would make its weight infinite.
    n_init : int
        Runs, the one with the least objective is kept. The first, third ... run starts with
        columns of equal variance, the others with columns as they are.
    tol : float
        Stop when the objective falls by no more than this for each number in the table.

    Attributes
    ----------
    cluster_centers_ : numpy.ndarray of shape (n_clusters, n_features)
        Means of the clusters' rows.
    metrics_ : numpy.ndarray of shape (n_clusters, n_features) or (n_clusters, n_features, \
n_features)
        The metric A of each cluster, its diagonal or all of it; positive definite.
    objective_ : float
        What is made small: ``inertia_ + penalty_``, less log det A for each row.
    inertia_ : float
        Sum of distances of rows to the centres of their clusters, by the clusters' metrics.

    Notes
    -----
    Where there are more than 64 rows, the farthest two are sought among pairs of 64 or fewer that
    are far from each other; a cannot-link whose items are farther still costs nothing.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, -50], [1, 60], [0, 20], [1, -30], [9, 55], [8, -45], [9, -10], [8, 30]])
    >>> model = MPCKMeans(n_clusters=2, shared=True, random_state=0)
    >>> labels = model.fit_predict(X, must_link=[(0, 1), (4, 5)], cannot_link=[(1, 4)])
    >>> bool((labels[:4] == labels[0]).all() and (labels[4:] != labels[0]).all())
    True
    >>> model.metrics_.shape, bool(model.metrics_[0, 0] > 100 * model.metrics_[0, 1])
    ((2, 2), True)
    """

    form: str = "diagonal"
    shared: bool = False
    floor: float = 0.01
    _choices = FieldKMeans._choices | {"form": tuple(FORMS), "shared": (True, False)}

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster where the distance less log det of the metric is least, for each row of ``X``."""
        far, logs = self._lengths(X)
        return np.asarray((far - logs).argmin(axis=1).astype(np.int32))

    def transform(self, X: Any) -> Floats:
        """Distance of each row of ``X`` to each centre by the metric of its cluster."""
        return np.asarray(np.sqrt(self._lengths(X)[0]))

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the least squared distance less log det of the metric, summed over rows."""
        far, logs = self._lengths(X)
        return -float((far - logs).min(axis=1).sum())

    def _lengths(self, X: Any) -> tuple[Floats, Floats]:
        """Squared distances of rows to centres by their metrics, and log det of these."""
        _, _, rows = self._new(X)
        form = FORMS[self.form](rows.shape[1])
        logs = np.array([form.log_det(metric) for metric in self.metrics_])
        return form.distances(rows, self.cluster_centers_, self.metrics_), logs

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _check(self) -> None:
        super()._check()
        check_number("floor", self.floor, 1e-9, most=1)

    def _usual_weight(self, data: Data) -> float:
        return 1.0

    def _data(self, X: Any) -> Data:
        data = super()._data(X)
        FORMS[self.form](data.rows.shape[1]).check(data.k)
        return data

    def _solve(self, data: Data, known: Knowledge) -> None:
        middle, factors = _scales(data.rows)
        form = FORMS[self.form](len(factors))
        best = self._search(data, known, middle, factors)
        # what the determinants of all metrics are less by, in the columns as they were
        moved = 2 * data.n * float(np.log(factors).sum())
        logs = np.array([form.log_det(metric) for metric in best.model.metrics])
        self._keep(best)
        self.cluster_centers_ = best.centers * factors + middle
        self.metrics_ = form.scaled(best.model.metrics, factors)
        self.objective_ += moved
        self.inertia_ = best.objective - best.penalty + float(logs[best.labels].sum())
        self.trace_ = [value + moved for value in best.trace]

    def _search(
        self, data: Data, known: Knowledge, middle: Floats, factors: Floats
    ) -> Alternated[Metrics]:
        """The best of several runs, in columns of variance 1."""
        X = _columns(data.rows, middle, 1 / factors)
        shares = factors / factors.max()
        weights = np.maximum(shares / np.sqrt(np.mean(shares**2)), 1e-6)
        spaces = (X, _columns(X, np.zeros(len(factors)), weights))
        field = self._field(known)
        form = FORMS[self.form](X.shape[1])
        links, pool = list_links(field, data.k), far_apart(X, spaces)
        problem = Problem(X, field, links, pool, form, bool(self.shared), float(self.floor))
        hoods = neighbourhoods(known)

        # learnt distances sum to about as much as there are numbers in the table
        least = float(self.tol) * X.shape[0] * X.shape[1]

        def run(
            number: int, rng: np.random.Generator, random: np.random.RandomState
        ) -> Alternated[Metrics]:
            rows = spaces[number % 2]
            scale = weights if number % 2 else np.ones(len(weights))
            start = first_centers(
                rows, _EUCLIDEAN, hoods, data.k, self.init, rng, random, drawn=number > 1
            )
            start = Start(start.centers / scale, start.labels)
            metrics = np.repeat(form.from_weights(scale**2)[None], data.k, axis=0)

            def expect(model: Metrics, labels: Labels) -> Labels:
                return icm(field, model.own, labels, rng, pairs=model.pairs)

            model = problem.model(start.centers, metrics)
            return alternate(model, start, expect, max_iter=self.max_iter, least=least)

        return self._best(run, check_random(self.random_state))


def _scales(X: Any) -> tuple[Floats, Floats]:
    """Means of columns, none for sparse rows, and standard deviations; 1 where there is none."""
    # in parts of the largest entry, squares neither overflow nor vanish
    sparse = sp.issparse(X)
    high = abs(X).max(axis=0)
    high = np.asarray(high.toarray() if sparse else high, dtype=np.float64).ravel()
    high[high < 1e-145] = 1.0  # its square, and so its weight, would be no number
    parts = _columns(X, np.zeros(len(high)), 1 / high)
    mean = np.asarray(parts.mean(axis=0)).ravel()
    if sparse:
        squares = parts.multiply(parts).mean(axis=0)
        spread = np.sqrt(np.maximum(np.asarray(squares).ravel() - mean**2, 0))
        return np.zeros(len(high)), np.where(spread > 1e-7, spread, 1.0) * high
    spread = parts.std(axis=0)
    return mean * high, np.where(spread > 1e-12, spread, 1.0) * high


def _columns(X: Any, middle: Floats, factors: Floats) -> Any:
    """Columns less their middle, times a factor each; sparse rows are only multiplied."""
    if not sp.issparse(X):
        return (X - middle) * factors
    out = X.copy()
    out.data = out.data * factors[out.indices]
    return out


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

    def model(self, centers: Floats, metrics: Floats) -> Metrics:
        """With what each group costs in each cluster, and each link if it is broken."""
        form, links = self.form, self.links
        logs = np.array([form.log_det(metric) for metric in metrics])
        own = self.field.by_group(form.distances(self.X, centers, metrics) - logs)
        lengths = self.gaps.lengths(form, metrics)
        longest = self.longest(metrics) if len(links.cannot) else np.zeros(len(metrics))
        must = links.must[:, None] * lengths / 2
        cannot = links.cannot[:, None] * np.maximum(longest - lengths, 0)
        np.add.at(own, links.groups[links.within, 0], cannot[links.within])
        return Metrics(self.field, centers, own, self, metrics, must, cannot)

    def longest(self, metrics: Floats) -> Floats:
        """Largest squared distance of two rows of the pool by each metric."""
        if not len(self.pool):
            return np.zeros(len(metrics))
        return np.asarray(self.pool.lengths(self.form, metrics).max(axis=0))


@dataclass(frozen=True, eq=False)
class Metrics(Model):
    """Centres and learnt metrics.

    Attributes
    ----------
    own : numpy.ndarray of float, shape (n_groups, k)
        Distances less the logarithm of the determinant, summed over the items of each group;
        with cannot-links inside it.
    problem : Problem
    metrics : numpy.ndarray of float
        The metric of each cluster.
    must : numpy.ndarray of float, shape (m, k)
        What each must-link costs for having one end, but not the other, in each cluster.
    cannot : numpy.ndarray of float, shape (m, k)
        What each cannot-link costs for having both ends in each cluster.
    """

    problem: Problem
    metrics: Floats
    must: Floats
    cannot: Floats

    @property
    def pairs(self) -> PairTerm:
        """Links as the search reads them."""
        return PairTerm(*self.problem.links.around, self.must, self.cannot)

    def penalty(self, labels: Labels) -> float:
        """Price of all links that labels of groups break."""
        a, b = labels[self.problem.links.groups].T
        rows = np.arange(len(a))
        split = self.must[rows, a] + self.must[rows, b]
        return float(np.where(a == b, self.cannot[rows, a], split).sum())

    def value(self, labels: Labels) -> float:
        """The objective."""
        links = self.problem.links
        a = labels[links.groups[links.within, 0]]
        twice = float(self.cannot[np.flatnonzero(links.within), a].sum())  # in both parts
        return super().value(labels) - twice

    def fitted(self, labels: Labels) -> Metrics:
        """Means, which are best by any metric, and better metrics."""
        problem, field = self.problem, self.field
        k = len(self.centers)
        centers = _EUCLIDEAN.centers(problem.X, labels[field.closure.group], k)
        metrics = _learn(problem, labels, centers, self)
        reseed(centers, problem.X, _EUCLIDEAN, field, self.own, labels)
        return problem.model(centers, metrics)


def _learn(problem: Problem, labels: Labels, centers: Floats, old: Metrics) -> Floats:
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
    paid = (a == b) & (old.cannot[rows, a] > 0)
    broken = [np.flatnonzero(paid & (a == h)) for h in range(k)]
    new = old.metrics.copy()
    if problem.shared:
        together = np.concatenate(broken) if k else rows
        one = _step(problem, scatters.sum(axis=0), float(sizes.sum()), together, old.metrics[0])
        new[:] = one
        return new
    for h in np.flatnonzero(sizes).tolist():
        new[h] = _step(problem, scatters[h], sizes[h], broken[h], old.metrics[h])
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
