"""Our single default answer beside the peers, on every collection with known classes.

::

    python -m benchmarks.every_peers --data DIR --jobs 2
    python -m benchmarks.every_peers --data DIR --collections tr31 BBCSport --seeds 0

As many groups as classes. *comraf* is what `comraf.organize` answers: the sides that the audit
keeps, default effort. sib (where it is installed) and KMeans on LSA have the side with most
counts, spectral clustering has all usual sides; that does not depend on the seed and is run once.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.every_data import Every, load
from benchmarks.group_sizes import COLLECTIONS as WHOLE
from benchmarks.halves import half
from benchmarks.harness import fill, given_folder, markdown, parser_of, percent, run, stored
from benchmarks.methods import METHODS as ON_WORDS
from benchmarks.methods import lsa
from benchmarks.multiview import prepared
from benchmarks.multiview_peers import multiview_spectral
from benchmarks.store import Record
from comraf.metrics import ari, nmi, one_to_one_accuracy

__all__ = ["COLLECTIONS", "main"]

_LARGE = ("20ng", "classic", "webkb", "reuters", "tdt2", "news", "tweets", "kitchen-l", "farmer-d")
#: Large ones as samples of 2,000 items, on which all methods can be run.
COLLECTIONS = tuple(
    dict.fromkeys(f"{name}:2000" if name in _LARGE else name for name in (*WHOLE, "corel"))
)
_SCORES = {"one_to_one": one_to_one_accuracy, "nmi": nmi, "ari": ari}


def _ours(every: Every, seed: int) -> Any:
    from comraf import Organizer
    from comraf.select import audit

    ready, k = every.ready(), every.n_classes
    kept = audit(ready, k, seed=seed).kept
    return Organizer(k, by=kept, random_state=seed).fit(ready).labels_


def _by_counts(method: str, every: Every, seed: int) -> Any:
    counts = max(every.ready().tables.values(), key=lambda one: float(one.sum()))
    return ON_WORDS[method].fit(sp.csr_matrix(counts), every.n_classes, seed, "raw")


def _spectral(every: Every, seed: int) -> Any:
    views = [
        lsa(table, seed) if sp.issparse(table) else prepared({side: table})[0]
        for side, table in ((side, every.tables[side]) for side in every.usual)
    ]
    return multiview_spectral(views, every.n_classes, seed)


METHODS: dict[str, Callable[[Every, int], Any]] = {
    "comraf": _ours,
    "sib": partial(_by_counts, "sib-n10"),
    "KMeans on LSA": partial(_by_counts, "kmeans-lsa"),
    "spectral, all sides": _spectral,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table for each score."""
    parser = parser_of(
        *("every_peers", __doc__, "data", "cache", "table_only"),
        seeds=["0-4"],
        methods=list(METHODS),
        jobs=1,
        out="every-peers",
    )
    parser.add_argument("--collections", nargs="+", metavar="NAME", default=list(COLLECTIONS))

    def work(given: argparse.Namespace) -> int:
        measured = partial(_measured, data=given_folder(given.data), cache=given.cache)
        tasks = list(_tasks(given))
        return stored(
            given,
            lambda store: fill(store, measured, tasks, given.jobs),
            lambda records: table(records, given.collections, given.methods),
        )

    return run(parser, arguments, work)


def _tasks(given: argparse.Namespace) -> Iterator[Record]:
    for method in given.methods:
        if method == "sib" and not ON_WORDS["sib-n10"].installed():
            continue
        for name in given.collections:
            for seed in given.seeds[: 1 if method == "spectral, all sides" else None]:
                yield {"collection": name, "method": method, "seed": seed}


def _measured(task: Record, data: Path | None, cache: Path) -> list[Record]:
    every = load(task["collection"], data, cache)
    cpu = time.process_time()
    labels = np.asarray(METHODS[task["method"]](every, task["seed"]))
    known, cpu = every.truth >= 0, time.process_time() - cpu
    scores = {name: float(of(every.truth[known], labels[known])) for name, of in _SCORES.items()}
    return [{"items": len(every), "classes": every.n_classes, **scores, "cpu": cpu}]


def table(records: Sequence[Record], collections: Sequence[str], methods: Sequence[str]) -> str:
    """Markdown: a table for each score, and how often each method is first.

    Examples
    --------
    >>> run = {"collection": "tdt2", "nmi": 0.8, "ari": 0.7, "seed": 0}
    >>> one, other = run | {"method": "comraf", "one_to_one": 0.8}, run | {"method": "sib"}
    >>> table([one, other | {"one_to_one": 0.6}], ["tdt2"], ["comraf", "sib"]).splitlines()[4]
    '| tdt2, B | 80.0 | 60.0 |'
    """
    titles = {"one_to_one": "One-to-one accuracy", "nmi": "NMI", "ari": "ARI"}
    parts = []
    for score, title in titles.items():
        rows, first = [], []
        for name in collections:
            found = {
                method: [
                    r[score] for r in records if (r["collection"], r["method"]) == (name, method)
                ]
                for method in methods
            }
            if any(found.values()):
                means = {m: np.mean(values) for m, values in found.items() if values}
                first.append(max(means, key=lambda m: means[m]))
                cells = (percent(found[method]) for method in methods)
                rows.append([f"{name}, {half(name)}", *cells])
        if rows:
            many = [f"{first.count(method)} of {len(first)}" for method in methods]
            heads = ["collection, half", *methods]
            parts += [f"{title}:", markdown(heads, [*rows, ["**first**", *many]])]
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
