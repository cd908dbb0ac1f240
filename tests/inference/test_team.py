"""Threads inside a sweep: the same answer for any number of them, and none left behind."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import comraf
from benchmarks.growth import planted
from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem
from comraf.inference.moves import counts_of, improve, plan_value
from comraf.inference.polishing import settle_counts
from comraf.inference.team import ALONE, Team


def nothing(part: float) -> None:
    """A tick nobody listens to."""


@pytest.fixture(scope="module")
def large():
    """A plan with so many elements that they go in batches, and a start."""
    table, _ = planted(6000, words=3000)
    rng = np.random.default_rng(0)
    graph = Graph(
        [Node("d", n_clusters=40), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    problem = Problem(graph)
    labels = rng.integers(0, 40, problem.sizes[0]).astype(np.int32)
    return problem.objective.plan(0, problem.start({0: (labels, 40)})), labels


def searched(plan, labels, team):
    """Labels after a search and after settling, and the gain."""
    counts = counts_of(plan, labels, 40)
    before = plan_value(plan, counts)
    gain = improve(plan, counts, np.random.default_rng(1), nothing, passes=3, team=team)
    assert plan_value(plan, counts) - before == pytest.approx(gain, rel=1e-9)
    found = counts.labels.copy()
    everyone = np.arange(plan.n_elements)
    settle_counts(plan, counts, everyone, np.random.default_rng(2), nothing, 3, team=team)
    return found, counts.labels, gain


def test_a_sweep_by_several_threads_is_that_by_one(large):
    """Two and four threads move what one moves, and do share the work."""
    plan, labels = large
    alone = searched(plan, labels, ALONE)
    assert alone[2] > 0
    for n_threads in (2, 4):
        begun = set()
        with Team(n_threads).at_work() as team:
            share = team.share

            def watched(work, *span, share=share, begun=begun):
                share(lambda *part: (begun.add(threading.get_ident()), work(*part)), *span)

            team.share = watched
            several = searched(plan, labels, team)
        assert len(begun) > 1
        for one, other in zip(alone, several, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("effort", "n_runs"), [("quick", None), ("default", 2)])
def test_labels_do_not_depend_on_n_jobs_where_sides_are_large(effort, n_runs):
    """One and four jobs find the same, with one run and with several."""
    table, _ = planted(4500, words=2000)
    found = [
        comraf.MDC(5, effort=effort, random_state=0, n_jobs=jobs, n_runs=n_runs).fit(table)
        for jobs in (1, 4)
    ]
    one, other = found
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.result_.objective == other.result_.objective
    assert not [t for t in threading.enumerate() if t.name.startswith("ThreadPool")]


def test_pieces_make_up_the_whole_and_a_failure_gets_out():
    """Every element is in one piece; what a helper raises is raised."""
    seen = np.zeros(1000, int)

    def mark(first, last):
        seen[first:last] += 1
        time.sleep(0.001)

    with Team(3).at_work() as team:
        team.share(mark, 10, 990, 1e5)
        assert (seen[10:990] == 1).all()
        assert seen.sum() == 980
        with pytest.raises(ZeroDivisionError):
            team.share(lambda first, last: 1 // 0, 0, 1000, 1e5)
        team.share(mark, 0, 1000, 1e5)
        assert (seen[10:990] == 2).all()


def test_threads_with_tasks_of_their_own_get_a_fair_share():
    """Of eight threads each of two members gets three helpers; of two each gets none."""
    for n_threads, helpers in ((8, 3), (2, 0), (1, 0)):
        team = Team(n_threads)
        with team.member(), team.member():
            assert team._borrow(100) == helpers
            assert team._borrow(100) == helpers
            assert team._borrow(100) == 0
    team = Team(8)
    assert team._borrow(2) == 2
    assert team._borrow(100) == 5
