"""The sides of photos: colours, texture and blobs, made of what was seen while reading."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.fold import Fold, write_pieces
from comraf.collection.header import side_files
from comraf.collection.options import MOST_BLOBS, SideOptions
from comraf.collection.photos import StoredPhotos
from comraf.collection.shelf import FolderShelf, Shelf
from comraf.collection.sides import SideKind, photo_sides
from comraf.errors import InputError, ReadError
from comraf.store import writing

if TYPE_CHECKING:
    from comraf.images import Codebook, PhotoTables

__all__ = [
    "BLOBS",
    "CODEBOOK_FILE",
    "COLOURS",
    "TEXTURE",
    "PhotoSides",
    "for_photos",
    "read_codebook",
]

CODEBOOK_FILE = "codebook.parquet"
"""What the blobs of a collection look like: mean, scale, and one row a blob."""

_COUNTS = ("colours", "texture")
_ROWS = 5000
_MOST_COUNT = 2.0**53
# a number of a codebook with all that Parquet writes beside it
_BYTES_A_NUMBER = 32
_MOST_OVERHEAD = 1 << 20


def _colour(value: str) -> str:
    from comraf.images.words import colour_word

    return colour_word(value)


def _texture(value: str) -> str:
    from comraf.images.words import texture_word

    return texture_word(value)


def _blob(value: str) -> str:
    from comraf.images.words import without_number

    return without_number(value)


COLOURS = SideKind(
    "colours",
    "colours of photos",
    options="photos",
    limits=(),
    observed=True,
    mark="weight",
    photos=True,
    describe=_colour,
)
TEXTURE = replace(COLOURS, name="texture", about="texture of photos", describe=_texture)
BLOBS = replace(COLOURS, name="blobs", about="kinds of regions in photos", describe=_blob)


def for_photos(options: SideOptions) -> SideOptions:
    """Options as captions need them: plurals stemmed, and names of files no words.

    Examples
    --------
    >>> for_photos(SideOptions()).words.stem
    True
    """
    return replace(options, words=replace(options.words, stem=True, titles=False))


class PhotoSides:
    """Makes and writes the sides of a collection of photos.

    Parameters
    ----------
    shelf : Shelf
        Where the features were written, and the sides go.
    n_items : int
    options : SideOptions
    """

    def __init__(self, shelf: Shelf, n_items: int, options: SideOptions) -> None:
        self.shelf = shelf
        self.n_items = n_items
        self.options = options
        self.notes: list[str] = []

    def write(self, first: int, tick: Callable[[], None]) -> list[dict[str, Any]]:
        """Write the sides that are wanted; return what the header says about them.

        Parameters
        ----------
        first : int
            Number of the first side: there are so many already.
        tick : callable
            Called now and then.
        """
        from comraf.images.tables import PHOTO_WEIGHTS

        wanted = [name for name in photo_sides() if self.options.wants(name)]
        if not wanted:
            return []
        found = self._tables(wanted)
        entries: list[dict[str, Any]] = []
        for name in wanted:
            facts: dict[str, Any] = {"observed": True, "weight": PHOTO_WEIGHTS[name]}
            if name == "colours":
                facts["space"] = self.options.photos.space
            if name not in found:
                self.notes.append(f"no {name}: there is nothing of it in any photo")
                continue
            if name == "blobs":
                facts["codebook"] = len(found.codebook or ())
            fold = Fold(name, "values", "features", np.zeros(0, np.int64), list(found.names[name]))
            fold.facts = facts
            table = found.tables.pop(name)
            # a value that no photo has is no value of this collection
            documents = np.bincount(table.indices, minlength=table.shape[1])
            kept = np.flatnonzero(documents)
            order = kept[np.argsort([fold.values[i] for i in kept], kind="stable")]
            fold.values = [fold.values[i] for i in order]
            if name == "blobs":
                # what a blob is called says nothing to people; what it looks like does
                looks = getattr(found.codebook, "looks", ())
                facts["looks"] = [looks[i] for i in order] if looks else []
            ordered = sp.csr_array(table[:, order])
            ordered.sort_indices()
            pieces = (ordered[i : i + _ROWS] for i in range(0, ordered.shape[0], _ROWS))
            files = side_files(first + len(entries))
            entries.append(write_pieces(self.shelf, pieces, fold, documents[order], files, tick))
        return entries

    def _tables(self, wanted: list[str]) -> PhotoTables:
        from comraf.images.tables import photo_tables

        options = self.options.photos
        photos = StoredPhotos(self.shelf, self.n_items, _as_it_is)
        blobs: int | Codebook | None = None
        if "blobs" in wanted:
            blobs = options.blobs
            if options.codebook is not None:
                blobs = read_codebook(options.codebook)
        found = photo_tables(
            photos,
            colours=options.colours if "colours" in wanted else None,
            space=options.space,
            blobs=blobs,
            blobs_by=options.blobs_by,
            texture="texture" in wanted,
        )
        photos.close()
        if found.codebook is not None:
            self._keep(found.codebook)
        return found

    def _keep(self, codebook: Codebook) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from comraf.images.region_clusters import RegionClusters

        rows = np.vstack([codebook.mean[None], codebook.scale[None], codebook.centers])
        columns = {"numbers": pa.array(list(rows), pa.list_(pa.float32()))}
        if isinstance(codebook, RegionClusters):
            for name, counts in codebook.counts.items():
                # beside mean and scale: what the table weighs, and the units of its counts
                facts = [[codebook.weights[name]], [codebook.units[name]]]
                columns[name] = pa.array([*facts, *counts.tolist()], pa.list_(pa.float64()))
        with writing(self.shelf):
            sink = self.shelf.sink(CODEBOOK_FILE)
            pq.write_table(pa.table(columns), sink, compression="zstd", write_page_checksum=True)


def _as_it_is(where: object) -> AbstractContextManager[None]:
    """What was written a moment ago is not damaged: an error here is an error of ours."""
    return nullcontext()


def read_codebook(path: str) -> Codebook:
    """Return the blobs of a collection.

    Parameters
    ----------
    path : str
        Its folder.

    Examples
    --------
    >>> read_codebook("nowhere")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: nowhere: the file codebook.parquet of the collection is missing
    """
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

    from comraf.images.blobs import Codebook
    from comraf.images.region_clusters import RegionClusters

    source = FolderShelf(Path(path)).source(CODEBOOK_FILE)
    try:
        with pq.ParquetFile(source, page_checksum_verification=True) as file:
            _check_codebook(file.metadata, file.schema_arrow)
            table = file.read()
        rows = np.array(table.column("numbers").to_pylist(), dtype=np.float32)
        looks = rows[2:], rows[0], rows[1]
        known = {n: table.column(n).to_pylist() for n in _COUNTS if n in table.column_names}
        if not known:
            return Codebook(*looks)
        return RegionClusters(
            *looks,
            {name: _whole(part[2:]) for name, part in known.items()},
            {name: float(part[0][0]) for name, part in known.items()},
            {name: float(part[1][0]) for name, part in known.items()},
        )
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, InputError) as error:
        raise ReadError(f"{path}: the blobs of the collection are damaged: {error}") from error


def _check_codebook(metadata: Any, schema: Any) -> None:
    """Refuse what would be large once it is unpacked, or is of no regions, before that is done."""
    from comraf.images.region_clusters import COUNT_WIDTHS
    from comraf.images.regions import FEATURE_NAMES

    n = metadata.num_rows
    if not 2 < n <= MOST_BLOBS + 2:
        raise ValueError(f"{max(n - 2, 0):,} blobs, of at most {MOST_BLOBS:,}")
    widths = {"numbers": len(FEATURE_NAMES), **COUNT_WIDTHS}
    unknown = set(schema.names) - set(widths)
    if unknown or metadata.num_columns != len(schema.names):
        raise ValueError(f"columns {schema.names}")
    for number, name in enumerate(schema.names):
        parts = [metadata.row_group(g).column(number) for g in range(metadata.num_row_groups)]
        # every cell is a list; how many numbers all of them have is known beforehand
        held, size = sum(p.num_values for p in parts), sum(p.total_uncompressed_size for p in parts)
        most = n * widths[name]
        if held > most or (name == "numbers" and held != most):
            raise ValueError(f"{held:,} numbers in {name!r}; {most:,} were expected")
        if size > _BYTES_A_NUMBER * most + _MOST_OVERHEAD:
            raise ValueError(f"{size:,} bytes in {name!r}")


def _whole(rows: list[list[float]]) -> NDArray[np.int64]:
    """Counts as they were written: whole numbers, which have room in floating-point ones."""
    found = np.array(rows, dtype=np.float64)
    if not np.isfinite(found).all() or (np.abs(found) > _MOST_COUNT).any():
        raise ValueError("counts that are none")
    return found.astype(np.int64)
