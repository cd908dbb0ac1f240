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
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.constraint_curves import table_at
from benchmarks.constraint_data import draw_pairs, prepare
from benchmarks.constraints import metrics_of
from benchmarks.harness import given_folder, parser_of, print_table, run

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
    data = given_folder(given.data)
    for name in given.datasets:
        table = table_at(str(prepare(name, data, given.cache)))
        metric = metrics_of(name, None, active=True)[0]
        rows[f"{name}, {table.k}"] = lambda seed, t=table, m=metric: (t.rows, t.truth, m)  # type: ignore[misc]
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("choosing", __doc__, "data", "cache", datasets=list(DATASETS), draws=5)
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    heads = ["data, classes", *(f"{way}: found, off" for way in WAYS)]
    print_table(heads, _lines(_rows(given), given.draws))


def _lines(rows: dict[str, Callable[[int], tuple[Any, Any, str]]], draws: int) -> Iterator[Any]:
    for name, draw in rows.items():
        cells = []
        for way in WAYS:
            off = []
            for seed in range(draws):
                X, truth, metric = draw(seed)
                off.append(_chosen(X, truth, metric, way, seed) - len(np.unique(truth)))
            cells.append(f"{sum(gap == 0 for gap in off)} of {len(off)}, {np.mean(off):+.1f}")
        yield name, *cells


if __name__ == "__main__":
    sys.exit(main())
