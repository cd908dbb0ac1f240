"""How far items are from centres: squared Euclidean, cosine, KL and other Bregman divergences.

A k-means step needs two things that fit each other: distances to centres, and the centres that
make the sum of those distances least. A class here has both, so that no step can raise the
objective. Rows may be dense or sparse and stay as they are; centres are dense.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from comraf.errors import InputError
from comraf.kmeans.rows import (
    Floats,
    by_pairs,
    floats,
    largest_entries,
    lengths,
    parts,
    row_sums,
    scaled,
    smallest_entries,
    sums,
)
from comraf.parameters import check_number
from comraf.supervision.naming import Items, listed

__all__ = [
    "KL",
    "METRICS",
    "Bregman",
    "Cosine",
    "Distance",
    "ItakuraSaito",
    "SquaredEuclidean",
    "metric_for",
]

# What stands for a probability of 0, of which there is no logarithm.
_TINY = 1e-300
# Sums of squares of entries above this may be infinite; where all are below one by it, they vanish.
_MOST = 1e145
# Weight of the uniform distribution beside which rows of different kinds still differ.
_MOST_SMOOTHING = 1_000_000


def _refuse_zeros(X: Any, ids: Sequence[Hashable] | None, why: str, way_out: str = "") -> None:
    bad = np.flatnonzero(largest_entries(X) == 0)
    if bad.size:
        items = Items(X.shape[0], ids)
        names = listed((items.name(int(row)) for row in bad), bad.size)
        one = bad.size == 1
        raise InputError(
            f"{bad.size:,} row{' has' if one else 's have'} only zeros{why}: {names}; leave "
            f"{'it' if one else 'them'} out{way_out}"
        )


class Distance(ABC):
    """A distance of rows to centres, with the centres that make its sum least.

    ``prepare`` comes first: all other methods take rows that went through it.
    """

    name = ""
    #: Whether ``prepare`` divides, so that rows that mean the same may differ in the last digit.
    rounded = False

    def check(self, X: Any, ids: Sequence[Hashable] | None = None) -> None:  # noqa: B027
        """Refuse rows that have no distance to a centre; ``ids`` name them in the message."""

    def prepare(self, X: Any) -> Any:
        """Bring rows to the form that is clustered: floats, unit length, sums of 1."""
        return floats(X)

    def eased(self) -> Sequence[Distance]:
        """Distances that a run follows in turn, after its first round, before this one."""
        return ()

    @abstractmethod
    def distances(self, X: Any, centers: Floats) -> Floats:
        """Distance of each row to each centre, shape (n, k), never below 0."""

    def centers(
        self, X: Any, labels: NDArray[Any], k: int, weights: ArrayLike | None = None
    ) -> Floats:
        """Best centre of each cluster, shape (k, d); an empty one has the centre of all rows.

        Rows of label -1 belong to no cluster.
        """
        totals, masses = sums(X, np.asarray(labels), k, weights)
        empty = masses <= 0
        if empty.any():
            rest, mass = sums(X, np.zeros(X.shape[0], dtype=np.int64), 1, None)
            totals[empty], masses[empty] = rest, mass
        return self._from_sums(totals, masses)

    def _from_sums(self, totals: Floats, masses: Floats) -> Floats:
        """Centres from the sums of the rows of each cluster; a mean, unless said otherwise."""
        means: Floats = totals / masses[:, None]
        return means

    def nearest(self, X: Any, centers: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Nearest centre of each row, the first of equal ones, and the distance to it."""
        n = X.shape[0]
        labels = np.empty(n, dtype=np.int64)
        least = np.empty(n)
        for part in parts(n, len(centers)):
            found = self.distances(X[part], centers)
            labels[part] = found.argmin(axis=1)
            least[part] = found[np.arange(len(found)), labels[part]]
        return labels, least

    def own(self, X: Any, labels: NDArray[Any], centers: Floats) -> Floats:
        """Distance of each row to the centre of its own cluster."""
        n = X.shape[0]
        out = np.empty(n)
        for part in parts(n, len(centers)):
            found = self.distances(X[part], centers)
            out[part] = found[np.arange(len(found)), labels[part]]
        return out

    @abstractmethod
    def pair(self, X: Any, i: ArrayLike, j: ArrayLike) -> Floats:
        """Distance between rows ``i`` and rows ``j``, one by one: symmetric, 0 for equal rows."""

    @abstractmethod
    def largest(self, X: Any) -> float:
        """A bound that no distance between two rows exceeds."""


