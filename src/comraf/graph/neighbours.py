"""Documents x documents: who is near whom in an embedding, as a table of counts.

The rows are documents that are clustered; the columns are a second copy of them. Observed as
singletons, it says that two documents belong together when they have the same neighbours. Tied,
its clusters are those of the documents: they belong together when their neighbours are in the
same clusters. An edge from a node to itself has no gain formula, since a move changes both of
its sides at once; see `comraf.inference.tying` for what is done instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from comraf.errors import InputError, ReadError
from comraf.graph.tables import check_fits
from comraf.parameters import check_int

__all__ = [
    "COPIES",
    "METRICS",
    "NEIGHBOUR_WEIGHTS",
    "NeighbourTable",
    "TiedTable",
    "as_embeddings",
    "neighbour_table",
    "neighbours_among",
]

#: What the second copy of the documents is: each by itself, or in the documents' own clusters.
COPIES = ("observed", "tied")

#: What makes two documents near.
METRICS = ("cosine", "euclidean")
#: What a neighbour counts: all the same, less the further down the list, or by how near it is.
NEIGHBOUR_WEIGHTS = ("equal", "rank", "similarity")

# Bytes of the block of similarities that is looked at in one go.
_BLOCK = 2**26
# A weight in whole numbers: what the first or a very similar neighbour counts.
_UNITS = 64
# Rounding of a product of unit vectors: documents that differ by less are equally near.
_ROUNDING = 2.0**-21

Floats = npt.NDArray[np.float32]


class NeighbourTable(sp.csr_array):  # type: ignore[misc]
    """A table whose columns are a second copy of its rows: estimators observe them.

    A sparse array like any other. Made by `neighbour_table`; a square table of one's
    own (a graph of links, say) becomes one by ``NeighbourTable(table)``.

    Examples
    --------
    >>> links = NeighbourTable([[0, 1, 0], [1, 0, 0], [0, 1, 0]])
    >>> links.shape, links.nnz
    ((3, 3), 3)
    """


class TiedTable(NeighbourTable):
    """A table of neighbours whose columns are to be in the clusters of its rows.

    Made by `neighbour_table` with ``copy="tied"``; only estimators that can tie a side
    take it, which are `comraf.MDC` and `comraf.Organizer`.

    Examples
    --------
    >>> isinstance(TiedTable([[0, 1], [1, 0]]), NeighbourTable)
    True
    """


def as_embeddings(embeddings: Any, where: object = "the embeddings") -> Floats:
    """A checked matrix of single precision from an array, a ``.npy`` file or a column.

    Parameters
    ----------
    embeddings : array-like, path-like, or column of a table
        Documents x dimensions; the path of a ``.npy`` file; or one vector for each
        document, such as a column of lists.
    where : str or Setting
        What messages call it.

    Examples
    --------
    >>> as_embeddings([[0.5, 1], [2, 0]]).dtype.name
    'float32'
    >>> as_embeddings([[0.5, 1], [2]])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: the embeddings: vectors of different lengths; document 0 has 2, \
