"""Table 4.6 of the thesis, with all methods, on made-up pages.

::

    python -m benchmarks.appearances --data DIR          # texts of newsgroups
    python -m benchmarks.appearances                     # texts of comraf's own sample mailbox
    python -m benchmarks.appearances --seeds 10 11 12 13 --jsonl appearances.jsonl

The pages are generated (see :mod:`benchmarks.appearances_data`): nothing here says how well a
method does on real ones. Each seed is one circle of twelve names; the four circles take turns.
Seeds below 10 were looked at while the methods were made, so the usual ones begin at 10.

Methods take a third of all pages as in 4.7.4, or (``--size true``) as many as are about the
circle, as in 6.6.1: then precision, recall and F are one number. Clusters have their own size in
either case, and "best cluster" is chosen by the truth, as the thesis does for the baseline.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.appearances_data import COUNTER, circles, newsgroup_texts, sample_texts, write_pages
from benchmarks.harness import markdown, parser_of, percent, run
from comraf.appearances import (
    METHODS,
    POPULAR_HOSTS,
    Evidence,
    find_appearances,
    gather,
    read_pages,
)
from comraf.metrics import one_class_precision_recall_f
from comraf.workflows.appearances.methods import agglomerative_tree

__all__ = ["Score", "main", "measured", "table"]

_TITLES = {
    "best cluster": "agglomerative, best cluster (by the truth)",
    "agglomerative": "agglomerative, by links shared",
    "links": "link structure",
    "comraf": "Comraf, 2-modal",
    "occc": "OCCC",
    "ltb": "LTB",
    "links+comraf, paper": "links + Comraf, as published",
    "links+occc, paper": "links + OCCC, as published",
    "links+ltb, paper": "links + LTB, as published",
    "links+comraf": "links + Comraf, guided",
    "links+occc": "links + OCCC, guided",
    "links+ltb": "links + LTB, guided",
}


@dataclass(frozen=True)
class Score:
    """One method on the pages of one seed."""

    seed: int
    circle: str
    method: str
    size: str
    n_core: int
    precision: float
    recall: float
    f: float
    seconds: float


def best_cluster(tree: Any, truth: Sequence[bool | None]) -> Any:
    """The cluster of a whole tree that has the best F, which only the truth can tell.

    This is how the thesis reads the agglomerative baseline: an upper bound of it.

    Examples
    --------
    >>> tree = np.array([[0.0, 1.0, 0.1, 2.0], [2.0, 3.0, 0.5, 3.0]])
    >>> best_cluster(tree, [True, True, False]).tolist()
    [True, True, False]
    """
    n = len(truth)
    right = np.array([value is True for value in truth], dtype=np.int64)
    known = np.array([value is not None for value in truth], dtype=np.int64)
    hits, sizes = [*right.tolist()], [*known.tolist()]
    for a, b in tree[:, :2].astype(np.int64):
        hits.append(hits[a] + hits[b])
        sizes.append(sizes[a] + sizes[b])
    f = 2.0 * np.array(hits) / (np.array(sizes) + max(1, right.sum()))
    members = np.zeros(n, dtype=bool)
    stack = [int(np.argmax(f))]
    while stack:
        node = stack.pop()
        if node < n:
            members[node] = True
        else:
            stack += tree[node - n, :2].astype(np.int64).tolist()
    return members


def measured(evidence: Evidence, size: str, effort: str, seed: int) -> Iterator[tuple[str, Any]]:
    """Name, core and seconds of every method on some pages."""
    truth = evidence.truth or []
    wanted: dict[str, Any] = {"effort": effort, "random_state": seed}
    if size == "true":
        wanted["n_core"] = sum(value is True for value in truth)
    begun = time.perf_counter()
    core = np.flatnonzero(best_cluster(agglomerative_tree(evidence), truth))
    yield "best cluster", (core, time.perf_counter() - begun)
    for method in METHODS:
        for guided in (False, True) if "+" in method else (True,):
            begun = time.perf_counter()
            found = find_appearances(evidence, method=method, guided=guided, **wanted)
            name = method if guided else f"{method}, paper"
            yield name, (found.core, time.perf_counter() - begun)


def table(scores: Sequence[Score]) -> str:
    """Means over seeds with their standard errors, in Markdown.

    Examples
    --------
    >>> print(table([Score(1, "c", "links", "third", 9, 0.8, 0.6, 0.7, 1.0)]))
    | method | precision | recall | F | seconds |
    |---|---|---|---|---|
    | link structure | 80.0 | 60.0 | 70.0 | 1.0 |
    """
    lines = []
    for method, title in _TITLES.items():
        some = [score for score in scores if score.method == method]
        if some:
            cells = [percent([getattr(score, what) for score in some]) for what in _WHAT]
            took = float(np.mean([score.seconds for score in some]))
            lines.append([title, *cells, f"{took:.1f}"])
    return markdown(["method", "precision", "recall", "F", "seconds"], lines)


_WHAT = ("precision", "recall", "f")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print the table."""
    parser = parser_of("appearances", __doc__, "data", seeds=[10, 11, 12, 13], effort="default")
    add = parser.add_argument
    add("--size", choices=("third", "true"), default="third")
    add("--background", choices=("wordfreq", "flat"), default="wordfreq")
    add("--jsonl", type=Path, help="write every score to this file")
    return run(parser, arguments, _print)


def _print(asked: argparse.Namespace) -> None:
    scores = _all(asked)
    print(f"\nGenerated pages, {len(asked.seeds)} seeds, core size: {asked.size}\n")
    print(table(scores))
    if asked.jsonl is not None:
        lines = "".join(json.dumps(asdict(score)) + "\n" for score in scores)
        asked.jsonl.write_text(lines, encoding="utf-8")


def _all(asked: argparse.Namespace) -> list[Score]:
    texts = sample_texts() if asked.data is None else newsgroup_texts(Path(asked.data))
    background = None if asked.background == "wordfreq" else "flat"
    hosts = POPULAR_HOSTS | {COUNTER.partition("/")[0]}
    scores: list[Score] = []
    for seed in asked.seeds:
        circle = circles(texts)[seed % 4]
        with tempfile.TemporaryDirectory() as folder:
            write_pages(Path(folder), texts, circle, seed)
            evidence = gather(read_pages(folder).pages, background=background, popular=hosts)
        truth = evidence.truth
        for method, (core, seconds) in measured(evidence, asked.size, asked.effort, seed):
            score = one_class_precision_recall_f(truth, core)
            scores.append(
                Score(seed, circle.name, method, asked.size, len(core), *score, round(seconds, 3))
            )
        told = ", ".join(f"{s.method} {100 * s.f:.1f}" for s in scores if s.seed == seed)
        print(f"seed {seed}, {circle.name}, {len(evidence.pages)} pages: F {told}", flush=True)
    return scores


if __name__ == "__main__":
    sys.exit(main())
