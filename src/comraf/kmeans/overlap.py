"""Overlapping clusters: a row may be a member of several, and is then near their sum."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.kmeans.base import (
    ROW_CHECKS,
    Data,
    KMeansBase,
    as_rows,
    check_link_weight,
    index_of,
    kept,
)
from comraf.kmeans.distances import metric_for
from comraf.kmeans.hmrf import HMRFKMeans
from comraf.kmeans.hmrf_run import mean_weight
from comraf.kmeans.overlap_run import (
    Outcome,
    Table,
    contract,
    fitted,
    losses,
    memberships,
    read_pulls,
    solve,
    without_links,
)
from comraf.kmeans.rows import Floats, row_sums
from comraf.kmeans.seeding import check_init, starting_centers
from comraf.parameters import check_int
from comraf.supervision import Closure, close, read_knowledge
from comraf.supervision.frames import texts_of

__all__ = ["OverlappingKMeans"]

# What differs between a row and the sum of its components, by the name of the metric.
_LOSSES = {
    "euclidean": "euclidean",
    "cosine": "euclidean",
    "kl": "kl",
    "itakura-saito": "itakura-saito",
}
# A run from rows by chance goes on from the best of so many short ones, of so many rounds.
_TRIES, _SHORT = 5, 4


class OverlappingKMeans(KMeansBase, auto_wrap_output_keys=None):  # type: ignore[call-arg]
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
    n_clusters : int
        Number of clusters.
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
    max_iter, tol, random_state
        As in `comraf.kmeans.KMeans`.

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
    penalty_ : float
        Price of links that are broken.
    link_weight_ : float
        The price that links had that had none of their own.
    n_iter_ : int
        Rounds of the run that was kept.
    trace_ : list of float
        Objective at the start and after each search and each fit; it never rises.

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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        max_overlap: int | None = None,
        link_weight: float | str = "auto",
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.max_overlap = max_overlap
        self.link_weight = link_weight
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
        """Find clusters of the rows of ``X`` that may overlap.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n, d)
            Rows to cluster.
        y : ignored
            There for scikit-learn's sake.
        labels : None
            Refused: a label says one class, and a row may have several here.
        must_link, cannot_link : iterable of pairs or triples, optional
            Rows that share all memberships, and that share none, each with its price for each
            membership that breaks it or without.

        Returns
        -------
        self

        Raises
        ------
        ConflictError
            What must hold contradicts itself, or needs more clusters.
        """
        self._refuse(
            "a row may have several classes here: give must_link and cannot_link, or take "
            "HMRFKMeans",
            labels=labels,
        )
        loss, most = self._check_choices()
        must_link, cannot_link = kept(must_link), kept(cannot_link)
        data = self._data(X)
        rows = data.rows
        if loss == "kl":  # prepared for the start alone: here sums count, not only shares
            rows = as_rows(validate_data(self, X, reset=False, **ROW_CHECKS))
        check_fits(
            4.0 * 8 * data.n * data.k,
            f"{data.n:,} rows by {data.k:,} clusters",
            "ask for fewer clusters, or take a sample of the rows",
        )
        weight = self.link_weight
        self.link_weight_ = _default_weight(data, rows, loss) if weight == "auto" else float(weight)
        known = read_knowledge(
            data.n,
            data.ids,
            must_link=must_link,
            cannot_link=cannot_link,
            link_weight=self.link_weight_,
        )
        closure = close(data.n, known.must, known.cannot, ids=data.ids)
        table, pulls = contract(rows, loss, closure), read_pulls(known, closure)
        random = self._random()
        best: Outcome | None = None
        for run in range(self.n_init):
            rng = np.random.default_rng(random.randint(2**31 - 1))
            first = self._first_labels(X, random, must_link, cannot_link)
            Z = _one_each(first, closure, data.k)
            M = fitted(table, Z, _means(table, Z))
            if run % 3 == 1:
                M = _as_components(
                    table, starting_centers(table.rows, data.k, _plain(loss), self.init, random)
                )
            elif run % 3 == 2:
                tried = [
                    solve(
                        table,
                        pulls,
                        Z,
                        _some_rows(table, data.k, rng),
                        rng,
                        most=most,
                        max_iter=_SHORT,
                        tol=float(self.tol),
                    )
                    for _ in range(_TRIES)
                ]
                chosen = min(tried, key=lambda short: short.objective)
                Z, M = chosen.members, chosen.components
            outcome = solve(
                table, pulls, Z, M, rng, most=most, max_iter=self.max_iter, tol=float(self.tol)
            )
            if best is None or outcome.objective < best.objective:
                best = outcome
        assert best is not None  # noqa: S101
        self.memberships_ = best.members[closure.group]
        self.components_ = best.components
        self.labels_ = _main(table, best.members, best.components)[closure.group]
        self.objective_ = best.objective
        self.penalty_ = best.penalty
        self.loss_ = best.objective - best.penalty
        self.n_iter_ = best.n_iter
        self.trace_ = list(best.history)
        return self

    def predict_memberships(self, X: Any) -> NDArray[np.bool_]:
        """Clusters of each row of ``X``, shape (n, n_clusters), by the components found."""
        return self._searched(X)[1]

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The main cluster of each row of ``X``, as in ``labels_``."""
        table, Z = self._searched(X)
        return _main(table, Z, self.components_)

    @property
    def transform(self) -> Any:
        """Not there: rows are near sums of components."""
        raise AttributeError(
            "OverlappingKMeans has no transform and no score: a row is near a sum of components, "
            "not near a centre; predict_memberships says of which, loss_ how near"
        )

    fit_transform = score = get_feature_names_out = transform

    def _searched(self, X: Any) -> tuple[Table, NDArray[np.bool_]]:
        """New rows, and the memberships that suit them."""
        check_is_fitted(self)
        loss, most = self._check_choices()
        metric = metric_for(self.metric)
        ids = texts_of(index_of(X))
        rows = as_rows(validate_data(self, X, reset=False, **ROW_CHECKS))
        metric.check(rows, ids)
        table = Table(rows if loss == "kl" else metric.prepare(rows), loss, np.ones(rows.shape[0]))
        Z = _alone(table, self.components_)
        order = np.arange(len(Z))
        M = self.components_
        return table, memberships(table, M, without_links(table), most, Z=Z, order=order)

    def _check_choices(self) -> tuple[str, int]:
        """Refuse bad choices; the name of the loss, and most memberships."""
        name = metric_for(self.metric).name
        if name not in _LOSSES:
            raise InputError(
                "{given} has no rule for components that are summed; choose one of {allowed}",
                "metric",
                name,
                allowed=_LOSSES,
            )
        check_init(self.init)
        k = check_int("n_clusters", self.n_clusters)
        most = k
        if self.max_overlap is not None:
            most = min(k, check_int("max_overlap", self.max_overlap))
        check_link_weight(self.link_weight)
        return _LOSSES[name], most

    def _first_labels(
        self, X: Any, random: np.random.RandomState, must_link: Any, cannot_link: Any
    ) -> NDArray[np.int32]:
        """Clusters that do not overlap, in which all holds that must."""
        model = HMRFKMeans(
            self.n_clusters,
            metric=self.metric,
            link_weight=self.link_weight_,
            constraints="original",
            init=self.init,
            n_init=1,
            max_iter=self.max_iter,
            random_state=random.randint(2**31 - 1),
        )
        return np.asarray(model.fit(X, must_link=must_link, cannot_link=cannot_link).labels_)


