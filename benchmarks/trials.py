"""One choice after another, on several collections: what the defaults were chosen by.

::

    python -m benchmarks.trials --data DIR --datasets similar3 100each-0 \
        --vary weighting=log,root_rows n_runs=1,4,8 --seeds 0 1 2

Every combination of the values after ``--vary`` is fitted; names are those of
``comraf.inference.MDCOptions``, and ``weighting`` and ``effort`` (whose options the others
change). The table has the mean accuracy over seeds and the CPU seconds of one fit.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.datasets import load
from benchmarks.harness import data_folder, parser_of, print_table, run
from benchmarks.supervised import value_of
from comraf.errors import InputError
from comraf.graph import Edge, Graph, Node
from comraf.inference import Problem, options_for, run_mdc
from comraf.metrics import micro_accuracy

__all__ = ["combinations", "fit", "main"]


def combinations(varied: Sequence[str]) -> Iterator[dict[str, Any]]:
    """All combinations of ``name=value,value`` texts.

    Examples
    --------
    >>> list(combinations(["n_runs=1,8", "weighting=log"]))
    [{'n_runs': 1, 'weighting': 'log'}, {'n_runs': 8, 'weighting': 'log'}]
    """
    names, values = [], []
    for text in varied:
        name, sign, listed = text.partition("=")
        if not sign or not name or not listed:
            raise InputError(f"--vary {text!r}; write name=value,value")
        names.append(name)
        values.append([value_of(part) for part in listed.split(",")])
    for chosen in itertools.product(*values):
        yield dict(zip(names, chosen, strict=True))


def fit(counts: Any, k: int, seed: int, chosen: dict[str, Any]) -> np.ndarray:
    """Labels of the rows under the options chosen."""
    options = dict(chosen)
    weighting = options.pop("weighting", "root_rows")
    graph = Graph(
        [Node("rows", n_clusters=k), Node("columns", direction="top-down")],
        [Edge("rows", "columns", counts, weighting=weighting)],
    )
    problem = Problem(graph)
    found = run_mdc(
        problem,
        options_for(options.pop("effort", "default"), **options),
        np.random.SeedSequence(seed),
    )
    return problem.expand(found.state)["rows"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of(
        *("trials", __doc__, "data", "cache"),
        datasets=["similar3", "100each-0"],
        seeds=[0, 1, 2],
    )
    parser.add_argument("--vary", nargs="+", default=["n_runs=1,8"], metavar="NAME=VALUES")
    return run(parser, arguments, _measure)


def _measure(options: argparse.Namespace) -> None:
    trials = list(combinations(options.vary))

    def rows() -> Iterator[list[str]]:
        for name in options.datasets:
            table = load(name, data_folder(options.data), options.cache)
            for chosen in trials:
                cpu = time.process_time()
                try:
                    scores = [
                        micro_accuracy(
                            table.truth, fit(table.counts, table.n_classes, seed, chosen)
                        )
                        for seed in options.seeds
                    ]
                except TypeError as error:  # an option that there is not
                    raise InputError(str(error)) from None
                cpu = (time.process_time() - cpu) / len(options.seeds)
                spread = f" ± {np.std(scores, ddof=1):.3f}" if len(scores) > 1 else ""
                yield [name, json.dumps(chosen), f"{np.mean(scores):.3f}{spread}", f"{cpu:.1f}"]

    print_table(["collection", "choice", "accuracy", "CPU s"], rows())


if __name__ == "__main__":
    sys.exit(main())
