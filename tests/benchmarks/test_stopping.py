"""The benchmark of Ctrl-C: an interrupt in a phase that comes up ends the fit, marked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from benchmarks.growth import planted
from benchmarks.stopping import PHASES, stop_in
table, _ = planted(6000, seed=0, words=2000)
seconds, marked = stop_in("merging", table, 20, 1, 0)
assert marked and 0 <= seconds < 20, (seconds, marked)
PHASES["never"] = lambda event: False
seconds, marked = stop_in("never", table[:300], 20, 1, 0)
assert seconds != seconds and not marked, (seconds, marked)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_an_interrupt_in_a_phase_ends_the_fit() -> None:
    """In a process of its own, so that a late interrupt can't hit the tests."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
