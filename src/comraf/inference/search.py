"""One run of multi-way distributional clustering (thesis Algorithm 2): ICM over a schedule.

Every step is run ``n_restarts`` times from the same state with seeds drawn up front, and
the result with the highest objective is kept; so the answer does not depend on how many
threads there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import numpy as np

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.inference.control import Control, Haste, Stopped, run_seeds
from comraf.inference.gathering import gather
from comraf.inference.levels import Level, Walk, finest, has_levels, levels_of
from comraf.inference.merging import join_heaviest, match, merge_pairs
from comraf.inference.moves import Offers, counts_of, improve, no_offers, plan_value
from comraf.inference.options import MDCOptions
from comraf.inference.problem import Outcome, Problem
from comraf.inference.schedule import NodeTask, Step, make_schedule
from comraf.inference.snapshot import Snapshot
from comraf.inference.splitting import halve
from comraf.kernels.plan import Counts, Plan
from comraf.objectives import Labels, State
from comraf.progress import Event, TracePoint

__all__ = ["Search", "initial_state", "schedule_for", "wanted_clusters"]

# The last iteration searches after each merged pair. With hundreds of clusters to lose it
# merges several disjoint pairs at a time, so that there are at most this many searches.
EXHAUSTIVE_SEARCHES = 32

Wanted = Mapping[int, int | None]


def wanted_clusters(problem: Problem) -> dict[int, int | None]:
    """Clusters that the graph wants of each hidden node; None where it leaves them open."""
    return {node: problem.graph.nodes[node].n_clusters for node in problem.hidden}


def initial_state(problem: Problem) -> State:
    """Bottom-up nodes as singletons, top-down ones in a single cluster, seeds where they are."""
    hidden: dict[int, tuple[Labels, int]] = {}
    for node in problem.hidden:
        n = problem.sizes[node]
        if node in problem.seeds:
            hidden[node] = seeded(problem, node)
        elif problem.graph.nodes[node].direction == "bottom-up":
            hidden[node] = (np.arange(n, dtype=np.int32), n)
        else:
            hidden[node] = (np.zeros(n, dtype=np.int32), 1)
    return problem.start(hidden)


def seeded(problem: Problem, node: int) -> tuple[Labels, int]:
    """A first partition with the seeds of a node in their clusters.

    All other values of a bottom-up node are singletons; those of a top-down one are in the
    clusters of the seeds, in turn.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> problem = Problem(Graph(nodes, [Edge("d", "w", [[1, 0], [1, 1], [0, 1], [1, 2]])]))
    >>> problem.seeds[0] = np.array([0, -1, 1, 0], dtype=np.int32)
    >>> labels, k = seeded(problem, 0)
    >>> labels.tolist(), k
    ([0, 2, 1, 0], 3)
    """
    seeds = problem.seeds[node]
    labels, k = seeds.astype(np.int32), int(seeds.max()) + 1
    free = np.flatnonzero(seeds < 0)
    if problem.graph.nodes[node].direction == "bottom-up":
        labels[free] = k + np.arange(len(free), dtype=np.int32)
        wanted = problem.graph.nodes[node].n_clusters or 1
        return halve(labels, k + len(free), np.random.default_rng(0), wanted)
    labels[free] = np.arange(len(free), dtype=np.int32) % k
    return labels, k


def schedule_for(
    problem: Problem,
    schedule: str | Sequence[Step],
    wanted: Wanted | None = None,
    *,
    coarse: int | None = None,
    exhaustive: bool = True,
) -> list[Step]:
    """The steps for a problem, from a schedule's name or as given.

    ``wanted`` are other numbers of clusters than the graph's, for a schedule by name.
    """
    if not isinstance(schedule, str):
        return _checked(problem, schedule)
    wanted = wanted_clusters(problem) if wanted is None else wanted
    nodes = problem.graph.nodes
    tasks = [
        NodeTask(
            node,
            problem.sizes[node],
            wanted[node],
            nodes[node].direction == "top-down",
            max(nodes[other].n_clusters or 1 for other in problem.neighbours(node)),
            max(problem.sizes[other] for other in problem.neighbours(node)),
            coarse,
            exhaustive,
        )
        for node in problem.hidden
    ]
    return make_schedule(schedule, tasks)


def _checked(problem: Problem, schedule: Sequence[Step]) -> list[Step]:
    """A schedule of the user's, if it is one and ends where the graph says."""
    if not isinstance(schedule, Sequence) or not all(isinstance(s, Step) for s in schedule):
        raise InputError("{given}; give the name of one, or a list of Steps", "schedule", schedule)
    now = dict(
        zip(
            problem.hidden,
            (initial_state(problem).n_clusters[i] for i in problem.hidden),
            strict=True,
        )
    )
    for step in schedule:
        if step.node not in now:
            raise InputError(
                f"the schedule visits node {step.node}, which is not hidden; hidden are "
                f"{ {i: problem.names[i] for i in problem.hidden} }"
            )
        if step.action == "gather":
            if now[step.node] != problem.sizes[step.node]:
                raise InputError(
                    f"the schedule gathers {problem.names[step.node]!r} when it has "
                    f"{now[step.node]} clusters; only single values can be gathered"
                )
            now[step.node] = min(step.n_clusters, problem.sizes[step.node])
        elif step.action == "split":
            now[step.node] = max(now[step.node], min(step.n_clusters, problem.sizes[step.node]))
        elif step.action != "sweep":
            now[step.node] = min(now[step.node], step.n_clusters)
    for node, k in now.items():
        wanted = problem.graph.nodes[node].n_clusters
        if wanted is not None and k != wanted:
            raise InputError(
                f"the schedule leaves {problem.names[node]!r} with {k} clusters, but "
                f"{wanted} are wanted"
            )
    return list(schedule)


