"""How large groups come out: even, free, and what ``sizes="auto"`` makes of the two.

::

    python -m benchmarks.group_sizes --data DIR                   # both halves
    python -m benchmarks.group_sizes --data DIR --collections tdt2 20ng:2000 --seeds 0-4 --jobs 2
    python -m benchmarks.group_sizes --data DIR --words           # texts by their words alone

As many groups as classes, default effort and sides; the share of items is that of the best pairing
of groups with classes, in percent, ± its standard error over seeds. A collection counts as uneven
by the entropy of its classes beside that of equal ones. The rule was chosen on half A.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.every_data import Every, load
from benchmarks.halves import half
from benchmarks.harness import fill, given_folder, markdown, parser_of, percent, run, stored
from benchmarks.store import Record, ResultStore
from comraf.estimators.organizer import Organizer
from comraf.metrics import ari, one_to_one_accuracy

__all__ = ["COLLECTIONS", "evenness", "main"]

#: The collections of the table, half A first.
COLLECTIONS = (
    *("20ng", "20ng:2000", "100each-0", "similar3", "different3", "beck-s", "farmer-d"),
    *("kitchen-l", "webkb", "k1b", "wap", "classic", "cora", "citeseer", "brown", "imdb"),
    *("Handwritten", "3Sources", "Reuters-1200", "WebKB"),
    *("tdt2", "tdt2:2000", "reuters", "tr31", "hitech", "news", "tweets", "tweets:2000", "aaai"),
    *("ambient-1", "ambient-2", "ambient-3", "MSRC_v1", "Movies", "BBCSport", "Wikipedia"),
)
_ENDS = ("even", "free", "auto")
#: Classes less even than this are uneven.
_EVEN = 0.93
_NEAR = 0.03


def evenness(truth: np.ndarray) -> float:
    """Entropy of the classes, as a share of what equal ones have.

    Examples
    --------
    >>> round(evenness(np.array([0, 0, 1, 1, -1])), 3), round(evenness(np.array([0, 0, 0, 1])), 3)
    (1.0, 0.811)
    """
    sizes = np.bincount(truth[truth >= 0])
    share = sizes[sizes > 0] / sizes.sum()
    return float(-(share * np.log(share)).sum() / max(np.log(len(share)), 1e-12))


def measure(given: argparse.Namespace, store: ResultStore) -> None:
    """Fill the store with what is missing in it."""
    data = given_folder(given.data)
    asked = {"words": given.words, "effort": given.effort}
    tasks = [
        {"collection": name, "seed": seed, **asked}
        for name in given.collections
        if not given.words or "words" in load(name, data, given.cache).tables
        for seed in given.seeds
    ]
    fill(store, partial(_fitted, data=data, cache=given.cache), tasks, given.jobs)


def _fitted(task: Record, data: Path | None, cache: Path) -> list[Record]:
    """What all three ends make of a collection."""
    every = load(task["collection"], data, cache)
    auto = _end(every, "auto", task)
    took, left = ("free", "even") if auto["linked"] else ("even", "free")
    # a test holds that labels are the same
    return [_end(every, left, task), {**auto, "sizes": took}, auto]


def _end(every: Every, sizes: str, task: Record) -> Record:
    sides = ["words"] if task["words"] else None
    cpu = time.process_time()
    model = Organizer(
        every.n_classes, effort=task["effort"], sizes=sizes, random_state=task["seed"]
    )
    model.fit(every.ready(sides))
    scored = every.truth >= 0
    truth, labels = every.truth[scored], model.labels_[scored]
    return {
        "items": len(every),
        "classes": every.n_classes,
        "evenness": evenness(every.truth),
        "sizes": sizes,
        "linked": any(point.action == "link" for point in model.result_.trace),
        "one_to_one": one_to_one_accuracy(truth, labels),
        "ari": ari(truth, labels),
        "cpu": time.process_time() - cpu,
    }


def table(records: Sequence[Record], collections: Sequence[str], effort: str) -> str:
    """Markdown of both halves, each with its means."""
    heads = ["collection", "items", "classes", "evenness", *_ENDS, "auto took free"]
    parts = []
    for side, about in (("A", "the rule was chosen on"), ("B", "reported")):
        rows, found = [], {}
        for name in collections:
            mine = [r for r in records if r["collection"] == name and r["effort"] == effort]
            if half(name) != side or not mine:
                continue
            scores = {end: [r["one_to_one"] for r in mine if r["sizes"] == end] for end in _ENDS}
            auto = [r for r in mine if r["sizes"] == "auto"]
            found[name] = mine[0]["evenness"], {e: statistics.fmean(s) for e, s in scores.items()}
            rows.append(
                [
                    name.partition(":")[0],
                    f"{mine[0]['items']:,}",
                    mine[0]["classes"],
                    f"{mine[0]['evenness']:.2f}",
                    *(percent(scores[end]) for end in _ENDS),
                    f"{sum(r['linked'] for r in auto)} of {len(auto)}",
                ]
            )
        if rows:
            parts += [f"Half {side} ({about}):", markdown(heads, rows), _summary(found)]
    return "\n\n".join(parts)


def _summary(found: dict[str, tuple[float, dict[str, float]]]) -> str:
    lines = []
    for what, uneven in (("uneven", True), ("even", False)):
        mine = [means for even, means in found.values() if (even < _EVEN) == uneven]
        if mine:
            gained = {e: 100 * statistics.fmean(m[e] - m["even"] for m in mine) for e in _ENDS}
            lines.append(
                f"{len(mine)} {what}: free {gained['free']:+.1f}, auto {gained['auto']:+.1f} "
                "points on average"
            )
    near = [m["auto"] >= max(m["even"], m["free"]) - _NEAR for _, m in found.values()]
    lines.append(f"auto within 3 points of the better end: {sum(near)} of {len(near)}")
    return "; ".join(lines) + "."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("group_sizes", __doc__, "data", "cache", "table_only"),
        seeds=[0, 1],
        effort="default",
        jobs=1,
        out="group-sizes",
    )
    parser.add_argument("--words", action="store_true", help="by words alone, where there are any")
    parser.add_argument("--collections", nargs="+", metavar="NAME", default=list(COLLECTIONS))

    def work(given: argparse.Namespace) -> int:
        def show(records: list[Record]) -> str:
            mine = [record for record in records if record["words"] == given.words]
            return table(mine, given.collections, given.effort)

        return stored(given, lambda store: measure(given, store), show)

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
