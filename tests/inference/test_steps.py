"""Halving, matching, merging, and the local searches on top of the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.inference.merging import match, merge_pairs
from comraf.inference.moves import NO_SCREEN, counts_of, improve, plan_value, sweep_once
from comraf.inference.splitting import halve
from comraf.kernels import reference
from tests.strategies import brute_objective, problems_with_states, random_labels, seeds


def nothing(part: float) -> None:
    """A tick nobody listens to."""


def plan_of(table, labels, k):
    """Rows of a table in k clusters, over columns that stay as they are: the state and its plan."""
    nodes = [Node("a", n_clusters=k), Node("b", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("a", "b", table)]))
    state = problem.start({0: (labels, k)})
    return state, problem.objective.plan(0, state)


@given(seeds, st.integers(1, 30), st.integers(1, 8), st.integers(1, 40))
def test_halving(seed, n, k, most):
    """As many clusters as asked for or as there are values; halves differ by one at most."""
    rng = np.random.default_rng(seed)
    k = min(n, k)
    labels = random_labels(rng, n, k)
    new, new_k = halve(labels, k, rng, most)
    sizes = np.bincount(labels, minlength=k)
    assert new_k == max(k, min(most, n))
    assert (np.bincount(new, minlength=new_k) > 0).all()
    if new_k - k > (sizes >= 2).sum():
        return  # halves were split again
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

    ones = np.ones(3, np.int64)
    state = Counts(np.zeros((1, 3), np.int64), ones, np.arange(3, dtype=np.int32), *NO_SCREEN)
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


@given(problems_with_states(), seeds)
@settings(max_examples=60)
def test_a_standstill_is_a_local_optimum_of_the_exact_gains(drawn, seed):
    """Where a screened search ends by itself, no exact look at all clusters finds a move."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        counts = counts_of(plan, state.labels[node], state.n_clusters[node])
        improve(plan, counts, np.random.default_rng(seed), nothing, passes=500)
        before = counts.labels.copy()
        if len(counts.sizes) > 1:
            everyone = np.arange(plan.n_elements, dtype=np.int64)
            assert sweep_once(plan, counts, everyone, nothing, exact=True)[0] == 0
        np.testing.assert_array_equal(counts.labels, before)


def test_ticks_add_up_to_the_whole():
    """Progress of one local search sums to 1, also when it converges early."""
    rng = np.random.default_rng(0)
    state, plan = plan_of(rng.poisson(1.0, (30, 10)) + np.eye(30, 10), random_labels(rng, 30, 2), 2)
    for moves in ("sequential", "shuffled", "annealed"):
        parts = []
        improve(
            plan, counts_of(plan, state.labels[0], 2), rng, parts.append, moves=moves, passes=50
        )
        assert sum(parts) == pytest.approx(1.0)


def test_many_equal_clusters_are_matched_in_few_rounds():
    """A thousand identical rows take about as long as different ones, not a thousand rounds."""
    import time

    def seconds(table):
        n = len(table)
        state, plan = plan_of(table, np.arange(n, dtype=np.int32), n)
        counts = counts_of(plan, state.labels[0], n)
        started = time.perf_counter()
        pairs = match(plan, counts, n // 2, "loss", nothing)
        assert len(set(pairs.ravel())) == n
        return time.perf_counter() - started

    mixed = np.random.default_rng(0).poisson(1.0, (1000, 12)) + 1
    seconds(mixed)  # compiles
    assert seconds(np.ones((1000, 12), dtype=int)) < 8 * seconds(mixed) + 0.5


def test_annealing_is_not_sequential_even_in_one_pass():
    """A single annealed pass wanders before it settles, and ends where no move gains anything."""
    rng = np.random.default_rng(0)
    state, plan = plan_of(rng.poisson(1.0, (80, 30)) + 1, random_labels(rng, 80, 4), 4)
    found = []
    for moves in ("sequential", "annealed"):
        counts = counts_of(plan, state.labels[0], 4)
        improve(plan, counts, np.random.default_rng(1), nothing, moves=moves, passes=1.0)
        found.append(counts.labels.copy())
    assert (found[0] != found[1]).any()
    for seed in range(5):
        improve(plan, counts, rng, nothing, moves="annealed", passes=0.25)
        assert improve(plan, counts, np.random.default_rng(seed), nothing, passes=1.0) == 0


def test_a_shuffled_pass_tries_about_as_many_pairs_as_there_are_values():
    """A tenth of a pass over 200 values makes 20 tries, whatever the number of clusters."""
    rng = np.random.default_rng(0)
    state, plan = plan_of(rng.poisson(1.0, (200, 30)) + 1, random_labels(rng, 200, 40), 40)
    moved = []
    for seed in range(5):
        counts = counts_of(plan, state.labels[0], 40)
        improve(plan, counts, np.random.default_rng(seed), nothing, moves="shuffled", passes=0.1)
        moved.append(int((counts.labels != state.labels[0]).sum()))
    assert 0 < max(moved) <= 20  # many tries are worse than what is there


def test_unknown_moves():
    """The kinds that exist are listed."""
    from comraf.inference import MDCOptions

    with pytest.raises(InputError, match=r"'jump'.*sequential"):
        MDCOptions(moves="jump")
    with pytest.raises(InputError, match=r"'jump'.*sequential"):
        improve(None, None, None, nothing, moves="jump")
