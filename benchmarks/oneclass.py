r"""How well a core is found: newsgroups, search results, the topic of each week.

::

    python -m benchmarks.oneclass --data DIR --jobs 8
    python -m benchmarks.oneclass --data DIR --tasks ambient stream --methods ltb occc centroid
    python -m benchmarks.oneclass --data DIR --prepare
    python -m benchmarks.oneclass --cost

Tasks: ``newsgroups`` (200 messages of one group among 600, 20 groups × 5 draws), ``ambient`` (the
largest subtopic with at least 10 results of each query), ``news`` and ``tweets`` (the largest story
of each of 26 blocks; ``stream`` is both), ``dates`` (the largest newsgroup of each of 26 blocks in
order of date, others thinned so that it is 30%), ``weeks`` and ``days`` (the largest newsgroup of
each week and day with at least 100 messages, nothing thinned). A method is told how large the core
is and nothing else of it. ``accuracy`` is the part of the core found that is right, ``AUC`` is of
all documents, ``purity`` the largest part of the core found that one class has, the core or
another (weeks and days have several newsgroups of nearly one size). ± is the standard error over
trials. ``to centroid`` is the mean gain in accuracy over the cosine to the centroid, trial by
trial. A second table has Spearman's correlation of rankings, of 60 documents of each trial.

Every fit is a line of ``--out``; the same command again measures only what is missing, changed
code of ours included. With the tables in ``--cache``, ``--data`` is not needed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from benchmarks.oneclass_data import TASKS, Pile, Trial, check_task, prepare, source_at, trials
from benchmarks.oneclass_methods import METHODS, check_method, measure, warm
from benchmarks.run import default_cache
from benchmarks.store import Record, ResultStore
from comraf.errors import ComrafError, InputError

__all__ = ["Job", "agreement", "main", "perform", "plan", "standard_error", "table"]

#: What ``stream`` stands for.
STREAM = ("news", "tweets")
_KEY = ("task", "trial", "fingerprint", "method", "version", "seed")
_COLUMNS = ("method", "trials", "accuracy", "AUC", "purity", "to centroid", "s")
# Near another by design, or not a ranking of its own: left out of the table of all with all.
_UNCOMPARED = ("ltb-paper-pd", "occc-iterative", "occc-best", "random", "order")


@dataclass(frozen=True)
class Job:
    """A trial and the methods that have not been measured on it."""

    path: str
    task: str
    trial: Trial
    records: tuple[Record, ...]


def key_of(record: Record) -> str:
    """What tells two measurements apart.

    Examples
    --------
    >>> key_of({"method": "ltb", "trial": "1"}) == key_of({"method": "ltb", "trial": "2"})
    False
    """
    return json.dumps([record.get(name) for name in _KEY])


def plan(given: argparse.Namespace) -> list[Job]:
    """A job for each trial of each task, with all methods that were asked for."""
    data = given.data or os.environ.get("COMRAF_DATA")
    jobs = []
    versions = {name: METHODS[name].version() for name in given.methods}
    for task in given.tasks:
        path = prepare(task, Path(data) if data else None, given.cache)
        source = source_at(str(path))
        whole = source.fingerprint()
        for trial in trials(task, source, given.draws):
            records: tuple[Record, ...] = tuple(
                {
                    "task": task,
                    "trial": trial.name,
                    "fingerprint": f"{whole}-{trial.fingerprint()}",
                    "method": name,
                    "version": versions[name],
                    "seed": given.seed,
                }
                for name in given.methods
                if not METHODS[name].tasks or task in METHODS[name].tasks
            )
            jobs.append(Job(str(path), task, trial, records))
    return jobs


def missing(jobs: Iterable[Job], records: Iterable[Record], retry: bool) -> list[Job]:
    """Jobs with what is not stored yet; large trials first, so that none is waited for alone."""
    final = ("ok",) if retry else ("ok", "failed")
    seen = {key_of(r) for r in records if r["status"] in final}
    left = []
    for job in jobs:
        some = tuple(r for r in job.records if key_of(r) not in seen)
        if some:
            left.append(Job(job.path, job.task, job.trial, some))
    return sorted(left, key=lambda job: -len(job.trial.rows))


def perform(job: Job) -> list[Record]:
    """Measure all methods of a job, on one core."""
    from threadpoolctl import threadpool_limits

    pile = Pile.cut(source_at(job.path), job.trial)
    done = []
    with threadpool_limits(1):
        _warm_once(job)
        for record in job.records:
            try:
                found = measure(record["method"], pile, record["seed"])
                done.append({**record, "status": "ok", **found})
            except Exception as error:  # noqa: BLE001 - whatever a method raises is a result too
                text = f"{type(error).__name__}: {error}"[:500]
                done.append({**record, "status": "failed", "error": text})
    return done


_WARM: list[bool] = []


def _warm_once(job: Job) -> None:
    if not _WARM and any(METHODS[r["method"]].estimator == "LTB" for r in job.records):
        warm()
        _WARM.append(True)


def run_jobs(jobs: Sequence[Job], store: ResultStore, processes: int) -> None:
    """Do all jobs, in several processes if asked for, and store what they find."""
    done = 0

    def keep(job: Job, records: list[Record]) -> None:
        nonlocal done
        done += 1
        for record in records:
            store.append(record)
        bad = [f"{r['method']}: {r['error']}" for r in records if r["status"] != "ok"]
        said = "; ".join(bad) or f"{len(records)} methods"
        label = f"{done} of {len(jobs)}: {job.task} · {job.trial.name}"
        print(f"{label} · {said}", file=sys.stderr, flush=True)

    if processes == 1:
        for job in jobs:
            keep(job, perform(job))
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # Not forked: libraries with threads of their own don't survive it.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        waiting = {pool.submit(perform, job): job for job in jobs}
        try:
            for future in as_completed(waiting):
                keep(waiting[future], future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def standard_error(values: Sequence[float], digits: int = 3, sign: str = "") -> str:
    """Mean and its standard error.

    Examples
    --------
    >>> standard_error([0.5, 0.7]), standard_error([0.25]), standard_error([0.5, 0.7], sign="+")
    ('.600 ± .100', '.250', '+.600 ± .100')
    """
    mean = f"{statistics.fmean(values):{sign}.{digits}f}".replace("0.", ".", 1)
    if len(values) < 2:
        return mean
    error = statistics.stdev(values) / len(values) ** 0.5
    return f"{mean} ± {error:.{digits}f}".replace("± 0.", "± .")


def _stored(records: Iterable[Record], jobs: Iterable[Job]) -> dict[str, dict[str, Record]]:
    """What is stored of the jobs: by method, then by trial."""
    asked = {key_of(r) for job in jobs for r in job.records}
    found: dict[str, dict[str, Record]] = {name: {} for name in METHODS}
    for record in records:
        if key_of(record) in asked:
            found[record["method"]][record["trial"]] = record
    return {name: by for name, by in found.items() if by}


def table(records: Sequence[Record], jobs: Sequence[Job], task: str) -> str:
    """Markdown of one task: a row for each method."""
    mine = [job for job in jobs if job.task == task]
    found = _stored(records, mine)
    if not found:
        return ""
    sizes = sorted(len(job.trial.rows) for job in mine)
    cores = [r["core"] / r["documents"] for r in next(iter(found.values())).values() if "core" in r]
    facts = f"{len(mine)} trials of {sizes[0]:,} to {sizes[-1]:,} documents"
    facts += f"; the core is {100 * statistics.fmean(cores):.0f}% of them." if cores else "."
    lines = [f"### {task}: {TASKS[task][1]}", "", f"{facts} ± is the standard error.", ""]
    lines += ["| " + " | ".join(_COLUMNS) + " |", "|" + "---|" * len(_COLUMNS)]
    base = {t: r for t, r in found.get("centroid", {}).items() if r["status"] == "ok"}
    notes: list[str] = []
    for name, by in found.items():
        good = {t: r for t, r in by.items() if r["status"] == "ok"}
        notes += dict.fromkeys(
            f"- {METHODS[name].title}, {t}: {r['error']}" for t, r in by.items() if t not in good
        )
        both = [good[t]["accuracy"] - base[t]["accuracy"] for t in good if t in base]
        gain = standard_error(both, sign="+") if both and name != "centroid" else "–"
        cells = ["failed", "–", "–", "–", "–"]
        if good:
            cells = [
                standard_error([r["accuracy"] for r in good.values()]),
                standard_error([r["auc"] for r in good.values()]),
                standard_error([r["purity"] for r in good.values()]),
                gain,
                f"{statistics.fmean(r['seconds'] for r in good.values()):.2f}",
            ]
        lines.append("| " + " | ".join([METHODS[name].title, str(len(good)), *cells]) + " |")
    return "\n".join([*lines, *([""] if notes else []), *notes])


def agreement(records: Sequence[Record], jobs: Sequence[Job], task: str) -> str:
    """Markdown of how much the rankings of methods are alike, on average over trials."""
    from scipy.stats import spearmanr

    found = _stored(records, [job for job in jobs if job.task == task])
    ranks = {
        name: {t: r["ranks"] for t, r in by.items() if r["status"] == "ok"}
        for name, by in found.items()
        if name not in _UNCOMPARED
    }
    names = [name for name, by in ranks.items() if by]
    if len(names) < 2:
        return ""
    lines = ["| Spearman | " + " | ".join(names) + " |", "|" + "---|" * (len(names) + 1)]
    for a in names:
        cells = []
        for b in names:
            both = [
                spearmanr(ranks[a][t], ranks[b][t]).statistic
                for t in ranks[a]
                if t in ranks[b] and len(set(ranks[a][t])) > 1 and len(set(ranks[b][t])) > 1
            ]
            cells.append("–" if a == b or not both else f"{statistics.fmean(both):.2f}")
        lines.append(f"| {a} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def each(records: Sequence[Record], jobs: Sequence[Job], task: str) -> str:
    """Markdown of the accuracy of each trial (figure 6.5 of the thesis)."""
    mine = [job for job in jobs if job.task == task]
    found = _stored(records, mine)
    if not found:
        return ""
    lines = ["| trial | " + " | ".join(found) + " |", "|" + "---|" * (len(found) + 1)]
    for job in mine:
        got = [by.get(job.trial.name, {}).get("accuracy") for by in found.values()]
        cells = ["–" if value is None else standard_error([value], 2) for value in got]
        lines.append(f"| {job.trial.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.oneclass",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", help="folder of the raw collections (default: environment COMRAF_DATA)")
    add("--tasks", nargs="+", metavar="NAME", help=f"{', '.join(TASKS)}, stream; default all")
    add("--methods", nargs="+", default=list(METHODS), metavar="NAME", help=", ".join(METHODS))
    add("--draws", type=int, default=5, metavar="N", help="of each newsgroup; default 5")
    add("--seed", type=int, default=0, metavar="N", help="of methods that draw; default 0")
    add("--jobs", type=int, default=1, metavar="N", help="processes")
    add("--cache", type=Path, default=default_cache(), help="tables; default: %(default)s")
    add(
        "--out",
        type=Path,
        default=Path(__file__).parent / "results" / "oneclass.jsonl",
        help="results as JSON lines; what is there is not measured again",
    )
    add("--each", action="store_true", help="print the accuracy of each trial too")
    add("--retry", action="store_true", help="measure what failed again")
    add("--table-only", action="store_true", help="print what is stored")
    add("--prepare", action="store_true", help="only make the tables of the cache")
    add("--cost", action="store_true", help="time fits of a large generated table instead")
    add("--tokens", type=int, default=10_000_000, metavar="N", help="of --cost; default 10 million")
    return parser


def _settle(given: argparse.Namespace) -> None:
    asked = given.tasks or list(TASKS)
    names = [part for name in asked for part in (STREAM if name == "stream" else (name,))]
    given.tasks = [check_task(name) for name in dict.fromkeys(names)]
    given.methods = [check_method(name) for name in dict.fromkeys(given.methods)]
    for name, least in (("draws", 1), ("jobs", 1), ("tokens", 1000)):
        if getattr(given, name) < least:
            raise InputError(f"--{name} {getattr(given, name)}; give {least} or more")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    given = _parser().parse_args(arguments)
    store = ResultStore(given.out)
    code = 0
    try:
        _settle(given)
        if given.cost:
            from benchmarks.oneclass_cost import cost_table

            print(cost_table(given.tokens, given.methods))
            return 0
        jobs = plan(given)
        if given.prepare:
            return 0
        try:
            if not given.table_only:
                with store.writing():
                    run_jobs(missing(jobs, store.records(), given.retry), store, given.jobs)
        except KeyboardInterrupt:
            print("stopped; what was measured is kept", file=sys.stderr)
            code = 130
        kept = store.records()
        parts = [table, agreement, *([each] if given.each else [])]
        texts = [part(kept, jobs, task) for task in given.tasks for part in parts]
        print("\n\n".join(filter(None, texts)) or "No results yet.")
    except ComrafError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
