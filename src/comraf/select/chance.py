"""What groups tell of a table, beside what the same groups tell when dealt out at random."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import FaintWarning, InterruptedWarning, TimeLimitWarning
from comraf.graph.tables import membership
from comraf.inference.control import check_time_limit

__all__ = [
    "Clock",
    "Floats",
    "Ints",
    "collected",
    "filled",
    "orders",
    "parted",
    "shared_information",
    "standing",
    "whole_fits",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

# Rows that change places with each other: those next to each other in size.
_ALIKE = 4


class Clock:
    """How long a question may still take.

    Examples
    --------
    >>> Clock(None).left is None
    True
    """

    def __init__(self, time_limit: float | None) -> None:
        limit = check_time_limit(time_limit)
        self._end = None if limit is None else time.monotonic() + limit

    @property
    def left(self) -> float | None:
        """Seconds, which are over at once where none are left."""
        return None if self._end is None else max(1e-6, self._end - time.monotonic())


@contextmanager
def whole_fits() -> Iterator[None]:
    """Fits that are cut short tell nothing: neither Ctrl-C nor the end of the time stays in them.

    Examples
    --------
    >>> with whole_fits():
    ...     warnings.warn("the time is up", TimeLimitWarning)
    Traceback (most recent call last):
    ...
    TimeoutError: the time limit was reached
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FaintWarning)  # the search itself will tell
        warnings.simplefilter("error", InterruptedWarning)
        try:
            yield
        except TimeLimitWarning:
            raise TimeoutError("the time limit was reached") from None
        except InterruptedWarning:
            raise KeyboardInterrupt from None


def shared_information(labels: Ints, table: sp.csr_array) -> float:
    """What groups of the rows tell of a table, up to what all groups have in common.

    This is Σφ(n_gc) − Σφ(n_g) with φ(t) = t·log t; −Σφ(n_c) + φ(N) is the same for all.

    Examples
    --------
    >>> table = sp.csr_array([[2.0, 0], [2, 0], [0, 2], [0, 2]])
    >>> together, apart = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> shared_information(together, table) > shared_information(apart, table)
    True
    """
    counts = sp.csr_array(membership(labels, int(labels.max()) + 1).T) @ table
    sizes = counts.sum(axis=1)
    return _phi(counts.data) - _phi(np.asarray(sizes, dtype=np.float64))


def _phi(counts: Floats) -> float:
    some = counts[counts > 0]
    return float(some @ np.log(some))


def orders(sizes: Floats, n: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Rows as they are, then n times with others of about their size in their places.

    Groups may be of long and of short items. By size alone they tell something of every table,
    and that is left to them.

    Examples
    --------
    >>> first, second = orders(np.array([9.0, 1, 1, 9, 1, 9, 9, 1]), 1, np.random.default_rng(0))
    >>> first.tolist(), sorted(second[[0, 3, 5, 6]].tolist())
    ([0, 1, 2, 3, 4, 5, 6, 7], [0, 3, 5, 6])
    """
    rows = len(sizes)
    by_size = np.lexsort((rng.random(rows), sizes))
    yield np.arange(rows)
    for _ in range(n):
        order = np.empty(rows, dtype=np.intp)
        order[by_size] = by_size[np.lexsort((rng.random(rows), np.arange(rows) // _ALIKE))]
        yield order


def standing(found: Floats) -> Floats:
    """How far the sum over columns stands out in each row, in deviations: columns weigh alike.

    The first row is what is asked about, the others the same dealt out at random. All of them
    make the mean and the deviation, so that nothing but chance could tell which is the first.

    Examples
    --------
    >>> standing(np.array([[5.0, 1], [1, 1], [1, 1], [1, 1]])).round(2).tolist()
    [1.73, -0.58, -0.58, -0.58]
    """
    spread = found.std(axis=0)
    moved = found - found.mean(axis=0)
    return np.asarray((moved / np.where(spread > 0, spread, 1.0)).sum(axis=1))


def collected(given: Any) -> Any:
    """What has tables, made of a mapping of them where that is given.

    Examples
    --------
    >>> collected({"words": [[1, 0]]}).tables["words"].nnz
    1
    """
    if not isinstance(given, Mapping):
        return given
    return SimpleNamespace(tables={name: sp.csr_array(table) for name, table in given.items()})


def filled(tables: Sequence[sp.csr_array]) -> npt.NDArray[np.bool_]:
    """Which rows some table has counts of.

    Examples
    --------
    >>> filled([sp.csr_array([[1], [0]]), sp.csr_array([[0], [0]])]).tolist()
    [True, False]
    """
    return np.asarray(np.sum([np.diff(table.indptr) for table in tables], axis=0) > 0)


def parted(
    tables: Sequence[sp.csr_array], rng: np.random.Generator
) -> tuple[list[sp.csr_array], list[sp.csr_array]]:
    """Every table in two halves of its columns; values of a single row foretell nothing.

    Examples
    --------
    >>> one, other = parted([sp.csr_array(np.ones((3, 4)))], np.random.default_rng(0))
    >>> one[0].shape, other[0].shape
    ((3, 2), (3, 2))
    """
    halves: tuple[list[sp.csr_array], list[sp.csr_array]] = ([], [])
    for table in tables:
        seen = np.bincount(table.indices, minlength=table.shape[1])
        columns = rng.permutation(np.flatnonzero(seen > 1))
        middle = len(columns) // 2
        for half, some in zip(halves, (columns[:middle], columns[middle:]), strict=True):
            half.append(sp.csr_array(table[:, np.sort(some)]))
    return halves
