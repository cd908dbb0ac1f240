from __future__ import annotations

import math
from itertools import combinations

import numba
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from comraf.errors import ConflictError, InputError, TooLargeError
from comraf.kmeans.field import read_field
from comraf.kmeans.hmrf import HMRFKMeans
from comraf.kmeans.inference_icm import icm, price, terms_of
from comraf.kmeans.mpck import MPCKMeans, Problem, list_links
from comraf.kmeans.mpck_forms import FORMS, Full, far_apart
from comraf.metrics import nmi
from comraf.supervision import read_knowledge

KINDS = [("diagonal", False), ("diagonal", True), ("full", False), ("full", True)]


PRICE = numba.njit(price.py_func)  # Python has no door to it otherwise


def clouds(rng, n=40, d=3, k=3):
    """Rows around k centres in columns of different scales, and which one each is from."""
    truth = rng.integers(k, size=n)
    X = (rng.normal(size=(k, d)) * 3)[truth] + rng.normal(size=(n, d))
    return X * 10.0 ** rng.integers(-2, 3, size=d), truth


def links_of(rng, truth, many, noise=0.0):
    """Random weighted links by the truth, some of them wrong."""
    must, cannot = [], []
    for _ in range(many):
        a, b = rng.choice(len(truth), 2, replace=False).tolist()
        right = rng.random() >= noise
        link = (a, b, float(rng.choice([0.2, 0.5, 1.0, 2.0])))
        (must if (truth[a] == truth[b]) == right else cannot).append(link)
    return must, cannot


def matrices(metrics):
    """Metrics as matrices, whatever their form."""
    return metrics if metrics.ndim == 3 else np.stack([np.diag(row) for row in metrics])


def length(gap, metric):
    """Squared length by a matrix."""
    return float(gap @ metric @ gap)


def reference(X, labels, centers, metrics, must, cannot):
    """The whole objective by its definition, pair by pair; all rows are sought for the farthest."""
    total = 0.0
    for x, y in zip(X, labels, strict=True):
        total += length(x - centers[y], metrics[y]) - np.linalg.slogdet(metrics[y])[1]
    far = [max(length(X[a] - X[b], A) for a, b in combinations(range(len(X)), 2)) for A in metrics]
    for a, b, w in must:
        if labels[a] != labels[b]:
            gap = X[a] - X[b]
            total += w * (length(gap, metrics[labels[a]]) + length(gap, metrics[labels[b]])) / 2
    for a, b, w in cannot:
        if labels[a] == labels[b]:
            total += w * (far[labels[a]] - length(X[a] - X[b], metrics[labels[a]]))
    return total


def problem_of(rng, form, hard=False):
    """A random problem with centres and metrics, and its links."""
    X, truth = clouds(rng, n=int(rng.integers(6, 20)))
    must, cannot = links_of(rng, truth, 15, noise=0.0 if hard else 0.2)
    if hard:
        must, cannot = (
            [(*x[:2], math.inf) if x[2] == 2 else x for x in of] for of in (must, cannot)
        )
    known = read_knowledge(len(X), must_link=must, cannot_link=cannot)
    field = read_field(known, 1.0, inferred=False)
    kind = FORMS[form](X.shape[1])
    problem = Problem(X, field, list_links(field, 3), far_apart(X, (X,)), kind, False, 0.01)
    roots = rng.normal(size=(3, 3, 3))
    metrics = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(3)
    if form == "diagonal":
        metrics = np.ascontiguousarray(np.einsum("kii->ki", metrics))
    return problem, X[rng.choice(len(X), 3)], metrics, must, cannot


def moves(model, labels, group):
    """What the search takes one group to cost in each cluster."""
    out = np.empty(len(model.centers))
    terms = terms_of(model.field, model.own, labels, pairs=model.pairs)
    PRICE(group, labels, out, out.copy(), terms.costs, *terms[2:])
    return out


@pytest.mark.parametrize("form", FORMS)
def test_gains_are_changes_of_the_objective(form):
    """What a move is said to cost is the difference of the objective, by its definition."""
    rng = np.random.default_rng(0)
    for _ in range(15):
        problem, centers, metrics, must, cannot = problem_of(rng, form)
        model = problem.model(centers, metrics)
        labels = rng.integers(3, size=len(problem.X)).astype(np.int32)
        parts = (centers, matrices(metrics), must, cannot)
        full = reference(problem.X, labels, *parts)
        assert model.value(labels) == pytest.approx(full, rel=1e-9)
        for item in rng.choice(len(labels), 4, replace=False).tolist():
            found = moves(model, labels, item)
            for h in range(3):
                moved = labels.copy()
                moved[item] = h
                change = reference(problem.X, moved, *parts) - full
                got = found[h] - found[labels[item]]
                assert got == pytest.approx(change, rel=1e-6, abs=1e-7 * abs(full))


