from __future__ import annotations

import math
import warnings
from itertools import combinations
from time import perf_counter

import numpy as np
import pytest
from sklearn.cluster import KMeans as Reference
from sklearn.datasets import load_iris

from comraf.checks import check_estimator
from comraf.errors import ConflictError, InputError
from comraf.kmeans.alternating import reseed
from comraf.kmeans.distances import KL, Bregman, metric_for
from comraf.kmeans.field import neighbourhoods, read_field
from comraf.kmeans.hmrf import HMRFKMeans, solve
from comraf.kmeans.inference_bp import propagate
from comraf.kmeans.inference_icm import icm
from comraf.kmeans.inference_lp import roundings, shares
from comraf.kmeans.kernel import KernelKMeans
from comraf.kmeans.mpck import MPCKMeans
from comraf.kmeans.plain import KMeans
from comraf.kmeans.seeding import Start, first_centers, mean_weight
from comraf.metrics import nmi
from comraf.supervision import read_knowledge

METRICS = ["euclidean", "cosine", KL(alpha=0.2), "itakura-saito"]


def clouds(rng, n=40, d=3, k=3):
    """Positive rows around k centres, and which one each is from."""
    truth = rng.integers(k, size=n)
    return np.abs(rng.normal(size=(k, d)) * 2 + 4)[truth] + rng.random((n, d)), truth


def links_of(rng, truth, many, noise=0.0):
    """Random links by the truth, some of them wrong."""
    must, cannot = [], []
    for _ in range(many):
        a, b = rng.choice(len(truth), 2, replace=False).tolist()
        right = rng.random() >= noise
        (must if (truth[a] == truth[b]) == right else cannot).append((a, b))
    return must, cannot


def weighed(rng, links):
    """Links with a weight each, few different ones so that they tie."""
    return [(a, b, float(rng.integers(0, 4))) for a, b in links]


def prices(n, must, cannot, classes, weight, inferred):
    """Price of each pair if apart and if together, by the definition, pair by pair."""
    for i, j in combinations(sorted(classes), 2):  # labels are links between single items
        must, cannot = [*must], [*cannot]
        (must if classes[i] == classes[j] else cannot).append((i, j, weight))
    # the strongest chain between two items is as strong as its weakest link
    wide = np.zeros((n, n)) - 1
    np.fill_diagonal(wide, np.inf)
    for a, b, w in must:
        wide[a, b] = wide[b, a] = max(wide[a, b], w)
    for m in range(n):
        wide = np.maximum(wide, np.minimum(wide[:, m : m + 1], wide[m : m + 1, :]))
    weakest = [min(wide[i][wide[i] >= 0]) for i in range(n)]
    together, apart = {}, {}
    for i, j in combinations(range(n), 2) if inferred else ():
        if wide[i, j] >= 0:
            together[i, j] = weakest[i]
            continue
        between = [
            w
            for a, b, w in cannot
            if (wide[a, i] >= 0 and wide[b, j] >= 0) or (wide[a, j] >= 0 and wide[b, i] >= 0)
        ]
        if between:
            apart[i, j] = min(max(between), weakest[i], weakest[j])
    given = {(min(a, b), max(a, b)) for a, b, _ in [*must, *cannot]}
    for pair in given:  # a link that was given has its own price
        together[pair] = sum(w for a, b, w in must if pair == (min(a, b), max(a, b)))
        apart[pair] = sum(w for a, b, w in cannot if pair == (min(a, b), max(a, b)))
    return together, apart


def paid(labels, together, apart):
    """The price of what labels break."""
    price = sum(w for (i, j), w in together.items() if labels[i] != labels[j])
    return price + sum(w for (i, j), w in apart.items() if labels[i] == labels[j])