class SquaredEuclidean(Distance):
    """Squared Euclidean distance; centres are means.

    Examples
    --------
    >>> metric, X = SquaredEuclidean(), np.array([[0.0, 0.0], [2.0, 0.0], [5.0, 0.0]])
    >>> centers = metric.centers(X, np.array([0, 0, 1]), 2)
    >>> centers.tolist(), metric.distances(X, centers).tolist()
    ([[1.0, 0.0], [5.0, 0.0]], [[1.0, 25.0], [1.0, 9.0], [16.0, 0.0]])
    >>> metric.pair(X, [0, 1], [1, 2]).tolist(), metric.largest(X) >= 25
    ([4.0, 9.0], True)
    """

    name = "euclidean"

    def check(self, X: Any, ids: Sequence[Hashable] | None = None) -> None:
        """Refuse entries so large that their squares are infinite, or all so small that none is."""
        X = floats(X)
        most = max(float(X.max()), -float(X.min())) if min(X.shape) else 0.0
        if most > _MOST or 0 < most < 1 / _MOST:
            row = Items(X.shape[0], ids).name(int(largest_entries(X).argmax()))
            raise InputError(
                f"the largest entry is {most:g} (row {row}), and squares of such numbers are "
                f"{'infinite' if most > 1 else 'all 0'}; multiply all rows by one factor, or use "
                "metric='cosine'"
            )

    def distances(self, X: Any, centers: Floats) -> Floats:
        """Distance of each row to each centre, shape (n, k)."""
        out = np.empty((X.shape[0], len(centers)))
        if sp.issparse(X):
            out[:] = row_sums(X.multiply(X))[:, None] - 2 * (X @ centers.T)
            out += np.einsum("ij,ij->i", centers, centers)
        else:
            # Far from the origin the squares would lose the digits that count.
            middle = centers.mean(axis=0)
            moved = centers - middle
            squares = np.einsum("ij,ij->i", moved, moved)
            for part in parts(len(X), X.shape[1]):
                rows = X[part] - middle
                out[part] = rows @ (-2 * moved.T)
                out[part] += np.einsum("ij,ij->i", rows, rows)[:, None] + squares
        np.maximum(out, 0, out=out)
        return out

    def pair(self, X: Any, i: ArrayLike, j: ArrayLike) -> Floats:
        """Squared distance between rows."""

        def of(a: Any, b: Any) -> Floats:
            gap = a - b
            if sp.issparse(gap):
                return row_sums(gap.multiply(gap))
            return np.asarray(np.einsum("ij,ij->i", gap, gap))

        return by_pairs(X, i, j, of)

    def largest(self, X: Any) -> float:
        """Square of the diameter of a ball around the mean that has all rows in it."""
        middle = self.centers(X, np.zeros(X.shape[0], dtype=np.int64), 1)
        return 4 * float(self.distances(X, middle).max())


