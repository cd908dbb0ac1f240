"""MDC as a whole: numbers of clusters, determinism, traces, interruption."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.checks import check_method
from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.inference import (
    Control,
    MDCOptions,
    Problem,
    SequentialOptions,
    Step,
    run_mdc,
    run_sequential,
)
from comraf.inference.control import run_all
from comraf.progress import Event
from tests.strategies import brute_objective, graphs, seeds


def planted(n=60, m=80, k=3, seed=0, strength=4.0):
    """Rows and columns in k blocks, with noise."""
    rng = np.random.default_rng(seed)
    rows, columns = np.arange(n) % k, np.arange(m) % k
    rate = np.where(rows[:, None] == columns[None, :], strength, 0.5)
    return rng.poisson(rate), rows


def two_sided(table, k, **options):
    """Documents bottom-up, words top-down."""
    return Graph(
        [Node("d", n_clusters=k), Node("w", direction="top-down", **options)],
        [Edge("d", "w", table)],
    )


def solve(graph, seed=0, n_jobs=1, control=None, **options):
    """MDC on a graph: the problem and the outcome."""
    problem = Problem(graph)
    return problem, run_mdc(
        problem, MDCOptions(**options), np.random.SeedSequence(seed), n_jobs, control
    )


@given(
    graphs(),
    seeds,
    st.sampled_from(["sequential", "shuffled", "annealed"]),
    st.sampled_from(["thesis", "round_robin"]),
    st.sampled_from(["js", "loss"]),
)
@settings(max_examples=40)
def test_any_graph_keeps_the_rules_of_methods(graph, seed, moves, schedule, cost):
    """Cycles, observed nodes, parallel edges; stopped in the middle, too."""
    options = MDCOptions(moves=moves, schedule=schedule, merge_cost=cost, n_restarts=2)
    check_method("mdc", graph, options=options, random_state=seed, stops=(3,))


def test_planted_blocks_are_found():
    """Three clear blocks come out exactly, whatever the kind of moves."""
    table, truth = planted()
    for moves in ("sequential", "shuffled", "annealed"):
        _, outcome = solve(two_sided(table, 3), moves=moves)
        assert len(set(zip(outcome.state.labels[0], truth, strict=True))) == 3


def test_restarts_keep_the_best():
    """More restarts of each step help on average over seeds."""
    table, _ = planted(strength=0.5)
    few = np.mean([solve(two_sided(table, 4), seed=s)[1].objective for s in range(12)])
    many = np.mean(
        [solve(two_sided(table, 4), seed=s, n_restarts=8)[1].objective for s in range(12)]
    )
    assert many > few


def test_values_without_counts_come_home_to_cluster_zero():
    """Empty rows and columns take no part and land in the heaviest cluster."""
    table, _ = planted(n=30, m=20)
    wide = np.zeros((33, 22), dtype=int)
    wide[1:31, 2:] = table
    problem, outcome = solve(two_sided(wide, 3))
    labels = problem.expand(outcome.state)
    assert labels["d"][[0, 31, 32]].tolist() == [0, 0, 0]
    assert labels["w"][[0, 1]].tolist() == [0, 0]
    _, bare = solve(two_sided(table, 3))
    np.testing.assert_array_equal(labels["d"][1:31], bare.state.labels[0])


def test_clusters_are_numbered_by_mass():
    """Cluster 0 is the heaviest, and so on down: by a count of one's own, not by the problem's."""
    table, _ = planted()
    table[::3] *= 5
    _, outcome = solve(two_sided(table, 3))
    mass = np.bincount(outcome.state.labels[0], weights=table.sum(axis=1))
    assert (np.diff(mass) < 0).all()


def test_more_clusters_than_the_exhaustive_limit():
    """A last iteration that loses hundreds of clusters still lands on k."""
    rng = np.random.default_rng(0)
    _, outcome = solve(two_sided(rng.poisson(0.8, (260, 40)) + np.eye(260, 40, dtype=int), 140))
    assert outcome.state.n_clusters[0] == 140


def test_a_schedule_of_ones_own():
    """Steps can be given one by one; a node that is observed can't be visited."""
    table, _ = planted()
    steps = [
        Step(1, "split", 2),
        Step(1, "split", 4),
        Step(0, "merge", 10),
        Step(0, "exhaustive", 3),
    ]
    _, outcome = solve(two_sided(table, 3), schedule=steps)
    assert [p.n_clusters for p in outcome.trace] == [2, 4, 10, 3]
    graph = Graph(
        [Node("d", n_clusters=2), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    with pytest.raises(InputError, match="node 1, which is not hidden"):
        solve(graph, schedule=steps)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_restarts": 0}, "n_restarts=0"),
        ({"passes": -1.0}, "passes=-1"),
        ({"passes": float("inf")}, "passes=inf"),
        ({"merge_cost": "x"}, "'x'.*js"),
    ],
)
def test_bad_options(options, message):
    """Each bad option is named with its value."""
    with pytest.raises(InputError, match=message):
        MDCOptions(**options)


def test_both_sides_bottom_up_is_refused_when_it_cannot_fit(monkeypatch):
    """The dense table of clusters is estimated before it is taken."""
    import comraf.graph.tables as tables
    from comraf.errors import TooLargeError

    table, _ = planted()
    graph = Graph([Node("d", n_clusters=3), Node("w", n_clusters=3)], [Edge("d", "w", table)])
    monkeypatch.setattr(tables, "available_memory", lambda: 20_000.0)
    with pytest.raises(TooLargeError, match="fewer clusters"):
        solve(graph)


