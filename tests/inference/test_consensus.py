"""Several runs that agree: numbers of clusters, determinism, stability, interruption."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings

from comraf.checks import check_method
from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.inference import Control, MDCOptions, Problem, Step, run_mdc
from comraf.inference.agreement import agreement_plan, stability
from comraf.inference.consensus import _Consensus
from comraf.inference.gathering import gather
from comraf.inference.moves import counts_of, plan_value
from comraf.inference.polishing import polish
from comraf.metrics import micro_accuracy
from comraf.objectives import PairPreference
from comraf.progress import Stop
from tests.inference.test_mdc import planted, solve, two_sided
from tests.strategies import brute_information, brute_objective, graphs, seeds

RUNS = {"n_runs": 4, "polish": True}


@given(graphs(), seeds)
@settings(max_examples=25)
def test_any_graph_keeps_the_rules_of_methods(graph, seed):
    """Cycles, observed nodes, several sides with numbers; every value has its stability."""
    options = MDCOptions(n_runs=3, polish=True)
    check_method("mdc", graph, options=options, random_state=seed, stops=(1, 6))
    problem, outcome = solve(graph, seed, n_runs=3, polish=True)
    for node in problem.hidden:
        assert outcome.stability[node].shape == outcome.state.labels[node].shape
        assert (outcome.stability[node] > 0).all()
        assert (outcome.stability[node] <= 1).all()
    assert outcome.n_runs == 3


def test_runs_together_are_better_than_one():
    """On blocks that a single run finds in part, eight runs find more."""
    table, truth = planted(n=150, m=120, k=5, strength=1.0)
    alone, together = (
        np.mean(
            [
                micro_accuracy(
                    truth, solve(two_sided(table, 5), seed=s, **options)[1].state.labels[0]
                )
                for s in range(4)
            ]
        )
        for options in ({}, {"n_runs": 8, "polish": True})
    )
    assert together > alone + 0.02


def test_stable_items_are_more_often_right():
    """What the runs agree on is right more often than what they quarrel about."""
    table, truth = planted(n=300, m=60, k=4, strength=1.1)
    _, outcome = solve(two_sided(table, 4), n_runs=8, polish=True)
    labels, votes = outcome.state.labels[0], outcome.stability[0]
    largest = np.array([np.bincount(truth[labels == c], minlength=4).argmax() for c in range(4)])
    right = largest[labels] == truth
    sure = votes > np.median(votes)
    assert 0.3 < right.mean() < 1
    assert right[sure].mean() > right[~sure].mean() + 0.05


def test_the_agreement_is_a_comraf_over_the_runs():
    """Its value changes as the information about (run, cluster) does, by definition."""
    rng = np.random.default_rng(0)
    problem = Problem(two_sided(planted()[0], 3))
    given_ = [rng.integers(0, k, 60).astype(np.int32) for k in (4, 5, 6)]
    table = np.concatenate([np.eye(int(g.max()) + 1, dtype=int)[g] for g in given_], axis=1)
    state = problem.start({0: (given_[0], 4), 1: (np.zeros(80, dtype=np.int32), 1)})
    plan = agreement_plan(problem, 0, state, given_)
    singles = np.arange(table.shape[1])
    values, expected = [], []
    for k in (2, 3, 7):
        labels = (np.arange(60) % k).astype(np.int32)
        values.append(plan_value(plan, counts_of(plan, labels, k)))
        expected.append(brute_information(table, labels, singles))
    np.testing.assert_allclose(np.diff(values), np.diff(expected), atol=1e-12)


def test_preferences_stay_in_force_while_runs_agree():
    """A strong wish to keep two rows of one block apart holds to the end.

    Nothing is polished here: that would mend what the agreement had lost.
    """
    table, _ = planted(strength=6.0)
    for seed in range(3):
        problem = Problem(two_sided(table, 3))
        problem.add_terms([PairPreference(0, [(0, 3)], [-50.0], n=60)])
        outcome = run_mdc(problem, MDCOptions(n_runs=4), np.random.SeedSequence(seed))
        assert outcome.state.labels[0][0] != outcome.state.labels[0][3]
    given_ = [np.arange(60, dtype=np.int32) % k for k in (3, 6)]
    state = problem.start({0: (given_[0], 3), 1: (np.zeros(80, dtype=np.int32), 1)})
    plan = agreement_plan(problem, 0, state, given_)
    assert plan.pair_weights.tolist() == [-50.0, -50.0]  # in the rows of both


class _Told(_Consensus):
    """Runs that agree, and all ends they could have had."""

    def __init__(self, *args):
        super().__init__(*args)
        self.ends = []

    def _end(self, *args):
        self.ends.append(super()._end(*args))
        return self.ends[-1]


def test_ends_are_compared_by_single_values():
    """What an end is worth is its information about single words; the worthiest is kept."""
    table, _ = planted(n=90, m=70, k=6, strength=0.9)
    problem = Problem(two_sided(table, 6))
    runs = _Told(problem, MDCOptions(**RUNS), 1, Control())
    runs.run(np.random.SeedSequence(0))
    assert len(runs.ends) > 3
    worths = [brute_information(table, end.labels, np.arange(70)) for _, end in runs.ends]
    np.testing.assert_allclose([value for value, _ in runs.ends], worths, atol=1e-9)
    given_ = [runs.found[number] for number in sorted(runs.found)]
    agreed = runs._agree(0, given_, np.random.SeedSequence(1), 6)
    last = [brute_information(table, end.labels, np.arange(70)) for _, end in runs.ends[-6:]]
    found = brute_information(table, agreed.labels, np.arange(70))
    assert found == pytest.approx(max(last))
    assert found > min(last) + 1e-6


@pytest.mark.parametrize(("k", "clusters"), [(3, 6), (10, 15), (15, 15), (20, 20)])
def test_runs_have_clusters_to_spare(k, clusters):
    """Twice those wanted, but no more than one for four values, and never fewer than wanted."""
    problem = Problem(two_sided(planted()[0], k))
    runs = _Told(problem, MDCOptions(**RUNS), 1, Control())
    outcome = runs.run(np.random.SeedSequence(0))
    assert {run.state.n_clusters[0] for run in runs.found.values()} == {clusters}
    assert outcome.state.n_clusters[0] == k


def test_polishing_climbs_the_information_about_single_values():
    """Against unclustered neighbours a polish never loses."""
    table, _ = planted(n=90, m=70, strength=0.8)
    problem = Problem(two_sided(table, 4))
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 90).astype(np.int32)
    state = problem.start({0: (labels, 4), 1: (np.zeros(70, dtype=np.int32), 1)})
    after = polish(problem, state, 0, rng, lambda part: None)
    assert after.n_clusters == state.n_clusters
    np.testing.assert_array_equal(after.labels[1], state.labels[1])
    before_, after_ = (brute_information(table, s.labels[0], np.arange(70)) for s in (state, after))
    assert after_ > before_


def test_gathering_puts_every_value_to_the_seed_it_fits():
    """Clear blocks and enough seeds: nobody lands with strangers, every seed has a cluster."""
    table, truth = planted(n=400, m=40, k=4, strength=6.0)
    problem = Problem(two_sided(table, 4))
    singles = np.arange(40, dtype=np.int32)
    state = problem.start({0: (np.arange(400, dtype=np.int32), 400), 1: (singles, 40)})
    plan = problem.objective.plan(0, state)
    labels = gather(plan, 32, np.random.default_rng(0), lambda part: None)
    assert np.array_equal(np.unique(labels), np.arange(32))
    assert micro_accuracy(truth, labels) > 0.98


def test_a_coarse_start_ends_where_it_should():
    """Gathered into 64 clusters first, the planted groups still come out."""
    table, truth = planted(n=600, m=60, k=3)
    problem, outcome = solve(two_sided(table, 3), coarse=64)
    assert "gather" in [p.action for p in outcome.trace]
    assert micro_accuracy(truth, outcome.state.labels[0]) == 1.0
    assert outcome.objective == pytest.approx(brute_objective(problem, outcome.state), abs=1e-10)


def test_empty_rows_take_no_part():
    """Rows without counts come home to cluster 0 with a stability of 0."""
    table, _ = planted(n=30, m=20)
    wide = np.zeros((33, 20), dtype=int)
    wide[1:31] = table
    problem, outcome = solve(two_sided(wide, 3), **RUNS)
    assert problem.expand(outcome.state)["d"][[0, 31, 32]].tolist() == [0, 0, 0]
    votes = problem.expand_stability(outcome.stability)["d"]
    assert votes[[0, 31, 32]].tolist() == [0, 0, 0]
    assert (votes[1:31] > 0).all()


def test_stability_of_equal_runs_is_one():
    """Runs that all say the same leave no doubt."""
    labels = np.array([0, 1, 1, 2], dtype=np.int32)
    np.testing.assert_allclose(stability([labels, labels[::1]], labels), 1.0)


@pytest.mark.parametrize("options", [{"polish": True}, RUNS])
def test_sides_with_a_number_are_fitted_to_the_final_rows(options):
    """Asking for the number that would be taken anyway costs next to nothing."""
    table, _ = planted(n=160, m=200, k=5, strength=2.0)
    _, free = solve(two_sided(table, 5), **options)
    asked = two_sided(table, 5, n_clusters=free.state.n_clusters[1])
    _, bound = solve(asked, **options)
    assert bound.objective > 0.97 * free.objective


def test_few_values_a_cluster_still_find_their_partners():
    """Twenty pairs into twenty clusters: runs left at singletons would miss one in thirty."""
    pairs = np.repeat(np.arange(20), 2)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        table = rng.poisson(np.where(pairs[:, None] == np.arange(80) // 4, 6.0, 0.3))
        _, outcome = solve(two_sided(table + np.eye(40, 80, dtype=int), 20), **RUNS)
        labels = outcome.state.labels[0]
        assert (labels[::2] == labels[1::2]).all()


def test_one_cluster_and_nothing_to_do():
    """Numbers that are reached at the start leave an empty trace, not an error."""
    table, _ = planted()
    graph = Graph(
        [Node("d", n_clusters=1, direction="top-down"), Node("w", observed="singletons")],
        [Edge("d", "w", table)],
    )
    for options in ({"polish": True}, RUNS):
        _, outcome = solve(graph, **options)
        assert outcome.state.labels[0].max() == 0


def test_a_schedule_gathers_single_values_only():
    """A gather step in the middle would throw the work before it away: it is refused."""
    table, _ = planted()
    good = [Step(1, "split", 4), Step(0, "gather", 20), Step(0, "exhaustive", 3)]
    assert solve(two_sided(table, 3), schedule=good)[1].state.n_clusters[0] == 3
    bad = [Step(1, "split", 4), Step(0, "merge", 10), Step(0, "gather", 3)]
    with pytest.raises(InputError, match="gathers 'd' when it has 10 clusters"):
        solve(two_sided(table, 3), schedule=bad)


def test_gathering_asks_for_its_own_memory_only(monkeypatch):
    """Many single values against an observed side fit once they are gathered."""
    import comraf.graph.tables as tables

    table, _ = planted(n=3000, m=60)
    graph = Graph(
        [Node("d", n_clusters=3), Node("w", observed="singletons")], [Edge("d", "w", table)]
    )
    monkeypatch.setattr(tables, "available_memory", lambda: 16.0 * 61 * 200)
    assert solve(graph, coarse=64)[1].state.n_clusters[0] == 3


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_at_any_moment_gives_an_answer(n_jobs):
    """Real signals at random moments: whole partitions each time, never another error."""
    table, _ = planted(n=120, m=60)
    rng = np.random.default_rng(n_jobs)
    solve(two_sided(table, 3), **RUNS)  # compiled before the clock runs
    started = time.perf_counter()
    solve(two_sided(table, 3), n_jobs=n_jobs, **RUNS)
    length = time.perf_counter() - started
    interrupted = 0
    for _ in range(25):
        timer = threading.Timer(
            rng.uniform(0.05, 0.95) * length, os.kill, (os.getpid(), signal.SIGINT)
        )
        timer.start()
        try:
            _, outcome = solve(two_sided(table, 3), n_jobs=n_jobs, **RUNS)
            timer.join()
        except KeyboardInterrupt:  # after the fit, or while the problem was being made
            continue
        interrupted += outcome.interrupted
        assert outcome.state.n_clusters[0] == 3
    assert interrupted > 5


def test_memory_of_runs_side_by_side_is_asked_for_at_once(monkeypatch):
    """What one run may take, four at a time may not; polishing is refused before the search."""
    import comraf.graph.tables as tables
    from comraf.errors import TooLargeError

    table, _ = planted(n=40, m=3000)
    monkeypatch.setattr(tables, "available_memory", lambda: 16.0 * 3001 * 6 * 2.5)
    graph = two_sided(table, 3)
    assert solve(graph, **RUNS)[1].n_runs == 4
    events = []
    with pytest.raises(TooLargeError, match="polishing, 4 tables"):
        solve(graph, n_jobs=4, control=Control(events.append), **RUNS)
    assert not events


@pytest.mark.parametrize("polished", [False, True])
def test_the_other_sides_follow_what_was_agreed_on(polished):
    """The first side is agreed on and polished if wanted; then the others are fitted, twice."""
    table, _ = planted(n=40, m=30)
    _, outcome = solve(two_sided(table, 3, n_clusters=4), n_runs=3, polish=polished)
    tail = [(point.node, point.action) for point in outcome.trace]
    tail = tail[next(i for i, (_, action) in enumerate(tail) if action == "agree") :]
    middle = [("d", "polish"), ("d", "settle")] if polished else []
    assert tail == [("d", "agree"), *middle, ("w", "sweep"), ("w", "sweep")]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_listener_that_raises_stop_keeps_the_best_in_every_thread(n_jobs):
    """It ends as with Ctrl-C, wherever the event came from."""
    told = []

    def listen(event):
        told.append(event)
        if event.done > 0.3:
            raise Stop

    table, _ = planted(n=120, m=60)
    _, outcome = solve(two_sided(table, 3), control=Control(listen), n_runs=6, n_jobs=n_jobs)
    assert outcome.interrupted
    assert outcome.state.n_clusters[0] == 3
    assert max(event.done for event in told[:-1]) < 0.9


def test_ctrl_c_at_the_last_word_of_a_single_run_gives_its_answer():
    """What was found before it was polished stands."""
    told = []

    def listen(event):
        if event.done >= 1 and not told:
            told.append(event)
            raise KeyboardInterrupt

    table, _ = planted(n=40, m=30)
    _, outcome = solve(two_sided(table, 3), control=Control(listen), n_runs=1, polish=True)
    assert told
    assert outcome.interrupted
    assert outcome.state.n_clusters[0] == 3
