"""What was clustered, and which columns tell a cluster from the rest.

The one place where the contribution of a value to the mutual information is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.graph.model import Graph
from comraf.graph.tables import membership
from comraf.results.result import Result
from comraf.results.solved import tables_of

# Rows handled at once; keeps what is dense within some tens of megabytes.
_ROWS = 8192
# A search that was stopped early may leave very many; only the largest are explained.
_MOST_TOLD = 1000

__all__ = [
    "Cluster",
    "Side",
    "Telling",
    "View",
    "best_columns",
    "clusters",
    "contributions",
    "group_counts",
    "row_stretches",
    "sides_of",
    "telling",
]


class Telling(NamedTuple):
    """A column that says much about a cluster."""

    column: int
    contribution: float


@dataclass(frozen=True, eq=False)
class View:
    """A table in which a side has the rows: the other side's name, its names, the counts."""

    other: str
    names: Sequence[str] | None
    counts: sp.csr_array


@dataclass(frozen=True, eq=False)
class Side:
    """One clustered side: its values, their clusters, and the tables they are known by."""

    name: str
    values: Sequence[str] | None
    labels: npt.NDArray[np.int32]
    views: tuple[View, ...]

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True)
class Cluster:
    """One cluster: how many values, which share of the counts, what tells it apart."""

    number: int
    size: int
    share: float
    telling: dict[str, list[tuple[str, float]]]


def row_stretches(table: sp.csr_array) -> Iterator[tuple[int, sp.csr_array]]:
    """Stretches of rows as floating point numbers, each with the number of its first row.

    Examples
    --------
    >>> [start for start, part in row_stretches(sp.csr_array((20_000, 3)))]
    [0, 8192, 16384]
    """
    for start in range(0, table.shape[0], _ROWS):
        yield start, sp.csr_array(table[start : start + _ROWS], dtype=np.float64)


def group_counts(
    table: sp.csr_array, labels: npt.NDArray[np.integer], n_groups: int
) -> sp.csr_array:
    """Counts of each column in each group of rows.

    Examples
    --------
    >>> table = sp.csr_array([[1, 2], [0, 3], [4, 0]])
    >>> group_counts(table, np.array([0, 0, 1]), 2).toarray().tolist()
    [[1.0, 5.0], [4.0, 0.0]]
    """
    member = membership(labels, n_groups)
    total = sp.csr_array((n_groups, table.shape[1]))
    for start, part in row_stretches(table):
        total = total + member[start : start + part.shape[0]].T @ part
    total = sp.csr_array(total)
    total.sum_duplicates()
    return total


def contributions(joint: sp.csr_array) -> sp.csr_array:
    """What each cell of clusters x columns adds to their mutual information, in nats.

    A column w contributes p(w,c) log p(w,c) / (p(w) p(c)): much if it is frequent in the
    cluster c and rarer elsewhere, less than nothing if it is rarer there. All of them together
    are the mutual information.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> contributions(sp.csr_array([[9, 0, 2], [0, 3, 1]])).toarray().round(2).tolist()
    [[0.19, 0.0, -0.01], [0.0, 0.26, 0.01]]
    """
    cells = sp.csr_array(joint, dtype=np.float64, copy=True)
    cells.sum_duplicates()
    cells.eliminate_zeros()
    total = float(cells.sum())
    if not total:
        return cells
    of_row = np.asarray(cells.sum(axis=1)) / total
    of_column = np.asarray(cells.sum(axis=0)) / total
    p = cells.data / total
    expected = np.repeat(of_row, np.diff(cells.indptr)) * of_column[cells.indices]
    cells.data = p * np.log(p / expected)
    return cells


def best_columns(worth: sp.csr_array, n_best: int = 10) -> list[list[Telling]]:
    """The columns worth most in each row, best first; only what is worth more than nothing.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> [best.column for best in best_columns(sp.csr_array([[0.1, -0.2, 0.3]]))[0]]
    [2, 0]
    """
    found: list[list[Telling]] = []
    for c in range(min(worth.shape[0], _MOST_TOLD)):
        part = slice(worth.indptr[c], worth.indptr[c + 1])
        columns, values = worth.indices[part], worth.data[part]
        # Ties are broken by the column's number, so that equal tables tell equal stories.
        best = np.lexsort((columns, -values))[:n_best]
        found.append(
            [Telling(int(columns[i]), float(values[i])) for i in best.tolist() if values[i] > 0]
        )
    return found + [[] for _ in range(worth.shape[0] - len(found))]


