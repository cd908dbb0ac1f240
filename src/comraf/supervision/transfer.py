"""Transfer (thesis 5.2): groups of words learned on one collection, observed in another.

Where the documents of a collection have classes, its words fall into groups by the classes
they go with. Another collection about similar things has other documents but many of the same
words: there the groups are an observed node, joined to its documents and to its words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.graph.tables import membership
from comraf.inference import MDCOptions, Problem, run_mdc
from comraf.parameters import check_int, check_number
from comraf.results import Result
from comraf.results.model import Model
from comraf.results.solved import tables_of
from comraf.supervision.graphs import add_groups
from comraf.supervision.labels import read_labels
from comraf.supervision.naming import listed, quoted

__all__ = ["WordKnowledge", "add_transferred"]

# Groups of words for each class of documents: few enough that each has seen many words.
_GROUPS_A_CLASS = 5
_MOST_GROUPS = 100
# Weights of the observed groups beside a documents-words edge of weight 1.
_DOCUMENTS, _WORDS = 0.3, 0.3


@dataclass(frozen=True, eq=False)
class WordKnowledge:
    """Groups of words, or of any other values that two collections share.

    Attributes
    ----------
    groups : array of int32
        Group of each value, -1 where nothing is known about it.
    names : tuple of str or None
        Names of the values; None if they stand for the columns of one table in their order.
    weight : float
        Factor of the weights of what the groups add to the objective.

    Examples
    --------
    >>> table = [[3, 1, 0], [2, 2, 0], [0, 0, 4]]
    >>> names = ["sea", "ship", "bread"]
    >>> known = WordKnowledge.from_labels(table, ["x", "x", "y"], names, n_groups=2)
    >>> groups = known.for_columns(["bread", "oven", "ship", "sea"]).groups
    >>> bool(groups[1] == -1 and groups[2] == groups[3] != groups[0])
    True
    """

    groups: NDArray[np.int32]
    names: tuple[str, ...] | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        groups = np.asarray(self.groups)
        if groups.ndim != 1 or groups.dtype.kind not in "iu":
            raise InputError("groups are one whole number for each value, -1 where it is unknown")
        object.__setattr__(self, "groups", groups.astype(np.int32))
        check_number("the weight of what is transferred", self.weight)

    @classmethod
    def from_labels(
        cls,
        table: Any,
        labels: Any,
        names: Sequence[str] | None = None,
        *,
        n_groups: int | None = None,
        random_state: int = 0,
        weight: float = 1.0,
    ) -> WordKnowledge:
        """Group the columns of a table by the classes of the rows that they go with.

        Parameters
        ----------
        table : array-like or sparse
            Counts, documents x words.
        labels : array-like
            A class for each row, -1 or None where it is unknown.
        names : sequence of str, optional
            Names of the columns; needed unless the other collection has the same columns.
        n_groups : int, optional
            Five for each class, up to a hundred, by default.
        random_state : int
            Seed of the search.
        weight : float
            Factor of the weights of what the groups add to the objective.
        """
        edge = Edge("rows", "columns", table, weighting="root_rows")
        known = read_labels(labels, edge.shape[0])
        if known.n_known == 0:
            raise InputError("no row has a class; there is nothing to learn groups of words from")
        counts = edge.counts.T @ membership(known.codes, len(known.classes))
        return cls.from_counts(
            counts, names, n_groups=n_groups, random_state=random_state, weight=weight
        )

    @classmethod
    def from_result(
        cls,
        graph: Graph,
        result: Result,
        side: str = "words",
        over: str = "documents",
        *,
        n_groups: int | None = None,
        random_state: int = 0,
        weight: float = 1.0,
    ) -> WordKnowledge:
        """Group the values of a side by the clusters of another one that a fit found.

        Parameters
        ----------
        graph : Graph
            What was fitted.
        result : Result
            What was found.
        side, over : str
            Names of the side with the words, and of that with the documents.
        n_groups, random_state, weight
            As in `from_labels`.
        """
        k = result.n_clusters[over]
        member = membership(result.labels[over], k)
        counts = sp.csr_array((graph.sizes[side], k), dtype=np.int64)
        for table in tables_of(graph, side):
            if table.other == over:
                counts = counts + sp.csr_array(table.counts @ member)
        return cls.from_counts(
            counts,
            graph.nodes[graph.index[side]].values,
            n_groups=n_groups,
            random_state=random_state,
            weight=weight,
        )

    @classmethod
    def from_model(
        cls,
        model: Model,
        side: str = "words",
        *,
        n_groups: int | None = None,
        random_state: int = 0,
        weight: float = 1.0,
    ) -> WordKnowledge:
        """Group the values of a side by the clusters of a model that was saved.

        Parameters
        ----------
        model : Model
            From `comraf.results.model.load_model`.
        side : str
            Name of the side with the words.
        n_groups, random_state, weight
            As in `from_labels`.
        """
        if side not in model.sides:
            raise InputError(
                "the model has no side {side!r} to transfer; its sides are {allowed}",
                side=side,
                allowed=sorted(model.sides),
            )
        known = model.sides[side]
        if not known.counts.single:  # only clusters of its values are kept
            groups = np.asarray(known.counts.labels, dtype=np.int32)
            return cls(groups, tuple(known.values), weight)
        counts = sp.csr_array(known.counts.joint)[known.counts.labels]
        return cls.from_counts(
            counts, known.values, n_groups=n_groups, random_state=random_state, weight=weight
        )

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        names: Sequence[str] | None,
        *,
        n_groups: int | None = None,
        random_state: int = 0,
        weight: float = 1.0,
    ) -> WordKnowledge:
        """Group values by a table of them and the classes or clusters they go with."""
        table = sp.csr_array(counts)
        groups = _grouped(table, n_groups, random_state)
        return cls(groups, _texts(names, table.shape[0]), weight)

    def for_columns(self, names: Sequence[str]) -> WordKnowledge:
        """The same for the columns of another table, matched by name."""
        if self.names is None and len(names) == len(self.groups):
            return self
        if self.names is None:
            raise InputError(
                "these groups of words have no names to match columns by; give names when they "
                "are learned"
            )
        place = {name: i for i, name in enumerate(self.names)}
        at = np.array([place.get(str(name), -1) for name in names], dtype=np.int64)
        groups = np.where(at >= 0, self.groups[at], -1).astype(np.int32)
        return WordKnowledge(groups, None, self.weight)


def _texts(names: Sequence[Hashable] | None, n: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    texts = tuple(str(name) for name in names)
    if len(texts) != n:
        raise InputError(f"{len(texts):,} names are given for {n:,} columns")
    if len(set(texts)) < n:
        twice = [text for text, times in Counter(texts).items() if times > 1]
        raise InputError(
            f"names of columns must differ, but these come twice: "
            f"{listed((quoted(t) for t in twice), len(twice))}"
        )
    return texts


def _grouped(counts: sp.csr_array, n_groups: int | None, seed: int) -> NDArray[np.int32]:
    """Values in groups by their distributions over classes, -1 for those without counts."""
    there = np.diff(counts.indptr) > 0
    filled = int(there.sum())
    if filled == 0:
        raise InputError("no column has any counts with a class; there is nothing to learn")
    if n_groups is None:
        n_groups = min(_MOST_GROUPS, _GROUPS_A_CLASS * counts.shape[1])
    k = min(check_int("n_groups", n_groups), filled)
    nodes = [
        Node("words", n_clusters=k, direction="top-down"),
        Node("classes", observed="singletons"),
    ]
    problem = Problem(Graph(nodes, [Edge("words", "classes", counts)]))
    outcome = run_mdc(problem, MDCOptions(), np.random.SeedSequence(seed))
    groups = np.full(counts.shape[0], -1, dtype=np.int32)
    groups[there] = outcome.state.labels[0]
    return groups


def add_transferred(
    graph: Graph, node: str, knowledge: WordKnowledge, given: Graph | None = None
) -> Graph:
    """The graph with groups of a side's values, learned elsewhere, as an observed node.

    It is joined to the side itself, each known value with its mass in its group, and to the
    side's hidden neighbours, with the counts of the group's values. Values that nothing is
    known about take no part. Edges of ``given`` count, if others have been added to it.

    Examples
    --------
    >>> nodes = [Node("d", n_clusters=2), Node("w", direction="top-down")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[3, 0], [1, 1], [0, 2]])])
    >>> more = add_transferred(graph, "w", WordKnowledge(np.array([0, 1], np.int32)))
    >>> [(edge.a, edge.b) for edge in more.edges]
    [('d', 'w'), ('w', 'groups of w'), ('d', 'groups of w')]
    """
    weight = knowledge.weight
    side = graph.nodes[graph.index[node]]
    if knowledge.names is not None:
        if side.values is None:
            raise InputError(
                f"the values of {node!r} have no names to match what is transferred by; give a "
                "DataFrame, or WordKnowledge.for_columns(names)"
            )
        knowledge = knowledge.for_columns(side.values)
    groups = knowledge.groups
    if len(groups) != graph.sizes[node]:
        raise InputError(
            f"what is transferred has groups of {len(groups):,} values, but {node!r} has "
            f"{graph.sizes[node]:,}"
        )
    known = np.flatnonzero((groups >= 0) & graph.occupied(node))
    if not len(known):
        raise InputError(
            f"none of the values of {node!r} is known from where it was learned; the two have "
            "to share some of them"
        )
    present, number = np.unique(groups[known], return_inverse=True)
    numbered = np.full(len(groups), -1, dtype=np.int64)
    numbered[known] = number
    member = membership(numbered, len(present))
    weights = _WORDS * weight, _DOCUMENTS * weight
    return add_groups(graph, node, f"groups of {node}", member, weights, given)
