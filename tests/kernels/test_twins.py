"""Compiled kernels against their NumPy reference, and both against the definition."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.inference.moves import counts_of, no_offers, sweep_once, table_for
from comraf.kernels import compiled, reference
from comraf.kernels.plan import PHI_CAP, Counts, phi_table
from comraf.objectives import State
from tests.strategies import brute_objective, problems_with_states, random_labels, seeds


def callable_(kernel):
    """A part of kernels, to be called from Python."""
    return numba.njit(error_model="numpy")(kernel.py_func)


worth_of_two, propose, next_uniform, phi_step, merge_costs = map(
    callable_,
    (
        compiled.worth_of_two,
        compiled.propose,
        compiled.next_uniform,
        compiled.phi_step,
        compiled.merge_costs,
    ),
)


def copy(state: Counts) -> Counts:
    """A state that can be changed by itself."""
    return Counts(*(array.copy() for array in state))


def assert_same(one: Counts, other: Counts) -> None:
    """Equal in every array; screens but for rounding."""
    for name, a, b in zip(one._fields, one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5 if name == "screen" else 0, err_msg=name)


@given(problems_with_states(), seeds)
@settings(max_examples=60, deadline=None)
def test_every_gain_is_the_change_of_the_objective(drawn, seed):
    """The gain promised for each cluster equals the brute-force change of the objective."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node], state.n_clusters[node]
        i = int(np.random.default_rng(seed).integers(len(labels)))
        counts = counts_of(plan, labels, k)
        a = int(labels[i])
        (gain,) = found = np.empty((1, k))
        compiled.scores(plan, counts, i, i + 1, table_for(plan), found)
        before = brute_objective(problem, state)
        for c in range(k):
            moved = labels.copy()
            moved[i] = c
            after = brute_objective(problem, state.replace(node, moved, k))
            assert gain[c] - gain[a] == pytest.approx(after - before, abs=1e-10)
            if c != a:
                two = worth_of_two(plan, counts, i, c, table_for(plan))
                assert two == pytest.approx((gain[a], gain[c]), abs=1e-10)


@given(problems_with_states(), seeds, st.integers(1, 4), st.booleans())
@settings(max_examples=80, deadline=None)
def test_sweep_equals_reference_and_never_lowers(drawn, seed, batch, exact):
    """Both sweeps make the same moves, screened or exact, one by one or in batches.

    The objective rises by what they say, and counts and screen stay those of the labels.
    """
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node], state.n_clusters[node]
        if k < 2:
            continue
        n = len(labels)
        order = np.random.default_rng(seed).permutation(n).astype(np.int64)
        fast = counts_of(plan, labels, k)
        assert len(fast.screen) == (plan.n_columns if k > 2 else 0)
        slow = copy(fast)
        to, gain = no_offers(plan)
        # in two slices of whole batches: slicing must not change anything
        half = n // 2 // batch * batch
        phi = table_for(plan)
        one = compiled.sweep(plan, fast, order, 0, half, batch, exact, phi, to, gain)
        two = compiled.sweep(plan, fast, order, half, n, batch, exact, phi, to, gain)
        whole = reference.sweep(plan, slow, order, 0, n, batch, exact)
        assert_same(fast, slow)
        assert one[0] + two[0] == whole[0]
        gained = one[1] + two[1]
        assert gained == pytest.approx(whole[1], abs=1e-10)
        after = brute_objective(problem, state.replace(node, fast.labels.copy(), k))
        assert after - brute_objective(problem, state) == pytest.approx(gained, abs=1e-9)
        assert gained >= 0
        assert_same(fast, counts_of(plan, fast.labels, k))


