"""How fast the engine is: one compiled sweep, and one small run of MDC.

``python -m benchmarks.sweep_speed --data DIR`` prints one table.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from benchmarks.datasets import Dataset, load
from benchmarks.harness import data_folder, parser_of, print_table, run

__all__ = ["Timing", "commonest_words", "main", "mdc", "sweeps"]

WORD_CLUSTERS = 1024


@dataclass(frozen=True)
class Timing:
    """One row: what was done, how long it took, how long it may take."""

    work: str
    cpu: tuple[float, ...]
    wall: tuple[float, ...]
    bar: float | None = None
    note: str = ""


def sweeps(
    table: Dataset, k: int, *, word_clusters: int, repeats: int, bar: float | None = None
) -> list[Timing]:
    """Time sweeps of the documents into `k` clusters, the words put together at random.

    Random word clusters are the worst case: clusters that were learnt put more words of
    a document together, which leaves fewer cells to read.

    Parameters
    ----------
    table : Dataset
        Documents x words.
    k, word_clusters : int
        Clusters of the two sides.
    repeats : int
        Sweeps of each kind.
    bar : float, optional
        Seconds that a sweep may take.

    Returns
    -------
    list of Timing
        A sweep from random labels, where most documents move, and one after five others.
    """
    from comraf.inference.moves import counts_of, sweep_once
    from comraf.objectives import MutualInformation, Objective, State

    rng = np.random.default_rng(0)
    n, m = table.counts.shape
    word_labels = rng.permutation(np.arange(m) % word_clusters).astype(np.int32)
    labels = rng.permutation(np.arange(n) % k).astype(np.int32)
    objective = Objective([MutualInformation(0, 1, csr_array(table.counts))])
    plan = objective.plan(0, State((labels, word_labels), (k, word_clusters)))
    cells = len(plan.data) * k
    state = counts_of(plan, labels, k)
    found = []
    for kind in ("from random labels", "after five sweeps"):
        times = []
        for repeat in range(repeats + 1):
            order = rng.permutation(n).astype(np.int64)
            trial = counts_of(plan, state.labels, k)
            took = _clock(partial(sweep_once, plan, trial, order, _quiet))
            # The first call compiles, or loads what was compiled before.
            if repeat > 0:
                times.append(took)
        cpu, wall = zip(*times, strict=True)
        pace = statistics.median(cpu) / cells * 1e9
        work = f"one sweep, k = {k}, {word_clusters:,} word clusters, {kind}"
        found.append(Timing(work, cpu, wall, bar, f"{pace:.2f} ns a cell, {cells:,} cells"))
        for _ in range(5):
            sweep_once(plan, state, rng.permutation(n).astype(np.int64), _quiet)
    return found


def mdc(table: Dataset, *, repeats: int, bar: float | None = None) -> Timing:
    """Time ``comraf.MDC`` with one restart, after a fit that compiles."""
    from benchmarks.worker import sliver
    from comraf import MDC

    k = table.n_classes
    MDC(k, n_restarts=1, random_state=0).fit(sliver(table.counts, k))
    times = [
        _clock(partial(MDC(k, n_restarts=1, random_state=seed).fit, table.counts))
        for seed in range(repeats)
    ]
    cpu, wall = zip(*times, strict=True)
    n, m = table.counts.shape
    return Timing(f"MDC, {n:,} documents × {m:,} words, k = {k}, one restart", cpu, wall, bar)


def commonest_words(table: Dataset, n_words: int) -> Dataset:
    """Keep the words of the most documents, and every row.

    Examples
    --------
    >>> table = Dataset.build("t", [[1, 0], [1, 1]], ["a", "b"], ["d", "e"], ["x", "y"], [])
    >>> commonest_words(table, 1).column_names
    ('x',)
    """
    documents = np.bincount(table.counts.indices, minlength=table.counts.shape[1])
    columns = np.sort(np.argsort(-documents, kind="stable")[:n_words])
    return Dataset.build(
        table.name,
        csr_matrix(table.counts[:, columns]),
        [table.class_names[c] for c in table.truth],
        table.row_names,
        [table.column_names[c] for c in columns],
        table.files,
    )


def _clock(work: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def _quiet(share: float) -> None:
    """Take no notice of progress."""


def _cells(timing: Timing) -> list[str]:
    cpu, wall = statistics.median(timing.cpu), statistics.median(timing.wall)
    return [
        timing.work,
        f"{cpu:.3f}",
        f"{min(timing.cpu):.3f}–{max(timing.cpu):.3f}",
        f"{wall:.3f}",
        "–" if timing.bar is None else f"{timing.bar:g}",
        timing.note or "–",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of("sweep_speed", __doc__, "data", "cache")
    parser.add_argument("--repeats", type=int, default=5, help="default: %(default)s")
    return run(parser, arguments, _measure)


def _measure(options: argparse.Namespace) -> None:
    data = data_folder(options.data)
    whole = load("20ng", data, options.cache)
    small = commonest_words(load("100each-0", data, options.cache), 10_000)

    def rows() -> Iterator[list[str]]:
        for k, bar in ((20, 0.2), (200, None)):
            yield from map(
                _cells,
                sweeps(whole, k, word_clusters=WORD_CLUSTERS, repeats=options.repeats, bar=bar),
            )
        yield _cells(mdc(small, repeats=options.repeats, bar=3.0))

    print_table(["work", "CPU s (median)", "range", "wall s (median)", "bar", ""], rows())
    print(f"\nRead {', '.join(sorted({*whole.files, *small.files}))}.")


if __name__ == "__main__":
    sys.exit(main())