def test_progress_rises_to_one_and_names_the_work():
    """Events never fall back, end at 1, and carry node, clusters and objective."""
    events = []
    table, _ = planted()
    _, outcome = solve(two_sided(table, 3), control=Control(events.append), n_restarts=2)
    done = [event.done for event in events]
    assert done == sorted(done)
    assert done[-1] == pytest.approx(1.0)
    assert events[-1].node == "d"
    assert events[-1].n_clusters == 3
    assert events[-1].objective == outcome.objective
    assert events[-1].n_steps == len(outcome.trace)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_becomes_a_stop(n_jobs):
    """A real SIGINT while tasks run keeps what has finished and stops the rest."""
    import os
    import signal
    import time

    control = Control()

    def quick():
        return 1

    def slow():
        for _ in range(1000):
            control.advance(0.0, lambda done: Event("test", done))
            time.sleep(0.01)
        return 2

    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    started = time.perf_counter()
    results = run_all([quick, slow, slow], n_jobs, control)
    timer.cancel()
    assert time.perf_counter() - started < 3
    assert control.stopped
    assert results[0] == 1
    assert results[1:] == [None, None]


def test_a_stop_at_once_still_gives_the_wanted_groups():
    """Stopped before anything was done, a large run ends soon, with all clusters wanted."""
    import time

    rng = np.random.default_rng(0)
    table = rng.poisson(0.02, (20_000, 300))
    table[:, 0] += 1
    control = Control()
    control.stop()
    started = time.perf_counter()
    _, outcome = solve(two_sided(table, 12, n_clusters=7), control=control)
    assert outcome.interrupted
    assert outcome.state.n_clusters == (12, 7)
    assert time.perf_counter() - started < 20  # compiling included


@pytest.mark.parametrize("k", [4, 5, 13, 32, 64, 99, 100])
def test_top_down_sides_reach_their_number(k):
    """Any number of column clusters up to all columns is met, however unbalanced they grow."""
    rng = np.random.default_rng(k)
    for seed in range(3):
        graph = two_sided(rng.poisson(0.7, (60, 100)) + 1, 3, n_clusters=k)
        _, outcome = solve(graph, seed=seed)
        assert outcome.state.n_clusters == (3, k)
        assert len(np.unique(outcome.state.labels[1])) == k


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "leaves 'd' with 60 clusters, but 3 are wanted"),
        ([Step(0, "merge", 2)], "with 2 clusters, but 3"),
        ([1], "list of Steps"),
        (None, "list of Steps"),
    ],
)
def test_schedules_that_end_elsewhere_are_refused(steps, message):
    """A schedule of one's own has to be one, and has to end at every wanted number."""
    table, _ = planted()
    with pytest.raises(InputError, match=message):
        solve(two_sided(table, 3), schedule=steps)
    with pytest.raises(InputError, match="action is 'foo'"):
        Step(0, "foo", 3)
    with pytest.raises(InputError, match="n_clusters=0"):
        Step(0, "merge", 0)


def test_a_stopped_flat_search_keeps_its_last_pass():
    """Ctrl-C in the only restart gives what it had, not a random start."""
    table, _ = planted(n=200, m=60, strength=1.0)
    nodes = [Node("d", n_clusters=4), Node("w", observed="singletons")]
    problem = Problem(Graph(nodes, [Edge("d", "w", table)]))
    control = Control()
    seen = []

    def listen(event):
        seen.append(event.done)
        if len(seen) == 4:
            control.stop()

    control.reporter._listener, control.reporter._gap = listen, 0.0
    options = SequentialOptions(n_restarts=1, max_passes=50)
    stopped = run_sequential(problem, options, np.random.SeedSequence(0), 1, control)
    full = run_sequential(problem, options, np.random.SeedSequence(0))
    assert stopped.interrupted
    assert stopped.objective > 0.7 * full.objective
    assert 1 < stopped.trace[0].step <= 5


@given(graphs(), seeds)
@settings(max_examples=20)
def test_flat_search_reaches_a_local_optimum(graph, seed):
    """No single move can raise the objective that a converged flat search reports."""
    problem = Problem(graph)
    options = SequentialOptions(n_restarts=2, max_passes=200)
    outcome = run_sequential(problem, options, np.random.SeedSequence(seed))
    assert outcome.objective == pytest.approx(brute_objective(problem, outcome.state), abs=1e-10)
    for node in problem.hidden:
        labels, k = outcome.state.labels[node], outcome.state.n_clusters[node]
        for i in range(len(labels)):
            if (labels == labels[i]).sum() == 1:
                continue
            for c in range(k):
                moved = labels.copy()
                moved[i] = c
                state = outcome.state.replace(node, moved, k)
                assert brute_objective(problem, state) <= outcome.objective + 1e-8


def test_flat_search_needs_numbers_and_does_not_depend_on_n_jobs():
    """A node without n_clusters is refused; threads don't change the answer."""
    table, _ = planted(strength=0.9)
    with pytest.raises(InputError, match="'w' has no number of clusters"):
        run_sequential(Problem(two_sided(table, 3)), SequentialOptions(), np.random.SeedSequence(0))
    graph = Graph(
        [Node("d", n_clusters=4), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    one, two = (
        run_sequential(Problem(graph), SequentialOptions(), np.random.SeedSequence(1), n_jobs)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.state.labels[0], two.state.labels[0])
