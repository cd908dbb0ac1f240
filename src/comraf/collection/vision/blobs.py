"""Blobs: regions of photos that look alike, found by k-means (thesis, 7.4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.vision.colours import fill_empty
from comraf.collection.vision.counting import Photos, features_of
from comraf.collection.vision.features import PhotoFeatures
from comraf.errors import InputError
from comraf.parameters import check_int

__all__ = ["N_BLOBS", "Codebook", "mean_and_scale"]

N_BLOBS = 2000
"""Blobs of a collection when nothing else is said, as in the thesis."""

Floats = NDArray[np.float32]
_DRAWN = 4
_MANY = 500
_CELLS = 4_000_000
_MOST_TAUGHT = 2000  # photos that blobs are made of; more of them teach nothing new


class Codebook:
    """The blobs of a collection: what their regions look like on the average.

    New photos are mapped to the blobs of earlier ones by the same codebook.

    Parameters
    ----------
    centers : array, blobs x features
        In features that are standardised.
    mean, scale : array of float
        How features are standardised: ``(features - mean) / scale``.

    Attributes
    ----------
    names : tuple of str
        Of the blobs. They hold a mark of the codebook: blobs of two codebooks have nothing
        in common, and so no name either.

    Examples
    --------
    >>> features = np.repeat([[0.0, 0.0], [9.0, 1.0]], 5, axis=0)
    >>> codebook = Codebook.learn(features, 2)
    >>> labels = codebook.assign(features)
    >>> len(set(labels[:5].tolist())), len(set(labels.tolist())), len(codebook.names)
    (1, 2, 2)
    """

    # what further columns of its file hold; a codebook of averages has none
    counts: Mapping[str, NDArray[Any]] = MappingProxyType({})
    weights: Mapping[str, float] = MappingProxyType({})
    units: Mapping[str, float] = MappingProxyType({})

    def __init__(
        self,
        centers: NDArray[Any] | Sequence[Sequence[float]],
        mean: NDArray[Any] | Sequence[float],
        scale: NDArray[Any] | Sequence[float],
    ) -> None:
        self.centers: Floats = np.ascontiguousarray(centers, dtype=np.float32)
        self.mean: Floats = np.asarray(mean, dtype=np.float32)
        self.scale: Floats = np.asarray(scale, dtype=np.float32)
        if self.centers.ndim != 2 or not len(self.centers):
            raise InputError(f"a codebook has rows of centres, not shape {self.centers.shape}")
        wide = (self.centers.shape[1],)
        if self.mean.shape != wide or self.scale.shape != wide:
            raise InputError(
                f"centres of {wide[0]} features need as many means and scales, not "
                f"{self.mean.shape} and {self.scale.shape}"
            )
        parts = (self.centers, self.mean, self.scale)
        if not all(np.isfinite(part).all() for part in parts) or not (self.scale > 0).all():
            raise InputError("a codebook has finite numbers, and scales above 0")
        self.names = self._names()

    def _names(self) -> tuple[str, ...]:
        import hashlib

        mark = hashlib.blake2b(b"".join(self._parts()), digest_size=4)
        digits = len(str(len(self.centers) - 1))
        return tuple(
            f"blob {number:0{digits}d} {mark.hexdigest()}" for number in range(len(self.centers))
        )

    def _parts(self) -> list[bytes]:
        """What makes the codebook what it is."""
        return [part.tobytes() for part in (self.centers, self.mean, self.scale)]

    def __len__(self) -> int:
        return len(self.centers)

    @property
    def looks(self) -> list[str]:
        """What each blob looks like, in words; "" where features are not those of regions."""
        from comraf.collection.vision.words import look_words

        return look_words(self.centers * self.scale + self.mean)

    @classmethod
    def learn(
        cls, features: NDArray[Any], n_blobs: int = N_BLOBS, *, seed: int = 0, max_iter: int = 30
    ) -> Codebook:
        """Find the blobs of some regions by k-means.

        Parameters
        ----------
        features : array, regions x features
        n_blobs : int, default 2,000
            At most: no more than there are different regions.
        seed : int, default 0
            The same regions and seed give the same blobs.
        max_iter : int, default 30
        """
        check_int("n_blobs", n_blobs)
        raw = np.asarray(features, dtype=np.float64)
        if raw.ndim != 2 or not len(raw) or not np.isfinite(raw).all():
            raise InputError(
                f"blobs are made of finite features, regions x features, not {raw.shape}"
            )
        mean, scale = mean_and_scale(raw)
        points = ((raw - mean) / scale).astype(np.float32)
        centers = _lloyd(points, _seeds(points, int(n_blobs), seed), max_iter)
        return cls(centers, mean, scale)

    @classmethod
    def of_photos(
        cls, photos: Photos | Sequence[PhotoFeatures], n_blobs: int, seed: int
    ) -> Codebook:
        """Find the blobs of photos; of many photos, from some of them."""
        n = len(photos)
        taken = np.ones(n, dtype=bool)
        if n > _MOST_TAUGHT:
            taken[:] = False
            taken[np.random.default_rng(seed).choice(n, _MOST_TAUGHT, replace=False)] = True
        pairs = zip(features_of(photos), taken.tolist(), strict=True)
        return cls.learn(np.concatenate([row for row, take in pairs if take]), n_blobs, seed=seed)

    def rows_of(self, photo: PhotoFeatures) -> NDArray[Any]:
        """What a photo's regions are held against the blobs by, as `assign` takes it."""
        return photo.features

    def assign(self, features: NDArray[Any]) -> NDArray[np.int64]:
        """Return the blob that each region is nearest to."""
        raw = np.asarray(features, dtype=np.float32)
        if raw.ndim != 2 or raw.shape[1] != self.centers.shape[1]:
            raise InputError(
                f"the codebook knows regions of {self.centers.shape[1]} features, not {raw.shape}"
            )
        return nearest((raw - self.mean) / self.scale, self.centers)[0]


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


