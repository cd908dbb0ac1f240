"""Nodes, edges, partitions, observed values, and the checks that refuse the unsolvable."""

from comraf.graph.model import Direction, Edge, Graph, Node
from comraf.graph.neighbours import (
    COPIES,
    NeighbourTable,
    TiedTable,
    as_embeddings,
    neighbour_table,
    neighbours_among,
)
from comraf.graph.scaling import EDGE_RULES, edge_weights
from comraf.graph.spec import load_graph, save_graph
from comraf.graph.tables import WEIGHTINGS, Weighting, as_counts, as_csr

__all__ = [
    "COPIES",
    "EDGE_RULES",
    "WEIGHTINGS",
    "Direction",
    "Edge",
    "Graph",
    "NeighbourTable",
    "Node",
    "TiedTable",
    "Weighting",
    "as_counts",
    "as_csr",
    "as_embeddings",
    "edge_weights",
    "load_graph",
    "neighbour_table",
    "neighbours_among",
    "save_graph",
]
