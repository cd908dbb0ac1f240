"""What is kept of a photo: counts of colours, texture, features of regions, a thumbnail."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.vision.colours import N_BINS, bins_of
from comraf.collection.vision.decode import Photo
from comraf.collection.vision.regions import (
    FEATURE_NAMES,
    N_FILTERS,
    N_REGIONS,
    gabor_energies,
    grey_of,
    region_features,
    region_labels,
)
from comraf.errors import ReadError

__all__ = ["FEATURES_VERSION", "PhotoFeatures", "photo_features"]

FEATURES_VERSION = 1
"""Changes when the same photo would give other features, so that stored ones are not reused."""

THUMBNAIL = 160
_QUALITY = 80
MOST_BYTES = 16 << 20
"""Features of one photo that are larger than this, packed or unpacked, are damaged."""

# Beyond what any photo has: pixels are numbers between 0 and 1, filters keep them about there,
# and skewness is never above the root of the number of pixels.
_MOST_PIXELS = 200_000_000
_MOST_ENERGY = 10.0
_MOST_FEATURE = 1e5
_ARRAYS = ("regions", "bins", "counts", "texture", "features", "thumbnail", "about")


@dataclass(frozen=True, slots=True, eq=False)
class PhotoFeatures:
    """What can be seen in one photo.

    Attributes
    ----------
    regions, bins, counts : ndarray of uint8, uint16 and uint32
        Triplets: how many pixels of a region lie in a bin of colours (32 x 32 x 32); sorted
        by region and bin.
    texture : ndarray of float32, 24 x 12
        Gabor energies of each region.
    features : ndarray of float32, 24 x 30
        The features of each region that blobs are made of.
    thumbnail : bytes
        A JPEG file, 160 pixels or less.
    width, height : int
        Of the photo itself.
    date : datetime or None
    place : str
    notes : tuple of str
    """

    regions: NDArray[np.uint8]
    bins: NDArray[np.uint16]
    counts: NDArray[np.uint32]
    texture: NDArray[np.float32]
    features: NDArray[np.float32]
    thumbnail: bytes
    width: int
    height: int
    date: datetime | None = None
    place: str = ""
    notes: tuple[str, ...] = ()

    @property
    def region_sizes(self) -> NDArray[np.int64]:
        """Pixels of each region."""
        sizes = np.bincount(self.regions, self.counts, N_REGIONS)
        return np.rint(sizes).astype(np.int64)

    def colours(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Bins of the whole photo that have pixels, and how many."""
        bins, where = np.unique(self.bins, return_inverse=True)
        counts = np.bincount(where, self.counts, len(bins))
        return bins.astype(np.int64), np.rint(counts).astype(np.int64)

    def to_bytes(self) -> bytes:
        """Return everything as one packed ``.npz`` file; the same features give the same bytes."""
        about = {
            "width": self.width,
            "height": self.height,
            "date": None if self.date is None else self.date.isoformat(),
            "place": self.place,
            "notes": list(self.notes),
        }
        file = io.BytesIO()
        np.savez_compressed(
            file,
            **{name: getattr(self, name) for name in _ARRAYS[:5]},
            thumbnail=np.frombuffer(self.thumbnail, np.uint8),
            about=np.frombuffer(json.dumps(about).encode(), np.uint8),
        )
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> PhotoFeatures:
        """Return features from what `to_bytes` wrote; everything is checked.

        Raises
        ------
        ReadError
            The bytes are damaged.
        """
        with _opened(data), np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            parts = {name: arrays[name] for name in _ARRAYS}
            _check(parts)
            about = json.loads(parts.pop("about").tobytes())
            date = about["date"]
            return cls(
                thumbnail=parts.pop("thumbnail").tobytes(),
                width=int(about["width"]),
                height=int(about["height"]),
                date=None if date is None else datetime.fromisoformat(date).astimezone(UTC),
                place=str(about["place"]),
                notes=tuple(map(str, about["notes"])),
                **parts,
            )

    @staticmethod
    def features_in(data: bytes) -> NDArray[np.float32]:
        """Return the features of the regions alone, all else stays packed; they are checked.

        Raises
        ------
        ReadError
            The bytes are damaged.
        """
        with _opened(data) as file:
            packed = io.BytesIO(file.read("features.npy"))
            found = np.asarray(np.lib.format.read_array(packed, allow_pickle=False))
            if found.dtype != np.float32 or found.shape != (N_REGIONS, len(FEATURE_NAMES)):
                raise ValueError(f"features is {found.dtype} {found.shape}")
            _check_numbers(found, _MOST_FEATURE)
            return found


