"""Distances are scikit-learn's, for dense and sparse rows alike."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from comraf.active.space import Space
from comraf.errors import InputError


@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
@pytest.mark.parametrize(("metric", "name"), [("euclidean", "sqeuclidean"), ("cosine", "cosine")])
def test_distances_are_right(kind: type, metric: str, name: str) -> None:
    """To a row, to some rows, and to the centroids of groups."""
    X = np.random.default_rng(0).poisson(1.0, size=(20, 8)) + np.eye(20, 8)
    X[:, 0] += 1.0  # no row is all zero
    space = Space(kind(X), metric)
    expected = pairwise_distances(X, metric=name)
    np.testing.assert_allclose(space.to_row(3), expected[3], atol=1e-9)
    np.testing.assert_allclose(space.to_row(3, [5, 7]), expected[3, [5, 7]], atol=1e-9)
    groups = [[0, 1, 2], [4, 9]]
    rows = X / np.linalg.norm(X, axis=1, keepdims=True) if metric == "cosine" else X
    centroids = np.array([rows[group].mean(axis=0) for group in groups])
    far = pairwise_distances(rows[[3]], centroids, metric=name)[0]
    found = space.to_sums(3, space.sums(groups), np.array([3, 2]))
    np.testing.assert_allclose(found, far, atol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_squares_that_are_infinite(metric: str) -> None:
    """Rows whose lengths can't be told are refused by number."""
    with pytest.raises(InputError, match="row 1 has entries whose squares are infinite"):
        Space([[1.0, 2.0], [1e200, 0.0]], metric)
