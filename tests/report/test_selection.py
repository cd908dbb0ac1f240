"""The page of choices: well-formed, harmless, a point for each choice that is known."""

from __future__ import annotations

import math

import pytest
from selectolax.lexbor import LexborHTMLParser

from comraf.report.selection import Point, SelectionData, render_selection
from tests.report.reading import Page
from tests.report.test_page import ATTACKS

NAN = math.nan


def points(labelled: bool) -> tuple[Point, ...]:
    """Three choices, of the last of which nothing is known."""
    agreement = (0.7, 0.6) if labelled else (NAN, NAN)
    known = [
        Point(f"choice {i}", 1.0 + i, 1.0 - i / 10, agreement[i], 0.1 - i / 10, 0.01)
        for i in range(2)
    ]
    return (*known, Point("unknown", NAN, NAN, NAN, NAN, NAN))


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_page_is_harmless(attack: str) -> None:
    """Names of sides come from strangers' files."""
    bad = (Point(attack, 1.0, 1.0, NAN, 0.0, 0.0),)
    data = SelectionData(attack, bad, 0, 0, attack, attack, "9", notes=(attack,))
    assert not Page(render_selection(data)).complaints


@pytest.mark.parametrize("labelled", [False, True])
def test_each_known_choice_is_a_point(labelled: bool) -> None:
    """The better one stands higher; with labels they are drawn over what is foretold."""
    data = SelectionData(
        "news",
        points(labelled),
        0,
        1,
        "best",
        "comraf organize",
        "9 items",
        known="5 labels" * labelled,
        correlation=1.0 if labelled else NAN,
    )
    page = LexborHTMLParser(render_selection(data))
    circles = [one.attributes for one in page.css("circle")]
    (x, y), (other_x, other_y) = ((float(one["cx"]), float(one["cy"])) for one in circles)
    assert y < other_y
    assert (x > other_x) == labelled
    assert ("agreement with what is known" in page.text()) == labelled
    assert [row.text()[:1] for row in page.css("tbody tr")] == ["1", "2", "3"]
