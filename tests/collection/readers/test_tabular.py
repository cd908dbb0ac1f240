"""Tables of documents in files."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from comraf.collection.readers import charsets, tabular, tabular_rows
from comraf.collection.readers.tabular import TabularReader
from comraf.errors import InputError, ReadError
from tests.collection.given import items, read_all, skips

HEADER = "id,title,authors,tags,label,text"
LINES = [
    'a1,Pumps,Ann Li and Bo Yu,"x;y",one,"It leaks, ""badly"".\nTwo lines."',
    "a2,Gas,Cy Oz,x,two,All is fine here.",
]


def write(path: Path, lines: list[str], *, encoding: str = "utf-8", end: str = "\n") -> Path:
    """A text file."""
    path.write_bytes(end.join([*lines, ""]).encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv(tmp_path: Path, encoding: str, end: str) -> None:
    """Quotes, line ends inside cells, byte order marks."""
    path = write(tmp_path / "t.csv", [HEADER, *LINES], encoding=encoding, end=end)
    first, second = items(TabularReader(path))
    assert first.id == "a1"
    assert first.title == "Pumps"
    assert first.text == 'It leaks, "badly".\nTwo lines.'
    assert [person.name for person in first.people] == ["Ann Li", "Bo Yu"]
    assert first.values == {"tags": ("x", "y")}
    assert second.truth == "two"
    assert second.source == "t.csv:4"


def test_ragged_rows_are_skipped_with_their_line(tmp_path: Path) -> None:
    """A row with too many or too few cells is counted, the others are read."""
    lines = ["title,text", "a,b", "too,many,cells", "", "few", "c,d"]
    reader = TabularReader(write(tmp_path / "t.csv", lines))
    assert skips(reader) == [
        ("t.csv:3", "the row has 3 cells, the header 2"),
        ("t.csv:5", "the row has 1 cells, the header 2"),
    ]
    assert [item.text for item in items(reader)] == ["b", "d"]


def test_lines_that_are_not_utf8(tmp_path: Path) -> None:
    """One bad line is read as Windows-1252 and noted; its neighbours stay UTF-8."""
    path = tmp_path / "t.csv"
    path.write_bytes("title,text\na,Grüße\n".encode() + b"b,caf\xe9 \x96 bar\n")
    good, bad = items(TabularReader(path))
    assert good.text == "Grüße"
    assert good.notes == ()
    assert bad.text == "café – bar"
    assert bad.notes == ("line 3 is not UTF-8 (byte 0xe9): read as Windows-1252 (Western)",)
    for name in ("klingon", "rot13", "zlib", "idna", "undefined", "a\0b"):
        with pytest.raises(InputError, match=r"encoding=.* is not known"):
            TabularReader(path, encoding=name)
    assert items(TabularReader(path, encoding="cp850"))[1].text == "cafÚ û bar"


@pytest.mark.parametrize(
    "bad", ['5,t5,"an open quote', '5,"t5,an open quote', '5,t5,"a"b', '5,t5,5" pipe']
)
@pytest.mark.parametrize("quoted", [False, True])
def test_a_stray_quote_swallows_no_rows(tmp_path: Path, bad: str, quoted: bool) -> None:
    """A quote that is opened and never closed is a sign; the rows after it are rows."""
    mark = '"' if quoted else ""
    lines = ["id,title,body", *(f"{i},t{i},{mark}the pump {i} leaks{mark}" for i in range(100))]
    lines[6] = bad
    reader = TabularReader(write(tmp_path / "t.csv", lines))
    found = items(reader)
    assert [item.id for item in found] == [str(i) for i in range(100)]
    assert all("\n" not in item.text for item in found)
    if "open" in bad:
        assert found[5].notes == ("line 7 opens a quote and never closes it",)


def test_a_stray_quote_in_a_ragged_row_is_one_skip(tmp_path: Path) -> None:
    """What can't be a row is skipped alone, and the line is named."""
    lines = ["id,body", "1,pump", '2,"hose,clamp', "3,valve", '4,"two', 'lines"', "5,seal"]
    reader = TabularReader(write(tmp_path / "t.csv", lines), text="body")
    assert skips(reader) == [("t.csv:3", "a quote is opened and never closed")]
    assert [item.text for item in items(reader)] == ["pump", "valve", "two\nlines", "seal"]


def test_cells_over_many_lines(tmp_path: Path) -> None:
    """Quoted cells with line ends, doubled quotes and delimiters in them are cells."""
    cell = "\n".join(f'line {i}, ""so called""' for i in range(2000))
    lines = ["id,body,tag", *(f'{i},"{cell}","x, y"' for i in range(3))]
    found = items(TabularReader(write(tmp_path / "t.csv", lines, end="\r\n"), text="body"))
    assert [item.text for item in found] == [cell.replace('""', '"')] * 3


