"""A graph at the partitions of a result: what they are worth, and what each side sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.model import Edge, Graph
from comraf.kernels.plan import Plan
from comraf.kernels.shrunken import MOST_SINGLE
from comraf.objectives import Labels, MutualInformation, Objective, State, edge_term
from comraf.results.result import EdgeInformation, Result

__all__ = [
    "AGAINST",
    "NodeTable",
    "Solved",
    "check_hidden",
    "check_node",
    "edge_information",
    "partition",
    "settled",
    "single_sides",
    "tables_of",
]

#: What the values of a node are held against: the clusters of all its neighbours, or single
#: values of the fullest one and clusters of the others (as polishing does it), or whichever
#: of the two the search ended with.
AGAINST = ("auto", "clusters", "values")


class Solved:
    """A graph together with a result of it.

    Parameters
    ----------
    graph : Graph
        What was clustered.
    result : Result
        Partitions of the same nodes.
    terms : tuple of MutualInformation
        Those of the graph, where another result of it has them already: making them takes long.

    Examples
    --------
    >>> from comraf import Edge, Node
    >>> graph = Graph(
    ...     [Node("d", n_clusters=2), Node("w", observed="singletons")],
    ...     [Edge("d", "w", [[1, 0], [0, 1]])],
    ... )
    >>> labels = {"d": np.array([0, 1]), "w": np.array([0, 1])}
    >>> result = Result(labels, {"d": 2, "w": 2}, 0.0, ())
    >>> round(Solved(graph, result).objective, 6)  # one bit, in nats
    0.693147
    """

    def __init__(
        self, graph: Graph, result: Result, terms: tuple[MutualInformation, ...] = ()
    ) -> None:
        self.graph, self.result = graph, result
        self.names = tuple(node.name for node in graph.nodes)
        if set(self.names) != set(result.labels):
            raise InputError(
                "the graph has the nodes {nodes}, the result {labels}; give the graph that was "
                "solved",
                nodes=list(self.names),
                labels=list(result.labels),
            )
        for name in self.names:
            if graph.sizes[name] != len(result.labels[name]):
                raise InputError(
                    f"{name!r} has {graph.sizes[name]} values in the graph and "
                    f"{len(result.labels[name])} in the result; give the graph that was solved"
                )
        self.terms: tuple[MutualInformation, ...] = terms or tuple(
            edge_term(edge, graph.index) for edge in graph.edges
        )
        self.state = self._state(result.labels, result.n_clusters)

    def _state(
        self, labels: Mapping[str, npt.NDArray[np.int32]], n_clusters: Mapping[str, int]
    ) -> State:
        return State(
            tuple(np.ascontiguousarray(labels[name], dtype=np.int32) for name in self.names),
            tuple(n_clusters[name] for name in self.names),
        )

    @property
    def objective(self) -> float:
        """Sum of weight times information, computed afresh."""
        return Objective(self.terms).value(self.state)

    def edges(self, state: State | None = None) -> tuple[EdgeInformation, ...]:
        """Information of every edge, of the result's partitions or of others."""
        return edge_information(self.graph, self.terms, self.state if state is None else state)

    def index(self, node: str) -> int:
        """Number of a node in the graph."""
        return check_node(self.graph, node)

    def with_partition(self, node: str, labels: Labels, k: int) -> Result:
        """The result with another partition of one node: objective and edges anew.

        Ids, names and levels are those of the old partition; who calls this sees to them.
        """
        number = self.index(node)
        state = self.state.replace(number, labels, k)
        edges = self.edges(state)
        parts = ("ids", "next_ids", "names", "levels", "stability")
        of_others: dict[str, Any] = {
            part: {name: v for name, v in getattr(self.result, part).items() if name != node}
            for part in parts
        }
        return replace(
            self.result,
            labels={**self.result.labels, node: state.labels[number]},
            n_clusters={**self.result.n_clusters, node: k},
            objective=float(sum(edge.weight * edge.information for edge in edges)),
            edges=edges,
            **of_others,
        )

    def against(self, node: str, against: str = "auto") -> State:
        """The state that the values of a node are held against."""
        state = self.state
        for other in single_sides(self.graph, self.result, node, against):
            n = self.graph.sizes[other]
            state = state.replace(self.index(other), np.arange(n, dtype=np.int32), n)
        return state

    def plan(self, node: str, state: State | None = None) -> Plan:
        """Everything the terms say about the values of a node."""
        return Objective(self.terms).plan(self.index(node), self.state if state is None else state)


