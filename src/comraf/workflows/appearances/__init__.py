"""``appearances``: which pages are about the people of one circle, and not their namesakes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from comraf.errors import InputError
from comraf.progress import Listener, say, unheard
from comraf.workflows.cores import read_background
from comraf.workflows.options import Option, takes
from comraf.workflows.reading import Source
from comraf.workflows.search import Seed

if TYPE_CHECKING:
    from fractions import Fraction

    from comraf.workflows.appearances.methods import Appearances
    from comraf.workflows.appearances.pages import Reading

__all__ = ["AppearancesOptions", "Circle", "appearances"]

_FILE = Option(metavar="FILE")
_DEFAULT_SHARE = "1/3"
#: Methods by name; with a plus, the link structure's core comes first.
METHODS = (
    *("links", "agglomerative", "comraf", "occc", "ltb"),
    *("links+comraf", "links+occc", "links+ltb"),
)
if TYPE_CHECKING:
    Method = str
else:
    Method = Literal[METHODS]


@dataclass(frozen=True, kw_only=True)
class AppearancesOptions(Seed):
    """Options of `appearances`.

    Parameters
    ----------
    names : path-like
        The names to read, one a line.
    n_core : int
        How many pages to take.
    share : float or str
        Share of the pages to take, instead of `n_core`. Default: 1/3.
    method : {"links", "agglomerative", "comraf", "occc", "ltb", "links+comraf", ...}
        How pages are told apart; see above.
    published : bool
        Methods with a plus as published: the words are not told what links know.
    truth : path-like
        CSV file with the columns page and truth (yes or no), to score the answer.
    background : str
        How frequent words are in general: wordfreq or wordfreq:LANGUAGE (an extra), a file with a
        word and its count a line, a collection that comraf wrote of other documents, or flat (not
        known).
    language : str
        Language of the pages, for wordfreq.
    popular : path-like
        Hosts whose links say nothing, one a line, besides those that comraf knows.
    random_state : int
        Seed of chance.
    follow_links : bool
        Follow symbolic links that lead out of PATH; otherwise they are counted and left out.
    """

    names: Annotated[Path | None, _FILE] = None
    n_core: Annotated[int | None, Option("-n", metavar="N")] = None
    share: Annotated[float | str | None, Option(metavar="SHARE", read=str)] = None
    method: Method = "links+ltb"
    published: bool = False
    truth: Annotated[Path | None, _FILE] = None
    background: Annotated[str, Option(metavar="WHAT")] = "wordfreq"
    language: Annotated[str, Option(metavar="CODE")] = "en"
    popular: Annotated[Path | None, _FILE] = None
    follow_links: bool = False

    @property
    def part(self) -> Fraction:
        """The share of the pages to take."""
        from fractions import Fraction

        given = _DEFAULT_SHARE if self.share is None else str(self.share)
        try:
            share = Fraction(given.strip())
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not 0 < share < 1:
            text = "{given}: give a number above 0 and below 1, such as 1/3 or 0.4"
            raise InputError(text, "share", given)
        return share

    def check(self, folder: str | os.PathLike[str]) -> None:
        """Refuse what can't be meant, before anything is read."""
        from comraf.collection.readers.files import check_path

        if self.n_core is not None and self.share is not None:
            text = "{p[n_core]} and {p[share]} both say how many pages to take; give one of them"
            raise InputError(text, "n_core", self.n_core)
        _ = self.part
        check_path(folder)

    def written(self) -> dict[str, Any]:
        """The parameters as ``result.json`` has them."""
        return {
            "n": self.n_core,
            "share": None if self.n_core is not None else str(self.part),
            "published": self.published,
            "background": self.background,
            "language": self.language,
            "popular": None if self.popular is None else str(self.popular),
            "seed": self.random_state,
        }


