"""How often it is said that there may be nothing to find: of real and of shuffled collections.

::

    python -m benchmarks.nothing --data DIR
    python -m benchmarks.nothing --data DIR --datasets tweets news --draws 20

Samples of every collection at several sizes, and tables with the same sums of rows and columns
whose counts were dealt out at random. The number of groups is the root of half of the items.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.every_data import NAMES, load
from benchmarks.halves import half
from benchmarks.harness import given_folder, parser_of, print_table, run

__all__ = ["dealt", "main"]

SIZES = (40, 100, 400, 1500)
_QUERIES = tuple(f"ambient-{number}" for number in (3, 8, 13, 20, 25, 33, 41))
DATASETS = (
    *(name for name in NAMES if "-" not in name or name in ("beck-s", "kitchen-l", "Reuters-1200")),
    *_QUERIES,
)


def dealt(table: Any, rng: np.random.Generator) -> sp.csr_array:
    """The same sums of rows and columns, every single count dealt out at random.

    Examples
    --------
    >>> dealt([[2, 0], [0, 3]], np.random.default_rng(0)).sum(axis=0).tolist()
    [2, 3]
    """
    table = sp.csr_array(table)
    counts = np.maximum(1, np.rint(table.data)).astype(np.int64)
    rows = np.repeat(np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)), counts)
    columns = rng.permutation(np.repeat(table.indices, counts))
    return sp.csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=table.shape)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("nothing", __doc__, "data", "cache", datasets=list(DATASETS), draws=5)
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    heads = ["collection, half", *(f"{size:,}" for size in SIZES), "alarms on shuffled ones"]
    print_table(heads, _lines(given))


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    from comraf.estimators.organizer import default_k
    from comraf.select import structure

    data = given_folder(given.data)
    for name in given.datasets:
        collection = load(name, data, given.cache)
        tables: Mapping[str, Any] = {
            side: collection.tables[side]
            for side in collection.usual
            if sp.issparse(collection.tables[side]) and side not in collection.weights
        }
        if not tables:
            continue
        cells, alarms, asked = [], 0, 0
        for size in SIZES:
            if size > len(collection) and size != SIZES[0] and len(collection) <= SIZES[0]:
                cells.append("")
                continue
            p_values = []
            for draw in range(given.draws):
                rng = np.random.default_rng([size, draw])
                rows = np.sort(rng.permutation(len(collection))[:size])
                drawn = {side: sp.csr_array(table)[rows] for side, table in tables.items()}
                k = default_k(len(rows))
                p_values.append(structure(drawn, k, seed=draw).found)
                shuffled = {side: dealt(table, rng) for side, table in drawn.items()}
                said = structure(shuffled, k, seed=draw).found
                alarms, asked = alarms + (said is False), asked + (said is not None)
            known = [said for said in p_values if said is not None]
            cells.append(f"{sum(not said for said in known)} of {len(known)}")
        yield f"{name}, {half(name)}", *cells, f"{alarms} of {asked}"


if __name__ == "__main__":
    sys.exit(main())
