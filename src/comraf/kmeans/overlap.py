"""Overlapping clusters: a row may be a member of several, and is then near their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.kmeans.base import Data, LinkedKMeans, WithoutTransform, best
from comraf.kmeans.distances import metric_for
from comraf.kmeans.hmrf import HMRFKMeans
from comraf.kmeans.overlap_run import (
    Members,
    Overlapped,
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
from comraf.kmeans.seeding import mean_weight, starting_centers
from comraf.parameters import check_int, check_random
from comraf.supervision import Closure, Knowledge, close

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
