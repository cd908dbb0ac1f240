"""What results print as: a line that says what they hold, never their arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import comraf
from comraf.collection.sample import write_mbox
from comraf.results.compare import compare as compare_results
from comraf.workflows.explain import explain
from comraf.workflows.place import place
from comraf.workflows.taxonomy import taxonomy


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
    assert repr(tree) == f"Tree({len(answer)} documents of {answer.source} in 2, 5 groups)"
    assert repr(tree.found) == f"Taxonomy({len(answer)} documents in 2, 5 clusters)"


def test_a_placement_says_how_sure_it_is(answer: Any, tmp_path: Path) -> None:
    """Documents that nothing is known of are counted apart."""
    write_mbox(tmp_path / "new.mbox", 5, seed=7)
    found = place(answer, tmp_path / "new.mbox")
    n, k, sure = len(found.items), len(set(found.labels_.tolist())), found.confidence_.mean()
    assert repr(found) == f"Placement({n} documents in {k} clusters, mean confidence {sure:.2f})"
    known = found.placed.known.copy()
    known[:2] = 0
    assert repr(replace(found.placed, known=known)).startswith(f"Placed({n - 2} items in ")
    assert repr(replace(found.placed, known=known)).endswith("; 2 unplaced)")


def test_a_comparison_says_what_stayed(answer: Any) -> None:
    """An answer beside itself: everything stays."""
    found = compare_results(answer.result, answer.result, "documents")
    line = f"{len(answer)} common documents, 100% stayed; clusters lost 0, new 0"
    assert repr(found) == f"Comparison({line})"
