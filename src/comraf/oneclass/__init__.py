"""One class: the core of a collection, and the words that tell it from what is usual.

Examples
--------
>>> import numpy as np
>>> from comraf.oneclass import MaxKL
>>> X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]])
>>> MaxKL(n_core=2, background=[1, 1, 8]).fit(X).core_.tolist()
[0, 1]
"""

from comraf.oneclass.background import (
    Background,
    CorpusBackground,
    FlatBackground,
    FrequencyFile,
    WordFrequencies,
    flat_background,
)
from comraf.oneclass.base import OneClassBase
from comraf.oneclass.baselines import (
    CentroidCosine,
    LocalOutlierCore,
    OneClassIB,
    RandomCore,
    RateDistortion,
    SVMCore,
)
from comraf.oneclass.entropy import MaxKL, MinEntropy
from comraf.oneclass.ltb import LTB
from comraf.oneclass.occc import OCCC
from comraf.oneclass.rest import LikeTheRest
from comraf.oneclass.simulation import bound, simulate_topical_words
from comraf.oneclass.sizes import Suggestion, suggest_n_core
from comraf.oneclass.stream import cut_blocks, follow_topics

__all__ = [
    "LTB",
    "OCCC",
    "Background",
    "CentroidCosine",
    "CorpusBackground",
    "FlatBackground",
    "FrequencyFile",
    "LikeTheRest",
    "LocalOutlierCore",
    "MaxKL",
    "MinEntropy",
    "OneClassBase",
    "OneClassIB",
    "RandomCore",
    "RateDistortion",
    "SVMCore",
    "Suggestion",
    "WordFrequencies",
    "bound",
    "cut_blocks",
    "flat_background",
    "follow_topics",
    "simulate_topical_words",
    "suggest_n_core",
]
