"""Groups of words learned on one collection, observed in another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from comraf import MDC, Comraf, Organizer
from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.metrics import micro_accuracy
from comraf.supervision import WordKnowledge
from comraf.supervision.transfer import add_transferred


def collection(seed: int, n: int, rate: float = 0.25) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Documents of four topics; words of a topic are the same whatever the seed."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 4, n)
    topics[:4] = np.arange(4)
    rates = np.full((4, 120), 0.1)
    for topic in range(4):
        rates[topic, 30 * topic : 30 * topic + 30] = rate
    return rng.poisson(rates[topics]), topics, [f"word{i}" for i in range(120)]


def test_groups_follow_the_classes():
    """Words of a topic are in groups of their own."""
    X, topics, names = collection(0, 800, rate=0.6)
    known = WordKnowledge.from_labels(X, topics, names, n_groups=4)
    groups = known.groups.reshape(4, 30)
    purest = [np.bincount(row, minlength=4).max() for row in groups]
    assert min(purest) >= 28


def test_transfer_helps_where_there_is_little():
    """A small collection is found better with the words of a large one."""
    X, topics, names = collection(1, 1500)
    known = WordKnowledge.from_labels(X, topics, names)
    gains = []
    for seed in range(4):
        Y, truth, _ = collection(100 + seed, 120)
        alone = MDC(4, effort="quick", random_state=seed).fit(Y).labels_
        helped = MDC(4, effort="quick", random_state=seed).fit(
            pd.DataFrame(Y, columns=names), transfer=known
        )
        gains.append(micro_accuracy(truth, helped.labels_) - micro_accuracy(truth, alone))
    assert np.mean(gains) > 0.05


def test_vocabularies_that_overlap_only():
    """Columns are matched by name, in any order; unknown ones take no part."""
    X, topics, names = collection(2, 400)
    known = WordKnowledge.from_labels(X, topics, names)
    other = ["new", *names[::-2]]
    there = known.for_columns(other)
    assert there.groups[0] == -1
    assert (there.groups[1:] == known.groups[::-2]).all()
    Y = np.random.default_rng(0).poisson(0.4, (40, len(other)))
    assert MDC(3, effort="quick", random_state=0).fit(Y, transfer=there).labels_.shape == (40,)


def test_from_a_fit():
    """A fit's own clusters can be handed on, by the names of its values."""
    X, _, names = collection(3, 200)
    nodes = [Node("documents", n_clusters=4), Node("words", values=names, direction="top-down")]
    model = Comraf(Graph(nodes, [Edge("documents", "words", X)]), effort="quick", random_state=0)
    model.fit()
    known = WordKnowledge.from_result(model.graph_, model.result_)
    assert known.names == tuple(names)
    again = model.fit(transfer={"words": known})
    assert again.labels_["documents"].shape == (200,)


def test_counts_of_the_observed_groups():
    """Documents have the counts of each group's words; a word has its mass in its group."""
    X = np.array([[3, 0, 1], [1, 1, 0]])
    graph = Graph([Node("d", n_clusters=2), Node("w", direction="top-down")], [Edge("d", "w", X)])
    more = add_transferred(graph, "w", WordKnowledge(np.array([0, 0, 1], np.int32)))
    assert more.edges[2].counts.toarray().tolist() == [[3, 1], [2, 0]]
    own = more.edges[1].counts.toarray()
    assert own[0, 0] > own[1, 0] > 0
    assert own[2, 0] == own[0, 1] == 0


def test_bad_input():
    """No names, no shared words, no labels: errors that say what to do."""
    X, topics, names = collection(4, 50)
    known = WordKnowledge.from_labels(X, topics, names)
    with pytest.raises(InputError, match="for_columns"):
        MDC(2).fit(X, transfer=known)
    with pytest.raises(InputError, match="share some"):
        MDC(2).fit(X, transfer=known.for_columns([f"x{i}" for i in range(120)]))
    with pytest.raises(InputError, match="nothing to learn"):
        WordKnowledge.from_labels(X, [-1] * 50)
    with pytest.raises(InputError, match="come twice"):
        WordKnowledge.from_labels(X, topics, ["a"] * 120)
    with pytest.raises(InputError, match="WordKnowledge"):
        MDC(2).fit(X, transfer=[1, 2])


@pytest.mark.parametrize("effort", ["quick", "paper"])
def test_knowledge_from_a_model_keeps_its_weight(effort: str) -> None:
    """Whether the model knows single words or clusters of them."""
    from types import SimpleNamespace

    from comraf.collection.sample import sample_tables
    from comraf.results.model import Model, ModelSide

    words = sample_tables(n_messages=60).words
    fit = Organizer(3, effort=effort, random_state=0)
    fit.fit(SimpleNamespace(tables={"words": words}))
    names = tuple(f"w{i}" for i in range(words.shape[1]))
    model = Model(
        "documents", ("a", "b", "c"), {"words": ModelSide(names, fit.sides_["words"])}, {}
    )
    assert WordKnowledge.from_model(model, weight=5).weight == 5
