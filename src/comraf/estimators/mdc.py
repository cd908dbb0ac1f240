"""MDC: documents with their words, people, subjects, all clustered at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from comraf.estimators._graphs import directed, steps_of
from comraf.estimators._parameters import MDCParameters
from comraf.estimators.base import ROWS, CoClusterer
from comraf.graph import Graph
from comraf.inference import MDCOptions, run_mdc

__all__ = ["MDC"]


@dataclass(eq=False, repr=False, kw_only=True)
class MDC(MDCParameters, CoClusterer):
    """Multi-way distributional clustering of the rows of one or several tables.

    Rows start as singletons and merge; every table's columns start as one cluster and
    split; local search after each step maximises the sum over tables of the mutual
    information between row clusters and column clusters.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> labels = MDC(n_clusters=2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _can_tie = True
    _method = staticmethod(run_mdc)

    def _options(self, **chosen: Any) -> MDCOptions:
        return super()._options(schedule=steps_of(self.schedule), polished=(0,), **chosen)

    def _graph(self, X: Any, sample_weight: npt.ArrayLike | None) -> Graph:
        return directed(super()._graph(X, sample_weight), self.schedule, ROWS)[0]
