"""Several runs agree: their partitions become one more, observed, side of what they cluster.

Each run clusters the wanted sides into more clusters than asked for. A side's partitions in
all runs make a table, its values x (run, cluster), and the wanted number of clusters is
reached by merging and moving values so that they tell the most about that table. That is a
Comraf again, with observed nodes; the idea of a cluster ensemble is Strehl and Ghosh's
(2002). The last merges are where a single run loses most, and here many runs vote on them.

Several starts lead to several ends; the one whose values tell most about the data is kept.
Finally values are *polished*: swept against the single values of their fullest neighbours
instead of clusters of them; they *settle* where they are expected to fit; and the sides
without a number of their own are fitted to what came out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from comraf.errors import InputError, Parameter, Setting
from comraf.graph.tables import check_fits
from comraf.inference.agreement import agreement_plan, merge_down, stability
from comraf.inference.control import Control, Haste, Stopped, run_all
from comraf.inference.ending import DOUBTFUL, halfway, is_uneven, linked, single
from comraf.inference.executor import Threads
from comraf.inference.levels import Level, levels_of
from comraf.inference.linkage import Tree
from comraf.inference.moves import Tick, counts_of, improve
from comraf.inference.options import MDCOptions
from comraf.inference.polishing import POLISH_PASSES, full, polish, settle, worth
from comraf.inference.problem import Outcome, Problem
from comraf.inference.resuming import Saved
from comraf.inference.search import EXHAUSTIVE_SEARCHES, Search, wanted_clusters
from comraf.inference.snapshot import Agreed, Snapshot
from comraf.inference.spectral import spectral_starts
from comraf.inference.splitting import halve
from comraf.kernels.plan import Plan
from comraf.objectives import Labels, State
from comraf.progress import Event, TracePoint

__all__ = ["run_consensus"]

# Passes of the sweeps on the table of runs, where a pass is cheap, and of polishing a run,
# which need not stand still.
_AGREE_PASSES = 4.0
_ROUGH_PASSES = 4.0
# Runs that are asked whether the end is uneven: a tree each.
_VOTERS = 4
# From so many values on, finer clusters of a single run are polished only if there is doubt.
_COSTLY = 2000
# Rounds in which the other sides are fitted to the polished one.
_FITTING_ROUNDS = 2
# Shares of all work in the runs, in their agreement and in what follows, for the bar.
_IN_RUNS, _IN_AGREEING, _IN_FINISHING = 0.9, 0.06, 0.04

_Walked = Mapping[int, Sequence[Level]]


@dataclass(frozen=True, eq=False)
class _Task:
    """A run that is to be made: its number, its seed, and what it had reached before."""

    number: int
    seed: np.random.SeedSequence
    before: Snapshot | None = None


def _silent(part: float) -> None:
    """Tick for work that must not be stopped any more."""


def run_consensus(
    problem: Problem,
    options: MDCOptions,
    seed: np.random.SeedSequence,
    n_jobs: int = 1,
    control: Control | None = None,
) -> Outcome:
    """Runs of MDC, and what they agree on, or the best of them.

    A single run goes straight to the numbers of clusters wanted.
    """
    return _Consensus(problem, options, n_jobs, control).run(seed)


class _Consensus:
    def __init__(
        self, problem: Problem, options: MDCOptions, n_jobs: int, control: Control | None = None
    ) -> None:
        self.problem, self.options, self.n_jobs = problem, options, n_jobs
        self.control = control or Control()
        self.wanted = wanted_clusters(problem)
        self.targets = [node for node, k in self.wanted.items() if k is not None]
        self.n_runs = options.n_runs if self.targets else 1
        self.at_once = min(n_jobs, self.n_runs)
        # what is not polished is as it was published, unless it is asked for
        self.ending = options.sizes
        if self.ending == "auto" and not options.polish:
            self.ending = "even"
        # Runs whose finer clusters say whether the end is uneven, and seeds for what they agree on.
        self.voters: Sequence[Snapshot] = ()
        self.later: Mapping[int, np.random.SeedSequence] = {}
        self.saved = Saved(problem)
        self.searches: dict[int, Search] = {}
        self.found: dict[int, Snapshot] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process needs to make one of the runs."""
        return _Consensus, (self.problem, self.options, self.n_jobs)

    def run(self, seed: np.random.SeedSequence) -> Outcome:
        n_runs = self.n_runs
        if n_runs == 1 and self.control.executor is not None:
            raise InputError(
                "{engine} makes several runs side by side, and this search makes one; leave "
                "{engine} out, or ask for more: {runs}",
                engine=Parameter("engine"),
                runs=Setting("n_runs", 8),
            )
        if self.options.polish:
            self._check_polishing()
        if self.control.checkpoint is not None:
            self.saved.open(self.control.checkpoint, self.options, seed, n_runs, self.targets)
        *run_seeds, last = seed.spawn(n_runs + 1)
        if n_runs == 1:
            return self._alone(run_seeds[0], last)
        share = _IN_RUNS / n_runs
        for number, snapshot in self.saved.runs.items():
            if snapshot.finished:
                self.found[number] = snapshot
                self.control.add(share)
        tasks = [
            _Task(number, child, self.saved.runs.get(number))
            for number, child in enumerate(run_seeds)
            if number not in self.found
        ]
        try:
            (self.control.executor or Threads()).each(
                _Consensus._one,
                self,
                tasks,
                self._take,
                n_jobs=self.n_jobs,
                control=self.control,
                share=share,
            )
        except KeyboardInterrupt:
            self.control.stop()
        found = [self.found[number] for number in sorted(self.found)]
        if not found:  # stopped before any run was over: the one that got furthest has to do
            search = self._furthest()
            search.hasten()
            return search.outcome()
        if self.options.keep == "best":
            return self._best(found, last)
        try:
            return self._agreed(found, last)
        except (Stopped, KeyboardInterrupt):  # in haste; a second Ctrl-C gets through
            self.control.stop()
            return self._agreed(found, last)

    def _check_polishing(self) -> None:
        """Refuse what polishing can't get before the search, not after it."""
        for node in self._polished():
            k = self.wanted[node] or 1
            stages = [(k, 1)]
            wide = self._with_spare(self.problem.sizes[node], k)
            if self.n_runs > 1:
                agreeing = wide if node in self._ends() else k
                starts = min(self.n_jobs, sum(self.options.starts))
                stages = [(wide, self.at_once), (agreeing, starts)]
            elif node in self._ends():
                stages.append((wide, 1))
            for clusters, at_once in stages:
                others = full(self.problem, node, clusters)
                columns = sum(self.problem.sizes[other] for other in others)
                check_fits(
                    16.0 * columns * clusters * at_once,
                    f"polishing, {at_once} tables of {columns} columns x {clusters} clusters at a "
                    "time,",
                    "use fewer {p[n_jobs]} or clusters, or {paper}, which does not polish",
                    paper=Setting("effort", "paper"),
                )

    def _furthest(self) -> Search:
        """Of the runs that were not finished the one with most steps, saved ones included."""
        searches = dict(self.searches)
        for number, snapshot in self.saved.runs.items():
            if number not in searches:
                searches[number] = self._search(number, self.control)
                searches[number].restore(snapshot)
        if not searches:
            return Search(self.problem, self.options, 1, self.control)
        return max(searches.values(), key=lambda search: len(search.trace))

    def _alone(self, seed: np.random.SeedSequence, last: np.random.SeedSequence) -> Outcome:
        more = bool(self.targets) and (self.options.polish or self.ending != "even")
        control = self.control.part(1.0 - _IN_FINISHING) if more else self.control
        search = Search(self.problem, self.options, self.n_jobs, control, keep=self.saved.keeper(0))
        if 0 in self.saved.runs:
            search.restore(self.saved.runs[0])
        if not search.run(seed):
            search.hasten()
            return search.outcome()
        if not more:
            return search.outcome()
        try:
            return self._finished(search.state, search.trace, last, search.walked)
        except KeyboardInterrupt:
            self.control.stop()
            return search.outcome()

    def _search(self, number: int, control: Control) -> Search:
        """A run with clusters to spare, unless it is to stand as it is."""
        wide = (
            None
            if self.options.keep == "best"
            else {
                node: None if k is None else self._with_spare(self.problem.sizes[node], k)
                for node, k in self.wanted.items()
            }
        )
        return Search(
            self.problem,
            self.options,
            1,
            control,
            wanted=wide,
            run=(number + 1, self.options.n_runs),
            beside=self.at_once,
            keep=self.saved.keeper(number),
        )

    def _one(self, task: _Task, control: Control) -> Snapshot | None:
        """One run, polished; None if it was stopped. This may be in another process."""
        steps, polishing = task.seed.spawn(2)
        search = self._search(task.number, control)
        if task.before is not None:
            search.restore(task.before)
        self.searches[task.number] = search
        if not search.run(steps):
            return None
        state = search.state
        if self.options.polish:
            for node in self._polished():
                try:
                    rng = np.random.default_rng(polishing)
                    tick = self._ticker("polishing", 0.0, node, state, search)
                    state = polish(
                        self.problem, state, node, rng, tick, _ROUGH_PASSES, control.team
                    )
                except (Stopped, KeyboardInterrupt):  # the run is over all the same
                    control.stop()
                    break
        return search.snapshot(finished=not control.stopped, state=state)

    def _take(self, task: _Task, run: Snapshot) -> None:
        """Keep a run that came to its end, here and in the checkpoint."""
        if run.finished:
            self.saved.save_run(task.number, run)
        self.found[task.number] = run

    def _with_spare(self, size: int, k: int) -> int:
        """Clusters of a run: more than wanted, but never so many that they are single values."""
        # Singletons say nothing about which of them belong together.
        return min(round(self.options.spare * k), max(k, size // 4))

    def _polished(self) -> list[int]:
        """Targets that are polished: a top-down one is there to be read, not to be exact."""
        if self.options.polished is not None:
            return [node for node in self.options.polished if node in self.targets]
        nodes = self.problem.graph.nodes
        return [node for node in self.targets if nodes[node].direction == "bottom-up"]

    def _ends(self) -> list[int]:
        """Targets whose clusters may be joined from finer ones in the end."""
        if self.ending == "even":
            return []
        sizes, wanted = self.problem.sizes, self.wanted
        return [i for i in self._polished() if self._with_spare(sizes[i], k := wanted[i] or 1) > k]

    def _ticker(
        self, message: str, share: float, node: int, state: State, search: Search | None = None
    ) -> Tick:
        """Lets Ctrl-C through, and counts what it is told as a share of all work."""
        event: Callable[[float], Event] = partial(
            Event,
            "MDC",
            node=self.problem.names[node],
            n_clusters=state.n_clusters[node],
            restart=0,
            n_restarts=1,
            message=message,
            objective=None if search is None else search.objective,
            run=None if search is None else search.run_number[0],
            n_runs=None if search is None else search.run_number[1],
        )
        control = self.control if search is None else search.control
        return lambda part: control.advance(part * share, event)

    def _best(self, runs: Sequence[Snapshot], seed: np.random.SeedSequence) -> Outcome:
        """The run with the largest objective, finished."""
        winner = max(runs, key=lambda run: self.problem.objective.value(run.state))
        trace = list(winner.trace)
        self._note(trace, "keep", winner.state)
        return self._voted(runs, self._finished(winner.state, trace, seed, winner.walked))

    def _agreed(self, runs: Sequence[Snapshot], seed: np.random.SeedSequence) -> Outcome:
        hasty = self.control.stopped
        state = runs[0].state
        leader = None
        children = seed.spawn(len(self.targets) + 1)
        self.later = dict(zip(self._ends(), seed.spawn(len(self._ends())), strict=True))
        self.voters = runs
        walked: dict[int, Sequence[Level]] = {}
        for node, child in zip(self.targets, children, strict=False):
            agreed = None if hasty else self.saved.agreed.get(node)
            if agreed is None:
                agreed = self._agree(node, runs, child, self.wanted[node] or 1, hasty)
                if len(runs) == self.n_runs and not self.control.stopped:
                    self.saved.save_agreed(node, agreed)
            state = state.replace(node, agreed.labels, int(agreed.labels.max()) + 1)
            walked[node] = [*runs[agreed.leader].walked.get(node, ()), *agreed.walked]
            if leader is None:
                leader = agreed.leader
        winner = runs[leader or 0]
        for node in self.problem.hidden:
            if self.wanted[node] is None:
                there = winner.state
                state = state.replace(node, there.labels[node], there.n_clusters[node])
        trace = list(winner.trace)
        self._note(trace, "agree", state)
        return self._voted(runs, self._finished(state, trace, children[-1], walked))

    def _voted(self, runs: Sequence[Snapshot], outcome: Outcome) -> Outcome:
        """An outcome with how far the runs agree on where each value is."""
        votes = {}
        if len(runs) > 1:
            for node in self.targets:
                given = [run.state.labels[node] for run in runs]
                votes[node] = stability(given, outcome.state.labels[node])
        return replace(outcome, stability=votes, n_runs=len(runs))

    def _agree(
        self,
        node: int,
        runs: Sequence[Snapshot],
        seed: np.random.SeedSequence,
        k: int,
        hasty: bool = False,
    ) -> Agreed:
        """``k`` clusters of a node that the runs agree on, and the run they started from."""
        given = [run.state.labels[node] for run in runs]
        plan = agreement_plan(self.problem, node, runs[0].state, given)
        if hasty:  # clusters are merged alone: corrections are for what time there is after that
            _, labels, walked = merge_down(plan, given[0], k, np.random.default_rng(0), 0, _silent)
            return Agreed(labels, 0, walked)
        merged, flat = self.options.starts
        *children, last = seed.spawn(merged + flat + 1)
        starts: list[tuple[Labels, int]] = [
            (labels, number) for number, labels in enumerate(given[:merged])
        ]
        # the first run's other sides serve a start that comes from none of them
        found = spectral_starts(given, k, flat, np.random.default_rng(last))
        starts += [(labels, 0) for labels in found]
        searches = len(starts) * (3 + min(EXHAUSTIVE_SEARCHES, k))
        share = _IN_AGREEING / (len(self.targets) + len(self._ends())) / searches
        tick = self._ticker("the runs agree", share, node, runs[0].state)
        tasks = [
            partial(self._end, node, k, plan, runs[number], start, number, child, tick)
            for (start, number), child in zip(starts, children, strict=False)
        ]
        reached = [end for end in run_all(tasks, self.n_jobs, self.control) if end is not None]
        if not reached:
            raise Stopped
        return max(reached, key=lambda end: end[0])[1]  # the first of equals

    def _end(
        self,
        node: int,
        k: int,
        plan: Plan,
        run: Snapshot,
        start: Labels,
        number: int,
        seed: np.random.SeedSequence,
        tick: Tick,
    ) -> tuple[float, Agreed]:
        """Where one start ends, and what that is worth."""
        # The runs' table says which clusters to merge, but it is made of guesses: which end is the
        # best is told by the data themselves, that is by the polished objective.
        rng = np.random.default_rng(seed)
        team = self.control.team
        value, labels, walked = merge_down(plan, start, k, rng, _AGREE_PASSES, tick, team)
        if self.options.polish and node in self._polished():
            state = run.state.replace(node, labels, k)
            state = polish(self.problem, state, node, rng, tick, _ROUGH_PASSES, team)
            labels, value = state.labels[node], worth(self.problem, state, node)
        return value, Agreed(labels, number, walked)

    def _finished(
        self, state: State, trace: list[TracePoint], seed: np.random.SeedSequence, walked: _Walked
    ) -> Outcome:
        """Polish, fit all other sides to what came out, and number clusters by mass."""
        rng = np.random.default_rng(seed)
        trace = list(trace)
        polished = self._polished() if self.options.polish else []
        others = [
            node for node in self.problem.hidden if node not in (polished or self.targets[:1])
        ]

        def tick(node: int) -> Tick:
            if haste is not None:
                return haste
            work = 2 * (len(polished) + len(ends)) + _FITTING_ROUNDS * len(others)
            return self._ticker("polishing", _IN_FINISHING / max(1, work), node, state)

        haste = Haste() if self.control.stopped else None
        team = self.control.team
        ends = [] if haste else self._ends()
        chance = np.random.default_rng(seed.spawn(1)[0])
        try:
            for node in polished:
                if self.ending == "free" and node in ends:
                    continue
                passes = 1.0 if haste else POLISH_PASSES
                state = polish(self.problem, state, node, rng, tick(node), passes, team)
                self._note(trace, "polish", state, node)
                if not haste:
                    state = settle(self.problem, state, node, rng, tick(node), team)
                    self._note(trace, "settle", state, node)
            for node in ends:
                tree = self._tree(node, state, walked.get(node, ()), chance, tick(node))
                if tree is not None:
                    k = state.n_clusters[node]
                    state = state.replace(node, tree.cut(k), k)
                    self._note(trace, "link", state, node)
                    above = [level for level in walked.get(node, ()) if level[0] > tree.n_leaves]
                    walked = {**walked, node: [*above, *halfway(tree, k)]}
            for _ in range(_FITTING_ROUNDS):
                for node in others:
                    plan = self.problem.objective.plan(node, state)
                    counts = counts_of(plan, state.labels[node], state.n_clusters[node])
                    improve(plan, counts, rng, tick(node), passes=self.options.passes, team=team)
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
        final = self.problem.canonical(state)
        return Outcome(
            final,
            objective,
            tuple(trace),
            interrupted=self.control.stopped,
            levels=levels_of(self.problem, final, walked),
        )

    def _tree(
        self,
        node: int,
        state: State,
        walked: Sequence[Level],
        rng: np.random.Generator,
        tick: Tick,
    ) -> Tree | None:
        """The tree over finer clusters of a node, if it is to be cut there."""
        k, team = state.n_clusters[node], self.control.team
        wide = self._with_spare(self.problem.sizes[node], k)
        plan, masses = single(self.problem, state, node), self.problem.masses(node)
        if self.voters and node in self.later:
            if self.ending == "auto" and not self._vote(node, state):
                return None
            finer = self._agree(node, self.voters, self.later[node], wide).labels
        else:
            near = [(n, labels) for n, labels in walked if 1.5 * k <= n <= 2 * wide]
            if near:
                finer = min(near, key=lambda level: abs(np.log(level[0] / wide)))[1]
                tree = linked(self.problem, plan, node, finer)
                costly = self.ending == "auto" and plan.n_elements >= _COSTLY
                bounds = {"least": DOUBTFUL, "beyond": 1.0}
                if costly and not is_uneven(plan, masses, [tree], state.labels[node], **bounds):
                    return None
            else:  # sides that were split have walked no way down
                finer = halve(state.labels[node], k, rng, wide)[0]
        there = state.replace(node, finer, int(finer.max()) + 1)
        if self.options.polish:
            there = polish(self.problem, there, node, rng, tick, POLISH_PASSES, team)
            there = settle(self.problem, there, node, rng, tick, team)
        tree = linked(self.problem, plan, node, there.labels[node])
        uneven = self.ending == "free" or bool(self.voters)
        uneven = uneven or is_uneven(plan, masses, [tree], state.labels[node])
        return tree if uneven and tree.n_leaves > k else None

    def _vote(self, node: int, state: State) -> bool:
        """Whether a node's end is uneven by the finer clusters of several runs."""
        plan, masses = single(self.problem, state, node), self.problem.masses(node)
        given = [run.state.labels[node] for run in self.voters[:_VOTERS]]
        trees = [linked(self.problem, plan, node, labels) for labels in given]
        return is_uneven(plan, masses, trees, state.labels[node])

    def _note(
        self, trace: list[TracePoint], action: str, state: State, node: int | None = None
    ) -> None:
        node = self.targets[0] if node is None else node
        value = self.problem.objective.value(state)
        step = trace[-1].step + 1 if trace else 1
        trace.append(
            TracePoint(step, self.problem.names[node], action, state.n_clusters[node], value)
        )
