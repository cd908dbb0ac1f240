"""The page of topics: well-formed, harmless, and every story on its lane."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given, settings

from comraf.report.jinja import environment
from comraf.report.page import POLICY
from comraf.report.topics import Article, TopicEntry, TopicsData, render_topics, stories
from tests.report.reading import Page
from tests.report.test_page import ATTACKS, nasty


def entry(number: int, story: int, **given: object) -> TopicEntry:
    """A block with a topic."""
    facts: dict[str, object] = {
        "name": f"1993-04-{number + 1:02d}",
        "when": f"{number + 1} Apr 1993",
        "n_documents": 40,
        "n_core": 12,
        "story": story,
        "change": "New.",
        "words": ((f"word{story}", 0.9), ("other", 0.2)),
        "articles": tuple(Article(f"title {i}", date(1993, 4, 1)) for i in range(8)),
    }
    return TopicEntry(**{**facts, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("attack", ATTACKS)
def test_strings_of_strangers_are_only_text(attack: str) -> None:
    """Whatever a title, a word or a name says, the page has our tags alone."""
    nasty_entry = entry(
        0,
        0,
        name=attack,
        when=attack,
        change=attack,
        words=((attack, 1.0),),
        articles=(Article(attack, None, attack),),
        size_note=attack,
    )
    page = render_topics(
        TopicsData(attack, (nasty_entry,), "week", attack, ((attack, attack),), (attack,))
    )
    assert Page(page).complaints == []
    assert page.count("<script") == 0


@given(nasty, nasty)
@settings(max_examples=40, deadline=None)
def test_any_text_at_all(first: str, second: str) -> None:
    """The same for texts that nobody thought of."""
    page = render_topics(TopicsData(first, (entry(0, 0, words=((second, 1.0),)),)))
    assert Page(page).complaints == []


def test_the_page_loads_nothing() -> None:
    """The policy is there, and no address of anything."""
    page = render_topics(TopicsData("news", (entry(0, 0),)))
    assert POLICY in page
    assert "http:" not in page
    assert "https:" not in page
    assert "src=" not in page


def test_links_lead_to_places_that_are_there() -> None:
    """Every bar of the timeline leads to its block."""
    entries = tuple(entry(i, story) for i, story in enumerate([0, 1, 0, 2]))
    page = Page(render_topics(TopicsData("news", entries)))
    places = {value for _, name, value in page.attributes if name == "id"}
    links = {value for _, name, value in page.attributes if name == "href"}
    assert {f"#b{i}" for i in range(4)} <= links
    assert {link[1:] for link in links if link} <= places


def test_a_lane_for_each_story_and_lines_between_its_blocks() -> None:
    """Three stories are three lanes; a story that returns is joined by a broken line."""
    entries = [
        entry(0, 0),
        entry(1, 0, goes_on=True),
        entry(2, 1),
        entry(3, 0, returns=True),
    ]
    figure = _figure(entries)
    boxes = [rect for rect in figure.iter("rect") if rect.get("class") != "back"]
    lanes = [rect for rect in figure.iter("rect") if rect.get("class") == "back"]
    lines = [path.get("class") for path in figure.iter("path")]
    assert (len(boxes), len(lanes), lines) == (4, 2, [None, "again"])
    ys = {float(box.get("y", "")) // 26 for box in boxes}
    assert len(ys) == 2


@pytest.mark.parametrize("n", [1, 2, 400])
def test_few_and_many_blocks_stay_in_the_picture(n: int) -> None:
    """Bars lie within the width, whatever their number; labels don't overlap."""
    figure = _figure([entry(i % 28, i % 90) for i in range(n)])
    svg = figure.find(".//svg")
    assert svg is not None
    width = float(svg.get("width", "0"))
    for rect in figure.iter("rect"):
        assert float(rect.get("x", "")) + float(rect.get("width", "")) <= width
    ticks = sorted(float(t.get("x", "")) for t in figure.iter("text") if t.get("class") == "soft")
    assert all(b - a >= 80 for a, b in itertools.pairwise(ticks))


def test_nothing_found_is_still_a_page() -> None:
    """A stream without any topic has a page that says so."""
    page = render_topics(TopicsData("news", (), skipped=(("1993", "2 documents"),)))
    assert Page(page).complaints == []
    assert "No block has a topic" in page


def _figure(entries: Sequence[TopicEntry]) -> ET.Element:
    """The lanes of stories as they are drawn."""
    drawn = environment().get_template("stories.html").render(entries=entries, **stories(entries))
    return ET.fromstring(drawn)  # noqa: S314


def _bars(entries: list[TopicEntry]) -> list[ET.Element]:
    return [rect for rect in _figure(entries).iter("rect") if rect.get("class") != "back"]


def test_time_without_a_topic_is_a_gap() -> None:
    """Columns are further apart where days are missing, and the page says what the line is."""
    spans = [(1, 7), (8, 14), (22, 28)]
    entries = [
        entry(a, 0, first=date(1993, 4, a), last=date(1993, 4, b), goes_on=True) for a, b in spans
    ]
    x = [float(rect.get("x", "")) for rect in _bars(entries)]
    assert x[2] - x[1] > x[1] - x[0] + 5
    page = render_topics(TopicsData("news", tuple(entries)))
    assert page.count('class="gap"') == 1
    assert "7 days without a topic" in page
    assert "a gap in time" in page
    assert "a gap in time" not in render_topics(TopicsData("news", tuple(entries[:2])))


def test_bars_of_one_share_are_numbers() -> None:
    """Where each core is 30% of its block, bars show how many documents that is, and say so."""
    sizes = [(40, 12), (80, 24), (20, 6)]
    even = [entry(i, 0, n_documents=n, n_core=k) for i, (n, k) in enumerate(sizes)]
    heights = [float(rect.get("height", "")) for rect in _bars(even)]
    assert heights == [10.0, 20.0, 5.0]
    assert "numbers of documents, for each topic is about 30% of its week" in render_topics(
        TopicsData("news", tuple(even))
    )
    uneven = [*even[:2], entry(2, 0, n_documents=20, n_core=12)]
    heights = [float(rect.get("height", "")) for rect in _bars(uneven)]
    assert heights == [10.0, 10.0, 20.0]
    assert "Bars are shares" in render_topics(TopicsData("news", tuple(uneven)))


def test_the_first_twelve_stories_differ_in_colour() -> None:
    """Lanes have nothing but their colours."""
    figure = _figure([entry(i, i) for i in range(12)])
    assert len({group.get("class") for group in figure.iter("g")}) == 12
    page = render_topics(TopicsData("news", tuple(entry(i, i) for i in range(12))))
    assert ".t11{--c:" in page
