"""Explore and Consolidate where some answers are wrong (Basu 2005, 8.2).

Each answer is taken to be wrong with the same chance, so an item's answers with members of
neighbourhoods give odds for each of them, and for a class that has none yet. Members are asked
about until one of these is all but certain; an item that stays in doubt is set aside.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comraf.active.answers import Answers
from comraf.active.skeleton import Questions, Skeleton

__all__ = ["Trust", "consolidate_noisy", "explore_noisy"]

# "Don't know" so many times about an item: nobody can judge it.
_PATIENCE = 2
# What an item is found to be: a neighbourhood's place, the first of a new class, or in doubt.
_NEW = -1
_DOUBT = -2

_Verdict = Generator[tuple[int, int], bool | None, int]
_Core = Generator[tuple[int, int], bool | None, list[int]]


@dataclass(frozen=True)
class Trust:
    """How far answers can be trusted.

    Parameters
    ----------
    noise : float
        Share of answers that are expected to be wrong, above 0 and below 0.5.
    level : float
        Posterior chance from which on a placement is accepted.

    Examples
    --------
    >>> [Trust(noise).enough for noise in (0.01, 0.1, 0.2, 0.3)]
    [2, 2, 3, 4]
    """

    noise: float
    level: float = 0.95

    @property
    def step(self) -> float:
        """How much one answer adds to, or takes from, the logarithm of the odds."""
        return math.log((1 - self.noise) / self.noise)

    @property
    def enough(self) -> int:
        """Agreeing answers that settle a matter between two cases; never a single one."""
        return max(2, math.ceil(math.log(self.level / (1 - self.level)) / self.step))


def explore_noisy(
    skeleton: Skeleton,
    k: int | None,
    rng: np.random.Generator,
    trust: Trust,
    known: Answers,
    leave_out: NDArray[np.bool_] | None = None,
) -> Questions:
    """Explore that never begins a neighbourhood from a stray answer.

    A new neighbourhood takes an item that several members of each other neighbourhood are said
    to be different from, and items next to it that are said to be together, each with several
    others: so there are members to ask about from the beginning.

    Parameters
    ----------
    skeleton, k, rng, leave_out
        As for `comraf.active.explore.explore`.
    trust : Trust
        How far answers can be trusted.
    known : Answers
        What is certain; placements that are accepted are added to it.

    Examples
    --------
    >>> from comraf.active.space import Space
    >>> skeleton = Skeleton(Space([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]))
    >>> trust, known = Trust(0.1), Answers(6)
    >>> questions = explore_noisy(skeleton, 2, np.random.default_rng(0), trust, known)
    >>> pair, asked = next(questions), 0
    >>> try:
    ...     while True:
    ...         asked += 1
    ...         pair = questions.send((pair[0] < 3) == (pair[1] < 3))
    ... except StopIteration:
    ...     pass
    >>> asked, sorted(sorted(rows) for rows in skeleton.neighbourhoods)
    (8, [[0, 1, 2], [3, 4, 5]])
    """
    for place, rows in enumerate(list(skeleton.neighbourhoods)):
        if len(rows) <= trust.enough:  # known links alone: too few members to ask about
            for y in (yield from _core(rows, skeleton, trust, known)):
                if skeleton.open[y]:
                    _accept(y, place, skeleton, known)
    while k is None or len(skeleton.neighbourhoods) < k:
        begun = bool(skeleton.neighbourhoods)
        x = skeleton.farthest(leave_out) if begun else skeleton.any(rng, leave_out)
        if x is None:
            return
        place = yield from _judge(x, skeleton, k, trust, known)
        if place == _NEW:
            for rows in skeleton.neighbourhoods:
                known.tell(x, rows[0], False)
            core = yield from _core([x], skeleton, trust, known)
            if core:
                skeleton.start(x)
            for y in core:
                if y != x:
                    _accept(y, len(skeleton.neighbourhoods) - 1, skeleton, known)
        elif place != _DOUBT:
            _accept(x, place, skeleton, known)
        if skeleton.open[x]:
            skeleton.set_aside(x)


def consolidate_noisy(
    skeleton: Skeleton, items: Iterator[int], trust: Trust, known: Answers
) -> Questions:
    """Find the neighbourhood of one item after another, each by several answers.

    Parameters
    ----------
    skeleton, items
        As for `comraf.active.consolidate.consolidate`.
    trust : Trust
        How far answers can be trusted.
    known : Answers
        What is certain; placements that are accepted are added to it.

    Examples
    --------
    >>> from comraf.active.space import Space
    >>> skeleton = Skeleton(Space([[0.0], [0.1], [9.0], [9.1], [9.2], [0.2]]))
    >>> for x, place in [(0, 0), (1, 0), (2, 1), (3, 1)]:
    ...     skeleton.start(x) if x in (0, 2) else skeleton.add(x, place)
    >>> questions = consolidate_noisy(skeleton, iter([5, 4]), Trust(0.1), Answers(6))
    >>> next(questions), questions.send(True), questions.send(True)
    ((5, 1), (5, 0), (4, 3))
    >>> skeleton.neighbourhoods
    [[0, 1, 5], [2, 3]]
    """
    k = len(skeleton.neighbourhoods)
    for x in items:
        if not skeleton.open[x]:
            continue
        place = yield from _judge(x, skeleton, k, trust, known)
        if place == _DOUBT:
            skeleton.set_aside(x)
        else:
            _accept(x, place, skeleton, known)


def _accept(x: int, place: int, skeleton: Skeleton, known: Answers) -> None:
    """Put an item into a neighbourhood, and all that it is known to be together with."""
    known.tell(x, skeleton.neighbourhoods[place][0], True)
    skeleton.add(x, place)


def _judge(x: int, skeleton: Skeleton, k: int | None, trust: Trust, known: Answers) -> _Verdict:
    """Which neighbourhood an item belongs to, asking about the likeliest one each time."""
    places = skeleton.neighbourhoods
    many = len(places)
    if not many:
        return _NEW
    # All neighbourhoods, and a class that has none, are equally likely before the first answer.
    odds = np.zeros(many + 1)
    if many == k:
        odds[many] = -np.inf
    for place, rows in enumerate(places):
        sure = known.follows(x, rows[0])
        if sure:
            return place
        if sure is False:
            odds[place] = -np.inf
    if np.isneginf(odds).all():
        return _DOUBT  # known to be apart from all k: what is known needs more classes
    possible = np.flatnonzero(~np.isneginf(odds[:many]))
    turns = [place for place, _ in skeleton.by_centroid(x) if place in possible]
    distances = skeleton.space.to_row(x)
    left = [sorted(rows, key=lambda row: -distances[row]) for rows in places]
    asked = np.zeros(many, dtype=np.int64)
    unsure = 0
    most = 2 * trust.enough + many * (1 if many == k else trust.enough)
    while True:
        share = np.exp(odds - odds.max())
        share /= share.sum()
        best = int(share.argmax())
        # A new class is never a matter of one answer, however reliable answers are.
        settled = best < many or bool((asked[possible] >= 2).all())
        if share[best] >= trust.level and settled:
            return best if best < many else _NEW
        open_places = [place for place in turns if left[place]]
        if not open_places or asked.sum() >= most:
            return _DOUBT
        if best == many and share[best] >= trust.level:
            place = min(open_places, key=lambda place: asked[place])
        else:
            place = max(open_places, key=lambda place: odds[place])  # the first of equal ones
        verdict = yield x, left[place].pop()
        if verdict is None:
            unsure += 1
            if unsure == _PATIENCE:
                return _DOUBT
            continue
        asked[place] += 1
        odds[place] += trust.step if verdict else -trust.step


def _core(start: Sequence[int], skeleton: Skeleton, trust: Trust, known: Answers) -> _Core:
    """The given items and some next to them, each said to be together with several others."""
    # Empty if the first of the given items finds no company.
    x, core = start[0], list(start)
    # Given items are known to be together: no number of answers goes against that.
    sure = np.inf if len(start) > 1 else 0.0
    votes = dict.fromkeys(start, sure)
    distances = skeleton.space.to_row(x)
    near = [row for row in np.argsort(distances, kind="stable").tolist() if skeleton.open[row]]
    tries = 0
    for y in near:
        if y in votes or any(known.follows(y, z) is False for z in core):
            continue
        if tries == 2 + 3 * trust.enough:
            break
        tries += 1
        said: dict[int, int] = {}
        for z in core:
            follows = known.follows(y, z)
            verdict = (yield y, z) if follows is None else follows
            said[z] = 0 if verdict is None else 1 if verdict else -1
            if sum(said.values()) <= 0:
                break  # as many against it as for it: another one is the better choice
        if sum(said.values()) <= 0:
            continue
        core.append(y)
        votes[y] = float(sum(said.values()))
        for z, vote in said.items():
            votes[z] += vote
        agreed = [row for row in core if votes[row] >= trust.enough]
        if len(agreed) > trust.enough and x in agreed:
            return agreed
    return list(start) if len(start) > 1 else []
