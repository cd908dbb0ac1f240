"""Nodes, edges, partitions, observed values, and the checks that refuse the unsolvable."""

from comraf.graph.model import Direction, Edge, Graph, Node
from comraf.graph.spec import load_graph, save_graph
from comraf.graph.tables import WEIGHTINGS, Weighting, as_counts, as_csr

__all__ = [
    "WEIGHTINGS",
    "Direction",
    "Edge",
    "Graph",
    "Node",
    "Weighting",
    "as_counts",
    "as_csr",
    "load_graph",
    "save_graph",
]
