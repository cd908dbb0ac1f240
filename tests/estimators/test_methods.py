"""The other methods as a user meets them: clique-wise, co-clustering, bottlenecks, the tree."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from comraf import (
    ITCC,
    MDC,
    AgglomerativeIB,
    CliquewiseMDC,
    Edge,
    Graph,
    InformationBottleneck,
    Node,
    SequentialIB,
)
from comraf.checks import check_estimator, expected_failures
from comraf.errors import InputError
from comraf.metrics import micro_accuracy
from tests.estimators.test_front_doors import PEOPLE, TOPIC, X, topics
from tests.strategies import brute_information

WEIGHTINGS = ["raw", "binary", "log", "equal_rows", "root_rows"]
METHODS = [AgglomerativeIB, CliquewiseMDC, InformationBottleneck, ITCC, SequentialIB]


@parametrize_with_checks(
    [
        AgglomerativeIB(),
        CliquewiseMDC(n_restarts=2),
        InformationBottleneck(),
        ITCC(n_restarts=2),
    ],
    expected_failed_checks=expected_failures,
)
def test_check_estimator(estimator, check):
    """Every check of scikit-learn that does not feed negative numbers passes."""
    check(estimator)


@pytest.mark.parametrize("model", METHODS)
def test_the_rules_are_kept(model):
    """What scikit-learn does not ask: forms, seeds, threads, order, objective, Ctrl-C."""
    check_estimator(model(4))


@pytest.mark.parametrize(
    ("model", "weighting"),
    [*zip(METHODS, WEIGHTINGS, strict=True), *((MDC, weighting) for weighting in WEIGHTINGS)],
)
def test_topics_are_found_in_one_table_and_in_two(model, weighting):
    """Every weighting finds clear topics; several tables are clustered together."""
    estimator = model(4, weighting=weighting, random_state=0)
    assert micro_accuracy(TOPIC, estimator.fit(X).labels_) == 1.0
    estimator.fit({"words": X, "people": sp.csr_array(PEOPLE)})
    assert micro_accuracy(TOPIC, estimator.labels_) == 1.0
    assert set(estimator.modality_labels_) == {"rows", "words", "people"}


@pytest.mark.parametrize("model", METHODS)
def test_sample_weights_repeat_rows_in_the_objective(model):
    """Weight 3 counts a row three times; weight 0 puts it out of the way."""
    weights = np.ones(len(X))
    weights[0], weights[1] = 3, 0
    estimator = model(4, weighting="raw", random_state=0).fit(X, sample_weight=weights)
    repeated = np.concatenate([np.delete(X, 1, axis=0), X[[0, 0]]])
    labels = np.concatenate([np.delete(estimator.labels_, 1), estimator.labels_[[0, 0]]])
    columns = estimator.modality_labels_["columns"]
    expected = brute_information(repeated, labels, columns)
    assert estimator.objective_ == pytest.approx(expected, abs=1e-10)
    assert estimator.labels_[1] == 0


def test_itcc_has_the_numbers_of_clusters_asked_for():
    """Columns by number and by name; both updates find the blocks."""
    tables = {"words": X, "people": PEOPLE}
    for updates in ("batch", "sequential"):
        model = ITCC(4, column_clusters=5, updates=updates, random_state=0).fit(tables)
        assert [len(np.unique(model.modality_labels_[n])) for n in tables] == [5, 5]
    model = ITCC(4, column_clusters={"people": 3}, random_state=0).fit(tables)
    assert len(np.unique(model.modality_labels_["people"])) == 3
    blocks = ITCC(4, column_clusters=4, random_state=0).fit(X)
    assert micro_accuracy(np.arange(60) % 4, blocks.modality_labels_["columns"]) == 1.0


def test_first_passes_help_and_none_is_as_published():
    """On rows that are hard to tell apart, a start against single columns ends higher."""
    noisy, _ = topics(n=200, m=300, k=6, strength=0.5)
    reached = [
        np.mean(
            [
                ITCC(6, column_clusters=8, n_restarts=1, first_passes=passes, random_state=s)
                .fit(noisy)
                .objective_
                for s in range(6)
            ]
        )
        for passes in (0, 8)
    ]
    assert reached[1] > reached[0]


@pytest.mark.parametrize(
    ("direction", "passes", "effort"),
    [
        ("bottom-up", 0.25, "paper"),
        ("bottom-up", 1.0, "quick"),
        ("top-down", 0.5, "quick"),
        ("top-down", 4.0, "paper"),
    ],
)
def test_bottleneck_directions_and_lengths_of_search(direction, passes, effort):
    """Either direction and any length of the local search finds clear groups."""
    model = InformationBottleneck(
        4, direction=direction, passes=passes, effort=effort, random_state=0
    ).fit(X)
    assert len(np.unique(model.labels_)) == 4
    if passes >= 1:
        assert micro_accuracy(TOPIC, model.labels_) == 1.0
    assert_array_equal(model.modality_labels_["columns"], np.arange(60))


def test_a_longer_local_search_climbs_higher():
    """More looks at every row end at a higher objective, on average over seeds."""
    noisy, _ = topics(n=150, m=80, k=5, strength=0.5)
    reached = [
        np.mean(
            [
                InformationBottleneck(5, effort="paper", passes=passes, random_state=s)
                .fit(noisy)
                .objective_
                for s in range(5)
            ]
        )
        for passes in (0.25, 4.0)
    ]
    assert reached[1] > reached[0]


def test_the_tree_as_attributes():
    """children_, heights_ and leaves_ are those of scikit-learn's trees; cut() gives any size."""
    model = AgglomerativeIB(4).fit(X)
    assert model.children_.shape == (39, 2)
    assert model.n_leaves_ == 40
    assert_array_equal(model.leaves_, np.arange(40))
    assert_array_equal(np.sort(model.children_.ravel()), np.arange(78))
    assert_array_equal(model.cut(4), model.labels_)
    assert_array_equal(np.sort(model.cut(40)), np.arange(40))
    assert (model.heights_ >= 0).all()
    model.children_[:] = 0  # a user's copy
    assert_array_equal(copy.deepcopy(model).cut(4), model.labels_)
    # half of all rows is merged before the information of four topics is touched
    assert model.heights_[:36].max() < model.heights_[36:].min()


