"""The link structure model: which pages hang together by what they link to (thesis 4.7.4).

Two pages are connected if they share a place: a host with its first directory, of their own
addresses or of addresses in them. Places on popular hosts don't count.
"""

from __future__ import annotations

import numbers
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
from comraf.errors import InputError

__all__ = [
    "LinkTable",
    "components",
    "core_component",
    "interconnected",
    "interconnectedness",
    "link_table",
]

Ints = NDArray[np.int64]

# A host that a handful of pages link to is no popular one, whatever their share.
_FEW = 10
# A host on more of the pages than this can't tell the circle's from the others.
_MOST_KEPT = 0.5
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
    here : tuple of str
        Those of them that are popular on these pages only.
    kept : dict of str to int
        Hosts on too many pages that stay: without them no names would share a link.
    """

    table: Any
    places: tuple[str, ...]
    popular: dict[str, int]
    here: tuple[str, ...] = ()
    kept: dict[str, int] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """What was decided about hosts on many of the pages, a sentence each.

        Examples
        --------
        >>> LinkTable(np.zeros((50, 0)), (), {"a.org": 20, "b.org": 5}, ("a.org",)).notes
        ['left out as popular: a.org (40% of the pages), and 1 host that is popular everywhere']
        """
        n = max(1, self.table.shape[0])
        told = []
        if self.popular:
            named = [f"{host} ({self.popular[host] / n:.0%} of the pages)" for host in self.here]
            more = len(named) - _NAMED
            parts = named[:_NAMED] + ([f"{more:,} more"] if more > 0 else [])
            known = len(self.popular) - len(self.here)
            if known:
                what = "host that is" if known == 1 else "hosts that are"
                parts.append(f"{'and ' if parts else ''}{known:,} {what} popular everywhere")
            told.append(f"left out as popular: {', '.join(parts)}")
        if self.kept:
            named = [f"{host} ({count / n:.0%})" for host, count in self.kept.items()]
            told.append(
                f"{', '.join(named)} would be popular by its share of the pages, but stays: "
                "without it no two names share a link"
            )
        return told


def link_table(
    pages: Sequence[Page],
    *,
    popular: Iterable[str] = POPULAR_HOSTS,
    popular_share: float = 0.25,
) -> LinkTable:
    """The places of each page: its own and those in it, without popular hosts.

    Parameters
    ----------
    pages : sequence of Page
    popular : iterable of str
        Hosts that are popular everywhere; those below them are too.
    popular_share : float
        A host that more than this share of the pages has (and more than ten pages) is
        popular here, above 0 and at most 1. Where pages of different names share no place
        but on such hosts, the rarest of these through which they do stays, if at most half of
        the pages have it.

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
    if not isinstance(popular_share, numbers.Real) or not 0 < popular_share <= 1:
        raise InputError(f"popular_share={popular_share!r}; it must be above 0 and at most 1")
    hosts = frozenset(popular)
    found = [_places(page) for page in pages]
    spread = Counter(host for places in found for host in {host_of(place) for place in places})
    most = max(_FEW, popular_share * len(pages))
    out = {host: n for host, n in spread.items() if n > most or is_popular(host, hosts)}
    order = sorted(out, key=lambda host: (-out[host], host))
    here = [host for host in order if not is_popular(host, hosts)]
    shared = _shared_hosts(pages, found) if here else set()
    kept: dict[str, int] = {}
    if shared and shared <= out.keys():
        few = [h for h in here if h in shared and out[h] <= _MOST_KEPT * len(pages)]
        kept = {host: out.pop(host) for host in few[-1:]}
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
    return LinkTable(
        table,
        tuple(numbered),
        {host: out[host] for host in order if host in out},
        tuple(host for host in here if host in out),
        kept,
    )


def _shared_hosts(pages: Sequence[Page], found: Sequence[list[str]]) -> set[str]:
    """Hosts of the places that pages of more than one name have."""
    whose: dict[str, set[str]] = defaultdict(set)
    for page, places in zip(pages, found, strict=True):
        for place in places:
            whose[place].add(page.name)
    return {host_of(place) for place, names in whose.items() if len(names) > 1}


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
