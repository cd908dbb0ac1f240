"""Compiling kernels."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.options import DefaultOptions
from numba.core.registry import CPUDispatcher

from comraf.errors import ComrafWarning
from comraf.progress import compiling

__all__ = ["jit", "jit_part"]


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile lazily, with a cache on disk where there is a place to write one.

    A change in any file of this folder makes all of it compiled anew: kernels call each other.
    A cache that is damaged or can't be written is warned of once, and done without.

    Examples
    --------
    >>> jit(lambda x: x + 1)(2)
    3
    """
    compiled = _compiled(function)
    compiled._cache = _NoCache()
    # no writable folder for the cache, or a numba that makes it otherwise: compile afresh each time
    with suppress(RuntimeError, AttributeError, TypeError):
        compiled._cache = _Cache(function)
    return compiled  # type: ignore[no-any-return]


def jit_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a part of kernels that makes no arrays and only works on those it is given.

    A part that is called for each item and takes tuples of arrays apart would otherwise take
    longer to count who holds each array than to do its work. Python has no door to it, which
    halves the time to compile it; its plain Python is ``py_func``.

    Examples
    --------
    >>> double = jit_part(lambda x: 2 * x)
    >>> jit(lambda x: double(x) + 1)(2), double.py_func(2)
    (5, 4)
    """
    # an option for numba's own use; if it goes, the answer is the same and takes longer
    options = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}
    compiled = _compiled(function, no_cpython_wrapper=True, **options)
    compiled.__class__ = _Part
    return compiled  # type: ignore[no-any-return]


def _compiled(function: Callable[..., Any], **options: bool) -> Any:
    make: Any = numba.njit  # some of its options are for numba's own use and have no type
    return make(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(function)


class _Part(CPUDispatcher):
    """What would crash the process if Python called it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"{self.py_func.__name__} is called by kernels alone; Python has its py_func"
        )


@cache
def _stamps() -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of all files that kernels may be in."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


class _SealedFile(IndexDataCacheFile):
    """Numba's files with a checksum at their end, which numba's reader does not look at."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return content + hashlib.sha256(content).digest()

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as stream:
            content = stream.read()
        if hashlib.sha256(content[:-32]).digest() != content[-32:]:
            raise ValueError("its checksum is another one")  # machine code that would be run
        return super()._load_data(name)


class _NoCache(NullCache):
    """Nothing is kept."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        compiling()


class _Cache(FunctionCache):
    """Numba's cache, whose failures cost the time to compile and not the answer."""

    told = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _SealedFile(
            cache_path=self._cache_path,
            filename_base=f"{self._impl.filename_base}.sealed",
            source_stamp=(self._impl.locator.get_source_stamp(), *_stamps()),
        )

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super()._load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001 - damage can look like anything
            self._tell("is damaged", error)
            with suppress(Exception):
                self.flush()  # what is compiled now takes the place of the damaged
            found = None
        if found is None:
            compiling()
        return found

    def _save_overload(self, sig: Any, data: Any) -> None:
        try:
            super()._save_overload(sig, data)
        except Exception as error:  # noqa: BLE001 - as above, or a full disk
            self._tell("can't be written", error)

    def _tell(self, what: str, error: Exception) -> None:
        if not _Cache.told:
            _Cache.told = True
            warnings.warn(
                f"the cache of compiled code in {self._cache_path} {what} "
                f"({getattr(error, 'strerror', None) or error or type(error).__name__}); "
                "compiling anew takes some seconds, the answer is the same",
                ComrafWarning,
                stacklevel=2,
            )
