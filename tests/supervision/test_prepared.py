"""From knowledge to a search and back: nothing is broken, nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf import MDC, Comraf, SequentialIB
from comraf.errors import ConflictError, InputError
from comraf.estimators._knowledge import classes_of_clusters
from comraf.graph import Edge, Graph, Node
from comraf.supervision import Prepared, close, prevailing, read_knowledge, read_links
from comraf.supervision.graphs import add_observed, contract
from comraf.supervision.repair import broken_pairs, repair

seeds = st.integers(0, 2**32 - 1)


def planted(seed: int, n: int = 60, k: int = 3, rate: float = 1.2) -> tuple[np.ndarray, np.ndarray]:
    """Documents of k topics with ten words each, and their topics."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, k, n)
    topics[:k] = np.arange(k)
    rates = np.full((k, 10 * k), 0.3)
    for topic in range(k):
        rates[topic, 10 * topic : 10 * topic + 10] = rate
    return rng.poisson(rates[topics]) + (rng.random((n, 10 * k)) < 0.02), topics


def consistent_links(seed: int, n: int, k: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Random links that some partition into k clusters satisfies: must and cannot."""
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, k, n)
    secret[:k] = np.arange(k)
    a, b = rng.integers(0, n, m), rng.integers(0, n, m)
    keep = a != b
    pairs = np.column_stack([a, b])[keep]
    same = secret[pairs[:, 0]] == secret[pairs[:, 1]]
    return pairs[same], pairs[~same]


@pytest.mark.parametrize("estimator", [MDC(4, effort="quick"), SequentialIB(4, n_restarts=2)])
@given(seed=seeds, m=st.integers(1, 120))
@settings(max_examples=12, deadline=None)
def test_links_of_infinite_weight_are_never_broken(estimator, seed, m):
    """Any set of links that can hold does, whatever the data say."""
    X, _ = planted(seed, n=40, k=4)
    must, cannot = consistent_links(seed, 40, 4, m)
    try:
        model = estimator.set_params(random_state=seed).fit(X, must_link=must, cannot_link=cannot)
    except ConflictError:  # so much is together that k groups are not left
        assert close(40, read_links(must, 40), read_links(cannot, 40)).n_groups < 4
        return
    labels = model.labels_
    assert (labels[must[:, 0]] == labels[must[:, 1]]).all()
    assert (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()
    assert set(labels.tolist()) <= set(range(4))


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_holding_breaks_nothing_that_can_hold(seed):
    """Whatever a search leaves, no forbidden pair is together afterwards."""
    rng = np.random.default_rng(seed)
    _, cannot = consistent_links(seed, 15, 3, 30)
    labels = rng.integers(0, 3, 15).astype(np.int32)
    table = rng.normal(size=(15, 3))
    held = repair(labels, cannot, 3, lambda groups: table[groups])
    assert not len(broken_pairs(held, cannot))
    if not len(broken_pairs(labels, cannot)):
        assert (held == labels).all()


def test_rows_without_words_are_held_too():
    """An empty document that must be apart from others of cluster 0 goes elsewhere."""
    X, _ = planted(0)
    X[:2] = 0
    labels = MDC(3, effort="quick", random_state=0).fit(X, cannot_link=[(0, 1), (0, 2)]).labels_
    assert labels[0] != labels[1]
    assert labels[0] != labels[2]


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_contraction_keeps_the_objective(seed):
    """A partition of groups has the information of the partition of values it stands for."""
    rng = np.random.default_rng(seed)
    X, _ = planted(seed, n=20)
    nodes = [Node("d", n_clusters=3), Node("w", observed="singletons")]
    graph = Graph(nodes, [Edge("d", "w", X, weighting="root_rows")])
    group = np.unique(rng.integers(0, 8, 20), return_inverse=True)[1]
    small = contract(graph, "d", group, int(group.max()) + 1)
    labels = rng.integers(0, 3, int(group.max()) + 1)
    one = small.edges[0].counts.toarray()
    other = graph.edges[0].counts.toarray()
    for k in range(3):
        assert (one[labels == k].sum(axis=0) == other[labels[group] == k].sum(axis=0)).all()
    assert small.edges[0].weighting == "root_rows"


def test_must_links_move_as_one_and_labels_come_back_for_every_row():
    """The result is about the rows that were given, with stability and levels for each."""
    X, _ = planted(1, n=80)
    model = MDC(3, n_runs=3, random_state=0).fit(X, must_link=[(0, 1), (1, 2), (5, 6)])
    assert model.labels_.shape == (80,)
    assert model.labels_[0] == model.labels_[1] == model.labels_[2]
    assert model.result_.stability["rows"].shape == (80,)
    assert all(level.shape == (80,) for level in model.result_.levels["rows"])
    assert (model.result_.levels["rows"][-1] == model.labels_).all()
    assert model.graph_.sizes["rows"] == 80
    assert model.objective_ == pytest.approx(model.result_.edges[0].information)
    assert model.predict(X).shape == (80,)


def test_labelled_items_may_leave_a_wrong_label():
    """A label is evidence, not a command: plain documents overrule it."""
    X, topics = planted(3, n=120)
    labels = np.where(np.arange(120) % 3 == 0, topics, -1)
    wrong = np.flatnonzero(labels >= 0)[:4]
    labels[wrong] = (labels[wrong] + 1) % 3
    model = MDC(3, effort="quick", random_state=0, label_weight=0.05).fit(50 * X, labels=labels)
    went = [model.cluster_classes_[model.labels_[i]] == topics[i] for i in wrong]
    assert sum(went) >= 3


def test_constrained_labels_hold():
    """Items of a class together, items of two classes apart, always."""
    X, topics = planted(4, n=90)
    known = np.arange(90) % 5 == 0
    labels = np.where(known, topics, -1)
    labels[0] = (topics[0] + 1) % 3  # even where the data say otherwise
    found = MDC(3, effort="quick", labels_as="constrained", random_state=0).fit(X, labels=labels)
    for a in np.flatnonzero(known):
        for b in np.flatnonzero(known):
            together = found.labels_[a] == found.labels_[b]
            assert together == (labels[a] == labels[b])


@pytest.mark.parametrize("scheme", ["intrinsic", "constrained", "seeds"])
def test_same_seed_same_answer_whatever_the_threads(scheme):
    """Knowledge does not depend on the number of threads."""
    X, topics = planted(5, n=100)
    labels = np.where(np.arange(100) % 6 == 0, topics, -1)
    fits = [
        MDC(3, n_runs=4, labels_as=scheme, n_jobs=jobs, random_state=7).fit(X, labels=labels)
        for jobs in (1, 3)
    ]
    assert (fits[0].labels_ == fits[1].labels_).all()


def test_labels_on_other_sides():
    """Words can have labels, too; a mapping says which side is meant."""
    X, _ = planted(7, n=60)
    words = {"columns": [0] * 10 + [1] * 10 + [-1] * 10}
    model = MDC(3, effort="quick", random_state=0).fit(X, labels=words)
    labels = model.modality_labels_["columns"]
    assert labels.shape == (30,)
    graph = Graph(
        [
            Node("d", n_clusters=3),
            Node("w", values=[f"w{i}" for i in range(30)], n_clusters=4, direction="top-down"),
        ],
        [Edge("d", "w", X)],
    )
    found = Comraf(graph, effort="quick", random_state=0).fit(must_link={"w": [("w0", "w29")]})
    assert found.labels_["w"][0] == found.labels_["w"][29]


def test_an_observed_node_has_the_counts_of_the_labelled_items():
    """The table of words and classes sums the counts of a class's documents."""
    X, _ = planted(8, n=12)
    nodes = [Node("d", n_clusters=2), Node("w", direction="top-down")]
    graph = Graph(nodes, [Edge("d", "w", X)])
    labels = ["a", "b", None, "a"] + [None] * 8
    more = add_observed(graph, "d", read_knowledge(12, labels=labels).labels)
    table = more.edges[2].counts.toarray()
    assert (table[:, 0] == X[0] + X[3]).all()
    assert (table[:, 1] == X[1]).all()
    own = more.edges[1].counts.toarray()
    assert (own[2] == 0).all()
    assert own[0, 0] > 0
    assert own[0, 1] == 0


def test_what_cannot_be_is_said_before_the_search():
    """Contradictions, too many classes, too few groups, observed sides: named errors."""
    X, _ = planted(9, n=20)
    model = MDC(2, effort="quick")
    with pytest.raises(ConflictError, match="0 = 1, 1 = 2, but 0 ≠ 2"):
        model.fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(InputError, match="3 classes, more than the 2"):
        model.fit(X, labels=[0, 1, 2] + [-1] * 17)
    with pytest.raises(ConflictError, match="2 clusters can't keep apart"):
        model.fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])
    with pytest.raises(ConflictError, match="leaves 1 groups"):
        model.fit(X, must_link=[(i, i + 1) for i in range(19)])
    with pytest.raises(InputError, match="labels_as='yes'"):
        MDC(2, labels_as="yes").fit(X)
    with pytest.raises(InputError, match="observed"):
        SequentialIB(2).fit(X, labels={"columns": [0] * 30})


