"""One scorer: where an item belongs, how sure that is, and what speaks for it.

Placing new items, explaining old ones, confidence and the report all ask here. The *score* of an
item x in a cluster c is what the objective would win by putting it there, F(c + x) - F(c); where
the items of the fit have settled, it is the score they settled by (see
`comraf.kernels.shrunken`). An item of the fit is left out of its own cluster first, also when it
comes again as a new one: it is recognised by its counts.

Scores alone are far too sure: the words of a document are no independent witnesses. *Confidence*
is the cluster's share under a softmax of the scores per unit of the item's mass, times the fourth
root of the number of its values, times one ``sharpness`` for all. Where a fit made several runs,
the sharpness is such that the mean share of its items, each left out, is how far the runs agree;
the confidence of an item of the fit is the mean of its share and of the runs' agreement on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph import Graph
from comraf.kernels import compiled
from comraf.kernels.calls import fixed
from comraf.kernels.plan import Counts, Plan, integers_for, phi_table
from comraf.kernels.shrunken import background, said, shrunken_scores
from comraf.objectives import CountBlock, Objective, State
from comraf.results.placement import SideCounts, fitted_counts, new_counts
from comraf.results.result import Result

__all__ = ["FitItems", "Placed", "Scored", "Scorer", "fit_scorer"]

Labels = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

_CELLS_A_BATCH = 4_000_000
# Between the square root (too sure of long documents) and none at all (of short ones).
_POWER = 0.25
# Of shrunken scores: measured on five collections of 3 to 20 classes (docs/results.md).
_SHRUNKEN = 3.0
# Runs that all agree make no item certain: at most so many times the sharpness of a single run.
_BOUNDS = (1.0 / 32.0, 4.0)
_SAMPLE = 5000


@dataclass(frozen=True, eq=False)
class Placed:
    """Items in clusters.

    Attributes
    ----------
    labels : array of int
        Best cluster; for items of the fit their own.
    runner_up : array of int
        The best other cluster.
    confidence : array of float
        Between 0 and 1: how clearly the label beats the others.
    known : array of int
        Distinct values of each item that the fit knows; an item with none is unplaced: it
        gets cluster 0 and confidence 0.
    margin : array of float
        By how much the label's score exceeds the runner-up's, in nats per unit of the item's
        mass. Below 0 only for items of the fit that another cluster would suit better.
    unseen : mapping of str to float
        By side: sum of the counts with values that the fit has not seen. They were left out.
    """

    labels: Labels
    runner_up: Labels
    confidence: Floats
    known: npt.NDArray[np.int64]
    margin: Floats
    unseen: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Placed({self.summary()})"

    def summary(self, noun: str = "items") -> str:
        """How many are in how many clusters, and how sure that is."""
        known = self.known > 0
        sure = f", mean confidence {self.confidence[known].mean():.2f}" if known.any() else ""
        lost = f"; {np.count_nonzero(~known):,} unplaced" if not known.all() else ""
        k = len(np.unique(self.labels[known]))
        return f"{np.count_nonzero(known):,} {noun} in {k:,} clusters{sure}{lost}"


@dataclass(frozen=True, eq=False)
class FitItems:
    """What the items of a fit are recognised by when they come again.

    Attributes
    ----------
    prints : array of uint64
        Fingerprints of their counts, ascending, no two alike.
    labels : array of int
        Cluster of the items with these counts.
    agreed : array of float or None
        How far the fit's runs agreed on them, if there were several.
    """

    prints: npt.NDArray[np.uint64]
    labels: Labels
    agreed: Floats | None

    def find(self, tables: Sequence[sp.csr_array]) -> tuple[Labels, Floats | None]:
        """Cluster in the fit (-1 for new items) and agreement of each row of the tables."""
        prints = fingerprints(tables)
        if not len(self.prints):
            return np.full(len(prints), -1, np.int32), None
        at = np.minimum(np.searchsorted(self.prints, prints), len(self.prints) - 1)
        labels = np.where(self.prints[at] == prints, self.labels[at], -1).astype(np.int32)
        return labels, None if self.agreed is None else self.agreed[at]


def fingerprints(tables: Sequence[sp.csr_array]) -> npt.NDArray[np.uint64]:
    """A number for each row's counts in all tables: the same for the same counts.

    Examples
    --------
    >>> prints = fingerprints([sp.csr_array(np.array([[1, 2], [2, 1], [1, 2]]))])
    >>> bool(prints[0] == prints[2] != prints[1])
    True
    """
    out = np.zeros(tables[0].shape[0], np.uint64)
    for number, table in enumerate(tables):
        rng = np.random.Generator(np.random.PCG64([number, 20]))
        column = rng.integers(0, 2**64 - 1, table.shape[1], dtype=np.uint64)
        indptr = table.indptr.astype(np.int64)
        compiled.add_products(indptr, table.indices, table.data, column, out)
    return out


def _fit_items(
    tables: Sequence[sp.csr_array], labels: Labels, stability: Floats | None
) -> FitItems:
    prints, first, which = np.unique(fingerprints(tables), return_index=True, return_inverse=True)
    # the same counts in two clusters are nobody's
    torn = np.zeros(len(prints), dtype=bool)
    torn[which[labels != labels[first][which]]] = True
    agreed = None
    if stability is not None:
        agreed = (np.bincount(which, stability) / np.bincount(which))[~torn]
    return FitItems(prints[~torn], labels[first][~torn], agreed)


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores any item by what a fit knows.

    Parameters
    ----------
    sides : mapping of str to SideCounts
        What the fit knows of every side.
    sharpness : float or None
        What scores are multiplied by for the confidence; None takes that of a single run.
    items : FitItems or None
        The items of the fit, if they are to be recognised.

    Examples
    --------
    >>> known = SideCounts(np.array([0, 1], np.int32), np.array([[9, 1], [1, 9]]))
    >>> scorer = Scorer({"words": known})
    >>> new = {"words": sp.csr_array(np.array([[0, 3], [1, 1]]))}
    >>> scorer.place(new).labels.tolist()
    [1, 0]
    >>> scorer.shares(new).round(2)
    array([[0.18, 0.82],
           [0.5 , 0.5 ]])
    """

    sides: Mapping[str, SideCounts]
    sharpness: float | None = None
    items: FitItems | None = None

    def score(self, tables: Mapping[str, sp.csr_array], own: Labels | None = None) -> Scored:
        """Items x values of each side (some may be missing) against the fit.

        ``own`` are the clusters of the items if these are all items of the fit.
        """
        scored = Scored(self.sides, tables, own)
        if self.sharpness is not None:
            scored.sharpness = self.sharpness
        if own is None and self.items is not None and len(scored.tables) == len(self.sides):
            labels, agreed = self.items.find(list(scored.tables.values()))
            scored.leave_out(labels)
            scored.agreed = agreed
        return scored

    def place(self, tables: Mapping[str, sp.csr_array], own: Labels | None = None) -> Placed:
        """Best cluster, runner-up and confidence of each row of the tables; see `score`."""
        return self.score(tables, own).place()

    def shares(self, tables: Mapping[str, sp.csr_array]) -> Floats:
        """How far each item belongs to each cluster: rows that add up to 1."""
        return np.concatenate([softmax(heat) for _, _, heat in self.score(tables).heats()])


