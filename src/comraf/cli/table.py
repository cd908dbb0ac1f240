"""Tables for the terminal: whole words only, at most two lines for each group.

Where the window is wide enough, every group takes one line, with a column for each side.
Where it is not, the first side has the line to itself and the others share a second one
below it. No name is ever broken at the end of a line: what does not fit is left out, and
an ellipsis says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comraf.cli.show import clean

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Facts", "Listing", "fitted", "lay_out", "shares"]

_GAP = 2
_LEAST_COLUMN = 32  # beside others on one line; a list of fewer letters says little
_LEAST_BELOW = 15  # on the second line
_LEAST_ROOM = 12  # however narrow the window is
_MOST_VALUES = 8
_LONGEST_NAME = 40


@dataclass(frozen=True)
class Facts:
    """A narrow column that is always shown whole: numbers, or a few short words."""

    heading: str
    cells: Sequence[str]
    right: bool = True


@dataclass(frozen=True)
class Listing:
    """A column of lists of names, the best first, of which as many are shown as fit."""

    heading: str
    rows: Sequence[Sequence[str]]


def width_of(text: str) -> int:
    """How many places a text takes on the terminal.

    Examples
    --------
    >>> width_of("sea"), width_of("日本")
    (3, 4)
    """
    from rich.cells import cell_len

    return cell_len(text)


def fitted(names: Sequence[str], width: int, dots: str = "…") -> str:
    """As many names as there is room for, with dots where some were left out.

    Parameters
    ----------
    names : sequence of str
        The most important first.
    width : int
        Places on the terminal.
    dots : str
        What stands for the rest.

    Examples
    --------
    >>> fitted(["sleep", "partner", "pain"], 40), fitted(["sleep", "partner", "pain"], 16)
    ('sleep, partner, pain', 'sleep, partner …')
    >>> fitted(["Lance Schuler-Legal"], 12), fitted(["temperature"], 8)
    ('Lance …', 'tempera…')
    """
    shown = ", ".join(names)
    if width_of(shown) <= width:
        return shown
    room = width - width_of(dots) - 1
    kept: list[str] = []
    for name in names:
        if width_of(", ".join([*kept, name])) > room:
            break
        kept.append(name)
    if kept:
        return f"{', '.join(kept)} {dots}"
    # Not even the first one: as many of its words as fit, and letters if it is one long word.
    words = names[0].split()
    while len(words) > 1:
        words.pop()
        if width_of(" ".join(words)) <= room:
            return f"{' '.join(words)} {dots}"
    letters = names[0]
    while letters and width_of(letters) + width_of(dots) > width:
        letters = letters[:-1]
    return letters.rstrip() + dots


def shares(needs: Sequence[int], room: int) -> list[int]:
    """Room for each of several columns: those that need little leave the rest to the others.

    Examples
    --------
    >>> shares([10, 50, 60], 70), shares([10, 20], 70)
    ([10, 30, 30], [10, 20])
    """
    out = [0] * len(needs)
    left = room
    # The most modest first; each may take an equal part of what is left.
    for place, i in enumerate(sorted(range(len(needs)), key=lambda i: needs[i])):
        out[i] = min(needs[i], left // (len(needs) - place))
        left -= out[i]
    return out


def lay_out(
    facts: Sequence[Facts],
    listings: Sequence[Listing],
    width: int,
    *,
    dots: str = "…",
    rule: str = "─",
) -> list[Text]:
    """The lines of a table.

    Parameters
    ----------
    facts : sequence of Facts
        Columns at the left; all as long as each other.
    listings : sequence of Listing
        Lists of names, the most important side first. Sides for which no room is left are
        not shown.
    width : int
        Places in a line.
    dots, rule : str
        For terminals that have only ASCII.

    Examples
    --------
    >>> sizes = Facts("size", ["86", "7"])
    >>> words = Listing("words", [["sleep", "foam"], ["tea"]])
    >>> for line in lay_out([sizes], [words], 30):
    ...     print(line.plain)
      size  words
     ──────────────────
        86  sleep, foam
         7  tea
    """
    from rich.text import Text

    cleaned = [
        [[clean(name, _LONGEST_NAME) for name in row[:_MOST_VALUES]] for row in listing.rows]
        for listing in listings
    ]
    heads = [clean(listing.heading) for listing in listings]
    wide = [
        max([width_of(clean(column.heading)), *(width_of(cell) for cell in column.cells)])
        for column in facts
    ]
    left = _GAP + sum(wide) + _GAP * len(facts)
    room = max(_LEAST_ROOM, width - left)
    needs = [
        max([width_of(head), *(width_of(", ".join(row)) for row in rows)])
        for head, rows in zip(heads, cleaned, strict=True)
    ]
    first, below = _arranged(needs, room)

    def line(number: int | None) -> list[Text]:
        """The one or two lines of a row; the heading where there is no number."""
        shown = Text(" " * _GAP)
        for column, span in zip(facts, wide, strict=True):
            cell = clean(column.heading) if number is None else column.cells[number]
            pad = " " * (span - width_of(cell))
            shown.append(pad + cell if column.right else cell + pad)
            shown.append(" " * _GAP)
        lines = [shown]
        for place, widths in enumerate((first, below)):
            if not widths:
                continue
            if place == 1:
                lines.append(Text(" " * left))
            for i, span in widths:
                cell = heads[i] if number is None else fitted(cleaned[i][number], span, dots)
                lines[-1].append(
                    cell + " " * (span - width_of(cell) + _GAP),
                    style="" if number is None or place == 0 else "dim",
                )
        for each in lines:
            each.rstrip()
            if number is None:
                each.stylize("bold")
        return lines

    n_rows = len(facts[0].cells) if facts else len(cleaned[0])
    body = [each for number in range(n_rows) for each in line(number)]
    heading = line(None)
    reach = max(width_of(each.plain) for each in [*heading, *body])
    return [*heading, Text(" " + rule * (min(reach, max(width, left)) - 1), style="dim"), *body]


_Widths = list[tuple[int, int]]


def _arranged(needs: Sequence[int], room: int) -> tuple[_Widths, _Widths]:
    """Which lists stand on the first line and which on the second, each with its width."""

    def widths(which: Sequence[int], least: int) -> _Widths | None:
        spans = shares([needs[i] for i in which], room - _GAP * (len(which) - 1))
        enough = all(span >= min(needs[i], least) for i, span in zip(which, spans, strict=True))
        return list(zip(which, spans, strict=True)) if enough else None

    everything = list(range(len(needs)))
    if not everything:
        return [], []
    if len(everything) == 1:
        return [(0, room)], []
    beside = widths(everything, _LEAST_COLUMN)
    if beside is not None:
        return beside, []
    rest = everything[1:]
    while len(rest) > 1:
        below = widths(rest, _LEAST_BELOW)
        if below is not None:
            return [(0, room)], below
        rest.pop()
    return [(0, room)], [(rest[0], room)]
