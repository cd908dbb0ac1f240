"""Reports for sharing: nothing of what was written in or about single documents."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from comraf.collection.items import Skip
from comraf.report import ReportData, render, report_data
from comraf.report.panels import PANELS
from comraf.report.privacy import ValueNames
from tests.report.conftest import Solved
from tests.report.reading import Page
from tests.report.shelves import Values


@pytest.fixture
def shared(solved: Solved) -> tuple[Solved, ReportData, str]:
    """A report without text of a collection in which everything private is marked."""
    shelf, graph, result = solved
    marked = replace(
        shelf,
        titles=[f"Zqtitle{i} {title}" for i, title in enumerate(shelf.titles)],
        texts=[f"Zqtext{i} {text}" for i, text in enumerate(shelf.texts)],
        ids=[f"zqid{i}" for i in range(len(shelf))],
        sources=[f"zqsource{i}" for i in range(len(shelf))],
        truth=[f"zqclass {name}" for name in shelf.truth or ()],
        notes=("zqnote of /home/zquser",),
        skipped=(Skip("zqpath/7", "zqreason"),),
        sides={
            **shelf.sides,
            "people": Values([f"Zqname {n}" for n in shelf.sides["people"].values]),
        },
    )
    data = report_data(
        marked,
        graph,
        result,
        names=[f"zqgiven {i}" for i in range(4)],
        title="zqheading",
        source="/home/zquser/mail",
        confidence=np.full(len(shelf), 0.5),
        include_text=False,
    )
    return (marked, graph, result), data, render(data)


def test_nothing_private_is_in_the_page(shared: tuple[Solved, ReportData, str]) -> None:
    """Neither texts nor titles, ids, sources, names, classes, notes nor paths."""
    *_, page = shared
    assert "zq" not in page.lower()


def test_no_stretch_of_any_text_is_in_the_page(shared: tuple[Solved, ReportData, str]) -> None:
    """Not even three words in a row of any message, or any whole title."""
    (shelf, _, _), _, page = shared
    shown = Page(page).words.lower()
    ours = set(re.findall(r"\w+ \w+ \w+", shown))
    for text in shelf.texts:
        words = re.findall(r"\w+", text.lower())
        runs = {" ".join(words[i : i + 4]) for i in range(len(words) - 3)}
        assert not any(run in shown for run in runs), text
    assert ours
    assert not any(title.lower() in shown for title in shelf.titles)


def test_people_are_ranks_and_their_names_no_words(shared: tuple[Solved, ReportData, str]) -> None:
    """Ranks stand for addresses, and a first name is no telling word either."""
    (shelf, _, _), _, page = shared
    words = Page(page).words
    assert "person 1" in words
    assert "@" not in words
    assert "class 1" in words
    names = {
        part
        for value in shelf.sides["people"].values
        for part in re.findall(r"[^\W\d_]{3,}", value.lower())
    }
    data = re.findall(r"<li><i[^>]*></i><span[^>]*>([^<]*)</span>", page)
    assert data
    assert not {word for word in data if not word.startswith("person")} & names


def test_numbers_and_telling_words_stay(shared: tuple[Solved, ReportData, str]) -> None:
    """The result itself is there: sizes, words, clusters, the heat maps."""
    (_, _, result), data, page = shared
    words = Page(page).words
    for size in result.sizes("documents").tolist():
        assert f"{size} messages" in words
    sections = re.findall(r'<section id="(\w+)"', page)
    assert sections == [panel.name for panel in PANELS if panel.needs(data)]
    assert {"groups", "people", "tables", "sides", "classes"} <= set(sections)
    assert "1 item skipped" in words
    assert "Texts, titles, sources and ids are left out" in words


def test_all_spellings_of_a_person_are_hidden_of_a_person() -> None:
    """United addresses, other spellings and the owner are names too."""
    person = SimpleNamespace(addresses=("gh@harbour.example",), spellings=("Gerrit Holm",))
    side = SimpleNamespace(people=(person,), facts={"owner": "Nora Lindqvist"})
    values = {"words": ["gerrit", "harbour", "nora", "boat", "x@y", "31415"], "people": ["G. H."]}
    names = ValueNames(values, {"words": "words"}, private=True, sides={"people": side})
    shown = [names.name("words", i) for i in range(6)]
    assert shown == [None, None, None, "boat", None, None]


def test_sides_that_are_not_words_are_ranks() -> None:
    """Any list of values may name someone: only words are shown as they are."""
    values = {"organisations": ["Acme", "Bolt"], "words": ["sea"]}
    names = ValueNames(values, {"organisations": "values", "words": "words"}, private=True)
    names.rank("organisations", np.array([1, 5]))
    assert [names.name("organisations", i) for i in (0, 1)] == ["organisation 2", "organisation 1"]
    assert names.name("words", 0) == "sea"
