"""``comraf appearances``: which pages are about the people of one circle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from comraf.cli.files import claim
from comraf.cli.options import Force, PathArgument, Quiet, command
from comraf.cli.program import complain, has_written
from comraf.cli.show import clean, listed, show_table, tell, tell_place
from comraf.cli.table import Facts
from comraf.errors import SegmentationWarning
from comraf.workflows.appearances import AppearancesOptions
from comraf.workflows.naming import counted
from comraf.workflows.options import Option

if TYPE_CHECKING:
    from comraf.workflows.appearances import Circle

__all__ = ["appearances"]

_SHOWN_NAMES = 40
_SHOWN_WORDS = 15
_SHOWN_LINKS = 8


@command
def appearances(
    folder: PathArgument,
    options: AppearancesOptions,
    out: Annotated[Path, Option(metavar="DIR")],
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Tell pages about the people of one circle from those about their namesakes.

    FOLDER has a subfolder for each of several names that belong together (colleagues, authors of
    a paper, members of a club), with the pages that a search for that name has found: .html, .htm
    or .txt. A file pages.csv in FOLDER (columns name, file, url and, if known, truth) says where
    they came from; without it a page's own canonical address is taken.

    Pages about the circle link to the same places and use the same words, whatever the name;
    pages about namesakes don't. Nothing is fetched from the web.

    Parameters
    ----------
    folder
        Has a subfolder of pages for each name.
    out
        Folder for the answer.

    Methods
    -------
    links          pages connected by shared links, then those close to them in words
    agglomerative  clusters by words, merged greedily
    comraf         clusters of pages and words together
    occc, ltb      one-class clustering by words
    links+comraf, links+occc, links+ltb   both kinds of evidence together

    Examples
    --------
    comraf appearances pages --out found
    comraf appearances pages --names names.txt -n 400 --out found
    comraf appearances pages --method links --share 1/4 --truth truth.csv --out found
    comraf appearances pages --background flat --out found
    """
    import warnings

    from comraf.workflows.appearances import appearances as work

    options.check(folder)
    # pages have no notes of a collection that would say it
    warnings.simplefilter("default", SegmentationWarning)
    claim(out, force=force)
    circle = work(folder, options=options)
    circle.save(out, force=force)
    has_written(out)
    if not quiet:
        _show(circle, out)


def _show(circle: Circle, out: Path) -> None:
    from comraf.workflows.appearances.files import names_in, score_of, telling_links, telling_words

    found, reading = circle.found, circle.reading
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
        f"{len(found.core):,} of {counted(len(found.ranking), 'page')} of {len(counts)} names "
        f"are taken to be about the circle ({found.method})."
    )
    for note in (*found.evidence.links.notes, *found.notes):
        tell(note[0].upper() + note[1:] + ".")
    shown = sorted(counts, key=lambda name: (-counts[name][1] / counts[name][0], name))
    shown = shown[:_SHOWN_NAMES]
    show_table(
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
        tell(f"Telling words: {listed(word.value for word in words)}", indent=2)
    if links:
        tell(f"Telling links: {listed(place.value for place in links)}", indent=2)
    score = score_of(found)
    if score is not None:
        tell(
            f"Against the truth: precision {score.precision:.1%}, recall {score.recall:.1%}, "
            f"F {score.f:.1%}"
        )
    tell_place("Written to", out)