@pytest.mark.parametrize("inferred", [True, False])
def test_penalty_is_its_definition(inferred):
    """Neighbourhoods price labels as a list of all pairs does, contradictions included."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        n, k = int(rng.integers(3, 14)), int(rng.integers(1, 4))
        truth = rng.integers(3, size=n)
        must, cannot = (weighed(rng, part) for part in links_of(rng, truth, 12, noise=0.2))
        some = rng.choice(n, int(rng.integers(0, n)), replace=False).tolist()
        classes = {i: int(truth[i]) for i in some}
        known = read_knowledge(
            n, labels=classes or None, must_link=must, cannot_link=cannot, link_weight=2.0
        )
        field = read_field(known, 2.0, inferred)
        table = prices(n, must, cannot, classes, 2.0, inferred)
        labels = rng.integers(k, size=n).astype(np.int32)
        assert field.penalty(labels, k) == pytest.approx(paid(labels, *table))


@pytest.mark.parametrize("constraints", ["inferred", "original"])
@pytest.mark.parametrize("chain", [[(0, 1)], [(0, 2), (2, 1)]])
@pytest.mark.parametrize("estimator", [HMRFKMeans, MPCKMeans, KernelKMeans])
def test_labels_keep_their_price_when_must_links_contradict_them(estimator, chain, constraints):
    """Two labels at 100 outweigh a chain of must-links at .01, as a cannot-link at 100 does."""
    X = np.array([[0.0], [0.2], [0.1], [5.0], [5.1]])
    model = estimator(2, constraints=constraints, link_weight=100.0, random_state=0)
    must = [(a, b, 0.01) for a, b in chain]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_link = model.fit(X, must_link=must, cannot_link=[(0, 1, 100.0)]).penalty_
        labels = model.fit_predict(X, labels={0: "a", 1: "b"}, must_link=must)
    assert labels[0] != labels[1]
    assert 0 < model.penalty_ == pytest.approx(by_link)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("constraints", ["inferred", "original"])
def test_objective_is_its_definition_and_never_rises(metric, constraints):
    """objective_ is the sum of (4.10) for labels_ and cluster_centers_, and steps lower it."""
    rng = np.random.default_rng(1)
    for seed in range(6):
        X, truth = clouds(rng)
        must, cannot = (weighed(rng, part) for part in links_of(rng, truth, 25, noise=0.1))
        model = HMRFKMeans(
            3, metric=metric, constraints=constraints, n_init=2, random_state=seed, tol=0
        ).fit(X, must_link=must, cannot_link=cannot)
        found = metric_for(metric)
        far = found.distances(found.prepare(X), model.cluster_centers_)
        inertia = far[np.arange(len(X)), model.labels_].sum()
        table = prices(len(X), must, cannot, {}, 0.0, constraints == "inferred")
        penalty = paid(model.labels_, *table)
        assert model.inertia_ == pytest.approx(inertia)
        assert model.penalty_ == pytest.approx(penalty)
        assert model.objective_ == pytest.approx(inertia + penalty)
        assert model.objective_ == model.trace_[-1]
        trace = np.array(model.trace_)
        assert len(trace) > 1
        assert (np.diff(trace) <= 1e-9 * trace[:-1]).all()


@pytest.mark.parametrize("inference", ["bp", "lp"])
def test_objective_never_rises_with_global_inference(inference):
    """Messages and linear programs are taken only where they lower the objective."""
    rng = np.random.default_rng(2)
    for seed in range(5):
        X, truth = clouds(rng)
        must, cannot = links_of(rng, truth, 30, noise=0.2)
        model = HMRFKMeans(3, inference=inference, n_init=1, random_state=seed, tol=0)
        trace = np.array(model.fit(X, must_link=must, cannot_link=cannot).trace_)
        assert (np.diff(trace) <= 1e-9 * trace[:-1]).all()


def together_and_apart(labels, must, cannot):
    """Whether no link is broken."""
    return all(labels[a] == labels[b] for a, b in must) and all(
        labels[a] != labels[b] for a, b in cannot
    )


@pytest.mark.parametrize("inference", ["icm", "bp", "lp"])
def test_infinite_weights_break_nothing(inference):
    """Hundreds of random consistent sets of links all hold, though the rows say otherwise."""
    rng = np.random.default_rng(3)
    for seed in range(250 if inference == "icm" else 15):
        k = int(rng.integers(2, 5))
        n = int(rng.integers(k + 2, 25))
        X = rng.normal(size=(n, 2))
        truth = rng.integers(k, size=n)
        must, cannot = links_of(rng, truth, int(rng.integers(1, 30)))
        classes = {int(i): int(truth[i]) for i in rng.choice(n, int(rng.integers(0, 5)))}
        model = HMRFKMeans(
            k, link_weight=math.inf, inference=inference, n_init=1, random_state=seed
        ).fit(X, labels=classes or None, must_link=must, cannot_link=cannot)
        assert together_and_apart(model.labels_, must, cannot)
        for i, j in combinations(classes, 2):
            assert (model.labels_[i] == model.labels_[j]) == (classes[i] == classes[j])
        assert model.penalty_ == 0


def test_infinite_weights_hold_beside_soft_ones():
    """Links of infinite weight hold where finite ones, some of them wrong, pull elsewhere."""
    rng = np.random.default_rng(4)
    for seed in range(100):
        X, truth = clouds(rng, n=20, k=3)
        must, cannot = links_of(rng, truth, 8)
        wrong, worse = (weighed(rng, part) for part in links_of(rng, truth, 20, noise=0.7))
        model = HMRFKMeans(3, n_init=1, random_state=seed).fit(
            X,
            must_link=[(a, b, math.inf) for a, b in must] + wrong,
            cannot_link=[(a, b, math.inf) for a, b in cannot] + worse,
        )
        assert together_and_apart(model.labels_, must, cannot)


def lloyd(X, centers):
    """Plain k-means from given centres."""
    labels = None
    while True:
        new = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        if labels is not None and (new == labels).all():
            return labels
        labels = new
        centers = np.array([X[labels == h].mean(axis=0) for h in range(len(centers))])


@pytest.mark.parametrize("options", [{"link_weight": 0.0}, {"ablation": "-I"}])
def test_no_weight_is_k_means_from_the_same_start(options):
    """With w = 0 and in the -I ablation links only say where to start."""
    rng = np.random.default_rng(5)
    for seed in range(10):
        X, truth = clouds(rng, n=60)
        must, cannot = links_of(rng, truth, 80)
        known = read_knowledge(60, must_link=must, cannot_link=cannot)
        parts = neighbourhoods(known)
        assert len(parts) >= 3
        # the estimator's own stream: it decides between neighbourhoods of equal size
        own = np.random.default_rng(np.random.RandomState(seed).randint(2**31 - 1))
        start = first_centers(X, metric_for("euclidean"), parts, 3, "mean", own, None)
        model = HMRFKMeans(3, **options, n_init=1, tol=0, random_state=seed)
        model.fit(X, must_link=must, cannot_link=cannot)
        np.testing.assert_array_equal(model.labels_, lloyd(X, start.centers))
        assert model.penalty_ == 0


@pytest.mark.parametrize(
    ("inference", "metric"),
    [*(("icm", metric) for metric in METRICS), ("bp", "euclidean"), ("lp", "euclidean")],
)
def test_the_rules_are_kept_with_links(inference, metric):
    """A seed decides everything, whatever the form of the table."""
    rng = np.random.default_rng(7)
    X, truth = clouds(rng, n=16)
    if metric != "itakura-saito":
        X[rng.random(X.shape) < 0.2] = 0
        X[:, 0] += 0.1
    must, cannot = links_of(rng, truth, 8, noise=0.2)
    model = HMRFKMeans(3, metric=metric, inference=inference, n_init=2)
    known = {"must_link": must, "cannot_link": cannot}
    check_estimator(model, X, answer="trace_", ordered=False, exact=False, **known)


def iris_folds(runs, many, plain):
    """NMI on the halves of Iris that no link came from: with links, and by plain k-means."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(8)
    ours, others = [], []
    for run in range(runs):
        order, unaided = rng.permutation(len(X)), plain(run).fit_predict(X)
        for train, test in ((order[:75], order[75:]), (order[75:], order[:75])):
            must, cannot = (train[np.array(part)] for part in links_of(rng, y[train], many))
            model = HMRFKMeans(3, init="mean", n_init=1, random_state=run)
            labels = model.fit_predict(X, must_link=must, cannot_link=cannot)
            ours.append(nmi(y[test], labels[test]))
            others.append(nmi(y[test], unaided[test]))
    return float(np.mean(ours)), float(np.mean(others))


