"""Sizes of clusters: even ones, those of finer clusters joined, and which of the two is taken."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.inference import Control, MDCOptions, Problem, options_for, run_mdc
from comraf.inference.ending import BEYOND, DOUBTFUL, LEAST, halfway, is_uneven, linked, single
from comraf.inference.splitting import halve
from comraf.metrics import ari
from comraf.objectives import FIRM, PairPreference
from tests.strategies import brute_information

EVEN, UNEVEN = (50, 50, 50, 50), (240, 15, 12, 10)
QUICK = {"n_runs": 3, "polish": True, "starts": (2, 1)}


def planted(sizes, seed=0, words=15, strength=0.5, length=30):
    """Rows whose words are those of their topic, at a strength, or any; and the topics."""
    rng = np.random.default_rng(seed)
    topics = np.repeat(np.arange(len(sizes)), sizes)
    table = np.zeros((len(topics), words * len(sizes)), dtype=np.int64)
    for row, topic in zip(table, topics, strict=True):
        own = rng.binomial(length, strength)
        np.add.at(row, rng.integers(0, words, own) + words * topic, 1)
        np.add.at(row, rng.integers(0, len(row), length - own), 1)
    return table, topics


def a_problem(table, k):
    """Rows in some clusters, columns split."""
    nodes = [Node("rows", n_clusters=k), Node("columns", direction="top-down")]
    return Problem(Graph(nodes, [Edge("rows", "columns", table)]))


def ended(table, k, sizes, n_jobs=1, terms=(), **options):
    """Labels of the rows, and the actions of the search."""
    problem = a_problem(table, k)
    problem.add_terms(terms)
    made = MDCOptions(**{**QUICK, **options}, sizes=sizes)
    outcome = run_mdc(problem, made, np.random.SeedSequence(0), n_jobs)
    assert outcome.state.n_clusters[0] == k
    assert len(np.unique(outcome.state.labels[0])) == k
    assert outcome.levels[0][-1] is outcome.state.labels[0]
    return outcome.state.labels[0], [point.action for point in outcome.trace]


@pytest.mark.parametrize("options", [{}, {"n_runs": 1}, {"keep": "best"}])
def test_uneven_topics_are_found_by_free_sizes(options):
    """Even clusters cut the large topic; those of finer ones don't, and auto takes them."""
    table, topics = planted(UNEVEN)
    even, free, chosen = (ended(table, 4, sizes, **options) for sizes in ("even", "free", "auto"))
    assert ari(topics, free[0]) > ari(topics, even[0]) + 0.2
    np.testing.assert_array_equal(chosen[0], free[0])
    assert [("link" in actions) for _, actions in (even, free, chosen)] == [False, True, True]
    assert "polish" not in free[1]  # even clusters that nobody asked for


def test_even_topics_are_left_to_the_objective():
    """Where sizes are even, auto gives the labels of even, to the last one."""
    table, _ = planted(EVEN)
    even, chosen = (ended(table, 4, sizes) for sizes in ("even", "auto"))
    np.testing.assert_array_equal(chosen[0], even[0])
    assert even[1] == chosen[1]


