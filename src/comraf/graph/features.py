"""Features that are no counts, as tables: neighbours, bins, codewords, halves.

Comraf works on contingency tables. Counts are such tables; measurements (pixels, moments,
wavelets) are not, even where they are positive: a row of them says where a thing lies, not
what it consists of. Of several ways to make a table of them, tried on photos, digits and wines,
who is near whom says most, and is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.graph.neighbours import NeighbourTable, neighbour_table
from comraf.graph.tables import as_csr, check_fits
from comraf.parameters import check_int

__all__ = ["FEATURE_TABLES", "TOGETHER", "feature_table", "feature_tables"]

Floats = npt.NDArray[np.float64]

#: What the table of neighbours by several views at once is called.
TOGETHER = "together"

#: Neighbours of each row when nothing else is said.
N_NEIGHBORS = 15
# Units that a feature's or a row's mass is dealt out in, whole numbers being what is counted.
_UNITS = 32
# Counts of things are mostly zero, and so are weights made of them (tf-idf): no document has most
# of the words. Measurements are not.
_SPARSE = 0.75
# A codeword for so many rows, and not more of them than this.
_ROWS_A_CODEWORD = 4
_MOST_CODEWORDS = 256
# Nearest codewords that a row is dealt out to.
_SHARED = 5
# Standard deviations beyond which a value is taken for an outlier.
_FAR = 3.0


def feature_table(
    X: Any,
    how: str = "auto",
    *,
    n_neighbors: int = N_NEIGHBORS,
    n_bins: int = 5,
    n_codewords: int | None = None,
    random_state: int = 0,
) -> Any:
    """Make a table that Comraf can work on out of any matrix of features.

    Parameters
    ----------
    X : array-like, sparse or DataFrame
        Rows x features.
    how : {"auto", "counts", "neighbours", "bins", "codewords", "halves"}
        ``counts`` takes numbers of 0 or more as they are. ``neighbours`` counts for each row
        the rows nearest to it (`comraf.neighbour_table`): by distances between
        standardised features, or by cosines of tf-idf where features are counts. ``bins``
        gives every feature a column for each of its quantiles, a value being shared between
        the two around it. ``codewords`` shares a row between the nearest of some centres
        (k-means on standardised features). ``halves`` splits every standardised feature into
        what is above and what is below its mean. ``auto``: counts if they look like counts, or
        like weights made of them (of 0 or more, and at least three quarters of them 0),
        otherwise neighbours.
    n_neighbors : int
        Neighbours of each row.
    n_bins : int
        Quantiles of each feature, at least 2.
    n_codewords : int, optional
        Centres; by default one for four rows, at most 256.
    random_state : int
        For the centres.

    Returns
    -------
    sparse array, or NeighbourTable
        Whole counts, or weights where ``counts`` took these. All rows have the same mass, except
        with ``counts`` and ``halves``.

    Examples
    --------
    >>> points = [[0.1, -2.0], [0.0, -2.1], [3.2, 1.0], [3.0, 1.1]]
    >>> feature_table(points, n_neighbors=1).toarray().tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> feature_table(points, "bins", n_bins=2).shape
    (4, 4)
    """
    if how != "auto" and how not in FEATURE_TABLES:
        raise InputError(f"how={how!r} is unknown; choose one of {['auto', *FEATURE_TABLES]}")
    options = {
        "n_neighbors": check_int("n_neighbors", n_neighbors),
        "n_bins": check_int("n_bins", n_bins, least=2),
        "n_codewords": None if n_codewords is None else check_int("n_codewords", n_codewords),
        "random_state": random_state,
    }
    matrix = _matrix(X)
    if how == "auto":
        how = "counts" if _looks_counted(matrix) else "neighbours"
    return FEATURE_TABLES[how](matrix, options)


def feature_tables(
    views: Mapping[str, Any], how: str = "auto", *, together: bool = True, **options: Any
) -> dict[str, Any]:
    """Make a table of each of several views of the same rows, and one of all that are measured.

    Rows that are near each other in every view alone may be many; those near in all views at
    once are fewer, and more alike. Where at least two views are no counts, and were not said to
    be (``how="counts"``), one more table, ``together``, counts the neighbours by these side by
    side, each view varying as much as any other whatever the number of its features.

    Parameters
    ----------
    views : mapping of str to array-like, sparse or DataFrame
        Rows x features, with the same rows in all.
    how : str
        As in `feature_table`, for each view.
    together : bool
        Whether to make the table of all measured views.
    **options
        As in `feature_table`.

    Returns
    -------
    dict of str to table
        What `comraf.ComrafStar` and `comraf.MDC` take.

    Examples
    --------
    >>> shapes, colours = [[0.1], [0.0], [3.2], [3.0]], [[7.1], [7.0], [1.5], [1.4]]
    >>> tables = feature_tables({"shapes": shapes, "colours": colours}, n_neighbors=1)
    >>> list(tables)
    ['shapes', 'colours', 'together']
    >>> tables["together"].toarray().tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    if not isinstance(views, Mapping) or not views:
        raise InputError("views must be a mapping of names to matrices, with at least one")
    tables: dict[str, Any] = {}
    for name, view in views.items():
        try:
            tables[name] = feature_table(view, how, **options)
        except InputError as error:
            raise error.about("the view {name!r}: {error}", name=name) from None
    rows = {name: table.shape[0] for name, table in tables.items()}
    if len(set(rows.values())) > 1:
        raise InputError(f"the views must have the same rows, but have {rows}")
    if not together or how == "counts":  # what is said to be counts was not measured
        return tables
    measured = {name: _matrix(view) for name, view in views.items()}
    measured = {name: view for name, view in measured.items() if not _looks_counted(view)}
    if len(measured) < 2:
        return tables
    if TOGETHER in tables:
        raise InputError(
            f"a view is called {TOGETHER!r}, as the table of all views is; give it another name, "
            "or together=False"
        )
    points = []
    for name, view in measured.items():
        try:
            points.append(_standardised(view))
        except InputError as error:
            raise error.about(
                "the view {name!r}, in the table {table!r}: {error}; leave the view out, or give "
                "together=False",
                name=name,
                table=TOGETHER,
            ) from None
    side_by_side = np.hstack([view / np.sqrt(view.shape[1]) for view in points])
    near = check_int("n_neighbors", options.get("n_neighbors", N_NEIGHBORS))
    return tables | {TOGETHER: neighbour_table(side_by_side, near, metric="euclidean")}


