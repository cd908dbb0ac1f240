"""Fits with time limits and checkpoints, through the front doors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import comraf.inference.checkpoint as storage
from comraf import MDC, Comraf, Edge, Graph, Node
from comraf.errors import InputError, InterruptedWarning, TimeLimitWarning
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
