"""Where k-means starts, and what it does with a cluster that has lost all of its items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.kmeans.distances import Distance
from comraf.kmeans.rows import Floats
from comraf.parameters import check_choice

__all__ = [
    "INITS",
    "Start",
    "check_init",
    "first_centers",
    "mean_weight",
    "refill",
    "starting_centers",
]

#: Names of initialisations.
INITS = ("k-means++", "mean")

# A perturbed mean is that of about so many rows, chosen by chance: each entry is off by about a
# sixth of its standard deviation, and the centre stays where a centre of these data can be.
_ROWS_OF_A_MEAN = 30
# The default weight of links is a mean over all pairs of rows up to this many, else over a sample.
_MOST_PAIRS = 20_000


def starting_centers(
    X: Any,
    k: int,
    metric: Distance,
    init: Any,
    rng: np.random.RandomState,
    *,
    known: Floats | None = None,
    eligible: NDArray[np.bool_] | None = None,
    unit: NDArray[np.int64] | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Choose k centres to start from.

    Parameters
    ----------
    X : array or csr_array
        Rows that ``metric`` has prepared.
    k : int
        Number of centres.
    metric : Distance
        How far rows are from centres.
    init : {"k-means++", "mean"} or array of shape (k, d)
        Rows that are far from the centres chosen before, means of all rows that are perturbed
        by random weights, or the centres themselves.
    rng : numpy.random.RandomState
        Source of chance.
    known : array of shape (m, d), optional
        Centres that are known already; the others are added to them.
    eligible : array of bool, optional
        Rows that may become centres.
    unit : array of int, optional
        Group of each row, of which one row at most becomes a centre.
    weights : array of float, optional
        What each row counts for.

    Returns
    -------
    numpy.ndarray of shape (k, d)

    Examples
    --------
    >>> from comraf.kmeans import metric_for
    >>> X = np.array([[0.0], [0.0], [9.0]])
    >>> rng = np.random.RandomState(0)
    >>> sorted(starting_centers(X, 2, metric_for("euclidean"), "k-means++", rng).ravel().tolist())
    [0.0, 9.0]
    """
    if not isinstance(init, str):
        return _given(init, X, k, metric)
    check_init(init)
    n = X.shape[0]
    out = np.empty((k, X.shape[1]))
    done = 0 if known is None else len(known)
    if known is not None:
        out[:done] = known
    if done == k:
        return out
    free = np.ones(n, dtype=bool) if eligible is None or not eligible.any() else eligible.copy()
    if init == "mean":
        everyone = np.zeros(n, dtype=np.int64)
        for h in range(done, k):
            drawn = rng.standard_gamma(min(1.0, _ROWS_OF_A_MEAN / n), n)
            mass = np.maximum(drawn, 1e-12) * (1.0 if weights is None else weights)
            out[h] = metric.centers(X, everyone, 1, mass)[0]
        return out
    _spread(X, out, done, metric, rng, free, unit, np.ones(n) if weights is None else weights)
    return out


def check_init(init: object, allowed: tuple[str, ...] = INITS) -> None:
    """Refuse an initialisation that is not there."""
    if not isinstance(init, str):
        raise InputError(
            "init is {__name__}, but where clusters start is what labels and links say "
            "here; choose one of {allowed} for the others, or give centres to KMeans",
            __name__=type(init).__name__,
            allowed=allowed,
        )
    check_choice("init", init, allowed)


def _given(init: Any, X: Any, k: int, metric: Distance) -> Floats:
    """Centres that a user gives, as the metric has them."""
    if init is None or sp.issparse(init):
        raise InputError(
            f"init is {type(init).__name__}; choose one of {list(INITS)}, or give centres as an "
            f"array of shape ({k}, {X.shape[1]})"
        )
    try:
        centers = np.asarray(init, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "{given} is unknown; choose one of {allowed}, or give centres",
            "init",
            init,
            allowed=INITS,
        ) from None
    if centers.shape != (k, X.shape[1]) or not np.isfinite(centers).all():
        what = f"of shape {centers.shape}" if np.isfinite(centers).all() else "with odd numbers"
        raise InputError(
            f"init is an array {what}; give finite centres of shape ({k}, {X.shape[1]}), one row "
            "for each cluster"
        )
    metric.check(centers)
    return metric.centers(metric.prepare(centers), np.arange(k), k)