class Search:
    """One run of MDC: the state it has reached and what it tells of it."""

    def __init__(
        self,
        problem: Problem,
        options: MDCOptions,
        n_jobs: int,
        control: Control,
        *,
        wanted: Wanted | None = None,
        run: tuple[int, int] = (1, 1),
        beside: int = 1,
        keep: Callable[[Snapshot], None] | None = None,
    ) -> None:
        self.problem, self.options, self.n_jobs, self.control = problem, options, n_jobs, control
        self.run_number = run
        self.beside = beside  # runs at the same time, which all need their tables
        self.keep = keep  # gets the state after every finished step
        self.steps = schedule_for(
            problem,
            options.schedule,
            wanted,
            coarse=options.coarse,
            # clusters beyond those wanted are merged by agreement later, not here
            exhaustive=wanted is None,
        )
        self.shares, self.joining = _shares(problem, self.steps, options.passes)
        self.state = initial_state(problem)
        self.objective = problem.objective.value(self.state)
        self.trace: list[TracePoint] = []
        self.walked: dict[int, list[Level]] = {}
        self.number = 0
        self.finished = 0
        self._first = 0

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from where a run with the same seed was."""
        self.state = snapshot.state
        self.objective = self.problem.objective.value(self.state)
        self.trace = list(snapshot.trace)
        self.walked = {node: list(levels) for node, levels in snapshot.walked.items()}
        self._first = snapshot.step
        self.number = max(0, snapshot.step - 1)
        self.control.settle(sum(self.shares[: snapshot.step]))

    def snapshot(self, *, finished: bool = False, state: State | None = None) -> Snapshot:
        """What a run with the same seed can go on from."""
        walked = {node: tuple(levels) for node, levels in self.walked.items()}
        step = len(self.steps) if finished else self.number + 1
        return Snapshot(step, finished, state or self.state, tuple(self.trace), walked)

    def run(self, seed: np.random.SeedSequence) -> bool:
        """Follow the schedule; whether it was walked to its end."""
        try:
            for number, child in enumerate(seed.spawn(len(self.steps))):
                if number < self._first:
                    continue
                self.number = number
                self._do(self.steps[number], child)
                if self.control.stopped:  # maybe not all restarts were made
                    return False
                self.control.settle(sum(self.shares[: number + 1]))
                self.control.tell(self._event)
                if self.keep is not None:
                    self.keep(self.snapshot())
        except (Stopped, KeyboardInterrupt):  # the state is that of the last finished step
            self.control.stop()
            return False
        return True

    def outcome(self) -> Outcome:
        """The state reached, clusters numbered by mass."""
        state = self.problem.canonical(self.state)
        return Outcome(
            state,
            self.objective,
            tuple(self.trace),
            interrupted=self.control.stopped,
            levels=levels_of(self.problem, state, self.walked),
        )

    def hasten(self) -> None:
        """Bring a run that was stopped to the numbers of clusters wanted, in well under a second.

        Nobody can use ten thousand groups: the heaviest clusters stay, the elements of all
        others go to the best of them, and one pass of corrections follows, or what there is
        time for.
        """
        rng, haste = np.random.default_rng(0), Haste()
        for node in self.problem.hidden:
            wanted = self.problem.graph.nodes[node].n_clusters
            labels, k = self.state.labels[node], self.state.n_clusters[node]
            if wanted is None or k == wanted:
                continue
            plan = self.problem.objective.plan(node, self.state)
            if k > wanted:
                labels = join_heaviest(plan, labels, k, wanted)
            else:
                labels, _ = halve(labels, k, rng, wanted)
            counts = counts_of(plan, labels, wanted)
            with suppress(Stopped):
                improve(plan, counts, rng, haste, passes=1.0)
            self.state = self.state.replace(node, counts.labels, wanted)
            self.objective = self.problem.objective.value(self.state)
            name = self.problem.names[node]
            self.trace.append(TracePoint(self.number + 1, name, "hasten", wanted, self.objective))

    def _do(self, step: Step, seed: np.random.SeedSequence) -> None:
        """Run all restarts of a step and keep the best."""
        self.finished = 0
        plan = self.problem.objective.plan(step.node, self.state)
        start = self._start(plan, step)
        parallel = self.beside * min(self.n_jobs, self.options.n_restarts)
        # single values that are gathered never have a table of their own
        most = step.n_clusters if step.action == "gather" else max(start[1], step.n_clusters)
        check_fits(
            16.0 * plan.n_columns * most * parallel,
            f"{parallel} tables of {plan.n_columns} columns x {most} clusters at a time",
            "use fewer {p[n_jobs]} or clusters, or make one of the two sides top-down",
        )
        attempt = partial(self._attempt, plan, start, step)
        batches = run_seeds(attempt, seed, self.options.n_restarts, self.n_jobs, self.control)
        results = (result for batch in batches for result in batch)
        best = max(results, key=lambda result: result[0], default=None)  # the first of equals
        if best is None:
            return
        _, labels, k, passed = best
        self.state = self.state.replace(step.node, labels, k)
        self._walk(step.node, [*passed, (k, self.state.labels[step.node])])
        self.objective = self.problem.objective.value(self.state)
        name = self.problem.names[step.node]
        self.trace.append(TracePoint(self.number + 1, name, step.action, k, self.objective))

    def _walk(self, node: int, levels: Sequence[Level]) -> None:
        """Keep those partitions of a bottom-up node that people can read."""
        if has_levels(self.problem, node):
            most = finest(self.problem.sizes[node], self.problem.graph.nodes[node].n_clusters or 1)
            kept = [level for level in levels if level[0] <= most]
            self.walked.setdefault(node, []).extend(kept)

    def _event(self, done: float) -> Event:
        step = self.steps[self.number]
        return Event(
            "MDC",
            done,
            step=self.number + 1,
            n_steps=len(self.steps),
            node=self.problem.names[step.node],
            n_clusters=step.n_clusters,
            restart=self.finished,
            n_restarts=self.options.n_restarts,
            objective=self.objective,
            run=self.run_number[0],
            n_runs=self.run_number[1],
        )

    def _tick(self, part: float) -> None:
        share = self.shares[self.number] * (1.0 - self.joining[self.number])
        self.control.advance(part * share / self.options.n_restarts, self._event)

    def _tick_joining(self, part: float) -> None:
        share = self.shares[self.number] * self.joining[self.number]
        self.control.advance(part * share, self._event)

    def _merge(
        self, plan: Plan, counts: Counts, n_pairs: int, part: float = 1.0
    ) -> tuple[Labels, int]:
        def tick(done: float) -> None:
            self._tick_joining(done * part)

        pairs = match(plan, counts, n_pairs, self.options.merge_cost, tick)
        return merge_pairs(counts.labels, len(counts.sizes), pairs)

    def _improve(
        self,
        plan: Plan,
        counts: Counts,
        rng: np.random.Generator,
        part: float,
        offers: Offers | None = None,
    ) -> None:
        # between merges only those that nearly moved before are looked at
        known = offers is not None and np.isfinite(offers.gain).any()
        improve(
            plan,
            counts,
            rng,
            lambda done: self._tick(done * part),
            moves=self.options.moves,
            passes=min(1.0, self.options.passes) if known else self.options.passes,
            offers=offers,
            team=self.control.team,
        )

    def _start(self, plan: Plan, step: Step) -> tuple[Labels, int]:
        """What all restarts of a step begin with: merged clusters are the same for all."""
        labels, k = self.state.labels[step.node], self.state.n_clusters[step.node]
        while step.action == "merge" and k > step.n_clusters:  # once, unless k more than halves
            counts = counts_of(plan, labels, k)
            labels, k = self._merge(plan, counts, min(k - step.n_clusters, k // 2))
        return labels, k

    def _attempt(
        self, plan: Plan, start: tuple[Labels, int], step: Step, seed: np.random.SeedSequence
    ) -> tuple[float, Labels, int, list[Level]]:
        """One restart of one step: (node's part of the objective, labels, clusters, passed)."""
        rng = np.random.default_rng(seed)
        labels, k = start
        passed: list[Level] = []
        if step.action == "split":
            labels, k = halve(labels, k, rng, step.n_clusters, balance=self.options.balance)
        elif step.action == "gather":
            k = min(step.n_clusters, plan.n_elements)
            seeds = self.problem.seeds.get(step.node)
            once = 1.0 / self.options.n_restarts
            labels = gather(
                plan,
                k,
                rng,
                lambda part: self._tick_joining(part * once),
                seeds,
                self.control.team,
            )
        counts = counts_of(plan, labels, k)
        if step.action == "exhaustive":
            at_once = max(1, math.ceil((k - step.n_clusters) / EXHAUSTIVE_SEARCHES))
            part = at_once / max(at_once, k - step.n_clusters)
            size = self.problem.sizes[step.node]
            walk = Walk(min(k, 1 + finest(size, step.n_clusters)), step.n_clusters)
            offers = no_offers(plan)
            while k > step.n_clusters:
                n_pairs = min(at_once, k - step.n_clusters, k // 2)
                labels, k = self._merge(plan, counts, n_pairs, part / self.options.n_restarts)
                counts = counts_of(plan, labels, k)
                self._improve(plan, counts, rng, part, offers if k > step.n_clusters else None)
                walk.note(counts.labels, k)
            passed = walk.levels
        else:
            self._improve(plan, counts, rng, 1.0)
        self.finished += 1
        return plan_value(plan, counts), counts.labels, k, passed


def _shares(
    problem: Problem, steps: Sequence[Step], passes: float
) -> tuple[list[float], list[float]]:
    """Each step's estimated share of the whole work, and how much of it is spent on joining."""
    # Work is counted in cells of the tables that are looked at.
    k = list(initial_state(problem).n_clusters)
    work, joining = [], []
    for step in steps:
        size, now = problem.sizes[step.node], k[step.node]
        row, cluster = 1.0, 1.0  # columns that an element has, and a cluster before the step
        for term in problem.edges:
            if term.touches(step.node):
                other = term.b if step.node == term.a else term.a
                row += min(float(k[other]), term.nnz / size)
                cluster += min(float(k[other]), term.nnz / max(1, now))
        searches, join = 1, 0.0
        if step.action == "gather":
            join = row * size * step.n_clusters
        elif step.action in ("merge", "exhaustive"):
            if step.action == "exhaustive":
                searches = min(EXHAUSTIVE_SEARCHES, max(1, now - step.n_clusters))
            # matching takes a few rounds over those that are left
            join = 0.7 * searches * cluster * now * now
        k[step.node] = step.n_clusters
        sweep = passes * searches * row * size * step.n_clusters + 1.0
        work.append(sweep + join)
        joining.append(join / (sweep + join))
    total = sum(work)
    return [part / total for part in work], joining
