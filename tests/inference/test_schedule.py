"""Schedules: lengths, order, and that every wanted number of clusters is reached."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.errors import InputError
from comraf.inference.schedule import (
    NodeTask,
    double,
    make_schedule,
    merge_levels,
    round_robin,
    split_levels,
    thesis,
    weighted,
)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_merging_takes_the_papers_number_of_iterations(size, k):
    """ceil(log2(size/k)) halvings, the last of which lands on k exactly."""
    k = min(size, k)
    levels = merge_levels(size, k)
    assert len(levels) == math.ceil(math.log2(size / k))
    assert (levels or [size])[-1] == k
    for before, after in zip([size, *levels], levels, strict=False):
        assert after == max(k, (before + 1) // 2)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_splitting_takes_the_papers_number_of_iterations(size, k):
    """ceil(log2(k)) doublings, never more clusters than values."""
    k = min(size, k)
    levels = split_levels(size, k)
    assert len(levels) == math.ceil(math.log2(k))
    assert all(level <= size for level in levels)
    assert (levels or [1])[-1] >= k


def test_four_word_iterations_come_first():
    """The thesis's order: w w w w d w d w d ... and documents end it, exhaustively."""
    words = NodeTask(1, 40_000, None, True, neighbours=20, facing=20_000)
    steps = thesis([NodeTask(0, 20_000, 20, False), words])
    order = "".join("dw"[step.node] for step in steps)
    assert order.startswith("wwwwdwdwd")
    assert order.endswith("wd")
    assert [s.n_clusters for s in steps if s.node == 1][:4] == [2, 4, 8, 16]
    assert [s.action for s in steps if s.node == 0] == ["merge"] * 9 + ["exhaustive"]
    assert max(s.n_clusters for s in steps if s.node == 1) == 256


def test_many_values_are_gathered_before_they_are_merged():
    """A coarse start replaces the dearest merges, and only where it saves enough."""
    words = NodeTask(1, 40_000, None, True, neighbours=20, facing=20_000)
    steps = [s for s in thesis([NodeTask(0, 20_000, 20, False, coarse=1024), words]) if s.node == 0]
    assert [s.n_clusters for s in steps] == [1024, 512, 256, 128, 64, 32, 20]
    assert [s.action for s in steps] == ["gather", *["merge"] * 5, "exhaustive"]
    assert NodeTask(0, 4096, 20, False, coarse=1024).gathers is None
    assert NodeTask(0, 20_000, 1000, False, coarse=1024).gathers == 4000
    plain = thesis([NodeTask(0, 20_000, 20, False, coarse=1024, exhaustive=False), words])
    assert [s.action for s in plain if s.node == 0][-1] == "merge"


def test_round_robin_starts_with_one_split():
    """The 2005 paper's plain order."""
    steps = round_robin([NodeTask(0, 64, 8, False), NodeTask(1, 4096, None, True)])
    assert [step.node for step in steps] == [1, 0, 1, 0, 1, 0]


tasks = st.lists(
    st.tuples(st.integers(1, 300), st.integers(1, 40), st.booleans(), st.booleans()),
    min_size=1,
    max_size=4,
)


@given(tasks, st.sampled_from(["thesis", "round_robin"]))
def test_every_number_that_was_asked_for_is_reached(drawn, name):
    """For any mix of nodes, following the steps ends at each node's k, through legal moves."""
    made = [
        NodeTask(i, size, min(k, size) if wanted or not down else None, down)
        for i, (size, k, down, wanted) in enumerate(drawn)
    ]
    now = {task.node: 1 if task.top_down else task.size for task in made}
    for step in make_schedule(name, made):
        before = now[step.node]
        if step.action == "split":
            assert before < step.n_clusters <= 2 * before
        elif step.action in ("merge", "exhaustive"):
            assert (before + 1) // 2 <= step.n_clusters < before
        else:
            assert step.n_clusters == before
        now[step.node] = step.n_clusters
    for task in made:
        if task.n_clusters is not None:
            assert now[task.node] == task.n_clusters
        else:
            assert now[task.node] >= min(2, task.size)


def test_unknown_schedules_are_refused():
    """The names that exist are listed."""
    with pytest.raises(InputError, match=r"'zigzag'.*thesis"):
        make_schedule("zigzag", [])


def test_two_splits_a_merge():
    """Figure 3 of 2005: ratio 2."""
    steps = double([NodeTask(0, 64, 8, False), NodeTask(1, 4096, 64, True)])
    assert [step.node for step in steps] == [1, 1, 0, 1, 1, 0, 1, 1, 0]


@given(st.integers(2, 5000), st.integers(2, 60), st.integers(2, 5000), st.integers(2, 60))
def test_weighted_turns_hold_every_step_once(n, k, m, c):
    """Each side takes its own number of steps in its own order, spread over the whole."""
    k, c = min(k, n), min(c, m)
    steps = weighted([NodeTask(0, n, k, False), NodeTask(1, m, c, True)])
    merges = [s.n_clusters for s in steps if s.node == 0]
    assert merges == merge_levels(n, k)
    splits = [s.n_clusters for s in steps if s.node == 1 and s.action == "split"]
    assert splits == split_levels(m, c)
    ends = [s.n_clusters for s in steps if s.node == 1]
    assert (ends or [1])[-1] == c
