"""Placing items: fitted ones, new ones, unknown ones; confidence; sides of any graph."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from comraf import MDC, Edge
from comraf.errors import InputError, TooLargeError
from comraf.graph import Graph, Node
from comraf.results.placement import (
    SideCounts,
    align,
    counts_by_side,
    new_counts,
    side_counts,
)
from comraf.results.result import Result
from comraf.results.scorer import Scorer, fit_scorer
from comraf.weightings import parts_of
from tests.strategies import problems_with_states


@cache
def fitted(n=90, m=60, k=3, weighting="raw", seed=0, strength=1.6):
    """A table in k topics, the labels of a fit, what the fit knows, and the topics."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % k
    rate = np.where(topic[:, None] == (np.arange(m) % k)[None, :], strength, 0.5)
    table = sp.csr_array(rng.poisson(rate))
    model = MDC(k, weighting=weighting, random_state=0, n_restarts=3).fit(table)
    columns = model.modality_labels_["columns"]
    edge = Edge("d", "w", table, weighting=weighting)
    known = side_counts(
        edge.counts,
        model.labels_,
        columns,
        (k, int(columns.max()) + 1),
        weighting=weighting,
        units=edge.units,
    )
    return table, model.labels_, {"words": known}, topic


@pytest.mark.parametrize("weighting", ["raw", "binary", "log", "equal_rows"])
def test_fitted_items_placed_anew_come_back_home(weighting):
    """Nearly every item of the fit gets its own cluster again when it comes as a new one."""
    table, labels, known, _ = fitted(weighting=weighting)
    assert (Scorer(known).place({"words": table}).labels == labels).mean() > 0.97


def test_an_item_without_known_values_is_unplaced():
    """Cluster 0, confidence 0, and it is told."""
    _, _, known, _ = fitted()
    placed = Scorer(known).place({"words": sp.csr_array((2, 60), dtype=np.int64)})
    assert placed.labels.tolist() == [0, 0]
    assert placed.confidence.tolist() == [0, 0]
    assert placed.known.tolist() == [0, 0]
    assert placed.margin.tolist() == [0, 0]


def test_items_that_were_not_in_the_fit_cannot_be_their_own():
    """Tables that don't make up the counts of the fit are refused instead of going negative."""
    table, labels, known, _ = fitted()
    with pytest.raises(InputError, match="not the items the counts were made of"):
        Scorer(known).place({"words": table * 1_000_000}, own=labels)


def test_wrong_tables():
    """A table of the wrong width, or none at all, is refused with the numbers."""
    _, _, known, _ = fitted()
    with pytest.raises(InputError, match="2 x 5, expected 2 items x 60"):
        Scorer(known).place({"words": sp.csr_array((2, 5))})
    with pytest.raises(InputError, match="none of the sides"):
        Scorer(known).place({"people": sp.csr_array((2, 5))})


def plain(sides):
    """Sides for items whose counts are those of the fit already."""
    return {
        name: replace(side, weighting="raw", units=1.0, factors=None)
        for name, side in sides.items()
    }


@given(problems_with_states(terms=False))
def test_what_stands_still_in_the_fit_stays_as_a_new_item(drawn):
    """In any state of any graph: no better cluster in the fit, the same cluster as a new item."""
    problem, state = drawn
    graph = problem.graph
    labels = dict(zip(problem.names, state.labels, strict=True))
    n_clusters = dict(zip(problem.names, state.n_clusters, strict=True))
    for node in problem.hidden:
        name = problem.names[node]
        if problem.sizes[node] < graph.sizes[name]:
            continue
        for single in ((), graph.index):
            sides, counts = counts_by_side(graph, labels, n_clusters, name, single=single)
            own = Scorer(plain(sides)).place(counts, own=labels[name])
            still = own.margin > 1e-9
            again = Scorer(plain(sides)).place(counts).labels
            np.testing.assert_array_equal(again[still], labels[name][still])


