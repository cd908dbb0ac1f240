"""MDC, SequentialIB and Comraf as a user meets them."""

from __future__ import annotations

import copy
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from comraf import MDC, Comraf, Edge, Graph, Node, SequentialIB
from comraf.errors import ComrafError, InputError
from comraf.inference import EFFORTS
from comraf.metrics import micro_accuracy
from comraf.progress import Event, PrintListener
from tests.strategies import brute_information


def topics(n=40, m=60, k=4, seed=0, strength=3.0):
    """Counts of n rows over m columns in k topics, and the topic of each row."""
    rng = np.random.default_rng(seed)
    rows, columns = np.arange(n) % k, np.arange(m) % k
    rate = np.where(rows[:, None] == columns[None, :], strength, 0.1)
    return rng.poisson(rate), rows


X, TOPIC = topics()
PEOPLE, _ = topics(m=12, seed=1)


def test_the_objective_is_the_weighted_information():
    """objective_ is the sum over tables of weight times mutual information, by definition."""
    model = MDC(4, weighting="raw", edge_weights={"people": 0.5}, random_state=0)
    model.fit({"words": X, "people": PEOPLE})
    labels = model.modality_labels_
    expected = brute_information(X, labels["rows"], labels["words"])
    expected += 0.5 * brute_information(PEOPLE, labels["rows"], labels["people"])
    assert model.objective_ == pytest.approx(expected, abs=1e-10)
    edges = model.result_.edges
    assert sum(e.weight * e.information for e in edges) == pytest.approx(expected, abs=1e-10)


def test_column_clusters_by_number_and_by_name():
    """Columns have the number of clusters that was asked for."""
    tables = {"words": X, "people": PEOPLE}
    model = MDC(4, column_clusters=5, random_state=0).fit(tables)
    assert [len(np.unique(model.modality_labels_[n])) for n in tables] == [5, 5]
    model = MDC(4, column_clusters={"people": 3}, random_state=0).fit(tables)
    assert len(np.unique(model.modality_labels_["people"])) == 3


def test_random_states():
    """None differs from run to run."""
    noisy, _ = topics(strength=0.6)
    free = {tuple(MDC(4, effort="quick").fit(noisy[:, :9]).labels_) for _ in range(6)}
    assert len(free) > 1


def test_passes_are_counted():
    """n_iter_ of the flat search is its number of passes."""
    noisy, _ = topics(strength=0.6)
    assert SequentialIB(4, random_state=0).fit(noisy).n_iter_ > 1


