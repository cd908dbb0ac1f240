"""What can be seen in the photos of a collection, read from where it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from comraf.collection.vision.features import PhotoFeatures
from comraf.errors import ReadError

__all__ = ["StoredPhotos"]

_T = TypeVar("_T")


class StoredPhotos(Sequence[PhotoFeatures]):
    """The features of all photos of a collection; no more than a row group is in memory.

    Parameters
    ----------
    packed : callable
        Yields the features of photos from one number to another, as they are kept.
    n_items : int
    where : object
        What the collection is called in messages.
    """

    def __init__(
        self, packed: Callable[[int, int], Iterator[bytes]], n_items: int, where: object
    ) -> None:
        self._packed = packed
        self._n = n_items
        self._where = where

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, item: int) -> PhotoFeatures: ...
    @overload
    def __getitem__(self, item: slice) -> list[PhotoFeatures]: ...
    def __getitem__(self, item: int | slice) -> PhotoFeatures | list[PhotoFeatures]:
        if isinstance(item, slice):
            return [self[i] for i in range(*item.indices(self._n))]
        number = int(item)
        if not -self._n <= number < self._n:
            raise IndexError(
                f"there is no photo {number}; they are numbered from 0 to {self._n - 1}"
            )
        number %= self._n
        return self._read(PhotoFeatures.from_bytes, next(self._packed(number, number + 1)))

    def __iter__(self) -> Iterator[PhotoFeatures]:
        return (self._read(PhotoFeatures.from_bytes, data) for data in self._packed(0, self._n))

    def region_features(self) -> Iterator[NDArray[np.float32]]:
        """The features of each photo's regions alone, several times as fast."""
        return (self._read(PhotoFeatures.features_in, data) for data in self._packed(0, self._n))

    def _read(self, read: Callable[[bytes], _T], data: bytes) -> _T:
        try:
            return read(data)
        except (ReadError, TypeError) as error:
            raise ReadError(f"{self._where}: the collection is damaged: {error}") from error
