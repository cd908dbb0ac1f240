"""Where an item belongs: its score in every cluster, for fitted items and for new ones.

Where the items of the fit have settled, scores are those they settled by (see
`comraf.kernels.shrunken`); elsewhere they are gains: what the objective would win by
putting item x into cluster c. Items of the fit are left out of their own cluster while they
are looked at; items that come as new ones are weighed against all counts of the fit. An item
that no move would better in the fit gets its own cluster as a new item too: with F the convex
function whose sum over clusters is the objective, the gain F(c + x) - F(c) can only grow when
x itself is among the counts c. (For items that settled this is no theorem, but the rule.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph import Edge, Graph
from comraf.graph.tables import as_counts, check_fits, fixed_point, weighted
from comraf.kernels import compiled
from comraf.kernels.plan import Counts, Plan, phi_table
from comraf.kernels.shrunken import MOST_SINGLE, background, shrunken_scores
from comraf.objectives import CountBlock, Objective, State

__all__ = [
    "Placed",
    "SideCounts",
    "align",
    "known_sides",
    "new_counts",
    "place",
    "shares",
    "side_counts",
]

_CELLS_A_BATCH = 4_000_000

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SideCounts:
    """What a fit knows of one neighbouring side.

    Attributes
    ----------
    labels : array of int
        Row of ``joint`` that each of the side's values is counted in: its cluster, or a row
        of its own where items are placed by single values.
    joint : array of int, (rows, target's clusters)
        Counts of the fit.
    weight : float
        Weight of the edge.
    weighting : str
        How the table's counts entered.
    units : float
        Fixed-point units of one count.
    factors : array of float or None
        Where items are the columns of the fit's table: what a count with each value is
        multiplied by, since the weighting was of the values' rows. None where items are rows.
    clusters : array of int or None
        Cluster of each value where ``labels`` are not these.
    shrink : float
        How far clusters are shrunk towards the whole side when items are scored (see
        `comraf.kernels.shrunken`); 0 where items are scored by the objective itself.
    """

    labels: Labels
    joint: npt.NDArray[np.int64]
    weight: float = 1.0
    weighting: str = "raw"
    units: float = 1.0
    factors: npt.NDArray[np.float64] | None = None
    clusters: Labels | None = None
    shrink: float = 0.0

    @property
    def single(self) -> bool:
        """Whether items are placed by the side's single values."""
        return self.clusters is not None

    def turned(self, labels: Labels) -> SideCounts:
        """What is known of the target by the side, for placing new values of the side.

        ``labels`` are the clusters of the items that the new values come with. Counts are
        taken as they are: the table given to `place` must have its weighting already.

        Examples
        --------
        >>> people = SideCounts(np.array([0, 0, 1], np.int32), np.array([[4, 1], [0, 3]]))
        >>> people.turned(np.array([1, 0], np.int32)).joint.tolist()
        [[4, 0], [1, 3]]
        """
        joint = self.joint
        if self.clusters is not None:
            joint = np.zeros((int(self.clusters.max()) + 1, joint.shape[1]), np.int64)
            np.add.at(joint, self.clusters, self.joint[self.labels])
        return SideCounts(
            np.asarray(labels, dtype=np.int32), np.ascontiguousarray(joint.T), self.weight
        )


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
    margin : array of float
        By how much the label's gain exceeds the runner-up's, in nats per unit of the item's
        mass. Below 0 only for fitted items that another cluster would suit better.
    unseen : mapping of str to float
        By side: sum of the counts with values that the fit has not seen. They were left out.
    """

    labels: Labels
    runner_up: Labels
    confidence: npt.NDArray[np.float64]
    known: npt.NDArray[np.int64]
    margin: npt.NDArray[np.float64]
    unseen: Mapping[str, float] = field(default_factory=dict)


def side_counts(
    counts: sp.csr_array,
    row_labels: Labels,
    column_labels: Labels,
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
    check_fits(
        16.0 * shape[0] * shape[1],
        f"the table of {shape[1]} values x {shape[0]} clusters",
        "ask for fewer clusters",
    )
    joint = np.zeros((shape[1], shape[0]), dtype=np.int64)
    rows = np.repeat(row_labels, np.diff(counts.indptr))
    np.add.at(joint, (column_labels[counts.indices], rows), counts.data.astype(np.int64))
    return SideCounts(np.asarray(column_labels, dtype=np.int32), joint, **facts)  # type: ignore[arg-type]


def known_sides(
    graph: Graph,
    labels: Mapping[str, Labels],
    n_clusters: Mapping[str, int],
    node: str,
    *,
    single: Collection[str] = (),
    shrink: float = 0.0,
) -> tuple[dict[str, SideCounts], dict[str, sp.csr_array]]:
    """What a fit knows of every side joined to a node, and the counts it had.

    Parameters
    ----------
    graph : Graph
    labels, n_clusters : mappings by the nodes' names
        As in a `comraf.results.Result`.
    node : str
        The node whose items are to be placed.
    single : collection of str
        Neighbours whose single values count instead of their clusters, unless the table of
        these would be too large.
    shrink : float
        As in `SideCounts`: above 0 where the fit's items have settled.

    Returns
    -------
    sides : dict of str to SideCounts
        By the neighbour's name; several edges to one neighbour are told apart by a number,
        ``words (2)``.
    counts : dict of str to sparse table
        The node's items x values, as the fit had them.

    Examples
    --------
    >>> from comraf.graph import Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", n_clusters=1, direction="top-down")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[1, 0], [0, 2]])])
    >>> labels = {"d": np.array([1, 0], np.int32), "w": np.array([0, 0], np.int32)}
    >>> known_sides(graph, labels, {"d": 2, "w": 1}, "d")[0]["w"].joint.tolist()
    [[2, 1]]
    """
    if node not in graph.index:
        raise InputError(
            "there is no node {node!r}; the nodes are {allowed}",
            node=node,
            allowed=list(graph.index),
        )
    known: dict[str, SideCounts] = {}
    tables: dict[str, sp.csr_array] = {}
    for edge in graph.edges:
        if node not in (edge.a, edge.b):
            continue
        other = edge.b if node == edge.a else edge.a
        counts = edge.counts if node == edge.a else sp.csr_array(edge.counts.T)
        name, number = other, 1
        while name in known:
            number += 1
            name = f"{other} ({number})"
        k, n = n_clusters[node], counts.shape[1]
        apart = other in single and n * k <= MOST_SINGLE
        rows = np.arange(n, dtype=np.int32) if apart else labels[other]
        side = side_counts(counts, labels[node], rows, (k, n if apart else n_clusters[other]))
        known[name] = replace(
            side,
            weight=edge.weight,
            weighting=edge.weighting,
            units=edge.units,
            factors=None if node == edge.a else _factors(edge),
            clusters=np.asarray(labels[other], dtype=np.int32) if apart else None,
            shrink=shrink,
        )
        tables[name] = counts
    return known, tables


def _factors(edge: Edge) -> npt.NDArray[np.float64]:
    """What the weighting of rows makes of one count in each row of an edge's table."""
    weights = np.ones(edge.shape[0])
    if edge.row_weights is not None:
        weights = np.asarray(edge.row_weights, dtype=np.float64)
    if edge.weighting == "root_rows":
        # a row of mass m was divided by the root of m, and that root is its mass now
        sums = np.asarray(edge.counts.sum(axis=1), dtype=np.float64) / edge.units
        filled = np.where(sums > 0, sums, 1.0)
        return np.asarray(np.where(sums > 0, weights**2 / filled, 0.0))
    if edge.weighting == "equal_rows":
        weights = np.full(edge.shape[0], np.nan)  # how long rows were can't be seen any more
    return weights


def align(
    table: sp.csr_array, names: Sequence[str], known: Sequence[str]
) -> tuple[sp.csr_array, float]:
    """A table with its columns put where names say, and the sum of what has no place there.

    Examples
    --------
    >>> table = sp.csr_array(np.array([[1, 2, 4]]))
    >>> aligned, unseen = align(table, ["judge", "pizza", "ship"], ["ship", "sail", "judge"])
    >>> aligned.toarray().tolist(), unseen
    ([[4, 0, 1]], 2.0)
    """
    if len(names) != table.shape[1]:
        raise InputError(f"{len(names)} names were given for a table of {table.shape[1]} columns")
    index = {name: i for i, name in enumerate(known)}
    where = np.array([index.get(name, -1) for name in names], dtype=np.int64)
    coo = sp.coo_array(table)
    columns = where[coo.col]
    kept = columns >= 0
    aligned = sp.csr_array(
        (coo.data[kept], (coo.row[kept], columns[kept])), shape=(table.shape[0], len(known))
    )
    return aligned, float(coo.data[~kept].sum())


def place(
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    own: Labels | None = None,
    sharpness: float = 1.0,
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
    sharpness : float
        What gains are multiplied by for the confidence; see
        `comraf.results.confidence.placing_sharpness`.

    Examples
    --------
    >>> known = side_counts(
    ...     sp.csr_array(np.array([[5, 0], [0, 5]])), np.array([0, 1], dtype=np.int32),
    ...     np.array([0, 1], dtype=np.int32), (2, 2),
    ... )
    >>> place({"words": known}, {"words": sp.csr_array(np.array([[0, 3], [2, 0]]))}).labels
    array([1, 0], dtype=int32)
    """
    weighed = _Weighed(sides, tables, own)
    n, k = weighed.plan.n_elements, weighed.k
    labels = np.zeros(n, np.int32) if own is None else np.array(own, dtype=np.int32)
    runner_up = np.zeros(n, dtype=np.int32)
    confidence, margin = np.zeros(n), np.zeros(n)
    for start, stop, gains, mass in weighed.batches():
        rows = np.arange(stop - start)
        if own is None:
            labels[start:stop] = gains.argmax(axis=1)
        mine = labels[start:stop]
        found = weighed.known[start:stop] > 0
        share = _shares(gains * sharpness, mass, weighed.known[start:stop])
        confidence[start:stop] = np.where(found, share[rows, mine], 0.0)
        if k > 1:
            best = gains[rows, mine].copy()
            gains[rows, mine] = -np.inf
            second = gains.argmax(axis=1)
            runner_up[start:stop] = second
            margin[start:stop] = np.where(found, (best - gains[rows, second]) / mass, 0.0)
    if own is None:
        labels[weighed.known == 0] = 0
    return Placed(labels, runner_up, confidence, weighed.known, margin)


def shares(
    sides: Mapping[str, SideCounts],
    tables: Mapping[str, sp.csr_array],
    own: Labels | None = None,
) -> npt.NDArray[np.float64]:
    """How far each item belongs to each cluster: rows that add up to 1.

    The largest share of a row is the confidence that `place` tells.

    Examples
    --------
    >>> known = SideCounts(np.array([0, 1], np.int32), np.array([[9, 1], [1, 9]]))
    >>> shares({"words": known}, {"words": sp.csr_array(np.array([[0, 3], [1, 1]]))}).round(2)
    array([[0.18, 0.82],
           [0.5 , 0.5 ]])
    """
    weighed = _Weighed(sides, tables, own)
    out = np.empty((weighed.plan.n_elements, weighed.k))
    for start, stop, gains, mass in weighed.batches():
        out[start:stop] = _shares(gains, mass, weighed.known[start:stop])
    return out


def _shares(
    gains: npt.NDArray[np.float64],
    mass: npt.NDArray[np.float64],
    known: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    heat = gains * (np.sqrt(known) / mass)[:, None]
    heat -= heat.max(axis=1, keepdims=True)
    np.exp(heat, out=heat)
    heat /= heat.sum(axis=1, keepdims=True)
    return heat


class _Weighed:
    """Items as a plan over the counts of a fit, ready to be scored in batches."""

    def __init__(
        self,
        sides: Mapping[str, SideCounts],
        tables: Mapping[str, sp.csr_array],
        own: Labels | None,
    ) -> None:
        used = [name for name in sides if name in tables]
        if not used:
            raise InputError(
                "none of the sides {sides} is among the tables {tables}",
                sides=sorted(sides),
                tables=sorted(tables),
            )
        n = tables[used[0]].shape[0]
        self.k = k = sides[used[0]].joint.shape[1]
        blocks = [_block(sides[name], tables[name], name, n) for name in used]
        labels = np.zeros(n, np.int32) if own is None else np.asarray(own, dtype=np.int32)
        self.own = own is not None
        self.plan: Plan = Objective(blocks).plan(0, State((labels,), (k,)))
        counts = np.concatenate([_with_mass(sides[name].joint) for name in used])
        self.state = Counts(
            counts=counts,
            cell_max=counts.max(axis=1),
            sizes=np.bincount(labels, minlength=k).astype(np.int64),
            labels=labels.copy(),
        )
        if self.own and not np.array_equal(compiled.count(self.plan, labels, k), counts):
            raise InputError(
                "these are not the items the counts were made of; leave out 'own' to place new ones"
            )
        shrink = max(sides[name].shrink for name in used)
        self.back = background(self.plan, counts, shrink) if shrink else None
        known = np.diff(self.plan.indptr) - sum(_has_mass(block) for block in blocks)
        self.known: npt.NDArray[np.int64] = known.astype(np.int64)

    def batches(
        self,
    ) -> Iterator[tuple[int, int, npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
        """Items ``start`` to ``stop``, their gains in each cluster, and their masses (not 0)."""
        largest = int(self.plan.data.max()) if len(self.plan.data) else 0
        phi = phi_table(int(self.state.cell_max.max()) + largest + 1)
        length = max(1, _CELLS_A_BATCH // max(1, self.k))
        n = self.plan.n_elements
        for start in range(0, n, length):
            stop = min(n, start + length)
            gains = np.empty((stop - start, self.k))
            if self.back is not None:
                shrunken_scores(self.plan, self.back, self.state, self.own, start, stop, gains)
            else:
                compiled.scores(self.plan, self.state, self.own, start, stop, phi, gains)
            mass = self.plan.mass[start:stop]
            yield start, stop, gains, np.where(mass > 0, mass, 1.0)


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
    counts = new_counts(side, table, name)
    indptr, indices, data = compiled.aggregate(
        counts.indptr.astype(np.int64), counts.indices, counts.data, side.labels, k
    )
    coef = np.full(k + 1, side.weight / total if total else 0.0)
    coef[k] = -coef[k]
    return _NewItems(CountBlock(indptr, indices, data, coef, total))


def new_counts(side: SideCounts, table: sp.csr_array, name: str) -> sp.csr_array:
    """Counts of new items with a side's values, weighted as the fit's were.

    Examples
    --------
    >>> side = SideCounts(np.array([0], np.int32), np.array([[1]]), weighting="log", units=8.0)
    >>> new_counts(side, sp.csr_array(np.array([[3]])), "words").toarray().tolist()
    [[16]]
    """
    where = f"the table {name!r}"
    if side.factors is None:
        return as_counts(table, side.weighting, where=where, units=side.units)
    if np.isnan(side.factors).any():
        raise InputError(
            "{where} had rows of equal mass in the fit ({given}), so how much a count with each "
            "of them weighs is not known; fit with another {p[weighting]} to place new columns",
            "weighting",
            "equal_rows",
            where=where,
        )
    each = side.weighting if side.weighting in ("binary", "log") else "raw"
    csr = weighted(table, each, where=where)
    if not np.all(side.factors == 1.0):
        csr = sp.csr_array(
            (csr.data * side.factors[csr.indices], csr.indices, csr.indptr), shape=csr.shape
        )
        csr.eliminate_zeros()
    return fixed_point(csr, side.units)[0]


def _has_mass(term: _NewItems) -> npt.NDArray[np.int64]:
    return (np.diff(term.block.indptr) > 0).astype(np.int64)


def _with_mass(joint: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([joint, joint.sum(axis=0, keepdims=True)])
