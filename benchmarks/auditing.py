"""What the audit of sides leaves out, beside the best sides by the classes.

::

    python -m benchmarks.auditing --data DIR
    python -m benchmarks.auditing --data DIR --datasets citeseer:800 Movies --runs 5

Groups are made by every set of the usual sides, of six sides and more by single ones, all but
one, and all; *regret* is how many points of accuracy less than the best of these sets.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import numpy as np

from benchmarks.every_data import Every, load
from benchmarks.halves import half
from benchmarks.harness import given_folder, parser_of, print_table, run

__all__ = ["main"]

DATASETS = (
    *("20ng:800", "beck-s:800", "farmer-d:800", "kitchen-l:800", "webkb:800", "cora:800"),
    *("citeseer:800", "3Sources", "WebKB", "Reuters-1200:800", "Movies", "BBCSport"),
    *("Wikipedia:800", "aaai", "MSRC_v1", "corel:600"),
)
_ALL_SETS = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("auditing", __doc__, "data", "cache", datasets=list(DATASETS), runs=1)
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    heads = [
        "collection, half",
        "verdicts, first audit",
        "all sides",
        "best set",
        "regret",
        "of all",
    ]
    print_table(heads, _lines(given))


def _sets(sides: Sequence[str]) -> Iterator[tuple[str, ...]]:
    n = len(sides)
    for size in range(1, n + 1) if n <= _ALL_SETS else (1, n - 1, n):
        yield from itertools.combinations(sides, size)


def _accuracy(
    collection: Every, tables: SimpleNamespace, sides: tuple[str, ...], runs: int
) -> float:
    from comraf import Organizer
    from comraf.metrics import micro_accuracy

    known = collection.truth >= 0
    found = [
        Organizer(collection.n_classes, by=sides, random_state=seed).fit(tables).labels_
        for seed in range(runs)
    ]
    return float(
        np.mean([micro_accuracy(collection.truth[known], labels[known]) for labels in found])
    )


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    from comraf.select import audit

    regrets: dict[str, list[tuple[float, float]]] = {"A": [], "B": []}
    for name in given.datasets:
        collection = load(name, given_folder(given.data), given.cache)
        ready = collection.ready()
        sides = tuple(ready.tables)
        scores = {each: _accuracy(collection, ready, each, given.runs) for each in _sets(sides)}
        found = [audit(ready, collection.n_classes, by=sides, seed=seed) for seed in range(3)]
        for one in found:
            if one.kept not in scores:
                scores[one.kept] = _accuracy(collection, ready, one.kept, given.runs)
        best = max(scores, key=lambda each: scores[each])
        regret = float(np.mean([scores[best] - scores[one.kept] for one in found]))
        regrets[half(name)].append((regret, scores[best] - scores[sides]))
        yield (
            f"{name}, {half(name)}",
            found[0].sentence,
            f"{scores[sides]:.3f}",
            f"{scores[best]:.3f} ({' + '.join(best)})",
            f"{100 * regret:.1f}",
            f"{100 * (scores[best] - scores[sides]):.1f}",
        )
    for which, each in regrets.items():
        if each:
            mine, every = 100 * np.mean(each, axis=0)
            yield f"**mean, {which}**", "", "", "", f"{mine:.1f}", f"{every:.1f}"


if __name__ == "__main__":
    sys.exit(main())