@given(problems_with_states(), seeds)
@settings(max_examples=60, deadline=None)
def test_offers_are_those_of_the_reference(drawn, seed):
    """What each element is offered, moved or not, is what both twins say, its own cluster apart."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        k = state.n_clusters[node]
        counts = counts_of(plan, state.labels[node], k)
        if k < 2:
            continue
        for exact in (False, True):
            for i in range(plan.n_elements):
                scratch = compiled.room(k)
                to, gain = propose(plan, counts, i, exact, table_for(plan), scratch)
                best, gained = reference.propose(plan, counts, i, exact)
                assert to != counts.labels[i]
                # an offer that was not looked at exactly carries the rounding of the screen
                rounding = 1e-10 if exact or len(counts.screen) == 0 else 1e-5 * plan.mass[i]
                assert gain == pytest.approx(gained, abs=max(1e-10, rounding))
                if to < 0:  # clearly better where it is
                    assert gained < -0.5 * reference.CLEAR * plan.mass[i]
                    continue
                true = reference.gains(plan, counts, i)
                assert to == best or true[to] == pytest.approx(true[best], abs=1e-6)
                if gain > 0:  # what a move would gain is never the screen's guess
                    own = counts.labels[i]
                    assert gain == pytest.approx(true[to] - true[own], abs=1e-10)


@given(problems_with_states(), seeds)
@settings(max_examples=40, deadline=None)
def test_annealing_equals_reference(drawn, seed):
    """Both twins draw the same moves, and the objective changes by what they say."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node], state.n_clusters[node]
        order = np.random.default_rng(seed).permutation(len(labels)).astype(np.int64)
        fast = counts_of(plan, labels, k)
        slow = copy(fast)
        phi, n = table_for(plan), len(order)
        random = [np.array([seed], dtype=np.uint64) for _ in range(2)]
        one = compiled.anneal(plan, fast, order, 0, n, phi, 0.3, random[0], np.empty(k))
        two = reference.anneal(plan, slow, order, 0, n, 0.3, random[1])
        assert_same(fast, slow)
        assert one == pytest.approx(two, abs=1e-10)
        after = brute_objective(problem, state.replace(node, fast.labels.copy(), k))
        assert after - brute_objective(problem, state) == pytest.approx(one[1], abs=1e-9)


@given(problems_with_states(terms=False), seeds)
@settings(max_examples=40, deadline=None)
def test_the_screen_is_exact_for_typical_counts(drawn, seed):
    """An element outside with a column's typical count gains what the screen says, in float32."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        k = state.n_clusters[node]
        if k < 3:
            continue
        counts = counts_of(plan, state.labels[node], k)
        np.testing.assert_array_equal(counts.typical, reference.typical(plan))
        expected = reference.screen(plan, counts.counts, counts.typical)
        np.testing.assert_allclose(counts.screen, expected, rtol=1e-5)
        mean = np.bincount(plan.indices, plan.data) / np.maximum(np.bincount(plan.indices), 1)
        np.testing.assert_allclose(counts.typical[: len(mean)], np.maximum(mean, 1), atol=0.5)


@given(problems_with_states(), seeds)
@settings(max_examples=40, deadline=None)
def test_shuffle_equals_reference_and_never_lowers(drawn, seed):
    """Random trials of both twins end alike and raise the objective by what they say."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        k = state.n_clusters[node]
        fast = counts_of(plan, state.labels[node], k)
        slow = copy(fast)
        random = [np.array([seed], dtype=np.uint64) for _ in range(2)]
        elements = np.arange(plan.n_elements, dtype=np.int64)
        moved, gained = compiled.shuffle(plan, fast, elements, 50, table_for(plan), random[0])
        moved_slow, gained_slow = reference.shuffle(plan, slow, elements, 50, random[1])
        assert moved == moved_slow
        assert gained == pytest.approx(gained_slow, abs=1e-10)
        assert_same(fast, slow)
        after = brute_objective(problem, state.replace(node, fast.labels.copy(), k))
        assert after - brute_objective(problem, state) == pytest.approx(gained, abs=1e-9)
        assert gained >= 0


