r"""How long k-means with labels and links takes, and how much memory.

::

    python -m benchmarks.constrained_speed --data DIR
    python -m benchmarks.constrained_speed --parts peer --limit 900
    python -m benchmarks.constrained_speed --parts inference sparse --repeats 1 --draws 2

``inference``: assignments of HMRF-KMeans one by one (ICM), by belief propagation and by linear
programming, side by side in one process. ``peer``: every estimator with one start on 2,000 × 100
dense data with 1,000 links or labels, beside active-semi-supervised-clustering where that is
installed. ``sparse``: every estimator on the words of 20 Newsgroups. A fit of the last two has a
process of its own with one thread; seconds are CPU seconds, the median of a few fits, compiled code
is there before the clock starts, and memory is the peak of that process, libraries included.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib
import importlib.util
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.constrained_tables import estimator_table, inference_table
from benchmarks.constraint_curves import METHODS as CURVES
from benchmarks.constraint_curves import Method, available, table_at
from benchmarks.constraint_data import (
    Codes,
    Pairs,
    blobs,
    draw_pairs,
    halves,
    neighbours,
    prepare,
)
from benchmarks.constraints import metrics_of
from benchmarks.harness import (
    apart,
    check,
    given_folder,
    parser_of,
    peak_megabytes,
    run,
    say,
    stored,
)
from benchmarks.store import Record, ResultStore, key_of
from comraf.metrics import nmi

__all__ = ["JOBS", "PEER", "Job", "main", "measure", "tables"]

#: Module of active-semi-supervised-clustering.
PEER = "active_semi_clustering"
_PARTS = ("inference", "peer", "sparse")
_KEY = ("part", "name", "owner", "version", "dataset", "links", "repeats", "limit_s")
_ONE = {"n_init": 1}
_Work = tuple[Record, Callable[[], Record]]


@dataclass(frozen=True)
class Job:
    """An estimator of ours, and the peer's that does the same.

    Attributes
    ----------
    method : Method
        Ours.
    told : {"", "labels", "links"}
        What it is told.
    peer : str
        The peer's, as "module:class"; "" where it has none.
    sparse : bool
        Whether it is tried on sparse words.
    graph : bool
        Whether it is given the nearest neighbours of words and not the words.
    """

    method: Method
    told: str
    peer: str = ""
    sparse: bool = True
    graph: bool = False


def _ours(title: str, module: str, name: str, metric: bool = True, **options: Any) -> Method:
    # Only those that take a metric are given one.
    known = CURVES["kmeans"].metrics if metric else ("euclidean",)
    return Method(title, f"comraf.kmeans.{module}", name, {**_ONE, **options}, metrics=known)


_LABELS, _LINKS = ".semi_supervised.labeled_data", ".semi_supervised.pairwise_constraints"

#: Every estimator of the room.
JOBS: dict[str, Job] = {
    "kmeans": Job(_ours("KMeans", "plain", "KMeans"), ""),
    "seeded": Job(
        _ours("SeededKMeans", "seeded", "SeededKMeans"), "labels", f"{_LABELS}:SeededKMeans"
    ),
    "constrained": Job(
        _ours("ConstrainedKMeans", "seeded", "ConstrainedKMeans"),
        "labels",
        f"{_LABELS}:ConstrainedKMeans",
    ),
    "cop": Job(_ours("COPKMeans", "cop", "COPKMeans"), "links", f"{_LINKS}:COPKMeans"),
    "hmrf": Job(_ours("HMRFKMeans", "hmrf", "HMRFKMeans"), "links", f"{_LINKS}:PCKMeans"),
    "mpck": Job(
        _ours("MPCKMeans, diagonal", "mpck", "MPCKMeans", metric=False),
        "links",
        f"{_LINKS}:MPCKMeans",
    ),
    "mpck-full": Job(
        _ours("MPCKMeans, full", "mpck", "MPCKMeans", metric=False, form="full"),
        "links",
        f"{_LINKS}:MPCKMeansMF",
        sparse=False,
    ),
    "kernel": Job(
        _ours("KernelKMeans, linear", "kernel", "KernelKMeans", metric=False, kernel="linear"),
        "links",
        sparse=False,
    ),
    "kernel-graph": Job(
        _ours(
            "KernelKMeans, 10 neighbours",
            "kernel",
            "KernelKMeans",
            metric=False,
            kernel="precomputed",
            objective="normalized",
        ),
        "links",
        graph=True,
    ),
    "overlap": Job(
        _ours("OverlappingKMeans", "overlap", "OverlappingKMeans", metric=False), "links"
    ),
}


def _given(job: Job, truth: Codes, links: int, ours: bool) -> Record:
    """Links or labels in the words of who is fitted."""
    if not job.told:
        return {}
    n = len(truth)
    if job.told == "labels":
        told = np.full(n, -1, dtype=np.int64)
        chosen = np.random.default_rng(5).permutation(n)[: min(links, n)]
        told[chosen] = truth[chosen]
        return {"labels": told} if ours else {"y": told}
    must, cannot = _sorted_out(truth, draw_pairs(np.arange(n), links, [5]))
    if ours:
        return {"must_link": must, "cannot_link": cannot}
    return {"ml": list(map(tuple, must.tolist())), "cl": list(map(tuple, cannot.tolist()))}


def _sorted_out(truth: Codes, pairs: Pairs) -> tuple[Pairs, Pairs]:
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return pairs[same], pairs[~same]


def measure(name: str, owner: str, path: str, links: int, repeats: int) -> Record:
    """Fit one estimator a few times; seconds, peak memory and how good it is.

    Parameters
    ----------
    name : str
        Of ``JOBS``.
    owner : {"comraf", "peer"}
        Whose estimator.
    path : str
        File of a table, "" for dense rows of :func:`blobs`.
    links : int
        Links or labels told.
    repeats : int
        Fits; a slow one is not made again once they have taken 20 seconds.
    """
    from threadpoolctl import threadpool_limits

    job, ours = JOBS[name], owner == "comraf"
    if path:
        rows, truth = table_at(path).rows, table_at(path).truth
        rows = neighbours(rows) if job.graph else rows
        metric = "cosine"
    else:
        rows, truth = blobs()
        metric = "euclidean"
    k = len(np.unique(truth))

    def build(seed: int, k: int) -> Any:
        if ours:
            return job.method.build(k, metric, seed, "auto")
        module, _, made = job.peer.partition(":")
        np.random.seed(seed)  # noqa: NPY002 - the peer knows no other
        return getattr(importlib.import_module(PEER + module), made)(n_clusters=k)

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if ours:
            few, small = _sliver(rows, truth, job.graph)
            build(0, 2).fit(few, **_given(job, small, min(20, len(small)), ours))
        given = _given(job, truth, links, ours)
        seconds: list[float] = []
        found = []
        for seed in range(repeats):
            model = build(seed, k)
            begun = time.process_time()
            model.fit(rows, **given)
            seconds.append(time.process_time() - begun)
            found.append(nmi(truth, np.asarray(model.labels_)))
            if sum(seconds) > 20:
                break
    peak = peak_megabytes()
    return {
        "seconds": round(statistics.median(seconds), 4),
        "fits": len(seconds),
        "nmi": round(statistics.fmean(found), 4),
        "peak_mb": peak and round(peak),
    }


def _sliver(rows: Any, truth: Codes, graph: bool) -> tuple[Any, Codes]:
    """A few rows of two classes, to compile on; all columns, and all types as they are."""
    some = np.concatenate([np.flatnonzero(truth == c)[:30] for c in np.unique(truth)[:2]])
    few = rows[some]
    if graph:
        few = few[:, some]
        # Few of these rows are neighbours: a ring keeps everybody in the graph.
        n = len(some)
        ring = sp.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
        few = sp.csr_array(few + ring + ring.T)
    return few, truth[some]


def _inference(given: argparse.Namespace) -> list[_Work]:
    jobs: list[_Work] = []
    for name in given.datasets:
        metric = metrics_of(name, None, active=True)[0]
        path = str(prepare(name, given_folder(given.data), given.cache))
        for links in (50, 100, 300):
            for how in ("icm", "bp", "lp"):
                key = {"part": "inference", "name": how, "owner": "comraf", "links": links}
                key |= {"version": _versions(how), "dataset": name, "repeats": given.draws}
                jobs.append((key, _infers(path, metric, links, how, given.draws)))
    return jobs


def _infers(path: str, metric: str, links: int, how: str, draws: int) -> Callable[[], Record]:
    def work() -> Record:
        from threadpoolctl import threadpool_limits

        from comraf.kmeans.hmrf import HMRFKMeans

        table = table_at(path)
        seconds: list[float] = []
        steps: list[float] = []
        scores: list[float] = []
        objectives: list[float] = []
        for seed in range(-1, draws):
            told, scored = halves(len(table.truth), 2, max(seed, 0))[0]
            must, cannot = _sorted_out(table.truth, draw_pairs(told, links, [max(seed, 0)]))
            model = HMRFKMeans(
                table.k, metric=metric, inference=how, n_init=1, random_state=max(seed, 0)
            )
            begun = time.process_time()
            with threadpool_limits(1):
                model.fit(table.rows, must_link=must, cannot_link=cannot)
            if seed < 0:  # the first one compiles
                continue
            seconds.append(time.process_time() - begun)
            steps.append(model.inference_seconds_)
            scores.append(nmi(table.truth[scored], model.labels_[scored]))
            objectives.append(model.objective_)
        return {
            "status": "ok",
            "seconds": round(statistics.median(seconds), 5),
            "steps": round(statistics.median(steps), 6),
            "nmi": round(statistics.fmean(scores), 4),
            "objective": round(statistics.fmean(objectives), 4),
        }

    return work


def _versions(how: str) -> str:
    # bp and lp have files of their own beside those of the method
    import comraf

    home = Path(str(comraf.__file__)).parent / "kmeans" / f"inference_{how}.py"
    return CURVES["hmrf"].version() + hashlib.sha256(home.read_bytes()).hexdigest()[:6]


def _estimators(given: argparse.Namespace, part: str) -> list[_Work]:
    jobs: list[_Work] = []
    peer = importlib.util.find_spec(PEER) is not None
    path = (
        "" if part == "peer" else str(prepare("20news-1000", given_folder(given.data), given.cache))
    )
    for name in given.methods:
        job = JOBS[name]
        if (part == "peer" and job.graph) or (part == "sparse" and not job.sparse):
            continue
        owners = ["comraf"] if available(job.method) else []
        owners += ["peer"] if part == "peer" and peer and job.peer else []
        for owner in owners:
            version = job.method.version() if owner == "comraf" else _peer_version()
            key = {"part": part, "name": name, "owner": owner, "version": version}
            key |= {"dataset": "20news-1000" if path else "2,000 x 100", "links": given.links}
            key |= {"repeats": given.repeats, "limit_s": given.limit}
            arguments = (name, owner, path, given.links, given.repeats)
            jobs.append((key, functools.partial(apart, measure, *arguments, limit=given.limit)))
    return jobs


def _peer_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("active-semi-supervised-clustering")
    except PackageNotFoundError:
        return "unknown"


def tables(records: Sequence[Record]) -> str:
    """Markdown of the newest records.

    Examples
    --------
    >>> one = {"part": "peer", "name": "cop", "links": 9, "dataset": "d", "status": "ok"}
    >>> ours = {**one, "owner": "comraf", "seconds": 0.5, "nmi": 0.9, "peak_mb": 150}
    >>> theirs = {**one, "owner": "peer", "seconds": 10.0, "nmi": 0.8, "peak_mb": 120}
    >>> print(tables([ours, theirs]).splitlines()[-1])
    | COPKMeans | 0.500 | .900 | 150 | 10.0 | .800 | 20× |
    """
    last = {key_of(r, ("part", "name", "owner", "dataset", "links")): r for r in records}
    parts: dict[str, list[Record]] = {}
    for record in last.values():
        parts.setdefault(record["part"], []).append(record)
    titles = {name: job.method.title for name, job in JOBS.items()}
    texts = []
    if "inference" in parts:
        texts.append(inference_table(parts["inference"]))
    for part, title in (("peer", "Dense, beside the peer"), ("sparse", "Sparse words")):
        if part in parts:
            texts.append(estimator_table(title, parts[part], titles))
    return "\n\n".join(texts)


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(
        *("constrained_speed", __doc__, "data", "cache", "fresh", "table_only"),
        draws=10,
        out="constrained_speed",
    )
    add = parser.add_argument
    inference = ["iris", "digits-389", "letters-ijl", "3news-similar-100"]
    add("--parts", nargs="+", choices=_PARTS, default=list(_PARTS))
    add("--methods", nargs="+", default=list(JOBS), metavar="NAME", help=", ".join(JOBS))
    add("--datasets", nargs="+", default=inference, metavar="NAME", help="of the inference part")
    add("--links", type=int, default=1000, metavar="M", help="of the other parts; default 1000")
    add("--repeats", type=int, default=3, metavar="N", help="fits of each estimator; default 3")
    add("--limit", type=float, default=600, metavar="S", help="seconds for one of them")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""

    def work(given: argparse.Namespace) -> int:
        for name in given.methods:
            check("method", name, JOBS)
        return stored(given, lambda store: _run(given, store), tables)

    return run(_parser(), arguments, work)


def _run(given: argparse.Namespace, store: ResultStore) -> None:
    seen = {key_of(record, _KEY) for record in store.records()}
    for part in given.parts:
        jobs = _inference(given) if part == "inference" else _estimators(given, part)
        for key, work in jobs:
            label = " · ".join(str(key[n]) for n in ("part", "dataset", "name", "owner"))
            if key_of(key, _KEY) in seen:
                say(f"{label}: measured before")
                continue
            record = {**key, **work()}
            store.append(record)
            told = {n: record[n] for n in ("seconds", "nmi", "peak_mb", "error") if n in record}
            say(f"{label}: {json.dumps(told)}")


if __name__ == "__main__":
    sys.exit(main())
