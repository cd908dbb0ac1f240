"""How near the number of groups that the data suggest is to the number of classes.

::

    python -m benchmarks.how_many --data DIR
    python -m benchmarks.how_many --data DIR --datasets reuters tdt2
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from benchmarks.every_data import load
from benchmarks.halves import half
from benchmarks.harness import given_folder, parser_of, print_table, run

__all__ = ["main"]

DATASETS = (
    *("20ng", "k1b", "wap", "classic", "cora", "citeseer", "beck-s", "farmer-d", "kitchen-l"),
    *("webkb", "imdb", "similar3", "different3", "Reuters-1200", "brown", "Handwritten"),
    *("tdt2", "reuters", "hitech", "tr31", "aaai", "MSRC_v1", "Movies", "BBCSport", "Wikipedia"),
    *("corel", "ambient"),
)
_FIXED = (5, 12, 27)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = parser_of("how_many", __doc__, "data", "cache", datasets=list(DATASETS))
    return run(parser, arguments, _measure)


def _measure(given: argparse.Namespace) -> None:
    heads = ["collection, half", "classes", "best", "good numbers", "rule of thumb"]
    print_table(heads, _lines(given))


def _within(number: int, classes: int, factor: float) -> bool:
    return max(number / classes, classes / number) <= factor


def _lines(given: argparse.Namespace) -> Iterator[Sequence[str]]:
    from comraf.estimators.organizer import default_k
    from comraf.select import how_many

    right: dict[str, list[tuple[bool, ...]]] = {"A": [], "B": []}
    for name in given.datasets:
        collection = load(name, given_folder(given.data), given.cache)
        k, found = collection.n_classes, how_many(collection.ready())
        if found is None:
            continue
        if 3 <= k <= 150:
            right[half(name)].append(
                (
                    _within(found.best, k, 2),
                    any(_within(one, k, 1.5) for one in found.plateaus),
                    _within(_FIXED[1], k, 2),
                    any(_within(one, k, 1.5) for one in _FIXED),
                )
            )
        good = ", ".join(map(str, found.plateaus))
        yield (
            f"{name}, {half(name)}",
            str(k),
            str(found.best),
            good,
            str(default_k(len(collection))),
        )
    for which, each in right.items():
        if each:
            best, some, fixed, any_fixed = (
                f"{sum(one)} of {len(each)}" for one in zip(*each, strict=True)
            )
            yield (
                f"**right, {which}**",
                "",
                f"{best} (12: {fixed})",
                f"{some} (5, 12, 27: {any_fixed})",
                "",
            )


if __name__ == "__main__":
    sys.exit(main())
