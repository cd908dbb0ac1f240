r"""What a little knowledge is worth: labels of a few items, or links, beside the peers.

::

    python -m benchmarks.supervised --data DIR --datasets 100each --share 0.1 --seeds 0-4
    python -m benchmarks.supervised --data DIR --datasets beck-s --share 0.2 --noise 0 0.1 0.2 0.3
    python -m benchmarks.supervised --data DIR --datasets 20ng --constraints 10000 \
        --methods constrained unsupervised

A seed draws what is told and starts the fit. Everything is scored on the items of which nothing
was told: ``accuracy`` is the micro accuracy of the clusters (for a classifier, of the classes it
predicts), ``plain`` the share of items that got their own class's name. Micro accuracy is never
below plain: it is kind to a classifier that mixes names up. ``CPU ratio`` is to the fit without
labels of the same seeds. ``violated`` are links broken, of all the links told or that the labels
told make, one for every two labelled items.

Every fit is a line of ``--out``; the same command again measures only what is missing, changed
code of ours included.
"""

from __future__ import annotations

import argparse
import ast
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.datasets import Dataset
from benchmarks.growth import planted
from benchmarks.harness import check, data_folder, parser_of, run, say, stored
from benchmarks.labelled_data import Given, Told, load_table, tables_of, violated
from benchmarks.labelled_methods import BASE, METHODS, Answer, Options, chosen
from benchmarks.labelled_tables import KEY, table
from benchmarks.store import Record, ResultStore, key_of
from comraf.errors import InputError
from comraf.metrics import micro_accuracy

__all__ = ["main", "measure", "plan", "scores", "setting", "value_of"]


def plan(
    methods: Sequence[str], amounts: Sequence[Told], seeds: Sequence[int]
) -> Iterator[tuple[int, Told, str]]:
    """Seeds outermost, methods side by side; none that can't take what is told.

    Without labels nothing depends on how many of them are wrong: that fit is made once.

    Examples
    --------
    >>> told = [Told(share=0.1), Told(share=0.1, noise=0.2)]
    >>> [(t.noise, m) for _, t, m in plan(["svm", "unsupervised"], told, [0])]
    [(0.0, 'svm'), (0.0, 'unsupervised'), (0.2, 'svm')]
    """
    for seed in seeds:
        based: set[float | None] = set()
        for told in amounts:
            for name in methods:
                if told.links is not None and not METHODS[name].links:
                    continue
                if name == BASE and told.links is None:
                    if told.share in based:
                        continue
                    based.add(told.share)
                yield seed, told, name


def measure(
    data: Dataset,
    name: str,
    told: Told,
    seed: int,
    options: Options,
    known: dict[int, tuple[Answer, float]] | None = None,
) -> Record:
    """Fit one method and score it on the items of which nothing was told.

    Parameters
    ----------
    data : Dataset
        Counts and truth; as many clusters as classes are asked for.
    name : str
        Of a method.
    told : Told
        How much it is told.
    seed : int
        Of what is told and of the fit.
    options : Options
        Of our methods.
    known : dict, optional
        Fits without labels by seed: they don't depend on what is told, and are made once.
    """
    given = told.draw(data.truth, seed)
    if name == BASE and known is not None and seed in known:
        answer, seconds = known[seed]
    else:
        begun = time.process_time()
        answer = METHODS[name].fit(data.counts, data.n_classes, seed, given, options)
        seconds = time.process_time() - begun
        if name == BASE and known is not None:
            known[seed] = answer, seconds
    return {"cpu_s": round(seconds, 4), **scores(data.truth, given, answer)}


def scores(truth: Any, given: Given, answer: Answer) -> Record:
    """Accuracies, and the links that are broken."""
    untold = given.untold
    found: Record = {
        "told": int((given.codes >= 0).sum()),
        "scored": int(untold.sum()),
        "accuracy": None,
        "plain": None,
        "accuracy_of_all": round(micro_accuracy(truth, answer.clusters), 6),
        "n_clusters": int(np.unique(answer.clusters).size),
        **violated(given, answer.clusters),
    }
    if untold.any():
        found["accuracy"] = round(micro_accuracy(truth[untold], answer.clusters[untold]), 6)
        if answer.classes is not None:
            right = (answer.classes == truth)[untold]
            found["plain"] = round(float(right.mean()), 6)
    return found


def _warm(name: str, told: Told, options: Options) -> None:
    """A first fit of a small table: compiled code is there before the clock starts."""
    counts, topics = planted(80, words=200)
    few = Told(0.5) if told.links is None else Told(links=20)
    METHODS[name].fit(csr_matrix(counts), 20, 0, few.draw(topics, 0), options)


