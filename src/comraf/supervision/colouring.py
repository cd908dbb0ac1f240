"""Clusters for groups that must be kept apart: colouring of a graph with k colours.

Whether k clusters can satisfy all cannot-links is the question whether their graph has a proper
k-colouring. A group with fewer than k others to stay apart from can always be coloured last, so
such groups are taken away first, again and again; often nothing is left. What is left is coloured
in the order of DSATUR (first the group with the fewest colours left), which finds most colourings
at once. Where it runs into a dead end, a clique of more than k groups is looked for, which shows
that there is none. Then the same order is searched with backtracking, which can prove it too, by
turns with a tabu search, which can only find one but does so in far larger graphs: to the end, or
until a number of tries is spent.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from comraf.errors import ConflictError, InputError
from comraf.parameters import check_int
from comraf.supervision.naming import check_pairs, listed, whole_numbers

__all__ = ["colour"]

# How hard to look for a clique: about this many looks at a pair of groups.
_CLIQUE_EFFORT = 2_000_000
# Short searches before the long one.
_STARTS = 4
# How hard each tabu search looks: cells of its table of moves that it may read for each try.
_TABU_EFFORT = 200


def colour(
    n_groups: int,
    cannot: NDArray[np.int64],
    k: int,
    *,
    tries: int = 100_000,
    names: Callable[[int], str] | None = None,
) -> NDArray[np.int64]:
    """Give groups one of k colours each, so that no two that must be apart share one.

    Parameters
    ----------
    n_groups : int
        Number of groups.
    cannot : array of int, shape (p, 2)
        Pairs of groups that must have different colours.
    k : int
        Number of colours: of clusters.
    tries : int
        How many dead ends the search may meet before it gives up.
    names : callable, optional
        What a group is called in messages.

    Returns
    -------
    numpy.ndarray of int64, shape (n_groups,)
        Colours 0 to k - 1. Groups in no pair get 0. The same input gives the same colours.

    Raises
    ------
    ConflictError
        There is no such colouring, or none was found; the message says which, and names more
        than k groups that are all apart from each other, if there are such.

    Examples
    --------
    >>> colour(4, [(0, 1), (1, 2)], k=2).tolist()
    [1, 0, 1, 0]
    >>> colour(3, [(0, 1), (1, 2), (0, 2)], k=2)
    Traceback (most recent call last):
    ...
    comraf.errors.ConflictError: 2 clusters can't keep apart what must be: 3 groups are each apart \
from all of the others: group 0, group 1, group 2; ask for at least 3 clusters, or leave out \
cannot-links
    """
    n_groups = check_int("n_groups", n_groups, least=0)
    k = check_int("k", k)
    tries = check_int("tries", tries, least=0)
    pairs = _checked(cannot, n_groups)
    out = np.zeros(n_groups, dtype=np.int64)
    if not len(pairs):
        return out
    bound, ends = np.unique(pairs, return_inverse=True)
    adjacent, matrix = _neighbours(len(bound), ends.reshape(-1, 2))
    core, peeled = _peel(adjacent, k)
    colours = [-1] * len(bound)
    if core:
        for part in _parts(core, matrix):
            inside = {place: i for i, place in enumerate(part)}
            graph = [[inside[u] for u in adjacent[v] if u in inside] for v in part]
            try:
                found = _coloured(graph, k, tries)
            except _NoColouring as failed:
                groups = [int(bound[part[place]]) for place in failed.clique]
                raise _error(k, groups, len(part), failed.tries, failed.proven, names) from None
            for place, shade in zip(part, found, strict=True):
                colours[place] = shade
    _colour_rest(peeled, adjacent, colours)
    out[bound] = colours
    return out


def _checked(cannot: Any, n_groups: int) -> NDArray[np.int64]:
    given = np.asarray(cannot)
    if given.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    pairs = whole_numbers(given)
    if pairs is None or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(
            f"cannot has shape {given.shape} and type {given.dtype}; give pairs of group numbers"
        )
    check_pairs(pairs, n_groups, "cannot holds group", "groups")
    itself = np.unique(pairs[pairs[:, 0] == pairs[:, 1], 0])
    if itself.size:
        raise InputError(
            f"cannot keeps groups apart from themselves: {listed(map(str, itself), itself.size)}"
        )
    return pairs


def _neighbours(n: int, pairs: NDArray[np.int64]) -> tuple[list[list[int]], sp.csr_array]:
    ones = np.ones(2 * len(pairs), dtype=np.int8)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    # Sums of repeated pairs would overflow, so repeats go first.
    both = np.column_stack(np.divmod(np.unique(both[:, 0] * n + both[:, 1]), n))
    matrix = sp.csr_array((ones[: len(both)], (both[:, 0], both[:, 1])), shape=(n, n))
    starts, flat = matrix.indptr.tolist(), matrix.indices.tolist()
    return [flat[a:b] for a, b in pairwise(starts)], matrix


def _peel(adjacent: list[list[int]], k: int) -> tuple[list[int], list[int]]:
    """Take away places with fewer than k neighbours while there are any: the rest, the taken."""
    left = [len(others) for others in adjacent]
    taken = [v for v, count in enumerate(left) if count < k]
    if len(taken) == len(adjacent):
        return [], taken
    gone = [count < k for count in left]
    for v in taken:  # it grows while it is read
        for u in adjacent[v]:
            left[u] -= 1
            if left[u] < k and not gone[u]:
                gone[u] = True
                taken.append(u)
    return [v for v, out in enumerate(gone) if not out], taken


def _parts(core: list[int], matrix: sp.csr_array) -> list[list[int]]:
    """Connected parts of what is left: each is a question of its own."""
    places = np.array(core)
    inner = matrix if len(places) == matrix.shape[0] else matrix[places][:, places]
    count, found = connected_components(inner, directed=False)
    order = np.argsort(found, kind="stable")
    cuts = np.searchsorted(found[order], np.arange(1, count))
    return [part.tolist() for part in np.split(places[order], cuts)]


def _colour_rest(peeled: list[int], adjacent: list[list[int]], colours: list[int]) -> None:
    """Colour what was taken away, last first: fewer than k neighbours have a colour by then."""
    bits = [1 << shade if shade >= 0 else 0 for shade in colours]
    for v in reversed(peeled):
        used = 0
        for u in adjacent[v]:
            used |= bits[u]
        bits[v] = free = ~used & (used + 1)  # the lowest bit that is not used
        colours[v] = free.bit_length() - 1


class _NoColouring(Exception):
    """No colouring was found."""

    def __init__(self, clique: list[int], tries: int, proven: bool) -> None:
        super().__init__()
        self.clique, self.tries, self.proven = clique, tries, proven


def _coloured(adjacent: list[list[int]], k: int, tries: int) -> list[int]:
    """A proper colouring of one connected part."""
    degrees = [len(others) for others in adjacent]
    order = sorted(range(len(adjacent)), key=lambda v: -degrees[v])
    colours, _, _ = _search(adjacent, k, order, [], 0)
    if colours is not None:
        return colours
    clique = _clique(adjacent, k + 1)
    if len(clique) > k:
        raise _NoColouring(clique, 1, True)
    if k == 2:  # the first colour decides all others, so the one dead end is a proof
        raise _NoColouring([], 1, True)
    rng = np.random.default_rng(0)
    spent = 0
    # Short searches by turns, since an unlucky start would cost all tries; then a long one, since
    # only what is searched to its end proves anything.
    for last in [False] * _STARTS + [True]:
        tied = order if last or not spent else rng.permutation(len(adjacent)).tolist()
        share = tries - spent if last else tries // (4 * _STARTS)
        colours, used, whole = _search(adjacent, k, tied, clique, share)
        spent += used
        if colours is None and whole:
            raise _NoColouring([], spent, True)
        if colours is None and not last:
            colours = _tabu(adjacent, k, rng, _TABU_EFFORT * tries)
        if colours is not None:
            return colours
    raise _NoColouring([], spent, False)


def _search(
    adjacent: list[list[int]], k: int, order: list[int], first: list[int], tries: int
) -> tuple[list[int] | None, int, bool]:
    """Search with DSATUR's order: colours or nothing, dead ends met, whether all was searched."""
    # ``order`` breaks ties. ``first`` is a clique; its colours can be chosen freely.
    n = len(adjacent)
    rank = [0] * n
    for place, v in enumerate(order):
        rank[v] = place
    colours = [-1] * n
    counts = [0] * (n * k)  # neighbours of each place by their colour
    left = [k] * n  # colours that no neighbour has
    # One number holds how many colours are left, then the rank. Entries that are out of date
    # stay in the heap until they are met: an entry is right if it says what `left` says.
    heap = [k * n + rank[v] for v in range(n)]
    heapify(heap)

    def put(v: int, shade: int) -> None:
        colours[v] = shade
        for u in adjacent[v]:
            at = u * k + shade
            counts[at] += 1
            if counts[at] == 1:
                left[u] -= 1
                if colours[u] < 0:
                    heappush(heap, left[u] * n + rank[u])

    def take(v: int) -> None:
        shade = colours[v]
        colours[v] = -1
        for u in adjacent[v]:
            at = u * k + shade
            counts[at] -= 1
            if counts[at] == 0:
                left[u] += 1
                if colours[u] < 0:
                    heappush(heap, left[u] * n + rank[u])
        heappush(heap, left[v] * n + rank[v])

    for shade, v in enumerate(first):
        put(v, shade)
    trail: list[tuple[int, int]] = []  # places in the order they were coloured, colours in use
    in_use = len(first)
    n_coloured = len(first)
    dead_ends = 0
    v, shade = -1, 0
    while True:
        if v < 0:
            if n_coloured == n:
                return colours, dead_ends, True
            while True:
                entry = heappop(heap)
                v = order[entry % n]
                if colours[v] < 0 and entry // n == left[v]:
                    break
            shade = 0
        # A colour that is not in use yet is as good as any other such: one of them is tried.
        most = min(in_use + 1, k)
        base = v * k
        while shade < most and counts[base + shade]:
            shade += 1
        if shade < most:
            trail.append((v, in_use))
            in_use = max(in_use, shade + 1)
            put(v, shade)
            n_coloured += 1
            v = -1
            continue
        heappush(heap, left[v] * n + rank[v])
        dead_ends += 1
        if dead_ends > tries:
            return None, dead_ends - 1, False
        if not trail:
            return None, dead_ends, True
        v, in_use = trail.pop()
        shade = colours[v] + 1
        take(v)
        n_coloured -= 1


