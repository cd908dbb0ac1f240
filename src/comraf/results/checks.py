"""Checks of what was read from a file, before anything believes it.

Each takes a value, or refuses it with a ``ValueError`` that names what it got and what it
wanted; `comraf.results.archive.reading` makes one sentence of that.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["nothing_left", "number", "strings", "take_array", "text", "whole"]


def take_array(
    arrays: dict[str, npt.NDArray[Any]],
    name: str,
    *,
    dtype: npt.DTypeLike,
    shape: tuple[int | None, ...],
    low: float | None = None,
    high: float | None = None,
) -> npt.NDArray[Any]:
    """Take an array out of those that were read, checked; ``None`` in the shape is any length.

    Bounds are inclusive. Real numbers must be finite.

    Examples
    --------
    >>> arrays = {"labels": np.array([0, 2], dtype=np.int32)}
    >>> take_array(arrays, "labels", dtype=np.int32, shape=(2,), low=0, high=1)
    Traceback (most recent call last):
    ...
    ValueError: 'labels' holds 2, beyond 1
    """
    array = arrays.pop(name)
    wanted = np.dtype(dtype)
    fits = array.ndim == len(shape) and all(
        n is None or n == m for n, m in zip(shape, array.shape, strict=True)
    )
    if array.dtype != wanted or not fits:
        lengths = ", ".join("*" if n is None else str(n) for n in shape)
        expected = f"({lengths},)" if len(shape) == 1 else f"({lengths})"
        raise ValueError(f"{name!r} is {array.dtype} {array.shape}, expected {wanted} {expected}")
    if array.size and array.dtype.kind != "b":
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name!r} holds numbers that are not finite")
        if low is not None and array.min() < low:
            raise ValueError(f"{name!r} holds {array.min()}, below {low}")
        if high is not None and array.max() > high:
            raise ValueError(f"{name!r} holds {array.max()}, beyond {high}")
    return array


def nothing_left(arrays: Mapping[str, object]) -> None:
    """Refuse arrays that nobody asked for.

    Examples
    --------
    >>> nothing_left({})
    """
    if arrays:
        raise ValueError(f"it holds an array that does not belong to it, {min(arrays)[:80]!r}")


def text(value: Any, what: str) -> str:
    """A string.

    Examples
    --------
    >>> text("words", "a name")
    'words'
    """
    if not isinstance(value, str):
        raise ValueError(f"{what} must be a string")
    return value


def strings(value: Any, what: str, n: int | None = None) -> tuple[str, ...]:
    """A list of strings, ``n`` of them.

    Examples
    --------
    >>> strings(["a", "b"], "names", 2)
    ('a', 'b')
    """
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError(f"{what} must be a list of strings")
    if n is not None and len(value) != n:
        raise ValueError(f"{what}: {len(value)} of them, expected {n}")
    return tuple(value)


def number(value: Any, what: str, low: float = -np.inf, high: float = np.inf) -> float:
    """A finite number within bounds.

    Examples
    --------
    >>> number(1, "a weight", 0)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{what} must be a number")
    if not (abs(value) <= sys.float_info.max and low <= value <= high):
        raise ValueError(f"{what}: {value!s:.40}, expected a number from {low} to {high}")
    return float(value)


def whole(value: Any, what: str, low: int = 0, high: int = 2**53) -> int:
    """A whole number within bounds.

    Examples
    --------
    >>> whole(3, "clusters", 1)
    3
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{what} must be a whole number")
    if not low <= value <= high:
        raise ValueError(f"{what}: {value!s:.40}, expected a number from {low} to {high}")
    return value
