"""Ways to find the pages that are about the circle, each giving an order of all pages."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import ComrafWarning, InputError
from comraf.graph.tables import check_fits
from comraf.metrics import one_class_precision_recall_f
from comraf.workflows.appearances import METHODS
from comraf.workflows.appearances.evidence import Evidence, gather, interconnected
from comraf.workflows.appearances.pages import Page

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "Appearances",
    "Level",
    "agglomerative_tree",
    "at_size",
    "core_size",
    "find_appearances",
    "walk_levels",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

DEFAULT_METHOD = "links+ltb"
#: Numbers of clusters at which the agglomerative tree is cut, at most.
_CUTS = 40
#: The published hybrids: 360 pages of the link structure in a core of 420.
_LINK_PART = 6 / 7
#: A page of the link core whose words come later than at twice the core's size is doubted.
_DOUBT = 2
#: Links and words disagree if they share fewer pages than this many times what chance gives.
_LIFT = 1.25


@dataclass(frozen=True, eq=False)
class Level:
    """The most interconnected cluster at one stage of the merging.

    Attributes
    ----------
    n_clusters : int
        How many clusters there were.
    members : array of bool
        The pages of the one.
    precision, recall, f : float or None
        Where the truth is known.
    """

    n_clusters: int
    members: NDArray[np.bool_]
    precision: float | None = None
    recall: float | None = None
    f: float | None = None

    @property
    def size(self) -> int:
        """Pages of the cluster."""
        return int(self.members.sum())


def walk_levels(
    table: Any, levels: Sequence[NDArray[Any]], truth: Sequence[bool | None] | None = None
) -> tuple[Level, ...]:
    """The most interconnected cluster of every partition, the finest first.

    Examples
    --------
    >>> table = np.array([[1, 0], [1, 0], [0, 1]])
    >>> walked = walk_levels(table, [np.array([0, 0, 1]), np.array([0, 0, 0])], [True, True, False])
    >>> [(level.n_clusters, level.size, level.recall) for level in walked]
    [(2, 2, 1.0), (1, 3, 1.0)]
    """
    found = []
    for labels in levels:
        members = np.asarray(labels == interconnected(table, labels))
        n = len(np.unique(labels))
        if truth is None:
            found.append(Level(n, members))
        else:
            found.append(Level(n, members, *one_class_precision_recall_f(truth, members)))
    return tuple(sorted(found, key=lambda level: -level.n_clusters))


def at_size(levels: Sequence[Level], n_core: int) -> Level:
    """The level whose cluster is nearest to a size; of equally near ones the coarser.

    Examples
    --------
    >>> levels = [Level(4, np.array([True, False, False])), Level(2, np.array([True, True, True]))]
    >>> at_size(levels, 2).n_clusters
    2
    """
    return min(reversed(levels), key=lambda level: abs(level.size - n_core))


@dataclass(frozen=True, eq=False)
class Appearances:
    """Pages in the order in which a method believes them to be about the circle.

    Attributes
    ----------
    method : str
    ranking : array of int
        All pages, the surest first.
    core : array of int
        The pages that are taken, in the same order.
    scores : array of float
        For each page, never rising along the ranking.
    evidence : Evidence
    levels : tuple of Level
        The stages of the merging, for methods that merge.
    topical_words : tuple of str
        Words by which a one-class method goes, the most telling first.
    notes : tuple of str
        What one should know about this answer.
    disagreement : str
        Why the answer is in doubt, where links and words point to different pages.
    """

    method: str
    ranking: Ints
    core: Ints
    scores: Floats
    evidence: Evidence
    levels: tuple[Level, ...] = ()
    topical_words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    disagreement: str = ""

    def __repr__(self) -> str:
        taken = f"{len(self.core):,} of {len(self.ranking):,} pages"
        return f"Appearances({taken}, by {self.method})"

    @property
    def in_core(self) -> Flags:
        """For each page whether it was taken."""
        found = np.zeros(len(self.ranking), dtype=bool)
        found[self.core] = True
        return found


def core_size(n_pages: int, n_core: int | None = None, share: float | Fraction = 1 / 3) -> int:
    """How many pages are wanted: a number, or a share of all.

    Examples
    --------
    >>> core_size(1085), core_size(1085, 420), core_size(2, share=0.1)
    (362, 420, 1)
    >>> core_size(10, 10)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: n_core=10, but there are 10 pages; take at least 1 and fewer than all
    """
    if n_core is None:
        if not isinstance(share, numbers.Real) or not 0 < share < 1:
            raise InputError("{given}; it must be above 0 and below 1, such as 1/3", "share", share)
        return min(max(1, math.floor(share * n_pages + 0.5)), n_pages - 1)
    if isinstance(n_core, bool) or not isinstance(n_core, numbers.Integral):
        raise InputError("{given}; it must be a whole number", "n_core", n_core)
    if not 1 <= n_core < n_pages:
        raise InputError(
            "{given}, but there are {n:,} pages; take at least 1 and fewer than all",
            "n_core",
            n_core,
            n=n_pages,
        )
    return int(n_core)


def find_appearances(
    pages: Iterable[Page] | Evidence,
    *,
    method: str = DEFAULT_METHOD,
    n_core: int | None = None,
    share: float | Fraction = 1 / 3,
    background: Any = None,
    guided: bool = True,
    effort: str = "default",
    random_state: Any = 0,
) -> Appearances:
    """Tell pages about the people of one circle from those about their namesakes.

    Parameters
    ----------
    pages : iterable of Page, or Evidence
        Pages retrieved for at least two names of the circle.
    method : str
        ``links``: the core connected component of the graph of shared links, then the
        components whose words are closest to it. ``agglomerative`` and ``comraf``: clusters of
        pages by their words, merged until the one that shares most links has about the size
        wanted; the core is that whole cluster, whatever its size. ``occc`` and ``ltb``:
        one-class clustering by words. ``links+...``: both together, see `guided`; a warning
        tells where the two disagree about the core.
    n_core : int, optional
        Pages to take.
    share : float
        Share of the pages to take, if no number is given.
    background : None, "flat", array or Background
        How frequent words are in general; not with `Evidence`, which knows it.
    guided : bool
        How hybrids join the two. True: the other method is told by the core connected
        component which words count; pages of that component come first, except for those
        that the words contradict. False, as published: six of seven pages of the core are
        those of ``links``, the others come in the order that the other method has by itself.
    effort : str
        What `comraf.MDC` may cost.
    random_state : int or None
        Seed of ``comraf`` and the one-class methods.

    Returns
    -------
    Appearances

    Examples
    --------
    >>> pages = [
    ...     Page("ann/1", "Ann", "boat race on the sea", links=("http://sail.org/club",)),
    ...     Page("bob/1", "Bob", "sea and harbour race", links=("http://sail.org/club",)),
    ...     Page("ann/2", "Ann", "race at sea"),
    ...     Page("bob/2", "Bob", "bread recipe with butter"),
    ...     Page("ann/3", "Ann", "butter and bread"),
    ... ]
    >>> found = find_appearances(pages, method="links", n_core=3)
    >>> [pages[i].id for i in found.core]
    ['ann/1', 'bob/1', 'ann/2']
    """
    if method not in METHODS:
        raise InputError(
            "{given} is unknown; choose one of {allowed:,}", "method", method, allowed=METHODS
        )
    evidence = pages if isinstance(pages, Evidence) else gather(pages, background=background)
    n = core_size(len(evidence.pages), n_core, share)
    if method.startswith("links+"):
        return _hybrid(method, evidence, n, guided, effort, random_state)
    return _single(method, evidence, n, effort, random_state)


def _single(name: str, evidence: Evidence, n: int, effort: str, seed: Any) -> Appearances:
    if name == "links":
        return _links(evidence, n)
    if name == "agglomerative":
        return _agglomerative(evidence, n)
    if name == "comraf":
        return _comraf(evidence, n, effort, seed)
    return _one_class(name, evidence, n, seed)


def _links(evidence: Evidence, n: int) -> Appearances:
    """The core connected component and what is close to it (thesis 4.7.4)."""
    component, core = evidence.component, evidence.core_component
    if core is None:
        hosts = "".join(f" ({note})" for note in evidence.links.notes)
        raise InputError(
            f"no two pages of different names share a link{hosts}, so that there is no core of "
            "links; use a method that goes by words (occc, ltb), or give the addresses of the "
            "pages in pages.csv"
        )
    inside = component == core
    page = evidence.closeness(inside)
    # A component is as close as its pages are on average. The cosine of their sum would put
    # large components first, whatever they are about: sums of many pages are all alike.
    close = np.bincount(component, weights=page) / np.bincount(component)
    scores = np.where(inside, 1.0 + page, close[component])
    # pages of one component stay together
    ranking = np.lexsort((-page, np.where(inside, 0, component), -scores))
    size = int(inside.sum())
    names = len({name for name, taken in zip(evidence.names, inside, strict=True) if taken})
    notes = [f"the core component has {size:,} pages of {names} names"]
    if size > n:
        notes.append(f"only the {n:,} of them that are closest to the others are taken")
    return Appearances("links", ranking, ranking[:n], scores, evidence, notes=tuple(notes))


def _clustered(
    name: str, evidence: Evidence, levels: Sequence[NDArray[Any]], n: int
) -> Appearances:
    """The most interconnected cluster at the level where it has about the size wanted."""
    walked = walk_levels(evidence.links.table, levels, evidence.truth)
    chosen = at_size(walked, n)
    page = evidence.closeness(chosen.members)
    scores = page + chosen.members
    ranking = np.lexsort((-page, ~chosen.members))
    notes = [
        f"of {chosen.n_clusters} clusters the one whose pages share most links has "
        f"{chosen.size:,} pages"
    ]
    if not evidence.links.table.nnz:
        notes.append("the pages have no links, so the largest cluster was taken")
    core = ranking[: chosen.size]
    return Appearances(name, ranking, core, scores, evidence, walked, notes=tuple(notes))


def _agglomerative(evidence: Evidence, n: int) -> Appearances:
    """Greedy merging of the closest clusters: average cosine."""
    from scipy.cluster.hierarchy import fcluster

    tree = agglomerative_tree(evidence)
    m = len(evidence.pages)
    numbers_of_clusters = sorted({int(k) for k in np.round(np.geomspace(2, max(2, m // 2), _CUTS))})
    levels = [fcluster(tree, k, "maxclust").astype(np.int64) - 1 for k in numbers_of_clusters]
    return _clustered("agglomerative", evidence, levels, n)


def agglomerative_tree(evidence: Evidence) -> Floats:
    """SciPy's tree of merges of the pages."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    m = len(evidence.pages)
    check_fits(28.0 * m * m, f"comparing all {m:,} pages", "use links, comraf, occc or ltb")
    alike = (evidence.rows @ evidence.rows.T).toarray()
    distance = np.clip(1.0 - alike, 0.0, None)
    np.fill_diagonal(distance, 0.0)
    return np.asarray(linkage(squareform(distance, checks=False), "average"))


