"""Which weighting finds the classes best: how entries are damped and how rows are scaled.

::

    python -m benchmarks.weightings --data DIR --jobs 2
    python -m benchmarks.weightings --data DIR --datasets 20ng:1000 k1b --seeds 0-4

One-to-one accuracy in percent at default effort, the usual sides, as many groups as classes; means
over the halves of the collections (see ``benchmarks/halves.py``). Tables without counts above one
know only scaling.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.every_data import load
from benchmarks.halves import half
from benchmarks.harness import fill, given_folder, markdown, parser_of, percent, run, stored
from benchmarks.store import Record

__all__ = ["main"]

DATASETS = (
    *("20ng:1000", "100each-0:1000", "similar3:1000", "k1b:1000", "wap:1000", "classic:1000"),
    *("beck-s:1000", "farmer-d:1000", "kitchen-l:1000", "webkb:1000", "brown", "cora:1000"),
    *("reuters:1000", "tdt2:1000", "hitech:1000", "tr31", "news:1000", "aaai", "BBCSport"),
    *("ambient-1", "ambient-2", "Movies", "Wikipedia:1000"),
)
WEIGHTINGS = ("root_rows", "log+root", "log", "root+root", "presence+root")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of(
        *("weightings", __doc__, "data", "cache", "table_only"),
        datasets=list(DATASETS),
        seeds=["0"],
        effort="default",
        jobs=1,
        out="weightings",
    )
    parser.add_argument("--weightings", nargs="+", default=list(WEIGHTINGS), metavar="NAME")

    def work(given: argparse.Namespace) -> int:
        found = partial(_found, data=given_folder(given.data), cache=given.cache)
        tasks = [
            {"collection": name, "seed": seed, "weighting": weighting, "effort": given.effort}
            for name in given.datasets
            for seed in given.seeds
            for weighting in given.weightings
        ]

        def show(records: list[Record]) -> str:
            mine = [record for record in records if record["effort"] == given.effort]
            return table(mine, given.datasets, given.weightings)

        return stored(given, lambda store: fill(store, found, tasks, given.jobs), show)

    return run(parser, arguments, work)


def _found(task: Record, data: Path | None, cache: Path) -> list[Record]:
    from comraf import Organizer
    from comraf.metrics import one_to_one_accuracy

    every = load(task["collection"], data, cache)
    cpu, known = time.process_time(), every.truth >= 0
    made = {name: task[name] for name in ("weighting", "effort")}
    model = Organizer(every.n_classes, random_state=task["seed"], **made).fit(every.ready())
    right = one_to_one_accuracy(every.truth[known], model.labels_[known])
    return [{"one_to_one": right, "cpu": time.process_time() - cpu}]


def table(records: Sequence[Record], datasets: Sequence[str], weightings: Sequence[str]) -> str:
    """Markdown of means over seeds, and of those over the halves.

    Examples
    --------
    >>> run = {"collection": "aaai", "weighting": "log", "one_to_one": 0.4}
    >>> print(table([run, run | {"one_to_one": 0.5}], ["aaai"], ["log"]))
    | collection, half | log |
    |---|---|
    | aaai, B | 45.0 ± 5.0 |
    | **mean, B** | 45.0 |
    """
    rows, means = [], defaultdict(list)
    for name in datasets:
        of = {
            weighting: [
                r["one_to_one"]
                for r in records
                if (r["collection"], r["weighting"]) == (name, weighting)
            ]
            for weighting in weightings
        }
        if all(of.values()):
            means[half(name)].append([np.mean(scores) for scores in of.values()])
            rows.append([f"{name}, {half(name)}", *map(percent, of.values())])
    for which, each in sorted(means.items()):
        rows.append([f"**mean, {which}**", *(f"{100 * one:.1f}" for one in np.mean(each, axis=0))])
    return markdown(["collection, half", *weightings], rows) if rows else ""


if __name__ == "__main__":
    sys.exit(main())
