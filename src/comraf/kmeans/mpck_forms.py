"""Forms of a learnt metric, a weight for each column or a whole matrix, and lengths by it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.graph.tables import check_fits
from comraf.kmeans.distances import SquaredEuclidean
from comraf.kmeans.rows import Floats, parts, sums

__all__ = ["FORMS", "Diagonal", "Form", "Full", "Gaps", "far_apart"]

_EUCLIDEAN = SquaredEuclidean()

# Rows among which the pair that is farthest apart is sought; up to so many, all rows are.
_POOL = 64


class Form(ABC):
    """How metrics A of squared distances (x − μ)ᵀ A (x − μ) are kept, and what is done with them.

    Parameters
    ----------
    d : int
        Number of columns.
    """

    def __init__(self, d: int) -> None:
        self.d = d

    @abstractmethod
    def check(self, k: int) -> None:
        """Refuse metrics of k clusters that do not fit into memory."""

    @abstractmethod
    def nothing(self) -> Floats:
        """A sum of products with nothing in it yet."""

    @abstractmethod
    def from_weights(self, weights: Floats) -> Floats:
        """The metric that has a weight for each column."""

    @abstractmethod
    def scaled(self, metrics: Floats, factors: Floats) -> Floats:
        """Metrics of rows whose columns were divided by ``factors`` before."""

    @abstractmethod
    def log_det(self, metric: Floats) -> float:
        """Logarithm of the determinant; an error if the metric is not positive definite."""

    @abstractmethod
    def squares(self, rows: Any, metrics: Floats) -> Floats:
        """Squared lengths of rows by each metric, (rows, metrics)."""

    @abstractmethod
    def distances(self, X: Any, centers: Floats, metrics: Floats) -> Floats:
        """Squared distance of each row to each centre by the centre's metric."""

    @abstractmethod
    def scatter(self, rows: Any, weights: Floats) -> Floats:
        """Weighted sum of the products of rows with themselves."""

    @abstractmethod
    def scatters(self, X: Any, labels: NDArray[Any], centers: Floats) -> Floats:
        """Scatter of the rows of each cluster around its centre."""

    @abstractmethod
    def best(self, spread: Floats, floor: float) -> Floats:
        """The metric that makes tr(A · spread) − log det A least, where A is at most 1 / floor."""


class Diagonal(Form):
    """A weight for each column.

    Examples
    --------
    >>> form = Diagonal(2)
    >>> form.best(np.array([0.5, 0.0]), 0.01).tolist()
    [2.0, 100.0]
    >>> far = form.distances(np.array([[1.0, 2.0]]), np.zeros((1, 2)), np.array([[1.0, 10.0]]))
    >>> far.tolist()
    [[41.0]]
    """

    def check(self, k: int) -> None:
        """Refuse what does not fit."""
        check_fits(
            8.0 * 8 * k * self.d,
            f"{k:,} metrics of {self.d:,} columns",
            "ask for fewer clusters, or leave out rare columns",
        )

    def nothing(self) -> Floats:
        """Zeros."""
        return np.zeros(self.d)

    def from_weights(self, weights: Floats) -> Floats:
        """The weights themselves."""
        return weights

    def scaled(self, metrics: Floats, factors: Floats) -> Floats:
        """Weights of columns before they were divided."""
        return np.asarray(metrics / factors**2)

    def log_det(self, metric: Floats) -> float:
        """Sum of logarithms."""
        return float(np.log(metric).sum())

    def squares(self, rows: Any, metrics: Floats) -> Floats:
        """Squared lengths; sparse rows stay sparse."""
        return np.asarray(_squared(rows) @ metrics.T)

    def distances(self, X: Any, centers: Floats, metrics: Floats) -> Floats:
        """x² a − 2 x a μ + μ² a: only products of rows with k columns, so they stay sparse."""
        out = np.empty((X.shape[0], len(centers)))
        sparse = sp.issparse(X)
        # Far from the origin the squares would lose the digits that count.
        middle = np.zeros(self.d) if sparse else centers.mean(axis=0)
        moved = centers - middle
        cross = -2 * (metrics * moved).T
        level = np.einsum("ij,ij,ij->i", metrics, moved, moved)
        for part in [slice(0, X.shape[0])] if sparse else parts(X.shape[0], self.d):
            rows = X[part] if sparse else X[part] - middle
            out[part] = _squared(rows) @ metrics.T + rows @ cross + level
        np.maximum(out, 0, out=out)
        return out

    def scatter(self, rows: Any, weights: Floats) -> Floats:
        """Weighted sum of squares."""
        return np.asarray(_squared(rows).T @ weights)

    def scatters(self, X: Any, labels: NDArray[Any], centers: Floats) -> Floats:
        """Sum of squares around each centre, by column; centres are the means."""
        k = len(centers)
        if sp.issparse(X):
            squares, sizes = sums(_squared(X), labels, k, None)
            return np.asarray(np.maximum(squares - sizes[:, None] * centers**2, 0))
        out = np.zeros((k, self.d))
        for part in parts(len(X), self.d):
            out += sums((X[part] - centers[labels[part]]) ** 2, labels[part], k, None)[0]
        return out

    def best(self, spread: Floats, floor: float) -> Floats:
        """One over the spread, column by column."""
        return np.asarray(1 / np.maximum(spread, floor))