def _comraf(evidence: Evidence, n: int, effort: str, seed: Any) -> Appearances:
    """Pages and words clustered together, the most interconnected cluster taken."""
    return _clustered("comraf", evidence, _mdc_levels(evidence, effort, seed), n)


def _mdc_levels(evidence: Evidence, effort: str, seed: Any) -> list[NDArray[Any]]:
    """Partitions that MDC walks through on its way to two clusters, the finest first."""
    from comraf.estimators import MDC

    model = MDC(2, effort=effort, sizes="even", random_state=seed).fit(evidence.words.counts)
    finer = [level for level in model.result_.levels.get("rows", ()) if level.max() > 1]
    return [*finer, model.labels_]


def _one_class(name: str, evidence: Evidence, n: int, seed: Any) -> Appearances:
    from comraf.oneclass import LTB, OCCC

    kind: Any = OCCC if name == "occc" else LTB
    model = kind(n, background=evidence.background, random_state=seed)
    return _taken(name, model, evidence)


def _taken(name: str, model: Any, evidence: Evidence) -> Appearances:
    """What a one-class method finds."""
    model.fit(evidence.words.counts, words=list(evidence.words.words))
    words = tuple(str(word) for word in model.topical_words_)
    return Appearances(
        name, model.ranking_, model.core_, model.scores_, evidence, topical_words=words
    )


