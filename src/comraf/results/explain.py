"""Why a value is in its cluster: evidence, runner-up and margin; and what tells clusters apart.

Scores are those of `comraf.results.scorer`. The margin is the score of a value in its own
cluster less that in the best other one. It is a sum over the value's neighbours, which is what
an explanation shows: each of them with its share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.model import Graph
from comraf.graph.tables import as_csr
from comraf.parameters import check_int
from comraf.results.contributions import Cluster, clusters, sides_of
from comraf.results.result import Result
from comraf.results.scorer import Placed, Scored, fit_scorer
from comraf.results.solved import Solved, check_hidden, single_sides, tables_of

__all__ = ["Evidence", "Explainer", "Why", "characteristic"]

Floats = npt.NDArray[np.float64]


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

    def __repr__(self) -> str:
        place = f"cluster {self.cluster} before {self.runner_up}, margin {self.margin:.3g}"
        return f"Why({self.name!r} of {self.node}: {place}, {len(self.evidence):,} values)"

    @property
    def by_side(self) -> dict[str, float]:
        """Share of each neighbouring side in the margin."""
        sums: dict[str, float] = {}
        for piece in self.evidence:
            sums[piece.side] = sums.get(piece.side, 0.0) + piece.contribution
        return sums


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
    >>> why, why.evidence[0].name
    (Why('0' of documents: cluster 0 before 1, margin 0.293, 3 values), 'ship')
    """

    def __init__(self, graph: Graph, result: Result, against: str = "auto") -> None:
        self.graph, self.result = graph, result
        self.kind = against
        self._scored: dict[str, Scored] = {}
        self._placed: dict[str, Placed] = {}
        # refuse what is not of this graph, and a wrong word, at once
        single_sides(graph, result, Solved(graph, result).names[0], against)

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
        How a neighbour's share is made says `comraf.results.scorer.Scored.worths`. Shares add
        up to the margin exactly.
        """
        scored, number = self.scored(node), self._number(node, value)
        left = without or {}
        self._check_left_out(node, left)
        rows = {
            table.name: _row(scored.tables[table.name], number, left.get(table.other, ()))
            for table in tables_of(self.graph, node)
        }
        scores = scored.scores(number, number + 1)[0] if without is None else None
        return self._explained(scored, node, number, rows, scores)

    def with_counts(self, node: str, value: int, counts: Mapping[str, sp.csr_array]) -> Why:
        """Why a value would be where it is if it had other counts.

        ``counts`` are tables of one row by the name of the neighbouring side, in the units
        of the graph's own counts; sides that are not named keep theirs.
        """
        scored, number = self.scored(node), self._number(node, value)
        others = [table.other for table in tables_of(self.graph, node)]
        for name in counts:
            if name not in others:
                raise InputError(f"{name!r} is not a neighbour of {node!r}; those are {others}")
            if others.count(name) > 1:
                raise InputError(f"several edges join {node!r} and {name!r}; counts of which?")
        rows = {}
        for name, table in scored.tables.items():
            rows[name] = _row(table, number)
            if name in counts:
                given = as_csr(counts[name], f"the counts with {name!r}")
                if given.shape != (1, table.shape[1]):
                    raise InputError(
                        f"the counts with {name!r} are {given.shape[0]} x {given.shape[1]}; give "
                        f"one row of {table.shape[1]}"
                    )
                rows[name] = _row(given, 0)
        return self._explained(scored, node, number, rows)

    def placed(self, node: str) -> Placed:
        """Cluster, runner-up, margin and confidence of every value of a node, each left out.

        Margins are per unit of a value's mass here.
        """
        if node not in self._placed:
            self._placed[node] = self.scored(node).place()
        return self._placed[node]

    def scored(self, node: str) -> Scored:
        """Scores of all values of a node, in batches, and what they are made of."""
        if node not in self._scored:
            check_hidden(self.graph, node)
            _, self._scored[node] = fit_scorer(self.graph, self.result, node, self.kind)
        return self._scored[node]

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

    def _check_left_out(self, node: str, without: Mapping[str, Sequence[int]]) -> None:
        unknown = set(without) - {table.other for table in tables_of(self.graph, node)}
        if unknown:
            raise InputError(f"{min(unknown)!r} is not a neighbour of {node!r}")
        for side, values in without.items():
            n = self.graph.sizes[side]
            for value in values:
                whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
                if not whole or not 0 <= value < n:
                    raise InputError(
                        f"without: {side!r} has no value {value!r}; they are numbered from 0 to "
                        f"{n - 1}"
                    )

    def _explained(
        self,
        scored: Scored,
        node: str,
        number: int,
        rows: Mapping[str, _Row],
        scores: Floats | None = None,
    ) -> Why:
        _check_several(scored.k, node)
        own = int(scored.labels[number])
        worths = scored.worths(number, rows)
        if scores is None:
            scores = np.sum([w.sum(axis=0) for w in worths.values()], axis=0) + np.zeros(scored.k)
        runner_up = int(np.where(np.arange(scored.k) == own, -np.inf, scores).argmax())
        evidence = []
        for table in tables_of(self.graph, node):
            if table.name not in worths:
                continue
            worth, (values, counts) = worths[table.name], rows[table.name]
            shares = (worth[:, own] - worth[:, runner_up]).tolist()
            names, labels = self._names(table.other), self.result.labels[table.other]
            evidence += [
                Evidence(
                    table.other,
                    value,
                    str(value) if names is None else names[value],
                    count / table.edge.units,
                    share,
                    int(labels[value]),
                    table.number,
                )
                for value, count, share in zip(
                    values.tolist(), counts.tolist(), shares, strict=True
                )
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


# Values and their counts.
_Row = tuple[npt.NDArray[np.int64], Floats]


def _row(table: sp.csr_array, number: int, without: Sequence[int] = ()) -> _Row:
    part = slice(table.indptr[number], table.indptr[number + 1])
    values = table.indices[part].astype(np.int64)
    counts = table.data[part].astype(np.float64)
    kept = counts > 0
    if len(without):
        kept &= ~np.isin(values, np.asarray(without))
    return values[kept], counts[kept]


def _check_several(k: int, node: str) -> None:
    if k < 2:
        raise InputError(f"{node!r} has one cluster only: there is no other to compare with")


def characteristic(graph: Graph, result: Result, node: str, n_best: int = 10) -> list[Cluster]:
    """What tells each cluster of a node apart, on every neighbouring side.

    Values of a neighbouring side are ranked by their contribution to the mutual information of
    the node's clusters and that side (see `comraf.results.contributions.contributions`).

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