def telling(
    counts: sp.csr_array, labels: npt.NDArray[Any], n_clusters: int, n_best: int = 10
) -> list[list[Telling]]:
    """The columns that tell each cluster of rows from the rest, best first.

    Parameters
    ----------
    counts : scipy.sparse.csr_array
        Rows by columns.
    labels : array of int
        The cluster of each row.
    n_clusters : int
    n_best : int
        At most so many for each cluster; only columns with a positive contribution (see
        `contributions`), and none beyond the thousandth cluster.

    Returns
    -------
    list of list of Telling
        Contributions are in nats, as the objective is.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> table = sp.csr_array([[5, 0, 1], [4, 0, 1], [0, 3, 1]])
    >>> [[best.column for best in row] for row in telling(table, np.array([0, 0, 1]), 2)]
    [[0], [1, 2]]
    """
    return best_columns(contributions(group_counts(counts, labels, n_clusters)), n_best)


def sides_of(graph: Graph, result: Result) -> list[Side]:
    """The hidden sides of a solved graph, with a table for each of their edges.

    Examples
    --------
    >>> import numpy as np
    >>> from comraf import Edge, Graph, Node
    >>> from comraf.results import Result
    >>> nodes = [Node("rows", n_clusters=2), Node("words", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("rows", "words", [[5, 0], [0, 6]])])
    >>> both = np.array([0, 1])
    >>> result = Result({"rows": both, "words": both}, {"rows": 2, "words": 2}, 0.0, ())
    >>> [(side.name, [view.other for view in side.views]) for side in sides_of(graph, result)]
    [('rows', ['words'])]
    """
    values = {
        node.name: result.values.get(node.name) if node.values is None else node.values
        for node in graph.nodes
    }
    sides = []
    for node in graph.nodes:
        if not node.hidden:
            continue
        tables = tables_of(graph, node.name)
        views = tuple(View(table.other, values[table.other], table.counts) for table in tables)
        sides.append(Side(node.name, values[node.name], result.labels[node.name], views))
    return sides


def clusters(side: Side, n_best: int = 10) -> list[Cluster]:
    """Every cluster of a side with its size, its share of the counts and what tells it apart.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> view = View("words", ["sea", "ship"], sp.csr_array([[3, 0], [0, 1]]))
    >>> found = clusters(Side("rows", None, np.array([0, 1]), (view,)))
    >>> found[0].share, found[0].telling["words"][0][0]
    (0.75, 'sea')
    """
    k = side.n_clusters
    sizes = np.bincount(side.labels, minlength=k)
    mass = np.zeros(k)
    best: list[dict[str, list[tuple[str, float]]]] = [{} for _ in range(k)]
    for view in side.views:
        of_value = np.asarray(view.counts.sum(axis=1), dtype=np.float64)
        # Tables may have very different totals: each has the same say.
        mass += np.bincount(side.labels, weights=of_value, minlength=k) / max(
            of_value.sum(), 1e-300
        )
        for c, tell in enumerate(telling(view.counts, side.labels, k, n_best)):
            named = [
                (str(t.column) if view.names is None else view.names[t.column], t.contribution)
                for t in tell
            ]
            # Several tables may join the same two sides.
            best[c][view.other] = _merged(best[c].get(view.other, []), named, n_best)
    mass /= max(1, len(side.views))
    return [Cluster(c, int(sizes[c]), float(mass[c]), best[c]) for c in range(k)]


def _merged(
    first: list[tuple[str, float]], second: list[tuple[str, float]], n_best: int
) -> list[tuple[str, float]]:
    if not first:
        return second
    worth = dict(first)
    for name, contribution in second:
        worth[name] = max(worth.get(name, 0.0), contribution)
    return sorted(worth.items(), key=lambda item: (-item[1], item[0]))[:n_best]
