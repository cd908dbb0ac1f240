"""The intrinsic scheme (thesis 5.1): labels as an observed node of the graph.

The partition of the labelled items into classes is a variable that is already known. It is
joined to the items, and to every hidden neighbour of theirs: words, say, whose counts in the
labelled documents are summed by class. Where a document ends up is then a matter of its
words, of what these say about classes, and, if it has one, of its label; nothing is forced.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from comraf.graph import Edge, Graph, Node
from comraf.supervision.labels import ClassLabels

__all__ = ["add_observed", "class_node"]

# Weight of the edge from items to classes, where that of the items' own edge is 1. What words
# say about classes matters more than that labelled items keep together.
_ITEMS = 0.3


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
    name = class_node(node)
    known = np.flatnonzero(labels.codes >= 0)
    shape = (graph.sizes[node], len(labels.classes))
    member = sp.csr_array((np.ones(len(known), np.int64), (known, labels.codes[known])), shape)
    mass = np.zeros(shape[0])
    largest = 0.0
    edges = list(graph.edges)
    for edge in (given or graph).edges:
        if node not in (edge.a, edge.b) or edge.weight == 0:
            continue
        counts = edge.counts if node == edge.a else sp.csr_array(edge.counts.T)
        mass += edge.weight * np.asarray(counts.sum(axis=1)).ravel() / edge.total
        largest = max(largest, edge.weight)
        other = edge.b if node == edge.a else edge.a
        table = sp.csr_array(counts.T @ member)
        if graph.nodes[graph.index[other]].hidden and table.nnz:
            edges.append(Edge(other, name, table, weight=weight * edge.weight))
    own = sp.csr_array(sp.diags_array(mass * shape[0]) @ member)
    own.eliminate_zeros()
    if own.nnz == 0:  # labels of items without any counts
        return graph
    at = len(graph.edges)
    edges.insert(at, Edge(node, name, own, weight=_ITEMS * weight * largest))
    return Graph([*graph.nodes, Node(name, observed="singletons")], edges)
