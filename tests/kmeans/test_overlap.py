"""Overlapping clusters find what was planted, never get worse, and keep the links that hold."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import parametrize_with_checks

from comraf.errors import ConflictError, InputError, TooLargeError
from comraf.kmeans.distances import Bregman
from comraf.kmeans.overlap import (
    OverlappingKMeans,
    Table,
    contract,
    fitted,
    losses,
    memberships,
    read_pulls,
    without_links,
)
from comraf.kmeans.plain import KMeans
from comraf.supervision import close, read_knowledge

LOSSES = ("euclidean", "kl", "itakura-saito")
seeds = st.integers(0, 2**32 - 1)


def planted(seed, loss, n=90, d=12, k=3):
    """Rows that are sums of components, with noise that goes with the loss."""
    rng = np.random.default_rng(seed)
    M = rng.normal(0, 3, (k, d)) if loss == "euclidean" else rng.gamma(1, 5, (k, d)) + 0.1
    Z = rng.random((n, k)) < 0.25
    Z[np.arange(n), rng.integers(k, size=n)] = True
    if loss == "euclidean":
        return Z @ M + rng.normal(0, 0.7, (n, d)), Z
    if loss == "kl":
        return rng.poisson(Z @ M + 0.2).astype(float), Z
    return Z @ M * rng.gamma(12, 1 / 12, (n, d)), Z


def pairwise_f(truth, found):
    """F of pairs that have a cluster in common."""
    i, j = np.triu_indices(len(truth), 1)
    a, b = ((Z[i] & Z[j]).any(axis=1) for Z in (truth, found))
    return 2 * (a & b).sum() / (a.sum() + b.sum())


def divergence(x, m, loss):
    """The loss by its definition."""
    if loss == "euclidean":
        return float(((x - m) ** 2).sum())
    if loss == "kl":
        return float(
            sum(a * math.log(a / b) if a else 0.0 for a, b in zip(x, m, strict=True))
            + (m - x).sum()
        )
    return float((x / m - np.log(x / m) - 1).sum())


def whole_objective(X, Z, M, loss, must, cannot):
    """The objective item by item and link by link."""
    value = sum(divergence(x, z @ M, loss) for x, z in zip(X, Z.astype(float), strict=True))
    value += sum(w * (Z[a] ^ Z[b]).sum() for a, b, w in must if w < math.inf)
    return value + sum(w * (Z[a] & Z[b]).sum() for a, b, w in cannot if w < math.inf)


@parametrize_with_checks([OverlappingKMeans(n_init=2)])
def test_check_estimator(estimator, check):
    """scikit-learn's own checks."""
    check(estimator)


@pytest.mark.parametrize("loss", LOSSES)
def test_finds_what_was_planted(loss):
    """Memberships are found almost all, by far better than by k-means or a mixture."""
    X, Z = planted(2, loss)
    model = OverlappingKMeans(3, metric=loss, random_state=0).fit(X)
    right = max((model.memberships_[:, p] == Z).all(axis=1).mean() for p in permutations(range(3)))
    assert right > 0.9
    ours = pairwise_f(Z, model.memberships_)
    hard = KMeans(3, metric=loss, random_state=0).fit_predict(X)
    shares = GaussianMixture(3, covariance_type="spherical", random_state=0).fit(X).predict_proba(X)
    assert ours > pairwise_f(Z, np.eye(3, dtype=bool)[hard]) + 0.1
    assert ours > pairwise_f(Z, shares > 0.05) + 0.1
    again = model.predict_memberships(X)
    assert (again == model.memberships_).all(axis=1).mean() > 0.98
    assert model.memberships_[np.arange(len(X)), model.labels_].all()
    assert model.predict(X).shape == (len(X),)


