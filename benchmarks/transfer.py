"""What the classes of one collection are worth in another, related one.

::

    python -m benchmarks.transfer --data DIR --seeds 0-4                # halves of the newsgroups
    python -m benchmarks.transfer --data DIR --tasks beck-s:farmer-d farmer-d:beck-s

The source's classes are known, the target's serve for scoring alone. ``unsupervised`` clusters
the target by itself, ``transfer`` with the word groups of the source's classes, ``shuffled`` with
those of the source's classes dealt out at random: what a node that knows nothing does by itself.
A task is fitted with several seeds (a newsgroups target is drawn anew with each) and the gain is
the mean difference to ``unsupervised`` of the same seed, ± its standard error.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import methods
from benchmarks.datasets import Dataset
from benchmarks.datasets.newsgroups import pick_groups, sample_groups
from benchmarks.harness import data_folder, markdown, parser_of, percent, run, say, stored
from benchmarks.labelled_data import MAILBOXES, load_table
from benchmarks.store import Record, ResultStore, key_of
from benchmarks.supervised import setting
from benchmarks.tables import spread
from comraf.errors import InputError
from comraf.metrics import micro_accuracy

__all__ = ["HALVES", "METHODS", "check_task", "collections_of", "main", "measure", "table"]

#: Two halves each of related but different groups: every group has its kin on the other side.
HALVES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "comp": (
        ("comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware"),
        ("comp.windows.x", "comp.sys.mac.hardware"),
    ),
    "rec": (
        ("rec.autos", "rec.sport.baseball"),
        ("rec.motorcycles", "rec.sport.hockey"),
    ),
    "sci": (
        ("sci.crypt", "sci.med"),
        ("sci.electronics", "sci.space"),
    ),
    "talk": (
        ("talk.politics.guns", "soc.religion.christian"),
        ("talk.politics.mideast", "alt.atheism"),
    ),
}
HALVES["all"] = (
    tuple(group for first, _ in HALVES.values() for group in first),
    tuple(group for _, second in HALVES.values() for group in second),
)
METHODS = ("unsupervised", "transfer", "shuffled")
NEWS_TASKS = tuple(f"{name}-{a}:{name}-{b}" for name in HALVES for a, b in ("ab", "ba"))
MAIL_TASKS = tuple(f"{a}:{b}" for a in MAILBOXES for b in MAILBOXES if a != b)


def _fit_with_transfer(
    source: Dataset,
    classes: npt.NDArray[np.int64],
    target: Dataset,
    seed: int,
    made_with: Mapping[str, Any],
) -> npt.NDArray[np.int64]:
    """Clusters of the target's rows, with the source's classes known.

    Everything that this benchmark knows about how transfer is called stands here.
    """
    comraf = import_module("comraf")
    knowledge = import_module("comraf.supervision").WordKnowledge.from_labels(
        source.counts, classes, source.column_names
    )
    model = comraf.MDC(target.n_classes, random_state=seed, **made_with)
    model.fit(target.counts, transfer=knowledge.for_columns(target.column_names))
    return np.asarray(model.labels_, dtype=np.int64)


def check_task(task: str) -> str:
    """Return `task` if both its sides are known, else say what is allowed.

    Examples
    --------
    >>> check_task("rec-a:rec-b")
    'rec-a:rec-b'
    >>> check_task("rec-a")
    Traceback (most recent call last):
        ...
    comraf.errors.InputError: unknown task 'rec-a'; write SOURCE:TARGET, two of comp-a, comp-b, \
