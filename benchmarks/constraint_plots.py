"""Learning curves to Markdown and SVG: means, paired t-tests, lines with error bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.harness import markdown as table
from comraf.errors import WriteError

__all__ = [
    "Line",
    "curve_table",
    "figure",
    "markdown",
    "p_table",
    "paired_p",
    "plot",
    "run_means",
    "write",
]

Floats = npt.NDArray[np.float64]

# As many as there are methods: two lines must not look alike.
_COLOURS = (
    *("#4c566a", "#9aa3b2", "#b58900", "#d08770", "#1f6fb4"),
    *("#5aa9e6", "#2e8b57", "#c0392b", "#7b4fa3", "#e377c2"),
)
_DASHES = ("6 4", "2 3", "8 3 2 3", "", "", "8 3 2 3", "4 2", "", "6 2", "")


@dataclass(frozen=True)
class Line:
    """One method's curve.

    Attributes
    ----------
    title : str
        Its name in the legend.
    points : dict
        From a place on the axis to the values of each run there.
    flat : bool
        One point that holds everywhere: the method is told nothing.

    Examples
    --------
    >>> line = Line("KMeans", {0: np.array([0.5, 0.7])}, flat=True)
    >>> line.at(100).tolist()
    [0.5, 0.7]
    """

    title: str
    points: Mapping[float, Floats]
    flat: bool = False

    def at(self, x: float) -> Floats:
        """Values of the runs at a place; empty where none was measured."""
        if self.flat and self.points:
            return next(iter(self.points.values()))
        return self.points.get(x, np.empty(0))


def run_means(values: Sequence[float], n_seeds: int) -> Floats:
    """Mean over the folds of each run; folds of one run are no independent samples.

    Examples
    --------
    >>> run_means([0.0, 1.0, 0.5, 0.7], 2).tolist()
    [0.5, 0.6]
    """
    means: Floats = np.asarray(values, dtype=np.float64).reshape(n_seeds, -1).mean(axis=1)
    return means


def paired_p(first: Floats, second: Floats) -> float | None:
    """Probability of a two-tailed paired t-test; None for less than two pairs.

    Examples
    --------
    >>> round(paired_p(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.5, 2.0])), 3)
    0.118
    >>> paired_p(np.ones(3), np.ones(3)), paired_p(np.ones(1), np.ones(1))
    (1.0, None)
    """
    from scipy.stats import ttest_rel

    if len(first) != len(second) or len(first) < 2:
        return None
    gap = first - second
    if np.ptp(gap) <= 1e-12 * (1 + abs(gap).max()):
        # No spread at all: the test is undefined, its limit is not.
        return 1.0 if abs(gap[0]) < 1e-12 else 0.0
    return float(ttest_rel(first, second).pvalue)


def curve_table(
    title: str, axis: str, lines: Sequence[Line], xs: Sequence[float], base: Line | None
) -> str:
    """Markdown: a row for each method, a column for each place on the axis.

    A star marks a mean that differs from the base's with p < 0.005, a dagger p < 0.05.

    Examples
    --------
    >>> base = Line("KMeans", {0: np.array([0.5, 0.6, 0.5])}, flat=True)
    >>> ours = Line("HMRF", {10: np.array([0.8, 0.92, 0.81])})
    >>> print(curve_table("Iris, NMI", "links", [base, ours], [10], base))
    ### Iris, NMI
    <BLANKLINE>
    | links | 10 |
    |---|---|
    | KMeans | .533 |
    | HMRF | .843 * |
    """
    rows = []
    for line in lines:
        cells = []
        for x in xs:
            values = line.at(x)
            if not len(values):
                cells.append("–")
                continue
            mark = ""
            if base is not None and line is not base:
                p = paired_p(values, base.at(x))
                mark = " *" if p is not None and p < 0.005 else ""
                mark = " †" if not mark and p is not None and p < 0.05 else mark
            cells.append(_number(float(values.mean())) + mark)
        rows.append([line.title, *cells])
    return f"### {title}\n\n{table([axis, *map(_short, xs)], rows)}"


def p_table(axis: str, pairs: Sequence[tuple[Line, Line]], xs: Sequence[float]) -> str:
    """Markdown: mean gain of one method over another, and p of the paired t-test.

    Examples
    --------
    >>> low = Line("KMeans", {0: np.array([0.5, 0.6, 0.5])}, flat=True)
    >>> high = Line("HMRF", {10: np.array([0.8, 0.92, 0.81])})
    >>> print(p_table("links", [(high, low)], [10]))
    | gain (p), links | 10 |
    |---|---|
    | HMRF − KMeans | +.310 (.0003) |
    """
    rows = []
    for first, second in pairs:
        cells = []
        for x in xs:
            one, two = first.at(x), second.at(x)
            p = paired_p(one, two)
            if p is None:
                cells.append("–")
                continue
            gain = float((one - two).mean())
            text = f"{'+' if gain >= 0 else '−'}{_number(abs(gain))}"
            cells.append(f"{text} ({'<.0001' if p < 1e-4 else f'{p:.4f}'.removeprefix('0')})")
        rows.append([f"{first.title} − {second.title}", *cells])
    return table([f"gain (p), {axis}", *map(_short, xs)], rows) if pairs else ""


def figure(
    file: Path,
    title: str,
    axis: str,
    value: str,
    lines: Mapping[str, Line],
    xs: Sequence[float],
    base: Line | None = None,
    against: Sequence[tuple[str, str]] = (),
) -> list[str]:
    """Markdown of curves by the names of methods, of gains between some; a picture to a file."""
    shown = [line for line in lines.values() if line.points]
    if not shown or not xs:
        return []
    pairs = [(lines[a], lines[b]) for a, b in against if a in lines and b in lines]
    write(file, plot(title, axis, value, shown, xs))
    texts = [curve_table(title, axis, shown, xs, base), p_table(axis, pairs, xs)]
    return [*filter(None, texts), f"![{title}]({file.name})"]


def markdown(texts: Sequence[str], note: str) -> str:
    """Tables under one note."""
    return "\n\n".join([note, *filter(None, texts)]) + "\n"


def _number(value: float) -> str:
    if 0 <= value < 1:
        return f"{value:.3f}".removeprefix("0")
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def _short(x: float) -> str:
    return f"{x:,.0f}" if float(x).is_integer() else f"{x:g}"


def _ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers that span a range.

    Examples
    --------
    >>> _ticks(0.43, 0.91)
    [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    """
    span = max(high - low, 1e-9 * max(abs(high), 1.0), 1e-12)
    step = 10.0 ** math.floor(math.log10(span / wanted))
    step *= min((m for m in (1, 2, 5, 10) if span / (step * m) <= wanted), default=10)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, max(last, first + 1) + 1)]


