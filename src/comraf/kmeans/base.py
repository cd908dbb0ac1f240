"""What the k-means estimators share: parameters, reading what is given, the loop, and new items."""

from __future__ import annotations

import numbers
import warnings
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar

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

from comraf.docstrings import DocumentedOnce
from comraf.errors import ComrafWarning, InputError
from comraf.graph.tables import check_fits, check_sparse
from comraf.kmeans.distances import Distance, metric_for
from comraf.kmeans.field import Field, read_field
from comraf.kmeans.rows import Floats, n_distinct
from comraf.kmeans.seeding import INITS, check_init, refill
from comraf.parameters import check_choice, check_int, check_number
from comraf.supervision import Knowledge, read_knowledge
from comraf.supervision.frames import in_order, texts_of

__all__ = [
    "ROW_CHECKS",
    "Data",
    "FieldKMeans",
    "KMeansBase",
    "LinkedKMeans",
    "MetricKMeans",
    "Run",
    "WithoutTransform",
    "annealed",
    "as_rows",
    "best",
    "index_of",
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
    raw : array or csr_array, optional
        Rows as they were given.
    weights : numpy.ndarray of float, optional
        What each row counts for; 1 if left out.
    """

    rows: Any
    metric: Distance
    k: int
    ids: Sequence[Hashable] | None = None
    index: Any = None
    raw: Any = None
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
    labels : numpy.ndarray of int
        Cluster of each row.
    centers : numpy.ndarray of shape (k, d)
        Centres.
    objective : float
        Sum of distances of rows to the centres of their clusters, and the penalty.
    n_iter : int
        Rounds of centres and assignments.
    trace : list of float
        Objective after each step; it never rises.
    penalty : float
        Price of all that is broken.
    """

    labels: NDArray[Any]
    centers: Floats
    objective: float
    n_iter: int = 0
    trace: list[float] = field(default_factory=list)
    penalty: float = 0.0

    @property
    def rank(self) -> tuple[float, ...]:
        """What runs are compared by; the least is the best."""
        return (self.objective,)


AnyRun = TypeVar("AnyRun", bound=Run)


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


@dataclass(eq=False, repr=False, kw_only=True)
class KMeansBase(DocumentedOnce, ClusterMixin, BaseEstimator):
    """Reading, checking and keeping, for the estimators of this room.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    init : {"k-means++", "mean"}
        Where clusters start that nothing is known of: at rows far from all other centres, or at
        the mean of all rows, perturbed at random.
    n_init : int
        Runs from different starts; the one with the least objective is kept.
    max_iter : int
        Most rounds of a run.
    tol : float
        A run ends when the objective falls by no more than this share of it.
    random_state : int, RandomState or None
        Seed: with the same one the result is the same.

    Attributes
    ----------
    labels_ : numpy.ndarray of int32
        Cluster of each row.
    objective_ : float
        What is made small.
    n_iter_ : int
        Rounds of the run that was kept.
    trace_ : list of float
        Objective after each step of these rounds; it never rises.
    """

    n_clusters: int = field(default=8, kw_only=False)
    init: Any = "k-means++"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Any = None
    #: What ``fit`` makes use of, and what to do with the rest of what is known.
    _uses: ClassVar[tuple[str, ...]] = ("labels", "must_link", "cannot_link")
    _instead: ClassVar[str] = ""
    #: Values of parameters that are one of some words; names of ``init``.
    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    _inits: ClassVar[tuple[str, ...]] = INITS

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Cluster the rows of ``X``. What is known and would not be used is refused.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n, d)
            Rows to cluster.
        y : ignored
            There for scikit-learn's sake.
        labels : sequence or mapping, optional
            A class for each row, None or -1 where it is unknown; or a mapping of some rows, by
            number or by their names in a frame, to classes. Where links are used, labels are
            must-links within classes and cannot-links between them.
        must_link, cannot_link : iterable of pairs or triples, optional
            Rows that belong together, and that do not, by number or by their names in a frame.
            A third number is the weight of the link, where links have one.

        Returns
        -------
        self

        Raises
        ------
        ConflictError
            What must hold contradicts itself, or needs more clusters.
        """
        given = {"labels": labels, "must_link": must_link, "cannot_link": cannot_link}
        self._refuse(**given)
        if self._uses == ("labels",) and y is not None and labels is None:
            told = "y is ignored; classes of some rows go to labels"
            warnings.warn(told, ComrafWarning, stacklevel=2)
        self._check()
        data = self._data(X)
        self._solve(data, self._read(data, **given))
        return self

    @abstractmethod
    def _solve(self, data: Data, known: Knowledge) -> None:
        """Search, and set what is found."""

    def _refuse(self, **given: Any) -> None:
        """Refuse knowledge that would not be used; there may be none of it."""
        for name, value in given.items():
            some = value is not None and not (isinstance(value, Sized) and len(value) == 0)
            if some and name not in self._uses:
                raise InputError(f"{type(self).__name__} does not use {name}; {self._instead}")

    def _check(self) -> None:
        """Refuse parameters that are not one of their words."""
        for name, allowed in self._choices.items():
            check_choice(name, getattr(self, name), allowed)

    @property
    def _distance(self) -> Distance:
        """How rows are prepared, and how far they are from centres."""
        return metric_for(getattr(self, "metric", "euclidean"))

    def _data(self, X: Any) -> Data:
        """Check numbers and rows, and prepare these."""
        k = check_int("n_clusters", self.n_clusters)
        check_int("n_init", self.n_init)
        check_int("max_iter", self.max_iter)
        check_number("tol", self.tol)
        metric = self._distance
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
        return Data(prepared, metric, k, ids, index, rows)

    def _new(self, X: Any) -> tuple[Distance, Any, Any]:
        """The metric, new rows as they are, and as it has prepared them."""
        check_is_fitted(self)
        metric = self._distance
        check_sparse(X, "X")
        rows = as_rows(validate_data(self, X, reset=False, **ROW_CHECKS))
        metric.check(rows, texts_of(index_of(X)))
        return metric, rows, metric.prepare(rows)

    def _read(self, data: Data, *, labels: Any = None, **links: Any) -> Knowledge:
        """Read what is known of the rows; frames' rows go by their names."""
        return read_knowledge(data.n, data.ids, labels=in_order(labels, data.index), **links)

    def _keep(self, run: Run) -> None:
        self.labels_ = run.labels.astype(np.int32)
        self.objective_, self.n_iter_, self.trace_ = run.objective, run.n_iter, list(run.trace)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class MetricKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KMeansBase):
    """K-means by any metric: new rows go to the nearest centre.

    Parameters
    ----------
    metric : {"euclidean", "cosine", "kl", "itakura-saito"} or Distance
        How far rows are from centres; a `comraf.kmeans.Bregman` for any other divergence.

    Attributes
    ----------
    cluster_centers_ : numpy.ndarray of shape (n_clusters, n_features)
        Centres, of rows as the metric prepares them: of unit length for cosine, distributions
        for KL.
    inertia_ : float
        Sum of distances of rows to the centres of their clusters.
    """

    metric: Any = "euclidean"

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster with the nearest centre, for each row of ``X``; links play no part."""
        metric, _, rows = self._new(X)
        return metric.nearest(rows, self.cluster_centers_)[0].astype(np.int32)

    def transform(self, X: Any) -> Floats:
        """Distance of each row of ``X`` to each centre; for "euclidean" without the square."""
        metric, _, rows = self._new(X)
        far = metric.distances(rows, self.cluster_centers_)
        return np.asarray(np.sqrt(far)) if metric.name == "euclidean" else far

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the sum of distances of the rows of ``X`` to the nearest centre."""
        metric, _, rows = self._new(X)
        return -float(metric.nearest(rows, self.cluster_centers_)[1].sum())

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _lloyd(self, data: Data, centers: Floats, max_iter: int) -> Run:
        return lloyd(data, centers, max_iter=max_iter, tol=self.tol)

    def _keep(self, run: Run) -> None:
        super()._keep(run)
        self.cluster_centers_ = run.centers
        self.inertia_ = run.objective - run.penalty


