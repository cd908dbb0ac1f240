"""Compiling kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["jit"]


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile lazily, with a cache on disk where there is a place to write one.

    The cache does not see changes of kernels in other files: those that call each other live in
    one.

    Examples
    --------
    >>> jit(lambda x: x + 1)(2)
    3
    """
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no writable folder for the cache: compile afresh each time
        return numba.njit(nogil=True)(function)
