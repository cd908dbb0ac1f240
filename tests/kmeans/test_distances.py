"""Distances equal their formulas, dense and sparse, and their centres are the best there are."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr

from comraf.errors import InputError
from comraf.kmeans import (
    KL,
    METRICS,
    Bregman,
    COPKMeans,
    HMRFKMeans,
    ItakuraSaito,
    KernelKMeans,
    KMeans,
    MPCKMeans,
    SquaredEuclidean,
    metric_for,
)

seeds = st.integers(0, 2**32 - 1)
CUBE = Bregman(
    lambda x: (np.abs(x) ** 3).sum(axis=1), lambda c: 3 * c * np.abs(c), least=0.0, name="cube"
)
EVERY = [*METRICS, KL(alpha=0.0), KL(alpha=2.0), CUBE]


def table(seed: int, metric: object, n: int = 12, d: int = 5) -> np.ndarray:
    """Random rows that every metric takes; with zeros where the metric allows them."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(0.5, 1.0, (n, d)) + 0.01
    if metric != "itakura-saito":
        X[rng.random((n, d)) < 0.4] = 0
        X[:, 0] += 0.1
    return X


def _named(metric: object) -> str:
    """A name for a case that is the same in every process."""
    return metric if isinstance(metric, str) else f"{type(metric).__name__}-{EVERY.index(metric)}"


def formula(metric: object, x: np.ndarray, m: np.ndarray) -> float:
    """The distance of one prepared row to one centre, straight from its definition."""
    if metric == "euclidean":
        return float(((x - m) ** 2).sum())
    if metric == "cosine":
        return 1 - float(x @ m) / math.sqrt(float(x @ x) * float(m @ m))
    if metric == "itakura-saito":
        return float((x / m - np.log(x / m) - 1).sum())
    if metric is CUBE:
        return float((x**3 - m**3 - 3 * m**2 * (x - m)).sum())
    alpha = 0.1 if metric == "kl" else metric.alpha
    uniform = np.full(len(m), 1 / len(m))
    smooth = alpha * float(rel_entr(uniform, m).sum()) if alpha else 0.0
    return float(rel_entr(x, m).sum()) + smooth


@pytest.mark.parametrize("name", EVERY, ids=_named)
def test_formula(name: object) -> None:
    """Each entry of the matrix of distances is what the definition says."""
    metric = metric_for(name)
    X = metric.prepare(table(1, name))
    centers = metric.centers(X, np.arange(12) % 3, 3)
    if isinstance(name, KL) and name.alpha == 0:  # zeros in a centre: see the test below
        centers = np.maximum(centers, 1e-3)
    expected = [[formula(name, x, m) for m in centers] for x in X]
    np.testing.assert_allclose(metric.distances(X, centers), expected, atol=1e-12)


@pytest.mark.parametrize("name", EVERY, ids=_named)
@given(seed=seeds)
def test_centers_are_best(name: object, seed: int) -> None:
    """No centre moved a little has a smaller weighted sum of distances, for any metric."""
    metric = metric_for(name)
    rng = np.random.default_rng(seed)
    X = metric.prepare(table(seed, name))
    labels, weights = rng.integers(0, 2, len(X)), rng.random(len(X)) + 0.1
    labels[:2] = 0, 1
    best = metric.centers(X, labels, 2, weights)
    other = np.maximum(best * (1 + 0.1 * rng.normal(size=best.shape)), 1e-9)
    # centres of unit length, or distributions, compete with their like
    if metric.name == "cosine":
        other /= np.linalg.norm(other, axis=1, keepdims=True)
    if metric.name == "kl":
        other /= other.sum(axis=1, keepdims=True)
    sums = [(weights * metric.own(X, labels, c)).sum() for c in (best, other)]
    assert sums[0] <= sums[1] + 1e-9


