"""The page: well-formed, self-contained, harmless, complete."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import fields, is_dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from comraf.progress import TracePoint
from comraf.report import Score, render
from comraf.report.data import (
    ClassShare,
    Group,
    Model,
    ModelEdge,
    ModelNode,
    ReportData,
    Sample,
    Skipped,
    Telling,
    Timeline,
    Weighted,
)
from comraf.report.panels import PANELS
from tests.report.reading import ATTRIBUTES, TAGS, Page

ATTACKS = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "javascript:alert(1)",
    "<!--",
    "--><svg onload=alert(1)>",
    "]]><![CDATA[",
    "<?xml version='1.0'?>",
    "&lt;b&gt; &#60;script&#62;",
    "\u202eexe.fdp\u202c",
    "a\x00b\x1b[2J\x7f\x9bc",
    "\ud800 lone",
    "{{7*7}} ${7*7} %s %(x)s {0}",
    "x" * 5000,
    "\u0301" * 300,
    "",
    " ",
    "url(https://example.org/x.png)",
    "}body{display:none",
]
nasty = (
    st.sampled_from(ATTACKS) | st.text(max_size=40) | st.text("<>&\"'=/`{};:\\ab\x00", max_size=30)
)

FULL = ReportData(
    title="t",
    n_documents=3,
    source="s",
    groups=(
        Group(
            0,
            "n",
            2,
            0.66,
            telling=(
                Telling("words", (Weighted("w", 0.4), Weighted("v", 0.1)), "words"),
                Telling("people", (Weighted("p", 0.4),), "people"),
                Telling("tags", (Weighted("q", 0.4),), "values"),
            ),
            samples=(
                Sample("t", "a w b", date(2026, 1, 2), ("p",), 2, 0.9, "c"),
                Sample("u", "b", None, (), 0, None, None, False, 1),
            ),
            nearest=(1,),
            confidence=0.5,
            truth=(ClassShare("c", 2),),
        ),
        Group(1, "m", 1, 0.33),
    ),
    model=Model(
        (ModelNode("documents", 3, 2, "bottom-up"), ModelNode("words", 9, 9, "top-down", False)),
        (ModelEdge("documents", "words", 0.5, 0.2, 7),),
    ),
    trace=(TracePoint(1, "words", "split", 2, 0.1), TracePoint(2, "documents", "merge", 2, 0.2)),
    timeline=Timeline("day", (date(2026, 1, 2), date(2026, 1, 3)), ((1, 1), (0, 1))),
    scores=(Score("accuracy", 0.9, "how good"),),
    warnings=("w",),
    notes=("n",),
    skipped=Skipped(3, (ClassShare("r", 3),), (("where", "why"),)),
)


def with_strings(value: Any, draw: Any) -> Any:
    """The same tree with every string replaced, names of nodes consistently."""
    if isinstance(value, str):
        return draw(value)
    if isinstance(value, tuple):
        return tuple(with_strings(item, draw) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{f.name: with_strings(getattr(value, f.name), draw) for f in fields(value)}
        )
    return value


def hostile(data: ReportData, texts: list[str]) -> ReportData:
    """A report in which strangers wrote every string that strangers may write."""
    known: dict[str, str] = {}
    # These are ours, not strangers': they choose what is drawn.
    kept = {"words", "people", "values", "day", "week", "month", "split", "bottom-up", "top-down"}

    def draw(text: str) -> str:
        if text in kept:
            return text
        return known.setdefault(text, f"{texts[len(known) % len(texts)]}{'' if text else ' '}")

    changed = with_strings(data, draw)
    nodes = tuple(
        replace(node, name=f"{node.name}{i}") for i, node in enumerate(changed.model.nodes)
    )
    names = {a.name: b.name for a, b in zip(data.model.nodes, nodes, strict=True)}
    edges = tuple(
        replace(edge, a=names[old.a], b=names[old.b])
        for edge, old in zip(changed.model.edges, data.model.edges, strict=True)
    )
    return replace(changed, model=Model(nodes, edges))


def test_templates_write_nothing_that_runs_or_loads() -> None:
    """No script, frame or form in any template, no handler, and no address but of pictures."""
    assert {"section", "svg", "img"} <= TAGS
    assert not TAGS & {"script", "iframe", "object", "embed", "form", "link", "video", "audio"}
    assert {"href", "class"} <= ATTRIBUTES
    assert not {name for name in ATTRIBUTES if name.startswith("on")}
    assert not ATTRIBUTES & {"srcdoc", "srcset", "action", "formaction", "ping", "xlink"}


def test_page_is_well_formed(sample_data: ReportData) -> None:
    """Every tag is known and closed, and a browser's parser agrees."""
    html = render(sample_data)
    assert Page(html).complaints == []
    tree = LexborHTMLParser(html)
    assert len(tree.css("article")) == len(sample_data.groups)
    assert tree.css_first("h1").text() == "sample.mbox"