def test_rule_weights_follow_sample_weights():
    """Weight 5 for a row gives the same edge weights as the row repeated five times."""
    weights = np.ones(len(X))
    weights[:10] = 5
    repeated = np.repeat(np.arange(len(X)), weights.astype(int))
    one = MDC(4, random_state=0).fit({"a": X, "b": PEOPLE}, sample_weight=weights)
    two = MDC(4, random_state=0).fit({"a": X[repeated], "b": PEOPLE[repeated]})
    for e, f in zip(one.result_.edges, two.result_.edges, strict=True):
        assert e.weight == pytest.approx(f.weight)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MDC(0).fit(X), "n_clusters=0"),
        (lambda: MDC(41).fit(X), "n_clusters=41.*only 40"),
        (lambda: MDC(2, weighting="x").fit(X), "weighting='x'"),
        (lambda: MDC(2, moves="x").fit(X), "moves='x'"),
        (lambda: MDC(2, schedule="x").fit(X), "schedule='x'"),
        (lambda: MDC(2, merge_cost="x").fit(X), "merge_cost='x'"),
        (lambda: MDC(2, n_restarts=0).fit(X), "n_restarts=0"),
        (lambda: MDC(2, effort="heroic").fit(X), "effort='heroic'.*quick"),
        (lambda: MDC(2, n_runs=0).fit(X), "n_runs=0"),
        (lambda: MDC(2, weighting="mix").fit(X), "weighting='mix'"),
        (lambda: MDC(2, n_jobs=0).fit(X), "n_jobs=0"),
        (lambda: MDC(2, verbose="loud").fit(X), "verbose='loud'"),
        (lambda: MDC(2, column_clusters={"x": 2}).fit({"words": X}), "column_clusters names 'x'"),
        (lambda: MDC(2, edge_weights={"x": 2}).fit({"words": X}), "edge_weights names 'x'"),
        (lambda: MDC(2, edge_weights="x").fit({"words": X}), "edge weights 'x' are unknown"),
        (lambda: MDC(2, edge_weights={"words": -1}).fit({"words": X}), "weight of edge.*-1"),
        (lambda: MDC(2).fit({}), "empty mapping"),
        (lambda: MDC(2).fit({"rows": X}), "'rows' can't name a table"),
        (lambda: MDC(2).fit({3: X}), "3 can't name a table"),
        (lambda: MDC(2).fit({"a": X, "b": X[:5]}), r"share their rows.*'a': 40, 'b': 5"),
        (lambda: MDC(2).fit(X - 1), "Negative values"),
        (lambda: MDC(2).fit(X, sample_weight=[1, 2]), "sample weights have shape"),
        (
            lambda: MDC(2).fit(pd.DataFrame({"a": pd.to_datetime(["2024"] * 3), "b": 1})),
            "'a' holds",
        ),
        (lambda: MDC(2).fit(pd.DataFrame({"n": [1, 2], "t": ["x", "y"]})), "column 't' holds"),
        (lambda: MDC(2).fit(np.ma.masked_greater(X, 3)), "masked entries"),
        (lambda: MDC(2).fit(pl.DataFrame(X).lazy()), r"a LazyFrame; give table\.collect\(\)"),
        (lambda: MDC(2, random_state="x").fit(X), "random_state='x'; give None"),
        (lambda: SequentialIB(2, tol=2).fit(X), "tol=2"),
        (lambda: SequentialIB(2, max_passes=0).fit(X), "max_passes=0"),
        (lambda: Comraf("graph").fit(), "graph is str"),
        (lambda: MDC(2, n_restarts=2.5).fit(X), "n_restarts=2.5"),
        (lambda: MDC(2, passes="3").fit(X), "passes='3'"),
        (lambda: MDC(2, n_jobs="2").fit(X), "n_jobs='2'"),
        (lambda: MDC(2, schedule=None).fit(X), "schedule=None"),
        (lambda: MDC(2, edge_weights=None).fit(X), "edge_weights=None"),
        (lambda: MDC(2, edge_weights={"words": "x"}).fit({"words": X}), "weight of edge"),
        (lambda: SequentialIB(2, tol="a").fit(X), "tol='a'"),
        (lambda: MDC(2).fit(np.where(X == 3, np.nan, X)), "NaN.*row 0, column"),
    ],
)
def test_bad_input_is_one_clear_error(make, message):
    """Each mistake names the value; all are ValueErrors of our own."""
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ComrafError)


def test_zero_rows_and_columns_are_refused():
    """scikit-learn's words for empty input."""
    for empty in (np.zeros((0, 3)), np.zeros((3, 0))):
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            MDC(1).fit(empty)
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            MDC(1).fit({"words": empty})


def test_any_graph():
    """A cycle with an observed node runs, and the result describes it."""
    labels = TOPIC.copy()
    graph = Graph(
        [
            Node("documents", n_clusters=4),
            Node("words", direction="top-down"),
            Node("people", n_clusters=4, direction="top-down"),
            Node("known", observed=labels),
        ],
        [
            Edge("documents", "words", X),
            Edge("documents", "people", PEOPLE, weight=0.3),
            Edge("words", "people", X.T @ PEOPLE, weight=0.1),
            Edge("documents", "known", np.eye(40)),
        ],
    )
    model = Comraf(graph, random_state=0).fit()
    assert len(set(zip(model.labels_["documents"], TOPIC, strict=True))) == 4
    assert model.result_.n_clusters["people"] == 4
    np.testing.assert_array_equal(model.labels_["known"], labels)
    total = sum(e.weight * e.information for e in model.result_.edges)
    assert model.objective_ == pytest.approx(total, abs=1e-10)


