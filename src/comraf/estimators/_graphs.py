"""The default graphs of a collection: its documents, its sides, and what joins them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp

from comraf.errors import InputError, Setting
from comraf.estimators._columns import column_node, side_weights
from comraf.graph import Edge, Graph, NeighbourTable, Node
from comraf.graph.model import Direction
from comraf.inference.schedule import split_levels
from comraf.parameters import check_int

__all__ = [
    "DIRECTIONS",
    "DOCUMENTS",
    "GRAPHS",
    "default_k",
    "default_sides",
    "directed",
    "guessed_sides",
    "make_graph",
    "through_documents",
]

#: Schedules that are about directions: which way items go, and which way all other sides do.
DIRECTIONS: dict[str, tuple[Direction, Direction]] = {
    "reverse": ("top-down", "bottom-up"),
    "bottom_up": ("bottom-up", "bottom-up"),
}

#: Name of the node of items in every graph made from a collection.
DOCUMENTS = "documents"

#: Shapes of graph by name: ``tree`` joins every side to the documents (thesis, figure 4.3);
#: ``loopy`` also joins words to every other side (the 2005 paper: all pairs but
#: people-subjects), or, where there are no words, each side to each.
GRAPHS = ("tree", "loopy")


def default_sides(collection: Any, named: Collection[str] = ()) -> list[str]:
    """Sides that make the groups when none is asked for; `named` ones are no guesses.

    A side says so itself (``groups``): always, where it is alone, or only when it is asked for;
    tables that come without sides always do.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> sides = {"words": Some(groups="always"), "months": Some(groups="asked")}
    >>> one = sp.csr_array(np.eye(3))
    >>> default_sides(Some(tables=dict.fromkeys(sides, one), sides=sides))
    ['words']
    """
    sides = _sides(collection)
    there = [name for name, table in collection.tables.items() if table.nnz]
    usual = [name for name in there if getattr(sides.get(name), "groups", "") != "asked"]
    usual.sort(key=lambda name: getattr(sides.get(name), "rank", 9))
    weak = guessed_sides(collection, named)
    weak += [name for name in usual if getattr(sides.get(name), "groups", "") == "alone"]
    # where there is nothing else, columns of single values are what there is to go by
    return [name for name in usual if name not in weak] or usual


def guessed_sides(collection: Any, named: Collection[str] = ()) -> list[str]:
    """Columns of one value a document that nobody `named`, where a reader found the sides.

    Such a column splits the documents perfectly by itself, whether it has to do with their
    texts or not: it makes groups only when it is asked for.
    """
    return [
        name
        for name, side in _sides(collection).items()
        if getattr(side, "groups", "list") == "list"
        # what is observed was counted in the documents, and is no column of anything
        and not getattr(side, "facts", {}).get("observed")
        and name not in named
        and name in collection.tables
        and (table := collection.tables[name]).nnz
        and int(np.diff(table.indptr).max()) <= 1
    ]


def _sides(collection: Any) -> Mapping[str, Any]:
    """What a collection knows about its sides; nothing where it has only tables."""
    sides = getattr(collection, "sides", None)
    return sides if isinstance(sides, Mapping) else {}


def default_k(n: int) -> int:
    """Number of groups when none is asked for: the root of n/2, from 2 to 40.

    A rule of thumb, no more: few enough groups to be read, more for more items.

    Examples
    --------
    >>> default_k(400), default_k(20_000)
    (14, 40)
    """
    return int(min(max(2, round((n / 2) ** 0.5)), 40, max(1, n)))


def make_graph(
    tables: Mapping[str, sp.csr_array],
    n_clusters: int,
    *,
    shape: str = "tree",
    weighting: str = "root_rows",
    rule: Mapping[str, float] | str = "root_mass",
    side_clusters: Mapping[str, int] | None = None,
    observed: Collection[str] = (),
    measured: Mapping[str, float] | None = None,
) -> Graph:
    """Documents bottom-up, every other side top-down, edges brought to one scale.

    The values of sides named in `observed` are too few to be clustered and stand as they are.
    Those in `measured` have a weight of their own where the rule goes by how much was counted.
    A mapping as `rule` has weights by the names of sides.

    Examples
    --------
    >>> words, people = sp.csr_array(np.eye(4)), sp.csr_array(np.ones((4, 2)))
    >>> make_graph({"words": words, "people": people}, 2)
    Graph(documents[4], words[4], people[2]; documents-words, documents-people)
    """
    if shape not in GRAPHS:
        raise InputError(parameter="graph", given=shape, allowed=GRAPHS, code="unknown_graph")
    if not tables:
        raise InputError("the collection has no sides to cluster by; give at least one table")
    joined: dict[tuple[str, str], sp.csr_array] = {
        (DOCUMENTS, name): table for name, table in tables.items()
    }
    if shape == "loopy":
        joined |= _loops(tables)
    weights = side_weights(joined, rule, weighting, measured or {})
    wanted = side_clusters or {}
    nodes = [Node(DOCUMENTS, n_clusters=n_clusters)]
    nodes += [
        Node(name, observed="singletons")
        if name in observed
        else column_node(name, table, wanted.get(name))
        for name, table in tables.items()
    ]
    edges = [
        Edge(a, b, table, weight=weights[a, b], weighting=weighting)
        for (a, b), table in joined.items()
    ]
    return Graph(nodes, edges)


def directed(graph: Graph, schedule: Any, main: str = DOCUMENTS) -> tuple[Graph, Any]:
    """The graph whose sides go the ways that a schedule says, and the order that is left of it.

    Examples
    --------
    >>> graph = make_graph({"words": sp.csr_array(np.eye(4))}, 2)
    >>> turned, schedule = directed(graph, "reverse")
    >>> [node.direction for node in turned.nodes], schedule
    (['top-down', 'bottom-up'], 'thesis')
    """
    if not isinstance(schedule, str) or schedule not in DIRECTIONS:
        return graph, schedule
    first, others = DIRECTIONS[schedule]
    k = check_int("n_clusters", next(n.n_clusters for n in graph.nodes if n.name == main))
    beside = {edge.b: edge.counts for edge in graph.edges if edge.a == main}
    nodes = []
    for node in graph.nodes:
        if node.name == main:
            node = replace(node, direction=first)
        elif node.hidden:
            number = node.n_clusters
            if number is None:  # merging has to end somewhere
                there = beside[node.name] != 0
                n, size = (int(np.count_nonzero(there.sum(axis=axis))) for axis in (1, 0))
                number = (split_levels(size, None, k, n) or [1])[-1]
            node = replace(node, direction=others, n_clusters=number)
        nodes.append(node)
    return Graph(nodes, graph.edges), "thesis"


def _loops(tables: Mapping[str, sp.csr_array]) -> dict[tuple[str, str], sp.csr_array]:
    """Tables of the edges that close loops."""
    sides = [name for name, table in tables.items() if not isinstance(table, NeighbourTable)]
    if len(sides) < 2:
        raise InputError(
            "{given} needs two sides beside the documents (neighbours are documents themselves), "
            "and here there is only {sides}; give more sides, or take {tree}",
            "graph",
            "loopy",
            sides=", ".join(sides) or "no such side",
            tree=Setting("graph", "tree"),
        )
    pairs: Iterable[tuple[str, str]] = combinations(sides, 2)
    if "words" in sides:
        pairs = (("words", name) for name in sides if name != "words")
    return {(a, b): through_documents(tables[a], tables[b]) for a, b in pairs}


def through_documents(left: sp.csr_array, right: sp.csr_array) -> sp.csr_array:
    """Values x values: how often they meet in a document, each document counted once.

    Rows of ``left`` are scaled to mass 1, so that the table has the mass of ``right`` and a
    long document does not outweigh the others.
    """
    sums = np.asarray(left.sum(axis=1), dtype=np.float64)
    scaled = sp.csr_array(left, dtype=np.float64, copy=True)
    scaled.data /= np.repeat(np.where(sums > 0, sums, 1.0), np.diff(scaled.indptr))
    return sp.csr_array(scaled.T @ sp.csr_array(right, dtype=np.float64))
