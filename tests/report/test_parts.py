"""Periods, snippets, the layout of the map, scales and colours."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.report.data import Timeline
from comraf.report.layout import arrange, pick_rows, place_documents, spread
from comraf.report.marks import HUES
from comraf.report.panels.timeline import axis_marks, shared_top
from comraf.report.periods import day_of, make_timeline
from comraf.report.scales import STEPS, binned, lightness, percent, ticks
from comraf.report.snippets import snippet
from comraf.report.style import _OVER, _UNDER, stylesheet
from tests.strategies import seeds


@pytest.mark.parametrize(
    ("days", "unit"),
    [(10, "day"), (60, "day"), (200, "week"), (900, "month"), (6000, "quarter"), (60_000, "year")],
)
def test_periods_are_as_fine_as_can_be_read(days: int, unit: str) -> None:
    """From days to years, never more columns than can be told apart, none missing between."""
    start = date(1850, 3, 5)
    dates = [start + timedelta(days=i) for i in range(days)]
    line, first, last = make_timeline(dates, np.zeros(days, dtype=int), 1)
    assert line is not None
    assert (line.unit, first, last) == (unit, dates[0], dates[-1])
    assert sum(line.counts[0]) == days
    assert 8 <= len(line.starts) <= 170
    # every period but the first and the last is full, so no day fell into a neighbour
    inner = line.counts[0][1:-1]
    span = [(b - a).days for a, b in zip(line.starts[1:-1], line.starts[2:], strict=True)]
    assert list(inner) == span


def test_thin_columns_are_put_together() -> None:
    """Many groups and few documents are counted by month rather than by week."""
    days = [date(2025, 1, 1) + timedelta(days=i) for i in range(0, 500, 2)]
    few, _, _ = make_timeline(days, np.zeros(250, dtype=int), 1)
    many, _, _ = make_timeline(days, np.arange(250) % 20, 20)
    assert few is not None
    assert many is not None
    assert (few.unit, many.unit) == ("week", "month")


def test_wrong_clocks_do_not_stretch_the_axis() -> None:
    """Mail from 1970 and 2038 is counted as outside, mail without a date as undated."""
    days = [date(2001, 1, 1) + timedelta(days=i % 90) for i in range(400)]
    odd = [date(1970, 1, 1), date(2038, 1, 19), None]
    line, first, last = make_timeline([*days, *odd], np.zeros(403, dtype=int), 1)
    assert line is not None
    assert (first, last) == (date(2001, 1, 1), date(2001, 3, 31))
    assert (line.outside, line.undated, sum(line.counts[0])) == (2, 1, 400)


@pytest.mark.parametrize(
    "dates", [[], [None] * 5, [date(2026, 1, 1)] * 9, [date(2026, 1, 1), None]]
)
def test_no_timeline_where_there_is_no_time(dates: list[date | None]) -> None:
    """No dates, or all on one day, make no picture."""
    assert make_timeline(dates, np.zeros(len(dates), dtype=int), 1)[0] is None


def test_days_are_those_of_utc() -> None:
    """A zone moves the day; the ends of the calendar and other things have none."""
    late = datetime(2026, 3, 9, 23, 30, tzinfo=timezone(timedelta(hours=-2)))
    assert day_of(late) == date(2026, 3, 10)
    assert day_of(datetime(2026, 3, 9, 23, 30)) == date(2026, 3, 9)
    assert day_of(datetime.max.replace(tzinfo=timezone(timedelta(hours=-2)))) is None
    assert day_of(np.datetime64("2026-03-09T10:00")) == date(2026, 3, 9)
    assert day_of(np.datetime64("30000-01-01")) is None
    assert day_of("2026-03-09") is None
    assert day_of(datetime(2026, 3, 9, tzinfo=UTC)) == date(2026, 3, 9)


def test_axis_names_months_and_years() -> None:
    """The first label has its year, as has every January; none runs out at the right."""
    starts = tuple(date(2025 + m // 12, m % 12 + 1, 1) for m in range(9, 22))
    labels = [label for _, label in axis_marks("month", starts)]
    assert labels[0] == "Oct 2025"
    assert len(labels) <= 7


def test_one_tower_does_not_flatten_all_lanes() -> None:
    """The common scale leaves out a few extreme columns, and only then."""
    days = tuple(date(2026, 1, 1) + timedelta(days=i) for i in range(50))
    assert shared_top(Timeline("day", days, ((5,) * 50,))) == 5
    assert shared_top(Timeline("day", days, ((5,) * 49 + (900,),))) == 15


def test_snippets_go_where_the_telling_words_are() -> None:
    """The opening if it tells as much, otherwise the sentence from which most is told."""
    dull = "Good morning to everybody who reads this. " * 12
    text = f"{dull}The pump and the boiler leak into the cellar. {dull}"
    assert snippet(text, {"pump", "boiler", "cellar"}, 60).startswith("…The pump and the boiler")
    assert snippet(text, {"morning"}, 60).startswith("Good morning")
    assert snippet("short", {"pump"}) == "short"
    assert snippet("", {"pump"}) == ""


def test_snippets_leave_out_quotes_and_rules() -> None:
    """What was quoted is not what was written; a message of quotes alone shows them."""
    assert snippet("> old words\n-----\nnew words", set()) == "new words"
    assert snippet("> only quoted", set()) == "> only quoted"
    assert snippet("Re: pump\nIt leaks", set(), title="Re: pump") == "It leaks"


@given(st.text(max_size=3000), st.sets(st.text("abc", min_size=1, max_size=3), max_size=5))
def test_snippets_are_short_whatever_the_text(text: str, telling: set[str]) -> None:
    """At most the length asked for and two ellipses."""
    assert len(snippet(text, telling, 100)) <= 102


@given(seeds, st.integers(2, 30))
def test_arranged_distances_in_the_plane_are_found_again(seed: int, k: int) -> None:
    """Points that do lie in a plane come back with their distances."""
    points = np.random.default_rng(seed).normal(size=(k, 2))
    wanted = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=-1))
    places = arrange(wanted)
    found = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=-1))
    assert np.allclose(found, wanted, atol=1e-5 * wanted.max())


def test_places_survive_groups_that_are_all_alike() -> None:
    """Equal scores give equal places, not numbers that are none."""
    scores = np.zeros((6, 3))
    groups, places = place_documents(scores, np.array([0, 1, 2, 0, 1, 2]), 3)
    assert np.isfinite(groups).all()
    assert np.isfinite(places).all()


def test_typical_documents_lie_nearer_to_their_group() -> None:
    """The better a document fits, the closer it is to where its group is."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3
    scores = rng.normal(0, 0.1, (60, 3))
    scores[np.arange(60), labels] += np.linspace(0.5, 3.0, 60)
    groups, places = place_documents(scores, labels, 3)
    away = np.linalg.norm(places - groups[labels], axis=1)
    assert np.corrcoef(away, np.linspace(0, 1, 60))[0, 1] < -0.7


