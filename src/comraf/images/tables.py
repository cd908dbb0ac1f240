"""Features of many photos as tables of counts, which is what Comraf works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.graph.photos import BLOBS_AN_IMAGE, PHOTO_WEIGHTS, photo_graph
from comraf.images.blobs import N_BLOBS, Codebook
from comraf.images.colours import Palette
from comraf.images.features import PhotoFeatures
from comraf.images.grid import N_REGIONS
from comraf.images.looks import Looks, features_of, photo_vectors
from comraf.images.region_clusters import (
    REGION_COLOURS,
    RegionClusters,
    colours_of_regions,
    region_rows,
)
from comraf.images.texture import N_FILTERS, TEXTURE_NAMES, texture_masses

if TYPE_CHECKING:
    from comraf.graph.model import Graph

__all__ = [
    "PHOTO_WEIGHTS",
    "PhotoTables",
    "Photos",
    "blob_table",
    "learn_blobs",
    "photo_tables",
]

#: Who makes blobs of regions.
BLOBS_BY = ("comraf", "kmeans")

_MOST_TAUGHT = 2000
_MOST_REGIONS = 10_000  # that Comraf clusters itself; more are slower and no better
_AT_ONCE = 64  # photos whose regions are held against the blobs together
_NO_FEATURES = (
    "tables are made of features, not of {}; photo_features(open_photo(path)) gives those of one "
    "photo, build_collection(open_reader(folder)).photos those of a folder"
)


class Photos(Protocol):
    """Features of photos, read one after another as often as needed."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[PhotoFeatures]: ...


@dataclass(slots=True, eq=False, repr=False)
class PhotoTables(Mapping[str, Any]):
    """Tables of photos by name, as every estimator takes them, and of regions where asked for.

    It is a mapping of the names of its tables to these, and says what they weigh:
    ``ComrafStar(10).fit(photo_tables(photos))``. Captions are one more table,
    ``tables | {"words": table}``, of the same photos in the same order.

    Attributes
    ----------
    tables : dict of str to csr_array
        "colours", "texture" and "blobs": photos x values; "neighbours", where asked for:
        photos x photos.
    names : dict of str to tuple of str
        Names of the columns, by which estimators know new photos that are counted by another
        palette or codebook.
    codebook : Codebook or None
        Of the blobs.
    looks : Looks or None
        Of the neighbours.
    region_blobs : ndarray of int64
        The blob of each region, 24 a photo, photo after photo; empty without blobs.
    images_regions, regions_colours, regions_texture : csr_array or None
        Photos x regions (pixels), regions x colours, regions x texture.

    Examples
    --------
    >>> one = PhotoTables({"colours": sp.csr_array(np.eye(2)), "texture": sp.csr_array(np.eye(2))})
    >>> one
    PhotoTables(2 photos: colours 2, texture 2)
    >>> both = one | {"words": np.array([[1, 0, 2], [0, 3, 0]])}
    >>> list(both), both.weights
    (['colours', 'texture', 'words'], {'colours': 0.3, 'texture': 1.0})
    """

    tables: dict[str, Any] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    codebook: Codebook | None = None
    looks: Looks | None = None
    region_blobs: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    images_regions: sp.csr_array | None = None
    regions_colours: sp.csr_array | None = None
    regions_texture: sp.csr_array | None = None

    # tables are compared by nobody: NumPy's == gives no yes or no
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __getitem__(self, name: str) -> Any:
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __or__(self, other: Mapping[str, Any]) -> PhotoTables:
        """Return the same with more tables, or others, of the same photos."""
        if not isinstance(other, Mapping):
            return NotImplemented
        more = {name: table for name, table in other.items() if table is not None}
        for name, table in more.items():
            n = np.shape(table)[0] if np.ndim(table) or sp.issparse(table) else 0
            if self.n_photos and n != self.n_photos:
                raise InputError(
                    f"the table {name!r} has {n} rows, but there are {self.n_photos} photos; give "
                    "one row for each photo, in the order of the photos"
                )
        both = replace(self, tables=self.tables | more, names=dict(self.names))
        for name in more:
            both.names.pop(name, None)
        if isinstance(other, PhotoTables):
            both.names |= other.names
        if "blobs" in more:  # of somebody else, and so is what they were made by
            source = other if isinstance(other, PhotoTables) else PhotoTables()
            both.codebook, both.region_blobs = source.codebook, source.region_blobs
        if "neighbours" in more:
            both.looks = other.looks if isinstance(other, PhotoTables) else None
        return both

    def __ror__(self, other: Mapping[str, Any]) -> PhotoTables:
        """Return the same with more tables before these."""
        if not isinstance(other, Mapping):
            return NotImplemented
        joined = self | {name: table for name, table in other.items() if name not in self}
        joined.tables = {name: joined.tables[name] for name in (*other, *self)}
        return joined

    def __repr__(self) -> str:
        sides = ", ".join(f"{name} {np.shape(table)[1]:,}" for name, table in self.items())
        within = self.images_regions
        also = "" if within is None else f"; {within.shape[1]:,} regions"
        return f"PhotoTables({self.n_photos:,} photos: {sides or 'no tables'}{also})"

    @property
    def n_photos(self) -> int:
        """How many photos there are."""
        known = [*self.tables.values(), self.images_regions]
        return next((int(np.shape(table)[0]) for table in known if table is not None), 0)

    @property
    def weights(self) -> dict[str, float]:
        """What the tables that were measured weigh, by name: see `PHOTO_WEIGHTS`.

        Estimators go by it where their rule for weights is one by masses, which says nothing
        about pixels; ``dict(tables)`` has the same tables without.
        """
        return {name: PHOTO_WEIGHTS[name] for name in self.tables if name in PHOTO_WEIGHTS}

    def graph(
        self,
        n_clusters: int,
        *,
        n_blobs: int = N_BLOBS,
        weights: Mapping[str, float] | str = "balanced",
        weighting: str = "root_rows",
        name: str = "images",
    ) -> Graph:
        """Return the graph of images and regions (thesis, figure 7.2), ready to be solved.

        Images by their regions, their colours and words, where there is a table "words";
        regions by colours and texture. Parameters are those of `comraf.photo_graph`.

        Examples
        --------
        >>> from comraf.images import Photo, photo_features
        >>> level = np.repeat(np.uint8([0, 1] * 6), 2)[:, None, None]
        >>> stripes = [np.tile(level * n, (1, 36, 3)) for n in (50, 240)]
        >>> photos = [photo_features(Photo(pixels, 36, 24)) for pixels in stripes]
        >>> photo_tables(photos, colours=8, regions=True).graph(2)
        Graph(images[2], regions[48], colours[8] observed, texture[12] observed; images-regions, \
images-colours, regions-colours, regions-texture)
        """
        if self.images_regions is None:
            raise InputError(
                "these tables say nothing of regions; make them with photo_tables(..., "
                "regions=True)"
            )
        return photo_graph(
            self.images_regions,
            n_clusters=n_clusters,
            n_blobs=n_blobs,
            images_words=self.tables.get("words"),
            images_colours=self.tables.get("colours"),
            regions_colours=self.regions_colours,
            regions_texture=self.regions_texture,
            weights=weights,
            weighting=weighting,
            name=name,
        )


