"""The link structure model: which pages hang together by what they link to (thesis 4.7.4).

Two pages are connected if they share a place: a host with its first directory, of their own
addresses or of addresses in them. Places on popular hosts don't count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.appearances.pages import Page
from comraf.collection.text.addresses import host_of, place_of
from comraf.collection.text.popular import POPULAR_HOSTS, is_popular

__all__ = [
    "LinkTable",
    "components",
    "core_component",
    "interconnected",
    "interconnectedness",
    "link_table",
]

Ints = NDArray[np.int64]

_NAMED = 3


@dataclass(frozen=True, eq=False)
class LinkTable:
    """Which page has which place.

    Attributes
    ----------
    table : scipy.sparse.csr_array of shape (pages, places)
        Ones.
    places : tuple of str
    popular : dict of str to int
        Hosts that were left out, and how many pages have them.
    hosts : dict of str to int
        Hosts that count, and how many pages have them; the most frequent first.
    """

    table: Any
    places: tuple[str, ...]
    popular: dict[str, int]
    hosts: dict[str, int] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """What was decided about hosts, a sentence each.

        Examples
        --------
        >>> LinkTable(np.zeros((50, 0)), (), {"a.com": 20, "b.com": 5}).notes
        ['left out as popular: a.com (20 pages), b.com (5 pages)']
        """
        if not self.popular:
            return []
        named = [f"{host} ({n:,} page{'s' * (n != 1)})" for host, n in self.popular.items()]
        more = len(named) - _NAMED
        named[_NAMED:] = [f"{more:,} more"] if more > 0 else []
        return [f"left out as popular: {', '.join(named)}"]


def link_table(pages: Sequence[Page], *, popular: Iterable[str] = POPULAR_HOSTS) -> LinkTable:
    """The places of each page: its own and those in it, without popular hosts.

    Parameters
    ----------
    pages : sequence of Page
    popular : iterable of str
        Hosts that are popular everywhere; those below them are too. How many of the pages have
        a host does not make it popular: it may be what the circle shares.

    Examples
    --------
    >>> pages = [
    ...     Page("a/1", "Ann", "", url="http://sea.org/ann/1.html", links=("http://x.com/a",)),
    ...     Page("b/1", "Bob", "", links=("http://sea.org/ann/", "https://maps.google.com/b")),
    ... ]
    >>> found = link_table(pages)
    >>> found.places, found.table.toarray().tolist(), found.popular
    (('sea.org/ann',), [[1.0], [1.0]], {'maps.google.com': 1, 'x.com': 1})
    """
    known = frozenset(popular)
    found = [_places(page) for page in pages]
    spread = Counter(host for places in found for host in {host_of(place) for place in places})
    order = sorted(spread, key=lambda host: (-spread[host], host))
    out = {host: spread[host] for host in order if is_popular(host, known)}
    numbered: dict[str, int] = {}
    indices: list[int] = []
    indptr = [0]
    for places in found:
        own = [place for place in places if host_of(place) not in out]
        indices += [numbered.setdefault(place, len(numbered)) for place in own]
        indptr.append(len(indices))
    table = sp.csr_array(
        (np.ones(len(indices)), np.array(indices, dtype=np.int64), indptr),
        shape=(len(pages), len(numbered)),
    )
    table.sort_indices()
    hosts = {host: spread[host] for host in order if host not in out}
    return LinkTable(table, tuple(numbered), out, hosts)


def _places(page: Page) -> list[str]:
    """Each place of a page once."""
    found = dict.fromkeys(place_of(url) for url in (page.url, *page.links))
    return [place for place in found if place]


def components(table: Any) -> Ints:
    """Connected components of the pages, numbered from the largest; ties by the first page.

    Examples
    --------
    >>> components(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]])).tolist()
    [0, 0, 1, 0, 2]
    """
    from scipy.sparse.csgraph import connected_components

    table = sp.csr_array(table)
    n = table.shape[0]
    # pages and places as nodes of one graph: never a table of pages by pages
    graph = sp.block_array([[None, table], [table.T, None]], format="csr") if table.nnz else None
    if graph is None:
        return np.arange(n, dtype=np.int64)
    raw = connected_components(graph, directed=False)[1][:n]
    _, first, label, size = np.unique(
        raw, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.lexsort((first, -size))] = np.arange(len(first))
    return np.asarray(rank[label.ravel()], dtype=np.int64)


def core_component(found: Ints, names: Sequence[str]) -> int | None:
    """The core connected component: the largest one with pages of more than one name.

    None if there is no such component.

    Examples
    --------
    >>> core_component(np.array([0, 0, 0, 1, 1]), ["Ann", "Ann", "Ann", "Ann", "Bob"])
    1
    >>> core_component(np.array([0, 0, 1]), ["Ann", "Ann", "Bob"]) is None
    True
    """
    whose: dict[int, set[str]] = defaultdict(set)
    for label, name in zip(found.tolist(), names, strict=True):
        whose[label].add(name)
    # they are numbered by size
    return min((label for label, some in whose.items() if len(some) > 1), default=None)


def interconnectedness(table: Any, labels: NDArray[Any]) -> Ints:
    """How many places at least two pages of each cluster share: |CL| of thesis 4.7.

    Examples
    --------
    >>> interconnectedness(np.array([[1, 1], [1, 1], [0, 1]]), np.array([0, 0, 1])).tolist()
    [2, 0]
    """
    table = sp.coo_array(table)
    rows, columns = table.coords
    k = int(labels.max()) + 1 if len(labels) else 0
    n_places = max(1, table.shape[1])
    pairs, spread = np.unique(
        labels[rows].astype(np.int64) * n_places + columns, return_counts=True
    )
    return np.bincount(pairs[spread > 1] // n_places, minlength=k).astype(np.int64)


def interconnected(table: Any, labels: NDArray[Any]) -> int:
    """The cluster that shares most places; of equal ones the larger, then the lower number.

    Examples
    --------
    >>> interconnected(np.array([[1, 1], [1, 1], [0, 1]]), np.array([1, 1, 0]))
    1
    """
    shared = interconnectedness(table, labels)
    sizes = np.bincount(labels, minlength=len(shared))
    return int(np.lexsort((-sizes, -shared))[0])
