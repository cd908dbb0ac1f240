"""Hard information bottleneck: Comraf* by the name it has where there is one table."""

from __future__ import annotations

from comraf.estimators.comraf_star import ComrafStar

__all__ = ["InformationBottleneck"]


class InformationBottleneck(ComrafStar):
    """Hard clusters of rows that keep the most information on unclustered columns.

    The information bottleneck as a Comraf of one hidden node, all others observed as
    singletons, solved along a hierarchy: rows are merged or split step by step, with a
    local search after each step. The same as `comraf.ComrafStar`, which is what it is
    called with several tables. `comraf.SequentialIB` climbs the same objective
    from random partitions, `comraf.AgglomerativeIB` by mergers alone.

    Parameters
    ----------
    n_clusters : int
        Clusters of rows.
    direction : {"bottom-up", "top-down"}
        Single rows that merge, or one cluster that splits. Splits cost far less where there
        are many rows.
    effort : {"quick", "default", "thorough", "paper"}
        As in `comraf.MDC`: ``quick`` makes one run, ``default`` lets eight agree.
    n_runs, n_restarts, keep, edge_weights, moves, merge_cost
        As in `comraf.ComrafStar`.
    passes : float
        Length of each local search, in looks at every row. Fractions look at a random part
        of the rows: 0.25 to 4 were tried in the thesis, and from 1 on little is gained.
    weighting : {"root_rows", "raw", "binary", "log", "equal_rows"}
        How counts enter.
    labels_as, label_weight, link_weight
        As in `comraf.MDC`.
    n_jobs, random_state, time_limit, checkpoint, verbose
        As in `comraf.MDC`.

    Attributes
    ----------
    labels_, modality_labels_, objective_, n_iter_, result_, graph_, sides_
        As in `comraf.MDC`; columns are singletons.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[5, 4, 0, 0], [4, 6, 0, 1], [0, 0, 5, 6], [1, 0, 7, 5]])
    >>> model = InformationBottleneck(n_clusters=2, direction="top-down", random_state=0)
    >>> labels = model.fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