def photo_tables(
    photos: Photos | Sequence[PhotoFeatures],
    *,
    colours: int | None = 256,
    space: Literal["rgb", "lab"] = "rgb",
    blobs: int | Codebook | None = N_BLOBS,
    blobs_by: Literal["comraf", "kmeans"] = "comraf",
    texture: bool = True,
    neighbours: int | Looks | None = None,
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
        How many blobs to find among the regions, at most two for each photo; or the codebook
        of earlier photos; None leaves them out.
    blobs_by : {"comraf", "kmeans"}
        Who finds them: Comraf* by colours and texture (thesis, 7.4.2), or k-means on 30
        features (7.4.1).
    texture : bool, default True
        Whether to count Gabor energies.
    neighbours : int, Looks or None, default None
        How many of the nearest photos, by what their regions look like, to count for each
        (15 is a good number); or the looks of earlier photos, to find their neighbours among
        these. The columns are photos: those given, or the earlier ones.
    regions : bool, default False
        Whether to make the tables of the regions too. Their palette has no more than 64
        colours.
    seed : int, default 0
        Of the blobs.

    Returns
    -------
    PhotoTables
        Of what is seen, without tables that would be empty: drawings of flat colours may have
        no texture. Captions are added as ``tables | {"words": table}``.

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
    if isinstance(photos, str) or not hasattr(photos, "__len__"):
        raise InputError(_NO_FEATURES.format(repr(photos)[:60]))
    if len(photos) == 0:
        raise InputError("there are no photos to make tables of")
    if not isinstance(first := next(iter(photos)), PhotoFeatures):
        raise InputError(_NO_FEATURES.format(f"a {type(first).__name__}"))
    palette = None if colours is None else Palette(colours, space)
    book: Codebook | None
    if blobs is None or isinstance(blobs, Codebook):
        book = blobs
    else:
        book = learn_blobs(photos, blobs, blobs_by=blobs_by, seed=seed)
    gathered = _Gathered(palette, book, texture, regions)
    for features in photos:
        gathered.add(features)
    found = gathered.finish()
    if isinstance(neighbours, Looks):
        found.looks = neighbours
        found.tables["neighbours"] = neighbours.among(photos)
    elif neighbours is not None:
        found.looks = photo_vectors(photos, neighbours)
        found.tables["neighbours"] = found.looks.table()
    return found


def learn_blobs(
    photos: Photos | Sequence[PhotoFeatures],
    n_blobs: int = N_BLOBS,
    *,
    blobs_by: Literal["comraf", "kmeans"] = "comraf",
    seed: int = 0,
) -> Codebook:
    """Find the blobs of a collection from its regions; of many photos, from some of them.

    Parameters are those of `photo_tables`.

    Examples
    --------
    >>> from comraf.images import Photo, photo_features
    >>> one = photo_features(Photo(np.full((24, 36, 3), 9, np.uint8), 36, 24))
    >>> len(learn_blobs([one], 500, blobs_by="kmeans"))
    1
    """
    if blobs_by not in BLOBS_BY:
        raise InputError(parameter="blobs_by", given=blobs_by, allowed=BLOBS_BY)
    for name, value, least in (("blobs", n_blobs, 1), ("seed", seed, 0)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or value < least:
            raise InputError(
                "{given} must be a whole number, {least} or more", name, value, least=least
            )
    n = len(photos)
    wanted = min(int(n_blobs), BLOBS_AN_IMAGE * n)
    rng = np.random.default_rng(seed)
    if blobs_by == "comraf":
        return _clustered(photos, wanted, rng, seed)
    taken = np.ones(n, dtype=bool)
    if n > _MOST_TAUGHT:
        taken[:] = False
        taken[rng.choice(n, _MOST_TAUGHT, replace=False)] = True
    seen = zip(features_of(photos), taken.tolist(), strict=True)
    rows = [features for features, take in seen if take]
    return Codebook.learn(np.concatenate(rows), wanted, seed=seed)


def _clustered(
    photos: Photos | Sequence[PhotoFeatures], n_blobs: int, rng: np.random.Generator, seed: int
) -> RegionClusters:
    """Blobs that Comraf makes of some regions, drawn from all photos alike."""
    n = N_REGIONS * len(photos)
    taken = np.ones(n, dtype=bool)
    if n > _MOST_REGIONS:
        taken[:] = False
        # as many of them as there are blobs at the least, however many these are
        most = min(n, max(_MOST_REGIONS, 2 * n_blobs))
        taken[rng.choice(n, most, replace=False)] = True
    rows, features = [], []
    for one, take in zip(photos, taken.reshape(-1, N_REGIONS), strict=True):
        if take.any():
            rows.append(region_rows(one)[take])
            features.append(one.features[take])
    return RegionClusters.learn_from(
        np.concatenate(rows), np.concatenate(features), n_blobs, seed=seed
    )


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
        self.colours = _Rows(n_colours)
        # regions have few pixels; colours of photos may be finer
        self.coarse = palette
        if palette is not None and n_colours > REGION_COLOURS:
            self.coarse = Palette(REGION_COLOURS, palette.space)
        self.region_colours = _Rows(min(n_colours, REGION_COLOURS))
        self.energies, self.region_energies = _Rows(N_FILTERS), _Rows(N_FILTERS)
        self.sizes: list[NDArray[np.int64]] = []
        self.labels: list[NDArray[np.int64]] = []
        self.waiting: list[NDArray[Any]] = []

    def add(self, one: PhotoFeatures) -> None:
        if self.palette is not None:
            self.colours.add(colours_of_regions(one, self.palette).sum(axis=0))
        if self.coarse is not None and self.regions:
            for row in colours_of_regions(one, self.coarse):
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
            self.waiting.append(self.book.rows_of(one))
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
            found.names["colours"] = self.palette.names
            found.regions_colours = self.region_colours.table() if self.regions else None
        # a table without counts can't be clustered by
        energies = self.energies.table() if self.texture else None
        if energies is not None and energies.nnz:
            found.tables["texture"] = energies
            found.names["texture"] = TEXTURE_NAMES
            found.regions_texture = self.region_energies.table() if self.regions else None
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
