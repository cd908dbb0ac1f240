r"""Labels of some items as seeds, few to all, wrong or missing: chapter 3 of Basu's thesis.

::

    python -m benchmarks.seeds --data DIR --jobs 16
    python -m benchmarks.seeds --data DIR --datasets iris --draws 2 --folds 2
    python -m benchmarks.seeds --data DIR --experiments noise --datasets 20news-100

Items are split into ten parts; one is scored, and of the others a share is told. ``shares`` varies
that share (figures 3.3 to 3.11), ``noise`` the share of labels that are wrong (3.13), and
``incomplete`` the number of classes of which nothing is told (3.12). All methods have one start:
clusters without seeds at the mean of all items, perturbed, but COP-KMeans, which has no use for
seeds there, at items drawn by k-means++. Means are over runs of ten folds;
with one run, t-tests pair the folds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import constraint_plots as plots
from benchmarks.constraint_curves import (
    Method,
    Task,
    missing,
    run_tasks,
    score,
    table_at,
)
from benchmarks.constraint_data import DATASETS, Codes, halves, prepare
from benchmarks.constraints import curve_parser, measure_curves, metrics_of
from benchmarks.harness import check, given_folder, run
from benchmarks.store import Record, ResultStore, key_of
from comraf.errors import InputError

__all__ = ["EXPERIMENTS", "METHODS", "draw_seeds", "figures", "main", "plan", "seeding"]

_START: dict[str, Any] = {"n_init": 1, "init": "mean"}

#: Methods of chapter 3.
METHODS: dict[str, Method] = {
    "seeded": Method("Seeded-KMeans", "comraf.kmeans.seeded", "SeededKMeans", _START),
    "constrained": Method(
        "Constrained-KMeans", "comraf.kmeans.seeded", "ConstrainedKMeans", _START
    ),
    "cop": Method(
        "COP-KMeans",
        "comraf.kmeans.cop",
        "COPKMeans",
        {"n_init": 1, "init": "k-means++", "on_failure": "restart"},
    ),
    "random": Method("random KMeans", "comraf.kmeans.plain", "KMeans", _START, links=False),
}

_TENTHS = tuple(round(0.1 * i, 1) for i in range(11))

#: What is varied: its name in records, tables without --datasets, what it is called.
EXPERIMENTS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "shares": (
        "share",
        ("iris", "20news-100", "3news-similar-1000", "3news-different-1000", "20news-1000"),
        "share of labels told",
    ),
    "noise": ("noise", ("20news-100",), "share of them wrong"),
    "incomplete": ("unseeded", ("20news-100", "20news-1000"), "classes without labels"),
}
_FIGURES = {
    ("shares", "20news-1000", "nmi"): "3.3",
    ("shares", "20news-1000", "objective"): "3.4",
    ("shares", "20news-100", "nmi"): "3.5",
    ("shares", "20news-100", "objective"): "3.6",
    ("shares", "iris", "nmi"): "3.9",
    ("shares", "3news-similar-1000", "nmi"): "3.10",
    ("shares", "3news-different-1000", "nmi"): "3.11",
    ("incomplete", "20news-1000", "nmi"): "3.12",
    ("noise", "20news-100", "nmi"): "3.13",
}
_NAMES = ("dataset", "fingerprint", "metric", "method", "version", "settings", "folds")
_KEY = (*_NAMES, "share", "noise", "unseeded")
_AGAINST = (
    ("seeded", "random"),
    ("constrained", "random"),
    ("cop", "random"),
    ("seeded", "cop"),
    ("constrained", "cop"),
    ("seeded", "constrained"),
)


def draw_seeds(truth: Codes, rows: Codes, point: Record, seed: Sequence[int]) -> Codes:
    """Class of each item that is told, -1 for the others.

    A larger share contains the smaller one of the same seed, and more wrong labels the fewer.

    Parameters
    ----------
    truth : array of int
        Class of each item.
    rows : array of int
        Items that may be told.
    point : dict
        ``share`` of `rows`, ``noise``: share of those that are wrong, ``unseeded``: number of
        classes of which nothing is told.
    seed : sequence of int
        Of the draw.

    Examples
    --------
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> point = {"share": 0.5, "noise": 0.2, "unseeded": 1}
    >>> told = draw_seeds(truth, np.arange(60), point, [0])
    >>> len(np.unique(truth[told >= 0])), int((told >= 0).sum()) < 30
    (2, True)
    >>> wrong = (told != truth)[told >= 0]
    >>> round(float(wrong.mean()), 1)
    0.2
    """
    rng = np.random.default_rng([*seed, 21])
    chosen = rng.permutation(rows)[: round(point["share"] * len(rows))]
    classes = rng.permutation(np.unique(truth))
    hidden = classes[: point["unseeded"]]
    chosen = chosen[~np.isin(truth[chosen], hidden)]
    told = np.full(len(truth), -1, dtype=np.int64)
    told[chosen] = truth[chosen]
    # A wrong label is of a class that has seeds: it must not stand for one that has none.
    seen = np.setdiff1d(classes, hidden)
    if len(seen) > 1:
        rng = np.random.default_rng([*seed, 22])
        wrong = rng.permutation(chosen)[: round(point["noise"] * len(chosen))]
        step = rng.integers(1, len(seen), len(wrong))
        told[wrong] = seen[(np.searchsorted(seen, truth[wrong]) + step) % len(seen)]
    return told


def seeding(task: Task) -> list[Record]:
    """Fit all folds of all seeds at all points; one record for each point."""
    table = table_at(task.path)
    records = []
    for point in task.points:
        found: dict[str, list[Any]] = {}
        for seed in task.seeds:
            for fold, (rows, scored) in enumerate(halves(len(table.truth), task.folds, seed)):
                told = draw_seeds(table.truth, rows, point, [seed, fold])
                start = seed * task.folds + fold
                model = task.method.build(table.k, str(task.key["metric"]), start, "auto")
                begun = time.process_time()
                if task.method.links and (told >= 0).any():
                    model.fit(table.rows, labels=told)
                else:
                    model.fit(table.rows)
                spent = round(time.process_time() - begun, 4)
                for name, value in {**score(table, scored, model), "cpu_s": spent}.items():
                    found.setdefault(name, []).append(value)
        records.append({**task.key, **point, "seeds": list(task.seeds), "status": "ok", **found})
    return records


def _points(experiment: str, k: int, given: argparse.Namespace) -> list[Record]:
    if experiment == "shares":
        return [{"share": s, "noise": 0.0, "unseeded": 0} for s in given.shares or _TENTHS]
    if experiment == "noise":
        return [{"share": 0.5, "noise": s, "unseeded": 0} for s in given.noise or _TENTHS[:10]]
    steps = sorted({round(i * k / 10) for i in range(10)})
    return [{"share": 0.1, "noise": 0.0, "unseeded": u} for u in steps]


def plan(given: argparse.Namespace) -> list[tuple[str, Task]]:
    """One task for each experiment, table and method."""
    tasks = []
    for experiment in given.experiments:
        for name in given.datasets or EXPERIMENTS[experiment][1]:
            path = prepare(name, given_folder(given.data), given.cache)
            table = table_at(str(path))
            for short in given.methods:
                method = METHODS[short]
                key: Record = {
                    "dataset": name,
                    "fingerprint": table.fingerprint(),
                    "metric": metrics_of(name, None, active=True)[0],
                    "method": short,
                    "version": method.version(),
                    "settings": method.settings("auto"),
                    "folds": given.folds,
                }
                points = _points(experiment, table.k, given)
                if not method.links:
                    points = [{"share": 0.0, "noise": 0.0, "unseeded": 0}]
                task = Task(
                    str(path),
                    key,
                    method,
                    tuple(points),
                    given.seeds,
                    given.folds,
                    fit="benchmarks.seeds:seeding",
                )
                tasks.append((experiment, task))
    return tasks


def figures(records: Sequence[Record], tasks: Sequence[tuple[str, Task]], folder: Path) -> str:
    """Tables of all that is stored for the tasks; pictures go to `folder`."""
    texts = []
    for experiment, dataset in dict.fromkeys((e, t.key["dataset"]) for e, t in tasks):
        mine = [t for e, t in tasks if (e, t.key["dataset"]) == (experiment, dataset)]
        varied, _, axis = EXPERIMENTS[experiment]
        xs = sorted({float(p[varied]) for t in mine if t.method.links for p in t.points})
        for value, title in (("nmi", "NMI"), ("f", "pairwise F"), ("objective", "objective")):
            lines = {t.key["method"]: _line(records, t, varied, value) for t in mine}
            number = _FIGURES.get((experiment, dataset, value), "")
            name = f"{DATASETS[dataset]}, {experiment}, {title}"
            name += f" (figure {number} of the thesis)" if number else ""
            file = folder / f"{experiment}-{dataset}-{value}.svg"
            base = lines.get("random") if value != "objective" else None
            against = _AGAINST if value == "nmi" else ()
            texts += plots.figure(file, name, axis, title, lines, xs, base, against)
    wanted = {key_of(t.key, _NAMES) for _, t in tasks}
    errors = dict.fromkeys(
        f"- {r['dataset']}, {r['method']}, share {r['share']}, wrong {r['noise']}, without labels "
        f"{r['unseeded']}: {r['error']}"
        for r in records
        if r["status"] != "ok" and key_of(r, _NAMES) in wanted
    )
    return "\n\n".join([*texts, *(["\n".join(errors)] if errors else [])])


def _line(records: Sequence[Record], task: Task, varied: str, value: str) -> plots.Line:
    keys = {key_of(task.key | point, _KEY): float(point[varied]) for point in task.points}
    by_point: dict[float, dict[int, list[float]]] = {}
    for record in records:
        x = keys.get(key_of(record, _KEY))
        if x is None or record["status"] != "ok":
            continue
        folds = np.asarray(record[value]).reshape(len(record["seeds"]), -1).tolist()
        by_point.setdefault(x, {}).update(zip(record["seeds"], folds, strict=True))
    points = {}
    for x, runs in sorted(by_point.items()):
        if set(task.seeds) <= set(runs):
            values = np.array([runs[seed] for seed in task.seeds])
            points[x] = values[0] if len(values) == 1 else values.mean(axis=1)
    return plots.Line(task.method.title, points, flat=not task.method.links)


def _parser() -> argparse.ArgumentParser:
    parser = curve_parser("seeds", __doc__)
    add = parser.add_argument
    add("--experiments", nargs="+", choices=EXPERIMENTS, default=list(EXPERIMENTS))
    add("--methods", nargs="+", default=list(METHODS), metavar="NAME", help=", ".join(METHODS))
    add("--shares", nargs="+", type=float, metavar="S", help="default: 0, 0.1, ... 1")
    add("--noise", nargs="+", type=float, metavar="S", help="default: 0, 0.1, ... 0.9")
    return parser


def _settle(given: argparse.Namespace) -> None:
    for name in given.datasets or ():
        check("dataset", name, DATASETS)
    for name in given.methods:
        check("method", name, METHODS)
    for option in ("shares", "noise"):
        for share in getattr(given, option) or ():
            if not 0 <= share <= 1:
                raise InputError(f"--{option} {share:g}; a share lies between 0 and 1")
    given.folds = given.folds or 10
    given.seeds = tuple(given.seeds or range(given.draws or 1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""

    def work(given: argparse.Namespace) -> int:
        _settle(given)
        tasks = plan(given)
        over = "folds" if len(given.seeds) == 1 else "runs"
        note = (
            f"Means of {len(given.seeds)} run(s) of {given.folds} folds. A star marks p < 0.005 "
            f"and a dagger p < 0.05 of a paired t-test over {over}, against random KMeans."
        )

        def measure(store: ResultStore) -> None:
            _run(given, [task for _, task in tasks], store)

        def show(records: Sequence[Record], folder: Path) -> str:
            return figures(records, tasks, folder)

        return measure_curves(given, measure, show, "seeds.md", note)

    return run(_parser(), arguments, work)


def _run(given: argparse.Namespace, tasks: Sequence[Task], store: ResultStore) -> None:
    """Measure what is missing, experiment by experiment: they share points."""
    left: dict[str, Task] = {}
    for task in missing(tasks, store.records(), given.retry, _KEY, point=lambda p: p, chunk=1):
        # A point a piece: fits of many items take long, and more processes can share them.
        for point in task.points:
            one = key_of(task.key | point, _KEY) + str(task.seeds)
            left.setdefault(
                one,
                Task(
                    task.path,
                    task.key,
                    task.method,
                    (point,),
                    task.seeds,
                    task.folds,
                    fit=task.fit,
                ),
            )
    run_tasks(list(left.values()), store, given.jobs)


if __name__ == "__main__":
    sys.exit(main())
