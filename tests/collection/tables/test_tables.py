"""One front door for all formats."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.tables import FORMATS, SUFFIXES, NamedTable, read_table
from comraf.errors import ComrafError, InputError, ReadError

TABLE = np.array([[4, 0, 1], [0, 2, 0]])


def write_triplets(path: Path, separator: str) -> None:
    """The table as text."""
    lines = [separator.join(["row", "column", "count"])]
    lines += [
        separator.join([f"r{i}", f"c{j}", str(TABLE[i, j])]) for i, j in [(0, 0), (1, 1), (0, 2)]
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_parquet(path: Path) -> None:
    """The table as Parquet."""
    columns = {"row": ["r0", "r1", "r0"], "column": ["c0", "c1", "c2"], "count": [4, 2, 1]}
    pq.write_table(pa.table(columns), path)


def read_or_refuse(path: Path) -> NamedTable | None:
    """A table, or None after an error of ours that names the file; all else is a failure."""
    try:
        return read_table(path, max_bytes=2**26)
    except ComrafError as error:
        if str(path) not in str(error):
            raise
        return None


WRITERS: dict[str, Callable[[Path], None]] = {
    "npz": lambda path: sp.save_npz(path, sp.csr_array(TABLE)),
    "npy": lambda path: np.save(path, TABLE),
    "mtx": lambda path: scipy.io.mmwrite(path, sp.coo_array(TABLE)),
    "csv": lambda path: write_triplets(path, ","),
    "tsv": lambda path: write_triplets(path, "\t"),
    "parquet": write_parquet,
}


def test_every_format_is_tried_here() -> None:
    """A new format must join the tests below."""
    assert set(WRITERS) == set(FORMATS) == set(SUFFIXES.values())


@pytest.mark.parametrize("name", WRITERS)
def test_formats_agree(name: str, tmp_path: Path) -> None:
    """The same table comes out of every format, canonical and whole."""
    path = tmp_path / f"table.{name}"
    WRITERS[name](path)
    table = read_table(path)
    # Triplets number their columns as they appear: c0, c1, c2.
    np.testing.assert_array_equal(table.matrix.toarray(), TABLE)
    assert table.matrix.dtype == np.int64
    assert table.matrix.has_canonical_format
    assert table.source == str(path)
    if name in ("csv", "tsv", "parquet"):
        assert table.row_names == ("r0", "r1")
        assert table.column_names == ("c0", "c1", "c2")
    else:
        assert table.row_names is None
        assert table.column_names is None


@pytest.mark.parametrize("name", WRITERS)
def test_format_can_be_named(name: str, tmp_path: Path) -> None:
    """``format`` decides where the file's name does not."""
    path = tmp_path / f"table.{name}"
    WRITERS[name](path)
    bare = path.rename(tmp_path / "table")
    np.testing.assert_array_equal(read_table(bare, format=name).matrix.toarray(), TABLE)


def test_unknown_ending_lists_the_known_ones(tmp_path: Path) -> None:
    """A name that tells nothing is refused with what is possible."""
    path = tmp_path / "table.xlsx"
    path.write_bytes(b"x")
    with pytest.raises(InputError, match=r"table\.xlsx.*\.npz.*\.parquet.*format=.csv"):
        read_table(path)


def test_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    """So is a format that does not exist."""
    path = tmp_path / "table.csv"
    path.write_text("a,b,1\n")
    with pytest.raises(InputError, match=r"'arff' is unknown.*npz"):
        read_table(path, format="arff")


@pytest.mark.parametrize("ending", sorted(SUFFIXES))
def test_empty_file(ending: str, tmp_path: Path) -> None:
    """A file without a single byte is an error that says so."""
    path = tmp_path / f"table{ending}"
    path.touch()
    with pytest.raises(ReadError, match=r"table.*is empty"):
        read_table(path)


@pytest.mark.parametrize("ending", sorted(SUFFIXES))
def test_junk(ending: str, tmp_path: Path) -> None:
    """Bytes of no format are one clear error that names the file, never a traceback."""
    path = tmp_path / f"table{ending}"
    path.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(ComrafError, match=r"table"):
        read_table(path)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.99])
def test_truncated(name: str, share: float, tmp_path: Path) -> None:
    """A file cut short anywhere is refused, or (text) gives a part; it never crashes."""
    path = tmp_path / f"table.{name}"
    WRITERS[name](path)
    data = path.read_bytes().rstrip(b"\n")
    path.write_bytes(data[: max(1, int(len(data) * share))])
    if name in ("csv", "tsv"):
        table = read_or_refuse(path)
        assert table is None or table.matrix.sum() <= TABLE.sum()
    else:
        with pytest.raises(ReadError, match="table"):
            read_table(path)


