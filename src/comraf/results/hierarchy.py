"""The hierarchy that a search walked, as a strict tree that can be cut at any size.

A search goes from many clusters to few, but it corrects itself after every step, so the
partitions it walked through are only nearly nested. Here they become a tree whose every cut is
a refinement of every coarser one:

*Above* the final clusters, the two whose merger costs least of the objective are merged, and
so on up to a single one.

*Below* them, each final cluster is taken apart by the levels that were walked (``Result.levels``),
the coarsest first: its pieces are its intersections with the level's clusters, where a piece
below a twentieth of the mass joins the one it costs least to join. The pieces are a binary tree
by least loss again, and each piece is taken apart by the next finer level. Where there is no
finer level (or there never was one), a cluster is cut in two by a short search against single
values, which depends on nothing but ``seed`` and its members. Clusters whose division gains the
objective most are divided first.

Everything below is divided only when a cut asks for it, and the same clusters are divided in
the same way whatever is asked for: a cut at 80 is a refinement of the cut at 20.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from comraf.errors import InputError
from comraf.graph.model import Graph
from comraf.graph.tables import check_fits
from comraf.kernels import compiled
from comraf.kernels.calls import call
from comraf.kernels.plan import Counts, IntArray, Plan, phi_table
from comraf.objectives import Labels
from comraf.parameters import check_int
from comraf.results.result import Result
from comraf.results.solved import Solved, check_hidden

__all__ = ["Hierarchy", "Taxonomy", "hierarchy", "taxonomy"]

# A piece smaller than this share of its cluster is a correction of the search, not a part.
_SMALL = 0.05
_MOST_PIECES = 16
# The search that cuts a cluster in two: so many tries from random halves, passes in each.
_TRIES = 3
_PASSES = 6


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Nested partitions of one node.

    Attributes
    ----------
    node : str
    sizes : tuple of int
        Numbers of clusters, rising.
    labels : tuple of arrays of int32
        A partition for each size; labels by decreasing mass, and those of the size of the
        result itself are the result's.
    parents : tuple of arrays of int32
        For each size but the first: for each cluster, the one it is part of a size above.
    """

    node: str
    sizes: tuple[int, ...]
    labels: tuple[Labels, ...]
    parents: tuple[Labels, ...]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        return f"Taxonomy({len(self.labels[0]):,} {self.node} in {sizes} clusters)"

    def children(self, level: int, cluster: int) -> list[int]:
        """Clusters of the next finer level that a cluster is made of.

        Examples
        --------
        >>> tree = Taxonomy("d", (1, 2), (np.zeros(2), np.arange(2)), (np.zeros(2, np.int32),))
        >>> tree.children(0, 0)
        [0, 1]
        """
        return np.flatnonzero(self.parents[level] == cluster).tolist()


def hierarchy(graph: Graph, result: Result, node: str, *, seed: int = 0) -> Hierarchy:
    """The tree of a node's clusters, ready to be cut.

    Parameters
    ----------
    graph : Graph
        What was clustered.
    result : Result
    node : str
        A hidden node.
    seed : int
        Of the searches that divide clusters where no finer level was walked.

    Examples
    --------
    >>> import comraf
    >>> table = np.kron(5 * np.eye(4), np.ones((3, 3))) + np.eye(12)
    >>> nodes = [comraf.Node("d", n_clusters=4), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", table)])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> tree = hierarchy(graph, result, "d")
    >>> [len(set(tree.cut(size).tolist())) for size in (1, 3, 4, 9)]
    [1, 3, 4, 9]
    """
    return Hierarchy(Solved(graph, result), node, seed)


