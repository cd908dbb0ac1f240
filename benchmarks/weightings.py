"""Which weighting finds the classes best: how entries are damped and how rows are scaled.

::

    python -m benchmarks.weightings --data DIR
    python -m benchmarks.weightings --data DIR --datasets 20ng:1000 k1b --seeds 0-4

One-to-one accuracy in percent at default effort, the usual sides, as many groups as classes; means
over the halves of the collections (see ``benchmarks/halves.py``). Tables without counts above one
know only scaling.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.every_data import load
from benchmarks.halves import half
from benchmarks.harness import given_folder, numbers, parser_of, print_table, run

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
        "weightings",
        __doc__,
        "data",
        "cache",
        datasets=list(DATASETS),
        seeds=["0"],
        effort="default",
    )
    parser.add_argument("--weightings", nargs="+", default=list(WEIGHTINGS), metavar="NAME")
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    print_table(["collection, half", *given.weightings], _lines(given))


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    from comraf import Organizer
    from comraf.metrics import one_to_one_accuracy

    found: dict[str, list[list[float]]] = {"A": [], "B": []}
    seeds = numbers(given.seeds)
    for name in given.datasets:
        collection = load(name, given_folder(given.data), given.cache)
        ready, known = collection.ready(), collection.truth >= 0
        row = []
        for weighting in given.weightings:
            made = [
                Organizer(
                    collection.n_classes,
                    weighting=weighting,
                    effort=given.effort,
                    random_state=seed,
                ).fit(ready)
                for seed in seeds
            ]
            right = [
                one_to_one_accuracy(collection.truth[known], one.labels_[known]) for one in made
            ]
            row.append(100 * float(np.mean(right)))
        found[half(name)].append(row)
        yield f"{name}, {half(name)}", *(f"{one:.1f}" for one in row)
    for which, rows in found.items():
        if rows:
            yield f"**mean, {which}**", *(f"{one:.1f}" for one in np.mean(rows, axis=0))


if __name__ == "__main__":
    sys.exit(main())
