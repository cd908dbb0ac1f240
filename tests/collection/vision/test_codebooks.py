"""Blobs that a collection keeps, read back from files that may be anything."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from comraf.collection.options import PhotoOptions
from comraf.collection.vision.codebooks import read_codebook
from comraf.errors import InputError, ReadError


def write(folder: Path, n: int, width: int, **more: int) -> str:
    """A codebook of n rows, and further columns of some width."""

    def lists(wide: int, kind: type) -> pa.ListArray:
        numbers = pa.array(np.ones(n * wide, kind))
        return pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * wide, numbers)

    columns = {"numbers": lists(width, np.float32)}
    columns |= {name: lists(wide, np.float64) for name, wide in more.items()}
    pq.write_table(pa.table(columns), folder / "codebook.parquet", compression="zstd")
    return str(folder)


def test_whole_codebook(tmp_path):
    """One of rows as they should be is read."""
    assert len(read_codebook(write(tmp_path, 7, 30))) == 5


@pytest.mark.parametrize(
    ("n", "width", "more", "reason"),
    [
        (200_000, 30, {}, "199,998 blobs, of at most 100,000"),
        (7, 3, {}, "21 numbers in 'numbers'; 210 were expected"),
        (7, 60, {}, "420 numbers in 'numbers'"),
        (7, 30, {"colours": 1000}, "7,000 numbers in 'colours'"),
        (7, 30, {"other": 1}, "columns"),
        (2, 30, {}, "0 blobs"),
    ],
)
def test_refused_before_it_is_unpacked(tmp_path, monkeypatch, n, width, more, reason):
    """A small file may hold millions of numbers: its header is enough to refuse it."""
    folder = write(tmp_path, n, width, **more)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ReadError, match=f"the blobs of the collection are damaged: {reason}"):
        read_codebook(folder)


def test_more_blobs_than_can_be_read_back():
    """They are not made in the first place."""
    with pytest.raises(InputError, match="100,000"):
        PhotoOptions(blobs=100_001)
