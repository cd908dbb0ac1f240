"""A table as coloured cells, the names of its rows staying in sight."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from comraf.report.markup import Markup, el, plain

__all__ = ["plot_matrix"]

# Up to this many filled cells each one says what it is; beyond, those of a colour share a path.
_MOST_TITLES = 1200
_LONGEST = 26
# Beside names of the usual length this fits a window of 1280; narrower cells are hard to point at.
_ROOM, _NARROWEST = 724, 13


def plot_matrix(
    rows: Sequence[Markup],
    columns: Sequence[str],
    fills: Sequence[Sequence[str]],
    label: str,
    *,
    describe: Callable[[int, int], str] | None = None,
    texts: Sequence[Sequence[str]] | None = None,
    blocks: Sequence[tuple[int, int]] = (),
    cell: int = 20,
    least: int = _NARROWEST,
) -> Markup:
    """Rows by columns of cells, in a box that scrolls by itself where it is too wide, and says so.

    Columns become narrower to fit a window of 1280.

    Parameters
    ----------
    rows : sequence of Markup
        What stands before each row.
    columns : sequence of str
        Names of the columns, written upwards.
    fills : sequence of sequence of str
        The class of each cell; empty for a blank one.
    label : str
        What the whole shows, for those who can't see it.
    describe : callable, optional
        What the cell in a row and a column says when pointed at.
    texts : sequence of sequence of str, optional
        Written into the cells.
    blocks : sequence of (first, last)
        Stretches of the diagonal to be framed.
    cell : int
        Height of a cell, and its width where there is room.
    least : int
        How narrow a cell may be.

    Examples
    --------
    >>> plot_matrix([Markup("a")], ["b"], [["o2"]], "one cell").count("<path")
    1
    """
    names = [plain(name, _LONGEST) for name in columns]
    longest = max(map(_letters, names), default=0)
    # Sixty degrees: about 6 units a letter, of which 0.87 go up and 0.5 to the right.
    top = round(14 + 5.4 * longest)
    beside = 12 + round(3.2 * longest)
    wide = min(cell, max(least, (_ROOM - beside) // max(1, len(columns))))
    width = wide * len(columns) + beside
    height = top + cell * len(rows) + 1
    heads = [
        el(
            "text",
            name,
            transform=f"translate({(i + 0.6) * wide:.1f} {top - 5}) rotate(-60)",
        )
        for i, name in enumerate(names)
    ]
    n_filled = sum(bool(fill) for row in fills for fill in row)
    if n_filled <= _MOST_TITLES and describe is not None:
        cells = _single(fills, describe, (wide, cell), top)
    else:
        cells = _together([[fill or "z" for fill in row] for row in fills], (wide, cell), top)
    written = [] if texts is None else _written(texts, fills, (wide, cell), top)
    frames = [
        el(
            "rect",
            x=a * wide,
            y=top + a * cell,
            width=(b - a + 1) * wide - 1,
            height=(b - a + 1) * cell - 1,
            class_="edge",
        )
        for a, b in blocks
    ]
    picture = el(
        "svg",
        el("title", label),
        heads,
        cells,
        frames,
        written,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
    )
    side = el("ol", (el("li", el("div", row, class_="line")) for row in rows), class_="rows")
    return el(
        "div",
        el("div", el("p", "scroll sideways →", class_="hint"), class_="room"),
        side,
        # A box that scrolls must be reachable by keyboard.
        el("div", picture, class_="scroll", tabindex=0, role="region", aria_label=label),
        class_="heat",
        style=f"--cell:{cell}px;--top:{top}px;--wide:{width}px",
    )


def _letters(name: str) -> int:
    """Length of a name in Latin letters; Chinese and the like take the room of two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in name)


def _single(
    fills: Sequence[Sequence[str]],
    describe: Callable[[int, int], str],
    cell: tuple[int, int],
    top: int,
) -> list[Markup]:
    blank = [["" if fill else "z" for fill in row] for row in fills]
    return _together(blank, cell, top) + [
        el(
            "rect",
            el("title", describe(i, j)),
            x=j * cell[0],
            y=top + i * cell[1],
            width=cell[0] - 1,
            height=cell[1] - 1,
            class_=fill,
        )
        for i, row in enumerate(fills)
        for j, fill in enumerate(row)
        if fill
    ]


def _together(fills: Sequence[Sequence[str]], cell: tuple[int, int], top: int) -> list[Markup]:
    paths: dict[str, list[str]] = {}
    wide, high = cell
    for i, row in enumerate(fills):
        for j, fill in enumerate(row):
            if not fill:
                continue
            path = f"M{j * wide} {top + i * high}h{wide - 1}v{high - 1}h-{wide - 1}z"
            paths.setdefault(fill, []).append(path)
    return [el("path", d="".join(parts), class_=fill) for fill, parts in sorted(paths.items())]


def _written(
    texts: Sequence[Sequence[str]],
    fills: Sequence[Sequence[str]],
    cell: tuple[int, int],
    top: int,
) -> list[Markup]:
    return [
        el(
            "text",
            text,
            x=(j + 0.5) * cell[0] - 0.5,
            y=top + (i + 0.5) * cell[1] + 3,
            # The dark half of the scale needs light letters.
            class_="n over" if fills[i][j] in ("s5", "s6", "s7", "s8") else "n",
            aria_hidden="true",
        )
        for i, row in enumerate(texts)
        for j, text in enumerate(row)
        if text
    ]
