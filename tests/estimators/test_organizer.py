"""From a collection's tables to groups: graphs, sides of their own."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.collection.sample import sample_tables
from comraf.errors import InputError
from comraf.estimators.organizer import Organizer, default_k, make_graph
from comraf.graph import Edge, Graph, Node, neighbour_table
from comraf.metrics import micro_accuracy
from comraf.results.scorer import Scorer

SAMPLE = sample_tables(n_messages=240, seed=3)
TABLES = SAMPLE.by_name()
MAILBOX = SimpleNamespace(tables=TABLES)


def accuracy(**options) -> float:
    """Mean accuracy over three seeds."""
    return float(
        np.mean(
            [
                micro_accuracy(
                    SAMPLE.truth, Organizer(8, random_state=s, **options).fit(MAILBOX).labels_
                )
                for s in range(3)
            ]
        )
    )


def test_all_sides_together_beat_words_alone():
    """On the sample mailbox people and subjects add to what words know, tree or loopy."""
    words = accuracy(by=["words"])
    assert accuracy() > words
    assert accuracy(graph="loopy") > words
    assert words > accuracy(by=["people"])


def test_a_permuted_side_keeps_its_own_partition():
    """With the people dealt out anew among the messages, words still find their groups.

    Each side has a partition of its own: a side that knows nothing may blur the groups a
    little, but can't carry them away, and only edges to people lose information.
    """
    rng = np.random.default_rng(0)
    honest = Organizer(8, by=["words", "people"], random_state=0).fit(MAILBOX)
    mixed_tables = {
        "words": TABLES["words"],
        "people": TABLES["people"][rng.permutation(len(SAMPLE.truth))],
    }
    mixed = Organizer(8, random_state=0).fit(SimpleNamespace(tables=mixed_tables))
    words = {e.b: e.information for e in honest.result_.edges}["words"]
    words_mixed = {e.b: e.information for e in mixed.result_.edges}["words"]
    people, people_mixed = (
        {e.b: e.information for e in o.result_.edges}["people"] for o in (honest, mixed)
    )
    assert abs(words - words_mixed) < 0.1 * words
    assert people_mixed < 0.8 * people
    assert micro_accuracy(SAMPLE.truth, mixed.labels_) > accuracy(by=["words"]) - 0.15


def test_the_loopy_graph_is_the_papers():
    """All pairs but people-subjects; derived tables have the mass of the side they join."""
    graph = make_graph(TABLES, 8, shape="loopy", weighting="raw")
    pairs = {(e.a, e.b) for e in graph.edges}
    assert pairs == {
        ("documents", "words"),
        ("documents", "people"),
        ("documents", "subjects"),
        ("words", "people"),
        ("words", "subjects"),
    }
    derived = next(e for e in graph.edges if (e.a, e.b) == ("words", "people"))
    filled = np.diff(TABLES["words"].indptr) > 0
    assert derived.total / derived.units == pytest.approx(TABLES["people"][filled].sum(), rel=0.02)
    graph.check()


def test_a_loopy_graph_without_words_joins_each_side_to_each():
    """And where no loop is possible, that is said."""
    tables = {name: TABLES[name] for name in ("people", "subjects")}
    graph = make_graph(tables, 8, shape="loopy")
    assert ("people", "subjects") in {(e.a, e.b) for e in graph.edges}
    near = neighbour_table(np.random.default_rng(0).normal(size=(len(SAMPLE.truth), 3)), 4)
    for few in ({"words": TABLES["words"]}, {"words": TABLES["words"], "neighbours": near}):
        with pytest.raises(InputError, match="only words; give more sides, or take graph='tree'"):
            Organizer(8, graph="loopy").fit(SimpleNamespace(tables=few))


def test_confidence_and_new_documents():
    """Fitted documents come back with a confidence; as new ones they get their own group."""
    organizer = Organizer(8, random_state=0).fit(MAILBOX)
    np.testing.assert_array_equal(organizer.placed_.labels, organizer.labels_)
    assert ((organizer.placed_.confidence >= 0) & (organizer.placed_.confidence <= 1)).all()
    again = Scorer(organizer.sides_).place(TABLES)
    assert (again.labels == organizer.labels_).mean() > 0.95


def test_a_graph_of_ones_own():
    """Any graph with a node of documents will do; one without is refused."""
    nodes = [Node("documents", n_clusters=3), Node("words", observed="singletons")]
    graph = Graph(nodes, [Edge("documents", "words", TABLES["words"])])
    assert Organizer(graph=graph, random_state=0).fit(MAILBOX).result_.n_clusters["documents"] == 3
    with pytest.raises(InputError, match="n_clusters=7 was given"):
        Organizer(7, graph=graph).fit(MAILBOX)
    scaled = Graph(
        nodes, [Edge("documents", "words", TABLES["words"] * 1000, weight=w) for w in (1, 2)]
    )
    fitted = Organizer(graph=scaled, random_state=0).fit(MAILBOX)  # other counts, parallel edges
    assert set(fitted.sides_) == {"words", "words (2)"}
    assert ((fitted.placed_.confidence > 0) & (fitted.placed_.confidence <= 1)).all()
    other = Graph(
        [Node("d", n_clusters=2), Node("w", direction="top-down")], [Edge("d", "w", np.eye(3))]
    )
    with pytest.raises(InputError, match="no node 'documents'"):
        Organizer(graph=other).fit(MAILBOX)


def test_bad_choices():
    """Unknown sides and shapes are named beside those that exist."""
    with pytest.raises(InputError, match=r"no side 'smell'.*people"):
        Organizer(2, by=["smell"]).fit(MAILBOX)
    with pytest.raises(InputError, match=r"graph='star' is unknown"):
        Organizer(2, graph="star").fit(MAILBOX)
    with pytest.raises(InputError, match="no sides"):
        Organizer(2).fit(SimpleNamespace(tables={}))
    for by in ("words", 5):
        with pytest.raises(InputError, match=rf"by={by!r}; give a list of sides"):
            Organizer(2, by=by).fit(MAILBOX)
    with pytest.raises(InputError, match="observe=5 must be a list of sides"):
        Organizer(2, observe=5).fit(MAILBOX)
    with pytest.raises(InputError, match="no collection"):
        Organizer(2).fit(SimpleNamespace(tables=None))
    with pytest.raises(InputError, match="the table 'words' is ndarray"):
        Organizer(2).fit(SimpleNamespace(tables={"words": np.eye(3)}))


def test_an_empty_side_is_left_out_unless_asked_for():
    """A side without counts does not stop the others."""
    tables = {"words": TABLES["words"], "people": sp.csr_array((len(SAMPLE.truth), 0))}
    fitted = Organizer(4, random_state=0).fit(SimpleNamespace(tables=tables))
    assert "people" not in fitted.result_.labels
    with pytest.raises(InputError):
        Organizer(4, by=["people"]).fit(SimpleNamespace(tables=tables))


def test_default_numbers_of_groups():
    """From 2 to 40, and never more than there are items."""
    assert [default_k(n) for n in (1, 2, 8, 50, 10**6)] == [1, 2, 2, 5, 40]


@pytest.fixture(scope="module")
def fitted() -> Organizer:
    """The sample mailbox in eight groups."""
    return Organizer(8, random_state=0).fit(MAILBOX)


def test_documents_placed_anew_are_as_sure_as_in_the_fit(fitted: Organizer) -> None:
    """The same documents: what `assign` says of them is what clusters.csv says."""
    again = fitted.place(TABLES)
    for part in ("labels", "runner_up", "confidence", "margin"):
        np.testing.assert_allclose(getattr(again, part), getattr(fitted.placed_, part))


def test_one_runner_up_for_a_document(fitted: Organizer) -> None:
    """Report, explain and placement name the same next best group of each document."""
    from comraf.report.panels.map import make_map
    from comraf.results.explain import Explainer
    from comraf.results.scorer import fit_scorer

    explainer = Explainer(fitted.graph_, fitted.result_)
    _, shown = fit_scorer(fitted.graph_, fitted.result_, "documents")  # as the report does
    runner_up = fitted.placed_.runner_up
    np.testing.assert_array_equal(shown.place().runner_up, runner_up)
    np.testing.assert_array_equal(explainer.placed("documents").runner_up, runner_up)
    told = [explainer.why("documents", i).runner_up for i in range(len(runner_up))]
    np.testing.assert_array_equal(told, runner_up)
    assert make_map(shown, fitted.labels_, None, 100) is not None


@pytest.mark.parametrize("graph", ["tree", "loopy"])
def test_edge_weights_by_side(graph: str) -> None:
    """A mapping has weights of sides; those not named weigh 1, two sides their geometric mean."""
    given = {"words": 4.0, "people": 0.25}
    fit = Organizer(4, graph=graph, edge_weights=given, effort="quick", random_state=0).fit(MAILBOX)
    weights = {(e.a, e.b): e.weight for e in fit.graph_.edges}
    assert weights["documents", "words"] == 4.0
    assert weights["documents", "people"] == 0.25
    assert weights["documents", "subjects"] == 1.0
    assert weights.get(("words", "people"), 1.0) == 1.0


def test_sides_make_as_many_clusters_as_are_asked_for() -> None:
    """Those that are not named go by their sizes; what is no side is refused."""
    fit = Organizer(4, side_clusters={"words": 9}, effort="quick", random_state=0).fit(MAILBOX)
    plain = Organizer(4, effort="quick", random_state=0).fit(MAILBOX)
    assert fit.result_.n_clusters["words"] == 9 != plain.result_.n_clusters["words"]
    assert fit.result_.n_clusters["people"] == plain.result_.n_clusters["people"]
    with pytest.raises(InputError, match="side_clusters='wrods' is unknown"):
        Organizer(4, side_clusters={"wrods": 9}).fit(MAILBOX)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"wrods": 1.0}, r"edge_weights names 'wrods', which is not a table; the tables are \['pe"),
        ({"words": "much"}, "the weight of edge 'words'='much'; it must be a finite number"),
        (3, "edge_weights=3; give the name of a rule, or weights by table name"),
    ],
)
def test_edge_weights_that_can_not_be(given: object, complaint: str) -> None:
    """Unknown sides, no numbers and other things are refused in a sentence."""
    with pytest.raises(InputError, match=complaint):
        Organizer(4, edge_weights=given, effort="quick").fit(MAILBOX)