@dataclass(frozen=True, eq=False)
class Circle:
    """Pages about one circle.

    Attributes
    ----------
    path : Path
        The folder of pages.
    options : AppearancesOptions
        What was asked for.
    reading : Reading
        The pages, with what was left out of them.
    found : Appearances
        All pages, the surest first, and those that are taken.
    """

    path: Path
    options: AppearancesOptions
    reading: Reading
    found: Appearances

    def __repr__(self) -> str:
        taken = f"{len(self.found.core):,} of {len(self.reading.pages):,} pages"
        return f"Circle({taken} of {self.path.name}, by {self.found.method})"

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write pages, names, words and links, as ``comraf appearances`` does.

        Parameters
        ----------
        folder : path-like
            It must be new or empty, unless ``force`` is set.
        force : bool
        """
        from comraf.results.files import write_folder
        from comraf.workflows.appearances.files import files_of

        files = files_of(self.found, source=str(self.path), asked=self.options.written())
        write_folder(folder, files, force=force)


@takes(AppearancesOptions)
def appearances(
    folder: str | os.PathLike[str], *, options: AppearancesOptions, listener: Listener = unheard
) -> Circle:
    """Tell pages about the people of one circle from those about their namesakes.

    Parameters
    ----------
    folder : path-like
        Has a subfolder of pages for each name.
    listener : callable, optional
        Called with every event of the work.
    options
        All others as for ``comraf appearances``; see `AppearancesOptions`.

    Returns
    -------
    Circle

    Examples
    --------
    >>> import tempfile
    >>> about = {"ann": "boat race on the sea", "bob": "sea and harbour race", "cid": "bread"}
    >>> with tempfile.TemporaryDirectory() as root:
    ...     for name, text in about.items():
    ...         Path(root, name).mkdir()
    ...         _ = Path(root, name, "1.txt").write_text(text)
    ...     circle = appearances(root, n_core=2, method="ltb", background="flat")
    >>> sorted(circle.reading.pages[i].name for i in circle.found.core)
    ['ann', 'bob']
    """
    from comraf.collection.text.addresses import POPULAR_HOSTS
    from comraf.workflows.appearances.evidence import gather
    from comraf.workflows.appearances.methods import core_size, find_appearances
    from comraf.workflows.appearances.pages import (
        read_hosts_file,
        read_names,
        read_pages,
        read_truth,
    )

    folder = Path(folder)
    options.check(folder)
    general = _background(options)
    hosts = POPULAR_HOSTS | (read_hosts_file(options.popular) if options.popular else frozenset())
    say(listener, f"reading {folder.name}")
    with Source(follow_links=options.follow_links).following():
        reading = read_pages(
            folder,
            names=read_names(options.names) if options.names else None,
            truth=read_truth(options.truth) if options.truth else None,
        )
    if len({page.name for page in reading.pages}) < 2:
        raise InputError(
            f"{folder} has pages of one name; at least two names of one circle are needed, each "
            "with a subfolder of its own"
        )
    n_core = core_size(len(reading.pages), options.n_core, options.part)
    say(listener, "looking for the circle")
    found = find_appearances(
        gather(reading.pages, background=general, popular=hosts),
        method=options.method,
        n_core=n_core,
        guided=not options.published,
        random_state=options.random_state,
    )
    return Circle(folder, options, reading, found)


def _background(options: AppearancesOptions) -> Any:
    from comraf.oneclass import WordFrequencies

    what = str(options.background)
    if what == "flat":
        return "flat"
    name, colon, own = what.partition(":")
    if name != "wordfreq":
        return read_background(what)
    language = own if colon else options.language
    known = WordFrequencies(language)
    try:
        known.frequencies(["a"])
    except InputError as error:
        if error.code != "no_language":
            raise
        raise InputError(
            "{given}: wordfreq has no such language; give one that it has (en, de, fr, ...), or "
            "{p[background]} with a CSV file of words and counts, or flat",
            "language",
            language,
        ) from None
    return known
