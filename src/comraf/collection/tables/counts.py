"""From what a file holds to checked counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.collection.readers.limits import Budget
from comraf.errors import InputError

# Sums of whole counts must stay whole in a double.
_MOST_WHOLE = 2.0**53
_BLOCK = 2**24


class Raw(NamedTuple):
    """A table as a reader hands it on: checked values, names where the format has any."""

    matrix: sp.csr_array
    row_names: tuple[str, ...] | None = None
    column_names: tuple[str, ...] | None = None


def check_kind(dtype: np.dtype[Any], source: str) -> None:
    """Refuse entries that are not plain numbers.

    Examples
    --------
    >>> check_kind(np.dtype(complex), "a.npz")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: a.npz: the entries are of type complex128; counts must be whole \
or real numbers
    """
    if dtype.hasobject:
        raise InputError(
            f"{source}: holds pickled Python objects, which are never opened because opening "
            "them can run any program; save plain numbers"
        )
    if dtype.kind not in "biuf":
        raise InputError(
            f"{source}: the entries are of type {dtype}; counts must be whole or real numbers"
        )


def check_values(values: npt.NDArray[Any]) -> int | None:
    """Position of the first value that is not a count (negative, NaN, infinite), or None.

    Examples
    --------
    >>> check_values(np.array([1.0, np.nan, -1.0]))
    1
    >>> check_values(np.array([1.0, 2.0])) is None
    True
    """
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        # NaN fails both comparisons; most tables are clean and need no mask.
        if not (block.min() >= 0 and block.max() < np.inf):
            return start + int(np.flatnonzero(~((block >= 0) & (block < np.inf)))[0])
    return None


def refuse_value(value: float, row: object, column: object, source: str) -> InputError:
    """The error for an entry that is not a count.

    Examples
    --------
    >>> print(refuse_value(-2.0, 3, 7, "a.npz"))
    a.npz: row 3, column 7 (counting from 0) holds -2; counts must be finite numbers of 0 or more
    """
    how = " (counting from 0)" if isinstance(row, int) else ""
    return InputError(
        f"{source}: row {row}, column {column}{how} holds {value:g}; counts must be finite "
        "numbers of 0 or more"
    )


def csr_from_dense(array: npt.NDArray[Any], budget: Budget) -> sp.csr_array:
    """CSR of a dense table, block by block, so that no second dense copy is made.

    Examples
    --------
    >>> csr_from_dense(np.array([[0, 2], [1, 0]]), Budget("a.npy")).nnz
    2
    """
    n_rows, n_columns = array.shape
    height = max(1, _BLOCK // max(1, n_columns))
    blocks: list[sp.csr_array] = []
    n_entries = 0
    for start in range(0, n_rows, height):
        block = array[start : start + height]
        # SciPy knows neither half precision nor the other byte order.
        block = np.ascontiguousarray(block, np.float64 if block.dtype.kind == "f" else np.int64)
        bad = check_values(block.ravel())
        if bad is not None:
            row, column = divmod(bad, n_columns)
            value = float(block[row, column])
            raise refuse_value(value, start + row, column, budget.source)
        blocks.append(sp.csr_array(block))
        n_entries += blocks[-1].nnz
        budget.check_shape(n_rows, n_columns, n_entries)
    stacked = sp.vstack(blocks, format="csr") if len(blocks) > 1 else blocks[0]
    return sp.csr_array(stacked)


def whole_if_possible(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values as int64 where nothing is lost by it, else as float64.

    Examples
    --------
    >>> whole_if_possible(np.array([1.0, 2.0])).dtype, whole_if_possible(np.array([0.5])).dtype
    (dtype('int64'), dtype('float64'))
    """
    if float(values.sum(dtype=np.float64)) < _MOST_WHOLE and all(
        np.array_equal(block, np.floor(block))
        for block in (values[i : i + _BLOCK] for i in range(0, len(values), _BLOCK))
    ):
        return values.astype(np.int64)
    return values.astype(np.float64)


def check_names(names: Sequence[str], size: int, what: str, source: str) -> None:
    """Refuse names that don't fit the table or don't tell its values apart.

    Examples
    --------
    >>> check_names(["a", "b", "a"], 3, "row", "names.txt")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: names.txt: the row name 'a' stands on lines 1 and 3; names must \
be all different
    """
    if len(names) != size:
        raise InputError(
            f"{source}: {len(names):,} {what} names for {size:,} {what}s; give one name a line, "
            "in the order of the table"
        )
    if len(set(names)) < size:
        first: dict[str, int] = {}
        for line, name in enumerate(names, start=1):
            if name in first:
                raise InputError(
                    f"{source}: the {what} name {name!r} stands on lines {first[name]} and "
                    f"{line}; names must be all different"
                )
            first[name] = line
