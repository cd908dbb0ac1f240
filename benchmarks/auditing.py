"""What the audit of sides leaves out and what `select` takes, beside the best sides by the classes.

::

    python -m benchmarks.auditing --data DIR --jobs 2
    python -m benchmarks.auditing --data DIR --datasets citeseer:800 Movies --seeds 0-4
    python -m benchmarks.auditing --data DIR --seeds 0 --labelled

Groups are made by every set of the usual sides, of five sides and more by single ones, all but
one, and all; *regret* is how many points of accuracy less than the best of these sets, by means
over seeds. `select` gets no labels; with --labelled it is also tried with those of 5% of the items.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.every_data import load
from benchmarks.halves import half
from benchmarks.harness import fill, given_folder, markdown, parser_of, run, stored
from benchmarks.store import Record

__all__ = ["main"]

DATASETS = (
    *("20ng:800", "beck-s:800", "farmer-d:800", "kitchen-l:800", "webkb:800", "cora:800"),
    *("citeseer:800", "3Sources", "WebKB", "Reuters-1200:800", "Movies", "BBCSport"),
    *("Wikipedia:800", "aaai", "MSRC_v1", "corel:600"),
)
_ALL_SETS = 4
# The share of items that have a label.
_LABELLED = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of(
        *("auditing", __doc__, "data", "cache", "table_only"),
        datasets=list(DATASETS),
        seeds=["0-2"],
        jobs=1,
        out="auditing",
    )
    parser.add_argument("--labelled", action="store_true", help="also select by some labels")

    def work(given: argparse.Namespace) -> int:
        measured = partial(_measured, data=given_folder(given.data), cache=given.cache)
        tasks = [
            {"collection": name, "seed": seed, "labelled": labelled}
            for labelled in (False, True)[: 1 + given.labelled]
            for seed in given.seeds
            for name in given.datasets
        ]
        return stored(
            given,
            lambda store: fill(store, measured, tasks, given.jobs),
            lambda records: table(records, given.datasets),
        )

    return run(parser, arguments, work)


def _sets(sides: Sequence[str]) -> Iterator[tuple[str, ...]]:
    n = len(sides)
    for size in range(1, n + 1) if n <= _ALL_SETS else (1, n - 1, n):
        yield from itertools.combinations(sides, size)


def _some_labels(truth: Any, seed: int) -> dict[int, int]:
    """The classes of a few items, drawn at random."""
    known = np.flatnonzero(truth >= 0)
    number = round(_LABELLED * len(known))
    rows = np.random.default_rng(seed).choice(known, number, replace=False)
    return {int(row): int(truth[row]) for row in rows}


def _measured(task: Record, data: Path | None, cache: Path) -> list[Record]:
    """Accuracy by every set of sides and by what is chosen; or by what is chosen by labels."""
    from comraf import Organizer
    from comraf.metrics import micro_accuracy
    from comraf.select import audit, choose

    every, seed = load(task["collection"], data, cache), task["seed"]
    ready, k, cpu = every.ready(), every.n_classes, time.process_time()
    sides, known = tuple(ready.tables), every.truth >= 0

    def scored(options: Mapping[str, Any]) -> float:
        labels = Organizer(**{"n_clusters": k, **options}, random_state=seed).fit(ready).labels_
        return float(micro_accuracy(every.truth[known], labels[known]))

    labels = _some_labels(every.truth, seed) if task["labelled"] else None
    options = choose(ready, k, by=sides, labels=labels, random_state=seed).options
    found: Record = {"chosen": options}
    sets = {}
    if not task["labelled"]:
        sets = {by: scored({"by": by}) for by in _sets(sides)}
        asked = audit(ready, k, by=sides, seed=seed)
        kept = asked.kept
        found |= {
            "sets": [[*by, score] for by, score in sets.items()],
            "verdicts": asked.sentence,
            "audit": sets[kept] if kept in sets else scored({"by": kept}),
        }
    own = {*options} == {"n_clusters", "by"} and tuple(options["by"]) in sets
    found["select"] = sets[tuple(options["by"])] if own else scored(options)
    return [{**found, "cpu": time.process_time() - cpu}]


def table(records: Sequence[Record], datasets: Sequence[str]) -> str:
    """Markdown: regrets of all sides and of what is chosen, and the audit beside one side.

    Examples
    --------
    >>> run = {"collection": "aaai", "seed": 0, "labelled": False, "verdicts": "people: harms"}
    >>> run |= {"sets": [["words", 0.5], ["people", 0.2], ["words", "people", 0.4]]}
    >>> print(table([run | {"audit": 0.5, "select": 0.4}], ["aaai"]).splitlines()[2])
    | aaai, B | people: harms | 40.0 | 50.0 (words) | 10.0 | 0.0 | 10.0 | – | +0.0 |
    """
    heads = ["collection, half", "verdicts, first seed", "all sides", "best set", "regret: all"]
    heads += ["audit", "select", "select, 5% labels", "audit beside the best side"]
    rows, means = [], defaultdict(list)
    for name in datasets:
        mine = [r for r in records if r["collection"] == name]
        plain = sorted((r for r in mine if not r["labelled"]), key=lambda r: r["seed"])
        if not plain:
            continue
        sets = defaultdict(list)
        for *by, score in (one for r in plain for one in r["sets"]):
            sets[tuple(by)].append(score)
        score_of = {by: float(np.mean(scores)) for by, scores in sets.items()}
        best, every = max(score_of, key=lambda by: score_of[by]), max(score_of, key=len)
        audited = [r["audit"] for r in plain]
        regrets = [
            score_of[best] - float(np.mean(scores)) if scores else float("nan")
            for scores in (
                sets[every],
                audited,
                [r["select"] for r in plain],
                [r["select"] for r in mine if r["labelled"]],
            )
        ]
        beside = float(np.mean(audited)) - max(s for by, s in score_of.items() if len(by) == 1)
        means[half(name)].append([*regrets, beside])
        rows.append(
            [
                f"{name}, {half(name)}",
                plain[0]["verdicts"],
                f"{100 * score_of[every]:.1f}",
                f"{100 * score_of[best]:.1f} ({' + '.join(best)})",
                *_points(regrets),
                f"{100 * beside:+.1f}",
            ]
        )
    for which, found in means.items():
        *regrets, beside = (
            float(np.mean(one[~np.isnan(one)])) if not np.isnan(one).all() else float("nan")
            for one in np.array(found).T
        )
        rows.append([f"**mean, {which}**", "", "", "", *_points(regrets), f"{100 * beside:+.1f}"])
    return markdown(heads, rows) if rows else ""


def _points(shares: Sequence[float]) -> list[str]:
    return ["–" if share != share else f"{100 * share:.1f}" for share in shares]


if __name__ == "__main__":
    sys.exit(main())
