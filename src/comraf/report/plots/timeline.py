"""Groups over time: a lane for each group, all on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from comraf.report.data import Group, Timeline
from comraf.report.marks import hue
from comraf.report.markup import Markup, el, plain, user
from comraf.report.parts import swatch
from comraf.report.plots.spark import spark
from comraf.report.scales import day, plural

__all__ = ["axis", "plot_timeline", "shared_top"]

_MOST_TICKS = 7


def plot_timeline(timeline: Timeline, groups: Sequence[Group], kind: str) -> Markup:
    """Lanes of columns above a common axis.

    Examples
    --------
    >>> when = Timeline("day", (date(2026, 1, 1), date(2026, 1, 2)), ((1, 2),))
    >>> "lanes" in plot_timeline(when, [Group(0, "sea", 3, 1.0)], "message")
    True
    """
    top = shared_top(timeline)
    height = 34 if len(groups) <= 12 else 24 if len(groups) <= 30 else 15
    lanes: list[Markup] = []
    for group, row in zip(groups, timeline.counts, strict=True):
        peak = max(range(len(row)), key=row.__getitem__)
        label = (
            f"group {group.number}, {plain(group.name, 60)}: {plural(kind)} by {timeline.unit}, "
            f"most ({row[peak]:,}) from {day(timeline.starts[peak])}"
        )
        lanes += [
            el(
                "a",
                swatch(group.number),
                user(group.name, 60, class_="clip"),
                href=f"#g{group.number}",
                class_="lane",
            ),
            el("div", spark(row, top, label), class_=hue(group.number)),
            el("div", f"{sum(row):,}", class_="sum num"),
        ]
    total = [sum(column) for column in zip(*timeline.counts, strict=True)]
    label = f"all {plural(kind)} by {timeline.unit}, on a scale of their own"
    lanes += [
        el("div", el("span", "all, on their own scale", class_="soft clip")),
        el("div", spark(total, max(total), label), class_="all"),
        el("div", f"{sum(total):,}", class_="sum num"),
        axis(timeline),
    ]
    return el("div", lanes, class_="lanes", style=f"--h:{height}px")


def shared_top(timeline: Timeline) -> int:
    """The count that reaches the top of every lane.

    It is the largest one, unless a few columns tower so high that all others would be flat.

    Examples
    --------
    >>> days = tuple(date(2026, 1, day) for day in range(1, 31))
    >>> shared_top(Timeline("day", days, ((3,) * 29 + (200,), (2,) * 30)))
    9
    """
    counts = sorted(count for row in timeline.counts for count in row if count)
    if not counts:
        return 1
    high = counts[min(len(counts) - 1, int(0.97 * len(counts)))]
    return counts[-1] if counts[-1] <= 4 * high else 3 * high


def axis(timeline: Timeline) -> Markup:
    """Where years, months or days begin, under the lanes.

    Examples
    --------
    >>> when = Timeline("month", (date(2025, 12, 1), date(2026, 1, 1)), ((1, 2),))
    >>> axis(when).count("<span")
    2
    """
    starts = timeline.starts
    marks = _marks(timeline.unit, starts)
    spans = [
        el("span", text, style=f"left:{100 * place / len(starts):.2f}%") for place, text in marks
    ]
    return el("div", spans, class_="axis", aria_hidden="true")


def _marks(unit: str, starts: Sequence[date]) -> list[tuple[int, str]]:
    """Places of labels, at the boundaries that a calendar has."""
    first = [0]
    if unit == "day":
        kept = list(range(len(starts)))
        named = [day(start, year=False) for start in starts]
    elif unit in ("week", "month"):
        # A week belongs to the month that its Monday is in.
        kept = first + [i for i in range(1, len(starts)) if starts[i].month != starts[i - 1].month]
        named = [
            day(start)[-8:] if i == 0 or start.month == 1 else day(start, year=False)[-3:]
            for i, start in enumerate(starts)
        ]
    else:
        kept = first + [i for i in range(1, len(starts)) if starts[i].year != starts[i - 1].year]
        named = [str(start.year) for start in starts]
    step = -(-len(kept) // _MOST_TICKS)
    kept = kept[::step]
    # The last label needs room to the right of its mark.
    return [(i, named[i]) for i in kept if i == 0 or i <= 0.93 * len(starts)]
