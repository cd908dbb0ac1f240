"""Opening files and counting what they may take."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from comraf.collection.readers.limits import MOST_VALUES, Budget, in_words
from comraf.collection.readers.opening import open_bytes
from comraf.errors import ReadError, TooLargeError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not packed at all", "can't be unpacked as gzip"),
        (gzip.compress(b"abc" * 1000, mtime=0)[:-10], "ends in the middle"),
        (gzip.compress(b"abc" * 1000, mtime=0)[:-8] + b"\0" * 8, "can't be unpacked as gzip"),
    ],
)
def test_damaged_gzip(content: bytes, message: str, tmp_path: Path) -> None:
    """Each way in which unpacking fails is one clear error."""
    path = tmp_path / "a.gz"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=message), open_bytes(path) as stream:
        stream.read()


def test_plain_files_have_no_limit(tmp_path: Path) -> None:
    """Only packed files are watched for unpacking without end."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc")
    with open_bytes(path) as stream:
        assert stream.most is None
        assert stream.read() == b"abc"


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (1500, "1.5 kB"), (2e6, "2.0 MB"), (3.2e12, "3.2 TB")]
)
def test_sizes_in_words(size: float, words: str) -> None:
    """Sizes are told in units people know."""
    assert in_words(size) == words


def test_budget_is_never_more_than_what_is_free() -> None:
    """A caller can lower the bound, not raise it."""
    assert Budget("a", 10**30).bytes == Budget("a").bytes or Budget("a", 10**30).bytes < 10**30


@pytest.mark.parametrize("shape", [(MOST_VALUES + 1, 1), (1, MOST_VALUES + 1)])
def test_most_rows_and_columns(shape: tuple[int, int]) -> None:
    """More rows or columns than can be numbered are refused whatever the memory."""
    with pytest.raises(TooLargeError, match="at most 2,147,483,647"):
        Budget("a").check_shape(*shape, 1)
