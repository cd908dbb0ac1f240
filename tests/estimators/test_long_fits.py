"""Fits with time limits and checkpoints, through the front doors."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest

import comraf.inference.checkpoint as storage
from comraf import (
    ITCC,
    MDC,
    CliquewiseMDC,
    Comraf,
    Edge,
    Graph,
    Node,
    SequentialIB,
    StarSeries,
    photo_graph,
)
from comraf.errors import InputError, InterruptedWarning, TimeLimitWarning, WriteError
from comraf.inference import control
from comraf.inference.checkpoint import Kept, is_checkpoint


@pytest.fixture(autouse=True)
def save_every_step(monkeypatch):
    """Small tables are searched in a moment: save as often as there is something to save."""
    monkeypatch.setattr(storage, "SHARE", 1e9)


@pytest.fixture(scope="module")
def table():
    """Five topics that are hard to tell apart."""
    rng = np.random.default_rng(0)
    topic = np.arange(150)[:, None] % 5 == np.arange(60)[None, :] % 5
    return rng.poisson(np.where(topic, 0.9, 0.4)) + np.eye(150, 60, dtype=int)


class Stop:
    """A listener that presses Ctrl-C after so many events, by way of the interpreter."""

    def __init__(self, after):
        self.left = after

    def __call__(self, event):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_a_fit_is_resumed_from_its_checkpoint(table, tmp_path):
    """Ctrl-C, and then the same fit again: as if nothing had happened, in every attribute."""
    whole = MDC(5, n_runs=4, random_state=7).fit(table)
    place = tmp_path / "half"
    model = MDC(5, n_runs=4, random_state=7, checkpoint=place, verbose=Stop(40))
    with pytest.warns(InterruptedWarning, match=r"checkpoint .*half stays, and the same fit goes"):
        model.fit(table)
    assert model.result_.interrupted
    assert is_checkpoint(place)
    model.set_params(verbose=0).fit(table)
    assert not place.exists()
    np.testing.assert_array_equal(model.labels_, whole.labels_)
    assert model.result_.trace == whole.result_.trace
    assert model.objective_ == whole.objective_
    for mine, others in zip(
        model.result_.levels["rows"], whole.result_.levels["rows"], strict=True
    ):
        np.testing.assert_array_equal(mine, others)


@pytest.mark.parametrize(
    ("kind", "n_jobs"), [(MDC, 1), (ITCC, 2), (SequentialIB, 1), (CliquewiseMDC, 2)]
)
def test_a_time_limit_ends_any_number_of_restarts(kind, n_jobs, table):
    """Nothing is prepared for a billion restarts that never begin; the best answer stands."""
    began = time.monotonic()
    with pytest.warns(TimeLimitWarning):
        model = kind(5, n_restarts=10**9, n_jobs=n_jobs, time_limit=0.3, random_state=0).fit(table)
    assert time.monotonic() - began < 5
    assert np.unique(model.labels_).size == 5


@pytest.mark.parametrize("kind", [ITCC, SequentialIB, CliquewiseMDC])
def test_batches_of_restarts_do_not_change_the_answer(kind, table, monkeypatch):
    """Restarts in batches of two give the labels that they give at once."""
    whole = kind(5, n_restarts=5, random_state=3).fit(table)
    monkeypatch.setattr(control, "_BATCH", 2)
    np.testing.assert_array_equal(
        kind(5, n_restarts=5, random_state=3).fit(table).labels_, whole.labels_
    )


def test_a_seed_that_was_drawn_is_kept(table, tmp_path):
    """random_state=None: the resumed fit has the seed of the first, another fit has not."""
    place = tmp_path / "half"
    first = MDC(5, n_runs=3, checkpoint=Kept(place)).fit(table)
    again = MDC(5, n_runs=3, checkpoint=place).fit(table)
    np.testing.assert_array_equal(first.labels_, again.labels_)
    assert not place.exists()
    objectives = {MDC(5, n_runs=1, effort="quick").fit(table).objective_ for _ in range(4)}
    assert len(objectives) > 1


def test_a_generator_gives_another_seed_each_time(table, tmp_path):
    """A generator that has moved on is another seed, and is refused as such."""
    place = tmp_path / "half"
    rng = np.random.default_rng(0)
    MDC(5, n_runs=2, random_state=rng, checkpoint=Kept(place)).fit(table)
    with pytest.raises(InputError, match="its seed was another one"):
        MDC(5, n_runs=2, random_state=rng, checkpoint=place).fit(table)


def test_time_limits_warn_by_name(table):
    """A limit is told apart from a person, and both are interruptions."""
    with pytest.warns(TimeLimitWarning, match=r"time limit of 0\.01 seconds was reached"):
        model = MDC(5, time_limit=0.01, random_state=0).fit(table)
    assert model.result_.interrupted
    assert len(np.unique(model.labels_)) == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        free = MDC(5, n_runs=2, time_limit=600, random_state=0).fit(table)
    assert not free.result_.interrupted
    with pytest.raises(InputError, match="time_limit=-1"):
        MDC(5, time_limit=-1).fit(table)


def test_graphs_of_ones_own_have_checkpoints_too(table, tmp_path):
    """Comraf on three nodes, stopped and resumed with another number of threads."""
    nodes = [
        Node("d", n_clusters=5),
        Node("w", direction="top-down"),
        Node("p", observed="singletons"),
    ]
    graph = Graph(nodes, [Edge("d", "w", table), Edge("d", "p", table[:, :7] + 1, weight=0.5)])
    whole = Comraf(graph, n_runs=3, random_state=1).fit()
    place = tmp_path / "half"
    with pytest.warns(InterruptedWarning):
        Comraf(graph, n_runs=3, random_state=1, checkpoint=place, verbose=Stop(25)).fit()
    again = Comraf(graph, n_runs=3, random_state=1, checkpoint=place, n_jobs=2).fit()
    for name in ("d", "w"):
        np.testing.assert_array_equal(whole.labels_[name], again.labels_[name])


def test_an_error_leaves_the_checkpoint(table, tmp_path):
    """Whatever ends a fit, what it had reached is there for the next one."""
    place = tmp_path / "half"
    seen = []

    def fail(event):
        seen.append(event)
        if len(seen) == 30:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        MDC(5, n_runs=4, random_state=0, checkpoint=place, verbose=fail).fit(table)
    assert is_checkpoint(place)
    resumed = MDC(5, n_runs=4, random_state=0, checkpoint=place).fit(table)
    whole = MDC(5, n_runs=4, random_state=0).fit(table)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)


@pytest.fixture(scope="module")
def album():
    """Images, their regions, colours of both: a graph of two steps."""
    rng = np.random.default_rng(1)
    kind = np.arange(24) % 3
    of_region = np.where(rng.random(96) < 0.5, rng.integers(0, 3, 96), np.repeat(kind, 4))
    colours = rng.multinomial(9, np.full(9, 1 / 9), 96)
    colours[np.arange(96), 3 * of_region] += 4
    return photo_graph(
        np.repeat(np.arange(24), 4),
        n_clusters=3,
        n_blobs=6,
        images_colours=colours.reshape(24, 4, 9).sum(axis=1),
        regions_colours=colours,
    )


def series(graph, **settings):
    """A series of one run for the regions, and several for the images."""
    return StarSeries(graph, "images", **{"random_state": 5} | settings)


def same(one, other):
    """Whether two series found the same."""
    return all((one.labels_[name] == other.labels_[name]).all() for name in one.labels_)


@pytest.fixture(scope="module")
def whole(album):
    """A series that nothing stopped, and what it told."""
    events = []
    return series(album, verbose=events.append).fit(), events


def test_a_series_tells_one_share(whole):
    """The share done rises from step to step to 1, and never falls."""
    _, events = whole
    shares = [event.done for event in events]
    assert shares == sorted(shares)
    assert 0 < shares[[event.node for event in events].index("images")] < 1
    assert shares[-1] == pytest.approx(1.0)
    assert {event.task for event in events} == {"Comraf*"}


def test_a_series_has_the_same_answer_whatever_n_jobs(album, whole):
    """Threads change nothing, nor does asking for the target's labels alone."""
    model = series(album, n_jobs=2)
    np.testing.assert_array_equal(model.fit_predict(), whole[0].labels_["images"])
    assert same(whole[0], model)
    assert model.target_ == "images"
    assert not same(whole[0], series(album, random_state=6).fit())