@given(problems_with_states(terms=False), st.booleans())
@settings(max_examples=60, deadline=None)
def test_merge_costs_are_the_loss_of_the_objective(drawn, per_mass):
    """Twins agree; the loss of each merge is the brute-force one, JS that loss per mass."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node], state.n_clusters[node]
        counts = counts_of(plan, labels, k)
        phi = table_for(plan)
        before = brute_objective(problem, state)
        for i in range(k):
            cost, loss = np.empty(k), np.empty(k)
            most = counts.counts.max(axis=1)
            merge_costs(plan, counts.counts, most, i, 0, per_mass, phi, loss, cost)
            np.testing.assert_allclose(
                cost, reference.merge_costs(plan, counts.counts, i, per_mass), atol=1e-12
            )
            for j in range(k):
                if i == j:
                    continue
                merged = np.where(labels == j, i, labels)
                merged = np.unique(merged, return_inverse=True)[1].astype(np.int32)
                lost = before - brute_objective(problem, state.replace(node, merged, k - 1))
                assert per_mass or cost[j] == pytest.approx(lost, abs=1e-10)


@given(problems_with_states(terms=False))
@settings(max_examples=40, deadline=None)
def test_js_cost_is_the_jensen_shannon_divergence(drawn):
    """With one edge the per-mass cost is weight x JS of the two clusters' distributions."""
    problem, state = drawn
    edge = problem.edges[0]
    node = edge.a if edge.a in problem.hidden else edge.b
    single = type(problem.objective)([edge])
    plan = single.plan(node, state)
    counts = counts_of(plan, state.labels[node], state.n_clusters[node])
    cells = counts.counts[:-1].astype(float)
    mass = cells.sum(axis=0)
    costs = reference.merge_costs(plan, counts.counts, 0, per_mass=True)
    for j in range(1, len(mass)):
        if mass[0] == 0 or mass[j] == 0:
            continue
        p, q = cells[:, 0] / mass[0], cells[:, j] / mass[j]
        share = mass[0] / (mass[0] + mass[j])
        middle = share * p + (1 - share) * q

        def entropy(d):
            d = d[d > 0]
            return -(d * np.log(d)).sum()

        js = entropy(middle) - share * entropy(p) - (1 - share) * entropy(q)
        assert costs[j] == pytest.approx(edge.weight * js, abs=1e-10)


@given(problems_with_states(terms=False), st.booleans())
@settings(max_examples=40, deadline=None)
def test_nearest_equals_reference(drawn, per_mass):
    """Both find the same closest peer at the same cost, whatever the slices."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        k = state.n_clusters[node]
        counts = counts_of(plan, state.labels[node], k)
        peer, cost = np.full(k, -1, dtype=np.int64), np.full(k, np.inf)
        tie = np.full(k, np.iinfo(np.uint64).max, dtype=np.uint64)
        none = (np.zeros(k + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))
        for start in range(k):
            compiled.nearest(
                plan,
                counts.counts,
                counts.counts.max(axis=1),
                none,
                start,
                start + 1,
                per_mass,
                table_for(plan),
                peer,
                cost,
                tie,
            )
        _, slow_cost = reference.nearest(plan, counts.counts, per_mass)
        np.testing.assert_allclose(cost, slow_cost, atol=1e-12)
        for i in range(k):  # peers may differ between exact ties only
            costs = reference.merge_costs(plan, counts.counts, i, per_mass)
            assert costs[peer[i]] == pytest.approx(cost[i], abs=1e-12)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_aggregate_equals_reference(seed):
    """Columns put together by labels, with the row sums: the same in both twins."""
    import scipy.sparse as sp

    rng = np.random.default_rng(seed)
    table = sp.csr_array(rng.poisson(0.6, (rng.integers(1, 9), rng.integers(3, 9))))
    k = 3
    labels = random_labels(rng, table.shape[1], k)
    arrays = (
        table.indptr.astype(np.int64),
        table.indices.astype(np.int32),
        table.data.astype(np.int64),
    )
    for fast, slow in zip(
        compiled.aggregate(*arrays, labels, k), reference.aggregate(*arrays, labels, k), strict=True
    ):
        np.testing.assert_array_equal(fast, slow)


@given(problems_with_states(terms=False))
@settings(max_examples=30, deadline=None)
def test_count_and_value_equal_reference(drawn):
    """Counts and the value of a plan are the same in both twins."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        k = state.n_clusters[node]
        counts = compiled.count(plan, state.labels[node], k)
        np.testing.assert_array_equal(counts, reference.count(plan, state.labels[node], k))
        assert compiled.value(counts, plan.coef, table_for(plan)) == pytest.approx(
            reference.value(counts, plan.coef), abs=1e-12
        )


