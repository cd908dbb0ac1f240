"""CSV and TSV triplets."""

from __future__ import annotations

import csv
import gzip
import io
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.tables import NamedTable, read_table
from comraf.errors import ComrafError, InputError, ReadError

Cells = dict[tuple[str, str], float]


def write(folder: Path, text: str | bytes, name: str = "a.csv") -> Path:
    """Write a file."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def cells(table: NamedTable) -> Cells:
    """The table as a dictionary by names."""
    assert table.row_names is not None
    assert table.column_names is not None
    coo = table.matrix.tocoo()
    return {
        (table.row_names[i], table.column_names[j]): float(value)
        for i, j, value in zip(*coo.coords, coo.data, strict=True)
    }


EXPECTED = {("d1", "sea"): 3.0, ("d2", "ship"): 1.0}


@pytest.mark.parametrize(
    "text",
    [
        "row,column,count\nd1,sea,3\nd2,ship,1\n",
        "Document,Word,N\nd1,sea,3\nd2,ship,1\n",
        "count,doc,term\n3,d1,sea\n1,d2,ship\n",
        "author,doc,term,n\nx,d1,sea,3\ny,d2,ship,1\n",
        "who,what,how often\nd1,sea,3\nd2,ship,1\n",
        "d1,sea,3\nd2,ship,1\n",
        "d1,sea,3\nd2,ship,1",
        "d1,sea,2\nd2,ship,1\nd1,sea,1\n",
        "d1,sea\nd2,ship\nd1,sea\nd1,sea\n",
        "doc,word\nd1,sea\nd2,ship\nd1,sea\nd1,sea\n",
        "d1,sea,3\r\nd2,ship,1\r\n",
        "d1,sea,3\rd2,ship,1\r",
        "d1;sea;3\nd2;ship;1\n",
        "d1\tsea\t3\nd2\tship\t1\n",
        '"d1","sea","3"\n"d2","ship",1\n',
        "\n\nrow,column,count\n\nd1,sea,3\n\nd2,ship,1\n\n",
        "\ufeffrow,column,count\nd1,sea,3\nd2,ship,1\n",
        "\ufeffd1,sea,3\nd2,ship,1\n",
        "d1,sea,3.0\nd2,ship, 1e0\n",
    ],
)
def test_spellings(text: str, tmp_path: Path) -> None:
    """Headers, orders, separators, line ends and quotes that mean the same table."""
    table = read_table(write(tmp_path, text))
    assert cells(table) == EXPECTED
    assert table.matrix.dtype == np.int64


def test_order_of_appearance(tmp_path: Path) -> None:
    """Rows and columns are numbered as they appear."""
    table = read_table(write(tmp_path, "b,y,1\na,y,1\nb,x,1\n"))
    assert table.row_names == ("b", "a")
    assert table.column_names == ("y", "x")


def test_names_with_everything(tmp_path: Path) -> None:
    """Quoted names may hold separators, quotes and line ends, any name any letter."""
    text = '"a,b","say ""hi""",1\n"two\nlines",日本,2\nc\u2028d,é\x0be,3\n'
    assert cells(read_table(write(tmp_path, text))) == {
        ("a,b", 'say "hi"'): 1.0,
        ("two\nlines", "日本"): 2.0,
        ("c\u2028d", "é\x0be"): 3.0,
    }


def test_tsv_does_not_split_at_commas(tmp_path: Path) -> None:
    """In a .tsv only tabs part the cells."""
    assert cells(read_table(write(tmp_path, "a,b\tx\t2\n", "a.tsv"))) == {("a,b", "x"): 2.0}


@pytest.mark.parametrize("name", ["a.csv.gz", "a.tsv.gz"])
def test_packed(name: str, tmp_path: Path) -> None:
    """Packed files."""
    text = "d1,sea,3\nd2,ship,1\n".replace(",", "\t" if "tsv" in name else ",")
    assert cells(read_table(write(tmp_path, gzip.compress(text.encode()), name))) == EXPECTED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,x,1\nb,y\n", "line 2: has 2 columns, the lines above have 3"),
        ("a,x,1\n\n\nb,y,1,5\n", "line 4: has 4 columns"),
        ('"a\nb",x,1\nc,y\n', "line 3: has 2 columns"),
        ("a,x,1\nb,y,two\n", "line 2: the count of row 'b', column 'y' is 'two'"),
        ("a,x,1\nb,y,-2\n", "line 2: .*is '-2'"),
        ("a,x,1\nb,y,nan\n", "line 2: .*is 'nan'"),
        ("a,x,1\nb,y,inf\n", "line 2: .*is 'inf'"),
        ("a,x,1\nb,y,\n", "line 2: .*is ''"),
        ("n,row,column\n\n1,a,x\n-1,b,y\n", "line 4: the count of row 'b'"),
        ("a,x,1\n,y,1\n", "line 2: the row's name is empty"),
        ("a,x,1\nb,,1\n", "line 2: the column's name is empty"),
        ('a,x,1\n"b,y,1\n', "line 2: is not CSV"),
        ('a,x,1\n"b"c,y,1\n', "line 2: is not CSV"),
        ('"a,x,1\n', "line 1: is not CSV"),
        ("a,b,c,d\n1,2,3,4\n", "has 4 columns and no header"),
        ("one\ntwo\n", "has 1 columns"),
        ("row,document,word\na,b,c\n", "'row' and 'document' could both"),
        ("row,column,count\n", "holds no entries"),
        ("\n\n\n", "holds no entries"),
    ],
)
def test_bad_lines_are_named(text: str, message: str, tmp_path: Path) -> None:
    """What is wrong, and in which line."""
    with pytest.raises(ComrafError, match=rf"a\.csv.*{message}"):
        read_table(write(tmp_path, text))