def test_spread_moves_dots_apart_and_is_repeatable() -> None:
    """Dots that lay on each other do not any more."""
    places = np.repeat(np.array([[0.0, 0.0], [5.0, 5.0]]), 30, axis=0)
    moved = spread(places, 1.0)
    assert np.array_equal(moved, spread(places, 1.0))
    apart = np.sqrt(((moved[:, None] - moved[None]) ** 2).sum(axis=-1))[np.triu_indices(60, 1)]
    assert np.quantile(apart, 0.05) > 0.5


@given(seeds, st.integers(1, 400), st.integers(1, 60))
def test_picked_rows_are_few_sorted_and_from_every_group(seed: int, n: int, most: int) -> None:
    """No row twice, no group without any, hardly more than asked for."""
    labels = np.random.default_rng(seed).integers(0, 5, n)
    rows = pick_rows(labels, 5, most)
    assert (np.diff(rows) > 0).all()
    assert set(labels[rows]) == set(labels)
    assert len(rows) <= max(most + 5 * 5, 0)


@given(st.floats(), st.floats(), st.integers(1, 9))
def test_ticks_are_few_and_inside(low: float, high: float, about: int) -> None:
    """Whatever the range, some round numbers within it and not very many."""
    marks = ticks(low, high, about)
    assert len(marks) <= 3 * about + 3
    if low < high and high - low < 1e300:
        assert all(
            low - abs(high - low) * 1e-6 <= m <= high + abs(high - low) * 1e-6 for m in marks
        )


