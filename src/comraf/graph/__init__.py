"""Nodes, edges, partitions, observed values, and the checks that refuse the unsolvable."""

from comraf.graph.features import FEATURE_TABLES, feature_table, feature_tables
from comraf.graph.model import VARIABLES, Direction, Edge, Graph, Node, TermFactory
from comraf.graph.neighbours import (
    COPIES,
    NeighbourTable,
    TiedTable,
    as_embeddings,
    neighbour_table,
    neighbours_among,
)
from comraf.graph.photos import photo_graph
from comraf.graph.scaling import EDGE_RULES, edge_weights
from comraf.graph.spec import load_graph, save_graph
from comraf.graph.stars import Star, star_graph, star_series
from comraf.graph.tables import as_counts, as_csr
from comraf.weightings import WEIGHTINGS

__all__ = [
    "COPIES",
    "EDGE_RULES",
    "FEATURE_TABLES",
    "VARIABLES",
    "WEIGHTINGS",
    "Direction",
    "Edge",
    "Graph",
    "NeighbourTable",
    "Node",
    "Star",
    "TermFactory",
    "TiedTable",
    "as_counts",
    "as_csr",
    "as_embeddings",
    "edge_weights",
    "feature_table",
    "feature_tables",
    "load_graph",
    "neighbour_table",
    "neighbours_among",
    "photo_graph",
    "save_graph",
    "star_graph",
    "star_series",
]
