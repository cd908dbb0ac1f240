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
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from benchmarks.papers_data import AAAI, CITING, COLLECTIONS, load, prepare, right
from benchmarks.run import data_folder, default_cache
from benchmarks.store import Record, ResultStore
from benchmarks.tables import percent
from comraf.errors import ComrafError, InputError
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
    given = options.data or os.environ.get("COMRAF_DATA")
    data = data_folder(given) if given else None
    paths = {
        name: str(prepare(name, data, options.cache))
        for name in dict.fromkeys(task[0] for task in todo)
    }
    tasks = [Task(*task, path=paths[task[0]]) for task in todo]

    def keep(record: Record) -> None:
        store.append(record)
        what = " ".join(str(record[part]) for part in _KEY)
        said = f"{record['accuracy']:.3f} ({record['seconds']:.0f} s)"
        print(f"{what}: {said}", file=sys.stderr, flush=True)

    if options.jobs == 1:
        for task in tasks:
            keep(perform(task))
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # Not forked: libraries with threads of their own don't survive it.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        waiting = [pool.submit(perform, task) for task in tasks]
        try:
            for future in as_completed(waiting):
                keep(future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


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
        lines = [
            f"{name}: {here[0]['papers']:,} papers, {here[0]['classes']} classes",
            "",
            "| graph | edge weights | values | papers that have them | accuracy | NMI | runs "
            "| seconds |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for row in order:
            for rule in _rules(row, rules):
                rule_of = [r for r in here if r["row"] == row and r["edge_weights"] == rule]
                if rule_of:
                    lines.append(_line(name, row, rule_of))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _line(name: str, row: str, group: Sequence[Record]) -> str:
    sides, shape, seen = _parts(row)
    shown = _SHOWN | (_SHOWN_AAAI if name == AAAI else {})
    cells = [
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
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", help="folder of the raw collections (default: environment COMRAF_DATA)")
    add("--cache", type=Path, default=default_cache(), help="folder of prepared tables")
    add("--runs", type=int, default=10, metavar="N", help="seeds 0 to N - 1; default 10")
    add("--jobs", type=int, default=1, metavar="N", help="processes; default 1")
    add("--collections", nargs="+", choices=list(COLLECTIONS), default=list(COLLECTIONS))
    add(
        "--rows",
        nargs="+",
        metavar="ROW",
        help="sides joined by +, such as words+citations, with :observed behind them for "
        "citations that are not clustered, :loop for a loopy graph; default: every row of the "
        "tables",
    )
    add("--weighting", default="root_rows", help="of counts; default root_rows")
    add(
        "--edge-weights",
        nargs="+",
        default=["root_mass", "mass"],
        metavar="RULE",
        help="what sides weigh, by one or several rules; default root_mass and mass",
    )
    add("--effort", default="default", help="default: default")
    add(
        "--out",
        type=Path,
        default=Path(__file__).parent / "results" / "papers.jsonl",
        help="results as JSON lines; what is there is not measured again",
    )
    add("--table-only", action="store_true", help="print what is stored")
    options = parser.parse_args(arguments)
    store = ResultStore(options.out)
    try:
        if options.runs < 1 or options.jobs < 1:
            raise InputError(f"{options.runs} runs, {options.jobs} jobs; give 1 or more of each")
        if not options.table_only:
            with store.writing():
                measure(options, store)
        rules = options.edge_weights
        print(table(store.records(), options.weighting, rules, options.effort))
    except ComrafError as error:
        print(f"benchmarks.papers: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
