"""What the k-means estimators share: reading what is given, the loop, and new items."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Hashable, Iterator, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from comraf.errors import InputError
from comraf.graph.tables import check_fits, check_sparse
from comraf.kmeans.distances import Distance, metric_for
from comraf.kmeans.rows import Floats, n_distinct
from comraf.kmeans.seeding import refill
from comraf.parameters import check_int, check_random
from comraf.supervision import Knowledge, read_knowledge
from comraf.supervision.frames import in_order, texts_of

__all__ = [
    "ROW_CHECKS",
    "Data",
    "KMeansBase",
    "Run",
    "annealed",
    "as_rows",
    "check_link_weight",
    "index_of",
    "kept",
    "lloyd",
]

Labels = NDArray[np.int64]
#: From centres and the labels so far (None at first) to new labels and distances to own centres.
Assign = Callable[[Floats, Labels | None], tuple[Labels, Floats]]

# Rows that differ by less than this after division are the same row.
_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class Data:
    """What is clustered.

    Attributes
    ----------
    rows : array or csr_array
        Rows as the metric has prepared them.
    metric : Distance
        How far they are from centres.
    k : int
        Number of clusters.
    ids : sequence of hashable, optional
        Names of the rows.
    index : pandas.Index, optional
        Names of the rows, as the frame has them.
    weights : numpy.ndarray of float, optional
        What each row counts for; 1 if left out.
    """

    rows: Any
    metric: Distance
    k: int
    ids: Sequence[Hashable] | None = None
    index: Any = None
    weights: Floats | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.rows.shape[0])


@dataclass(eq=False)
class Run:
    """Where one run has ended.

    Attributes
    ----------
    labels : numpy.ndarray of int64
        Cluster of each row.
    centers : numpy.ndarray of shape (k, d)
        Centres.
    objective : float
        Sum of distances of rows to the centres of their clusters.
    n_iter : int
        Rounds of centres and assignments.
    trace : list of float
        Objective after each round; it never rises.
    """

    labels: Labels
    centers: Floats
    objective: float
    n_iter: int = 0
    trace: list[float] = field(default_factory=list)


def lloyd(
    data: Data,
    centers: Floats,
    assign: Assign | None = None,
    *,
    max_iter: int,
    tol: float,
    unit: Labels | None = None,
    movable: NDArray[np.bool_] | None = None,
) -> Run:
    """Assign rows to centres and move centres to their rows until nothing gets better.

    Parameters
    ----------
    data : Data
        Rows, metric and number of clusters.
    centers : array of shape (k, d)
        Where to start.
    assign : callable, optional
        The assignment; to the nearest centre if left out.
    max_iter : int
        Most rounds.
    tol : float
        Stop when the objective falls by no more than this share of it.
    unit, movable : array, optional
        Rows that move together, and which of these may fill an empty cluster.

    Returns
    -------
    Run

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> data = Data(X, metric_for("euclidean"), 2)
    >>> run = lloyd(data, np.array([[0.0], [1.0]]), max_iter=10, tol=0.0)
    >>> run.labels.tolist(), run.objective, run.trace
    ([0, 0, 1, 1], 1.0, [113.0, 14.0, 1.0])
    """
    rows, metric, k, weights = data.rows, data.metric, data.k, data.weights

    def step(centers: Floats, before: Labels | None) -> tuple[Labels, Floats, bool]:
        if assign is None:
            labels, far = metric.nearest(rows, centers)
        else:
            labels, far = assign(centers, before)
        far = far if weights is None else far * weights
        return labels, far, refill(rows, labels, far, k, metric, unit, movable)

    labels, far, refilled = step(centers, None)
    trace = [float(far.sum())]
    n_iter = 1
    while n_iter < max_iter:
        n_iter += 1
        moved = metric.centers(rows, labels, k, weights)
        new, far, again = step(moved, labels)
        objective = float(far.sum())
        fell = trace[-1] - objective
        if fell < 0:  # by rounding alone: the last round stands
            break
        same = not refilled and not again and np.array_equal(new, labels)
        labels, centers, refilled = new, moved, again
        trace.append(objective)
        if same or (not again and fell <= tol * abs(objective)):
            break
    if refilled:
        centers = metric.centers(rows, labels, k, weights)
        own = metric.own(rows, labels, centers)
        trace.append(min(trace[-1], float(own.sum() if weights is None else own @ weights)))
    return Run(labels, centers, trace[-1], n_iter, trace)


def annealed(
    data: Data, centers: Floats, run: Callable[[Data, Floats, int], Run], max_iter: int
) -> Run:
    """Run through the stages of the metric, each from where the last one ended.

    ``run`` takes rows with the metric of a stage, centres and the most rounds. The first round is
    by the metric itself: single rows, smoothed a lot, are no centres to begin with.
    """
    stages = data.metric.eased()
    if not stages:
        return run(data, centers, max_iter)
    found = run(data, centers, 1)
    for metric in (*stages, data.metric):
        centers = metric.centers(data.rows, found.labels, data.k, data.weights)
        found = run(replace(data, metric=metric), centers, max_iter)
    return found


class KMeansBase(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Reading, checking and predicting, for the estimators of this room."""

    n_clusters: int
    metric: Any
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random_state: Any

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster with the nearest centre, for each row of ``X``."""
        metric, rows = self._new(X)
        return metric.nearest(rows, self.cluster_centers_)[0].astype(np.int32)

    def transform(self, X: Any) -> Floats:
        """Distance of each row of ``X`` to each centre; for "euclidean" without the square."""
        metric, rows = self._new(X)
        far = metric.distances(rows, self.cluster_centers_)
        return np.asarray(np.sqrt(far)) if metric.name == "euclidean" else far

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the sum of distances of the rows of ``X`` to the nearest centre."""
        metric, rows = self._new(X)
        return -float(metric.nearest(rows, self.cluster_centers_)[1].sum())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _new(self, X: Any) -> tuple[Distance, Any]:
        """The metric, and rows of ``X`` as it has prepared them."""
        check_is_fitted(self)
        metric = metric_for(self.metric)
        ids = texts_of(index_of(X))
        check_sparse(X, "X")
        rows = as_rows(validate_data(self, X, reset=False, **ROW_CHECKS))
        metric.check(rows, ids)
        return metric, metric.prepare(rows)

    def _data(self, X: Any) -> Data:
        """Check parameters and rows, and prepare these."""
        k = check_int("n_clusters", self.n_clusters)
        check_int("n_init", self.n_init)
        check_int("max_iter", self.max_iter)
        if not isinstance(self.tol, numbers.Real) or not 0 <= float(self.tol) < np.inf:
            raise InputError(f"tol={self.tol!r}; give a finite number of 0 or more")
        metric = metric_for(self.metric)
        index = index_of(X)
        ids = texts_of(index)
        check_sparse(X, "X")
        rows = as_rows(validate_data(self, X, **ROW_CHECKS))
        n, d = rows.shape
        check_fits(
            4.0 * 8 * k * d,
            f"{k:,} centres of {d:,} columns",
            "ask for fewer clusters, or leave out rare columns",
        )
        metric.check(rows, ids)
        prepared = metric.prepare(rows)
        distinct = n_distinct(prepared, k, _DECIMALS if metric.rounded else None)
        if distinct < k:
            what = f"there {'is' if n == 1 else 'are'} only {n:,} row{'s' if n != 1 else ''}"
            if n >= k:
                what = f"only {distinct:,} of {n:,} rows differ from each other"
                what += " in direction" if metric.name == "cosine" else ""
            raise InputError(
                f"n_clusters={k}, but n_samples={n} and {what}; ask for at most {distinct:,} "
                f"cluster{'s' if distinct != 1 else ''}"
            )
        return Data(prepared, metric, k, ids, index)

    def _knowledge(
        self, data: Data, labels: Any = None, must_link: Any = None, cannot_link: Any = None
    ) -> Knowledge:
        """Read what is known of the rows; frames' rows go by their names."""
        return read_knowledge(
            data.n,
            data.ids,
            labels=in_order(labels, data.index),
            must_link=must_link,
            cannot_link=cannot_link,
        )

    def _refuse(self, advice: str, **given: Any) -> None:
        """Refuse knowledge that would not be used; there may be none of it."""
        for name, value in given.items():
            if value is not None and not (isinstance(value, Sized) and len(value) == 0):
                raise InputError(f"{type(self).__name__} does not use {name}; {advice}")

    def _random(self) -> np.random.RandomState:
        return check_random(self.random_state)

    def _lloyd(self, data: Data, centers: Floats, max_iter: int) -> Run:
        return lloyd(data, centers, max_iter=max_iter, tol=self.tol)

    def _keep(self, run: Run) -> None:
        self.labels_ = run.labels.astype(np.int32)
        self.cluster_centers_ = run.centers
        self.inertia_ = self.objective_ = run.objective
        self.n_iter_ = run.n_iter
        self.trace_ = run.trace

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def check_link_weight(weight: Any) -> None:
    """Refuse what is no price of a link."""
    if isinstance(weight, str) and weight == "auto":
        return
    if isinstance(weight, bool) or not isinstance(weight, numbers.Real) or not float(weight) >= 0:
        raise InputError(
            "{given}; give 'auto', or a number of 0 or more (inf: links must hold)",
            "link_weight",
            weight,
        )


def kept(given: Any) -> Any:
    """Links or labels that can be read more than once: what an iterator gives, as a list."""
    return list(given) if isinstance(given, Iterator) else given


ROW_CHECKS: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}


def as_rows(X: Any) -> Any:
    """A dense table as it is, a sparse one with each entry once."""
    if not sp.issparse(X):
        return X
    rows = sp.csr_array(X)
    rows.sum_duplicates()
    return rows


def index_of(X: Any) -> Any:
    """Names of the rows of a frame, or None."""
    index = getattr(X, "index", None)
    return index if hasattr(index, "equals") else None
