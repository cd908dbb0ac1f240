"""What results print as: a line that says what they hold, never their arrays."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest

import comraf
from comraf.collection.sample import write_mbox
from comraf.results.compare import compare as compare_results
from comraf.workflows.appearances import appearances
from comraf.workflows.cluster import cluster
from comraf.workflows.compare import compare
from comraf.workflows.evaluate import evaluate
from comraf.workflows.explain import explain
from comraf.workflows.inspect import inspect
from comraf.workflows.outliers import outliers
from comraf.workflows.place import place
from comraf.workflows.rerank import rerank
from comraf.workflows.taxonomy import taxonomy
from comraf.workflows.topics import topics


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Some messages in groups."""
    path = tmp_path_factory.mktemp("printed") / "box.mbox"
    write_mbox(path, 40)
    return comraf.organize(path, n_clusters=3)


def test_an_explanation_names_groups_and_what_speaks_for_each(answer: Any) -> None:
    """The item, its group, the next best and the strongest values for and against."""
    found = explain(answer, 3)
    why = found.why
    own, other = (answer.names[c] for c in (why.cluster, why.runner_up))
    line = f"Explanation({why.name!r} of documents is in {own!r} before {other!r}, confidence "
    named = found.names()
    assert repr(found).startswith(
        f"{line}{found.confidence:.2f}; for it {named(found.good[0])!r}, "
    )
    assert str(found) == repr(found)
    assert len(repr(found)) < 500
    cluster = f"cluster {why.cluster} before {why.runner_up}"
    assert repr(why).startswith(f"Why({why.name!r} of documents: {cluster}, margin ")


def test_a_tree_names_its_sizes(answer: Any) -> None:
    """How many documents, of what, in how many groups at each level."""
    tree = taxonomy(answer, sizes=(2, 5))
    assert repr(tree) == f"Tree({len(answer)} messages of {answer.source} in 2, 5 groups)"
    assert repr(tree.found) == f"Taxonomy({len(answer)} documents in 2, 5 clusters)"


def test_a_placement_says_how_sure_it_is(answer: Any, tmp_path: Path) -> None:
    """Documents that nothing is known of are counted apart."""
    write_mbox(tmp_path / "new.mbox", 5, seed=7)
    found = place(answer, tmp_path / "new.mbox")
    n, k, sure = len(found.items), len(set(found.labels_.tolist())), found.confidence_.mean()
    assert repr(found) == f"Placement({n} messages in {k} clusters, mean confidence {sure:.2f})"
    known = found.placed.known.copy()
    known[:2] = 0
    assert repr(replace(found.placed, known=known)).startswith(f"Placed({n - 2} items in ")
    assert repr(replace(found.placed, known=known)).endswith("; 2 unplaced)")


def test_a_notebook_shows_what_is_printed_and_a_table(answer: Any, tmp_path: Path) -> None:
    """A row for each of the first 40, and nothing of a document is markup."""
    answer = answer.rename(0, "<b>")
    found = outliers(write_mbox(tmp_path / "box.mbox", 60), n_outliers=45, background="flat")
    found.records[0]["title"] = "<script>"
    tree, placed = taxonomy(answer, sizes=(2, 3)), place(answer, tmp_path / "box.mbox")
    with topics(tmp_path / "box.mbox", background="flat", by=20, min_block_size=5) as news:
        for shown, n in ((answer, 3), (tree, len(answer)), (placed, 40), (found, 40), (news, 3)):
            page = shown._repr_html_()
            assert page.startswith(f"<p>{escape(repr(shown))}</p><table><tr><th>")
            assert page.count("<tr>") == 1 + n, shown
            assert "<b>" not in page
            assert "<script>" not in page


def test_a_comparison_says_what_stayed(answer: Any) -> None:
    """An answer beside itself: everything stays."""
    found = compare_results(answer.result, answer.result, "documents")
    line = f"{len(answer)} common documents, 100% stayed; clusters lost 0, new 0"
    assert repr(found) == f"Comparison({line})"


def test_what_workflows_give_is_one_line(answer: Any, tmp_path: Path) -> None:
    """What was looked at, how much of it there is, and what came of it."""
    box = answer.path
    assert repr(outliers(box, n_outliers=1, background="flat")).startswith(
        f"Outliers(1 of {len(answer)} messages of box.mbox, the strangest first: '"
    )
    with topics(box, background="flat", by=20, min_block_size=5) as found:
        assert repr(found).startswith("Topics(2 blocks of box.mbox in ")
    hits = tmp_path / "hits.csv"
    hits.write_text("title,snippet\nTea,hot cup\nSea,old ship\nSea,ship at sea\n", "utf-8")
    reranked = rerank(hits, n_core=2, background="flat", method="maxkl")
    assert repr(reranked) == "Reranked(3 results of hits.csv, 2 of them in the core)"
    assert repr(reranked.ranked) == "Ranked(3 results with title, snippet)"
    tried = repr(rerank(hits, background="flat", method="maxkl"))
    assert tried.startswith("Reranked(3 results of hits.csv; sizes tried: ")
    assert repr(inspect(box)) == "Inspection(box.mbox: mbox, 40 messages)"
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"{item},{i % 2}\n" for i, item in enumerate(answer.items)), "utf-8")
    line = f"Evaluation({len(answer)} items, 2 classes, 3 clusters; one-to-one accuracy 0."
    assert repr(evaluate(answer, truth=truth)).startswith(line)
    same = f"{len(answer)} common documents, 100% stayed; clusters lost 0, new 0"
    assert repr(compare(answer, answer)) == f"Compared({same})"
    table = tmp_path / "counts.csv"
    table.write_text("".join(f"r{i % 6},c{i % 4},1\n" for i in range(12)), "utf-8")
    clustered = cluster(table, 2)
    assert repr(clustered).startswith("Clustered(counts.csv: rows in 2, columns in ")
    assert repr(clustered.task).startswith("Task(MDC of Graph(rows[6], columns[4]")


def test_a_circle_says_how_many_pages(tmp_path: Path) -> None:
    """Pages that are taken, all pages, and the method."""
    for name, text in {"ann": "boat race at sea", "bob": "sea race", "cid": "bread"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(text, "utf-8")
    circle = appearances(tmp_path, n_core=2, method="ltb", background="flat")
    assert repr(circle) == f"Circle(2 of 3 pages of {tmp_path.name}, by ltb)"
    assert repr(circle.found) == "Appearances(2 of 3 pages, by ltb)"
    assert repr(circle.found.evidence) == "Evidence(3 pages of 3 names: 0 places, 1 words)"
