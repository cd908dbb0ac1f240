"""Two results beside each other: which clusters are the same, and what moved where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.results.result import Result

__all__ = ["Comparison", "Match", "Move", "compare", "keep_ids"]


class Match(NamedTuple):
    """Two clusters that go together, by their ids, and how many values they share."""

    first: int
    second: int
    shared: int


class Move(NamedTuple):
    """Values that went from a cluster to one that is not its match, by the clusters' ids."""

    first: int
    second: int
    values: tuple[int, ...]  # numbers in the first result


@dataclass(frozen=True, eq=False)
class Comparison:
    """What became of the clusters of one node.

    Attributes
    ----------
    node : str
    n_common : int
        Values that both results have.
    only_first, only_second : tuple of int
        Numbers of the values that only one of them has.
    table : array of int, (first's clusters, second's clusters)
        Common values by their labels in both.
    matches : tuple of Match
        Pairs of clusters that share most values in all, each cluster in one pair at most; the
        largest first.
    moves : tuple of Move
        The other cells of the table, the largest first.
    lost, new : tuple of int
        Ids of clusters of the first and of the second result that have no match.
    nmi : float
        Normalised mutual information of the two partitions of the common values.
    """

    node: str
    n_common: int
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]
    table: npt.NDArray[np.int64]
    matches: tuple[Match, ...]
    moves: tuple[Move, ...]
    lost: tuple[int, ...]
    new: tuple[int, ...]
    nmi: float

    def __repr__(self) -> str:
        common = f"{self.n_common:,} common {self.node}, {self.stayed:.0%} stayed"
        return f"Comparison({common}; clusters lost {len(self.lost):,}, new {len(self.new):,})"

    @property
    def n_moved(self) -> int:
        """Common values that are not in the match of their cluster."""
        return self.n_common - sum(match.shared for match in self.matches)

    @property
    def stayed(self) -> float:
        """Share of the common values that are in the match of their cluster."""
        return 1.0 - self.n_moved / self.n_common if self.n_common else 1.0


