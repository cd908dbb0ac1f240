"""Any graph as a series of stars: one hidden node a time, by what is known until then.

A star (Comraf*, thesis 7.3) has one hidden node in the middle of observed ones and is solved at
a cost linear in its sides. A graph of several hidden nodes is translated into a series of
them (figure 7.2): nodes far from the one that is wanted come first, each by its observed
neighbours and by nodes solved before it, whose clusters are from then on observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from comraf.errors import GraphError, InputError
from comraf.graph.model import Graph, Node

__all__ = ["Star", "star_graph", "star_series"]


@dataclass(frozen=True, slots=True)
class Star:
    """One step of a series: a node that is clustered, and what it is clustered by.

    Attributes
    ----------
    node : str
        The hidden node in the middle.
    leaves : tuple of str
        Its neighbours that count in this step, in the order of their edges.
    edges : tuple of int
        Places of these edges in the graph.
    """

    node: str
    leaves: tuple[str, ...]
    edges: tuple[int, ...]


def star_series(
    graph: Graph, target: str | None = None, *, singletons: bool = False
) -> tuple[Star, ...]:
    """The stars that a graph is solved by, the target's last.

    Parameters
    ----------
    graph : Graph
    target : str, optional
        The hidden node that is wanted; by default the first one.
    singletons : bool
        A node that is joined to hidden nodes alone, none of them solved, is clustered by their
        single values (words by single documents, then documents by clusters of words).
        Otherwise it is refused.

    Examples
    --------
    >>> from comraf import Edge
    >>> nodes = [Node("images", n_clusters=2), Node("regions", n_clusters=2)]
    >>> nodes.append(Node("colours", observed="singletons"))
    >>> graph = Graph(
    ...     nodes,
    ...     [
    ...         Edge("images", "regions", [[1, 1, 0], [0, 0, 1]]),
    ...         Edge("images", "colours", [[3, 2], [0, 4]]),
    ...         Edge("regions", "colours", [[2, 0], [1, 2], [0, 4]]),
    ...     ],
    ... )
    >>> [(star.node, star.leaves) for star in star_series(graph, "images")]
    [('regions', ('colours',)), ('images', ('regions', 'colours'))]
    """
    if not isinstance(graph, Graph):
        raise InputError(f"graph is {type(graph).__name__}; give a comraf.Graph")
    target = _target(graph, target)
    known = {node.name for node in graph.nodes if not node.hidden}
    steps = _steps_to(graph, target)
    # far ones first: what is solved then serves those nearer to the target
    waiting = sorted(
        (node.name for node in graph.nodes if node.hidden and node.name != target),
        key=lambda name: -steps[name],
    )
    stars = []
    while waiting:
        ready = next((name for name in waiting if _usable(graph, name, known)), None)
        if ready is None:
            if not singletons:
                raise _nothing_known(graph, waiting[0])
            ready = waiting[0]
        stars.append(_star(graph, ready, known))
        known.add(ready)
        waiting.remove(ready)
    if not singletons and not _usable(graph, target, known):
        raise _nothing_known(graph, target)
    return (*stars, _star(graph, target, known))


def star_graph(graph: Graph, star: Star, labels: Mapping[str, npt.ArrayLike]) -> Graph:
    """The graph of one star, given the clusters of nodes solved before.

    Clusters of such a node are the values of a node of the same name, their counts added up:
    mutual information stays what it is, tables get smaller, and new values are placed by
    counts with clusters.

    Examples
    --------
    >>> from comraf import Edge
    >>> nodes = [Node("images", n_clusters=2), Node("regions", n_clusters=2)]
    >>> graph = Graph(nodes, [Edge("images", "regions", [[1, 1, 0], [0, 1, 1]])])
    >>> star = Star("images", ("regions",), (0,))
    >>> star_graph(graph, star, {"regions": [0, 0, 1]}).edges[0].counts.toarray().tolist()
    [[2, 0], [1, 1]]
    """
    middle = graph.nodes[graph.index[star.node]]
    nodes = [replace(middle, size=None if middle.values else graph.sizes[star.node])]
    for name in dict.fromkeys(star.leaves):
        leaf = graph.nodes[graph.index[name]]
        if not leaf.hidden:
            nodes.append(leaf)
        elif name in labels:
            nodes.append(Node(name, observed="singletons"))
        else:
            nodes.append(Node(name, values=leaf.values, observed="singletons"))
    edges = [graph.edges[i] for i in star.edges]
    for name, of in labels.items():
        k = int(np.max(of, initial=-1)) + 1
        edges = [edge if name == star.node else edge.summed(name, of, k) for edge in edges]
    return Graph(nodes, edges)


def _target(graph: Graph, target: str | None) -> str:
    hidden = [node.name for node in graph.nodes if node.hidden]
    if not hidden:
        raise GraphError("every node is observed: there is nothing to cluster; hide one")
    if target is None:
        return hidden[0]
    if target not in hidden:
        what = "is observed" if target in graph.index else "is no node of the graph"
        raise InputError(f"target={target!r} {what}; the hidden nodes are {hidden}")
    return target


def _steps_to(graph: Graph, target: str) -> dict[str, int]:
    """How many hidden nodes away each node is; those out of reach are farthest."""
    steps = dict.fromkeys(graph.index, len(graph.nodes))
    steps[target] = 0
    ring = [target]
    for name in ring:  # grows while it is walked
        for _, other in _edges_of(graph, name):
            if graph.nodes[graph.index[other]].hidden and steps[other] > steps[name] + 1:
                steps[other] = steps[name] + 1
                ring.append(other)
    return steps


def _edges_of(graph: Graph, name: str) -> list[tuple[int, str]]:
    """Places of a node's edges that say anything, and the nodes at their other ends."""
    return [
        (i, edge.other(name))
        for i, edge in graph.edges_of(name)
        if edge.weight > 0 and edge.counts.nnz
    ]


def _usable(graph: Graph, name: str, known: set[str]) -> list[tuple[int, str]]:
    return [(i, other) for i, other in _edges_of(graph, name) if other in known]


def _star(graph: Graph, name: str, known: set[str]) -> Star:
    edges = _usable(graph, name, known) or _edges_of(graph, name)
    if not edges:
        raise _nothing_known(graph, name)
    return Star(name, tuple(other for _, other in edges), tuple(i for i, _ in edges))


def _nothing_known(graph: Graph, name: str) -> GraphError:
    others = list(dict.fromkeys(other for _, other in _edges_of(graph, name)))
    if not others:
        return GraphError(
            f"node {name!r} has no edge with counts and a weight: nothing tells its values apart. "
            "Join it to another node, or leave it out"
        )
    return GraphError(
        f"node {name!r} is joined to the hidden nodes {others} alone: in a series of stars it "
        "has nothing observed to be clustered by. Join it to an observed node, observe one of "
        "these, or let single values stand for them with singletons=True"
    )
