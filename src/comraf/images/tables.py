"""Features of many photos as tables of counts, which is what Comraf works on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.images.blobs import N_BLOBS, Codebook
from comraf.images.colours import Palette
from comraf.images.features import PhotoFeatures
from comraf.images.grid import N_REGIONS
from comraf.images.texture import N_FILTERS, TEXTURE_NAMES

__all__ = [
    "PHOTO_WEIGHTS",
    "PhotoTables",
    "Photos",
    "blob_table",
    "learn_blobs",
    "photo_tables",
    "texture_masses",
]

TEXTURE_MASS = 100_000
"""Energies are small shares; whole numbers of this fineness are counted."""

#: What the sides of photos weigh beside each other. Blobs tell colours, too, and where; colours
#: of all pixels at the same weight would say it again, louder (benchmarks.images).
PHOTO_WEIGHTS = {"colours": 0.3, "texture": 1.0, "blobs": 1.0}

_MOST_TAUGHT = 2000
# Regions of one photo are too few for a product of matrices to be worth its start.
_AT_ONCE = 64


class Photos(Protocol):
    """Features of photos, read one after another as often as needed."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[PhotoFeatures]: ...


@dataclass(slots=True, eq=False)
class PhotoTables:
    """Tables of photos, and of their regions where asked for.

    Attributes
    ----------
    tables : dict of str to csr_array
        "colours", "texture" and "blobs": photos x values.
    values : dict of str to tuple of str
        Names of the columns.
    codebook : Codebook or None
        Of the blobs.
    region_blobs : ndarray of int64
        The blob of each region, 24 a photo, photo after photo; empty without blobs.
    images_regions, regions_colours, regions_texture : csr_array or None
        Photos x regions (pixels), regions x colours, regions x texture.
    """

    tables: dict[str, sp.csr_array] = field(default_factory=dict)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    codebook: Codebook | None = None
    region_blobs: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    images_regions: sp.csr_array | None = None
    regions_colours: sp.csr_array | None = None
    regions_texture: sp.csr_array | None = None


def photo_tables(
    photos: Photos | Sequence[PhotoFeatures],
    *,
    colours: int | None = 256,
    space: Literal["rgb", "lab"] = "rgb",
    blobs: int | Codebook | None = N_BLOBS,
    texture: bool = True,
    regions: bool = False,
    seed: int = 0,
) -> PhotoTables:
    """Count what is seen in photos into tables.

    Parameters
    ----------
    photos : sequence of PhotoFeatures
        Or anything with a length that can be gone through several times; one photo at a time
        is in memory.
    colours : int or None, default 256
        Size of the palette, from 8 to 1,024; None leaves colours out.
    space : {"rgb", "lab"}
        What the palette is even in.
    blobs : int, Codebook or None, default 2,000
        How many blobs to find among the regions, or the codebook of earlier photos; None
        leaves them out.
    texture : bool, default True
        Whether to count Gabor energies.
    regions : bool, default False
        Whether to make the tables of the regions too.
    seed : int, default 0
        Of the blobs.

    Returns
    -------
    PhotoTables

    Examples
    --------
    >>> from comraf.images import Photo, photo_features
    >>> shades = [np.full((24, 36, 3), value, np.uint8) for value in (10, 20, 240)]
    >>> photos = [photo_features(Photo(pixels, 36, 24)) for pixels in shades]
    >>> found = photo_tables(photos, colours=8, blobs=2, regions=True)
    >>> found.tables["colours"].toarray()[:, [0, -1]].tolist()
    [[864, 0], [864, 0], [0, 864]]
    >>> found.images_regions.shape, found.tables["blobs"].shape
    ((3, 72), (3, 2))
    """
    if isinstance(photos, Iterator):
        raise InputError("photos must be a sequence that can be gone through several times")
    if len(photos) == 0:
        raise InputError("there are no photos to make tables of")
    palette = None if colours is None else Palette(colours, space)
    book = blobs
    if isinstance(book, (int, np.integer)):
        book = learn_blobs(photos, int(book), seed=seed)
    gathered = _Gathered(palette, book, texture, regions)
    for features in photos:
        gathered.add(features)
    return gathered.finish()


