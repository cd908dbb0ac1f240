"""The log-potential of an edge: weighted mutual information of two partitions."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.kernels import compiled
from comraf.kernels.calls import call, fixed
from comraf.kernels.plan import integers_for, phi_table
from comraf.objectives.base import CountBlock, Labels, State

__all__ = ["MutualInformation"]


class MutualInformation:
    """``weight * I(X;Y)`` between the partitions of the nodes ``a`` (rows) and ``b`` (columns).

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> term = MutualInformation(0, 1, sp.csr_array(np.array([[1, 0], [0, 1]])))
    >>> labels = np.array([0, 1], dtype=np.int32)
    >>> round(term.value(State((labels, labels), (2, 2))), 6)  # one bit, in nats
    0.693147
    """

    def __init__(self, a: int, b: int, counts: sp.csr_array, weight: float = 1.0) -> None:
        self.a, self.b, self.weight = a, b, float(weight)
        rows = sp.csr_array(counts)
        self._by = {a: _arrays(rows), b: _arrays(sp.csr_array(rows.T))}
        self._size = {a: rows.shape[1], b: rows.shape[0]}  # columns seen from each end
        self.total = int(rows.data.sum())
        self.nnz = int(rows.nnz)
        # One remembered block for each end, good while the other end's labels stand still:
        # restarts and repeated sweeps share it.
        self._memory: dict[int, tuple[Labels, CountBlock]] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_memory": {}, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def touches(self, node: int) -> bool:
        """Whether ``node`` is an end of the edge."""
        return node in (self.a, self.b)

    def marginal(self, node: int) -> npt.NDArray[np.int64]:
        """Count of each element of an end over the whole edge."""
        indptr, _, data = self._by[node]
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(data, dtype=np.int64)])
        return np.asarray(sums[indptr[1:]] - sums[indptr[:-1]])

    def _other(self, node: int) -> int:
        return self.b if node == self.a else self.a

    def lower(self, node: int, state: State) -> CountBlock:
        """Counts of each element over the other end's clusters, then its mass."""
        other = self._other(node)
        labels, k = state.labels[other], state.n_clusters[other]
        with self._lock:
            known = self._memory.get(node)
        if known is not None and known[0] is labels:
            return known[1]
        # outside the lock: runs side by side ask for blocks of different states
        indptr, indices, data = call(compiled.aggregate, *self._by[node], fixed(labels), k)
        coef = np.full(k + 1, self.weight / self.total)
        coef[k] = -coef[k]
        block = CountBlock(indptr, indices, data, coef, float(self.total))
        with self._lock:
            self._memory[node] = (labels, block)
        return block

    def information(self, state: State) -> float:
        """``I(X;Y)`` in nats, without the weight."""
        # Lower for the end whose other side has fewer clusters: the smaller dense table.
        node = self.a if state.n_clusters[self.b] <= state.n_clusters[self.a] else self.b
        indptr, indices, data, *_ = self.lower(node, state)
        k, columns = state.n_clusters[node], state.n_clusters[self._other(node)] + 1
        if k * columns <= 4 * len(data) + 65536:
            table = call(
                compiled.tally, indptr, indices, data, fixed(state.labels[node]), columns, k
            )
            joint, mass, column_mass = table[:-1].ravel(), table[-1], table[:-1].sum(axis=1)
        else:  # many clusters on both sides: stay sparse
            owner = np.repeat(state.labels[node], np.diff(indptr))
            sparse = sp.csr_array((data, (indices, owner)), shape=(columns, k))
            sparse.sum_duplicates()
            rows = np.repeat(np.arange(columns), np.diff(sparse.indptr))
            joint = sparse.data[rows < columns - 1]
            mass = sparse.data[rows == columns - 1]
            column_mass = np.asarray(sparse[: columns - 1].sum(axis=1)).ravel()
        parts = (_phi_sum(part) for part in (joint, mass, column_mass))
        cells_phi, mass_phi, column_phi = parts
        information = (cells_phi - mass_phi - column_phi) / self.total + np.log(self.total)
        return max(0.0, float(information))  # 0 comes out as a difference: clip the rounding

    def value(self, state: State) -> float:
        """Weighted mutual information in nats."""
        return self.weight * self.information(state)


def _arrays(csr: sp.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    csr.sort_indices()
    return (
        csr.indptr.astype(np.int64, copy=False),
        csr.indices.astype(np.int32, copy=False),
        csr.data.astype(integers_for(float(csr.data.sum())), copy=False),
    )


def _phi_sum(counts: np.ndarray) -> float:
    """Sum of t log t, from the table where the counts allow."""
    if len(counts) == 0:
        return 0.0
    largest = int(counts.max())
    table = phi_table(largest)
    if largest < len(table):
        return float(table[counts].sum())
    t = counts[counts > 0].astype(np.float64)
    return float((t * np.log(t)).sum())