def test_rows_without_counts_are_not_in_the_tree():
    """They have no leaf, and live in cluster 0 of every cut."""
    table = np.vstack([np.zeros(60, dtype=int), X])
    model = AgglomerativeIB(4).fit(table)
    assert model.leaves_[0] == -1
    assert model.n_leaves_ == 40
    assert model.cut(7)[0] == 0
    assert_array_equal(model.labels_[1:], AgglomerativeIB(4).fit(X).labels_)


def test_no_chance_in_the_tree():
    """Whatever the seed, the tree is the same; with a coarse start it is not."""
    noisy, _ = topics(n=120, strength=0.6)
    exact = [AgglomerativeIB(4, random_state=s).fit(noisy).children_ for s in (0, 1)]
    assert_array_equal(*exact)
    coarse = [AgglomerativeIB(4, coarse=30, random_state=s).fit(noisy) for s in (0, 1)]
    assert coarse[0].n_leaves_ == 30
    assert (coarse[0].leaves_ != coarse[1].leaves_).any()


def loopy():
    """Rows, words and people, all of them joined."""
    return Graph(
        [
            Node("documents", n_clusters=4),
            Node("words", direction="top-down"),
            Node("people", n_clusters=4, direction="top-down"),
            Node("known", observed=TOPIC),
        ],
        [
            Edge("documents", "words", X),
            Edge("documents", "people", PEOPLE),
            Edge("words", "people", X.T @ PEOPLE),
            Edge("documents", "known", np.eye(40)),
        ],
    )


def test_cliquewise_takes_any_graph():
    """A loopy graph with an observed node; labels_ are those of its first hidden node."""
    model = CliquewiseMDC(random_state=0).fit(loopy())
    assert micro_accuracy(TOPIC, model.labels_) == 1.0
    assert_array_equal(model.labels_, model.modality_labels_["documents"])
    assert_array_equal(model.modality_labels_["known"], TOPIC)
    total = sum(e.weight * e.information for e in model.result_.edges)
    assert model.objective_ == pytest.approx(total, abs=1e-10)
    with pytest.raises(InputError, match="fitted on a graph"):
        model.predict(X)
    with pytest.raises(InputError, match="row_weights"):
        model.fit(loopy(), sample_weight=np.ones(40))
    assert CliquewiseMDC(4, random_state=0).fit(X).predict(X).shape == (40,)
    again = CliquewiseMDC(4, random_state=0).fit(X).fit(loopy())
    with pytest.raises(InputError, match="fitted on a graph"):
        again.predict(X)


def test_cliquewise_on_the_full_graph_of_tables():
    """interactions="all" joins the columns of every two tables by their meetings in rows."""
    tables = {"words": X, "people": sp.csr_array(PEOPLE), "again": PEOPLE}
    model = CliquewiseMDC(4, interactions="all", random_state=0).fit(tables)
    assert [(e.a, e.b) for e in model.graph_.edges] == [
        ("rows", "words"),
        ("rows", "people"),
        ("rows", "again"),
        ("words", "people"),
        ("words", "again"),
        ("people", "again"),
    ]
    assert_array_equal(model.graph_.edges[3].counts.toarray(), X.T @ PEOPLE)
    assert micro_accuracy(TOPIC, model.labels_) == 1.0
    assert model.predict(tables).shape == (40,)
    weights = np.arange(40)
    weighted = CliquewiseMDC(4, interactions="all", random_state=0)
    weighted.fit({"words": X, "people": PEOPLE}, sample_weight=weights)
    expected = (X * weights[:, None]).T @ PEOPLE
    assert_array_equal(weighted.graph_.edges[2].counts.toarray(), expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ITCC(2, updates="x").fit(X), "updates='x'"),
        (lambda: ITCC(2, column_clusters={"x": 2}).fit({"words": X}), "column_clusters names 'x'"),
        (lambda: ITCC(2, column_clusters=61).fit(X), "n_clusters=61"),
        (lambda: ITCC(41).fit(X), "n_clusters=41.*only 40"),
        (lambda: CliquewiseMDC(2, interactions="x").fit(X), "interactions='x'"),
        (lambda: CliquewiseMDC(2, moves="x").fit(X), "moves='x'"),
        (lambda: CliquewiseMDC(2, weighting="x").fit(X), "weighting='x'"),
        (lambda: InformationBottleneck(2, direction="up").fit(X), "direction='up'.*top-down"),
        (lambda: InformationBottleneck(2, effort="x").fit(X), "effort='x'"),
        (lambda: AgglomerativeIB(2, coarse=1).fit(X), "coarse=1"),
        (lambda: AgglomerativeIB(0).fit(X), "n_clusters=0"),
        (lambda: AgglomerativeIB(2).fit(X).cut(41), "k=41; the tree has from 1 to 40"),
    ],
)
def test_bad_input_is_one_clear_error(make, message):
    """Each mistake names the value."""
    with pytest.raises(InputError, match=message):
        make()
