"""Whether what groups foretell tells which weights are good: weights chosen without labels.

::

    python -m benchmarks.weighing --data DIR
    python -m benchmarks.weighing --data DIR --datasets cora:800 Movies --runs 5

Beside all sides with the weights of the rule, each side but the main one is tried with 0.1, 0.3 and
3 times its weight, and what `comraf.select.choose` takes is compared with all sides and with their
best set: accuracy in percent, as in ``benchmarks/auditing.py``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.every_data import Every, load
from benchmarks.halves import half
from benchmarks.harness import given_folder, parser_of, print_table, run

__all__ = ["main"]

DATASETS = (
    *("cora:800", "citeseer:800", "WebKB", "webkb:800", "farmer-d:800", "kitchen-l:800"),
    *("BBCSport", "Movies", "Wikipedia:800", "aaai"),
)
_FACTORS = (0.1, 0.3, 3.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("weighing", __doc__, "data", "cache", datasets=list(DATASETS), runs=2)
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    heads = ["collection, half", "all sides", "sides chosen", "weights chosen"]
    print_table(heads, _lines(given))


def _accuracy(collection: Every, ready: Any, options: Mapping[str, Any], runs: int) -> float:
    from comraf import Organizer
    from comraf.metrics import micro_accuracy

    known = collection.truth >= 0
    made = [
        Organizer(collection.n_classes, random_state=seed, **options).fit(ready).labels_[known]
        for seed in range(runs)
    ]
    right = [micro_accuracy(collection.truth[known], labels) for labels in made]
    return 100 * float(np.mean(right))


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    from comraf.estimators.organizer import make_graph
    from comraf.select import Choice, choose

    gains: dict[str, list[list[float]]] = {"A": [], "B": []}
    for name in given.datasets:
        collection = load(name, given_folder(given.data), given.cache)
        ready, k = collection.ready(), collection.n_classes
        sides = tuple(ready.tables)
        graph = make_graph(ready.tables, k, measured=collection.weights)
        rule = {edge.b: float(edge.weight) for edge in graph.edges}
        main = max(rule, key=lambda side: rule[side])
        others = [
            Choice(sides, weight=((side, float(f"{rule[side] * factor:.2g}")),))
            for side in sides
            if side != main
            for factor in _FACTORS
        ]
        found = [choose(ready, k, by=sides), choose(ready, k, by=sides, choices=others)]
        row = [_accuracy(collection, ready, {"by": sides}, given.runs)]
        row += [
            _accuracy(collection, ready, one.best.choice.options, given.runs)
            if one.worthwhile
            else row[0]
            for one in found
        ]
        gains[half(name)].append(row)
        kept = ", ".join(found[0].best.choice.by)
        weights = ", ".join(f"{side} {weight:g}" for side, weight in found[1].best.choice.weight)
        yield (
            f"{name}, {half(name)}",
            f"{row[0]:.1f}",
            f"{row[1]:.1f} ({kept})" if found[0].worthwhile else f"{row[1]:.1f}",
            f"{row[2]:.1f} ({weights})" if found[1].worthwhile else f"{row[2]:.1f}",
        )
    for which, rows in gains.items():
        if rows:
            yield f"**mean, {which}**", *(f"{one:.1f}" for one in np.mean(rows, axis=0))


if __name__ == "__main__":
    sys.exit(main())
