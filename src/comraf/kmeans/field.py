"""What links and labels ask of a clustering, and what it costs to break them.

The random field of HMRF-KMeans. Links that must hold join items to groups that move as one.
Others have a price each. From these others follow (a must-linked with b, b with c: a with c too),
so many that they can't be listed: a hundred links of a hundred items may imply thousands. But all
of them lie between *neighbourhoods*, and a neighbourhood's items by cluster are all that is
needed to price them. So they are kept as neighbourhoods with one weight each and one for each
pair of them, and only those that a user gave are listed, as what they differ by.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import ComrafWarning, ConflictError
from comraf.graph.tables import check_fits
from comraf.supervision import Closure, Knowledge, close
from comraf.supervision.links import Links

__all__ = ["Field", "neighbourhoods", "read_field"]


@dataclass(frozen=True, eq=False)
class Field:
    """Groups of items that move as one, and the price of what may be broken.

    Attributes
    ----------
    closure : Closure
        Groups by links that must hold, and pairs of groups that must be apart.
    ids : sequence of hashable, optional
        Names of items, for messages.
    block : numpy.ndarray of int64, shape (n,)
        Block of each item within which all pairs should be together; -1: none.
    must : numpy.ndarray of float, shape (n_blocks,)
        Price of each pair of a block that is not together.
    across : numpy.ndarray of int64, shape (p, 2)
        Pairs of different blocks that have a price, the smaller number first, sorted.
    near, apart : numpy.ndarray of float, shape (p,)
        Price of each pair of their items that is not together, and that is.
    pairs : numpy.ndarray of int64, shape (m, 2)
        Items whose price is another one than that of their blocks.
    more_must, more_cannot : numpy.ndarray of float, shape (m,)
        How much it is more if they are not together, and if they are; may be negative.
    """

    closure: Closure
    ids: Sequence[Hashable] | None
    block: NDArray[np.int64]
    must: NDArray[np.float64]
    across: NDArray[np.int64]
    near: NDArray[np.float64]
    apart: NDArray[np.float64]
    pairs: NDArray[np.int64]
    more_must: NDArray[np.float64]
    more_cannot: NDArray[np.float64]

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return self.closure.n_groups

    def name(self, group: int) -> str:
        """What a group is called in messages."""
        return self.closure.name(group, self.ids)

    @cached_property
    def joined(self) -> sp.csr_array | None:
        """Groups by items, to sum over items; None if each item is its own group."""
        n = len(self.closure.group)
        if self.n_groups == n:
            return None  # groups are numbered by first items, so these are the items themselves
        ones = np.ones(n)
        return sp.csr_array((ones, (self.closure.group, np.arange(n))), shape=(self.n_groups, n))

    def by_group(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances of items, (n, k), summed over the items of each group."""
        if self.joined is None:
            return np.ascontiguousarray(distances)
        return np.ascontiguousarray(self.joined @ distances)

    @cached_property
    def members(self) -> sp.csr_array:
        """How many items of each block each group has, (n_groups, n_blocks)."""
        there = np.flatnonzero(self.block >= 0)
        return _csr(
            np.ones(len(there)),
            self.closure.group[there],
            self.block[there],
            (self.n_groups, len(self.must)),
        )

    @cached_property
    def between(self) -> sp.csr_array:
        """Pull between items of blocks, (n_blocks, n_blocks): together above 0, apart below."""
        own = np.flatnonzero(self.must)
        a, b = self.across.T
        pull = self.near - self.apart
        return _csr(
            np.concatenate([self.must[own], pull, pull]),
            np.concatenate([own, a, b]),
            np.concatenate([own, b, a]),
            (len(self.must), len(self.must)),
        )

    @cached_property
    def extra(self) -> sp.csr_array:
        """Pull between groups beside that of their blocks, (n_groups, n_groups)."""
        a, b = self.closure.group[self.pairs].T
        pull = self.more_must - self.more_cannot
        far = (a != b) & (pull != 0)
        a, b, pull = a[far], b[far], pull[far]
        shape = (self.n_groups, self.n_groups)
        return _csr(
            np.concatenate([pull, pull]), np.concatenate([a, b]), np.concatenate([b, a]), shape
        )

    @cached_property
    def forbidden(self) -> sp.csr_array:
        """Groups that must be apart, (n_groups, n_groups)."""
        a, b = self.closure.cannot.T
        ones = np.ones(2 * len(a))
        shape = (self.n_groups, self.n_groups)
        return _csr(ones, np.concatenate([a, b]), np.concatenate([b, a]), shape)

    @cached_property
    def bound(self) -> NDArray[np.int64]:
        """Groups whose best cluster depends on where others are."""
        linked = np.diff(self.extra.indptr) + np.diff(self.forbidden.indptr)
        moved = np.diff(self.between.indptr) > 0
        if moved.any():
            linked = linked + (self.members @ moved.astype(np.float64) > 0)
        return np.flatnonzero(linked)

    def counts(self, labels: NDArray[np.int32], k: int) -> NDArray[np.float64]:
        """Items of each block in each cluster, (n_blocks, k), by labels of groups."""
        there = self.block >= 0
        where = labels[self.closure.group[there]]
        flat = np.bincount(self.block[there] * k + where, minlength=len(self.must) * k)
        return flat.reshape(-1, k).astype(np.float64)

    def penalty(self, labels: NDArray[np.int32], k: int) -> float:
        """Price of all that labels of groups break: the last two sums of (4.10)."""
        counts = self.counts(labels, k)
        sizes = counts.sum(axis=1)
        split = (sizes**2 - (counts**2).sum(axis=1)) / 2
        price = float(self.must @ split)
        if len(self.across):
            a, b = self.across.T
            inside = np.einsum("pk,pk->p", counts[a], counts[b])
            price += float(self.apart @ inside + self.near @ (sizes[a] * sizes[b] - inside))
        if len(self.pairs):
            a, b = labels[self.closure.group[self.pairs]].T
            price += float(self.more_must[a != b].sum() + self.more_cannot[a == b].sum())
        return price

    @cached_property
    def pulls(self) -> sp.csr_array:
        """All pulls between two groups, each as its own entry: for inference that needs pairs.

        Groups that must be apart have none: what else pulls at them does not matter.
        """
        sizes = np.bincount(self.block[self.block >= 0], minlength=len(self.must)).astype(float)
        a, b = self.across.T
        many = float(sizes[self.must > 0] @ sizes[self.must > 0] + 2 * (sizes[a] @ sizes[b]))
        check_fits(
            60 * many,
            f"{many / 2:,.0f} links that follow from those given",
            "take inference='icm' or constraints='original'",
        )
        pulls = (self.members @ self.between @ self.members.T + self.extra).tocoo()
        n, hard = self.n_groups, self.forbidden.tocoo()
        apart = np.isin(_keys(pulls, n), _keys(hard, n))
        off = (pulls.row != pulls.col) & (pulls.data != 0) & ~apart
        shape = (n, n)
        return _csr(pulls.data[off], pulls.row[off], pulls.col[off], shape)


