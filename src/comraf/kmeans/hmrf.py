"""HMRF-KMeans: k-means with labels and links that have a price each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from comraf.kmeans.alternating import Alternated, Model, alternate, held, reseed
from comraf.kmeans.base import Data, FieldKMeans, MetricKMeans
from comraf.kmeans.distances import Distance
from comraf.kmeans.field import Field, neighbourhoods, read_field
from comraf.kmeans.inference_bp import propagate
from comraf.kmeans.inference_icm import Labels, icm
from comraf.kmeans.inference_lp import roundings, shares
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import Start, first_centers, mean_weight
from comraf.parameters import check_random
from comraf.supervision import Knowledge, read_knowledge

__all__ = ["INFERENCES", "HMRFKMeans", "solve"]

#: How an E-step may look for labels.
INFERENCES = ("icm", "bp", "lp")


@dataclass(eq=False, repr=False, kw_only=True)
class HMRFKMeans(FieldKMeans, MetricKMeans):
    """K-means in a hidden Markov random field of labels and links.

    The objective is the sum of all distances to the own centre, and a price for each must-link
    whose items are not together and each cannot-link whose items are. A high price is obeyed, a
    low one is advice; a link of infinite price is never broken. What is known is used twice: items
    that must-links and labels join are where clusters start, and prices have a say in each
    assignment. No step raises the objective.

    Parameters
    ----------
    link_weight : "auto" or float
        Price of breaking a link that has none of its own, or of breaking what two labels say.
        "auto": the mean distance of two rows, with cosine the mean similarity. 0: what is known
        only says where to start. ``math.inf``: all of it holds.
    inference : {"icm", "bp", "lp"}
        How labels are sought for given centres: one by one (iterated conditional modes), by loopy
        belief propagation, or by linear programming with rounding. The last two look at all at
        once, take far longer, and fall back to the first where they find nothing better.
    ablation : {None, "-I"}
        "-I": links and labels say where to start, and nothing else.
    n_init : int
        Runs, the one with the least objective is kept. Where there are more neighbourhoods than
        clusters, the first run starts from the largest ones that are far apart, the others draw.

    Attributes
    ----------
    objective_ : float
        What is made small: ``inertia_ + penalty_``.
    inference_seconds_ : float
        What assignments of the run that was kept took, without distances and centres.

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    >>> model = HMRFKMeans(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[2] == model.labels_[3]), model.penalty_
    (False, 0.0)
    >>> labels = model.fit_predict(X, must_link=[(2, 3)], cannot_link=[(1, 2, math.inf)])
    >>> bool(labels[2] == labels[3] != labels[1])
    True
    """

    inference: str = "icm"
    ablation: str | None = None
    _choices = FieldKMeans._choices | {"inference": INFERENCES, "ablation": (None, "-I")}

    def _usual_weight(self, data: Data) -> float:
        return mean_weight(data.rows, data.metric)

    def _solve(self, data: Data, known: Knowledge) -> None:
        found = self._search(data, known)
        self._keep(found)
        self.inference_seconds_ = found.seconds

    def _search(self, data: Data, known: Knowledge) -> Alternated[Distances]:
        """The best of several runs."""
        field = self._field(known)
        hoods = neighbourhoods(known)
        if self.ablation == "-I":  # read all the same: what contradicts itself is told
            field = read_field(read_knowledge(data.n, data.ids), 0.0)

        def run(
            number: int, rng: np.random.Generator, random: np.random.RandomState
        ) -> Alternated[Distances]:
            start = first_centers(
                data.rows, data.metric, hoods, data.k, self.init, rng, random, drawn=number > 0
            )
            return solve(
                data.rows,
                data.metric,
                field,
                start,
                rng,
                inference=self.inference,
                max_iter=self.max_iter,
                tol=float(self.tol),
            )

        # as many neighbourhoods as clusters, and no order of assignments: nothing left to chance
        n_runs = self.n_init if len(hoods) != data.k or len(field.bound) else 1
        return self._best(run, check_random(self.random_state), n_runs)


@dataclass(frozen=True, eq=False)
class Distances(Model):
    """Centres of rows by a metric."""

    X: Any
    metric: Distance

    @classmethod
    def of(cls, X: Any, metric: Distance, field: Field, centers: Floats) -> Self:
        """With what is computed from centres."""
        return cls(field, centers, field.by_group(metric.distances(X, centers)), X, metric)

    def penalty(self, labels: Labels) -> float:
        """The last two sums of (4.10)."""
        return self.field.penalty(labels, len(self.centers))

    def fitted(self, labels: Labels) -> Self:
        """Centres of the rows of clusters."""
        X, metric, field = self.X, self.metric, self.field
        centers = metric.centers(X, labels[field.closure.group], len(self.centers))
        reseed(centers, X, metric, field, self.own, labels)
        return self.of(X, metric, field, centers)


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
) -> Alternated[Distances]:
    """Alternate E-steps and M-steps until the objective (4.10) stands still.

    Stages of the metric come after the first round and before all others, each from where the
    last one ended.
    """

    def one_by_one(model: Distances, labels: Labels) -> Labels:
        return icm(field, model.own, labels, rng)

    def expect(model: Distances, labels: Labels) -> Labels:
        """What messages or linear programs find is taken only if it is better."""
        if inference == "icm" or not len(field.bound):
            return one_by_one(model, labels)
        if inference == "bp":
            drawn = [propagate(field, model.own)]
        else:
            drawn = roundings(shares(field, model.own), rng)
        found = min((held(field, model.own, one) for one in drawn), key=model.value)
        better = model.value(found) < model.value(labels)
        return found if better else one_by_one(model, labels)

    stages = metric.eased()
    if stages:
        model = Distances.of(X, metric, field, start.centers)
        found = alternate(model, start, one_by_one, max_iter=1, tol=tol)
        for stage in (*stages, metric):
            items = found.labels.astype(np.int64)
            start = Start(stage.centers(X, items, len(start.centers)), items)
            if stage is not metric:
                model = Distances.of(X, stage, field, start.centers)
                found = alternate(model, start, one_by_one, max_iter=max_iter, tol=tol)
    model = Distances.of(X, metric, field, start.centers)
    return alternate(model, start, expect, max_iter=max_iter, tol=tol)
