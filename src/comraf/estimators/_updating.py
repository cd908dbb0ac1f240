"""More items for a fit: placed, then searched on from where the fit stands, ids kept."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError, InterruptedWarning
from comraf.estimators._run import listener_for, seed_sequence, to_user
from comraf.graph import Edge, Graph, Node
from comraf.inference import Control, Problem, Stopped
from comraf.inference.moves import counts_of, improve, sweep_once
from comraf.inference.polishing import settle_counts
from comraf.objectives import State
from comraf.parameters import check_number
from comraf.progress import Event, TracePoint
from comraf.results import Result
from comraf.results.placement import Labels, SideCounts, new_counts
from comraf.results.scorer import Scorer
from comraf.results.solved import edge_information, tables_of

__all__ = ["FREE", "grow", "update_fit"]

#: Which items may move when new ones have come: all of them, or the new ones only.
FREE = ("all", "new")
# Rounds in which the other sides are fitted to the one that grew.
_ROUNDS = 2


def update_fit(
    estimator: Any,
    node: str,
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    *,
    names: Sequence[str] | None = None,
    free: str = "all",
    passes: float = 2.0,
) -> tuple[Graph, Result]:
    """Place new items of what an estimator has fitted, and climb on from the old partitions.

    With ``free="new"`` the new items alone are moved, and every old label of every side
    stays. With ``"all"`` the node's items are swept ``passes`` times, then those of all other
    hidden sides; but where finer clusters were joined in the end of the fit (``sizes``), the old
    items stay, because sweeps would even the clusters out. Clusters are never renumbered, merged
    or split.
    """
    if free not in FREE:
        raise InputError(parameter="free", given=free, allowed=FREE)
    check_number("passes", passes)
    started = time.perf_counter()
    result: Result = estimator.result_
    old = result.labels[node]
    graph, labels = grow(estimator.graph_, old, node, sides, tables, names)
    climb = _Climb(graph, {**result.labels, node: labels}, result, sides)
    control = Control(listener_for(estimator.verbose), time_limit=estimator.time_limit)
    rng = np.random.default_rng(seed_sequence(estimator.random_state))
    interrupted = False
    try:
        uneven = any((p.node, p.action) == (node, "link") for p in result.trace)
        first = len(old) if uneven or free == "new" else None
        climb.node(node, rng, control, passes, first)
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
    values = dict(result.values)
    if node in values:
        known = values.pop(node)
        if names is not None:
            values[node] = (*known, *names)
    return graph, replace(
        result,
        labels=climb.labels(),
        objective=objective,
        edges=edge_information(graph, problem.edges, state),
        trace=(*result.trace, point),
        interrupted=interrupted,
        seconds=result.seconds + time.perf_counter() - started,
        # what the runs of the fit agreed on, and walked through, was about the old items
        stability={},
        levels={},
        values=values,
    )


def grow(
    graph: Graph,
    labels: Labels,
    node: str,
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    names: Sequence[str] | None = None,
) -> tuple[Graph, Labels]:
    """Place new items of a node and add their counts to the graph, where they come last.

    Nothing that was counted is counted anew. New counts are weighted as the fit's were, row by
    row and in the same units; where new items are columns of a table (new words of old
    documents), the old counts of its rows stay as they are.

    Parameters
    ----------
    graph : Graph
    labels : array of int
        Clusters of the node's items in the fit.
    node : str
    sides : mapping of str to SideCounts
        What the fit knows, from `comraf.results.placement.fitted_counts`.
    tables : mapping of str to sparse table
        New items x values of each side; a side may be missing.
    names : sequence of str, optional
        Names of the new items; needed where the node's values have names.

    Returns
    -------
    graph : Graph
    labels : array of int
        Clusters of the node's items, old and new.

    Examples
    --------
    >>> from comraf.graph import Node
    >>> from comraf.results.placement import counts_by_side
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[3, 0], [0, 2]])])
    >>> labels = {"d": np.array([0, 1], np.int32), "w": np.array([0, 1], np.int32)}
    >>> sides, _ = counts_by_side(graph, labels, {"d": 2, "w": 2}, "d")
    >>> grown, both = grow(graph, labels["d"], "d", sides, {"w": sp.csr_array([[0, 5]])})
    >>> grown.sizes["d"], both.tolist()
    (3, [0, 1, 1])
    """
    placed = Scorer(sides).place(tables)
    n_new = len(placed.labels)
    old = graph.nodes[graph.index[node]]
    nodes = [_longer(n, n_new, names) if n is old else n for n in graph.nodes]
    edges = list(graph.edges)
    for old_table in tables_of(graph, node):
        name = old_table.name
        if name in tables:
            counts = new_counts(sides[name], tables[name], name)
        else:
            counts = sp.csr_array((n_new, graph.sizes[old_table.other]), dtype=np.int64)
        edges[old_table.number] = _stacked(old_table.edge, counts, as_rows=old_table.as_rows)
    return Graph(nodes, edges), np.concatenate([labels, placed.labels]).astype(np.int32)


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


def _longer(node: Node, n_new: int, names: Sequence[str] | None) -> Node:
    if names is not None and len(names) != n_new:
        raise InputError(f"{len(names)} names were given for {n_new} new values of {node.name!r}")
    if node.values is None:
        return replace(node, size=None)
    if names is None:
        raise InputError(
            f"the values of node {node.name!r} have names; give names for the {n_new} new ones too"
        )
    return replace(node, size=None, values=(*node.values, *names))


def _stacked(edge: Edge, counts: sp.csr_array, *, as_rows: bool) -> Edge:
    stack = sp.vstack if as_rows else sp.hstack
    table = stack([edge.counts, counts if as_rows else sp.csr_array(counts.T)], format="csr")
    weights: npt.NDArray[np.float64] | None = None
    if edge.row_weights is not None:
        weights = np.asarray(edge.row_weights, dtype=np.float64)
        if as_rows:
            weights = np.concatenate([weights, np.ones(counts.shape[0])])
    return edge.with_counts(table, weights)
