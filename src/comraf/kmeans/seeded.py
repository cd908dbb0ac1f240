"""K-means that starts from labelled items, and may keep them where they are."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.kmeans.base import Data, KMeansBase, Labels, Run, annealed, lloyd
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import check_init, starting_centers
from comraf.supervision import Knowledge

__all__ = ["ConstrainedKMeans", "SeededKMeans"]

_ADVICE = "use COPKMeans or HMRFKMeans for links"


class SeededKMeans(KMeansBase):
    """K-means from the centres of labelled items, which may then leave their class.

    Robust where labels may be wrong. Classes may be fewer than clusters (incomplete seeding): the
    other clusters start as ``init`` says. Without labels it is `comraf.kmeans.KMeans`.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, of which each class gets one.
    metric : {"euclidean", "cosine", "kl", "itakura-saito"} or Distance
        How far rows are from centres.
    init : {"k-means++", "mean"}
        Where clusters without labels start: at rows far from all other centres, or at the mean of
        all rows, perturbed at random.
    n_init : int
        Runs from different starts, the one with the least objective is kept; if every cluster has
        labels, there is but one start.
    max_iter, tol, random_state
        As in `comraf.kmeans.KMeans`.

    Attributes
    ----------
    classes_ : tuple
        Class that each cluster started from, None for the others. Clusters are numbered by the
        first labelled item of their class.
    labels_, cluster_centers_, inertia_, objective_, n_iter_, trace_
        As in `comraf.kmeans.KMeans`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])
    >>> model = SeededKMeans(n_clusters=3, random_state=0).fit(X, labels={3: "mid", 0: "low"})
    >>> model.labels_.tolist(), model.classes_
    ([0, 0, 1, 1, 2], ('low', 'mid', None))
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
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
            number or by their names in a frame, to classes.
        must_link, cannot_link : None
            Refused: they would not be used.

        Returns
        -------
        self
        """
        self._refuse(_ADVICE, must_link=must_link, cannot_link=cannot_link)
        if y is not None and labels is None:
            warnings.warn("y is ignored; classes of some rows go to labels", stacklevel=2)
        check_init(self.init)
        data = self._data(X)
        known = self._knowledge(data, labels)
        known.check_clusters(data.k)
        seeds, classes = _by_first_row(known)
        self._check_seeds(data, seeds, len(classes))
        rng = self._random()
        centers = None
        if classes:
            centers = data.metric.centers(data.rows, seeds, data.k)[: len(classes)]
        best = None
        for _ in range(self.n_init if len(classes) < data.k else 1):
            run = self._run(data, seeds, centers, rng)
            if best is None or run.objective < best.objective:
                best = run
        assert best is not None  # noqa: S101
        self._keep(best)
        self.classes_ = (*classes, *(None,) * (data.k - len(classes)))
        return self

    def _check_seeds(self, data: Data, seeds: Labels, n_classes: int) -> None:
        """Refuse seeds that leave no way to fill all clusters."""

    def _run(
        self, data: Data, seeds: Labels, centers: Floats | None, rng: np.random.RandomState
    ) -> Any:
        start = starting_centers(
            data.rows, data.k, data.metric, self.init, rng, known=centers, eligible=seeds < 0
        )
        return annealed(data, start, self._lloyd, self.max_iter)


class ConstrainedKMeans(SeededKMeans):
    """K-means from the centres of labelled items, which stay with their class throughout.

    Best where labels are right. Items of a class are together in one cluster, items of different
    classes are not; classes may be fewer than clusters.

    Parameters
    ----------
    n_clusters, metric, init, n_init, max_iter, tol, random_state
        As in `comraf.kmeans.SeededKMeans`.

    Attributes
    ----------
    classes_, labels_, cluster_centers_, inertia_, objective_, n_iter_, trace_
        As in `comraf.kmeans.SeededKMeans`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> model = ConstrainedKMeans(n_clusters=2).fit(X, labels=["a", None, "a", "b"])
    >>> model.labels_.tolist(), model.classes_
    ([0, 0, 0, 1], ('a', 'b'))
    """

    def _check_seeds(self, data: Data, seeds: Labels, n_classes: int) -> None:
        free = int(np.count_nonzero(seeds < 0))
        if free < data.k - n_classes:
            raise InputError(
                f"n_clusters={data.k} with labels of {n_classes:,} classes leaves "
                f"{data.k - n_classes:,} clusters to {free:,} items without a label; ask for at "
                f"most {n_classes + free:,} clusters, or label fewer items"
            )

    def _run(
        self, data: Data, seeds: Labels, centers: Floats | None, rng: np.random.RandomState
    ) -> Any:
        free = seeds < 0
        held = np.flatnonzero(~free)
        rows_held = data.rows[held]
        kept = seeds[held]

        def run(data: Data, centers: Floats, max_iter: int) -> Run:
            def assign(centers: Floats, before: NDArray[Any] | None) -> tuple[Labels, Floats]:
                labels, far = data.metric.nearest(data.rows, centers)
                labels[held] = kept
                far[held] = data.metric.own(rows_held, kept, centers)
                return labels, far

            return lloyd(data, centers, assign, max_iter=max_iter, tol=self.tol, movable=free)

        start = starting_centers(
            data.rows, data.k, data.metric, self.init, rng, known=centers, eligible=free
        )
        return annealed(data, start, run, self.max_iter)


def _by_first_row(known: Knowledge) -> tuple[Labels, tuple[Any, ...]]:
    """Number of the class of each item, -1 for none, and the classes.

    Numbered by first items and not by name, the classes' names have no say in ties.
    """
    codes = known.labels.codes
    labelled = np.flatnonzero(codes >= 0)
    found, first = np.unique(codes[labelled], return_index=True)
    order = np.argsort(first)
    place = np.full(len(known.labels.classes) + 1, -1, dtype=np.int64)
    place[found[order]] = np.arange(len(found))
    return place[codes], tuple(known.labels.classes[code] for code in found[order])
