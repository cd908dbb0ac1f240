"""The number of clusters is found where there is one, and what speaks for it comes along."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_normal, vonmises_fisher
from sklearn.cluster import KMeans as TheirKMeans

from comraf.errors import InputError
from comraf.kmeans.choosing import choose_n_clusters
from comraf.kmeans.distances import Bregman, metric_for
from comraf.kmeans.hmrf import HMRFKMeans
from comraf.kmeans.likelihood import describe
from comraf.kmeans.overlap import OverlappingKMeans
from comraf.kmeans.plain import KMeans
from comraf.kmeans.seeded import ConstrainedKMeans


def blobs(seed, k=4, n=80, d=3, apart=8.0):
    """Rows around k centres, and which one each is from."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return apart * np.eye(k, d + k)[y] + rng.normal(size=(n, d + k)), y


def links_of(rng, y, many):
    """Links by the truth."""
    pairs = [tuple(rng.choice(len(y), 2, replace=False).tolist()) for _ in range(many)]
    must = [p for p in pairs if y[p[0]] == y[p[1]]]
    return must, [p for p in pairs if y[p[0]] != y[p[1]]]


@pytest.mark.parametrize("criterion", ["bic", "mdl"])
@pytest.mark.parametrize(
    "estimator", [KMeans(n_init=4), HMRFKMeans(n_init=4), TheirKMeans(n_init=5)]
)
def test_finds_blobs(criterion, estimator):
    """Clusters far apart are counted right, by our estimators and others."""
    X, _ = blobs(0)
    choice = choose_n_clusters(X, estimator, range(2, 7), criterion=criterion, random_state=0)
    assert choice.best == 4
    assert sorted(choice.scores) == [2, 3, 4, 5, 6]
    assert choice.scores[4] == min(choice.scores.values())
    assert "4 clusters by" in str(choice)
    assert "\n" not in str(choice)
    assert estimator.n_clusters == 8  # not changed


def test_gaussian_is_scipys():
    """The log likelihood of spherical Gaussians is that of their densities."""
    X, _ = blobs(1)
    model = KMeans(4, random_state=0).fit(X)
    n, d = X.shape
    variance = model.inertia_ / (d * (n - 4))
    value = sum(
        multivariate_normal(model.cluster_centers_[h], variance).logpdf(x)
        + math.log((model.labels_ == h).mean())
        for x, h in zip(X, model.labels_, strict=True)
    )
    fit = describe(X, model)
    assert fit.log_likelihood == pytest.approx(value)
    assert fit.n_parameters == 4 * d + 4
    assert fit.bic == pytest.approx(fit.n_parameters * math.log(n) - 2 * value)


@pytest.mark.parametrize("d", [3, 300])
def test_fisher_is_scipys(d):
    """So is that of directions, in few and in many columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, d)) + 2
    model = KMeans(1, metric="cosine").fit(X)
    rows = metric_for("cosine").prepare(X)
    r = 1 - model.inertia_ / 40
    density = vonmises_fisher(model.cluster_centers_[0], r * (d - r * r) / (1 - r * r))
    expected = sum(density.logpdf(x) for x in rows)
    assert describe(X, model).log_likelihood == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("metric", ["cosine", "kl", "itakura-saito"])
def test_other_metrics(metric):
    """Each metric with a likelihood finds kinds of positive rows; the likelihood is named."""
    rng = np.random.default_rng(3)
    X = rng.poisson((1 + 30 * np.eye(3, 8))[np.arange(90) % 3]) + 1.0
    for table in (X, sp.csr_matrix(X)):
        choice = choose_n_clusters(
            table, KMeans(metric=metric, n_init=3), [2, 3, 4], random_state=0
        )
        assert choice.best == 3
        assert "BIC, " in choice.how


def test_overlapping():
    """Overlapping clusters are counted by what they are sums of."""
    rng = np.random.default_rng(0)
    Z = rng.random((90, 3)) < 0.4
    Z[np.arange(90), rng.integers(3, size=90)] = True
    X = Z @ (6 * np.eye(3, 6)) + rng.normal(0, 0.3, (90, 6))
    choice = choose_n_clusters(X, OverlappingKMeans(), [2, 3, 4], random_state=0)
    assert choice.best == 3


def test_labels():
    """Held-out labels count clusters; a frame's rows go by their names."""
    X, y = blobs(2, apart=5.0)
    frame = pd.DataFrame(X, index=[f"r{i}" for i in range(len(X))])
    frame.columns = [f"c{j}" for j in range(X.shape[1])]
    labels = {f"r{i}": "abcd"[y[i]] for i in range(0, 80, 2)}
    labels |= {f"r{i}": "abcd"[y[i]] for i in range(1, 40, 2)}
    for estimator in (KMeans(n_init=3), ConstrainedKMeans(n_init=3)):
        choice = choose_n_clusters(
            frame, estimator, range(2, 8), criterion="labels", labels=labels, random_state=0
        )
        assert choice.best == 4
        row = next(row for row in choice.table if row["n_clusters"] == 4)
        assert row["score"] == pytest.approx(row["error"] + row["bound"])
    # fewer clusters than classes can't be fitted with labels, and that is said
    assert choice.scores[2] == math.inf
    assert choice.table[0]["note"]


