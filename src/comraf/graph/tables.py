"""Contingency tables: from whatever the user has to checked integer counts.

Mutual information does not change when a whole table is multiplied by a number, so real
values become fixed-point integers at no cost to the objective, and ``t log t`` can be read
from a table instead of being computed (6 to 11 times faster).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError, TooLargeError
from comraf.weightings import parts_of

__all__ = [
    "as_counts",
    "as_csr",
    "check_fits",
    "check_sparse",
    "fixed_point",
    "membership",
    "weigh",
    "weighted",
]

# Fixed point: the mean non-zero value becomes this many units. Rounding is then at most
# 1.6% of it, either way, and the values of t log t that a sweep reads stay in the cache.
_UNITS = 32
# And the smallest at least this many, as long as that makes units no more than 64 times finer.
_FINEST = 4
# Sums of counts must stay exact in a double and far from the end of int64.
_MOST = 2**50
# For so many seconds the memory that was free counts as free.
_MOMENT = 0.2
_asked = -np.inf, 0.0  # when, and what the system said
# Bytes that any machine has.
_SMALL = 2**14


def check_fits(needed: float, what: object, advice: str, **values: Any) -> None:
    """Refuse, before it is taken, memory that the machine does not have.

    The advice is a template, see `comraf.errors.Message`.

    Examples
    --------
    >>> check_fits(1000, "a small table", "nothing")
    """
    if needed < _SMALL:  # asking takes longer than many a small fit
        return
    free = available_memory()
    if needed > free:
        raise TooLargeError(
            "{what} would need about {needed:.1f} GB, but about {free:.1f} GB of memory are free",
            advice=advice,
            what=what,
            needed=needed / 1e9,
            free=free / 1e9,
            **values,
        )


def available_memory() -> float:
    """Bytes that can be taken without swapping; infinite where the system won't tell.

    The system is asked at most a few times a second: that takes longer than many a step of a fit.
    """
    global _asked
    now = time.monotonic()
    if now - _asked[0] > _MOMENT:
        _asked = now, min(_free_on_machine(), _free_in_container())
    return _asked[1]


def _free_in_container() -> float:
    """What control groups leave to this process: a container sees the whole machine's memory."""
    free = float("inf")
    for folder in _cgroups():
        for limit, used in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            try:
                most = float((folder / limit).read_text())  # "max" is no number: no limit
                now = float((folder / used).read_text())
            except (OSError, ValueError):
                continue
            free = min(free, most - now + _file_cache(folder))
    return free


def _cgroups() -> list[Path]:
    """Folders of this process's memory control group and of those above it."""
    root = Path("/sys/fs/cgroup")
    found = [root, root / "memory"]
    try:
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            base = root if not controllers else root / "memory"
            if not controllers or "memory" in controllers.split(","):
                inner = base / path.lstrip("/")
                found += [f for f in (inner, *inner.parents) if base in (f, *f.parents)]
    except (OSError, ValueError):
        pass
    return list(dict.fromkeys(found))


