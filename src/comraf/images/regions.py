"""Regions of a photo on a grid of 6 x 4, and the 30 features of each (thesis, 7.4.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comraf.images.colours import to_lab
from comraf.images.grid import region_labels, region_means
from comraf.images.texture import TEXTURE_NAMES

__all__ = ["FEATURE_NAMES", "region_features"]

_CHANNELS = ("red", "green", "blue", "L", "a", "b")
_MOMENTS = ("mean", "deviation", "skewness")
FEATURE_NAMES = TEXTURE_NAMES + tuple(f"{m} of {c}" for m in _MOMENTS for c in _CHANNELS)
"""Names of the 30 features: 12 of texture, 18 of colour."""

Floats = NDArray[np.float32]


def region_features(pixels: NDArray[np.uint8], energies: Floats) -> Floats:
    """The 30 features of each region: texture, and three moments of RGB and Lab.

    Parameters
    ----------
    pixels : ndarray of uint8, height x width x 3
    energies : ndarray of float32, 24 x 12
        From `comraf.images.texture.gabor_energies`.

    Returns
    -------
    ndarray of float32, 24 x 30
        Columns as in `FEATURE_NAMES`. Skewness is 0 where a region has one colour.

    Examples
    --------
    >>> pixels = np.full((24, 36, 3), 255, np.uint8)
    >>> region_features(pixels, np.zeros((24, 12), np.float32)).shape
    (24, 30)
    """
    values = np.concatenate([pixels / np.float32(255), to_lab(pixels) / np.float32(100)], axis=2)
    mean = region_means(values)
    # moments about the mean of the region itself: large ones would not cancel otherwise
    values -= mean.astype(np.float32)[region_labels(*pixels.shape[:2])]
    squares = values * values
    deviation = np.sqrt(region_means(squares))
    third = region_means(np.multiply(squares, values, out=squares))
    # a step of one in 255 is no shape of a distribution
    plain = deviation < 1e-3
    skewness = np.where(plain, 0.0, third / np.where(plain, 1.0, deviation) ** 3)
    out: Floats = np.concatenate([energies, mean, deviation, skewness], axis=1).astype(np.float32)
    return out
