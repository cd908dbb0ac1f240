"""Clustering by genre: words, parts of speech and style of the Brown corpus (thesis, table 4.8).

::

    python -m benchmarks.genres --data DIR                      # four runs of every row
    python -m benchmarks.genres --data DIR --rows words pos words+pos --edge-weights equal

The corpus is read by comraf's own reader of tagged texts, its genres being the truth, and every
row is a graph of documents and the sides named. Numbers are the mean micro accuracy over runs
with different seeds, ± the standard error; the last column has the seconds of a run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.harness import data_folder, markdown, parser_of, percent, run, say, stored
from benchmarks.store import Record, ResultStore
from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.options import PosOptions, SideOptions, StyleOptions
from comraf.errors import InputError
from comraf.estimators.organizer import Organizer
from comraf.metrics import micro_accuracy, nmi

__all__ = ["CORPUS", "ROWS", "main", "table"]

CORPUS = "brown/brown.zip"
#: Name of a row -> what it stands for in the table.
ROWS: dict[str, str] = {
    "words": "words",
    "pos1": "POS unigrams (observed)",
    "pos": "POS bigrams",
    "pos3": "POS trigrams",
    "pos4": "POS fourgrams",
    "style": "punctuation and stop words",
    "words+pos": "words + POS bigrams",
    "words+pos1": "words + POS unigrams",
    "words+style": "words + style",
    "words+pos+style": "words + POS bigrams + style",
}
DEFAULT_ROWS = ("words", "pos", "words+pos", "pos1", "style", "words+style", "words+pos+style")

#: What is chosen for all rows of a run.
_SETTINGS = ("weighting", "edge_weights", "effort", "plain_tags")


def read(data: Path, sides: Sequence[str], *, marks: bool = True) -> Any:
    """The corpus with the sides that the rows need."""
    path = data / CORPUS
    if not path.is_file():
        raise InputError(f"{path} is not there; see --data")
    numbers = {"pos1": 1, "pos": 2, "pos3": 3, "pos4": 4}
    orders = tuple(numbers[side] for side in sides if side in numbers) or (2,)
    options = SideOptions(
        pos=PosOptions(orders=orders, marks=marks), style=StyleOptions("style" in sides)
    )
    return build_collection(open_reader(path, kind="tagged", truth="genres"), options=options)


def measure(options: argparse.Namespace, store: ResultStore) -> None:
    """Fill the store with what is missing in it."""
    made = _made(options)
    known = {(r["row"], r["seed"]) for r in store.records() if _made_of(r) == made}
    todo = [
        (seed, row)
        for seed in range(options.runs)  # rows side by side within a seed
        for row in options.rows
        if (row, seed) not in known
    ]
    if not todo:
        return
    sides = list(dict.fromkeys(side for row in options.rows for side in row.split("+")))
    collection = read(data_folder(options.data), sides, marks=not options.plain_tags)
    truth = list(collection.truth)
    for seed, row in todo:
        names = row.split("+")
        chosen = SimpleNamespace(
            tables={side: collection.tables[side] for side in names}, sides=collection.sides
        )
        start = time.perf_counter()
        model = Organizer(
            len(set(truth)),
            by=names,
            weighting=options.weighting,
            edge_weights=options.edge_weights,
            effort=options.effort,
            random_state=seed,
        ).fit(chosen)
        record: Record = {
            "row": row,
            "seed": seed,
            **made,
            "documents": len(truth),
            "classes": len(set(truth)),
            "values": {side: int(collection.tables[side].shape[1]) for side in names},
            "micro": micro_accuracy(truth, model.labels_),
            "nmi": nmi(truth, model.labels_),
            "seconds": time.perf_counter() - start,
        }
        store.append(record)
        say(f"{row} seed {seed}: {record['micro']:.3f}")


def _made(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in _SETTINGS}


def _made_of(record: Record) -> dict[str, Any]:
    return {name: record.get(name) for name in _SETTINGS}


def table(records: Sequence[Record], made: dict[str, Any]) -> str:
    """Markdown of the means and standard errors of what was made in one way.

    Examples
    --------
    >>> made = dict(weighting="raw", edge_weights="equal", effort="quick", plain_tags=False)
    >>> run = dict(made, row="pos", nmi=0.5, seconds=2.0, values={"pos": 9})
    >>> print(table([run | {"micro": 0.4}, run | {"micro": 0.5}], made))
    | sides | values | accuracy | NMI | runs | seconds |
    |---|---|---|---|---|---|
    | POS bigrams | 9 | 45.0 ± 5.0 | 50.0 ± 0.0 | 2 | 2 |
    """
    mine = [r for r in records if _made_of(r) == made]
    lines = []
    for row in sorted({r["row"] for r in mine}, key=list(ROWS).index):
        group = [r for r in mine if r["row"] == row]
        sizes = group[0]["values"]
        values = " + ".join(f"{sizes[side]:,}" for side in row.split("+"))
        seconds = f"{np.mean([r['seconds'] for r in group]):.0f}"
        scores = [percent([r[score] for r in group]) for score in ("micro", "nmi")]
        lines.append([ROWS[row], values, *scores, len(group), seconds])
    return markdown(["sides", "values", "accuracy", "NMI", "runs", "seconds"], lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("genres", __doc__, "data", "table_only"),
        runs=4,
        weighting="root_rows",
        effort="default",
        out="genres",
    )
    add = parser.add_argument
    add("--rows", nargs="+", choices=list(ROWS), default=list(DEFAULT_ROWS), metavar="ROW")
    add("--edge-weights", default="root_mass", help="between sides; default root_mass")
    add("--plain-tags", action="store_true", help="without Brown's marks of titles and headlines")

    def work(options: argparse.Namespace) -> int:
        made = _made(options)
        return stored(options, lambda s: measure(options, s), lambda found: table(found, made))

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
