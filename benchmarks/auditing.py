"""What the audit of sides leaves out and what `select` takes, beside the best sides by the classes.

::

    python -m benchmarks.auditing --data DIR
    python -m benchmarks.auditing --data DIR --datasets citeseer:800 Movies --runs 5

Groups are made by every set of the usual sides, of five sides and more by single ones, all but
one, and all; *regret* is how many points of accuracy less than the best of these sets. `select`
gets no labels, then those of 5% of the items.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

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
# Audits and choices with other seeds, and the share of items that have a label.
_SEEDS, _LABELLED = 3, 0.05


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
        "regret: all",
        "audit",
        "select",
        "select, 5% labels",
    ]
    print_table(heads, _lines(given))


def _sets(sides: Sequence[str]) -> Iterator[tuple[str, ...]]:
    n = len(sides)
    for size in range(1, n + 1) if n <= _ALL_SETS else (1, n - 1, n):
        yield from itertools.combinations(sides, size)


def _accuracy(
    collection: Every, tables: SimpleNamespace, runs: int, options: Mapping[str, Any]
) -> float:
    from comraf import Organizer
    from comraf.metrics import micro_accuracy

    known = collection.truth >= 0
    found = [
        Organizer(collection.n_classes, random_state=seed, **options).fit(tables).labels_
        for seed in range(runs)
    ]
    return float(
        np.mean([micro_accuracy(collection.truth[known], labels[known]) for labels in found])
    )


def _some_labels(truth: Any, seed: int) -> dict[int, int]:
    """The classes of a few items, drawn at random."""
    known = np.flatnonzero(truth >= 0)
    number = round(_LABELLED * len(known))
    rows = np.random.default_rng(seed).choice(known, number, replace=False)
    return {int(row): int(truth[row]) for row in rows}


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    from comraf.select import audit, choose

    regrets: dict[str, list[list[float]]] = {"A": [], "B": []}
    for name in given.datasets:
        collection = load(name, given_folder(given.data), given.cache)
        ready, k = collection.ready(), collection.n_classes
        sides = tuple(ready.tables)
        scores: dict[str, float] = {}

        def scored(
            options: Mapping[str, Any],
            scores: dict[str, float] = scores,
            collection: Every = collection,
            ready: SimpleNamespace = ready,
        ) -> float:
            own = {one: value for one, value in options.items() if one != "n_clusters"}
            key = str({**own, "by": tuple(own["by"])})
            if key not in scores:
                scores[key] = _accuracy(collection, ready, given.runs, own)
            return scores[key]

        sets = {each: scored({"by": each}) for each in _sets(sides)}
        best = max(sets, key=lambda each: sets[each])
        audits = [audit(ready, k, by=sides, seed=seed) for seed in range(_SEEDS)]
        chosen: list[list[Mapping[str, Any]]] = [[{"by": sides}], [{"by": a.kept} for a in audits]]
        for labelled in (False, True):
            found = [
                choose(
                    ready,
                    k,
                    by=sides,
                    labels=_some_labels(collection.truth, seed) if labelled else None,
                    random_state=seed,
                )
                for seed in range(_SEEDS)
            ]
            chosen.append([one.options for one in found])
        regret = [
            sets[best] - float(np.mean([scored(options) for options in each])) for each in chosen
        ]
        regrets[half(name)].append(regret)
        yield (
            f"{name}, {half(name)}",
            audits[0].sentence,
            f"{sets[sides]:.3f}",
            f"{sets[best]:.3f} ({' + '.join(best)})",
            *(f"{100 * one:.1f}" for one in regret),
        )
    for which, each in regrets.items():
        if each:
            means = 100 * np.mean(each, axis=0)
            yield f"**mean, {which}**", "", "", "", *(f"{one:.1f}" for one in means)


if __name__ == "__main__":
    sys.exit(main())