@given(problems_with_states())
@settings(max_examples=30, deadline=None)
def test_scores_equal_reference_and_leave_the_state_alone(drawn):
    """Gains of all elements at once: the same in both twins, nothing changed by looking."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        k = state.n_clusters[node]
        counts = counts_of(plan, state.labels[node], k)
        before = copy(counts)
        out = np.empty((plan.n_elements, k))
        compiled.scores(plan, counts, 0, plan.n_elements, table_for(plan), out)
        assert_same(before, counts)
        np.testing.assert_allclose(out, reference.scores(plan, counts), atol=1e-10)


def test_random_draws_are_the_same_and_uniform():
    """Both generators give one stream, inside (0, 1), with the right mean and spread."""
    one, two = np.array([7], dtype=np.uint64), np.array([7], dtype=np.uint64)
    draws = np.array([next_uniform(one) for _ in range(2000)])
    np.testing.assert_array_equal(draws, [reference.next_uniform(two) for _ in range(2000)])
    assert draws.min() > 0
    assert draws.max() < 1
    assert abs(draws.mean() - 0.5) < 0.02
    assert abs(draws.var() - 1 / 12) < 0.01


@pytest.mark.parametrize("t", [0, 1, 1000, 2**16 - 2, 2**16, 10**9, 10**14])
@pytest.mark.parametrize("v", [1, 3, 500, 10**6, 10**12])
def test_phi_step_beyond_the_table(t, v):
    """phi(t + v) - phi(t) is right to many digits on both sides of the table's end."""
    from mpmath import log, mp, mpf

    mp.dps = 60
    exact = (mpf(t) + v) * log(mpf(t) + v) - (mpf(t) * log(mpf(t)) if t else 0)
    got = phi_step(np.int64(t), np.int64(v), phi_table(2**22))
    # inside the table the difference of two rounded doubles: absolute error of an ulp of phi
    inside = 4e-16 * t * max(1.0, np.log(max(t, 1))) if t + v <= PHI_CAP else 0.0
    assert abs(got - float(exact)) <= max(5e-12 * abs(float(exact)), inside)


@pytest.mark.parametrize("times", [5_000_000, 500_000_000])
def test_large_counts_take_the_log_path(times):
    """Counts beyond the table of phi, or beyond 32 bits, are swept as exactly as small ones."""
    from comraf.graph import Edge, Graph, Node
    from comraf.inference import Problem

    rng = np.random.default_rng(0)
    table = rng.poisson(1.0, (12, 8)) * times + rng.poisson(2.0, (12, 8))
    graph = Graph(
        [Node("a", n_clusters=3), Node("b", observed="singletons")], [Edge("a", "b", table)]
    )
    problem = Problem(graph)
    state = problem.start({0: (random_labels(rng, 12, 3), 3)})
    plan = problem.objective.plan(0, state)
    counts = counts_of(plan, state.labels[0], 3)
    assert counts.counts.dtype == (np.int32 if 2 * table.sum() < 2**31 else np.int64)
    assert counts.counts.max() > PHI_CAP
    _, gained = sweep_once(plan, counts, rng.permutation(12).astype(np.int64), lambda part: None)
    after = State((counts.labels, state.labels[1]), (3, 8))
    assert gained > 0
    assert brute_objective(problem, after) - brute_objective(problem, state) == pytest.approx(
        gained, abs=1e-9
    )
