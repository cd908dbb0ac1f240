"""Hard information bottleneck: Comraf* by the name it has where there is one table."""

from __future__ import annotations

from dataclasses import dataclass

from comraf.estimators.comraf_star import ComrafStar

__all__ = ["InformationBottleneck"]


@dataclass(eq=False, repr=False, kw_only=True)
class InformationBottleneck(ComrafStar):
    """Hard clusters of rows that keep the most information on unclustered columns.

    The information bottleneck as a Comraf of one hidden node, all others observed as
    singletons, solved along a hierarchy: rows are merged or split step by step, with a
    local search after each step. The same as `comraf.ComrafStar`, which is what it is
    called with several tables. `comraf.SequentialIB` climbs the same objective
    from random partitions, `comraf.AgglomerativeIB` by mergers alone.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> model = InformationBottleneck(n_clusters=2, direction="top-down", random_state=0)
    >>> labels = model.fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