def test_iris_with_100_links_is_above_k_means_from_one_start():
    """Ten folds of Iris, one start each: 100 links of one half better the other half."""
    ours, plain = iris_folds(5, 100, lambda run: KMeans(3, init="mean", n_init=1, random_state=run))
    assert ours > plain


def test_iris_with_300_links_is_above_the_best_of_ten_starts():
    """Links do more than find the start that ten tries find: forty folds, 300 links."""
    reference = Reference(3, n_init=10, random_state=0)
    ours, plain = iris_folds(20, 300, lambda _: reference)
    assert ours > plain + 0.005


def best_value(field, costs):
    """The least objective of any labels that hold, by trying all of them."""
    n, k = costs.shape
    least = np.inf
    for code in range(k**n):
        labels = np.array([code // k**i % k for i in range(n)], dtype=np.int32)
        a, b = labels[field.closure.cannot].T
        if not (a == b).any():
            least = min(least, costs[np.arange(n), labels].sum() + field.penalty(labels, k))
    return least


def value(field, costs, labels):
    """The objective of labels."""
    return costs[np.arange(len(labels)), labels].sum() + field.penalty(labels, costs.shape[1])


def test_propagation_is_exact_on_a_tree():
    """Where links are a tree, belief propagation finds the least objective there is."""
    rng = np.random.default_rng(9)
    for _ in range(15):
        must, cannot = [], []
        for i in range(1, 6):
            (must if rng.random() < 0.5 else cannot).append(
                (int(rng.integers(i)), i, float(rng.random() * 2))
            )
        known = read_knowledge(6, must_link=must, cannot_link=cannot)
        field = read_field(known, 1.0, inferred=False)
        costs = rng.random((6, 3))
        found = propagate(field, costs, rounds=200, tol=1e-12)
        assert value(field, costs, found) == pytest.approx(best_value(field, costs))


def test_linear_program_bounds_and_reaches_the_least():
    """Roundings are never below the least objective, and reach it for two must-linked clusters."""
    rng = np.random.default_rng(10)
    for _ in range(15):
        must = [(*rng.choice(7, 2, replace=False).tolist(), float(rng.random())) for _ in range(9)]
        field = read_field(read_knowledge(7, must_link=must), 1.0, inferred=False)
        costs = rng.random((7, 2))
        share = shares(field, costs)
        np.testing.assert_allclose(share.sum(axis=1), 1)
        drawn = roundings(share, rng)
        least = min(value(field, costs, labels) for labels in drawn)
        assert least == pytest.approx(best_value(field, costs))


def test_icm_stops_where_no_single_move_pays():
    """After ICM no group has a cheaper cluster, by the objective itself."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        must, cannot = links_of(rng, rng.integers(3, size=15), 20, noise=0.3)
        field = read_field(
            read_knowledge(15, must_link=must, cannot_link=cannot, link_weight=0.3), 0.3
        )
        costs = rng.random((15, 3))
        labels = icm(field, costs, rng.integers(3, size=15).astype(np.int32), rng)
        now = value(field, costs, labels)
        for i in range(15):
            for h in range(3):
                other = labels.copy()
                other[i] = h
                assert value(field, costs, other) >= now - 1e-9


def test_pairs_kept_apart_in_two_clusters_still_change_places():
    """A pair that must be apart and starts the wrong way round is turned, as no single move can."""
    field = read_field(read_knowledge(4, cannot_link=[(0, 1), (1, 2)]), 1.0)
    costs = np.array([[5.0, 0.0], [0.0, 5.0], [5.0, 0.0], [0.0, 1.0]])
    start = np.array([0, 1, 0, 1], dtype=np.int32)
    assert icm(field, costs, start, np.random.default_rng(0)).tolist() == [1, 0, 1, 0]


def test_farthest_first_prefers_large_and_far():
    """More neighbourhoods than clusters: the largest first, then size times distance.

    Three items at 4 are before two at 6; by squared distances they would be behind them.
    """
    X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [10.0], [10.1], [4.0], [4.1], [4.2], [4.3]])
    parts = [np.array(p) for p in ([0, 1, 2], [3, 4], [5, 6], [7, 8, 9, 10])]
    rng = np.random.default_rng(0)
    start = first_centers(X, metric_for("euclidean"), parts, 2, "mean", rng, None)
    np.testing.assert_allclose(start.centers.ravel(), [4.15, 0.1])
    start = first_centers(X, metric_for("euclidean"), parts, 3, "mean", rng, None)
    np.testing.assert_allclose(start.centers.ravel(), [4.15, 0.1, 10.05])
    assert start.labels.tolist() == [1, 1, 1, -1, -1, 2, 2, 0, 0, 0, 0]


def test_default_weight_is_of_the_order_of_the_rows():
    """Larger rows have dearer links; by cosine their length is nothing."""
    rng = np.random.default_rng(12)
    X, _ = clouds(rng)
    metric = metric_for("euclidean")
    brute = np.mean([((X[i] - X[j]) ** 2).sum() for i, j in combinations(range(len(X)), 2)])
    assert mean_weight(X, metric) == pytest.approx(brute)
    assert mean_weight(10 * X, metric) == pytest.approx(100 * brute)
    model = HMRFKMeans(2, metric="cosine", random_state=0)
    assert model.fit(X).link_weight_ == pytest.approx(model.fit(10 * X).link_weight_)


def test_labels_are_links():
    """Labels say what all must-links within classes and cannot-links between them say."""
    rng = np.random.default_rng(13)
    X, truth = clouds(rng)
    classes = {int(i): int(truth[i]) for i in range(0, 40, 4)}
    must = [(i, j) for i, j in combinations(classes, 2) if classes[i] == classes[j]]
    cannot = [(i, j) for i, j in combinations(classes, 2) if classes[i] != classes[j]]
    for constraints in ("inferred", "original"):
        model = HMRFKMeans(3, constraints=constraints, random_state=0)
        one = model.fit(X, labels=classes).objective_
        assert model.fit(X, must_link=must, cannot_link=cannot).objective_ == pytest.approx(one)


def test_any_bregman_divergence():
    """A divergence by function: that of the squared length is the Euclidean one."""
    rng = np.random.default_rng(14)
    X, truth = clouds(rng)
    must, cannot = links_of(rng, truth, 20)
    square = Bregman(lambda x: (x**2).sum(axis=1), lambda c: 2 * c)
    one = HMRFKMeans(3, metric=square, link_weight=1.0, random_state=0)
    two = HMRFKMeans(3, link_weight=1.0, random_state=0)
    np.testing.assert_array_equal(
        one.fit_predict(X, must_link=must, cannot_link=cannot),
        two.fit_predict(X, must_link=must, cannot_link=cannot),
    )


def test_names_of_a_frame():
    """Links name the rows of a frame, and predict takes new rows."""
    import pandas as pd

    X = pd.DataFrame({"x": [0.0, 1.0, 9.0, 10.0]}, index=["a", "b", "c", "d"])
    model = HMRFKMeans(2, link_weight=math.inf, random_state=0)
    model.fit(X, must_link=[("b", "c")], cannot_link=[("a", "b")])
    labels = model.labels_
    assert labels[1] == labels[2] != labels[0]
    assert model.predict(X.iloc[:1]).tolist() == [labels[0]]


def test_bad_input():
    """What contradicts itself is named as a chain, what is unknown with what there is."""
    X = np.arange(8.0)[:, None]
    hard = HMRFKMeans(2, link_weight=math.inf)
    with pytest.raises(ConflictError, match="0 = 1, 1 = 2, but 0 ≠ 2"):
        hard.fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(ConflictError, match="at least 3 clusters"):
        hard.fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])
    for options in ({"constraints": "all"}, {"inference": "x"}, {"ablation": "I"}, {"init": "x"}):
        with pytest.raises(InputError, match="unknown; choose one of"):
            HMRFKMeans(2, **options).fit(X)
    for weight in (-1.0, True, "heavy", math.nan):
        with pytest.raises(InputError, match="link_weight"):
            HMRFKMeans(2, link_weight=weight).fit(X)


def test_empty_clusters_are_seeded_again():
    """Links that leave a cluster nothing never yield NaN."""
    X = np.array([[0.0], [0.1], [0.2], [50.0], [50.1], [90.0]])
    model = HMRFKMeans(3, n_init=1, init="mean", link_weight=0.01, random_state=0)
    model.fit(X, must_link=[(0, 3), (1, 4)])
    assert np.isfinite(model.cluster_centers_).all()
    assert len(set(model.labels_)) == 3


def test_links_that_contradict_each_other_are_told_as_a_chain() -> None:
    """They have prices, so the fit goes on; with original links nothing is said."""
    X = np.arange(8.0)[:, None]
    links = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 2)]}
    with pytest.warns(UserWarning, match=r"0.*1.*2.*each link has its price"):
        HMRFKMeans(2, random_state=0).fit(X, **links)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HMRFKMeans(2, constraints="original", random_state=0).fit(X, **links)


def test_reseeding_takes_what_fits_worst_and_empties_no_cluster():
    """An empty cluster starts at the worst fitting group of a cluster that has others."""
    X = np.array([[0.0], [1.0], [2.0], [30.0], [50.0], [200.0]])
    labels = np.array([0, 0, 0, 0, 0, 1], dtype=np.int32)
    metric = metric_for("euclidean")
    for kept in ([0, 1, 2, 3, 4, 5], [0, 3, 4, 5]):  # of three items two may go
        # the item at 200 fits worst, but is alone
        rows, centers = X[kept], np.array([[1.0], [900.0], [-1.0], [-1.0]])
        field = read_field(read_knowledge(len(kept)), 0.0)
        reseed(centers, rows, metric, field, metric.distances(rows, centers), labels[kept])
        assert centers.ravel().tolist() == [1.0, 900.0, 50.0, 30.0]
    # a centre that nobody is near to is not lost for the run
    start = Start(np.array([[0.0], [40.0], [900.0]]), np.full(6, -1))
    found = solve(
        X[:5], metric, read_field(read_knowledge(5), 0.0), start, np.random.default_rng(0)
    )
    assert len(set(found.labels.tolist())) == 3


def test_damped_messages_settle_where_others_circle():
    """With many cannot-links all messages at once swing to and fro; damped, they end far lower."""
    rng = np.random.default_rng(21)
    above = {0.0: 0.0, None: 0.0}
    for _ in range(20):
        apart = [(i, j, 2 * rng.random()) for i in range(6) for j in range(i) if rng.random() < 0.7]
        field = read_field(read_knowledge(6, cannot_link=apart), 1.0, inferred=False)
        costs = rng.random((6, 2))
        for damping in above:
            options = {} if damping is None else {"damping": damping}
            found = propagate(field, costs, **options)
            above[damping] += value(field, costs, found) - best_value(field, costs)
    assert above[None] < 0.3 * above[0.0]


def test_without_links_messages_change_nothing():
    """Each group is where it costs least."""
    field = read_field(read_knowledge(3), 1.0, inferred=False)
    costs = np.array([[0.0, 3.0], [2.0, 1.0], [4.0, 0.0]])
    assert propagate(field, costs).tolist() == [0, 1, 1]


@pytest.mark.parametrize("seed", [1, 16, 26, 27])
def test_each_inference_is_the_one_that_was_asked_for(seed):
    """The first step takes what messages say, or the best rounding of the linear program."""
    rng = np.random.default_rng(seed)
    X = rng.random((8, 2))
    apart = [(i, j, rng.random()) for i in range(8) for j in range(i) if rng.random() < 0.6]
    field = read_field(read_knowledge(8, cannot_link=apart), 1.0, inferred=False)
    metric, start = metric_for("euclidean"), Start(X[:3].copy(), np.full(8, -1))
    costs = metric.distances(X, start.centers)
    drawn = roundings(shares(field, costs), np.random.default_rng(0))
    best = min(drawn, key=lambda labels: value(field, costs, labels))
    for inference, expected in (("bp", propagate(field, costs)), ("lp", best)):
        first = np.random.default_rng(0)
        run = solve(X, metric, field, start, first, inference=inference, max_iter=1)
        assert run.labels.tolist() == expected.tolist()


def test_drawn_neighbourhoods_are_all_different():
    """None is drawn twice, however near they are to each other."""
    X = np.repeat(np.arange(4.0), 2)[:, None] * 1e-3
    parts = [np.array([2 * i, 2 * i + 1]) for i in range(4)]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        start = first_centers(X, metric_for("euclidean"), parts, 3, "mean", rng, None, drawn=True)
        assert len(set(start.centers.ravel())) == 3


def test_default_weight_of_many_rows_is_nearly_that_of_all_pairs():
    """Two rows of a sampled pair are as far apart as two of all, also where one row is odd."""
    X = np.random.default_rng(3).random((400, 1))
    X[0] = 5.0
    brute = ((X - X.T) ** 2)[np.triu_indices(400, 1)].mean()
    assert mean_weight(X, metric_for("euclidean")) == pytest.approx(brute, rel=0.1)


def test_seconds_of_inference_are_part_of_those_of_the_fit():
    """They start at nothing."""
    X, _ = clouds(np.random.default_rng(0))
    begun = perf_counter()
    model = HMRFKMeans(2, n_init=1, random_state=0).fit(X, cannot_link=[(0, 1)])
    assert 0 < model.inference_seconds_ < perf_counter() - begun