@pytest.mark.parametrize("name", EVERY, ids=_named)
@given(seed=seeds)
def test_no_step_rises(name: object, seed: int) -> None:
    """Assigning and re-centring in turn, with nothing to guard them, only ever lower the sum."""
    metric = metric_for(name)
    rng = np.random.default_rng(seed)
    X = metric.prepare(table(seed, name, n=20))
    labels = rng.permutation(np.arange(20) % 4)
    last = math.inf
    for _ in range(6):
        centers = metric.centers(X, labels, 4)
        after_centers = metric.own(X, labels, centers).sum()
        labels, least = metric.nearest(X, centers)
        assert least.sum() <= after_centers <= last + 1e-9
        last = least.sum()


@pytest.mark.parametrize("name", EVERY, ids=_named)
def test_dense_equals_sparse(name: object) -> None:
    """All methods give the same for sparse rows, which stay sparse."""
    metric = metric_for(name)
    X = table(2, name)
    dense, sparse = metric.prepare(X), metric.prepare(sp.csr_array(X))
    assert sp.issparse(sparse)
    np.testing.assert_allclose(sparse.toarray(), dense)
    labels = np.arange(12) % 4
    centers = metric.centers(dense, labels, 4)
    np.testing.assert_allclose(metric.centers(sparse, labels, 4), centers)
    np.testing.assert_allclose(
        metric.distances(sparse, centers), metric.distances(dense, centers), atol=1e-9
    )
    i, j = np.triu_indices(12, 1)
    np.testing.assert_allclose(metric.pair(sparse, i, j), metric.pair(dense, i, j), atol=1e-12)
    np.testing.assert_allclose(metric.largest(sparse), metric.largest(dense))


@pytest.mark.parametrize("name", EVERY, ids=_named)
@given(seed=seeds)
def test_pairs(name: object, seed: int) -> None:
    """Distances of pairs are symmetric, 0 for a row and itself, and below the bound."""
    metric = metric_for(name)
    X = metric.prepare(table(seed, name, n=8))
    i, j = np.triu_indices(8, 1)
    found = metric.pair(X, i, j)
    np.testing.assert_allclose(found, metric.pair(X, j, i))
    assert found.max() <= metric.largest(X) * (1 + 1e-9)
    assert np.all(metric.pair(X, np.arange(8), np.arange(8)) < 1e-9)


def test_bregman_of_squares_is_euclidean() -> None:
    """The divergence of |x|² is the squared distance."""
    squares = Bregman(lambda x: (x**2).sum(axis=1), lambda c: 2 * c)
    X = np.random.default_rng(0).normal(size=(9, 3))
    found, expected = squares.distances(X, X), SquaredEuclidean().distances(X, X)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_far_from_the_origin() -> None:
    """Dense rows keep their digits a hundred million away from 0."""
    X = np.array([[0.0], [1.0], [3.0]]) + 1e8
    expected = [[0, 1, 9], [1, 0, 4], [9, 4, 0]]
    np.testing.assert_allclose(SquaredEuclidean().distances(X, X), expected, atol=1e-9)