def learn_blobs(
    photos: Photos | Sequence[PhotoFeatures], n_blobs: int, *, seed: int = 0
) -> Codebook:
    """Find the blobs of a collection from its regions; of many photos, from 2,000 of them.

    Examples
    --------
    >>> from comraf.images import Photo, photo_features
    >>> one = photo_features(Photo(np.full((24, 36, 3), 9, np.uint8), 36, 24))
    >>> len(learn_blobs([one], 500))
    1
    """
    n = len(photos)
    wanted = np.ones(n, dtype=bool)
    if n > _MOST_TAUGHT:
        wanted[:] = False
        wanted[np.random.default_rng(seed).choice(n, _MOST_TAUGHT, replace=False)] = True
    rows = [one.features for one, take in zip(photos, wanted.tolist(), strict=True) if take]
    return Codebook.learn(np.concatenate(rows), n_blobs, seed=seed)


def texture_masses(energies: NDArray[Any]) -> NDArray[np.int64]:
    """Energies as whole numbers, so that they can be counted like pixels.

    Examples
    --------
    >>> texture_masses(np.array([0.0, 0.01234])).tolist()
    [0, 1234]
    """
    return np.rint(np.asarray(energies, dtype=np.float64) * TEXTURE_MASS).astype(np.int64)


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


class _Rows:
    """A sparse table that grows row by row."""

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        self._indices: list[NDArray[np.int32]] = []
        self._data: list[NDArray[np.int32]] = []
        self._lengths: list[int] = []

    def add(self, row: NDArray[np.int64]) -> None:
        columns = np.flatnonzero(row)
        self._indices.append(columns.astype(np.int32))
        self._data.append(row[columns].astype(np.int32))
        self._lengths.append(len(columns))

    def table(self) -> sp.csr_array:
        ends = np.concatenate([[0], np.cumsum(self._lengths, dtype=np.int64)])
        parts = (np.concatenate(self._data), np.concatenate(self._indices), ends)
        return sp.csr_array(parts, shape=(len(self._lengths), self.n_columns))


class _Gathered:
    """All tables, in one pass over the photos."""

    def __init__(
        self, palette: Palette | None, book: Codebook | None, texture: bool, regions: bool
    ) -> None:
        self.palette, self.book, self.texture, self.regions = palette, book, texture, regions
        n_colours = 0 if palette is None else len(palette)
        self.colours, self.region_colours = _Rows(n_colours), _Rows(n_colours)
        self.energies, self.region_energies = _Rows(N_FILTERS), _Rows(N_FILTERS)
        self.sizes: list[NDArray[np.int64]] = []
        self.labels: list[NDArray[np.int64]] = []
        self.waiting: list[NDArray[np.float32]] = []

    def add(self, one: PhotoFeatures) -> None:
        if self.palette is not None:
            n = len(self.palette)
            keys = one.regions.astype(np.int64) * n + self.palette.lookup[one.bins]
            counts = np.bincount(keys, one.counts, N_REGIONS * n)
            table = np.rint(counts).astype(np.int64).reshape(N_REGIONS, n)
            self.colours.add(table.sum(axis=0))
            if self.regions:
                for row in table:
                    self.region_colours.add(row)
        sizes = one.region_sizes
        if self.texture:
            # the energy of a photo is that of its regions, by their pixels
            whole = sizes @ one.texture.astype(np.float64) / max(int(sizes.sum()), 1)
            self.energies.add(texture_masses(whole))
            if self.regions:
                for row in texture_masses(one.texture):
                    self.region_energies.add(row)
        if self.book is not None:
            self.waiting.append(one.features)
            if len(self.waiting) == _AT_ONCE:
                self._assign(self.book)
        if self.regions:
            self.sizes.append(sizes)

    def _assign(self, book: Codebook) -> None:
        if self.waiting:
            self.labels.append(book.assign(np.concatenate(self.waiting)))
            self.waiting.clear()

    def finish(self) -> PhotoTables:
        found = PhotoTables(codebook=self.book)
        if self.palette is not None:
            found.tables["colours"] = self.colours.table()
            found.values["colours"] = self.palette.names
            found.regions_colours = self.region_colours.table() if self.regions else None
        if self.texture:
            found.tables["texture"] = self.energies.table()
            found.values["texture"] = TEXTURE_NAMES
            found.regions_texture = self.region_energies.table() if self.regions else None
        if self.book is not None:
            self._assign(self.book)
            found.region_blobs = np.concatenate(self.labels)
            found.tables["blobs"] = blob_table(found.region_blobs, len(self.book))
            found.values["blobs"] = self.book.names
        if self.regions:
            data = np.concatenate(self.sizes)
            n = len(data)
            ends = np.arange(0, n + 1, N_REGIONS)
            found.images_regions = sp.csr_array(
                (data, np.arange(n), ends), shape=(len(self.sizes), n)
            )
        return found
