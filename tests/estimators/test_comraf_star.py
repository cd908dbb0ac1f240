"""Comraf* and series of it as a user meets them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from comraf import (
    MDC,
    CliquewiseMDC,
    Comraf,
    ComrafStar,
    Edge,
    Graph,
    InformationBottleneck,
    Node,
    StarSeries,
    photo_graph,
)
from comraf.checks import expected_failures
from comraf.errors import FaintWarning, GraphError, InputError, TimeLimitWarning
from comraf.graph.scaling import mutual_information
from comraf.inference import Problem
from comraf.metrics import micro_accuracy
from tests.estimators.test_front_doors import PEOPLE, TOPIC, X
from tests.strategies import brute_information, graphs, seeds


@parametrize_with_checks([ComrafStar()], expected_failed_checks=expected_failures)
def test_check_estimator(estimator, check):
    """Every check of scikit-learn that does not feed negative numbers passes."""
    check(estimator)


@pytest.mark.parametrize("direction", ["bottom-up", "top-down"])
def test_topics_are_found_in_several_tables(direction):
    """Rows alone are clustered; all columns stay as they are."""
    model = ComrafStar(4, direction=direction, random_state=0).fit({"w": X, "p": PEOPLE})
    assert micro_accuracy(TOPIC, model.labels_) > 0.95
    assert_array_equal(model.modality_labels_["w"], np.arange(X.shape[1]))
    assert [node.hidden for node in model.graph_.nodes] == [True, False, False]
    assert_array_equal(model.predict({"w": X, "p": PEOPLE}), model.labels_)


def test_a_few_words_are_heard_beside_thousands_of_pixels():
    """Tables of very different mass are brought to one scale; where a weight mutes one, we warn."""
    rng = np.random.default_rng(0)
    kinds = np.arange(120) % 4
    words = rng.poisson(np.where(np.arange(200) % 4 == kinds[:, None], 0.12, 0.02))
    usual = rng.dirichlet(np.full(64, 0.5))
    hues = 0.7 * usual + 0.3 * rng.dirichlet(np.full(64, 0.5), 4)
    colours = [rng.multinomial(20_000, rng.dirichlet(20 * hues[kind] + 1e-3)) for kind in kinds]
    tables = {"words": words, "colours": np.array(colours)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ComrafStar(4, random_state=0).fit(tables)
    assert micro_accuracy(kinds, model.labels_) > 0.9
    told = [edge.weight * mutual_information(edge.counts) for edge in model.graph_.edges]
    assert told[0] == pytest.approx(told[1], rel=0.2)  # rows are scaled after they are weighed
    for kind in (ComrafStar, MDC):
        with pytest.warns(FaintWarning, match="of rows and words weighs next to nothing"):
            muted = kind(4, edge_weights="mass", random_state=0).fit(tables)
        assert micro_accuracy(kinds, muted.labels_) < 0.85
    # of like mass: every count weighs the same
    model.fit({"a": words, "b": words[:, :100]})
    assert [edge.weight for edge in model.graph_.edges] == [1.0, words[:, :100].sum() / words.sum()]


def test_a_single_table_is_the_information_bottleneck():
    """Two names of one thing, each with its own in messages and in clones."""
    star, bottleneck = ComrafStar(4, random_state=3), InformationBottleneck(4, random_state=3)
    assert_array_equal(star.fit(X).labels_, bottleneck.fit(X).labels_)
    assert star.get_params() == bottleneck.get_params()
    assert type(clone(bottleneck)) is InformationBottleneck
    with pytest.raises(InputError, match="direction='sideways'"):
        ComrafStar(direction="sideways").fit(X)


@settings(max_examples=15)
@given(seeds)
def test_the_objective_is_the_weighted_sum_of_informations(seed):
    """As reported, edge by edge, and as computed from scratch."""
    weights = {"w": 2.0, "p": 0.5}
    tables = {"w": X, "p": PEOPLE}
    model = ComrafStar(3, weighting="raw", edge_weights=weights, random_state=seed % 2**31)
    result = model.fit(tables).result_
    for edge in result.edges:
        table = tables[edge.b]
        brute = brute_information(table, model.labels_, np.arange(table.shape[1]))
        assert edge.information == pytest.approx(brute)
        assert edge.weight == weights[edge.b]
    assert result.objective == pytest.approx(sum(e.weight * e.information for e in result.edges))


def test_work_grows_linearly_with_the_number_of_sides():
    """What one look at all rows goes over is the sum of the tables' entries, no more."""

    def entries(m):
        tables = {f"side {i}": X for i in range(m)}
        graph = ComrafStar(4, weighting="raw", random_state=0).fit(tables).graph_
        problem = Problem(graph)
        n = X.shape[0]
        state = problem.start({0: (np.zeros(n, dtype=np.int32), 1)})
        return len(problem.objective.plan(0, state).data)

    one, two, eight = entries(1), entries(2), entries(8)
    assert one >= np.count_nonzero(X)
    assert eight - two == 6 * (two - one)


