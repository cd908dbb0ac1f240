"""How often the number of classes is found: BIC, description length, and links held out.

::

    python -m benchmarks.choosing --data DIR
    python -m benchmarks.choosing --cache CACHE --draws 10

Each draw takes other links (or planted points) and another seed; candidates are 2 to 8 clusters.
``found`` is the share of draws that chose the true number, ``off`` by how many they were wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.constraint_curves import table_at
from benchmarks.constraint_data import draw_pairs, prepare
from benchmarks.constraints import metrics_of
from benchmarks.run import default_cache
from comraf.errors import ComrafError

__all__ = ["main", "planted"]

CANDIDATES = range(2, 9)
DATASETS = ("iris", "digits-389", "letters-ijl", "3news-different-100", "3news-similar-100")
#: How a number is chosen: the criterion, and how many links it is told.
WAYS: dict[str, tuple[str, int]] = {
    "BIC": ("bic", 0),
    "description length": ("mdl", 0),
    "50 links": ("links", 50),
    "200 links": ("links", 200),
}


def planted(seed: int) -> tuple[Any, Any]:
    """Round clusters in five dimensions, as many as the seed says: 2 to 6.

    Examples
    --------
    >>> X, classes = planted(1)
    >>> X.shape, len(set(classes.tolist()))
    ((300, 5), 3)
    """
    rng = np.random.default_rng(seed)
    k = 2 + seed % 5
    classes = np.arange(300) % k
    return rng.normal(0, 4, (k, 5))[classes] + rng.normal(size=(300, 5)), classes


def _chosen(X: Any, truth: Any, metric: str, way: str, seed: int) -> int:
    from comraf.kmeans import HMRFKMeans, KMeans, choose_n_clusters

    criterion, links = WAYS[way]
    if not links:
        model: Any = KMeans(metric=metric, n_init=5)
        return choose_n_clusters(X, model, CANDIDATES, criterion=criterion, random_state=seed).best
    must, cannot = [], []
    for i, j in draw_pairs(np.arange(len(truth)), links, [seed]).tolist():
        (must if truth[i] == truth[j] else cannot).append((i, j))
    model = HMRFKMeans(metric=metric, n_init=3)
    return choose_n_clusters(
        X,
        model,
        CANDIDATES,
        criterion=criterion,
        must_link=must,
        cannot_link=cannot,
        folds=max(2, min(5, len(must), len(cannot))),
        random_state=seed,
    ).best


def _rows(given: argparse.Namespace) -> dict[str, Callable[[int], tuple[Any, Any, str]]]:
    rows: dict[str, Callable[[int], tuple[Any, Any, str]]] = {
        "round clusters, 2 to 6": lambda seed: (*planted(seed), "euclidean")
    }
    data = None if given.data is None else Path(given.data)
    for name in given.datasets:
        table = table_at(str(prepare(name, data, given.cache)))
        metric = metrics_of(name, None, active=True)[0]
        rows[f"{name}, {table.k}"] = lambda seed, t=table, m=metric: (t.rows, t.truth, m)  # type: ignore[misc]
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.choosing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", help="folder of the raw collections (default: environment COMRAF_DATA)")
    add("--cache", type=Path, default=default_cache(), help="tables; default: %(default)s")
    add("--datasets", nargs="+", default=list(DATASETS), metavar="NAME")
    add("--draws", type=int, default=5, metavar="N", help="default 5")
    given = parser.parse_args(arguments)
    try:
        rows = _rows(given)
        print(f"| data, classes | {' | '.join(f'{way}: found, off' for way in WAYS)} |")
        print("|---" * (len(WAYS) + 1) + "|")
        for name, draw in rows.items():
            cells = []
            for way in WAYS:
                off = []
                for seed in range(given.draws):
                    X, truth, metric = draw(seed)
                    k = len(np.unique(truth))
                    off.append(_chosen(X, truth, metric, way, seed) - k)
                hits = sum(gap == 0 for gap in off)
                cells.append(f"{hits} of {len(off)}, {np.mean(off):+.1f}")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    except ComrafError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
