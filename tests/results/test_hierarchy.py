"""Trees of clusters: strict, of any size, and the ones that were walked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import comraf
from comraf.errors import InputError
from comraf.graph import Graph
from comraf.results import Result
from comraf.results.hierarchy import hierarchy, taxonomy
from comraf.results.solved import Solved
from tests.results.solving import hidden_nodes, one_table, solved_graphs, topics


def refines(fine: np.ndarray, coarse: np.ndarray) -> bool:
    """Whether every cluster of one partition lies in a single one of the other."""
    return len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))


@given(solved_graphs(least=1), st.data())
def test_nested_partitions_of_exactly_the_sizes_asked_for(
    solved: tuple[Graph, Result], data: st.DataObject
) -> None:
    """Every cut has its size, refines all coarser ones, and the result's own is the result."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    n = graph.sizes[node]
    sizes = data.draw(st.lists(st.integers(1, n), min_size=1, max_size=5))
    found = taxonomy(graph, result, node, [*sizes, result.n_clusters[node]])
    assert found.sizes == tuple(sorted({*sizes, result.n_clusters[node]}))
    for size, labels in zip(found.sizes, found.labels, strict=True):
        assert sorted(set(labels.tolist())) == list(range(size))
    for coarse, fine in pairwise(found.labels):
        assert refines(fine, coarse)
    own = found.labels[found.sizes.index(result.n_clusters[node])]
    np.testing.assert_array_equal(own, result.labels[node])
    for level, parents in enumerate(found.parents):
        np.testing.assert_array_equal(parents[found.labels[level + 1]], found.labels[level])
        children = [c for p in range(found.sizes[level]) for c in found.children(level, p)]
        assert sorted(children) == list(range(found.sizes[level + 1]))


@given(solved_graphs(), st.data())
def test_a_cut_does_not_depend_on_what_else_is_asked_for(
    solved: tuple[Graph, Result], data: st.DataObject
) -> None:
    """The same tree whatever its finest cut; another tree object gives it again."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    n = graph.sizes[node]
    size = data.draw(st.integers(1, n))
    tree = hierarchy(graph, result, node)
    alone = tree.cut(size)
    tree.cut(n)
    np.testing.assert_array_equal(tree.cut(size), alone)
    np.testing.assert_array_equal(hierarchy(graph, result, node).cut(size), alone)


@given(solved_graphs(), st.data())
def test_the_objective_rises_with_the_size(
    solved: tuple[Graph, Result], data: st.DataObject
) -> None:
    """A finer cut never tells less: the objective of cuts is that of a strict tree."""
    graph, result = solved
    node = data.draw(st.sampled_from(hidden_nodes(graph)))
    tree, solver = hierarchy(graph, result, node), Solved(graph, result)
    values = [
        solver.with_partition(node, tree.cut(size), size).objective
        for size in range(1, graph.sizes[node] + 1)
    ]
    assert all(finer >= coarser - 1e-9 for coarser, finer in pairwise(values))


def test_mergers_lose_least() -> None:
    """The first merger above the clusters is the cheapest of all pairs."""
    table, _ = topics(n=40, k=5, m=50)
    graph = one_table(table, 5)
    result = comraf.Comraf(graph, random_state=0).fit().result_
    solver, tree = Solved(graph, result), hierarchy(graph, result, "documents")
    labels = result.labels["documents"]
    best = max(
        solver.with_partition("documents", np.where(labels == b, a, labels), 5).objective
        for a in range(5)
        for b in range(a + 1, 5)
    )
    assert solver.with_partition("documents", tree.cut(4), 4).objective == pytest.approx(best)


def test_walked_levels_come_back() -> None:
    """Where the walk was nested, its levels are cuts of the tree."""
    table, topic = topics(n=64, m=64, k=8, strength=6.0)
    graph = one_table(table, 2)
    halves, quarters = topic % 2, topic % 4
    found = Solved(
        graph,
        Result(
            {"documents": halves, "words": np.arange(64)}, {"documents": 2, "words": 64}, 0.0, ()
        ),
    )
    result = Result(
        found.result.labels,
        found.result.n_clusters,
        found.objective,
        found.edges(),
        levels={"documents": (topic, quarters, halves)},
    )
    tree = hierarchy(graph, result, "documents")
    for size, walked in ((2, halves), (4, quarters), (8, topic)):
        assert refines(tree.cut(size), walked)
        assert refines(walked, tree.cut(size))


def test_small_corrections_of_the_walk_make_no_parts() -> None:
    """A value or two that changed sides on the way don't become clusters of their own."""
    table, topic = topics(n=200, m=60, k=4, strength=5.0)
    graph = one_table(table, 2)
    halves = (topic % 2).astype(np.int32)
    noisy = topic.copy()
    noisy[[0, 1]] = [1, 0]  # corrected after the level was left
    n_clusters = {"documents": 2, "words": 60}
    result = Result(
        {"documents": halves, "words": np.arange(60)},
        n_clusters,
        0.0,
        (),
        levels={"documents": (noisy, halves)},
    )
    sizes = np.bincount(hierarchy(graph, result, "documents").cut(4))
    assert sizes.min() >= 40


def test_values_without_counts_go_along() -> None:
    """They are in every partition, and never a cluster by themselves."""
    table, _ = topics(n=30)
    with_empty = sp.vstack([table, sp.csr_array((5, 40), dtype=np.int64)], format="csr")
    graph = one_table(with_empty, 3)
    result = comraf.Comraf(graph, random_state=0).fit().result_
    found = taxonomy(graph, result, "documents", [1, 2, 3, 7, 30])
    for coarse, fine in pairwise(found.labels):
        assert refines(fine, coarse)
    assert len(set(found.labels[-1][30:].tolist())) == 1
    with pytest.raises(InputError, match="1 to 30"):
        taxonomy(graph, result, "documents", [31])


def test_a_finer_level_finds_the_topics_again() -> None:
    """Without any levels, a search inside the clusters finds what they are made of."""
    table, topic = topics(n=120, m=60, k=4, strength=6.0)
    graph = one_table(table, 2)
    found = {"documents": topic % 2, "words": np.arange(60) % 4}
    result = Result(found, {"documents": 2, "words": 4}, 0.0, ())
    cut = hierarchy(graph, result, "documents").cut(4)
    assert refines(cut, topic)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [([], "no sizes"), ([0], "1 to 60"), ([2.5], "whole numbers"), ([True], "whole numbers")],
)
def test_wrong_sizes(quick_fit: tuple[Graph, Result], sizes: list[int], message: str) -> None:
    """Sizes that can't be had are refused with those that can."""
    with pytest.raises(InputError, match=message):
        taxonomy(*quick_fit, "documents", sizes)
