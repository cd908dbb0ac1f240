"""Every group has a look of its own, and its number with it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from comraf.report import render
from comraf.report.data import (
    DocumentMap,
    Group,
    MapPoint,
    Model,
    ReportData,
    Telling,
    TruthTable,
    Weighted,
)
from comraf.report.marks import HUES, MARKS, PLAIN, hollow, look, mark_rules, outline
from comraf.report.panels import classes as classes_panel
from comraf.report.panels import map as map_panel
from tests.report.reading import Page


def test_no_look_is_given_twice() -> None:
    """All pairs of colour and mark differ; what comes after them has none at all."""
    n = len(HUES) * len(MARKS)
    assert n == 96
    looks = [look(group) for group in range(n)]
    assert len(set(looks)) == n
    assert {look(group) for group in range(n, 400)} == {PLAIN}


def test_no_two_marks_are_alike() -> None:
    """Marks differ in their outline or in being hollow, and fit their square."""
    shapes = {(repr(outline(mark)), hollow(mark)) for mark in range(len(MARKS))}
    assert len(shapes) == len(MARKS)
    for mark in range(len(MARKS)):
        for x, y in outline(mark) or []:
            assert -1 <= x <= 1
            assert -1 <= y <= 1


def test_every_mark_has_its_style() -> None:
    """Marks with corners are cut out by rules made here; the round ones are the sheet's."""
    rules = mark_rules()
    for mark in range(len(MARKS)):
        cut = f".dot.k{mark}::before{{clip-path:polygon(" in rules
        assert cut == (outline(mark) is not None)
        assert (f".map .dots.k{mark}>*" in rules) == hollow(mark)


def chart(n: int) -> tuple[DocumentMap, list[Group]]:
    """A map of two documents for each of many groups."""
    points = tuple(
        MapPoint((i % 20) / 20, (i // 20) / 20, i % n, f"title {i}") for i in range(2 * n)
    )
    tags = tuple(MapPoint((i % 20) / 20, (i // 20) / 20, i) for i in range(n))
    return DocumentMap(points, tags, 2 * n), [Group(i, f"g{i}", 2, 1 / n) for i in range(n)]


@pytest.mark.parametrize("n", [3, 40, 130])
def test_groups_on_the_map_can_be_told_apart(n: int) -> None:
    """Each group's dots have a look that no other's have, or are its number; each has a tag."""
    points, groups = chart(n)
    data = ReportData("Letters", 2 * n, tuple(groups), Model((), ()), map=points)
    picture = map_panel.PANEL.html(data)
    svg = ET.fromstring(re.search(r"<svg.*?</svg>", picture, re.DOTALL)[0])  # type: ignore[index]  # noqa: S314
    seen = set()
    for layer in svg.iter("g"):
        classes = str(layer.get("class")).split()
        number = int(classes[1][1:])
        if number >= 96:
            assert classes[2:] == PLAIN.split()
            dots = list(layer.iter("text"))
            assert len(dots) == 2
            assert all("".join(dot.itertext()).endswith(str(number)) for dot in dots)
            continue
        shape = {child.tag for child in layer}
        seen.add((*classes[2:], *shape))
        assert {title.text for title in layer.iter("title")} == {
            f"title {i} (group {number})" for i in (number, number + n)
        }
    assert len(seen) == min(n, 96)
    tags = [text.text for text in svg.iter("text") if text.get("class") == "tag"]
    assert sorted(map(int, filter(None, tags))) == list(range(n))


def test_numbers_on_the_map_do_not_cover_each_other() -> None:
    """Numbers that are wanted at one place step aside, not far, and always the same way."""
    wanted = [(100.0 + i % 3, 100.0 + i % 2) for i in range(12)]
    digits = [2] * 12
    places = map_panel.move_apart(wanted, digits)
    assert places == map_panel.move_apart(wanted, digits)
    for i, (x, y) in enumerate(places):
        assert abs(x - 100) < 120
        assert abs(y - 100) < 120
        for u, v in places[:i]:
            assert abs(x - u) > 20 or abs(y - v) > 15
    far = [(0.0, 0.0), (500.0, 10.0)]
    assert map_panel.move_apart(far, [1, 3]) == far


@pytest.mark.parametrize(("n", "heads"), [(30, "29 g29"), (31, "30")])
def test_narrow_columns_bear_numbers_alone(n: int, heads: str) -> None:
    """Names above columns of classes by groups are left out before they cover each other."""
    groups = [Group(i, f"g{i}", 1, 1 / n) for i in range(n)]
    table = TruthTable(("harbour",), ((1,) * n,), 1, 0)
    data = ReportData("Letters", n, tuple(groups), Model((), ()), truth=table)
    found = re.findall(r"rotate\(-60\)\">([^<]*)<", classes_panel.PANEL.html(data))
    assert found[-1] == heads
    assert ("by the numbers of the groups" in render(data)) == (n > 30)


@pytest.mark.parametrize("n", [40, 130])
def test_a_page_of_many_groups_shows_every_number(n: int) -> None:
    """The number stands in the contents, the table, the buttons and the cards of all groups."""
    points, groups = chart(n)
    data = ReportData("Letters", 2 * n, tuple(groups), Model((), ()))
    html = render(replace(data, map=points))
    assert Page(html).complaints == []
    for number in range(n):
        swatch = f'<span class="dot {look(number)}">{number}</span>'
        assert html.count(swatch) >= 4


def test_bars_of_one_colour_differ() -> None:
    """The ninth group's bars have a rim, in the table and in its card, the first one's are full."""
    telling = (Telling("words", (Weighted("sea", 1.0),), "words"),)
    groups = tuple(Group(i, f"g{i}", 1, 1 / 17, telling=telling) for i in range(17))
    page = render(ReportData("t", 17, groups, Model((), ())))
    for classes in ("c0", "c0 rim", "c0 hatch"):
        assert page.count(f'class="hbar {classes}"') == 1
        assert page.count(f'class="group {classes}"') == 1
    assert ".rim .bars i, .hbar.rim i { background: none" in page
