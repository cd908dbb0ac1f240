"""Which of some centres is nearest to each of many points, a stretch of points at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["nearest"]

_CELLS = 4_000_000


def nearest(points: NDArray[Any], centres: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number of the nearest centre of each point, and the squared distance to it.

    The first of several that are equally near is taken. No more than a few million
    distances are in memory at once.

    Examples
    --------
    >>> owner, far = nearest(np.array([[0.0], [3.0]]), np.array([[1.0], [2.5]]))
    >>> owner.tolist(), far.tolist()
    ([0, 1], [1.0, 0.25])
    """
    step = max(1, _CELLS // max(len(centres), 1))
    owner = np.empty(len(points), np.int64)
    far = np.empty(len(points), points.dtype)
    lengths = (centres**2).sum(axis=1)
    for start in range(0, len(points), step):
        part = points[start : start + step]
        # |x - c|^2 without |x|^2, which is the same for all centres
        rest = lengths - 2 * (part @ centres.T)
        best = rest.argmin(axis=1)
        owner[start : start + step] = best
        found = np.take_along_axis(rest, best[:, None], axis=1)[:, 0] + (part**2).sum(axis=1)
        far[start : start + step] = np.maximum(found, 0)
    return owner, far
