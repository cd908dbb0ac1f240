"""Scores of shrunken clusters against their definition, and the sweep that follows them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.inference.moves import counts_of, improve, no_offers
from comraf.inference.polishing import settle_counts
from comraf.kernels.shrunken import (
    SHRINK,
    background,
    said,
    settling,
    settling_sweep,
    shrunken_scores,
)
from comraf.metrics import micro_accuracy
from tests.strategies import problems_with_states, random_labels, seeds


def plain_scores(plan, labels, k, i, shrink, *, own):
    """The definition, cell by cell, on a dense table."""
    table = np.zeros((plan.n_elements, plan.n_columns))
    for row in range(plan.n_elements):
        part = slice(plan.indptr[row], plan.indptr[row + 1])
        table[row, plan.indices[part]] = plan.data[part]
    out = np.zeros(k)
    kept = np.arange(plan.n_elements) != i if own else np.ones(plan.n_elements, dtype=bool)
    for c in range(k):
        inside = table[kept & (labels == c)].sum(axis=0)
        for first, mass in plan.segments:
            for col in range(first, mass):
                if table[i, col] == 0:
                    continue
                share = table[:, col].sum() / table[:, mass].sum()
                ratio = inside[col] / inside[mass] / share if inside[mass] else 0.0
                fit = (1 + shrink) * np.log((ratio + shrink) / (1 + shrink))
                out[c] += plan.coef[col] * table[i, col] * fit
        for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
            if labels[plan.pair_indices[p]] == c:
                out[c] += plan.pair_weights[p]
        if len(plan.unary):
            out[c] += plan.unary[i, c]
    return out


@given(problems_with_states(), seeds, st.sampled_from([0.1, 1.0, 30.0]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_scores_are_the_definition(drawn, seed, shrink, own):
    """Every element's score in every cluster is the formula's, preferences included."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node], state.n_clusters[node]
        counts = counts_of(plan, labels, k)
        before = counts.counts.copy()
        i = int(np.random.default_rng(seed).integers(len(labels)))
        out = np.empty((1, k))
        back = background(plan, counts.counts, shrink)
        expected = plain_scores(plan, labels, k, i, shrink, own=own)
        if not own:
            counts.labels[i] = -1
        table = np.empty(counts.counts.shape)
        said(plan, back, counts, False, table)
        for worked_out in (np.zeros((0, 0)), table):
            shrunken_scores(plan, back, counts, i, i + 1, worked_out, out)
            np.testing.assert_allclose(out[0], expected, atol=1e-10)
        np.testing.assert_array_equal(counts.counts, before)


def sweep(plan, back, counts, exact, batch=1, order=None):
    """A pass of settling; how many moved, and what each element was offered last."""
    everyone = np.arange(plan.n_elements) if order is None else order
    masses = settling(plan, back, counts)
    to, gain = no_offers(plan)
    span = (everyone, 0, len(everyone), batch, exact)
    return settling_sweep(plan, back, counts, *masses, *span, to, gain), to, gain


@given(problems_with_states(), seeds, st.integers(1, 4), st.booleans())
@settings(max_examples=80, deadline=None)
def test_sweep_moves_to_the_best_and_counts_stay_true(drawn, seed, batch, exact):
    """An element is offered the best cluster as its batch sees it, or a good one by the screen.

    It moves there if it fits better at the moment when it moves; counts are those of the labels
    afterwards.
    """
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node].copy(), state.n_clusters[node]
        if k < 2:
            continue
        counts = counts_of(plan, labels, k)
        exact = exact or not len(counts.screen)
        back = background(plan, counts.counts)
        order = np.random.default_rng(seed).permutation(len(labels)).astype(np.int64)
        _, to, gain = sweep(plan, back, counts, exact, batch, order)

        def scores(i, plan=plan, labels=labels, k=k, back=back):
            return plain_scores(plan, labels, k, i, back.shrink, own=True)

        for first in range(0, len(order), batch):
            some = order[first : first + batch].tolist()
            seen = {i: scores(i) for i in some}
            alone = [i for i in some if (labels == labels[i]).sum() == 1]
            for i in some:
                was = labels[i]
                if i in alone:
                    assert to[i] == -1
                    continue
                if exact:
                    others = np.delete(seen[i], was)
                    assert seen[i][to[i]] == pytest.approx(others.max(), abs=1e-9)
                now = scores(i)
                better = now[to[i]] - now[was]
                if seen[i][to[i]] <= seen[i][was] or (labels == was).sum() == 1:
                    better = -1.0
                if better > 1e-6:
                    assert counts.labels[i] == to[i]
                    assert gain[i] == pytest.approx(better, abs=1e-9)
                elif better < 0:
                    assert counts.labels[i] == was
                labels[i] = counts.labels[i]
        again = counts_of(plan, counts.labels, k)
        np.testing.assert_array_equal(again.counts, counts.counts)
        np.testing.assert_array_equal(again.sizes, counts.sizes)
        assert counts.sizes.min() >= 1