def test_line_ends_of_old_macs(tmp_path: Path) -> None:
    """A file without a single line feed has rows too."""
    path = tmp_path / "t.csv"
    path.write_bytes("title,text\ra,The pümp leaks\rb,old höse\r".encode())
    assert [item.text for item in items(TabularReader(path))] == ["The pümp leaks", "old höse"]
    path.write_bytes("title,text\ra,The pümp leaks\rb,old höse".encode("cp1252"))
    assert [item.text for item in items(TabularReader(path))] == ["The pümp leaks", "old höse"]


def test_a_text_of_many_megabytes_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell that holds a whole archive does not take all the memory, and says that it was cut."""
    monkeypatch.setattr(tabular, "MAX_TEXT", 1000)
    path = write(tmp_path / "t.csv", ["title,text", "a," + "x y " * 1000, "b,short"])
    long, short = items(TabularReader(path))
    assert 990 < len(long.text) <= 1000
    assert long.notes == ("cut at 1,000 characters",)
    assert short.notes == ()


def test_long_rows_are_not_all_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the columns are is seen on as many rows as fit into little memory."""
    monkeypatch.setattr(tabular, "SAMPLE_TEXT", 1 << 20)
    path = write(
        tmp_path / "t.csv", ["title,text", *(f"a{i}," + "x y " * 15_000 for i in range(250))]
    )
    assert path.stat().st_size > 14e6
    tracemalloc.start()
    reader = TabularReader(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8e6
    assert reader.columns.text == ("text",)


def test_huge_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells beyond Python's usual limit are read; endless ones are skipped."""
    path = write(tmp_path / "t.csv", ["title,text", "a," + "x y " * 100_000, "b,short"])
    assert len(items(TabularReader(path))[0].text) == 399_999
    monkeypatch.setattr(charsets, "LINE_LIMIT", 1000)
    assert skips(TabularReader(path)) == [("t.csv:2", "longer than 0 MB")]
    assert [item.text for item in items(TabularReader(path))] == ["short"]


def test_a_file_without_a_header(tmp_path: Path) -> None:
    """Columns are then numbered, and the first row is a document."""
    path = write(tmp_path / "t.csv", ["a,first words", "b,second words"])
    found = items(TabularReader(path, header=False, text="column 2"))
    assert [item.text for item in found] == ["first words", "second words"]


def test_empty_rows_and_files(tmp_path: Path) -> None:
    """A row without content is skipped; a file without rows is an error."""
    path = write(tmp_path / "t.csv", ["title,text", ",", "a,b"])
    assert skips(TabularReader(path)) == [("t.csv:2", "the row is empty")]
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(ReadError, match="is empty"):
        TabularReader(tmp_path / "empty.csv")
    with pytest.raises(ReadError, match="has a header and no rows"):
        TabularReader(write(tmp_path / "head.csv", ["title,text"]))


def test_rows_without_an_id_are_never_the_same(tmp_path: Path) -> None:
    """Two equal rows are two documents with one digest."""
    path = write(tmp_path / "t.csv", ["text", "same words", "same words"])
    first, second = items(TabularReader(path))
    assert first.id != second.id
    assert first.digest == second.digest


def test_json_lines(tmp_path: Path) -> None:
    """Lists by type, missing keys, broken lines with their numbers."""
    rows = [
        json.dumps({"id": 1, "text": "one two", "tags": ["a", "b"], "n": {"deep": 1}}),
        "{broken",
        "[1]",
        "",
        json.dumps({"id": 2, "text": "lone \ud800 surrogate"}),
        "[" * 100_000,
    ]
    reader = TabularReader(write(tmp_path / "t.jsonl", rows))
    first, second = items(reader)
    assert first.values == {"tags": ("a", "b")}
    assert second.text == "lone  surrogate"
    assert [source for source, _ in skips(reader)] == ["t.jsonl:2", "t.jsonl:3", "t.jsonl:6"]


def test_json_lines_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces give the same rows and numbers as the whole, and growth touches only the end."""
    rows = [json.dumps({"text": f"words of row {i}"}) for i in range(100)]
    path = write(tmp_path / "t.jsonl", rows)
    whole = items(TabularReader(path))
    monkeypatch.setattr(tabular_rows, "JSON_UNIT", 300)
    reader = TabularReader(path)
    before = reader.scan()
    assert len(before) > 5
    assert items(reader) == whole
    with open(path, "a") as file:
        file.write('{"text": "a new one"}\n')
    after = reader.scan()
    assert after[: len(before) - 1] == before[:-1]
    assert items(reader)[-1].source == "t.jsonl:101"


def test_a_json_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An array is read when it is small, and refused with advice when it is not."""
    path = tmp_path / "t.json"
    path.write_text(json.dumps([{"text": "one two"}, 3, {"text": "three"}], indent=1))
    reader = TabularReader(path)
    assert [(item.text, item.source) for item in items(reader)] == [
        ("one two", "t.json:1"),
        ("three", "t.json:3"),
    ]
    assert skips(reader) == [("t.json:2", "not a JSON object")]
    monkeypatch.setattr(tabular_rows, "ARRAY_LIMIT", 10)
    with pytest.raises(ReadError, match="jq -c"):
        TabularReader(path)


def test_a_json_array_of_other_things(tmp_path: Path) -> None:
    """One sentence for the whole array, not one for each of its entries."""
    found = list(tabular_rows.json_rows(str(write(tmp_path / "t.json", ["[1, 2, 3]"]))))
    assert found == [(1, "a JSON array without one object", "")]
    assert list(tabular_rows.json_rows(str(write(tmp_path / "t.json", ["[]"])))) == []


def test_parquet_with_maps(tmp_path: Path) -> None:
    """Names and values in a cell: the file is whole, whether that column is used or not."""
    facts = pa.array([[("who", "Ann")], [], None], pa.map_(pa.string(), pa.string()))
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["one two", "two", "three"], "facts": facts}), path)
    assert [item.text for item in items(TabularReader(path))] == ["one two", "two", "three"]


