"""What flat methods share: numbers of clusters for every side, and random partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from comraf.inference.control import Control
from comraf.inference.problem import Problem
from comraf.inference.schedule import split_levels
from comraf.objectives import Labels, State
from comraf.progress import TracePoint

__all__ = ["Passes", "Restart", "best_restart", "flat_clusters", "random_partition", "random_state"]


# Passes after which a restart is taken to be half done: most settle long before the limit.
_HALF = 6.0


class Passes:
    """Progress of a restart that ends when it settles, at the latest after so many passes.

    Parts of the whole limit go in. What comes out is how much more of the restart is done, as
    far as anybody can tell: half of it after six passes, two thirds after twelve.

    Examples
    --------
    >>> passes = Passes(60)
    >>> passes.more(0.1), round(passes.more(0.1), 3), round(passes.rest(), 3)
    (0.5, 0.167, 0.333)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made = self._told = 0.0

    def more(self, part: float) -> float:
        """How much more is done after another part of the limit."""
        self._made += part * self._most
        before, self._told = self._told, self._made / (self._made + _HALF)
        return self._told - before

    def rest(self) -> float:
        """What is missing once the restart is over."""
        before, self._told = self._told, 1.0
        return 1.0 - before


@dataclass(eq=False)
class Restart:
    """What one restart has reached."""

    state: State
    objective: float
    trace: list[TracePoint]


def best_restart(
    batches: Iterable[Sequence[Restart]], begun: list[Restart], control: Control
) -> Restart | None:
    """The best of all restarts; after a stop what one had reached by then counts as well.

    Of those ``begun`` in earlier batches only the best is kept.

    Examples
    --------
    >>> class R:
    ...     def __init__(self, objective): self.objective = objective
    >>> begun = []
    >>> best_restart([[R(1.0), R(3.0)], [R(2.0)]], begun, Control()).objective, len(begun)
    (3.0, 1)
    """
    best: list[Restart] = []
    for batch in batches:
        best = sorted([*best, *batch], key=lambda r: -r.objective)[:1]  # the first of equals
        if not control.stopped:
            begun[:] = best
    found = begun if control.stopped else best
    return max(found, key=lambda r: r.objective, default=None)


def random_partition(n: int, k: int, rng: np.random.Generator) -> Labels:
    """``k`` clusters of sizes that differ by one at most, at random.

    Examples
    --------
    >>> np.bincount(random_partition(5, 2, np.random.default_rng(0))).tolist()
    [3, 2]
    """
    labels = np.empty(n, dtype=np.int32)
    labels[rng.permutation(n)] = np.arange(n, dtype=np.int32) % k
    return labels


def flat_clusters(problem: Problem) -> dict[int, int]:
    """Clusters of every hidden node: the graph's number, or as many as MDC would split it to.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("rows", n_clusters=2), Node("columns", direction="top-down")]
    >>> flat_clusters(Problem(Graph(nodes, [Edge("rows", "columns", np.ones((90, 70)))])))
    {0: 2, 1: 32}
    """
    nodes = problem.graph.nodes
    out = {}
    for node in problem.hidden:
        k = nodes[node].n_clusters
        if k is None:
            others = problem.neighbours(node)
            neighbours = max(nodes[other].n_clusters or 1 for other in others)
            facing = max(problem.sizes[other] for other in others)
            k = (split_levels(problem.sizes[node], None, neighbours, facing) or [1])[-1]
        out[node] = k
    return out


def random_state(problem: Problem, wanted: dict[int, int], rng: np.random.Generator) -> State:
    """Every hidden node in as many clusters of equal size as wanted, at random.

    Seeds are where they were given.
    """
    hidden = {}
    for node, k in wanted.items():
        labels = random_partition(problem.sizes[node], k, rng)
        seeds = problem.seeds.get(node)
        hidden[node] = (
            labels if seeds is None else np.where((seeds >= 0) & (seeds < k), seeds, labels),
            k,
        )
    return problem.start(hidden)