document 1 has 1
    """
    if isinstance(embeddings, (str, os.PathLike)):
        where = f"the matrix in {os.fspath(embeddings)!r}"
        embeddings = _from_file(os.fspath(embeddings))
    if sp.issparse(embeddings):
        raise InputError(
            "{where}: a sparse table, but embeddings are dense; reduce it first (TruncatedSVD), "
            "or cluster by the table itself",
            where=where,
        )
    matrix = embeddings if isinstance(embeddings, np.ndarray) else _from_rows(embeddings, where)
    if matrix.dtype == object:
        matrix = _from_rows(matrix, where)
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise InputError(
            "{where}: an array of shape {shape}; expected one row for each document, with at "
            "least one number",
            where=where,
            shape=str(matrix.shape),
        )
    if matrix.dtype.kind not in "fiu":
        text = "{where}: numbers of type {dtype}; give real ones"
        raise InputError(text, where=where, dtype=matrix.dtype)
    check_fits(4.0 * matrix.size, where, "give fewer dimensions, in half precision on disk")
    out = np.empty(matrix.shape, np.float32)
    step = max(1, _BLOCK // (8 * matrix.shape[1]))
    for start in range(0, len(matrix), step):  # what lies on disk is never in memory twice
        with np.errstate(over="ignore"):
            out[start : start + step] = matrix[start : start + step]
        bad = ~np.isfinite(out[start : start + step]).all(axis=1)
        if bad.any():
            row = start + int(bad.argmax())
            raise InputError(
                "{where}: row {row} has a number that is not finite in single precision; "
                "give a row of zeros to a document that has no embedding",
                where=where,
                row=row,
            )
    return out


def _holds_objects(path: str) -> bool:
    """Whether a .npy file holds Python objects, by its header."""
    try:
        with open(path, "rb") as stream:
            version = np.lib.format.read_magic(stream)
            first = version == (1, 0)
            read = (
                np.lib.format.read_array_header_1_0
                if first
                else np.lib.format.read_array_header_2_0
            )
            return bool(read(stream)[2].hasobject)
    except (OSError, ValueError, EOFError):
        return False


def _from_file(path: str) -> npt.NDArray[Any]:
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        if _holds_objects(path):
            raise ReadError(
                f"{path!r} holds Python objects, which are not opened; save a matrix of numbers"
            ) from None
        raise ReadError(f"{path!r} can't be read as a matrix in a .npy file: {error}") from error
    if not isinstance(found, np.ndarray):
        found.close()
        raise ReadError(f"{path!r} holds several arrays; give a .npy file with one matrix")
    return found


def _from_rows(embeddings: Any, where: object) -> npt.NDArray[Any]:
    """One vector a document, in whatever holds them."""
    if hasattr(embeddings, "dtype") and getattr(embeddings, "ndim", 0) == 2:
        return np.asarray(embeddings)
    if hasattr(embeddings, "to_numpy") and getattr(embeddings, "ndim", 1) == 2:
        return np.asarray(embeddings.to_numpy())
    rows: list[Floats] = []
    try:
        with np.errstate(over="ignore"):  # infinity is told of later, with its row
            rows.extend(np.asarray(row, dtype=np.float32) for row in embeddings)
    except (TypeError, ValueError) as error:
        at = f"document {len(rows)}: " if isinstance(embeddings, (list, np.ndarray)) else ""
        text = "{where}: no matrix, and no column of vectors either ({at}{error})"
        raise InputError(text, where=where, at=at, error=error) from None
    lengths = [len(row) if row.ndim == 1 else -1 for row in rows]
    if rows and -1 in lengths:
        text = "{where}: document {row} has no vector of numbers"
        raise InputError(text, where=where, row=lengths.index(-1))
    other = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    if other is not None:
        raise InputError(
            "{where}: vectors of different lengths; document 0 has {first}, document {other} has "
            "{second}",
            where=where,
            first=lengths[0],
            other=other,
            second=lengths[other],
        )
    return np.stack(rows) if rows else np.empty((0, 0), np.float32)


def neighbour_table(
    embeddings: Any,
    n_neighbors: int = 15,
    *,
    metric: str = "cosine",
    mutual: bool = False,
    weights: str = "equal",
    copy: str = "observed",
    listener: Callable[[float], None] | None = None,
) -> NeighbourTable:
    """Count for each document its nearest neighbours in an embedding.

    Exact, in blocks: time grows with the square of the number of documents, memory does not.
    Of documents that are equally near, copies of each other say, those that follow the document
    come first, and after the last one the first: all are then neighbours equally often, where
    the first few would be everybody's.

    Parameters
    ----------
    embeddings : array-like, path-like, or column of a table
        As in `as_embeddings`. A document whose vector is all zeros has no neighbours
        and is nobody's.
    n_neighbors : int
        Neighbours of each document; all others where there are fewer.
    metric : {"cosine", "euclidean"}
        The largest cosine or the smallest distance is the nearest.
    mutual : bool
        Keep only pairs of which each is a neighbour of the other. A document may be left
        without any.
    weights : {"equal", "rank", "similarity"}
        What a neighbour counts: 1; less the further down the list it is; or by its
        similarity (the cosine, none below 0; with distances, a Gaussian as wide as the
        mean distance of neighbours).
    copy : {"observed", "tied"}
        What the columns are to estimators: documents each by itself; or (a
        `TiedTable`) documents in the clusters that the rows get.
    listener : callable, optional
        Gets the share that is done.

    Returns
    -------
    NeighbourTable
        Documents x documents, sparse, its diagonal empty.

    Examples
    --------
    >>> points = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1]])
    >>> neighbour_table(points, 1).toarray().tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    if copy not in COPIES:
        raise InputError(parameter="copy", given=copy, allowed=COPIES)
    k = _checked(n_neighbors, metric, weights)
    vectors = as_embeddings(embeddings)
    n = len(vectors)
    if n < 2:
        raise InputError(f"{n} documents have no neighbours; give the embeddings of two or more")
    k = min(k, n - 1)
    _check_room(n, n, k, vectors.size)
    there, size = _scaled(vectors, metric)
    near, score = _nearest(vectors, vectors, there, (size, size), k, listener, itself=True)
    table = _table(near, _weigh(score, weights, metric), there, n)
    if mutual:
        table = sp.csr_array(table.multiply((table.T != 0).astype(np.int64)))
        table.eliminate_zeros()
    table.sort_indices()
    if not table.nnz:
        raise InputError(
            "no document has a neighbour: "
            + ("no two are near each other" if there.any() else "all vectors are zeros")
        )
    return TiedTable(table) if copy == "tied" else NeighbourTable(table)


