"""What is seen in photos, counted: colours, texture and blobs of each, and of its regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.vision.colours import Palette
from comraf.collection.vision.regions import (
    N_FILTERS,
    N_REGIONS,
    TEXTURE_NAMES,
    texture_masses,
)
from comraf.errors import InputError

if TYPE_CHECKING:
    from comraf.collection.vision.blobs import Codebook
    from comraf.collection.vision.features import PhotoFeatures

REGION_COLOURS = 64
"""Colours that regions are clustered by: they have few pixels, and finer palettes hurt (7.5.2)."""

COUNT_WIDTHS = {"colours": REGION_COLOURS, "texture": N_FILTERS}
"""What clusters of regions keep counts of, and how many of each."""

_AT_ONCE = 64  # photos whose regions are held against the blobs together


class Photos(Protocol):
    """Features of photos, read one after another as often as needed."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[PhotoFeatures]: ...


def features_of(photos: Photos | Sequence[PhotoFeatures]) -> Iterator[NDArray[np.float32]]:
    """The features of each photo's regions, from stored photos without all the rest."""
    alone = getattr(photos, "region_features", None)
    return alone() if callable(alone) else (one.features for one in photos)


def colours_of_regions(one: PhotoFeatures, palette: Palette) -> NDArray[np.int64]:
    """Pixels of each region of a photo over a palette.

    Examples
    --------
    >>> from comraf.images import Photo, photo_features
    >>> white = photo_features(Photo(np.full((24, 36, 3), 255, np.uint8), 36, 24))
    >>> colours_of_regions(white, Palette(8))[:, -1].tolist() == [36] * 24
    True
    """
    n = len(palette)
    keys = one.regions.astype(np.int64) * n + palette.lookup[one.bins]
    counts = np.bincount(keys, one.counts, N_REGIONS * n)
    return np.rint(counts).astype(np.int64).reshape(N_REGIONS, n)


def region_rows(one: PhotoFeatures) -> NDArray[np.int64]:
    """What Comraf clusters regions by: pixels over 64 colours, and texture, of each.

    Examples
    --------
    >>> from comraf.images import Photo, photo_features
    >>> region_rows(photo_features(Photo(np.zeros((24, 36, 3), np.uint8), 36, 24))).shape
    (24, 76)
    """
    colours = colours_of_regions(one, Palette(REGION_COLOURS))
    return np.hstack([colours, texture_masses(one.texture)])