def _hybrid(
    method: str, evidence: Evidence, n: int, guided: bool, effort: str, seed: Any
) -> Appearances:
    """Link structure and words together."""
    name = method.partition("+")[2]
    if evidence.core_component is None:
        other = _single(name, evidence, n, effort, seed)
        note = "no two pages of different names share a link: the order is of words alone"
        return replace(other, method=method, core=other.ranking[:n], notes=(*other.notes, note))
    by_links = _links(evidence, n)
    words = _one_class("ltb", evidence, n, seed) if guided or name == "comraf" else None
    if guided:
        other = _guided(name, evidence, n, effort, seed)
        place = np.empty(len(other.ranking), dtype=np.int64)
        place[other.ranking] = np.arange(len(place))
        first = (evidence.component == evidence.core_component) & (place < _DOUBT * n)
    else:
        other = _single(name, evidence, n, effort, seed)
        first = np.zeros(len(other.ranking), dtype=bool)
        first[by_links.ranking[: math.floor(_LINK_PART * n + 0.5)]] = True
    order = other.ranking if guided else by_links.ranking
    ranking = np.concatenate([order[first[order]], other.ranking[~first[other.ranking]]])
    # two orders have no common scale: places in the order are the scores
    scores = np.empty(len(ranking))
    scores[ranking] = np.linspace(1.0, 0.0, len(ranking))
    notes = [*by_links.notes[:1], *other.notes]
    if guided:
        left = int((evidence.component == evidence.core_component).sum() - first.sum())
        notes += [f"the words of {left:,} of them contradict that"] if left else []
    return replace(
        other,
        method=method,
        ranking=ranking,
        core=ranking[:n],
        scores=scores,
        notes=tuple(notes),
        disagreement=_disagreement(evidence, (words or other).ranking[:n]),
    )


