"""Photos as vectors, by what each part of the frame looks like, and who is near whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.vision.counting import Photos, features_of
from comraf.collection.vision.features import PhotoFeatures
from comraf.collection.vision.regions import FEATURE_NAMES, N_REGIONS
from comraf.errors import InputError
from comraf.graph.neighbours import NeighbourTable, neighbour_table, neighbours_among
from comraf.graph.tables import check_fits

__all__ = ["N_NEIGHBOURS", "Looks", "photo_vectors"]

#: Neighbours of each photo when nothing else is said.
N_NEIGHBOURS = 15

_N_FEATURES = len(FEATURE_NAMES)
_WIDTH = N_REGIONS * _N_FEATURES
_CONSTANT = 1e-6  # what varies less than that over all regions is the same in all of them
_AT_ONCE = 4096  # photos whose features are summed together

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What photos look like, as vectors, and the scale on which others can be put.

    Attributes
    ----------
    vectors : ndarray of float32, photos x 720
        The 30 features of each of the 24 regions, side by side, each less its mean over all
        regions of all photos and divided by its deviation.
    mean, scale : ndarray of float32, 30
        These means and deviations.
    n_neighbors : int
        How many of the nearest photos count for each.
    """

    vectors: Floats
    mean: Floats
    scale: Floats
    n_neighbors: int = N_NEIGHBOURS

    def __post_init__(self) -> None:
        fits = self.mean.shape == self.scale.shape == (_N_FEATURES,)
        if not fits or self.vectors.ndim != 2 or self.vectors.shape[1] != _WIDTH:
            raise InputError(
                f"looks are vectors of {_WIDTH} numbers, with a mean and a scale of {_N_FEATURES}"
            )
        if not (np.isfinite(self.mean).all() and np.isfinite(self.scale).all()):
            raise InputError("the mean and the scale of looks must be finite")
        if (self.scale <= 0).any():
            raise InputError("the scale of looks must be positive")

    def __len__(self) -> int:
        return len(self.vectors)

    def of(self, photos: Photos | Sequence[PhotoFeatures]) -> Floats:
        """Return the vectors of other photos on the same scale."""
        return _scaled(_stacked(photos), self.mean, self.scale)

    def table(
        self, *, copy: str = "observed", listener: Callable[[float], None] | None = None
    ) -> NeighbourTable:
        """Return photos x photos: which are nearest to each, by the cosine of their vectors.

        Parameters are those of `comraf.neighbour_table`.
        """
        return neighbour_table(self.vectors, self.n_neighbors, copy=copy, listener=listener)

    def among(self, photos: Photos | Sequence[PhotoFeatures]) -> Any:
        """Return other photos x these: which of these are nearest to each of the others."""
        return neighbours_among(self.of(photos), self.vectors, self.n_neighbors)


def photo_vectors(
    photos: Photos | Sequence[PhotoFeatures], n_neighbors: int = N_NEIGHBOURS
) -> Looks:
    """Describe each photo by one vector: what its 24 regions look like, each where it is.

    Parameters
    ----------
    photos : sequence of PhotoFeatures
        Or anything with a length that can be gone through; beside the vectors (3 kB a photo)
        one photo at a time is in memory.
    n_neighbors : int, default 15
        What `Looks.table` and `Looks.among` count.

    Examples
    --------
    >>> from comraf.images import Photo, photo_features
    >>> shades = [np.full((24, 36, 3), value, np.uint8) for value in (10, 20, 230, 240)]
    >>> photos = [photo_features(Photo(pixels, 36, 24)) for pixels in shades]
    >>> looks = photo_vectors(photos, 1)
    >>> looks.vectors.shape, looks.table().indices.tolist()
    ((4, 720), [1, 0, 3, 2])
    >>> looks.among([photo_features(Photo(shades[3], 36, 24))]).toarray().tolist()
    [[0, 0, 0, 1]]
    """
    if isinstance(photos, Iterator):
        raise InputError("photos must be a sequence with a length")
    if len(photos) == 0:
        raise InputError("there are no photos to look at")
    rows = _stacked(photos)
    mean, scale = _mean_and_scale(rows)
    return Looks(_scaled(rows, mean, scale), mean, scale, n_neighbors)


def _stacked(photos: Photos | Sequence[PhotoFeatures]) -> Floats:
    n = len(photos)
    check_fits(4.0 * n * _WIDTH, f"vectors of {n:,} photos", "take fewer photos")
    rows = np.empty((n, _WIDTH), np.float32)
    for row, features in zip(rows, features_of(photos), strict=True):
        if features.shape != (N_REGIONS, _N_FEATURES):
            raise InputError(
                f"a photo has features of shape {features.shape}; {N_REGIONS} x {_N_FEATURES} "
                "were expected"
            )
        row[:] = features.ravel()
    return rows


def _mean_and_scale(rows: Floats) -> tuple[Floats, Floats]:
    """Of each feature over all regions, without a second copy of them all."""
    blocks = range(0, len(rows), _AT_ONCE)

    def regions(start: int) -> NDArray[np.float64]:
        return rows[start : start + _AT_ONCE].reshape(-1, _N_FEATURES).astype(np.float64)

    n = len(rows) * N_REGIONS
    mean = sum((regions(start).sum(axis=0) for start in blocks), np.zeros(_N_FEATURES)) / n
    squares = sum(
        (np.square(regions(start) - mean).sum(axis=0) for start in blocks), np.zeros(_N_FEATURES)
    )
    deviation = np.sqrt(squares / n)
    # a feature that is the same everywhere tells nothing, and must not be divided by nothing
    scale = np.where(deviation > _CONSTANT, deviation, 1.0)
    return mean.astype(np.float32), scale.astype(np.float32)


def _scaled(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Vectors on a scale, in place."""
    by_region = rows.reshape(-1, _N_FEATURES)
    for start in range(0, len(by_region), _AT_ONCE):
        block = by_region[start : start + _AT_ONCE]
        block -= mean
        block /= scale
        # what rounding left of features that are the same everywhere
        block[np.abs(block) < _CONSTANT] = 0.0
    return rows
