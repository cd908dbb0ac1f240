"""Beside an earlier checkout: CPU seconds and accuracy of the same fits, by turns.

::

    git worktree add ../earlier COMMIT
    python -m benchmarks.against_earlier --data DIR --earlier ../earlier --seeds 0-4
    python -m benchmarks.against_earlier --data DIR --earlier ../earlier --work every
    python -m benchmarks.against_earlier --earlier ../earlier --table-only

Every fit has a process of its own with one thread, the two checkouts by turns and with the same
seeds; code is compiled before the clock starts. The ratio is that of the summed CPU seconds, so
that other load on the machine matters little. Differences of accuracy are paired by seed, ± is
their standard error. Results are kept and not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.every_data import NAMES, check_name, load, prepare
from benchmarks.harness import (
    ONE_THREAD,
    check,
    data_folder,
    load_npz,
    markdown,
    mean_error,
    parser_of,
    run,
    save_npz,
    say,
    sparse_parts,
    stored,
)
from benchmarks.store import Record, ResultStore
from comraf.errors import InputError
from comraf.metrics import micro_accuracy

__all__ = ["WORKS", "Work", "main"]

_HERE = Path(__file__).resolve().parents[1]
_KEY = ("work", "seed", "commit")


@dataclass(frozen=True)
class Work:
    """A kind of fit.

    Attributes
    ----------
    collection : str
        As `benchmarks.every_data` calls it.
    estimator : {"MDC", "Organizer"}
    parameters : mapping of str to object
    labelled : float
        Share of the items whose class is told.
    links : int
        How many pairs of items are told, about half of them of the same class.
    """

    collection: str
    estimator: str = "MDC"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    labelled: float = 0.0
    links: int = 0


#: What is fitted, the quickest first.
WORKS: dict[str, Work] = {
    "100each": Work("100each-0"),
    "labels": Work("100each-0", labelled=0.1),
    "corel": Work("corel", "Organizer"),
    "cora-loop": Work("cora", "Organizer", {"graph": "loopy", "observe": ()}),
    "enron": Work("beck-s", "Organizer"),
    "20ng-quick": Work("20ng", parameters={"effort": "quick"}),
    "links": Work("20ng", parameters={"effort": "quick"}, links=10_000),
    "20ng-default": Work("20ng"),
    "20ng-thorough": Work("20ng", parameters={"effort": "thorough"}),
}


def _work(name: str) -> Work:
    """One of `WORKS`, or a collection with its usual sides."""
    return WORKS[name] if name in WORKS else Work(check_name(name), "Organizer")


def _job(name: str, seed: int, data: Path, cache: Path) -> tuple[Record, Any]:
    """What a process is told, and the truth; the tables go through a file of the cache."""
    work = _work(name)
    path = cache / f"against-{work.collection}.npz"
    if not path.is_file():
        prepare(work.collection, data, cache)
        every = load(work.collection, data, cache)
        arrays: dict[str, Any] = {"truth": every.truth, "usual": np.array(every.usual)}
        arrays["observed"] = np.array(every.observed, dtype=np.str_)
        for side in every.usual:
            table = every.tables[side]
            sparse = not isinstance(table, np.ndarray)
            arrays |= sparse_parts(table, f"{side}.") if sparse else {f"{side}.dense": table}
        save_npz(path, **arrays)
    with load_npz(path) as arrays:
        parts = dict(arrays)
    truth, sides = parts["truth"], parts["usual"].tolist()
    known = _known(work, truth, seed)
    if known:
        path = cache / f"against-{name}-{seed}.npz"
        save_npz(path, **parts, **known)
    job = {
        "file": str(path),
        "sides": ["words"] if work.estimator == "MDC" else sides,
        "observed": parts["observed"].tolist(),
        "estimator": work.estimator,
        "parameters": dict(work.parameters),
        "known": sorted(known),
        "k": len(np.unique(truth[truth >= 0])),
        "seed": seed,
    }
    return job, truth


def _known(work: Work, truth: Any, seed: int) -> dict[str, Any]:
    """Labels or links that a fit is told."""
    rng = np.random.default_rng(seed)
    if work.labelled:
        told = rng.random(len(truth)) < work.labelled
        return {"labels": np.where(told, truth, -1)}
    if not work.links:
        return {}
    a = rng.integers(0, len(truth), work.links)
    classes = [np.flatnonzero(truth == c) for c in range(int(truth.max()) + 1)]
    same = np.array([rng.choice(classes[truth[i]]) for i in a])
    other = rng.integers(0, len(truth), work.links)
    half = np.arange(work.links) % 2 == 0
    must = np.stack([a, same], axis=1)[half & (a != same)]
    cannot = np.stack([a, other], axis=1)[~half & (truth[a] != truth[other])]
    return {"must_link": must, "cannot_link": cannot}


def _measure(job: Record, truth: Any, checkout: Path) -> Record:
    """A fit by the comraf of a checkout."""
    path = os.pathsep.join(map(str, (checkout / "src", _HERE)))
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, _HERE / "benchmarks/fit_here.py"],
        input=json.dumps(job),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise InputError(f"the fit by {str(checkout)!r} failed: {done.stderr.strip()[-500:]}")
    found: Record = json.loads(done.stdout.splitlines()[-1])
    labels = np.array(found.pop("labels"))
    return {**found, "accuracy": micro_accuracy(truth[truth >= 0], labels[truth >= 0])}


def _commit(checkout: Path) -> str:
    """The commit of a checkout."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"{str(checkout)!r} is no checkout of a Git repository")
    return done.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("against_earlier", __doc__, "data", "cache", "fresh", "table_only"),
        seeds=["0-4"],
        out="against_earlier",
    )
    parser.add_argument("--earlier", type=Path, help="folder of the other checkout")
    parser.add_argument("--work", nargs="+", default=[*WORKS], help="default: %(default)s")
    return run(parser, arguments, _main)


