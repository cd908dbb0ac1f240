"""Matrix Market files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from comraf.collection.tables import read_table
from comraf.errors import ComrafError, InputError, ReadError, TooLargeError

HEAD = "%%MatrixMarket matrix coordinate integer general\n"


def write(folder: Path, text: str | bytes, name: str = "a.mtx") -> Path:
    """Write a file."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dense", [False, True])
def test_what_scipy_writes(packed: bool, dense: bool, tmp_path: Path) -> None:
    """Coordinate and array files, plain and packed, with comments."""
    table = np.random.default_rng(0).poisson(0.4, (30, 20))
    path = tmp_path / "a.mtx"
    scipy.io.mmwrite(path, table if dense else sp.coo_array(table), comment="made here\ntwo lines")
    if packed:
        path = write(tmp_path, gzip.compress(path.read_bytes()), "a.mtx.gz")
    found = read_table(path).matrix
    np.testing.assert_array_equal(found.toarray(), table)
    assert found.dtype == np.int64


def test_pattern_counts_one(tmp_path: Path) -> None:
    """Entries without values count one; a symmetric file holds one half."""
    text = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n"
    found = read_table(write(tmp_path, text)).matrix
    assert found.toarray().tolist() == [[1, 1], [1, 0]]


def test_repeated_entries_are_summed(tmp_path: Path) -> None:
    """The same place twice."""
    found = read_table(write(tmp_path, HEAD + "1 2 3\n1 2 4\n1 2 1\n1 1 1\n")).matrix
    assert found.toarray().tolist() == [[1, 5]]


def test_fractions_in_a_whole_number_file_are_kept(tmp_path: Path) -> None:
    """A file that says integer and holds 1.5 is not cut to 1 in silence."""
    found = read_table(write(tmp_path, HEAD + "1 1 1\n1 1 1.5\n")).matrix
    assert found.toarray().tolist() == [[1.5]]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("2 2 2\n1 1 4\n", r"holds 1 of the 2 entries"),
        ("2 2 1\n1 1 4\n2 2 1\n", r"more than the 1 entries"),
        ("2 2 1\n3 1 4\n", r"line 3: row 3 is out of bounds; rows run from 1 to 2"),
        ("2 2 1\n\n1 0 4\n", r"line 4: column 0 is out of bounds"),
        ("2 2 1\n1.5 1 4\n", r"line 3: row 1.5"),
        ("2 2 1\nnan 1 4\n", r"line 3: row nan"),
        ("% a\n% b\n2 2 1\n1 x 4\n", r"line 5: 'x' is not a number"),
        ("2 2 1\n1 1 four\n", r"line 3: 'four'"),
        ("2 2 1\n1 1\n", r"line 3: has 2 number\(s\), expected 3"),
        ("2 2 1\n1 1 4 5\n", r"line 3: has 4 number\(s\), expected 3"),
        ("2 2 1\n1 1 \x004\n", r"line 3"),
        ("2 2 1\n1 1 4\x00\n", r"line 3"),
        ("2 2 one\n1 1 4\n", r"line 2.*rows, columns and entries"),
        ("2 2\n1 1 4\n", r"line 2.*rows, columns and entries"),
        ("-2 2 1\n1 1 4\n", r"line 2"),
        ("", "size is missing"),
        ("% nothing but comments\n", "size is missing"),
    ],
)
def test_damaged_files_name_the_line(body: str, message: str, tmp_path: Path) -> None:
    """What is wrong, and in which line."""
    with pytest.raises(ReadError, match=rf"a\.mtx.*{message}"):
        read_table(write(tmp_path, HEAD + body))


