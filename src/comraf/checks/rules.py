"""How a rule is held: an error that names it and says by how much it was broken."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.errors import RuleError

__all__ = ["hold", "same"]


def hold(kept: Any, rule: str, found: str) -> None:
    """Raise `comraf.errors.RuleError` unless a rule is kept.

    Examples
    --------
    >>> hold(1 + 1 == 3, "one and one is three", "they are 2")
    Traceback (most recent call last):
    ...
    comraf.errors.RuleError: one and one is three: they are 2
    """
    if not kept:
        raise RuleError("{rule}: {found}", rule=rule, found=found)


def same(found: npt.ArrayLike, expected: npt.ArrayLike, rule: str, what: str) -> None:
    """Raise `comraf.errors.RuleError` where two arrays are not equal.

    Examples
    --------
    >>> same([0, 1, 1], [0, 1, 0], "a twin is like its sister", "labels")
    Traceback (most recent call last):
    ...
    comraf.errors.RuleError: a twin is like its sister: labels differ at 1 of 3 places, first at 2
    """
    one, two = np.asarray(found), np.asarray(expected)
    hold(one.shape == two.shape, rule, f"{what} have shapes {one.shape} and {two.shape}")
    apart = np.argwhere(one != two)
    if len(apart):
        first = apart[0].tolist()
        place = first[0] if len(first) == 1 else tuple(first)
        hold(False, rule, f"{what} differ at {len(apart)} of {one.size} places, first at {place}")
