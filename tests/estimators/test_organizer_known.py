"""What is known of some documents and values: labels and links of an Organizer."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from comraf.collection.sample import sample_tables
from comraf.errors import InputError
from comraf.estimators.organizer import Organizer, default_k
from comraf.graph import Edge, Graph, Node
from comraf.metrics import micro_accuracy

SAMPLE = sample_tables(n_messages=240, seed=3)
TABLES = {name: SAMPLE.by_name()[name] for name in ("words", "people")}
TRUTH = [str(topic) for topic in SAMPLE.truth]
N = len(TRUTH)


@dataclass
class Mailbox:
    """A collection in little: tables, names of documents and of values."""

    tables: dict
    ids: tuple[str, ...]
    sides: dict


MAILBOX = Mailbox(
    TABLES,
    tuple(f"m{i}" for i in range(N)),
    {
        name: SimpleNamespace(values=tuple(f"{name}-{j}" for j in range(table.shape[1])))
        for name, table in TABLES.items()
    },
)
LABELLED = list(range(0, N, 5))
REST = [i for i in range(N) if i % 5]


def quick(k: int | None = 8, **options) -> Organizer:
    """One run, for tests that need no more."""
    return Organizer(k, effort="quick", random_state=0, **options)


def accuracy(fit: Organizer) -> float:
    """Of the documents without a label."""
    return float(micro_accuracy(np.array(TRUTH)[REST], fit.labels_[REST]))


def test_labels_help_and_name_the_groups():
    """Where most words are lost, a fifth of the labels finds the other documents much better."""
    words = TABLES["words"].copy()
    words.data = np.random.default_rng(0).binomial(words.data.astype(int), 0.3)
    words.eliminate_zeros()
    box = Mailbox({"words": words}, MAILBOX.ids, MAILBOX.sides)
    some = {f"m{i}": TRUTH[i] for i in LABELLED}
    seeds, options = range(3), {"effort": "quick"}
    alone = np.mean([accuracy(Organizer(8, random_state=s, **options).fit(box)) for s in seeds])
    for scheme in ("intrinsic", "constrained"):
        fits = [
            Organizer(8, random_state=s, labels_as=scheme, **options).fit(box, labels=some)
            for s in seeds
        ]
        assert np.mean([accuracy(fit) for fit in fits]) > alone + 0.03
        for fit in fits:
            assert fit.classes_ == tuple(sorted(set(TRUTH)))
            assert len(fit.cluster_classes_) == 8
            names = ["" if name is None else name for name in fit.cluster_classes_]
            assert list(fit.result_.names["documents"]) == names
            np.testing.assert_array_equal(fit.placed_.labels, fit.labels_)
    held = np.array([fits[0].cluster_classes_[label] for label in fits[0].labels_])
    assert list(held[LABELLED]) == [TRUTH[i] for i in LABELLED]


def test_ids_numbers_and_arrays_mean_the_same():
    """Labels by id, by number and as one entry for each document; links by id and number."""
    array = [TRUTH[i] if i % 5 == 0 else None for i in range(N)]
    by_number = {i: TRUTH[i] for i in LABELLED}
    by_id = {f"m{i}": TRUTH[i] for i in LABELLED}
    fits = [
        quick().fit(MAILBOX, labels=given, must_link=links).labels_
        for given, links in (
            (array, [(0, 1)]),
            (by_number, [("m0", 1)]),
            (by_id, [("m1", "m0", np.inf)]),
            ({"documents": by_id}, {"documents": [(1, 0)]}),
        )
    ]
    for other in fits[1:]:
        np.testing.assert_array_equal(fits[0], other)
    assert fits[0][0] == fits[0][1]


def test_values_of_other_sides_go_by_their_names():
    """Labels of words and links of people, by what the collection calls them."""
    people = np.flatnonzero(np.asarray(TABLES["people"].sum(axis=0)).ravel() > 3)[:4].tolist()
    a, b, c, d = people
    fit = quick().fit(
        MAILBOX,
        labels={"words": {"words-0": "x", "words-1": "y"}},
        must_link={"people": [(f"people-{a}", f"people-{b}")]},
        cannot_link={"people": [(f"people-{c}", f"people-{d}"), (a, c)]},
    )
    found = fit.result_.labels["people"]
    assert found[a] == found[b] != found[c] != found[d]
    words = fit.result_.labels["words"]
    assert fit.result_.names["words"][words[0]] in ("x", "")
    assert "documents" not in fit.result_.names
    assert fit.classes_ == ()
    assert fit.cluster_classes_ == (None,) * 8


def test_a_graph_of_ones_own_has_names_of_its_own():
    """Values of its nodes are meant where it has them, else those of the collection."""
    names = [f"n{i}" for i in range(N)]
    nodes = [Node("documents", values=names, n_clusters=4), Node("words", observed="singletons")]
    graph = Graph(nodes, [Edge("documents", "words", TABLES["words"])])
    fit = Organizer(graph=graph, random_state=0).fit(MAILBOX, cannot_link=[("n0", "n1")])
    assert fit.labels_[0] != fit.labels_[1]
    with pytest.raises(InputError, match="'m0'"):
        Organizer(graph=graph).fit(MAILBOX, cannot_link=[("m0", "m1")])


def test_no_fewer_groups_than_classes():
    """Without a number of groups there are as many as classes; one too low is refused."""
    many = {i: f"class {i}" for i in range(30)}
    assert default_k(N) < 30
    assert quick(None).fit(MAILBOX, labels=many).result_.n_clusters["documents"] == 30
    with pytest.raises(InputError, match="30 classes, more than the 8 clusters"):
        quick().fit(MAILBOX, labels=many)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"labels": {"nobody": "x"}}, "labels names 1 item that is not there: 'nobody'"),
        ({"labels": {"m0": "x", 0: "y"}}, "two labels for 1 item: m0"),
        ({"labels": ["x"]}, "1 entries for"),
        ({"must_link": [("m1", 1)]}, "must_link links 1 item with itself: m1"),
        ({"labels": {"subjects": {0: "x"}}}, "labels names 'subjects', which is no side"),
        ({"labels": {"people": {"zed": "x"}}}, "'zed'"),
    ],
)
def test_bad_knowledge_is_named(given, said):
    """Items that are not there, two labels, a link of an item with itself."""
    with pytest.raises(InputError, match=said):
        quick().fit(MAILBOX, **given)


def test_a_side_that_makes_no_groups_is_named():
    """Labels of people where words alone make the groups."""
    with pytest.raises(InputError, match="'people', which is not clustered here"):
        quick(by=["words"]).fit(MAILBOX, labels={"people": {"people-0": "x"}})


def test_new_documents_leave_the_classes():
    """After an update the groups still have the classes that prevail in them."""
    first = {name: table[:200] for name, table in TABLES.items()}
    few = Mailbox(first, MAILBOX.ids[:200], MAILBOX.sides)
    fit = quick().fit(few, labels={i: TRUTH[i] for i in range(0, 200, 4)})
    fit.update({name: table[200:] for name, table in TABLES.items()})
    assert len(fit.labels_) == N
    assert {name for name in fit.cluster_classes_ if name} <= set(TRUTH)
    assert any(fit.cluster_classes_)


def test_a_search_begins_where_it_is_told():
    """Groups that are given are left less than by a search from nothing; they bind nothing."""
    box = Mailbox({"words": TABLES["words"]}, MAILBOX.ids, MAILBOX.sides)
    anywhere = quick(8).fit(box).labels_
    mixed = np.array([int(topic[0] < "g") for topic in TRUTH])  # nothing like what is found
    for given in (anywhere.copy(), mixed):
        given[::50] = -1
        found = quick(8).fit(box, start=given, must_link=[(0, 1)]).labels_
        assert found[0] == found[1]
        assert micro_accuracy(anywhere, found) > (0.9 if given is not mixed else 0.5)
        assert len(set(found.tolist())) == 8
    for wrong in ([0, 1], np.full(N, 0.5), np.full(N, -2)):
        with pytest.raises(InputError, match="start has shape"):
            quick(8).fit(box, start=wrong)
