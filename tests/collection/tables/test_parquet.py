"""Parquet triplets."""

from __future__ import annotations

import base64
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from comraf.collection.tables import read_table
from comraf.errors import ComrafError, InputError


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


# A file of three columns in which a byte of what describes one of them is another: pyarrow ends
# the process when it is asked about that column.
DEADLY = zlib.decompress(
    base64.b85decode(
        "c-oay&2AGh5FT$VD?&k}2wPrhg(B2iMM_JHXjD)*%%*86B&CUnIB&O6$^n|DrD=HrjvRRiPCNlZJOSdssSm(YF!n"
        "k>A~_UmcRV}u`TJ%@-hFJZOD^xqdkrZh+y=O{$p9d+=D?a%g1jSjnbJjiMO1-hmTHzPEKv5wVn9}~Ah!s_vnER;9"
        "?cn47(_O2*S|D6Kg#I5cR<1NoalU^@>mGqCadN=m^=G>jvSvW$FCz7Ha0+u)AXqOHjx5kVJXnL!SQej8j)>{(>J^"
        "D`z0t5Mq$-JBn#mNh+^o#GEhQ&Wa<+$+a^Cf#;{BsfedWXMcS%FAVLFzxGf9!EbPK@Tru^NnP1F&X4jlzA!}<!=l"
        "+ZelFH>s<%*fFIrAs@zv0cQY<U&+gDYY3>KlhJ(gkd{U%q~lO;vvh9@zD`hqPLltrv(xjC;6^*u$DjVH_hity4qX"
        "b%Du_St{PN-X4yqYCTKsAV)6Pnc#8kb}e-86(Qa6*cH+I;J@p&x{D62txt|xH-6;nY1%povO7+9d=bP(`5nX*x4h"
        "z*q}6d!J2>4s+SU=DJwHDjT4-y!-lw2T{bX?RzI(Qk_WLWzfbLi6ygN93bNsIKu(G<gx*k^PYGx07r|Ym!fBIkN0"
        "F!V"
    )
)


def test_a_damaged_description_of_a_column_is_refused(tmp_path: Path) -> None:
    """Without it the process would be gone, so another one tries."""
    path = tmp_path / "table.parquet"
    path.write_bytes(DEADLY)
    code = (
        "import sys\nfrom comraf.collection import read_table\n"
        "try:\n    read_table(sys.argv[1])\nexcept Exception as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "is not a whole Parquet file" in done.stdout