def test_the_answer_does_not_depend_on_threads():
    """One job and two give the same labels."""
    table, _ = planted(UNEVEN)
    one, two = (ended(table, 4, "free", n_jobs=n)[0] for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_paper_is_even_unless_it_is_told():
    """Without polishing auto is even; free joins what the run has walked through."""
    table, topics = planted(UNEVEN)
    one_run = {**{f: getattr(options_for("paper"), f) for f in ("n_runs", "polish")}}
    even, free, chosen = (ended(table, 4, sizes, **one_run) for sizes in ("even", "free", "auto"))
    np.testing.assert_array_equal(chosen[0], even[0])
    assert ari(topics, free[0]) > ari(topics, even[0])
    assert "polish" not in free[1]


def test_pairs_hold():
    """What must be apart stays so, though what it is made of is the same."""
    table, _ = planted(UNEVEN)
    apart = np.array([(i, 20) for i in range(20)])
    terms = [PairPreference(0, apart, np.full(20, -FIRM), n=len(table))]
    labels, _ = ended(table, 4, "free", terms=terms)
    assert (labels[:20] != labels[20]).all()
    without, _ = ended(table, 4, "free")
    assert (without[:20] == without[20]).mean() > 0.5


def test_too_few_values_for_finer_clusters_end_even():
    """Where there are no finer clusters there is nothing to join."""
    table, _ = planted((3, 3))
    assert "link" not in ended(table, 2, "free")[1]


class _StoppedAt(Control):
    """Stops at what it is told so often with a message."""

    def __init__(self, message, times):
        super().__init__()
        self.message, self.left = message, times

    def advance(self, share, make):
        """Count what is told of all runs together."""
        event = make(0.0)
        self.left -= event.message == self.message and event.run is None
        if self.left == 0:
            self.stop()
        super().advance(share, make)


@pytest.mark.parametrize("sizes", ["auto", "free"])
@pytest.mark.parametrize("stop", [("the runs agree", 53), ("polishing", 1), ("polishing", 6)])
def test_a_stop_keeps_the_answer(stop, sizes):
    """Cut short while it ends, a search has as many clusters as were asked for."""
    problem = a_problem(planted(UNEVEN)[0], 4)
    control = _StoppedAt(*stop)
    made = MDCOptions(**QUICK, sizes=sizes)
    outcome = run_mdc(problem, made, np.random.SeedSequence(0), 1, control)
    assert control.left <= 0
    assert outcome.interrupted
    assert outcome.state.n_clusters[0] == 4
    assert len(np.unique(outcome.state.labels[0])) == 4
    whole = run_mdc(problem, made, np.random.SeedSequence(0))
    agreed = [next(p for p in found.trace if p.action == "agree") for found in (outcome, whole)]
    assert agreed[0].objective == agreed[1].objective  # what had been agreed on stands


def test_what_must_be_apart_is_not_joined_by_choice():
    """Auto ends even where the free clusters would join what must be apart."""
    table, topics = planted(UNEVEN)
    finer = np.where(topics == 0, np.arange(len(table)) // 30, 7 + topics).astype(np.int32)
    even = np.where(topics == 0, np.arange(len(table)) // 80, 3).astype(np.int32)
    verdicts = []
    for pair in ((0, 1), (0, 250)):
        problem = a_problem(table, 4)
        problem.add_terms([PairPreference(0, [pair], [-FIRM], n=len(table))])
        start = problem.start(
            {0: (problem.singletons(0), len(table)), 1: (np.zeros(60, np.int32), 1)}
        )
        plan = single(problem, start, 0)
        tree = linked(problem, plan, 0, finer)
        verdicts.append(is_uneven(plan, problem.masses(0), [tree], even))
    assert verdicts == [False, True]


def test_the_rate_decides():
    """Even clusters stay if they tell a part of what finer ones tell, for each nat more.

    And if finer ones tell little more than random halves.
    """
    rng, seen = np.random.default_rng(0), set()
    for table in (rng.poisson(3.0, (8, 12)).repeat(3, axis=0) + 1, rng.poisson(3.0, (24, 12)) + 1):
        problem = a_problem(table, 2)
        start = problem.start({0: (problem.singletons(0), 24), 1: (np.zeros(12, np.int32), 1)})
        plan, masses = single(problem, start, 0), problem.masses(0)
        finer = [np.arange(8).repeat(3), np.arange(24) % 8]
        trees = [linked(problem, plan, 0, labels.astype(np.int32)) for labels in finer]

        def point(labels, table=table, masses=masses):
            """Information about single columns, and entropy, by definition."""
            share = np.bincount(labels, weights=masses) / masses.sum()
            told = brute_information(table, labels, np.arange(12))
            return np.array([told, -(share * np.log(share)).sum()])

        ends = [(point(tree.cut(2)), point(tree.leaves)) for tree in trees]
        for _ in range(200):
            even = np.isin(np.arange(8), rng.permutation(8)[:4]).astype(np.int32).repeat(3)
            some = rng.permutation(24)[: rng.integers(0, 12)]
            even[some] = rng.permutation(even[some])
            now = point(even)
            halves = point(halve(even, 2, np.random.default_rng(0), 8)[0])
            for chosen in ([0], [0, 1]):  # the rates are those of all trees together
                lost = sum(now - ends[i][0] for i in chosen)
                more = sum(ends[i][1] - now for i in chosen)
                rates = [gain[0] / gain[1] for gain in (lost, more, halves - now)]
                for least, most in ((LEAST, BEYOND), (DOUBTFUL, 1.0)):
                    told, beyond = rates[0] < least * rates[1], rates[1] >= most * rates[2]
                    bounds = {} if least == LEAST else {"least": least, "beyond": most}
                    taken = is_uneven(plan, masses, [trees[i] for i in chosen], even, **bounds)
                    assert taken == (lost[1] > 0 and told and beyond)
                if lost[1] > 0:
                    seen.add((len(chosen), bool(told), bool(beyond)))
    assert len(seen) >= 6


@pytest.mark.parametrize(("shape", "doubt"), [((600,) * 4, False), ((2000, 150, 120, 100), True)])
def test_a_single_search_polishes_finer_clusters_only_in_doubt(shape, doubt):
    """Where those it passed on its way leave no doubt that the end is even, that is enough."""
    problem, ticks = a_problem(planted(shape)[0], 4), []
    for sizes in ("even", "auto"):
        control = _StoppedAt("polishing", 10**9)
        made = MDCOptions(**{**QUICK, "n_runs": 1}, sizes=sizes)
        run_mdc(problem, made, np.random.SeedSequence(0), 1, control)
        ticks.append(10**9 - control.left)
    assert (ticks[1] > ticks[0]) == doubt


def test_levels_lie_between():
    """Cuts above those wanted are levels, finest first, the leaves among them."""
    table, _ = planted(EVEN)
    problem = a_problem(table, 4)
    start = problem.start({0: (problem.singletons(0), 200), 1: (np.zeros(60, np.int32), 1)})
    finer = (np.arange(200) // 10).astype(np.int32)
    tree = linked(problem, single(problem, start, 0), 0, finer)
    levels = halfway(tree, 4)
    numbers = [n for n, _ in levels]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] == 20
    assert numbers[-1] > 4
    for n, labels in levels:
        np.testing.assert_array_equal(labels, tree.cut(n))


def test_unknown_sizes_are_refused():
    """What there is to choose from is named."""
    with pytest.raises(InputError, match="sizes='odd' is unknown; choose one of"):
        MDCOptions(sizes="odd")
