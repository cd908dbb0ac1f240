"""Us and the peers on the same tables, one job at a time: ``python -m benchmarks.run --help``."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import tables
from benchmarks.datasets import DESCRIPTIONS, Dataset, check_name, prepare
from benchmarks.harness import ONE_THREAD, check, data_folder, parser_of, run, say, stored
from benchmarks.methods import METHODS, WEIGHTINGS
from benchmarks.store import Record, ResultStore, key_of

__all__ = [
    "Cell",
    "command",
    "main",
    "measure_cell",
    "plan",
]

_ROOT = Path(__file__).resolve().parents[1]
_SMALL = ("different3", "similar3", "100each-0")


@dataclass(frozen=True)
class Cell:
    """One thing to measure."""

    dataset: str
    method: str
    weighting: str
    seed: int


def plan(
    datasets: Sequence[str], methods: Sequence[str], weightings: Sequence[str], seeds: Sequence[int]
) -> Iterator[Cell]:
    """Order the cells so that a slow hour of the machine hits all methods alike.

    Seeds outermost, then datasets, then methods side by side; weightings that make
    no sense for a method are left out.

    Examples
    --------
    >>> [(c.method, c.seed) for c in plan(["cora"], ["sib-n1", "nmf"], ["raw"], [0, 1])]
    [('sib-n1', 0), ('nmf', 0), ('sib-n1', 1), ('nmf', 1)]
    """
    for seed in seeds:
        for dataset in datasets:
            for weighting in weightings:
                for method in methods:
                    if weighting in METHODS[method].weightings:
                        yield Cell(dataset, method, weighting, seed)


def measure_cell(cell: Cell, table: Path, timeout: float) -> Record:
    """Measure `cell` in a process of its own, whatever happens in there.

    Returns
    -------
    dict
        ``status`` is "ok", "failed", "timed out" or "not installed".
    """
    if METHODS[cell.method].installed() is None:
        package = METHODS[cell.method].package
        return {"status": "not installed", "error": f"pip install {package} (the bench extra)"}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "result.json"
        job = {**vars(cell), "table": str(table.resolve()), "result": str(answer)}
        with subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment(),
            # Ctrl-C reaches us alone; we end the worker ourselves.
            start_new_session=True,
        ) as worker:
            try:
                _, complaint = worker.communicate(json.dumps(job), timeout=timeout)
            except subprocess.TimeoutExpired:
                _end(worker)
                return {"status": "timed out", "error": f"not finished after {timeout:g} s"}
            except BaseException:
                _end(worker)
                raise
        if answer.is_file():
            result: Record = json.loads(answer.read_text())
            return result
        return {"status": "failed", "error": _why(worker.returncode, complaint)}


def _environment() -> dict[str, str]:
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        **dict.fromkeys(ONE_THREAD, "1"),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def _end(worker: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
        if hasattr(os, "killpg"):
            os.killpg(worker.pid, signal.SIGKILL)
        else:
            worker.kill()
    worker.communicate()


def _why(code: int, complaint: str) -> str:
    if code < 0:
        hint = " (out of memory?)" if -code == 9 else ""
        return f"ended by signal {-code}{hint}"
    last = complaint.strip().splitlines()[-1:] or ["no message"]
    return f"exit code {code}: {last[0]}"[:500]


def _identity(cell: Cell, fingerprint: str) -> dict[str, Any]:
    method = METHODS[cell.method]
    return {
        **vars(cell),
        "fingerprint": fingerprint,
        "version": method.installed(),
        "settings": method.settings,
    }


_KEY = ("dataset", "method", "weighting", "seed", "fingerprint", "version", "settings")


def _surroundings() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "libraries": {name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def _facts(table: Dataset) -> dict[str, Any]:
    return {
        "rows": table.counts.shape[0],
        "columns": table.counts.shape[1],
        "nonzeros": int(table.counts.nnz),
        "k": table.n_classes,
        "files": list(table.files),
    }


def _run(options: argparse.Namespace, store: ResultStore) -> None:
    """Measure every cell that is not yet in the store."""
    data = data_folder(options.data)
    files = {name: prepare(name, data, options.cache) for name in options.datasets}
    facts, prints = {}, {}
    for name, file in files.items():
        table = Dataset.load(file)
        facts[name], prints[name] = _facts(table), table.fingerprint()
    # Seen with a status that running again would not change.
    final = ("ok",) if options.retry else ("ok", "failed", "timed out")
    seen = {key_of(record, _KEY) for record in store.records() if record["status"] in final}
    todo = list(plan(options.datasets, options.methods, options.weightings, options.seeds))
    for number, cell in enumerate(todo, start=1):
        label = f"[{number}/{len(todo)}] {cell.dataset} · {cell.method} · {cell.weighting}"
        label += f" · seed {cell.seed}"
        identity = _identity(cell, prints[cell.dataset])
        if key_of(identity, _KEY) in seen:
            say(f"{label}: measured before")
            continue
        around = _surroundings()
        result = measure_cell(cell, files[cell.dataset], options.timeout)
        store.append({**identity, **facts[cell.dataset], **around, **result})
        if result["status"] == "ok":
            say(f"{label}: accuracy {result['accuracy']:.3f} in {result['cpu_s']:.2f} CPU s")
        else:
            say(f"{label}: {result['status']}: {result['error']}")


def _tables(options: argparse.Namespace, stored_records: Sequence[Record]) -> str:
    records = tables.current(stored_records)
    base = _base(options.base)
    texts = []
    for dataset in options.datasets:
        # The base is looked up among all results, also when it is not to be shown.
        table = [
            row
            for row in tables.rows(records, dataset, base)
            if row.method in options.methods and row.weighting in options.weightings
        ]
        if not table:
            continue
        about = _provenance([r for row in table for r in (*row.measured, *row.failed)], base)
        if options.markdown:
            texts.append(f"### {dataset}\n\n{about}\n\n{tables.markdown(table)}\n")
        else:
            texts.append(_rich(f"{dataset}: {about}", table))
    return "\n".join(texts)


def _base(text: str) -> tuple[str, str]:
    method, _, weighting = text.partition(":")
    return check("method", method, METHODS), check("weighting", weighting or "raw", WEIGHTINGS)


def _rich(title: str, table: Sequence[tables.Row]) -> str:
    from rich.console import Console
    from rich.table import Table

    # A pipe has no width; a table must not be folded to 80 columns there.
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    grid = Table(*tables.COLUMNS)
    for row in table:
        grid.add_row(*tables.cells(row))
    with console.capture() as text:
        console.print(title, markup=False)
        console.print(grid)
        for row in table:
            for note in row.notes:
                console.print(f"{tables.cells(row)[0]}, {row.weighting}: {note}", markup=False)
    return text.get()


def _provenance(records: Sequence[Record], base: tuple[str, str]) -> str:
    record = records[-1]
    loads = [r["load"] for r in records if r["load"] is not None]
    # Work of others on the same cores makes CPU seconds longer, not only wall seconds.
    busy = f", load {min(loads):.1f} to {max(loads):.1f}" if loads else ""
    libraries = ", ".join(f"{name} {number}" for name, number in record["libraries"].items())
    return (
        f"{record['rows']:,} documents × {record['columns']:,} words, {record['nonzeros']:,} "
        f"non-zeros, k = {record['k']}; read {', '.join(record['files'])}. "
        f"One thread; Python {record['python']}, {libraries}; {record['machine']}{busy}. "
        f"± is the standard deviation over seeds; CPU ratio to {METHODS[base[0]].title}, {base[1]}."
    )


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(
        *("run", "Run comraf and its peers on the same tables and print one table a dataset."),
        *("data", "cache", "fresh", "retry", "table_only"),
        datasets=list(_SMALL),
        seeds=[0, 1, 2],
        out="results",
    )
    parser.epilog = "datasets: " + "; ".join(f"{k}: {v}" for k, v in DESCRIPTIONS.items())
    add = parser.add_argument
    add("--methods", nargs="+", default=list(METHODS), metavar="NAME", help="default: all")
    add("--weightings", nargs="+", default=["raw"], metavar="NAME", help=", ".join(WEIGHTINGS))
    add("--base", default="sib-n10:raw", help="METHOD:WEIGHTING of the CPU ratio")
    add("--timeout", type=float, default=1800, help="seconds for one fit; default: %(default)s")
    add("--markdown", action="store_true", help="print Markdown")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""

    def work(options: argparse.Namespace) -> int:
        for name in options.datasets:
            check_name(name)
        for name in options.methods:
            check("method", name, METHODS)
        for name in options.weightings:
            check("weighting", name, WEIGHTINGS)
        _base(options.base)
        return stored(options, lambda s: _run(options, s), lambda found: _tables(options, found))

    return run(_parser(), arguments, work)


def command() -> int:
    """Run as a program: being ended from outside is treated as Ctrl-C, or a worker would stay."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return main()


if __name__ == "__main__":
    sys.exit(command())