def taxonomy(
    graph: Graph, result: Result, node: str, sizes: Sequence[int], *, seed: int = 0
) -> Taxonomy:
    """Nested partitions with exactly the numbers of clusters asked for.

    Parameters
    ----------
    graph, result, node, seed
        As in `hierarchy`.
    sizes : sequence of int
        Numbers of clusters, in any order; below and above the result's own.

    Examples
    --------
    >>> import comraf
    >>> table = np.kron(5 * np.eye(4), np.ones((3, 3))) + np.eye(12)
    >>> nodes = [comraf.Node("d", n_clusters=4), comraf.Node("w", observed="singletons")]
    >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", table)])
    >>> result = comraf.Comraf(graph, random_state=0).fit().result_
    >>> found = taxonomy(graph, result, "d", [2, 4, 8])
    >>> found.sizes, len(found.parents[1])
    ((2, 4, 8), 8)
    """
    return hierarchy(graph, result, node, seed=seed).taxonomy(sizes)


@dataclass(eq=False)
class _Part:
    """A cluster of the tree below the final ones."""

    members: npt.NDArray[np.int64]
    counts: IntArray
    depth: int  # number of the next finer level to take it apart by
    halves: tuple[_Part, _Part] | None = None
    gain: float = 0.0  # what the objective wins by dividing it
    divided: bool = False  # whether it was tried


