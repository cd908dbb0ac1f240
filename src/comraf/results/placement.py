"""Where an item belongs: gains in every cluster, for fitted items and for new ones.

The gain of item x in cluster c is what the objective would win by putting x there; the
items of the fit are left out of their own cluster while they are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.tables import as_counts
from comraf.kernels import compiled
from comraf.kernels.plan import Counts, Plan, phi_table
from comraf.objectives import CountBlock, Objective, State

__all__ = ["Placed", "SideCounts", "place", "side_counts"]

_CELLS_A_BATCH = 4_000_000


@dataclass(frozen=True, eq=False)
class SideCounts:
    """What a fit knows of one neighbouring side.

    Attributes
    ----------
    labels : array of int
        Cluster of each of the side's values.
    joint : array of int, (side's clusters, target's clusters)
        Counts of the fit between clusters.
    weight : float
        Weight of the edge.
    weighting : str
        How the table's counts entered.
    units : float
        Fixed-point units of one count.
    """

    labels: npt.NDArray[np.int32]
    joint: npt.NDArray[np.int64]
    weight: float = 1.0
    weighting: str = "raw"
    units: float = 1.0


@dataclass(frozen=True, eq=False)
class Placed:
    """Items in clusters.

    Attributes
    ----------
    labels : array of int
        Best cluster; for fitted items their own.
    runner_up : array of int
        The best other cluster.
    confidence : array of float
        Between 0 and 1: how clearly the label beats the others, from the gains per unit of
        the item's mass sharpened by the root of the number of values the item has (naive
        Bayes, which multiplies by the number itself, is far too sure).
    known : array of int
        Distinct values of each item that the fit knows; an item with none is unplaced: it
        gets cluster 0 and confidence 0.
    """

    labels: npt.NDArray[np.int32]
    runner_up: npt.NDArray[np.int32]
    confidence: npt.NDArray[np.float64]
    known: npt.NDArray[np.int64]


def side_counts(
    counts: sp.csr_array,
    row_labels: npt.NDArray[np.int32],
    column_labels: npt.NDArray[np.int32],
    shape: tuple[int, int],
    **facts: float | str,
) -> SideCounts:
    """Counts between clusters from a table of items x values and the labels of both.

    ``shape`` is (clusters of the items, clusters of the values).

    Examples
    --------
    >>> table = sp.csr_array(np.array([[1, 2], [3, 4]]))
    >>> labels = np.array([0, 1], dtype=np.int32)
    >>> side_counts(table, labels, np.array([0, 0], dtype=np.int32), (2, 1)).joint.tolist()
    [[3, 7]]
    """
    joint = np.zeros((shape[1], shape[0]), dtype=np.int64)
    rows = np.repeat(row_labels, np.diff(counts.indptr))
    np.add.at(joint, (column_labels[counts.indices], rows), counts.data.astype(np.int64))
    return SideCounts(np.asarray(column_labels, dtype=np.int32), joint, **facts)  # type: ignore[arg-type]


def place(
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    own: npt.NDArray[np.int32] | None = None,
) -> Placed:
    """Best cluster, runner-up and confidence of each row of the tables.

    Parameters
    ----------
    sides : mapping of str to SideCounts
        What the fit knows.
    tables : mapping of str to sparse table
        Items x values of the side; a side may be missing.
    own : array of int, optional
        Labels of the items in the fit, if these are the items it was made of.

    Examples
    --------
    >>> known = side_counts(
    ...     sp.csr_array(np.array([[5, 0], [0, 5]])), np.array([0, 1], dtype=np.int32),
    ...     np.array([0, 1], dtype=np.int32), (2, 2),
    ... )
    >>> place({"words": known}, {"words": sp.csr_array(np.array([[0, 3], [2, 0]]))}).labels
    array([1, 0], dtype=int32)
    """
    used = [name for name in sides if name in tables]
    if not used:
        raise InputError(f"none of the sides {sorted(sides)} is among the tables {sorted(tables)}")
    n = tables[used[0]].shape[0]
    k = sides[used[0]].joint.shape[1]
    blocks = [_block(sides[name], tables[name], name, n) for name in used]
    labels = np.zeros(n, np.int32) if own is None else np.asarray(own, dtype=np.int32)
    plan = Objective(blocks).plan(0, State((labels,), (k,)))
    counts = np.concatenate([_with_mass(sides[name].joint) for name in used])
    state = Counts(
        counts=counts,
        cell_max=counts.max(axis=1),
        sizes=np.bincount(labels, minlength=k).astype(np.int64),
        labels=labels.copy(),
    )
    if own is not None and not np.array_equal(compiled.count(plan, labels, k), counts):
        raise InputError(
            "these are not the items the counts were made of; leave out 'own' to place new ones"
        )
    known = np.diff(plan.indptr) - sum(_has_mass(block) for block in blocks)
    return _decide(plan, state, own is not None, known.astype(np.int64))


class _NewItems:
    """A term that is only ever lowered: counts of items over a side's clusters."""

    def __init__(self, block: CountBlock) -> None:
        self.block = block

    def touches(self, node: int) -> bool:
        return True

    def value(self, state: State) -> float:
        return 0.0

    def lower(self, node: int, state: State) -> CountBlock:
        return self.block


