"""Checks of single parameters, with messages that name the value and what is allowed."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from comraf.errors import InputError

__all__ = ["check_int", "check_number", "check_random"]


def check_int(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least ``least``.

    Examples
    --------
    >>> check_int("n_restarts", 2.5)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: n_restarts=2.5; it must be a whole number, at least 1
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InputError(
            "{given}; it must be a whole number, at least {least}", name, value, least=least
        )
    return int(value)


def check_number(name: str, value: Any, least: float = 0.0) -> float:
    """A finite number of at least ``least``.

    Examples
    --------
    >>> check_number("passes", 0.5)
    0.5
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, numbers.Real)
        or not math.isfinite(value)
        or value < least
    ):
        raise InputError(
            "{given}; it must be a finite number of {least:g} or more", name, value, least=least
        )
    return float(value)


def check_random(random_state: Any) -> np.random.RandomState:
    """Random numbers from whatever scikit-learn accepts as ``random_state``, or a Generator.

    Examples
    --------
    >>> check_random(-1)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: random_state=-1; give None, a whole number from 0 to 2**32 - 1, a \
RandomState or a Generator
    """
    from sklearn.utils import check_random_state

    if isinstance(random_state, np.random.Generator):  # draws go on where it stands
        return np.random.RandomState(random_state.bit_generator)
    try:
        return check_random_state(random_state)  # type: ignore[no-any-return]
    except ValueError:
        raise InputError(
            "{given}; give None, a whole number from 0 to 2**32 - 1, a RandomState or a Generator",
            "random_state",
            random_state,
        ) from None