class Cosine(Distance):
    """One minus the cosine; rows and centres have unit length (spherical k-means).

    Examples
    --------
    >>> metric = Cosine()
    >>> X = metric.prepare([[3.0, 0.0], [0.0, 5.0]])
    >>> metric.distances(X, np.array([[1.0, 0.0]])).tolist(), metric.largest(X)
    ([[0.0], [1.0]], 1.0)
    >>> metric.check(np.zeros((1, 2)))
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: 1 row has only zeros, and a zero vector has no direction to compare \
by cosine: 0; leave it out, or use metric='euclidean'
    """

    name = "cosine"
    rounded = True

    def check(self, X: Any, ids: Sequence[Hashable] | None = None) -> None:
        """Refuse rows of zeros: they have no direction."""
        why = ", and a zero vector has no direction to compare by cosine"
        _refuse_zeros(floats(X), ids, why, ", or use metric='euclidean'")

    def prepare(self, X: Any) -> Any:
        """Rows of unit length."""
        X = floats(X)
        # Lengths of rows that were scaled by their largest entry neither overflow nor vanish.
        X = scaled(X, largest_entries(X))
        return scaled(X, lengths(X))

    def distances(self, X: Any, centers: Floats) -> Floats:
        """Distance of each row to each centre, shape (n, k)."""
        out = np.asarray(X @ centers.T)
        np.subtract(1, out, out=out)
        np.maximum(out, 0, out=out)
        return out

    def centers(
        self, X: Any, labels: NDArray[Any], k: int, weights: ArrayLike | None = None
    ) -> Floats:
        """Direction of the sum of the rows of each cluster."""
        found = super().centers(X, labels, k, weights)
        # Rows that cancel each other are as far from one direction as from any other.
        for h in np.flatnonzero(np.einsum("ij,ij->i", found, found) == 0).tolist():
            inside = np.flatnonzero(np.asarray(labels) == h)
            first = X[[int(inside[0]) if inside.size else 0]]
            found[h] = first.toarray()[0] if sp.issparse(first) else first[0]
        return found

    def _from_sums(self, totals: Floats, masses: Floats) -> Floats:
        sizes = np.sqrt(np.einsum("ij,ij->i", totals, totals))[:, None]
        # Sums of opposite rows are rounding errors: no direction to be told from them.
        unit = np.where(sizes > 1e-12 * masses[:, None], totals / np.maximum(sizes, _TINY), 0)
        return np.asarray(unit)

    def pair(self, X: Any, i: ArrayLike, j: ArrayLike) -> Floats:
        """One minus the cosine between rows."""

        def of(a: Any, b: Any) -> Floats:
            dots = row_sums(a.multiply(b)) if sp.issparse(a) else np.einsum("ij,ij->i", a, b)
            return np.asarray(np.maximum(1 - np.asarray(dots), 0))

        return by_pairs(X, i, j, of)

    def largest(self, X: Any) -> float:
        """2; where no entry is negative, 1."""
        return 1.0 if float(X.min()) >= 0 else 2.0