def _file_cache(folder: Path) -> float:
    """Memory that counts as used but is given back when it is needed."""
    try:
        for line in (folder / "memory.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name in ("inactive_file", "total_inactive_file"):
                return float(value)
    except (OSError, ValueError):
        pass
    return 0.0


def _free_on_machine() -> float:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        import os

        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return float("inf")


def as_csr(table: Any, where: str = "the table") -> sp.csr_array:
    """Any two-dimensional non-negative table as canonical CSR (sorted, summed, no zeros).

    Accepts NumPy arrays, nested lists, SciPy sparse matrices and arrays, and anything with
    an ``__array__`` (a DataFrame of numbers). ``where`` names the table in error messages.

    Examples
    --------
    >>> as_csr([[1, 0], [2, 3]]).nnz
    3
    >>> as_csr([[1, -2]])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: Negative values in data: the table holds -2.0 at row 0, column 1; \
counts must be 0 or more
    """
    if sp.issparse(table):
        if np.ndim(table) != 2:
            raise InputError(f"{where} has {np.ndim(table)} dimensions; a table has 2")
        _check_dtype(table.dtype, where)
        _check_shape(table.shape, where)
        check_sparse(table, where)
        # wide numbers before anything is summed: 200 + 100 in uint8 would be 44
        wide = _wide(table.dtype)
        if wide is np.int64 and table.nnz and not _sums_fit(table.tocoo().data):
            wide = np.float64
        csr = sp.csr_array(table.astype(wide), copy=True)
    else:
        csr = _dense_to_csr(table, where)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    _check_entries(csr, where)
    return csr


def check_sparse(table: Any, where: str) -> None:
    """Refuse a sparse table whose indices point outside of it: compiled code would follow them.

    Examples
    --------
    >>> check_sparse(sp.csr_array(([1], [7], [0, 1]), shape=(1, 2)), "the table")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: the table is a broken csr table (indices must be < 2); build it anew
    """
    if hasattr(table, "check_format"):  # others look when they are made
        try:
            table.check_format(full_check=True)
        except ValueError as error:
            what = f"a broken {table.format} table ({error})"
            raise InputError(f"{where} is {what}; build it anew") from None


def _sums_fit(values: npt.NDArray[Any], factor: float = 1.0) -> bool:
    """Whether whole numbers, each times a factor, can be added up without running over."""
    return float(np.abs(values.astype(np.float64)).sum()) * factor < 2.0**62


def _wide(dtype: np.dtype[Any]) -> type[np.generic]:
    """The type in which a table's numbers are kept and summed."""
    return (
        np.int64 if dtype.kind in "bi" or dtype in (np.uint8, np.uint16, np.uint32) else np.float64
    )


def _check_shape(shape: tuple[int, ...], where: str) -> None:
    if max(shape) >= 2**31:
        raise TooLargeError(
            f"{where} is {shape[0]:,} x {shape[1]:,}; at most {2**31 - 1:,} rows or columns can be "
            "told apart. Leave out those without counts"
        )
    check_fits(32.0 * sum(shape), where, "leave out rows and columns without counts")


def _check_dtype(dtype: np.dtype[Any], where: str) -> None:
    if np.issubdtype(dtype, np.complexfloating):
        raise InputError(f"Complex data not supported: {where} holds {dtype}; give real counts")
    if dtype.kind not in "biuf":
        raise InputError(f"{where} holds {dtype}; give numbers (counts of 0 or more)")


def _dense_to_csr(table: Any, where: str) -> sp.csr_array:
    try:
        array = np.asarray(table)
    except ValueError as error:
        raise InputError(f"{where} is no table of numbers: {error}") from None
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{where} holds something that is not a number ({error}); give counts of 0 or more"
            ) from None
    _check_dtype(array.dtype, where)
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {array.ndim}D array instead: {where} must have rows and "
            "columns. Reshape your data: array.reshape(-1, 1) for a single column, "
            "array.reshape(1, -1) for a single row"
        )
    _check_shape(array.shape, where)
    return sp.csr_array(array.astype(_wide(array.dtype), copy=False))


def _check_entries(csr: sp.csr_array, where: str) -> None:
    values = csr.data
    if np.issubdtype(values.dtype, np.floating):
        bad = ~np.isfinite(values)
        if bad.any():
            row, column, value = _place(csr, bad)
            kind = "NaN" if np.isnan(value) else "infinity"
            raise InputError(
                f"Input contains {kind}: {where} holds {value} at row {row}, column {column}; "
                "counts must be finite numbers of 0 or more"
            )
    bad = values < 0
    if bad.any():
        row, column, value = _place(csr, bad)
        raise InputError(
            f"Negative values in data: {where} holds {float(value)} at row {row}, "
            f"column {column}; counts must be 0 or more"
        )


def _place(csr: sp.csr_array, bad: npt.NDArray[np.bool_]) -> tuple[int, int, float]:
    position = int(np.flatnonzero(bad)[0])
    row = int(np.searchsorted(csr.indptr, position, side="right")) - 1
    return row, int(csr.indices[position]), float(csr.data[position])


def weigh(csr: sp.csr_array, weighting: str) -> sp.csr_array:
    """Apply an input weighting to canonical CSR counts.

    First entries are damped: ``presence`` keeps that they are there, ``log`` takes log2(1 + count),
    ``root`` the root; ``raw`` leaves them. Then rows are scaled: ``equal`` gives every row the same
    mass, ``root`` the root of what it had, so that long documents count for more than short ones,
    but not in proportion.

    Examples
    --------
    >>> weigh(as_csr([[1, 3]]), "log").toarray().tolist()
    [[1.0, 2.0]]
    >>> weigh(as_csr([[1, 3, 1]]), "log+root").toarray().tolist()
    [[0.5, 1.0, 0.5]]
    """
    damping, scaling = parts_of(weighting)
    if (damping, scaling) == ("raw", "none"):
        return csr
    out = csr.astype(np.float64)
    if damping == "presence":
        ones = np.ones(csr.nnz, np.int64)
        out = sp.csr_array((ones, csr.indices, csr.indptr), shape=csr.shape)
        out = out if scaling == "none" else out.astype(np.float64)
    elif damping == "log":
        out.data = np.log1p(out.data) / np.log(2.0)
    elif damping == "root":
        out.data = np.sqrt(out.data)
    if scaling != "none":
        _check_largest(out.data, 0.0)
        sums = np.where((sums := out.sum(axis=1)) > 0, sums, 1.0)
        sums = np.sqrt(sums) if scaling == "root" else sums
        out.data /= np.repeat(sums, np.diff(out.indptr))
    return out


