"""A graph with more values: what was counted stays, what is new is counted alike."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from comraf import Edge, Graph, Node
from comraf.errors import InputError
from comraf.estimators._updating import grow
from comraf.results.placement import counts_by_side
from comraf.results.scorer import Scorer
from tests.strategies import random_labels, seeds


def fitted(rng, weighting, row_weights=None):
    """A graph of documents, words and people, with some labels."""
    words, people = rng.poisson(1.0, (12, 8)) + 1, rng.poisson(1.0, (5, 12)) + 1
    nodes = [
        Node("d", n_clusters=3),
        Node("w", n_clusters=2, direction="top-down"),
        Node("p", observed="singletons"),
    ]
    edges = [
        Edge("d", "w", words, weighting=weighting, row_weights=row_weights),
        Edge("p", "d", people, weight=0.3),
        Edge("w", "p", rng.poisson(2.0, (8, 5)) + 1),
    ]
    labels = {
        "d": random_labels(rng, 12, 3),
        "w": random_labels(rng, 8, 2),
        "p": np.arange(5, dtype=np.int32),
    }
    return Graph(nodes, edges), labels, {"d": 3, "w": 2, "p": 5}, words, people


@given(seeds, st.sampled_from(["raw", "binary", "log", "root_rows", "equal_rows"]), st.booleans())
def test_new_rows_are_counted_as_old_ones(seed, weighting, weighed):
    """The rows of a fit, added once more, have the very counts they have; labels come last."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 3, 12) if weighed else None
    graph, labels, k, words, people = fitted(rng, weighting, weights)
    sides, _ = counts_by_side(graph, labels, k, "d")
    tables = {"w": sp.csr_array(words[:4]), "p": sp.csr_array(people.T[:4])}
    grown, both = grow(graph, labels["d"], "d", sides, tables)
    assert grown.sizes == {"d": 16, "w": 8, "p": 5}
    np.testing.assert_array_equal(both, [*labels["d"], *Scorer(sides).place(tables).labels])
    for before, after in zip(graph.edges, grown.edges, strict=True):
        assert (before.weight, before.weighting, before.units) == (
            after.weight,
            after.weighting,
            after.units,
        )
    first, second, third = (edge.counts.toarray() for edge in grown.edges)
    np.testing.assert_array_equal(first[:12], graph.edges[0].counts.toarray())
    if not weighed:
        np.testing.assert_array_equal(first[12:], first[:4])
        assert grown.edges[0].row_weights is None
    else:
        assert grown.edges[0].row_weights.tolist() == [*weights, 1, 1, 1, 1]
    np.testing.assert_array_equal(second, np.concatenate([people, people[:, :4]], axis=1))
    np.testing.assert_array_equal(third, graph.edges[2].counts.toarray())
    grown.check()


def test_a_missing_table_counts_nothing():
    """New items without a table of some side have no counts there."""
    graph, labels, k, words, _ = fitted(np.random.default_rng(0), "raw")
    sides, _ = counts_by_side(graph, labels, k, "d")
    grown, _ = grow(graph, labels["d"], "d", sides, {"w": sp.csr_array(words[:2])})
    assert grown.edges[1].counts.toarray()[:, 12:].sum() == 0


def test_new_columns():
    """New words: columns of the table with documents, rows of the one with people."""
    graph, labels, k, words, _ = fitted(np.random.default_rng(1), "raw")
    sides, _ = counts_by_side(graph, labels, k, "w")
    new = sp.csr_array(words.T[:3])
    grown, _ = grow(graph, labels["w"], "w", sides, {"d": new})
    np.testing.assert_array_equal(grown.edges[0].counts.toarray()[:, 8:], words[:, :3])
    assert grown.edges[2].shape == (11, 5)


def test_names():
    """A node whose values have names wants names, as many as there are new values."""
    nodes = [Node("d", n_clusters=2, values=["a", "b"]), Node("w", observed="singletons")]
    graph = Graph(nodes, [Edge("d", "w", np.eye(2, dtype=int))])
    labels = {"d": np.array([0, 1], np.int32), "w": np.array([0, 1], np.int32)}
    sides, _ = counts_by_side(graph, labels, {"d": 2, "w": 2}, "d")
    new = {"w": sp.csr_array(np.array([[0, 2]]))}
    grown, _ = grow(graph, labels["d"], "d", sides, new, names=["c"])
    assert grown.nodes[0].values == ("a", "b", "c")
    with pytest.raises(InputError, match="have names; give names for the 1 new"):
        grow(graph, labels["d"], "d", sides, new)
    with pytest.raises(InputError, match="2 names were given for 1"):
        grow(graph, labels["d"], "d", sides, new, names=["c", "e"])
