"""Where a search for a core starts, and which of several cores is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.oneclass.base import Side, order_of
from comraf.parameters import check_random

__all__ = [
    "best_start",
    "border_variance",
    "by_words",
    "check_effort",
    "contrast",
    "first_cores",
    "prominence",
    "start_ratios",
    "worth",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Rows to start from; None starts as published.
Start = Ints | None

EFFORTS = ("default", "paper")
# Occurrences that it takes to believe half of what a word's frequency says; no more than a
# fifth of the documents, for there would be nothing to believe in a small collection.
_PRIOR = 20.0
_PRIOR_SHARE = 0.2
# The same where starts are sought: a start may rest on fewer documents.
_START_PRIOR = 5.0
_START_SHARE = 0.05
# Entries of the tables on which starts are compared: more would only take longer.
_MOST_ENTRIES = 500_000
_LEAST_ROWS = 1000
# A word in more of the documents than this is a start for nothing.
_EVERYWHERE = 0.9


def check_effort(effort: Any) -> bool:
    """Whether it is to be done as published.

    Examples
    --------
    >>> check_effort("paper"), check_effort("default")
    (True, False)
    """
    if effort not in EFFORTS:
        raise InputError(
            "{given}; it must be one of {allowed:,}", "effort", effort, allowed=EFFORTS
        )
    return bool(effort == "paper")


def start_ratios(side: Side) -> Floats:
    """How much more frequent each word is here than in general, shrunken."""
    return side.ratios(min(_START_PRIOR, _START_SHARE * side.counts.shape[0]))


def prominence(side: Side) -> Floats:
    """How much each word stands out: documents that have it, times the log of its ratio."""
    spread = side.spread
    common = spread > _EVERYWHERE * side.counts.shape[0]
    return np.where(common, -np.inf, spread * np.log(start_ratios(side)))


def first_cores(sides: Sequence[Side], k: int, starts: int) -> list[Ints]:
    """Sets of rows to start from: the best k by all words, then those that have a telling word.

    The words are those that stand out most from the background, over all sides.
    """
    score = sum(side.counts @ np.log(start_ratios(side)) for side in sides)
    empty = np.logical_and.reduce([side.empty for side in sides])
    out = [order_of(np.asarray(score), empty)[:k]]
    prominent = [prominence(side) for side in sides]
    which = np.repeat(np.arange(len(sides)), [len(s) for s in prominent])
    column = np.concatenate([np.arange(len(s)) for s in prominent])
    every = np.concatenate(prominent)
    by_column = [side.counts.tocsc() for side in sides]
    for j in order_of(every)[:starts].tolist():
        if not every[j] > 0:  # less frequent than in general: it stands out from nothing
            break
        table, c = by_column[which[j]], column[j]
        out.append(table.indices[table.indptr[c] : table.indptr[c + 1]].astype(np.int64))
    return out


def best_start(
    sides: Sequence[Side],
    k: int,
    starts: Sequence[Start],
    value: Callable[[Sequence[Side], int, Start], float],
    random_state: Any,
) -> Start:
    """The best of several starts, compared on rows drawn at random where tables are large.

    ``value`` says how good the core of k rows is that is found from a start; it must do so too
    for fewer rows, and for sides that have fewer columns.
    """
    if len(starts) < 2:
        return starts[0]
    some = _some_rows(sides, k, starts, random_state) or (sides, k, starts)
    values = [value(some[0], some[1], rows) for rows in some[2]]
    return starts[int(np.argmax(values))]


def _some_rows(
    sides: Sequence[Side], k: int, starts: Sequence[Start], random_state: Any
) -> tuple[list[Side], int, list[Start]] | None:
    """Some rows with the columns they have, the core's share of them, and starts among them."""
    entries = sum(len(side.counts.data) for side in sides)
    n = sides[0].counts.shape[0]
    many = max(int(n * _MOST_ENTRIES / max(entries, 1)), _LEAST_ROWS)
    if many >= n:
        return None
    drawn = np.sort(check_random(random_state).choice(n, many, replace=False))
    place = np.full(n, -1)
    place[drawn] = np.arange(many)
    parts = []
    for side in sides:
        rows = side.counts[drawn]
        has = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
        if not len(has):  # a side that hardly any row has
            return None
        share = side.background[has]
        total = share.sum() if len(share) else 1.0
        parts.append(
            replace(side, counts=rows[:, has], kept=side.kept[has], background=share / total)
        )
    here = [None if rows is None else place[rows][place[rows] >= 0] for rows in starts]
    return parts, min(max(round(k * many / n), 1), many - 1), here


def contrast(
    side: Side, rows: Ints, general: Floats | None = None, prior: float | None = None
) -> Floats:
    """Log of how much more frequent each word is in some rows than in general, shrunken.

    "In general" is in the collection, unless other shares of words are given.
    """
    X = side.counts
    if general is None:
        general = side.sums / side.sums.sum()
    if prior is None:
        prior = min(_PRIOR, _PRIOR_SHARE * X.shape[0])
    chosen = np.zeros(X.shape[0])
    chosen[rows] = 1.0
    inside = np.asarray(X.T @ chosen)
    return np.asarray(np.log((inside + prior) / (inside.sum() * general + prior)))


def by_words(side: Side, held: Floats) -> Floats:
    """Sums of word scores of each row, over the root of its length: long rows win a little."""
    length = np.asarray(side.counts.sum(axis=1)).ravel()
    return np.asarray((side.counts @ held) / np.sqrt(np.maximum(length, 1)))


def worth(scores: Floats, k: int) -> float:
    """How good a core is: its scores, times the share of variance that its border explains.

    The sum alone likes a small topic with strong words, filled up with strangers; then scores
    fall somewhere inside the core rather than at its border.

    Examples
    --------
    >>> bool(worth(np.array([3.0, 3.0, 0.0, 0.0]), 2) > worth(np.array([4.0, 2.0, 1.0, 0.0]), 2))
    True
    """
    total = float(np.sort(scores)[::-1][:k].sum())
    between, spread = border_variance(scores, k)
    return min(total, 0.0) if spread <= 0 or total <= 0 else total * between / spread


def border_variance(scores: Floats, k: int) -> tuple[float, float]:
    """Sums of squares of scores: what the border between the best k and the rest explains, all."""
    best = np.sort(scores)[::-1]
    n, mean = len(best), best.mean()
    between = k * (best[:k].mean() - mean) ** 2 + (n - k) * (best[k:].mean() - mean) ** 2
    return float(between), float(((best - mean) ** 2).sum())
