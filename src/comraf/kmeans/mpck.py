"""MPCK-Means: k-means that learns from links, and from the rows, how to measure distances."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from comraf.errors import InputError
from comraf.kmeans.base import Data, FieldKMeans
from comraf.kmeans.distances import SquaredEuclidean
from comraf.kmeans.field import neighbourhoods
from comraf.kmeans.mpck_forms import FORMS, far_apart
from comraf.kmeans.mpck_run import Learnt, Problem, list_links, solve
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import Start, first_centers
from comraf.parameters import check_random
from comraf.supervision import Knowledge

__all__ = ["MPCKMeans"]

_EUCLIDEAN = SquaredEuclidean()


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
        floor = self.floor
        if not isinstance(floor, numbers.Real) or not 1e-9 <= float(floor) <= 1:
            raise InputError(f"floor={floor!r}; give a number from 1e-9 to 1, such as 0.01")

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
        logs = np.array([form.log_det(metric) for metric in best.metrics])
        self._keep(best)
        self.cluster_centers_ = best.centers * factors + middle
        self.metrics_ = form.scaled(best.metrics, factors)
        self.objective_ += moved
        self.inertia_ = best.objective - best.penalty + float(logs[best.labels].sum())
        self.trace_ = [value + moved for value in best.trace]

    def _search(self, data: Data, known: Knowledge, middle: Floats, factors: Floats) -> Learnt:
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

        def run(number: int, rng: np.random.Generator, random: np.random.RandomState) -> Learnt:
            rows = spaces[number % 2]
            scale = weights if number % 2 else np.ones(len(weights))
            start = first_centers(
                rows, _EUCLIDEAN, hoods, data.k, self.init, rng, random, drawn=number > 1
            )
            start = Start(start.centers / scale, start.labels)
            metric, tol = form.from_weights(scale**2), float(self.tol)
            return solve(problem, start, metric, rng, max_iter=self.max_iter, tol=tol)

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