def blob_table(labels: NDArray[Any] | Sequence[int], n_blobs: int | None = None) -> sp.csr_array:
    """Photos x blobs, from the blob of each region, however it was found.

    Parameters
    ----------
    labels : array of int
        Of the regions, 24 a photo, photo after photo.
    n_blobs : int, optional
        One more than the largest label when not given.

    Examples
    --------
    >>> blob_table([0] * 20 + [1] * 4).toarray().tolist()
    [[20, 4]]
    """
    found = np.asarray(labels)
    if found.ndim != 1 or len(found) == 0 or len(found) % N_REGIONS or found.dtype.kind not in "iu":
        raise InputError(
            f"labels of regions are whole numbers, {N_REGIONS} a photo; {len(found)} of type "
            f"{found.dtype} were given"
        )
    wide = int(found.max()) + 1 if n_blobs is None else n_blobs
    if found.min() < 0 or found.max() >= wide:
        raise InputError(f"labels of regions must lie between 0 and {wide - 1}")
    rows = np.arange(len(found)) // N_REGIONS
    ones = np.ones(len(found), np.int64)
    table = sp.coo_array((ones, (rows, found)), shape=(len(found) // N_REGIONS, wide)).tocsr()
    table.sum_duplicates()
    return sp.csr_array(table)


@dataclass(slots=True, eq=False, repr=False)
class PhotoCounts:
    """Tables of photos by side, and of their regions where asked for; see `PhotoTables`."""

    tables: dict[str, Any] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    codebook: Codebook | None = None
    region_blobs: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    images_regions: sp.csr_array | None = None
    regions_colours: sp.csr_array | None = None
    regions_texture: sp.csr_array | None = None


def count_photos(
    photos: Photos | Sequence[PhotoFeatures],
    palette: Palette | None,
    book: Codebook | None,
    *,
    texture: bool = True,
    regions: bool = False,
) -> PhotoCounts:
    """All tables, in one pass over the photos; those that would be empty are left out."""
    counter = _Counter(palette, book, texture, regions)
    for features in photos:
        counter.add(features)
    return counter.finish()


class _Counter:
    """Tables that grow photo by photo."""

    def __init__(
        self, palette: Palette | None, book: Codebook | None, texture: bool, regions: bool
    ) -> None:
        self.palette, self.book, self.texture, self.regions = palette, book, texture, regions
        # regions have few pixels; colours of photos may be finer
        self.coarse = palette
        if palette is not None and len(palette) > REGION_COLOURS:
            self.coarse = Palette(REGION_COLOURS, palette.space)
        # rows of each table
        self.colours: list[sp.csr_array] = []
        self.region_colours: list[sp.csr_array] = []
        self.energies: list[sp.csr_array] = []
        self.region_energies: list[sp.csr_array] = []
        self.sizes: list[NDArray[np.int64]] = []
        self.labels: list[NDArray[np.int64]] = []
        self.waiting: list[NDArray[Any]] = []

    def add(self, one: PhotoFeatures) -> None:
        if self.palette is not None:
            self.colours.append(_sparse(colours_of_regions(one, self.palette).sum(axis=0)))
        if self.coarse is not None and self.regions:
            self.region_colours.append(_sparse(colours_of_regions(one, self.coarse)))
        sizes = one.region_sizes
        if self.texture:
            # the energy of a photo is that of its regions, by their pixels
            whole = sizes @ one.texture.astype(np.float64) / max(int(sizes.sum()), 1)
            self.energies.append(_sparse(texture_masses(whole)))
            if self.regions:
                self.region_energies.append(_sparse(texture_masses(one.texture)))
        if self.book is not None:
            self.waiting.append(self.book.rows_of(one))
            if len(self.waiting) == _AT_ONCE:
                self._assign(self.book)
        if self.regions:
            self.sizes.append(sizes)

    def _assign(self, book: Codebook) -> None:
        if self.waiting:
            self.labels.append(book.assign(np.concatenate(self.waiting)))
            self.waiting.clear()

    def finish(self) -> PhotoCounts:
        found = PhotoCounts(codebook=self.book)
        if self.palette is not None:
            found.tables["colours"] = _stacked(self.colours)
            found.names["colours"] = self.palette.names
            found.regions_colours = _stacked(self.region_colours) if self.regions else None
        # a table without counts can't be clustered by
        energies = _stacked(self.energies) if self.texture else None
        if energies is not None and energies.nnz:
            found.tables["texture"] = energies
            found.names["texture"] = TEXTURE_NAMES
            found.regions_texture = _stacked(self.region_energies) if self.regions else None
        if self.book is not None:
            self._assign(self.book)
            found.region_blobs = np.concatenate(self.labels)
            found.tables["blobs"] = blob_table(found.region_blobs, len(self.book))
            found.names["blobs"] = self.book.names
        if self.regions:
            data = np.concatenate(self.sizes)
            n = len(data)
            ends = np.arange(0, n + 1, N_REGIONS)
            found.images_regions = sp.csr_array(
                (data, np.arange(n), ends), shape=(len(self.sizes), n)
            )
        return found


def _sparse(rows: NDArray[np.int64]) -> sp.csr_array:
    return sp.csr_array(np.atleast_2d(rows).astype(np.int32))


def _stacked(parts: list[sp.csr_array]) -> sp.csr_array:
    return sp.csr_array(sp.vstack(parts, format="csr"))