def _main(given: argparse.Namespace) -> int:
    # What comes for a single query is left out of "every": 44 small collections of one kind.
    every = [name for name in NAMES if not name.startswith("ambient-")]
    given.work = [one for name in given.work for one in (every if name == "every" else [name])]
    for name in given.work:
        check("work", name, (*WORKS, *NAMES))
    if given.earlier is None:
        raise InputError("give the folder of the other checkout with --earlier")
    checkouts = {_commit(_HERE): _HERE, _commit(given.earlier): given.earlier.resolve()}
    if len(checkouts) < 2:
        raise InputError("both checkouts are at the same commit")

    def measure(store: ResultStore) -> None:
        there = {tuple(record[part] for part in _KEY) for record in store.records()}
        for seed in given.seeds:
            for name in given.work:
                missing = [c for c in checkouts if (name, seed, c) not in there]
                if not missing:
                    continue
                job, truth = _job(name, seed, data_folder(given.data), given.cache)
                for commit in missing:
                    found = _measure(job, truth, checkouts[commit])
                    store.append({"work": name, "seed": seed, "commit": commit, **found})
                    say(f"{name}, seed {seed}, {commit}: {found['cpu']:.1f} CPU s")

    return stored(given, measure, lambda records: _table(records, *checkouts))


def _table(records: Sequence[Record], here: str, earlier: str) -> str:
    """CPU seconds, their ratio and accuracy, over the seeds that both have."""
    found = {tuple(record[part] for part in _KEY): record for record in records}
    rows = []
    for name in (*WORKS, *(name for name in NAMES if name not in WORKS)):
        seeds = [
            seed
            for work, seed, commit in found
            if work == name and commit == here and (name, seed, earlier) in found
        ]
        if not seeds:
            continue
        new, old = ([found[name, seed, c] for seed in seeds] for c in (here, earlier))
        cpu = [sum(record["cpu"] for record in side) / len(seeds) for side in (new, old)]
        scores = [[record["accuracy"] for record in side] for side in (new, old)]
        change = [a - b for a, b in zip(*scores, strict=True)]
        rows.append(
            [
                name,
                str(len(seeds)),
                *(f"{seconds:.1f}" for seconds in cpu),
                f"{cpu[0] / cpu[1]:.2f}",
                *(f"{100 * np.mean(side):.1f}" for side in scores),
                mean_error(change, 1, "+", 100.0),
            ]
        )
    titles = ["work", "seeds", "CPU s", "earlier", "ratio", "accuracy", "earlier", "change"]
    return markdown(titles, rows) if rows else ""


if __name__ == "__main__":
    sys.exit(main())
