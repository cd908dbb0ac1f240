"""Clusters of columns as users ask for them, and tables of columns by columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph import Edge, NeighbourTable, Node, edge_weights
from comraf.graph.model import Direction
from comraf.graph.tables import as_csr, check_fits
from comraf.parameters import check_number

__all__ = [
    "column_node",
    "column_nodes",
    "measured_sides",
    "meetings",
    "observed_sides",
    "said_weights",
    "side_weights",
]


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
    names = {pair: "\0".join(pair) for pair in joined}
    known = edge_weights(
        {names[pair]: table for pair, table in joined.items()},
        rule,
        weighting,
        row_weights,
        {names[pair]: measured[pair[1]] for pair in joined if pair[1] in measured},
    )
    return {pair: known[name] for pair, name in names.items()}


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