@pytest.mark.parametrize("loss", LOSSES)
@given(seed=seeds)
@settings(max_examples=12, deadline=None)
def test_objective_is_what_it_says(loss, seed):
    """The objective never rises and is the definition's, with links of all kinds."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(0.7, 2.0, (16, 4)) + 0.05
    if loss == "kl":
        X = np.round(X)
        X[:, 0] += 1
    k = int(rng.integers(1, 5))
    must, cannot = [], []
    for kind in (must, cannot):
        for _ in range(6):
            a, b = rng.choice(16, 2, replace=False).tolist()
            kind.append((a, b, float(rng.integers(0, 4))))
    must.append((0, 1, math.inf))
    if k > 1:
        cannot.append((1, 2, math.inf))
    model = OverlappingKMeans(k, metric=loss, n_init=2, random_state=seed % 1000)
    model.fit(X, must_link=must, cannot_link=cannot)
    assert (np.diff(model.trace_) <= 0).all()
    Z, M = model.memberships_, model.components_
    assert np.isfinite(M).all()
    assert Z.any(axis=1).all()
    assert (Z[0] == Z[1]).all()
    assert k == 1 or not (Z[1] & Z[2]).any()
    value = whole_objective(X, Z, M, loss, must, cannot)
    assert model.objective_ == pytest.approx(value, rel=1e-7, abs=1e-7)
    assert model.objective_ == pytest.approx(model.loss_ + model.penalty_)


@pytest.mark.parametrize("loss", LOSSES)
def test_search_is_nearly_exhaustive(loss):
    """Of all memberships of a row, the search finds the best ones almost always."""
    X, _ = planted(5, "itakura-saito", n=60, d=6, k=5)
    M = planted(6, "itakura-saito", n=5, d=6, k=5)[0] * 0.4
    table = Table(X, loss, np.ones(len(X)))
    start = np.zeros((len(X), 5), dtype=bool)
    start[:, 0] = True
    free = without_links(table)
    found = memberships(table, M, free, 5, Z=start, order=np.arange(len(X)))
    got = losses(table, found, M)
    every = [z for z in product([False, True], repeat=5) if any(z)]
    best = [min(divergence(x, np.array(z, float) @ M, loss) for z in every) for x in X]
    assert (got >= np.array(best) - 1e-8).all()
    assert (got <= np.array(best) + 1e-8).mean() > 0.9
    few = memberships(table, M, free, 2, Z=start, order=np.arange(len(X)))
    assert few.sum(axis=1).max() == 2


@pytest.mark.parametrize("loss", LOSSES)
def test_components_are_best(loss):
    """Components are the pseudo-inverse's, or go towards where no small change pays."""
    X, Z = planted(1, loss, n=40, d=3)
    table = Table(X, loss, np.ones(len(X)))
    M = np.ones((3, 3)) * max(X.mean(), 0.1)
    before = losses(table, Z, M).sum() if loss != "euclidean" else math.inf
    for _ in range(1 if loss == "euclidean" else 200):
        M = fitted(table, Z, M)
        now = losses(table, Z, M).sum()
        assert now <= before + 1e-9
        before = now
    if loss == "euclidean":
        np.testing.assert_allclose(M, np.linalg.pinv(Z.astype(float)) @ X, atol=1e-9)
    for h, j in product(range(3), range(3)):
        for step in (0.98, 1.02):
            other = M.copy()
            other[h, j] *= step
            assert losses(table, Z, other).sum() >= now - 1e-4 * abs(now)


@pytest.mark.parametrize("loss", ["euclidean", "kl"])
def test_sparse_is_dense(loss):
    """Sparse rows have the same answer as dense ones, and contracted ones too."""
    rng = np.random.default_rng(0)
    X = rng.poisson(0.6, (50, 8)).astype(float)
    X[X.sum(axis=1) == 0, 0] = 1
    links = {"must_link": [(0, 1, math.inf), (4, 5)], "cannot_link": [(2, 3)]}
    dense, sparse = (
        OverlappingKMeans(3, metric=loss, n_init=3, random_state=1).fit(table, **links)
        for table in (X, sp.csr_matrix(X))
    )
    assert dense.objective_ == pytest.approx(sparse.objective_)
    np.testing.assert_array_equal(dense.memberships_, sparse.memberships_)
    known = read_knowledge(50, must_link=[(0, 1), (1, 7)])
    closure = close(50, known.must, known.cannot)
    tables = [contract(t, loss, closure) for t in (X, sp.csr_array(X))]
    assert tables[0].within == pytest.approx(tables[1].within)
    Z, M = np.ones((48, 1), dtype=bool), X.mean(axis=0, keepdims=True)
    for table in tables:  # groups and what is within them are as much as all items
        whole = table.weights @ losses(table, Z, M) + table.within
        assert whole == pytest.approx(sum(divergence(x, M[0], loss) for x in X))
    assert read_pulls(known, closure).penalty(Z) == 0


