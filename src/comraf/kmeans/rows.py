"""Rows of a dense or sparse table: sums, lengths, blocks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Floats",
    "Stored",
    "by_pairs",
    "floats",
    "largest_entries",
    "lengths",
    "n_distinct",
    "parts",
    "row_sums",
    "scaled",
    "smallest_entries",
    "stored",
    "sums",
]

Floats = NDArray[np.float64]

# Numbers in a temporary block of distances or of dense rows: 32 MB.
_BLOCK = 4_000_000


class Stored(NamedTuple):
    """A sparse table by rows: where each begins, and the columns and values of its entries."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Floats


def stored(table: Any) -> Stored:
    """A sparse table as kernels read it: of one type always, so that they are compiled once."""
    starts, columns = (np.asarray(part, dtype=np.int64) for part in (table.indptr, table.indices))
    return Stored(starts, columns, np.asarray(table.data, dtype=np.float64))


def floats(X: Any) -> Any:
    """Rows as floats: an array, or a sparse table by rows."""
    if sp.issparse(X):
        return sp.csr_array(X).astype(np.float64, copy=False)
    return np.asarray(X, dtype=np.float64)


def parts(n: int, width: int) -> Iterator[slice]:
    """Blocks of rows whose temporary arrays, ``width`` numbers a row, stay small."""
    step = max(1, _BLOCK // max(width, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def row_sums(X: Any) -> Floats:
    """Sum of each row."""
    return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()


def lengths(X: Any) -> Floats:
    """Euclidean length of each row."""
    if sp.issparse(X):
        return np.sqrt(row_sums(X.multiply(X)))
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", X, X)))


def scaled(X: Any, by: Floats) -> Any:
    """Rows divided by a number each; by nothing where that is 0."""
    factors = np.where(by > 0, by, 1)
    if sp.issparse(X):
        out = X.copy()
        out.data = out.data / np.repeat(factors, np.diff(out.indptr))
        return out
    return X / factors[:, None]


def largest_entries(X: Any) -> Floats:
    """Largest absolute value of each row."""
    return np.asarray(_dense(abs(X).max(axis=1)), dtype=np.float64)


def smallest_entries(X: Any) -> Floats:
    """Smallest entry of each row; zeros that are not stored count."""
    return np.asarray(_dense(X.min(axis=1)), dtype=np.float64)


def _dense(values: Any) -> NDArray[Any]:
    return np.asarray(values.toarray() if sp.issparse(values) else values).ravel()


def sums(X: Any, labels: NDArray[Any], k: int, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """Weighted sum of the rows of each cluster, and the sum of their weights."""
    rows = np.flatnonzero(labels >= 0)
    mass = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)[rows]
    member = sp.csr_array((mass, (labels[rows], rows)), shape=(k, X.shape[0]))
    sums = member @ X
    dense = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
    return dense, np.bincount(labels[rows], weights=mass, minlength=k).astype(np.float64)


def by_pairs(X: Any, i: ArrayLike, j: ArrayLike, of: Callable[[Any, Any], Floats]) -> Floats:
    """``of`` rows i and rows j, block by block."""
    one, other = np.broadcast_arrays(np.atleast_1d(i), np.atleast_1d(j))
    out = np.empty(len(one))
    for part in parts(len(one), X.shape[1]):
        out[part] = of(X[one[part]], X[other[part]])
    return out


def n_distinct(X: Any, most: int, decimals: int | None = None) -> int:
    """How many different rows there are; no more than ``most`` are counted.

    Examples
    --------
    >>> n_distinct(np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), 10)
    2
    """
    seen: set[bytes | tuple[bytes, bytes]] = set()
    sparse = sp.issparse(X)
    if sparse:
        X = X.copy()
        X.sum_duplicates()
        if decimals is not None:
            X.data = X.data.round(decimals)
        X.eliminate_zeros()
    for row in range(X.shape[0]):
        if sparse:
            inside = slice(X.indptr[row], X.indptr[row + 1])
            seen.add((X.indices[inside].tobytes(), X.data[inside].tobytes()))
        else:
            entries = X[row] if decimals is None else X[row].round(decimals)
            seen.add((entries + 0.0).tobytes())  # -0.0 becomes 0.0
        if len(seen) >= most:
            break
    return len(seen)
