"""Terms of a user's own: they join the objective, and a bad one is named."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

from comraf import Comraf, Edge, Graph, Node
from comraf.checks import check_term
from comraf.errors import GraphError, InputError
from comraf.graph import save_graph
from comraf.objectives import (
    CountBlock,
    GroupedTerm,
    MutualInformation,
    PairBlock,
    PairPreference,
    UnaryBlock,
    UnaryPreference,
    edge_term,
)
from tests.strategies import seeds

N, TRUTH = 60, np.repeat([0, 1, 2], [40, 15, 5])


def table(seed=0):
    """Three groups of rows, and a row without counts."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(np.where(TRUTH[:, None] == np.arange(30) % 3, 3.0, 0.4))
    counts[3] = 0
    return counts


def graph(term=None, counts=None):
    """Documents and words, one edge."""
    nodes = [Node("documents", n_clusters=3), Node("words", direction="top-down")]
    return Graph(
        nodes, [Edge("documents", "words", table() if counts is None else counts, term=term)]
    )


class Alike:
    """Every pair of values in a cluster gains the weight."""

    block = None

    def __init__(self, node, weight):
        self.node, self.weight = node, weight

    def touches(self, node):
        return node == self.node

    def value(self, state):
        sizes = np.bincount(state.labels[self.node]).astype(float)
        return self.weight * (sizes * (sizes - 1)).sum() / 2

    def lower(self, node, state):
        if self.block is not None:
            return self.block
        n = len(state.labels[node])
        pairs = sp.csr_array(self.weight * (np.ones((n, n)) - np.eye(n)))
        return PairBlock(pairs.indptr, pairs.indices, pairs.data)


class Doubled:
    """Twice the mutual information, and a count of how often it is asked."""

    def __init__(self, a, b, counts, weight):
        self.inner = MutualInformation(a, b, counts, 2 * weight)

    def touches(self, node):
        return self.inner.touches(node)

    def value(self, state):
        return self.inner.value(state)

    def lower(self, node, state):
        return self.inner.lower(node, state)


def test_a_term_changes_what_is_found_and_is_in_the_objective():
    """A strong wish for equal sizes is heard; the objective is that of edges and terms."""
    alike = Alike(0, -0.01)
    check_term(alike, [N - 1, 30])
    plain = Comraf(graph(), random_state=0).fit()
    model = Comraf(graph(), terms=[alike], random_state=0).fit()
    sizes = [np.bincount(m.labels_["documents"]).max() for m in (plain, model)]
    assert sizes[1] < sizes[0] - 10
    edges = sum(edge.weight * edge.information for edge in model.result_.edges)
    own = np.bincount(np.delete(model.labels_["documents"], 3)).astype(float)
    assert model.objective_ == pytest.approx(edges - 0.01 * (own * (own - 1)).sum() / 2)
    with pytest.raises(InputError, match="terms know the values of the fit"):
        model.update("documents", table()[:2])


@pytest.mark.parametrize("weight", [-0.1, -3.0])
def test_a_term_may_have_columns_that_clusters_are_to_mix(weight):
    """Coefficients below 0, and one above 0 for the mass: a sweep still finds a best cluster."""
    counts = sp.csr_array(table()[:10, :6] + np.eye(10, 6, dtype=int))
    check_term(MutualInformation(0, 1, counts, weight), [10, 6])


def test_values_are_known_by_their_places():
    """Values without counts have no number, and the others are numbered without gaps."""
    places = graph().places("documents")
    assert places[3] == -1
    assert places[places >= 0].tolist() == list(range(N - 1))
    apart = PairPreference(0, [(places[0], places[1])], [-50.0], n=N - 1)
    labels = Comraf(graph(), terms=[apart], random_state=0).fit().labels_["documents"]
    assert labels[0] != labels[1]
    observed = Graph(
        [Node("d", n_clusters=1), Node("w", observed="singletons")], [Edge("d", "w", [[1, 0]])]
    )
    assert observed.places("w").tolist() == [0, 1]


def test_a_term_knows_single_values_where_links_join_them():
    """With must-links that hold the same term goes on, and the objective is told of all values."""
    apart = PairPreference(0, [(0, 4), (1, 4)], [-50.0, -3.0], n=N - 1)
    model = Comraf(graph(), terms=[apart], random_state=0).fit(must_link=[(0, 1), (2, 20)])
    labels = model.labels_["documents"]
    assert labels[0] == labels[1] != labels[5]
    assert labels[2] == labels[20]
    edges = sum(edge.weight * edge.information for edge in model.result_.edges)
    assert model.objective_ == pytest.approx(edges)


