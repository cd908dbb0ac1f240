"""More items for a fit: placed, then searched on from where the fit stands, ids kept."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from comraf.errors import InputError, InterruptedWarning
from comraf.estimators._run import Verbose, listener_for, seed_sequence, to_user
from comraf.graph import Graph
from comraf.inference import Control, Problem, Stopped
from comraf.inference.moves import counts_of, improve, sweep_once
from comraf.inference.polishing import settle_counts
from comraf.objectives import State
from comraf.parameters import check_number
from comraf.progress import Event, TracePoint
from comraf.results import EdgeInformation, Result
from comraf.results.placement import SideCounts
from comraf.results.scorer import Placed
from comraf.results.update import grow

__all__ = ["FREE", "Updated", "update", "update_fit"]

#: Which items may move when new ones have come: all of them, or the new ones only.
FREE = ("all", "new")
# Rounds in which the other sides are fitted to the one that grew.
_ROUNDS = 2


@dataclass(frozen=True, eq=False)
class Updated:
    """A fit with more items: its graph and result, and how the new items were placed at first."""

    graph: Graph
    result: Result
    placed: Placed


def update(
    graph: Graph,
    result: Result,
    node: str,
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    *,
    names: Sequence[str] | None = None,
    free: str = "all",
    passes: float = 2.0,
    random_state: Any = None,
    verbose: Verbose = 0,
    time_limit: float | None = None,
) -> Updated:
    """Place new items and climb on from the old partitions.

    With ``free="new"`` the new items alone are moved, and every old label of every side
    stays. With ``"all"`` the node's items are swept ``passes`` times, then those of all other
    hidden sides. Clusters are never renumbered, merged or split.
    """
    if free not in FREE:
        raise InputError(parameter="free", given=free, allowed=FREE)
    check_number("passes", passes)
    started = time.perf_counter()
    grown = grow(graph, result.labels[node], node, sides, tables, names)
    climb = _Climb(grown.graph, {**result.labels, node: grown.labels}, result, sides)
    control = Control(listener_for(verbose), time_limit=time_limit)
    rng = np.random.default_rng(seed_sequence(random_state))
    interrupted = False
    try:
        first = len(result.labels[node])
        climb.node(node, rng, control, passes, None if free == "all" else first)
        if free == "all":
            climb.others(node, rng, control, passes)
    except (Stopped, KeyboardInterrupt):  # every state on the way is a whole one
        interrupted = True
        warnings.warn(
            "stopped early: the new items are placed, but the search that follows is not finished",
            InterruptedWarning,
            stacklevel=to_user(),
        )
    problem, state = climb.problem, climb.state
    objective = problem.objective.value(state)
    step = result.trace[-1].step + 1 if result.trace else 1
    point = TracePoint(step, node, "update", result.n_clusters[node], objective)
    edges = tuple(
        EdgeInformation(edge.a, edge.b, term.weight, term.information(state))
        for edge, term in zip(grown.graph.edges, problem.edges, strict=True)
    )
    changes: dict[str, Any] = {
        "labels": climb.labels(),
        "objective": objective,
        "edges": edges,
        "trace": (*result.trace, point),
        "interrupted": interrupted,
        "seconds": result.seconds + time.perf_counter() - started,
        # what the runs of the fit agreed on, and walked through, was about the old items
        "stability": {},
        "levels": {},
    }
    if node in result.values:
        changes["values"] = {n: v for n, v in result.values.items() if n != node}
        if names is not None:
            changes["values"][node] = (*result.values[node], *names)
    return Updated(grown.graph, replace(result, **changes), grown.placed)


def update_fit(
    estimator: Any,
    node: str,
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    **how: Any,
) -> Updated:
    """`update` of what an estimator has fitted, as its parameters say."""
    return update(
        estimator.graph_,
        estimator.result_,
        node,
        sides,
        tables,
        random_state=estimator.random_state,
        verbose=estimator.verbose,
        time_limit=estimator.time_limit,
        **how,
    )


class _Climb:
    """A state of a grown graph, and sweeps that keep its numbers."""

    def __init__(
        self,
        graph: Graph,
        labels: Mapping[str, Any],
        result: Result,
        sides: Mapping[str, SideCounts],
    ) -> None:
        self.problem = problem = Problem(graph)
        self.given = labels
        hidden = {
            i: (labels[problem.names[i]][problem.occupied[i]], result.n_clusters[problem.names[i]])
            for i in problem.hidden
        }
        self.state: State = problem.start(hidden)
        self.single = [name for name, side in sides.items() if side.single]
        self.settled = any(side.shrink > 0 for side in sides.values())

    def node(
        self,
        name: str,
        rng: np.random.Generator,
        control: Control,
        passes: float,
        first: int | None,
    ) -> None:
        """Sweep the node that grew, as finely as it was swept in the fit."""
        node = self.problem.graph.index[name]
        finer = self.state
        for other in self.single:
            if other in self.problem.graph.index:
                i = self.problem.graph.index[other]
                finer = finer.replace(i, self.problem.singletons(i), self.problem.sizes[i])
        self._sweep(node, finer, rng, control, passes, first, settle=self.settled)

    def others(self, name: str, rng: np.random.Generator, control: Control, passes: float) -> None:
        """Fit all other hidden sides to the one that grew."""
        for _ in range(_ROUNDS):
            for node in self.problem.hidden:
                if self.problem.names[node] != name:
                    self._sweep(node, self.state, rng, control, passes, None)

    def _sweep(
        self,
        node: int,
        view: State,
        rng: np.random.Generator,
        control: Control,
        passes: float,
        first: int | None,
        settle: bool = False,
    ) -> None:
        plan = self.problem.objective.plan(node, view)
        k = self.state.n_clusters[node]
        counts = counts_of(plan, self.state.labels[node], k)
        work = 1 + _ROUNDS * (len(self.problem.hidden) - 1)

        def tick(part: float) -> None:
            name = self.problem.names[node]
            control.advance(
                part / work, lambda done: Event("update", done, node=name, n_clusters=k)
            )

        filled = np.flatnonzero(self.problem.occupied[node])
        new = np.flatnonzero(filled >= (first or 0)).astype(np.int64)
        try:
            if settle:  # as in the fit: swept by the objective, then settled
                if first is None:
                    improve(plan, counts, rng, lambda part: tick(part / 2), passes=passes)
                settle_counts(plan, counts, new, rng, lambda part: tick(part / 2))
            elif first is None:
                improve(plan, counts, rng, tick, passes=passes)
            else:
                rounds = math.ceil(passes)
                for _ in range(rounds):
                    order = rng.permutation(new)
                    moved, _ = sweep_once(plan, counts, order, tick, share=1.0 / rounds)
                    if moved == 0:
                        break
        finally:
            self.state = self.state.replace(node, counts.labels, k)

    def labels(self) -> dict[str, Any]:
        """Labels of all values; those without counts stay where they were."""
        out = self.problem.expand(self.state)
        for node in self.problem.hidden:
            name = self.problem.names[node]
            empty = ~self.problem.occupied[node]
            out[name][empty] = self.given[name][empty]
        return out
