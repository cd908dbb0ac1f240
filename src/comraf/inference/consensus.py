"""Several runs agree: their partitions become one more, observed, side of what they cluster.

Each run clusters the wanted sides into more clusters than asked for. A side's partitions in
all runs make a table, its values x (run, cluster), and the wanted number of clusters is
reached by merging and moving values so that they tell the most about that table. That is a
Comraf again, with observed nodes; the idea of a cluster ensemble is Strehl and Ghosh's
(2002). The last merges are where a single run loses most, and here many runs vote on them.

Finally values are *polished*: swept against the single values of their fullest neighbour
instead of clusters of them, and the sides without a number of their own are fitted to what
came out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.graph.tables import check_fits
from comraf.inference.control import Control, Stopped, run_all
from comraf.inference.merging import match, merge_pairs
from comraf.inference.moves import Tick, counts_of, improve, plan_value
from comraf.inference.options import MDCOptions
from comraf.inference.problem import Outcome, Problem
from comraf.inference.search import EXHAUSTIVE_SEARCHES, Search, wanted_clusters
from comraf.kernels.plan import Plan
from comraf.objectives import Labels, MutualInformation, Objective, State
from comraf.progress import Event, TracePoint

__all__ = ["agreement_plan", "polish", "run_consensus", "stability"]

# Passes of the sweeps on the table of runs, where a pass is cheap; of polishing a run, which
# need not stand still, and of polishing what they agree on.
_AGREE_PASSES = 4.0
_ROUGH_PASSES = 4.0
_POLISH_PASSES = 10.0
# Merging starts from so many of the runs' partitions; more starts find little more.
_MOST_STARTS = 8
# Cells of the largest table that is polished with.
_MOST_POLISHED = 2**29
# Rounds in which the other sides are fitted to the polished one.
_FITTING_ROUNDS = 2
# Shares of all work in the runs, in their agreement and in what follows, for the bar.
_IN_RUNS, _IN_AGREEING, _IN_FINISHING = 0.9, 0.06, 0.04


@dataclass(frozen=True, eq=False)
class _Run:
    """What one finished run hands on."""

    state: State
    trace: tuple[TracePoint, ...]


def _silent(part: float) -> None:
    """Tick for work that must not be stopped any more."""


def run_consensus(
    problem: Problem,
    options: MDCOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    """Runs of MDC, and what they agree on.

    A single run goes straight to the numbers of clusters wanted.
    """
    return _Consensus(problem, options, n_jobs, control or Control()).run(seed)


class _Consensus:
    def __init__(
        self, problem: Problem, options: MDCOptions, n_jobs: int, control: Control
    ) -> None:
        self.problem, self.options, self.n_jobs, self.control = problem, options, n_jobs, control
        self.wanted = wanted_clusters(problem)
        self.targets = [node for node, k in self.wanted.items() if k is not None]
        self.n_runs = options.n_runs if self.targets else 1
        self.at_once = min(n_jobs, self.n_runs)

    def run(self, seed: np.random.SeedSequence) -> Outcome:
        n_runs = self.n_runs
        if self.options.polish:
            self._check_polishing()
        *run_seeds, last = seed.spawn(n_runs + 1)
        if n_runs == 1:
            return self._alone(run_seeds[0], last)
        searches: list[Search | None] = [None] * n_runs
        share = _IN_RUNS / n_runs
        tasks = [
            partial(self._one, searches, number, child, self.control.part(share))
            for number, child in enumerate(run_seeds)
        ]
        found = [run for run in run_all(tasks, self.n_jobs, self.control) if run is not None]
        if not found:  # stopped before any run was over: the one that got furthest has to do
            begun = [s for s in searches if s is not None]
            begun = begun or [Search(self.problem, self.options, 1, self.control)]
            search = max(begun, key=lambda s: len(s.trace))
            search.hasten()
            return search.outcome()
        try:
            return self._agreed(found, last)
        except (Stopped, KeyboardInterrupt):  # in haste; a second Ctrl-C gets through
            self.control.stop()
            return self._agreed(found, last)

    def _check_polishing(self) -> None:
        """Refuse what polishing can't get before the search, not after it."""
        for node in self._polished():
            fullest = _fullest(self.problem, node)
            k = self.wanted[node] or 1
            if self.n_runs > 1:
                k = self._with_spare(self.problem.sizes[node], k)
            if fullest is None or self.problem.sizes[fullest] * k > _MOST_POLISHED:
                continue
            columns = self.problem.sizes[fullest]
            check_fits(
                16.0 * columns * k * self.at_once,
                f"polishing, {self.at_once} tables of {columns} columns x {k} clusters at a time,",
                "use fewer n_jobs or clusters, or effort='paper', which does not polish",
            )

    def _alone(self, seed: np.random.SeedSequence, last: np.random.SeedSequence) -> Outcome:
        search = Search(self.problem, self.options, self.n_jobs, self.control)
        if not search.run(seed):
            search.hasten()
            return search.outcome()
        if not self.options.polish or not self.targets:
            return search.outcome()
        try:
            return self._finished(search.state, search.trace, last)
        except KeyboardInterrupt:
            self.control.stop()
            return search.outcome()

    def _one(
        self,
        searches: list[Search | None],
        number: int,
        seed: np.random.SeedSequence,
        control: Control,
    ) -> _Run | None:
        """One run with clusters to spare, polished; None if it was stopped."""
        wide = {
            node: None if k is None else self._with_spare(self.problem.sizes[node], k)
            for node, k in self.wanted.items()
        }
        steps, polishing = seed.spawn(2)
        search = Search(
            self.problem,
            self.options,
            1,
            control,
            wanted=wide,
            run=(number + 1, self.options.n_runs),
            beside=self.at_once,
        )
        searches[number] = search
        if not search.run(steps):
            return None
        state = search.state
        if self.options.polish:
            for node in self._polished():
                try:
                    rng = np.random.default_rng(polishing)
                    state = polish(
                        self.problem,
                        state,
                        node,
                        rng,
                        self._ticker("polishing", 0.0),
                        _ROUGH_PASSES,
                    )
                except (Stopped, KeyboardInterrupt):  # the run is over all the same
                    control.stop()
                    break
        return _Run(state, tuple(search.trace))

    def _with_spare(self, size: int, k: int) -> int:
        """Clusters of a run: more than wanted, but never so many that they are single values.

        Singletons say nothing about which of them belong together.
        """
        return min(round(self.options.spare * k), max(k, size // 4))

    def _polished(self) -> list[int]:
        """Targets that are polished: a top-down one is there to be read, not to be exact."""
        if self.options.polished is not None:
            return [node for node in self.options.polished if node in self.targets]
        nodes = self.problem.graph.nodes
        return [node for node in self.targets if nodes[node].direction == "bottom-up"]

    def _ticker(self, message: str, share: float) -> Tick:
        """Lets Ctrl-C through, and counts what it is told as a share of all work."""
        name = self.problem.names[self.targets[0]]
        event = partial(Event, "MDC", node=name, restart=0, n_restarts=1, message=message)
        return lambda part: self.control.advance(part * share, event)

    def _agreed(self, runs: Sequence[_Run], seed: np.random.SeedSequence) -> Outcome:
        hasty = self.control.stopped
        state = runs[0].state
        leader = None
        children = seed.spawn(len(self.targets) + 1)
        for node, child in zip(self.targets, children, strict=False):
            given = [run.state.labels[node] for run in runs]
            labels, best = self._agree(node, state, given, child, hasty)
            state = state.replace(node, labels, int(labels.max()) + 1)
            if leader is None:
                leader = best
        winner = runs[leader or 0]
        for node in self.problem.hidden:
            if self.wanted[node] is None:
                there = winner.state
                state = state.replace(node, there.labels[node], there.n_clusters[node])
        trace = list(winner.trace)
        self._note(trace, "agree", state)
        outcome = self._finished(state, trace, children[-1])
        votes = {}
        if len(runs) > 1:
            for node in self.targets:
                given = [run.state.labels[node] for run in runs]
                votes[node] = stability(given, outcome.state.labels[node])
        return replace(outcome, stability=votes, n_runs=len(runs))

    def _agree(
        self,
        node: int,
        state: State,
        given: Sequence[Labels],
        seed: np.random.SeedSequence,
        hasty: bool,
    ) -> tuple[Labels, int]:
        """Labels of a node that tell most about the runs, and the run they started from."""
        k = self.wanted[node] or 1
        starts = given[: 1 if hasty else _MOST_STARTS]
        plan = agreement_plan(self.problem, node, state, given)
        passes = 1.0 if hasty else _AGREE_PASSES
        tick: Tick = _silent
        if not hasty:
            searches = len(starts) * (2 + min(EXHAUSTIVE_SEARCHES, k))
            tick = self._ticker("the runs agree", _IN_AGREEING / len(self.targets) / searches)
        tasks = [
            partial(_merge_down, plan, start, k, np.random.default_rng(child), passes, tick)
            for start, child in zip(starts, seed.spawn(len(starts)), strict=True)
        ]
        if hasty:
            return tasks[0]()[1], 0
        results = run_all(tasks, self.n_jobs, self.control)
        reached = [(r, number) for number, r in enumerate(results) if r is not None]
        if not reached:
            raise Stopped
        (_, labels), best = max(reached, key=lambda item: item[0][0])  # the first of equals
        return labels, best

    def _finished(
        self, state: State, trace: list[TracePoint], seed: np.random.SeedSequence
    ) -> Outcome:
        """Polish, fit all other sides to what came out, and number clusters by mass."""
        rng = np.random.default_rng(seed)
        trace = list(trace)
        polished = self._polished() if self.options.polish else []
        others = [
            node for node in self.problem.hidden if node not in (polished or self.targets[:1])
        ]
        tick: Tick = _silent
        if not self.control.stopped:
            work = len(polished) + _FITTING_ROUNDS * len(others)
            tick = self._ticker("polishing", _IN_FINISHING / max(1, work))
        try:
            for node in polished:
                passes = 1.0 if self.control.stopped else _POLISH_PASSES
                state = polish(self.problem, state, node, rng, tick, passes)
                self._note(trace, "polish", state, node)
            for _ in range(_FITTING_ROUNDS):
                for node in others:
                    plan = self.problem.objective.plan(node, state)
                    counts = counts_of(plan, state.labels[node], state.n_clusters[node])
                    improve(plan, counts, rng, tick, passes=self.options.passes)
                    state = state.replace(node, counts.labels, state.n_clusters[node])
                    self._note(trace, "sweep", state, node)
        except (Stopped, KeyboardInterrupt):  # what has been agreed on stands
            self.control.stop()
        self.control.settle(1.0)
        objective = self.problem.objective.value(state)
        node, steps = self.targets[0], trace[-1].step if trace else 0
        self.control.tell(
            lambda done: Event(
                "MDC",
                done,
                step=steps,
                n_steps=steps,
                node=self.problem.names[node],
                n_clusters=state.n_clusters[node],
                objective=objective,
            )
        )
        return Outcome(
            self.problem.canonical(state), objective, tuple(trace), interrupted=self.control.stopped
        )

    def _note(
        self, trace: list[TracePoint], action: str, state: State, node: int | None = None
    ) -> None:
        node = self.targets[0] if node is None else node
        value = self.problem.objective.value(state)
        step = trace[-1].step + 1 if trace else 1
        trace.append(
            TracePoint(step, self.problem.names[node], action, state.n_clusters[node], value)
        )


def _compact(labels: Labels) -> tuple[Labels, int]:
    """Labels numbered without gaps, and how many there are."""
    values, compact = np.unique(labels, return_inverse=True)
    return compact.astype(np.int32), len(values)


def agreement_plan(problem: Problem, node: int, state: State, given: Sequence[Labels]) -> Plan:
    """The plan of a node whose only neighbour is what several runs made of it.

    Preferences of pairs and single elements of the problem's stay in force.
    """
    parts = [_compact(labels) for labels in given]
    offsets = np.concatenate([[0], np.cumsum([k for _, k in parts])]).astype(np.int64)
    columns = np.stack([part + offsets[i] for i, (part, _) in enumerate(parts)], axis=1).ravel()
    n, n_columns = len(given[0]), int(offsets[-1])
    indptr = np.arange(n + 1, dtype=np.int64) * len(parts)
    table = sp.csr_array((np.ones(len(columns), np.int64), columns, indptr), shape=(n, n_columns))
    other = len(problem.names)
    term = MutualInformation(node, other, table)
    kept = [t for t in problem.objective.terms if t not in problem.edges and t.touches(node)]
    singles = np.arange(n_columns, dtype=np.int32)
    wider = State((*state.labels, singles), (*state.n_clusters, n_columns))
    return Objective([term, *kept]).plan(node, wider)


def _merge_down(
    plan: Plan, start: Labels, k: int, rng: np.random.Generator, passes: float, tick: Tick
) -> tuple[float, Labels]:
    """From one run's clusters to ``k``: merge the closest, correct, and so on."""
    labels, now = _compact(start)
    counts = counts_of(plan, labels, now)
    improve(plan, counts, rng, tick, passes=passes)
    at_once = max(1, -(-(now - k) // EXHAUSTIVE_SEARCHES))
    while now > k:
        pairs = match(plan, counts, min(at_once, now - k, now // 2), "loss", tick)
        labels, now = merge_pairs(counts.labels, now, pairs)
        counts = counts_of(plan, labels, now)
        improve(plan, counts, rng, tick, passes=passes)
    improve(plan, counts, rng, tick, passes=5 * passes)
    return plan_value(plan, counts), counts.labels


def _fullest(problem: Problem, node: int) -> int | None:
    """The hidden neighbour with most entries, if no observed one has more."""
    entries: dict[int, int] = {}
    for term in problem.edges:
        if term.touches(node):
            other = term.b if node == term.a else term.a
            entries[other] = entries.get(other, 0) + term.nnz
    fullest = max(entries, key=lambda other: entries[other], default=None)
    return fullest if fullest in problem.hidden else None


def polish(
    problem: Problem,
    state: State,
    node: int,
    rng: np.random.Generator,
    tick: Tick,
    passes: float = _POLISH_PASSES,
) -> State:
    """Sweep a node against single values of its fullest neighbour instead of clusters.

    Clusters of words are good for finding groups of documents; once they are found, single
    words tell better which of them a document belongs to. Sparser sides stay clustered:
    single people, say, each seen a few times, would tie documents together by chance. So does
    a side whose table of single values and clusters would be larger than 4 GB.
    """
    finer, k = state, state.n_clusters[node]
    fullest = _fullest(problem, node)
    if fullest is not None and problem.sizes[fullest] * k <= _MOST_POLISHED:
        finer = finer.replace(fullest, problem.singletons(fullest), problem.sizes[fullest])
    plan = problem.objective.plan(node, finer)
    counts = counts_of(plan, state.labels[node], k)
    improve(plan, counts, rng, tick, passes=passes)
    return state.replace(node, counts.labels, k)


def stability(given: Sequence[Labels], labels: Labels) -> npt.NDArray[np.float64]:
    """How far the runs agree that each value is where it is, 0 to 1.

    For each run: the share of the value's cluster there that is with it now; the mean of
    these over the runs.

    Examples
    --------
    >>> runs = [np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])]
    >>> stability(runs, np.array([0, 0, 1, 1])).round(2).tolist()
    [0.83, 0.83, 0.67, 1.0]
    """
    k = int(labels.max()) + 1 if len(labels) else 1
    total = np.zeros(len(labels))
    for part in given:
        joint = np.bincount(part.astype(np.int64) * k + labels, minlength=(int(part.max()) + 1) * k)
        table = joint.reshape(-1, k)
        total += table[part, labels] / table.sum(axis=1)[part]
    return total / len(given)