def neighbours_among(
    embeddings: Any,
    known: Any,
    n_neighbors: int = 15,
    *,
    metric: str = "cosine",
    weights: str = "equal",
) -> sp.csr_array:
    """Count for each new document its nearest neighbours among documents of an earlier fit.

    Parameters
    ----------
    embeddings : array-like, path-like, or column of a table
        Vectors of the new documents, as in `as_embeddings`.
    known : as ``embeddings``
        Vectors of the documents of the fit, of the same model and in the same order.
    n_neighbors, metric, weights
        As in the `neighbour_table` of the fit. What a new document's neighbours count
        does not depend on the documents it comes with.

    Returns
    -------
    sparse array
        New documents x documents of the fit: what ``predict`` takes as ``neighbours``.

    Examples
    --------
    >>> known = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1]])
    >>> neighbours_among([[2, 0.3]], known, 2).toarray().tolist()
    [[1, 1, 0, 0]]
    """
    k = _checked(n_neighbors, metric, weights)
    new = as_embeddings(embeddings, "the new embeddings")
    old = as_embeddings(known, "the known embeddings")
    if new.shape[1] != old.shape[1]:
        raise InputError(
            f"the new embeddings have {new.shape[1]} dimensions, those of the fit {old.shape[1]}; "
            "make both with the same model"
        )
    k, n = min(k, len(old)), len(old)
    if not n:
        raise InputError("there are no known embeddings, and so no neighbours")
    _check_room(len(new), n, k, new.size + old.size)
    both = np.concatenate([old, new])
    there, size = _scaled(both, metric, n)
    sizes = (None, None) if size is None else (size[n:], size[:n])
    near, score = _nearest(both[n:], both[:n], there[:n], sizes, k, None)
    width = None
    if weights == "similarity" and size is not None and n > 1:
        # as wide as in the fit: a batch of its own would have another one
        own = (size[:n], size[:n])
        width = _width(
            _nearest(both[:n], both[:n], there[:n], own, min(k, n - 1), None, itself=True)[1]
        )
    return _table(near, _weigh(score, weights, metric, width), there[n:], n)


def _checked(n_neighbors: int, metric: str, weights: str) -> int:
    if metric not in METRICS:
        raise InputError(parameter="metric", given=metric, allowed=METRICS)
    if weights not in NEIGHBOUR_WEIGHTS:
        raise InputError(
            "{given} are unknown; choose one of {allowed}",
            "weights",
            weights,
            allowed=NEIGHBOUR_WEIGHTS,
        )
    return check_int("n_neighbors", n_neighbors)


def _check_room(rows: int, columns: int, k: int, numbers: int) -> None:
    check_fits(
        40.0 * rows * k + 3 * max(_BLOCK, 4 * columns) + 8.0 * numbers,
        f"the table of {k} neighbours of {rows:,} documents",
        "ask for fewer neighbours, or give fewer dimensions",
    )


def _table(
    near: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int64],
    there: npt.NDArray[np.bool_],
    n_columns: int,
) -> sp.csr_array:
    """Neighbours and what they count as a sparse table, of rows that have a vector."""
    n, k = near.shape
    rows = np.repeat(np.arange(n, dtype=np.int32), k)
    kept = (counts.ravel() > 0) & there[rows]
    entries = (counts.ravel()[kept], (rows[kept], near.ravel()[kept]))
    table = sp.csr_array(entries, shape=(n, n_columns), dtype=np.int64)
    table.sort_indices()
    return table


