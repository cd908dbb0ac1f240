"""``comraf appearances``: which pages are about the people of one circle."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from comraf.cli.reading import FollowLinksOption
from comraf.errors import InputError, SegmentationWarning

if TYPE_CHECKING:
    from comraf.appearances import Appearances, Reading

__all__ = ["HELP", "appearances"]

HELP = """Tell pages about the people of one circle from those about their namesakes.

FOLDER has a subfolder for each of several names that belong together (colleagues, authors of
a paper, members of a club), with the pages that a search for that name has found: .html, .htm
or .txt. A file pages.csv in FOLDER (columns name, file, url and, if known, truth) says where
they came from; without it a page's own canonical address is taken.

Pages about the circle link to the same places and use the same words, whatever the name;
pages about namesakes don't. Nothing is fetched from the web.

\b
Methods:
  links          pages connected by shared links, then those close to them in words
  agglomerative  clusters by words, merged greedily
  comraf         clusters of pages and words together
  occc, ltb      one-class clustering by words
  links+comraf, links+occc, links+ltb   both kinds of evidence together

\b
Examples:
  comraf appearances pages --out found
  comraf appearances pages --names names.txt -n 400 --out found
  comraf appearances pages --method links --share 1/4 --truth truth.csv --out found
  comraf appearances pages --background flat --out found
