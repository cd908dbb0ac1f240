"""Clustering photos by colours, texture, regions and captions (thesis, chapter 7).

::

    python -m benchmarks.images --data DIR                      # ten runs of every row
    python -m benchmarks.images --data DIR --sets corel --rows "star colours+blobs" two-step
    python -m benchmarks.images --cache FOLDER --jobs 16        # where features are made already
    python -m benchmarks.images --data DIR --curves             # as in figure 7.3, with pictures

Corel-1000 has ten classes, ``corel-9`` is the same without the dinosaurs: accuracy is micro
accuracy. Photos of Flickr8k have no classes but five captions: one caption and the pixels are
clustered, and NMI is the mean over three clusterings of the words of the other four captions;
each run takes another caption. Blobs are found anew in each run, by Comraf unless a row says
k-blobs: those of k-means. Numbers are means over runs with different seeds, ± the standard
error. Rows: ``benchmarks.images_methods``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.constraint_plots import Line, curve_table, plot, write
from benchmarks.harness import (
    given_folder,
    load_npz,
    markdown,
    parallel,
    parser_of,
    percent,
    run,
    save_npz,
    say,
    stored,
)
from benchmarks.images_data import DINOSAURS, load, prepare
from benchmarks.images_methods import K_BLOBS, Way, labels_of
from benchmarks.store import Record, ResultStore
from comraf import MDC
from comraf.metrics import micro_accuracy, nmi

__all__ = ["ROWS", "SETS", "Task", "main", "perform", "table"]


@dataclass(frozen=True, slots=True)
class _Set:
    collection: str
    k: int
    without: str = ""


#: Name of a set -> where its photos are from, and how many clusters are wanted.
SETS: dict[str, _Set] = {
    "corel": _Set("corel", 10),
    "corel-9": _Set("corel", 9, DINOSAURS),
    "flickr-10": _Set("flickr", 10),
    "flickr-20": _Set("flickr", 20),
}
_SEEN = ("colours", "texture", "blobs")
_ALL = "colours+texture+blobs"
_TOGETHER = ("colours+blobs", _ALL)
_COREL = (
    *(f"kmeans {sides}" for sides in (*_SEEN, "regions", *_TOGETHER, f"{_ALL}+regions")),
    *(f"star {sides}" for sides in (*_SEEN, K_BLOBS, "neighbours", *_TOGETHER)),
    f"star colours+texture+{K_BLOBS}",
    f"star {_ALL}+neighbours",
    "two-step",
    "general",
)
_FLICKR = (
    "kmeans words",
    "kmeans words+colours+texture+blobs+regions",
    "star words",
    "organize words",
    f"star {_ALL}+neighbours",
    *(
        f"{kind} words+{sides}"
        for kind in ("star", "organize")
        for sides in ("colours", "blobs", "neighbours", _ALL, f"{_ALL}+neighbours")
    ),
)
#: Rows that are measured unless others are asked for.
ROWS: dict[str, tuple[str, ...]] = {
    name: _COREL if one.collection == "corel" else _FLICKR for name, one in SETS.items()
}
#: Curves: what is varied, its values, and the rows.
CURVES: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "colours": (
        (8, 16, 32, 64, 128, 256, 512, 1024),
        ("kmeans colours", "star colours", "star colours+texture+blobs"),
    ),
    "blobs": (
        (50, 100, 200, 500, 1000, 2000),
        ("kmeans blobs", "star blobs", "star colours+texture+blobs"),
    ),
}
_WAYS = tuple(one.name for one in fields(Way))
_KEY = ("set", "row", "seed", *_WAYS)
_SLOW = ("general", "two-step")
_REFERENCES = 3  # clusterings of the other captions that a run is held against


@dataclass(frozen=True, slots=True)
class Task:
    """One fit: what is needed for it in another process, too."""

    set: str
    row: str
    seed: int
    way: Way
    path: str
    cache: str

    @property
    def key(self) -> tuple[Any, ...]:
        """What the run is known by."""
        return (self.set, self.row, self.seed, *asdict(self.way).values())


def perform(task: Task) -> Record:
    """Cluster photos and score the clusters."""
    about = SETS[task.set]
    photos = load(task.path, about.without)
    words = photos.words[task.seed % len(photos.words)] if photos.words else None
    start = time.perf_counter()
    labels = labels_of(task.row, task.path, about.without, about.k, task.seed, task.way, words)
    seconds = time.perf_counter() - start
    if len(photos.classes):
        scores = {
            "accuracy": float(micro_accuracy(photos.classes, labels)),
            "nmi": float(nmi(photos.classes, labels)),
        }
    else:
        others = [_reference(task, number) for number in range(_REFERENCES)]
        scores = {"nmi": float(np.mean([nmi(other, labels) for other in others]))}
    return {
        **dict(zip(_KEY, task.key, strict=True)),
        **scores,
        "photos": len(labels),
        "features_seconds": photos.seconds,
        "seconds": seconds,
    }


def _reference(task: Task, number: int) -> npt.NDArray[Any]:
    """Clusters of the words of all captions but one, kept for all rows of a run."""
    words = load(task.path).words
    left_out, k = task.seed % len(words), SETS[task.set].k
    path = Path(task.cache) / f"{Path(task.path).stem}-others-{left_out}-{k}-{number}.npz"
    if not path.is_file():
        rest = sum(table for i, table in enumerate(words) if i != left_out)
        labels = MDC(k, effort="default", random_state=1000 + number).fit(rest).labels_
        save_npz(path, labels=labels)
    with load_npz(path) as arrays:
        return np.asarray(arrays["labels"])


def _ready(task: Task) -> None:
    for number in range(_REFERENCES):
        _reference(task, number)


def measure(options: argparse.Namespace, store: ResultStore) -> None:
    """Fill the store with what is missing in it."""
    known = {tuple(r.get(part) for part in _KEY) for r in store.records()}
    data = given_folder(options.data)
    todo: list[Task] = []
    for name, row, way in _asked(options):
        for seed in range(options.runs):
            task = Task(name, row, seed, way, "", str(options.cache))
            if task.key not in known:  # a curve passes through a row of the table
                known.add(task.key)
                todo.append(task)
    # what is needed for many rows is made once, before processes ask for it
    paths = {
        name: str(prepare(name, data, options.cache))
        for name in dict.fromkeys(SETS[task.set].collection for task in todo)
    }
    todo = [replace(task, path=paths[SETS[task.set].collection]) for task in todo]
    shared = {
        (task.set, task.seed % len(load(task.path).words)): task
        for task in todo
        if load(task.path).words
    }
    for _ in parallel(_ready, list(shared.values()), options.jobs):
        pass
    # those that take long first, so that no process is left with one at the end
    todo.sort(key=lambda task: task.row not in _SLOW)
    for task, record in parallel(perform, todo, options.jobs):
        store.append(record)
        what = f"{task.set}, {task.row}, seed {task.seed}"
        say(f"{what}: NMI {record['nmi']:.3f} ({record['seconds']:.0f} s)")


def _asked(options: argparse.Namespace) -> Iterator[tuple[str, str, Way]]:
    """Sets, rows and ways, those of curves too."""
    way = _way(options)
    for name in options.sets:
        for row in options.rows or ROWS[name]:
            yield name, row, way
        if options.curves and SETS[name].collection == "corel":
            for what, (values, rows) in CURVES.items():
                for value in values:
                    for row in rows:
                        yield name, row, _varied(way, what, value)


def _way(options: argparse.Namespace) -> Way:
    return Way(**{name: getattr(options, name) for name in _WAYS})


def _varied(way: Way, what: str, value: int) -> Way:
    return Way(**(asdict(way) | {what: value}))


def table(records: Sequence[Record], name: str, rows: Sequence[str], way: Way) -> str:
    """Markdown of the means and standard errors of one set.

    Examples
    --------
    >>> run = {"set": "corel", "row": "star blobs", "nmi": 0.5, "seconds": 2.0, **asdict(Way())}
    >>> made = [run | {"accuracy": share, "seed": 0} for share in (0.4, 0.5)]
    >>> print(table(made, "corel", ["star blobs", "two-step"], Way()))
    | corel | accuracy | NMI | runs | seconds |
    |---|---|---|---|---|
    | star blobs | 45.0 ± 5.0 | 50.0 ± 0.0 | 2 | 2.0 |
    """
    lines = []
    for row in rows:
        group = _of(records, name, row, way)
        if group:
            scores = [percent([r[s] for r in group if s in r]) for s in ("accuracy", "nmi")]
            seconds = np.mean([r["seconds"] for r in group])
            lines.append([row, *scores, len(group), f"{seconds:.1f}"])
    return markdown([name, "accuracy", "NMI", "runs", "seconds"], lines)


def _of(records: Sequence[Record], name: str, row: str, way: Way) -> list[Record]:
    made = {"set": name, "row": row, **asdict(way)}
    return [r for r in records if all(r.get(key) == made[key] for key in made)]


def _cost(records: Sequence[Record], name: str) -> str:
    group = [r for r in records if r["set"] == name]
    if not group:
        return ""
    seconds, photos = group[0]["features_seconds"], group[0]["photos"]
    return f"{name}: features of {photos:,} photos took {seconds:.0f} s in one process"


def curves(records: Sequence[Record], name: str, way: Way, folder: Path) -> list[str]:
    """Tables of accuracy over the numbers of colours and of blobs; pictures go to a folder."""
    texts = []
    for what, (values, rows) in CURVES.items():
        lines = []
        for row in rows:
            points: dict[float, npt.NDArray[np.float64]] = {}
            for value in values:
                group = _of(records, name, row, _varied(way, what, value))
                if group:
                    points[float(np.log2(value))] = np.array([r["accuracy"] for r in group])
            lines.append(Line(row, points))
        places = [float(np.log2(value)) for value in values]
        shown = [
            Line(line.title, {2**x: runs for x, runs in line.points.items()}) for line in lines
        ]
        title = f"{name}: accuracy over the number of {what}"
        texts.append(curve_table(title, what, shown, [2**x for x in places], None))
        picture = plot(title, f"log2 of the number of {what}", "accuracy", lines, places)
        if picture:
            write(folder / f"images-{name}-{what}.svg", picture)
    return texts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        "images", __doc__, "data", "cache", "table_only", runs=10, jobs=1, out="images"
    )
    add = parser.add_argument
    add("--sets", nargs="+", choices=list(SETS), default=list(SETS), metavar="SET")
    add("--rows", nargs="+", metavar="ROW", help="default: every row of the tables")
    add("--curves", action="store_true", help="the curves of Corel too")
    for one in fields(Way):
        add(
            f"--{one.name.replace('_', '-')}",
            type=type(one.default),
            default=one.default,
            help=f"default {one.default}",
        )

    def show(options: argparse.Namespace, records: Sequence[Record]) -> str:
        way = _way(options)
        texts = []
        for name in options.sets:
            texts += [table(records, name, options.rows or ROWS[name], way), _cost(records, name)]
            if options.curves and SETS[name].collection == "corel":
                texts += curves(records, name, way, options.out.parent)
        return "\n\n".join(filter(None, texts))

    def work(options: argparse.Namespace) -> int:
        return stored(options, lambda s: measure(options, s), lambda found: show(options, found))

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
