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
import ast
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import load
from benchmarks.run import data_folder, default_cache
from comraf.errors import ComrafError, InputError
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
        values.append([_value(part) for part in listed.split(",")])
    for chosen in itertools.product(*values):
        yield dict(zip(names, chosen, strict=True))


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


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
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trials",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", help="folder of the raw collections (default: environment COMRAF_DATA)")
    add("--datasets", nargs="+", default=["similar3", "100each-0"], metavar="NAME")
    add("--vary", nargs="+", default=["n_runs=1,8"], metavar="NAME=VALUES")
    add("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="N")
    add("--cache", type=Path, default=None, help="folder of prepared tables")
    options = parser.parse_args(arguments)
    try:
        trials = list(combinations(options.vary))
        print("| collection | choice | accuracy | CPU s |\n|---|---|---|---|", flush=True)
        for name in options.datasets:
            table = load(name, data_folder(options.data), options.cache or default_cache())
            k = len(set(table.truth.tolist()))
            for chosen in trials:
                cpu = time.process_time()
                scores = [
                    micro_accuracy(table.truth, fit(table.counts, k, seed, chosen))
                    for seed in options.seeds
                ]
                cpu = (time.process_time() - cpu) / len(options.seeds)
                spread = f" ± {np.std(scores, ddof=1):.3f}" if len(scores) > 1 else ""
                print(
                    f"| {name} | {json.dumps(chosen)} | {np.mean(scores):.3f}{spread} | "
                    f"{cpu:.1f} |",
                    flush=True,
                )
    except (ComrafError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
