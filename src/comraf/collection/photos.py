"""What can be seen in the photos of a collection, read from where it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from comraf.collection.gather import FEATURES_FILE
from comraf.collection.shelf import Shelf
from comraf.errors import ReadError

if TYPE_CHECKING:
    from comraf.images import PhotoFeatures

__all__ = ["StoredPhotos"]

_MOST_GROUP = 1 << 30
_T = TypeVar("_T")


class StoredPhotos(Sequence["PhotoFeatures"]):
    """The features of all photos of a collection; no more than a row group is in memory.

    Parameters
    ----------
    shelf : Shelf
        Where the collection lies.
    n_items : int
        As many there must be.
    guard : callable
        Gives a context in which a damaged file becomes one clear error.
    """

    def __init__(
        self, shelf: Shelf, n_items: int, guard: Callable[[object], AbstractContextManager[None]]
    ) -> None:
        self._shelf = shelf
        self._n = n_items
        self._guard = guard
        self._file: Any = None
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._group: tuple[int, Any] = (-1, None)

    def __len__(self) -> int:
        return self._n

    def _open(self) -> Any:
        if self._file is None:
            import pyarrow.parquet as pq

            file = pq.ParquetFile(
                self._shelf.source(FEATURES_FILE), page_checksum_verification=True
            )
            groups = [file.metadata.row_group(g) for g in range(file.num_row_groups)]
            rows = [group.num_rows for group in groups]
            if sum(rows) != self._n or str(file.schema_arrow.field("features").type) != "binary":
                raise ReadError(
                    f"{self._shelf}: the collection is damaged: the features of {sum(rows)} "
                    f"photos are there, of {self._n} are announced"
                )
            if any(group.total_byte_size > _MOST_GROUP for group in groups):
                raise ReadError(f"{self._shelf}: the collection is damaged: features too large")
            self._starts = np.concatenate([[0], np.cumsum(rows, dtype=np.int64)])
            self._file = file
        return self._file

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._group = (-1, None)

    def packed(self, start: int, stop: int) -> list[bytes]:
        """Return the features of photos that follow each other, as they are kept."""
        out: list[bytes] = []
        with self._guard(self._shelf):
            self._open()
            at = start
            while at < stop:
                group = int(np.searchsorted(self._starts, at, side="right")) - 1
                end = min(stop, int(self._starts[group + 1]))
                column = self._column(group)
                first = int(self._starts[group])
                out += column.slice(at - first, end - at).to_pylist()
                at = end
        return out

    def _column(self, group: int) -> Any:
        if self._group[0] != group:
            self._group = (group, self._open().read_row_group(group).column(0))
        return self._group[1]

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
        return self._unpacked(self.packed(number, number + 1)[0])

    def __iter__(self) -> Iterator[PhotoFeatures]:
        return map(self._unpacked, self._each())

    def region_features(self) -> Iterator[NDArray[np.float32]]:
        """The features of each photo's regions alone, several times as fast."""
        return map(self._features, self._each())

    def _each(self) -> Iterator[bytes]:
        with self._guard(self._shelf):
            self._open()
        starts = self._starts.tolist()
        for start, stop in pairwise(starts):
            yield from self.packed(start, stop)

    def _unpacked(self, data: bytes) -> PhotoFeatures:
        from comraf.images.features import PhotoFeatures

        return self._whole(PhotoFeatures.from_bytes, data)

    def _features(self, data: bytes) -> NDArray[np.float32]:
        from comraf.images.features import PhotoFeatures

        return self._whole(PhotoFeatures.features_in, data)

    def _whole(self, read: Callable[[bytes], _T], data: bytes) -> _T:
        try:
            return read(data)
        except (ReadError, TypeError) as error:
            raise ReadError(f"{self._shelf}: the collection is damaged: {error}") from error
