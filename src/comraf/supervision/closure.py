"""What links and labels say together: groups that move as one, and pairs of them kept apart.

Must-links are an equivalence, so items that a chain of them joins are one group; labels join all
items of a class and keep the classes apart. A cannot-link inside a group is a contradiction, and
no clustering can satisfy it: it is found here, before anything is computed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra

from comraf.errors import ConflictError, InputError
from comraf.parameters import check_int
from comraf.supervision.links import Links
from comraf.supervision.naming import MOST_LISTED, Items, check_pairs, quoted

__all__ = ["Closure", "clash", "close"]

# Steps of a chain that are printed; of a longer one, the first and the last.
_LONGEST_CHAIN = 12


@dataclass(frozen=True, eq=False)
class Closure:
    """Groups of items that must be together, and which groups must not.

    Attributes
    ----------
    group : numpy.ndarray of int64, shape (n,)
        Group of each item; groups are numbered in the order of their first items.
    n_groups : int
        Number of groups; an item that nothing is known about is a group of its own.
    cannot : numpy.ndarray of int64, shape (p, 2)
        Pairs of groups that must be in different clusters: the smaller number first, sorted,
        each pair once.

    Examples
    --------
    >>> from comraf.supervision import read_links
    >>> closure = close(4, read_links([(0, 2)], 4), read_links([(2, 3)], 4))
    >>> closure.group.tolist(), closure.cannot.tolist(), closure.sizes.tolist()
    ([0, 1, 0, 2], [[0, 2]], [2, 1, 1])
    >>> closure.name(0)
    '0 (and 1 more)'
    """

    group: NDArray[np.int64]
    n_groups: int
    cannot: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many items each group has."""
        return np.bincount(self.group, minlength=self.n_groups).astype(np.int64)

    def name(self, group: int, ids: Sequence[Hashable] | None = None) -> str:
        """Name a group by its first item and the number of others."""
        rows = np.flatnonzero(self.group == group)
        first = Items(len(self.group), ids).name(int(rows[0]))
        return f"{first} (and {len(rows) - 1:,} more)" if len(rows) > 1 else first


