"""Explore (Basu 2005, figure 5.1): one item of every class, by farthest-first traversal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comraf.active.skeleton import Questions, Skeleton

__all__ = ["explore"]

# "Don't know" so many times about an item to which nothing else was compared: a bad start.
_PATIENCE = 3


def explore(
    skeleton: Skeleton,
    k: int | None,
    rng: np.random.Generator,
    leave_out: NDArray[np.bool_] | None = None,
) -> Questions:
    """Ask about far items until each of k classes has a neighbourhood.

    An item is compared with every neighbourhood, the nearest first, until it is found to belong
    to one; if it belongs to none, it begins another. After a "don't know" it is set aside. When
    the very first item meets nothing but "don't know", exploration begins anew with another one.

    Parameters
    ----------
    skeleton : Skeleton
        Neighbourhoods so far; new ones are added.
    k : int or None
        Number of classes; None: go on as long as there are items.
    rng : numpy.random.Generator
        Chooses the first item.
    leave_out : array of bool, optional
        Items that are chosen only when all others are used up.

    Examples
    --------
    >>> from comraf.active.space import Space
    >>> skeleton = Skeleton(Space([[0.0], [1.0], [9.0]]))
    >>> questions = explore(skeleton, 2, np.random.default_rng(0))
    >>> pair = next(questions)
    >>> sorted(pair)
    [0, 2]
    >>> questions.send(False)
    Traceback (most recent call last):
    ...
    StopIteration
    >>> sorted(skeleton.neighbourhoods)
    [[0], [2]]
    """
    silent: list[int] = []
    while k is None or len(skeleton.neighbourhoods) < k:
        if not skeleton.neighbourhoods:
            first = skeleton.any(rng, leave_out)
            if first is None:
                return
            skeleton.start(first)
            continue
        x = skeleton.farthest(leave_out)
        if x is None:
            return
        lonely = len(skeleton.neighbourhoods) == len(skeleton.neighbourhoods[0]) == 1
        for place, member in skeleton.by_member(x):
            verdict = yield x, member
            if verdict is None:
                skeleton.set_aside(x)
                if lonely:
                    silent.append(x)
                break
            if verdict:
                skeleton.add(x, place)
                break
        else:
            skeleton.start(x)
        if lonely and len(silent) == _PATIENCE:
            skeleton.forget()
            skeleton.open[silent] = True  # it was the first item that nobody could judge
            silent.clear()
