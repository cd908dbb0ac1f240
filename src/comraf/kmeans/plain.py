"""K-means that knows nothing: by Euclidean distance, cosine, KL or any Bregman divergence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from comraf.errors import InputError
from comraf.kmeans.base import Data, MetricKMeans, Run, annealed, best
from comraf.kmeans.rows import Floats
from comraf.kmeans.seeding import starting_centers
from comraf.parameters import check_random
from comraf.supervision import Knowledge

__all__ = ["KMeans"]

# Weight of a row that distances can be multiplied by.
_HEAVIEST = 1e100


@dataclass(eq=False, repr=False, kw_only=True)
class KMeans(MetricKMeans):
    """K-means of dense or sparse rows by the distance that fits them.

    With ``metric="cosine"`` it is spherical k-means: rows and centres have unit length.

    Parameters
    ----------
    init : {"k-means++", "mean"} or array of shape (n_clusters, n_features)
        Rows far from each other, the mean of all rows, perturbed at random, or the centres to
        start from; there is one run then.

    Attributes
    ----------
    inertia_, objective_ : float
        Sum of distances of rows to the centres of their clusters.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5.0, 0.1], [50.0, 2.0], [0.2, 6.0], [0.1, 1.0]])
    >>> labels = KMeans(n_clusters=2, metric="cosine", random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _uses = ()
    _instead = (
        "leave it out, or use SeededKMeans or ConstrainedKMeans (labels), COPKMeans or HMRFKMeans"
    )

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
        self._refuse(labels=labels, must_link=must_link, cannot_link=cannot_link)
        data = self._data(X)
        if sample_weight is not None:
            data = replace(data, weights=_weights(sample_weight, data))
        self._solve(data)
        return self

    def _solve(self, data: Data, known: Knowledge | None = None) -> None:
        rng = check_random(self.random_state)

        def run() -> Run:
            centers = starting_centers(
                data.rows, data.k, data.metric, self.init, rng, weights=data.weights
            )
            return annealed(data, centers, self._lloyd, self.max_iter)

        self._keep(best(run() for _ in range(self.n_init if isinstance(self.init, str) else 1)))


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