def _identity(
    dataset: str, fingerprint: str, name: str, told: Told, seed: int, options: Options
) -> Record:
    method = METHODS[name]
    settings = dict(method.settings)
    if method.ours:
        settings = {"estimator": options.estimator, **chosen(name, options)}
    return {
        "dataset": dataset,
        "fingerprint": fingerprint,
        "method": name,
        "version": method.version(),
        "settings": settings,
        "seed": seed,
        **asdict(told),
    }


def _run(arguments: argparse.Namespace, store: ResultStore, options: Options) -> None:
    """Measure what is not yet in the store."""
    from threadpoolctl import threadpool_limits

    final = ("ok",) if arguments.retry else ("ok", "failed")
    seen = {key_of(r, KEY) for r in store.records() if r["status"] in final}
    amounts = _amounts(arguments)
    warm: set[tuple[str, bool]] = set()
    for source in dict.fromkeys(t for name in arguments.datasets for t in tables_of(name)):
        data = load_table(source, data_folder(arguments.data), arguments.cache)
        fingerprint = data.fingerprint()
        known: dict[int, tuple[Answer, float]] = {}
        for seed, told, name in plan(arguments.methods, amounts, arguments.seeds):
            record = _identity(source, fingerprint, name, told, seed, options)
            label = f"{source} · {told.amount} · noise {told.noise:g} · {name} · seed {seed}"
            if key_of(record, KEY) in seen:
                say(f"{label}: measured before")
                continue
            record |= {"documents": len(data.truth), "k": data.n_classes, "jobs": options.jobs}
            try:
                # Threads of the linear algebra would make CPU seconds out of waiting.
                with threadpool_limits(1):
                    if (name, told.links is None) not in warm:
                        _warm(name, told, options)
                        warm.add((name, told.links is None))
                    found = measure(data, name, told, seed, options, known)
                record |= {"status": "ok", **found}
                say(f"{label}: {record['accuracy']} in {record['cpu_s']:.2f} CPU s")
            except Exception as error:  # noqa: BLE001 - whatever a method raises is a result too
                record |= {"status": "failed", "error": f"{type(error).__name__}: {error}"[:500]}
                say(f"{label}: {record['error']}")
            store.append(record)


def _amounts(arguments: argparse.Namespace) -> list[Told]:
    if arguments.constraints is not None:
        if any(arguments.noise):
            raise InputError("--noise is a share of wrong labels; it has no use with --constraints")
        return [Told(links=number) for number in arguments.constraints]
    return [Told(share, noise) for share in arguments.share for noise in arguments.noise]


def setting(text: str) -> tuple[str, Any]:
    """One option of an estimator.

    Examples
    --------
    >>> setting("label_weight=0.5"), setting("effort=quick")
    (('label_weight', 0.5), ('effort', 'quick'))
    """
    name, sign, value = text.partition("=")
    if not sign or not name or not value:
        raise InputError(f"--with {text!r}; write name=value")
    return name, value_of(value)


def value_of(text: str) -> Any:
    """A number, a list and so on as Python writes it, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(
        *("supervised", __doc__, "data", "cache", "retry", "table_only"),
        seeds=["0-2"],
        jobs=1,
        out="supervised",
    )
    add = parser.add_argument
    add(
        "--datasets",
        nargs="+",
        default=["100each"],
        metavar="NAME",
        help="beck-s, farmer-d, kitchen-l, 100each (draws 0 to 2 in one row) or one of run's",
    )
    add("--share", nargs="+", type=float, default=[0.1], metavar="S", help="of labels; default 0.1")
    add("--noise", nargs="+", type=float, default=[0.0], metavar="S", help="of them wrong")
    add("--constraints", nargs="+", type=int, metavar="M", help="random links instead of labels")
    add("--methods", nargs="+", default=list(METHODS), metavar="NAME", help=", ".join(METHODS))
    add("--estimator", default="MDC", metavar="NAME", help="of our methods; default MDC")
    add("--with", dest="chosen", nargs="+", default=[], metavar="NAME=VALUE", help="options of it")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""

    def work(given: argparse.Namespace) -> int:
        for name in given.datasets:
            tables_of(name)
        for name in given.methods:
            check("method", name, METHODS)
        amounts = dict.fromkeys(told.amount for told in _amounts(given))
        options = Options(given.estimator, dict(map(setting, given.chosen)), given.jobs)

        def show(records: list[Record]) -> str:
            shown = [r for r in records if r["method"] in given.methods]
            texts = (table(shown, name, amount) for name in given.datasets for amount in amounts)
            return "\n\n".join(filter(None, texts))

        return stored(given, lambda store: _run(given, store, options), show)

    return run(_parser(), arguments, work)


if __name__ == "__main__":
    sys.exit(main())