def _disagreement(evidence: Evidence, core: Ints) -> str:
    """Warn if the pages that links connect are hardly the ones that words put first."""
    inside = evidence.component == evidence.core_component
    shared, chance = int(inside[core].sum()), inside.mean() * len(core)
    if shared >= _LIFT * chance:
        return ""
    hosts = [f"{host} ({n:,})" for host, n in list(evidence.links.hosts.items())[:3]]
    text = (
        f"links and words disagree about the core: links connect {int(inside.sum()):,} of "
        f"{len(inside):,} pages, and {shared:,} of the {len(core):,} that words alone put first "
        f"are among them, where chance gives {chance:.0f}; the hosts on most pages are "
        f"{', '.join(hosts)}: if one of them is a counter, a shop or the like, name it in "
        "--popular FILE (in Python gather(popular=...)); otherwise compare with the method ltb"
    )
    warnings.warn(text, ComrafWarning, stacklevel=4)
    return text


def _guided(name: str, evidence: Evidence, n: int, effort: str, seed: Any) -> Appearances:
    """A method of words that is told which pages the links believe in."""
    inside = evidence.component == evidence.core_component
    if name == "comraf":
        return _guided_comraf(evidence, inside, effort, seed)
    from comraf.oneclass import LTB, OCCC

    counts = evidence.words.counts
    # Words stand out from the pages beyond the link core, not from the language: so the topic
    # that is looked for is the link core's, and no start from another topic is needed.
    beyond = 1.0 + np.bincount(counts[~inside].indices, minlength=counts.shape[1])
    shares = beyond / beyond.sum()
    model: Any = (
        LTB(n, background=shares, effort="paper", random_state=seed)
        if name == "ltb"
        else OCCC(n, background=shares, starts=0, random_state=seed)
    )
    return _taken(name, model, evidence)


def _guided_comraf(evidence: Evidence, inside: Flags, effort: str, seed: Any) -> Appearances:
    """Pages by the share of the link core in their clusters, over all stages of the merging."""
    levels = _mdc_levels(evidence, effort, seed)
    share = np.zeros(len(inside))
    for labels in levels:
        hits, sizes = np.bincount(labels, weights=inside), np.bincount(labels)
        # a page does not vouch for itself
        share += (hits[labels] - inside + inside.mean()) / sizes[labels]
    scores = share / len(levels)
    ranking = np.lexsort((-evidence.closeness(inside), -scores))
    walked = walk_levels(evidence.links.table, levels, evidence.truth)
    return Appearances("comraf", ranking, ranking, scores, evidence, walked)
