"""The Comraf graph: nodes with their partitions, edges with their tables."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import GraphError
from comraf.graph.tables import fixed_point, membership, weighted
from comraf.weightings import parts_of

__all__ = ["VARIABLES", "Direction", "Edge", "Graph", "Node", "TermFactory"]

Direction = Literal["bottom-up", "top-down"]

#: Makes an edge's term of the numbers of its two nodes, the counts and the weight.
TermFactory = Callable[[int, int, sp.csr_array, float], Any]

#: Kinds of variables that a node can hold, and what a value of each is.
VARIABLES = {"partition": "every value of the side in exactly one cluster"}


@dataclass(frozen=True, eq=False)
class Node:
    """One side of a collection, holding a combinatorial variable such as a partition of its values.

    Parameters
    ----------
    name : str
    size : int, optional
        Number of values; not needed when ``values`` is given or an edge tells it.
    values : sequence of str, optional
        Names of the values, all different.
    n_clusters : int, optional
        Clusters wanted; None takes as many as the schedule gives (top-down nodes only).
    direction : {"bottom-up", "top-down"}
        Singletons that merge, or one cluster that splits.
    observed : None, "singletons" or array of int
        None: hidden, to be inferred. Otherwise fixed: every value by itself, or the
        partition given as one cluster number for each value.
    variable : {"partition"}
        What kind of variable the node holds; one of `comraf.graph.model.VARIABLES`.

    Examples
    --------
    >>> Node("words", values=["sea", "ship"], direction="top-down").size
    2
    """

    name: str
    size: int | None = None
    values: Sequence[str] | None = None
    n_clusters: int | None = None
    direction: Direction = "bottom-up"
    observed: Literal["singletons"] | npt.ArrayLike | None = None
    variable: str = "partition"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise GraphError(f"a node's name must be a non-empty string, got {self.name!r}")
        if not isinstance(self.variable, str) or self.variable not in VARIABLES:
            raise GraphError(
                "node {name!r}: {given} is unknown; choose one of {allowed}",
                "variable",
                self.variable,
                name=self.name,
                allowed=VARIABLES,
            )
        if self.direction not in ("bottom-up", "top-down"):
            raise GraphError(
                f"node {self.name!r}: direction={self.direction!r} is unknown; "
                "choose 'bottom-up' or 'top-down'"
            )
        if self.values is not None:
            if isinstance(self.values, str) or not isinstance(self.values, Iterable):
                raise GraphError(
                    "node {name!r}: {given}; give a list of names",
                    "values",
                    self.values,
                    name=self.name,
                )
            values = tuple(str(value) for value in self.values)
            object.__setattr__(self, "values", values)
            if self.size is not None and self.size != len(values):
                raise GraphError(
                    f"node {self.name!r}: size={self.size} but {len(values)} values are given"
                )
            if len(set(values)) < len(values):
                raise GraphError(
                    f"node {self.name!r}: the value {_first_repeated(values)!r} is given more "
                    "than once; values must be all different"
                )
            object.__setattr__(self, "size", len(values))
        self._check_numbers()
        if isinstance(self.observed, str):
            if self.observed != "singletons":
                raise GraphError(
                    f"node {self.name!r}: observed={self.observed!r} is unknown; give "
                    "'singletons' or one cluster number for each value"
                )
        elif self.observed is not None:
            object.__setattr__(self, "observed", self._check_partition(self.observed))

    def _check_numbers(self) -> None:
        for field_name in ("size", "n_clusters"):
            number = getattr(self, field_name)
            if number is None:
                continue
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
                raise GraphError(
                    f"node {self.name!r}: {field_name}={number!r}; it must be a whole number, "
                    "at least 1"
                )
            object.__setattr__(self, field_name, int(number))

    def _check_partition(self, observed: npt.ArrayLike) -> npt.NDArray[np.int32]:
        try:
            labels = np.asarray(observed)
        except ValueError as error:  # ragged
            raise GraphError(
                f"node {self.name!r}: observed is no list of numbers: {error}"
            ) from None
        if labels.ndim != 1 or labels.dtype.kind not in "iu" or (labels < 0).any():
            raise GraphError(
                f"node {self.name!r}: an observed partition is one whole number of 0 or more "
                f"for each value, got an array of {labels.dtype} with shape {labels.shape}"
            )
        if self.size is not None and len(labels) != self.size:
            raise GraphError(
                f"node {self.name!r}: the observed partition has {len(labels)} entries "
                f"for {self.size} values"
            )
        object.__setattr__(self, "size", len(labels))
        # Numbers may have gaps; clusters run from 0 without any.
        compact = np.unique(labels, return_inverse=True)[1].astype(np.int32)
        compact.flags.writeable = False
        return compact

    @property
    def hidden(self) -> bool:
        """Whether the partition is to be inferred."""
        return self.observed is None


@dataclass(frozen=True, eq=False)
class Edge:
    """An interaction of two nodes: a contingency table and a weight.

    Parameters
    ----------
    a, b : str
        Names of the nodes; ``a`` has the table's rows, ``b`` its columns.
    table : array-like or sparse
        Counts of 0 or more, kept sparse.
    weight : float
        Factor of the edge's mutual information in the objective, 0 or more.
    weighting : one of `comraf.graph.WEIGHTINGS`
        How counts enter.
    row_weights : array-like, optional
        One weight of 0 or more for each row.
    term : callable, optional
        Makes what the edge adds to the objective, of the numbers of its two nodes, the counts
        (those of values that have any) and the weight; by default
        `comraf.objectives.MutualInformation`.

    Examples
    --------
    >>> Edge("documents", "words", [[2, 0], [0, 1]]).shape
    (2, 2)
    """

    a: str
    b: str
    table: Any
    weight: float = 1.0
    weighting: str = "raw"
    row_weights: npt.ArrayLike | None = None
    term: TermFactory | None = None
    counts: sp.csr_array = field(init=False, repr=False)
    units: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        where = f"the table of {self.a} and {self.b}"
        if not isinstance(self.a, str) or not isinstance(self.b, str):
            raise GraphError(
                f"an edge joins {self.a!r} and {self.b!r}; give the names of two nodes"
            )
        if self.a == self.b:
            raise GraphError(
                f"an edge joins {self.a!r} to itself; moves would change both of its sides at "
                f"once. Add an observed copy of the node, Node('{self.a} (observed)', "
                f"observed='singletons'), and join {self.a!r} to that"
            )
        parts_of(self.weighting)
        if (
            isinstance(self.weight, bool)
            or not isinstance(self.weight, numbers.Real)
            or not np.isfinite(self.weight)
            or self.weight < 0
        ):
            raise GraphError(
                f"the weight of edge {self.a}-{self.b} is {self.weight!r}; it must be a finite "
                "number of 0 or more"
            )
        if self.term is not None and not callable(self.term):
            raise GraphError(
                f"the term of edge {self.a}-{self.b} is {self.term!r}; give a function or class "
                "that takes two node numbers, the counts and the weight"
            )
        counts, units = fixed_point(weighted(self.table, self.weighting, self.row_weights, where))
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "units", units)
        # The counts are all that is needed from here on: let go of the user's table.
        object.__setattr__(self, "table", None)

    def with_counts(
        self, counts: sp.csr_array, row_weights: npt.NDArray[np.float64] | None = None
    ) -> Edge:
        """The same edge with other counts, taken as they are: weighted, and in its units.

        Examples
        --------
        >>> edge = Edge("documents", "words", [[2, 0], [0, 1]], weighting="binary")
        >>> edge.with_counts(sp.csr_array([[5, 1]])).total
        6
        """
        out = Edge(self.a, self.b, counts, weight=self.weight, term=self.term)
        # weighted and brought to whole units before: the edge remembers how, so that what
        # comes later is treated alike
        for name, value in (
            ("weighting", self.weighting),
            ("units", self.units),
            ("row_weights", row_weights),
        ):
            object.__setattr__(out, name, value)
        return out

    def summed(self, node: str, groups: npt.ArrayLike, n_groups: int) -> Edge:
        """The same edge with the counts of a node's values added up by groups of them.

        Edges of other nodes stay as they are.

        Examples
        --------
        >>> edge = Edge("documents", "words", [[2, 0, 1], [0, 1, 1]])
        >>> edge.summed("words", [0, 0, 1], 2).counts.toarray().tolist()
        [[2, 1], [1, 1]]
        """
        if node not in (self.a, self.b):
            return self
        member = membership(np.asarray(groups), n_groups)
        if node == self.a:
            return self.with_counts(sp.csr_array(member.T @ self.counts))
        rows = None if self.row_weights is None else np.asarray(self.row_weights, np.float64)
        return self.with_counts(sp.csr_array(self.counts @ member), rows)

    def other(self, node: str) -> str:
        """The node at the other end.

        Examples
        --------
        >>> Edge("documents", "words", [[2, 0], [0, 1]]).other("words")
        'documents'
        """
        return self.b if node == self.a else self.a

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the table."""
        rows, columns = self.counts.shape
        return int(rows), int(columns)

    @property
    def total(self) -> int:
        """Sum of the counts (in fixed-point units where the input was not whole)."""
        return int(self.counts.data.sum())


