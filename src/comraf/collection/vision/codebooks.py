"""Ways to find blobs, and the file in which a collection keeps its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.files import Files, FolderFiles, write_table
from comraf.collection.options import MOST_BLOBS
from comraf.collection.vision.blobs import N_BLOBS, Codebook
from comraf.collection.vision.counting import COUNT_WIDTHS, Photos
from comraf.collection.vision.features import PhotoFeatures
from comraf.collection.vision.regions import FEATURE_NAMES
from comraf.errors import InputError, ReadError
from comraf.parameters import check_choice, check_int
from comraf.registry import Registry

CODEBOOK_FILE = "codebook.parquet"
"""What the blobs of a collection look like: mean, scale, and one row a blob."""

BLOBS_A_PHOTO = 2
"""Blobs there are at most, for each photo: more of them would be in next to no two photos."""

_MOST_COUNT = 2.0**53
# a number of a codebook with all that Parquet writes beside it
_BYTES_A_NUMBER = 32
_MOST_OVERHEAD = 1 << 20

CODEBOOKS: Registry[type[Codebook]] = Registry(
    {
        # blobs that Comraf itself clusters are made in a room above this one
        "comraf": "comraf.images.region_clusters:RegionClusters",
        "kmeans": "comraf.collection.vision.blobs:Codebook",
    }
)
"""Who finds blobs, by name: a `Codebook` with the class method ``of_photos``."""


def learn_blobs(
    photos: Photos | Sequence[PhotoFeatures],
    n_blobs: int = N_BLOBS,
    *,
    blobs_by: str = "comraf",
    seed: int = 0,
) -> Codebook:
    """Find the blobs of a collection from its regions; of many photos, from some of them.

    Parameters are those of `comraf.images.photo_tables`.

    Examples
    --------
    >>> from comraf.images import Photo, photo_features
    >>> one = photo_features(Photo(np.full((24, 36, 3), 9, np.uint8), 36, 24))
    >>> len(learn_blobs([one], 500, blobs_by="kmeans"))
    1
    """
    check_choice("blobs_by", blobs_by, CODEBOOKS)
    check_int("seed", seed, least=0)
    wanted = min(check_int("blobs", n_blobs), BLOBS_A_PHOTO * len(photos))
    return CODEBOOKS[blobs_by].of_photos(photos, wanted, seed)


def write_codebook(files: Files, codebook: Codebook) -> None:
    """Write blobs beside the tables that were counted by them."""
    import pyarrow as pa

    rows = np.vstack([codebook.mean[None], codebook.scale[None], codebook.centers])
    columns = {"numbers": pa.array(list(rows), pa.list_(pa.float32()))}
    for name, counts in codebook.counts.items():
        # beside mean and scale: what the table weighs, and the units of its counts
        facts = [[codebook.weights[name]], [codebook.units[name]]]
        columns[name] = pa.array([*facts, *counts.tolist()], pa.list_(pa.float64()))
    write_table(files, CODEBOOK_FILE, pa.table(columns))


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
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = FolderFiles(Path(path)).source(CODEBOOK_FILE)
    try:
        with pq.ParquetFile(source, page_checksum_verification=True) as file:
            _check_codebook(file.metadata, file.schema_arrow)
            table = file.read()
        rows = np.array(table.column("numbers").to_pylist(), dtype=np.float32)
        looks = rows[2:], rows[0], rows[1]
        parts = {n: table.column(n).to_pylist() for n in COUNT_WIDTHS if n in table.column_names}
        if not parts:
            return Codebook(*looks)
        with_counts: Any = CODEBOOKS["comraf"]
        return with_counts(  # type: ignore[no-any-return]
            *looks,
            {name: _whole(part[2:]) for name, part in parts.items()},
            {name: float(part[0][0]) for name, part in parts.items()},
            {name: float(part[1][0]) for name, part in parts.items()},
        )
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, InputError) as error:
        raise ReadError(f"{path}: the blobs of the collection are damaged: {error}") from error


def _check_codebook(metadata: Any, schema: Any) -> None:
    """Refuse what would be large once it is unpacked, or is of no regions, before that is done."""
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