def test_results_are_immutable_and_copyable():
    """Nothing in a result can be changed; a copy of it is equal."""
    result = MDC(4, random_state=0).fit(X).result_
    with pytest.raises(ValueError, match="read-only"):
        result.labels["rows"][0] = 9
    with pytest.raises(TypeError):
        result.labels["x"] = 1
    with pytest.raises(AttributeError):
        result.objective = 0
    twin = copy.deepcopy(result)
    np.testing.assert_array_equal(twin.labels["rows"], result.labels["rows"])
    assert twin.trace == result.trace
    assert result.sizes("rows").sum() == 40


def test_verbose_tells_every_step(capsys):
    """verbose=1 writes one line a step to stderr; a callable gets the events; 0 is silent."""
    model = MDC(4, random_state=0, verbose=1).fit(X)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= len(model.result_.trace)
    assert "rows, 4 clusters" in lines[-1]
    events = []
    MDC(4, random_state=0, verbose=events.append).fit(X)
    assert all(isinstance(event, Event) for event in events)
    assert events[-1].done == pytest.approx(1.0)
    MDC(4, random_state=0).fit(X)
    assert capsys.readouterr().err == ""


def test_print_listener_without_a_node():
    """Work without a node, such as a flat search, is told in a shorter line."""
    stream = io.StringIO()
    PrintListener(stream)(Event("sequential search", 1.0, restart=2, n_restarts=2))
    assert stream.getvalue() == "sequential search 100%\n"


@pytest.mark.parametrize(
    ("schedule", "effort"),
    [("double", "paper"), ("weighted", "default"), ("reverse", "paper"), ("bottom_up", "default")],
)
def test_the_papers_other_schedules(schedule, effort):
    """Every schedule by name finds clear groups and meets the numbers asked for."""
    model = MDC(4, schedule=schedule, effort=effort, column_clusters=6, random_state=0).fit(X)
    assert micro_accuracy(TOPIC, model.labels_) == 1.0
    assert len(np.unique(model.modality_labels_["columns"])) == 6
    open_ended = MDC(4, schedule=schedule, effort=effort, random_state=0).fit(X)
    assert micro_accuracy(TOPIC, open_ended.labels_) == 1.0


def test_balance_spares_small_clusters():
    """With balance, sizes of word clusters differ less on words that fall off steeply."""
    rng = np.random.default_rng(0)
    table = rng.poisson(3.0 / np.arange(1, 201), (120, 200)) + (rng.random((120, 200)) < 0.01)
    spread = []
    for balance in (False, True):
        sizes = [
            np.bincount(
                MDC(3, effort="paper", passes=0.25, balance=balance, random_state=s)
                .fit(table)
                .modality_labels_["columns"]
            )
            for s in range(8)
        ]
        spread.append(np.mean([np.std(part) / np.mean(part) for part in sizes]))
    assert spread[1] < spread[0]


def test_efforts_are_ordered_by_their_cost():
    """Quick makes one run, default several, thorough more; stability comes with several."""
    runs = [MDC(4, effort=e, random_state=0).fit(X).result_.n_runs for e in EFFORTS]
    assert dict(zip(EFFORTS, runs, strict=True)) == {
        "paper": 1,
        "quick": 1,
        "default": 8,
        "thorough": 16,
    }
    assert not MDC(4, effort="quick", random_state=0).fit(X).result_.stability
    several = MDC(4, n_runs=3, random_state=0).fit(X).result_
    assert several.n_runs == 3
    assert several.stability["rows"].shape == (len(X),)
    assert several.stability["rows"].mean() > 0.95
    copied = copy.deepcopy(several)
    np.testing.assert_array_equal(copied.stability["rows"], several.stability["rows"])
    with pytest.raises(ValueError, match="read-only"):
        several.stability["rows"][0] = 0.0


@pytest.mark.parametrize("schedule", ["reverse", "bottom_up"])
def test_other_directions_on_odd_tables(schedule):
    """A single column, or columns mostly empty, need no number from the user."""
    assert len(MDC(2, schedule=schedule, random_state=0).fit([[1], [2], [3]]).labels_) == 3
    wide = np.zeros((50, 400), dtype=int)
    wide[:, :5] = np.random.default_rng(0).poisson(2.0, (50, 5)) + 1
    model = MDC(2, schedule=schedule, random_state=0).fit(wide, sample_weight=np.ones(50))
    assert len(np.unique(model.labels_)) == 2