@pytest.mark.parametrize("name", WRITERS)
@given(data=st.data())
def test_damaged(name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever bytes are changed, the answer is a table of counts or one of our errors."""
    path = tmp_path_factory.mktemp("damaged") / f"table.{name}"
    WRITERS[name](path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    table = read_or_refuse(path)
    if table is not None:
        assert (table.matrix.data > 0).all()
        assert np.isfinite(table.matrix.data).all()


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there."""
    with pytest.raises(ReadError, match=r"nowhere\.npz: there is no such file"):
        read_table(tmp_path / "nowhere.npz")


def test_folder(tmp_path: Path) -> None:
    """A folder in place of a file."""
    (tmp_path / "table.csv").mkdir()
    with pytest.raises(ReadError, match="is a folder"):
        read_table(tmp_path / "table.csv")


def test_path_through_a_file(tmp_path: Path) -> None:
    """A path that treats a file as a folder."""
    (tmp_path / "a").write_text("x")
    with pytest.raises(ReadError, match="there is no such file"):
        read_table(tmp_path / "a" / "table.csv")


def test_name_with_nul() -> None:
    """A name that no system allows."""
    with pytest.raises(ReadError, match="can't be read"):
        read_table("a\0b.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_pipe_does_not_hang(tmp_path: Path) -> None:
    """A named pipe is refused instead of waited for."""
    path = tmp_path / "table.csv"
    os.mkfifo(path)
    with pytest.raises(ReadError, match="not a plain file"):
        read_table(path)


@pytest.mark.skipif(
    sys.platform == "win32" or getattr(os, "geteuid", lambda: 1)() == 0,
    reason="permissions don't bind here",
)
def test_unreadable_file(tmp_path: Path) -> None:
    """A file that may not be read."""
    path = tmp_path / "table.csv"
    path.write_text("a,b,1\n")
    path.chmod(0)
    with pytest.raises(ReadError, match="Permission denied"):
        read_table(path)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_no_rows_or_columns(shape: tuple[int, int], tmp_path: Path) -> None:
    """A table without rows or columns has nothing to cluster."""
    sparse, dense = tmp_path / "sparse.npz", tmp_path / "dense.npy"
    sp.save_npz(sparse, sp.csr_array(shape, dtype=np.int64))
    np.save(dense, np.zeros(shape))
    for path in (sparse, dense):
        with pytest.raises(InputError, match=f"{shape[0]} x {shape[1]}"):
            read_table(path)


def test_all_zero(tmp_path: Path) -> None:
    """A table of zeros has nothing to cluster by."""
    path = tmp_path / "table.npy"
    np.save(path, np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"every count.*is 0"):
        read_table(path)


def test_stored_zeros_are_dropped(tmp_path: Path) -> None:
    """Zeros that a file stores are no entries; their rows and columns stay."""
    path = tmp_path / "table.csv"
    path.write_text("a,x,0\nb,y,2\n")
    table = read_table(path)
    assert table.matrix.shape == (2, 2)
    assert table.matrix.nnz == 1


def test_names_from_files(tmp_path: Path) -> None:
    """Formats without names take them from text files."""
    np.save(tmp_path / "table.npy", TABLE)
    (tmp_path / "rows.txt").write_text("first\nsecond\n")
    (tmp_path / "columns.txt").write_bytes("\ufeffsea\r\nship\r\nécume".encode())
    table = read_table(
        tmp_path / "table.npy",
        row_names=tmp_path / "rows.txt",
        column_names=tmp_path / "columns.txt",
    )
    assert table.row_names == ("first", "second")
    assert table.column_names == ("sea", "ship", "écume")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb\nc\n", "3 row names for 2 rows"),
        ("a\na\n", "'a' stands on lines 1 and 2"),
        ("a\n\xff", "line 2: is not UTF-8"),
    ],
)
def test_bad_names(text: str, message: str, tmp_path: Path) -> None:
    """Names that don't fit, repeat or can't be read are told with their place."""
    np.save(tmp_path / "table.npy", TABLE)
    (tmp_path / "rows.txt").write_bytes(text.encode("latin-1"))
    with pytest.raises(ComrafError, match=message):
        read_table(tmp_path / "table.npy", row_names=tmp_path / "rows.txt")


def test_names_twice(tmp_path: Path) -> None:
    """A file that has names does not take others."""
    (tmp_path / "table.csv").write_text("a,x,1\n")
    (tmp_path / "rows.txt").write_text("b\n")
    with pytest.raises(InputError, match="names its rows already"):
        read_table(tmp_path / "table.csv", row_names=tmp_path / "rows.txt")


@pytest.mark.parametrize("name", WRITERS)
def test_memory_is_bounded(name: str, tmp_path: Path) -> None:
    """No format takes more than it may."""
    path = tmp_path / f"table.{name}"
    WRITERS[name](path)
    with pytest.raises(InputError, match="memory"):
        read_table(path, max_bytes=10)
