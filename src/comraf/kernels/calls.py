"""Calling kernels that hand back new arrays, with Ctrl-C in mind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

__all__ = ["call", "fixed"]


def call(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """``kernel(*arguments)``, where a Ctrl-C stays a KeyboardInterrupt.

    If it lands while numba wraps up what a kernel returns, Python reports a SystemError.

    Examples
    --------
    >>> call(max, 2, 3)
    3
    """
    try:
        return kernel(*arguments)
    except SystemError as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt):
                raise KeyboardInterrupt from error
            cause = cause.__cause__ or cause.__context__
        raise


def fixed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same array, not to be written to: a kernel is compiled for this kind alone.

    Examples
    --------
    >>> import numpy as np
    >>> fixed(np.zeros(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view