def _scaled(
    vectors: Floats, metric: str, n_known: int | None = None
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float32] | None]:
    """Bring vectors, in place, to where products tell what is near."""
    # Returns which of them are there at all, and half their squared lengths where distances are
    # asked for. The first ``n_known`` say where the middle is.
    most = np.abs(vectors).max(axis=1)
    there = most > 0
    if metric == "cosine":
        vectors /= np.where(there, most, 1)[:, None]  # lest squares overflow or vanish
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        vectors /= np.where(there, lengths, 1)[:, None]
        return there, None
    largest = float(most.max())
    vectors /= largest if largest > 0 else 1.0
    # products of vectors far from the origin would round away the distances between them
    vectors -= vectors[:n_known].mean(axis=0)
    return there, np.asarray(np.einsum("ij,ij->i", vectors, vectors) / 2, np.float32)


def _nearest(
    asking: Floats,
    vectors: Floats,
    there: npt.NDArray[np.bool_],
    sizes: tuple[npt.NDArray[np.float32] | None, npt.NDArray[np.float32] | None],
    k: int,
    listener: Callable[[float], None] | None,
    *,
    itself: bool = False,
) -> tuple[npt.NDArray[np.int32], Floats]:
    """The k nearest of each document that asks, the nearest first, and how near they are."""
    # Nearness is the cosine or minus half the squared distance; minus infinity where there is no
    # neighbour. Where those who ask are the same documents, nobody is near ``itself``.
    m, n = len(asking), len(vectors)
    near = np.empty((m, k), np.int32)
    score = np.empty((m, k), np.float32)
    absent = np.flatnonzero(~there)
    step = max(1, _BLOCK // (4 * n))
    for start in range(0, m, step):
        stop = min(start + step, m)
        block = asking[start:stop] @ vectors.T
        if sizes[0] is not None and sizes[1] is not None:
            block -= sizes[1]
            block -= sizes[0][start:stop, None]
        block[:, absent] = -np.inf
        if itself:
            block[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        best = np.argpartition(block, n - k, axis=1)[:, n - k :]
        rounding = np.full(stop - start, _ROUNDING, np.float32)
        if sizes[0] is not None:
            rounding *= 2 * sizes[0][start:stop]
        _settle_ties(block, best, rounding, start if itself else None)
        # equally near: those who follow the document first
        ahead = (best - (np.arange(start, stop)[:, None] if itself else 0)) % n
        best = np.take_along_axis(best, np.argsort(ahead, axis=1), axis=1)
        found = np.take_along_axis(block, best, axis=1)
        order = np.argsort(-found, axis=1, kind="stable")
        near[start:stop] = np.take_along_axis(best, order, axis=1)
        score[start:stop] = np.take_along_axis(found, order, axis=1)
        if listener is not None:
            listener(stop / m)
    return near, score


def _settle_ties(
    block: Floats, best: npt.NDArray[np.intp], rounding: Floats, start: int | None
) -> None:
    """Choose, in place, among documents that are as near as the last of the best."""
    # Which of them a partition puts there is chance. Rows are documents from ``start`` on, and
    # those who follow them are chosen; where the rows are new documents, the first ones.
    n, k = block.shape[1], best.shape[1]
    last = np.take_along_axis(block, best, axis=1).min(axis=1)
    tied = np.isfinite(last) & ((block >= (last - rounding)[:, None]).sum(axis=1) > k)
    for i in np.flatnonzero(tied):
        near = np.flatnonzero(block[i] >= last[i] - rounding[i])
        sure = block[i, near] > last[i] + rounding[i]
        equal = near[~sure]
        room = k - int(sure.sum())
        ahead = (equal - (0 if start is None else start + i)) % n
        best[i] = np.concatenate([near[sure], equal[np.argpartition(ahead, room - 1)[:room]]])


def _width(score: Floats) -> float:
    """Half the mean squared distance of neighbours."""
    found = np.isfinite(score)
    return float(-score[found].mean()) if found.any() else 0.0


def _weigh(
    score: Floats, weights: str, metric: str, width: float | None = None
) -> npt.NDArray[np.int64]:
    """What each neighbour counts, in whole numbers; 0 where there is none."""
    found = np.isfinite(score)
    if weights == "equal":
        return found.astype(np.int64)
    if weights == "rank":
        k = score.shape[1]
        return np.where(found, np.arange(k, 0, -1, dtype=np.int64), 0)
    if metric == "euclidean":
        wide = _width(score) if width is None else width
        score = np.exp(score / wide) if wide > 0 else found.astype(np.float32)
    share = np.where(found, np.clip(score, 0, 1), 0)
    return np.asarray(np.rint(_UNITS * share), np.int64)
