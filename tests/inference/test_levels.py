"""Levels: numbers that fall, partitions that are whole, the last one the final."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.inference import Control
from comraf.inference.levels import MOST_LEVELS, Walk, finest
from tests.inference.test_mdc import planted, solve, two_sided
from tests.strategies import graphs, seeds


def checked(problem, outcome):
    """Levels of an outcome, after all that must hold for them has been asked."""
    for node, levels in outcome.levels.items():
        about = problem.graph.nodes[node]
        assert about.direction == "bottom-up"
        numbers = [len(np.unique(level)) for level in levels]
        assert numbers == sorted(set(numbers), reverse=True)
        assert len(levels) <= MOST_LEVELS
        assert all(int(level.max()) + 1 == k for level, k in zip(levels, numbers, strict=True))
        np.testing.assert_array_equal(levels[-1], outcome.state.labels[node])
        if len(levels) > 1:
            assert numbers[0] <= finest(problem.sizes[node], about.n_clusters)
        for level in levels:  # numbered by mass, like the final one
            mass = np.bincount(level, weights=problem.masses(node))
            assert (np.diff(np.round(mass, 12)) <= 0).all()
    return outcome.levels


@given(graphs(), seeds, st.sampled_from([1, 3]), st.booleans())
@settings(max_examples=25)
def test_levels_of_any_graph(graph, seed, n_runs, polish):
    """Every bottom-up side with a number has them, one run or several."""
    problem, outcome = solve(graph, seed, n_runs=n_runs, polish=polish)
    levels = checked(problem, outcome)
    wanted = {
        node
        for node in problem.hidden
        if problem.graph.nodes[node].direction == "bottom-up"
        and problem.graph.nodes[node].n_clusters is not None
    }
    assert set(levels) == wanted


@pytest.mark.parametrize("options", [{}, {"n_runs": 4, "polish": True}, {"coarse": 64}])
def test_a_real_run_has_several(options):
    """Four planted blocks in 400 rows: levels from 64 clusters down to 4."""
    table, _ = planted(n=400, m=60, k=4)
    problem, outcome = solve(two_sided(table, 4), **options)
    numbers = [len(np.unique(level)) for level in checked(problem, outcome)[0]]
    assert numbers[0] > 25
    assert numbers[-1] == 4
    assert len(numbers) >= 5


def test_a_stopped_run_has_those_it_got_to():
    """Whatever was walked, and then the final partition made in haste."""
    table, _ = planted(n=400, m=60, k=4)
    for after in (3, 20, 40):
        control, seen = Control(), []

        def listen(event, seen=seen, control=control, after=after):
            seen.append(event)
            if len(seen) >= after:
                control.stop()

        control.reporter._listener, control.reporter._gap = listen, 0.0
        problem, outcome = solve(two_sided(table, 4), control=control, n_runs=2, polish=True)
        assert outcome.interrupted
        assert len(checked(problem, outcome)[0]) >= 1


def test_a_walk_keeps_few():
    """From a thousand clusters down: some of them, spread by ratio, none twice."""
    walk = Walk(1000, 10)
    for k in range(999, 9, -1):
        walk.note(np.arange(1000, dtype=np.int32) % k, k)
    numbers = [k for k, _ in walk.levels]
    assert 4 <= len(numbers) <= 6
    assert numbers == sorted(set(numbers), reverse=True)
    assert 10 not in numbers
    walk = Walk(3, 3)
    walk.note(np.zeros(5, dtype=np.int32), 3)
    assert walk.levels == []
