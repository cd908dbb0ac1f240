"""What a fit knows of the sides of a node: what items are scored by (`comraf.results.scorer`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph import Edge, Graph
from comraf.graph.tables import as_counts, check_fits, fixed_point, weighted
from comraf.kernels.shrunken import MOST_SINGLE, SHRINK
from comraf.results.result import Result
from comraf.results.solved import settled, single_sides, tables_of
from comraf.weightings import parts_of

__all__ = ["SideCounts", "align", "counts_by_side", "fitted_counts", "new_counts", "side_counts"]

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


def side_counts(
    counts: sp.csr_array,
    row_labels: Labels,
    column_labels: Labels,
    shape: tuple[int, int],
    **facts: Any,
) -> SideCounts:
    """Counts between clusters from a table of items x values and the labels of both.

    ``shape`` is (clusters of the items, clusters of the values), ``facts`` are further fields.

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
    # NumPy adds into one dimension much faster than into two
    cells = column_labels.astype(np.int64)[counts.indices] * shape[0]
    cells += np.repeat(row_labels, np.diff(counts.indptr))
    np.add.at(joint.reshape(-1), cells, counts.data.astype(np.int64))
    return SideCounts(np.asarray(column_labels, dtype=np.int32), joint, **facts)


def counts_by_side(
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
        By the names of `comraf.results.solved.tables_of`.
    counts : dict of str to sparse table
        The node's items x values, as the fit had them.

    Examples
    --------
    >>> from comraf.graph import Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", n_clusters=1, direction="top-down")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[1, 0], [0, 2]])])
    >>> labels = {"d": np.array([1, 0], np.int32), "w": np.array([0, 0], np.int32)}
    >>> counts_by_side(graph, labels, {"d": 2, "w": 1}, "d")[0]["w"].joint.tolist()
    [[2, 1]]
    """
    known: dict[str, SideCounts] = {}
    tables: dict[str, sp.csr_array] = {}
    for table in tables_of(graph, node):
        edge, other, counts = table.edge, table.other, table.counts
        k, n = n_clusters[node], counts.shape[1]
        apart = other in single and n * k <= MOST_SINGLE
        rows = np.arange(n, dtype=np.int32) if apart else labels[other]
        known[table.name] = side_counts(
            counts,
            labels[node],
            rows,
            (k, n if apart else n_clusters[other]),
            weight=edge.weight,
            weighting=edge.weighting,
            units=edge.units,
            factors=None if table.as_rows else _factors(edge),
            clusters=np.asarray(labels[other], dtype=np.int32) if apart else None,
            shrink=shrink,
        )
        tables[table.name] = counts
    return known, tables


def fitted_counts(
    graph: Graph, result: Result, node: str, against: str = "auto"
) -> tuple[dict[str, SideCounts], dict[str, sp.csr_array]]:
    """What a fit knows of a node's neighbours, as finely as its items were last swept.

    Also the counts it had, as `counts_by_side` gives them. Polished nodes were swept against single
    values of their fullest neighbours, and where they settled, by shrunken clusters; the trace
    says so. ``against`` is one of `comraf.results.solved.AGAINST`.
    """
    return counts_by_side(
        graph,
        result.labels,
        result.n_clusters,
        node,
        single=single_sides(graph, result, node, against),
        shrink=SHRINK if settled(graph, result, node, against) else 0.0,
    )


def _factors(edge: Edge) -> npt.NDArray[np.float64]:
    """What the weighting of rows makes of one count in each row of an edge's table."""
    weights = np.ones(edge.shape[0])
    if edge.row_weights is not None:
        weights = np.asarray(edge.row_weights, dtype=np.float64)
    scaling = parts_of(edge.weighting)[1]
    if scaling == "root":
        # a row of mass m was divided by the root of m, and that root is its mass now
        sums = np.asarray(edge.counts.sum(axis=1), dtype=np.float64) / edge.units
        filled = np.where(sums > 0, sums, 1.0)
        return np.asarray(np.where(sums > 0, weights**2 / filled, 0.0))
    if scaling == "equal":
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
            side.weighting,
            where=where,
        )
    csr = weighted(table, parts_of(side.weighting)[0], where=where)
    if not np.all(side.factors == 1.0):
        csr = sp.csr_array(
            (csr.data * side.factors[csr.indices], csr.indices, csr.indptr), shape=csr.shape
        )
        csr.eliminate_zeros()
    return fixed_point(csr, side.units)[0]
