from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_circles, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from comraf.errors import ConflictError, InputError, TooLargeError
from comraf.kmeans import HMRFKMeans, KMeans, kernel
from comraf.kmeans.distances import SquaredEuclidean
from comraf.kmeans.field import read_field
from comraf.kmeans.kernel import KernelDistance, KernelKMeans
from comraf.kmeans.ties import Ties, search
from comraf.metrics import nmi
from comraf.supervision import read_knowledge

OBJECTIVES = ["association", "cut", "normalized"]
seeds = st.integers(0, 2**32 - 1)


def links_of(rng, truth, many):
    """Random links by the truth."""
    must, cannot = [], []
    for _ in range(many):
        a, b = rng.choice(len(truth), 2, replace=False).tolist()
        (must if truth[a] == truth[b] else cannot).append((a, b))
    return must, cannot


def planted(n, k, inside, across, seed):
    """A graph with about so many edges of a node in its part and across, and the parts."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    a = rng.integers(n, size=n * inside // 2)
    b = (a + k * rng.integers(1, n // k, size=len(a))) % n
    c, d = rng.integers(n, size=(2, n * across // 2))
    rows, cols = np.r_[a, c], np.r_[b, d]
    table = sp.coo_array((np.ones(len(rows)), (rows, cols)), shape=(n, n)).tocsr()
    table = sp.csr_array(table + table.T)
    table.setdiag(0)
    table.eliminate_zeros()
    table.data[:] = 1
    return table, y


def random_problem(seed):
    """Ties of any sign, masses, links of all kinds and labels that hold."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 14)), int(rng.integers(2, 4))
    table = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.6)
    table = table + table.T
    truth = rng.integers(k, size=n)
    must, cannot = links_of(rng, truth, 8)
    weights = np.array([0.3, 1.0, math.inf])
    must = [(a, b, float(rng.choice(weights))) for a, b in must]
    cannot = [(a, b, float(rng.choice(weights))) for a, b in cannot]
    known = read_knowledge(n, must_link=must, cannot_link=cannot)
    field = read_field(known, 1.0, inferred=bool(rng.integers(2)))
    labels = np.zeros(field.n_groups, dtype=np.int32)
    labels[field.closure.group] = truth
    mass = rng.random(n) + 0.2
    return rng, Ties(table, mass, 1.5), field, labels, k


def whole(ties, field, labels, k, shared):
    """The objective by its definition, from items."""
    items = labels[field.closure.group]
    table = ties.table.toarray() if sp.issparse(ties.table) else ties.table
    table = table.copy()
    price = 0.0
    if shared:
        group = field.closure.group
        table += field.pulls.toarray()[np.ix_(group, group)] / np.outer(
            np.bincount(group)[group], np.bincount(group)[group]
        )
    else:
        price = field.penalty(labels, k)
    for h in range(k):
        inside = np.flatnonzero(items == h)
        if len(inside):
            price -= table[np.ix_(inside, inside)].sum() / ties.mass[inside].sum()
    return ties.constant + price


@parametrize_with_checks([KernelKMeans(n_init=2), KernelKMeans(kernel="linear", n_init=1)])
def test_check_estimator(estimator, check):
    """scikit-learn's own checks."""
    check(estimator)


@settings(max_examples=60, deadline=None)
@given(seeds, st.booleans(), st.booleans())
def test_search_by_definition(seed, shared, sparse):
    """The objective is that of the definition, never rises, and no single move betters it."""
    rng, ties, field, labels, k = random_problem(seed)
    if sparse:
        ties = Ties(sp.csr_array(ties.table), ties.mass, ties.constant)
    found = search(ties.by_group(field), field, labels, k, rng, shared=shared)
    assert found.objective == pytest.approx(whole(ties, field, found.labels, k, shared))
    assert np.diff(found.trace).max(initial=-1.0) <= 0
    assert np.isfinite(found.trace).all()
    cannot = field.closure.cannot
    assert (found.labels[cannot[:, 0]] != found.labels[cannot[:, 1]]).all()
    sizes = np.bincount(found.labels, minlength=k)
    for g, h in itertools.product(range(field.n_groups), range(k)):
        moved = found.labels.copy()
        moved[g] = h
        held = (moved[cannot[:, 0]] != moved[cannot[:, 1]]).all()
        if held and sizes[found.labels[g]] > 1:
            assert whole(ties, field, moved, k, shared) >= found.objective - 1e-9


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_shift_of_the_diagonal_changes_nothing(seed):
    """The constant that makes kernels positive definite adds itself for each cluster, no more."""
    _, ties, field, labels, k = random_problem(seed)
    ties = Ties(ties.table, np.ones(len(ties.mass)))
    shifted = Ties(ties.table + 7 * np.eye(len(ties.mass)), ties.mass)
    one = search(ties.by_group(field), field, labels, k, np.random.default_rng(1))
    two = search(shifted.by_group(field), field, labels, k, np.random.default_rng(1))
    # where a swap of names costs nothing, rounding decides on it
    for found in (one.labels, two.labels):
        np.testing.assert_array_equal(found[:, None] == found, one.labels[:, None] == one.labels)
    assert one.objective - two.objective == pytest.approx(7 * len(np.unique(one.labels)))