def compare(
    first: Result,
    second: Result,
    node: str,
    *,
    values: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Comparison:
    """Compare the partitions of a node in two results.

    Parameters
    ----------
    first, second : Result
    node : str
    values : pair of sequences of str, optional
        Names of the node's values in the two results, by which they are matched; otherwise
        the names that the results have themselves, or the values' numbers if there are none and
        both have as many.

    Examples
    --------
    >>> old = Result({"d": np.array([0, 0, 1, 1, 1])}, {"d": 2}, 0.0, ())
    >>> new = Result({"d": np.array([1, 1, 0, 0, 1])}, {"d": 2}, 0.0, ())
    >>> found = compare(old, new, "d")
    >>> found.matches, found.moves, found.n_moved
    ((Match(first=0, second=1, shared=2), Match(first=1, second=0, shared=2)), \
(Move(first=1, second=1, values=(4,)),), 1)
    """
    from scipy.optimize import linear_sum_assignment

    from comraf.metrics import nmi

    ids = first.ids.get(node), second.ids.get(node)
    if ids[0] is None or ids[1] is None:
        raise InputError(
            "both results must have the node {node!r}; they have {first} and {second}",
            node=node,
            first=list(first.labels),
            second=list(second.labels),
        )
    here, there = _common(first, second, node, values)
    if not len(here):
        raise InputError(
            f"the two results have no value of {node!r} in common, so there is nothing to compare"
        )
    a, b = first.labels[node][here], second.labels[node][there]
    shape = len(ids[0]), len(ids[1])
    check_fits(
        32.0 * shape[0] * shape[1],
        f"a table of {shape[0]} x {shape[1]} clusters",
        "compare a side with fewer clusters",
    )
    table = sp.coo_array((np.ones(len(a), np.int64), (a, b)), shape=shape).toarray()
    # Clusters of large overlap are matched; ties go by the share of both that is shared, which
    # is the same whichever result comes first.
    sizes = table.sum(axis=1, keepdims=True) + table.sum(axis=0, keepdims=True)
    worth = table + table / np.maximum(sizes, 1) / (2 * min(shape) + 2)
    rows, columns = linear_sum_assignment(-worth)
    pairs = [(r, c) for r, c in zip(rows.tolist(), columns.tolist(), strict=True) if table[r, c]]
    matches = [Match(int(ids[0][r]), int(ids[1][c]), int(table[r, c])) for r, c in pairs]
    matched = set(pairs)
    order = np.lexsort((np.arange(len(a)), b, a))
    cells = np.flatnonzero(np.diff(a[order].astype(np.int64) * shape[1] + b[order])) + 1
    moves = []
    for inside in np.split(order, cells) if len(order) else ():
        cell = int(a[inside[0]]), int(b[inside[0]])
        if cell not in matched:
            moves.append(
                Move(int(ids[0][cell[0]]), int(ids[1][cell[1]]), tuple(here[inside].tolist()))
            )
    known = {match.first for match in matches}, {match.second for match in matches}
    return Comparison(
        node,
        len(here),
        _missing_from(len(first.labels[node]), here),
        _missing_from(len(second.labels[node]), there),
        table,
        tuple(sorted(matches, key=lambda m: (-m.shared, m.first))),
        tuple(sorted(moves, key=lambda m: (-len(m.values), m.first, m.second))),
        tuple(i for i in ids[0].tolist() if i not in known[0]),
        tuple(i for i in ids[1].tolist() if i not in known[1]),
        float(nmi(a, b)) if len(a) else 1.0,
    )


def keep_ids(
    result: Result,
    older: Result,
    node: str,
    *,
    values: tuple[Sequence[str], Sequence[str]] | None = None,
    least: float = 0.5,
) -> Result:
    """A result of another fit, in which clusters that were there before have their old ids.

    A cluster is an older one if more than ``least`` of the values of the two together, among
    those that both results have, are in both of them; with a half or more no two can claim the
    same. All other clusters get ids that no cluster of either result ever had.

    Parameters
    ----------
    result, older : Result
    node : str
    values : pair of sequences of str, optional
        Names of the values in ``result`` and in ``older``, as in `compare`.
    least : float
        From 0.5 to 1.

    Examples
    --------
    >>> old = Result({"d": np.array([0, 0, 1, 1, 1])}, {"d": 2}, 0.0, ())
    >>> new = Result({"d": np.array([1, 1, 0, 0, 2])}, {"d": 3}, 0.0, ())
    >>> keep_ids(new, old, "d").ids["d"].tolist()
    [1, 0, 3]
    """
    if not 0.5 <= least <= 1:
        raise InputError(f"least={least}; give a share from 0.5 to 1")
    table = compare(older, result, node, values=values[::-1] if values else None).table
    union = table.sum(axis=1, keepdims=True) + table.sum(axis=0, keepdims=True) - table
    same = table > least * np.maximum(union, 1)
    next_id = max(older.next_ids[node], result.next_ids[node])
    ids = np.full(result.n_clusters[node], -1, dtype=np.int64)
    before, now = np.nonzero(same)
    ids[now] = older.ids[node][before]
    fresh = ids < 0
    ids[fresh] = next_id + np.arange(np.count_nonzero(fresh))
    names = dict(result.names)
    if node in older.names:
        given = list(names.get(node, [""] * len(ids)))
        for place, label in zip(before.tolist(), now.tolist(), strict=True):
            given[label] = given[label] or older.names[node][place]
        names[node] = tuple(given)
    return replace(
        result,
        ids={**result.ids, node: ids},
        next_ids={**result.next_ids, node: next_id + int(np.count_nonzero(fresh))},
        names=names,
    )


def _common(
    first: Result,
    second: Result,
    node: str,
    values: tuple[Sequence[str], Sequence[str]] | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Numbers of the common values in both results, in the order of the first."""
    n = len(first.labels[node]), len(second.labels[node])
    one, other = (first.values.get(node), second.values.get(node)) if values is None else values
    if one is None or other is None:
        if n[0] != n[1]:
            raise InputError(
                f"{node!r} has {n[0]} values in one result and {n[1]} in the other, and their "
                "names are not known; give them as values, one list a result"
            )
        same = np.arange(n[0], dtype=np.int64)
        return same, same
    for names, size in ((one, n[0]), (other, n[1])):
        if len(names) != size or len(set(names)) < size:
            raise InputError(
                f"{len(names)} names, {len(set(names))} of them different, for {size} values of "
                f"{node!r}; give each value a name of its own"
            )
    place = {name: i for i, name in enumerate(other)}
    pairs = [(i, place[name]) for i, name in enumerate(one) if name in place]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _missing_from(n: int, common: npt.NDArray[np.int64]) -> tuple[int, ...]:
    there = np.zeros(n, dtype=bool)
    there[common] = True
    return tuple(np.flatnonzero(~there).tolist())
