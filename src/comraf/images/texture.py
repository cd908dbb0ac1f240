"""Texture: how much a photo varies along 4 directions at 3 scales (Gabor energies).

The filters are Gaussians in the space of frequencies, applied through one Fourier transform
and one inverse for each filter. Each is scaled by its frequency, because in photos the
amplitudes fall with it: without that the coarse scale would drown the fine ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.images.grid import N_REGIONS, region_means

__all__ = ["N_FILTERS", "TEXTURE_NAMES", "gabor_energies", "grey_of", "texture_masses"]

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
Floats = NDArray[np.float32]


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
