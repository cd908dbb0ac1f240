"""What all methods look at: pages, the places that they link to, and their words.

The link structure model (thesis 4.7.4): two pages are connected if they share a place, a host
with its first directory, of their own addresses or of addresses in them. Places on popular hosts
don't count. Words are weighted by how common they are in general.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.text.addresses import POPULAR_HOSTS, host_of, is_popular, place_of
from comraf.collection.text.segment import warn_of_pieces
from comraf.collection.text.stopwords import WEB_WORDS, guess_languages, stop_words
from comraf.collection.text.words import Lexicon, count_words, tokenise
from comraf.errors import InputError
from comraf.oneclass.background import FlatBackground, background_shares
from comraf.workflows.appearances.pages import Page

__all__ = [
    "Evidence",
    "LinkTable",
    "WordTable",
    "background_tfidf",
    "components",
    "core_component",
    "gather",
    "interconnected",
    "interconnectedness",
    "link_table",
    "telling",
    "word_table",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Popular hosts that a note names before it only counts them.
_NAMED = 3
#: Equation 4.9 wants counts of pages of the web; shares are taken of so many words.
_GENERAL_WORDS = 1e9


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
    lines = [
        {
            numbered.setdefault(place, len(numbered)): 1
            for place in places
            if host_of(place) not in out
        }
        for places in found
    ]
    table = _table(lines, len(numbered))
    hosts = {host: spread[host] for host in order if host not in out}
    return LinkTable(table, tuple(numbered), out, hosts)


def _table(lines: Sequence[Mapping[int, int]], n_columns: int) -> sp.csr_array:
    """A table from the counts of each row by column."""
    indptr = np.cumsum([0, *map(len, lines)])
    indices = np.fromiter(chain.from_iterable(lines), np.int64, indptr[-1])
    counts = chain.from_iterable(line.values() for line in lines)
    data = np.fromiter(counts, np.float64, indptr[-1])
    table = sp.csr_array((data, indices, indptr), shape=(len(lines), n_columns))
    table.sort_indices()
    return table


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


@dataclass(frozen=True, eq=False)
class WordTable:
    """How often each page has each word.

    Attributes
    ----------
    counts : scipy.sparse.csr_array of shape (pages, words)
    words : tuple of str
    """

    counts: Any
    words: tuple[str, ...]


def word_table(pages: Sequence[Page], *, min_documents: int = 2) -> WordTable:
    """Count words, without those that say nothing and those of fewer pages than asked for.

    Function words of the language are left out. The words of a page's own name don't count in
    it: they say by which name it was found, and not whether it is about the circle. Other
    names count, they are the most telling words there are.

    Examples
    --------
    >>> pages = [Page("a", "Ann Lee", "Ann Lee sails with Bob Ray"),
    ...          Page("b", "Bob Ray", "Ray sails with Ann")]
    >>> word_table(pages, min_documents=1).words
    ('ann', 'bob', 'ray', 'sails')
    """
    lexicon = Lexicon()
    own = {page.name: {lexicon[token] for token in tokenise(page.name)} for page in pages}
    counted = []
    running: dict[str, int] = {}
    for page in pages:
        counts = count_words((page.title, page.text), lexicon)
        for number, count in counts.items():
            word = lexicon.words[number]
            running[word] = running.get(word, 0) + count
        counted.append({j: c for j, c in counts.items() if j not in own[page.name]})
    warn_of_pieces(running.items(), stacklevel=2)
    stop = stop_words(guess_languages(running)) | WEB_WORDS
    spread = np.zeros(len(lexicon.words), dtype=np.int64)
    for counts in counted:
        spread[list(counts)] += 1
    kept = [
        j
        for j, word in enumerate(lexicon.words)
        if spread[j] >= max(1, min_documents) and word not in stop
    ]
    if not kept:
        raise InputError(
            f"no word is in {min_documents} or more of the {len(pages):,} pages; "
            "more text is needed to compare them"
        )
    # by the alphabet, so that the order of pages does not matter
    kept.sort(key=lambda j: lexicon.words[j])
    place = {j: new for new, j in enumerate(kept)}
    lines = [{place[j]: n for j, n in counts.items() if j in place} for counts in counted]
    table = _table(lines, len(kept))
    return WordTable(table, tuple(lexicon.words[j] for j in kept))


def background_tfidf(table: WordTable, background: Any = None) -> Any:
    """Rows of unit length: frequency over the logarithm of how common a word is (eq. 4.9).

    The background's shares stand for counts in a thousand million words, and a count is never
    below 2. A flat background knows nothing: then the pages that have the word are counted.

    Examples
    --------
    >>> table = WordTable(sp.csr_array(np.array([[1.0, 1.0]])), ("the", "quark"))
    >>> rare = background_tfidf(table, np.array([0.05, 1e-7])).toarray()[0]
    >>> bool(rare[1] > rare[0])
    True
    """
    counts = table.counts
    if isinstance(background, FlatBackground) or (
        isinstance(background, str) and background == "flat"
    ):
        common = 1.0 + np.bincount(counts.indices, minlength=counts.shape[1])
    else:
        shares, unseen = background_shares(background, counts.shape[1], list(table.words))
        total = shares.sum() if shares.sum() > 1 else 1.0  # counts, or shares
        common = np.where(shares > 0, shares, unseen) / total * _GENERAL_WORDS
    weights = 1.0 / np.log(np.maximum(2.0, common))
    rows = counts @ sp.diags_array(weights)
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return sp.csr_array(sp.diags_array(scale) @ rows)


def telling(table: Any, core: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    """Columns that the core has far more often than the rest, the most telling first.

    A column's worth is the number of pages of the core that have it times the logarithm of
    how much more often they have it than the rest, each share smoothed by half a page.

    Returns
    -------
    columns : array of int
        Those with a positive worth.
    inside, outside : array of int
        For all columns: pages of the core and of the rest that have them.

    Examples
    --------
    >>> table = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1]])
    >>> telling(table, np.array([True, True, False]))[0].tolist()
    [0, 1]
    """
    table = sp.csr_array(table)
    m = table.shape[1]
    entries = core[np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))]
    inside = np.bincount(table.indices[entries], minlength=m)
    outside = np.bincount(table.indices[~entries], minlength=m)
    n_in = int(core.sum())
    n_out = len(core) - n_in
    share_in, share_out = (inside + 0.5) / (n_in + 1.0), (outside + 0.5) / (n_out + 1.0)
    worth = inside * np.log(share_in / share_out)
    order = np.lexsort((np.arange(m), -worth))
    return order[worth[order] > 0], inside, outside


@dataclass(frozen=True, eq=False)
class Evidence:
    """Pages with what was found out about them.

    Attributes
    ----------
    pages : tuple of Page
    links : LinkTable
    words : WordTable
    background : None, "flat", array or Background
        How frequent words are in general; see `comraf.oneclass.background`.

    Examples
    --------
    >>> pages = [Page("a/1", "Ann", "sea ship"), Page("b/1", "Bob", "ship sea")]
    >>> found = gather(pages, background="flat")
    >>> found.names, found.core_component, found.component.tolist()
    (('Ann', 'Bob'), None, [0, 1])
    """

    pages: tuple[Page, ...]
    links: LinkTable
    words: WordTable
    background: Any = field(default=None)

    def __repr__(self) -> str:
        names, places, words = set(self.names), self.links.places, self.words.words
        found = f"{len(places):,} places, {len(words):,} words"
        return f"Evidence({len(self.pages):,} pages of {len(names):,} names: {found})"

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each page."""
        return tuple(page.name for page in self.pages)

    @property
    def truth(self) -> list[bool | None] | None:
        """The truth about each page; None if nothing is known."""
        found = [page.truth for page in self.pages]
        return found if any(value is not None for value in found) else None

    @cached_property
    def rows(self) -> Any:
        """Words of each page, weighted by the background, of unit length."""
        return background_tfidf(self.words, self.background)

    @cached_property
    def component(self) -> Ints:
        """Connected component of each page, 0 the largest."""
        return components(self.links.table)

    @cached_property
    def core_component(self) -> int | None:
        """The largest component with pages of more than one name, if there is one."""
        return core_component(self.component, self.names)

    def closeness(self, members: NDArray[np.bool_]) -> Floats:
        """Cosine of each page to the sum of some pages."""
        centre = np.asarray(self.rows[members].sum(axis=0)).ravel()
        length = float(np.sqrt(centre @ centre))
        return np.asarray(self.rows @ centre).ravel() / (length or 1.0)


def gather(
    pages: Iterable[Page],
    *,
    background: Any = None,
    popular: Iterable[str] = POPULAR_HOSTS,
    min_documents: int = 2,
) -> Evidence:
    """Look at the links and the words of pages.

    Parameters
    ----------
    pages : iterable of Page
    background : None, "flat", array or Background
        How frequent words are in general. None takes wordfreq's English.
    popular : iterable of str
        Hosts whose links say nothing; see `comraf.workflows.appearances.evidence.link_table`.
    min_documents : int
        Words of fewer pages are left out.

    Examples
    --------
    >>> gather([Page("a/1", "Ann", "Old pump"), Page("b/1", "Bob", "The pump")]).words.words
    ('pump',)
    """
    some: Sequence[Page] = tuple(pages)
    if len(some) < 2:
        raise InputError(f"there are {len(some)} pages; at least 2 are needed")
    found = {page.id for page in some}
    if len(found) < len(some):
        raise InputError("two pages have the same id; ids must be different")
    return Evidence(
        tuple(some),
        link_table(some, popular=popular),
        word_table(some, min_documents=min_documents),
        background,
    )
