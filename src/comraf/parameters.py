"""Checks of single parameters, with messages that name the value and what is allowed."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from comraf.errors import InputError

__all__ = ["check_choice", "check_int", "check_number", "check_random"]


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """One of some words.

    Examples
    --------
    >>> check_choice("quotes", "no", ("drop", "keep"))
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: quotes='no' is unknown; choose one of ['drop', 'keep']
    """
    if value not in (choices := tuple(allowed)):
        raise InputError(parameter=name, given=value, allowed=choices)


def check_int(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number of at least ``least``, and of at most ``most`` where there is a bound.

    Examples
    --------
    >>> check_int("n_restarts", 2.5)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: n_restarts=2.5; it must be a whole number, at least 1
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and float(value) > most):
        bounds = "at least {least}" if most is None else "from {least} to {most:,}"
        text = f"{{given}}; it must be a whole number, {bounds}"
        raise InputError(text, name, value, least=least, most=most)
    return int(value)


def check_number(
    name: str,
    value: Any,
    least: float = 0.0,
    below: float | None = None,
    *,
    above: float | None = None,
    most: float | None = None,
) -> float:
    """A finite number of at least ``least`` or ``above`` it, and at most ``most`` or ``below`` it.

    Examples
    --------
    >>> check_number("passes", 0.5)
    0.5
    >>> check_number("pi", 1, above=0, below=1)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: pi=1; it must be a finite number above 0, below 1
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, numbers.Real)
        or not math.isfinite(value)
        or (value < least if above is None else float(value) <= above)
        or (below is not None and float(value) >= below)
        or (most is not None and float(value) > most)
    ):
        text = "of {least:g} or more" if above is None else "above {above:g}"
        text += "" if below is None else ", below {below:g}"
        text += "" if most is None else ", at most {most:,}"
        raise InputError(
            f"{{given}}; it must be a finite number {text}",
            name,
            value,
            least=least,
            below=below,
            above=above,
            most=most,
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
