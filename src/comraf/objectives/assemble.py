"""A sum of terms, and the one plan their blocks make for a node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.kernels import compiled
from comraf.kernels.calls import call
from comraf.kernels.plan import Plan, integers_for
from comraf.objectives.base import Block, CountBlock, PairBlock, State, Term, UnaryBlock

__all__ = ["Objective"]


class Objective:
    """The sum of its terms.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from comraf.objectives import MutualInformation, State
    >>> objective = Objective([MutualInformation(0, 1, sp.csr_array(np.eye(2, dtype=int)))])
    >>> labels = np.array([0, 1], dtype=np.int32)
    >>> state = State((labels, labels), (2, 2))
    >>> objective.plan(0, state).n_columns  # two clusters of the other node, and the mass
    3
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = tuple(terms)

    def value(self, state: State) -> float:
        """The objective at a state."""
        return float(sum(term.value(state) for term in self.terms))

    def plan(self, node: int, state: State) -> Plan:
        """All that the terms say about moves of this node's elements."""
        blocks = [term.lower(node, state) for term in self.terms if term.touches(node)]
        return _join(blocks, len(state.labels[node]), state.n_clusters[node])


def _join(blocks: Sequence[Block], n: int, k: int) -> Plan:
    counted = [block for block in blocks if isinstance(block, CountBlock)]
    if len(counted) == 1:
        indptr, indices, data = counted[0][:3]
    elif counted:
        blocks_of = ((b.data, b.indices, b.indptr) for b in counted)
        shapes = ((n, len(b.coef)) for b in counted)
        table = sp.hstack(
            [sp.csr_array(b, shape=s) for b, s in zip(blocks_of, shapes, strict=True)], format="csr"
        )
        indptr, indices, data = table.indptr, table.indices, table.data
    else:
        table = sp.csr_array((n, 0), dtype=np.int64)
        indptr, indices, data = table.indptr, table.indices, table.data
    coef = np.concatenate([b.coef for b in counted]) if counted else np.zeros(0)
    widths = [len(b.coef) for b in counted]
    ends = np.cumsum(widths, dtype=np.int64)
    segments = np.array(
        [(end - width, end - 1) for end, width in zip(ends, widths, strict=True)], dtype=np.int64
    ).reshape(-1, 2)
    cell_coef = np.abs(coef)  # mass is a yardstick for gains, also of what is to be mixed
    cell_coef[segments[:, 1]] = 0.0  # the mass column repeats the cells: count mass once
    pair_indptr, pair_indices, pair_weights = _pairs(blocks, n)
    indptr = indptr.astype(np.int64, copy=False)
    indices = indices.astype(np.int32, copy=False)
    data = data.astype(integers_for(float(data.sum())), copy=False)
    return Plan(
        indptr=indptr,
        indices=indices,
        data=data,
        coef=coef,
        segments=segments,
        totals=np.array([b.total for b in counted], dtype=np.float64),
        mass=call(compiled.row_sums, indptr, indices, data, cell_coef),
        pair_indptr=pair_indptr,
        pair_indices=pair_indices,
        pair_weights=pair_weights,
        unary=_unary(blocks, n, k),
    )


def _pairs(blocks: Sequence[Block], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrices = [
        sp.csr_array((b.weights, b.indices, b.indptr), shape=(n, n))
        for b in blocks
        if isinstance(b, PairBlock)
    ]
    if not matrices:
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int32), np.zeros(0)
    total = sp.csr_array(sum(matrices[1:], start=matrices[0]))
    return (
        total.indptr.astype(np.int64),
        total.indices.astype(np.int32),
        total.data.astype(np.float64),
    )


def _unary(blocks: Sequence[Block], n: int, k: int) -> np.ndarray:
    tables = [b.table for b in blocks if isinstance(b, UnaryBlock)]
    if not tables:
        return np.zeros((0, 0))
    for table in tables:
        if table.shape != (n, k):
            raise InputError(
                f"a unary preference has shape {table.shape}, but the node has {n} values in {k} "
                "clusters; use it with a method that keeps the number of clusters"
            )
    return np.ascontiguousarray(sum(tables[1:], start=tables[0]), dtype=np.float64)
