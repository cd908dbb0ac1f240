"""COP-KMeans breaks no link, or says which item could not be placed."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.checks import check_estimator
from comraf.errors import ComrafWarning, ConflictError, InputError
from comraf.kmeans import METRICS, COPKMeans, KMeans, metric_for
from comraf.supervision import close, read_links

seeds = st.integers(0, 2**32 - 1)


def consistent(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows, must-links, cannot-links and classes of some rows that a hidden partition satisfies.

    The partition has nothing to do with the rows, so that the links are as hard as they can be.
    """
    rng = np.random.default_rng(seed)
    X = rng.gamma(0.5, 1.0, (n, 3)) + 0.01
    y = rng.integers(0, k, n)
    pairs = rng.integers(0, n, (rng.integers(0, 3 * n), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    keep = rng.random(len(pairs)) < rng.choice([0.1, 0.5, 1.0])  # few must-links, or many
    classes = np.where(rng.random(n) < rng.choice([0, 0, 0.3]), y, -1)
    return X, pairs[same & keep], pairs[~same], classes


def broken(labels: np.ndarray, must: np.ndarray, cannot: np.ndarray, y: np.ndarray) -> int:
    """How many links do not hold, those between labelled items counted."""
    count = int((labels[must[:, 0]] != labels[must[:, 1]]).sum())
    count += int((labels[cannot[:, 0]] == labels[cannot[:, 1]]).sum())
    rows = np.flatnonzero(y >= 0)
    differ = (labels[rows][:, None] == labels[rows]) != (y[rows][:, None] == y[rows])
    return count + int(differ.sum())


def test_no_two_centres_start_in_one_group() -> None:
    """Items that must be with a chosen centre are not chosen for another one (2.3.3)."""
    X = np.array([[0.0], [9.0], [4.0], [4.5]])
    for seed in range(20):
        model = COPKMeans(2, n_init=1, max_iter=1, random_state=seed).fit(X, must_link=[(0, 1)])
        assert sorted(model.cluster_centers_.ravel()) != [0.0, 9.0]


def test_items_with_most_links_are_placed_first() -> None:
    """Placed last, the item that must be apart from all others would find each cluster taken."""
    X = np.array([[0.0], [10.0], [4.0], [0.5], [9.5]])
    links = [(2, 0), (2, 1), (2, 3), (2, 4)]
    for seed in range(15):
        model = COPKMeans(2, on_failure="error", init=X[:2], n_init=1, random_state=seed)
        labels = model.fit_predict(X, cannot_link=links)
        assert (labels[[0, 1, 3, 4]] != labels[2]).all()


@settings(max_examples=300)
@given(seed=seeds, n=st.integers(6, 30), k=st.integers(2, 6))
def test_breaks_nothing(seed: int, n: int, k: int) -> None:
    """Every consistent set of links is kept, by each metric; the objective never rises.

    In the end, no group could go to a nearer cluster without breaking a link.
    """
    X, must, cannot, y = consistent(seed, n, k)
    metric = METRICS[seed % 4]
    model = COPKMeans(k, metric=metric, n_init=1, tol=0, random_state=seed % 1000)
    try:
        model.fit(X, labels=y, must_link=must, cannot_link=cannot)
    except InputError as error:
        # the hidden partition may have fewer clusters than were asked for
        assert re.search("groups that may be apart", str(error))  # noqa: PT017
        return
    assert broken(model.labels_, must, cannot, y) == 0
    assert len(model.dropped_) == 0
    trace = np.array(model.trace_)
    assert np.all(np.diff(trace) <= 1e-12 * trace[1:] + 1e-12)
    assert np.bincount(model.labels_, minlength=k).all()
    assert np.isfinite(model.cluster_centers_).all()
    far = metric_for(metric)
    rows = far.prepare(X)
    distances = far.distances(rows, far.centers(rows, model.labels_, k))
    closure = close(n, read_links(must, n), read_links(cannot, n), y)
    for group in range(closure.n_groups):
        inside = closure.group == group
        now = model.labels_[inside][0]
        ends = closure.cannot[(closure.cannot == group).any(axis=1)]
        others = set(ends.ravel().tolist()) - {group}
        taken = {int(model.labels_[closure.group == other][0]) for other in others}
        cost = distances[inside].sum(axis=0)
        free = [h for h in range(k) if h not in taken]
        assert cost[now] <= cost[free].min() + 1e-9


@settings(max_examples=200)
@given(seed=seeds)
def test_error_names_an_item(seed: int) -> None:
    """With on_failure="error" no link is broken, or a real dead end is told with its item."""
    k = 3
    X, must, cannot, y = consistent(seed, 12, k)
    model = COPKMeans(k, on_failure="error", n_init=1, random_state=0)
    try:
        model.fit(X, labels=y, must_link=must, cannot_link=cannot)
    except ConflictError as error:
        found = re.match(r"(\d+) could not be placed: each of the 3 clusters .*: ", str(error))
        assert found is not None
        assert int(found[1]) in {*cannot.ravel(), *np.flatnonzero(y >= 0), *must.ravel()}
    except InputError as error:
        assert "groups that may be apart" in str(error)  # noqa: PT017
    else:
        assert broken(model.labels_, must, cannot, y) == 0


def test_dead_end_of_the_order() -> None:
    """Where the order of the items leads to a dead end, "restart" finds the way, "error" tells.

    A crown: a_i is apart from all b_j but b_i. The pairs have equal degrees and lie together, so
    that a_i and b_i share a cluster when they are placed, and two clusters are not enough.
    """
    m = 6
    X = np.repeat(np.arange(m) * 10.0, 2)[:, None] + np.tile([0.0, 1.0], m)[:, None]
    cannot = [(2 * i, 2 * j + 1) for i in range(m) for j in range(m) if i != j]
    told = 0
    for seed in range(20):
        labels = COPKMeans(2, n_init=1, random_state=seed).fit(X, cannot_link=cannot).labels_
        assert labels.tolist() in ([0, 1] * m, [1, 0] * m)
        try:
            COPKMeans(2, on_failure="error", n_init=1, random_state=seed).fit(X, cannot_link=cannot)
        except ConflictError as error:
            told += 1
            assert "could not be placed: each of the 2 clusters" in str(error)  # noqa: PT017
    assert told > 0


def test_impossible() -> None:
    """Four items that are all apart do not fit into three clusters: told, by name."""
    X = pd.DataFrame({"x": np.arange(6.0)}, index=list("abcdef"))
    apart = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    with pytest.raises(ConflictError, match="each apart from all of the others: a, b, c, d"):
        COPKMeans(3).fit(X, cannot_link=apart)
    with pytest.raises(ConflictError, match=r"[abcd] could not be placed: .* 3 clusters"):
        COPKMeans(3, on_failure="error").fit(X, cannot_link=apart)


def test_drop() -> None:
    """With "drop", the fewest links are given up, told and listed; all others hold."""
    X = np.arange(6.0)[:, None]
    apart = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    model = COPKMeans(3, on_failure="drop", random_state=0)
    with pytest.warns(ComrafWarning, match="1 cannot-link could not be kept with 3 clusters"):
        labels = model.fit_predict(X, cannot_link=apart, must_link=[(0, 5)])
    same = labels[apart[:, 0]] == labels[apart[:, 1]]
    assert apart[same].tolist() == model.dropped_.tolist()
    assert len(model.dropped_) == 1
    assert labels[0] == labels[5]


@pytest.mark.parametrize(("n", "share", "seed"), [(4, 1.0, 0), (40, 0.18, 0), (40, 0.18, 29)])
def test_what_was_dropped_on_the_way_and_holds_in_the_end_is_not_listed(
    n: int, share: float, seed: int
) -> None:
    """dropped_ has the broken links, each once; the warning counts them."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2)) * 10
    apart = np.array([(i, j) for i in range(n) for j in range(i) if rng.random() < share])
    corner = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    model = COPKMeans(3, on_failure="drop", init=corner, n_init=1, random_state=seed)
    with pytest.warns(UserWarning, match="could not be kept") as told:
        labels = model.fit_predict(X, cannot_link=apart)
    lost = apart[labels[apart[:, 0]] == labels[apart[:, 1]]]
    assert sorted(map(sorted, lost.tolist())) == sorted(map(sorted, model.dropped_.tolist()))
    many = f"{len(lost)} cannot-link{'s' if len(lost) > 1 else ''} could"
    assert str(told[0].message).startswith(many)


class Counting(np.random.RandomState):
    """Random numbers that tell how many orders were asked for."""

    orders = 0

    def permutation(self, x: object) -> np.ndarray:
        """Count one more."""
        self.orders += 1
        return super().permutation(x)


def test_ten_more_orders_are_tried_before_links_are_dropped() -> None:
    """One by degree, ten at random, and the one in which links are dropped."""
    apart = [(i, j) for i in range(4) for j in range(i)]
    random = Counting(0)
    model = COPKMeans(3, on_failure="drop", n_init=1, max_iter=1, random_state=random)
    with pytest.warns(UserWarning, match="could not be kept"):
        model.fit(np.arange(6.0)[:, None], cannot_link=apart)
    assert random.orders == 12


@given(seed=seeds)
def test_drop_loses_nothing_without_need(seed: int) -> None:
    """Links that can all be kept are kept by "drop" too."""
    X, must, cannot, y = consistent(seed, 14, 3)
    model = COPKMeans(3, on_failure="drop", n_init=1, random_state=0)
    try:
        model.fit(X, labels=y, must_link=must, cannot_link=cannot)
    except InputError as error:
        assert "groups that may be apart" in str(error)  # noqa: PT017
        return
    assert broken(model.labels_, must, cannot, y) == 0


@given(seed=seeds)
def test_names_of_classes_change_nothing(seed: int) -> None:
    """Classes by any other name give the same clusters."""
    X, _, cannot, y = consistent(seed, 20, 3)
    model = COPKMeans(4, n_init=2, random_state=1)
    plain = model.fit(X, labels=y, cannot_link=cannot).labels_
    renamed = [None if c < 0 else "zxy"[c] for c in y]
    np.testing.assert_array_equal(model.fit(X, labels=renamed, cannot_link=cannot).labels_, plain)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "kl"])
def test_the_rules_are_kept_with_links(metric: str) -> None:
    """One answer for all forms of a table, and for a seed."""
    rng = np.random.default_rng(2)
    X = rng.poisson(0.8, (60, 9)).astype(float)
    X[:, 0] += 1
    _, must, cannot, y = consistent(2, 60, 4)
    known = {"labels": y, "must_link": must, "cannot_link": cannot}
    check_estimator(COPKMeans(4, metric=metric, n_init=2), X, ordered=False, **known)


def test_distances_computed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where distances are too many to be kept, the answer is the same."""
    X, must, cannot, y = consistent(11, 30, 4)
    model = COPKMeans(4, n_init=2, random_state=0)
    kept = model.fit(X, labels=y, must_link=must, cannot_link=cannot).labels_
    monkeypatch.setattr("comraf.kmeans.cop._KEPT", 0)
    again = model.fit(X, labels=y, must_link=must, cannot_link=cannot).labels_
    np.testing.assert_array_equal(again, kept)


def test_without_links_it_is_kmeans() -> None:
    """Nothing known: the answer of KMeans with the same seed."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    plain = KMeans(3, random_state=5).fit(X)
    np.testing.assert_array_equal(COPKMeans(3, random_state=5).fit(X).labels_, plain.labels_)


def test_refused() -> None:
    """Contradictions, links with a price, too many clusters for the groups, unknown choices."""
    X = np.arange(5.0)[:, None]
    with pytest.raises(ConflictError, match="0 = 1, 1 = 2, but 0 ≠ 2"):
        COPKMeans(2).fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(InputError, match=r"cannot_link has 1 links of finite weight.*HMRFKMeans"):
        COPKMeans(2).fit(X, cannot_link=[(0, 1, 2.0)])
    with pytest.raises(InputError, match=r"leave only 2 groups .* at most 2 clusters"):
        COPKMeans(3).fit(X, must_link=[(0, 1), (1, 2), (2, 3)])
    with pytest.raises(InputError, match="on_failure='hope' is unknown"):
        COPKMeans(2, on_failure="hope").fit(X)
    with pytest.raises(InputError, match="not there: 7"):
        COPKMeans(2).fit(X, must_link=[(0, 7)])