def _keys(table: sp.coo_array, n: int) -> NDArray[np.int64]:
    """A number for each place of the entries."""
    return np.asarray(table.row.astype(np.int64) * n + table.col)


def _csr(
    data: NDArray[np.float64],
    row: NDArray[np.int64],
    col: NDArray[np.int64],
    shape: tuple[int, int],
) -> sp.csr_array:
    """A sparse table in which entries of one place are added up."""
    table = sp.coo_array((data, (row, col)), shape=shape).tocsr()
    table.sum_duplicates()
    return table


def neighbourhoods(known: Knowledge) -> list[NDArray[np.int64]]:
    """Items that must-links of any weight and labels join, the first stage of initialisation.

    Examples
    --------
    >>> from comraf.supervision import read_knowledge
    >>> known = read_knowledge(5, labels=[None, None, None, None, "a"], must_link=[(0, 2, 0.5)])
    >>> [part.tolist() for part in neighbourhoods(known)]
    [[0, 2], [4]]
    """
    codes = known.labels.codes
    parts, _ = _joined(len(codes), *_edges(known, 1.0))
    sizes = np.bincount(parts)
    wanted = np.unique(parts[(sizes[parts] > 1) | (codes >= 0)])
    order = np.argsort(parts, kind="stable")
    ends = np.cumsum(sizes)
    return [order[ends[part] - sizes[part] : ends[part]] for part in wanted.tolist()]


