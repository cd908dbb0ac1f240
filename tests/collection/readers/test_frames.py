"""Data frames."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from comraf.collection.earlier import reader_signature
from comraf.collection.items import Item
from comraf.collection.readers import frames
from comraf.collection.readers.frames import FrameReader, is_frame
from comraf.errors import InputError
from tests.collection.given import read_all

DATA = {
    "key": ["a", "b", "c"],
    "text": ["one two three", None, "four five six"],
    "tags": [["x"], ["x", "y"], None],
    "area": ["p", "q", "p"],
}
FRAMES = {
    "pandas": pd.DataFrame(DATA),
    "polars": pl.DataFrame(DATA),
    "lazy": pl.LazyFrame(DATA),
    "pyarrow": pa.table(DATA),
}


@pytest.mark.parametrize("name", FRAMES)
def test_all_libraries_give_the_same_items(name: str) -> None:
    """The library behind a frame does not matter."""
    found = read_all(FrameReader(FRAMES[name], truth="area", id="key"))
    expected = read_all(FrameReader(FRAMES["polars"], truth="area", id="key"))
    assert found == expected
    assert [thing.id for thing in found if isinstance(thing, Item)] == ["a", "b", "c"]
    assert isinstance(found[1], Item)
    assert found[1].values == {"tags": ("x", "y")}
    assert found[1].text == ""


def test_frames_are_recognised() -> None:
    """Frames are told from paths and other things."""
    assert all(is_frame(frame) for frame in FRAMES.values())
    assert not any(is_frame(thing) for thing in ("a", b"a", 3, None, [1], {"a": 1}))


def test_long_frames_are_read_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches give all rows once, in order."""
    monkeypatch.setattr(frames, "_ROWS", 7)
    frame = pd.DataFrame({"text": [f"row {i}" for i in range(30)]})
    reader = FrameReader(frame)
    assert [unit.start for unit in reader.scan()] == [0, 7, 14, 21, 28]
    assert [t.source for t in read_all(reader)] == [f"frame:{i + 1}" for i in range(30)]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"text": []}), "no rows"),
        (pd.DataFrame([["a", "b"]], columns=["text", "text"]), "unique column names"),
        (3, "Expected a data frame"),
    ],
)
def test_bad_frames(frame: Any, message: str) -> None:
    """An empty frame, one with a name twice and what is no frame are refused in words."""
    with pytest.raises(InputError, match=message):
        FrameReader(frame)


def test_columns_that_are_not_called_by_strings() -> None:
    """Frames without names have numbers for columns."""
    frame = pd.DataFrame([["one two", "x"], ["three", "y"]])
    found = read_all(FrameReader(frame, text="0"))
    assert [thing.text for thing in found if isinstance(thing, Item)] == ["one two", "three"]


def test_rows_are_no_part_of_what_a_reader_says_about_itself() -> None:
    """The description of the reader, which goes into the header, holds no text."""
    reader = FrameReader(pd.DataFrame({"text": ["a secret", "another secret"]}))
    assert "secret" not in reader_signature(reader)
