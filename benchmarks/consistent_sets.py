"""Whether links that must hold ever break: many small random sets of links that can all hold.

::

    python -m benchmarks.consistent_sets --sets 10000

Each set has 4 to 30 rows of random points, 2 to 5 classes drawn for them, and 1 to 40 links between
random rows that say what the classes say. A set counts as broken if any link is; where clusters
overlap, linked rows share all of theirs or none.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.harness import parser_of, print_table, run

__all__ = ["broken_sets", "main"]

Pairs = list[tuple[int, int]]


def _maker(name: str, **options: Any) -> Callable[[int, int], Any]:
    def make(k: int, seed: int) -> Any:
        estimator = getattr(import_module("comraf.kmeans"), name)
        return estimator(k, n_init=1, random_state=seed, **options)

    return make


_HOLD = {"link_weight": math.inf}
#: Every estimator whose links can be made to hold.
MAKERS: dict[str, Callable[[int, int], Any]] = {
    "cop": _maker("COPKMeans"),
    "hmrf": _maker("HMRFKMeans", inference="icm", **_HOLD),
    "hmrf-bp": _maker("HMRFKMeans", inference="bp", **_HOLD),
    "hmrf-lp": _maker("HMRFKMeans", inference="lp", **_HOLD),
    "mpck": _maker("MPCKMeans", **_HOLD),
    "kernel": _maker("KernelKMeans", kernel="linear", **_HOLD),
    "overlap": _maker("OverlappingKMeans", **_HOLD),
}


def broken_sets(name: str, sets: int, seed: int = 0) -> tuple[int, int]:
    """How many sets had a broken link, and how many links there were in all.

    Examples
    --------
    >>> broken_sets("cop", 5)[0]
    0
    """
    rng = np.random.default_rng(seed)
    broken = total = 0
    for number in range(sets):
        k = int(rng.integers(2, 6))
        n = int(rng.integers(k + 2, 31))
        X = rng.normal(size=(n, 2))
        classes = rng.integers(k, size=n)
        k = len(np.unique(classes))  # a class that was not drawn may leave too few groups
        must: Pairs = []
        cannot: Pairs = []
        for _ in range(int(rng.integers(1, 41))):
            a, b = (int(row) for row in rng.choice(n, 2, replace=False))
            (must if classes[a] == classes[b] else cannot).append((a, b))
        model = MAKERS[name](k, number).fit(X, must_link=must, cannot_link=cannot)
        members = getattr(model, "memberships_", np.eye(k, dtype=bool)[model.labels_])
        wrong = sum((members[a] != members[b]).any() for a, b in must)
        wrong += sum((members[a] & members[b]).any() for a, b in cannot)
        broken += bool(wrong)
        total += len(must) + len(cannot)
    return broken, total


def main(arguments: Sequence[str] | None = None) -> int:
    """Count broken sets, estimator by estimator."""
    parser = parser_of("consistent_sets", __doc__, seed=0)
    add = parser.add_argument
    add("--sets", type=int, default=10_000, metavar="N", help="how many; default 10,000")
    add("--methods", nargs="+", default=list(MAKERS), choices=list(MAKERS))

    def rows(given: argparse.Namespace) -> Iterator[list[str]]:
        for name in given.methods:
            broken, links = broken_sets(name, given.sets, given.seed)
            yield [name, f"{given.sets:,}", f"{links:,}", f"{broken:,}"]

    heads = ["estimator", "sets", "links", "sets with a broken link"]
    return run(parser, arguments, lambda given: print_table(heads, rows(given)))


if __name__ == "__main__":
    sys.exit(main())
