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
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["broken_sets", "main"]

Pairs = list[tuple[int, int]]


def _cop(k: int, seed: int) -> Any:
    from comraf.kmeans import COPKMeans

    return COPKMeans(k, n_init=1, random_state=seed)


def _hmrf(inference: str) -> Callable[[int, int], Any]:
    def make(k: int, seed: int) -> Any:
        from comraf.kmeans import HMRFKMeans

        return HMRFKMeans(k, link_weight=math.inf, n_init=1, inference=inference, random_state=seed)

    return make


def _mpck(k: int, seed: int) -> Any:
    from comraf.kmeans import MPCKMeans

    return MPCKMeans(k, link_weight=math.inf, n_init=1, random_state=seed)


def _kernel(k: int, seed: int) -> Any:
    from comraf.kmeans import KernelKMeans

    return KernelKMeans(k, kernel="linear", link_weight=math.inf, n_init=1, random_state=seed)


def _overlap(k: int, seed: int) -> Any:
    from comraf.kmeans import OverlappingKMeans

    return OverlappingKMeans(k, link_weight=math.inf, n_init=1, random_state=seed)


#: Every estimator whose links can be made to hold.
MAKERS: dict[str, Callable[[int, int], Any]] = {
    "cop": _cop,
    "hmrf": _hmrf("icm"),
    "hmrf-bp": _hmrf("bp"),
    "hmrf-lp": _hmrf("lp"),
    "mpck": _mpck,
    "kernel": _kernel,
    "overlap": _overlap,
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
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.consistent_sets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--sets", type=int, default=10_000, metavar="N", help="how many; default 10,000")
    add("--seed", type=int, default=0, metavar="N", help="of all draws; default 0")
    add("--methods", nargs="+", default=list(MAKERS), choices=list(MAKERS))
    given = parser.parse_args(arguments)
    print("| estimator | sets | links | sets with a broken link |\n|---|---|---|---|")
    for name in given.methods:
        broken, links = broken_sets(name, given.sets, given.seed)
        print(f"| {name} | {given.sets:,} | {links:,} | {broken:,} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
