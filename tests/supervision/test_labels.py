"""Labels: in whatever they come, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.supervision import check_classes, read_labels

IDS = ["ant", "bee", "cat", "dog"]


@pytest.mark.parametrize(
    "given",
    [
        ["b", None, "a", "b"],
        ("b", float("nan"), "a", "b"),
        ["b", -1, "a", "b"],
        np.array(["b", None, "a", "b"], dtype=object),
        np.array([7, -1, 3, 7]),
        np.array([7, -1, 3, 7], dtype=np.int8),
        np.array([0.5, np.nan, 0.25, 0.5]),
        np.ma.masked_array([7, 9, 3, 7], mask=[False, True, False, False]),
        pd.Series(["b", None, "a", "b"], index=[9, 8, 7, 6]),
        pd.Series(["b", pd.NA, "a", "b"], dtype="string"),
        pd.Series(["b", None, "a", "b"], dtype="category"),
        pd.Series([7, pd.NA, 3, 7], dtype="Int64"),
        pl.Series(["b", None, "a", "b"]),
        pl.Series([7, None, 3, 7]),
        pa.array(["b", None, "a", "b"]),
        [("b", 1), None, ("a", 1), ("b", 1)],
        {0: "b", 2: "a", 3: "b"},
        {"ant": "b", "bee": None, "cat": "a", "dog": "b"},
        {"ant": "b", 2: "a", np.int64(3): "b", 1: -1},
    ],
)
def test_any_container(given: object) -> None:
    """The second item is unknown; classes are numbered in their order."""
    labels = read_labels(given, 4, IDS)
    assert labels.codes.dtype == np.int32
    assert labels.codes.tolist() == [1, -1, 0, 1]
    assert len(labels.classes) == 2
    assert labels.n_known == 3
    assert labels.sizes.tolist() == [1, 2]


@pytest.mark.parametrize("given", [None, {}, [None, -1, np.nan]])
def test_nothing_known(given: object) -> None:
    """Without a class every item is unknown."""
    assert read_labels(given, 3).codes.tolist() == [-1, -1, -1]


@given(st.lists(st.sampled_from(["x", "y", 3, (1, 2), None, -1]), max_size=30))
def test_codes_name_what_was_given(values: list[object]) -> None:
    """Reading back the codes gives the values; a mapping says the same as a list."""
    labels = read_labels(values, len(values))
    back = [labels.classes[code] if code >= 0 else None for code in labels.codes]
    assert back == [None if value == -1 else value for value in values]
    mapped = read_labels(dict(enumerate(values)), len(values))
    assert mapped.classes == labels.classes
    assert mapped.codes.tolist() == labels.codes.tolist()


def test_numbers_as_ids() -> None:
    """Where ids are numbers, a number is an id and never a row."""
    assert read_labels({30: "x"}, 3, ids=[10, 20, 30]).codes.tolist() == [-1, -1, 0]
    with pytest.raises(InputError, match="1 item that is not there: 0"):
        read_labels({0: "x"}, 3, ids=np.array([10, 20, 30]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a", "b"], "labels has 2 entries for 4 items"),
        ("abcd", "type str"),
        (3, "type int"),
        ({"a", "b"}, "type set"),
        (np.zeros((4, 1)), r"shape \(4, 1\)"),
        (["a", ["b"], "c", "d"], "entry 1 of labels is of type list"),
        ({"eel": 1}, "1 item that is not there: 'eel'; use ids"),
        ({4: 1, -1: 1}, "2 items that are not there: 4, -1"),
        ({True: 1}, "1 item that is not there: True"),
        ({f"x{i}": 1 for i in range(8)}, "'x0', 'x1', 'x2', 'x3', 'x4' and 3 more"),
        ({"ant": "a", 0: "b"}, r"two labels for 1 item: ant \('a' and 'b'\)"),
    ],
)
def test_refused(given: object, message: str) -> None:
    """The error names the type, the length or the first offenders."""
    with pytest.raises(InputError, match=message):
        read_labels(given, 4, IDS)


def test_ids_are_checked() -> None:
    """Ids need one entry for each item, and an id of two items can't be used."""
    with pytest.raises(InputError, match="there are 2 ids for 3 items"):
        read_labels(None, 3, ids=["a", "b"])
    with pytest.raises(InputError, match="not the only ones with their id: 'a'"):
        read_labels({"a": 1}, 3, ids=["a", "b", "a"])
    with pytest.raises(InputError, match="can't be hashed"):
        read_labels({"a": 1}, 2, ids=["a", []])
    with pytest.raises(InputError, match="n=-1"):
        read_labels(None, -1)


def test_more_classes_than_clusters() -> None:
    """As many classes as clusters are fine; one more is refused, and named."""
    labels = read_labels(list("abcdefg"), 7)
    check_classes(labels, 7)
    with pytest.raises(InputError, match=r"7 classes, more than the 6 .* 'e' and 2 more"):
        check_classes(labels, 6)


@pytest.mark.parametrize(
    "given",
    [np.array(["tea", -1]), ["tea", ""], {0: "tea", 1: "-1"}],
    ids=["array", "empty", "map"],
)
def test_texts_that_mean_unknown_are_refused(given: object) -> None:
    """An array of texts makes a class of -1; that is never meant."""
    with pytest.raises(InputError, match=r"where the class is unknown give None"):
        read_labels(given, 2)
