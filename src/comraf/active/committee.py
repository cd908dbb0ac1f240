"""Many quick clusterings that use what is known so far, and vote on which items are alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.active.space import Space
from comraf.graph.tables import check_fits

__all__ = ["Committee"]

# Wide rows are projected to so many columns: clusterings are quick then, and no worse.
_WIDTH = 64
# Rounds of each clustering. Votes are counted over many: none need be finished.
_ROUNDS = 8


class Committee:
    """Seeded k-means from different halves of what is known.

    Parameters
    ----------
    space : Space
        The items. Rows of many columns are projected to a few by singular vectors, once.
    size : int
        Number of clusterings.
    rng : numpy.random.Generator
        Draws halves and starts.

    Attributes
    ----------
    labels : numpy.ndarray of int64, shape (size, n)
        Clusters, those of the clustering with the least distances first.
    rows : numpy.ndarray of shape (n, d)
        Rows that are clustered.

    Examples
    --------
    >>> space = Space([[0.0], [0.1], [5.0], [5.1]])
    >>> committee = Committee(space, 5, np.random.default_rng(0))
    >>> committee.cluster([[0], [3]], 2)
    >>> committee.votes([[0], [3]]).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """

    def __init__(self, space: Space, size: int, rng: np.random.Generator) -> None:
        from comraf.kmeans.distances import metric_for  # slow to import, and seldom needed

        self._metric = metric_for(space.metric)
        self._size, self._rng = size, rng
        self.rows = self._metric.prepare(_narrow(space, rng))
        self.labels = np.zeros((0, space.n), dtype=np.int64)

    def cluster(self, neighbourhoods: Sequence[Sequence[int]], k: int) -> None:
        """Let all members cluster the items anew.

        Each starts from the means of a random half of each neighbourhood's members, and from far
        items where there are more clusters than neighbourhoods.
        """
        from comraf.kmeans.base import Data, lloyd
        from comraf.kmeans.seeding import starting_centers

        n, many = len(self.rows), len(neighbourhoods)
        data = Data(self.rows, self._metric, min(max(k, many), n))
        found = []
        for _ in range(self._size):
            seeds = np.full(n, -1, dtype=np.int64)
            for place, rows in enumerate(neighbourhoods):
                seeds[self._rng.permutation(rows)[: (len(rows) + 1) // 2]] = place
            there = self._metric.centers(self.rows, seeds, many) if many else None
            state = np.random.RandomState(int(self._rng.integers(2**31 - 1)))
            start = starting_centers(
                self.rows, data.k, data.metric, "k-means++", state, known=there, eligible=seeds < 0
            )
            run = lloyd(data, start, max_iter=_ROUNDS, tol=1e-3)
            found.append((run.objective, run.labels))
        found.sort(key=lambda each: each[0])
        self.labels = np.array([labels for _, labels in found], dtype=np.int64)

    def votes(self, neighbourhoods: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Share of pairs of each item and a neighbourhood's members that are put together."""
        found = np.zeros((len(self.rows), len(neighbourhoods)))
        for labels in self.labels:
            share = np.zeros((int(labels.max()) + 1, len(neighbourhoods)))
            for place, members in enumerate(neighbourhoods):
                np.add.at(share[:, place], labels[members], 1 / len(members))
            found += share[labels]
        return found / max(len(self.labels), 1)

    def likeness(self, neighbourhoods: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Distances of the centres of all neighbourhoods from each other."""
        place = np.full(len(self.rows), -1, dtype=np.int64)
        for at, members in enumerate(neighbourhoods):
            place[members] = at
        centers = self._metric.centers(self.rows, place, len(neighbourhoods))
        return np.asarray(self._metric.distances(self._metric.prepare(centers), centers))


def _narrow(space: Space, rng: np.random.Generator) -> NDArray[np.float64]:
    if min(space.width, space.n) <= _WIDTH + 1:
        rows = space.rows
        return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
    from sklearn.decomposition import TruncatedSVD

    check_fits(
        3.0 * 8 * (_WIDTH + 10) * (space.width + space.n),
        f"a projection of {space.n:,} rows with {space.width:,} columns",
        "leave out rare columns",
    )
    # Rows are what singular vectors leave of them; equal to 0 they would have no direction.
    seed = int(rng.integers(2**31 - 1))
    narrow = np.asarray(TruncatedSVD(_WIDTH, random_state=seed).fit_transform(space.rows))
    narrow[~narrow.any(axis=1), 0] = 1e-12
    return narrow