@pytest.mark.parametrize("form", FORMS)
def test_sweeps_lower_the_objective_and_keep_what_must_hold(form):
    """Labels after sweeps are better, can't be bettered by one move, and break nothing hard."""
    rng = np.random.default_rng(1)
    moved = 0
    for _ in range(30):
        problem, centers, metrics, _, _ = problem_of(rng, form, hard=True)
        field, model = problem.field, problem.model(centers, metrics)
        start = np.arange(field.n_groups, dtype=np.int32) % 3
        cannot = field.closure.cannot
        apart = start[cannot[:, 0]] != start[cannot[:, 1]]
        if not apart.all():
            continue
        labels = icm(field, model.own, start, rng, pairs=model.pairs)
        moved += not np.array_equal(labels, start)
        assert model.value(labels) <= model.value(start) + 1e-9 * abs(model.value(start))
        assert (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()
        for group in range(field.n_groups):
            costs = moves(model, labels, group)
            ends = cannot[(cannot == group).any(axis=1)]
            shut = set(labels[ends[ends != group]].tolist())
            free = [h for h in range(3) if h not in shut]
            assert costs[labels[group]] <= costs[free].min() + 1e-9 * np.abs(costs).max()
    assert moved > 5


@pytest.mark.parametrize(("form", "shared"), KINDS)
@pytest.mark.parametrize("constraints", ["inferred", "original"])
def test_objective_is_its_definition_and_never_rises(form, shared, constraints):
    """objective_ is the sum for labels_, centres and metrics_, which are positive definite."""
    rng = np.random.default_rng(2)
    for seed in range(3):
        X, truth = clouds(rng)
        must, cannot = links_of(rng, truth, 20, noise=0.15)
        model = MPCKMeans(
            3, form=form, shared=shared, constraints=constraints, n_init=2, random_state=seed, tol=0
        ).fit(X, must_link=must, cannot_link=cannot)
        metrics = matrices(model.metrics_)
        assert metrics.shape == (3, 3, 3)
        np.linalg.cholesky(metrics)
        if constraints == "inferred":
            known = read_knowledge(len(X), must_link=must, cannot_link=cannot)
            all_links = list_links(read_field(known, 1.0), 3)
            pairs = all_links.pairs.tolist()
            must = [(*p, w) for p, w in zip(pairs, all_links.must.tolist(), strict=True)]
            cannot = [(*p, w) for p, w in zip(pairs, all_links.cannot.tolist(), strict=True)]
        full = reference(X, model.labels_, model.cluster_centers_, metrics, must, cannot)
        assert model.objective_ == pytest.approx(full, rel=1e-6)
        logs = np.linalg.slogdet(metrics)[1][model.labels_].sum()
        assert model.objective_ == pytest.approx(model.inertia_ + model.penalty_ - logs)
        assert model.objective_ == pytest.approx(model.trace_[-1])
        trace = np.array(model.trace_)
        assert len(trace) > 1
        assert (np.diff(trace) <= 1e-9 * np.abs(trace[:-1])).all()
        if shared:
            assert (metrics == metrics[0]).all()


@pytest.mark.parametrize("form", FORMS)
def test_metrics_are_the_closed_form_without_broken_links(form):
    """Where no link is broken, a metric is the inverse of its cluster's covariance."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(60, 3)) @ np.diag([1, 2, 3]), rng.normal(size=(60, 3))])
    X[60:] += 20
    model = MPCKMeans(2, form=form, floor=1e-4, random_state=0).fit(X)
    for h in (0, 1):
        spread = np.cov(X[model.labels_ == h].T, bias=True)
        wanted = np.linalg.inv(spread) if form == "full" else 1 / np.diag(spread)
        np.testing.assert_allclose(model.metrics_[h], wanted, rtol=1e-6, atol=1e-9)
    high = MPCKMeans(2, form=form, floor=0.5, random_state=0).fit(X)
    scaled = matrices(high.metrics_) * np.multiply.outer(X.std(axis=0), X.std(axis=0))
    assert np.linalg.eigvalsh(scaled).max() <= 2 * (1 + 1e-9)


def test_floor_and_projection():
    """Negative and vanishing spreads are raised to the floor, which is the best metric allowed."""
    rng = np.random.default_rng(4)
    form = Full(4)
    for _ in range(20):
        spread = rng.normal(size=(4, 4))
        spread = spread + spread.T  # some eigenvalues are negative
        best = form.best(spread, 0.1)
        assert np.linalg.eigvalsh(best).max() <= 10 * (1 + 1e-9)

        def cost(metric, spread=spread):
            return np.trace(metric @ spread) - form.log_det(metric)

        for _ in range(20):
            root = rng.normal(size=(4, 4))
            other = root @ root.T + 1e-3 * np.eye(4)
            other *= min(1, 10 / np.linalg.eigvalsh(other).max())
            assert cost(best) <= cost(other) + 1e-9
            assert cost(best) <= cost(0.9 * best + 0.1 * other) + 1e-9


@pytest.mark.parametrize("form", FORMS)
def test_sparse_is_dense(form):
    """Sparse rows give what dense ones give."""
    rng = np.random.default_rng(5)
    X = rng.random((60, 8)) * (rng.random((60, 8)) < 0.4)
    truth = rng.integers(3, size=60)
    X[np.arange(60), truth] += 3
    must, cannot = links_of(rng, truth, 20)
    dense, sparse = (
        MPCKMeans(3, form=form, n_init=4, random_state=0).fit(
            rows, must_link=must, cannot_link=cannot
        )
        for rows in (X, sp.csr_array(X))
    )
    assert nmi(dense.labels_, sparse.labels_) == pytest.approx(1)
    assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-6)
    assert nmi(sparse.predict(sp.csr_matrix(X)), dense.predict(X)) == pytest.approx(1)


def test_wide_sparse_rows_stay_sparse(monkeypatch):
    """Diagonal metrics need no dense rows; full ones are refused with the way out."""
    rng = np.random.default_rng(6)
    n, d = 300, 40_000
    X = sp.random_array((n, d), density=0.001, rng=rng, format="csr")
    with monkeypatch.context() as patch:
        patch.setattr(sp.csr_array, "toarray", _few(sp.csr_array.toarray))
        model = MPCKMeans(3, n_init=2, max_iter=5, random_state=0)
        model.fit(X, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 2), (0, 4)])
    assert np.isfinite(model.metrics_).all()
    assert np.isfinite(model.objective_)
    with pytest.raises(TooLargeError, match="form='diagonal'"):
        MPCKMeans(50, form="full").fit(sp.csr_array((n, 400_000)) + sp.eye_array(n, 400_000))


def _few(toarray):
    """Refuse to make tables dense that have more than a few rows."""

    def checked(self, *args, **kwargs):
        assert self.ndim < 2 or min(self.shape) <= 3
        return toarray(self, *args, **kwargs)

    return checked


@pytest.mark.parametrize(("form", "shared"), KINDS)
def test_links_that_must_hold_hold(form, shared):
    """Infinite weights are never broken, in consistent random sets."""
    rng = np.random.default_rng(7)
    for seed in range(15):
        k = int(rng.integers(2, 5))
        X, truth = clouds(rng, n=int(rng.integers(k + 3, 25)), k=k)
        must, cannot = ([link[:2] for link in part] for part in links_of(rng, truth, 20))
        model = MPCKMeans(
            k, form=form, shared=shared, link_weight=math.inf, n_init=1, random_state=seed
        )
        labels = model.fit_predict(X, must_link=must, cannot_link=cannot)
        assert all(labels[a] == labels[b] for a, b in must)
        assert all(labels[a] != labels[b] for a, b in cannot)
        assert np.isfinite(model.objective_)


@pytest.mark.parametrize(("form", "shared"), KINDS)
def test_a_column_of_noise_is_seen_through(form, shared):
    """With a noise column of large scale k-means with links is lost, learnt metrics are not."""
    rng = np.random.default_rng(9)
    X, truth = load_iris(return_X_y=True)
    X = np.column_stack([X, 50 * rng.normal(size=len(X))])
    links = [[link[:2] for link in part] for part in links_of(rng, truth, 100)]
    known = {"must_link": links[0], "cannot_link": links[1]}
    plain = HMRFKMeans(3, random_state=0).fit(X, **known)
    learnt = MPCKMeans(3, form=form, shared=shared, random_state=0).fit(X, **known)
    assert nmi(truth, plain.labels_) < 0.3
    assert nmi(truth, learnt.labels_) > 0.75


def test_links_change_the_metric():
    """Which of two columns counts is told by links alone."""
    rng = np.random.default_rng(9)
    one, other = rng.integers(2, size=(2, 120))
    X = np.column_stack([one * 4 + rng.normal(size=120), other * 4 + rng.normal(size=120)])
    for truth, column in ((one, 0), (other, 1)):
        must, cannot = ([link[:2] for link in part] for part in links_of(rng, truth, 60))
        model = MPCKMeans(2, shared=True, random_state=0)
        model.fit(X, must_link=must, cannot_link=cannot)
        assert nmi(truth, model.labels_) > 0.7
        assert model.metrics_[0, column] > 2 * model.metrics_[0, 1 - column]


@pytest.mark.parametrize(("form", "shared"), KINDS)
def test_predict_and_repeat(form, shared):
    """Without links, predict says again what fit said; the same seed gives the same answer."""
    X, truth = load_iris(return_X_y=True)
    model = MPCKMeans(3, form=form, shared=shared, random_state=1).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    again = MPCKMeans(3, form=form, shared=shared, random_state=1).fit(X)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert again.trace_ == model.trace_
    assert nmi(truth, model.labels_) > 0.75


def test_scale_of_columns_does_not_matter():
    """Columns in other units give the same clusters from starts with columns of equal variance."""
    X, _ = load_iris(return_X_y=True)
    one = MPCKMeans(3, n_init=1, random_state=0).fit(X)
    other = MPCKMeans(3, n_init=1, random_state=0).fit(X * [1e-4, 1, 1e3, 1e6] + 5e5)
    assert nmi(one.labels_, other.labels_) == pytest.approx(1)


def test_frames_go_by_names_and_labels_count():
    """Rows of a frame are linked and labelled by name."""
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 8.0, 9.0, 10.0]}, index=list("abcdef"))
    model = MPCKMeans(2, link_weight=math.inf, random_state=0)
    labels = model.fit_predict(X, labels={"a": "low", "f": "high"}, must_link=[("c", "d")])
    assert labels[0] != labels[5]
    assert labels[2] == labels[3]
    assert len(model.predict(X)) == 6


@pytest.mark.parametrize("form", FORMS)
def test_singular_scatter_gives_numbers(form):
    """Constant columns, copied columns, tiny and huge ones: no NaN, no infinite weight."""
    rng = np.random.default_rng(10)
    base = rng.normal(size=30)
    for X in (
        np.column_stack([base, base, np.full(30, 7.0)]),
        np.column_stack([base * 1e-120, base**2 * 1e120, rng.normal(size=30)]),
        np.column_stack([np.repeat([0.0, 1.0, 2.0], 10), np.zeros(30)]),
        rng.normal(size=(6, 20)),
    ):
        model = MPCKMeans(3, form=form, random_state=0)
        model.fit(X, must_link=[(0, 1)], cannot_link=[(0, 2), (1, 3)])
        assert np.isfinite(model.objective_)
        assert np.isfinite(model.cluster_centers_).all()
        assert np.isfinite(model.metrics_).all()


def test_bad_input_is_refused():
    """Messages name what is wrong and what would be right."""
    X = np.arange(12.0).reshape(6, 2)
    for wrong, match in (
        ({"form": "round"}, "form='round'"),
        ({"constraints": "some"}, "constraints='some'"),
        ({"link_weight": -1}, "link_weight=-1"),
        ({"floor": 0}, "floor=0"),
        ({"init": "best"}, "init='best'"),
        ({"n_clusters": 7}, "at most 6"),
    ):
        with pytest.raises(InputError, match=match):
            MPCKMeans(**{"n_clusters": 2, **wrong}).fit(X)
    with pytest.raises(ConflictError):
        MPCKMeans(2, link_weight=math.inf).fit(X, must_link=[(0, 1)], cannot_link=[(0, 1)])
    with pytest.raises(ConflictError):
        MPCKMeans(2, link_weight=math.inf).fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])


@parametrize_with_checks([MPCKMeans(n_init=2), MPCKMeans(form="full", shared=True, n_init=2)])
def test_check_estimator(estimator, check):
    """scikit-learn's own checks."""
    check(estimator)
