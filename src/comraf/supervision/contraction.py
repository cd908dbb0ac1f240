"""Must-links that hold: what has to be together becomes one value of the side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.graph import Edge, Graph

__all__ = ["contract"]


def contract(graph: Graph, node: str, group: NDArray[np.int64], n_groups: int) -> Graph:
    """The graph with one value of ``node`` for each group of its values, counts summed.

    Every partition of the groups is one of the values that keeps groups whole, and has the
    same objective: whatever searches the one never breaks a must-link of the other.

    Examples
    --------
    >>> from comraf.graph import Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[3, 0], [1, 1], [0, 2]])])
    >>> contract(graph, "d", np.array([0, 1, 0]), 2).edges[0].counts.toarray().tolist()
    [[3, 2], [1, 1]]
    """
    n = len(group)
    member = sp.csr_array((np.ones(n, np.int64), (group, np.arange(n))), shape=(n_groups, n))
    nodes = [
        replace(side, size=n_groups, values=None) if side.name == node else side
        for side in graph.nodes
    ]
    return Graph(nodes, [_summed(edge, node, member) for edge in graph.edges])


def _summed(edge: Edge, node: str, member: sp.csr_array) -> Edge:
    if edge.a == node:
        return edge.with_counts(sp.csr_array(member @ edge.counts))
    if edge.b == node:
        return edge.with_counts(sp.csr_array(edge.counts @ member.T))
    return edge
