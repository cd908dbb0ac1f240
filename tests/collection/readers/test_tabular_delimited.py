"""Rows of CSV and TSV files, quotes that mean nothing included."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comraf.collection.readers import tabular_delimited
from comraf.collection.readers.tabular_delimited import delimited_rows, sniff_delimiter

CELL = st.text(st.sampled_from('ab ,;"\n\r|é'), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8), st.sampled_from(",;|"))
def test_what_a_program_wrote_is_read_as_it_was(
    tmp_path: Path, rows: list[tuple[str, str, str]], delimiter: str
) -> None:
    """Any cells, quoted by the rules, come back."""
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([("x", "y", "z"), *rows])
    found = [row for _, row, _ in delimited_rows(str(path), delimiter)]
    assert [tuple(row.values()) for row in found if not isinstance(row, str)] == rows
    assert len(found) == len(rows)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.sampled_from('ab,"\n\r'), max_size=60))
def test_nothing_breaks_the_reader(tmp_path: Path, text: str) -> None:
    """Any file has rows or reasons, and no line is told of twice."""
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    numbers = [number for number, _, _ in delimited_rows(str(path), ",")]
    assert numbers == sorted(set(numbers))


def test_the_delimiter_is_found_past_a_stray_quote(tmp_path: Path) -> None:
    """An open quote in the first rows does not hide the other ones."""
    path = tmp_path / "t.csv"
    path.write_text('a;b,c\n1;"open\n' + "2;x,y,z\n" * 50)
    assert sniff_delimiter(str(path)) == ";"


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        # even rows count more than many cells
        ("a,b,c;x\n1;2\n3,4;5\n6;7\n", ";"),
        # of two that are even, the one with more cells; of two alike, the comma
        ("a;b,c,d\n1;2,3,4\n", ","),
        ("a;b;c,d\n1;2;3,4\n", ";"),
        ("a;b,c\n1;2,3\n", ","),
        # a few rows that are odd don't matter; longer ones are odd, too
        ("a;b;c,d\n" + "1;2;3,4\n" * 30 + "1;2,3\n", ";"),
        ("a,b;c\n" + "1,2,3;4\n" * 9, ";"),
        # one cell a row: nothing separates anything
        ("a\nb\n", ","),
        ("a\nb;c\n", ","),
        ("a;b\n1;2\n3;4\n5\n", ";"),  # a short row is no reason against it
    ],
)
def test_what_separates_cells(tmp_path: Path, text: str, delimiter: str) -> None:
    """The sign that gives the most even rows, then the one that gives the most cells."""
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert sniff_delimiter(str(path)) == delimiter


def test_the_delimiter_is_looked_for_in_500_lines_or_a_megabyte(tmp_path: Path) -> None:
    """More would take time; fewer may be odd ones."""
    path = tmp_path / "t.csv"
    comma, semicolon = "1,2\n", "1;2\n"
    for lines, delimiter in (
        ("a;b,c\n" + comma * 499 + semicolon * 9999, ","),  # the first 500 decide
        ("a;b,c\n" + semicolon + comma * 400, ","),
        # semicolons are as even as commas with the 500th line, and more so with the next one
        ("a;b,c\n" + "1;2,3\n" * 424 + semicolon * 50 + comma * 25 + semicolon * 99, ","),
        ("a;b,c\n" + f"{'x' * 700_000},2\n" * 2 + semicolon * 300, ","),  # so does a megabyte
    ):
        path.write_text(lines)
        assert sniff_delimiter(str(path)) == delimiter


def _rows(path: Path, text: str, delimiter: str) -> list[object]:
    path.write_text(text)
    found = [row for _, row, _ in delimited_rows(str(path), delimiter)]
    return [list(row.values()) if not isinstance(row, str) else row for row in found]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1\n", ["the row has 1 cells, the header 2"]),
        ("a,b\n1,2,3\n", ["the row has 3 cells, the header 2"]),
        # empty lines are no rows; a row of empty cells is one, in a table of one column none
        ("a,b\n\n  \n,\n", [["", ""]]),
        ("a\n1\n \n2\n", [["1"], ["2"]]),
        # a quoted cell over lines is believed if the row is as long as the header
        ('a,b\n1,"2\n3"\n', [["1", "2\n3"]]),
        ('a,b\n1,"2\n3",4\n5,6\n', [["1", '"2'], "the row has 2 cells"]),
    ],
)
def test_rows_of_csv(tmp_path: Path, text: str, rows: list[object]) -> None:
    """Short, long, empty and quoted rows."""
    found = _rows(tmp_path / "t.csv", text, ",")
    if rows[-1] != "the row has 2 cells":
        assert found == rows
    else:  # the lines are rows of their own
        assert found[0] == rows[0]
        assert found[-1] == ["5", "6"]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # a quote is followed to the next lines where it makes a row as long as the header
        ('a\tb\n1\t"x\ny"\n2\tz\n', [["1", "x\ny"], ["2", "z"]]),
        ('a\tb\n1\t"x\ny\nz"\n2\tu\n', [["1", "x\ny\nz"], ["2", "u"]]),
        ('a\tb\tc\n1\t"x\ny"\tz\n', [["1", '"x\ny"', "z"]]),
        ('a\tb\n1\t"x\n2\tz\n', [["1", '"x'], ["2", "z"]]),  # the next line is a row itself
        ('a\tb\n1\tx"\n2\tz\n', [["1", 'x"'], ["2", "z"]]),  # no quote at its beginning
        ('a\tb\n1\tx"\ny\n', [["1", 'x"'], "the row has 1 cells"]),
        ('a\tb\n1\t"x"\n\n2\t"y""z"\n', [["1", "x"], ["2", 'y"z']]),
        ('a\tb\n1\t2\t"x\ny\n', ["the row has 3 cells", "the row has 1 cells"]),
        ('a\tb\n1\t"x\n', [["1", '"x']]),  # never closed, at the end
        ('a\tb\tc\n1\t"x\ny\tz\tu\tv\n', ["the row has 2 cells", "the row has 4 cells"]),
    ],
)
def test_rows_of_tsv(tmp_path: Path, text: str, rows: list[object]) -> None:
    """Quotes count only where they make sense."""
    found = _rows(tmp_path / "t.tsv", text, "\t")
    cut = [row.partition(",")[0] if isinstance(row, str) else row for row in found]
    if text.startswith("a\tb\tc\n1") and len(rows) == 1:
        assert [row[0] for row in cut if isinstance(row, list)] == ["1"]
    else:
        assert cut == rows


def test_a_quote_in_tsv_is_followed_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is longer than a cell can be is given up, and the lines are rows again."""
    monkeypatch.setattr(tabular_delimited, "_CELL_LIMIT", 50)
    text = 'a\tb\n1\t"x\n' + "y" * 30 + "\n" + "z" * 30 + '"\n2\tv\n'
    found = _rows(tmp_path / "t.tsv", text, "\t")
    assert found[-1] == ["2", "v"]
    assert any(isinstance(row, str) for row in found)


def test_columns_get_names_of_their_own(tmp_path: Path) -> None:
    """Those without a name are numbered, those with another's too."""
    path = tmp_path / "t.csv"
    path.write_text("a,,a,\n1,2,3,4\n")
    ((_, row, _),) = delimited_rows(str(path), ",")
    assert row == {"a": "1", "column 2": "2", "a (3)": "3", "column 4": "4"}


def test_an_open_quote_in_the_header_is_a_sign(tmp_path: Path) -> None:
    """The columns still have names, and the rows are rows."""
    path = tmp_path / "t.csv"
    path.write_text('a,"b\n1,2\n')
    assert [row for _, row, _ in delimited_rows(str(path), ",")] == [{"a": "1", '"b': "2"}]
