"""Merging looks at preferences of pairs: they are part of what a merger costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.inference.gathering import gather
from comraf.inference.merging import join_heaviest, match, merge_pairs
from comraf.inference.moves import counts_of, plan_value
from comraf.objectives import FIRM, PairPreference

seeds = st.integers(0, 2**32 - 1)


def _problem(seed: int, n: int = 12, n_pairs: int = 10) -> Problem:
    rng = np.random.default_rng(seed)
    nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("d", "w", 1 + rng.poisson(1.0, (n, 6)))]))
    ends = np.array([rng.permutation(n)[:2] for _ in range(n_pairs)])
    problem.add_terms([PairPreference(0, ends, rng.normal(0, 0.1, n_pairs), n)])
    return problem


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_the_closest_pair_loses_the_least_objective(seed):
    """The first pair of a matching is the merger after which the objective is highest."""
    problem = _problem(seed)
    n = problem.sizes[0]
    labels = np.arange(n, dtype=np.int32)
    state = problem.start({0: (labels, n)})
    plan = problem.objective.plan(0, state)
    counts = counts_of(plan, labels, n)
    (pair,) = match(plan, counts, 1, "loss", lambda part: None)

    def after(a: int, b: int) -> float:
        merged, k = merge_pairs(labels, n, np.array([[a, b]]))
        return plan_value(plan, counts_of(plan, merged, k))

    best = max(after(a, b) for a in range(n) for b in range(a + 1, n))
    assert after(*pair) == pytest.approx(best, abs=1e-9)


def test_what_must_be_apart_is_not_merged():
    """A matching leaves out pairs that must not be together, and is shorter for that."""
    n = 6
    nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("d", "w", np.ones((n, 3), dtype=int))]))
    # 0..3 are apart from each other: at most one of them in each pair
    ends = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    problem.add_terms([PairPreference(0, ends, -FIRM, n)])
    labels = np.arange(n, dtype=np.int32)
    plan = problem.objective.plan(0, problem.start({0: (labels, n)}))
    pairs = match(plan, counts_of(plan, labels, n), 3, "loss", lambda part: None)
    assert 1 <= len(pairs) <= 2
    assert all(not {int(a), int(b)} <= {0, 1, 2, 3} for a, b in pairs)


def test_something_is_always_merged():
    """Where every pair is forbidden one is merged all the same, so that loops come to an end."""
    nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("d", "w", np.ones((3, 2), dtype=int))]))
    problem.add_terms([PairPreference(0, [(0, 1), (0, 2), (1, 2)], -FIRM, 3)])
    labels = np.arange(3, dtype=np.int32)
    plan = problem.objective.plan(0, problem.start({0: (labels, 3)}))
    assert len(match(plan, counts_of(plan, labels, 3), 1, "js", lambda part: None)) == 1


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_gathering_keeps_what_is_given(seed):
    """Clusters that are given come first and keep their members; others are drawn."""
    problem = _problem(seed, n=30)
    rng = np.random.default_rng(seed)
    given_ = np.full(30, -1, dtype=np.int32)
    given_[:6] = [0, 1, 0, 2, 1, 2]
    plan = problem.objective.plan(0, problem.start({0: (np.arange(30, dtype=np.int32), 30)}))
    labels = gather(plan, 8, rng, lambda part: None, given_)
    assert (labels[:6] == given_[:6]).all()
    assert set(labels.tolist()) == set(range(8))


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_by_divergence_preferences_count_by_mass_too(seed):
    """With cost "js" the closest pair loses least, wishes included, per unit of their mass."""
    rng = np.random.default_rng(seed)
    n = 10
    table = 1 + rng.poisson(rng.choice([0.5, 12.0], n)[:, None], (n, 6))
    nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("d", "w", table)]))
    ends = np.array([rng.permutation(n)[:2] for _ in range(10)])
    problem.add_terms([PairPreference(0, ends, rng.normal(0, 0.1, 10), n)])
    labels = np.arange(n, dtype=np.int32)
    plan = problem.objective.plan(0, problem.start({0: (labels, n)}))
    counts = counts_of(plan, labels, n)
    before, mass = plan_value(plan, counts), table.sum(axis=1)

    def lost(a: int, b: int) -> float:
        merged, k = merge_pairs(labels, n, np.array([[a, b]]))
        return (before - plan_value(plan, counts_of(plan, merged, k))) / (mass[a] + mass[b])

    (pair,) = match(plan, counts, 1, "js", lambda part: None)
    least = min(lost(a, b) for a in range(n) for b in range(a + 1, n))
    assert lost(*pair) == pytest.approx(least, abs=1e-12)


def test_in_haste_the_heaviest_clusters_stay():
    """By mass, not by number of members; all others go where they fit, one by one."""
    table = np.array([[90, 5, 5], *[[0, 0, 3], [3, 0, 0]] * 3, [5, 5, 50], [0, 30, 0]])
    labels = np.array([2, *[1] * 6, 0, 3], dtype=np.int32)  # 6 light rows in cluster 1
    nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("d", "w", table)]))
    plan = problem.objective.plan(0, problem.start({0: (labels, 4)}))
    # clusters 2 (100 counts) and 0 (60) are kept, in the order of their numbers
    joined = join_heaviest(plan, labels, 4, 2)
    assert joined[:8].tolist() == [1, 0, 1, 0, 1, 0, 1, 0]
    assert join_heaviest(plan, labels, 4, 3)[[0, 7, 8]].tolist() == [1, 0, 2]