def _matrix(X: Any) -> Any:
    """A sparse array or one of doubles, all of it finite."""
    if sp.issparse(X):
        matrix = sp.csr_array(X)
        values = matrix.data
    else:
        try:
            matrix = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"the features are no matrix of numbers: {error}") from None
        values = matrix
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(
            f"the features have shape {matrix.shape}; give rows x features, at least one of each"
        )
    if values.dtype.kind not in "fiub":
        raise InputError(f"the features hold {values.dtype}; give real numbers")
    if not np.isfinite(values).all():
        raise InputError(
            "the features hold a number that is not finite; fill gaps in first, for example with "
            "sklearn.impute.SimpleImputer"
        )
    return matrix


def _looks_counted(matrix: Any) -> bool:
    values = matrix.data if sp.issparse(matrix) else matrix
    filled = np.count_nonzero(values) / (matrix.shape[0] * matrix.shape[1])
    return bool(filled <= 1 - _SPARSE and (values >= 0).all())


def _dense(matrix: Any) -> Floats:
    if not sp.issparse(matrix):
        return np.asarray(matrix)
    check_fits(
        24.0 * matrix.shape[0] * matrix.shape[1],
        f"a dense matrix of {matrix.shape[0]:,} x {matrix.shape[1]:,} features",
        "take them as counts (how='counts'), or reduce their number first",
    )
    return np.asarray(matrix.toarray(), dtype=np.float64)


