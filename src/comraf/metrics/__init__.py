"""How good a clustering is, against what is known about its items.

Every measure takes the truth first and the answer second, as scikit-learn does, so each works
with ``sklearn.metrics.make_scorer`` too. Truth and clusters may be arrays, lists or Series of
any hashable values; only equality of the values matters, never their order or their names.

**Unknown truth** is ``None``, NaN, NaT, pandas' ``NA`` or the number -1: such items are left
out, and a cluster that holds no other items is left out with them. **Every item needs a
cluster**: an answer of ``None``, NaN or -1 is refused, since dropping such items would flatter
the clustering.

Examples
--------
>>> from comraf import metrics
>>> truth = ["tea", "tea", "tea", "milk", "milk", None]
>>> labels = [0, 0, 1, 1, 1, 1]
>>> metrics.micro_accuracy(truth, labels)
0.8
"""

from comraf.metrics.contingency import Contingency, contingency
from comraf.metrics.measures import (
    ExplainedScore,
    PrecisionRecallF,
    ari,
    explained_scores,
    macro_accuracy,
    micro_accuracy,
    nmi,
    one_class_precision_recall_f,
    one_to_one_accuracy,
    pairwise_precision_recall_f,
    well_balanced,
)

__all__ = [
    "Contingency",
    "ExplainedScore",
    "PrecisionRecallF",
    "ari",
    "contingency",
    "explained_scores",
    "macro_accuracy",
    "micro_accuracy",
    "nmi",
    "one_class_precision_recall_f",
    "one_to_one_accuracy",
    "pairwise_precision_recall_f",
    "well_balanced",
]