def test_kernel_distance_is_euclidean():
    """With a linear kernel, distances and those to means are the Euclidean ones."""
    rng = np.random.default_rng(0)
    X, unit, plain = rng.normal(size=(9, 3)), sp.eye_array(9).tocsr(), SquaredEuclidean()
    for table in (X @ X.T, sp.csr_array(X @ X.T)):
        far = KernelDistance(table)
        labels = np.arange(9) % 3
        centers, theirs = far.centers(unit, labels, 3), plain.centers(X, labels, 3)
        np.testing.assert_allclose(far.distances(unit, centers), plain.distances(X, theirs))
        mean = sp.csr_array(np.full((1, 9), 1 / 9))
        np.testing.assert_allclose(
            far.distances(mean, centers), plain.distances(X.mean(axis=0)[None], theirs)
        )
        np.testing.assert_allclose(far.pair(unit, [0, 1], [2, 1]), plain.pair(X, [0, 1], [2, 1]))
        assert far.largest(unit) >= plain.pair(X, *np.triu_indices(9)).max()


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_linear_is_kmeans(shift):
    """A linear kernel without links finds the objective of k-means, far from the origin too."""
    X = load_iris().data + shift
    model = KernelKMeans(3, kernel="linear", random_state=0).fit(X)
    plain = KMeans(3, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-4 if shift else 1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    sparse = KernelKMeans(3, kernel="linear", random_state=0).fit(sp.csr_array(X))
    assert sparse.objective_ == pytest.approx(model.objective_)


def test_flat_is_hmrf():
    """With a linear kernel the objective is that of HMRF-KMeans, which the search may better."""
    X, y = load_iris(return_X_y=True)
    must, cannot = links_of(np.random.default_rng(0), y, 60)
    links = {"must_link": must, "cannot_link": cannot}
    model = KernelKMeans(3, kernel="linear", random_state=0).fit(X, **links)
    theirs = HMRFKMeans(3, random_state=0).fit(X, **links)
    assert model.link_weight_ == pytest.approx(theirs.link_weight_)
    assert model.objective_ <= theirs.objective_ * 1.1  # both stop at minima near the start
    field = read_field(read_knowledge(150, **links, link_weight=model.link_weight_), 1.0)
    ties = Ties(X @ X.T, np.ones(150), float((X**2).sum()))
    rng = np.random.default_rng(0)
    found = search(ties, field, theirs.labels_, 3, rng, shared=False)
    assert found.trace[0] == pytest.approx(theirs.objective_)
    assert found.objective <= found.trace[0]
    centers = SquaredEuclidean().centers(X, model.labels_, 3)
    inertia = SquaredEuclidean().own(X, model.labels_, centers).sum()
    assert model.inertia_ == pytest.approx(inertia)
    assert model.penalty_ == pytest.approx(field.penalty(model.labels_, 3))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_graph_objectives(objective):
    """Objectives are ratio association, ratio cut and normalised cut; dense or sparse."""
    table, y = planted(90, 3, 8, 2, 0)
    model = KernelKMeans(3, kernel="precomputed", objective=objective, random_state=0).fit(table)
    assert nmi(y, model.labels_) == pytest.approx(1)
    wanted = 0.0
    for h in range(3):
        inside = model.labels_ == h
        within, degrees = table[inside][:, inside].sum(), table[inside].sum()
        wanted += {
            "association": -within / inside.sum(),
            "cut": (degrees - within) / inside.sum(),
            "normalized": (degrees - within) / degrees,
        }[objective]
    assert model.objective_ == pytest.approx(wanted)
    dense = KernelKMeans(3, kernel="precomputed", objective=objective, random_state=0)
    assert dense.fit(table.toarray()).objective_ == pytest.approx(wanted)


@pytest.mark.parametrize("make", [make_circles, make_moons])
def test_curved_clusters(make):
    """Rings and moons are told apart with a few links, where straight borders fail."""
    extra = {"factor": 0.4} if make is make_circles else {}
    X, y = make(300, noise=0.06, random_state=0, **extra)
    must, cannot = links_of(np.random.default_rng(0), y, 20)
    links = {"must_link": must, "cannot_link": cannot}
    model = KernelKMeans(2, gamma=20.0, objective="normalized", random_state=0).fit(X, **links)
    assert nmi(y, model.labels_) > 0.95
    assert nmi(y, HMRFKMeans(2, random_state=0).fit(X, **links).labels_) < 0.5
    new, truth = make(200, noise=0.06, random_state=1, **extra)
    assert nmi(truth, model.predict(new)) > 0.9


def test_large_sparse_graph():
    """A graph of 20,000 nodes stays sparse and takes seconds."""
    table, y = planted(20_000, 8, 10, 5, 0)
    model = KernelKMeans(8, kernel="precomputed", objective="normalized", n_init=2, random_state=0)
    start = time.perf_counter()
    model.fit(table)
    assert time.perf_counter() - start < 20  # generous: other work may share the machine
    assert nmi(y, model.labels_) > 0.95


@pytest.mark.parametrize("penalty", ["flat", "shared"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_links(penalty, objective):
    """Links matter, infinite ones hold, and the objective never rises."""
    table, y = planted(120, 3, 5, 4, 3)
    must, cannot = links_of(np.random.default_rng(0), y, 60)
    model = KernelKMeans(
        3, kernel="precomputed", objective=objective, penalty=penalty, random_state=0
    )
    model.fit(table, must_link=must, cannot_link=cannot)
    assert np.diff(model.trace_).max(initial=-1.0) <= 0
    assert model.objective_ == pytest.approx(model.inertia_ + model.penalty_)
    model.set_params(link_weight=math.inf).fit(table, must_link=must, cannot_link=cannot)
    labels = model.labels_
    assert all(labels[a] == labels[b] for a, b in must)
    assert all(labels[a] != labels[b] for a, b in cannot)
    assert nmi(y, labels) > nmi(y, model.fit(table).labels_) - 0.05


def test_hard_links_in_two_clusters_hold():
    """Pairs that must be apart change places where no single move is open."""
    X = np.array([[0.0], [0.1], [9.0], [9.1], [0.2], [9.2]])
    apart = [(0, 2, math.inf), (1, 3, math.inf), (4, 5, math.inf)]
    model = KernelKMeans(2, kernel="linear", init="mean", n_init=1, random_state=3)
    labels = model.fit(X, cannot_link=apart).labels_
    assert labels[0] == labels[1] == labels[4] != labels[2] == labels[3] == labels[5]


@pytest.mark.parametrize("init", ["auto", "spectral", "k-means++", "mean"])
def test_same_seed_same_answer(init):
    """The same seed gives the same clusters, all k of them, from each start."""
    X = load_iris().data
    one, two = (KernelKMeans(5, init=init, n_init=3, random_state=4).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.trace_ == two.trace_
    assert np.unique(one.labels_).size == 5


def test_kernels_agree():
    """Named, precomputed and callable kernels give one answer; so do rows and unit rows."""
    X = load_iris().data
    options = {"n_init": 3, "random_state": 0}
    named = KernelKMeans(3, gamma=0.5, **options).fit(X)
    table = rbf_kernel(X, gamma=0.5)
    given = KernelKMeans(3, kernel="precomputed", **options).fit(table)
    called = KernelKMeans(3, kernel=lambda a, b: rbf_kernel(a, b, gamma=0.5), **options).fit(X)
    for model, rows in ((given, table), (called, X)):
        assert model.objective_ == pytest.approx(named.objective_)
        np.testing.assert_array_equal(model.predict(rows), named.predict(X))
    cosine = KernelKMeans(3, kernel="cosine", **options).fit(X)
    unit = X / np.linalg.norm(X, axis=1)[:, None]
    assert cosine.objective_ == pytest.approx(KMeans(3, random_state=0).fit(unit).objective_)
    np.testing.assert_array_equal(cosine.predict(5 * X), cosine.labels_)
    assert KernelKMeans(3, kernel="polynomial", **options).fit(X).objective_ > 0


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_predict_puts_fitted_rows_where_they_are(kernel, objective):
    """Also where a cut makes clusters of one, whose centre is nearer to all rows than their own."""
    X = load_iris().data
    X = rbf_kernel(X) if kernel == "precomputed" else X
    model = KernelKMeans(3, kernel=kernel, objective=objective, n_init=2, random_state=0).fit(X)
    assert (model.predict(X) == model.labels_).mean() >= 0.98


def test_names_of_frames():
    """Links may go by the names of a frame's rows."""
    X = pd.DataFrame([[0.0], [1.0], [5.2], [9.0], [10.0]], index=list("abcde"))
    model = KernelKMeans(2, kernel="linear", random_state=0)
    labels = model.fit(X, must_link=[("a", "c", math.inf)], labels={"e": "far"}).labels_
    assert labels[0] == labels[2] != labels[4]


def test_isolated_items_and_twins():
    """Items without any tie, and a graph of separate parts, give clusters and no NaN."""
    table = sp.block_diag([np.ones((4, 4)), np.ones((5, 5)), np.zeros((2, 2))]).tocsr()
    for objective in OBJECTIVES:
        model = KernelKMeans(3, kernel="precomputed", objective=objective, random_state=0)
        labels = model.fit(table).labels_
        assert np.isfinite(model.trace_).all()
        assert np.unique(labels).size == 3
        assert np.unique(labels[:4]).size == 1


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"kernel": "sigmoidal"}, np.eye(4), "kernel='sigmoidal' is unknown; choose one of"),
        ({"objective": "modularity"}, np.eye(4), "objective='modularity' is unknown"),
        ({"gamma": 0}, np.eye(4), "gamma=0; it must be a finite number above 0"),
        ({"link_weight": -1}, np.eye(4), "link_weight=-1; give 'auto'"),
        ({"link_weight": np.ones(2)}, np.eye(4), "link_weight=array.*; give 'auto'"),
        ({"kernel": "polynomial", "gamma": 1.0}, 1e60 * np.eye(4), "values that are not finite"),
        ({"kernel": "precomputed"}, np.ones((4, 3)), "needs a square table"),
        ({"kernel": "precomputed"}, np.triu(np.ones((4, 4))), r"not symmetric: .*\(X \+ X.T\) / 2"),
        ({"kernel": "linear", "objective": "cut"}, -np.eye(4) + 0.1, "needs ties of 0 or more"),
        ({"kernel": "cosine"}, np.diag([1.0, 1, 1, 0]), "zeros"),
        ({"kernel": lambda a, b: np.ones(3)}, np.eye(4), "the kernel gave"),
        ({"n_clusters": 5}, np.eye(4), "n_clusters=5"),
    ],
)
def test_bad_input(options, X, message):
    """What can't be used is refused, with the way out."""
    with pytest.raises(InputError, match=message):
        KernelKMeans(**({"n_clusters": 2} | options)).fit(X)


def test_refusals(monkeypatch):
    """Contradictions, new items of graphs, and kernels that do not fit."""
    table, _ = planted(60, 3, 6, 1, 0)
    model = KernelKMeans(3, kernel="precomputed", n_init=1, random_state=0).fit(table)
    with pytest.raises(InputError, match="fitted to a graph"):
        model.predict(table)
    hard = math.inf
    with pytest.raises(ConflictError):
        model.fit(table, must_link=[(0, 1, hard)], cannot_link=[(0, 1, hard)])

    def too_large(needed, what, advice):
        if "kernel" in what:
            raise TooLargeError(f"{what}; {advice}")

    monkeypatch.setattr(kernel, "check_fits", too_large)
    with pytest.raises(TooLargeError, match="nearest neighbours"):
        KernelKMeans(3).fit(load_iris().data)