@given(problems_with_states(terms=False))
def test_a_gain_is_what_the_objective_wins(drawn):
    """The margin of a fitted item is the change of the objective when it moves, by its mass."""
    problem, state = drawn
    node = problem.hidden[0]
    name = problem.names[node]
    if problem.sizes != tuple(problem.graph.sizes[n] for n in problem.names):
        return
    labels = dict(zip(problem.names, state.labels, strict=True))
    n_clusters = dict(zip(problem.names, state.n_clusters, strict=True))
    sides, counts = counts_by_side(problem.graph, labels, n_clusters, name)
    placed = Scorer(plain(sides)).place(counts, own=labels[name])
    before = problem.objective.value(state)
    mass = problem.masses(node)
    for item in range(problem.sizes[node]):
        moved = labels[name].copy()
        moved[item] = placed.runner_up[item]
        after = problem.objective.value(state.replace(node, moved, state.n_clusters[node]))
        assert before - after == pytest.approx(placed.margin[item] * mass[item], abs=1e-9)


def words_and_documents(weighting, row_weights=None):
    """A fitted graph of documents and words, both hidden."""
    table, _, _, _ = fitted(n=60, m=30)
    graph = Graph(
        [Node("d", n_clusters=3), Node("w", n_clusters=3, direction="top-down")],
        [Edge("d", "w", table, weighting=weighting, row_weights=row_weights)],
    )
    labels = {
        "d": (np.arange(60) % 3).astype(np.int32),
        "w": (np.arange(30) % 3).astype(np.int32),
    }
    return table, graph, labels, {"d": 3, "w": 3}


@pytest.mark.parametrize(
    "weighting", ["raw", "binary", "log", "root", "root_rows", "log+root", "presence+root"]
)
@pytest.mark.parametrize("weights", [None, "some"])
def test_columns_as_new_items_weigh_what_they_did(weighting, weights):
    """New words are weighted by the documents they come with, as the words of the fit were."""
    weights = None if weights is None else np.random.default_rng(0).integers(1, 4, 60)
    table, graph, labels, n_clusters = words_and_documents(weighting, weights)
    sides, counts = counts_by_side(graph, labels, n_clusters, "w")
    again = new_counts(sides["d"], sp.csr_array(table.T), "d")
    off = np.abs((again - counts["d"]).toarray())
    # the length of a row is known up to rounding to units: up to a unit in a hundred
    exact = parts_of(weighting)[1] == "none"
    assert off.max() <= (0 if exact else 1 + 0.01 * counts["d"].max())
    placed = Scorer(sides).place({"d": sp.csr_array(table.T)})
    np.testing.assert_array_equal(placed.labels, labels["w"])


@pytest.mark.parametrize("weighting", ["equal_rows", "log+equal"])
def test_columns_of_rows_of_equal_mass_are_refused(weighting):
    """Their documents' lengths are gone, and so is what a count weighs."""
    table, graph, labels, n_clusters = words_and_documents(weighting)
    sides, _ = counts_by_side(graph, labels, n_clusters, "w")
    with pytest.raises(InputError, match="equal mass in the fit"):
        Scorer(sides).place({"d": sp.csr_array(table.T)})


def test_the_fullest_neighbour():
    """The hidden side with most entries, whatever is observed; others if they are about as full."""
    rng = np.random.default_rng(0)
    few, many = rng.poisson(0.3, (20, 9)), rng.poisson(3.0, (20, 9))
    few[:, 0] += 1
    for observed, expected in ((None, "w"), ("singletons", "p")):
        nodes = [
            Node("d", n_clusters=2),
            Node("w", direction="top-down", observed=observed),
            Node("p", direction="top-down"),
        ]
        graph = Graph(nodes, [Edge("d", "w", many), Edge("p", "d", few.T)])
        assert graph.fullest("d") == expected
        assert graph.full("d") == (expected,)
    graph = Graph([nodes[0], Node("w"), Node("p")], [Edge("d", "w", many), Edge("d", "p", many)])
    assert graph.full("d") == ("w", "p")
    assert [graph.full("d", most) for most in (8, 9, 18)] == [(), ("w",), ("w", "p")]
    regions = np.repeat(np.eye(20, dtype=np.int64), 3, axis=1)  # each belongs to one document
    graph = Graph([nodes[0], Node("r")], [Edge("d", "r", regions)])
    assert graph.full("d") == ()


