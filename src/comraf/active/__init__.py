"""Which pairs of items to ask about, so that few answers help a clustering much.

A learner chooses questions one by one, an oracle answers them (a person, a label array, a noisy
simulation), and a journal keeps every answer on disk at once. No question is asked whose answer
follows from earlier ones.

Examples
--------
>>> from sklearn.datasets import load_iris
>>> from comraf.active import ExploreConsolidate, LabelOracle
>>> X, classes = load_iris(return_X_y=True)
>>> found = ExploreConsolidate(n_queries=40, k=3, random_state=0).run(X, LabelOracle(classes))
>>> found.n_asked, len(found.neighbourhoods)
(40, 3)
>>> all(len(set(classes[group])) == 1 for group in found.neighbourhoods)
True
"""

from comraf.active.answers import Answers
from comraf.active.journal import Journal
from comraf.active.learner import Constraints, ExploreConsolidate, MinMax, RandomPairs
from comraf.active.npu import NPU
from comraf.active.oracle import (
    CarefulOracle,
    LabelOracle,
    NoisyOracle,
    Oracle,
    PersonOracle,
)

__all__ = [
    "NPU",
    "Answers",
    "CarefulOracle",
    "Constraints",
    "ExploreConsolidate",
    "Journal",
    "LabelOracle",
    "MinMax",
    "NoisyOracle",
    "Oracle",
    "PersonOracle",
    "RandomPairs",
]
