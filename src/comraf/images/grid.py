"""The grid of 6 x 4 regions that a photo is cut into."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GRID", "N_REGIONS", "grid_of", "region_labels", "region_means"]

GRID = (6, 4)
"""Regions along the longer side and along the shorter one."""

N_REGIONS = GRID[0] * GRID[1]


def grid_of(height: int, width: int) -> tuple[int, int]:
    """Regions from top to bottom, and from left to right.

    Examples
    --------
    >>> grid_of(100, 150), grid_of(150, 100)
    ((4, 6), (6, 4))
    """
    return GRID[::-1] if width >= height else GRID


@lru_cache(maxsize=64)
def region_labels(height: int, width: int) -> NDArray[np.uint8]:
    """Number of the region of each pixel, row after row; 6 lie along the longer side.

    Examples
    --------
    >>> region_labels(4, 6)[:, 0].tolist(), region_labels(6, 4)[:, 0].tolist()
    ([0, 6, 12, 18], [0, 4, 8, 12, 16, 20])
    """
    down, across = grid_of(height, width)
    rows = np.arange(height) * down // height
    columns = np.arange(width) * across // width
    labels = (rows[:, None] * across + columns[None, :]).astype(np.uint8)
    labels.flags.writeable = False
    return labels


def region_means(values: NDArray[Any]) -> NDArray[np.float64]:
    """Mean of each region; the pixels of one are a block, so that no labels are needed.

    Parameters
    ----------
    values : array, height x width (x channels)

    Examples
    --------
    >>> region_means(np.arange(24.0).reshape(4, 6)).tolist() == list(range(24))
    True
    """
    height, width = values.shape[:2]
    down, across = grid_of(height, width)
    # the first pixel whose number falls to each region, as in region_labels
    rows = -(-np.arange(down) * height // down)
    columns = -(-np.arange(across) * width // across)
    sums = np.add.reduceat(values, rows, axis=0, dtype=np.float64)
    sums = np.add.reduceat(sums, columns, axis=1)
    sizes = np.outer(np.diff([*rows, height]), np.diff([*columns, width]))
    flat = sums.reshape(down * across, *values.shape[2:])
    means: NDArray[np.float64] = flat / sizes.reshape(-1, *[1] * (values.ndim - 2))
    return means