def close(
    n: int,
    must: Links,
    cannot: Links,
    codes: NDArray[Any] | None = None,
    *,
    ids: Sequence[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Closure:
    """Follow links that must hold, and labels, to all that they imply.

    Links of finite weight may be broken, so they imply nothing and are left out.

    Parameters
    ----------
    n : int
        Number of items.
    must, cannot : Links
        Items that belong together, and that do not.
    codes : array of int, optional
        Number of the class of each item, -1 where it is unknown: items of one class are together,
        items of different classes are apart.
    ids, classes : sequence of hashable, optional
        Names of items and of classes, for messages.

    Returns
    -------
    Closure

    Raises
    ------
    ConflictError
        What is given contradicts itself. The message has the shortest chain that shows it.

    Examples
    --------
    >>> from comraf.supervision import read_links
    >>> must, cannot = read_links([(0, 1), (1, 2)], 3), read_links([(0, 2)], 3)
    >>> close(3, must, cannot, ids=["a", "b", "c"])
    Traceback (most recent call last):
    ...
    comraf.errors.ConflictError: what is given contradicts itself: a = b, b = c, but a ≠ c; leave \
out one link or label of the chain, or give a link a finite weight
    """
    n = check_int("n", n, least=0)
    together, apart = must.hard, cannot.hard
    check_pairs(together, n, "must holds the row number")
    check_pairs(apart, n, "cannot holds the row number")
    labels = _checked_codes(codes, n)
    labelled = np.flatnonzero(labels >= 0)
    present, first, kind = np.unique(labels[labelled], return_index=True, return_inverse=True)
    head = labelled[first]  # the first item of each class, which stands for the class
    stars = np.column_stack([labelled, head[kind]]) if len(present) else together[:0]
    group, n_groups = _components(n, np.concatenate([together, stars]))
    class_groups = group[head]
    mixed = len(np.unique(class_groups)) < len(class_groups)
    ends = group[apart]
    if mixed or np.any(ends[:, 0] == ends[:, 1]):
        raise _Conflict(n, together, apart, labels, Items(n, ids), classes).error(mixed)
    one, other = np.triu_indices(len(class_groups), 1)
    pairs = np.concatenate([ends, np.column_stack([class_groups[one], class_groups[other]])])
    keys = np.unique(pairs.min(axis=1) * n_groups + pairs.max(axis=1))
    between = np.column_stack(np.divmod(keys, max(n_groups, 1)))
    return Closure(group, n_groups, between.astype(np.int64).reshape(-1, 2))


def clash(n: int, must: Links, cannot: Links) -> list[tuple[int, int, bool]]:
    """The links of a chain that contradicts itself: must-links, then the cannot-link.

    Parameters
    ----------
    n : int
        Number of items.
    must, cannot : Links
        As for `close`, which puts the same chain into words.

    Returns
    -------
    list of (int, int, bool)
        Two items of each link, and whether it says that they are together; empty where nothing
        contradicts.

    Examples
    --------
    >>> from comraf.supervision import read_links
    >>> clash(3, read_links([(0, 1), (1, 2)], 3), read_links([(0, 2)], 3))
    [(0, 1, True), (1, 2, True), (0, 2, False)]
    """
    group, _ = _components(n, must.hard)
    ends = cannot.hard[group[cannot.hard[:, 0]] == group[cannot.hard[:, 1]]]
    if not len(ends):
        return []
    a, b = ends[0].tolist()
    path = _path_between(_matrix(n, must.hard), a, b)
    return [*((one, other, True) for one, other in pairwise(path)), (a, b, False)]


def _components(n: int, pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Connected components, numbered in the order of their first items."""
    if n == 0:
        return np.zeros(0, dtype=np.int64), 0
    if not len(pairs):
        return np.arange(n, dtype=np.int64), n
    count, found = connected_components(_matrix(n, pairs), directed=False)
    first = np.empty(count, dtype=np.int64)
    first[found[::-1]] = np.arange(n - 1, -1, -1)  # of repeated places the last one stays
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(count)
    return rank[found], int(count)


def _matrix(n: int, pairs: NDArray[np.int64]) -> sp.csr_array:
    ones = np.ones(len(pairs), dtype=np.float64)
    return sp.coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(n, n)).tocsr()


def _checked_codes(codes: object, n: int) -> NDArray[np.int64]:
    if codes is None:
        return np.full(n, -1, dtype=np.int64)
    found = np.asarray(codes)
    if found.shape != (n,) or (n and (found.dtype.kind not in "iu" or found.min() < -1)):
        raise InputError(
            f"codes of shape {found.shape} and type {found.dtype}; give a whole number of -1 or "
            f"more for each of the {n:,} items"
        )
    return found.astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Conflict:
    """Finds the chains that show a contradiction. Slow beside `close`, and only then needed."""

    n: int
    together: NDArray[np.int64]
    apart: NDArray[np.int64]
    labels: NDArray[np.int64]
    items: Items
    classes: Sequence[Hashable] | None

    def error(self, mixed: bool) -> ConflictError:
        # Once two classes are mixed up, every cannot-link between them is broken too. Only the
        # cause is told: then, classes join nothing.
        texts: list[str] = []
        total = 0
        if mixed:
            texts, total = self._of_labels()
        more, broken = self._of_links(MOST_LISTED - len(texts), by_class=not mixed)
        texts += more
        total += broken
        rest = f"; and {total - len(texts):,} more contradictions" if total > len(texts) else ""
        where = f" in {total:,} places" if total > 1 else ""
        advice = "leave out one link or label of {}chain, or give a link a finite weight".format(
            "each " if total > 1 else "the "
        )
        return ConflictError(
            "what is given contradicts itself{where}: {chains}{rest}",
            advice=advice,
            where=where,
            chains="; ".join(texts),
            rest=rest,
        )

    def _of_labels(self) -> tuple[list[str], int]:
        """Chains of must-links between items of different classes: one of each group."""
        group, _ = _components(self.n, self.together)
        labelled = np.flatnonzero(self.labels >= 0)
        kinds = np.unique(np.column_stack([group[labelled], self.labels[labelled]]), axis=0)
        groups, counts = np.unique(kinds[:, 0], return_counts=True)
        groups = groups[counts > 1]
        texts = []
        for one in groups[:MOST_LISTED].tolist():
            path = self._nearest_classes(group == one)
            first, last = path[0], path[-1]
            steps = [self._same(a, b) for a, b in pairwise(path)]
            texts.append(
                f"{_chain(steps)}, but {self.items.name(first)} is labelled {self._class(first)} "
                f"and {self.items.name(last)} {self._class(last)}"
            )
        return texts, len(groups)

    def _nearest_classes(self, inside: NDArray[np.bool_]) -> list[int]:
        """The shortest path of must-links in a group that joins items of different classes."""
        # All labelled items are left at once. Where what comes from different classes meets, the
        # two ways together join two classes, and the shortest such path is among them.
        links = self.together[inside[self.together[:, 0]]]
        starts = np.flatnonzero(inside & (self.labels >= 0))
        steps, back, first = dijkstra(
            _matrix(self.n, links),
            directed=False,
            indices=starts,
            unweighted=True,
            min_only=True,
            return_predecessors=True,
        )
        owners = self.labels[first[links]]
        meeting = links[owners[:, 0] != owners[:, 1]]
        a, b = min(meeting.tolist(), key=lambda link: (steps[link].sum(), link))
        return [*_path_to(back, a), *reversed(_path_to(back, b))]

    def _of_links(self, most: int, by_class: bool) -> tuple[list[str], int]:
        """Chains of must-links and labels between the two items of a cannot-link."""
        n, links = self.n, self.together
        if by_class:  # every class is one more place, joined to its items
            labelled = np.flatnonzero(self.labels >= 0)
            present, kind = np.unique(self.labels[labelled], return_inverse=True)
            links = np.concatenate([links, np.column_stack([labelled, n + kind])])
            n += len(present)
        group, _ = _components(n, links)
        ends = np.sort(self.apart, axis=1)
        ends = ends[group[ends[:, 0]] == group[ends[:, 1]]]
        broken, first = np.unique(ends, axis=0, return_index=True)
        texts = []
        if most > 0 and len(broken):
            matrix = _matrix(n, links)
            for a, b in ends[np.sort(first)[:most]].tolist():
                path = _path_between(matrix, a, b)
                texts.append(
                    f"{_chain(self._steps(path))}, but {self.items.name(a)} ≠ {self.items.name(b)}"
                )
        return texts, len(broken)

    def _steps(self, path: list[int]) -> list[str]:
        """A path as equations; a step through a class is one between its items."""
        steps = []
        for place, (a, b) in enumerate(pairwise(path)):
            if b >= self.n:
                other = path[place + 2]
                steps.append(f"{self._same(a, other)} (both labelled {self._class(a)})")
            elif a < self.n:
                steps.append(self._same(a, b))
        return steps

    def _same(self, a: int, b: int) -> str:
        return f"{self.items.name(a)} = {self.items.name(b)}"

    def _class(self, row: int) -> str:
        code = int(self.labels[row])
        if self.classes is None or code >= len(self.classes):
            return str(code)
        return quoted(self.classes[code])


def _path_between(matrix: sp.csr_array, a: int, b: int) -> list[int]:
    """The shortest path of links from one row to another."""
    _, back = breadth_first_order(matrix, a, directed=False)
    return _path_to(back, b)


def _path_to(back: NDArray[np.integer], row: int) -> list[int]:
    """The way to a row from where the search began, by the row before each."""
    way = [row]
    while back[way[-1]] >= 0:
        way.append(int(back[way[-1]]))
    return way[::-1]


def _chain(steps: list[str]) -> str:
    if len(steps) > _LONGEST_CHAIN:
        half = _LONGEST_CHAIN // 2
        between = f"… ({len(steps) - 2 * half:,} links between) …"
        steps = [*steps[:half], between, *steps[-half:]]
    return ", ".join(steps)