def test_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows worked off in small blocks give the same as all at once."""
    X = np.random.default_rng(0).random((40, 6))
    metric = KL()
    rows, i = metric.prepare(X), np.arange(39)
    whole = metric.nearest(rows, rows[:5]), metric.pair(rows, i, i + 1)
    monkeypatch.setattr("comraf.kmeans.rows._BLOCK", 20)
    parts = metric.nearest(rows, rows[:5]), metric.pair(rows, i, i + 1)
    for a, b in ((whole[0][0], parts[0][0]), (whole[0][1], parts[0][1]), (whole[1], parts[1])):
        np.testing.assert_array_equal(a, b)


def test_kl_without_smoothing_is_finite() -> None:
    """Where a centre has nothing, the distance is large, but a number; dense as sparse."""
    metric = KL(alpha=0.0)
    X = metric.prepare([[1.0, 0.0], [1.0, 1.0]])
    found = metric.distances(X, X)
    assert np.isfinite(found).all()
    assert found[0, 0] == 0 < 100 < found[1, 0]
    np.testing.assert_allclose(metric.distances(sp.csr_array(X), X), found)


def test_opposite_rows_under_cosine() -> None:
    """Rows that cancel each other have a centre of unit length all the same."""
    metric = metric_for("cosine")
    X = metric.prepare([[0.6, 0.8], [-0.6, -0.8]])
    for rows in (X, sp.csr_array(X)):
        found = metric.centers(rows, np.zeros(2, dtype=int), 1)
        np.testing.assert_allclose(np.linalg.norm(found), 1)


def test_huge_and_tiny_rows_have_directions() -> None:
    """Lengths that overflow or vanish when squared do not spoil the direction."""
    found = metric_for("cosine").prepare(np.array([[3e200, 4e200], [3e-200, 4e-200]]))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.6, 0.8]])


def test_empty_cluster_has_a_finite_center() -> None:
    """A cluster without rows gets the centre of all rows: never NaN."""
    for name in METRICS:
        metric = metric_for(name)
        X = metric.prepare(table(0, name))
        found = metric.centers(X, np.zeros(12, dtype=int), 2)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found[1], found[0])


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_refused_rows(wrap: object) -> None:
    """Rows that a metric has no distance for are named, with what is wrong and what to do."""
    X = wrap(np.array([[1.0, 2.0], [0.0, 0.0], [-1.0, 3.0]]))
    with pytest.raises(InputError, match=r"zero vector .* bee; leave it out"):
        metric_for("cosine").check(X, ["ant", "bee", "cat"])
    with pytest.raises(InputError, match=r"'kl' needs entries of 0 or more.* cat \(-1\)"):
        metric_for("kl").check(X, ["ant", "bee", "cat"])
    with pytest.raises(InputError, match=r"no distribution .*: 1; leave it out"):
        metric_for("kl").check(X[:2])
    with pytest.raises(InputError, match=r"above 0, but 2 rows have smaller ones: 1 \(0\), 2"):
        metric_for("itakura-saito").check(X)


def test_wrong_functions() -> None:
    """A function that is not convex, or not the gradient, is told at once."""
    X = np.array([[0.0], [1.0], [3.0]])
    concave = Bregman(lambda x: -(x**2).sum(axis=1), lambda c: -2 * c, name="concave")
    with pytest.raises(InputError, match=r"'concave' gives distances that are negative"):
        concave.distances(X, X)
    flat = Bregman(lambda x: (x**2).sum(axis=1), lambda c: (2 * c).ravel(), name="flat")
    with pytest.raises(InputError, match=r"gradient of metric 'flat' has shape \(3,\)"):
        flat.distances(X, X)
    for alpha in (-1, math.nan, math.inf, "much"):
        with pytest.raises(InputError, match="alpha="):
            KL(alpha=alpha)
    wide = Bregman(lambda x: x**2, lambda c: 2 * c, name="wide")
    with pytest.raises(InputError, match=r"phi of metric 'wide' has shape \(\d, \d\)"):
        wide.distances(np.eye(3), np.eye(3))
    with pytest.raises(InputError, match="gradient=6; give a function"):
        Bregman(np.cosh, 6)


@pytest.mark.parametrize("metric", ["euclidean", KL(alpha=2.0), "cosine", ItakuraSaito()])
def test_fitted_models_can_be_pickled(metric: object) -> None:
    """A model with a metric of one's own is the same after a journey to another process."""
    X = table(3, "itakura-saito")
    model = KMeans(3, metric=metric, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.predict(X).tolist() == model.labels_.tolist()


@pytest.mark.parametrize("factor", [1e160, 1e-200])
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_squares_that_are_no_numbers(factor: float, kind: type) -> None:
    """Entries whose squares overflow or vanish are refused, not clustered by NaN; cosine copes."""
    X = table(4, "cosine")
    for model in (KMeans(3), COPKMeans(3), HMRFKMeans(3), MPCKMeans(3), KernelKMeans(3)):
        with pytest.raises(InputError, match="multiply all rows by one factor"):
            model.fit(kind(X * factor))
    far, near = (
        HMRFKMeans(3, metric="cosine", random_state=0).fit(kind(x)) for x in (X * factor, X)
    )
    assert far.labels_.tolist() == near.labels_.tolist()
