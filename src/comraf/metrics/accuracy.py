"""Accuracy of clusters: the share of items that belong to their cluster's commonest category."""

from __future__ import annotations

import numpy as np

from comraf.metrics.contingency import contingency

__all__ = ["macro_accuracy", "micro_accuracy", "one_to_one_accuracy", "well_balanced"]


def micro_accuracy(truth: object, labels: object) -> float:
    """Share of items that belong to the commonest category of their cluster (thesis 4.7).

    Elsewhere this is called purity. The thesis has as many clusters as categories; with more
    clusters than categories the measure grows by itself, and reaches 1 when every item has a
    cluster of its own. `one_to_one_accuracy` does not.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    float
        Between the share of the largest category and 1.

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    Cluster 0 holds a, a, b: two right. Cluster 1 holds b, b, c: two right. Four of six.

    >>> round(micro_accuracy(list("aabbbc"), [0, 0, 0, 1, 1, 1]), 4)
    0.6667
    """
    table = contingency(truth, labels)
    return int(table.largest_shares.sum()) / table.n_items


def one_to_one_accuracy(truth: object, labels: object) -> float:
    """Share of items that are right if each category may have one cluster, and each cluster one.

    Of all ways to pair categories with clusters the best counts. Items in clusters that are left
    over are wrong, so many small clusters don't raise the measure. It is never above
    `micro_accuracy`, and equal to it where the clustering is well balanced.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    float
        Above 0, at most 1.

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    Category a has its items in two clusters, of which it may have one: four of six are right.

    >>> round(one_to_one_accuracy(list("aaaabb"), [0, 0, 1, 1, 2, 2]), 4)
    0.6667
    """
    from scipy.sparse import csr_array, eye_array, hstack
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    table = contingency(truth, labels)
    n = len(table.categories)
    # A category may also go without a cluster: each has a column of its own for that, worth 0.
    # One is added to all, since an entry of 0 would count as missing.
    worth = table.to_sparse().T.tocsr()
    worth.data = worth.data + 1
    pairs = csr_array(hstack([worth, eye_array(n)]), dtype=float)
    rows, columns = min_weight_full_bipartite_matching(pairs, maximize=True)
    return float(pairs[rows, columns].sum() - n) / table.n_items


def macro_accuracy(truth: object, labels: object) -> float:
    """Mean over clusters of the share of their commonest category (thesis 4.8).

    Every cluster counts the same, so small clean clusters raise it. A cluster that holds only
    items of unknown truth has no accuracy and is not counted.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    float
        Above 0, at most 1.

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    Cluster 0 holds a, a, b, b: one half. Cluster 1 holds c: all. Their mean is three quarters.

    >>> macro_accuracy(list("aabbc"), [0, 0, 0, 0, 1])
    0.75
    """
    table = contingency(truth, labels)
    return float(np.mean(table.largest_shares / table.cluster_sizes))


def well_balanced(truth: object, labels: object) -> bool:
    """Whether each category prevails in exactly one cluster (thesis 5.3.5).

    Only then may the micro-averaged accuracy of a clustering be set beside the accuracy of a
    classifier. A category prevails in a cluster when it has **more** items there than any other
    category: where two tie for the first place neither prevails, and the clustering is not
    well balanced. Nor is one that has more clusters than categories, or fewer.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    >>> well_balanced(list("aaabbb"), [0, 0, 1, 1, 1, 1])
    True
    >>> well_balanced(list("aaaaab"), [0, 0, 0, 1, 1, 1])
    False
    """
    table = contingency(truth, labels)
    first = table.counts == table.largest_shares[table.rows]
    winners = table.columns[first]
    n = len(table.categories)
    # One winner a cluster (no ties), as many clusters as categories, no winner twice.
    return len(table.clusters) == n and len(winners) == n and len(np.unique(winners)) == n
