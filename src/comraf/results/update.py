"""A fit with more items: the graph grows, the new items are placed, every id stays.

Nothing that was counted is counted anew. New counts are weighted as the fit's were, row by
row and in the same units; where new items are columns of a table (new words of old
documents), the old counts of its rows stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.results.placement import Labels, SideCounts, new_counts
from comraf.results.scorer import Placed, Scorer
from comraf.results.solved import tables_of

__all__ = ["Grown", "grow"]


@dataclass(frozen=True, eq=False)
class Grown:
    """A graph with more values of one node.

    Attributes
    ----------
    graph : Graph
        The graph with all items, new ones last.
    labels : array of int
        Clusters of the node's items, old and new.
    placed : Placed
        How the new ones were placed.
    """

    graph: Graph
    labels: Labels
    placed: Placed


def grow(
    graph: Graph,
    labels: Labels,
    node: str,
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    names: Sequence[str] | None = None,
) -> Grown:
    """Place new items of a node and add their counts to the graph.

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

    Examples
    --------
    >>> from comraf.results.placement import counts_by_side
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[3, 0], [0, 2]])])
    >>> labels = {"d": np.array([0, 1], np.int32), "w": np.array([0, 1], np.int32)}
    >>> sides, _ = counts_by_side(graph, labels, {"d": 2, "w": 2}, "d")
    >>> grown = grow(graph, labels["d"], "d", sides, {"w": sp.csr_array(np.array([[0, 5]]))})
    >>> grown.graph.sizes["d"], grown.labels.tolist()
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
    both = np.concatenate([labels, placed.labels]).astype(np.int32)
    return Grown(Graph(nodes, edges), both, placed)


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