class Graph:
    """A few nodes joined by contingency tables; cycles and parallel edges are welcome.

    Examples
    --------
    >>> graph = Graph(
    ...     [Node("documents", n_clusters=2), Node("words", direction="top-down")],
    ...     [Edge("documents", "words", [[3, 0, 1], [2, 1, 0], [0, 4, 1]])],
    ... )
    >>> graph.check().sizes
    {'documents': 3, 'words': 3}
    """

    def __init__(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        for what, parts in (("nodes", nodes), ("edges", edges)):
            if not isinstance(parts, Iterable):
                raise GraphError(f"{what} is {type(parts).__name__}; give a list of them")
        self.nodes: tuple[Node, ...] = tuple(nodes)
        self.edges: tuple[Edge, ...] = tuple(edges)
        for kind, parts in ((Node, self.nodes), (Edge, self.edges)):
            for part in parts:
                if not isinstance(part, kind):
                    raise GraphError(
                        f"{part!r} is not a {kind.__name__}; build it with comraf.{kind.__name__}"
                    )
        names = [node.name for node in self.nodes]
        if len(set(names)) < len(names):
            raise GraphError(f"two nodes are called {_first_repeated(names)!r}; names must differ")
        self.index: dict[str, int] = {name: i for i, name in enumerate(names)}
        for edge in self.edges:
            for end in (edge.a, edge.b):
                if end not in self.index:
                    raise GraphError(
                        f"edge {edge.a}-{edge.b} names {end!r}, which is not a node; "
                        f"the nodes are {names}"
                    )
        self.sizes: dict[str, int] = self._agreed_sizes()

    def __repr__(self) -> str:
        nodes = ", ".join(
            f"{node.name}[{self.sizes.get(node.name, '?')}]{'' if node.hidden else ' observed'}"
            for node in self.nodes
        )
        edges = ", ".join(f"{edge.a}-{edge.b}" for edge in self.edges)
        return f"Graph({nodes}; {edges})"

    def __deepcopy__(self, memo: object) -> Graph:
        return self  # nothing in a graph changes, and its tables may be large

    def edges_of(self, node: str) -> list[tuple[int, Edge]]:
        """The edges of a node, each with its place among all.

        Examples
        --------
        >>> nodes = [Node("d", n_clusters=2), Node("w", direction="top-down")]
        >>> [(i, edge.shape) for i, edge in Graph(nodes, [Edge("d", "w", [[1]])]).edges_of("w")]
        [(0, (1, 1))]
        """
        return [(i, edge) for i, edge in enumerate(self.edges) if node in (edge.a, edge.b)]

    def fullest(self, node: str) -> str | None:
        """The hidden neighbour of a node with most entries.

        Examples
        --------
        >>> nodes = [Node("d", n_clusters=2), Node("w", direction="top-down")]
        >>> Graph(nodes, [Edge("d", "w", [[1, 0], [0, 2]])]).fullest("d")
        'w'
        """
        entries = self._entries(node)
        return max(entries, key=lambda other: entries[other], default=None)

    def _entries(self, node: str) -> dict[str, int]:
        """How many entries the tables with each hidden neighbour have."""
        entries: dict[str, int] = {}
        for _, edge in self.edges_of(node):
            other = edge.other(node)
            if self.nodes[self.index[other]].hidden:
                entries[other] = entries.get(other, 0) + int(edge.counts.nnz)
        return entries

    def full(self, node: str, most: int | None = None) -> tuple[str, ...]:
        """Hidden neighbours with at least half as many entries as the fullest, which is first.

        With ``most``, those that together have no more values than that, fuller ones first.

        Their single values are what the node's values are polished by and settle by. Observed
        neighbours stand as single values or as given anyhow; values that each belong to one
        value of the node alone (regions to their image) would tie nothing together.

        Examples
        --------
        >>> nodes = [Node("d", n_clusters=2), Node("w", direction="top-down"), Node("p")]
        >>> words, people = Edge("d", "w", [[1, 1], [3, 2]]), Edge("d", "p", [[1, 0], [0, 0]])
        >>> Graph(nodes, [words, people]).full("d")
        ('w',)
        """
        entries = self._entries(node)
        shared = {other: n for other, n in entries.items() if n > self.sizes[other]}
        order = sorted(shared, key=lambda other: -shared[other])
        found: list[str] = []
        room = math.inf if most is None else most
        for other in order:
            if 2 * shared[other] >= shared[order[0]] and self.sizes[other] <= room:
                found.append(other)
                room -= self.sizes[other]
        return tuple(found)

    def _agreed_sizes(self) -> dict[str, int]:
        found: dict[str, tuple[int, str]] = {
            node.name: (node.size, "the node") for node in self.nodes if node.size is not None
        }
        for edge in self.edges:
            for end, size, part in (
                (edge.a, edge.shape[0], "rows"),
                (edge.b, edge.shape[1], "columns"),
            ):
                source = f"the table {edge.a}-{edge.b} ({size} {part})"
                before, who = found.setdefault(end, (size, source))
                if before != size:
                    raise GraphError(
                        f"sizes of {end!r} don't match: {who} says {before}, {source} says {size}"
                    )
        return {name: size for name, (size, _) in found.items()}

    def check(self) -> Graph:
        """Refuse what can't be solved, and say why; return the graph itself otherwise."""
        if not any(node.hidden for node in self.nodes):
            raise GraphError("every node is observed: there is nothing to cluster; hide one")
        for node in self.nodes:
            edges = self.edges_of(node.name)
            if not edges:
                raise GraphError(
                    f"node {node.name!r} is isolated: nothing tells its values apart. "
                    "Join it by an edge or leave it out"
                )
            if not any(edge.weight > 0 for _, edge in edges):
                raise GraphError(
                    f"all edges of node {node.name!r} have weight 0: nothing tells its values "
                    "apart. Give one of them a weight, or leave the node out"
                )
        for edge in self.edges:
            if min(edge.shape) == 0:
                raise GraphError(
                    f"the table {edge.a}-{edge.b} is {edge.shape[0]} x {edge.shape[1]}; "
                    "it needs at least one row and one column"
                )
            if edge.counts.nnz == 0:
                raise GraphError(f"the table {edge.a}-{edge.b} holds no counts at all")
        for node in self.nodes:
            self._check_clusters(node)
        self._check_directions()
        return self

    def _check_clusters(self, node: Node) -> None:
        if not node.hidden:
            return
        size, k = self.sizes[node.name], node.n_clusters
        if k is None:
            if node.direction == "bottom-up":
                raise GraphError(
                    "node {name!r} is bottom-up and has no n_clusters; without a number its "
                    "merging has no end. Give n_clusters, or make it top-down",
                    code="no_number",
                    name=node.name,
                )
            return
        about: dict[str, Any] = {"node": node.name, "size": size, "k": k}
        if k > size:
            raise GraphError(
                "{given} for node {node!r}, which has only {size} values (n_samples={size}); ask "
                "for {size} clusters or fewer",
                "n_clusters",
                k,
                code="few_values",
                **about,
            )
        filled = int(self.occupied(node.name).sum())
        if k > filled:
            raise GraphError(
                "{given} for node {node!r}, but only {filled} of its {size} values have any "
                "counts; ask for {filled} clusters or fewer",
                "n_clusters",
                k,
                code="few_counts",
                filled=filled,
                **about,
            )

    def _check_directions(self) -> None:
        for component in self._components():
            nodes = [self.nodes[i] for i in component]
            if all(node.hidden and node.direction == "top-down" for node in nodes):
                largest = max(nodes, key=lambda node: self.sizes[node.name])
                raise GraphError(
                    "the nodes {nodes} are all hidden and all top-down: the first split would be "
                    "random and all others would follow it. Make one bottom-up, for example "
                    "Node({largest!r}, direction='bottom-up'), or observe one",
                    code="all_top_down",
                    nodes=[node.name for node in nodes],
                    largest=largest.name,
                )

    def _components(self) -> list[list[int]]:
        n = len(self.nodes)
        pairs = [(self.index[edge.a], self.index[edge.b]) for edge in self.edges]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        adjacency = sp.coo_array((np.ones(len(pairs)), (rows, columns)), shape=(n, n))
        _, label = sp.csgraph.connected_components(adjacency, directed=False)
        return [np.flatnonzero(label == c).tolist() for c in range(label.max() + 1)] if n else []

    def occupied(self, name: str) -> npt.NDArray[np.bool_]:
        """Which values of a node have any counts in any of its tables.

        Values without are legal: they take no part in inference, and their home is
        cluster 0, the one with the largest mass.
        """
        filled = np.zeros(self.sizes[name], dtype=bool)
        for edge in self.edges:
            if edge.a == name:
                filled |= np.diff(edge.counts.indptr) > 0
            if edge.b == name:
                filled[edge.counts.indices] = True
        return filled

    def places(self, name: str) -> npt.NDArray[np.int64]:
        """Number that each value of a node has in a search; -1 for those that are set aside.

        Values of a hidden node without any counts take no part in inference, and the others are
        numbered in their order. By these numbers a term of the objective knows them.

        Examples
        --------
        >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
        >>> Graph(nodes, [Edge("d", "w", [[3, 0], [0, 0], [0, 2]])]).places("d").tolist()
        [0, -1, 1]
        """
        if not self.nodes[self.index[name]].hidden:  # what is observed is what it is
            return np.arange(self.sizes[name])
        filled = self.occupied(name)
        return np.where(filled, np.cumsum(filled) - 1, -1)

    def to_svg(self) -> str:
        """A picture of the graph: circles and lines, observed nodes shaded."""
        from comraf.graph.picture import draw

        return draw(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()


def _first_repeated(names: Sequence[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
