"""Kill a search at random moments, resume it, and compare its labels with those of a whole one.

::

    python -m benchmarks.kills                            # 20 kills, 4,000 planted documents
    python -m benchmarks.kills --table counts.npz -k 20   # a table of one's own
    python -m benchmarks.kills --kills 20 --jobs 2 --often

Each trial starts ``comraf cluster --checkpoint`` in a process of its own, ends it with SIGKILL
at a moment drawn uniformly from the length of a whole run, and starts it again with
``--resume``; every third trial is killed twice before it may finish. ``--often`` saves after
every step instead of thinning saves out, to a disk that is slow, so that many kills hit a
checkpoint that is being written.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.growth import planted
from benchmarks.harness import parser_of, run

__all__ = ["Trial", "main", "trials"]

# A disk that takes its time: most of the search is spent with a file half written.
_PROGRAM = """
import os, sys, time
import comraf.inference.checkpoint as storage
if sys.argv.pop(1) == "often":
    storage.SHARE, really = 1e9, os.fsync
    def slowly(descriptor):
        time.sleep(0.05)
        really(descriptor)
    os.fsync = slowly
from comraf.cli import main
main()
"""


@dataclass(frozen=True)
class Trial:
    """What became of one search that was killed."""

    moments: tuple[float, ...]
    parts: int
    half_written: int
    same: bool
    seconds: float


def command(table: Path, out: Path, *options: object, often: bool = False) -> list[str]:
    """The command line of one search.

    Examples
    --------
    >>> command(Path("t.npz"), Path("out"), "-k", 3)[-6:]
    ['cluster', 't.npz', '--out', 'out', '-k', '3']
    """
    program = [sys.executable, "-c", _PROGRAM, "often" if often else "thinned"]
    return [*program, "cluster", str(table), "--out", str(out), *map(str, options)]


def trials(
    table: Path, options: Sequence[object], n: int, seed: int, folder: Path, *, often: bool
) -> tuple[float, list[Trial]]:
    """Seconds of a whole search, and what became of ``n`` that were killed."""
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(command(table, folder / "plain", *options, "-q"), **quiet)  # compiled by it
    started = time.perf_counter()
    kept = ["--checkpoint", folder / "whole-checkpoint"]
    subprocess.run(command(table, folder / "whole", *options, "-q", *kept, often=often), **quiet)
    length = time.perf_counter() - started
    wanted = _labels(folder / "plain")
    if _labels(folder / "whole") != wanted:
        raise SystemExit("a search with a checkpoint has other labels than one without")
    rng = np.random.default_rng(seed)
    found = []
    for number in range(n):
        place, out = folder / f"checkpoint-{number}", folder / f"out-{number}"
        kept = [*options, "-q", "--checkpoint", place]
        moments = []
        parts = half = 0
        started = time.perf_counter()
        for kill in range(2 if number % 3 == 2 else 1):
            resume = ["--resume"] if kill else []
            moment = float(rng.uniform(0.0, length))
            while _ended(command(table, out, *kept, *resume, often=often), moment) and not kill:
                # it was quicker than the moment: a kill that kills nobody does not count
                shutil.rmtree(out)
                moment = float(rng.uniform(0.0, moment))
            moments.append(moment)
            parts = len(list(place.glob("*-*/part.json")))
            half += len(list(place.rglob("*.partial")))
            if (out / "result.json").is_file():
                break
        if not (out / "result.json").is_file():
            subprocess.run(command(table, out, *kept, "--resume", often=often), **quiet)
        same = _labels(out) == wanted
        found.append(Trial(tuple(moments), parts, half, same, time.perf_counter() - started))
        print(
            f"{number + 1:3d}  killed at {', '.join(f'{m:.2f}' for m in moments)} s  "
            f"{parts} parts saved{', one half written' if half else ''}  "
            f"{'the same labels' if same else 'OTHER LABELS'}",
            flush=True,
        )
    return length, found


def _ended(arguments: Sequence[str], seconds: float) -> bool:
    """Run a command and kill it after a time; whether it had ended before that."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return False


def _labels(out: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted(out.glob("*.csv"))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill and resume, and say how often the labels were the same."""
    parser = parser_of("kills", __doc__, jobs=1, effort="default", seed=0)
    add = parser.add_argument
    add("--table", type=Path, help="a table of counts; planted topics otherwise")
    add("-k", type=int, default=20)
    add("--documents", type=int, default=4000)
    add("--kills", type=int, default=20)
    add("--often", action="store_true", help="save after every step")
    return run(parser, arguments, _measure)


def _measure(asked: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        table = asked.table
        if table is None:
            table = Path(folder, "planted.npz")
            sp.save_npz(table, sp.csr_matrix(planted(asked.documents, asked.seed, 8000)[0]))
        options = ["-k", asked.k, "--effort", asked.effort, "-j", asked.jobs]
        length, found = trials(
            table, options, asked.kills, asked.seed, Path(folder), often=asked.often
        )
    good = sum(trial.same for trial in found)
    print(
        f"{good} of {len(found)} ended with the labels of a whole run ({length:.1f} s); "
        f"{sum(trial.parts > 0 for trial in found)} had parts to go on from, "
        f"{sum(trial.half_written > 0 for trial in found)} were killed while writing one"
    )
    return 0 if good == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
