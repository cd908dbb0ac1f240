"""Every way of finding the circle's pages."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from comraf.appearances import METHODS, Evidence, Page, find_appearances, gather
from comraf.collection.text import segment
from comraf.errors import InputError, SegmentationWarning
from comraf.workflows.appearances.evidence import background_tfidf, word_table
from comraf.workflows.appearances.files import files_of, score_of, telling_links, telling_words
from tests.workflows.appearances.sailing import circle, small_circle


@pytest.mark.parametrize("method", METHODS)
def test_every_method_orders_all_pages(sailors: Evidence, method: str) -> None:
    """A ranking is an order of all pages, the core its beginning, and scores never rise."""
    n = sum(page.truth is True for page in sailors.pages)
    found = find_appearances(sailors, method=method, n_core=n, effort="quick")
    assert sorted(found.ranking.tolist()) == list(range(len(sailors.pages)))
    np.testing.assert_array_equal(found.core, found.ranking[: len(found.core)])
    assert np.isfinite(found.scores).all()
    assert (np.diff(found.scores[found.ranking]) <= 1e-12).all()
    score = score_of(found)
    assert score is not None
    # a random core of this size has F 0.42
    assert score.f > (0.6 if method == "agglomerative" else 0.8), score
    again = find_appearances(sailors, method=method, n_core=n, effort="quick")
    np.testing.assert_array_equal(found.ranking, again.ranking)


@pytest.mark.parametrize("seed", range(3))
def test_a_host_that_the_circle_shares_is_evidence(
    seed: int, recwarn: pytest.WarningsRecorder
) -> None:
    """A third of the pages have it, as many as the default takes: all of those are found."""
    pages = small_circle(seed)
    found = find_appearances(pages)
    assert [pages[i].truth for i in found.core] == [True] * 14
    assert len({*found.ranking[:15].tolist()} & {*range(15)}) == 15
    assert (found.disagreement, list(recwarn)) == ("", [])


def test_links_that_words_contradict_are_warned_of() -> None:
    """A counter on every page connects them all: the warning names it; told, it is gone."""
    pages = small_circle(counter=True)
    with pytest.warns(UserWarning, match=r"disagree about the core.*count\.example \(42\)"):
        found = find_appearances(pages)
    assert found.disagreement in files_of(found)["result.json"]
    told = find_appearances(gather(pages, popular={"count.example"}))
    assert told.disagreement == ""
    assert all(pages[i].truth for i in told.core)


def test_links_put_the_core_component_first(sailors: Evidence) -> None:
    """Its pages lead, and components stay together."""
    found = find_appearances(sailors, method="links", n_core=40)
    inside = sailors.component == sailors.core_component
    assert inside[found.ranking[: inside.sum()]].all()
    rest = sailors.component[found.ranking[inside.sum() :]]
    assert np.count_nonzero(np.diff(rest)) == len(np.unique(rest)) - 1


def test_large_components_are_not_closer_for_their_size() -> None:
    """One page in the words of the core goes before a large component with few of them."""
    club = ("http://club.example/a/",)
    pages = [
        Page(f"a/{i}", name, "sail keel mast harbour", links=club)
        for i, name in enumerate(("Ann", "Bob", "Ann"))
    ]
    pages += [
        Page(f"b/{i}", "Bob", f"bread oven butter {word}", links=("http://bob.example/x/",))
        for i, word in enumerate(("sail", "keel", "mast", "harbour", "sail", "keel"))
    ]
    pages += [Page("c/1", "Ann", "sail keel yeast yeast"), Page("c/2", "Ann", "oven yeast")]
    ranking = find_appearances(pages, method="links", n_core=4).ranking.tolist()
    assert ranking[3] == 9


def test_a_hybrid_is_above_its_parts() -> None:
    """Links that miss some pages and words that mislead for others make up for each other."""
    scores: dict[str, list[float]] = {}
    for seed in range(4):
        evidence = gather(circle(seed, links=0.5))
        n = sum(page.truth is True for page in evidence.pages)
        for method in ("links", "ltb", "links+ltb"):
            found = find_appearances(evidence, method=method, n_core=n)
            score = score_of(found)
            assert score is not None
            scores.setdefault(method, []).append(score.f)
    means = {method: float(np.mean(values)) for method, values in scores.items()}
    assert means["links+ltb"] >= max(means["links"], means["ltb"]), means


def test_published_hybrids_take_six_of_seven_from_links(sailors: Evidence) -> None:
    """The head of the order is the link structure's, the rest the other method's own order."""
    links = find_appearances(sailors, method="links", n_core=35)
    other = find_appearances(sailors, method="occc", n_core=35)
    both = find_appearances(sailors, method="links+occc", n_core=35, guided=False)
    np.testing.assert_array_equal(both.ranking[:30], links.ranking[:30])
    rest = [i for i in other.ranking if i not in set(links.ranking[:30].tolist())]
    np.testing.assert_array_equal(both.ranking[30:], rest)


def test_without_shared_links(sailors: Evidence) -> None:
    """Links alone are refused with the way out; hybrids go by words and say so."""
    bare = gather([replace(page, links=()) for page in sailors.pages])
    with pytest.raises(InputError, match=r"use a method that goes by words \(occc, ltb\)"):
        find_appearances(bare, method="links", n_core=10)
    both = find_appearances(bare, method="links+ltb", n_core=10)
    alone = find_appearances(bare, method="ltb", n_core=10)
    np.testing.assert_array_equal(both.ranking, alone.ranking)
    assert any("words alone" in note for note in both.notes)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["alike", "connected", "wordless"])
def test_odd_collections(method: str, kind: str) -> None:
    """Equal pages, pages that are all connected, pages without words: an order, never NaN."""
    pages = circle(pages=6)
    if kind == "alike":
        pages = [replace(page, text="harbour sail mast") for page in pages]
    elif kind == "connected":
        pages = [replace(page, links=("http://club.example/a/",)) for page in pages]
    else:
        pages = [replace(page, text="" if i % 3 else page.text) for i, page in enumerate(pages)]
    evidence = gather(pages, background="flat")
    found = find_appearances(evidence, method=method, n_core=7, effort="quick")
    assert sorted(found.ranking.tolist()) == list(range(24))
    assert np.isfinite(found.scores).all()
    assert 0 < len(found.core) <= 24
    assert "nan" not in files_of(found)["pages.csv"]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"n_core": 0}, "n_core=0"),
        ({"n_core": 120}, "fewer than all"),
        ({"n_core": 2.5}, "whole number"),
        ({"share": 1.0}, "share=1.0"),
        ({"method": "magic"}, "method='magic'"),
    ],
)
def test_bad_wishes_are_refused(sailors: Evidence, wanted: dict[str, object], message: str) -> None:
    """Sizes and names that can't be are named."""
    with pytest.raises(InputError, match=message):
        find_appearances(sailors, **wanted)  # type: ignore[arg-type]


