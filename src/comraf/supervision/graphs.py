"""What knowledge makes of a graph: values joined into one, and observed groups of values.

Must-links that hold make one value of several. In the intrinsic scheme (thesis 5.1) the classes
of labelled items are an observed node: it is joined to the items, and to every hidden neighbour
of theirs, such as words, whose counts in the labelled documents are summed by class. Where a
document ends up is then a matter of its words, of what these say about classes, and, if it has
one, of its label; nothing is forced. Groups of words learned elsewhere are joined likewise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.graph import Edge, Graph, Node
from comraf.graph.tables import membership
from comraf.results.solved import tables_of
from comraf.supervision.labels import ClassLabels

__all__ = ["add_groups", "add_observed", "class_node", "contract", "masses"]

# Weight of the edge from items to classes, where that of the items' own edge is 1. What words
# say about classes matters more than that labelled items keep together.
_ITEMS = 0.3


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
    nodes = [
        replace(side, size=n_groups, values=None) if side.name == node else side
        for side in graph.nodes
    ]
    return Graph(nodes, [edge.summed(node, group, n_groups) for edge in graph.edges])


def masses(graph: Graph, node: str) -> NDArray[np.float64]:
    """Mass of each value of a node by its weighted edges.

    Examples
    --------
    >>> from comraf.graph import Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> masses(Graph(nodes, [Edge("d", "w", [[3, 0], [0, 1]], weight=2.0)]), "d").tolist()
    [1.5, 0.5]
    """
    mass = np.zeros(graph.sizes[node])
    for table in tables_of(graph, node):
        counts = np.asarray(table.counts.sum(axis=1)).ravel()
        mass += table.edge.weight * counts / max(1, table.edge.total)
    return mass


def class_node(node: str) -> str:
    """What the node of the classes of another node's items is called.

    Examples
    --------
    >>> class_node("words")
    'classes of words'
    """
    return f"classes of {node}"


def add_observed(
    graph: Graph,
    node: str,
    labels: ClassLabels,
    weight: float = 1.0,
    given: Graph | None = None,
) -> Graph:
    """The graph with a node of classes, joined to ``node`` and its hidden neighbours.

    The table of items and classes has, for each labelled item, its mass in its class; that of
    a neighbour has its counts with the items of each class.

    Parameters
    ----------
    graph : Graph
    node : str
        The side that the labels are about.
    labels : ClassLabels
    weight : float
        Factor of the weights of the new edges.
    given : Graph, optional
        The graph whose edges count, if others have been added to it.

    Examples
    --------
    >>> from comraf.supervision import read_labels
    >>> nodes = [Node("d", n_clusters=2), Node("w", direction="top-down")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[3, 0], [1, 1], [0, 2]])])
    >>> more = add_observed(graph, "d", read_labels(["x", None, "y"], 3))
    >>> [(edge.a, edge.b) for edge in more.edges]
    [('d', 'w'), ('d', 'classes of d'), ('w', 'classes of d')]
    """
    groups = membership(labels.codes, len(labels.classes))
    weights = _ITEMS * weight, weight
    return add_groups(graph, node, class_node(node), groups, weights, given)


def add_groups(
    graph: Graph,
    node: str,
    name: str,
    member: sp.csr_array,
    weights: tuple[float, float],
    given: Graph | None = None,
) -> Graph:
    """The graph with groups of a node's values as an observed node.

    It is joined to the node itself, if that is hidden, with the mass of each value in its group;
    and to the node's hidden neighbours, with the counts of the group's values. ``weights`` are
    those of the two kinds of edges, where an edge of the node has 1.
    """
    n = graph.sizes[node]
    mass, largest = masses(given or graph, node), 0.0
    edges = []
    for table in tables_of(given or graph, node):
        edge, counts = table.edge, table.counts
        if edge.weight == 0:
            continue
        largest = max(largest, edge.weight)
        summed = sp.csr_array(counts.T @ member)
        if graph.nodes[graph.index[table.other]].hidden and summed.nnz:
            edges.append(Edge(table.other, name, summed, weight=weights[1] * edge.weight))
    own = sp.csr_array(sp.diags_array(mass * n) @ member)
    own.eliminate_zeros()
    if graph.nodes[graph.index[node]].hidden and own.nnz:
        edges.insert(0, Edge(node, name, own, weight=weights[0] * largest))
    if not edges:  # labels of items without any counts
        return graph
    return Graph([*graph.nodes, Node(name, observed="singletons")], [*graph.edges, *edges])
