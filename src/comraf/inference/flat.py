"""What flat methods share: numbers of clusters for every side, and random partitions."""

from __future__ import annotations

import numpy as np

from comraf.inference.problem import Problem
from comraf.inference.schedule import split_levels
from comraf.objectives import Labels, State

__all__ = ["flat_clusters", "random_partition", "random_state"]


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