@pytest.mark.parametrize(
    ("banner", "error"),
    [
        ("hello", ReadError),
        ("%%MatrixMarket vector coordinate real general", ReadError),
        ("%%MatrixMarket matrix coordinate complex general", InputError),
        ("%%MatrixMarket matrix coordinate real hermitian", InputError),
        ("%%MatrixMarket matrix coordinate real skew-symmetric", InputError),
        ("%%MatrixMarket matrix weird real general", InputError),
        ("%%MatrixMarket", ReadError),
    ],
)
def test_other_kinds_are_refused(banner: str, error: type[ComrafError], tmp_path: Path) -> None:
    """Files that hold no table of real numbers."""
    with pytest.raises(error, match=r"a\.mtx"):
        read_table(write(tmp_path, banner + "\n1 1 1\n1 1 1\n"))


@pytest.mark.parametrize("value", ["-3", "nan", "inf"])
def test_bad_values_are_located(value: str, tmp_path: Path) -> None:
    """Negative, NaN and infinite entries are told with row and column."""
    text = f"%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 {value}\n"
    with pytest.raises(InputError, match=rf"row 1, column 2 \(counting from 0\) holds {value};"):
        read_table(write(tmp_path, text))


def test_symmetric_array(tmp_path: Path) -> None:
    """A dense file of one half."""
    text = "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"
    found = read_table(write(tmp_path, text)).matrix
    assert found.toarray().tolist() == [[1, 2, 3], [2, 4, 5], [3, 5, 6]]


def test_blocks_agree_with_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read block by block; the blocks' seams don't show."""
    table = np.random.default_rng(0).poisson(0.4, (40, 30))
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_array(table))
    for size in (16, 17, 64):
        monkeypatch.setattr("comraf.collection.tables.market._CHUNK", size)
        np.testing.assert_array_equal(read_table(tmp_path / "a.mtx").matrix.toarray(), table)


@pytest.mark.parametrize("size", ["1000000000000 5 1", "5 1000000000000 1"])
def test_absurd_shape(size: str, tmp_path: Path) -> None:
    """A million million rows with one entry are refused before they are taken."""
    with pytest.raises(TooLargeError, match="1,000,000,000,000"):
        read_table(write(tmp_path, HEAD + size + "\n1 1 1\n"))


@pytest.mark.parametrize("name", ["a.mtx", "a.mtx.gz"])
def test_more_entries_than_the_file_can_hold(name: str, tmp_path: Path) -> None:
    """An announced number of entries is not believed."""
    data = (HEAD + "9 9 100000000\n1 1 1\n").encode()
    path = write(tmp_path, gzip.compress(data) if name.endswith("gz") else data, name)
    with pytest.raises(ReadError, match="100,000,000 entries, more than"):
        read_table(path)


def test_absurd_array(tmp_path: Path) -> None:
    """The same for a dense file."""
    text = "%%MatrixMarket matrix array real general\n3000000 3000000\n1\n"
    with pytest.raises(ReadError, match="9,000,000,000,000 entries, more than"):
        read_table(write(tmp_path, text))


def test_packed_file_cut_short(tmp_path: Path) -> None:
    """A gzip file that ends too early."""
    rng = np.random.default_rng(0)
    lines = "".join(f"{i + 1} 1 {rng.integers(1, 10**6)}\n" for i in range(5000))
    data = gzip.compress((HEAD + "5000 1 5000\n" + lines).encode())
    with pytest.raises(ReadError, match="ends in the middle"):
        read_table(write(tmp_path, data[: len(data) // 2], "a.mtx.gz"))


def test_packed_blank_lines_without_end(tmp_path: Path) -> None:
    """A small gzip file of blank lines is not read to its end."""
    data = gzip.compress((HEAD + "2 2 1\n").encode() + b"\n" * 2**22 + b"1 1 1\n")
    with pytest.raises(ReadError, match="far longer than"):
        read_table(write(tmp_path, data, "a.mtx.gz"))


def test_endless_header(tmp_path: Path) -> None:
    """Nor are comments."""
    with pytest.raises(ReadError, match="size is missing"):
        read_table(write(tmp_path, HEAD + "% c\n" * 2**21))
