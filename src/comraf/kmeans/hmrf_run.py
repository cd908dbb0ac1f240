"""HMRF-KMeans on prepared rows: the two stages of the start, E-steps and M-steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.kmeans.distances import Distance
from comraf.kmeans.field import Field
from comraf.kmeans.inference_bp import propagate
from comraf.kmeans.inference_icm import icm
from comraf.kmeans.inference_lp import roundings, shares
from comraf.supervision.repair import broken_pairs, repair

__all__ = [
    "INFERENCES",
    "Outcome",
    "Start",
    "first_centers",
    "first_labels",
    "mean_weight",
    "reseed",
    "solve",
]

#: How an E-step may look for labels.
INFERENCES = ("icm", "bp", "lp")

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

# The default weight of links is a mean over all pairs of rows up to this many, else over a sample.
_MOST_PAIRS = 20_000


@dataclass(frozen=True, eq=False)
class Outcome:
    """Where a run ended.

    Attributes
    ----------
    labels : numpy.ndarray of int32, shape (n,)
    centers : numpy.ndarray of float, shape (k, d)
    objective : float
        (4.10): the sum of all distances to the own centre and the price of what is broken.
    penalty : float
        The price of what is broken.
    n_iter : int
        E-steps.
    history : tuple of float
        The objective after each E-step and each M-step.
    seconds : float
        What the E-steps took, without distances.
    """

    labels: Labels
    centers: Floats
    objective: float
    penalty: float
    n_iter: int
    history: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, eq=False)
class Start:
    """Centres to start from, and items whose neighbourhood was made a cluster (-1: others)."""

    centers: Floats
    labels: NDArray[np.int64]


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


def first_centers(
    X: Any,
    metric: Distance,
    parts: Sequence[NDArray[np.int64]],
    k: int,
    rng: np.random.Generator,
    fill: Callable[[int, Floats], Floats],
    *,
    drawn: bool = False,
) -> Start:
    """Centres of neighbourhoods: the second stage of initialisation.

    Parameters
    ----------
    X : array or sparse array
        Prepared rows.
    metric : Distance
    parts : sequence of arrays
        Items of each neighbourhood.
    k : int
    rng : numpy.random.Generator
        Chooses between neighbourhoods of equal size.
    fill : callable
        Takes how many centres are missing and those that are there; gives the missing ones.
    drawn : bool
        Whether to draw neighbourhoods, by size and distance, where there are more than clusters;
        else the first is the largest and each next one has most of size times distance.
    """
    labels = np.full(X.shape[0], -1, dtype=np.int64)
    chosen = list(range(len(parts)))
    if len(parts) > k:
        chosen = _farthest(X, metric, parts, k, rng, drawn)
    for h, part in enumerate(chosen):
        labels[parts[part]] = h
    centers = metric.centers(X, labels, max(len(chosen), 1))[: len(chosen)]
    if len(chosen) < k:
        centers = np.concatenate([centers, fill(k - len(chosen), centers)])
    return Start(centers, labels)


def _farthest(
    X: Any,
    metric: Distance,
    parts: Sequence[NDArray[np.int64]],
    k: int,
    rng: np.random.Generator,
    drawn: bool,
) -> list[int]:
    """Weighted farthest-first traversal: the largest, then by size times distance to the chosen."""
    sizes = np.array([len(part) for part in parts], dtype=np.float64)
    rows = np.repeat(np.arange(len(parts)), sizes.astype(np.int64))
    shape = (len(parts), X.shape[0])
    # sums of sparse rows stay sparse: there may be very many neighbourhoods
    mean = sp.csr_array((1 / sizes[rows], (rows, np.concatenate(parts))), shape=shape) @ X
    mean = metric.prepare(mean)

    def pick(score: Floats) -> int:
        if drawn and score.max() > 0:
            chances = np.maximum(score, 0)
            return int(rng.choice(len(score), p=chances / chances.sum()))
        return int(rng.choice(np.flatnonzero(score == score.max())))

    chosen = [pick(sizes)]
    near = np.full(len(parts), np.inf)
    while len(chosen) < k:
        members = parts[chosen[-1]]
        center = metric.centers(X[members], np.zeros(len(members), dtype=np.int64), 1)
        far = metric.distances(mean, center)[:, 0]
        near = np.minimum(near, np.sqrt(far) if metric.name == "euclidean" else far)
        score = sizes * near
        score[chosen] = -1.0  # neighbourhoods of equal rows may all be at distance 0
        chosen.append(pick(score))
    return chosen


def solve(
    X: Any,
    metric: Distance,
    field: Field,
    start: Start,
    rng: np.random.Generator,
    *,
    inference: str = "icm",
    max_iter: int = 100,
    tol: float = 0.0,
) -> Outcome:
    """Alternate E-steps and M-steps until the objective stands still.

    No step is taken that raises the objective by more than rounding does. Stages of the metric
    come after the first round and before all others, each from where the last one ended.
    """
    stages = metric.eased()
    if stages:
        found = _settle(X, metric, field, start, rng, "icm", 1, tol)
        for stage in (*stages, metric):
            items = found.labels.astype(np.int64)
            start = Start(stage.centers(X, items, len(start.centers)), items)
            if stage is not metric:
                found = _settle(X, stage, field, start, rng, "icm", max_iter, tol)
    return _settle(X, metric, field, start, rng, inference, max_iter, tol)


def _settle(
    X: Any,
    metric: Distance,
    field: Field,
    start: Start,
    rng: np.random.Generator,
    inference: str,
    max_iter: int,
    tol: float,
) -> Outcome:
    k = len(start.centers)
    group = field.closure.group
    centers = start.centers
    costs = field.by_group(metric.distances(X, centers))
    labels = first_labels(field, costs, start)
    history: list[float] = []
    objective = np.inf
    n_iter = 0
    seconds = 0.0
    for n_iter in range(1, max_iter + 1):
        before, old = objective, labels
        begun = perf_counter()
        labels = _expect(field, costs, labels, rng, inference)
        seconds += perf_counter() - begun
        objective = _value(field, costs, labels)
        history.append(objective)
        still = n_iter > 1 and np.array_equal(labels, old)
        new = metric.centers(X, labels[group], k)
        reseed(new, X, metric, field, costs, labels)
        new_costs = field.by_group(metric.distances(X, new))
        value = _value(field, new_costs, labels)
        if value > objective:  # rounding, or a metric whose centres are not its best ones
            break
        centers, costs, objective = new, new_costs, value
        history.append(objective)
        if still or before - objective <= tol * abs(objective):
            break
    penalty = field.penalty(labels, k)
    return Outcome(labels[group], centers, objective, penalty, n_iter, tuple(history), seconds)


def _value(field: Field, costs: Floats, labels: Labels) -> float:
    """The objective (4.10) by labels of groups."""
    own = costs[np.arange(len(labels)), labels]
    return float(own.sum()) + field.penalty(labels, costs.shape[1])


def first_labels(field: Field, costs: Floats, start: Start) -> Labels:
    """Items of chosen neighbourhoods in their clusters, others at the nearest centre."""
    labels = costs.argmin(axis=1).astype(np.int32)
    there = np.flatnonzero(start.labels >= 0)
    labels[field.closure.group[there]] = start.labels[there]
    return _held(field, costs, labels)


def _held(field: Field, costs: Floats, labels: Labels) -> Labels:
    """Labels in which all that must be apart is."""
    cannot = field.closure.cannot
    if not len(broken_pairs(labels, cannot)):
        return labels
    return repair(labels, cannot, costs.shape[1], lambda groups: -costs[groups], field.name)


def _expect(
    field: Field, costs: Floats, labels: Labels, rng: np.random.Generator, inference: str
) -> Labels:
    """The E-step. What messages or linear programs find is taken only if it is better."""
    if inference != "icm" and len(field.bound):
        if inference == "bp":
            drawn = [propagate(field, costs)]
        else:
            drawn = roundings(shares(field, costs), rng)
        held = [_held(field, costs, candidate) for candidate in drawn]
        values = [_value(field, costs, candidate) for candidate in held]
        best = int(np.argmin(values))
        if values[best] < _value(field, costs, labels):
            return held[best]
    return icm(field, costs, labels, rng)


def reseed(
    centers: Floats, X: Any, metric: Distance, field: Field, costs: Floats, labels: Labels
) -> None:
    """Give, in place, each empty cluster the group as its centre that fits its own one worst.

    No label changes, so the objective stays; the next E-step may move what gains by it.
    """
    k = len(centers)
    sizes = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    own = costs[np.arange(len(labels)), labels]
    taken = 0
    for i in np.argsort(-own, kind="stable").tolist():
        if taken == len(empty):
            break
        if sizes[labels[i]] > 1:
            sizes[labels[i]] -= 1
            items = np.flatnonzero(field.closure.group == i)
            one = np.zeros(len(items), dtype=np.int64)
            centers[empty[taken]] = metric.centers(X[items], one, 1)[0]
            taken += 1
