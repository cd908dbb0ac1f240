"""The pages beside a report: every document on one of them, harmless, written as a whole."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.report import group_pages, report_data, write_report
from comraf.report.counting import View
from comraf.report.data import Group, Model, ReportData, Sample
from comraf.report.drawing import matrix, shade
from comraf.report.jinja import draw
from comraf.report.page import POLICY, render
from comraf.report.pages import MOST_ITEMS
from comraf.report.panels.groups import MOST_CARDS
from comraf.report.panels.map import make_map
from comraf.report.panels.people import PANEL, make_people
from comraf.report.privacy import ValueNames
from comraf.results.placement import side_counts
from comraf.results.scorer import Scored
from tests.report.conftest import Solved
from tests.report.reading import Page
from tests.report.shelves import Shelf, Values, random_shelf
from tests.report.test_page import ATTACKS


def listed(pages: dict[str, str]) -> Counter[str]:
    """How often each source stands on a page."""
    return Counter(found for page in pages.values() for found in re.findall(r"at#\d+", page))


def test_every_document_is_on_exactly_one_page() -> None:
    """Large groups have several pages; none is longer than it may be."""
    shelf, graph, result = random_shelf(2000, 3)
    shelf = replace(shelf, sources=[f"at#{i}" for i in range(len(shelf))])
    data = report_data(shelf, graph, result)
    pages = dict(group_pages(data))
    assert listed(pages) == Counter(shelf.sources)
    labels = result.labels["documents"]
    for name, page in pages.items():
        group = int(name.split(".")[0].split("-")[1])
        here = [int(source[3:]) for source in listed({name: page})]
        assert len(here) <= MOST_ITEMS
        assert set(labels[here].tolist()) == {group}
    assert len(pages) == sum(-(-int(size) // MOST_ITEMS) for size in np.bincount(labels))
    # from each part of a list the next is reached, and from the report the first
    links = "".join([render(data, pages="report-pages"), *pages.values()])
    assert all(f'href="report-pages/{name}"' in links for name in pages)


def test_lists_of_a_very_large_collection_say_what_they_leave_out() -> None:
    """Each group lists its most typical documents, in proportion, and how many there are."""
    shelf, graph, result = random_shelf(2000, 3)
    data = report_data(shelf, graph, result, n_items=500)
    assert 497 <= sum(len(group.items) for group in data.groups) <= 500
    pages = dict(group_pages(data))
    for group in data.groups:
        said = Page(pages[f"group-{group.number}.html"]).words
        assert f"{len(group.items)} of {group.size}, since the collection is very large" in said


def test_pages_are_under_the_rules_of_the_report() -> None:
    """Strangers' text stays text, the policy stands first, sizes are bounded."""
    items = tuple(
        Sample(text, people=(text,) * 4, truth=text, source=text) for text in ATTACKS * 20
    )
    group = Group(0, ATTACKS[0], len(items), 1.0, items=items)
    pages = dict(group_pages(ReportData(ATTACKS[1], len(items), (group,), Model((), ()))))
    assert len(pages) == 2
    for page in pages.values():
        read = Page(page)
        assert read.complaints == []
        assert "script" not in read.tags
        assert page.index(POLICY) < page.index("<base ") < page.index("<title>")
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", page)
        assert len(page) < 1_000_000


def test_links_of_pages_lead_somewhere(sample_data: ReportData) -> None:
    """To groups of the report, which all have an anchor there, and to pages that there are."""
    many = replace(sample_data.groups[0], nearest=(MOST_CARDS + 5,))
    groups = tuple(replace(many, number=i) for i in range(MOST_CARDS + 10))
    data = ReportData("Letters", sample_data.n_documents, groups, sample_data.model)
    main = Page(render(data, pages="report-pages"))
    pages = dict(group_pages(data))
    places = {f"#{value}" for _, name, value in main.attributes if name == "id"}
    places |= {"report.html", "../report.html", *(f"report-pages/{name}" for name in pages)}
    for page in [main, *map(Page, pages.values())]:
        assert {value for _, name, value in page.attributes if name == "href"} <= places
    assert main.tags.count("article") == MOST_CARDS


def test_report_is_written_whole_and_replaced_whole(
    sample_data: ReportData, tmp_path: Path
) -> None:
    """Pages of groups that are gone go; what else is in the folder stays."""
    report = write_report(sample_data, tmp_path / "out")
    assert report.is_file()
    assert len(list((tmp_path / "out" / "report-pages").iterdir())) == len(sample_data.groups)
    (tmp_path / "out" / "mine.txt").write_text("mine")
    fewer = sample_data.groups[:1]
    write_report(
        ReportData("Letters", fewer[0].size, fewer, sample_data.model), tmp_path / "out", force=True
    )
    assert [page.name for page in (tmp_path / "out" / "report-pages").iterdir()] == ["group-0.html"]
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"
    assert json.loads((tmp_path / "out" / "result.json").read_text())["folders"] == ["report-pages"]


