"""What a term is: something that has a value, and that lowers itself to a block of data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Block", "CountBlock", "Labels", "PairBlock", "State", "Term", "UnaryBlock"]

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class State:
    """A value of every combinatorial variable: one partition for each node.

    Label arrays are never written to once they are in a state, so states can share them,
    and a term may remember what it computed from one.
    """

    labels: tuple[Labels, ...]
    n_clusters: tuple[int, ...]

    def replace(self, node: int, labels: Labels, k: int) -> State:
        """The state with another partition of one node."""
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        labels.flags.writeable = False
        return State(
            (*self.labels[:node], labels, *self.labels[node + 1 :]),
            (*self.n_clusters[:node], k, *self.n_clusters[node + 1 :]),
        )


class CountBlock(NamedTuple):
    """Counts of a node's elements over the clusters of a neighbour: CSR, and what they weigh.

    There are ``len(coef)`` columns, the last of which is the element's mass. ``total`` is
    the sum of all counts of the edge.
    """

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    data: npt.NDArray[np.integer]
    coef: npt.NDArray[np.float64]
    total: float


class PairBlock(NamedTuple):
    """Weights between elements of one node: a symmetric CSR matrix."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]


class UnaryBlock(NamedTuple):
    """What each element gains in each cluster by itself: (elements, clusters)."""

    table: npt.NDArray[np.float64]


#: One term's share of a plan, for one node (see `comraf.kernels.plan`).
Block = CountBlock | PairBlock | UnaryBlock


class Term(Protocol):
    """One summand of the objective.

    The gain that a term's block promises for a move equals the change of its value: that
    is the whole contract between objectives and inference.
    """

    def touches(self, node: int) -> bool:
        """Whether the value depends on this node's partition."""
        ...

    def value(self, state: State) -> float:
        """The term at this state."""
        ...

    def lower(self, node: int, state: State) -> Block:
        """The data by which a sweep over ``node`` knows the term."""
        ...
