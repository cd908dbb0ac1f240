"""K-means that knows something: seeds, labels and links, by the distance that fits the data.

Examples
--------
>>> import numpy as np
>>> from comraf.kmeans import ConstrainedKMeans
>>> X = np.array([[9.0, 1.0], [4.0, 0.0], [1.0, 5.0], [0.0, 2.0]])
>>> model = ConstrainedKMeans(n_clusters=2, metric="cosine")
>>> model.fit(X, labels={0: "sport", 3: "music"}).labels_.tolist()
[0, 0, 1, 1]
"""

from comraf.kmeans.choosing import Choice, choose_n_clusters
from comraf.kmeans.cop import COPKMeans
from comraf.kmeans.distances import (
    KL,
    METRICS,
    Bregman,
    Cosine,
    Distance,
    ItakuraSaito,
    SquaredEuclidean,
    metric_for,
)
from comraf.kmeans.hmrf import HMRFKMeans
from comraf.kmeans.kernel import KernelKMeans
from comraf.kmeans.mpck import MPCKMeans
from comraf.kmeans.overlap import OverlappingKMeans
from comraf.kmeans.plain import KMeans
from comraf.kmeans.seeded import ConstrainedKMeans, SeededKMeans
from comraf.kmeans.text import TextVectors

__all__ = [
    "KL",
    "METRICS",
    "Bregman",
    "COPKMeans",
    "Choice",
    "ConstrainedKMeans",
    "Cosine",
    "Distance",
    "HMRFKMeans",
    "ItakuraSaito",
    "KMeans",
    "KernelKMeans",
    "MPCKMeans",
    "OverlappingKMeans",
    "SeededKMeans",
    "SquaredEuclidean",
    "TextVectors",
    "choose_n_clusters",
    "metric_for",
]
