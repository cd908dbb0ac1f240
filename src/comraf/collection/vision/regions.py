"""The 24 regions of a photo (thesis, 7.4.1): its grid, the texture and the 30 features of each.

Texture is how much a photo varies along 4 directions at 3 scales (Gabor energies). The filters
are Gaussians in the space of frequencies, applied through one Fourier transform and one inverse
for each filter. Each is scaled by its frequency, because in photos the amplitudes fall with it:
without that the coarse scale would drown the fine ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.vision.colours import to_lab

Floats = NDArray[np.float32]

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


N_ORIENTATIONS = 4
WAVES = (16.0, 8.0, 4.0)
"""Wavelengths of the scales, in pixels of a photo of 192."""

_SCALES = ("coarse", "medium", "fine")
_ANGLES = ("0", "45", "90", "135")
TEXTURE_NAMES = tuple(f"{scale} {angle}°" for scale in _SCALES for angle in _ANGLES)
"""Names of the 12 energies. At 0° brightness changes from left to right."""

N_FILTERS = len(TEXTURE_NAMES)

TEXTURE_MASS = 100_000
"""Energies are small shares; whole numbers of this fineness are counted."""

_PAD = 16


def grey_of(pixels: NDArray[np.uint8]) -> Floats:
    """Brightness of each pixel, from 0 to 1.

    Examples
    --------
    >>> grey_of(np.array([[[255, 255, 255], [0, 0, 0]]], np.uint8)).round(3).tolist()
    [[1.0, 0.0]]
    """
    weights = np.array([0.299, 0.587, 0.114], np.float32) / np.float32(255)
    grey: Floats = pixels.astype(np.float32) @ weights
    return grey


@lru_cache(maxsize=8)
def _bank(height: int, width: int) -> tuple[Floats, ...]:
    """The filters of one size, in the order of the names."""
    v = np.fft.fftfreq(height)[:, None]
    u = np.fft.fftfreq(width)[None, :]
    bank = []
    for wave in WAVES:
        centre = 1.0 / wave
        # scales an octave apart and directions 45 degrees apart touch at half their height
        along = centre / 3.0 / np.sqrt(2 * np.log(2.0))
        across = centre * np.tan(np.pi / (2 * N_ORIENTATIONS)) / np.sqrt(2 * np.log(2.0))
        for turn in range(N_ORIENTATIONS):
            angle = np.pi * turn / N_ORIENTATIONS
            forward = u * np.cos(angle) + v * np.sin(angle)
            sideward = -u * np.sin(angle) + v * np.cos(angle)
            gain = np.exp(-0.5 * (((forward - centre) / along) ** 2 + (sideward / across) ** 2))
            gain[0, 0] = 0.0  # how bright it is on the whole is no texture
            bank.append((gain / np.sqrt(wave)).astype(np.float32))
    return tuple(bank)


def gabor_energies(grey: Floats) -> Floats:
    """Mean response of each filter in each region.

    Parameters
    ----------
    grey : ndarray of float32, height x width
        From `grey_of`.

    Returns
    -------
    ndarray of float32, 24 x 12
        Never negative; columns as in `TEXTURE_NAMES`.

    Examples
    --------
    Stripes that run up and down change from left to right, and not the other way:

    >>> stripes = np.tile(np.float32([1, 1, 0, 0]), (48, 12))
    >>> energies = gabor_energies(stripes).mean(axis=0)
    >>> TEXTURE_NAMES[int(energies.argmax())], bool(energies[8] > 10 * energies[10])
    ('fine 0°', True)
    """
    from scipy import fft

    height, width = grey.shape
    pad = min(_PAD, height - 1, width - 1)
    # mirrored borders: an edge of the frame is no edge in the photo
    padded = np.pad(grey, pad, mode="reflect")
    shape = tuple(fft.next_fast_len(length) for length in padded.shape)
    padded = np.pad(padded, [(0, s - n) for s, n in zip(shape, padded.shape, strict=True)], "edge")
    spectrum = fft.fft2(padded)
    out = np.empty((N_REGIONS, N_FILTERS), np.float32)
    inside = (slice(pad, pad + height), slice(pad, pad + width))
    for number, gain in enumerate(_bank(*shape)):
        out[:, number] = region_means(np.abs(fft.ifft2(spectrum * gain)[inside]))
    return out


def texture_masses(energies: NDArray[Any]) -> NDArray[np.int64]:
    """Energies as whole numbers, so that they can be counted like pixels.

    Examples
    --------
    >>> texture_masses(np.array([0.0, 0.01234])).tolist()
    [0, 1234]
    """
    return np.rint(np.asarray(energies, dtype=np.float64) * TEXTURE_MASS).astype(np.int64)


_CHANNELS = ("red", "green", "blue", "L", "a", "b")
_MOMENTS = ("mean", "deviation", "skewness")
FEATURE_NAMES = TEXTURE_NAMES + tuple(f"{m} of {c}" for m in _MOMENTS for c in _CHANNELS)
"""Names of the 30 features: 12 of texture, 18 of colour."""


def region_features(pixels: NDArray[np.uint8], energies: Floats) -> Floats:
    """The 30 features of each region: texture, and three moments of RGB and Lab.

    Parameters
    ----------
    pixels : ndarray of uint8, height x width x 3
    energies : ndarray of float32, 24 x 12
        From `comraf.collection.vision.regions.gabor_energies`.

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