def album(seed=0, n=40, k=4, each=6):
    """Images of k kinds whose regions have colours of their kind, or of any."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % k
    of_region = np.where(
        rng.random(n * each) < 0.3, rng.integers(0, k, n * each), np.repeat(kind, each)
    )
    colours = rng.multinomial(20, np.full(12, 1 / 12), n * each)
    colours[np.arange(n * each), 3 * of_region] += 30
    texture = rng.poisson(3.0, (n * each, 5)) + 1
    whole = colours.reshape(n, each, 12).sum(axis=1)
    words = rng.poisson(np.where(kind[:, None] == np.arange(8) % k, 2.0, 0.2))
    graph = photo_graph(
        np.repeat(np.arange(n), each),
        n_clusters=k,
        n_blobs=8,
        images_words=words,
        images_colours=whole,
        regions_colours=colours,
        regions_texture=texture,
    )
    return graph, kind, colours, texture


def test_two_steps_find_what_the_general_model_finds():
    """Figure 7.2, right and left: regions are solved first, images by their clusters."""
    graph, kind, _, _ = album()
    series = StarSeries(graph, "images", effort="quick", random_state=0).fit()
    assert [step.star.node for step in series.steps_] == ["regions", "images"]
    assert micro_accuracy(kind, series.labels_["images"]) > 0.95
    general = Comraf(graph, effort="quick", random_state=0).fit()
    assert micro_accuracy(kind, general.labels_["images"]) > 0.95
    assert series.result_.n_clusters["regions"] == 8
    first, second = (step.result for step in series.steps_)
    assert [edge.b for edge in first.edges] == ["colours", "texture"]
    # what the second step saw of the regions is what the whole graph says of them
    seen = next(edge.information for edge in second.edges if edge.b == "regions")
    whole = next(e.information for e in series.result_.edges if (e.a, e.b) == ("images", "regions"))
    assert seen == pytest.approx(whole)
    again = StarSeries(graph, "images", effort="quick", random_state=0).fit()
    assert_array_equal(again.labels_["images"], series.labels_["images"])


def test_new_images_are_placed_by_the_clusters_of_their_regions():
    """Regions first, then images by counts of region clusters."""
    graph, _, colours, texture = album()
    series = StarSeries(graph, effort="quick", random_state=0).fit()
    placed = series.predict("regions", {"colours": colours[:24], "texture": texture[:24]})
    assert (placed == series.labels_["regions"][:24]).mean() > 0.9
    counts = np.stack([np.bincount(part, minlength=8) for part in placed.reshape(4, 6)])
    images = series.predict(
        "images", {"regions": counts, "colours": colours[:24].reshape(4, 6, 12).sum(1)}
    )
    assert_array_equal(images, series.labels_["images"][:4])
    with pytest.raises(InputError, match="no step clustered 'colours'"):
        series.place("colours", counts)


@settings(max_examples=25)
@given(graphs())
def test_any_graph_becomes_a_series_with_its_own_objective(graph):
    """Every hidden node has the clusters it wanted, and the objective is the graph's."""
    series = StarSeries(graph, "b", singletons=True, effort="paper", random_state=0).fit()
    assert series.steps_[-1].star.node == "b"
    total = 0.0
    for edge, said in zip(graph.edges, series.result_.edges, strict=True):
        ends = series.labels_[edge.a], series.labels_[edge.b]
        brute = brute_information(edge.counts.toarray(), *ends)
        assert said.information == pytest.approx(brute, abs=1e-9)
        total += edge.weight * brute
    assert series.objective_ == pytest.approx(total)
    for node in graph.nodes:
        if node.hidden:
            assert series.result_.n_clusters[node.name] == node.n_clusters


