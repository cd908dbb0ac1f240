"""What a collection says about itself."""

from __future__ import annotations

import json

import pytest

from comraf.collection.files import MemoryFiles
from comraf.collection.options import SideOptions
from comraf.collection.store import HEADER_FILE, read_header, write_header
from comraf.errors import ReadError

HEADER = {
    "kind": "text",
    "n_items": 1,
    "n_skipped": 0,
    "n_duplicates": 0,
    "n_truths": 0,
    "notes": ["one"],
    "options": SideOptions().to_json(),
    "sides": [],
}


def test_a_header_comes_back() -> None:
    """What is written is read, with the format and its version."""
    shelf = MemoryFiles()
    write_header(shelf, HEADER)
    assert read_header(shelf) == {**json.loads(json.dumps(HEADER)), "format": "comraf collection",
                                  "version": 2}  # fmt: skip


def test_what_is_no_character_is_replaced() -> None:
    """The name of a column may hold half of a character; the header is still UTF-8."""
    shelf = MemoryFiles()
    write_header(shelf, {**HEADER, "notes": ["column \ud800x"]})
    shelf.read(HEADER_FILE).decode("utf-8")
    assert read_header(shelf)["notes"] == ["column ?x"]


@pytest.mark.parametrize("version", [0, -1, True, "1", 1.0, None])
def test_versions_that_are_none(version: object) -> None:
    """A version is a whole number from 1 on."""
    with pytest.raises(ReadError, match=r"version of the collection, .*, is not a number"):
        read_header(changed(version=version))


@pytest.mark.parametrize("number", [-1, 2**48, True, 1.0, "1"])
def test_numbers_of_items_that_can_not_be(number: object) -> None:
    """A tampered header must not ask for more memory than there is anywhere."""
    assert read_header(changed(n_items=2**48 - 1))["n_items"] == 2**48 - 1
    with pytest.raises(ReadError, match=r"damaged: n_items is .*, not a number of items"):
        read_header(changed(n_items=number))


def changed(**parts: object) -> MemoryFiles:
    """A shelf whose header has some entries of another value."""
    shelf = MemoryFiles()
    write_header(shelf, HEADER)
    shelf.write(HEADER_FILE, json.dumps({**json.loads(shelf.read(HEADER_FILE)), **parts}).encode())
    return shelf
