"""K-means that knows nothing: by Euclidean distance, cosine, KL or any Bregman divergence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from comraf.errors import InputError
from comraf.kmeans.base import Data, KMeansBase, annealed
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import starting_centers

__all__ = ["KMeans"]

_ADVICE = "leave it out, or use SeededKMeans or ConstrainedKMeans (labels), COPKMeans or HMRFKMeans"
# Weight of a row that distances can be multiplied by.
_HEAVIEST = 1e100


class KMeans(KMeansBase):
    """K-means of dense or sparse rows by the distance that fits them.

    With ``metric="cosine"`` it is spherical k-means: rows and centres have unit length.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    metric : {"euclidean", "cosine", "kl", "itakura-saito"} or Distance
        How far rows are from centres; a `comraf.kmeans.Bregman` for any other divergence.
    init : {"k-means++", "mean"} or array of shape (n_clusters, n_features)
        Rows far from each other, the mean of all rows, perturbed at random, or the centres to
        start from; there is one run then.
    n_init : int
        Runs from different starts; the one with the least objective is kept.
    max_iter : int
        Most rounds of a run.
    tol : float
        A run ends when the objective falls by no more than this share of it.
    random_state : int, RandomState or None
        Source of chance.

    Attributes
    ----------
    labels_ : numpy.ndarray of int32
        Cluster of each row.
    cluster_centers_ : numpy.ndarray of shape (n_clusters, n_features)
        Centres, of rows as the metric prepares them: of unit length for cosine, distributions
        for KL.
    inertia_, objective_ : float
        Sum of distances of rows to the centres of their clusters.
    n_iter_ : int
        Rounds of the run that was kept.
    trace_ : list of float
        Objective after each of these rounds; it never rises.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5.0, 0.1], [50.0, 2.0], [0.2, 6.0], [0.1, 1.0]])
    >>> labels = KMeans(n_clusters=2, metric="cosine", random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Cluster the rows of ``X``; labels and links are refused, as they would not be used.

        ``sample_weight`` says what each row counts for, in centres and in the objective.
        """
        self._refuse(_ADVICE, labels=labels, must_link=must_link, cannot_link=cannot_link)
        data = self._data(X)
        if sample_weight is not None:
            data = replace(data, weights=_weights(sample_weight, data))
        rng = self._random()
        best = None
        for _ in range(self.n_init if isinstance(self.init, str) else 1):
            centers = starting_centers(
                data.rows, data.k, data.metric, self.init, rng, weights=data.weights
            )
            run = annealed(data, centers, self._lloyd, self.max_iter)
            if best is None or run.objective < best.objective:
                best = run
        assert best is not None  # noqa: S101
        self._keep(best)
        return self


def _weights(given: Any, data: Data) -> Floats:
    """A finite weight of 0 or more for each row, above 0 for as many as there are clusters."""
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must be numbers: {error}") from None
    if weights.ndim == 0:
        weights = np.full(data.n, float(weights))
    if (
        weights.shape != (data.n,)
        or not np.isfinite(weights).all()
        or weights.min() < 0
        or np.count_nonzero(weights) < data.k
    ):
        raise InputError(
            f"sample_weight has shape {weights.shape} and {np.count_nonzero(weights > 0):,} "
            f"numbers above zero; give each of the {data.n:,} rows a finite number of 0 or more, "
            f"and at least {data.k:,} of them one above zero"
        )
    if weights.max() > _HEAVIEST:
        raise InputError(
            f"the largest sample_weight is {weights.max():g}, and sums of such numbers run over; "
            "divide all of them by one number"
        )
    return weights
