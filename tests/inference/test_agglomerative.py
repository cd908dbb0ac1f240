"""The tree of mergers: its cuts, its heights, its levels, and how it is stopped."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.errors import InputError, TooLargeError
from comraf.graph import Edge, Graph, Node
from comraf.inference import AgglomerativeOptions, Control, Problem, run_agglomerative
from comraf.inference import agglomerative as module
from tests.strategies import brute_objective, seeds

EXACT = AgglomerativeOptions()


def a_problem(seed, n=30, m=15, k=4):
    """Sparse rows over observed columns, all masses different."""
    rng = np.random.default_rng(seed)
    table = rng.poisson(0.8, (n, m)) * rng.uniform(0.5, 2.0, (n, m))
    table[:, 0] += rng.uniform(0.1, 1.0, n)
    nodes = [Node("rows", n_clusters=k), Node("columns", observed="singletons")]
    return Problem(Graph(nodes, [Edge("rows", "columns", table)]))


@given(seeds, st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_heights_are_what_the_objective_loses(seed, k):
    """From any cut to the next coarser one the objective falls by the merger's height."""
    problem = a_problem(seed, k=k)
    outcome, tree = run_agglomerative(problem, EXACT, np.random.SeedSequence(0))
    values = []
    for clusters in range(30, 0, -1):
        labels = tree.cut(clusters)
        assert (np.bincount(labels, minlength=clusters) > 0).all()
        state = problem.start({0: (labels, clusters)})
        values.append(brute_objective(problem, state))
    np.testing.assert_allclose(-np.diff(values), tree.heights, atol=1e-9)
    assert outcome.objective == pytest.approx(values[30 - k], abs=1e-9)
    np.testing.assert_array_equal(outcome.state.labels[0], tree.cut(k))
    for point in outcome.trace:
        assert point.objective == pytest.approx(values[30 - point.n_clusters], abs=1e-9)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_the_order_of_the_rows_does_not_matter(seed):
    """A permuted table has the same tree, its leaves permuted."""
    rng = np.random.default_rng(seed)
    problem = a_problem(seed)
    table = problem.graph.edges[0].counts.toarray()
    order = rng.permutation(30)
    twin = Problem(Graph(problem.graph.nodes, [Edge("rows", "columns", table[order])]))
    (_, one), (_, two) = (
        run_agglomerative(p, EXACT, np.random.SeedSequence(0)) for p in (problem, twin)
    )
    np.testing.assert_allclose(one.heights, two.heights, atol=1e-10)
    for k in (2, 5, 11):
        pairs = set(zip(one.cut(k)[order].tolist(), two.cut(k).tolist(), strict=True))
        assert len(pairs) == k  # the same partition; equal masses may be numbered otherwise


def test_cuts_are_nested():
    """Each cut is the next finer one with two clusters made one."""
    _, tree = run_agglomerative(a_problem(0), EXACT, np.random.SeedSequence(0))
    for k in range(29, 0, -1):
        pairs = set(zip(tree.cut(k).tolist(), tree.cut(k + 1).tolist(), strict=True))
        assert len(pairs) == k + 1


@pytest.mark.parametrize("k", [0, 31, 2.0, True])
def test_impossible_cuts(k):
    """A tree of 30 leaves has from 1 to 30 clusters."""
    _, tree = run_agglomerative(a_problem(0), EXACT, np.random.SeedSequence(0))
    with pytest.raises(InputError, match=f"k={k}"):
        tree.cut(k)


def test_levels_are_nested_and_end_with_the_answer():
    """Readable levels of the hierarchy, finest first."""
    problem = a_problem(0, n=400, m=30, k=5)
    outcome, _ = run_agglomerative(problem, EXACT, np.random.SeedSequence(0))
    levels = outcome.levels[0]
    assert [int(level.max()) + 1 for level in levels] == [40, 20, 10, 5]
    np.testing.assert_array_equal(levels[-1], outcome.state.labels[0])
    for fine, coarse in pairwise(levels):
        pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
        assert len(pairs) == len(np.unique(fine))


