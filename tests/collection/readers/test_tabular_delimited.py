"""Rows of CSV and TSV files, quotes that mean nothing included."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
    found = [row for _, row, _ in delimited_rows(str(path), delimiter)][1:]
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


@pytest.mark.parametrize("line", ['1,"open', '1,"open"x', '"a,"b', '1,"a""'])
def test_time_grows_with_the_number_of_stray_quotes(tmp_path: Path, line: str) -> None:
    """Each row is looked at a few times, not once for each quote before it."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + f"{line}\n" * 100_000)
    start = time.process_time()
    assert sum(1 for _ in delimited_rows(str(path), ",")) > 1
    assert time.process_time() - start < 10