def test_links():
    """Held-out links count clusters, whether the estimator uses the others or not."""
    X, y = blobs(4, apart=5.0)
    must, cannot = links_of(np.random.default_rng(0), y, 120)
    for estimator in (KMeans(n_init=2), HMRFKMeans(n_init=2)):
        one, two = (
            choose_n_clusters(
                X,
                estimator,
                [3, 4, 5],
                criterion="links",
                folds=3,
                must_link=must,
                cannot_link=cannot,
                random_state=0,
            )
            for _ in range(2)
        )
        assert one.best == 4
        assert one == two
        assert one.table[0]["cannot_broken"] > one.table[1]["cannot_broken"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"criterion": "aic"}, "criterion='aic'"),
        ({"candidates": []}, "has no number"),
        ({"candidates": 3}, "range"),
        ({"candidates": [0]}, "candidate"),
        ({"candidates": [500]}, "no candidate"),
        ({"criterion": "labels"}, "needs labels"),
        ({"criterion": "labels", "labels": {0: "a"}}, "give more labels"),
        ({"criterion": "links", "must_link": [(0, 1)] * 9}, "cannot_link has 0"),
        ({"estimator": 3}, "n_clusters"),
        (
            {"estimator": KMeans(metric=Bregman(lambda x: (x**4).sum(axis=1), lambda x: 4 * x**3))},
            "no likelihood",
        ),
    ],
)
def test_bad_choices(change, said):
    """What can't be used is named, with the way out."""
    X, _ = blobs(0)
    given = {"estimator": KMeans(n_init=1), "candidates": [2, 3], **change}
    with pytest.raises(InputError, match=said):
        choose_n_clusters(X, given.pop("estimator"), given.pop("candidates"), **given)


@pytest.mark.parametrize("criterion", ["bic", "links"])
def test_links_of_an_iterator(criterion):
    """Links that can be read but once are there for every candidate."""
    X, y = blobs(5)
    must, cannot = links_of(np.random.default_rng(0), y, 60)
    scores = [
        choose_n_clusters(
            X,
            HMRFKMeans(n_init=1),
            range(2, 5),
            criterion=criterion,
            must_link=kind(must),
            cannot_link=kind(cannot),
            random_state=0,
        ).scores
        for kind in (list, iter)
    ]
    assert scores[0] == scores[1]


def test_a_class_in_place_of_an_estimator_is_refused() -> None:
    """What was meant is an instance."""
    with pytest.raises(InputError, match=r"estimator is KMeans.*KMeans\(\)"):
        choose_n_clusters(np.zeros((4, 2)), KMeans, [2])


@pytest.mark.parametrize("criterion", ["bic", "mdl"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_broken_links_count_against_a_number(criterion, metric):
    """Distances alone ask for two clusters; links that two must break ask for a third."""
    rng = np.random.default_rng(3)
    X = np.repeat([[9.0, 1.0], [1.0, 9.0]], 20, axis=0) + rng.normal(size=(40, 2)) / 4
    links = [(i, i + 10) for i in range(10)]
    for given, wanted in (({}, 2), ({"cannot_link": links}, 3)):
        estimator = HMRFKMeans(metric=metric, constraints="original", n_init=4)
        options = {"criterion": criterion, "random_state": 0}
        assert choose_n_clusters(X, estimator, [2, 3], **given, **options).best == wanted
