"""Terms about items themselves: who should be together, and who belongs where."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.objectives.base import PairBlock, State, UnaryBlock

__all__ = ["FIRM", "PairPreference", "UnaryPreference"]

#: Weight of a pair whose preference must hold: more than all mutual information there is, and
#: little enough that single gains are still told apart beside thousands of such pairs.
FIRM = 1000.0


class PairPreference:
    """``sum weight_ij * [i and j share a cluster]`` over pairs of values of one node.

    Positive weights draw a pair together, negative ones push it apart. Values are numbered
    among the node's occupied ones (``Problem.occupied``).

    Examples
    --------
    >>> term = PairPreference(0, [(0, 1), (1, 2)], [1.0, -2.0], n=3)
    >>> labels = np.array([0, 0, 1], dtype=np.int32)
    >>> term.value(State((labels,), (2,)))
    1.0
    """

    def __init__(self, node: int, pairs: npt.ArrayLike, weights: npt.ArrayLike, n: int) -> None:
        self.node = node
        given = np.asarray(pairs).reshape(-1, 2)
        if given.size and given.dtype.kind not in "iu":
            raise InputError(f"pairs are {given.dtype}; give whole numbers of values")
        ends = given.astype(np.int64)
        self.weights = np.broadcast_to(np.asarray(weights, dtype=np.float64), len(ends)).copy()
        wrong = ends[(ends < 0) | (ends >= n)]
        if len(wrong):
            raise InputError(f"a pair names value {wrong[0]}, but values run from 0 to {n - 1}")
        if (ends[:, 0] == ends[:, 1]).any():
            raise InputError("a pair joins a value to itself; leave such pairs out")
        if not np.isfinite(self.weights).all():
            raise InputError("weights of pairs must be finite")
        self.ends = ends
        both = np.concatenate([ends, ends[:, ::-1]])
        matrix = sp.csr_array((np.tile(self.weights, 2), (both[:, 0], both[:, 1])), shape=(n, n))
        self._block = PairBlock(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32),
            matrix.data.astype(np.float64),
        )

    def touches(self, node: int) -> bool:
        """Whether ``node`` is the one whose values are paired."""
        return node == self.node

    def value(self, state: State) -> float:
        """Weights of the pairs that share a cluster, summed."""
        labels = state.labels[self.node]
        together = labels[self.ends[:, 0]] == labels[self.ends[:, 1]]
        return float(self.weights[together].sum())

    def lower(self, node: int, state: State) -> PairBlock:
        """The pairs as a symmetric sparse matrix."""
        return self._block


class UnaryPreference:
    """``sum table[i, label_i]``: what each value gains in each cluster by itself.

    Its columns are cluster numbers, so it makes sense only for methods that neither split
    nor merge the node's clusters; `comraf.Comraf` refuses it.

    Examples
    --------
    >>> term = UnaryPreference(0, [[1.0, 0.0], [0.0, 3.0]])
    >>> term.value(State((np.array([0, 1], dtype=np.int32),), (2,)))
    4.0
    """

    def __init__(self, node: int, table: npt.ArrayLike) -> None:
        self.node = node
        self.table = np.ascontiguousarray(table, dtype=np.float64)
        if self.table.ndim != 2 or not np.isfinite(self.table).all():
            raise InputError("a unary preference is a finite table: values x clusters")
        self._block = UnaryBlock(self.table)

    def touches(self, node: int) -> bool:
        """Whether ``node`` is the one the table is about."""
        return node == self.node

    def value(self, state: State) -> float:
        """Entries of the table at the labels, summed."""
        labels = state.labels[self.node]
        return float(self.table[np.arange(len(labels)), labels].sum())

    def lower(self, node: int, state: State) -> UnaryBlock:
        """The table as it is."""
        return self._block
