"""Days, weeks and months of the dates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import partial

import numpy as np

from comraf.collection.fold import Fold
from comraf.collection.options import DATE_STEPS
from comraf.collection.sides import SideKind
from comraf.collection.sides.maker import SideMaker

# How much of a day must be known.
_KNOWN = {"day": 10, "week": 10, "month": 7}


def _cut(text: str, step: str) -> str:
    """The day, the week or the month of a day."""
    if step == "day":
        return text
    if step == "month":
        return text[:7]
    year, week, _ = date.fromisoformat(text).isocalendar()
    return f"{year:04d}-W{week:02d}"


def _fold(step: str, maker: SideMaker) -> Iterator[Fold]:
    known = maker.vocabularies["dates"]
    if step not in maker.options.dates or not known:
        return
    target = np.full(len(known), -1, np.int64)
    numbers: dict[str, int] = {}
    for i, text in enumerate(known):
        if len(text) >= _KNOWN[step]:  # a year alone is in no month
            target[i] = numbers.setdefault(_cut(text, step), len(numbers))
    yield Fold(DATE_STEPS[step], "dates", maker.raw("dates"), target, list(numbers), presence=True)


def _side(step: str) -> SideKind:
    return SideKind(
        DATE_STEPS[step],
        f"{DATE_STEPS[step]} of the dates",
        fold=partial(_fold, step),
        options="dates",
        limits=(),
        groups="asked",
        listed=False,
    )


DAYS, WEEKS, MONTHS = _side("day"), _side("week"), _side("month")
