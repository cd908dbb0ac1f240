"""The benchmark of appearances."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster

from benchmarks.appearances import best_cluster
from comraf.appearances import gather
from comraf.metrics import one_class_precision_recall_f
from comraf.workflows.appearances.methods import agglomerative_tree
from tests.workflows.appearances.sailing import circle


def test_best_cluster_is_the_best_of_the_tree() -> None:
    """No level of the tree has a cluster of better F than the one that the truth chooses."""
    sailors = gather(circle())
    tree, truth = agglomerative_tree(sailors), sailors.truth
    assert truth is not None
    best = one_class_precision_recall_f(truth, best_cluster(tree, truth)).f
    for k in (2, 3, 5, 9, 30):
        labels = fcluster(tree, k, "maxclust")
        for label in np.unique(labels):
            assert one_class_precision_recall_f(truth, labels == label).f <= best + 1e-12
