"""scikit-learn's callbacks: tasks of a fit begin and end, and a callback may stop it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from comraf import MDC, Comraf, Edge, Graph, Node, SequentialIB
from comraf.errors import InterruptedWarning

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has none")

TABLE = np.random.default_rng(0).poisson(1.0, (60, 30)) + np.eye(60, 30, dtype=int)


class Recorder:
    """Writes down every task; may ask to stop at the end of one."""

    max_propagation_depth = None

    def __init__(self, stop_at=None):
        self.stop_at = stop_at
        self.begun, self.ended, self.life = [], [], []

    def setup(self, estimator, context):
        """The fit begins."""
        self.life.append("setup")
        self.size = context.max_subtasks

    def teardown(self, estimator, context):
        """The fit is over."""
        self.life.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        """A task begins."""
        self.begun.append((context.task_name, _path(context)))

    def on_fit_task_end(self, estimator, context):
        """A task ends."""
        self.ended.append((context.task_name, _path(context)))
        return len(self.ended) == self.stop_at


def _path(context):
    """Numbers of a task and of all around it."""
    own = () if context.parent is None else _path(context.parent)
    return (*own, context.task_id)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_runs_and_steps_are_tasks(n_jobs):
    """Every task that begins ends, each once; runs hold steps; the tree is as big as said."""
    recorder = Recorder()
    model = MDC(3, n_runs=3, random_state=0, n_jobs=n_jobs).set_callbacks(recorder).fit(TABLE)
    assert recorder.life == ["setup", "teardown"]
    assert sorted(recorder.begun) == sorted(recorder.ended)
    assert len(set(recorder.begun)) == len(recorder.begun)
    names = [name for name, _ in recorder.ended]
    assert names.count("run") == 3
    assert names.count("step") == 3 * sum(
        name == "step" and p[1] == 0 for name, p in recorder.ended
    )
    assert names[-1] == "fit"
    plain = MDC(3, n_runs=3, random_state=0).fit(TABLE)
    np.testing.assert_array_equal(model.labels_, plain.labels_)


def test_restarts_of_a_flat_search_are_tasks():
    """One task for each restart."""
    recorder = Recorder()
    SequentialIB(3, n_restarts=5, random_state=0).set_callbacks(recorder).fit(TABLE)
    assert [name for name, _ in recorder.ended] == ["restart"] * 5 + ["fit"]


def test_a_callback_stops_the_search():
    """True at the end of a task: the best until then, marked, and the callbacks are put away."""
    recorder = Recorder(stop_at=4)
    model = MDC(3, n_runs=3, random_state=0).set_callbacks(recorder)
    with pytest.warns(InterruptedWarning):
        model.fit(TABLE)
    assert model.result_.interrupted
    assert model.result_.n_clusters["rows"] == 3
    assert sorted(recorder.begun) == sorted(recorder.ended)
    assert recorder.life == ["setup", "teardown"]


def test_teardown_comes_after_a_failure_too():
    """A fit that fails ends its tasks and puts the callbacks away."""
    recorder = Recorder()
    graph = Graph(
        [Node("d", n_clusters=2), Node("w", direction="top-down")], [Edge("d", "w", TABLE)]
    )

    def fail(event):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Comraf(graph, verbose=fail).set_callbacks(recorder).fit()
    assert recorder.life[-1:] == ["teardown"]
    assert sorted(recorder.begun) == sorted(recorder.ended)


def test_within_a_pipeline_and_after_clone():
    """A pipeline's callbacks reach the estimator; clones keep theirs."""
    recorder = Recorder()
    pipeline = make_pipeline(
        StandardScaler(with_mean=False), MDC(3, effort="quick", random_state=0)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline.set_callbacks(recorder).fit(TABLE)
    assert any(name == "step" for name, _ in recorder.ended)
    again = Recorder()
    copy = clone(MDC(3, effort="quick", random_state=0).set_callbacks(again))
    copy.fit(TABLE)
    assert again.life == ["setup", "teardown"]


def test_the_bar_of_scikit_learn(capsys):
    """Its own progress bar shows a fit of ours and comes to its end."""
    MDC(3, n_runs=2, random_state=0).set_callbacks(callback.ProgressBar()).fit(TABLE)
    assert "100%" in capsys.readouterr().out