def _default_weight(data: Data, rows: Any, loss: str) -> float:
    """The mean distance of two rows, on the scale of the loss."""
    found = mean_weight(data.rows, data.metric)
    if loss == "kl":  # a distance of shares, but each row counts as much as it sums to
        found *= float(row_sums(rows).mean())
    return found


def _plain(loss: str) -> Any:
    """The distance that goes with a loss, on rows that are as they should be."""
    return metric_for("euclidean" if loss == "kl" else loss)


def _some_rows(table: Table, k: int, rng: np.random.Generator) -> Floats:
    """Rows by chance: rows far from each other are sums of many components too often."""
    rows = table.rows[rng.choice(len(table.weights), k, replace=len(table.weights) < k)]
    return _as_components(table, rows.toarray() if sp.issparse(rows) else np.array(rows))


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


def _as_components(table: Table, M: Floats) -> Floats:
    return M if table.loss == "euclidean" else np.maximum(M, table.floor)


def _singles(table: Table, M: Floats) -> Floats:
    """Loss of each row against each component alone, shape (n, k)."""
    n, k = len(table.weights), len(M)
    out = np.empty((n, k))
    for h in range(k):
        Z = np.zeros((n, k), dtype=bool)
        Z[:, h] = True
        out[:, h] = losses(table, Z, M)
    return out


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