def test_a_term_that_goes_by_numbers_of_clusters_is_refused():
    """A search numbers clusters anew, so what it reports would not be the value of its labels."""
    scores = UnaryPreference(0, np.eye(3)[np.delete(TRUTH, 3)])
    for links in [], [(0, 1)]:
        with pytest.raises(InputError, match=r"terms\[1\] .*goes by the numbers of clusters"):
            Comraf(graph(), terms=[Alike(0, 0.1), scores], random_state=0).fit(must_link=links)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_grouped_terms_keep_their_promise(seed):
    """Rows of all three kinds of blocks are added up so that gains are changes of the value."""
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(6), rng.integers(0, 6, 6)])
    pairs = [(i, j) for i in range(12) for j in range(i) if rng.random() < 0.4]
    terms = [
        PairPreference(0, pairs, rng.normal(size=len(pairs)), 12),
        UnaryPreference(0, rng.normal(size=(12, 3))),
        MutualInformation(0, 1, sp.csr_array(rng.poisson(1.0, (12, 7)) + np.eye(12, 7, dtype=int))),
    ]
    for term in terms:
        numbered = isinstance(term, UnaryPreference)
        check_term(
            GroupedTerm(term, {0: group}),
            [6, 7],
            n_clusters=[3, None],
            numbered=numbered,
            n_states=2,
        )


def test_an_edge_with_a_term_of_its_own():
    """It takes the place of mutual information, in the search and in what is told of it."""
    check_term(Doubled(0, 1, sp.csr_array(table()), 0.5), [N, 30])
    plain = Comraf(graph(), random_state=0).fit()
    for term, times in ((MutualInformation, 1), (Doubled, 2)):
        model = Comraf(graph(term), random_state=0).fit()
        np.testing.assert_array_equal(model.labels_["documents"], plain.labels_["documents"])
        assert model.objective_ == pytest.approx(times * plain.objective_)
        assert model.result_.edges[0].information == pytest.approx(times * plain.objective_)
    more = model.update("documents", table(1)[:4])
    assert len(more.labels_["documents"]) == N + 4
    assert graph(Doubled).edges[0].with_counts(sp.csr_array(table())).term is Doubled


def test_edges_with_terms_are_not_written(tmp_path):
    """A file holds no code, and says so before anything is written."""
    with pytest.raises(GraphError, match="documents-words has a term of its own"):
        save_graph(graph(Doubled), tmp_path / "graph.yaml")
    assert not list(tmp_path.iterdir())


class NoNumber(Alike):
    """A value that is none."""

    def value(self, state):
        return np.nan


class OfAnotherSize(Alike):
    """Arrays of another length."""

    def value(self, state):
        return state.labels[0][np.arange(1000)].sum()


def with_block(block):
    """A term with this block."""
    term = Alike(0, 1.0)
    term.block = block
    return term


N0, N1 = np.zeros(N, np.int64), np.zeros(N - 1, np.int32)


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (3, r"terms\[0\] is int, which has no touches\(\)"),
        (Alike(2, 1.0), r"terms\[0\] \(Alike\) touches none of the nodes that move"),
        (NoNumber(0, 1.0), r"terms\[0\] \(NoNumber\): its value is nan"),
        (OfAnotherSize(0, 1.0), r"\(OfAnotherSize\): its value can't be told: IndexError"),
        (with_block(np.zeros(3)), r"'documents' is ndarray; lower\(\) gives a CountBlock"),
        (with_block(UnaryBlock(np.zeros((N, 3)))), r"has 60 rows, but 59 values move; .*places"),
        (with_block(UnaryBlock(np.zeros((N - 1, 2)))), "has 2 columns, but there are"),
        (with_block(UnaryBlock(np.zeros(3))), r"shape \(3,\)"),
        (
            with_block(CountBlock(N0, N1[:0], N1[:0], np.zeros(0), 1.0)),
            "needs a finite coefficient",
        ),
        (with_block(CountBlock(N0[:-1], N1[:0], N1[:0], np.ones(1), 1.0)), "has 58 rows"),
        (
            with_block(CountBlock(np.arange(N), N1, N1 + 0.5, np.ones(1), 1.0)),
            "holds float64 counts",
        ),
        (with_block(CountBlock(np.arange(N), N1 + 2, N1, np.ones(1), 1.0)), "names column 2"),
        (with_block(PairBlock(np.arange(N), N1, N1 + np.inf)), "not finite"),
        (with_block(PairBlock(np.arange(N), N1, N1 + 1.0)), "not symmetric"),
        (with_block(PairBlock(np.arange(N) + 1, N1, N1)), "ends at 60"),
    ],
)
def test_a_bad_term_is_named(term, message):
    """Each mistake says whose it is and what is wrong."""
    with pytest.raises(InputError, match=message):
        Comraf(graph(), terms=[term], effort="quick", random_state=0).fit()


def test_bad_terms_of_edges_and_bad_lists():
    """What is no factory, what touches one end alone, and what is no list."""
    with pytest.raises(GraphError, match="term of edge documents-words is 3"):
        graph(3)
    with pytest.raises(InputError, match=r"edge documents-words \(Alike\) must touch both nodes"):
        Comraf(graph(lambda a, b, counts, weight: Alike(a, weight))).fit()
    with pytest.raises(InputError, match="give a list of terms"):
        Comraf(graph(), terms=Alike(0, 1.0)).fit()
    assert type(edge_term(graph().edges[0], graph().index)) is MutualInformation