class Full(Form):
    """A positive definite matrix.

    Examples
    --------
    >>> form = Full(2)
    >>> metric = form.best(np.array([[1.0, 1.0], [1.0, 1.0]]), 0.5)
    >>> metric.round(6).tolist()
    [[1.25, -0.75], [-0.75, 1.25]]
    >>> form.squares(np.array([[1.0, 1.0]]), metric[None]).round(6).tolist()
    [[1.0]]
    >>> round(form.log_det(2 * metric), 6)
    1.386294
    """

    def check(self, k: int) -> None:
        """Refuse what does not fit."""
        check_fits(
            8.0 * (4 * k + 6) * self.d**2,
            f"{k:,} metrics of {self.d:,} × {self.d:,} numbers",
            "take form='diagonal', or bring the rows to fewer columns, "
            "as by sklearn.decomposition.TruncatedSVD",
        )

    def nothing(self) -> Floats:
        """Zeros."""
        return np.zeros((self.d, self.d))

    def from_weights(self, weights: Floats) -> Floats:
        """A diagonal matrix."""
        return np.diag(weights)

    def scaled(self, metrics: Floats, factors: Floats) -> Floats:
        """Matrices for columns before they were divided."""
        return np.asarray(metrics / np.multiply.outer(factors, factors))

    def log_det(self, metric: Floats) -> float:
        """From the Cholesky factor, which only a positive definite matrix has."""
        return 2 * float(np.log(np.diag(np.linalg.cholesky(metric))).sum())

    def squares(self, rows: Any, metrics: Floats) -> Floats:
        """Squared lengths, block by block where rows are sparse."""
        out = np.empty((rows.shape[0], len(metrics)))
        roots = [np.linalg.cholesky(metric) for metric in metrics]
        for part in parts(rows.shape[0], 2 * self.d):
            block = _dense(rows[part])
            for h, root in enumerate(roots):
                turned = block @ root
                out[part, h] = np.einsum("ij,ij->i", turned, turned)
        return out

    def distances(self, X: Any, centers: Floats, metrics: Floats) -> Floats:
        """Squared lengths of what rows are away from each centre, block by block."""
        out = np.empty((X.shape[0], len(centers)))
        for part in parts(X.shape[0], 2 * self.d):
            rows = _dense(X[part])
            for h, center in enumerate(centers):
                out[part, h] = self.squares(rows - center, metrics[h : h + 1])[:, 0]
        return out

    def scatter(self, rows: Any, weights: Floats) -> Floats:
        """Weighted sum of outer products."""
        out = self.nothing()
        for part in parts(rows.shape[0], 2 * self.d):
            block = _dense(rows[part])
            out += (block * weights[part, None]).T @ block
        return out

    def scatters(self, X: Any, labels: NDArray[Any], centers: Floats) -> Floats:
        """Sum of outer products around each centre."""
        out = np.zeros((len(centers), self.d, self.d))
        for h, center in enumerate(centers):
            inside = np.flatnonzero(labels == h)
            for part in parts(len(inside), self.d):
                rows = _dense(X[inside[part]]) - center
                out[h] += rows.T @ rows
        return out

    def best(self, spread: Floats, floor: float) -> Floats:
        """The inverse, with eigenvalues below the floor, negative ones too, raised to it."""
        values, vectors = np.linalg.eigh((spread + spread.T) / 2)
        found = (vectors / np.maximum(values, floor)) @ vectors.T
        return np.asarray((found + found.T) / 2)