@given(problems_with_states(), seeds)
@settings(max_examples=40, deadline=None)
def test_a_settled_side_fits_nowhere_better(drawn, seed):
    """Where settling ends by itself, no element of a larger cluster scores higher elsewhere."""
    problem, state = drawn
    for node in problem.hidden:
        plan = problem.objective.plan(node, state)
        labels, k = state.labels[node], state.n_clusters[node]
        counts = counts_of(plan, labels, k)
        back, everyone = background(plan, counts.counts), np.arange(len(labels))
        rng = np.random.default_rng(seed)
        settle_counts(plan, counts, everyone, rng, lambda part: None, 200)
        before = counts.labels.copy()
        settle_counts(plan, counts, everyone, rng, lambda part: None, 200)
        if (counts.labels != before).any():
            continue  # it goes round in circles: passes ran out
        for i in everyone.tolist():
            if counts.sizes[before[i]] > 1:
                scores = plain_scores(plan, before, k, i, back.shrink, own=True)
                assert scores[before[i]] >= scores.max() - 1e-6 * plan.mass[i]


def test_chance_counts_for_less():
    """A rare word seen once elsewhere does not outweigh a common one; without shrinkage it does."""
    table = np.array([[40, 0, 4], [0, 40, 4], [0, 40, 4], [40, 0, 4], [4, 0, 1], [6, 1, 0]])
    # the last row speaks for cluster 0 by its six counts and against it by one
    labels = np.array([0, 1, 1, 0, 0, 1], dtype=np.int32)
    graph = Graph(
        [Node("d", n_clusters=2), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    problem = Problem(graph)
    plan = problem.objective.plan(0, problem.start({0: (labels, 2)}))
    counts = counts_of(plan, labels, 2)
    margins = []
    for shrink in (1e-6, 30.0):
        out = np.empty((1, 2))
        back = background(plan, counts.counts, shrink)
        shrunken_scores(plan, back, counts, 5, 6, np.zeros((0, 0)), out)
        margins.append(out[0, 0] - out[0, 1])
    # nothing of word 1 is in cluster 0: almost certain against it, unless expectation tempers it
    assert margins[1] > 0
    assert margins[0] != pytest.approx(margins[1])


def test_order_of_elements_is_kept_by_the_seed():
    """Two sweeps in the same order make the same moves."""
    rng = np.random.default_rng(3)
    table = rng.poisson(1.0, (30, 12)) + np.eye(30, 12, dtype=int)
    graph = Graph(
        [Node("d", n_clusters=3), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    problem = Problem(graph)
    labels = random_labels(rng, 30, 3)
    plan = problem.objective.plan(0, problem.start({0: (labels, 3)}))
    ends = []
    for _ in range(2):
        counts = counts_of(plan, labels, 3)
        back = background(plan, counts.counts)
        moved = sweep(plan, back, counts, True)[0]
        ends.append(counts.labels)
        assert moved > 0
    np.testing.assert_array_equal(*ends)


def test_settling_mends_what_polishing_made_of_chance():
    """With the shrinkage that is set 200 short texts gain 3 points, with 1 they lose 2."""
    gained = {SHRINK: [], 1.0: []}
    for draw in range(16):
        rng = np.random.default_rng(draw)
        topic, often = np.arange(200) % 5, 1 / np.arange(1, 1501)
        often /= often.sum()
        own = np.array([often[rng.permutation(1500)] for _ in range(5)])
        words = [
            rng.multinomial(rng.poisson(40) + 5, 0.85 * often + 0.15 * own[topic[i]])
            for i in range(200)
        ]
        nodes = [Node("d", n_clusters=5), Node("w", observed="singletons")]
        problem = Problem(Graph(nodes, [Edge("d", "w", words, weighting="root_rows")]))
        start = np.where(rng.random(200) < 0.6, topic, rng.integers(0, 5, 200)).astype(np.int32)
        plan = problem.objective.plan(0, problem.start({0: (start, 5)}))
        counts = counts_of(plan, start, 5)
        improve(plan, counts, np.random.default_rng(0), lambda part: None, passes=10)
        polished, back = counts.labels.copy(), background(plan, counts.counts, 1.0)
        before = micro_accuracy(topic, polished)
        settle_counts(plan, counts, np.arange(200), np.random.default_rng(0), lambda part: None)
        gained[SHRINK].append(micro_accuracy(topic, counts.labels) - before)
        counts = counts_of(plan, polished, 5)
        while sweep(plan, back, counts, True)[0]:
            pass
        gained[1.0].append(micro_accuracy(topic, counts.labels) - before)
    assert np.mean(gained[SHRINK]) > 0.012
    assert np.mean(gained[1.0]) < 0
    assert 10 <= SHRINK <= 100


def test_what_has_no_counts_stays_where_it_is():
    """There is nothing to judge it by, whatever is preferred for it."""
    nodes = [Node("rows", n_clusters=2), Node("columns", observed="singletons")]
    table = np.array([[4, 0], [4, 0], [0, 4], [0, 4]])
    problem = Problem(Graph(nodes, [Edge("rows", "columns", table)]))
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    plan = problem.objective.plan(0, problem.start({0: (labels, 2)}))
    ends = plan.indptr.copy()
    ends[2:] -= ends[2] - ends[1]  # the second row loses its counts
    kept = np.r_[0 : plan.indptr[1], plan.indptr[2] : len(plan.data)]
    plan = plan._replace(
        indptr=ends,
        indices=plan.indices[kept],
        data=plan.data[kept],
        unary=np.array([[0.0, 0.0], [0.0, 9.0], [0.0, 0.0], [0.0, 0.0]]),
    )
    counts = counts_of(plan, labels, 2)
    back = background(plan, counts.counts)
    moved = sweep(plan, back, counts, True)[0]
    assert (moved, counts.labels.tolist()) == (0, [0, 0, 1, 1])
