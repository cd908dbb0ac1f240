"""New documents into a fit: how much worse than clustering them with the others, how fast.

::

    python -m benchmarks.predicting --data DIR                     # 20 Newsgroups, three seeds
    python -m benchmarks.predicting --data DIR --datasets classic --effort quick --seeds 0

For each seed a fifth of the documents is held out. One fit is made of the others, and the held
out ones are predicted; another fit is made of all. Both answers are scored on the held-out
documents alone. ``predicted`` is what :meth:`comraf.MDC.predict` does (single words, where the
fit was polished by them), ``by clusters`` the same with clusters of words in their place.
``updated`` are their clusters after :meth:`comraf.MDC.update`, which searches on with them.
``own`` is the share of the fit's documents that get their own cluster when they come as new.
Documents a second are those of ``predict`` from a sparse table, on one core.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np
import scipy.sparse as sp

from benchmarks.datasets import Dataset, load
from benchmarks.harness import data_folder, parser_of, print_table, run

__all__ = ["main", "measure"]

HELD_OUT = 0.2
COLUMNS = ("together", "predicted", "by clusters", "updated")


def measure(data: Dataset, seed: int, effort: str, jobs: int = 1) -> dict[str, float]:
    """One seed: two fits, and the held-out documents by each."""
    import comraf
    from comraf.metrics import micro_accuracy
    from comraf.results.placement import counts_by_side
    from comraf.results.scorer import Scorer

    table = sp.csr_array(data.counts)
    order = np.random.default_rng(seed).permutation(table.shape[0])
    n_held = int(HELD_OUT * len(order))
    held, kept = np.sort(order[:n_held]), np.sort(order[n_held:])
    model = comraf.MDC(data.n_classes, effort=effort, n_jobs=jobs, random_state=seed)
    together = model.fit(table).labels_[held]
    model.fit(table[kept])
    result = model.result_
    model.predict(table[held[:10]])  # compiled before the clock starts
    new = table[held]
    begun = time.process_time()
    predicted = model.predict(new)
    seconds = time.process_time() - begun
    sides, _ = counts_by_side(model.graph_, result.labels, result.n_clusters, "rows")
    clusters = Scorer(sides).place({"columns": new}).labels
    truth = data.truth[held]
    own = float((model.predict(table[kept]) == model.labels_).mean())
    updated = model.update(new).labels_[len(kept) :]
    return {
        "together": micro_accuracy(truth, together),
        "predicted": micro_accuracy(truth, predicted),
        "by clusters": micro_accuracy(truth, clusters),
        "updated": micro_accuracy(truth, updated),
        "own": own,
        "documents a second": len(held) / seconds,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("predicting", __doc__, "data", "cache"), datasets=["20ng"], seeds=[0, 1, 2], jobs=1
    )
    efforts = ["quick", "default", "thorough", "paper"]
    parser.add_argument("--effort", default="default", choices=efforts)
    return run(parser, arguments, _measure)


def _measure(options: argparse.Namespace) -> None:
    folder = data_folder(options.data)

    def rows() -> Iterator[list[str]]:
        for name in options.datasets:
            data = load(name, folder, options.cache)
            found = []
            for seed in options.seeds:
                found.append(measure(data, seed, options.effort, options.jobs))
                yield _cells(name, str(seed), found[-1])
            if len(found) > 1:
                means = {key: float(np.mean([row[key] for row in found])) for key in found[0]}
                yield _cells(name, "mean", means)

    print_table(["dataset", "seed", *COLUMNS, "own", "documents a second"], rows())


def _cells(name: str, seed: str, row: dict[str, float]) -> list[str]:
    scores = [f"{row[key]:.3f}" for key in COLUMNS]
    return [name, seed, *scores, f"{row['own']:.4f}", f"{row['documents a second']:,.0f}"]


if __name__ == "__main__":
    sys.exit(main())
