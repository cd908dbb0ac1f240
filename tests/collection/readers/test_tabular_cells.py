"""Cells as text, lists, people and dates."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.readers.tabular_cells import (
    cell_date,
    cell_list,
    cell_people,
    cell_text,
    guess_separator,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (math.nan, ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (3, "3"),
        (3.0, "3"),
        (2.5, "2.5"),
        (True, "True"),
        (" a\r\nb\x00 ", "a\nb"),
        ("one<br />two", "one\ntwo"),
        (b"caf\xc3\xa9", "café"),
        (["a", None, "b"], "a\nb"),
        (np.array(["a", "b"]), "a\nb"),
        ({"a": 1}, ""),
        ("\ud800x", "x"),
    ],
)
def test_text(value: object, text: str) -> None:
    """Missing values of every library are empty, the rest is clean text."""
    assert cell_text(value) == text


def test_lists() -> None:
    """By separator or by type, each entry once, blanks and missing ones left out."""
    assert cell_list("a; b ;a;;n/a", ";") == ("a", "b")
    assert cell_list(["x", None, "x"], ";") == ("x",)
    assert cell_list(np.array(["x", "y"]), "") == ("x", "y")
    assert cell_list("a b", "") == ("a b",)
    assert cell_list(None, ";") == ()


@pytest.mark.parametrize(
    ("value", "separator", "names"),
    [
        ("Ann Li, Bo Yu and Cy Oz", ",", ["Ann Li", "Bo Yu", "Cy Oz"]),
        ("Ann Li, Bo Yu, and Cy Oz", ",", ["Ann Li", "Bo Yu", "Cy Oz"]),
        ("Andersen & Sandy", ",", ["Andersen", "Sandy"]),
        ("Li, Ann; Yu, Bo", ";", ["Li, Ann", "Yu, Bo"]),
        ("Li, Ann and Yu, Bo", " and ", ["Li, Ann", "Yu, Bo"]),
        (["Ann", "Bo"], "", ["Ann", "Bo"]),
        ("Ann Li", "", ["Ann Li"]),
        ("", ",", []),
        (None, "", []),
    ],
)
def test_people(value: object, separator: str, names: list[str]) -> None:
    """Names in the forms that tables have."""
    assert [person.name for person in cell_people(value, separator, "author")] == names


def test_people_with_addresses() -> None:
    """Columns out of mail exports hold address lists."""
    people = cell_people("Ann <a@x.org>, b@x.org", ",", "to")
    assert [(p.name, p.address, p.role) for p in people] == [
        ("Ann", "a@x.org", "to"),
        ("", "b@x.org", "to"),
    ]


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2020-01-02", "2020-01-02T00:00:00"),
        ("2020-01-02T03:04:05+02:00", "2020-01-02T01:04:05"),
        ("2020-01-02 03:04", "2020-01-02T03:04:00"),
        ("31.12.1999", "1999-12-31T00:00:00"),
        ("12/31/1999 11:05 PM", "1999-12-31T23:05:00"),
        ("31/12/1999", "1999-12-31T00:00:00"),
        ("1/2/99", "1999-01-02T00:00:00"),
        ("31 December 1999", "1999-12-31T00:00:00"),
        ("Dec 31, 1999", "1999-12-31T00:00:00"),
        ("Fri, 31 Dec 1999 10:00:00 GMT", "1999-12-31T10:00:00"),
        ("1999", "1999-01-01T00:00:00"),
        (1999, "1999-01-01T00:00:00"),
        (946684800, "2000-01-01T00:00:00"),
        (946684800000.0, "2000-01-01T00:00:00"),
        (date(2020, 1, 2), "2020-01-02T00:00:00"),
        (datetime(2020, 1, 2, tzinfo=timezone(timedelta(hours=2))), "2020-01-01T22:00:00"),
        (pd.Timestamp("2020-01-02"), "2020-01-02T00:00:00"),
        (pd.NaT, None),
        (None, None),
        ("99/99/9999", None),
        ("soon", None),
        (5, None),
    ],
)
def test_dates(value: object, iso: str | None) -> None:
    """Every usual form is a moment in UTC; nonsense is None."""
    moment = cell_date(value)
    assert (moment.isoformat() if moment else None) == (f"{iso}+00:00" if iso else None)


@given(st.one_of(st.text(max_size=30), st.floats(), st.integers(), st.dates(), st.binary()))
def test_any_cell_is_harmless(value: object) -> None:
    """No cell raises, and dates are aware."""
    cell_text(value).encode("utf-8")
    cell_list(value, ";")
    cell_people(value, ",", "author")
    moment = cell_date(value)
    assert moment is None or moment.tzinfo is UTC


@pytest.mark.parametrize(
    ("cells", "people", "separator"),
    [
        (["a;b", "c"], False, ";"),
        (["a\nb, c", "d"], False, "\n"),
        (["a|b"], False, "|"),
        (["red, blue", "red"], False, ","),
        (
            ["A cell of many words is no list of tags, however many commas it may happen to hold."],
            False,
            "",
        ),
        (["Li, Ann and Yu, Bo"], True, " and "),
        (["Ann Li, Bo Yu and Cy Oz"], True, ","),
        (["Ann and Bo"], True, ","),
        (["Ann", "Bo"], True, ""),
        ([], False, ""),
    ],
)
def test_separators(cells: list[str], people: bool, separator: str) -> None:
    """What separates entries is seen from the cells."""
    assert guess_separator(cells, people=people) == separator