def test_own_names_do_not_count() -> None:
    """The words of a page's name don't count in it, those of others do."""
    pages = [
        Page("1", "Ann Lee", "Ann Lee met Bob", "Lee"),
        Page("2", "Bob Ray", "Bob met Ann"),
        Page("3", "Ann Lee", "Bob Bob"),
    ]
    table = word_table(pages, min_documents=1)
    counts = dict(zip(table.words, table.counts.toarray().T.tolist(), strict=True))
    assert counts["bob"] == [1, 0, 2]
    assert counts["ann"] == [0, 1, 0]
    assert "lee" not in counts


def test_rows_have_unit_length_and_empty_pages_none() -> None:
    """Background tf-idf: unit rows, rare words heavier, no word no length, never NaN."""
    pages = [Page("1", "A", "quark people"), Page("2", "B", "quark people"), Page("3", "C", "zz9")]
    table = word_table(pages)
    for background in (None, "flat", np.array([1e-3, 1e-7])):
        rows = background_tfidf(table, background).toarray()
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 1, 0])
    people, quark = background_tfidf(table).toarray()[0]
    assert quark > people


def test_telling_words_links_and_files(sailors: Evidence) -> None:
    """The circle's words and club are told, the files say the same as the answer."""
    n = sum(page.truth is True for page in sailors.pages)
    found = find_appearances(sailors, method="comraf", n_core=n, effort="quick")
    assert {word.value for word in telling_words(found, 8)} <= set(
        "harbour sail mast anchor keel regatta tide rope deck crew buoy helm jib spinnaker".split()
    )
    first = telling_links(found)[0]
    assert (first.value, first.names > 1) == ("club0.example/sail", True)
    files = files_of(found)
    assert {"merges.csv", "merges.svg", "pages.csv"} <= set(files)
    lines = list(csv.DictReader(files["pages.csv"].splitlines()))
    assert [line["page"] for line in lines] == [sailors.pages[i].id for i in found.ranking]
    assert sum(line["in_core"] == "yes" for line in lines) == len(found.core)


def test_formulas_in_pages_are_harmless() -> None:
    """Titles and addresses of strangers can't run in a spreadsheet."""
    club = ("http://club.example/a/",)
    pages = [
        Page("1", "Ann", "sail keel", "=HYPERLINK(1)", links=club),
        Page("2", "Bob", "sail keel", links=club),
        Page("3", "Bob", "bread"),
    ]
    files = files_of(find_appearances(pages, method="links", n_core=2))
    assert "'=HYPERLINK(1)" in files["pages.csv"]


def test_pages_without_blanks_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no dictionary is installed their words are pairs of characters, which is told."""
    monkeypatch.setattr(segment, "_icu", lambda: None)
    pages = [Page("a", "Ann Lee", "北京大学"), Page("b", "Bob Ray", "北京大学の図書館")]
    with pytest.warns(SegmentationWarning, match=r"comraf\[languages\]"):
        word_table(pages)
