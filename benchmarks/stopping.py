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
from collections.abc import Callable
from pathlib import Path

import numpy as np

import comraf
from benchmarks.datasets import load
from benchmarks.run import default_cache
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


def main(arguments: list[str] | None = None) -> int:
    """Press Ctrl-C in every phase and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stopping", description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("COMRAF_DATA"))
    parser.add_argument("--cache", type=Path, default=default_cache(), help="tables")
    parser.add_argument("--dataset", default="20ng")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("give --data, or set COMRAF_DATA")
    dataset = load(asked.dataset, Path(asked.data), asked.cache)
    comraf.MDC(2, n_runs=2, random_state=0).fit(np.eye(8, dtype=np.int64) + 1)  # compile
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("| phase | seconds to the end | marked as interrupted |\n|---|---|---|")
    slowest = 0.0
    for phase in PHASES:
        seconds, marked = stop_in(phase, dataset.counts, dataset.n_classes, asked.jobs, asked.seed)
        slowest = max(slowest, 0.0 if np.isnan(seconds) else seconds)
        print(f"| {phase} | {seconds:.2f} | {'yes' if marked else 'no'} |", flush=True)
    print(f"\nslowest: {slowest:.2f} s; wanted: 1 s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