def read_field(known: Knowledge, weight: float, inferred: bool = True) -> Field:
    """The field of what is known.

    Parameters
    ----------
    known : Knowledge
        Labels and links; links of infinite weight must hold.
    weight : float
        Price of a pair of one class that is not together, or of two classes that is; infinite:
        labels must hold.
    inferred : bool
        Whether what follows from links has a price too: that of the weakest of the links that
        hold its neighbourhoods together and of the strongest cannot-link between these. A link
        that was given keeps its own, and so does what two labels say.

    Examples
    --------
    >>> from comraf.supervision import read_knowledge
    >>> known = read_knowledge(4, must_link=[(0, 1, 1.0), (1, 2, 2.0)], cannot_link=[(2, 3, 5.0)])
    >>> labels = np.array([0, 1, 1, 1], dtype=np.int32)
    >>> read_field(known, 1.0, inferred=False).penalty(labels, 2)  # 0 = 1 and 2 ≠ 3 are broken
    6.0
    >>> read_field(known, 1.0).penalty(labels, 2)  # and 0 = 2, 1 ≠ 3 that follow, for 1 each
    8.0
    """
    codes = known.labels.codes
    n = len(codes)
    hard = codes if np.isinf(weight) else None
    closure = close(n, known.must, known.cannot, hard, ids=known.ids, classes=known.labels.classes)
    if inferred:
        _tell_contradictions(known)
    heads = _heads(codes)
    one, other = np.triu_indices(len(heads), 1)
    kinds = np.column_stack([heads[one], heads[other]])
    kind_weights = np.full(len(kinds), weight)
    if inferred:
        part, weakest = _joined(n, *_edges(known, weight))
        apart = np.concatenate([known.cannot.pairs, kinds])
        price = np.concatenate([known.cannot.weights, kind_weights])
        wanted = (np.bincount(part, minlength=len(weakest)) > 1)[part]
        wanted[apart.ravel()] = True
    else:
        # labels are given for single items, so pairs of a class are given too, not inferred
        part = np.where(codes >= 0, codes, -1).astype(np.int64)
        weakest = np.full(len(known.labels.classes), weight)
        apart, price = kinds, kind_weights
        wanted = (part >= 0) & np.isfinite(weight)
    # Items of a neighbourhood that have one class, or none, are a block: what labels say of two
    # items has its own price, whatever follows from links.
    several = len(known.labels.classes) + 1
    used, number = np.unique(part[wanted] * several + codes[wanted] + 1, return_inverse=True)
    block = np.full(n, -1, dtype=np.int64)
    block[wanted] = number
    home, kind = np.divmod(used, several)
    must = np.where(kind > 0, weight, weakest[home])
    across, follows = _across(home, part[apart], price)
    said = (kind[across] > 0).all(axis=1)
    within = home[across[:, 0]] == home[across[:, 1]]
    least = weakest[home[across]].min(axis=1)
    near = np.where(within & ~said, least, 0.0)
    far = np.where(said, weight, np.where(within, 0.0, np.minimum(follows, least)))
    # what is infinite still is between groups that the closure keeps together or apart
    must, near, far = (np.where(np.isinf(found), 0.0, found) for found in (must, near, far))
    given = _given(known, weight, block, must, across, near, far)
    return Field(closure, known.ids, block, must, across, near, far, *given)


