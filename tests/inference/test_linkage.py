"""Average linkage: who is joined, how high, and what labels and links say about it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.inference.linkage import APART, average_linkage, distances, link
from comraf.objectives import FIRM, PairPreference
from tests.strategies import seeds


def a_problem(tables, weights=None):
    """Rows with some tables, whose columns are observed."""
    weights = weights or [1.0] * len(tables)
    names = [f"side {i}" for i in range(len(tables))]
    nodes = [Node("rows", n_clusters=2), *(Node(name, observed="singletons") for name in names)]
    edges = [
        Edge("rows", name, table, weight=weight)
        for name, table, weight in zip(names, tables, weights, strict=True)
    ]
    return Problem(Graph(nodes, edges))


def plan_of(problem):
    """The plan of the rows."""
    single = problem.singletons(0)
    return problem.objective.plan(0, problem.start({0: (single, len(single))}))


def between(problem, labels):
    """Distances of the clusters of some rows, nothing mixed into them."""
    labels = np.asarray(labels, dtype=np.int32)
    return distances(plan_of(problem), labels, int(labels.max()) + 1, mixed=0.0)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_equal_masses_join_as_in_scipy(seed):
    """With equal masses of the leaves the tree is SciPy's; so are its heights."""
    rng = np.random.default_rng(seed)
    far = rng.uniform(size=(12, 12))
    far = np.triu(far, 1) + np.triu(far, 1).T
    children, heights = average_linkage(far, np.ones(12))
    known = linkage(squareform(far), "average")
    np.testing.assert_allclose(heights, known[:, 2])
    np.testing.assert_array_equal(children, np.sort(known[:, :2], axis=1))


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_a_height_is_the_mean_over_all_pairs_of_leaves(seed):
    """Pairs of leaves count by the product of their masses; heights never fall."""
    rng = np.random.default_rng(seed)
    k = 9
    far = rng.uniform(size=(k, k))
    far = np.triu(far, 1) + np.triu(far, 1).T
    masses = rng.uniform(0.1, 5.0, k)
    children, heights = average_linkage(far, masses)
    assert (np.diff(heights) >= -1e-12).all()
    inside = [{i} for i in range(k)]
    for (a, b), height in zip(children.tolist(), heights, strict=True):
        one, other = sorted(inside[a]), sorted(inside[b])
        pairs = np.outer(masses[one], masses[other])
        mean = (far[np.ix_(one, other)] * pairs).sum() / pairs.sum()
        assert height == pytest.approx(mean)
        inside.append(inside[a] | inside[b])
    assert inside[-1] == set(range(k))


def test_distances_are_hellingers():
    """From 0 for equal shares to 1 for nothing in common, however much a cluster has."""
    problem = a_problem([[[1, 1, 0, 0], [40, 40, 0, 0], [0, 0, 5, 5], [9, 0, 0, 0]]])
    far = between(problem, [0, 1, 2, 3])
    assert far[0, 1] == pytest.approx(0.0, abs=1e-7)
    assert far[0, 2] == pytest.approx(1.0)
    assert far[0, 3] == pytest.approx(np.sqrt(1 - np.sqrt(0.5)))


def test_a_little_of_the_whole_is_in_each_cluster():
    """A hundredth of the counts is not as far from the others as what has all of them."""
    table = np.array([[100, 0, 0], [0, 100, 0], [0, 0, 1]])
    plan, single = plan_of(a_problem([table])), np.arange(3, dtype=np.int32)
    shares = (table + 0.1 * 67 * table.sum(axis=0) / 201) / (table.sum(axis=1) + 0.1 * 67)[:, None]
    roots = np.sqrt(shares)
    known = np.sqrt(np.maximum(0.0, 1.0 - roots @ roots.T))
    far = distances(plan, single, 3)
    np.testing.assert_allclose(far, known - np.diag(known.diagonal()), atol=1e-6)
    assert far[0, 2] < far[0, 1]


def test_sides_are_averaged_by_their_weights():
    """A side that one of two clusters has no counts on says nothing about them."""
    same, other = [[2, 0], [2, 0], [0, 2]], [[3, 0], [0, 3], [0, 0]]
    far = between(a_problem([same, other], [3.0, 1.0]), [0, 1, 2])
    assert far[0, 1] == pytest.approx(0.25)
    assert far[0, 2] == pytest.approx(1.0)


def test_links_hold():
    """What must not be together is joined last; what should be comes nearer, or goes farther."""
    table = [[4, 0], [4, 1], [1, 4], [0, 4]]
    problem = a_problem([table])
    problem.add_terms([PairPreference(0, [(0, 1)], [-FIRM], n=4)])
    plan = plan_of(problem)
    single = problem.singletons(0)
    assert distances(plan, single, 4)[0, 1] == APART
    cut = link(plan, single, 4).cut(2)
    assert cut[0] != cut[1]
    softly = a_problem([table])
    softly.add_terms([PairPreference(0, [(0, 3), (0, 1)], [0.1, -0.1], n=4)])
    bare, told = between(a_problem([table]), single), between(softly, single)
    assert told[0, 3] < bare[0, 3]
    assert told[0, 1] > bare[0, 1]
    assert told[1, 2] == pytest.approx(bare[1, 2])


def test_sizes_may_be_uneven():
    """A few rows far from all others stay apart, though a cut in the middle would be more even."""
    rng = np.random.default_rng(0)
    many = rng.poisson([6, 6, 6, 0], (60, 4))
    few = rng.poisson([0, 0, 0, 9], (3, 4)) + 1
    problem = a_problem([np.vstack([many, few])])
    labels = np.repeat([0, 1, 2, 3], [20, 20, 20, 3]).astype(np.int32)
    assert np.bincount(link(plan_of(problem), labels, 4).cut(2)).tolist() == [60, 3]