"""
_SHOWN_NAMES = 40
_SHOWN_WORDS = 15
_SHOWN_LINKS = 8
_DEFAULT_SHARE = "1/3"


class Method(StrEnum):
    """The methods as the command line spells them."""

    links = "links"
    agglomerative = "agglomerative"
    comraf = "comraf"
    occc = "occc"
    ltb = "ltb"
    links_comraf = "links+comraf"
    links_occc = "links+occc"
    links_ltb = "links+ltb"


def appearances(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Has a subfolder of pages for each name.", show_default=False
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the answer.", show_default=False)
    ],
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The names to read, one a line.", show_default=False),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("-n", metavar="N", help="How many pages to take.", show_default=False),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help=f"Share of the pages to take, instead of -n.  [default: {_DEFAULT_SHARE}]",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Method, typer.Option(help="How pages are told apart; see above.")
    ] = Method.links_ltb,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Methods with a plus as published: the words are not told what links know.",
        ),
    ] = False,
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV file with the columns page and truth (yes or no), to score the answer.",
            show_default=False,
        ),
    ] = None,
    background: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="How frequent words are in general: wordfreq or wordfreq:LANGUAGE (an extra), a "
            "file with a word and its count a line, a collection that comraf wrote of other "
            "documents, or flat (not known).",
        ),
    ] = "wordfreq",
    language: Annotated[
        str, typer.Option(metavar="CODE", help="Language of the pages, for wordfreq.")
    ] = "en",
    popular: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Hosts whose links say nothing, one a line, besides those that comraf knows.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="Seed of chance.")
    ] = 0,
    follow_links: FollowLinksOption = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an older answer in the folder of --out.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary.")] = False,
) -> None:
    """Tell pages about the people of one circle from those about their namesakes."""
    import warnings
    from fractions import Fraction

    from comraf.appearances import POPULAR_HOSTS, find_appearances, gather, read_pages
    from comraf.appearances.pages import read_hosts_file, read_names, read_truth
    from comraf.appearances.written import files_of
    from comraf.cli.program import has_written
    from comraf.cli.scratch import claim
    from comraf.collection.readers.files import check_path
    from comraf.results.files import write_folder

    if number is not None and share is not None:
        raise InputError("-n and --share both say how many pages to take; give one of them")
    part = _share(share or _DEFAULT_SHARE)
    check_path(folder)
    # pages have no notes of a collection that would say it
    warnings.simplefilter("default", SegmentationWarning)
    general = _background(background, language)
    hosts = POPULAR_HOSTS | (read_hosts_file(popular) if popular else frozenset())
    claim(out, force=force)
    reading = read_pages(
        folder,
        names=read_names(names) if names else None,
        truth=read_truth(truth) if truth else None,
    )
    n = len(reading.pages)
    if len({page.name for page in reading.pages}) < 2:
        raise InputError(
            f"{folder} has pages of one name; at least two names of one circle are needed, each "
            "with a subfolder of its own"
        )
    if number is not None and not 1 <= number < n:
        raise InputError(f"-n {number}: there are {n:,} pages; take at least 1 and fewer than all")
    evidence = gather(reading.pages, background=general, popular=hosts)
    found = find_appearances(
        evidence,
        method=method.value,
        n_core=number,
        share=Fraction(part),
        guided=not published,
        random_state=seed,
    )
    asked = {
        "n": number,
        "share": None if number is not None else str(part),
        "published": published,
        "background": background,
        "language": language,
        "popular": None if popular is None else str(popular),
        "seed": seed,
    }
    write_folder(out, files_of(found, source=str(folder), asked=asked), force=force)
    has_written(out)
    if not quiet:
        _show(found, reading, out)


def _share(text: str) -> Any:
    from fractions import Fraction

    try:
        share = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise InputError(f"--share {text}: give a number above 0 and below 1, such as 1/3 or 0.4")
    return share


def _background(what: str, language: str) -> Any:
    from comraf.cli.coring import read_background
    from comraf.oneclass import WordFrequencies

    if what == "flat":
        return "flat"
    name, colon, own = what.partition(":")
    if name != "wordfreq":
        return read_background(what)
    language = own if colon else language
    known = WordFrequencies(language)
    try:
        known.frequencies(["a"])
    except InputError as error:
        if error.code != "no_language":
            raise
        raise InputError(
            f"--language {language}: wordfreq has no such language; give one that it has (en, de, "
            "fr, ...), or --background with a CSV file of words and counts, or flat"
        ) from None
    return known


def _show(found: Appearances, reading: Reading, out: Path) -> None:
    from comraf.appearances.written import names_in, score_of, telling_links, telling_words
    from comraf.cli.program import complain
    from comraf.cli.show import clean, listed, open_console, show_table, tell
    from comraf.cli.table import Facts
    from comraf.cli.wording import counted

    console = open_console()
    if reading.skipped:
        first = reading.skipped[0]
        complain(
            "note",
            f"{counted(len(reading.skipped), 'file')} left out, such as {first[0]}: {first[1]}",
        )
    for note in reading.notes:
        complain("note", note)
    counts = names_in(found)
    tell(
        console,
        f"{len(found.core):,} of {counted(len(found.ranking), 'page')} of {len(counts)} names "
        f"are taken to be about the circle ({found.method}).",
    )
    for note in (*found.evidence.links.notes, *found.notes):
        tell(console, note[0].upper() + note[1:] + ".")
    shown = sorted(counts, key=lambda name: (-counts[name][1] / counts[name][0], name))
    shown = shown[:_SHOWN_NAMES]
    show_table(
        console,
        [
            Facts("name", [clean(name) for name in shown], right=False),
            Facts("pages", [f"{counts[name][0]:,}" for name in shown]),
            Facts("in core", [f"{counts[name][1]:,}" for name in shown]),
            Facts("share", [f"{counts[name][1] / counts[name][0]:.0%}" for name in shown]),
        ],
        [],
    )
    words = telling_words(found, _SHOWN_WORDS)
    links = telling_links(found, _SHOWN_LINKS)
    if words:
        tell(console, f"Telling words: {listed(word.value for word in words)}", indent=2)
    if links:
        tell(console, f"Telling links: {listed(place.value for place in links)}", indent=2)
    score = score_of(found)
    if score is not None:
        tell(
            console,
            f"Against the truth: precision {score.precision:.1%}, recall {score.recall:.1%}, "
            f"F {score.f:.1%}",
        )
    tell(console, f"Written to {clean(str(out), 200)}")
