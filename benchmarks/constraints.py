r"""Learning curves over links, as in chapters 4 and 5 of Basu's thesis.

::

    python -m benchmarks.constraints --data DIR --jobs 16
    python -m benchmarks.constraints --data DIR --active --jobs 16
    python -m benchmarks.constraints --data DIR --datasets iris --draws 2
    python -m benchmarks.constraints --prepare --data DIR --cache CACHE

Each run splits the items: one part gives links, and the other, of which nothing is told, is
scored. Without ``--active`` it is 20 runs of two halves with random links (figures 4.4 to 4.12);
with it, 10 runs of ten parts, a tenth scored, with links that a learner chooses (5.3 to 5.20).
A learner asks nothing that follows from earlier answers, random pairs among them, so links are
worth more there than as many random ones.
``NMI`` and pairwise ``F`` are of the part that is scored, ``objective`` is of all items. Means are
over runs; a t-test pairs the runs' means with those of KMeans with one start, or of random links.

Every record of ``--out`` has one method at one number of links for a few runs; the same command
again measures only what is missing, changed code of ours included. Finished tables are kept in
``--cache``; with them no raw collection is needed.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import constraint_plots as plots
from benchmarks.constraint_curves import (
    ACTIVE,
    METHODS,
    METRICS,
    Method,
    Task,
    available,
    missing,
    run_tasks,
    table_at,
)
from benchmarks.constraint_data import DATASETS, NEWS, prepare
from benchmarks.harness import check, given_folder, parser_of, run, stored
from benchmarks.store import Record, ResultStore
from comraf.errors import InputError

__all__ = ["curve_parser", "figures", "main", "measure_curves", "metrics_of", "plan", "weight_of"]

_LINKS = (20, 50, 100, 200, 300, 400, 500)
_ACTIVE_LINKS = (20, 50, 100, 200, 400, 600, 800, 1000)
_MANY_LINKS = (100, 200, 400, 800, 1500, 3000, 5000)
_CURVES = ("iris", "digits-389", "letters-ijl", *(f"3news-{name}-100" for name in NEWS))
_ASKED = ("iris", *(f"3news-{name}-100" for name in NEWS), "classic3-subset", "20news-100")
_VALUES = {"nmi": "NMI", "f": "pairwise F", "objective": "objective"}

# Whose gain over whom is tested: like with like, one start with one and ten with ten.
_AGAINST = (
    ("hmrf", "kmeans"),
    ("hmrf", "kmeans-pp"),
    ("hmrf-i", "kmeans"),
    ("hmrf", "hmrf-i"),
    ("hmrf-10", "kmeans-10"),
    ("hmrf-10", "hmrf-i-10"),
    ("mpck", "hmrf"),
    ("explore", "random"),
    ("minmax", "random"),
    ("npu", "random"),
    ("explore", "explore-only"),
)

#: Figures of the thesis that a curve answers to.
FIGURES = {
    ("iris", "euclidean"): "4.4",
    ("digits-389", "euclidean"): "4.5",
    ("letters-ijl", "euclidean"): "4.6",
    ("3news-different-100", "cosine"): "4.7",
    ("3news-related-100", "cosine"): "4.8",
    ("3news-similar-100", "cosine"): "4.9",
    ("3news-different-100", "kl"): "4.10",
    ("3news-related-100", "kl"): "4.11",
    ("3news-similar-100", "kl"): "4.12",
}
_ACTIVE_FIGURES = {
    "3news-similar-100": ("5.3", "5.4", "5.5"),
    "3news-different-100": ("5.6", "5.7", "5.8"),
    "20news-100": ("5.9", "5.10", "5.11"),
    "classic3-subset": ("5.12", "5.13", "5.14"),
    "iris": ("5.15", "5.16", "5.17"),
}


def weight_of(text: str) -> float | str:
    """Price of a link: "auto" or a number.

    Examples
    --------
    >>> weight_of("auto"), weight_of("0.5"), weight_of("inf")
    ('auto', 0.5, inf)
    """
    if text == "auto":
        return text
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not weight >= 0:
        raise InputError(f"--weight {text!r}; give auto, a number of 0 or more, or inf")
    return weight


def metrics_of(name: str, asked: Sequence[str] | None, active: bool) -> tuple[str, ...]:
    """Metrics that a table is clustered by: text has two, measurements one.

    Examples
    --------
    >>> metrics_of("iris", None, False), metrics_of("20news-100", None, False)
    (('euclidean',), ('cosine', 'kl'))
    >>> metrics_of("20news-100", ["kl", "euclidean"], False)
    ('kl',)
    """
    text = name not in ("iris", "digits-389", "letters-ijl")
    usual = ("euclidean",) if not text else ("cosine",) if active else ("cosine", "kl")
    return tuple(m for m in asked if m in usual) if asked else usual


def plan(given: argparse.Namespace) -> list[Task]:
    """One task for each table, metric and method."""
    methods = ACTIVE if given.active else METHODS
    tasks = []
    for name in given.datasets:
        path = prepare(name, given_folder(given.data), given.cache)
        table = table_at(str(path))
        told = len(table.truth) - math.ceil(len(table.truth) / given.folds)
        most = told * (told - 1) // 2
        points = tuple(p for p in _points(given, name) if p <= most)
        for metric in metrics_of(name, given.metrics, given.active):
            for short in given.methods:
                method = methods[short]
                if metric not in method.metrics or not available(method):
                    continue
                key: Record = {
                    "dataset": name,
                    "fingerprint": table.fingerprint(),
                    "metric": metric,
                    "method": short,
                    "version": method.version(),
                    "settings": method.settings(given.weight),
                    "folds": given.folds,
                }
                at = points if method.links else (0,)
                tasks.append(
                    Task(str(path), key, method, at, given.seeds, given.folds, given.weight)
                )
    return tasks


def _points(given: argparse.Namespace, name: str) -> tuple[int, ...]:
    if given.links:
        return tuple(sorted(set(given.links)))
    if not given.active:
        return _LINKS
    return _MANY_LINKS if name.startswith("20news") else _ACTIVE_LINKS


def figures(records: Sequence[Record], tasks: Sequence[Task], active: bool, folder: Path) -> str:
    """Tables of all that is stored for the tasks; pictures go to `folder`."""
    methods = ACTIVE if active else METHODS
    texts = []
    for dataset, metric in dict.fromkeys((t.key["dataset"], t.key["metric"]) for t in tasks):
        mine = [t for t in tasks if (t.key["dataset"], t.key["metric"]) == (dataset, metric)]
        xs = sorted({p for t in mine for p in t.points if t.method.links})
        axis = "questions" if active else "links"
        for place, (value, title) in enumerate(_VALUES.items()):
            lines = {
                t.key["method"]: _line(methods[t.key["method"]], records, t, value) for t in mine
            }
            number = _ACTIVE_FIGURES.get(dataset, ("",) * 3)[place]
            if not active:
                number = FIGURES.get((dataset, metric), "") if value == "nmi" else ""
            name = f"{DATASETS[dataset]}, {metric}, {title}"
            name += f" (figure {number} of the thesis)" if number else ""
            file = folder / f"{'active-' if active else ''}{dataset}-{metric}-{value}.svg"
            # Objectives of different methods are no match for each other.
            base = lines.get("random" if active else "kmeans") if value != "objective" else None
            against = _AGAINST if value == "nmi" else ()
            texts += plots.figure(file, name, axis, title, lines, xs, base, against)
    errors = dict.fromkeys(
        f"- {r['dataset']}, {r['metric']}, {r['method']}, {r['links']} links: {r['error']}"
        for r in records
        if r["status"] != "ok" and any(_of(r, t) for t in tasks)
    )
    return "\n\n".join([*texts, *(["\n".join(errors)] if errors else [])])


def _of(record: Record, task: Task) -> bool:
    return all(record.get(name) == value for name, value in task.key.items())


def _line(method: Method, records: Sequence[Record], task: Task, value: str) -> plots.Line:
    """Means of the runs that were asked for, at each number of links."""
    import numpy as np

    by_point: dict[float, dict[int, float]] = {}
    for record in records:
        if record["status"] != "ok" or not _of(record, task):
            continue
        means = plots.run_means(record[value], len(record["seeds"]))
        by_point.setdefault(record["links"], {}).update(
            zip(record["seeds"], means.tolist(), strict=True)
        )
    points = {
        float(x): np.array([runs[seed] for seed in task.seeds])
        for x, runs in sorted(by_point.items())
        if x in task.points and set(task.seeds) <= set(runs)
    }
    return plots.Line(method.title, points, flat=not method.links)


def curve_parser(name: str, text: str | None) -> argparse.ArgumentParser:
    """The parser of a command on Basu's collections, with the options that they share."""
    shared = ("data", "cache", "seeds", "draws", "retry", "table_only", "prepare")
    parser = parser_of(name, text, *shared, jobs=1, out=name)
    add = parser.add_argument
    add("--folds", type=int, metavar="N", help="parts of the items")
    add("--report", type=Path, metavar="DIR", help="for Markdown and pictures; default: by --out")
    add("--datasets", nargs="+", metavar="NAME", help=", ".join(DATASETS))
    return parser


