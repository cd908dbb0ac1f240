"""Choices that were tried as one HTML file: each is a point, and the best is said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from comraf.report.page import contents, fill_page

__all__ = ["Point", "SelectionData", "render_selection"]

_WIDTH, _HEIGHT, _LEFT, _BELOW, _MARGIN = 640.0, 320.0, 64.0, 44.0, 14.0
_TICKS = 4


@dataclass(frozen=True)
class Point:
    """A choice.

    Attributes
    ----------
    name : str
    information, foretold, agreement : float
        What it is drawn by; nan where that is not known.
    gain, error : float
        How much better than the first one, and the standard error of that.
    """

    name: str
    information: float
    foretold: float
    agreement: float
    gain: float
    error: float


@dataclass(frozen=True)
class SelectionData:
    """Everything that the page shows.

    Attributes
    ----------
    title : str
        What the collection is called.
    points : tuple of Point
        The best first.
    best, first : int
        Which of them to take, and which all are compared with.
    sentence : str
        What is best, or that nothing is.
    ask : str
        How to ask for it.
    many : str
        How many items there are.
    known : str
        How many labels and links they are ranked by; "" without any.
    correlation : float
        How far what is foretold goes with agreement; nan where nothing is known.
    notes : tuple of str
    made : datetime or None
        When.
    version : str
        Of comraf.
    """

    title: str
    points: tuple[Point, ...]
    best: int
    first: int
    sentence: str
    ask: str
    many: str
    known: str = ""
    correlation: float = math.nan
    notes: tuple[str, ...] = ()
    made: datetime | None = None
    version: str = ""


def render_selection(data: SelectionData) -> str:
    """Draw the page: no script, nothing from elsewhere, every string escaped.

    Examples
    --------
    >>> nan = float("nan")
    >>> points = Point("<b>", 1.0, 1.0, nan, 0.1, 0.01), Point("words", 2.0, 0.9, nan, 0.0, 0.0)
    >>> page = render_selection(SelectionData("news", points, 0, 1, "<b> is best", "", "9 items"))
    >>> page.count("<circle"), "&lt;b&gt; is best" in page, "<b> is" in page
    (2, True, False)
    """
    sections = [("choices", "Choices"), ("all", "All that was tried")]
    sections += [("notes", "Notes")] if data.notes else []
    return fill_page(
        "selection.html", data=data, contents=contents(sections), rows=_rows(data), **_figure(data)
    )


def _rows(data: SelectionData) -> list[tuple[Any, ...]]:
    """Cells of the table: nothing stands where nothing is known."""

    def told(value: float, how: str) -> str:
        return "" if math.isnan(value) else format(value, how)

    how = "+.2f" if data.known else "+.1%"
    return [
        (
            number,
            point.name,
            told(point.information, ".3f"),
            told(point.foretold, ".0%"),
            told(point.agreement, ".3f"),
            "" if number - 1 == data.first else told(point.gain, how),
            "" if number - 1 == data.first else told(point.error, how[1:]),
            number - 1 == data.best,
        )
        for number, point in enumerate(data.points, 1)
    ]


def _figure(data: SelectionData) -> dict[str, Any]:
    """Places of the points: what is foretold over information, or agreement over that."""
    labelled = bool(data.known) and not math.isnan(data.correlation)
    across = [point.foretold if labelled else point.information for point in data.points]
    up = [point.agreement if data.known else point.foretold for point in data.points]
    known = [
        i for i, pair in enumerate(zip(across, up, strict=True)) if not any(map(math.isnan, pair))
    ]
    x, x_ticks = _scale([across[i] for i in known], _LEFT, _WIDTH - _MARGIN)
    y, y_ticks = _scale([up[i] for i in known], _HEIGHT, _MARGIN)
    marks = [
        (i + 1, x(across[i]), y(up[i]), i == data.best, f"{i + 1}: {data.points[i].name}")
        for i in known
    ]
    shown = ".2f" if data.known else ".0%"
    beside = ".0%" if labelled else ".2f"
    return {
        "marks": marks,
        "box": f"0 0 {_WIDTH:.0f} {_HEIGHT + _BELOW:.0f}",
        "left": _LEFT,
        "right": _WIDTH - _MARGIN,
        "bottom": _HEIGHT,
        "below": _HEIGHT + _BELOW - 6.0,
        "x_ticks": [(x(value), format(value, beside)) for value in x_ticks],
        "y_ticks": [(y(value), format(value, shown)) for value in y_ticks],
        "x_name": "what groups foretell, as a share of the most"
        if labelled
        else "information of the groups, in nats",
        "y_name": "agreement with what is known"
        if data.known
        else "what groups foretell, as a share of the most",
        "correlated": "" if math.isnan(data.correlation) else f"{data.correlation:.2f}",
    }


def _scale(values: Sequence[float], start: float, end: float) -> tuple[Any, list[float]]:
    """Where values stand between two ends, and round numbers among them.

    Examples
    --------
    >>> place, ticks = _scale([0.1, 0.3], 0.0, 100.0)
    >>> [place(value) for value in (0.1, 0.3)], [round(tick, 2) for tick in ticks]
    ([4.5, 95.5], [0.1, 0.2, 0.3])
    """
    least, most = min(values, default=0.0), max(values, default=1.0)
    room = 0.05 * (most - least) or 0.5
    least, most = least - room, most + room
    rough = (most - least) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= rough * 0.999)

    def place(value: float) -> float:
        return round(start + (end - start) * (value - least) / (most - least), 1)

    first, last = math.ceil(least / step), math.floor(most / step)
    return place, [number * step for number in range(first, last + 1)]
