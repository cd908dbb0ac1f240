"""Parquet triplets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comraf.collection.tables import read_table
from comraf.errors import ComrafError, InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(folder: Path, columns: Any, **options: Any) -> Path:
    """Write columns to a file."""
    path = folder / "a.parquet"
    pq.write_table(pa.table(columns), path, **options)
    return path


@pytest.mark.parametrize(
    "columns",
    [
        {"row": ["d1", "d2", "d1"], "column": ["sea", "ship", "sea"], "count": [2, 1, 1]},
        {"n": [2.0, 1.0, 1.0], "doc": ["d1", "d2", "d1"], "term": ["sea", "ship", "sea"]},
        {"who": ["d1", "d2", "d1"], "what": ["sea", "ship", "sea"], "much": [2, 1, 1]},
        {"row": ["d1", "d2", "d1", "d1"], "column": ["sea", "ship", "sea", "sea"]},
        {
            "extra": [0, 0, 0],
            "row": pa.array(["d1", "d2", "d1"]).dictionary_encode(),
            "column": pa.array(["sea", "ship", "sea"], pa.large_string()),
            "count": pa.array([2, 1, 1], pa.decimal128(5, 2)),
        },
    ],
)
def test_spellings(columns: Any, tmp_path: Path) -> None:
    """Names, orders and types that mean the same table."""
    table = read_table(write(tmp_path, columns))
    assert table.matrix.toarray().tolist() == [[3, 0], [0, 1]]
    assert (table.row_names, table.column_names) == (("d1", "d2"), ("sea", "ship"))


def test_whole_numbers_as_names(tmp_path: Path) -> None:
    """Rows and columns may be numbers; their names are these numbers."""
    table = read_table(write(tmp_path, {"row": [7, 3], "column": [1, 1], "count": [1, 2]}))
    assert (table.row_names, table.column_names) == (("7", "3"), ("1",))


def test_many_row_groups(tmp_path: Path) -> None:
    """Names keep their numbers across batches and row groups."""
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 50, 5000), rng.integers(0, 40, 5000)
    path = write(
        tmp_path,
        {"row": [f"r{i}" for i in rows], "column": [f"c{j}" for j in columns]},
        row_group_size=300,
    )
    table = read_table(path)
    expected = np.zeros((50, 40))
    np.add.at(expected, (rows, columns), 1)
    assert table.row_names is not None
    assert table.column_names is not None
    order = np.ix_(
        [int(name[1:]) for name in table.row_names], [int(name[1:]) for name in table.column_names]
    )
    np.testing.assert_array_equal(table.matrix.toarray(), expected[order])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"row": ["a", None], "column": ["x", "y"]}, r"'row' is missing in entry 1"),
        ({"row": ["a", "b"], "column": ["x", ""]}, r"'column' is empty in entry 1"),
        ({"row": ["a"], "column": ["x"], "count": [-1]}, r"entry 0.*row 'a', column 'x', is -1"),
        ({"row": ["a"], "column": ["x"], "count": [float("nan")]}, r"is nan"),
        ({"row": ["a"], "column": ["x"], "count": [float("inf")]}, r"is inf"),
        ({"row": ["a"], "column": ["x"], "count": ["1"]}, r"'count' holds string"),
        ({"row": [1.5], "column": ["x"]}, r"'row' holds double"),
        ({"row": [["a"]], "column": ["x"]}, r"'row' holds list"),
        ({"a": [1], "b": [1], "c": [1], "d": [1]}, r"expected row, column and count"),
        ({"row": ["a"], "doc": ["a"], "word": ["x"]}, r"could both"),
        ({"row": pa.array([], pa.string()), "column": pa.array([], pa.string())}, r"no entries"),
    ],
)
def test_bad_content(columns: Any, message: str, tmp_path: Path) -> None:
    """What is wrong, and where."""
    with pytest.raises(InputError, match=rf"a\.parquet: .*{message}"):
        read_table(write(tmp_path, columns))


def test_same_name_twice(tmp_path: Path) -> None:
    """Two columns of one name."""
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["x"])], names=["u", "u"])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ComrafError, match="same name"):
        read_table(tmp_path / "a.parquet")


def test_packed_repetition_is_bounded(tmp_path: Path) -> None:
    """A small file that unpacks to much is refused by its announced size."""
    path = write(
        tmp_path,
        {"row": ["a" * 1000] * 20_000, "column": ["x"] * 20_000},
        compression="zstd",
        use_dictionary=False,
    )
    assert path.stat().st_size < 2**20
    with pytest.raises(InputError, match="memory"):
        read_table(path, max_bytes=2**24)