def test_pictures_are_well_formed_xml_with_a_title(sample_data: ReportData) -> None:
    """Each SVG parses on its own, and says what it shows unless it is decoration."""
    pictures = re.findall(r"<svg.*?</svg>", render(sample_data), flags=re.DOTALL)
    assert len(pictures) > 10
    for picture in pictures:
        root = ET.fromstring(picture)  # noqa: S314 - our own text
        assert root.get("aria-hidden") == "true" or root.find("title") is not None
        assert root.get("viewBox")


def test_page_is_self_contained(sample_data: ReportData) -> None:
    """A strict policy stands before everything else; nothing is fetched or run."""
    html = render(sample_data)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    assert meta in html
    assert html.index(meta) < html.index("<title>")
    assert not re.search(r"https?:|//[a-z]|<script|javascript:|@import|url\(|<link", html)


def test_links_lead_somewhere(sample_data: ReportData) -> None:
    """Every anchor that is linked to is there, once."""
    page = Page(render(sample_data))
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {value for _, name, value in page.attributes if name == "href"} <= {f"#{i}" for i in ids}


def test_headings_descend_without_gaps(sample_data: ReportData) -> None:
    """One h1, and no level is skipped on the way down."""
    levels = [int(tag[1]) for tag in Page(render(sample_data)).tags if re.fullmatch("h[1-4]", tag)]
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


@settings(max_examples=60)
@given(st.lists(nasty, min_size=1, max_size=40))
def test_strangers_text_never_becomes_markup(texts: list[str]) -> None:
    """Whatever stands in any field, the page has only our tags, links and attributes."""
    page = Page(render(hostile(FULL, texts)))
    assert page.complaints == []
    assert page.tags.count("script") == 0


@pytest.mark.parametrize("texts", [ATTACKS, ATTACKS[::-1], ["x" * 5000]])
def test_attacks_in_all_fields_of_a_whole_report(sample_data: ReportData, texts: list[str]) -> None:
    """The full report of a mailbox in which everything is hostile."""
    html = render(hostile(sample_data, texts))
    assert Page(html).complaints == []
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f\x7f-\x9f]", html)
    html.encode("utf-8")
    # All that grows with the length of a string has a limit.
    assert len(html) < 3_000_000


def test_text_is_shown_as_written() -> None:
    """Escaping loses nothing: a title with markup in it can be read."""
    sample = Sample("<b>Sale</b> & more", "x < y")
    data = replace(FULL, groups=(Group(0, "a<b", 1, 1.0, samples=(sample,)),), timeline=None)
    words = Page(render(data)).words
    assert "<b>Sale</b> & more" in words
    assert "x < y" in words
    assert "a<b" in words


def test_sections_without_anything_are_left_out() -> None:
    """A report of the least there can be has a table, a group, the run and notes."""
    data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    html = render(data)
    assert re.findall(r'<section id="(\w+)"', html) == [p.name for p in PANELS if p.needs(data)]
    assert not {"map", "time", "people", "tables", "sides", "classes"} & set(
        re.findall(r'<section id="(\w+)"', html)
    )
    assert Page(html).complaints == []


def test_everything_is_in_the_full_page(sample_data: ReportData) -> None:
    """The report of a mailbox has all its sections, the warning, names and a footer."""
    html = render(sample_data)
    sections = re.findall(r'<section id="(\w+)"', html)
    assert sections == [panel.name for panel in PANELS if panel.needs(sample_data)]
    assert {"glance", "map", "time", "groups", "people", "tables", "classes"} <= set(sections)
    words = Page(html).words
    assert "There may be nothing to find here." in words
    assert "1 Jul 2026 at 12:30" in words
    for group in sample_data.groups:
        assert group.name in words
        for side in group.telling:
            assert all(item.value in words for item in side.values)
        assert all(" ".join(s.title.split()) in words for s in group.samples)


def test_numbers_that_are_not_numbers_draw_nothing_wild() -> None:
    """Infinite or undefined strengths, shares and objectives leave the page well-formed."""
    bad = float("nan")
    group = Group(
        0, "n", 1, bad, telling=(Telling("words", (Weighted("w", bad), Weighted("v", -1.0))),)
    )
    trace = (TracePoint(1, "words", "split", 2, bad), TracePoint(2, "words", "split", 2, 0.1))
    data = replace(FULL, groups=(group,), trace=trace, timeline=None, objective=bad)
    page = Page(render(data))
    assert page.complaints == []
    assert not any("nan" in (value or "") for _, name, value in page.attributes if name == "d")