def test_parquet(tmp_path: Path) -> None:
    """Row groups are units; lists, dates and missing values come through."""
    stamps = pa.array([1_600_000_000_123_456_789, None, 0], pa.timestamp("ns"))
    table = pa.table(
        {
            "key": ["a", "b", "c"],
            "text": ["one two", None, "three"],
            "tags": [["x", "y"], [], None],
            "date": stamps,
            "area": pa.array(["p", "q", "p"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    reader = TabularReader(tmp_path / "t.parquet", truth="area")
    assert [(unit.start, unit.stop, unit.line) for unit in reader.scan()] == [(0, 1, 1), (1, 2, 3)]
    first, _, third = read_all(reader)
    assert first.values == {"tags": ("x", "y")}
    assert first.date is not None
    assert first.date.isoformat() == "2020-09-13T12:26:40.123456+00:00"
    assert (first.id, first.truth, third.source) == ("a", "p", "t.parquet:3")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(ReadError, match="as Parquet"):
        TabularReader(tmp_path / "bad.parquet")


def test_a_folder_of_tables(tmp_path: Path) -> None:
    """Files of one format are one collection; one without the columns is skipped."""
    write(tmp_path / "1.csv", ["title,text", "a,one two"])
    write(tmp_path / "2.csv", ["title,text", "b,three"])
    write(tmp_path / "3.csv", ["other", "c"])
    reader = TabularReader(tmp_path, format="csv")
    assert [item.source for item in items(reader)] == ["1.csv:2", "2.csv:2"]
    assert skips(reader) == [("3.csv", "the file has no column 'text'")]
    with pytest.raises(ReadError, match="no parquet file"):
        TabularReader(tmp_path, format="parquet")


@pytest.mark.parametrize(("option", "value"), [("format", "xls"), ("delimiter", "ab")])
def test_bad_options_are_named(tmp_path: Path, option: str, value: str) -> None:
    """The message names the option and what it can be."""
    path = write(tmp_path / "t.csv", [HEADER, *LINES])
    with pytest.raises(InputError, match=option):
        TabularReader(path, **{option: value})  # type: ignore[arg-type]


def test_half_of_the_rows_must_fit(tmp_path: Path) -> None:
    """As many bad rows as good ones are skips; one more, and the table is refused."""
    path = write(tmp_path / "t.csv", ["title,text", "a,b", "1,2,3", "c,d", "1"])
    assert len(skips(TabularReader(path, delimiter=","))) == 2
    write(path, ["title,text", "a,b", "1,2,3", "c,d", "1", "1,2,3"])
    with pytest.raises(ReadError, match="3 of the first 5 rows"):
        TabularReader(path, delimiter=",")


def test_a_header_alone_is_no_table(tmp_path: Path) -> None:
    """Told as such; a delimiter that is no comma is told, too, and a TSV has tabs."""
    with pytest.raises(ReadError, match="has a header and no rows"):
        TabularReader(write(tmp_path / "t.csv", ["title,text"]))
    reader = TabularReader(write(tmp_path / "t.csv", ["title;text", "a;some words"]))
    assert reader.notes[0] == "cells are separated by ';'"
    commas = TabularReader(write(tmp_path / "t.csv", ["title,text", "a,some words"]))
    assert not any("separated" in note for note in commas.notes)
    tabs = TabularReader(write(tmp_path / "t.tsv", ["text", "a, b, c"]))
    assert [item.text for item in items(tabs)] == ["a, b, c"]
