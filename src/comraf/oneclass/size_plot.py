"""Scores over sizes of the core, as a picture that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comraf.oneclass.sizes import SizeScore

__all__ = ["draw"]

_INK, _QUIET, _RULE = "#1f2937", "#64748b", "#e2e8f0"
# Told apart by strokes too, for those who see no colours.
_CURVES = (
    ("score", "#1d4ed8", "3", ""),
    ("separation", "#b45309", "1.5", "6 3"),
    ("stability", "#0f766e", "1.5", "2 3"),
    ("word_stability", "#64748b", "1", "2 5"),
    ("f", "#be185d", "1.5", "9 3 2 3"),
)
_NAMES = {"word_stability": "with half the words", "f": "F"}
_WIDTH, _HEIGHT = 600.0, 330.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 20.0, 68.0, 46.0
# Numbers under the axis must not run into each other.
_APART = 38


def draw(rows: Sequence[SizeScore], best: int, n: int) -> str:
    """SVG of the scores; self-contained, without script or outside references.

    Parameters
    ----------
    rows : sequence of SizeScore
        By rising size.
    best : int
        The size that is marked.
    n : int
        Number of documents.

    Examples
    --------
    >>> from comraf.oneclass.sizes import SizeScore
    >>> picture = draw([SizeScore(5, 0.1, 0.4, 0.5, 0.4), SizeScore(9, 0.6, 0.7, 0.8, 0.5)], 9, 40)
    >>> picture.startswith("<svg"), picture.count("<polyline")
    (True, 4)
    """
    largest = max(row.size for row in rows)

    def x(size: float) -> float:
        return _LEFT + size / largest * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (1 - min(max(value, 0.0), 1.0)) * (_HEIGHT - _TOP - _BOTTOM)

    title = f"Scores of {len(rows)} sizes of the core of {n:,} documents; the best is {best:,}"
    heading = f"How large is the core? {best:,} of {n:,} documents has the best score"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" '
        f'width="{_WIDTH:.0f}" height="{_HEIGHT:.0f}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{_INK}">',
        f"<title>{title}</title>",
        f'<g font-size="14" font-weight="600">{_text(_LEFT, 20, heading, "start", _INK)}</g>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_line(_LEFT, y(tick), _WIDTH - _RIGHT, y(tick), _RULE))
        parts.append(_text(_LEFT - 8, y(tick) + 4, f"{tick:g}", "end", _QUIET))
    parts.append(_line(x(best), _TOP, x(best), _HEIGHT - _BOTTOM, _QUIET))
    chosen = _text(x(best), _HEIGHT - _BOTTOM + 18, f"{best:,}", "middle", _INK)
    parts.append(f'<g font-weight="700">{chosen}</g>')
    taken = [x(best)]
    for row in rows:
        at = x(row.size)
        if all(abs(at - other) >= _APART for other in taken):
            taken.append(at)
            parts.append(_text(at, _HEIGHT - _BOTTOM + 18, f"{row.size:,}", "middle", _QUIET))
    parts.append(_text((_LEFT + _WIDTH) / 2, _HEIGHT - 8, "documents in the core", "middle", _INK))
    place = _LEFT
    for name, colour, width, dashes in _CURVES:
        values = [(row.size, getattr(row, name)) for row in rows]
        points = [(x(size), y(value)) for size, value in values if value is not None]
        if not points:
            continue
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        stroke = f'fill="none" stroke="{colour}" stroke-width="{width}"{dashed}'
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{path}" {stroke}/>')
        if name == "score":
            parts += [
                f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points
            ]
        parts.append(f'<path d="M{place:.1f} 44h24" {stroke}/>')
        shown = _NAMES.get(name, name)
        parts.append(_text(place + 30, 48, shown, "start", _INK))
        place += 48 + 6.4 * len(shown)
    parts.append("</svg>")
    return "\n".join(parts)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
