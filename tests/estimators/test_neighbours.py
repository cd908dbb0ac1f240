"""Estimators know that the columns of a table of neighbours are the rows again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from comraf import (
    MDC,
    CliquewiseMDC,
    NeighbourTable,
    Organizer,
    TiedTable,
    neighbour_table,
    neighbours_among,
)
from comraf.errors import InputError
from comraf.metrics import micro_accuracy
from comraf.results.solved import Solved

TRUTH = np.repeat(np.arange(4), 30)


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """Words that tell two pairs of topics apart, vectors that tell the topics in a pair apart."""
    rng = np.random.default_rng(0)
    words = rng.poisson(0.3 + 3.0 * (np.arange(40) // 20 == TRUTH[:, None] // 2))
    vectors = np.eye(2)[TRUTH % 2] + 0.35 * rng.normal(size=(120, 2))
    return {"words": words, "neighbours": neighbour_table(vectors, 30)}


def test_the_second_copy_is_observed(tables: dict[str, Any]) -> None:
    """Its columns stay by themselves; words are clustered."""
    model = MDC(4, random_state=0, effort="quick").fit(tables)
    nodes = {node.name: node for node in model.graph_.nodes}
    assert nodes["neighbours"].observed == "singletons"
    assert nodes["words"].hidden
    assert (model.modality_labels_["neighbours"] == np.arange(120)).all()


def test_both_sides_know_more_than_each(tables: dict[str, Any]) -> None:
    """Each side alone can tell two groups apart, both of them four."""
    both = micro_accuracy(TRUTH, MDC(4, random_state=0, effort="quick").fit(tables).labels_)
    for name, table in tables.items():
        alone = MDC(4, random_state=0, effort="quick").fit({name: table})
        assert micro_accuracy(TRUTH, alone.labels_) < 0.75 < both


def test_neighbours_alone_are_enough(tables: dict[str, Any]) -> None:
    """A single table of neighbours is clustered, and its rows are placed where they are."""
    model = MDC(2, random_state=0).fit(tables["neighbours"])
    assert micro_accuracy(TRUTH % 2, model.labels_) > 0.85
    assert (model.predict(tables["neighbours"]) == model.labels_).mean() > 0.95


@pytest.mark.parametrize("graph", ["tree", "loopy"])
def test_collections_take_neighbours(tables: dict[str, Any], graph: str) -> None:
    """The organizer observes them in both of its graphs, and joins them to documents alone."""
    collection = SimpleNamespace(
        tables={
            "words": _csr(tables["words"]),
            "tags": _csr(tables["words"][:, :20]),
            "neighbours": NeighbourTable(tables["neighbours"]),
        }
    )
    organizer = Organizer(4, graph=graph, random_state=0, effort="quick").fit(collection)
    joined = {(edge.a, edge.b) for edge in organizer.graph_.edges}
    assert {pair for pair in joined if "neighbours" in pair} == {("documents", "neighbours")}
    assert (("words", "tags") in joined) == (graph == "loopy")
    assert not organizer.graph_.nodes[3].hidden


def test_cliquewise_observes_them_too(tables: dict[str, Any]) -> None:
    """The same for the clique-wise estimator."""
    model = CliquewiseMDC(4, random_state=0).fit(tables)
    assert (model.modality_labels_["neighbours"] == np.arange(120)).all()


def test_part_of_a_table_of_neighbours_is_refused(tables: dict[str, Any]) -> None:
    """Rows were taken out, but columns still stand for all."""
    with pytest.raises(InputError, match="a column for each of its rows"):
        MDC(2).fit({"neighbours": tables["neighbours"][:50]})


def _csr(table: Any) -> Any:
    import scipy.sparse as sp

    return sp.csr_array(table)


@pytest.mark.parametrize("copy", ["observed", "tied"])
@pytest.mark.parametrize("front", ["MDC", "Organizer"])
def test_new_documents_are_placed_by_their_neighbours(copy: str, front: str) -> None:
    """Among the fitted ones; words alone can't tell the topics in a pair apart."""
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(4), 40)
    words = rng.poisson(0.3 + 3.0 * (np.arange(40) // 20 == truth[:, None] // 2))
    vectors = np.eye(4)[truth] + 0.15 * rng.normal(size=(160, 4))
    old = np.arange(160) % 4 > 0
    tables = {
        "words": _csr(words[old]),
        "neighbours": neighbour_table(vectors[old], 10, copy=copy),
    }
    model: Any
    if front == "MDC":
        model = MDC(4, random_state=0, effort="quick").fit(tables)
    else:
        model = Organizer(4, random_state=0, effort="quick").fit(SimpleNamespace(tables=tables))
    new = {
        "words": _csr(words[~old]),
        "neighbours": neighbours_among(vectors[~old], vectors[old], 10),
    }
    classes = [np.bincount(truth[old][model.labels_ == c]).argmax() for c in range(4)]
    both = np.array(classes)[model.predict(new)] == truth[~old]
    alone = np.array(classes)[model.predict({"words": new["words"]})] == truth[~old]
    assert both.mean() > 0.9 > alone.mean()
    grown = model.update(new)
    assert len(grown.labels_) == 160
    assert (np.array(classes)[grown.labels_[120:]] == truth[~old]).mean() > 0.9


def test_tied_copies_follow_in_the_organizer(tables: dict[str, Any]) -> None:
    """The graph that is left observes the copy in the documents' groups."""
    collection = SimpleNamespace(
        tables={"words": _csr(tables["words"]), "neighbours": TiedTable(tables["neighbours"])}
    )
    organizer = Organizer(4, random_state=0, effort="quick").fit(collection)
    assert (organizer.result_.labels["neighbours"] == organizer.labels_).all()
    observed = organizer.graph_.nodes[2].observed
    assert (np.asarray(observed) == organizer.labels_).all()
    assert Solved(organizer.graph_, organizer.result_).objective == pytest.approx(
        organizer.result_.objective
    )


def test_who_can_not_tie_says_so(tables: dict[str, Any]) -> None:
    """With the way out."""
    tied = TiedTable(tables["neighbours"])
    for given in (tied, {"neighbours": tied}):
        with pytest.raises(InputError, match="copy='observed'"):
            CliquewiseMDC(4).fit(given)
