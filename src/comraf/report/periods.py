"""Days into periods: as fine as can be read, whatever a few wrong clocks say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.report.data import Timeline

__all__ = ["day_of", "make_timeline"]

_MOST_PERIODS, _FEWEST = 80, 12
_FILLED = 1.5  # documents that a column should hold on average
# Beyond this many times the span of the middle 96% of documents, a date is thought a mistake.
_FAR = 3.0


def day_of(when: Any) -> date | None:
    """The day, in UTC where a zone is known; None if there is none.

    Examples
    --------
    >>> day_of(datetime(2026, 3, 9, 23, 30, tzinfo=UTC) + timedelta(hours=1))
    datetime.date(2026, 3, 10)
    """
    if isinstance(when, np.datetime64):
        # A year beyond the calendar comes out as a number instead.
        when = None if np.isnat(when) else when.astype("datetime64[s]").item()
    if isinstance(when, datetime):
        if when.tzinfo is not None:
            try:
                when = when.astimezone(UTC)
            except OverflowError:  # the first and the last day that there are
                return None
        day: date = when.date()
        return day
    return when if isinstance(when, date) else None


def make_timeline(
    dates: Iterable[Any], labels: npt.NDArray[np.integer], n_groups: int
) -> tuple[Timeline | None, date | None, date | None]:
    """Documents of each group in each period, and the first and the last day shown.

    Nothing is shown (None) where fewer than three documents are dated or all on one day. Dates
    far away from nearly all others are counted as outside instead of stretching the axis.

    Examples
    --------
    >>> days = [date(2026, 1, 1) + timedelta(days=7 * i) for i in range(20)]
    >>> timeline, first, last = make_timeline(days, np.arange(20) % 2, 2)
    >>> timeline.unit, len(timeline.starts), sum(map(sum, timeline.counts))
    ('week', 20, 20)
    """
    ordinals = _ordinals(dates)
    dated = ordinals > 0
    days = ordinals[dated]
    if len(days) == 0:
        return None, None, None
    low, high = _usual_range(days)
    inside = (days >= low) & (days <= high)
    kept = days[inside]
    first, last = date.fromordinal(int(kept.min())), date.fromordinal(int(kept.max()))
    if len(kept) < 3 or first == last:
        return None, first, last
    unit, starts = _periods(first, last, len(kept) / (_FILLED * n_groups))
    edges = np.array([start.toordinal() for start in starts])
    period = np.searchsorted(edges, kept, side="right") - 1
    counts = np.zeros((n_groups, len(starts)), dtype=np.int64)
    np.add.at(counts, (labels[dated][inside], period), 1)
    timeline = Timeline(
        unit,
        tuple(starts),
        tuple(tuple(row) for row in counts.tolist()),
        undated=int((~dated).sum()),
        outside=int((~inside).sum()),
    )
    return timeline, first, last


def _ordinals(dates: Iterable[Any]) -> npt.NDArray[np.int64]:
    """Days counted from the first of the year 1; 0 where there is none."""
    if isinstance(dates, np.ndarray) and dates.dtype.kind == "M":
        days = dates.astype("datetime64[D]").astype(np.int64)
        first = 1 - date(1970, 1, 1).toordinal()
        last = date.max.toordinal() + first - 1
        # NaT, and years that a calendar does not have
        lost = np.isnat(dates) | (days < first) | (days > last)
        return np.where(lost, 0, days - first + 1)
    found = (day_of(when) for when in dates)
    return np.array([0 if day is None else day.toordinal() for day in found], dtype=np.int64)


def _usual_range(days: npt.NDArray[np.int64]) -> tuple[int, int]:
    low, high = (int(edge) for edge in np.quantile(days, (0.02, 0.98), method="nearest"))
    reach = max(31.0, _FAR * (high - low))
    return round(low - reach), round(high + reach)


def _periods(first: date, last: date, wanted: float) -> tuple[str, Sequence[date]]:
    """The finest calendar unit that gives few enough periods."""
    # Not more than can be seen, and not many more than ``wanted``, so that columns hold more than
    # one document each; but not fewer than about a dozen if a finer unit has them.
    n_days = (last - first).days + 1
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    most = max(float(_FEWEST), min(float(_MOST_PERIODS), wanted))
    monday = date.fromordinal(max(1, first.toordinal() - first.weekday()))
    weeks = (last - monday).days // 7 + 1
    # A unit is passed over for a coarser one only if that has enough periods left.
    if n_days <= most or weeks < _FEWEST:
        return "day", [first + timedelta(days=i) for i in range(n_days)]
    if weeks <= most or (months < _FEWEST and weeks <= _MOST_PERIODS):
        return "week", [monday + timedelta(days=7 * i) for i in range(weeks)]
    for unit, length in (("month", 1), ("quarter", 3), ("year", 12)):
        if months <= length * most or months < 3 * _FEWEST * length or unit == "year":
            break
    start = (first.year * 12 + first.month - 1) // length * length
    end = last.year * 12 + last.month - 1
    return unit, [date(m // 12, m % 12 + 1, 1) for m in range(start, end + 1, length)]
