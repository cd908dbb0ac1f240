"""One measured fit, in a process of its own.

Started as ``python -m benchmarks.worker`` with a job as JSON on standard input;
the result is written as JSON to the file that the job names. Only the fit is
timed: imports, the table and a first fit that makes numba compile come before.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.datasets.base import Dataset
from benchmarks.harness import now_megabytes, peak_megabytes
from benchmarks.methods import METHODS, Labels
from comraf.errors import InputError

__all__ = ["measure", "scores", "sliver"]


def measure(table: Dataset, method_name: str, weighting: str, seed: int) -> dict[str, Any]:
    """Fit one method on one table and say how good and how dear it was.

    Parameters
    ----------
    table : Dataset
        Counts and truth; as many clusters as classes are asked for.
    method_name, weighting : str
        Names in the registry of methods.
    seed : int
        Seed of the fit.

    Returns
    -------
    dict
        Scores; CPU and wall seconds of the fit; megabytes of resident memory before
        the fit and at the highest; seconds of compilation that fell into the fit.
    """
    method, k = METHODS[method_name], table.n_classes
    method.fit(sliver(table.counts, k), k, seed, weighting)
    before = now_megabytes()
    with _compilation() as compiled:
        cpu, wall = _cpu_seconds(), time.perf_counter()
        labels = method.fit(table.counts, k, seed, weighting)
        wall, cpu = time.perf_counter() - wall, _cpu_seconds() - cpu
    peak = peak_megabytes()
    if labels.shape != table.truth.shape:
        raise InputError(
            f"{method_name} gave {labels.size} labels for {table.truth.size} documents"
        )
    return {
        **scores(table.truth, labels),
        "n_clusters": int(np.unique(labels).size),
        "cpu_s": round(cpu, 4),
        "wall_s": round(wall, 4),
        "compile_s": round(compiled.seconds, 4),
        "before_mb": before and round(before, 1),
        "peak_mb": peak and round(peak, 1),
    }


def scores(truth: Labels, labels: Labels) -> dict[str, float]:
    """Micro accuracy, NMI (arithmetic mean) and ARI.

    Examples
    --------
    >>> scores(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    {'accuracy': 1.0, 'nmi': 1.0, 'ari': 1.0}
    """
    from sklearn.metrics import adjusted_rand_score

    from comraf.metrics import micro_accuracy, nmi

    return {
        "accuracy": round(float(micro_accuracy(truth, labels)), 6),
        "nmi": round(float(nmi(truth, labels)), 6),
        "ari": round(float(adjusted_rand_score(truth, labels)), 6),
    }


def sliver(counts: csr_matrix, k: int) -> csr_matrix:
    """Cut a few rows out of a table, of the same types, for the fit that warms up.

    Examples
    --------
    >>> sliver(csr_matrix(np.ones((1000, 4), dtype=np.int32)), 3).shape
    (60, 4)
    """
    n_rows = min(counts.shape[0], max(60, 4 * k))
    rows = np.linspace(0, counts.shape[0] - 1, n_rows).astype(np.int64)
    piece = counts[rows]
    used = np.flatnonzero(np.bincount(piece.indices, minlength=piece.shape[1]))
    return csr_matrix(piece[:, used])


def _cpu_seconds() -> float:
    # Children too: a method that starts processes doesn't get them free.
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@dataclass
class _Compiled:
    seconds: float = 0.0


@contextlib.contextmanager
def _compilation() -> Iterator[_Compiled]:
    """Sum the seconds numba compiles inside the block; none means the warm-up worked."""
    total = _Compiled()
    if "numba" not in sys.modules:
        yield total
        return
    from numba.core import event

    with event.install_timer("numba:compile", lambda seconds: setattr(total, "seconds", seconds)):
        yield total


def main() -> int:
    """Read a job, measure it, write the result."""
    job = json.load(sys.stdin)
    try:
        table = Dataset.load(Path(job["table"]))
        result = measure(table, job["method"], job["weighting"], job["seed"])
        result["status"] = "ok"
    except Exception as error:  # noqa: BLE001 - whatever a peer raises is a result too
        traceback.print_exc()
        result = {"status": "failed", "error": f"{type(error).__name__}: {error}"[:500]}
    Path(job["result"]).write_text(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