@given(seed=seeds)
@settings(max_examples=6, deadline=None)
def test_relabelling_classes_changes_nothing(seed):
    """Names of classes are names: other names give the same clusters."""
    X, topics = planted(seed % 50, n=50)
    known = np.arange(50) % 4 == 0
    one = np.where(known, topics, -1)
    other = [f"class {'abc'[t]}" if k else None for t, k in zip(topics, known, strict=True)]
    fits = [
        MDC(3, effort="quick", random_state=1).fit(X, labels=labels).labels_
        for labels in (one, other)
    ]
    assert (fits[0] == fits[1]).all()


def test_prevailing_needs_more_than_half():
    """Half of the labelled items is not enough to name a cluster."""
    known = read_knowledge(4, labels=["x", "y", "x", None])
    assert prevailing(known, np.array([0, 0, 1, 1]), 2) == [None, 0]


def test_a_few_labels_in_a_large_cluster_give_it_no_name():
    """Where one item of ten is labelled, 4 of 190 that are of one class name 190 items falsely."""
    labels = np.repeat([0, 1, 2], [190, 100, 10])
    classes = [None] * 300
    classes[:4] = ["sport"] * 4  # 9 or 10 were to be expected
    classes[190:214] = ["cars"] * 22 + ["sport"] * 2
    classes[290:292] = ["sea"] * 2
    known = read_knowledge(300, labels=classes)
    classes, support = classes_of_clusters(known, labels, 3)
    assert classes == (None, "cars", "sea")
    assert support == ((4, 4), (22, 24), (2, 2))


