"""Exact agglomeration of sparse clusters against brute force over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.inference.moves import counts_of, table_for
from comraf.kernels import reference
from comraf.kernels.pairing import (
    ACTIVE,
    MERGED,
    costs_reference,
    excess,
    find_first,
    make_forest,
    merge,
)
from comraf.kernels.plan import PHI_CAP, phi_table
from tests.strategies import seeds


def a_plan(rng, n, m, tables=1, scale=1.0):
    """The plan of n sparse rows over one or two observed sides, rows without counts in one."""
    nodes = [Node("rows", n_clusters=1)]
    edges = []
    for t in range(tables):
        table = rng.poisson(0.6, (n, m)) * rng.uniform(0.5, 2.0, (n, m)) * scale
        table[0, 0] += scale  # no table is empty
        if t == 0:
            table[:, 0] += rng.uniform(0.1, 1.0, n) * scale  # every row has something
        nodes.append(Node(f"t{t}", observed="singletons"))
        edges.append(Edge("rows", f"t{t}", table, weight=1.0 + t))
    problem = Problem(Graph(nodes, edges))
    state = problem.start({0: (problem.singletons(0), n)})
    return problem.objective.plan(0, state)


def replayed(plan, children):
    """Of each merger in turn what it loses, and the least that any merger would have lost."""
    counts = counts_of(plan, np.arange(plan.n_elements, dtype=np.int32), plan.n_elements).counts
    numbers = list(range(plan.n_elements))
    lost, least = [], []
    for t, pair in enumerate(children.tolist()):
        costs = costs_reference(plan, counts)
        i, j = sorted(numbers.index(child) for child in pair)
        lost.append(costs[i, j])
        least.append(costs.min())
        joint = counts[:, i] + counts[:, j]
        counts = np.column_stack([np.delete(counts, [i, j], axis=1), joint])
        numbers = [c for c in numbers if c not in pair] + [plan.n_elements + t]
    return np.array(lost), np.array(least)


@given(seeds, st.integers(1, 25), st.integers(1, 12), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_greedy_merges_equal_brute_force(seed, n, m, tables):
    """Every merger is the closest pair of all pairs, whatever the slices of work are."""
    rng = np.random.default_rng(seed)
    plan = a_plan(rng, n, m, tables)
    phi = table_for(plan)
    forest = make_forest(plan)
    half = n // 2
    find_first(forest, 0, half, phi)
    find_first(forest, half, n, phi)
    while forest.at[ACTIVE] > 1:
        merge(forest, 5, phi)  # a budget that ends after a merger or even before
    assert forest.at[MERGED] == n - 1
    lost, least = replayed(plan, forest.children)
    np.testing.assert_allclose(forest.heights, lost, atol=1e-10)
    np.testing.assert_allclose(lost, least, atol=1e-10)
    assert (forest.shared == 0).all()
    assert (np.sort(forest.children.ravel()) == np.arange(2 * n - 2)).all()


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_costs_equal_those_of_the_engine(seed):
    """Both references of what a merger loses agree."""
    plan = a_plan(np.random.default_rng(seed), 8, 6, 2)
    counts = counts_of(plan, np.arange(8, dtype=np.int32), 8).counts
    costs = costs_reference(plan, counts)
    for i in range(8):
        engine = reference.merge_costs(plan, counts, i, per_mass=False)
        others = np.arange(8) != i
        np.testing.assert_allclose(costs[i][others], engine[others], atol=1e-12)


def test_equal_rows_are_merged_first_and_for_nothing():
    """Copies of rows lose nothing; ties in their hundreds are all dealt with."""
    table = np.repeat(np.random.default_rng(0).poisson(1.0, (5, 8)) + 1, 60, axis=0)
    nodes = [Node("rows", n_clusters=1), Node("w", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("rows", "w", table)]))
    plan = problem.objective.plan(0, problem.start({0: (problem.singletons(0), 300)}))
    forest = make_forest(plan)
    find_first(forest, 0, 300, table_for(plan))
    merge(forest, 10**9, table_for(plan))
    assert (forest.heights[:295] < 1e-12).all()
    assert (forest.heights[295:] > 1e-4).all()


@pytest.mark.parametrize(("a", "b"), [(0, 0), (0, 5), (3, 4), (PHI_CAP, 3), (PHI_CAP, PHI_CAP)])
def test_excess_within_and_beyond_the_table(a, b):
    """phi(a + b) - phi(a) - phi(b), also where phi does not come from the table."""
    expected = float(reference.phi(a + b) - reference.phi(a) - reference.phi(b))
    assert excess(a, b, phi_table(64)) == pytest.approx(expected, rel=1e-9)