def test_parallel_edges_have_names_of_their_own():
    """A second table with the same neighbour is told apart by a number."""
    nodes = [Node("d", n_clusters=2), Node("w", n_clusters=2, direction="top-down")]
    tables = [np.eye(4, dtype=int) + 1, np.eye(4, dtype=int) * 3 + 1]
    graph = Graph(nodes, [Edge("d", "w", tables[0]), Edge("w", "d", tables[1])])
    labels = {"d": np.array([0, 0, 1, 1], np.int32), "w": np.array([0, 1, 1, 0], np.int32)}
    sides, counts = counts_by_side(graph, labels, {"d": 2, "w": 2}, "d", single=["w"])
    assert list(sides) == ["w", "w (2)"]
    assert sides["w"].factors is None
    assert sides["w (2)"].factors.tolist() == [1.0] * 4
    np.testing.assert_array_equal(counts["w (2)"].toarray(), tables[1].T)
    with pytest.raises(InputError, match="no node 'x'"):
        counts_by_side(graph, labels, {"d": 2, "w": 2}, "x")


def test_too_many_single_values_stay_in_clusters(monkeypatch):
    """A table of single values and clusters beyond the bound is not made."""
    _, graph, labels, n_clusters = words_and_documents("raw")
    assert counts_by_side(graph, labels, n_clusters, "d", single=["w"])[0]["w"].single
    monkeypatch.setattr("comraf.results.placement.MOST_SINGLE", 10)
    assert not counts_by_side(graph, labels, n_clusters, "d", single=["w"])[0]["w"].single


def test_shares_and_confidence_agree():
    """Shares add up to 1; the largest is the label's, and its confidence."""
    table, _, known, _ = fitted()
    parts = Scorer(known).shares({"words": table})
    placed = Scorer(known).place({"words": table})
    np.testing.assert_allclose(parts.sum(axis=1), 1.0)
    np.testing.assert_array_equal(parts.argmax(axis=1), placed.labels)
    np.testing.assert_allclose(parts.max(axis=1), placed.confidence)
    empty = Scorer(known).shares({"words": sp.csr_array((1, 60), dtype=np.int64)})
    np.testing.assert_allclose(empty, 1 / 3)


def test_batches_do_not_matter(monkeypatch):
    """Items scored a few at a time come out the same."""
    table, _, known, _ = fitted()
    whole = Scorer(known).place({"words": table})
    monkeypatch.setattr("comraf.results.scorer._CELLS_A_BATCH", 20)
    pieces = Scorer(known).place({"words": table})
    for field in ("labels", "runner_up", "confidence", "margin", "known"):
        np.testing.assert_array_equal(getattr(whole, field), getattr(pieces, field))


def test_turning_a_side_counts_clusters():
    """For new values of a side, its clusters are what counts, single values or not."""
    clusters = np.array([1, 0, 1], np.int32)
    joint = np.array([[1, 0], [2, 5], [3, 1]])
    single = SideCounts(np.arange(3, dtype=np.int32), joint, clusters=clusters)
    together = SideCounts(clusters, np.array([[2, 5], [4, 1]]))
    labels = np.array([0, 1, 1], np.int32)
    np.testing.assert_array_equal(single.turned(labels).joint, together.turned(labels).joint)
    assert single.turned(labels).joint.tolist() == [[2, 4], [5, 1]]