@pytest.mark.parametrize("where", ["first", "second"])
def test_a_series_is_stopped_and_resumed(album, whole, tmp_path, where):
    """Ctrl-C in either step leaves labels of all nodes, and the same fit goes on from there."""
    whole, events = whole
    first = [event.node for event in events].index("images")
    after = first // 2 if where == "first" else (first + len(events)) // 2
    place = tmp_path / "half"
    model = series(album, checkpoint=place, verbose=Stop(after))
    with pytest.warns(InterruptedWarning, match=r"stopped early.*half stays") as told:
        model.fit()
    assert [one.category for one in told] == [InterruptedWarning]
    assert model.result_.interrupted
    assert model.result_.n_clusters == whole.result_.n_clusters
    assert is_checkpoint(place / "step-1")
    assert is_checkpoint(place / "step-2") == (where == "second")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(verbose=0).fit()
    assert same(model, whole)
    assert not place.exists()


def test_seeds_of_a_series_are_kept(album, tmp_path):
    """random_state=None: what is resumed has the seeds of the first time."""
    place = tmp_path / "kept"
    one = series(album, random_state=None, checkpoint=Kept(place)).fit()
    again = series(album, random_state=None, checkpoint=place).fit()
    assert same(one, again)
    assert not place.exists()


def test_the_folder_of_a_series_is_its_own(album, tmp_path):
    """A folder with other things, a file, and the checkpoint of another series are refused."""
    (tmp_path / "mine.txt").write_text("a letter")
    with pytest.raises(WriteError, match=r"holds 'mine\.txt'"):
        series(album, checkpoint=tmp_path).fit()
    with pytest.raises(WriteError, match="is a file"):
        series(album, checkpoint=tmp_path / "mine.txt").fit()
    series(album, checkpoint=Kept(tmp_path / "kept")).fit()
    with pytest.raises(InputError, match="its seed was another one"):
        series(album, checkpoint=tmp_path / "kept", random_state=6).fit()
    for bad in (0, -1, float("nan"), float("inf"), True, "soon"):
        with pytest.raises(InputError, match=f"time_limit={bad!r}"):
            series(album, time_limit=bad).fit()


def test_ctrl_c_after_the_search_keeps_its_answer(monkeypatch):
    """While the result is wrapped up, or what places new rows is made: once, it is all there."""
    import comraf.estimators._run as run
    import comraf.estimators.base as tables

    table = np.random.default_rng(0).poisson(2.0, (20, 8)) + 1
    for module, name in [(run, "_wrapped"), (tables, "fit_scorer")]:
        pressed = []
        plain = getattr(module, name)

        def once(*args, plain=plain, pressed=pressed):
            if not pressed:
                pressed.append(1)
                raise KeyboardInterrupt
            return plain(*args)

        with monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWarning)
            patch.setattr(module, name, once)
            model = MDC(2, effort="quick", random_state=0).fit(table)
        assert pressed
        assert model.result_.interrupted
        assert len(model.predict(table)) == 20