def test_a_coarse_start_has_so_many_leaves():
    """Rows are gathered into groups, and the tree is one of groups; the seed decides them."""
    problem = a_problem(0, n=120)
    options = AgglomerativeOptions(coarse=20)
    one, two, other = (
        run_agglomerative(problem, options, np.random.SeedSequence(s))[1] for s in (1, 1, 2)
    )
    assert one.n_leaves == 20
    assert len(one.children) == 19
    assert (np.bincount(one.leaves) > 0).all()
    np.testing.assert_array_equal(one.leaves, two.leaves)
    assert (one.leaves != other.leaves).any()
    value = brute_objective(problem, problem.start({0: (one.cut(20), 20)}))
    for k in (7, 1):
        coarser = brute_objective(problem, problem.start({0: (one.cut(k), k)}))
        assert value - coarser == pytest.approx(one.heights[: 20 - k].sum(), abs=1e-9)
    whole = run_agglomerative(problem, AgglomerativeOptions(coarse=500), np.random.SeedSequence(0))
    assert whole[1].n_leaves == 120


def test_too_many_rows_are_refused_with_a_way_out(monkeypatch):
    """The message says how many, how many at most, and what to do; a coarse start does it."""
    monkeypatch.setattr(module, "MOST_LEAVES", 25)
    with pytest.raises(TooLargeError, match=r"30 values.*more than 25.*coarse=10000.*MDC"):
        run_agglomerative(a_problem(0), EXACT, np.random.SeedSequence(0))
    _, tree = run_agglomerative(
        a_problem(0), AgglomerativeOptions(coarse=20), np.random.SeedSequence(0)
    )
    assert tree.n_leaves == 20


@pytest.mark.parametrize("ticks", [1, 2, 3])
@pytest.mark.parametrize("coarse", [None, 60])
def test_a_stop_gives_the_number_wanted(ticks, coarse, monkeypatch):
    """Stopped at any moment: as many clusters as wanted, and the mergers made so far."""
    monkeypatch.setattr(module, "_SLICE", 200)
    problem = a_problem(0, n=150, k=6)
    seen = []

    def interrupt(event):
        seen.append(event)
        if len(seen) == ticks:
            raise KeyboardInterrupt

    control = Control(interrupt)
    control.reporter._gap = 0.0
    options = AgglomerativeOptions(coarse=coarse)
    outcome, tree = run_agglomerative(problem, options, np.random.SeedSequence(0), control)
    assert outcome.interrupted
    assert outcome.state.n_clusters[0] == 6
    assert len(np.unique(outcome.state.labels[0])) == 6
    assert outcome.objective == pytest.approx(brute_objective(problem, outcome.state), abs=1e-9)
    assert len(tree.children) < tree.n_leaves - 1
    with pytest.raises(InputError, match="stopped before its end"):
        tree.cut(1)


def test_several_hidden_nodes_are_refused():
    """Only one side can be merged; the message names them all."""
    nodes = [Node("rows", n_clusters=2), Node("columns", direction="top-down")]
    problem = Problem(Graph(nodes, [Edge("rows", "columns", np.eye(5))]))
    with pytest.raises(InputError, match=r"\['rows', 'columns'\] are hidden"):
        run_agglomerative(problem, EXACT, np.random.SeedSequence(0))


def test_bad_options():
    """Each mistake names the value."""
    with pytest.raises(InputError, match="coarse=1"):
        AgglomerativeOptions(coarse=1)
    with pytest.raises(InputError, match="coarse=3, but 4 clusters are wanted"):
        run_agglomerative(a_problem(0), AgglomerativeOptions(coarse=3), np.random.SeedSequence(0))


def test_a_single_row():
    """One row is a tree without mergers."""
    outcome, tree = run_agglomerative(a_problem(0, n=1, k=1), EXACT, np.random.SeedSequence(0))
    assert tree.children.shape == (0, 2)
    assert outcome.state.labels[0].tolist() == [0]
