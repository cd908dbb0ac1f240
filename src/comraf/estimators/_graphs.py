"""Graphs of tables: their nodes and edges, which sides stand still, and what each side weighs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError, Setting
from comraf.graph import Edge, Graph, NeighbourTable, Node, edge_weights
from comraf.graph.model import Direction
from comraf.graph.tables import as_csr, check_fits
from comraf.inference.schedule import split_levels
from comraf.parameters import check_int, check_number

__all__ = [
    "DIRECTIONS",
    "DOCUMENTS",
    "GRAPHS",
    "column_node",
    "column_nodes",
    "default_k",
    "default_sides",
    "directed",
    "guessed_sides",
    "make_graph",
    "measured_sides",
    "meetings",
    "observed_sides",
    "said_weights",
    "side_weights",
    "steps_of",
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
    weight: Mapping[str, float] | None = None,
    side_clusters: Mapping[str, int] | None = None,
    observed: Collection[str] = (),
    measured: Mapping[str, float] | None = None,
) -> Graph:
    """Documents bottom-up, every other side top-down, edges brought to one scale.

    The values of sides named in `observed` are too few to be clustered and stand as they are.
    Those in `measured` have a weight of their own where the rule goes by how much was counted.
    A mapping as `rule` has weights by the names of sides, and `weight` those of single ones in
    place of the rule's.

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
    if weight is not None:
        weights = _said_instead(weights, weight)
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


def steps_of(schedule: Any) -> Any:
    """The order of steps of a schedule, where it may also say which way sides go.

    Examples
    --------
    >>> steps_of("reverse"), steps_of("double")
    ('thesis', 'double')
    """
    return "thesis" if isinstance(schedule, str) and schedule in DIRECTIONS else schedule


def directed(graph: Graph, schedule: Any, main: str = DOCUMENTS) -> tuple[Graph, Any]:
    """The graph whose sides go the ways that a schedule says, and the order that is left of it.

    Examples
    --------
    >>> graph = make_graph({"words": sp.csr_array(np.eye(4))}, 2)
    >>> turned, schedule = directed(graph, "reverse")
    >>> [node.direction for node in turned.nodes], schedule
    (['top-down', 'bottom-up'], 'thesis')
    """
    if steps_of(schedule) is schedule:
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
    return Graph(nodes, graph.edges), steps_of(schedule)


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


def column_node(
    name: str, table: Any, n_clusters: int | None, direction: Direction = "top-down"
) -> Node:
    """The node of a table's columns: hidden, or observed if they are a second copy of the rows.

    Examples
    --------
    >>> column_node("neighbours", NeighbourTable([[0, 1], [1, 0]]), None).observed
    'singletons'
    """
    if isinstance(table, NeighbourTable):
        if table.shape[0] != table.shape[1]:
            raise InputError(
                f"the table {name!r} is {table.shape[0]} x {table.shape[1]}, but one of neighbours "
                "has a column for each of its rows; make it of all documents at once"
            )
        return Node(name, observed="singletons")
    return Node(name, n_clusters=n_clusters, direction=direction)


def column_nodes(tables: Mapping[str, Any], wanted: int | Mapping[str, int] | None) -> list[Node]:
    """A node for the columns of each table: hidden, unless they are the rows again.

    Examples
    --------
    >>> [node.n_clusters for node in column_nodes({"words": None, "people": None}, {"people": 3})]
    [None, 3]
    """
    if isinstance(wanted, Mapping):
        unknown = set(wanted) - set(tables)
        if unknown:
            raise InputError(
                "{p[column_clusters]} names {name!r}, which is not a table; the tables are "
                "{allowed}",
                name=sorted(unknown)[0],
                allowed=sorted(tables),
            )
        by_name = dict(wanted)
    else:
        by_name = dict.fromkeys(tables, wanted) if wanted is not None else {}
    return [column_node(name, table, by_name.get(name)) for name, table in tables.items()]


def meetings(
    tables: Mapping[str, Any], weights: Mapping[str, float], sample_weight: npt.ArrayLike | None
) -> list[Edge]:
    """Edges between the columns of every two tables: how often they meet in the same row.

    The count of a pair is the sum over rows of the product of their counts; its edge weighs
    the geometric mean of what the two tables weigh.

    Examples
    --------
    >>> words, people = [[2, 0], [0, 1]], [[1], [1]]
    >>> edge, = meetings({"w": words, "p": people}, {"w": 1.0, "p": 0.25}, None)
    >>> edge.counts.toarray().tolist(), edge.weight
    ([[2], [1]], 0.5)
    """
    checked = {name: as_csr(table, f"the table {name!r}") for name, table in tables.items()}
    names = list(checked)
    edges = []
    for i, one in enumerate(names):
        left = checked[one]
        if sample_weight is not None:
            factors = np.asarray(sample_weight, dtype=np.float64)
            left = sp.csr_array(sp.diags_array(factors) @ left)
        for other in names[i + 1 :]:
            right = checked[other]
            pairs = float(np.diff(left.indptr) @ np.diff(right.indptr))
            check_fits(
                32.0 * min(pairs, float(left.shape[1]) * right.shape[1]),
                f"the table of {one} and {other}",
                "use interactions='rows', or leave rare columns out",
            )
            table = sp.csr_array(left.T @ right)
            if table.nnz:
                weight = float(np.sqrt(weights[one] * weights[other]))
                edges.append(Edge(one, other, table, weight=weight))
    return edges


