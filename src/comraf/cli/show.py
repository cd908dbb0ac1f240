"""Names, sentences and tables on the terminal."""

from __future__ import annotations

import json
import os
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from comraf.cli.wording import in_options
from comraf.errors import Note

if TYPE_CHECKING:
    from rich.console import Console

    from comraf.cli.table import Facts, Listing
    from comraf.collection.items import Skip
    from comraf.results.contributions import Cluster

__all__ = [
    "MOST_SHOWN",
    "class_column",
    "clean",
    "cluster_table",
    "listed",
    "named_listings",
    "open_console",
    "show_table",
    "skips_listed",
    "skips_told",
    "tell",
    "tell_as_json",
    "tell_note",
    "tell_place",
    "tell_rest",
    "told_sides",
]

MOST_SHOWN = 40
# Control codes, invisible direction marks and lone surrogates can garble a terminal.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_USUAL_WIDTH = 80
_LONGEST_CLASS = 24


def clean(text: str, most: int = 32) -> str:
    r"""A name as it may be shown: no control codes, not too long.

    Examples
    --------
    >>> clean("sea\x1b[2J"), clean("a" * 10, 5)
    ('sea�[2J', 'aaaa…')
    """
    short = text if len(text) <= most else text[: most - 1] + "…"
    return "".join("�" if unicodedata.category(char) in _UNSEEN else char for char in short)


def listed(names: Iterable[str]) -> str:
    """Names in a row.

    Examples
    --------
    >>> listed(["sea", "ship"])
    'sea, ship'
    """
    return ", ".join(clean(name) for name in names)


def open_console() -> Console:
    """Standard output. What is not a terminal gets 80 columns and no colours.

    The width of a window that happens to be open must not decide what is written to a file
    or a pipe; the variable COLUMNS may.

    Examples
    --------
    >>> open_console().is_terminal
    False
    """
    from rich.console import Console

    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        given = os.environ.get("COLUMNS", "")
        console.width = int(given) if given.isdecimal() and int(given) > 0 else _USUAL_WIDTH
    return console