class Hierarchy:
    """A strict tree over the clusters of one node; see `hierarchy`."""

    def __init__(self, solved: Solved, node: str, seed: int = 0) -> None:
        check_hidden(solved.graph, node)
        self.node, self.seed = node, check_int("seed", seed, least=0)
        self.solved = solved
        self.result = solved.result
        self._labels = solved.state.labels[solved.index(node)]
        self._k = self.result.n_clusters[node]
        self._plan = solved.plan(node)
        check_fits(
            16.0 * self._plan.n_columns * self._k,
            f"the table of {self._plan.n_columns} columns x {self._k} clusters",
            "ask for fewer clusters",
        )
        self._counts: IntArray = call(compiled.count, self._plan, self._labels, self._k)
        self._phi = phi_table(int(self._plan.data.sum()) if len(self._plan.data) else 1)
        walked = self.result.levels.get(node, ())
        # the coarsest first; the final partition itself divides nothing
        self._levels = [level for level in reversed(walked) if len(np.unique(level)) > self._k]
        self._lengths = np.diff(self._plan.indptr)
        # clusters without any counts can't be divided, but are there
        empty = int(np.count_nonzero(self._counts.sum(axis=0) == 0))
        self.n_values = int(np.count_nonzero(self._lengths)) + empty
        self._roots: list[_Part] | None = None
        self._joined: tuple[list[tuple[int, int]], list[float]] | None = None
        self._fine: Plan | None = None

    @property
    def merges(self) -> list[tuple[int, int]]:
        """Mergers of the final clusters in their order; the first label stays, the second goes."""
        return list(self._agglomerated()[0])

    def _agglomerated(self) -> tuple[list[tuple[int, int]], list[float]]:
        """Mergers of the final clusters, and what each loses."""
        if self._joined is None:
            self._joined = _agglomerate(self._plan, self._counts, self._phi)
        return self._joined

    def information(self, most: int) -> npt.NDArray[np.float64]:
        """What cuts at 1, 2, ... clusters tell, as shares of what single values would tell.

        Of everything that the node is joined to, by the weights of the edges.

        Examples
        --------
        >>> import comraf
        >>> table = np.kron(5 * np.eye(4), np.ones((3, 3))) + np.eye(12)
        >>> nodes = [comraf.Node("d", n_clusters=2), comraf.Node("w", observed="singletons")]
        >>> graph = comraf.Graph(nodes, [comraf.Edge("d", "w", table)])
        >>> result = comraf.Comraf(graph, random_state=0).fit().result_
        >>> hierarchy(graph, result, "d").information(12).round(2)[[0, 1, 3, 11]].tolist()
        [0.0, 0.5, 1.0, 1.0]
        """
        losses = self._agglomerated()[1][::-1]
        gains: list[float] = []
        if most > self._k:
            self._check(most)
            self._expand(self._all_roots(), most, gains)
        told = np.cumsum([0.0, *losses, *gains])[:most]
        solved, number = self.solved, self.solved.index(self.node)
        n = len(self._labels)
        single = solved.state.replace(number, np.arange(n, dtype=np.int32), n)
        whole = sum(
            edge.weight * edge.information
            for edge in solved.edges(single)
            if self.node in (edge.a, edge.b)
        )
        return told / whole if whole > 0 else np.zeros_like(told)

    def cut(self, n_clusters: int) -> Labels:
        """Labels of every value in a partition of exactly this many clusters.

        Clusters are numbered by decreasing mass, but those of the result's own size as in the
        result. Values without counts go with the heaviest cluster that theirs holds.
        """
        self._check(n_clusters)
        if n_clusters == self._k:
            return self._labels.copy()
        if n_clusters < self._k:
            place = np.arange(self._k)
            for kept, gone in self.merges[: self._k - n_clusters]:
                place[place == gone] = kept
            labels = place[self._labels]
        else:
            labels = self._labels.astype(np.int64)
            for number, part in enumerate(self._expand(self._all_roots(), n_clusters)):
                labels[part.members] = number
            labels = self._with_empty(labels)
        return self._by_mass(labels)

    def taxonomy(self, sizes: Sequence[int]) -> Taxonomy:
        """Nested partitions of the sizes asked for."""
        if not isinstance(sizes, Iterable):
            raise InputError(f"sizes={sizes!r}; give a list of sizes, such as [{sizes or 4}]")
        wanted = sorted(set(sizes))
        if not wanted:
            raise InputError("no sizes are given; name at least one, such as [4, 20, 80]")
        for size in wanted:
            self._check(size)
        labels = [self.cut(size) for size in wanted]
        parents = []
        for coarse, fine in pairwise(labels):
            above = np.zeros(int(fine.max()) + 1, dtype=np.int32)
            above[fine] = coarse
            parents.append(above)
        return Taxonomy(self.node, tuple(wanted), tuple(labels), tuple(parents))

    def divide(self, cluster: int, n_parts: int) -> Labels:
        """One cluster of the result in ``n_parts``: 0 to n - 1 for its members, -1 for others.

        The parts are those of the tree; 0 is the heaviest, and holds the values without counts.
        """
        if not 0 <= cluster < self._k:
            raise InputError(f"there is no cluster {cluster}; they run from 0 to {self._k - 1}")
        inside = self._labels == cluster
        most = int(np.count_nonzero(inside & (self._lengths > 0)))
        if not 1 <= n_parts <= most:
            raise InputError(
                f"{n_parts} parts are asked for of a cluster with {most} values that have counts"
            )
        parts = self._expand([self._all_roots()[cluster]], n_parts)
        parts.sort(key=lambda part: (-self._mass(part), int(part.members[0])))
        labels = np.where(inside, 0, -1).astype(np.int32)
        for number, part in enumerate(parts):
            labels[part.members] = number
        return labels

    def _check(self, size: int) -> None:
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
            raise InputError(f"a size is {size!r}; give whole numbers")
        if not 1 <= size <= self.n_values:
            raise InputError(
                f"{size} clusters of {self.node!r} are asked for; it can be cut into 1 to "
                f"{self.n_values}, the number of its values that have any counts"
            )

    def _by_mass(self, labels: npt.NDArray[np.integer]) -> Labels:
        compact = np.unique(labels, return_inverse=True)[1]
        k = int(compact.max()) + 1
        mass = np.bincount(compact, weights=self._plan.mass, minlength=k)
        first = np.full(k, len(compact))
        np.minimum.at(first, compact, np.arange(len(compact)))
        # masses equal but for rounding must not depend on the order of summation
        order = np.lexsort((first, -np.round(mass, 12)))
        rank = np.empty(k, dtype=np.int32)
        rank[order] = np.arange(k, dtype=np.int32)
        return rank[compact]

    def _with_empty(self, labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Values without counts put into the heaviest part of the cluster they are in."""
        empty = np.flatnonzero(self._lengths == 0)
        for cluster in np.unique(self._labels[empty]).tolist():
            filled = np.flatnonzero((self._labels == cluster) & (self._lengths > 0))
            if len(filled):
                mass = np.bincount(labels[filled], weights=self._plan.mass[filled])
                labels[empty[self._labels[empty] == cluster]] = int(mass.argmax())
        return labels

    # -- below the final clusters -------------------------------------------------------

    def _all_roots(self) -> list[_Part]:
        if self._roots is None:
            filled = np.flatnonzero(self._lengths > 0)
            order = filled[np.argsort(self._labels[filled], kind="stable")]
            ends = np.cumsum(np.bincount(self._labels[filled], minlength=self._k))[:-1]
            self._roots = [
                _Part(members, np.ascontiguousarray(self._counts[:, cluster]), 0)
                if len(members)
                else self._bare(cluster)
                for cluster, members in enumerate(np.split(order, ends))
            ]
        return self._roots

    def _bare(self, cluster: int) -> _Part:
        """A cluster of values without counts."""
        members = np.flatnonzero(self._labels == cluster)
        return _Part(members, np.zeros(self._plan.n_columns, np.int64), 0, divided=True)

    def _expand(
        self, parts: Sequence[_Part], wanted: int, gains: list[float] | None = None
    ) -> list[_Part]:
        """Divide, again and again, the part whose division gains most; note what each gains."""
        heap: list[tuple[float, int, _Part]] = []
        leaves = dict(enumerate(parts))
        number = len(leaves)
        for key, part in leaves.items():
            self._divide(part)
            heapq.heappush(heap, (-part.gain, key, part))
        while len(leaves) < wanted:
            _, key, part = heapq.heappop(heap)
            if part.halves is None:
                continue  # a single value
            del leaves[key]
            if gains is not None:
                gains.append(part.gain)
            for half in part.halves:
                self._divide(half)
                leaves[number] = half
                heapq.heappush(heap, (-half.gain, number, half))
                number += 1
        return list(leaves.values())

    def _mass(self, part: _Part) -> float:
        return float(self._plan.mass[part.members].sum())

    def _divide(self, part: _Part) -> None:
        """Find out how a part is divided, unless that is known."""
        if part.divided:
            return
        part.divided = True
        if len(part.members) < 2:
            return
        depth = part.depth
        while depth < len(self._levels):
            level = self._levels[depth]
            depth += 1
            pieces = self._pieces(part, level[part.members])
            if pieces is not None:
                self._join_pieces(part, *pieces, depth)
                return
        labels = self._bisected(part)
        self._join_pieces(part, labels, self._count(part.members, labels, 2), depth)

    def _count(self, members: npt.NDArray[np.int64], labels: Labels, k: int) -> IntArray:
        return np.asarray(compiled.count(_of_some(self._plan, members), labels, k))

    def _pieces(self, part: _Part, walked: Labels) -> tuple[Labels, IntArray] | None:
        """Intersections with a level's clusters, the small ones joined to others; None if one."""
        labels = np.unique(walked, return_inverse=True)[1].astype(np.int32)
        mass = np.bincount(labels, weights=self._plan.mass[part.members])
        order = np.argsort(-mass, kind="stable")
        kept = order[: max(1, int(np.count_nonzero(mass >= _SMALL * mass.sum())))][:_MOST_PIECES]
        if len(kept) < 2:
            return None
        counts = self._count(part.members, labels, len(mass))
        place = np.full(len(mass), -1, dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        merged = np.ascontiguousarray(counts[:, kept])
        for small in order[len(kept) :].tolist():
            beside = np.ascontiguousarray(np.column_stack([counts[:, small], merged]))
            costs = self._costs(beside, 0)
            place[small] = int(costs[1:].argmin())
            merged[:, place[small]] += counts[:, small]
        return place[labels], merged

    def _costs(self, counts: IntArray, cluster: int) -> npt.NDArray[np.float64]:
        return _merge_costs(self._plan, counts, cluster, self._phi)

    def _join_pieces(self, part: _Part, labels: Labels, counts: IntArray, depth: int) -> None:
        """Put a binary tree of least loss over the pieces of a part."""
        order = np.argsort(labels, kind="stable")
        ends = np.cumsum(np.bincount(labels, minlength=counts.shape[1]))[:-1]
        nodes = [
            _Part(np.sort(part.members[inside]), np.ascontiguousarray(counts[:, piece]), depth)
            for piece, inside in enumerate(np.split(order, ends))
        ]
        merges, losses = _agglomerate(self._plan, counts, self._phi)
        for (a, b), loss in zip(merges, losses, strict=True):
            one, other = nodes[a], nodes[b]
            nodes[a] = _Part(
                np.sort(np.concatenate([one.members, other.members])),
                one.counts + other.counts,
                depth,
                (one, other),
                loss,
                divided=True,
            )
        top = nodes[merges[-1][0]]
        part.halves, part.gain = top.halves, top.gain

    def _bisected(self, part: _Part) -> Labels:
        """A part cut in two by a short search from random halves."""
        # Against single values of the fullest neighbour: its clusters were made to tell the final
        # clusters apart, not what is within them.
        n = len(part.members)
        if n == 2:
            return np.array([0, 1], dtype=np.int32)
        if self._fine is None:
            self._fine = self.solved.plan(self.node, self.solved.against(self.node, "values"))
        plan = _of_some(self._fine, part.members)
        rng = np.random.default_rng([self.seed, n, int(part.members[0]), int(part.members[-1])])
        no_screen = np.zeros((0, 0), np.float32), np.zeros(0, np.int64)
        to, gain = np.zeros(n, np.int32), np.zeros(n)
        best, chosen = -np.inf, np.zeros(n, dtype=np.int32)
        for _ in range(_TRIES):
            labels = np.zeros(n, dtype=np.int32)
            labels[rng.permutation(n)[: n // 2]] = 1
            counts = compiled.count(plan, labels, 2)
            state = Counts(counts, np.bincount(labels, minlength=2), labels, *no_screen)
            for _ in range(_PASSES):
                order = rng.permutation(n).astype(np.int64)
                if not compiled.sweep(plan, state, order, 0, n, 1, True, self._phi, to, gain)[0]:
                    break
            value = float(compiled.value(state.counts, plan.coef, self._phi))
            if value > best:
                best, chosen = value, state.labels
        return chosen


def _of_some(plan: Plan, members: npt.NDArray[np.int64]) -> Plan:
    """The plan of some of the node's values."""
    lengths = np.diff(plan.indptr)[members]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.arange(indptr[-1]) + np.repeat(plan.indptr[members] - indptr[:-1], lengths)
    return plan._replace(
        indptr=indptr,
        indices=plan.indices[entries],
        data=plan.data[entries],
        mass=plan.mass[members],
        pair_indptr=np.zeros(len(members) + 1, dtype=np.int64),
    )


def _merge_costs(
    plan: Plan, counts: IntArray, cluster: int, phi: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """What the objective loses by merging a cluster with each of all (itself: nonsense)."""
    k = counts.shape[1]
    loss, out = np.empty(k), np.empty(k)
    compiled.merge_costs_apart(plan, counts, counts.max(axis=1), cluster, phi, loss, out)
    return out


def _agglomerate(
    plan: Plan, counts: IntArray, phi: npt.NDArray[np.float64]
) -> tuple[list[tuple[int, int]], list[float]]:
    """All mergers of clusters down to one, each the cheapest that is left, and their losses."""
    counts = counts.copy()
    k = counts.shape[1]
    costs = np.full((k, k), np.inf)
    for cluster in range(k):
        costs[cluster] = _merge_costs(plan, counts, cluster, phi)
    costs = np.minimum(costs, costs.T)  # the same but for rounding
    np.fill_diagonal(costs, np.inf)
    merges, losses = [], []
    for _ in range(k - 1):
        a, b = sorted(divmod(int(costs.argmin()), k))
        merges.append((a, b))
        losses.append(float(costs[a, b]))
        counts[:, a] += counts[:, b]
        counts[:, b] = 0
        costs[b, :] = costs[:, b] = np.inf
        gone = np.isinf(costs[a])
        fresh = _merge_costs(plan, counts, a, phi)
        fresh[gone] = np.inf
        costs[a, :] = costs[:, a] = fresh
        costs[a, a] = np.inf
    return merges, losses
