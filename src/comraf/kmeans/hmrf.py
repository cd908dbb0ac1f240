"""HMRF-KMeans: k-means with labels and links that have a price each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from comraf.kmeans.base import Data, FieldKMeans, MetricKMeans
from comraf.kmeans.field import neighbourhoods, read_field
from comraf.kmeans.hmrf_run import INFERENCES, Settled, solve
from comraf.kmeans.seeding import first_centers, mean_weight
from comraf.parameters import check_random
from comraf.supervision import Knowledge, read_knowledge

__all__ = ["HMRFKMeans"]


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

    def _search(self, data: Data, known: Knowledge) -> Settled:
        """The best of several runs."""
        field = self._field(known)
        hoods = neighbourhoods(known)
        if self.ablation == "-I":  # read all the same: what contradicts itself is told
            field = read_field(read_knowledge(data.n, data.ids), 0.0)

        def run(number: int, rng: np.random.Generator, random: np.random.RandomState) -> Settled:
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