def tell(text: str, *, indent: int = 0) -> None:
    """Print a sentence: whole words on a terminal, one line for every other reader.

    Examples
    --------
    >>> tell("2 documents")
    2 documents
    """
    console = open_console()
    if console.is_terminal:
        # A path or a name that is longer than a line stays whole: it is there to be copied.
        text = textwrap.fill(
            text,
            max(20, console.width),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    console.print(text, markup=False, soft_wrap=True)


def tell_place(said: str, place: object) -> None:
    """Print where something is, if it is anywhere.

    Examples
    --------
    >>> tell_place("Written to", "out.csv")
    Written to out.csv
    """
    if place is not None:
        tell(f"{said} {clean(str(place), 200)}")


def tell_rest(number: int, out: object) -> None:
    """Say how many there are beyond those that were shown, and where all of them are.

    Examples
    --------
    >>> tell_rest(2, "new.csv")
    Written to new.csv
    """
    if number > MOST_SHOWN:
        more = "the file has them all" if out else "--out FILE.csv writes them all"
        tell(f"... and {number - MOST_SHOWN:,} more; {more}.")
    tell_place("Written to", out)


def tell_note(note: object) -> None:
    """Print a note, in the words of the command line.

    Examples
    --------
    >>> tell_note("2 second copies dropped")
    note: 2 second copies dropped
    """
    tell(f"note: {clean(in_options(note), 400)}", indent=6)


def tell_as_json(answer: Mapping[str, Any]) -> None:
    """Print an answer as one JSON object, with notes in the words of the command line.

    Examples
    --------
    >>> from comraf.errors import Note
    >>> tell_as_json({"words": ["sea"], "notes": [Note("use {p[n_jobs]}", "one_group", said="4")]})
    {"words": ["sea"], "notes": ["4 (-k)"]}
    """
    typer.echo(json.dumps(_in_own_words(answer), ensure_ascii=False, default=str))


def _in_own_words(told: Any) -> Any:
    """What is printed as JSON, with every note in the words of the command line."""
    if isinstance(told, Mapping):
        return {name: _in_own_words(value) for name, value in told.items()}
    if isinstance(told, (list, tuple)):
        return [_in_own_words(value) for value in told]
    return in_options(told) if isinstance(told, Note) else told


def show_table(facts: Sequence[Facts], listings: Sequence[Listing] = ()) -> None:
    """Print a table of groups; see `comraf.cli.table.lay_out`.

    Examples
    --------
    >>> from comraf.cli.table import Facts
    >>> show_table([Facts("size", ["2"])])
    <BLANKLINE>
      size
     ──...
         2
    <BLANKLINE>
    """
    from comraf.cli.table import lay_out

    console = open_console()
    ascii_only = not console.encoding.startswith("utf")
    signs = {"dots": "...", "rule": "-"} if ascii_only else {}
    console.print()
    for line in lay_out(facts, listings, console.width, **signs):
        # As it is: the width was seen to already, and rich would fill it up with blanks.
        console.print(line, soft_wrap=True)
    console.print()


def told_sides(said: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Sides that have a column: of photos, blobs tell what texture does, and what has it.

    Examples
    --------
    >>> told_sides({"colours": [["red"]], "texture": [["fine level lines"]], "blobs": [[]]})
    ['colours', 'texture']
    """
    if any(said.get("blobs", ())):
        return [side for side in said if side != "texture"]
    return [side for side in said if side != "blobs"]


def class_column(classes: Sequence[str]) -> list[Facts]:
    """A column of the classes that prevail in clusters; none if there are no classes.

    Examples
    --------
    >>> class_column(["sea", ""])[0].cells, class_column(["", ""])
    (['sea', ''], [])
    """
    from comraf.cli.table import Facts

    if not any(classes):
        return []
    return [Facts("class", [clean(name, _LONGEST_CLASS) for name in classes], right=False)]


def named_listings(
    names: Sequence[str], said: Mapping[str, Sequence[Sequence[str]]]
) -> list[Listing]:
    """A column for each side that tells something, after the names of the groups if given.

    Names that are made of the first side's values stand in its column.

    Examples
    --------
    >>> said = {"colours": [["black", "red"], ["black", "blue"]]}
    >>> named_listings(["black", "blue"], said)[0].rows
    [['black', 'red'], ['blue', 'black']]
    >>> [column.heading for column in named_listings(["night", "sea"], said)]
    ['group', 'colours']
    """
    from comraf.cli.table import Listing

    told = told_sides(said)
    rows = {side: list(said[side]) for side in told}
    parts = [name.split(", ") for name in names]
    first = told[0] if told else ""
    if first and all(
        {*mine} & {*row} or not row for mine, row in zip(parts, rows[first], strict=bool(parts))
    ):
        for place, mine in enumerate(parts):
            rows[first][place] = list(dict.fromkeys([*mine, *rows[first][place]]))
        parts = []
    listings = [Listing("group", parts)] if parts else []
    return listings + [
        Listing(f"telling {side}" if not (place or parts) else side, rows[side])
        for place, side in enumerate(told)
    ]


def cluster_table(
    what: str,
    found: Sequence[Cluster],
    others: Sequence[str],
    classes: Sequence[str] = (),
    names: Sequence[str] = (),
) -> tuple[list[Facts], list[Listing]]:
    """The largest clusters of a side, ready for `show_table`.

    ``classes`` are the names of the classes that prevail, empty where none does; ``names`` those
    of the clusters, where they are more than the values that come first.

    Examples
    --------
    >>> from comraf.results.contributions import Cluster
    >>> found = [Cluster(0, 3, 1.0, {"columns": [("sea", 0.1)]})]
    >>> facts, listings = cluster_table("rows", found, ["columns"])
    >>> [column.cells for column in facts], listings[0].rows
    ([['0'], ['3'], ['100.0%']], [['sea']])
    """
    from comraf.cli.table import Facts
    from comraf.workflows.photos import in_words

    shown = found[:MOST_SHOWN]
    facts = [
        Facts("#", [str(cluster.number) for cluster in shown]),
        *class_column([classes[cluster.number] for cluster in shown] if classes else ()),
        Facts(what, [f"{cluster.size:,}" for cluster in shown]),
        Facts("share", [f"{cluster.share:.1%}" for cluster in shown]),
    ]
    said = {
        other: [
            in_words(other, [n for n, _ in cluster.telling.get(other, [])]) for cluster in shown
        ]
        for other in others
    }
    return facts, named_listings([names[c.number] for c in shown] if names else (), said)


def skips_told(skips: Iterable[Skip], most: int) -> list[str]:
    """The commonest reasons why items were skipped, each with the first of them.

    Examples
    --------
    >>> from comraf.collection.items import Skip
    >>> skips_told([Skip("a.pdf", "damaged"), Skip("b.pdf", "damaged")], 3)
    ['skipped 2: damaged (the first: a.pdf)']
    """
    from collections import Counter

    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for skip in skips:
        counts[skip.reason] += 1
        first.setdefault(skip.reason, skip.source)
    return [
        f"skipped {count:,}: {clean(reason, 200)} "
        f"({'the first: ' if count > 1 else ''}{clean(first[reason], 100)})"
        for reason, count in counts.most_common(most)
    ]


def skips_listed(skips: Iterable[Skip], number: int, most: int = 10) -> list[str]:
    """The first items that were skipped with their reasons, and how many more there are.

    Examples
    --------
    >>> from comraf.collection.items import Skip
    >>> skips_listed([Skip("a.jpg", "truncated"), Skip("b.jpg", "empty")], 2, 1)
    ['skipped a.jpg: truncated', 'skipped 1 more']
    """
    from itertools import islice

    lines = [
        f"skipped {clean(skip.source, 100)}: {clean(skip.reason, 200)}"
        for skip in islice(skips, most)
    ]
    if number > len(lines):
        lines.append(f"skipped {number - len(lines):,} more")
    return lines