def measure_curves(
    given: argparse.Namespace,
    measure: Callable[[ResultStore], None],
    show: Callable[[Sequence[Record], Path], str],
    name: str,
    note: str,
) -> int:
    """Measure what is missing, print the tables, and write them and pictures to a folder."""
    folder = given.report or given.out.with_suffix("")

    def written(records: Sequence[Record]) -> str:
        text = show(records, folder)
        if text:
            plots.write(folder / name, plots.markdown([text], note))
        return text

    return 0 if given.prepare else stored(given, measure, written)


def _parser() -> argparse.ArgumentParser:
    parser = curve_parser("constraints", __doc__)
    add = parser.add_argument
    add("--active", action="store_true", help="links chosen by learners (chapter 5)")
    add("--metrics", nargs="+", choices=METRICS, help="default: those that suit a table")
    add("--links", nargs="+", type=int, metavar="M", help="points of the curve")
    add("--weight", default="auto", metavar="W", help="price of a link: auto, a number, inf")
    add(
        "--methods",
        nargs="+",
        metavar="NAME",
        help=f"{', '.join(METHODS)}; with --active {', '.join(ACTIVE)}",
    )
    return parser


def _settle(given: argparse.Namespace) -> None:
    """Fill in what was left out, and refuse what can't be."""
    methods = ACTIVE if given.active else METHODS
    given.methods = [check("method", m, methods) for m in given.methods or methods]
    given.datasets = [
        check("dataset", name, DATASETS)
        for name in given.datasets or (_ASKED if given.active else _CURVES)
    ]
    given.folds = given.folds or (10 if given.active else 2)
    given.weight = weight_of(given.weight)
    if given.links and min(given.links) < 1:
        raise InputError(f"--links {min(given.links)}; give numbers of 1 or more")
    runs = given.draws or (10 if given.active else 20)
    given.seeds = tuple(given.seeds or range(runs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""

    def work(given: argparse.Namespace) -> int:
        _settle(given)
        tasks = plan(given)
        note = (
            f"Means of {len(given.seeds)} runs of {given.folds} folds. A star marks p < 0.005 "
            "and a dagger p < 0.05 of a paired t-test over runs, against "
            + ("random pairs." if given.active else "KMeans with one start.")
        )

        def measure(store: ResultStore) -> None:
            run_tasks(missing(tasks, store.records(), given.retry), store, given.jobs)

        def show(records: Sequence[Record], folder: Path) -> str:
            return figures(records, tasks, given.active, folder)

        name = "active.md" if given.active else "curves.md"
        return measure_curves(given, measure, show, name, note)

    return run(_parser(), arguments, work)


if __name__ == "__main__":
    sys.exit(main())
