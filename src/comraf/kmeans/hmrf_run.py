"""HMRF-KMeans on prepared rows: the two stages of the start, E-steps and M-steps."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.kmeans.base import Run
from comraf.kmeans.distances import Distance
from comraf.kmeans.field import Field
from comraf.kmeans.inference_bp import propagate
from comraf.kmeans.inference_icm import icm
from comraf.kmeans.inference_lp import roundings, shares
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import Start
from comraf.supervision.repair import broken_pairs, repair

__all__ = ["INFERENCES", "Settled", "first_labels", "reseed", "solve"]

#: How an E-step may look for labels.
INFERENCES = ("icm", "bp", "lp")

Labels = NDArray[np.int32]


@dataclass(eq=False)
class Settled(Run):
    """Where a run ended, and what its E-steps took, without distances."""

    seconds: float = 0.0


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
) -> Settled:
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
) -> Settled:
    k = len(start.centers)
    group = field.closure.group
    centers = start.centers
    costs = field.by_group(metric.distances(X, centers))
    labels = first_labels(field, costs, start)
    trace: list[float] = []
    objective = np.inf
    n_iter = 0
    seconds = 0.0
    for n_iter in range(1, max_iter + 1):
        before, old = objective, labels
        begun = perf_counter()
        labels = _expect(field, costs, labels, rng, inference)
        seconds += perf_counter() - begun
        objective = _value(field, costs, labels)
        trace.append(objective)
        still = n_iter > 1 and np.array_equal(labels, old)
        new = metric.centers(X, labels[group], k)
        reseed(new, X, metric, field, costs, labels)
        new_costs = field.by_group(metric.distances(X, new))
        value = _value(field, new_costs, labels)
        if value > objective:  # rounding, or a metric whose centres are not its best ones
            break
        centers, costs, objective = new, new_costs, value
        trace.append(objective)
        if still or before - objective <= tol * abs(objective):
            break
    penalty = field.penalty(labels, k)
    return Settled(labels[group], centers, objective, n_iter, trace, penalty, seconds)


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
