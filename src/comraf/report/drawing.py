"""What several panels draw: bars, columns and tables of coloured cells, as plain values."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from comraf.report.markup import plain
from comraf.report.scales import STEPS, binned

__all__ = ["SHADES", "bar_width", "columns", "matrix", "shade"]

# Up to this many filled cells each one says what it is; beyond, those of a colour share a path.
_MOST_TITLES = 1200
_LONGEST = 26
# Beside names of the usual length this fits a window of 1280; narrower cells are hard to point at.
_ROOM, _NARROWEST = 724, 13
#: Classes of cells from much less than expected to much more.
SHADES = (*(f"u{i}" for i in range(STEPS, 0, -1)), "z", *(f"o{i}" for i in range(1, STEPS + 1)))


def bar_width(share: float) -> str:
    """The length of a bar in percent of the room there is.

    Examples
    --------
    >>> bar_width(0.5)
    '50.0%'
    """
    return f"{100 * max(0.0, min(1.0, share)):.1f}%"


def columns(counts: Sequence[int], top: float, height: float = 100.0) -> str:
    """The outline of columns one unit wide, as the data of a path.

    Examples
    --------
    >>> columns([2, 0, 1], top=2, height=10)
    'M0 10V0h.9V10zM2 10V5h.9V10z'
    """
    # A hair is left for the smallest count, so that "one" never looks like "none".
    parts = []
    for i, count in enumerate(counts):
        if count > 0:
            rise = max(height * 0.04, height * min(count, top) / max(top, 1e-9))
            parts.append(f"M{i} {height:g}V{height - rise:.3g}h.9V{height:g}z")
    return "".join(parts)


def shade(value: float) -> str:
    """The class of a cell that is log2 of observed over expected.

    Examples
    --------
    >>> shade(1.2), shade(0.1), shade(-9.0)
    ('o1', 'z', 'u4')
    """
    return SHADES[STEPS + binned(value)]


def matrix(
    names: Sequence[str],
    fills: Sequence[Sequence[str]],
    label: str,
    *,
    describe: Callable[[int, int], str],
    texts: Sequence[Sequence[str]] = (),
    blocks: Sequence[tuple[int, int]] = (),
    cell: int = 20,
    least: int = _NARROWEST,
) -> dict[str, Any]:
    """Rows by columns of cells, for the macro ``matrix``; it is called with the number of a row.

    Columns become narrower to fit a window of 1280.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, written upwards.
    fills : sequence of sequence of str
        The class of each cell; empty for a blank one.
    label : str
        What the whole shows, for those who can't see it.
    describe : callable
        What the cell in a row and a column says when pointed at.
    texts : sequence of sequence of str
        Written into the cells.
    blocks : sequence of (first, last)
        Stretches of the diagonal to be framed.
    cell : int
        Height of a cell, and its width where there is room.
    least : int
        How narrow a cell may be.

    Examples
    --------
    >>> matrix(["b"], [["o2"]], "one cell", describe=lambda i, j: "two")["cells"]
    [(0, 19, 'o2', 'two')]
    """
    names = [plain(name, _LONGEST) for name in names]
    longest = max(map(_letters, names), default=0)
    # Sixty degrees: about 6 units a letter, of which 0.87 go up and 0.5 to the right.
    top = round(14 + 5.4 * longest)
    beside = 12 + round(3.2 * longest)
    wide = min(cell, max(least, (_ROOM - beside) // max(1, len(names))))
    places = [
        (j * wide, top + i * cell, fill, i, j)
        for i, row in enumerate(fills)
        for j, fill in enumerate(row)
    ]
    single = sum(bool(fill) for _, _, fill, _, _ in places) <= _MOST_TITLES
    paths: dict[str, list[str]] = {}
    for x, y, fill, _, _ in places:
        if not (single and fill):
            path = f"M{x} {y}h{wide - 1}v{cell - 1}h-{wide - 1}z"
            paths.setdefault(fill or "z", []).append(path)
    return {
        "label": label,
        "n_rows": len(fills),
        "top": top,
        "cell": cell,
        "wide": wide,
        "width": wide * len(names) + beside,
        "height": top + cell * len(fills) + 1,
        "heads": [(f"{(i + 0.6) * wide:.1f}", name) for i, name in enumerate(names)],
        "paths": [(fill, "".join(parts)) for fill, parts in sorted(paths.items())],
        "cells": [(x, y, fill, describe(i, j)) for x, y, fill, i, j in places if single and fill],
        "frames": [(a * wide, top + a * cell, b - a + 1) for a, b in blocks],
        "texts": [
            # The dark half of the scale needs light letters.
            (
                x + 0.5 * wide - 0.5,
                y + 0.5 * cell + 3,
                texts[i][j],
                fill in ("s5", "s6", "s7", "s8"),
            )
            for x, y, fill, i, j in places
            if texts and texts[i][j]
        ],
    }


def _letters(name: str) -> int:
    """Length of a name in Latin letters; Chinese and the like take the room of two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in name)
