"""Clustering scientific papers by what they say and whom they cite (thesis, 4.8 and table 4.7).

::

    python -m benchmarks.papers --data DIR                    # ten runs of every row
    python -m benchmarks.papers --data DIR --collections cora --rows words words+citations:loop
    python -m benchmarks.papers --cache FOLDER --jobs 16      # where the tables are made already

A row names the sides of the graph; ``:loop`` joins words to the other sides as well, and
``:observed`` leaves citations as they are where other rows cluster them. Cora and
CiteSeer have one area a paper: accuracy is micro accuracy. The papers of AAAI-14 have one to
eight of 22 groups, in alphabetical order, so that none is the main one: there a paper is right
if the commonest group of its cluster is among its own, and NMI is over the 210 papers with a
single group. Numbers are means over runs with different seeds, ± the standard error.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from types import SimpleNamespace

import numpy as np

from benchmarks.harness import (
    given_folder,
    markdown,
    parallel,
    parser_of,
    percent,
    run,
    say,
    stored,
)
from benchmarks.papers_data import AAAI, CITING, COLLECTIONS, load, prepare, right
from benchmarks.store import Record, ResultStore
from comraf.errors import InputError
from comraf.estimators.organizer import Organizer
from comraf.metrics import nmi

__all__ = ["ROWS", "Task", "main", "perform", "table"]

_LOOP = ":loop"
_OBSERVED = ":observed"
_SIDES = ("words", "subjects", "people", "keywords", "topics")
_SHOWN = {
    "words": "words",
    "citations": "citations",
    "cited": "papers cited",
    "citing": "papers citing",
    "neighbours": "papers cited or citing (observed)",
}
# Subject lines are titles here, and words are those of the abstracts.
_SHOWN_AAAI = {"words": "abstracts", "subjects": "titles", "people": "authors"}

_CITING_ROWS = (
    "words",
    "citations",
    "words+citations",
    "words+citations:loop",
    "citations:observed",
    "words+citations:observed",
    "words+citations:observed:loop",
    "words+cited",
    "words+citing",
    "neighbours",
    "words+neighbours",
)
_LINKS = ("citations", "cited", "citing")
_EVERY = "+".join(_SIDES)
#: Collection -> the rows that are measured unless others are asked for.
ROWS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(CITING, _CITING_ROWS),
    AAAI: (
        *_SIDES,
        *("+".join(pair) for pair in combinations(_SIDES, 2)),
        # topics are named after groups: what the others reach without them
        "words+subjects+people+keywords",
        _EVERY,
        _EVERY + _LOOP,
    ),
}
#: What a run is known by.
_KEY = ("collection", "row", "seed", "weighting", "edge_weights", "effort")


@dataclass(frozen=True, slots=True)
class Task:
    """One fit: what is needed for it in another process, too."""

    collection: str
    row: str
    seed: int
    weighting: str
    edge_weights: str
    effort: str
    path: str


def perform(task: Task) -> Record:
    """Fit a graph and score it."""
    papers = load(task.collection, task.path)
    sides, shape, observe = _parts(task.row)
    missing = [side for side in sides if side not in papers.tables]
    if missing:
        raise InputError(
            f"{task.collection} has no side {missing[0]!r}; its sides are {list(papers.tables)}"
        )
    chosen = SimpleNamespace(tables={side: papers.tables[side] for side in sides})
    start = time.perf_counter()
    model = Organizer(
        papers.classes.shape[1],
        by=list(sides),
        graph=shape,
        weighting=task.weighting,
        edge_weights=task.edge_weights,
        observe=observe,
        effort=task.effort,
        random_state=task.seed,
    ).fit(chosen)
    return {
        **{part: getattr(task, part) for part in _KEY},
        "papers": len(papers.classes),
        "classes": int(papers.classes.shape[1]),
        "values": [int(papers.tables[side].shape[1]) for side in sides],
        # how many papers a side says anything of
        "there": [float(np.mean(np.diff(papers.tables[side].indptr) > 0)) for side in sides],
        "accuracy": right(papers.classes, model.labels_),
        "nmi": float(nmi(papers.single, model.labels_)),
        "seconds": time.perf_counter() - start,
    }


def _parts(row: str) -> tuple[list[str], str, list[str]]:
    """Sides and shape of the graph, and which sides are observed.

    Examples
    --------
    >>> _parts("words+citations:observed:loop")
    (['words', 'citations'], 'loopy', ['citations'])
    """
    sides = row.removesuffix(_LOOP).removesuffix(_OBSERVED).split("+")
    seen = [side for side in sides if side in _LINKS] if _OBSERVED in row else []
    return sides, "loopy" if row.endswith(_LOOP) else "tree", seen


def measure(options: argparse.Namespace, store: ResultStore) -> None:
    """Fill the store with what is missing in it."""
    known = {tuple(r.get(part) for part in _KEY) for r in store.records()}
    todo = [
        task
        for seed in range(options.runs)  # rows side by side within a seed
        for name in options.collections
        for row in options.rows or ROWS[name]
        for rule in _rules(row, options.edge_weights)
        for task in [(name, row, seed, options.weighting, rule, options.effort)]
        if task not in known
    ]
    data = given_folder(options.data)
    paths = {
        name: str(prepare(name, data, options.cache))
        for name in dict.fromkeys(task[0] for task in todo)
    }
    tasks = [Task(*task, path=paths[task[0]]) for task in todo]
    for _, record in parallel(perform, tasks, options.jobs):
        store.append(record)
        what = " ".join(str(record[part]) for part in _KEY)
        say(f"{what}: {record['accuracy']:.3f} ({record['seconds']:.0f} s)")


def _rules(row: str, rules: Sequence[str]) -> Sequence[str]:
    """A single side weighs the same by all rules."""
    return rules if "+" in row else rules[:1]


def table(records: Sequence[Record], weighting: str, rules: Sequence[str], effort: str) -> str:
    """Markdown of the means and standard errors of what was made in one way.

    Examples
    --------
    >>> run = dict(collection="cora", row="words+citations:loop", values=[9, 5], papers=20)
    >>> run |= dict(weighting="raw", edge_weights="mass", effort="quick", classes=3)
    >>> run |= dict(there=[1.0, 0.5], nmi=0.5, seconds=2.0)
    >>> print(table([run | {"accuracy": a} for a in (0.4, 0.5)], "raw", ["mass"], "quick"))
    cora: 20 papers, 3 classes
    <BLANKLINE>
    | graph | edge weights | values | papers that have them | accuracy | NMI | runs | seconds |
    |---|---|---|---|---|---|---|---|
    | words + citations, loop | mass | 9 + 5 | 100% + 50% | 45.0 ± 5.0 | 50.0 ± 0.0 | 2 | 2 |
    """
    mine = [r for r in records if r["weighting"] == weighting and r["effort"] == effort]
    blocks = []
    for name in COLLECTIONS:
        here = [r for r in mine if r["collection"] == name]
        if not here:
            continue
        order = [*ROWS[name], *sorted({r["row"] for r in here} - set(ROWS[name]))]
        about = f"{name}: {here[0]['papers']:,} papers, {here[0]['classes']} classes"
        lines = []
        for row in order:
            for rule in _rules(row, rules):
                rule_of = [r for r in here if r["row"] == row and r["edge_weights"] == rule]
                if rule_of:
                    lines.append(_line(name, row, rule_of))
        blocks.append(f"{about}\n\n{markdown(_HEADS, lines)}")
    return "\n\n".join(blocks)


_HEADS = (
    *("graph", "edge weights", "values", "papers that have them"),
    *("accuracy", "NMI", "runs", "seconds"),
)


def _line(name: str, row: str, group: Sequence[Record]) -> list[str]:
    sides, shape, seen = _parts(row)
    shown = _SHOWN | (_SHOWN_AAAI if name == AAAI else {})
    return [
        " + ".join(shown.get(side, side) for side in sides)
        + ", observed" * bool(seen)
        + ", loop" * (shape == "loopy"),
        group[0]["edge_weights"] if len(sides) > 1 else "",
        " + ".join(f"{n:,}" for n in group[0]["values"]),
        " + ".join(f"{share:.0%}" for share in group[0]["there"]),
        percent([r["accuracy"] for r in group]),
        percent([r["nmi"] for r in group]),
        str(len(group)),
        f"{np.mean([r['seconds'] for r in group]):.0f}",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("papers", __doc__, "data", "cache", "table_only"),
        runs=10,
        jobs=1,
        weighting="root_rows",
        effort="default",
        out="papers",
    )
    add = parser.add_argument
    add("--collections", nargs="+", choices=list(COLLECTIONS), default=list(COLLECTIONS))
    add(
        "--rows",
        nargs="+",
        metavar="ROW",
        help="sides joined by +, such as words+citations, with :observed behind them for "
        "citations that are not clustered, :loop for a loopy graph; default: every row of the "
        "tables",
    )
    add(
        "--edge-weights",
        nargs="+",
        default=["root_mass", "mass"],
        metavar="RULE",
        help="what sides weigh, by one or several rules; default root_mass and mass",
    )

    def work(options: argparse.Namespace) -> int:
        made = options.weighting, options.edge_weights, options.effort
        return stored(options, lambda s: measure(options, s), lambda found: table(found, *made))

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
