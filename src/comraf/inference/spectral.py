"""Flat starts for an agreement: the runs' partitions seen as points in a few dimensions.

Merging a run's clusters ends near that run. A start that belongs to no run comes from the
spectrum of the table of runs (values x clusters of all runs): values that the runs keep
together are close in its leading directions, and k-means finds groups of them there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import eigh

from comraf.objectives import Labels

__all__ = ["spectral_starts"]

Floats = npt.NDArray[np.float64]

# Clusters of the runs that are looked at: their matrix is dense, and its spectrum costs
# their cube. Runs beyond that many are left out.
_MOST_COLUMNS = 2048
# Centres are sought among so many values; all others only go to the closest one.
_MOST_POINTS = 20_000
_ROUNDS = 50
# Coordinates of all values (1 GB); beyond, starts come from the runs alone.
_MOST_CELLS = 2**27


def spectral_starts(
    given: Sequence[Labels], k: int, tries: int, rng: np.random.Generator
) -> list[Labels]:
    """Partitions into ``k`` clusters of values that several partitions keep together.

    As many as there are ``tries``, or fewer: a try may find fewer than ``k`` clusters.

    Examples
    --------
    >>> runs = [np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 1, 1])]
    >>> [labels] = spectral_starts(runs, 2, 1, np.random.default_rng(0))
    >>> labels.tolist() in ([0, 0, 0, 1, 1], [1, 1, 1, 0, 0])
    True
    """
    points = _embedding(given, k)
    if points is None or len(points) < k:
        return []
    some = points
    if len(points) > _MOST_POINTS:
        some = points[rng.choice(len(points), _MOST_POINTS, replace=False)]
    starts = []
    for _ in range(tries):
        centres = _centres(some, k, rng)
        labels = np.argmax(points @ centres.T, axis=1).astype(np.int32)
        if len(np.unique(labels)) == k:
            starts.append(labels)
    return starts


def _embedding(given: Sequence[Labels], k: int) -> Floats | None:
    """Unit vectors of the values in the ``k`` leading directions of the table of runs."""
    sizes = [np.bincount(labels) for labels in given]
    offsets = np.cumsum([0, *(len(size) for size in sizes)])
    fitting = int(np.searchsorted(offsets, _MOST_COLUMNS, side="right")) - 1
    if fitting < 2:  # a single run has nothing to add to its own clusters
        return None
    given, sizes = given[:fitting], sizes[:fitting]
    n, n_columns = len(given[0]), int(offsets[fitting])
    if n_columns < k or n * k > _MOST_CELLS:
        return None
    columns = np.stack([labels + offsets[i] for i, labels in enumerate(given)], axis=1).ravel()
    # a large cluster says little about any two of its values
    scale = 1.0 / np.sqrt(np.maximum(1, np.concatenate(sizes)) * len(given))
    indptr = np.arange(n + 1, dtype=np.int64) * len(given)
    table = sp.csr_array((scale[columns], columns, indptr), shape=(n, n_columns))
    gram = (table.T @ table).toarray()
    _, vectors = eigh(gram, subset_by_index=(n_columns - k, n_columns - 1))
    points: Floats = table @ vectors
    length = np.linalg.norm(points, axis=1, keepdims=True)
    return points / np.where(length > 0, length, 1.0)


def _centres(points: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Spherical k-means from spread-out points."""
    centres = points[_spread(points, k, rng)]
    before = -np.inf
    for _ in range(_ROUNDS):
        closeness = points @ centres.T
        labels = closeness.argmax(axis=1)
        own = closeness[np.arange(len(points)), labels]
        value = float(own.sum())
        if value <= before + 1e-9 * len(points):
            break
        before = value
        member = sp.csr_array(
            (np.ones(len(points)), labels, np.arange(len(points) + 1)), shape=(len(points), k)
        )
        centres = member.T @ points
        length = np.linalg.norm(centres, axis=1)
        empty = np.flatnonzero(length == 0)
        if len(empty):  # an empty cluster takes the points that fit worst where they are
            centres[empty] = points[np.argsort(own, kind="stable")[: len(empty)]]
            length[empty] = 1.0
        centres /= length[:, None]
    return centres


def _spread(points: Floats, k: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Points drawn one by one, those far from all drawn before more likely (k-means++)."""
    chosen = [int(rng.integers(len(points)))]
    far = np.maximum(0.0, 1.0 - points @ points[chosen[0]])
    while len(chosen) < k:
        total = float(far.sum())
        if total <= 0:
            chosen.append(int(rng.integers(len(points))))
            continue
        at = int(np.searchsorted(np.cumsum(far), rng.random() * total, side="right"))
        chosen.append(min(at, len(points) - 1))
        far = np.minimum(far, np.maximum(0.0, 1.0 - points @ points[chosen[-1]]))
    return np.array(chosen, dtype=np.int64)
