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
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.harness import (
    check,
    given_folder,
    markdown,
    mean_error,
    parallel,
    parser_of,
    run,
    say,
    stored,
)
from benchmarks.oneclass_data import TASKS, Pile, Trial, prepare, source_at, trials
from benchmarks.oneclass_methods import METHODS, measure, warm
from benchmarks.store import Record, ResultStore, key_of
from comraf.errors import InputError

__all__ = ["Job", "agreement", "main", "perform", "plan", "table"]

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


def plan(given: argparse.Namespace) -> list[Job]:
    """A job for each trial of each task, with all methods that were asked for."""
    jobs = []
    versions = {name: METHODS[name].version() for name in given.methods}
    for task in given.tasks:
        path = prepare(task, given_folder(given.data), given.cache)
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
    seen = {key_of(r, _KEY) for r in records if r["status"] in final}
    left = []
    for job in jobs:
        some = tuple(r for r in job.records if key_of(r, _KEY) not in seen)
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
    work = parallel(perform, jobs, processes)
    for done, (job, records) in enumerate(work, start=1):
        for record in records:
            store.append(record)
        bad = [f"{r['method']}: {r['error']}" for r in records if r["status"] != "ok"]
        said = "; ".join(bad) or f"{len(records)} methods"
        say(f"{done} of {len(jobs)}: {job.task} · {job.trial.name} · {said}")


def _stored(records: Iterable[Record], jobs: Iterable[Job]) -> dict[str, dict[str, Record]]:
    """What is stored of the jobs: by method, then by trial."""
    asked = {key_of(r, _KEY) for job in jobs for r in job.records}
    found: dict[str, dict[str, Record]] = {name: {} for name in METHODS}
    for record in records:
        if key_of(record, _KEY) in asked:
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
    lines = []
    base = {t: r for t, r in found.get("centroid", {}).items() if r["status"] == "ok"}
    notes: list[str] = []
    for name, by in found.items():
        good = {t: r for t, r in by.items() if r["status"] == "ok"}
        notes += dict.fromkeys(
            f"- {METHODS[name].title}, {t}: {r['error']}" for t, r in by.items() if t not in good
        )
        both = [good[t]["accuracy"] - base[t]["accuracy"] for t in good if t in base]
        gain = mean_error(both, sign="+") if both and name != "centroid" else "–"
        cells = ["failed", "–", "–", "–", "–"]
        if good:
            cells = [
                mean_error([r["accuracy"] for r in good.values()]),
                mean_error([r["auc"] for r in good.values()]),
                mean_error([r["purity"] for r in good.values()]),
                gain,
                f"{statistics.fmean(r['seconds'] for r in good.values()):.2f}",
            ]
        lines.append([METHODS[name].title, len(good), *cells])
    about = [f"### {task}: {TASKS[task][1]}", "", f"{facts} ± is the standard error.", ""]
    return "\n".join([*about, markdown(_COLUMNS, lines), *([""] if notes else []), *notes])


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
    lines = []
    for a in names:
        cells = []
        for b in names:
            both = [
                spearmanr(ranks[a][t], ranks[b][t]).statistic
                for t in ranks[a]
                if t in ranks[b] and len(set(ranks[a][t])) > 1 and len(set(ranks[b][t])) > 1
            ]
            cells.append("–" if a == b or not both else f"{statistics.fmean(both):.2f}")
        lines.append([a, *cells])
    return markdown(["Spearman", *names], lines)


def each(records: Sequence[Record], jobs: Sequence[Job], task: str) -> str:
    """Markdown of the accuracy of each trial (figure 6.5 of the thesis)."""
    mine = [job for job in jobs if job.task == task]
    found = _stored(records, mine)
    if not found:
        return ""
    lines = []
    for job in mine:
        got = [by.get(job.trial.name, {}).get("accuracy") for by in found.values()]
        cells = ["–" if value is None else mean_error([value], 2) for value in got]
        lines.append([job.trial.name, *cells])
    return markdown(["trial", *found], lines)


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(
        *("oneclass", __doc__, "data", "cache", "retry", "table_only", "prepare"),
        draws=5,
        seed=0,
        jobs=1,
        out="oneclass",
    )
    add = parser.add_argument
    add("--tasks", nargs="+", metavar="NAME", help=f"{', '.join(TASKS)}, stream; default all")
    add("--methods", nargs="+", default=list(METHODS), metavar="NAME", help=", ".join(METHODS))
    add("--each", action="store_true", help="print the accuracy of each trial too")
    add("--cost", action="store_true", help="time fits of a large generated table instead")
    add("--tokens", type=int, default=10_000_000, metavar="N", help="of --cost; default 10 million")
    return parser


def _settle(given: argparse.Namespace) -> None:
    asked = given.tasks or list(TASKS)
    names = [part for name in asked for part in (STREAM if name == "stream" else (name,))]
    given.tasks = [check("task", name, TASKS, "stream") for name in dict.fromkeys(names)]
    given.methods = [check("method", name, METHODS) for name in dict.fromkeys(given.methods)]
    if given.tokens < 1000:
        raise InputError(f"--tokens {given.tokens}; give 1000 or more")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""

    def work(given: argparse.Namespace) -> int:
        _settle(given)
        if given.cost:
            from benchmarks.oneclass_cost import cost_table

            print(cost_table(given.tokens, given.methods))
            return 0
        jobs = plan(given)

        def fill(store: ResultStore) -> None:
            run_jobs(missing(jobs, store.records(), given.retry), store, given.jobs)

        def show(records: list[Record]) -> str:
            parts = [table, agreement, *([each] if given.each else [])]
            texts = (part(records, jobs, task) for task in given.tasks for part in parts)
            return "\n\n".join(filter(None, texts))

        return 0 if given.prepare else stored(given, fill, show)

    return run(_parser(), arguments, work)


if __name__ == "__main__":
    sys.exit(main())
