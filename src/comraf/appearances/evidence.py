"""What all methods look at: pages, their names, their places and their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.appearances.links import LinkTable, components, core_component, link_table
from comraf.appearances.pages import Page
from comraf.appearances.words import WordTable, background_tfidf, word_table
from comraf.collection.text.popular import POPULAR_HOSTS
from comraf.errors import InputError

__all__ = ["Evidence", "gather"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
        Hosts whose links say nothing; see `comraf.appearances.links.link_table`.
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