def _block(side: SideCounts, table: sp.csr_array, name: str, n: int) -> _NewItems:
    if table.shape != (n, len(side.labels)):
        raise InputError(
            f"the table {name!r} is {table.shape[0]} x {table.shape[1]}, expected {n} items x "
            f"{len(side.labels)} values"
        )
    k = side.joint.shape[0]
    total = float(side.joint.sum())
    counts = as_counts(table, side.weighting, where=f"the table {name!r}", units=side.units)
    indptr, indices, data = compiled.aggregate(
        counts.indptr.astype(np.int64), counts.indices, counts.data, side.labels, k
    )
    coef = np.full(k + 1, side.weight / total if total else 0.0)
    coef[k] = -coef[k]
    return _NewItems(CountBlock(indptr, indices, data, coef, total))


def _has_mass(term: _NewItems) -> npt.NDArray[np.int64]:
    return (np.diff(term.block.indptr) > 0).astype(np.int64)


def _with_mass(joint: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([joint, joint.sum(axis=0, keepdims=True)])


def _batches(n: int, k: int) -> Iterator[tuple[int, int]]:
    length = max(1, _CELLS_A_BATCH // max(1, k))
    for start in range(0, n, length):
        yield start, min(n, start + length)


def _decide(plan: Plan, state: Counts, own: bool, known: npt.NDArray[np.int64]) -> Placed:
    n, k = plan.n_elements, state.counts.shape[1]
    phi = phi_table(int(state.cell_max.max()) + int(plan.data.max()) if len(plan.data) else 1)
    labels = state.labels.copy() if own else np.zeros(n, dtype=np.int32)
    runner_up = np.zeros(n, dtype=np.int32)
    confidence = np.zeros(n)
    for start, stop in _batches(n, k):
        out = np.empty((stop - start, k))
        compiled.scores(plan, state, own, start, stop, phi, out)
        rows = np.arange(stop - start)
        mine = labels[start:stop] if own else out.argmax(axis=1).astype(np.int32)
        labels[start:stop] = mine
        mass = plan.mass[start:stop]
        sharp = np.sqrt(known[start:stop]) / np.where(mass > 0, mass, 1.0)
        heat = out * sharp[:, None]
        heat -= heat.max(axis=1, keepdims=True)
        share = np.exp(heat)
        share /= share.sum(axis=1, keepdims=True)
        confidence[start:stop] = np.where(known[start:stop] > 0, share[rows, mine], 0.0)
        if k > 1:
            out[rows, mine] = -np.inf
            runner_up[start:stop] = out.argmax(axis=1)
    if not own:
        labels[known == 0] = 0
    return Placed(labels, runner_up, confidence, known)