def _tabu(
    adjacent: list[list[int]], k: int, rng: np.random.Generator, most: int
) -> list[int] | None:
    """Mend a colouring with clashes, move by move; a colour just left is closed for a while."""
    n = len(adjacent)
    others = [np.array(u) for u in adjacent]
    colours = np.full(n, -1)
    table = np.zeros((n, k), dtype=np.int64)  # neighbours of each place by their colour
    for v in rng.permutation(n).tolist():
        colours[v] = shade = int(table[v].argmin())
        table[others[v], shade] += 1
    clashes = table[np.arange(n), colours]
    closed = np.zeros((n, k), dtype=np.int64)
    now = int(clashes.sum()) // 2
    least = now
    effort = move = 0
    while now:
        bad = np.flatnonzero(clashes)
        effort += bad.size * k + n // 8 + 200  # the last is what a move costs in any case
        if effort > most:
            return None
        move += 1
        change = table[bad] - clashes[bad, None]
        # A closed colour is open again where it leads to fewer clashes than ever.
        change[(closed[bad] > move) & (change + now >= least)] += n
        change[np.arange(bad.size), colours[bad]] = 2 * n
        best = np.flatnonzero(change.ravel() == change.min())
        place, shade = divmod(int(best[rng.integers(best.size)]), k)
        v = int(bad[place])
        old = int(colours[v])
        now += int(table[v, shade] - table[v, old])
        least = min(least, now)
        colours[v] = shade
        touched = others[v]
        table[touched, old] -= 1
        table[touched, shade] += 1
        clashes[touched] -= colours[touched] == old
        clashes[touched] += colours[touched] == shade
        clashes[v] = table[v, shade]
        closed[v, old] = move + int(0.6 * bad.size) + int(rng.integers(1, 11))
    found: list[int] = colours.tolist()
    return found


