"""Tables on the terminal: whole words, few lines, within the width."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.cli.show import clean
from comraf.cli.table import Facts, Listing, fitted, lay_out, shares, width_of
from tests.cli.talking import comraf

names = st.text("abcdefg é日", min_size=1, max_size=20).map(lambda s: " ".join(s.split()) or "x")


@given(st.lists(names, min_size=1, max_size=8), st.integers(4, 60))
def test_a_list_fits_and_is_cut_between_names(values: list[str], width: int) -> None:
    """Never wider than asked for; what is shown is the beginning, in whole words."""
    text = fitted(values, width)
    assert width_of(text) <= width
    if text == ", ".join(values):
        return
    assert text.endswith("…")
    kept = text.removesuffix("…")
    if kept.endswith(" "):
        shown = kept.rstrip()
        assert ", ".join(values).startswith(shown)
        assert ", ".join(values)[len(shown) : len(shown) + 1] in (",", " ")
    else:  # one word that is longer than all the room
        assert values[0].startswith(kept)
        assert width_of(values[0].split()[0]) > width - 2


@given(st.lists(st.integers(0, 99), min_size=1, max_size=6), st.integers(0, 200))
def test_room_is_shared_out(needs: list[int], room: int) -> None:
    """Nobody gets more than needed, and nothing is given away twice."""
    spans = shares(needs, room)
    assert sum(spans) <= room
    assert all(0 <= span <= need for span, need in zip(spans, needs, strict=True))
    if sum(needs) <= room:
        assert spans == needs


@pytest.mark.parametrize("n_sides", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("width", [30, 60, 80, 100, 160, 240])
def test_lines_stay_within_the_width(width: int, n_sides: int) -> None:
    """At most two lines a group at any width, no word broken, no blanks at the end."""
    words = "release parser server importer translations candidate notes freeze".split()
    rows = [[words[(i + j) % 8] for j in range(8)] for i in range(5)]
    facts = [Facts("#", list("01234")), Facts("documents", ["1,000"] * 5)]
    listings = [Listing(f"side{s}", rows) for s in range(n_sides)]
    lines = [line.plain for line in lay_out(facts, listings, width)]
    assert len(lines) <= 2 * 5 + 3
    for line in lines:
        assert width_of(line) <= width
        assert line == line.rstrip()
        for word in re.findall(r"[a-z]{3,}", line):
            assert word in words or word in ("documents", "side")
    if width == 240 and n_sides <= 4:
        assert len(lines) == 5 + 2  # room for everything on one line each
        assert all(f"side{s}" in lines[0] for s in range(n_sides))


def test_control_codes_are_not_passed_on() -> None:
    """A name can't move the cursor, colour the terminal or turn its text around."""
    facts, listing = Facts("#", ["0"]), Listing("words", [["\x1b[31mred", "a\u202eb", "x\ny"]])
    text = "".join(line.plain for line in lay_out([facts], [listing], 80))
    assert not re.search("[\x00-\x1f\u202e]", text)


@given(st.text())
def test_clean_names(text: str) -> None:
    """No name, however odd, brings a control code to the terminal or grows too long."""
    shown = clean(text)
    assert len(shown) <= 32
    assert shown.isprintable() or " " in shown or any(char.isspace() for char in shown)
    assert not {"\x1b", "\n", "\r", "\x9b", "\u202e"} & set(shown)


def table_of(printed: str) -> list[str]:
    """The lines under the rule, to the next blank one."""
    lines = printed.splitlines()
    start = next(i for i, line in enumerate(lines) if set(line.strip()) <= {"─", "-"} and line)
    return lines[start + 1 : lines.index("", start)]


def test_output_to_a_file_does_not_depend_on_the_window(organized: Path) -> None:
    """Without COLUMNS it is 80 columns wide, whatever terminal is open."""
    plain, again = (comraf("inspect", organized).stdout for _ in range(2))
    assert plain == again == comraf("inspect", organized, COLUMNS="80").stdout


def test_ascii_terminals_get_ascii(organized: Path) -> None:
    """Dots and rules of our own are written in letters that every terminal has."""
    import os
    import subprocess
    import sys

    answer = subprocess.run(
        [sys.executable, "-c", "from comraf.cli import main; main()", "inspect", str(organized)],
        check=True,
        capture_output=True,
        timeout=120,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "60"},
    )
    printed = answer.stdout.decode("ascii")
    assert " ..." in printed
    assert "-" * 40 in printed
    assert all(len(line) <= 60 for line in table_of(printed))