@contextmanager
def _opened(data: bytes) -> Iterator[zipfile.ZipFile]:
    """The arrays, not too large; nearly anything is raised on damaged bytes, TokenError too."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if sum(member.file_size for member in file.infolist()) > MOST_BYTES:
                raise ValueError("far too large")
            yield file
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ReadError(f"the features of a photo are damaged: {reason}") from error


def _check(parts: dict[str, NDArray[Any]]) -> None:
    n = len(parts["regions"])
    wanted = {
        "regions": (np.uint8, (n,)),
        "bins": (np.uint16, (n,)),
        "counts": (np.uint32, (n,)),
        "texture": (np.float32, (N_REGIONS, N_FILTERS)),
        "features": (np.float32, (N_REGIONS, len(FEATURE_NAMES))),
        "thumbnail": (np.uint8, parts["thumbnail"].shape[:1]),
        "about": (np.uint8, parts["about"].shape[:1]),
    }
    for name, (dtype, shape) in wanted.items():
        if parts[name].dtype != dtype or parts[name].shape != shape:
            raise ValueError(f"{name} is {parts[name].dtype} {parts[name].shape}")
    if n and (parts["regions"].max() >= N_REGIONS or parts["bins"].max() >= N_BINS):
        raise ValueError("a region or a bin that does not exist")
    if not 1 <= parts["counts"].sum(dtype=np.uint64) <= _MOST_PIXELS:
        raise ValueError("no pixels, or more than a photo can have")
    _check_numbers(parts["features"], _MOST_FEATURE)
    _check_numbers(parts["texture"], _MOST_ENERGY)
    if (parts["texture"] < 0).any():
        raise ValueError("energies below 0")


def _check_numbers(found: NDArray[Any], most: float) -> None:
    # a number that is none is not below anything
    if not (np.abs(found) <= most).all():
        raise ValueError("numbers that are none, or far too large")


def photo_features(photo: Photo) -> PhotoFeatures:
    r"""Compute what is kept of a photo.

    Parameters
    ----------
    photo : Photo
        From `comraf.collection.vision.decode.open_photo`.

    Returns
    -------
    PhotoFeatures

    Examples
    --------
    >>> photo = Photo(np.full((96, 144, 3), 200, np.uint8), 144, 96)
    >>> found = photo_features(photo)
    >>> found.colours()[1].tolist(), found.features.shape, found.thumbnail[:2]
    ([13824], (24, 30), b'\xff\xd8')
    >>> PhotoFeatures.from_bytes(found.to_bytes()).width
    144
    """
    pixels = photo.pixels
    labels = region_labels(*pixels.shape[:2])
    keys = labels.astype(np.int64).ravel() * N_BINS + bins_of(pixels).ravel()
    found, counts = np.unique(keys, return_counts=True)
    energies = gabor_energies(grey_of(pixels))
    return PhotoFeatures(
        regions=(found // N_BINS).astype(np.uint8),
        bins=(found % N_BINS).astype(np.uint16),
        counts=counts.astype(np.uint32),
        texture=energies,
        features=region_features(pixels, energies),
        thumbnail=_thumbnail(pixels),
        width=photo.width,
        height=photo.height,
        date=photo.date,
        place=photo.place,
        notes=photo.notes,
    )


def _thumbnail(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    image = Image.fromarray(pixels)
    image.thumbnail((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()
