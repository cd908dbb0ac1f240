"""Consolidate (Basu 2005, figure 5.2): more items for every neighbourhood."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from comraf.active.answers import Answers
from comraf.active.skeleton import Questions, Skeleton

__all__ = ["at_random", "consolidate", "farthest_first"]


def consolidate(
    skeleton: Skeleton,
    items: Iterator[int],
    answers: Answers,
    inferred: Callable[[int, int], None],
) -> Questions:
    """Find the neighbourhood of one item after another.

    Neighbourhoods are tried by increasing distance of their centroids. There is one for every
    class, so what is in none of the others is in the last: that is inferred, not asked. It is
    asked if there was a "don't know", and an item that no answer places is set aside.

    Parameters
    ----------
    skeleton : Skeleton
        One neighbourhood for each class.
    items : iterator of int
        Items in the order of their turns; those that are no longer open are passed over.
    answers : Answers
        What is known.
    inferred : callable
        Is told which two items are together without having been asked about.

    Examples
    --------
    >>> from comraf.active.space import Space
    >>> skeleton, links = Skeleton(Space([[0.0], [1.0], [9.0]])), []
    >>> skeleton.start(0)
    >>> skeleton.start(2)
    >>> questions = consolidate(skeleton, iter([1]), Answers(3), lambda *pair: links.append(pair))
    >>> next(questions)
    (1, 0)
    >>> questions.send(False)
    Traceback (most recent call last):
    ...
    StopIteration
    >>> skeleton.neighbourhoods, links
    ([[0], [2, 1]], [(1, 2)])
    """
    for x in items:
        if not skeleton.open[x]:
            continue
        turns = skeleton.by_centroid(x)
        sure = True
        for place, member in turns:
            if sure and (place, member) == turns[-1]:
                if answers.follows(x, member) is not False:
                    inferred(x, member)
                    skeleton.add(x, place)
                break
            verdict = yield x, member
            if verdict:
                skeleton.add(x, place)
                break
            sure = sure and verdict is not None
        if skeleton.open[x]:
            skeleton.set_aside(x)


def at_random(skeleton: Skeleton, rng: np.random.Generator) -> Iterator[int]:
    """All items in random order: neighbourhoods grow as their classes are large.

    Examples
    --------
    >>> from comraf.active.space import Space
    >>> sorted(at_random(Skeleton(Space([[0.0], [1.0]])), np.random.default_rng(0)))
    [0, 1]
    """
    return iter(rng.permutation(len(skeleton.open)).tolist())


def farthest_first(skeleton: Skeleton, leave_out: NDArray[np.bool_] | None = None) -> Iterator[int]:
    """Always the open item whose greatest similarity to a neighbourhood's items is least.

    Examples
    --------
    >>> from comraf.active.space import Space
    >>> skeleton = Skeleton(Space([[0.0], [1.0], [9.0]]))
    >>> skeleton.start(0)
    >>> next(farthest_first(skeleton))
    2
    """
    while (x := skeleton.farthest(leave_out)) is not None:
        yield x