def _spread(
    X: Any,
    out: Floats,
    done: int,
    metric: Distance,
    rng: np.random.RandomState,
    free: NDArray[np.bool_],
    unit: NDArray[np.int64] | None,
    weights: Floats,
) -> None:
    """k-means++: the next centre is a row, likelier the farther it is from all centres so far."""
    # The best of several candidates is taken, the one that leaves the least sum of distances.
    k = len(out)
    if done == 0:
        left = np.flatnonzero(free & (weights > 0))
        even = (weights[left] == weights[left[0]]).all()
        chance = None if even else weights[left] / weights[left].sum()
        row = int(rng.choice(left, p=chance))
        free[row if unit is None else unit == unit[row]] = False
        out[0] = _as_center(X, [row], metric)[0]
        done = 1
    near = metric.nearest(X, out[:done])[1]
    trials = 2 + int(math.log(k))
    for h in range(done, k):
        chances = np.cumsum(np.where(free, near * weights, 0.0))
        if chances[-1] > 0:
            rows = np.searchsorted(chances, rng.random_sample(trials) * chances[-1], side="right")
            rows = np.unique(np.minimum(rows, len(chances) - 1))
        else:  # all rows that are left lie on centres: any one will do
            left = np.flatnonzero(free)
            rows = left[:1] if left.size else np.zeros(1, dtype=np.int64)
        candidates = _as_center(X, rows.tolist(), metric)
        reached = np.minimum(near[:, None], metric.distances(X, candidates))
        best = int((weights @ reached).argmin())
        out[h], near = candidates[best], reached[:, best]
        free[rows[best] if unit is None else unit == unit[rows[best]]] = False


def _as_center(X: Any, rows: list[int], metric: Distance) -> Floats:
    return metric.centers(X[rows], np.arange(len(rows)), len(rows))


@dataclass(frozen=True, eq=False)
class Start:
    """Centres to start from, and items whose neighbourhood was made a cluster (-1: others)."""

    centers: Floats
    labels: NDArray[np.int64]


def first_centers(
    X: Any,
    metric: Distance,
    hoods: Sequence[NDArray[np.int64]],
    k: int,
    init: str,
    rng: np.random.Generator,
    random: np.random.RandomState,
    *,
    drawn: bool = False,
) -> Start:
    """Centres of neighbourhoods, and of what ``init`` says where these are fewer than clusters.

    Parameters
    ----------
    X : array or sparse array
        Prepared rows.
    metric : Distance
    hoods : sequence of arrays
        Items of each neighbourhood.
    k : int
    init : {"k-means++", "mean"}
        Where clusters start that have no neighbourhood.
    rng : numpy.random.Generator
        Chooses between neighbourhoods.
    random : numpy.random.RandomState
        Chance for ``init``.
    drawn : bool
        Whether to draw neighbourhoods, by size and distance, where there are more than clusters;
        else the first is the largest and each next one has most of size times distance.
    """
    labels = np.full(X.shape[0], -1, dtype=np.int64)
    eligible = np.ones(X.shape[0], dtype=bool)
    for hood in hoods:
        eligible[hood] = False
    chosen = list(range(len(hoods)))
    if len(hoods) > k:
        chosen = _farthest(X, metric, hoods, k, rng, drawn)
    for h, place in enumerate(chosen):
        labels[hoods[place]] = h
    centers = metric.centers(X, labels, max(len(chosen), 1))[: len(chosen)]
    if len(chosen) < k:
        centers = starting_centers(X, k, metric, init, random, known=centers, eligible=eligible)
    return Start(centers, labels)


