"""Halving, matching, merging, and the local searches on top of the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.inference.merging import match, merge_pairs
from comraf.inference.moves import counts_of, improve, plan_value
from comraf.inference.splitting import halve
from comraf.kernels import reference
from tests.strategies import brute_objective, problems_with_states, random_labels, seeds


def nothing(part: float) -> None:
    """A tick nobody listens to."""


@given(seeds, st.integers(1, 30), st.integers(1, 8), st.integers(1, 20))
def test_halving(seed, n, k, most):
    """Clusters split into halves that differ by one at most; the largest go first."""
    rng = np.random.default_rng(seed)
    k = min(n, k)
    labels = random_labels(rng, n, k)
    new, new_k = halve(labels, k, rng, most)
    sizes = np.bincount(labels, minlength=k)
    assert new_k == k + min(max(0, most - k), int((sizes >= 2).sum()))
    assert (np.bincount(new, minlength=new_k) > 0).all()
    split = set()
    for c in range(k):
        parts, counts = np.unique(new[labels == c], return_counts=True)
        assert len(parts) <= 2
        if len(parts) == 2:
            split.add(c)
            assert abs(counts[0] - counts[1]) <= 1
    if split and len(split) < (sizes >= 2).sum():
        assert min(sizes[list(split)]) >= max(np.delete(sizes, list(split)))


def test_halving_is_random():
    """Different seeds give different halves."""
    labels = np.zeros(40, dtype=np.int32)
    one, two = (halve(labels, 1, np.random.default_rng(s), 2)[0] for s in (0, 1))
    assert (one != two).any()


@given(problems_with_states(terms=False), st.sampled_from(["js", "loss"]))
@settings(max_examples=40)
def test_matching_is_a_matching_and_starts_with_the_closest(drawn, cost):
    """Pairs are disjoint, as many as asked for, and the first is the closest pair of all."""
    problem, state = drawn
    node = problem.hidden[-1]
    plan = problem.objective.plan(node, state)
    k = state.n_clusters[node]
    counts = counts_of(plan, state.labels[node], k)
    pairs = match(plan, counts, k // 2, cost, nothing)
    assert pairs.shape == (k // 2, 2)
    assert len(set(pairs.ravel())) == pairs.size
    costs = np.stack(
        [reference.merge_costs(plan, counts.counts, i, cost == "js") for i in range(k)]
    )
    np.fill_diagonal(costs, np.inf)
    assert costs[tuple(pairs[0])] == pytest.approx(costs.min(), abs=1e-12)
    labels, fewer = merge_pairs(state.labels[node], k, pairs)
    assert fewer == k - k // 2
    assert (np.bincount(labels, minlength=fewer) > 0).all()


def test_more_pairs_than_clusters_allow():
    """A matching of three clusters has one pair; asking for two is a mistake of the caller."""
    from comraf.kernels.plan import Counts

    state = Counts(
        np.zeros((1, 3), np.int64),
        np.zeros(1, np.int64),
        np.ones(3, np.int64),
        np.arange(3, dtype=np.int32),
    )
    with pytest.raises(ValueError, match="2 disjoint pairs can't be made of 3"):
        match(None, state, 2, "js", nothing)


@given(
    problems_with_states(),
    st.sampled_from(["sequential", "shuffled", "annealed"]),
    st.sampled_from([0.0, 0.25, 1.0, 2.5]),
    seeds,
)
@settings(max_examples=60)
def test_local_search_reports_its_gain_and_keeps_every_cluster(drawn, moves, passes, seed):
    """Whatever the moves and their number: gain = change of the objective, no cluster lost."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        k = state.n_clusters[node]
        counts = counts_of(plan, state.labels[node], k)
        local = plan_value(plan, counts)
        rng = np.random.default_rng(seed)
        gain = improve(plan, counts, rng, nothing, moves=moves, passes=passes)
        after = brute_objective(problem, state.replace(node, counts.labels.copy(), k))
        assert after - brute_objective(problem, state) == pytest.approx(gain, abs=1e-9)
        assert plan_value(plan, counts) - local == pytest.approx(gain, abs=1e-9)
        assert moves == "annealed" or gain >= 0
        assert (np.bincount(counts.labels, minlength=k) > 0).all()
        assert passes > 0 or gain == 0


def test_ticks_add_up_to_the_whole():
    """Progress of one local search sums to 1, also when it converges early."""
    rng = np.random.default_rng(0)
    from comraf.graph import Edge, Graph, Node
    from comraf.inference import Problem

    graph = Graph(
        [Node("a", n_clusters=2), Node("b", observed="singletons")],
        [Edge("a", "b", rng.poisson(1.0, (30, 10)) + np.eye(30, 10))],
    )
    problem = Problem(graph)
    state = problem.start({0: (random_labels(rng, 30, 2), 2)})
    plan = problem.objective.plan(0, state)
    for moves in ("sequential", "shuffled", "annealed"):
        parts = []
        improve(
            plan, counts_of(plan, state.labels[0], 2), rng, parts.append, moves=moves, passes=50
        )
        assert sum(parts) == pytest.approx(1.0)


def test_unknown_moves():
    """The kinds that exist are listed."""
    from comraf.inference import MDCOptions

    with pytest.raises(InputError, match=r"'jump'.*sequential"):
        MDCOptions(moves="jump")
    with pytest.raises(InputError, match=r"'jump'.*sequential"):
        improve(None, None, None, nothing, moves="jump")
