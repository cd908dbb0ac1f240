"""MPCK-Means: k-means that learns from links, and from the rows, how to measure distances."""

from __future__ import annotations

import numbers
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from comraf.errors import InputError
from comraf.kmeans.base import ROW_CHECKS, Data, KMeansBase, as_rows, check_link_weight
from comraf.kmeans.distances import SquaredEuclidean
from comraf.kmeans.field import neighbourhoods, read_field
from comraf.kmeans.hmrf_run import Start, first_centers
from comraf.kmeans.mpck_forms import FORMS, far_apart
from comraf.kmeans.mpck_run import Learnt, Problem, list_links, solve
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import check_init, starting_centers
from comraf.supervision import Knowledge, read_knowledge
from comraf.supervision.frames import in_order

__all__ = ["MPCKMeans"]

_EUCLIDEAN = SquaredEuclidean()


class MPCKMeans(KMeansBase):
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
    n_clusters : int
        Number of clusters.
    form : {"diagonal", "full"}
        A weight for each column, or a matrix, which sees correlations but takes
        ``n_features ** 2`` numbers and needs many rows in each cluster.
    shared : bool
        One metric for all clusters.
    link_weight : "auto" or float
        Weight of a link that has none of its own, or of what two labels say. "auto": 1, for
        prices are distances already. ``math.inf``: all of it holds.
    constraints : {"inferred", "original"}
        Whether links that follow from the given ones have a price too.
    floor : float
        The least spread of a cluster along any direction, as a share of the spread of all rows
        (of their variance, where columns are divided by their standard deviations). Without it,
        rows that agree in a column would make its weight infinite.
    init : {"k-means++", "mean"}
        Where clusters start that are left when each neighbourhood has one.
    n_init : int
        Runs, the one with the least objective is kept. The first, third ... run starts with
        columns of equal variance, the others with columns as they are.
    max_iter : int
        Most rounds.
    tol : float
        Stop when the objective falls by no more than this for each number in the table.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    labels_ : numpy.ndarray of int32
        Cluster of each row.
    cluster_centers_ : numpy.ndarray of shape (n_clusters, n_features)
        Means of the clusters' rows.
    metrics_ : numpy.ndarray of shape (n_clusters, n_features) or (n_clusters, n_features, \
n_features)
        The metric A of each cluster, its diagonal or all of it; positive definite.
    objective_ : float
        What is made small: ``inertia_ + penalty_``, less log det A for each row.
    inertia_ : float
        Sum of distances of rows to the centres of their clusters, by the clusters' metrics.
    penalty_ : float
        Price of all that is broken.
    link_weight_ : float
        The weight that links had that had none of their own.
    n_iter_ : int
        Rounds of the run that was kept.
    trace_ : list of float
        Objective after each assignment and each change of centres and metrics; it never rises.

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

    # what reading and checking in the base go by
    metric = "euclidean"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        form: str = "diagonal",
        shared: bool = False,
        link_weight: float | str = "auto",
        constraints: str = "inferred",
        floor: float = 0.01,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.form = form
        self.shared = shared
        self.link_weight = link_weight
        self.constraints = constraints
        self.floor = floor
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Cluster the rows of ``X``.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n, d)
            Rows to cluster.
        y : ignored
            There for scikit-learn's sake.
        labels : sequence or mapping, optional
            A class for each row, None or -1 where it is unknown; or a mapping of some rows, by
            number or by their names in a frame, to classes. They are must-links within classes
            and cannot-links between them.
        must_link, cannot_link : iterable of pairs or triples, optional
            Rows that belong together, and that do not, each with its weight or without.

        Returns
        -------
        self

        Raises
        ------
        ConflictError
            What must hold contradicts itself, or needs more clusters.
        """
        self._check_choices()
        data = self._data(X)
        FORMS[self.form](data.rows.shape[1]).check(data.k)
        self.link_weight_ = 1.0 if self.link_weight == "auto" else float(self.link_weight)
        known = read_knowledge(
            data.n,
            data.ids,
            labels=in_order(labels, data.index),
            must_link=must_link,
            cannot_link=cannot_link,
            link_weight=self.link_weight_,
        )
        known.check_clusters(data.k)
        middle, factors = _scales(data.rows)
        best = self._best(data, known, middle, factors)
        form = FORMS[self.form](len(factors))
        # what the determinants of all metrics are less by, in the columns as they were
        moved = 2 * data.n * float(np.log(factors).sum())
        logs = np.array([form.log_det(metric) for metric in best.metrics])
        self.labels_ = best.labels
        self.cluster_centers_ = best.centers * factors + middle
        self.metrics_ = form.scaled(best.metrics, factors)
        self.objective_ = best.objective + moved
        self.penalty_ = best.penalty
        self.inertia_ = best.objective - best.penalty + float(logs[best.labels].sum())
        self.n_iter_ = best.n_iter
        self.trace_ = [value + moved for value in best.history]
        return self

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
        check_is_fitted(self)
        rows = as_rows(validate_data(self, X, reset=False, **ROW_CHECKS))
        form = FORMS[self.form](rows.shape[1])
        logs = np.array([form.log_det(metric) for metric in self.metrics_])
        return form.distances(rows, self.cluster_centers_, self.metrics_), logs

    def _check_choices(self) -> None:
        for name, allowed in (
            ("form", tuple(FORMS)),
            ("constraints", ("inferred", "original")),
            ("shared", (True, False)),
        ):
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(parameter=name, given=value, allowed=allowed)
        check_init(self.init)
        check_link_weight(self.link_weight)
        floor = self.floor
        if not isinstance(floor, numbers.Real) or not 1e-9 <= float(floor) <= 1:
            raise InputError(f"floor={floor!r}; give a number from 1e-9 to 1, such as 0.01")

    def _best(self, data: Data, known: Knowledge, middle: Floats, factors: Floats) -> Learnt:
        """The best of several runs, in columns of variance 1."""
        X = _columns(data.rows, middle, 1 / factors)
        shares = factors / factors.max()
        weights = np.maximum(shares / np.sqrt(np.mean(shares**2)), 1e-6)
        spaces = (X, _columns(X, np.zeros(len(factors)), weights))
        field = read_field(known, self.link_weight_, self.constraints == "inferred")
        form = FORMS[self.form](X.shape[1])
        problem = Problem(
            X,
            field,
            list_links(field, data.k),
            far_apart(X, spaces),
            form,
            bool(self.shared),
            float(self.floor),
        )
        hoods = neighbourhoods(known)
        random = self._random()
        eligible = np.ones(data.n, dtype=bool)
        for hood in hoods:
            eligible[hood] = False
        best = None
        for run in range(self.n_init):
            rng = np.random.default_rng(random.randint(2**31 - 1))
            space = spaces[run % 2]
            scale = weights if run % 2 else np.ones(len(weights))

            def fill(missing: int, there: Floats, rows: Any = space) -> Floats:
                k = missing + len(there)
                filled = starting_centers(
                    rows, k, _EUCLIDEAN, self.init, random, known=there, eligible=eligible
                )
                return filled[len(there) :]

            start = first_centers(space, _EUCLIDEAN, hoods, data.k, rng, fill, drawn=run > 1)
            outcome = solve(
                problem,
                Start(start.centers / scale, start.labels),
                form.from_weights(scale**2),
                rng,
                max_iter=self.max_iter,
                tol=float(self.tol),
            )
            if best is None or outcome.objective < best.objective:
                best = outcome
        assert best is not None  # noqa: S101
        return best


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
