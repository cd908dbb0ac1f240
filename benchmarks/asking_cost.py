"""What the questions about sides and numbers of groups cost beside a default run.

::

    python -m benchmarks.asking_cost --data DIR
    python -m benchmarks.asking_cost --data DIR --datasets citeseer:800 beck-s

Seconds of one processor, the smallest of three, in a process in which all is compiled; *share* is
that of both questions in the run without them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from benchmarks.every_data import load
from benchmarks.harness import given_folder, parser_of, print_table, run

__all__ = ["main"]

DATASETS = (
    *("citeseer:800", "cora", "beck-s:800", "farmer-d", "20ng:2000", "k1b", "BBCSport", "aaai"),
    *("WebKB", "reuters:2000"),
)
_TIMES = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("asking_cost", __doc__, "data", "cache", datasets=list(DATASETS))
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    heads = ["collection", "default run", "sides", "number of groups", "share"]
    print_table(heads, _lines(given))


def _seconds(work: Callable[[], object]) -> float:
    found = []
    for _ in range(1 + _TIMES):  # what comes first also compiles
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found[1:])


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    from comraf import Organizer
    from comraf.select import audit, how_many

    for name in given.datasets:
        collection = load(name, given_folder(given.data), given.cache)
        ready, k = collection.ready(), collection.n_classes
        whole, sides, numbers = (
            _seconds(work)
            for work in (
                lambda ready=ready, k=k: Organizer(k, random_state=0).fit(ready),
                lambda ready=ready, k=k: audit(ready, k),
                lambda ready=ready: how_many(ready),
            )
        )
        share = f"{(sides + numbers) / whole:.0%}"
        yield name, f"{whole:.2f} s", f"{sides:.2f} s", f"{numbers:.2f} s", share


if __name__ == "__main__":
    sys.exit(main())