class Bregman(Distance):
    """The Bregman divergence of a convex function: D(x, μ) = φ(x) − φ(μ) − ∇φ(μ)·(x − μ).

    Whatever φ is, the best centre is the mean.

    Parameters
    ----------
    phi : callable
        Takes rows as a dense array of shape (m, d), gives φ of each, shape (m,). It is called
        with a block of rows at a time.
    gradient : callable
        Takes centres of shape (k, d), gives ∇φ of each, shape (k, d).
    least : float, optional
        Least entry of a row that φ is defined for.
    open_below : bool
        Whether entries must be above ``least``, not equal to it.
    name : str
        Used in messages.

    Examples
    --------
    >>> cosh = Bregman(lambda x: np.cosh(x).sum(axis=1), np.sinh, name="cosh")
    >>> X = cosh.prepare([[0.0], [1.0]])
    >>> cosh.distances(X, X).round(3).tolist()
    [[0.0, 0.632], [0.543, 0.0]]
    """

    def __init__(
        self,
        phi: Callable[[Floats], Any],
        gradient: Callable[[Floats], Any],
        *,
        least: float = -math.inf,
        open_below: bool = False,
        name: str = "Bregman",
    ) -> None:
        for what, function in (("phi", phi), ("gradient", gradient)):
            if not callable(function):
                raise InputError("{given}; give a function of rows", what, function)
        self.phi, self.gradient, self.least, self.open_below = phi, gradient, least, open_below
        self.name = name

    def check(self, X: Any, ids: Sequence[Hashable] | None = None) -> None:
        """Refuse entries that φ is not defined for."""
        if self.least == -math.inf:
            return
        X = floats(X)
        low = smallest_entries(X)
        bad = np.flatnonzero(low <= self.least if self.open_below else low < self.least)
        if bad.size:
            items = Items(X.shape[0], ids)
            names = listed((f"{items.name(int(r))} ({low[r]:g})" for r in bad), bad.size)
            raise InputError(
                f"metric={self.name!r} needs entries "
                f"{f'above {self.least:g}' if self.open_below else f'of {self.least:g} or more'}, "
                f"but {bad.size:,} row{' has' if bad.size == 1 else 's have'} smaller ones: "
                f"{names}; use metric='euclidean' or 'cosine', or change these entries"
            )

    def distances(self, X: Any, centers: Floats) -> Floats:
        """Divergence of each row from each centre, shape (n, k)."""
        slope = np.asarray(self.gradient(centers), dtype=np.float64)
        if slope.shape != centers.shape:
            raise InputError(
                f"the gradient of metric {self.name!r} has shape {slope.shape} for centres of "
                f"shape {centers.shape}; give one of the same shape"
            )
        level = np.einsum("ij,ij->i", slope, centers) - self._phi(centers)
        rows = self._phi(X)
        product = np.asarray(X @ slope.T)
        out: Floats = rows[:, None] - product + level
        # The three terms may be far larger than what is left of them.
        sizes = np.abs(rows[:, None]) + np.abs(product) + np.abs(level) + 1
        if not np.isfinite(out).all() or np.any(out < -1e-6 * sizes):
            raise InputError(
                f"metric {self.name!r} gives distances that are negative or no numbers; check "
                "that phi is convex and finite for these rows, and that gradient is its gradient"
            )
        np.maximum(out, 0, out=out)
        return out

    def pair(self, X: Any, i: ArrayLike, j: ArrayLike) -> Floats:
        """Divergence of both rows from their mean, summed: a divergence itself has a direction."""
        return by_pairs(
            X,
            i,
            j,
            lambda a, b: np.maximum(self._phi(a) + self._phi(b) - 2 * self._phi((a + b) / 2), 0),
        )

    def largest(self, X: Any) -> float:
        """Bound on `pair`: the mean of two rows is their best centre, any other is worse."""
        middle = self.centers(X, np.zeros(X.shape[0], dtype=np.int64), 1)
        return 2 * float(self.distances(X, middle).max())

    def _phi(self, rows: Any) -> Floats:
        out = np.empty(rows.shape[0])
        for part in parts(rows.shape[0], rows.shape[1]):
            block = rows[part]
            found = np.asarray(self.phi(block.toarray() if sp.issparse(block) else block))
            if found.shape != block.shape[:1]:
                raise InputError(
                    f"phi of metric {self.name!r} has shape {found.shape} for rows of shape "
                    f"{block.shape}; give one number for each row"
                )
            out[part] = found
        return out


# By name, so that metrics can be pickled: lambdas can't.
def _burg(rows: Floats) -> Floats:
    return np.asarray(-np.log(rows).sum(axis=1))


def _burg_slope(centers: Floats) -> Floats:
    return -1 / centers


def _shannon(rows: Floats) -> Floats:
    return np.asarray(xlogy(rows, rows).sum(axis=1))


def _shannon_slope(centers: Floats) -> Floats:
    return np.asarray(1 + np.log(np.maximum(centers, _TINY)))


class ItakuraSaito(Bregman):
    """Itakura–Saito divergence of positive rows, such as power spectra: Σ x/μ − log(x/μ) − 1.

    Examples
    --------
    >>> metric = ItakuraSaito()
    >>> metric.distances(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0]])).round(3).tolist()
    [[0.307]]
    """

    def __init__(self) -> None:
        super().__init__(_burg, _burg_slope, least=0.0, open_below=True, name="itakura-saito")


