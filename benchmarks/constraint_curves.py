"""Fits behind the learning curves: methods, tasks of many fits, and processes that share them.

A task is one method on one table: it fits every fold of its seeds at every point of the curve.
What is drawn depends on the table, the seed and the fold alone, so all methods get the same.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.constraint_data import Codes, Pairs, Table, draw_pairs, halves
from benchmarks.harness import parallel, say
from benchmarks.store import Record, ResultStore, key_of
from comraf.metrics import nmi, pairwise_precision_recall_f

__all__ = [
    "ACTIVE",
    "METHODS",
    "METRICS",
    "Method",
    "Task",
    "available",
    "missing",
    "perform",
    "run_tasks",
    "score",
    "table_at",
]

#: How far rows are from centres, by the names of the command line.
METRICS = ("euclidean", "cosine", "kl")

# Names a record is known by; seeds are apart, several records may share them out.
_KEY = ("dataset", "fingerprint", "metric", "method", "version", "settings", "folds", "links")


@dataclass(frozen=True)
class Method:
    """A clusterer of the curves.

    Attributes
    ----------
    title : str
        How tables and plots name it.
    module, name : str
        Where its class is.
    options : dict
        Of the class.
    links : bool
        Whether it is told links at all; if not, one point is its whole curve.
    weighted : bool
        Whether it takes the price of a link.
    learner : str
        Class of ``comraf.active`` that chooses the links, "" for random ones.
    """

    title: str
    module: str
    name: str
    options: dict[str, Any] = field(default_factory=dict)
    links: bool = True
    weighted: bool = False
    learner: str = ""
    metrics: tuple[str, ...] = METRICS

    def build(self, k: int, metric: str, seed: int, weight: float | str) -> Any:
        """The estimator, not yet fitted."""
        options = dict(self.options)
        if self.weighted:
            options["link_weight"] = weight
        if self.metrics == METRICS:
            options["metric"] = metric
        made = getattr(importlib.import_module(self.module), self.name)
        return made(k, random_state=seed, **options)

    def settings(self, weight: float | str) -> Record:
        """What a record says of it."""
        shown = dict(self.options)
        if self.weighted:
            # JSON has no infinity.
            shown["link_weight"] = "inf" if weight == math.inf else weight
        if self.learner:
            shown["learner"] = self.learner
        return shown

    def version(self) -> str:
        """Digest of the code that does the work."""
        return _version(self.module, bool(self.learner))


_ONE: dict[str, Any] = {"n_init": 1}
_HMRF = ("comraf.kmeans.hmrf", "HMRFKMeans")

#: Clusterers told random links; one start as in the thesis, and ten.
METHODS: dict[str, Method] = {
    "kmeans": Method(
        "KMeans, one start", "comraf.kmeans.plain", "KMeans", {**_ONE, "init": "mean"}, links=False
    ),
    "kmeans-10": Method(
        "KMeans, ten starts", "comraf.kmeans.plain", "KMeans", {"n_init": 10}, links=False
    ),
    "kmeans-pp": Method(
        "KMeans, one start by k-means++", "comraf.kmeans.plain", "KMeans", _ONE, links=False
    ),
    "hmrf-i": Method("HMRF-KMeans-I", *_HMRF, {**_ONE, "ablation": "-I"}),
    "hmrf": Method("HMRF-KMeans", *_HMRF, _ONE, weighted=True),
    "hmrf-original": Method(
        "HMRF-KMeans, original links", *_HMRF, {**_ONE, "constraints": "original"}, weighted=True
    ),
    "hmrf-i-10": Method("HMRF-KMeans-I, ten starts", *_HMRF, {"n_init": 10, "ablation": "-I"}),
    "hmrf-10": Method("HMRF-KMeans, ten starts", *_HMRF, {"n_init": 10}, weighted=True),
    "cop": Method("COP-KMeans", "comraf.kmeans.cop", "COPKMeans", {**_ONE, "on_failure": "drop"}),
    "mpck": Method(
        "MPCK-Means, diagonal",
        "comraf.kmeans.mpck",
        "MPCKMeans",
        {**_ONE, "form": "diagonal"},
        weighted=True,
        metrics=("euclidean",),
    ),
}

#: One clusterer with links chosen in different ways.
ACTIVE: dict[str, Method] = {
    "random": Method("random pairs", *_HMRF, _ONE, weighted=True, learner="RandomPairs"),
    "explore": Method(
        "Explore and Consolidate", *_HMRF, _ONE, weighted=True, learner="ExploreConsolidate"
    ),
    "explore-only": Method(
        "Explore, k unknown", *_HMRF, _ONE, weighted=True, learner="ExploreConsolidate:k=None"
    ),
    "minmax": Method("Explore and min-max", *_HMRF, _ONE, weighted=True, learner="MinMax"),
    "npu": Method("NPU", *_HMRF, _ONE, weighted=True, learner="NPU"),
}


def available(method: Method) -> bool:
    """Whether the classes a method needs are there.

    Examples
    --------
    >>> available(METHODS["hmrf"])
    True
    """
    try:
        found = hasattr(importlib.import_module(method.module), method.name)
    except ImportError:
        return False
    if method.learner and found:
        active = importlib.import_module("comraf.active")
        return hasattr(active, method.learner.partition(":")[0])
    return found


@functools.cache
def _version(module: str, active: bool) -> str:
    # While we work the number stays and the code changes. The file of another method of the room
    # is left out: it changes nothing here.
    import comraf

    home = Path(str(comraf.__file__)).parent
    shared = (
        "alternating",
        "base",
        "distances",
        "field",
        "hmrf",
        "inference_icm",
        "rows",
        "seeding",
    )
    own = module.rsplit(".", 1)[1]
    room = home / "kmeans"
    files = {room / f"{name}.py" for name in (*shared, own)}
    files |= set(room.glob(f"{own}_*.py")) | set((home / "supervision").glob("*.py"))
    if active:
        files |= set((home / "active").glob("*.py"))
    digest = hashlib.sha256()
    for file in sorted(files):
        if file.is_file():
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Task:
    """One method on one table, for some seeds, at the points of a curve.

    Attributes
    ----------
    path : str
        File of the table.
    key : dict
        What the records are known by, the point of the curve apart.
    method : Method
        What is fitted.
    points : tuple of int
        Numbers of links.
    seeds : tuple of int
        Each draws its own folds and links.
    folds : int
        Parts, of which one is scored and the others are told about.
    weight : float or "auto"
        Price of a link.
    fit : str
        Name of the function that does the work, as "module:function".
    """

    path: str
    key: Record
    method: Method
    points: tuple[Any, ...]
    seeds: tuple[int, ...]
    folds: int
    weight: float | str = "auto"
    fit: str = "benchmarks.constraint_curves:curve"


def missing(
    tasks: Sequence[Task],
    records: Sequence[Record],
    retry: bool = False,
    names: Sequence[str] = _KEY,
    point: Callable[[Any], Record] = lambda links: {"links": links},
    chunk: int = 5,
) -> list[Task]:
    """What no record holds yet, cut into pieces of a few seeds.

    Examples
    --------
    >>> task = Task("", {"method": "cop"}, METHODS["cop"], (5, 10), (0, 1), 2)
    >>> done = [{"method": "cop", "links": 5, "seeds": [0, 1], "status": "ok"}]
    >>> [(t.points, t.seeds) for t in missing([task], done)]
    [((10,), (0, 1))]
    """
    there: dict[str, set[int]] = {}
    for record in records:
        if record["status"] == "ok" or not retry:
            there.setdefault(key_of(record, names), set()).update(record["seeds"])
    left = []
    for task in tasks:
        # Seeds that lack the same points go together.
        lacking: dict[str, tuple[tuple[Any, ...], list[int]]] = {}
        for seed in task.seeds:
            points = tuple(
                p
                for p in task.points
                if seed not in there.get(key_of(task.key | point(p), names), ())
            )
            if points:
                lacking.setdefault(json.dumps(points), (points, []))[1].append(seed)
        for points, seeds in lacking.values():
            left += [
                replace(task, points=points, seeds=tuple(seeds[at : at + chunk]))
                for at in range(0, len(seeds), chunk)
            ]
    return left


def score(table: Table, scored: Codes, model: Any) -> Record:
    """How well the rows of which nothing was told are clustered, and the objective of all."""
    truth, labels = table.truth[scored], np.asarray(model.labels_)[scored]
    return {
        "nmi": round(nmi(truth, labels), 5),
        "f": round(pairwise_precision_recall_f(truth, labels).f, 5),
        "objective": float(f"{model.objective_:.7g}"),
    }


@functools.lru_cache(maxsize=2)
def table_at(path: str) -> Table:
    """The table of a file; a process reads it once."""
    return Table.load(Path(path))


def curve(task: Task) -> list[Record]:
    """Fit all folds of all seeds at all points; one record for each point."""
    table = table_at(task.path)
    found: dict[Any, dict[str, list[Any]]] = {p: {} for p in task.points}
    for seed in task.seeds:
        for fold, (told, scored) in enumerate(halves(len(table.truth), task.folds, seed)):
            for links, (must, cannot) in _links(task, table, told, [seed, fold]):
                model = task.method.build(
                    table.k, str(task.key["metric"]), seed * task.folds + fold, task.weight
                )
                begun = time.process_time()
                given = {"must_link": must, "cannot_link": cannot} if links else {}
                _fit(model, table.rows, given)
                spent = round(time.process_time() - begun, 4)
                for name, value in {**score(table, scored, model), "cpu_s": spent}.items():
                    found[links].setdefault(name, []).append(value)
    return [
        {**task.key, "links": p, "seeds": list(task.seeds), "status": "ok", **found[p]}
        for p in task.points
    ]


def _fit(model: Any, rows: Any, given: Record) -> None:
    with warnings.catch_warnings():
        # Links that were dropped are no news for COP-KMeans.
        warnings.simplefilter("ignore", UserWarning)
        model.fit(rows, **given)


def _links(
    task: Task, table: Table, told: Codes, seed: Sequence[int]
) -> Iterator[tuple[int, tuple[Pairs, Pairs]]]:
    points = sorted(task.points)
    if task.method.learner:
        yield from _asked(task, table, told, seed)
        return
    if not task.method.links:
        for number in points:
            yield number, _by_truth(table.truth, np.empty((0, 2), dtype=np.int64))
        return
    pairs = draw_pairs(told, points[-1], seed)
    for number in points:
        yield number, _by_truth(table.truth, pairs[:number])


def _by_truth(truth: Codes, pairs: Pairs) -> tuple[Pairs, Pairs]:
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return pairs[same], pairs[~same]


def _asked(
    task: Task, table: Table, told: Codes, seed: Sequence[int]
) -> Iterator[tuple[int, tuple[Pairs, Pairs]]]:
    """What one session of questions knows each time its budget reaches a point."""
    active = importlib.import_module("comraf.active")
    name, _, option = task.method.learner.partition(":")
    points = sorted(task.points)
    options: Record = {} if name == "RandomPairs" else {"k": None if option else table.k}
    # "cosine" and "euclidean" are what learners measure; a divergence has no such space.
    metric = "cosine" if table.text else "euclidean"
    learner = getattr(active, name)(
        points[-1], metric=metric, random_state=1000 * seed[0] + seed[1], **options
    )
    learner.start(table.rows[told])
    truth = table.truth[told]
    for number in points:
        while learner.n_asked < number and (pair := learner.query()) is not None:
            learner.answer(bool(truth[pair[0]] == truth[pair[1]]))
        known = learner.result()
        yield number, (told[known.must_link], told[known.cannot_link])


def perform(task: Task) -> list[Record]:
    """Do a task; whatever a method raises is a result too."""
    from threadpoolctl import threadpool_limits

    module, _, name = task.fit.partition(":")
    work = getattr(importlib.import_module(module), name)
    try:
        # Threads of the linear algebra would fight with the other processes.
        with threadpool_limits(1):
            found: list[Record] = work(task)
    except Exception as error:  # noqa: BLE001 - see above
        text = f"{type(error).__name__}: {error}"[:300]
        # One point may fail where the others go well.
        if len(task.points) > 1:
            return [r for p in task.points for r in perform(replace(task, points=(p,)))]
        point = task.points[0] if isinstance(task.points[0], dict) else {"links": task.points[0]}
        found = [
            {**task.key, **point, "seeds": list(task.seeds), "status": "failed", "error": text}
        ]
    return found


def run_tasks(tasks: Sequence[Task], store: ResultStore, jobs: int) -> None:
    """Do all tasks, in `jobs` processes if there are several, and store what they find."""
    work = parallel(perform, tasks, jobs)
    for done, (task, records) in enumerate(work, start=1):
        for record in records:
            store.append(record)
        bad = [r["error"] for r in records if r["status"] != "ok"]
        label = " · ".join(str(task.key[n]) for n in ("dataset", "metric", "method"))
        seeds = f"seeds {task.seeds[0]} to {task.seeds[-1]}"
        say(f"{done} of {len(tasks)}: {label} · {seeds}: {bad[0] if bad else 'ok'}")
