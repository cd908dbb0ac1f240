"""HMRF-KMeans: k-means with labels and links that have a price each."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from comraf.errors import InputError
from comraf.kmeans.base import Data, KMeansBase, check_link_weight
from comraf.kmeans.field import neighbourhoods, read_field
from comraf.kmeans.hmrf_run import INFERENCES, Outcome, first_centers, mean_weight, solve
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import check_init, starting_centers
from comraf.supervision import Knowledge, read_knowledge
from comraf.supervision.frames import in_order

__all__ = ["HMRFKMeans"]

_CONSTRAINTS = ("inferred", "original")


class HMRFKMeans(KMeansBase):
    """K-means in a hidden Markov random field of labels and links.

    The objective is the sum of all distances to the own centre, and a price for each must-link
    whose items are not together and each cannot-link whose items are. A high price is obeyed, a
    low one is advice; a link of infinite price is never broken. What is known is used twice: items
    that must-links and labels join are where clusters start, and prices have a say in each
    assignment. No step raises the objective.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    metric : {"euclidean", "cosine", "kl", "itakura-saito"} or Distance
        How far rows are from centres; a `comraf.kmeans.Bregman` for any other divergence.
    link_weight : "auto" or float
        Price of breaking a link that has none of its own, or of breaking what two labels say.
        "auto": the mean distance of two rows, with cosine the mean similarity. 0: what is known
        only says where to start. ``math.inf``: all of it holds.
    constraints : {"inferred", "original"}
        Whether links that follow from the given ones have a price too. One wrong link makes many
        others follow, so "original" is the choice where some may be wrong.
    inference : {"icm", "bp", "lp"}
        How labels are sought for given centres: one by one (iterated conditional modes), by loopy
        belief propagation, or by linear programming with rounding. The last two look at all at
        once, take far longer, and fall back to the first where they find nothing better.
    ablation : {None, "-I"}
        "-I": links and labels say where to start, and nothing else.
    init : {"k-means++", "mean"}
        Where clusters start that are left when each neighbourhood has one: at rows far from all
        other centres, or at the mean of all rows, perturbed at random.
    n_init : int
        Runs, the one with the least objective is kept. Where there are more neighbourhoods than
        clusters, the first run starts from the largest ones that are far apart, the others draw.
    max_iter, tol, random_state
        As in `comraf.kmeans.KMeans`.

    Attributes
    ----------
    labels_ : numpy.ndarray of int32
        Cluster of each row.
    cluster_centers_ : numpy.ndarray of shape (n_clusters, n_features)
        Centres, of rows as the metric prepares them.
    objective_ : float
        What is made small: ``inertia_ + penalty_``.
    inertia_ : float
        Sum of distances of rows to the centres of their clusters.
    penalty_ : float
        Price of all that is broken.
    link_weight_ : float
        The price that links had that had none of their own.
    n_iter_ : int
        Rounds of the run that was kept.
    inference_seconds_ : float
        What its assignments took, without distances and centres.
    trace_ : list of float
        Objective after each assignment and each move of the centres; it never rises.

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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        link_weight: float | str = "auto",
        constraints: str = "inferred",
        inference: str = "icm",
        ablation: str | None = None,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.link_weight = link_weight
        self.constraints = constraints
        self.inference = inference
        self.ablation = ablation
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Cluster the rows of ``X``.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n, d)
            Rows to cluster.
        y : ignored
            There for scikit-learn's sake.
        labels : sequence or mapping, optional
            A class for each row, None or -1 where it is unknown; or a mapping of some rows, by
            number or by their names in a frame, to classes. They are must-links within classes
            and cannot-links between them.
        must_link, cannot_link : iterable of pairs or triples, optional
            Rows that belong together, and that do not, each with its price or without.

        Returns
        -------
        self

        Raises
        ------
        ConflictError
            What must hold contradicts itself, or needs more clusters.
        """
        self._check_choices()
        data = self._data(X)
        weight = self.link_weight
        self.link_weight_ = (
            mean_weight(data.rows, data.metric) if weight == "auto" else float(weight)
        )
        known = read_knowledge(
            data.n,
            data.ids,
            labels=in_order(labels, data.index),
            must_link=must_link,
            cannot_link=cannot_link,
            link_weight=self.link_weight_,
        )
        known.check_clusters(data.k)
        best = self._best(data, known)
        self.labels_ = best.labels
        self.cluster_centers_ = best.centers
        self.objective_ = best.objective
        self.penalty_ = best.penalty
        self.inertia_ = best.objective - best.penalty
        self.n_iter_ = best.n_iter
        self.inference_seconds_ = best.seconds
        self.trace_ = list(best.history)
        return self

    def _check_choices(self) -> None:
        for name, allowed in (
            ("constraints", _CONSTRAINTS),
            ("inference", INFERENCES),
            ("ablation", (None, "-I")),
        ):
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(parameter=name, given=value, allowed=allowed)
        check_init(self.init)
        check_link_weight(self.link_weight)

    def _best(self, data: Data, known: Knowledge) -> Outcome:
        """The best of several runs."""
        field = read_field(known, self.link_weight_, self.constraints == "inferred")
        parts = neighbourhoods(known)
        if self.ablation == "-I":  # read all the same: what contradicts itself is told
            field = read_field(read_knowledge(data.n, data.ids), 0.0)
        random = self._random()
        # as many neighbourhoods as clusters, and no order of assignments: nothing left to chance
        runs = self.n_init if len(parts) != data.k or len(field.bound) else 1
        eligible = np.ones(data.n, dtype=bool)
        for part in parts:
            eligible[part] = False

        def fill(missing: int, there: Floats) -> Floats:
            k = missing + len(there)
            filled = starting_centers(
                data.rows, k, data.metric, self.init, random, known=there, eligible=eligible
            )
            return filled[len(there) :]

        best = None
        for run in range(runs):
            rng = np.random.default_rng(random.randint(2**31 - 1))
            outcome = solve(
                data.rows,
                data.metric,
                field,
                first_centers(data.rows, data.metric, parts, data.k, rng, fill, drawn=run > 0),
                rng,
                inference=self.inference,
                max_iter=self.max_iter,
                tol=float(self.tol),
            )
            if best is None or outcome.objective < best.objective:
                best = outcome
        assert best is not None  # noqa: S101
        return best
