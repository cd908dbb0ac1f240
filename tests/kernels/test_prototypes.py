"""Batch steps: the compiled kernel, its NumPy twin, and co-clustering as published."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.inference.itcc import batch_step
from comraf.inference.moves import counts_of
from comraf.kernels.plan import Plan
from comraf.kernels.prototypes import TOLERANCE, assign, assign_reference, prototypes, self_scores
from tests.strategies import brute_objective, problems_with_states, random_labels, seeds


def nothing(part: float) -> None:
    """A tick nobody listens to."""


@given(problems_with_states(terms=False))
@settings(max_examples=60, deadline=None)
def test_compiled_equals_reference(drawn):
    """The same labels and scores as plain NumPy, in one slice or in two."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node], state.n_clusters[node]
        weights = prototypes(plan, counts_of(plan, labels, k).counts)
        expected, scores = assign_reference(plan, weights, labels)
        fast, found = np.array(labels), np.empty(len(labels))
        arrays = plan.indptr, plan.indices, plan.data, plan.mass, weights
        half = len(labels) // 2
        moved = assign(*arrays, 0, half, fast, found)
        moved += assign(*arrays, half, len(labels), fast, found)
        np.testing.assert_array_equal(fast, expected)
        np.testing.assert_allclose(found, scores, rtol=1e-12)
        assert moved == (expected != labels).sum()


@given(problems_with_states(terms=False))
@settings(max_examples=60, deadline=None)
def test_a_step_never_lowers_the_objective_nor_empties_a_cluster(drawn):
    """Batch moves and refilled clusters alike: the whole objective never falls."""
    problem, state = drawn
    value = brute_objective(problem, state)
    for _ in range(3):
        for node in problem.hidden:
            plan = problem.objective.plan(node, state)
            k = state.n_clusters[node]
            labels, _ = batch_step(plan, state.labels[node], k, nothing)
            assert (np.bincount(labels, minlength=k) > 0).all()
            state = state.replace(node, labels, k)
            now = brute_objective(problem, state)
            assert now >= value - 1e-9
            value = now


def published_step(table, rows, k_rows, columns, k_columns):
    """One row step of Dhillon et al. (2003), by their formulas, on a dense joint distribution.

    q(y|x') = q(y|y') q(y'|x'), and each row goes to the x' of the least KL(p(Y|x) || q(Y|x')).
    """
    p = table / table.sum()
    blocks = np.zeros((k_rows, k_columns))
    np.add.at(blocks, (rows[:, None], columns[None, :]), p)
    column_mass = p.sum(axis=0)
    of_block = np.bincount(columns, weights=column_mass, minlength=k_columns)
    within = column_mass / of_block[columns]
    q = within[None, :] * (blocks / blocks.sum(axis=1, keepdims=True))[:, columns]
    divergence = np.full((len(p), k_rows), np.inf)
    for x, row in enumerate(p / p.sum(axis=1, keepdims=True)):
        for c in range(k_rows):
            there = row > 0
            if (q[c][there] > 0).all():
                divergence[x, c] = (row[there] * np.log(row[there] / q[c][there])).sum()
    return divergence


@given(seeds, st.integers(2, 5), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_a_step_is_the_published_one(seed, k_rows, k_columns):
    """Rows go where the divergence from the published prototypes is least."""
    rng = np.random.default_rng(seed)
    table = rng.poisson(1.0, (14, 9)).astype(float)
    table[:, 0] += 1
    table[0] += 1
    rows, columns = random_labels(rng, 14, k_rows), random_labels(rng, 9, k_columns)
    nodes = [Node("rows", n_clusters=k_rows), Node("columns", n_clusters=k_columns)]
    problem = Problem(Graph(nodes, [Edge("rows", "columns", table)]))
    state = problem.start({0: (rows, k_rows), 1: (columns, k_columns)})
    plan = problem.objective.plan(0, state)
    weights = prototypes(plan, counts_of(plan, rows, k_rows).counts)
    labels, scores = assign_reference(plan, weights, rows)
    divergence = published_step(table, rows, k_rows, columns, k_columns)
    chosen = divergence[np.arange(14), labels]
    np.testing.assert_allclose(chosen, divergence.min(axis=1), atol=1e-7)
    # and a score is minus the divergence from a row of blocks, up to what all clusters share
    p = table.sum(axis=1) / table.sum()
    best, worst = divergence.min(axis=1), divergence[np.arange(14), rows]
    raised = scores - (plan_scores(plan, weights)[np.arange(14), rows])
    np.testing.assert_allclose(raised, p * (worst - best), atol=1e-6)


def plan_scores(plan, weights):
    """Scores of every element in every cluster."""
    dense = np.zeros((plan.n_elements, plan.n_columns))
    for i in range(plan.n_elements):
        row = slice(plan.indptr[i], plan.indptr[i + 1])
        dense[i, plan.indices[row]] = plan.data[row]
    with np.errstate(invalid="ignore"):
        parts = dense[:, :, None] * weights[None]
    return np.where(dense[:, :, None] > 0, parts, 0.0).sum(axis=1)


def test_a_lost_cluster_gets_the_element_that_fits_worst():
    """All rows fit the same cluster: the other one keeps one row, the odd one."""
    table = np.array([[8, 8, 1], [8, 8, 1], [8, 8, 1], [8, 7, 3], [1, 1, 9]])
    nodes = [Node("rows", n_clusters=3), Node("columns", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("rows", "columns", table)]))
    state = problem.start({0: (np.array([0, 1, 2, 0, 0], dtype=np.int32), 3)})
    plan = problem.objective.plan(0, state)
    labels, moved = batch_step(plan, state.labels[0], 3, nothing)
    assert sorted(np.bincount(labels, minlength=3).tolist())[0] >= 1
    assert moved > 0


def test_self_scores_bound_every_score():
    """An element fits nowhere better than by itself."""
    rng = np.random.default_rng(0)
    nodes = [Node("rows", n_clusters=3), Node("columns", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("rows", "columns", rng.poisson(1.0, (20, 8)) + 1)]))
    state = problem.start({0: (random_labels(rng, 20, 3), 3)})
    plan = problem.objective.plan(0, state)
    weights = prototypes(plan, counts_of(plan, state.labels[0], 3).counts)
    _, scores = assign_reference(plan, weights, state.labels[0])
    assert (self_scores(plan) >= scores - 1e-12).all()
    assert self_scores(plan) == pytest.approx(
        plan_scores(
            plan, prototypes(plan, counts_of(plan, np.arange(20, dtype=np.int32), 20).counts)
        )[np.arange(20), np.arange(20)]
    )


@pytest.mark.parametrize("mass", [0.01, 100.0])
def test_a_gain_within_rounding_moves_nothing(mass):
    """What is no more than rounding of an element's mass is no reason to move."""
    row = np.array([0, 1]), np.array([0]), np.array([1])
    masses = np.array([mass])
    plan = Plan(*row, np.ones(1), np.zeros((0, 2)), np.zeros(0), masses, *[np.zeros(0)] * 4)
    for part, moved in ((0.5, 0), (2.0, 1)):
        weights = np.array([[0.0, part * TOLERANCE * mass]])
        assert assign_reference(plan, weights, np.zeros(1, np.int32))[0].tolist() == [moved]
        fast = np.zeros(1, np.int32)
        found = assign(*row, masses, weights, 0, 1, fast, np.empty(1))
        assert (found, fast.tolist()) == (moved, [moved])