def _across(
    home: NDArray[np.int64], apart: NDArray[np.int64], price: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of blocks in one part or in parts that should be apart, and the price of the latter."""
    n_parts = int(max(home.max(initial=-1), apart.max(initial=-1))) + 1
    begin = np.searchsorted(home, np.arange(n_parts))
    count = np.bincount(home, minlength=n_parts)
    own = np.flatnonzero(count > 1)
    p, q = np.sort(np.concatenate([apart, np.column_stack([own, own])]), axis=1).T
    there = (p >= 0) & ((p != q) | (np.arange(len(p)) >= len(apart)))
    price = np.concatenate([price, np.zeros(len(own))])[there]
    keys, where = np.unique(p[there] * n_parts + q[there], return_inverse=True)
    most = np.zeros(len(keys))
    np.maximum.at(most, where, price)
    p, q = np.divmod(keys, max(n_parts, 1))
    each = count[p] * count[q]
    step = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    wide = np.repeat(count[q], each)
    one = np.repeat(begin[p], each) + step // np.maximum(wide, 1)
    other = np.repeat(begin[q], each) + step % np.maximum(wide, 1)
    kept = one < other
    pairs = np.column_stack([one, other])[kept].astype(np.int64)
    order = np.lexsort(pairs.T[::-1])
    return pairs[order], np.repeat(most, each)[kept][order]


def _tell_contradictions(known: Knowledge) -> None:
    """Warn of links and labels that can't all hold: each has its price, but few would mean it."""

    def firm(links: Links) -> Links:
        return Links(links.pairs, np.full(len(links), np.inf))

    codes, classes = known.labels.codes, known.labels.classes
    try:
        close(
            len(codes), firm(known.must), firm(known.cannot), codes, ids=known.ids, classes=classes
        )
    except ConflictError as error:
        advice = (
            "each link has its price, so some will be broken. Where links may be wrong, "
            "constraints='original' lets nothing follow from them"
        )
        warnings.warn(str(error.about(advice=advice)), ComrafWarning, stacklevel=5)


def _heads(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """The first item of each class that has any."""
    labelled = np.flatnonzero(codes >= 0)
    _, first = np.unique(codes[labelled], return_index=True)
    return labelled[first]


def _edges(known: Knowledge, weight: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Must-links, and links of the items of each class to its first."""
    codes = known.labels.codes
    labelled = np.flatnonzero(codes >= 0)
    first = np.zeros(len(known.labels.classes), dtype=np.int64)
    heads = _heads(codes)
    first[codes[heads]] = heads
    stars = np.column_stack([labelled, first[codes[labelled]]])
    stars = stars[stars[:, 0] != stars[:, 1]]
    pairs = np.concatenate([known.must.pairs, stars])
    return pairs, np.concatenate([known.must.weights, np.full(len(stars), weight)])


def _joined(
    n: int, pairs: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Part of each item, and the weakest link that each part needs to hang together."""
    parent = list(range(n))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    weakest = np.full(n, np.inf)
    for place in np.argsort(-weights, kind="stable").tolist():
        a, b = root(int(pairs[place, 0])), root(int(pairs[place, 1]))
        if a != b:  # strongest first: those that join parts are a maximum spanning tree
            parent[max(a, b)] = min(a, b)
            weakest[min(a, b)] = weights[place]
    roots = np.array([root(item) for item in range(n)], dtype=np.int64)
    heads, part = np.unique(roots, return_inverse=True)
    return part.astype(np.int64), weakest[heads]


def _given(
    known: Knowledge,
    weight: float,
    block: NDArray[np.int64],
    must: NDArray[np.float64],
    across: NDArray[np.int64],
    near: NDArray[np.float64],
    far: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Given pairs, and what their prices are more than those of their blocks."""
    n = max(len(block), 1)
    both = np.concatenate([known.must.pairs, known.cannot.pairs])
    keys, where = np.unique(both.min(axis=1) * n + both.max(axis=1), return_inverse=True)
    together, apart = np.zeros(len(keys)), np.zeros(len(keys))
    weights = np.concatenate([known.must.weights, known.cannot.weights])
    weights[np.isinf(weights)] = 0.0  # never broken, so never paid for
    n_must = len(known.must)
    np.add.at(together, where[:n_must], weights[:n_must])
    np.add.at(apart, where[n_must:], weights[n_must:])
    pairs = np.column_stack(np.divmod(keys, n)).astype(np.int64).reshape(-1, 2)
    if np.isfinite(weight):  # what two labels say is given too
        one, other = known.labels.codes[pairs].T
        said = (one >= 0) & (other >= 0)
        together[said & (one == other)] += weight
        apart[said & (one != other)] += weight
    a, b = np.sort(block[pairs], axis=1).T
    same = (a == b) & (a >= 0)
    together[same] -= must[a[same]]
    if len(across):
        known_keys = across[:, 0] * len(must) + across[:, 1]
        wanted = a * len(must) + b
        at = np.minimum(np.searchsorted(known_keys, wanted), len(known_keys) - 1)
        found = (known_keys[at] == wanted) & (a >= 0) & ~same
        together[found] -= near[at[found]]
        apart[found] -= far[at[found]]
    off = (together != 0) | (apart != 0)
    return pairs[off], together[off], apart[off]
