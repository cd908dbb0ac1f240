"""K-means that starts from labelled items, and may keep them where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from comraf.errors import InputError
from comraf.kmeans.base import Data, Labels, MetricKMeans, Run, annealed, best, lloyd
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import check_init, starting_centers
from comraf.parameters import check_random
from comraf.supervision import Knowledge

__all__ = ["ConstrainedKMeans", "SeededKMeans"]


@dataclass(eq=False, repr=False, kw_only=True)
class SeededKMeans(MetricKMeans):
    """K-means from the centres of labelled items, which may then leave their class.

    Robust where labels may be wrong. Classes may be fewer than clusters (incomplete seeding): the
    other clusters start as ``init`` says. Without labels it is `comraf.kmeans.KMeans`.

    Parameters
    ----------
    n_init : int
        Runs from different starts, the one with the least objective is kept; if every cluster has
        labels, there is but one start.

    Attributes
    ----------
    classes_ : tuple
        Class that each cluster started from, None for the others. Clusters are numbered by the
        first labelled item of their class.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])
    >>> model = SeededKMeans(n_clusters=3, random_state=0).fit(X, labels={3: "mid", 0: "low"})
    >>> model.labels_.tolist(), model.classes_
    ([0, 0, 1, 1, 2], ('low', 'mid', None))
    """

    _uses = ("labels",)
    _instead = "use COPKMeans or HMRFKMeans for links"

    def _check(self) -> None:
        check_init(self.init)

    def _solve(self, data: Data, known: Knowledge) -> None:
        known.check_clusters(data.k)
        seeds, classes = _by_first_row(known)
        self._check_seeds(data, seeds, len(classes))
        rng = check_random(self.random_state)
        there = None
        if classes:
            there = data.metric.centers(data.rows, seeds, data.k)[: len(classes)]

        def run() -> Run:
            start = starting_centers(
                data.rows, data.k, data.metric, self.init, rng, known=there, eligible=seeds < 0
            )
            return self._run(data, seeds, start)

        self._keep(best(run() for _ in range(self.n_init if len(classes) < data.k else 1)))
        self.classes_ = (*classes, *(None,) * (data.k - len(classes)))

    def _check_seeds(self, data: Data, seeds: Labels, n_classes: int) -> None:
        """Refuse seeds that leave no way to fill all clusters."""

    def _run(self, data: Data, seeds: Labels, start: Floats) -> Run:
        return annealed(data, start, self._lloyd, self.max_iter)


@dataclass(eq=False, repr=False, kw_only=True)
class ConstrainedKMeans(SeededKMeans):
    """K-means from the centres of labelled items, which stay with their class throughout.

    Best where labels are right. Items of a class are together in one cluster, items of different
    classes are not; classes may be fewer than clusters.

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

    def _run(self, data: Data, seeds: Labels, start: Floats) -> Run:
        held = np.flatnonzero(seeds >= 0)
        rows_held, kept = data.rows[held], seeds[held]

        def run(data: Data, centers: Floats, max_iter: int) -> Run:
            def assign(centers: Floats, before: Labels | None) -> tuple[Labels, Floats]:
                labels, far = data.metric.nearest(data.rows, centers)
                labels[held] = kept
                far[held] = data.metric.own(rows_held, kept, centers)
                return labels, far

            return lloyd(data, centers, assign, max_iter=max_iter, tol=self.tol, movable=seeds < 0)

        return annealed(data, start, run, self.max_iter)


def _by_first_row(known: Knowledge) -> tuple[Labels, tuple[Any, ...]]:
    """Number of the class of each item, -1 for none, and the classes."""
    # Numbered by first items and not by name, the classes' names have no say in ties.
    codes = known.labels.codes
    labelled = np.flatnonzero(codes >= 0)
    found, first = np.unique(codes[labelled], return_index=True)
    order = np.argsort(first)
    place = np.full(len(known.labels.classes) + 1, -1, dtype=np.int64)
    place[found[order]] = np.arange(len(found))
    return place[codes], tuple(known.labels.classes[code] for code in found[order])
