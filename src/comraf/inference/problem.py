"""From a checked graph to what inference works on, and back.

Values without any counts are set aside before inference and come home to cluster 0 after
it; clusters are numbered by decreasing mass, so that equal partitions have equal labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from comraf.graph.model import Graph
from comraf.objectives import Labels, MutualInformation, Objective, State, Term, edge_term
from comraf.progress import TracePoint

__all__ = ["Outcome", "Problem"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an inference method hands back: the best state and how it got there.

    ``levels`` are the partitions of a node that were walked through, finest first, the last
    one the final; numbers of clusters fall strictly.
    """

    state: State
    objective: float
    trace: tuple[TracePoint, ...] = ()
    interrupted: bool = False
    stability: Mapping[int, npt.NDArray[np.float64]] = field(default_factory=dict)
    n_runs: int = 1
    levels: Mapping[int, tuple[Labels, ...]] = field(default_factory=dict)


class Problem:
    """A graph reduced to its occupied values, with its objective.

    Parameters
    ----------
    graph : Graph
        Checked here.

    Attributes
    ----------
    seeds : dict of int to array of int
        Clusters that some values of a hidden node start in, -1 for all others. The search may
        leave them.
    said : tuple of MutualInformation
        Terms of edges to what somebody said, labels for instance: runs may differ in anything
        but must not outvote these.
    own_masses : dict of int to array of float
        Masses by which a node's clusters are numbered, where these are not its edges'.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph.check()
        self.names: tuple[str, ...] = tuple(node.name for node in graph.nodes)
        self.occupied: list[npt.NDArray[np.bool_]] = []
        for node in graph.nodes:
            self.occupied.append(graph.places(node.name) >= 0)
        self.sizes: tuple[int, ...] = tuple(int(mask.sum()) for mask in self.occupied)
        self.hidden: tuple[int, ...] = tuple(i for i, n in enumerate(graph.nodes) if n.hidden)
        self.edges: tuple[MutualInformation, ...] = tuple(
            self._edge_term(i) for i in range(len(graph.edges))
        )
        self.objective = Objective(self.edges)
        self._singletons: dict[int, Labels] = {}
        self.seeds: dict[int, Labels] = {}
        self.said: tuple[MutualInformation, ...] = ()
        self.own_masses: dict[int, npt.NDArray[np.float64]] = {}

    def _edge_term(self, number: int) -> MutualInformation:
        edge = self.graph.edges[number]
        rows, columns = (self.occupied[self.graph.index[end]] for end in (edge.a, edge.b))
        counts = edge.counts
        if not rows.all():
            counts = counts[np.flatnonzero(rows)]
        if not columns.all():
            counts = counts[:, np.flatnonzero(columns)]
        return edge_term(edge, self.graph.index, counts)

    def add_terms(self, terms: Sequence[Term]) -> None:
        """Add summands to the objective."""
        self.objective = Objective((*self.objective.terms, *terms))

    @property
    def preferences(self) -> tuple[Term, ...]:
        """The summands that are not of edges: of pairs, of single values, and the user's own."""
        return tuple(term for term in self.objective.terms if term not in self.edges)

    def neighbours(self, node: int) -> list[int]:
        """Nodes joined to a node by an edge."""
        return [t.b if t.a == node else t.a for t in self.edges if t.touches(node)]

    def observed_labels(self, node: int) -> tuple[Labels, int]:
        """The given partition of an observed node."""
        observed = self.graph.nodes[node].observed
        if isinstance(observed, str):
            n = self.sizes[node]
            return np.arange(n, dtype=np.int32), n
        labels = np.asarray(observed, dtype=np.int32)
        return labels, int(labels.max()) + 1

    def singletons(self, node: int) -> Labels:
        """Every value in a cluster of its own; the same array each time, so blocks are shared."""
        if node not in self._singletons:
            labels = np.arange(self.sizes[node], dtype=np.int32)
            labels.flags.writeable = False
            self._singletons[node] = labels
        return self._singletons[node]

    def start(self, hidden: dict[int, tuple[Labels, int]]) -> State:
        """A state from partitions of the hidden nodes; observed ones are filled in."""
        parts = [
            hidden[i] if i in hidden else self.observed_labels(i) for i in range(len(self.names))
        ]
        state = State(tuple(labels for labels, _ in parts), tuple(k for _, k in parts))
        for node, (labels, k) in enumerate(parts):
            state = state.replace(node, labels, k)
        return state

    def masses(self, node: int) -> npt.NDArray[np.float64]:
        """Mass of each value of a node: its share of every edge, by the edges' weights."""
        if node in self.own_masses:
            return self.own_masses[node]
        mass = np.zeros(self.sizes[node])
        for term in self.edges:
            if term.touches(node):
                mass += term.weight * term.marginal(node) / term.total
        return mass

    def canonical(self, state: State) -> State:
        """The same partitions with hidden nodes' clusters numbered by decreasing mass."""
        for node in self.hidden:
            labels, k = state.labels[node], state.n_clusters[node]
            mass = np.bincount(labels, weights=self.masses(node), minlength=k)
            first = np.full(k, len(labels))
            np.minimum.at(first, labels, np.arange(len(labels)))
            # Masses equal but for rounding must not depend on the order of summation.
            order = np.lexsort((first, -np.round(mass, 12)))
            rank = np.empty(k, dtype=np.int32)
            rank[order] = np.arange(k, dtype=np.int32)
            state = state.replace(node, rank[labels], k)
        return state

    def expand(self, state: State) -> dict[str, Labels]:
        """Labels of every value of every node by name; values without counts in cluster 0."""
        out: dict[str, Labels] = {}
        for node, name in enumerate(self.names):
            labels = np.zeros(len(self.occupied[node]), dtype=np.int32)
            labels[self.occupied[node]] = state.labels[node]
            out[name] = labels
        return out

    def expand_stability(
        self, stability: Mapping[int, npt.NDArray[np.float64]]
    ) -> dict[str, npt.NDArray[np.float64]]:
        """Stability of every value by the node's name; 0 for values without counts."""
        out = {}
        for node, values in stability.items():
            whole = np.zeros(len(self.occupied[node]))
            whole[self.occupied[node]] = values
            out[self.names[node]] = whole
        return out
