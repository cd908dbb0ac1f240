"""What a collection says about itself."""

from __future__ import annotations

import json

from comraf.collection.header import HEADER_FILE, read_header, write_header
from comraf.collection.options import SideOptions
from comraf.collection.shelf import MemoryShelf

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
    shelf = MemoryShelf()
    write_header(shelf, HEADER)
    assert read_header(shelf) == {**json.loads(json.dumps(HEADER)), "format": "comraf collection",
                                  "version": 1}  # fmt: skip


def test_what_is_no_character_is_replaced() -> None:
    """The name of a column may hold half of a character; the header is still UTF-8."""
    shelf = MemoryShelf()
    write_header(shelf, {**HEADER, "notes": ["column \ud800x"]})
    shelf.read(HEADER_FILE).decode("utf-8")
    assert read_header(shelf)["notes"] == ["column ?x"]
