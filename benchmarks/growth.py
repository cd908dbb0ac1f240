"""How time and memory grow with the number of documents: planted topics, fixed k.

::

    python -m benchmarks.growth                                  # 10,000 to 100,000 documents
    python -m benchmarks.growth --documents 200000 --effort default --jobs 2

Each size is measured in a process of its own. Documents have about a hundred different words
each; the last line is the exponent of a power law fitted to the CPU seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.harness import apart, parser_of, peak_megabytes, print_table, run
from comraf.errors import ComrafError

__all__ = ["main", "measure", "planted"]

WORDS = 50_000
TOPICS = 20
# Tokens of a document, and the share of them that its topic has for itself.
LENGTH = 130
OWN = 0.15


def planted(
    n: int, seed: int = 0, words: int = WORDS, length: int = LENGTH
) -> tuple[sp.csr_array, npt.NDArray[np.int64]]:
    """Documents x words with planted topics, and the topic of each document.

    Words fall off like 1/rank within a topic and in the language at large.

    Examples
    --------
    >>> table, topics = planted(50, words=400)
    >>> table.shape, len(topics)
    ((50, 400), 50)
    """
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, TOPICS, n)
    falling = 1.0 / np.arange(5, words + 5)
    steps = np.cumsum(falling / falling.sum())
    orders = [rng.permutation(words) for _ in range(TOPICS + 1)]
    lengths = np.maximum(8, rng.lognormal(np.log(length), 0.5, n)).astype(np.int64)
    rows = np.repeat(np.arange(n), lengths)
    own = rng.random(len(rows)) < OWN
    source = np.where(own, topics[rows], TOPICS)
    # float rounding: the last step may lie just below 1
    rank = np.minimum(np.searchsorted(steps, rng.random(len(rows))), words - 1)
    columns = np.stack(orders)[source, rank]
    table = sp.csr_array(
        (np.ones(len(rows), np.int32), (rows, columns)), shape=(n, words), dtype=np.int32
    )
    table.sum_duplicates()
    return table, topics


def measure(n: int, effort: str, jobs: int, seed: int) -> dict[str, Any]:
    """Fit one size here and now."""
    import comraf
    from comraf.metrics import micro_accuracy

    # compiled before the clock starts
    comraf.MDC(2, n_runs=2, random_state=0).fit(np.eye(8, dtype=np.int64) + 1)
    table, topics = planted(n, seed)
    wall, cpu = time.perf_counter(), time.process_time()
    model = comraf.MDC(TOPICS, effort=effort, n_jobs=jobs, random_state=seed).fit(table)
    return {
        "documents": n,
        "entries": int(table.nnz),
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "megabytes": peak_megabytes() or float("nan"),
        "accuracy": micro_accuracy(topics, model.labels_),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of("growth", __doc__, jobs=1, seed=0)
    add = parser.add_argument
    add("--documents", type=int, nargs="+", default=[10_000, 20_000, 50_000, 100_000], metavar="N")
    add("--effort", default="quick", choices=["quick", "default", "thorough", "paper"])
    return run(parser, arguments, _measure)


def _measure(options: argparse.Namespace) -> None:
    found = []

    def rows() -> Iterator[list[str]]:
        for n in options.documents:
            row = apart(measure, n, options.effort, options.jobs, options.seed)
            if row["status"] != "ok":
                raise ComrafError(f"{n:,} documents: {row['error']}")
            found.append(row)
            cells = [f"{n:,}", f"{row['entries']:,}", f"{row['cpu']:.0f}", f"{row['wall']:.0f}"]
            yield [*cells, f"{row['megabytes']:,.0f}", f"{row['accuracy']:.3f}"]

    print_table(["documents", "entries", "CPU s", "wall s", "peak MB", "accuracy"], rows())
    if len(found) > 1:
        x = np.log([row["documents"] for row in found])
        slope = np.polyfit(x, np.log([row["cpu"] for row in found]), 1)[0]
        print(f"\nCPU seconds grow as n^{slope:.2f}")


if __name__ == "__main__":
    sys.exit(main())