def mean_and_scale(
    features: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by what features are standardised: their means and deviations.

    Examples
    --------
    >>> mean_and_scale(np.array([[1.0, 7.0], [3.0, 7.0]]))[1].tolist()
    [1.0, 1.0]
    """
    mean, scale = features.mean(axis=0), features.std(axis=0)
    # what is the same everywhere is left as it is, and says nothing
    scale[scale < 1e-9] = 1.0
    return mean, scale


def _seeds(points: Floats, n: int, seed: int) -> Floats:
    """k-means++: each next centre is drawn by its squared distance to the nearest one so far."""
    # Of a few drawn the one is taken that leaves the least distance, as one alone is often drawn
    # from where there is a centre already; among very many centres one bad one matters less.
    tries = _DRAWN if n <= _MANY else 1
    rng = np.random.default_rng(seed)
    lengths = (points**2).sum(axis=1)
    chosen = [int(rng.integers(len(points)))]
    far = _distances(points, lengths, chosen)[0]
    while len(chosen) < n:
        total = np.cumsum(far, dtype=np.float64)
        if total[-1] <= 0:  # no more different regions
            break
        drawn = np.searchsorted(total, rng.random(tries) * total[-1], side="right")
        left = np.minimum(_distances(points, lengths, drawn.tolist()), far)
        best = int(left.sum(axis=1, dtype=np.float64).argmin())
        chosen.append(int(drawn[best]))
        far = left[best]
    return points[chosen]


def _distances(points: Floats, lengths: Floats, to: list[int]) -> Floats:
    found: Floats = lengths - 2 * (points[to] @ points.T) + lengths[to][:, None]
    # rounding leaves a little where nothing should be: regions that are equal stay equal
    found[found < 1e-4 * (1 + lengths)] = 0
    return found


def _lloyd(points: Floats, centers: Floats, max_iter: int) -> Floats:
    n = len(centers)
    owner = np.full(len(points), -1)
    for _ in range(max_iter):
        new, far = nearest(points, centers)
        counts = fill_empty(new, far, n)
        # the last few that go to and fro change nothing that could be seen
        still = np.count_nonzero(new != owner) <= len(points) // 1000
        owner = new
        sums = [np.bincount(owner, points[:, c], n) for c in range(points.shape[1])]
        centers = (np.stack(sums, axis=1) / counts[:, None]).astype(np.float32)
        if still:
            break
    return centers
