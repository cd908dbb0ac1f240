"""Groups over time: a lane for each group, all on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from comraf.report.data import ReportData, Timeline
from comraf.report.markup import plain
from comraf.report.panels.panel import Panel
from comraf.report.periods import make_timeline
from comraf.report.scales import day, plural

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["PANEL", "axis_marks", "shared_top"]

_MOST_TICKS = 7

_TEMPLATE = """\
<h2>Groups over time</h2>
<p class="about">{{ many|capitalize }} of each group by {{ line.unit }}. All groups share one scale;
 the tallest column stands for {{ top|commas }}
{%- if cut %}, and those with still more are cut off.{% else %}.{% endif %}
{%- if line.undated %} {{ line.undated|commas }} without a date are not shown.{% endif %}
{%- if line.outside %} {{ line.outside|commas }} with a date far from all others are not shown.
{%- endif %}</p>
<div class="lanes" style="--h:{{ height }}px">
{% for group, row, label in lanes %}
<a href="#g{{ group.number }}" class="lane">{{ swatch(group.number) }}{{ clip(group.name, 60) }}</a>
<div class="{{ group.number|hue }}">{{ spark(row, top, label) }}</div>
<div class="sum num">{{ row|sum|commas }}</div>
{% endfor %}
<div><span class="soft clip">all, on their own scale</span></div>
<div class="all">{{ spark(total, total|max, "all " ~ many ~ " by " ~ line.unit
  ~ ", on a scale of their own") }}</div>
<div class="sum num">{{ total|sum|commas }}</div>
<div class="axis" aria-hidden="true">
{%- for left, text in marks %}<span style="left:{{ left }}%">{{ text }}</span>{% endfor %}</div>
</div>
"""


def _gather(answer: Answer) -> dict[str, Any]:
    line, first, last = make_timeline(answer.collection.dates, answer.labels, answer.n_groups)
    return {"timeline": line, "first": first, "last": last}


def _show(data: ReportData) -> dict[str, Any]:
    line, many = data.timeline, plural(data.kind)
    if line is None:
        return {}
    lanes = []
    for group, row in zip(data.groups, line.counts, strict=True):
        peak = max(range(len(row)), key=row.__getitem__)
        label = (
            f"group {group.number}, {plain(group.name, 60)}: {many} by {line.unit}, "
            f"most ({row[peak]:,}) from {day(line.starts[peak])}"
        )
        lanes.append((group, row, label))
    top = shared_top(line)
    return {
        "line": line,
        "top": top,
        "cut": max((max(row) for row in line.counts), default=0) > top,
        "height": 34 if len(lanes) <= 12 else 24 if len(lanes) <= 30 else 15,
        "lanes": lanes,
        "total": [sum(column) for column in zip(*line.counts, strict=True)],
        "marks": [
            (f"{100 * place / len(line.starts):.2f}", text)
            for place, text in axis_marks(line.unit, line.starts)
        ],
    }


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


def axis_marks(unit: str, starts: Sequence[date]) -> list[tuple[int, str]]:
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


PANEL = Panel(
    name="time",
    short="Over time",
    template=_TEMPLATE,
    needs=lambda data: data.timeline is not None,
    gather=_gather,
    show=_show,
)