def test_one_stuck_pair_does_not_move_the_rest():
    """Rows that hang together with a stuck pair are arranged anew, all others stay."""
    # a triangle of 3 clusters in which 0 is stuck, and many pairs that are fine
    cannot = [(0, 1), (0, 2), (1, 2), (0, 3), (3, 4)] + [(i, i + 1) for i in range(10, 60, 2)]
    labels = np.array([0, 1, 2, 0, 1] + [0] * 5 + [0, 1] * 25, dtype=np.int32)
    good = np.eye(3)[labels]
    held = repair(labels, np.array(cannot), 3, lambda groups: good[groups])
    assert not len(broken_pairs(held, np.array(cannot)))
    assert (held[10:] == labels[10:]).all()


def test_no_cluster_is_emptied():
    """A cluster that loses its only group gets another one."""
    labels = np.array([0, 0, 1, 2], dtype=np.int32)
    cannot = np.array([[0, 1], [0, 2], [1, 2]])
    held = repair(labels, cannot, 3, lambda groups: np.zeros((len(groups), 3)))
    assert not len(broken_pairs(held, cannot))
    assert set(held.tolist()) == {0, 1, 2}


@given(seed=seeds)
@settings(max_examples=15, deadline=None)
def test_top_down_rows_hold_and_fill_every_cluster(seed):
    """Splits and sweeps, too: no link is broken and no cluster is empty."""
    from comraf import InformationBottleneck

    X, _ = planted(seed, n=40, k=4)
    _, cannot = consistent_links(seed, 40, 4, 40)
    model = InformationBottleneck(4, direction="top-down", effort="paper", random_state=0)
    labels = model.fit(X + 1, cannot_link=cannot).labels_
    assert (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()
    assert set(labels.tolist()) == set(range(4))


def test_links_hold_when_time_is_up_on_any_side():
    """A side without a number of clusters has as many as its links take."""
    X, _ = planted(0, n=60)
    with pytest.warns(UserWarning, match="time limit"):
        model = MDC(3, time_limit=0.001, random_state=0).fit(
            X, cannot_link={"columns": [(0, 1), (1, 2), (0, 2)]}
        )
    columns = model.modality_labels_["columns"]
    assert len({int(columns[i]) for i in range(3)}) == 3
    clique = [(a, b) for a in range(30) for b in range(a)]
    model = MDC(3, effort="quick", random_state=0).fit(X, cannot_link={"columns": clique})
    assert len(set(model.modality_labels_["columns"].tolist())) == 30


def test_labelled_rows_without_words_go_where_their_class_is():
    """They have no vote on names, and follow their class."""
    X, topics = planted(2, n=150)
    X[100:] = 0
    labels = np.full(150, -1)
    labels[:30] = topics[:30]
    labels[100:] = 1
    model = MDC(3, effort="quick", random_state=0).fit(X, labels=labels)
    assert set(model.cluster_classes_) == {0, 1, 2}
    assert {model.cluster_classes_[label] for label in model.labels_[100:]} == {1}


def test_agglomerative_cuts_keep_what_must_be_together():
    """Cut and leaves_ are about rows, whatever was joined; empty rows follow their group."""
    from comraf import AgglomerativeIB

    X, _ = planted(3, n=30)
    X[9] = 0
    model = AgglomerativeIB(3).fit(X, must_link=[(0, 1), (5, 6), (8, 9)])
    assert (model.cut(3) == model.labels_).all()
    assert (model.cut(27)[[0, 5, 8]] == model.cut(27)[[1, 6, 9]]).all()
    assert model.leaves_[8] == model.leaves_[9]
    one = AgglomerativeIB(3, labels_as="constrained").fit(X, labels={0: "x", 1: "x", 2: "x"})
    assert len(set(one.cut(5)[:3].tolist())) == 1


def test_seeds_are_where_the_search_starts():
    """Seeds make the first partition, groups included, and never take clusters away."""
    X, topics = planted(4, n=60)
    nodes = [Node("d", n_clusters=5), Node("w", direction="top-down")]
    graph = Graph(nodes, [Edge("d", "w", X)])
    known = read_knowledge(60, labels={0: "a", 1: "b"}, must_link=[(0, 2)], labels_as="seeds")
    problem = Prepared(graph, {"d": known}).problem()
    assert problem.seeds[0].tolist()[:2] == [0, 1]
    for effort in ("quick", "paper"):
        fit = MDC(5, effort=effort, labels_as="seeds", random_state=0).fit(X, labels=topics)
        assert len(set(fit.labels_.tolist())) == 5
    empty = X.copy()
    empty[0] = 0
    MDC(3, schedule="reverse", effort="paper", labels_as="seeds").fit(empty, labels={0: 1})


def test_knowledge_of_one_side_does_not_weigh_on_another():
    """Weights follow the user's edges, not those that other knowledge added."""
    X, _ = planted(5, n=20)
    nodes = [Node("d", n_clusters=3), Node("w", n_clusters=3, direction="top-down")]
    graph = Graph(nodes, [Edge("d", "w", X)])
    known = {
        "d": read_knowledge(20, labels={0: 0, 1: 1}, label_weight=10.0),
        "w": read_knowledge(30, labels={0: 0, 1: 1}, label_weight=10.0),
    }
    weights = {(e.a, e.b): e.weight for e in Prepared(graph, known).graph.edges}
    assert weights["w", "classes of w"] == pytest.approx(3.0)
    assert weights["d", "classes of d"] == pytest.approx(3.0)


def test_names_of_frames_are_names_of_items():
    """Rows with texts for an index, and columns, go by name; a Series is put in order."""
    import pandas as pd

    X, topics = planted(7, n=30)
    names = [[f"{letter}{i}" for i in range(30)] for letter in "dw"]
    frame = pd.DataFrame(X, index=names[0], columns=names[1])
    fit = MDC(3, effort="quick", random_state=0).fit(
        frame, must_link=[("d0", "d1")], cannot_link={"columns": [("w0", "w1")]}
    )
    assert fit.labels_[0] == fit.labels_[1]
    assert fit.modality_labels_["columns"][0] != fit.modality_labels_["columns"][1]
    series = pd.Series(topics, index=frame.index)
    one = MDC(3, effort="quick", random_state=0).fit(frame, labels=series)
    other = MDC(3, effort="quick", random_state=0).fit(frame, labels=series.iloc[::-1])
    assert (one.labels_ == other.labels_).all()
    with pytest.raises(InputError, match="no side"):
        MDC(3).fit(frame, must_link={"docs": [(0, 1)]})


def test_checkpoints_know_the_seeds(tmp_path):
    """Another set of seeds is another search."""
    X, topics = planted(8, n=60)
    args = {"random_state": 0, "labels_as": "seeds", "checkpoint": tmp_path / "kept"}
    with pytest.warns(UserWarning, match="time limit"):
        MDC(3, time_limit=1e-6, **args).fit(X, labels=topics)
    with pytest.raises(InputError, match="another thing"):
        MDC(3, **args).fit(X, labels=(topics + 1) % 3 * (np.arange(60) % 2))


def test_soft_prices_count_as_said():
    """A link worth less than what it costs is broken, one worth more is kept, both ways."""
    X, topics = planted(9, n=60, rate=3.0)
    a, b = np.flatnonzero(topics == 0)[:2]
    c = np.flatnonzero(topics == 1)[0]

    def fit(**links: object) -> np.ndarray:
        return MDC(3, effort="quick", random_state=0).fit(X, **links).labels_

    assert fit(cannot_link=[(a, b, 1e-6)])[a] == fit(cannot_link=[(a, b, 1e-6)])[b]
    assert fit(cannot_link=[(a, b, 1e3)])[a] != fit(cannot_link=[(a, b, 1e3)])[b]
    assert fit(must_link=[(a, c, 1e-6)])[a] != fit(must_link=[(a, c, 1e-6)])[c]
    assert fit(must_link=[(a, c, 1e3)])[a] == fit(must_link=[(a, c, 1e3)])[c]