@pytest.mark.parametrize("good", [0, 5, 30_000])
@pytest.mark.parametrize("quote", ["", '"'])
def test_not_utf8(good: int, quote: str, tmp_path: Path) -> None:
    """Text of another encoding is told with its line, however far down it is."""
    text = f"{quote}a{quote},x,1\n".encode() * good + b"caf\xe9,x,1\n"
    with pytest.raises(ReadError, match=rf"line {good + 1}: is not UTF-8 text \(byte 0xe9\)"):
        read_table(write(tmp_path, text))


def test_utf16(tmp_path: Path) -> None:
    """What some spreadsheets save as text."""
    with pytest.raises(ReadError, match="line 1: is not UTF-8"):
        read_table(write(tmp_path, "a,x,1\n".encode("utf-16")))


@pytest.mark.parametrize("good", [100, 40_000])
@pytest.mark.parametrize("first", ["", '"q",x,1\n', "q,x,1\n\n"])
def test_lines_are_counted_across_blocks(good: int, first: str, tmp_path: Path) -> None:
    """The line number is right after many blocks, read at one go or line by line."""
    text = first + "a,x,1\n" * good + "b,y,-1\n"
    with pytest.raises(InputError, match=f"line {text.count(chr(10))}:"):
        read_table(write(tmp_path, text))


def test_line_without_end(tmp_path: Path) -> None:
    """A file of one huge line is given up early."""
    with pytest.raises(ReadError, match="line 2: is longer than"):
        read_table(write(tmp_path, b"a,x,1\n" + b"a" * 2**23))


def test_unclosed_quote_in_a_large_file(tmp_path: Path) -> None:
    """A stray quote does not swallow the rest of the file in silence."""
    text = "a,x,1\n" * 1000 + '"b,x,1\n' + "c,x,1\n" * 100_000
    with pytest.raises(ReadError, match="quote opened"):
        read_table(write(tmp_path, text))


def test_gzip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed file that unpacks a thousandfold is not read to its end."""
    monkeypatch.setattr("comraf.collection.readers.limits._SMALL", 2**16)
    data = gzip.compress(b"a,x,1\n" * 2**18, compresslevel=9)
    with pytest.raises(ReadError, match="unpack to more than"):
        read_table(write(tmp_path, data, "bomb.csv.gz"))


def test_distinct_names_are_bounded(tmp_path: Path) -> None:
    """Memory for names is counted while they come in."""
    text = "".join(f"row{i},column{i},1\n" for i in range(50_000))
    with pytest.raises(InputError, match="memory"):
        read_table(write(tmp_path, text), max_bytes=2**22)


def test_repeated_pairs_take_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many lines about few pairs are summed as they come."""
    monkeypatch.setattr("comraf.collection.tables.triplets._GATHER", 1000)
    lines = [f"r{i % 7},c{i % 5}\n" for i in range(100_000)]
    table = read_table(write(tmp_path, "".join(lines)), max_bytes=3_000_000)
    assert table.matrix.nnz == 35
    assert table.matrix.sum() == 100_000


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@given(
    entries=st.lists(
        st.tuples(names, names, st.integers(0, 1000) | st.floats(0, 1e6)), min_size=1, max_size=30
    ),
    block=st.sampled_from([1, 16, 2**18]),
)
def test_round_trip(
    entries: list[tuple[str, str, float]],
    block: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """What Python's csv module writes comes back, whatever the names and the block size."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["row", "column", "count"])
    writer.writerows(entries)
    path = write(tmp_path_factory.mktemp("csv"), buffer.getvalue())
    expected: Cells = {}
    for row, column, value in entries:
        expected[row, column] = expected.get((row, column), 0.0) + value
    expected = {key: value for key, value in expected.items() if value}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("comraf.collection.tables.delimited._BLOCK", block)
        if not expected:
            with pytest.raises(InputError, match="is 0"):
                read_table(path)
            return
        found = cells(read_table(path))
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value)


@pytest.mark.parametrize("quote", ["", '"'])
def test_speed(quote: str, tmp_path: Path) -> None:
    """200,000 lines take well under a second or two of processor time, so 5 million are fine."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, [20_000, 5_000], (200_000, 2)).tolist()
    path = write(tmp_path, "".join(f"{quote}d{i}{quote},w{j},1\n" for i, j in pairs))
    start = time.process_time()
    table = read_table(path)
    assert time.process_time() - start < 4
    assert table.matrix.sum() == 200_000
