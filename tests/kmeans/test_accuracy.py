"""A gate: every kind of K-means is as accurate on Iris and handwritten digits as it was measured.

Bars are about 0.03 below the mean NMI of four seeds at three starts; a worse start, assignment or
metric falls below them.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from comraf.kmeans import (
    ConstrainedKMeans,
    COPKMeans,
    HMRFKMeans,
    KernelKMeans,
    KMeans,
    MPCKMeans,
    OverlappingKMeans,
    SeededKMeans,
)
from comraf.metrics import nmi

IRIS = load_iris(return_X_y=True)
DIGITS = tuple(part[:500] for part in load_digits(return_X_y=True))


def links(y, many, seed):
    """Random links by the truth."""
    pairs = np.random.default_rng([seed, 3]).integers(len(y), size=(many, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same].tolist(), "cannot_link": pairs[~same].tolist()}


def some(y, seed):
    """Labels of a tenth of the rows."""
    return {"labels": np.where(np.random.default_rng([seed, 4]).random(len(y)) < 0.1, y, -1)}


@pytest.mark.parametrize(
    ("kind", "options", "data", "many", "bar"),
    [
        (KMeans, {}, DIGITS, 0, 0.79),  # .822
        (SeededKMeans, {}, DIGITS, None, 0.80),  # .832
        (ConstrainedKMeans, {}, DIGITS, None, 0.81),  # .843
        (COPKMeans, {}, DIGITS, 200, 0.77),  # .808
        (HMRFKMeans, {}, IRIS, 150, 0.81),  # .846
        (HMRFKMeans, {"inference": "bp"}, IRIS, 100, 0.81),  # .849
        (HMRFKMeans, {"metric": "kl"}, DIGITS, 400, 0.74),  # .773
        (MPCKMeans, {}, IRIS, 150, 0.90),  # .936
        (KernelKMeans, {}, IRIS, 150, 0.87),  # .906
    ],
)
def test_no_less_accurate_than_measured(kind, options, data, many, bar):
    """Mean NMI of four seeds, by all rows."""
    X, y = data
    found = []
    for seed in range(4):
        known = some(y, seed) if many is None else links(y, many, seed) if many else {}
        model = kind(len(set(y)), n_init=3, random_state=seed, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found.append(nmi(y, model.fit(X, **known).labels_))
    assert np.mean(found) > bar


def test_overlapping_memberships_are_found():
    """Sums of components: nearly all memberships of made-up rows (measured: all of them)."""
    rng = np.random.default_rng(0)
    Z = rng.random((150, 3)) < 0.4
    Z[np.arange(150), rng.integers(3, size=150)] = True
    M = 3 * rng.random((3, 12))
    X = np.maximum(Z @ M + 0.1 * rng.normal(size=(150, 12)), 0)
    found = OverlappingKMeans(3, n_init=20, random_state=0).fit(X).memberships_
    agree = [(found[:, a] == Z[:, b]).mean() for a in range(3) for b in range(3)]
    assert sum(share > 0.97 for share in agree) == 3
