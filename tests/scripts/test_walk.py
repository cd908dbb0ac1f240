"""The page that draws the walk of a message and of a table is of today."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scripts import walk

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/concepts/walk.md").read_text(encoding="utf-8")
# How far the numbers of the page may be off before it is drawn anew.
MARGIN = 0.1


def test_the_page_says_what_a_trace_says() -> None:
    """Functions and files of both walks, within a margin; rooms and their order exactly."""
    parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    for part, (name, functions) in zip(parts, walk.walks().items(), strict=True):
        said = re.search(r"\*\*([\d,]+) functions in ([\d,]+) files\*\*", part).groups()
        files = {one.file for one in functions}
        for number, found in zip(said, (len(functions), len(files)), strict=True):
            wrong = f"is {found}, run python scripts/walk.py docs"
            assert int(number.replace(",", "")) == pytest.approx(found, rel=MARGIN), wrong
        rooms = list(dict.fromkeys(one.room for one in functions))
        assert re.findall(r"^\d+\. `(\w+)`", part, re.MULTILINE) == rooms
        for file in re.findall(r"in `([\w/]+\.py)`", part):
            assert (walk.SOURCE / file).is_file(), file
        picture = ElementTree.parse(ROOT / f"docs/images/walk-{name}.svg")  # noqa: S314 - ours
        assert set(rooms) == {
            text.text for text in picture.findall(".//{*}text") if text.get("class") == "room"
        }
