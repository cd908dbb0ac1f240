"""How long a fit takes to come back after Ctrl-C, in every phase of its work.

The interrupt comes from a thread of the same process, a moment after the first event of the
phase; what is told is the time from then until ``fit`` returns, and the state it returns.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np

import comraf
from benchmarks.datasets import load
from benchmarks.harness import data_folder, parser_of, print_table, run
from comraf.progress import Event

#: The first event of each phase, for two runs that start from 1,024 gathered clusters.
PHASES: dict[str, Callable[[Event], bool]] = {
    "gathering": lambda e: e.node == "rows" and e.n_clusters == 1024 and e.n_steps > 0,
    "merging": lambda e: e.node == "rows" and e.n_clusters == 512,
    "splitting": lambda e: e.node == "columns" and e.n_clusters == 64,
    "a run polished": lambda e: e.message == "polishing" and e.run is not None,
    "the second run": lambda e: e.run == 2 and e.step >= 6,
    "agreement": lambda e: e.message == "the runs agree",
    "last polish": lambda e: e.message == "polishing" and e.run is None and e.node == "rows",
    "other sides": lambda e: e.message == "polishing" and e.run is None and e.node == "columns",
}


def stop_in(phase: str, table: object, k: int, jobs: int, seed: int) -> tuple[float, bool]:
    """Seconds from the interrupt to the end of the fit, and whether it was marked.

    Seconds are NaN where the phase did not come up, or was over before the interrupt came.
    """
    pressed: list[float] = []
    delay = float(np.random.default_rng(seed).uniform(0.0, 0.1))

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(delay, press)
    armed: list[bool] = []

    def listen(event: Event) -> None:
        if not armed and PHASES[phase](event):
            armed.append(True)
            timer.start()

    model = comraf.MDC(k, n_runs=2, n_jobs=jobs, random_state=seed, verbose=listen)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", comraf.errors.InterruptedWarning)
            model.fit(table)
        ended = time.perf_counter()
    finally:
        timer.cancel()
    if not pressed or pressed[0] > ended:
        return float("nan"), False
    return ended - pressed[0], model.result_.interrupted


def main(arguments: Sequence[str] | None = None) -> int:
    """Press Ctrl-C in every phase and print a table."""
    parser = parser_of("stopping", __doc__, "data", "cache", jobs=2, seed=0)
    parser.add_argument("--dataset", default="20ng")
    return run(parser, arguments, _measure)


def _measure(asked: argparse.Namespace) -> None:
    dataset = load(asked.dataset, data_folder(asked.data), asked.cache)
    comraf.MDC(2, n_runs=2, random_state=0).fit(np.eye(8, dtype=np.int64) + 1)  # compile
    signal.signal(signal.SIGINT, signal.default_int_handler)
    took: list[float] = []

    def rows() -> Iterator[tuple[str, str, str]]:
        for phase in PHASES:
            seconds, marked = stop_in(
                phase, dataset.counts, dataset.n_classes, asked.jobs, asked.seed
            )
            took.append(0.0 if np.isnan(seconds) else seconds)
            yield phase, f"{seconds:.2f}", "yes" if marked else "no"

    print_table(["phase", "seconds to the end", "marked as interrupted"], rows())
    print(f"\nslowest: {max(took):.2f} s; wanted: 1 s")


if __name__ == "__main__":
    sys.exit(main())