rec-a, rec-b, sci-a, sci-b, talk-a, talk-b, all-a, all-b, beck-s, farmer-d, kitchen-l
    """
    sides = [*(f"{name}-{half}" for name in HALVES for half in "ab"), *MAILBOXES]
    source, colon, target = task.partition(":")
    if not colon or source not in sides or target not in sides or source == target:
        raise InputError(f"unknown task {task!r}; write SOURCE:TARGET, two of {', '.join(sides)}")
    return task


def collections_of(
    task: str, seed: int, each: int, data: Path, cache: Path
) -> tuple[Dataset, Dataset]:
    """Source and target of a task; each has the words that are not rare in it.

    Parameters
    ----------
    task : str
        SOURCE:TARGET.
    seed : int
        Of the draw of a newsgroups target.
    each : int
        Messages of each group in such a target, 0 for all; sources and mailboxes are whole.
    data, cache : Path
        Folders of the raw collections and of finished tables.
    """
    source, target = check_task(task).split(":")
    found = _collection(target, data, cache)
    if each and target not in MAILBOXES:
        found = sample_groups(found, target, per_group=each, draw=seed)
    return _collection(source, data, cache), found


@functools.lru_cache(maxsize=4)
def _collection(name: str, data: Path, cache: Path) -> Dataset:
    if name in MAILBOXES:
        return load_table(name, data, cache)
    split, half = name.rsplit("-", 1)
    return pick_groups(load_table("20ng", data, cache), name, HALVES[split]["ab".index(half)])


def measure(
    source: Dataset, target: Dataset, method: str, seed: int, made_with: Mapping[str, Any]
) -> Record:
    """Fit one method and score the target's clusters.

    Returns
    -------
    dict
        Micro accuracy, CPU seconds with the learning of word groups, and how many of the
        target's words the source has.
    """
    begun = time.process_time()
    if method == "unsupervised":
        model = import_module("comraf").MDC(target.n_classes, random_state=seed, **made_with)
        clusters = model.fit(target.counts).labels_
    else:
        classes = source.truth
        if method == "shuffled":
            classes = np.random.default_rng([seed, 4]).permutation(classes)
        clusters = _fit_with_transfer(source, classes, target, seed, made_with)
    return {
        "cpu_s": round(time.process_time() - begun, 4),
        "accuracy": round(micro_accuracy(target.truth, clusters), 6),
        "shared_words": len(set(source.column_names) & set(target.column_names)),
        "documents": len(target.truth),
        "words": len(target.column_names),
        "k": target.n_classes,
    }


def _run(options: argparse.Namespace, store: ResultStore) -> None:
    """Measure what is not yet in the store."""
    final = ("ok",) if options.retry else ("ok", "failed")
    seen = {key_of(r, _KEY) for r in store.records() if r["status"] in final}
    data = data_folder(options.data)
    for task in options.tasks:
        for seed in options.seeds:
            source, target = collections_of(task, seed, options.each, data, options.cache)
            prints = [source.fingerprint(), target.fingerprint()]
            for method in options.methods:
                record: Record = {
                    "task": task,
                    "each": options.each,
                    "fingerprint": prints,
                    "method": method,
                    "seed": seed,
                    "settings": options.made_with,
                    "version": methods.METHODS["mdc"].installed(),
                }
                if key_of(record, _KEY) in seen:
                    say(f"{task} · {method} · seed {seed}: measured before")
                    continue
                try:
                    found = measure(source, target, method, seed, options.made_with)
                    record |= {"status": "ok", **found}
                    say(f"{task} · {method} · seed {seed}: {record['accuracy']:.3f}")
                except Exception as error:  # noqa: BLE001 - a failed fit is a result too
                    record |= {"status": "failed", "error": f"{type(error).__name__}: {error}"}
                    say(f"{task} · {method} · seed {seed}: {record['error']}")
                store.append(record)


_KEY = ("task", "each", "fingerprint", "method", "seed", "settings", "version")


def table(
    records: Sequence[Record], tasks: Sequence[str], each: int, made_with: Mapping[str, Any]
) -> str:
    """Markdown: a row for each task and the mean gain below; the newest version alone."""
    mine = [r for r in records if r["each"] == each and r["settings"] == dict(made_with)]
    mine = [r for r in mine if r["task"] in tasks]
    versions = {(r["task"], r["method"]): r["version"] for r in mine}
    last = {
        (r["task"], r["method"], r["seed"]): r
        for r in mine
        if r["version"] == versions[r["task"], r["method"]]
    }
    notes = dict.fromkeys(
        f"- {r['task']}, {r['method']}: {r['error']}" for r in last.values() if r["status"] != "ok"
    )
    last = {key: r for key, r in last.items() if r["status"] == "ok"}
    gains: dict[str, list[float]] = {method: [] for method in METHODS[1:]}
    heads = ("source → target", "documents", "k", "shared words", *METHODS, "gain", "shuffled gain")
    lines = []
    for task in tasks:
        rows = {m: {s: r for (t, n, s), r in last.items() if (t, n) == (task, m)} for m in METHODS}
        some = next((r for found in rows.values() for r in found.values()), None)
        if some is None:
            continue
        cells = [task.replace(":", " → "), f"{some['documents']:,}", str(some["k"])]
        cells.append(f"{some['shared_words']:,} of {some['words']:,}")
        for method in METHODS:
            scores = [r["accuracy"] for r in rows[method].values()]
            cells.append(spread(scores, 3) if scores else "–")
        for method, mean in gains.items():
            both = rows[method].keys() & rows["unsupervised"].keys()
            gain = [
                rows[method][seed]["accuracy"] - rows["unsupervised"][seed]["accuracy"]
                for seed in sorted(both)
            ]
            cells.append(percent(gain, "+"))
            mean += [float(np.mean(gain))] if gain else []
        lines.append(cells)
    if not lines:
        return "\n".join(["No results yet.", *notes])
    means = [percent(gain, "+") for gain in gains.values()]
    lines.append(["mean of tasks", *[""] * (3 + len(METHODS)), *means])
    return "\n".join([markdown(heads, lines), *([""] if notes else []), *notes])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("transfer", __doc__, "data", "cache", "retry", "table_only"),
        seeds=["0-2"],
        out="transfer",
    )
    add = parser.add_argument
    add(
        "--tasks",
        nargs="+",
        default=[*NEWS_TASKS, *MAIL_TASKS],
        metavar="SOURCE:TARGET",
        help="default: all halves and mailboxes, both ways",
    )
    add("--each", type=int, default=100, metavar="N", help="of each target group; 0 for all")
    add("--methods", nargs="+", default=list(METHODS), choices=METHODS, metavar="NAME")
    add("--with", dest="made_with", nargs="+", default=[], metavar="NAME=VALUE", help="of MDC")

    def work(options: argparse.Namespace) -> int:
        options.made_with = dict(map(setting, options.made_with))
        options.tasks = [check_task(task) for task in options.tasks]
        about = options.tasks, options.each, options.made_with
        return stored(options, lambda s: _run(options, s), lambda found: table(found, *about))

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