def test_sparse_stays_sparse():
    """Rows of 200,000 columns, 16 GB as a dense table, are clustered as they are."""
    rng = np.random.default_rng(0)
    places = rng.integers(10_000, size=40_000), rng.integers(200_000, size=40_000)
    X = sp.csr_array((np.ones(40_000), places), shape=(10_000, 200_000))
    model = OverlappingKMeans(2, n_init=1, max_iter=2, random_state=0).fit(X)
    assert model.components_.shape == (2, 200_000)
    with pytest.raises(TooLargeError, match="fewer clusters"):
        OverlappingKMeans(10**9).fit(X[:100])


def test_links_change_memberships():
    """A must-link of high price gives two rows the same memberships, a cannot-link none shared."""
    X = np.array([[4.0, 0], [4.2, 0], [0, 3.0], [0, 3.2], [4, 3.0], [4.1, 3.1]])
    free = OverlappingKMeans(2, random_state=0).fit(X).memberships_
    assert free[4].all()
    model = OverlappingKMeans(2, link_weight=100.0, random_state=0)
    tied = model.fit(X, must_link=[(0, 4)], cannot_link=[(2, 5)])
    assert (tied.memberships_[0] == tied.memberships_[4]).all()
    assert not (tied.memberships_[2] & tied.memberships_[5]).any()
    assert tied.penalty_ == 0
    cheap = model.set_params(link_weight=1e-6).fit(X, must_link=[(0, 4)], cannot_link=[(2, 5)])
    np.testing.assert_allclose(cheap.penalty_, 2e-6)


def test_frames_and_seeds():
    """Rows of a frame go by their names; one seed gives one answer."""
    X, _ = planted(0, "euclidean")
    frame = pd.DataFrame(X, index=[f"r{i}" for i in range(len(X))], columns=list("abcdefghijkl"))
    one, two = (
        OverlappingKMeans(3, n_init=2, random_state=5).fit(table, must_link=[pair])
        for table, pair in ((frame, ("r0", "r9")), (X, (0, 9)))
    )
    np.testing.assert_array_equal(one.memberships_, two.memberships_)
    assert list(one.feature_names_in_) == list("abcdefghijkl")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metric": Bregman(lambda x: (x**4).sum(axis=1), lambda x: 4 * x**3)}, "no rule"),
        ({"max_overlap": 0}, "max_overlap"),
        ({"link_weight": -1.0}, "link_weight=-1.0"),
        ({"metric": "kl"}, "entries of 0 or more"),
        ({"n_clusters": 200}, "ask for at most"),
        ({"init": "best"}, "init='best'"),
    ],
)
def test_bad_choices(change, said):
    """What can't be used is named."""
    X, _ = planted(0, "euclidean")
    with pytest.raises(InputError, match=said):
        OverlappingKMeans(**{"n_clusters": 2, **change}).fit(X)


def test_bad_knowledge():
    """Labels are refused with the way out, contradictions with their chain."""
    X, _ = planted(0, "euclidean")
    with pytest.raises(InputError, match="give must_link"):
        OverlappingKMeans(2).fit(X, labels={0: "a"})
    model = OverlappingKMeans(2, link_weight=math.inf)
    with pytest.raises(ConflictError):
        model.fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(ConflictError):
        model.fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])


def test_same_rows_and_empty_components():
    """Few different rows and many clusters never yield NaN."""
    X = np.repeat([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], 5, axis=0)
    model = OverlappingKMeans(3, random_state=0).fit(X)
    assert np.isfinite(model.components_).all()
    assert model.objective_ == pytest.approx(0, abs=1e-9)
    assert (np.diff(model.trace_) <= 0).all()


def test_links_of_an_iterator_hold():
    """Links that can be read but once are the same links."""
    X = np.random.default_rng(0).gamma(2, 1, (20, 3))
    must, cannot = [(i, i + 1) for i in range(0, 8, 2)], [(i, i + 9) for i in range(0, 8, 2)]
    model = OverlappingKMeans(3, link_weight=math.inf, n_init=3, random_state=0)
    listed = model.fit(X, must_link=must, cannot_link=cannot).memberships_
    once = model.fit(X, must_link=iter(must), cannot_link=iter(cannot)).memberships_
    assert not any((once[a] & once[b]).any() for a, b in cannot)
    assert np.array_equal(once, listed)