def edge_information(
    graph: Graph, terms: Iterable[MutualInformation], state: State
) -> tuple[EdgeInformation, ...]:
    """Information of every edge of a graph, whose terms are given, in a state."""
    return tuple(
        EdgeInformation(edge.a, edge.b, term.weight, term.information(state))
        for edge, term in zip(graph.edges, terms, strict=True)
    )


def single_sides(graph: Graph, result: Result, node: str, against: str = "auto") -> tuple[str, ...]:
    """Neighbours whose single values the values of a node are held against."""
    if against not in AGAINST:
        raise InputError(parameter="against", given=against, allowed=AGAINST)
    polished = ("polish", node) in {(point.action, point.node) for point in result.trace}
    if against == "clusters" or (against == "auto" and not polished):
        return ()
    return graph.full(node, MOST_SINGLE // max(1, result.n_clusters[node]))


def settled(graph: Graph, result: Result, node: str, against: str = "auto") -> bool:
    """Whether the values of a node ended where they settled, held against the same."""
    same = single_sides(graph, result, node, against) == single_sides(graph, result, node)
    return same and any(p.action == "settle" and p.node == node for p in result.trace)


def check_node(graph: Graph, node: str) -> int:
    """Number of a node in the graph.

    Examples
    --------
    >>> from comraf import Node
    >>> check_node(Graph([Node("d", n_clusters=2), Node("w", n_clusters=2)], []), "w")
    1
    """
    if node not in graph.index:
        raise InputError(
            "there is no node {node!r}; the nodes are {allowed}",
            node=node,
            allowed=list(graph.index),
        )
    return graph.index[node]


@dataclass(frozen=True)
class NodeTable:
    """One of the tables of a node: its values by those of a neighbour.

    Attributes
    ----------
    edge : Edge
    number : int
        Of the edge in the graph.
    other : str
        The neighbour.
    name : str
        The neighbour's name; several tables with one neighbour are told apart by a number,
        ``words (2)``.
    as_rows : bool
        Whether the node's values are the rows of the edge's own table.
    """

    edge: Edge
    number: int
    other: str
    name: str
    as_rows: bool

    @property
    def counts(self) -> sp.csr_array:
        """Counts with the node's values as rows."""
        return self.edge.counts if self.as_rows else sp.csr_array(self.edge.counts.T)


def tables_of(graph: Graph, node: str) -> list[NodeTable]:
    """The tables of a node, in the order of the graph's edges.

    Examples
    --------
    >>> from comraf import Edge, Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", n_clusters=2)]
    >>> graph = Graph(nodes, [Edge("d", "w", [[1, 0], [0, 2]]), Edge("w", "d", np.eye(2))])
    >>> [(table.name, table.as_rows) for table in tables_of(graph, "d")]
    [('w', True), ('w (2)', False)]
    """
    check_node(graph, node)
    times: Counter[str] = Counter()
    found = []
    for number, edge in enumerate(graph.edges):
        if node in (edge.a, edge.b):
            other = edge.b if node == edge.a else edge.a
            times[other] += 1
            name = other if times[other] == 1 else f"{other} ({times[other]})"
            found.append(NodeTable(edge, number, other, name, node == edge.a))
    return found


def check_hidden(graph: Graph, node: str) -> None:
    """Refuse a node that is not there or whose partition is given.

    Examples
    --------
    >>> from comraf import Node
    >>> check_hidden(Graph([Node("d", n_clusters=2)], []), "d")
    """
    if not graph.nodes[check_node(graph, node)].hidden:
        hidden = [other.name for other in graph.nodes if other.hidden]
        raise InputError(f"the partition of {node!r} is observed; hidden nodes are {hidden}")


def partition(graph: Graph, labels: npt.NDArray[np.int32], k: int) -> Result:
    """A partition of the first node as a result: what it is worth on each edge.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("d", "w", np.array([[2, 0], [0, 2]]))])
    >>> round(partition(graph, np.array([0, 1], np.int32), 2).objective, 4)
    0.6931
    """
    first = graph.nodes[0].name
    sizes = {node.name: graph.sizes[node.name] for node in graph.nodes}
    single = {name: np.arange(size, dtype=np.int32) for name, size in sizes.items()}
    plain = Result({**single, first: labels}, {**sizes, first: k}, 0.0, ())
    return Solved(graph, plain).with_partition(first, labels, k)
