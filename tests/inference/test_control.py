"""Time limits, and threads that end together."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from comraf.errors import InputError
from comraf.inference import Control, Stopped
from comraf.inference.control import run_all
from comraf.progress import Event
from tests.inference.test_mdc import planted, solve, two_sided


@pytest.mark.parametrize("wrong", [0, -1.0, float("inf"), float("nan"), "60", True])
def test_time_limits_that_are_none(wrong):
    """Each is refused by its value."""
    with pytest.raises(InputError, match="time_limit="):
        Control(time_limit=wrong)


def test_the_clock_stops_the_work_and_its_parts():
    """After the limit every slice stops, and it is known that no person did it."""
    control, late = Control(time_limit=0.05), Control(time_limit=0.05)
    part = control.part(0.5)
    assert not part.stopped
    assert not control.out_of_time
    time.sleep(0.06)
    with pytest.raises(Stopped):
        part.advance(0.1, lambda done: Event("test", done))
    assert control.stopped
    assert part.out_of_time
    by_hand = Control(time_limit=60.0)
    by_hand.stop()
    assert not by_hand.out_of_time
    late.stop()  # whoever asks: the time was up before
    assert late.out_of_time


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("options", [{"n_restarts": 3}, {"n_runs": 3, "polish": True}])
def test_a_search_ends_soon_after_its_limit(options, n_jobs):
    """Whole partitions, marked as interrupted, about a second after the limit at most."""
    rng = np.random.default_rng(0)
    graph = two_sided(rng.poisson(0.3, (3000, 400)) + np.eye(3000, 400, dtype=int), 6)
    solve(two_sided(planted()[0], 3), **options)  # compiled before the clock runs
    started = time.perf_counter()
    _, outcome = solve(graph, control=Control(time_limit=0.3), n_jobs=n_jobs, **options)
    assert time.perf_counter() - started < 4  # on a busy machine
    assert outcome.interrupted
    assert outcome.state.n_clusters[0] == 6
    assert len(np.unique(outcome.state.labels[0])) == 6


def test_a_limit_that_is_not_reached_changes_nothing():
    """The same labels as without one."""
    graph = two_sided(planted(strength=0.9)[0], 4)
    _, free = solve(graph, n_runs=2, polish=True)
    _, bound = solve(graph, control=Control(time_limit=600.0), n_runs=2, polish=True)
    assert not bound.interrupted
    np.testing.assert_array_equal(free.state.labels[0], bound.state.labels[0])


def test_no_thread_outlives_the_work():
    """A failure in one stops the others before it is raised."""
    control = Control()
    running = []

    def work():
        running.append(1)
        try:
            for _ in range(1000):
                control.advance(0.0, lambda done: Event("test", done))
                time.sleep(0.005)
        finally:
            running.pop()

    def fail():
        time.sleep(0.05)
        raise InputError("boom")

    before = threading.active_count()
    with pytest.raises(InputError, match="boom"):
        run_all([work, work, fail], 3, control)
    assert running == []
    assert threading.active_count() == before


def test_nothing_to_do():
    """No tasks, no threads, no results."""
    assert run_all([], 4, Control()) == []


EVERYWHERE = """
import signal, sys, time
from comraf.inference.control import Control, Stopped, run_all
signal.signal(signal.SIGINT, signal.default_int_handler)

def lines_until(press):
    control, inside = Control(), []
    def work():
        for _ in range(8):
            if control.stopped:
                raise Stopped
            time.sleep(0.0005)
        return 2
    def trace(frame, event, argument):
        if event == "line" and "concurrent" in str(frame.f_back.f_code.co_filename):
            inside.append(frame.f_lineno)
            if len(inside) == press:
                signal.raise_signal(signal.SIGINT)
        return trace
    sys.settrace(trace)
    try:
        results = run_all([lambda: 1, work, work], 2, control)
    finally:
        sys.settrace(None)
    assert control.stopped == (len(inside) >= press), press
    assert set(results) <= {None, 1, 2}, results
    return len(inside)

press = 1
while lines_until(press) >= press:
    press += 7
assert press > 100, press
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_in_the_midst_of_waiting_for_threads_is_a_stop():
    """At any line within the standard library's locks and futures: no error, no dead end."""
    done = subprocess.run(
        [sys.executable, "-c", EVERYWHERE], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
