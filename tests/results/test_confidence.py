"""Confidence, and whether it can be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import comraf
from comraf.errors import InputError
from comraf.graph import Graph
from comraf.results import Result
from comraf.results.confidence import confidence, reliability
from comraf.results.explain import Explainer
from comraf.results.scorer import fit_scorer
from tests.results.solving import hidden_nodes, one_table, solved_graphs, topics


def right(labels: np.ndarray, topic: np.ndarray) -> np.ndarray:
    """Which documents are of the commonest topic of their cluster."""
    table = np.zeros((labels.max() + 1, topic.max() + 1))
    np.add.at(table, (labels, topic), 1)
    return table.argmax(axis=1)[labels] == topic


@pytest.mark.parametrize("effort", ["default", "quick"])
def test_accuracy_rises_with_confidence(effort: str) -> None:
    """From the least to the most sure third the share of right documents rises clearly."""
    table, topic = topics(n=600, m=60, k=3, strength=0.85, seed=1)
    graph = one_table(table, 3)
    result = comraf.Comraf(graph, effort=effort, random_state=0).fit().result_
    sure = confidence(graph, result, "documents")
    found = reliability(sure, right(result.labels["documents"], topic), n_bins=3)
    assert found.deepest_fall == 0.0
    assert found.accuracy[2] > found.accuracy[0] + 0.1
    if effort == "default":  # one run has nobody to ask how sure to be: only its order counts
        assert found.error < 0.15


def test_the_scores_alone_would_be_far_too_sure() -> None:
    """Runs that disagree bring confidence down; one temperature for all of them."""
    table, _ = topics(n=200, strength=0.9)
    graph = one_table(table, 3)
    result = comraf.Comraf(graph, random_state=0).fit().result_
    doubtful = np.full(200, 0.4)
    lower, higher = (
        replace(result, stability={"documents": agreed}) for agreed in (doubtful, doubtful + 0.2)
    )
    blunt, sharp = (fit_scorer(graph, r, "documents")[0].sharpness for r in (lower, higher))
    assert blunt < sharp
    sure = confidence(graph, lower, "documents")
    assert sure.mean() == pytest.approx(0.4, abs=0.01)
    assert sure.std() > 0.01  # the scores still order what the runs agree on alike


@given(solved_graphs(least=1))
def test_confidence_is_a_share(solved: tuple[Graph, Result]) -> None:
    """Between 0 and 1 on any graph; 1 where there is no other cluster."""
    graph, result = solved
    for node in hidden_nodes(graph):
        sure = confidence(graph, result, node)
        assert ((sure >= 0) & (sure <= 1)).all()
        if result.n_clusters[node] == 1:
            assert (sure == 1).all()


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_reliability_counts_everything_once(pairs: list[tuple[float, bool]]) -> None:
    """Bins hold all values; their means are those of the whole; confidence never falls."""
    sure, good = zip(*pairs, strict=True)
    table = reliability(sure, good, n_bins=10)
    assert sum(table.n) == len(pairs)
    assert np.average(table.accuracy, weights=table.n) == pytest.approx(np.mean(good))
    assert np.average(table.confidence, weights=table.n) == pytest.approx(np.mean(sure))
    assert (np.diff(table.confidence) >= -1e-12).all()
    assert 0 <= table.error <= 1


def test_wrong_reliability() -> None:
    """Unequal lengths and numbers that are none are refused."""
    with pytest.raises(InputError, match="one number of each"):
        reliability([0.1, 0.2], [True])
    for sure in (float("nan"), 2.0):
        with pytest.raises(InputError, match="from 0 to 1"):
            reliability([sure], [True])


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("stability", [None, [1.0, 1.0, 1.0, 1.0]])
def test_a_value_without_counts_is_sure_of_nothing(k: int, stability: list[float] | None) -> None:
    """Confidence 0, however the runs agreed on it and though there may be one cluster only."""
    graph = one_table(sp.csr_array([[5, 1], [4, 1], [0, 0], [1, 6]]), k)
    labels = {"documents": np.array([0, 0, 0, k - 1], np.int32), "words": np.arange(2)}
    given = {} if stability is None else {"documents": np.array(stability)}
    result = Result(labels, {"documents": k, "words": 2}, 0.0, (), stability=given)
    sure = confidence(graph, result, "documents")
    assert sure[2] == 0.0
    assert (sure[[0, 1, 3]] > 0.5).all()


def test_scores_are_sharpened_by_the_fourth_root_of_the_neighbours() -> None:
    """Without other runs confidence is a softmax of scores per mass times n ** 1/4.

    Shrunken scores are brought to three times the size of unshrunken ones.
    """
    table, _ = topics(n=30, strength=2.0)
    graph = one_table(table, 3)
    result = comraf.Comraf(graph, effort="quick", random_state=0).fit().result_
    for against, size in (("clusters", 1.0), ("auto", 3 * np.log(3) / (31 * np.log(33 / 31)))):
        explainer = Explainer(graph, result, against)
        scored = explainer.scored("documents")
        heat = np.concatenate([part for _, _, part in scored.batches()])
        heat *= size * (np.diff(table.indptr) ** 0.25 / scored.mass)[:, None]
        wanted = np.exp(heat) / np.exp(heat).sum(axis=1, keepdims=True)
        wanted = wanted[np.arange(30), result.labels["documents"]]
        np.testing.assert_allclose(explainer.placed("documents").confidence, wanted)
    np.testing.assert_allclose(confidence(graph, result, "documents"), wanted)
