"""Agreement of two partitions: by information, and by pairs of items.

scikit-learn has NMI and ARI too, and the tests hold ours equal to them. They are worked out here
from the shared table because scikit-learn takes seconds to import and warns about partitions
with many small clusters, which are ordinary here (a schedule starts from singletons).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comraf.metrics.contingency import Contingency, contingency
from comraf.metrics.scores import PrecisionRecallF, ratios

__all__ = ["ari", "nmi", "pairwise_precision_recall_f"]


def nmi(truth: object, labels: object) -> float:
    """Mutual information over the arithmetic mean of the two entropies (Basu 2.4).

    Two partitions with a single group each say the same, nothing: their NMI is 1.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    Two categories of two, and clusters that split one of them in half: I = H(truth) = log 2,
    H(labels) = 1.5 log 2, so the measure is 1 / 1.25.

    >>> round(nmi(["a", "a", "b", "b"], [0, 0, 1, 2]), 10)
    0.8
    """
    table = contingency(truth, labels)
    of_clusters = _entropy(table.cluster_sizes, table.n_items)
    of_categories = _entropy(table.category_sizes, table.n_items)
    if of_clusters + of_categories == 0.0:
        return 1.0
    information = of_clusters + of_categories - _entropy(table.counts, table.n_items)
    # Rounding may step over the ends by a few units in the last place.
    return min(1.0, max(0.0, 2.0 * information / (of_clusters + of_categories)))


def ari(truth: object, labels: object) -> float:
    """Rand index of the two partitions, corrected for chance (Hubert and Arabie).

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    float
        At most 1; 0 is what chance gives; may be negative.

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    >>> ari(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    >>> ari(["a", "a", "b", "b"], [0, 1, 0, 1])
    -0.5
    """
    table = contingency(truth, labels)
    both, in_cluster, in_category = _pairs(table)
    if both == in_cluster == in_category:
        return 1.0
    every = table.n_items * (table.n_items - 1) // 2
    # (both - chance) / (mean - chance), all times `every`, in whole numbers that can't overflow.
    chance = in_cluster * in_category
    return 2 * (both * every - chance) / ((in_cluster + in_category) * every - 2 * chance)


def pairwise_precision_recall_f(truth: object, labels: object) -> PrecisionRecallF:
    """Precision, recall and F over pairs of items in one cluster (Basu 2.4, eq. 2.5).

    A pair is answered when its items share a cluster, wanted when they share a category, right
    when both. Without any answered (or wanted) pair the precision (or recall) counts as 0; where
    both are missing all three are 1. Pairs are counted from the sizes of groups, never listed.

    Parameters
    ----------
    truth : sequence of hashable
        Category of each item; items whose truth is unknown (``None``, NaN, -1) are left out.
    labels : sequence of hashable
        Cluster of each item.

    Returns
    -------
    PrecisionRecallF
        Named tuple of ``precision``, ``recall`` and ``f``.

    Raises
    ------
    InputError
        If the lengths differ, nothing is given, no truth is known, or an item has no cluster.

    Examples
    --------
    Clusters {a, a, b} and {b}: three pairs answered; wanted are a-a and b-b; right is a-a.

    >>> score = pairwise_precision_recall_f(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> round(score.precision, 4), score.recall, score.f
    (0.3333, 0.5, 0.4)
    """
    return ratios(*_pairs(contingency(truth, labels)))


def _pairs(table: Contingency) -> tuple[int, int, int]:
    """Pairs of items in one cell, in one cluster, in one category."""
    return (
        _pairs_within(table.counts),
        _pairs_within(table.cluster_sizes),
        _pairs_within(table.category_sizes),
    )


def _pairs_within(sizes: NDArray[np.int64]) -> int:
    # A single group of n items has n² / 2 pairs, which int64 holds up to four thousand million.
    return int((sizes * (sizes - 1) // 2).sum())


def _entropy(sizes: NDArray[np.int64], n_items: int) -> float:
    # Exactly zero for a single group, so that the caller can ask for it.
    share = sizes / n_items
    return float(-(share * np.log(share)).sum()) + 0.0