def test_names_and_columns_must_be_as_many():
    """Three names for two columns are refused with both numbers."""
    with pytest.raises(InputError, match=r"3 names.*2 columns"):
        align(sp.csr_array((1, 2)), ["a", "b", "c"], ["a"])


def test_gains_are_tempered_by_the_fourth_root_of_the_values_known():
    """Shares are a softmax of the gains per unit of mass, times n ** 1/4, sharpened."""
    joint = np.array([[90, 10], [20, 80], [30, 30]])
    known = {"words": SideCounts(np.arange(3, dtype=np.int32), joint)}
    items = np.array([[4, 0, 0], [2, 0, 2], [1, 2, 1]])
    total, mass = joint.sum(), joint.sum(axis=0)

    def phi(x):
        return x * np.log(np.maximum(x, 1))

    heat = np.array(
        [
            ((phi(joint + row[:, None]) - phi(joint)).sum(axis=0) - phi(mass + 4) + phi(mass)) / 4
            for row in items
        ]
    )  # the item's share of all counts, 4 / total, cancels with the objective's own 1 / total
    assert total == 260
    heat *= np.array([[1], [2], [3]]) ** 0.25
    for sharpness in (1.0, 2.5):
        wanted = np.exp(sharpness * heat)
        wanted /= wanted.sum(axis=1, keepdims=True)
        placed = Scorer(known, sharpness=sharpness).place({"words": sp.csr_array(items)})
        np.testing.assert_allclose(placed.confidence, wanted.max(axis=1))
        if sharpness == 1.0:
            np.testing.assert_allclose(Scorer(known).shares({"words": sp.csr_array(items)}), wanted)


def test_a_document_that_had_no_words_says_nothing_about_new_ones():
    """Its root is no number to divide by: what is found in it now counts for nothing."""
    table = np.array([[3, 0, 1], [0, 2, 1], [0, 0, 0]])
    graph = Graph(
        [Node("d", n_clusters=2), Node("w", n_clusters=2, direction="top-down")],
        [Edge("d", "w", table, weighting="root_rows")],
    )
    labels = {"d": np.array([0, 1, 1], np.int32), "w": np.array([0, 1, 1], np.int32)}
    sides, _ = counts_by_side(graph, labels, {"d": 2, "w": 2}, "w")
    only, more = (sp.csr_array(np.array([[first, 0, 9]])) for first in (0, 5))
    assert new_counts(sides["d"], only, "d").sum() == 0
    assert Scorer(sides).place({"d": only}).known.tolist() == [0]
    assert Scorer(sides).place({"d": more}).labels.tolist() == [0]


@pytest.mark.parametrize("shape", [(1, 2**50), (2**50, 1)])
def test_tables_that_fit_nowhere_are_refused(shape):
    """Many clusters or many values: said before the memory is asked for."""
    empty = np.zeros(1, dtype=np.int32)
    with pytest.raises(TooLargeError, match="ask for fewer clusters"):
        side_counts(sp.csr_array((1, 1), dtype=np.int64), empty, empty, shape)


def test_the_same_counts_in_two_clusters_are_nobodys():
    """A new item like items of two clusters is placed as a new one; like those of one, as they."""
    table = sp.csr_array(np.array([[4, 1], [4, 1], [1, 4], [1, 4], [0, 3]]))
    graph = Graph(
        [Node("d", n_clusters=2), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    labels = np.array([0, 1, 1, 1, 1], np.int32)  # the second one was put there
    result = Result({"d": labels, "w": np.arange(2)}, {"d": 2, "w": 2}, 0.0, ())
    scorer, items = fit_scorer(graph, result, "d")
    found = scorer.score({"w": table}).labels
    assert found.tolist() == [-1, -1, 1, 1, 1]
    again, fitted = scorer.place({"w": table}), items.place()
    np.testing.assert_array_equal(again.confidence[2:], fitted.confidence[2:])
    assert again.labels.tolist() == [0, 0, 1, 1, 1]
    assert fitted.labels.tolist() == labels.tolist()