def test_report_without_text_has_no_pages(solved: Solved, tmp_path: Path) -> None:
    """Titles and sources are what it leaves out."""
    data = report_data(*solved, include_text=False)
    assert all(group.items == () for group in data.groups)
    write_report(data, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "report.html",
        "result.json",
    ]


def test_sides_that_were_asked_for_are_shown(solved: Solved) -> None:
    """Clustered or not, in the graph or not: a list of values, a table and telling values."""
    shelf, graph, result = solved
    tags = sp.csr_array(np.eye(6, dtype=np.int64)[result.labels["documents"]])
    more = {f"tags{i}": tags for i in range(6)}
    tagged = replace(
        shelf,
        tables={**shelf.tables, **more},
        sides={**shelf.sides, **{name: Values([f"{name} {c}" for c in "abcdef"]) for name in more}},
    )
    data = report_data(tagged, graph, result, wanted=set(more))
    assert {side.name for side in data.sides} >= {"words", "people", "subjects", *more}
    assert {heat.side for heat in data.heat_maps} >= set(more)
    for group in data.groups:
        told = {side.side: side.values[0].value for side in group.telling}
        assert {name: told[name] for name in more} == {
            name: f"{name} {'abcdef'[group.number]}" for name in more
        }
    words = Page(render(data)).words
    assert "Groups by tags5" in words
    # those that nobody asked for fill up the first four and stay out of the rest
    assert {side.name for side in report_data(tagged, graph, result).sides}.isdisjoint(more)


def test_lists_of_all_recipients_colour_nobody() -> None:
    """People who are on every list stand out only where they are together more than all are."""
    rng = np.random.default_rng(0)
    everybody = (rng.random((300, 30)) < 0.9).astype(np.int64)
    pair = np.zeros((40, 30), dtype=np.int64)
    pair[:, [3, 7]] = 1
    table = sp.csr_array(np.vstack([everybody, pair, pair, pair, pair, pair, pair, pair, pair]))
    labels = (np.arange(30) // 10).astype(np.int32)
    view = View("people", table, table, labels, 3, kind="people")
    names = [f"person {i}" for i in range(30)]
    people = make_people(view, ValueNames({"people": names}, {}, private=False))
    assert people is not None
    place = {name: i for i, name in enumerate(people.names)}
    shades = {
        (a, b): shade(people.lifts[place[f"person {a}"]][place[f"person {b}"]])
        for a in range(30)
        for b in range(a)
    }
    assert shades.pop((7, 3)) in ("o1", "o2")
    assert set(shades.values()) <= {"z", "u1"}
    assert list(shades.values()).count("z") > 0.8 * len(shades)
    # and so it is drawn: the pair alone, on either side of the diagonal
    page = PANEL.html(ReportData("Letters", 620, (), Model((), ()), people=people))
    assert len(re.findall(r'class="o\d"><title>', page)) == 2


def test_copies_share_a_dot() -> None:
    """Seven hundred copies of a form letter take the room of one; others keep theirs."""
    rng = np.random.default_rng(0)
    copies = np.zeros((700, 400), dtype=np.int64)
    copies[:, :30] = 3
    copies[np.arange(700), rng.integers(30, 60, 700)] += 1  # a figure differs
    others = (rng.random((300, 400)) < 0.04).astype(np.int64)
    others[:150, 60:90] += 1
    table = sp.csr_array(np.vstack([copies, others]))
    labels = np.repeat(np.arange(3, dtype=np.int32), [700, 150, 150])
    known = side_counts(table, labels, np.arange(400, dtype=np.int32), (3, 400))
    chart = make_map(Scored({"words": known}, {"words": table}, labels), labels, None, 2000, table)
    assert chart is not None
    of_group = Counter(point.group for point in chart.points)
    assert of_group[0] == 1
    assert min(of_group[1], of_group[2]) > 100
    assert sum(point.copies for point in chart.points) == 1000


@pytest.mark.parametrize("n", [3, 40])
def test_tables_fit_a_window_of_1280(n: int) -> None:
    """Columns become narrower rather than be cut off; a box that is too narrow says so."""
    names = ["a name of some length"] * n
    table = matrix(names, [["o1"] * n] * 5, "cells", describe=lambda i, j: "")
    plot = draw("{% call(i) matrix(table) %}row{% endcall %}", table=table)
    assert int(re.search(r'<svg[^>]* width="(\d+)"', plot).group(1)) <= 724  # type: ignore[union-attr]
    assert 'class="hint"' in plot


def test_shelf_without_sources_has_pages(solved: Solved) -> None:
    """A collection of one's own needs no sources for its lists."""
    shelf, graph, result = solved
    data = report_data(replace(shelf, sources=[]), graph, result)
    assert sum(len(group.items) for group in data.groups) == len(shelf)
    assert isinstance(shelf, Shelf)
