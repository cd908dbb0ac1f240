"""Sequential information bottleneck: the rows alone are clustered, the columns observed."""

from __future__ import annotations

from dataclasses import dataclass

from comraf.estimators.base import RowPlacer
from comraf.inference import SequentialOptions, run_sequential

__all__ = ["SequentialIB"]


@dataclass(eq=False, repr=False, kw_only=True)
class SequentialIB(RowPlacer):
    """Flat clustering of rows that keeps the most information on unclustered columns.

    The special case of a Comraf in which all other nodes are observed as singletons: a
    random partition, swept row by row until it stands still; the best of several.

    Parameters
    ----------
    n_restarts : int
        Random starts, the best objective kept.
    max_passes : int
        Most sweeps over the rows in one restart.
    tol : float
        A restart ends when at most this share of the rows moved in a sweep.

    Attributes
    ----------
    n_iter_ : int
        Sweeps over the rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> labels = SequentialIB(n_clusters=2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    n_restarts: int = 10
    max_passes: int = 30
    tol: float = 0.0

    _method = staticmethod(run_sequential)

    def _options(self) -> SequentialOptions:
        return SequentialOptions(
            n_restarts=self.n_restarts, max_passes=self.max_passes, tol=self.tol
        )
