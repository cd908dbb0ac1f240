"""How near the number of groups that the data suggest is to the number of classes.

::

    python -m benchmarks.how_many --data DIR --jobs 2
    python -m benchmarks.how_many --data DIR --datasets reuters tdt2 --seeds 0

Beside it the number of HDBSCAN's clusters (of ten items and more), and the one with the largest
silhouette of KMeans, both on 100 dimensions of LSA of up to 1,000 items.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.every_data import load
from benchmarks.halves import half
from benchmarks.harness import fill, given_folder, markdown, parser_of, run, stored
from benchmarks.methods import lsa
from benchmarks.store import Record

__all__ = ["main"]

DATASETS = (
    *("20ng", "k1b", "wap", "classic", "cora", "citeseer", "beck-s", "farmer-d", "kitchen-l"),
    *("webkb", "imdb", "similar3", "different3", "Reuters-1200", "brown", "Handwritten"),
    *("tdt2", "reuters", "hitech", "tr31", "aaai", "MSRC_v1", "Movies", "BBCSport", "Wikipedia"),
    *("corel", "ambient"),
)
_FIXED = (5, 12, 27)
#: Numbers of classes that count.
_COUNTED = range(3, 151)
# Peers look at so many items; clusters of HDBSCAN have so many, and KMeans so many starts.
_SAMPLE, _SMALLEST, _STARTS = 1000, 10, 1
_CANDIDATES = (*range(2, 13), 14, 16, 18, 20, 23, 26, 30, 35, 40, 50, 60)
_ONE_NUMBER = {
    "best": "best",
    "rule of thumb": "thumb",
    "HDBSCAN": "hdbscan",
    "silhouette": "silhouette",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of(
        *("how_many", __doc__, "data", "cache", "table_only"),
        datasets=list(DATASETS),
        seeds=["0-4"],
        jobs=1,
        out="how-many",
    )

    def work(given: argparse.Namespace) -> int:
        data = given_folder(given.data)
        tasks = [{"collection": n, "seed": seed} for n in given.datasets for seed in given.seeds]
        found = partial(_found, data=data, cache=given.cache)
        return stored(
            given,
            lambda store: fill(store, found, tasks, given.jobs),
            lambda records: table(records, given.datasets),
        )

    return run(parser, arguments, work)


def _found(task: Record, data: Path | None, cache: Path) -> list[Record]:
    """Every number of one collection."""
    from comraf.estimators.organizer import default_k
    from comraf.select import how_many

    every, seed, cpu = load(task["collection"], data, cache), task["seed"], time.process_time()
    ready = every.ready()
    found = how_many(ready, seed=seed)
    counts = max(ready.tables.values(), key=lambda one: float(one.sum()))
    rows = np.sort(np.random.default_rng(seed).permutation(len(every))[:_SAMPLE])
    points = lsa(counts[rows], seed)
    return [
        {
            "classes": every.n_classes,
            "best": None if found is None else found.best,
            "good": [] if found is None else list(found.plateaus),
            "thumb": default_k(len(every)),
            "hdbscan": _by_hdbscan(points),
            "silhouette": _by_silhouette(points, seed),
            "cpu": time.process_time() - cpu,
        }
    ]


def _by_hdbscan(points: Any) -> int:
    from sklearn.cluster import HDBSCAN

    return int(HDBSCAN(min_cluster_size=_SMALLEST, copy=True).fit(points).labels_.max()) + 1


def _by_silhouette(points: Any, seed: int) -> int:
    """The number of clusters with the largest silhouette.

    Examples
    --------
    >>> _by_silhouette(np.repeat(np.eye(3), 5, axis=0) + 1e-3 * np.arange(15)[:, None], 0)
    3
    """
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    def score(k: int) -> float:
        labels = KMeans(k, n_init=_STARTS, random_state=seed).fit_predict(points)
        return float(silhouette_score(points, labels)) if labels.any() else -1.0

    return max((k for k in _CANDIDATES if k < len(points)), key=score)


def _within(number: int | None, classes: int, factor: float) -> bool:
    return bool(number) and max(number / classes, classes / number) <= factor


def table(records: Sequence[Record], datasets: Sequence[str]) -> str:
    """Markdown: of each collection the numbers of the first seed; how many are right of all.

    Examples
    --------
    >>> run = {"collection": "tdt2", "seed": 0, "classes": 30, "best": 17, "good": [7, 17]}
    >>> run |= {"thumb": 40, "hdbscan": 80, "silhouette": 50}
    >>> print(table([run], ["tdt2"]))
    | collection, half | classes | best | good numbers | rule of thumb | HDBSCAN | silhouette |
    |---|---|---|---|---|---|---|
    | tdt2, B | 30 | 17 | 7, 17 | 40 | 80 | 50 |
    | **within 2, B** | 12: 0% | 100% |  | 100% | 0% | 100% |
    | **within 1.5, B** | 5, 12, 27: 100% |  | 0% |  |  |  |
    """
    heads = ["collection, half", "classes", "best", "good numbers", *list(_ONE_NUMBER)[1:]]
    return markdown(heads, _lines([r for r in records if r["collection"] in datasets], datasets))


def _lines(records: Sequence[Record], datasets: Sequence[str]) -> Iterator[Sequence[object]]:
    for name in datasets:
        mine = sorted((r for r in records if r["collection"] == name), key=lambda r: r["seed"])
        if mine and mine[0]["best"] is not None:
            first = mine[0]
            best, *others = (first[key] or "none" for key in _ONE_NUMBER.values())
            good = ", ".join(map(str, first["good"]))
            yield f"{name}, {half(name)}", first["classes"], best, good, *others
    for which in ("A", "B"):
        counted = [
            r
            for r in records
            if half(r["collection"]) == which and r["classes"] in _COUNTED and r["best"] is not None
        ]
        if counted:
            yield from _right(counted, which)


def _right(records: Sequence[Record], which: str) -> Iterator[Sequence[object]]:
    """How often each way is right: a number within 2, some number within 1.5."""

    def share(right: Sequence[bool]) -> str:
        return f"{np.mean(right):.0%}"

    fixed = share([_within(_FIXED[1], r["classes"], 2) for r in records])
    best, *others = (
        share([_within(r[key], r["classes"], 2) for r in records]) for key in _ONE_NUMBER.values()
    )
    yield f"**within 2, {which}**", f"{_FIXED[1]}: {fixed}", best, "", *others
    always, some = (
        share([any(_within(k, r["classes"], 1.5) for k in numbers(r)) for r in records])
        for numbers in (lambda r: _FIXED, lambda r: r["good"])
    )
    named = ", ".join(map(str, _FIXED))
    yield f"**within 1.5, {which}**", f"{named}: {always}", "", some, *("" for _ in others)


if __name__ == "__main__":
    sys.exit(main())