def _standardised(matrix: Any) -> Floats:
    """Every feature with mean 0 and deviation 1; those that never change are left out."""
    dense = _dense(matrix)
    scale = np.abs(dense).max(axis=0)
    dense = dense / np.where(scale > 0, scale, 1.0)  # lest squares overflow or vanish
    centred = dense - dense.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    changes = deviation > 1e-12
    if not changes.any():
        raise InputError("all rows have the same features: nothing tells them apart")
    return np.asarray(centred[:, changes] / deviation[changes])


def _counts(matrix: Any, options: dict[str, Any]) -> sp.csr_array:
    values = matrix.data if sp.issparse(matrix) else matrix
    if values.min(initial=0) < 0:
        raise InputError(
            f"the features go down to {values.min():g}, and counts are 0 or more; use "
            "how='neighbours', or one of 'bins', 'codewords' and 'halves'"
        )
    return as_csr(matrix, "the features")


def _neighbours(matrix: Any, options: dict[str, Any]) -> NeighbourTable:
    if not _looks_counted(matrix):
        return neighbour_table(_standardised(matrix), options["n_neighbors"], metric="euclidean")
    counts = _dense(matrix)
    if (counts != np.rint(counts)).any():  # weights already
        return neighbour_table(counts, options["n_neighbors"])
    with_it = (counts > 0).sum(axis=0)
    # what all rows have tells none apart, but must leave each of them a vector
    rarity = np.log((1 + len(counts)) / (1 + with_it)) + 1e-6
    return neighbour_table(np.log1p(counts) * rarity, options["n_neighbors"])


def _bins(matrix: Any, options: dict[str, Any]) -> sp.csr_array:
    from scipy.stats import rankdata

    dense, b = _dense(matrix), options["n_bins"]
    n, d = dense.shape
    check_fits(80.0 * n * d, f"{b} bins of {n:,} x {d:,} features", "reduce their number first")
    place = (rankdata(dense, axis=0) - 0.5) / n * (b - 1)
    low = np.minimum(place.astype(np.int64), b - 2)
    above = np.rint(_UNITS * (place - low)).astype(np.int64)
    rows = np.repeat(np.arange(n), d)
    columns = (low + np.arange(d) * b).ravel()
    table = sp.csr_array(
        (
            np.concatenate([_UNITS - above.ravel(), above.ravel()]),
            (np.concatenate([rows, rows]), np.concatenate([columns, columns + 1])),
        ),
        shape=(n, d * b),
    )
    table.eliminate_zeros()
    return table


def _codewords(matrix: Any, options: dict[str, Any]) -> sp.csr_array:
    from sklearn.cluster import KMeans

    points = _standardised(matrix)
    n = len(points)
    m = options["n_codewords"] or max(2, min(_MOST_CODEWORDS, n // _ROWS_A_CODEWORD))
    if m > n:
        raise InputError(f"n_codewords={m} for {n} rows; ask for {n} or fewer")
    centres = KMeans(m, n_init=1, random_state=options["random_state"]).fit(points).cluster_centers_
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * points @ centres.T
    r = min(_SHARED, m)
    near = np.argsort(squares, axis=1, kind="stable")[:, :r]
    found = np.take_along_axis(squares, near, axis=1)
    width = float(np.median(found)) or 1.0
    share = np.exp(-2 * (found - found[:, :1]) / width)
    share = np.rint(_UNITS * share / share.sum(axis=1, keepdims=True)).astype(np.int64)
    table = sp.csr_array((share.ravel(), (np.repeat(np.arange(n), r), near.ravel())), shape=(n, m))
    table.eliminate_zeros()
    return table


def _halves(matrix: Any, options: dict[str, Any]) -> sp.csr_array:
    points = np.clip(_standardised(matrix), -_FAR, _FAR)
    both = np.hstack([np.maximum(points, 0), np.maximum(-points, 0)])
    return sp.csr_array(np.rint(_UNITS * both).astype(np.int64))


#: Ways to make a table of features, by name.
FEATURE_TABLES: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "counts": _counts,
    "neighbours": _neighbours,
    "bins": _bins,
    "codewords": _codewords,
    "halves": _halves,
}