_WIDE, _HIGH = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 36, 48


def plot(title: str, axis: str, value: str, lines: Sequence[Line], xs: Sequence[float]) -> str:
    """An SVG picture of curves; bars are one standard error of the mean of the runs.

    Examples
    --------
    >>> line = Line("HMRF", {10: np.array([0.8, 0.9]), 20: np.array([0.9, 0.9])})
    >>> text = plot("Iris", "links", "NMI", [line], [10, 20])
    >>> text.startswith("<svg"), text.count("<polyline"), text.count("<circle")
    (True, 1, 2)
    """
    shown = [(i, line) for i, line in enumerate(lines) if any(len(line.at(x)) for x in xs)]
    means = [float(line.at(x).mean()) for _, line in shown for x in xs if len(line.at(x))]
    if not means:
        return ""
    marks = _ticks(min(means), max(means))
    low, high = marks[0], marks[-1]
    left, right = min(xs), max(xs)

    def across(x: float) -> float:
        share = (x - left) / (right - left) if right > left else 0.5
        return _LEFT + share * (_WIDE - _LEFT - _RIGHT)

    def down(y: float) -> float:
        return _HIGH - _BOTTOM - (y - low) / (high - low) * (_HIGH - _TOP - _BOTTOM)

    foot = _HIGH + 18 * len(shown)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {foot}" '
        f'width="{_WIDE}" height="{foot}" font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDE}" height="{foot}" fill="white"/>',
        f'<text x="{_WIDE / 2}" y="20" text-anchor="middle" font-size="14">{escape(title)}</text>',
    ]
    for mark in marks:
        y = down(mark)
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        text = f"{mark:g}" if abs(mark) < 1e5 else f"{mark:,.0f}"
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    base = _HIGH - _BOTTOM
    last = -math.inf
    for x in xs:
        if across(x) - last < 28:  # numbers that would touch
            continue
        last = across(x)
        parts.append(
            f'<text x="{last:.1f}" y="{base + 16}" text-anchor="middle">{_short(x)}</text>'
        )
    parts.append(
        f'<text x="{(_LEFT + _WIDE - _RIGHT) / 2}" y="{base + 34}" text-anchor="middle">'
        f"{escape(axis)}</text>"
    )
    middle = (_TOP + base) / 2
    parts.append(
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
        f"{escape(value)}</text>"
    )
    for place, (number, line) in enumerate(shown):
        colour = _COLOURS[number % len(_COLOURS)]
        dash = _DASHES[number % len(_DASHES)]
        style = f'stroke="{colour}" stroke-width="2"' + (
            f' stroke-dasharray="{dash}"' if dash else ""
        )
        there = [(x, line.at(x)) for x in xs if len(line.at(x))]
        path = " ".join(f"{across(x):.1f},{down(float(v.mean())):.1f}" for x, v in there)
        parts.append(f'<polyline points="{path}" fill="none" {style}/>')
        for x, values in there if not line.flat else ():
            at, y = across(x), down(float(values.mean()))
            parts.append(f'<circle cx="{at:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
            if len(values) > 1:
                error = float(values.std(ddof=1)) / math.sqrt(len(values))
                ends = [
                    min(max(down(float(values.mean()) + s * error), _TOP), base) for s in (1, -1)
                ]
                parts.append(
                    f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{ends[0]:.1f}" y2="{ends[1]:.1f}" '
                    f'stroke="{colour}"/>'
                )
        y = _HIGH + 18 * place + 4
        parts.append(f'<line x1="{_LEFT}" x2="{_LEFT + 28}" y1="{y}" y2="{y}" {style}/>')
        parts.append(f'<text x="{_LEFT + 36}" y="{y + 4}">{escape(line.title)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def write(path: Path, text: str) -> None:
    """Write a report or a picture, its folder too."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WriteError(f"can't write {str(path)!r}: {error.strerror}") from error
