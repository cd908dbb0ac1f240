"""Terms of a user's own: checked where they are used, and at home among the library's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.model import Edge
from comraf.objectives.base import Block, CountBlock, Labels, PairBlock, State, Term, UnaryBlock
from comraf.objectives.mutual_information import MutualInformation

__all__ = ["GroupedTerm", "OwnTerm", "edge_term", "goes_by_numbers"]

# What arrays of a wrong shape or type raise in a term.
_FAILURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class OwnTerm:
    """A user's term with its name; what it gives back is checked each time.

    Parameters
    ----------
    term : Term
    name : str
        What errors call it.
    nodes : sequence of str
        Names of the nodes, for errors.

    Examples
    --------
    >>> from comraf.objectives import UnaryPreference
    >>> term = OwnTerm(UnaryPreference(0, [[1.0, 0.0]]), "terms[0]", ["documents"])
    >>> term.lower(0, State((np.zeros(2, dtype=np.int32),), (2,)))
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: terms[0] (UnaryPreference): its block for 'documents' has 1 rows, but
    2 values move; values are numbered by graph.places('documents')
    """

    def __init__(self, term: Term, name: str, nodes: Sequence[str]) -> None:
        missing = [m for m in ("touches", "value", "lower") if not callable(getattr(term, m, None))]
        if missing:
            raise InputError(
                f"{name} is {type(term).__name__}, which has no {missing[0]}(); a term has "
                "touches(node), value(state) and lower(node, state)"
            )
        self.term, self.name, self.nodes = term, f"{name} ({type(term).__name__})", tuple(nodes)

    def touches(self, node: int) -> bool:
        """What the term says."""
        return bool(self.term.touches(node))

    def value(self, state: State) -> float:
        """The term at this state, if that is a finite number."""
        try:
            number = float(self.term.value(state))
        except _FAILURES as error:
            raise InputError(f"{self.name}: its value can't be told: {error!r}") from error
        if not np.isfinite(number):
            raise InputError(f"{self.name}: its value is {number}; it must be finite")
        return number

    def lower(self, node: int, state: State) -> Block:
        """The term's block for a node, if a sweep can read it."""
        try:
            block = self.term.lower(node, state)
        except _FAILURES as error:
            text = f"{self.name}: it can't be lowered for {self.nodes[node]!r}: {error!r}"
            raise InputError(text) from error
        fault = _fault(block, len(state.labels[node]), state.n_clusters[node])
        if fault:
            name = self.nodes[node]
            if "values move" in fault:
                fault += f"; values are numbered by graph.places({name!r})"
            raise InputError(f"{self.name}: its block for {name!r} {fault}")
        return block

    def check(self, hidden: Sequence[int]) -> None:
        """Refuse a term that no move can change."""
        if not any(self.touches(node) for node in hidden):
            raise InputError(
                f"{self.name} touches none of the nodes that move, "
                f"{[self.nodes[node] for node in hidden]}; nodes are numbered as in the graph, by "
                "graph.index"
            )


def goes_by_numbers(term: Term, node: int, state: State) -> bool:
    """Whether other numbers for the same clusters of a node change a term's value.

    Examples
    --------
    >>> from comraf.objectives import UnaryPreference
    >>> state = State((np.zeros(2, dtype=np.int32),), (2,))
    >>> goes_by_numbers(UnaryPreference(0, [[1.0, 0.0], [1.0, 0.0]]), 0, state)
    True
    """
    k = state.n_clusters[node]
    other = state.replace(node, k - 1 - state.labels[node], k)
    one, two = term.value(state), term.value(other)
    return abs(one - two) > 1e-9 * max(1.0, abs(one))


def _fault(block: object, n: int, k: int) -> str:
    """What is wrong with a block for ``n`` values in ``k`` clusters; nothing if it is right."""
    if isinstance(block, UnaryBlock):
        table = np.asarray(block.table)
        if table.ndim != 2:
            return f"is a table of shape {table.shape}; give values x clusters"
        if len(table) != n:
            return f"has {len(table)} rows, but {n} values move"
        if table.shape[1] != k:
            return f"has {table.shape[1]} columns, but there are {k} clusters now, state.n_clusters"
        return "" if np.isfinite(table).all() else "holds numbers that are not finite"
    if not isinstance(block, CountBlock | PairBlock):
        return f"is {type(block).__name__}; lower() gives a CountBlock, PairBlock or UnaryBlock"
    if len(block.indptr) != n + 1:
        return f"has {len(block.indptr) - 1} rows, but {n} values move"
    entries, indices = block[2], np.asarray(block.indices)
    most = n if isinstance(block, PairBlock) else len(block.coef)
    if not len(indices) == len(entries) == block.indptr[-1]:
        return f"has {len(indices)} indices, {len(entries)} entries and ends at {block.indptr[-1]}"
    if len(indices) and not 0 <= indices.min() <= indices.max() < most:
        return f"names column {indices.max()}, but there are {most}"
    if not np.isfinite(entries).all():
        return "holds numbers that are not finite"
    if isinstance(block, PairBlock):
        matrix = sp.csr_array((entries, indices, block.indptr), shape=(n, n))
        apart = abs(matrix - matrix.T)
        if matrix.diagonal().any() or (apart.nnz and apart.max() > 1e-9 * abs(entries).max()):
            return "is not symmetric with an empty diagonal, as weights of pairs are"
        return ""
    if np.asarray(entries).dtype.kind not in "iu" or (len(entries) and entries.min() < 0):
        return f"holds {np.asarray(entries).dtype} counts; they are whole numbers of 0 or more"
    if not len(block.coef) or not np.isfinite(block.coef).all() or not 0 < block.total < np.inf:
        return "needs a finite coefficient for each column, the mass last, and a total above 0"
    return ""