@dataclass(eq=False, repr=False, kw_only=True)
class LinkedKMeans(KMeansBase):
    """K-means in which breaking a link has a price.

    Parameters
    ----------
    link_weight : "auto" or float
        Price of breaking a link that has none of its own, or of breaking what two labels say.
        0: what is known only says where to start. ``math.inf``: all of it holds.

    Attributes
    ----------
    penalty_ : float
        Price of all that is broken.
    link_weight_ : float
        The price that links had that had none of their own.
    """

    link_weight: float | str = "auto"

    def _check(self) -> None:
        super()._check()
        check_init(self.init, self._inits)
        weight = self.link_weight
        if isinstance(weight, str) and weight == "auto":
            return
        if isinstance(weight, bool) or not isinstance(weight, numbers.Real) or not weight >= 0:
            raise InputError(
                "{given}; give 'auto', or a number of 0 or more (inf: links must hold)",
                "link_weight",
                weight,
            )

    @abstractmethod
    def _usual_weight(self, data: Any) -> float:
        """The price of a link that has none of its own, by the data."""

    def _read(self, data: Data, **given: Any) -> Knowledge:
        weight = self.link_weight
        self.link_weight_ = self._usual_weight(data) if weight == "auto" else float(weight)
        return super()._read(data, link_weight=self.link_weight_, **given)

    def _best(
        self,
        run: Callable[[int, np.random.Generator, np.random.RandomState], AnyRun],
        random: np.random.RandomState,
        n_runs: int | None = None,
    ) -> AnyRun:
        """The best of several runs, each with its number and a seed of its own."""
        return best(
            run(number, np.random.default_rng(random.randint(2**31 - 1)), random)
            for number in range(n_runs or self.n_init)
        )

    def _keep(self, run: Run) -> None:
        super()._keep(run)
        self.penalty_ = run.penalty


@dataclass(eq=False, repr=False, kw_only=True)
class FieldKMeans(LinkedKMeans):
    """K-means with links from which others follow.

    Parameters
    ----------
    constraints : {"inferred", "original"}
        Whether links that follow from the given ones have a price too. One wrong link makes many
        others follow, so "original" is the choice where some may be wrong.
    """

    constraints: str = "inferred"
    _choices: ClassVar = {"constraints": ("inferred", "original")}

    def _read(self, data: Data, **given: Any) -> Knowledge:
        known = super()._read(data, **given)
        known.check_clusters(data.k)
        return known

    def _field(self, known: Knowledge) -> Field:
        return read_field(known, self.link_weight_, self.constraints == "inferred")


class WithoutTransform:
    """For estimators whose clusters have no centres that rows could be near."""

    _no_centers: ClassVar[str]

    @property
    def transform(self) -> Any:
        """Not there: the error says why."""
        raise AttributeError(
            f"{type(self).__name__} has no transform and no score: {self._no_centers}"
        )

    fit_transform = score = get_feature_names_out = transform


def best(runs: Iterable[AnyRun]) -> AnyRun:
    """The run of the least rank, the first of equals."""
    return min(runs, key=lambda run: run.rank)


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