@given(st.floats(), st.floats())
def test_colour_steps_stay_on_the_scale(value: float, share: float) -> None:
    """Any number has a step."""
    assert -STEPS <= binned(value) <= STEPS
    assert 0 <= lightness(share) <= 8


def test_shares_are_never_rounded_to_nothing() -> None:
    """A little is not none."""
    assert [percent(v) for v in (0.0, 1e-9, 0.0123, 0.5, 1.0)] == [
        "0%",
        "<0.1%",
        "1.2%",
        "50%",
        "100%",
    ]


def luminance(colour: str) -> float:
    """How light a colour is, as WCAG defines it."""
    return float(linear(colour) @ np.array([0.2126, 0.7152, 0.0722]))


def linear(colour: str) -> np.ndarray:
    """Red, green and blue as amounts of light."""
    c = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    """Contrast of two colours, as WCAG defines it."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def palette() -> list[dict[str, str]]:
    """The named colours of the sheet, on light and on dark paper."""
    sheet = files("comraf.report").joinpath("style.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", sheet, flags=re.DOTALL)[:2]
    return [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in (light, dark)]


@pytest.mark.parametrize("theme", [0, 1])
def test_text_can_be_read(theme: int) -> None:
    """Every colour of text reaches a contrast of 4.5 on every paper (WCAG AA)."""
    named = palette()[theme]
    for text in ("ink", "soft", "accent"):
        for paper in ("paper", "wash"):
            assert contrast(named[text], named[paper]) >= 4.5, (text, paper)
    assert contrast(named["alarm"], named["alarm-wash"]) >= 4.5


# Machado, Oliveira and Fernandes (2009): full protanopia, deuteranopia, tritanopia.
VISION = {
    "usual": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def seen(colour: str, vision: str) -> np.ndarray:
    """A colour in Oklab as someone with the given vision sees it."""
    light = np.clip(VISION[vision] @ linear(colour), 0, 1)
    return TO_LAB @ np.cbrt(TO_CONES @ light)


@pytest.mark.parametrize("vision", list(VISION))
@pytest.mark.parametrize("theme", [0, 1])
def test_colours_of_groups_can_be_told_apart(theme: int, vision: str) -> None:
    """Any two colours stay apart for every kind of colour vision, and stand out on the paper."""
    colours = [pair[theme] for pair in HUES]
    for a, b in combinations(colours, 2):
        assert np.linalg.norm(seen(a, vision) - seen(b, vision)) > 0.075, (a, b)
    paper = palette()[theme]
    assert all(contrast(c, paper["paper"]) >= 3 for c in colours)


@pytest.mark.parametrize("vision", list(VISION))
@pytest.mark.parametrize("theme", [0, 1])
def test_more_and_less_can_be_told_apart(theme: int, vision: str) -> None:
    """The strong ends of the heat maps' scale differ for every kind of colour vision."""
    more, less = _OVER[theme][-1], _UNDER[theme][-1]
    assert np.linalg.norm(seen(more, vision) - seen(less, vision)) > 0.2


def test_the_sheet_cannot_end_early() -> None:
    """Style is written into the page as it is: it must not hold markup or fetch anything."""
    sheet = stylesheet()
    assert "<" not in sheet
    assert "url(" not in sheet
    assert "@import" not in sheet