class KL(Bregman):
    """Kullback–Leibler divergence of rows as distributions, with smoothed centres.

    The distance is KL(x‖μ) + α KL(u‖μ), where u is uniform over the d columns; the centre that
    makes its sum least is (mean + α u) / (1 + α). Smoothing that entered the centres alone could
    raise the objective.

    Parameters
    ----------
    alpha : float
        Weight of the uniform distribution. At 0, a column that a centre has nothing in puts
        rows with something there very far away.
    start : float, optional
        Where the weight is annealed from: after the first round a run goes on with this weight
        until it stands still, then with a tenth of it, and so on down to ``alpha``. Fewer runs end
        in a poor place that way. None: ``alpha`` all the time.

    Examples
    --------
    >>> metric = KL(alpha=1.0)
    >>> [stage.alpha for stage in metric.eased()]
    [100.0, 10.0]
    >>> X = metric.prepare([[3.0, 1.0], [0.0, 4.0]])
    >>> X.tolist(), metric.centers(X, np.array([0, 1]), 2).tolist()
    ([[0.75, 0.25], [0.0, 1.0]], [[0.625, 0.375], [0.25, 0.75]])
    >>> metric.check([[1.0, -2.0]])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: metric='kl' needs entries of 0 or more, but 1 row has smaller ones: \
0 (-2); use metric='euclidean' or 'cosine', or change these entries
    """

    rounded = True

    def __init__(self, alpha: float = 0.1, start: float | None = 100.0) -> None:
        self.alpha = check_number("alpha", alpha, most=_MOST_SMOOTHING)
        if start is not None:
            check_number("start", start, most=_MOST_SMOOTHING)
        self.start = start
        super().__init__(_shannon, _shannon_slope, least=0.0, name="kl")

    def eased(self) -> Sequence[Distance]:
        """The same with more smoothing, a tenth of it each time."""
        weight, stages = float(self.start or 0), []
        # below a hundredth no smoothing differs from none by much
        while weight > max(self.alpha, 0.01) * (1 + 1e-9):
            stages.append(KL(weight, start=None))
            weight /= 10
        return stages

    def check(self, X: Any, ids: Sequence[Hashable] | None = None) -> None:
        """Refuse negative entries, and rows that sum to 0."""
        super().check(X, ids)
        _refuse_zeros(floats(X), ids, ", which is no distribution for metric='kl'")

    def prepare(self, X: Any) -> Any:
        """Rows that sum to 1."""
        X = floats(X)
        X = scaled(X, largest_entries(X))
        return scaled(X, row_sums(X))

    def distances(self, X: Any, centers: Floats) -> Floats:
        """Divergence of each row from each centre, and α times that of u; shape (n, k)."""
        logs = np.log(np.maximum(centers, _TINY))
        out: Floats = self._phi(X)[:, None] - np.asarray(X @ logs.T)
        if self.alpha:
            out += self.alpha * (-math.log(centers.shape[1]) - logs.mean(axis=1))
        np.maximum(out, 0, out=out)
        return out

    def largest(self, X: Any) -> float:
        """2 log 2, the distance of rows that share no column."""
        return 2 * math.log(2)

    def _from_sums(self, totals: Floats, masses: Floats) -> Floats:
        means = super()._from_sums(totals, masses)
        return np.asarray((means + self.alpha / totals.shape[1]) / (1 + self.alpha))

    def _phi(self, rows: Any) -> Floats:
        if sp.issparse(rows):
            logs = rows.copy()
            logs.data = xlogy(rows.data, rows.data)
            return row_sums(logs)
        return super()._phi(rows)


_MAKERS: dict[str, Callable[[], Distance]] = {
    "euclidean": SquaredEuclidean,
    "cosine": Cosine,
    "kl": KL,
    "itakura-saito": ItakuraSaito,
}
#: Names that `metric_for` knows.
METRICS = tuple(_MAKERS)


def metric_for(metric: object) -> Distance:
    """Find a distance by its name, or take the one that is given.

    Examples
    --------
    >>> metric_for("kl").name, metric_for(KL(alpha=0.5)).alpha
    ('kl', 0.5)
    >>> metric_for("manhattan")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: metric='manhattan' is unknown; choose one of ['euclidean', 'cosine', \
'kl', 'itakura-saito'], or give a comraf.kmeans.Bregman
    """
    if isinstance(metric, Distance):
        return metric
    if isinstance(metric, str) and metric in _MAKERS:
        return _MAKERS[metric]()
    raise InputError(
        "{given} is unknown; choose one of {allowed}, or give a comraf.kmeans.Bregman",
        "metric",
        metric,
        allowed=METRICS,
    )
