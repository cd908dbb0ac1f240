"""Why a value is in its cluster: evidence, runner-up and margin; and what tells clusters apart.

The score of a value in a cluster is what the objective would win by putting it there, with
the value itself left out of the counts; where values have settled, it is the score they
settled by (see `comraf.kernels.shrunken`). The margin is the score in its own cluster
less that in the best other one. It is a sum over the value's neighbours, which is what an
explanation shows: each of them with its share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.checks import check_int
from comraf.graph.model import Graph
from comraf.graph.tables import as_csr
from comraf.kernels import compiled
from comraf.kernels.plan import Counts, Plan, phi_table
from comraf.kernels.shrunken import Background, background, shrunken_scores
from comraf.objectives import State
from comraf.results.result import Result
from comraf.results.solved import Solved, check_hidden, counts_in
from comraf.results.telling import Cluster, clusters, sides_of

__all__ = ["Evidence", "Explainer", "Margins", "Why", "characteristic"]

Floats = npt.NDArray[np.float64]
_CELLS_A_BATCH = 4_000_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """One neighbour of a value and what it says.

    Attributes
    ----------
    side : str
        The neighbouring node.
    value : int
        Which of its values.
    name : str
        Its name, or its number.
    count : float
        How often it goes with the value, as weighted in the graph.
    contribution : float
        Its share of the margin, in nats of the objective: above 0 it speaks for the own
        cluster, below 0 for the runner-up.
    cluster : int
        Label of the neighbour's own cluster.
    edge : int
        Number of the edge in the graph.
    """

    side: str
    value: int
    name: str
    count: float
    contribution: float
    cluster: int
    edge: int


@dataclass(frozen=True, eq=False)
class Why:
    """Why a value is in its cluster.

    Attributes
    ----------
    node : str
    value : int
    name : str
        Name of the value, or its number.
    cluster, runner_up : int
        Labels of its cluster and of the best other one.
    margin : float
        Score in the own cluster less that in the runner-up, in nats of the objective: what
        moving the value would lose. Below 0 where the search left a value in a place that is
        not its best.
    evidence : tuple of Evidence
        Every neighbour; contributions add up to the margin. The strongest come first.
    scores : array of float
        Score in every cluster.
    """

    node: str
    value: int
    name: str
    cluster: int
    runner_up: int
    margin: float
    evidence: tuple[Evidence, ...]
    scores: Floats

    @property
    def by_side(self) -> dict[str, float]:
        """Share of each neighbouring side in the margin."""
        sums: dict[str, float] = {}
        for piece in self.evidence:
            sums[piece.side] = sums.get(piece.side, 0.0) + piece.contribution
        return sums


@dataclass(frozen=True, eq=False)
class Margins:
    """Margins of all values of a node.

    Attributes
    ----------
    runner_up : array of int
        The best other cluster of each value.
    margin : array of float
        Score in the own cluster less that in the runner-up.
    mass : array of float
        Mass of each value; margins of values of different mass compare per unit of it.
    """

    runner_up: npt.NDArray[np.int32]
    margin: Floats
    mass: Floats


class _Seen(NamedTuple):
    """A node's edges as seen from it, and the counts of its clusters."""

    state: State
    plan: Plan
    counts: Counts
    edges: tuple[int, ...]
    tables: tuple[sp.csr_array, ...]
    back: Background | None


