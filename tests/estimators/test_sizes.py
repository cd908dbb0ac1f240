"""``sizes=`` of the estimators: what is known holds, and every side has a say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import comraf
from comraf.errors import InputError
from comraf.metrics import ari
from tests.inference.test_ending import EVEN, UNEVEN, planted

QUICK = {"effort": "quick", "random_state": 0}


def linked(result):
    """Whether finer clusters were joined."""
    return any(point.action == "link" for point in result.trace)


@pytest.mark.parametrize("n_runs", [1, 3])
def test_links_and_labels_hold(n_runs):
    """What must be together and what must not, and classes that are constraints."""
    table, topics = planted(UNEVEN)
    together = [(0, 250), (250, 260)]
    apart = [(1, 2), (2, 3), (1, 3)]
    model = comraf.MDC(4, sizes="free", n_runs=n_runs, **QUICK)
    labels = model.fit(table, must_link=together, cannot_link=apart).labels_
    assert linked(model.result_)
    assert len({labels[0], labels[250], labels[260]}) == 1
    assert len({labels[1], labels[2], labels[3]}) == 3
    known = np.where(np.arange(len(topics)) % 5 == 0, topics, -1)
    model = comraf.MDC(4, sizes="free", labels_as="constrained", n_runs=n_runs, **QUICK)
    labels = model.fit(table, labels=known).labels_
    assert linked(model.result_)
    for topic in range(4):
        assert len(set(labels[known == topic])) == 1


def test_labels_as_a_side_are_heeded():
    """Two classes of one topic stay apart, and are not joined for what they are made of."""
    table, topics = planted((120, 15, 12))
    classes = np.where(topics == 0, np.arange(len(topics)) % 2, topics + 1)
    known = np.where(np.arange(len(topics)) % 3 == 0, classes, -1)
    model = comraf.MDC(4, sizes="free", label_weight=3.0, **QUICK).fit(table, labels=known)
    there = known >= 0
    assert linked(model.result_)
    assert ari(known[there], model.labels_[there]) > 0.8


def test_every_side_has_a_say():
    """A side that cuts the large topic keeps its parts apart, the more it weighs."""
    table, topics = planted(UNEVEN)
    halves = np.where(topics == 0, np.arange(len(topics)) % 2, 2)
    second = sp.csr_array(np.eye(3, dtype=np.int64)[halves] * 20)
    tables = {"words": sp.csr_array(table), "people": second}
    scores = []
    for weight in (0.01, 1.0):
        model = comraf.MDC(4, sizes="free", edge_weights={"people": weight}, **QUICK).fit(tables)
        assert linked(model.result_)
        large = topics == 0
        scores.append(ari(halves[large], model.labels_[large]))
    assert scores[0] < 0.3 < scores[1]


def test_organizer_and_comraf_have_sizes():
    """The same default, and the same end."""
    table, _ = planted(UNEVEN)
    graph = comraf.Graph(
        [comraf.Node("documents", n_clusters=4), comraf.Node("words", direction="top-down")],
        [comraf.Edge("documents", "words", table)],
    )
    for sizes, joined in (("even", False), ("free", True), ("auto", True)):
        model = comraf.Comraf(graph, sizes=sizes, **QUICK).fit()
        assert linked(model.result_) == joined
    assert comraf.Organizer().sizes == comraf.MDC().sizes == comraf.Comraf(graph).sizes == "auto"
    with pytest.raises(InputError, match="sizes has no meaning for method='itcc'"):
        comraf.Organizer(method="itcc", sizes="free")._options()


def test_even_collections_keep_their_labels():
    """The default is that of even sizes where classes are even, for any number of threads."""
    table, _ = planted(EVEN)
    fits = [
        comraf.MDC(4, n_runs=3, sizes=sizes, n_jobs=jobs, **QUICK).fit_predict(table)
        for sizes, jobs in (("even", 1), ("auto", 1), ("auto", 2))
    ]
    np.testing.assert_array_equal(fits[0], fits[1])
    np.testing.assert_array_equal(fits[0], fits[2])


def test_an_update_does_not_even_out():
    """Old rows of joined clusters stay where they are; those of even ones may move."""
    table, topics = planted(UNEVEN)
    order = np.random.default_rng(0).permutation(len(topics))
    table, topics = table[order], topics[order]
    moved = []
    for sizes in ("free", "even"):
        model = comraf.MDC(4, sizes=sizes, **QUICK).fit(table[:200])
        before = model.labels_
        after = model.update(table[200:], passes=5.0).labels_
        moved.append((before != after[:200]).sum())
    assert moved[0] == 0 < moved[1]
