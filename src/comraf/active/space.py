"""Distances between rows, dense or sparse: what the choice of questions needs, and no more."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.graph.tables import check_fits, check_sparse
from comraf.parameters import check_choice

__all__ = ["METRICS", "Space", "fingerprint"]

METRICS = ("euclidean", "cosine")

# Neighbours that tell how thin the surroundings of an item are.
_SURROUNDINGS = 10
_ROWS_AT_ONCE = 4096


class Space:
    """Rows of a table, with squared Euclidean or cosine distances between them.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame, shape (n, d)
        One row for each item. Sparse rows stay sparse.
    metric : {"euclidean", "cosine"}
        How far apart two rows are.

    Examples
    --------
    >>> space = Space([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> space.to_row(0).tolist()
    [0.0, 25.0, 1.0]
    """

    def __init__(self, X: Any, metric: str = "euclidean") -> None:
        from sklearn.preprocessing import normalize
        from sklearn.utils import check_array

        check_choice("metric", metric, METRICS)
        self.metric = metric
        check_sparse(X, "X")
        try:
            rows = check_array(X, accept_sparse="csr", dtype=np.float64)
        except ValueError as error:
            raise InputError(f"X can't be used: {error}") from error
        self.n, self.width = (int(size) for size in rows.shape)
        self.given = rows
        with np.errstate(over="ignore"):
            squares = _squares(rows)
        if not np.isfinite(squares).all():
            row = int(np.flatnonzero(~np.isfinite(squares))[0])
            raise InputError(
                f"X can't be used: row {row} has entries whose squares are infinite; multiply all "
                "rows by a small factor"
            )
        if metric == "cosine":
            empty = np.flatnonzero(squares == 0)
            if empty.size:
                raise InputError(
                    "{empty:,} of {n:,} rows are all zero, row {first} first; they have no "
                    "direction for {given}: leave them out, or use 'euclidean'",
                    "metric",
                    metric,
                    empty=empty.size,
                    n=self.n,
                    first=int(empty[0]),
                )
            rows = normalize(rows)
        elif not sp.issparse(rows):
            # Far from the origin, products of rows lose the digits that distances need.
            rows = rows - rows.mean(axis=0)
        self.rows = rows
        self._squares = _squares(rows)

    def to_row(self, i: int, among: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Distances of all rows, or of those in `among`, to one row."""
        rows = self.rows if among is None else self.rows[np.asarray(among)]
        squares = self._squares if among is None else self._squares[np.asarray(among)]
        products: NDArray[np.float64] = np.asarray(rows @ self.dense(i)).ravel()
        if self.metric == "cosine":
            found = 1.0 - products
        else:
            found = squares + self._squares[i] - 2.0 * products
        # Rounding may take equal rows below nought.
        return np.asarray(np.maximum(found, 0.0))

    def to_sums(
        self, i: int, sums: NDArray[np.float64], sizes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Distances of one row to the centroids of groups that are given by their sums."""
        row = self.dense(i)
        lengths: NDArray[np.float64] = np.einsum("hd,hd->h", sums, sums)
        if self.metric == "cosine":
            # Opposite directions may cancel out: then the group has no direction, and is far.
            found = 1.0 - (sums @ row) / np.sqrt(np.where(lengths > 0, lengths, np.inf))
        else:
            found = self._squares[i] + lengths / sizes**2 - 2.0 * (sums @ row) / sizes
        return np.asarray(found)

    def dense(self, i: int) -> NDArray[np.float64]:
        """One row without its sparseness."""
        row = self.rows[[i]]
        return np.asarray(row.toarray() if sp.issparse(row) else row, dtype=np.float64).ravel()

    def sums(self, groups: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Sum of the rows of each group; dense, so memory is checked first."""
        check_fits(
            16.0 * len(groups) * self.width,
            f"centroids of {len(groups):,} neighbourhoods with {self.width:,} columns",
            "leave out rare columns",
        )
        found = np.zeros((len(groups), self.width))
        for place, group in enumerate(groups):
            found[place] = np.asarray(self.rows[np.asarray(group)].sum(axis=0)).ravel()
        return found

    def thin(self, share: float) -> NDArray[np.bool_]:
        """The given share of items with the thinnest surroundings: the likely outliers."""
        from sklearn.neighbors import NearestNeighbors

        out = np.zeros(self.n, dtype=bool)
        many = int(share * self.n)
        near = min(_SURROUNDINGS, self.n - 1)
        if many and near:
            # Rows of unit length: Euclidean order is the order of cosines.
            search = NearestNeighbors(n_neighbors=near).fit(self.rows)
            radius = search.kneighbors()[0][:, -1]
            out[np.argsort(-radius, kind="stable")[:many]] = True
        return out


def fingerprint(X: Any, ids: Sequence[Hashable] | None = None) -> str:
    """A hash of the items, the same for dense and sparse rows of equal values.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> fingerprint(np.eye(3)) == fingerprint(sp.csr_array(np.eye(3)))
    True
    >>> fingerprint(np.eye(3)) == fingerprint(np.eye(3), ids=["a", "b", "c"])
    False
    """
    n, width = X.shape
    digest = hashlib.sha256(f"{n} x {width}\n".encode())
    for start in range(0, n, _ROWS_AT_ONCE):
        # A few rows at a time: a dense table is never doubled.
        part = sp.csr_array(X[start : start + _ROWS_AT_ONCE], copy=True)
        part.sum_duplicates()
        part.eliminate_zeros()
        for array, kind in ((part.indptr, "<i8"), (part.indices, "<i8"), (part.data, "<f8")):
            digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    if ids is not None:
        if len(ids) != n:
            raise InputError(f"{len(ids):,} ids for {n:,} items; give one for each")
        for name in ids:
            digest.update(f"{name!r}\n".encode())
    return digest.hexdigest()


def _squares(rows: Any) -> NDArray[np.float64]:
    if sp.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("nd,nd->n", rows, rows), dtype=np.float64)