def membership(labels: npt.NDArray[np.integer], n_clusters: int) -> sp.csr_array:
    """Table of values x clusters: one where a value belongs; a value of label -1 is in none.

    Examples
    --------
    >>> membership(np.array([1, -1, 0]), 2).toarray().tolist()
    [[0, 1], [0, 0], [1, 0]]
    """
    inside = labels >= 0
    indptr = np.concatenate([[0], np.cumsum(inside)])
    ones = np.ones(indptr[-1], dtype=np.int64)
    return sp.csr_array((ones, labels[inside], indptr), shape=(len(labels), n_clusters))


def as_counts(
    table: Any,
    weighting: str = "raw",
    *,
    row_weights: npt.ArrayLike | None = None,
    where: str = "the table",
    units: float | None = None,
) -> sp.csr_array:
    """Checked int64 CSR counts of any table, weighted, in fixed point where not whole.

    Whole numbers stay as they are. Real ones are scaled so that the mean non-zero value is
    32 units and rounded to at least 1 unit; the objective does not see the scale. Where
    counts must fit those of an earlier table, give its ``units`` (see `fixed_point`).

    Examples
    --------
    >>> as_counts([[2, 0], [1, 4]]).toarray().tolist()
    [[2, 0], [1, 4]]
    >>> as_counts([[0.5, 0], [1.5, 1.0]]).toarray().tolist()
    [[16, 0], [48, 32]]
    """
    return fixed_point(weighted(table, weighting, row_weights, where), units)[0]


def weighted(
    table: Any,
    weighting: str = "raw",
    row_weights: npt.ArrayLike | None = None,
    where: str = "the table",
) -> sp.csr_array:
    """A checked table under an input weighting, its rows multiplied by ``row_weights``.

    Examples
    --------
    >>> weighted([[2, 0], [1, 4]], "binary", [1, 3]).toarray().tolist()
    [[1, 0], [3, 3]]
    """
    csr = weigh(as_csr(table, where), weighting)
    if row_weights is None:
        return csr
    factors = _checked_weights(row_weights, csr.shape[0], where)
    whole = np.issubdtype(csr.dtype, np.integer) and np.all(factors == np.floor(factors))
    if whole and _sums_fit(csr.data, float(factors.max(initial=1.0))):
        factors = factors.astype(np.int64)  # whole counts stay whole
    csr = sp.csr_array(
        (csr.data * np.repeat(factors, np.diff(csr.indptr)), csr.indices, csr.indptr),
        shape=csr.shape,
    )
    csr.eliminate_zeros()
    return csr


def _checked_weights(given: Any, n_rows: int, where: str) -> npt.NDArray[np.float64]:
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample weights must be numbers: {error}") from None
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample weights have shape {weights.shape}, expected ({n_rows},): one for each "
            f"row of {where}"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("sample weights must be finite numbers of 0 or more")
    if not weights.any():
        raise InputError("the sample weights are all zero; give at least one row some weight")
    return weights


def _check_largest(values: npt.NDArray[Any], least: float) -> None:
    """Refuse counts whose sums are too much for a floating-point number, or that are next to 0."""
    if len(values) and not least <= (most := float(values.max())) <= 1e303:
        raise InputError(
            f"the largest count of the table is {most:g}; scale the table, so that it lies "
            "between 1e-303 and 1e303"
        )


def fixed_point(csr: sp.csr_array, units: float | None = None) -> tuple[sp.csr_array, float]:
    """Whole counts of a checked table, and how many units one count became.

    Examples
    --------
    >>> fixed_point(as_csr([[0.5, 1.5]]))[1]
    32.0
    """
    values = csr.data
    _check_largest(values, 1e-303)
    if units is None:
        units = _units_for(values)
    elif len(values) and not units * float(values.sum(dtype=np.float64)) <= 2 * _MOST:
        raise InputError(
            f"the table's counts add up to {float(values.sum(dtype=np.float64)):g}: too much for "
            f"{units:g} units a count; scale the table down"
        )
    if units != 1.0 or not np.issubdtype(values.dtype, np.integer):
        # Products are formed near one: neither huge nor tiny inputs overflow on the way.
        largest = float(values.max()) if len(values) else 1.0
        values = np.maximum(np.rint((values / largest) * (units * largest)), 1.0)
    indptr = csr.indptr.astype(np.int64)
    indices = csr.indices.astype(np.int32)
    return sp.csr_array((values.astype(np.int64), indices, indptr), shape=csr.shape), units


def _units_for(values: npt.NDArray[Any]) -> float:
    if len(values) == 0:
        return 1.0
    largest = float(values.max())
    near_one = values / largest
    total, mean = float(near_one.sum()), float(near_one.mean())
    whole = np.issubdtype(values.dtype, np.integer) or bool(np.all(values == np.floor(values)))
    if whole and total * largest <= _MOST:
        return 1.0
    units = _UNITS / mean
    # Rows of very different lengths have very different entries under equal_rows: small ones
    # get finer units, up to a point, lest rounding them up gives long rows more mass.
    units = max(units, min(_FINEST / max(float(near_one.min()), 1e-300), 64 * units))
    return min(units, _MOST / total) / largest