class Explainer:
    """Explains the clusters of a solved graph; what was counted once is kept.

    Parameters
    ----------
    graph : Graph
        What was clustered.
    result : Result
    against : {"auto", "clusters", "values"}
        Whether a value is held against the clusters of all of its neighbours, or against
        single values of its fullest neighbour (and clusters of the others). ``auto`` takes
        what the search ended with: single values where the node was polished.

    Examples
    --------
    >>> import comraf
    >>> words = [[5, 4, 0, 1], [4, 6, 1, 0], [0, 1, 6, 3], [1, 0, 5, 4]]
    >>> names = ["sea", "ship", "leaf", "tree"]
    >>> nodes = [comraf.Node("documents", n_clusters=2)]
    >>> nodes += [comraf.Node("words", values=names, n_clusters=2, direction="top-down")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("documents", "words", words)])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> why = Explainer(graph, result).why("documents", 0)
    >>> why.evidence[0].name, why.margin > 0
    ('ship', True)
    """

    def __init__(self, graph: Graph, result: Result, against: str = "auto") -> None:
        self.graph, self.result = graph, result
        self.solved = Solved(graph, result)
        self.kind = against
        self._seen: dict[str, _Seen] = {}
        self.solved.against(self.solved.names[0], against)  # refuse a wrong word at once

    def why(
        self, node: str, value: int | str, *, without: Mapping[str, Sequence[int]] | None = None
    ) -> Why:
        """Why a value is where it is.

        Parameters
        ----------
        node : str
        value : int or str
            Its number, or its name where the graph or the result has names.
        without : mapping of str to sequence of int, optional
            Values of neighbouring sides to leave out: what would be if the value did not go
            with them.

        Notes
        -----
        A neighbour's share: the step of the score in the column it falls into (its cluster, or
        itself), split among the column's neighbours by their counts, and the step in the
        mass of the cluster, split by counts too (where values have settled, the mass is in
        the step already). Shares add up to the margin exactly.
        """
        seen = self._of(node)
        number = self._number(node, value)
        rows = [
            _row(table, number, self._without(edge, node, without))
            for edge, table in zip(seen.edges, seen.tables, strict=True)
        ]
        return self._explained(seen, node, number, rows)

    def with_counts(self, node: str, value: int, counts: Mapping[str, sp.csr_array]) -> Why:
        """Why a value would be where it is if it had other counts.

        ``counts`` are tables of one row by the name of the neighbouring side, in the units
        of the graph's own counts; sides that are not named keep theirs.
        """
        seen = self._of(node)
        number = self._number(node, value)
        others = [self._other(edge, node) for edge in seen.edges]
        for name in counts:
            if name not in others:
                raise InputError(f"{name!r} is not a neighbour of {node!r}; those are {others}")
            if others.count(name) > 1:
                raise InputError(f"several edges join {node!r} and {name!r}; counts of which?")
        rows = []
        for other, table in zip(others, seen.tables, strict=True):
            if other not in counts:
                rows.append(_row(table, number))
                continue
            given = as_csr(counts[other], f"the counts with {other!r}")
            if given.shape != (1, table.shape[1]):
                raise InputError(
                    f"the counts with {other!r} are {given.shape[0]} x {given.shape[1]}; give one "
                    f"row of {table.shape[1]}"
                )
            rows.append(_row(given, 0))
        return self._explained(seen, node, number, rows)

    def margins(self, node: str) -> Margins:
        """Runner-up and margin of every value of a node."""
        seen = self._of(node)
        labels = seen.counts.labels
        _check_several(seen.counts.counts.shape[1], node)
        runner_up, margin = np.zeros(len(labels), dtype=np.int32), np.zeros(len(labels))
        for start, stop, out in self.scores(node):
            rows = np.arange(stop - start)
            own = out[rows, labels[start:stop]].copy()
            out[rows, labels[start:stop]] = -np.inf
            runner_up[start:stop] = out.argmax(axis=1)
            margin[start:stop] = own - out.max(axis=1)
        return Margins(runner_up, margin, seen.plan.mass)

    def scores(self, node: str) -> Iterator[tuple[int, int, Floats]]:
        """Scores of all values of a node in every cluster, a stretch of values at a time.

        Yields the first value, one past the last, and their scores (values, clusters).
        """
        seen = self._of(node)
        n, k = seen.plan.n_elements, seen.counts.counts.shape[1]
        phi = phi_table(int(seen.plan.data.sum()) if len(seen.plan.data) else 1)
        step = max(1, _CELLS_A_BATCH // k)
        for start in range(0, n, step):
            stop = min(n, start + step)
            out = np.empty((stop - start, k))
            if seen.back is not None:
                shrunken_scores(seen.plan, seen.back, seen.counts, True, start, stop, out)
            else:
                compiled.scores(seen.plan, seen.counts, True, start, stop, phi, out)
            yield start, stop, out

    def n_neighbours(self, node: str) -> npt.NDArray[np.int64]:
        """Number of distinct neighbours of each value of a node, over all edges."""
        n = np.zeros(self.graph.sizes[node], dtype=np.int64)
        for table in self._of(node).tables:
            n += np.diff(table.indptr)
        return n

    def masses(self, node: str) -> Floats:
        """Mass of each value of a node: its share of every edge, by the edges' weights."""
        return self._of(node).plan.mass

    def characteristic(self, node: str, n_best: int = 10) -> list[Cluster]:
        """See `characteristic`."""
        return characteristic(self.graph, self.result, node, n_best)

    def _of(self, node: str) -> _Seen:
        if node not in self._seen:
            check_hidden(self.graph, node)
            state = self.solved.against(node, self.kind)
            plan = self.solved.plan(node, state)
            number = self.solved.index(node)
            edges = tuple(i for i, e in enumerate(self.graph.edges) if node in (e.a, e.b))
            tables = tuple(
                self.graph.edges[i].counts
                if self.graph.edges[i].a == node
                else sp.csr_array(self.graph.edges[i].counts.T)
                for i in edges
            )
            counts = counts_in(plan, self.solved.state.labels[number], state.n_clusters[number])
            settled = self.solved.settled(node, self.kind)
            back = background(plan, counts.counts) if settled else None
            self._seen[node] = _Seen(state, plan, counts, edges, tables, back)
        return self._seen[node]

    def _other(self, edge: int, node: str) -> str:
        joined = self.graph.edges[edge]
        return joined.b if joined.a == node else joined.a

    def _names(self, node: str) -> Sequence[str] | None:
        given = self.graph.nodes[self.graph.index[node]].values
        return self.result.values.get(node) if given is None else given

    def _number(self, node: str, value: int | str) -> int:
        n = self.graph.sizes[node]
        if isinstance(value, str):
            names = self._names(node)
            if names is None:
                raise InputError(f"the values of {node!r} have no names; give a number")
            try:
                return names.index(value)
            except ValueError:
                raise InputError(f"{node!r} has no value {value!r}") from None
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise InputError(f"value={value!r}; give the number or the name of a value")
        if not 0 <= value < n:
            raise InputError(f"{node!r} has no value {value}; they run from 0 to {n - 1}")
        return int(value)

    def _without(
        self, edge: int, node: str, without: Mapping[str, Sequence[int]] | None
    ) -> Sequence[int]:
        unknown = set(without or ()) - {self._other(e, node) for e in self._of(node).edges}
        if unknown:
            raise InputError(f"{min(unknown)!r} is not a neighbour of {node!r}")
        left = () if without is None else without.get(self._other(edge, node), ())
        n = self.graph.sizes[self._other(edge, node)]
        for value in left:
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not whole or not 0 <= value < n:
                raise InputError(
                    f"without: {self._other(edge, node)!r} has no value {value!r}; they are "
                    f"numbered from 0 to {n - 1}"
                )
        return left

    def _explained(self, seen: _Seen, node: str, number: int, rows: Sequence[_Row]) -> Why:
        k = seen.counts.counts.shape[1]
        _check_several(k, node)
        own = int(seen.counts.labels[number])
        here = slice(seen.plan.indptr[number], seen.plan.indptr[number + 1])
        alone = np.zeros(seen.plan.n_columns, dtype=np.int64)
        alone[seen.plan.indices[here]] = seen.plan.data[here]
        scores = np.zeros(k)
        pieces = []
        for place, (edge, row) in enumerate(zip(seen.edges, rows, strict=True)):
            if not len(row.values):
                continue
            first, mass_column = seen.plan.segments[place]
            other = self.solved.index(self._other(edge, node))
            column, inverse = np.unique(seen.state.labels[other][row.values], return_inverse=True)
            together = np.bincount(inverse, weights=row.counts)
            columns = np.append(first + column, mass_column)
            amounts = np.append(together, row.counts.sum())
            there = seen.counts.counts[columns].astype(np.float64)
            there[:, own] -= alone[columns]
            steps = seen.plan.coef[columns, None]
            if seen.back is None:
                steps = steps * _steps(there, amounts[:, None])
            else:
                steps = steps * _fits(there, amounts[:, None], seen.back, columns)
            scores += steps.sum(axis=0)
            # what one unit of a neighbour's count adds to the score in each cluster
            per_unit = steps / amounts[:, None]
            pieces.append((edge, row, per_unit[inverse] + per_unit[-1]))
        others = np.where(np.arange(k) == own, -np.inf, scores)
        runner_up = int(others.argmax())
        evidence = [
            piece
            for edge, row, worth in pieces
            for piece in self._pieces(edge, node, row, worth[:, own] - worth[:, runner_up])
        ]
        evidence.sort(key=lambda piece: (-piece.contribution, piece.edge, piece.value))
        names = self._names(node)
        return Why(
            node,
            number,
            str(number) if names is None else names[number],
            own,
            runner_up,
            float(scores[own] - scores[runner_up]),
            tuple(evidence),
            scores,
        )

    def _pieces(self, edge: int, node: str, row: _Row, worth: Floats) -> list[Evidence]:
        side = self._other(edge, node)
        names, labels = self._names(side), self.result.labels[side]
        units = self.graph.edges[edge].units
        return [
            Evidence(
                side,
                value,
                str(value) if names is None else names[value],
                count / units,
                count * per_unit,
                int(labels[value]),
                edge,
            )
            for value, count, per_unit in zip(
                row.values.tolist(), row.counts.tolist(), worth.tolist(), strict=True
            )
        ]


class _Row(NamedTuple):
    values: npt.NDArray[np.int64]
    counts: Floats


def _row(table: sp.csr_array, number: int, without: Sequence[int] = ()) -> _Row:
    part = slice(table.indptr[number], table.indptr[number + 1])
    values = table.indices[part].astype(np.int64)
    counts = table.data[part].astype(np.float64)
    kept = counts > 0
    if len(without):
        kept &= ~np.isin(values, np.asarray(without))
    return _Row(values[kept], counts[kept])


def _steps(there: Floats, amounts: Floats) -> Floats:
    """phi(there + amounts) - phi(there), without cancellation."""
    filled = np.maximum(there, 1.0)
    grown = amounts * np.log(there + amounts)
    return np.where(there > 0, grown + filled * np.log1p(amounts / filled), grown)


def _fits(
    there: Floats, amounts: Floats, back: Background, columns: npt.NDArray[np.int64]
) -> Floats:
    """What columns add to the score of values that settle; the last one, the mass, nothing."""
    mass = there[-1]
    expected = np.where(mass > 0, mass, 1.0) / back.rarity[columns, None]
    ratio = np.where(mass > 0, there / expected, 0.0)
    whole = 1.0 + back.shrink
    fits = amounts * whole * np.log((ratio + back.shrink) / whole)
    fits[-1] = 0.0
    return np.asarray(fits)


def _check_several(k: int, node: str) -> None:
    if k < 2:
        raise InputError(f"{node!r} has one cluster only: there is no other to compare with")


def characteristic(graph: Graph, result: Result, node: str, n_best: int = 10) -> list[Cluster]:
    """What tells each cluster of a node apart, on every neighbouring side.

    Values of a neighbouring side are ranked by their contribution to the mutual information of
    the node's clusters and that side (see `comraf.results.telling.contributions`).

    Parameters
    ----------
    graph : Graph
    result : Result
    node : str
        A hidden node.
    n_best : int
        At most so many values of each side.

    Returns
    -------
    list of Cluster
        One for each label.

    Examples
    --------
    >>> import comraf
    >>> nodes = [comraf.Node("d", n_clusters=2)]
    >>> nodes += [comraf.Node("w", values=["sea", "leaf"], observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", [[3, 0], [2, 1], [0, 2]])])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> [cluster.telling["w"][0][0] for cluster in characteristic(graph, result, "d")]
    ['sea', 'leaf']
    """
    check_hidden(graph, node)
    side = next(side for side in sides_of(graph, result) if side.name == node)
    return clusters(side, check_int("n_best", n_best, least=0))