def observed_sides(collection: Any, asked: Collection[str] | None = None) -> frozenset[str]:
    """Sides whose values are not to be clustered: those asked for, or that say so of themselves.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tags, words = SimpleNamespace(facts={"observed": True}), SimpleNamespace(facts={})
    >>> sorted(observed_sides(SimpleNamespace(sides={"pos1": tags, "words": words})))
    ['pos1']
    >>> observed_sides(SimpleNamespace(tables={"words": 0}), ["citations"])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: observe='citations' is no side of the collection; its sides are \
['words']
    """
    if asked is not None:
        if isinstance(asked, str) or not isinstance(asked, Iterable):
            raise InputError("{given} must be a list of sides, such as ['words']", "observe", asked)
        for name in asked:
            if name not in collection.tables:
                raise InputError(
                    "{given} is no side of the collection; its sides are {allowed}",
                    "observe",
                    name,
                    allowed=list(collection.tables),
                )
        return frozenset(asked)
    sides = getattr(collection, "sides", None)
    if not isinstance(sides, Mapping):
        return frozenset(said_weights(collection))  # measured: too few values to be clustered
    return frozenset(
        name for name, side in sides.items() if getattr(side, "facts", {}).get("observed")
    )


def measured_sides(collection: Any) -> dict[str, float]:
    """Sides that are measured rather than counted, and what each weighs, as they say themselves.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> colours, words = SimpleNamespace(facts={"weight": 0.3}), SimpleNamespace(facts={})
    >>> measured_sides(SimpleNamespace(sides={"colours": colours, "words": words}))
    {'colours': 0.3}
    """
    sides = getattr(collection, "sides", None)
    if not isinstance(sides, Mapping):
        return said_weights(collection)
    facts = {name: getattr(side, "facts", {}) for name, side in sides.items()}
    known = {name: float(said["weight"]) for name, said in facts.items() if "weight" in said}
    # neighbours are documents and no side of their own: their table has to say it
    return known | said_weights(getattr(collection, "tables", None))


def said_weights(tables: Any) -> dict[str, float]:
    """What tables that were measured weigh, where the mapping they come in says so.

    Anything with ``weights``, a mapping of names of its tables to numbers, is asked;
    `comraf.images.PhotoTables` is one.

    Examples
    --------
    >>> said_weights({"words": [[1]]})
    {}
    """
    said = getattr(tables, "weights", None)
    if not isinstance(said, Mapping) or not isinstance(tables, Mapping):
        return {}
    return {name: check_number(f"the weight of {name!r}", said[name]) for name in said}


def side_weights(
    joined: Mapping[tuple[str, str], Any],
    rule: Mapping[str, float] | str,
    weighting: str,
    measured: Mapping[str, float],
    row_weights: npt.ArrayLike | None = None,
) -> dict[tuple[str, str], float]:
    """Weights of edges by a rule, see `comraf.graph.edge_weights`.

    A mapping has weights by the names of sides, 1 for those that it does not name and that say
    nothing themselves. An edge between two sides then weighs the geometric mean of theirs.

    Examples
    --------
    >>> sides = {("documents", name): sp.csr_array([[9, 1]]) for name in ("words", "colours")}
    >>> list(side_weights(sides, "root_mass", "raw", {"colours": 0.5}).values())
    [1.0, 0.2]
    >>> list(side_weights(sides, {"words": 3}, "raw", {"colours": 0.5}).values())
    [3.0, 0.5]
    """
    if isinstance(rule, Mapping):
        return _named_weights(joined, rule, measured)
    if not isinstance(rule, str):
        raise InputError(
            "{given}; give the name of a rule, or weights by table name", "edge_weights", rule
        )
    said = {pair: measured[pair[1]] for pair in joined if pair[1] in measured}
    return edge_weights(joined, rule, weighting, row_weights, said)


def _said_instead(
    weights: Mapping[tuple[str, str], float], said: Mapping[str, float]
) -> dict[tuple[str, str], float]:
    """Weights of some sides as they are said; edges between two sides change with theirs.

    Examples
    --------
    >>> rule = {("documents", "words"): 1.0, ("documents", "people"): 0.2, ("words", "people"): 0.5}
    >>> list(_said_instead(rule, {"people": 0.8}).values())
    [1.0, 0.8, 1.0]
    """
    own = {side: weight for (hub, side), weight in weights.items() if hub == DOCUMENTS}
    if unknown := [name for name in said if name not in own]:
        raise InputError(
            "{p[weight]} names {name!r}, which makes no groups here; the sides that do are "
            "{allowed:,}",
            name=unknown[0],
            allowed=list(own),
        )
    for name, given in said.items():
        check_number(f"the weight of {name!r}", given)
    more = {side: said.get(side, weight) / weight for side, weight in own.items()}
    return {
        (a, b): float(said.get(b, weight))
        if a == DOCUMENTS
        else weight * float(np.sqrt(more[a] * more[b]))
        for (a, b), weight in weights.items()
    }


def _named_weights(
    joined: Mapping[tuple[str, str], Any], given: Mapping[str, float], measured: Mapping[str, float]
) -> dict[tuple[str, str], float]:
    hub = next(iter(joined))[0]
    sides = [b for a, b in joined if a == hub]
    unknown = [name for name in given if name not in sides]
    if unknown:
        raise InputError(
            "{p[edge_weights]} names {name!r}, which is not a table; the tables are {allowed}",
            name=unknown[0],
            allowed=sorted(sides),
        )
    weights = dict.fromkeys([hub, *sides], 1.0) | dict(measured)
    weights |= {name: check_number(f"the weight of edge {name!r}", given[name]) for name in given}
    return {
        (a, b): weights[b] if a == hub else float(np.sqrt(weights[a] * weights[b]))
        for a, b in joined
    }