def _farthest(
    X: Any,
    metric: Distance,
    hoods: Sequence[NDArray[np.int64]],
    k: int,
    rng: np.random.Generator,
    drawn: bool,
) -> list[int]:
    """Weighted farthest-first traversal: the largest, then by size times distance to the chosen."""
    sizes = np.array([len(part) for part in hoods], dtype=np.float64)
    rows = np.repeat(np.arange(len(hoods)), sizes.astype(np.int64))
    shape = (len(hoods), X.shape[0])
    # sums of sparse rows stay sparse: there may be very many neighbourhoods
    mean = sp.csr_array((1 / sizes[rows], (rows, np.concatenate(hoods))), shape=shape) @ X
    mean = metric.prepare(mean)

    def pick(score: Floats) -> int:
        if drawn and score.max() > 0:
            chances = np.maximum(score, 0)
            return int(rng.choice(len(score), p=chances / chances.sum()))
        return int(rng.choice(np.flatnonzero(score == score.max())))

    chosen = [pick(sizes)]
    near = np.full(len(hoods), np.inf)
    while len(chosen) < k:
        members = hoods[chosen[-1]]
        center = metric.centers(X[members], np.zeros(len(members), dtype=np.int64), 1)
        far = metric.distances(mean, center)[:, 0]
        near = np.minimum(near, np.sqrt(far) if metric.name == "euclidean" else far)
        score = sizes * near
        score[chosen] = -1.0  # neighbourhoods of equal rows may all be at distance 0
        chosen.append(pick(score))
    return chosen


def mean_weight(X: Any, metric: Distance) -> float:
    """The default weight of a link: the mean distance of two rows, or similarity for cosine.

    So that breaking a link costs about as much as putting an item to a wrong centre (5.5.3). The
    sample that is taken of many rows is always the same.

    Examples
    --------
    >>> from comraf.kmeans.distances import SquaredEuclidean
    >>> mean_weight(np.array([[0.0], [1.0], [2.0]]), SquaredEuclidean())
    2.0
    """
    n = X.shape[0]
    if n < 2:
        return 1.0
    if n * (n - 1) // 2 <= _MOST_PAIRS:
        i, j = np.triu_indices(n, 1)
    else:
        rng = np.random.default_rng(0)
        i = rng.integers(n, size=_MOST_PAIRS)
        j = (i + rng.integers(1, n, size=_MOST_PAIRS)) % n
    found = metric.pair(X, i, j)
    return float(np.abs(1 - found).mean() if metric.name == "cosine" else found.mean())


def refill(
    X: Any,
    labels: NDArray[np.int64],
    far: Floats,
    k: int,
    metric: Distance,
    unit: NDArray[np.int64] | None = None,
    movable: NDArray[np.bool_] | None = None,
) -> bool:
    """Give each empty cluster what is farthest from its own centre; say whether there was one.

    That never raises the objective: alone, a row is as near to its centre as it can be.

    Parameters
    ----------
    X : array or csr_array
        Rows that ``metric`` has prepared.
    labels, far : array of shape (n,)
        Cluster of each row and the distance to its centre; both are changed in place.
    k : int
        Number of clusters.
    metric : Distance
        How far rows are from centres.
    unit : array of int, optional
        Number of the group of each row, for rows that move together.
    movable : array of bool, optional
        Groups, or rows, that may move.

    Returns
    -------
    bool

    Examples
    --------
    >>> from comraf.kmeans import metric_for
    >>> labels, far = np.array([0, 0, 0]), np.array([1.0, 0.0, 4.0])
    >>> refill(np.array([[0.0], [1.0], [3.0]]), labels, far, 2, metric_for("euclidean"))
    True
    >>> labels.tolist(), far.tolist()
    ([0, 0, 1], [1.0, 0.0, 0.0])
    """
    empty = np.flatnonzero(np.bincount(labels, minlength=k) == 0)
    if not empty.size:
        return False
    unit = np.arange(len(labels)) if unit is None else unit
    n_units = int(unit.max()) + 1
    cluster = np.empty(n_units, dtype=np.int64)
    cluster[unit] = labels
    sizes = np.bincount(cluster, minlength=k)
    total = np.bincount(unit, weights=far, minlength=n_units)
    if movable is not None:
        total[~movable] = -1
    farthest = iter(np.argsort(-total, kind="stable").tolist())
    for h in empty.tolist():
        for u in farthest:
            if total[u] >= 0 and sizes[cluster[u]] > 1:
                break
        else:
            return True  # nobody is left who could move: fewer clusters have items
        sizes[cluster[u]] -= 1
        sizes[h] += 1
        cluster[u] = h
        rows = np.flatnonzero(unit == u)
        labels[rows] = h
        alone = metric.centers(X[rows], np.zeros(len(rows), dtype=np.int64), 1)
        far[rows] = metric.distances(X[rows], alone)[:, 0]
    return True