class EdgeTerm(MutualInformation):
    """The term that an edge has in the place of mutual information; its counts are as ever."""

    def __init__(self, own: OwnTerm, edge: MutualInformation) -> None:
        self.__dict__.update(edge.__dict__)
        self.own = own

    def lower(self, node: int, state: State) -> Block:  # type: ignore[override]
        """The block of the term."""
        return self.own.lower(node, state)

    def information(self, state: State) -> float:
        """What the term is worth for each unit of weight."""
        return self.value(state) / self.weight if self.weight else 0.0

    def value(self, state: State) -> float:
        """The term, its weight included."""
        return self.own.value(state)


def edge_term(
    edge: Edge, index: Mapping[str, int], counts: sp.csr_array | None = None
) -> MutualInformation:
    """The term of an edge between numbered nodes, for its own counts or for a part of them.

    Examples
    --------
    >>> edge = Edge("d", "w", [[2, 0], [0, 2]])
    >>> labels = np.array([0, 1], dtype=np.int32)
    >>> round(edge_term(edge, {"d": 0, "w": 1}).value(State((labels, labels), (2, 2))), 6)
    0.693147
    """
    a, b = index[edge.a], index[edge.b]
    counts = edge.counts if counts is None else counts
    term = MutualInformation(a, b, counts, edge.weight)
    if edge.term is None or edge.term is MutualInformation:
        return term
    made = edge.term(a, b, counts, edge.weight)
    own = OwnTerm(made, f"the term of edge {edge.a}-{edge.b}", list(index))
    if not (own.touches(a) and own.touches(b)):
        raise InputError(f"{own.name} must touch both nodes, {a} and {b}")
    return EdgeTerm(own, term)


class GroupedTerm:
    """A term about single values, where groups of them move as one.

    Parameters
    ----------
    term : Term
    groups : mapping of int to array of int
        For nodes whose values are grouped: the group of each value.

    Examples
    --------
    >>> from comraf.objectives import PairPreference
    >>> pairs = PairPreference(0, [(0, 2), (1, 2)], [1.0, 1.0], n=3)
    >>> term = GroupedTerm(pairs, {0: np.array([0, 0, 1])})
    >>> term.value(State((np.array([0, 0], dtype=np.int32),), (1,)))
    2.0
    """

    def __init__(self, term: Term, groups: Mapping[int, npt.NDArray[np.integer]]) -> None:
        self.term, self.groups = term, groups

    def touches(self, node: int) -> bool:
        """What the term says."""
        return self.term.touches(node)

    def value(self, state: State) -> float:
        """The term at the state of the single values."""
        return self.term.value(self._single(state))

    def lower(self, node: int, state: State) -> Block:
        """The term's block with the rows of each group added up."""
        block = self.term.lower(node, self._single(state))
        if node not in self.groups:
            return block
        n, group = len(state.labels[node]), self.groups[node]
        ones = np.ones(len(group), dtype=np.int64)
        member = sp.csr_array((ones, (group, np.arange(len(group)))), shape=(n, len(group)))
        if isinstance(block, UnaryBlock):
            return UnaryBlock(member @ block.table)
        width = len(group) if isinstance(block, PairBlock) else len(block.coef)
        table = sp.csr_array((block[2], block.indices, block.indptr), shape=(len(group), width))
        summed = sp.csr_array(member @ table)
        if isinstance(block, CountBlock):
            parts = summed.indptr.astype(np.int64), summed.indices, summed.data
            return CountBlock(*parts, block.coef, block.total)
        pairs = sp.coo_array(summed @ member.T)
        apart = pairs.row != pairs.col  # those within a group are always together
        ends = pairs.row[apart], pairs.col[apart]
        summed = sp.csr_array((pairs.data[apart], ends), shape=(n, n))
        return PairBlock(summed.indptr.astype(np.int64), summed.indices, summed.data)

    def _single(self, state: State) -> State:
        for node, group in self.groups.items():
            labels: Labels = state.labels[node][group]
            state = state.replace(node, labels, state.n_clusters[node])
        return state
