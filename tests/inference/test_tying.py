"""A second copy of the documents in the documents' own clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf import MDC, Edge, Graph, NeighbourTable, Node, TiedTable
from comraf.inference import Problem
from comraf.inference.tying import Tie, tie_rounds


def information(table: Any) -> float:
    """Mutual information of a joint table, by its definition."""
    p = np.asarray(table, dtype=float) / np.sum(table)
    apart = np.outer(p.sum(axis=1), p.sum(axis=0))
    there = p > 0
    return float((p[there] * np.log(p[there] / apart[there])).sum())


def tied_objective(
    near: Any, words: Any, labels: Any, word_labels: Any, weights: tuple[float, float]
) -> float:
    """Plain reference: both ends of the table of neighbours in the same clusters."""
    k, m = labels.max() + 1, word_labels.max() + 1
    one, other = np.eye(k)[labels], np.eye(m)[word_labels]
    return weights[0] * information(one.T @ near @ one) + weights[1] * information(
        one.T @ words @ other
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, int]:
    """Neighbours, words, labels of both, and a seed."""
    n, m, k = draw(st.integers(6, 24)), draw(st.integers(2, 8)), draw(st.integers(2, 4))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    near = rng.poisson(0.6, (n, n)) * (1 - np.eye(n, dtype=int))
    near[0, 1] = near[1, 0] = 1
    words = rng.poisson(0.8, (n, m))
    words[:, 0] += 1
    words[0] += 1
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)]).astype(np.int32)
    word_labels = np.concatenate([[0, 1], rng.integers(0, 2, m - 2)]).astype(np.int32)
    return near, words, labels, word_labels, seed


def problem_of(near: Any, words: Any, k: int) -> Problem:
    """Documents with words, and with a copy of themselves."""
    nodes = [
        Node("d", n_clusters=k),
        Node("w", n_clusters=2, direction="top-down"),
        Node("copy", observed="singletons"),
    ]
    return Problem(Graph(nodes, [Edge("d", "w", words, weight=0.7), Edge("d", "copy", near)]))


@settings(max_examples=40, deadline=None)
@given(cases())
def test_rounds_climb_the_tied_objective(case: tuple[Any, Any, Any, Any, int]) -> None:
    """Values are those of the plain formula, and none is below the one before it."""
    near, words, labels, word_labels, seed = case
    k = int(labels.max()) + 1
    problem = problem_of(near, words, k)
    start = problem.start({0: (labels, k), 1: (word_labels, 2)})
    state, values = tie_rounds(
        problem, start, Tie(0, [2]), np.random.default_rng(seed), lambda part: None
    )
    assert np.allclose(values[0], tied_objective(near, words, labels, word_labels, (1, 0.7)))
    end = tied_objective(near, words, state.labels[0], state.labels[1], (1, 0.7))
    assert np.allclose(values[-1], end)
    assert (np.diff(values) > 0).all()
    assert (state.labels[2] == state.labels[0]).all()


@settings(max_examples=15, deadline=None)
@given(cases(), st.randoms())
def test_names_of_clusters_do_not_matter(
    case: tuple[Any, Any, Any, Any, int], shuffle: Any
) -> None:
    """The same partition under other numbers ends in the same one."""
    near, words, labels, word_labels, seed = case
    k = int(labels.max()) + 1
    numbers = list(range(k))
    shuffle.shuffle(numbers)
    problem = problem_of(near, words, k)
    ends = []
    for there in (labels, np.array(numbers, dtype=np.int32)[labels]):
        start = problem.start({0: (there, k), 1: (word_labels, 2)})
        rng = np.random.default_rng(seed)
        state, values = tie_rounds(problem, start, Tie(0, [2]), rng, lambda part: None)
        ends.append((state.labels[0].tolist(), round(values[-1], 9)))
    assert ends[0] == ends[1]


def planted(rng: np.random.Generator, k: int = 4, each: int = 25) -> tuple[Any, Any]:
    """A directed graph in which most arrows stay within their group."""
    truth = np.repeat(np.arange(k), each)
    near = rng.random((k * each, k * each)) < np.where(truth[:, None] == truth, 0.25, 0.03)
    np.fill_diagonal(near, False)
    return near.astype(int), truth


def test_a_tied_fit_is_worth_more_than_an_observed_one() -> None:
    """By the tied objective; labels of the copy are those of the rows."""
    near, _ = planted(np.random.default_rng(0))
    tied = MDC(4, effort="paper", random_state=0).fit({"near": TiedTable(near)})
    observed = MDC(4, effort="paper", random_state=0).fit({"near": NeighbourTable(near)})
    assert (tied.modality_labels_["near"] == tied.labels_).all()
    one = np.eye(4)[observed.labels_]
    weighted = observed.graph_.edges[0].counts.toarray()
    assert tied.objective_ >= information(one.T @ weighted @ one) - 1e-9
    both = np.eye(4)[tied.labels_]
    assert tied.objective_ == pytest.approx(information(both.T @ weighted @ both))
    assert tied.result_.trace[-1].action == "tie"


def test_the_same_seed_gives_the_same_answer() -> None:
    """Twice the same, and with threads too."""
    near, _ = planted(np.random.default_rng(1))
    fits = [
        MDC(4, n_runs=3, random_state=3, n_jobs=jobs).fit_predict({"near": TiedTable(near)})
        for jobs in (1, 1, 2)
    ]
    assert (fits[0] == fits[1]).all()
    assert (fits[0] == fits[2]).all()


def test_links_hold_and_copies_follow() -> None:
    """Documents that must be together make one value of the search, but two of the copy."""
    near, truth = planted(np.random.default_rng(2))
    table = TiedTable(sp.csr_array(near))
    must, apart = [(0, 30), (1, 60)], [(2, 3), (4, 5)]
    fit = MDC(4, effort="quick", random_state=0).fit(
        {"near": table}, must_link=must, cannot_link=apart
    )
    assert all(fit.labels_[a] == fit.labels_[b] for a, b in must)
    assert all(fit.labels_[a] != fit.labels_[b] for a, b in apart)
    assert (fit.modality_labels_["near"] == fit.labels_).all()
    labels = np.full(len(truth), -1)
    labels[::5] = truth[::5]
    known = MDC(4, effort="quick", random_state=0).fit({"near": table}, labels=labels)
    assert (known.modality_labels_["near"] == known.labels_).all()
