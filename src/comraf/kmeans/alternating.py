"""E-steps and M-steps in turn: labels for given centres, then centres for given labels.

What is being fitted is a `Model`: centres, perhaps metrics, and what each group of items costs in
each cluster. The loop here sees these costs and never how they came about.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, Self, TypeVar

import numpy as np

from comraf.kmeans.base import Run
from comraf.kmeans.distances import Distance
from comraf.kmeans.field import Field
from comraf.kmeans.inference_icm import Labels
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import Start
from comraf.supervision.repair import broken_pairs, repair

__all__ = ["Alternated", "Model", "alternate", "first_labels", "held", "reseed"]


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """The objective as a function of labels of groups, for given centres.

    Attributes
    ----------
    field : Field
        Groups and links.
    centers : numpy.ndarray of float, shape (k, d)
    own : numpy.ndarray of float, shape (n_groups, k)
        Distance of each group's items to each centre.
    """

    field: Field
    centers: Floats
    own: Floats

    @abstractmethod
    def penalty(self, labels: Labels) -> float:
        """Price of all that labels break."""

    @abstractmethod
    def fitted(self, labels: Labels) -> Self:
        """The best model for these labels."""

    def value(self, labels: Labels) -> float:
        """The objective."""
        return float(self.own[np.arange(len(labels)), labels].sum()) + self.penalty(labels)


AnyModel = TypeVar("AnyModel", bound=Model)


@dataclass(eq=False, kw_only=True)
class Alternated(Run, Generic[AnyModel]):
    """Where a run ended, the model there, and the seconds that its E-steps took."""

    model: AnyModel
    seconds: float


def alternate(
    model: AnyModel,
    start: Start,
    expect: Callable[[AnyModel, Labels], Labels],
    *,
    max_iter: int,
    tol: float = 0.0,
    least: float = 0.0,
) -> Alternated[AnyModel]:
    """Let labels and model follow from each other until the objective stands still.

    No step is taken that raises the objective by more than rounding does. The run ends when the
    objective falls by no more than ``least``, or than ``tol`` times itself.
    """
    labels = first_labels(model.field, model.own, start)
    trace: list[float] = []
    objective = np.inf
    n_iter = 0
    seconds = 0.0
    while n_iter < max_iter:
        n_iter += 1
        before = objective
        begun = perf_counter()
        labels = expect(model, labels)
        seconds += perf_counter() - begun
        objective = model.value(labels)
        trace.append(objective)
        new = model.fitted(labels)
        value = new.value(labels)
        if value > objective:  # rounding, or a metric whose centres are not its best ones
            break
        model, objective = new, value
        trace.append(objective)
        if before - objective <= max(least, tol * abs(objective)):
            break
    items, penalty = labels[model.field.closure.group], model.penalty(labels)
    ended = (items, model.centers, objective, n_iter, trace, penalty)
    return Alternated(*ended, model=model, seconds=seconds)


def first_labels(field: Field, costs: Floats, start: Start) -> Labels:
    """Items of chosen neighbourhoods in their clusters, others at the nearest centre."""
    labels = costs.argmin(axis=1).astype(np.int32)
    there = np.flatnonzero(start.labels >= 0)
    labels[field.closure.group[there]] = start.labels[there]
    return held(field, costs, labels)


def held(field: Field, costs: Floats, labels: Labels) -> Labels:
    """Labels in which all that must be apart is."""
    cannot = field.closure.cannot
    if not len(broken_pairs(labels, cannot)):
        return labels
    return repair(labels, cannot, costs.shape[1], lambda groups: -costs[groups], field.name)


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
