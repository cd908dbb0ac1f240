"""Features of many photos as tables of counts, which is what Comraf works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp

from comraf.collection.vision.blobs import N_BLOBS, Codebook
from comraf.collection.vision.codebooks import learn_blobs
from comraf.collection.vision.colours import Palette
from comraf.collection.vision.counting import PhotoCounts, Photos, blob_table, count_photos
from comraf.collection.vision.features import PhotoFeatures
from comraf.errors import InputError
from comraf.graph.photos import PHOTO_WEIGHTS, photo_graph
from comraf.images.looks import Looks, photo_vectors

if TYPE_CHECKING:
    from comraf.graph.model import Graph

__all__ = ["PHOTO_WEIGHTS", "PhotoTables", "blob_table", "photo_tables"]

_NO_FEATURES = (
    "tables are made of features, not of {}; photo_features(open_photo(path)) gives those of one "
    "photo, build_collection(open_reader(folder)).photos those of a folder"
)


@dataclass(slots=True, eq=False, repr=False)
class PhotoTables(PhotoCounts, Mapping[str, Any]):
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

    looks: Looks | None = None

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
    counts = count_photos(photos, palette, book, texture=texture, regions=regions)
    found = PhotoTables(**{part.name: getattr(counts, part.name) for part in fields(counts)})
    if isinstance(neighbours, Looks):
        found.looks = neighbours
        found.tables["neighbours"] = neighbours.among(photos)
    elif neighbours is not None:
        found.looks = photo_vectors(photos, neighbours)
        found.tables["neighbours"] = found.looks.table()
    return found
