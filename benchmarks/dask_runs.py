"""How much sooner runs over worker processes end than those over one: ``engine="dask"``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

import comraf
from benchmarks.datasets import load
from benchmarks.harness import data_folder, parser_of, print_table, run
from comraf.progress import Event


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit with each number of workers in turn, several times, and print a table."""
    parser = parser_of("dask_runs", __doc__, "data", "cache", seed=0, runs=8)
    add = parser.add_argument
    add("--dataset", default="20ng")
    add("--documents", type=int, default=4000, help="a random sample of so many; 0 for all")
    add("--workers", type=int, nargs="+", default=[1, 2])
    add("--repeats", type=int, default=5)
    return run(parser, arguments, _measure)


def _measure(asked: argparse.Namespace) -> None:
    dataset = load(asked.dataset, data_folder(asked.data), asked.cache)
    from distributed import Client, LocalCluster

    table = dataset.counts.tocsr()
    if asked.documents:
        rng = np.random.default_rng(asked.seed)
        table = table[np.sort(rng.choice(table.shape[0], asked.documents, replace=False))]

    labels = []
    clusters = {
        n: LocalCluster(n_workers=n, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
        for n in asked.workers
    }
    clients = {n: Client(cluster, set_as_default=False) for n, cluster in clusters.items()}
    busiest: dict[int, list[float]] = {n: [] for n in asked.workers}
    moments: dict[int, list[float]] = {n: [] for n in asked.workers}
    whole: dict[int, list[float]] = {n: [] for n in asked.workers}
    for repeat in range(-1, asked.repeats):
        for n, cluster in clusters.items():
            ended: list[float] = []

            def hear(event: Event, ended: list[float] = ended) -> None:
                if event.message.startswith("Dask") and event.run == event.n_runs:
                    ended.append(time.perf_counter())

            model = comraf.MDC(
                dataset.n_classes,
                n_runs=asked.runs,
                n_jobs=n,
                random_state=asked.seed,
                verbose=hear,
                engine="dask",
                scheduler=cluster.scheduler_address,
            )
            before = clients[n].run(time.process_time)
            began = time.perf_counter()
            labels.append(model.fit_predict(table))
            if repeat >= 0:  # the first of each loads and compiles
                after = clients[n].run(time.process_time)
                busiest[n].append(max(after[worker] - before[worker] for worker in after))
                moments[n].append(ended[-1] - began)
                whole[n].append(time.perf_counter() - began)
    for n in asked.workers:
        clients[n].close()
        clusters[n].close()
    labels.append(
        comraf.MDC(dataset.n_classes, n_runs=asked.runs, random_state=asked.seed).fit_predict(table)
    )

    def rows() -> Iterator[tuple[str, ...]]:
        first = asked.workers[0]
        for n in asked.workers:
            for what, took in (
                ("the runs", moments),
                ("processor of the busiest worker", busiest),
                ("the whole fit", whole),
            ):
                mid = float(np.median(took[n]))
                faster = float(np.median(took[first])) / mid
                spread = f"{min(took[n]):.1f} to {max(took[n]):.1f}"
                yield str(n), what, f"{mid:.1f}", spread, f"{faster:.2f} x"

    print_table(["workers", "what", "median s", "least to most", "faster"], rows())
    same = all(np.array_equal(labels[0], other) for other in labels)
    print(
        f"\n{table.shape[0]:,} documents; load {os.getloadavg()[0]:.1f} at the end; labels ", end=""
    )
    print("the same as with threads" if same else "DIFFER")


if __name__ == "__main__":
    sys.exit(main())