#: Forms by name.
FORMS: dict[str, type[Form]] = {"diagonal": Diagonal, "full": Full}


class Gaps:
    """Differences of pairs of rows, in blocks; all of them are kept if they are few."""

    def __init__(self, X: Any, i: NDArray[np.int64], j: NDArray[np.int64]) -> None:
        self.X, self.i, self.j = X, i, j

    def __len__(self) -> int:
        return len(self.i)

    def blocks(self, which: NDArray[np.int64] | None = None) -> Iterator[tuple[slice, Any]]:
        """Blocks of differences, of some pairs or of all, and where they are in the whole."""
        if which is None and len(list(self._parts(len(self)))) == 1:
            yield slice(0, len(self)), self._all
            return
        i, j = (self.i, self.j) if which is None else (self.i[which], self.j[which])
        for part in self._parts(len(i)):
            yield part, self.X[i[part]] - self.X[j[part]]

    @cached_property
    def _all(self) -> Any:
        return self.X[self.i] - self.X[self.j]

    def _parts(self, n: int) -> Iterator[slice]:
        X = self.X
        # sparse differences have about as many entries as both of their rows
        return parts(n, 1 + 2 * X.nnz // max(X.shape[0], 1) if sp.issparse(X) else X.shape[1])

    def lengths(self, form: Form, metrics: Floats) -> Floats:
        """Squared length of each difference by each metric, (pairs, metrics)."""
        out = np.empty((len(self), len(metrics)))
        for part, rows in self.blocks():
            out[part] = form.squares(rows, metrics)
        return out

    def scatter(self, form: Form, weights: Floats) -> Floats:
        """Weighted sum of the products ΔΔᵀ, or of their diagonals."""
        which = np.flatnonzero(weights)
        total = form.nothing()
        for part, rows in self.blocks(which):
            total += form.scatter(rows, weights[which[part]])
        return total


def far_apart(X: Any, spaces: tuple[Any, ...]) -> Gaps:
    """Pairs of rows among which the longest by any metric is sought.

    All pairs of few rows; of many, pairs of those that a farthest-first traversal of each of
    ``spaces``, the rows in several scales, comes to.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> gaps = far_apart(X, (X,))
    >>> gaps.i.tolist(), gaps.j.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    n = X.shape[0]
    chosen = list(range(n)) if n <= _POOL else []
    if n > _POOL:
        for rows in spaces:
            everyone = np.zeros(n, dtype=np.int64)
            far = _EUCLIDEAN.distances(rows, _EUCLIDEAN.centers(rows, everyone, 1))[:, 0]
            near = np.full(n, np.inf)
            for _ in range(_POOL // len(spaces)):
                row = int(far.argmax())
                chosen.append(row)
                at = _EUCLIDEAN.centers(rows[[row]], np.zeros(1, dtype=np.int64), 1)
                near = far = np.minimum(near, _EUCLIDEAN.distances(rows, at)[:, 0])
    pool = np.unique(np.array(chosen, dtype=np.int64))
    one, other = np.triu_indices(len(pool), 1)
    return Gaps(X, pool[one], pool[other])


def _squared(rows: Any) -> Any:
    if not sp.issparse(rows):
        return rows**2
    out = rows.copy()
    out.data = out.data**2
    return out


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows)
