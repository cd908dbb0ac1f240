"""Seeds start clusters and, where they are constraints, stay in them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.checks import check_estimator
from comraf.errors import InputError
from comraf.kmeans import METRICS, ConstrainedKMeans, KMeans, SeededKMeans, metric_for
from comraf.kmeans.seeding import refill

BOTH = [SeededKMeans, ConstrainedKMeans]


@st.composite
def labelled(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Positive rows, classes of some of them, and a number of clusters that is possible."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.gamma(0.5, 1.0, (24, 3)) + 0.01
    n_classes = draw(st.integers(0, 4))
    y = np.full(24, -1)
    share = draw(st.sampled_from([0.1, 0.4, 0.8]))
    if n_classes:
        some = rng.random(24) < share
        y[some] = rng.integers(0, n_classes, some.sum())
    return X, y, draw(st.integers(max(len(set(y[y >= 0])), 1), 6))


@pytest.mark.parametrize("metric", METRICS)
@given(case=labelled())
def test_labelled_items_stay(metric: str, case: tuple[np.ndarray, np.ndarray, int]) -> None:
    """Constrained: a class is one cluster's, and named by it; the objective never rises."""
    X, y, k = case
    if (y < 0).sum() < k - len(set(y[y >= 0])):
        return
    model = ConstrainedKMeans(k, metric=metric, n_init=2, tol=0, random_state=0).fit(X, labels=y)
    for row in np.flatnonzero(y >= 0):
        assert model.classes_[model.labels_[row]] == y[row]
    known = [c for c in model.classes_ if c is not None]
    assert len(known) == len(set(known)) == len(set(y[y >= 0]))
    trace = np.array(model.trace_)
    assert np.all(np.diff(trace) <= 1e-12 * trace[1:] + 1e-12)
    assert np.bincount(model.labels_, minlength=k).all()
    assert np.isfinite(model.cluster_centers_).all()


@pytest.mark.parametrize("kind", BOTH)
@given(case=labelled())
def test_names_of_classes_change_nothing(
    kind: type, case: tuple[np.ndarray, np.ndarray, int]
) -> None:
    """Classes by any other name give the same clusters, ties and numbers of clusters included."""
    X, y, k = case
    X = X.round(0) + 1  # many ties
    names = np.array(["d", "b", "a", "c"], dtype=object)
    renamed = [None if c < 0 else names[c] for c in y]
    model = kind(k, n_init=2, random_state=3)
    try:
        plain = model.fit(X, labels=y).labels_
    except InputError:  # too few distinct rows or too few that are free
        with pytest.raises(InputError, match="n_clusters"):
            model.fit(X, labels=renamed)
        return
    classes = model.classes_
    np.testing.assert_array_equal(model.fit(X, labels=renamed).labels_, plain)
    assert model.classes_ == tuple(None if c is None else names[c] for c in classes)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "kl"])
def test_the_rules_are_kept_with_labels(kind: type, metric: str) -> None:
    """One answer for all forms of a table, and for a seed."""
    rng = np.random.default_rng(8)
    X = rng.poisson(0.8, (70, 9)).astype(float)
    X[:, 0] += 1
    y = np.where(rng.random(70) < 0.2, rng.integers(0, 3, 70), -1)
    check_estimator(kind(5, metric=metric, n_init=2), X, ordered=False, labels=y)


def test_seeded_starts_at_the_means_of_classes() -> None:
    """One round of the seeded algorithm is one assignment to the means of the labelled rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = np.where(np.arange(50) < 9, np.arange(50) % 3, -1)
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    nearest = ((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    model = SeededKMeans(3, max_iter=1).fit(X, labels=y)
    np.testing.assert_array_equal(model.labels_, nearest)
    np.testing.assert_allclose(model.cluster_centers_, means)


def test_wrong_label() -> None:
    """Of a wrong label the seeded algorithm gets rid, the constrained one does not."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    labels = ["low", "low", "low", "high", "low", None]
    assert SeededKMeans(2).fit(X, labels=labels).labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert ConstrainedKMeans(2).fit(X, labels=labels).labels_.tolist() == [0, 0, 0, 1, 0, 1]


def test_empty_clusters_are_not_filled_with_labelled_items() -> None:
    """A cluster that lost all items gets the farthest of those that are free to move."""
    X = np.array([[0.0], [1.0], [3.0], [9.0]])
    labels, far = np.zeros(4, dtype=np.int64), np.array([0.0, 1.0, 9.0, 81.0])
    free = np.array([True, True, True, False])
    assert refill(X, labels, far, 2, metric_for("euclidean"), movable=free)
    assert labels.tolist() == [0, 0, 1, 0]
    assert far.tolist() == [0, 1, 0, 81]


@pytest.mark.parametrize("init", ["k-means++", "mean"])
@pytest.mark.parametrize("kind", BOTH)
def test_incomplete_seeding(kind: type, init: str) -> None:
    """Kinds of rows that have no label are found beside those that have one."""
    rng = np.random.default_rng(4)
    y = np.repeat(np.arange(4), 25)
    X = np.array([[0, 0], [20, 0], [0, 20], [20, 20.0]])[y] + rng.normal(size=(100, 2))
    model = kind(4, init=init, random_state=0).fit(X, labels={0: "a", 30: "b"})
    assert model.classes_ == ("a", "b", None, None)
    assert [set(model.labels_[y == c]) for c in (0, 1)] == [{0}, {1}]
    assert len({frozenset(model.labels_[y == c]) for c in range(4)}) == 4


@pytest.mark.parametrize("kind", BOTH)
def test_without_labels_it_is_kmeans(kind: type) -> None:
    """Nothing known: the answer of KMeans with the same seed."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    plain = KMeans(3, random_state=5).fit(X)
    np.testing.assert_array_equal(kind(3, random_state=5).fit(X).labels_, plain.labels_)


def test_rows_of_frames_go_by_name() -> None:
    """Labels of a frame's rows are found by name, in whatever order they come."""
    X = pd.DataFrame({"x": [0.0, 1.0, 9.0, 8.0]}, index=["ant", "bee", "cow", "dog"])
    model = ConstrainedKMeans(2)
    by_name = model.fit(X, labels={"dog": "mammal", "ant": "insect"}).labels_.tolist()
    series = pd.Series(["mammal", "insect"], index=["dog", "ant"])
    assert by_name == model.fit(X, labels=series).labels_.tolist() == [0, 0, 1, 1]
    with pytest.raises(InputError, match="not there: 'elk'"):
        model.fit(X, labels={"elk": "mammal"})


def test_refused() -> None:
    """Too many classes, no rows left for the other clusters, and links are told."""
    X = np.arange(6.0)[:, None]
    for kind in BOTH:
        with pytest.raises(InputError, match="3 classes, more than the 2 clusters"):
            kind(2).fit(X, labels=[0, 1, 2, -1, -1, -1])
        with pytest.raises(InputError, match=f"{kind.__name__} does not use must_link"):
            kind(2).fit(X, must_link=[(0, 1)])
        with pytest.raises(InputError, match="labels has 5 entries for 6 items"):
            kind(2).fit(X, labels=[0, 1, -1, -1, -1])
    with pytest.raises(InputError, match="leaves 2 clusters to 1 items without a label"):
        ConstrainedKMeans(4).fit(X, labels=[0, 1, 0, 1, 0, -1])


def test_classes_given_as_y_are_told_to_be_ignored() -> None:
    """Users of classifiers would otherwise think that they were heeded."""
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    with pytest.warns(UserWarning, match="classes of some rows go to labels"):
        SeededKMeans(2, random_state=0).fit(X, [0, 0, 1, 1])