def _clique(adjacent: list[list[int]], size: int) -> list[int]:
    """A clique of this size if one is found, else the largest that was met."""
    order = sorted(range(len(adjacent)), key=lambda v: len(adjacent[v]))
    rank = [0] * len(adjacent)
    for place, v in enumerate(order):
        rank[v] = place
    sets = [set(others) for others in adjacent]
    best: list[int] = []
    effort = 0
    for v in reversed(order):
        # Each clique is looked for from the one of its places that comes first in the order.
        later = [u for u in adjacent[v] if rank[u] > rank[v]]
        if len(later) <= max(len(best) - 1, 0) and best:
            continue
        index = {u: i for i, u in enumerate(later)}
        masks = [sum(1 << index[w] for w in sets[u] & index.keys()) for u in later]
        stack: list[tuple[list[int], int]] = [([], (1 << len(later)) - 1)]
        while stack:
            chosen, open_ = stack.pop()
            if len(chosen) + 1 > len(best):
                best = [v, *(later[i] for i in chosen)]
                if len(best) >= size:
                    return best[:size]
            if len(chosen) + 1 + open_.bit_count() <= len(best):
                continue
            members = _members(open_)
            effort += len(members) + 1
            if effort > _CLIQUE_EFFORT:
                return best
            i = max(members, key=lambda i: (masks[i] & open_).bit_count())
            stack.append((chosen, open_ & ~(1 << i)))
            stack.append(([*chosen, i], open_ & masks[i]))
    return best


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _error(
    k: int,
    clique: list[int],
    size: int,
    tries: int,
    proven: bool,
    names: Callable[[int], str] | None,
) -> ConflictError:
    clusters = f"{k:,} cluster{'s' if k > 1 else ''}"
    if clique:
        called = names or (lambda group: f"group {group}")
        shown = (called(group) for group in sorted(clique))
        why = (
            f"{clusters} can't keep apart what must be: {len(clique):,} groups are each apart from "
            f"all of the others: {listed(shown, len(clique))}"
        )
    elif proven:
        why = (
            f"{clusters} can't keep apart what must be: all ways to colour {size:,} groups that "
            f"cannot-links join were searched, with {tries:,} dead end{'s' if tries > 1 else ''}"
        )
    else:
        why = (
            f"no way was found for {clusters} to keep apart what must be: {size:,} groups that "
            f"cannot-links join were tried until {tries:,} dead ends; there may be a way"
        )
    return ConflictError(f"{why}; ask for {_more(k, bool(clique))}, or leave out cannot-links")


def _more(k: int, sure: bool) -> str:
    return f"at least {k + 1:,} clusters" if sure else "more clusters"
