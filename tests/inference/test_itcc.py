"""Co-clustering as inference: never down, honest about its objective, stopped at any moment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.checks import check_method
from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.inference import UPDATES, ITCCOptions, Problem, run_itcc
from comraf.inference.itcc import batch_step
from tests.strategies import seeds


def two_sides(seed, n=24, m=18, k=3, k_columns=4):
    """A problem of rows and columns with some structure."""
    rng = np.random.default_rng(seed)
    rate = np.where((np.arange(n) % k)[:, None] == (np.arange(m) % k)[None, :], 2.0, 0.4)
    nodes = [Node("rows", n_clusters=k), Node("columns", n_clusters=k_columns)]
    return Problem(Graph(nodes, [Edge("rows", "columns", rng.poisson(rate) + np.eye(n, m))]))


@given(seeds, st.sampled_from(UPDATES), st.sampled_from([0.0, 0.5, 3.0]))
@settings(max_examples=30, deadline=None)
def test_the_objective_never_falls_and_the_rules_are_kept(seed, updates, first_passes):
    """Along the trace it only rises, and the last value is the answer's."""
    problem = two_sides(seed)
    options = ITCCOptions(updates=updates, n_restarts=3, first_passes=first_passes, tol=0.0)
    check_method("itcc", problem.graph, options=options, random_state=seed, stops=(1, 8))
    outcome = run_itcc(problem, options, np.random.SeedSequence(seed))
    climbed = [point.objective for point in outcome.trace]
    assert (np.diff(climbed) >= -1e-12).all()
    assert outcome.objective == pytest.approx(climbed[-1])


def test_columns_may_outnumber_what_can_be_told_apart():
    """As many column clusters as columns, and a single row cluster, are no trouble."""
    problem = two_sides(0, k=1, k_columns=18)
    outcome = run_itcc(problem, ITCCOptions(n_restarts=2), np.random.SeedSequence(0))
    assert outcome.objective == pytest.approx(0.0, abs=1e-12)
    assert len(np.unique(outcome.state.labels[1])) == 18


def test_other_graphs_are_refused():
    """Sides that are joined to each other have no place in co-clustering."""
    rng = np.random.default_rng(0)
    nodes = [Node(name, n_clusters=2) for name in "abc"]
    tables = [rng.poisson(2.0, (6, 6)) + 1 for _ in range(3)]
    edges = [Edge(*pair, table) for pair, table in zip(("ab", "ac", "bc"), tables, strict=True)]
    with pytest.raises(InputError, match="'b' is joined to others"):
        run_itcc(Problem(Graph(nodes, edges)), ITCCOptions(), np.random.SeedSequence(0))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"updates": "x"}, "updates='x'.*batch"),
        ({"n_restarts": 0}, "n_restarts=0"),
        ({"first_passes": -1}, "first_passes=-1"),
        ({"max_passes": 1.5}, "max_passes=1.5"),
        ({"tol": 1}, "tol=1"),
    ],
)
def test_bad_options(chosen, message):
    """Each mistake names the value."""
    with pytest.raises(InputError, match=message):
        ITCCOptions(**chosen)


def test_an_empty_cluster_gets_what_fits_worst():
    """Worst of what it could have, not the largest; and no other cluster is emptied by that."""
    table = np.array([[90, 9, 0, 0], [80, 8, 0, 0], [7, 1, 0, 0], [0, 0, 9, 9], [0, 0, 8, 8]])
    stranger = np.array([[3, 0, 3, 3]])
    rows = np.vstack([table, stranger])
    labels = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)

    def step(rows, labels, k):
        nodes = [Node("rows", n_clusters=2), Node("columns", observed="singletons")]
        problem = Problem(Graph(nodes, [Edge("rows", "columns", rows)]))
        plan = problem.objective.plan(0, problem.start({0: (labels, 2)}))
        return batch_step(plan, labels, k, lambda part: None)

    assert step(rows, labels, 2)[0].tolist() == [0, 0, 0, 1, 1, 1]
    refilled, moved = step(rows, labels, 3)
    assert refilled.tolist() == [0, 0, 0, 1, 1, 2]
    assert moved == 1
    # two that fit badly are all that cluster 1 has: one of them stays
    odd = np.vstack([table[:3], [[0, 0, 9, 0], [0, 0, 0, 9]]])
    refilled, moved = step(odd, np.array([0, 0, 0, 1, 1], dtype=np.int32), 4)
    assert sorted(np.bincount(refilled, minlength=4).tolist()) == [1, 1, 1, 2]
    assert moved == 2


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("seed", range(3))
def test_passes_end_when_the_objective_rises_by_less_than_was_asked_for(seed, updates):
    """A random start more than doubles at first and goes on; one that stands still has ended."""
    options = ITCCOptions(updates=updates, n_restarts=1, first_passes=0.0, tol=0.3)
    outcome = run_itcc(two_sides(seed), options, np.random.SeedSequence(seed))
    climbed = np.array([point.objective for point in outcome.trace])
    rises = np.diff(climbed) / climbed[1:]
    assert len(rises) > 0
    assert (rises[:-1] > 0.3).all()
    assert rises[-1] <= 0.3


@pytest.mark.parametrize("updates", UPDATES)
def test_passes_end_where_nothing_moves(updates):
    """Far fewer than are allowed."""
    options = ITCCOptions(updates=updates, n_restarts=1, tol=0.0, max_passes=50)
    outcome = run_itcc(two_sides(0), options, np.random.SeedSequence(0))
    assert 1 <= len(outcome.trace) < 20