def test_what_is_known_goes_to_the_step_of_its_node():
    """Links of the target and of a node before it hold; a bad graph is told."""
    graph, _, _, _ = album(n=12)
    series = StarSeries(graph, effort="quick", random_state=0)
    series.fit(must_link={"images": [(0, 1)], "regions": [(0, 70)]})
    assert series.labels_["images"][0] == series.labels_["images"][1]
    assert series.labels_["regions"][0] == series.labels_["regions"][70]
    series.fit(must_link=[(0, 1)])
    assert series.labels_["images"][0] == series.labels_["images"][1]
    with pytest.raises(InputError, match=r"comraf\.Graph"):
        StarSeries("graph").fit()
    nodes = [Node("d", n_clusters=2), Node("w", direction="top-down")]
    words = Graph(nodes, [Edge("d", "w", X)])
    with pytest.raises(GraphError, match="'w' is joined to the hidden nodes"):
        StarSeries(words).fit()
    labels = StarSeries(words, singletons=True, random_state=0).fit().labels_
    assert len(set(labels["w"])) > 2


def test_the_time_limit_is_that_of_all_steps():
    """A series that runs out of time still has all labels, and says so."""
    graph, _, _, _ = album()
    with pytest.warns(TimeLimitWarning):
        series = StarSeries(graph, effort="thorough", time_limit=0.01, random_state=0).fit()
    assert series.result_.interrupted
    assert len(set(series.labels_["images"])) == 4


class Weighed(dict):
    """Tables that say what they weigh."""

    def __init__(self, tables, weights):
        super().__init__(tables)
        self.weights = weights


@pytest.mark.parametrize("model", [MDC, CliquewiseMDC])
def test_tables_may_say_what_they_weigh(model):
    """Rules by mass leave them alone; other rules, names and a single table do not ask."""
    tables = Weighed({"w": X, "p": PEOPLE}, {"w": 0.3, "p": 0.7})

    def weights(given, **settings):
        fitted = model(4, random_state=0, **settings).fit(given)
        return [round(edge.weight, 6) for edge in fitted.result_.edges[:2]]

    assert weights(tables) == [0.3, 0.7]
    assert weights(tables, edge_weights="equal") == [1.0, 1.0]
    assert weights(tables, edge_weights={"p": 2.0}) == [0.3, 2.0]
    assert weights(dict(tables), edge_weights="equal") == [1.0, 1.0]
    assert weights(Weighed({"w": X, "p": PEOPLE}, {"w": 0.5})) == [0.2, 1.0]
    assert weights(Weighed({"w": X}, {"w": 0.5})) == [1.0]
    with pytest.raises(InputError, match="the weight of 'w'=-1"):
        weights(Weighed({"w": X, "p": PEOPLE}, {"w": -1}))


def _blurred(seed: int):
    """A table without clear topics, on which every run ends elsewhere."""
    return np.random.default_rng(seed).poisson(0.5, size=(90, 30))


def test_the_best_of_several_runs_is_kept():
    """The more runs, the larger the kept objective; the same answer for any n_jobs."""
    table = _blurred(5)
    kept = {}
    for n_runs in (2, 4, 8, 16):  # the first runs of many are those of few
        model = ComrafStar(6, n_runs=n_runs, keep="best", random_state=0, n_jobs=1).fit(table)
        assert model.result_.n_runs == n_runs
        kept[n_runs] = next(p.objective for p in model.result_.trace if p.action == "keep")
    assert kept[2] <= kept[4] <= kept[8] <= kept[16]
    assert kept[16] > kept[2] + 1e-4
    other = ComrafStar(6, n_runs=16, keep="best", random_state=0, n_jobs=2).fit(table)
    np.testing.assert_array_equal(other.labels_, model.labels_)
    with pytest.raises(InputError, match="keep='worst'"):
        ComrafStar(6, keep="worst").fit(table)


def test_the_best_run_goes_on_from_a_checkpoint(tmp_path):
    """Runs that were finished before Ctrl-C are not made again, and the answer is the same."""
    table, path = _blurred(6), tmp_path / "kept"
    settings = {"n_runs": 4, "keep": "best", "random_state": 1}
    whole = ComrafStar(6, **settings).fit(table)

    def stop(event):
        if event.run == 3:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="stopped"):
        ComrafStar(6, **settings, checkpoint=path, verbose=stop).fit(table)
    runs = []
    resumed = ComrafStar(
        6, **settings, checkpoint=path, verbose=lambda event: runs.append(event.run)
    ).fit(table)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    assert {3, 4} <= set(runs)
    assert not {1, 2} & set(runs)
