"""scikit-learn's own checks, with non-negative twins for those that feed negative numbers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from comraf import MDC, SequentialIB

NEGATIVE = "feeds negative numbers to a model of counts; test_clustering is its twin"


def expected_failures(estimator):
    """The checks that can't hold for counts, and why."""
    return {"check_clustering": NEGATIVE}


@parametrize_with_checks(
    [MDC(), SequentialIB(n_restarts=2)], expected_failed_checks=expected_failures
)
def test_check_estimator(estimator, check):
    """Every check of scikit-learn that does not feed negative numbers passes."""
    check(estimator)


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("estimator", [MDC(n_clusters=3), SequentialIB(n_clusters=3)])
def test_clustering(estimator, readonly):
    """What check_clustering asks, on blobs moved to the positive side."""
    X, y = make_blobs(n_samples=50, random_state=1, centers=3, cluster_std=0.5)
    X = X - X.min()
    noisy = np.concatenate([X, np.random.default_rng(0).uniform(0, X.max(), (50, 3))], axis=1)
    X, noisy = X.astype(np.float64), noisy.astype(np.float32)
    if readonly:
        X.setflags(write=False)
        noisy.setflags(write=False)
    estimator = clone(estimator).set_params(random_state=1)
    estimator.fit(X.tolist())  # lists are fine
    estimator.fit(X)
    assert estimator.labels_.shape == (50,)
    assert adjusted_rand_score(estimator.labels_, y) > 0.3
    again = clone(estimator).fit_predict(X)
    assert_array_equal(again, estimator.labels_)
    assert estimator.labels_.dtype in (np.dtype("int32"), np.dtype("int64"))
    assert_array_equal(np.unique(estimator.labels_), np.arange(3))
    assert clone(estimator).fit_predict(noisy).shape == (50,)


def test_in_a_pipeline():
    """Text to groups in two steps; y is passed on and ignored."""
    texts = ["the sea and the ship", "a ship at sea", "court and judge", "the judge at court"]
    pipeline = make_pipeline(CountVectorizer(stop_words="english"), MDC(2, random_state=0))
    labels = pipeline.fit_predict(texts, y=[0, 0, 1, 1])
    assert labels[0] == labels[1] != labels[2] == labels[3]