class Scored:
    """Items over the counts of a fit; their scores come in batches, never all at once.

    Attributes
    ----------
    k : int
        Number of clusters.
    tables : dict of str to sparse table
        The items' counts by side, weighted as in the fit.
    known : array of int
        Number of distinct values of each item.
    mass : array of float
        Mass of each item: its share of every side, by the sides' weights.
    labels : array of int
        Cluster that an item is left out of and belongs to, -1 for new items.
    sharpness : float
    agreed : array of float or None
        How far runs agreed on each item of the fit.
    """

    def __init__(
        self,
        sides: Mapping[str, SideCounts],
        tables: Mapping[str, sp.csr_array],
        own: Labels | None = None,
    ) -> None:
        used = [name for name in sides if name in tables]
        if not used:
            raise InputError(
                "none of the sides {sides} is among the tables {tables}",
                sides=sorted(sides),
                tables=sorted(tables),
            )
        n = tables[used[0]].shape[0]
        self.sides = {name: sides[name] for name in used}
        self.tables = {name: _counts(sides[name], tables[name], name, n) for name in used}
        self.k = k = sides[used[0]].joint.shape[1]
        blocks = [_block(sides[name], table) for name, table in self.tables.items()]
        self.plan: Plan = Objective(blocks).plan(0, State((np.zeros(n, np.int32),), (k,)))
        counts = np.concatenate([_with_mass(side.joint) for side in self.sides.values()])
        counts = counts.astype(integers_for(float(counts.sum())))  # as kernels are compiled for
        self.labels: Labels = np.full(n, -1, np.int32)
        self._state = Counts(
            counts=counts,
            sizes=np.zeros(k, np.int64),
            labels=self.labels,
            screen=np.zeros((0, 0), np.float32),
            typical=np.zeros(0, np.int64),
        )
        self.known = np.sum([np.diff(t.indptr) for t in self.tables.values()], axis=0, dtype=int)
        self.mass = self.plan.mass
        shrink = max(side.shrink for side in self.sides.values())
        self._back = background(self.plan, counts, shrink) if shrink else None
        self._said: Floats | None = None  # made where many items are scored
        self.sharpness = _default_sharpness(k, shrink)
        self.agreed: Floats | None = None
        if own is not None and self.leave_out(own):
            raise InputError(
                "these are not the items the counts were made of; leave out 'own' to place new ones"
            )

    def leave_out(self, labels: Labels) -> int:
        """Take items out of these clusters (-1: of none); how many are not in theirs.

        Those stay as new items.
        """
        self.labels[:] = labels
        return int(compiled.not_inside(self.plan, self._state))

    def scores(self, start: int, stop: int) -> Floats:
        """Score of the items from ``start`` to before ``stop`` in every cluster."""
        out = np.empty((stop - start, self.k))
        counts = self._state.counts
        if self._back is not None:
            entries = self.plan.indptr[stop] - self.plan.indptr[start]
            if self._said is None and entries > len(counts):
                self._said = np.empty(counts.shape)
                said(self.plan, self._back, self._state, False, self._said)
            table = np.zeros((0, 0)) if self._said is None else self._said
            shrunken_scores(self.plan, self._back, self._state, start, stop, table, out)
        else:
            largest = int(self.plan.data.max()) if len(self.plan.data) else 0
            phi = phi_table(int(self._state.counts.max(initial=0)) + largest + 1)
            compiled.scores(self.plan, self._state, start, stop, phi, out)
        return out

    def batches(self) -> Iterator[tuple[int, int, Floats]]:
        """Scores of all items: the first of a batch, one past the last, and theirs."""
        length = max(1, _CELLS_A_BATCH // max(1, self.k))
        for start in range(0, max(1, self.plan.n_elements), length):
            stop = min(self.plan.n_elements, start + length)
            yield start, stop, self.scores(start, stop)

    def heats(self) -> Iterator[tuple[int, int, Floats]]:
        """As `batches`: scores whose softmax are the shares of the clusters."""
        for start, stop, scores in self.batches():
            yield start, stop, self._heat(start, stop, scores)

    def heats_of(self, rows: npt.NDArray[np.integer]) -> Floats:
        """Those of some items, in ascending order."""
        return np.concatenate(
            [part[rows[(rows >= a) & (rows < b)] - a] for a, b, part in self.heats()]
        )

    def _heat(self, start: int, stop: int, scores: Floats) -> Floats:
        mass, known = self.mass[start:stop], self.known[start:stop]
        factor = known**_POWER * self.sharpness / np.where(mass > 0, mass, 1.0)
        return np.asarray(scores * factor[:, None])

    def place(self) -> Placed:
        """Best cluster (of items that are left out: theirs), runner-up and confidence of each."""
        n = self.plan.n_elements
        labels, runner_up = self.labels.copy(), np.zeros(n, dtype=np.int32)
        confidence, margin = np.zeros(n), np.zeros(n)
        for start, stop, scores in self.batches():
            mine, rows = labels[start:stop], np.arange(stop - start)
            mine[:] = np.where(mine < 0, scores.argmax(axis=1), mine)
            confidence[start:stop] = softmax(self._heat(start, stop, scores))[rows, mine]
            if self.k > 1:
                best = scores[rows, mine].copy()
                scores[rows, mine] = -np.inf
                runner_up[start:stop] = second = scores.argmax(axis=1)
                margin[start:stop] = best - scores[rows, second]
        if self.agreed is not None:
            old = self.labels >= 0
            confidence[old] = (confidence[old] + self.agreed[old]) / 2.0
        found = self.known > 0
        labels[~found & (self.labels < 0)] = 0
        confidence = np.where(found, np.clip(confidence, 0.0, 1.0), 0.0)
        margin = np.divide(margin, self.mass, out=np.zeros(n), where=found & (self.mass > 0))
        return Placed(labels, runner_up, confidence, self.known, margin)

    def temper(self, agreement: Floats) -> float:
        """Set the sharpness: with it the mean share of the items' clusters is the agreement's."""
        known = np.flatnonzero(self.known > 0)
        # a sample is enough for one number
        most = max(1, min(_SAMPLE, _CELLS_A_BATCH // max(1, self.k)))
        chosen = known[:: max(1, len(known) // most)]
        if self.k < 2 or not len(chosen):
            return self.sharpness
        heat = self.heats_of(chosen)
        rows, mine = np.arange(len(chosen)), self.labels[chosen]
        wanted, low, high = float(agreement[chosen].mean()), *np.log(_BOUNDS)
        # the mean share rises with the sharpness unless most items would rather be elsewhere
        for _ in range(40):
            middle = (low + high) / 2
            if float(softmax(heat * np.exp(middle))[rows, mine].mean()) < wanted:
                low = middle
            else:
                high = middle
        self.sharpness *= float(np.exp((low + high) / 2))
        return self.sharpness

    def worths(self, i: int, counts: Mapping[str, tuple[npt.NDArray[np.int64], Floats]]) -> Worths:
        """What each value of an item adds to its score in each cluster, by side.

        ``counts`` are values and counts of each side, the item's own or others that it might
        have; its own are taken out of its cluster either way.

        The step of the score in the column a value falls into (its cluster, or itself) is split
        among the column's values by their counts, and so is the step in the cluster's mass
        (where items have settled, the mass is in the step already).
        """
        here = slice(self.plan.indptr[i], self.plan.indptr[i + 1])
        alone = np.zeros(self.plan.n_columns, dtype=np.int64)
        alone[self.plan.indices[here]] = self.plan.data[here]
        worths: Worths = {}
        for (name, side), (first, mass_column) in zip(
            self.sides.items(), self.plan.segments, strict=True
        ):
            values, amounts = counts[name]
            if not len(values):
                continue
            column, which = np.unique(side.labels[values], return_inverse=True)
            columns = np.append(first + column, mass_column)
            together = np.append(np.bincount(which, weights=amounts), amounts.sum())[:, None]
            there = self._state.counts[columns].astype(np.float64)
            if self.labels[i] >= 0:
                there[:, self.labels[i]] -= alone[columns]
            if self._back is None:
                steps = _steps(there, together)
            else:
                rarity, shrink = self._back.rarity[columns, None], self._back.shrink
                steps = _shrunken_steps(there, together, rarity, shrink)
            per_unit = self.plan.coef[columns, None] * steps / together
            worths[name] = amounts[:, None] * (per_unit[which] + per_unit[-1])
        return worths


Worths = dict[str, Floats]


def fit_scorer(
    graph: Graph, result: Result, node: str, against: str = "auto"
) -> tuple[Scorer, Scored]:
    """The scorer of a fit, and the fit's own items scored by it, each left out.

    Examples
    --------
    >>> from comraf.graph import Edge, Node
    >>> nodes = [Node("d", n_clusters=2), Node("w", observed="singletons")]
    >>> graph = Graph(nodes, [Edge("d", "w", [[3, 1], [2, 1], [0, 4], [1, 5]])])
    >>> labels = {"d": np.array([0, 0, 1, 1], np.int32), "w": np.array([0, 1], np.int32)}
    >>> result = Result(labels, {"d": 2, "w": 2}, 0.0, ())
    >>> scorer, items = fit_scorer(graph, result, "d")
    >>> fitted, again = items.place(), scorer.place({"w": graph.edges[0].counts})
    >>> bool(np.all(fitted.confidence == again.confidence))
    True
    """
    sides, counts = fitted_counts(graph, result, node, against)
    # items of the fit have the very counts of the fit already
    plain = {
        name: replace(side, weighting="raw", units=1.0, factors=None)
        for name, side in sides.items()
    }
    scored = Scored(plain, counts, result.labels[node])
    stability = result.stability.get(node)
    if stability is not None:
        scored.agreed = stability
        if not result.interrupted:  # who pressed Ctrl-C does not want to wait for this
            scored.temper(stability)
    items = _fit_items(list(scored.tables.values()), result.labels[node], stability)
    return Scorer(sides, scored.sharpness, items), scored


def softmax(heat: Floats) -> Floats:
    """Rows as shares."""
    powers = np.exp(heat - heat.max(axis=1, keepdims=True, initial=-np.inf))
    powers /= powers.sum(axis=1, keepdims=True)
    return np.asarray(powers)


def _default_sharpness(k: int, shrink: float) -> float:
    """The sharpness where there are no other runs to ask."""
    # Scores by the objective are of the right size. The most that a shrunken score says of a value
    # depends on the number of clusters: it is brought to what it would say unshrunken, log k.
    if not shrink or k < 2:
        return 1.0
    whole = 1.0 + shrink
    return float(_SHRUNKEN * np.log(k) / (whole * np.log((k + shrink) / whole)))


def _steps(there: Floats, amounts: Floats) -> Floats:
    """phi(there + amounts) - phi(there) with phi(t) = t log t, without cancellation."""
    filled = np.maximum(there, 1.0)
    grown = amounts * np.log(there + amounts)
    return np.where(there > 0, grown + filled * np.log1p(amounts / filled), grown)


def _shrunken_steps(there: Floats, amounts: Floats, rarity: Floats, shrink: float) -> Floats:
    """What columns add to the score of items that settle; the last one, the mass, nothing."""
    mass = there[-1]
    ratio = np.where(mass > 0, there * rarity / np.where(mass > 0, mass, 1.0), 0.0)
    steps = amounts * (1.0 + shrink) * np.log((ratio + shrink) / (1.0 + shrink))
    steps[-1] = 0.0
    return np.asarray(steps)


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


def _counts(side: SideCounts, table: sp.csr_array, name: str, n: int) -> sp.csr_array:
    if table.shape != (n, len(side.labels)):
        raise InputError(
            f"the table {name!r} is {table.shape[0]} x {table.shape[1]}, expected {n} items x "
            f"{len(side.labels)} values"
        )
    return new_counts(side, table, name)


def _block(side: SideCounts, counts: sp.csr_array) -> _NewItems:
    k, total = side.joint.shape[0], float(side.joint.sum())
    kind = integers_for(float(counts.data.sum()))
    arrays = counts.indptr.astype(np.int64), counts.indices.astype(np.int32, copy=False)
    data = counts.data.astype(kind, copy=False)
    indptr, indices, data = compiled.aggregate(*arrays, data, fixed(side.labels), k)
    coef = np.full(k + 1, side.weight / total if total else 0.0)
    coef[k] = -coef[k]
    return _NewItems(CountBlock(indptr, indices, data, coef, total))


def _with_mass(joint: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([joint, joint.sum(axis=0, keepdims=True)])
