"""What the scripts share: options, how a run ends, processes, stored tables, means, Markdown."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import itertools
import multiprocessing
import os
import statistics
import sys
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from benchmarks.store import Record, ResultStore
from comraf.errors import ComrafError, InputError, ReadError
from comraf.store import files_whole

__all__ = [
    "ONE_THREAD",
    "apart",
    "cached",
    "check",
    "data_folder",
    "default_cache",
    "fill",
    "given_folder",
    "load_npz",
    "markdown",
    "mean_error",
    "now_megabytes",
    "numbers",
    "parallel",
    "parser_of",
    "peak_megabytes",
    "percent",
    "print_table",
    "raw_folder",
    "run",
    "save_npz",
    "say",
    "sparse_from",
    "sparse_parts",
    "stored",
]

RESULTS = Path(__file__).resolve().parent / "results"
#: Variables of the environment that leave a process a single thread.
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)

Task = TypeVar("Task")
Found = TypeVar("Found")

_NUMBER: dict[str, Any] = {"type": int, "metavar": "N"}
_SEVERAL: dict[str, Any] = {"nargs": "+", "metavar": "NAME"}
_FLAG: dict[str, Any] = {"action": "store_true"}
#: Options by name, as several scripts have them.
_OPTIONS: dict[str, dict[str, Any]] = {
    "data": {"help": "folder of the raw collections (default: environment COMRAF_DATA)"},
    "cache": {"type": Path, "help": "finished tables; default: %(default)s"},
    "datasets": {**_SEVERAL, "help": "default: %(default)s"},
    "methods": {**_SEVERAL, "help": "default: %(default)s"},
    "seeds": {"nargs": "+", "metavar": "N", "help": "numbers, ranges; default: %(default)s"},
    "runs": {**_NUMBER, "help": "seeds 0 to N - 1; default: %(default)s"},
    "jobs": {**_NUMBER, "help": "processes; default: %(default)s"},
    "seed": {**_NUMBER, "help": "default: %(default)s"},
    "draws": {**_NUMBER, "help": "default: %(default)s"},
    "effort": {"help": "default: %(default)s"},
    "weighting": {"help": "of counts; default: %(default)s"},
    "out": {"type": Path, "help": "results as JSON lines; what is there is not measured again"},
    "fresh": {**_FLAG, "help": "start over; the old results get the ending .old"},
    "retry": {**_FLAG, "help": "measure what failed again"},
    "table_only": {**_FLAG, "help": "print what is stored, measure nothing"},
    "prepare": {**_FLAG, "help": "only make the tables of the cache"},
}


def parser_of(name: str, text: str | None, *plain: str, **defaults: Any) -> argparse.ArgumentParser:
    """The parser of a script, with those of the shared options that it has.

    Parameters
    ----------
    name : str
        Of the script.
    text : str
        Its docstring.
    *plain : str
        Shared options with the default that they always have.
    **defaults
        Shared options with a default; that of ``out`` is the name of the file of results.

    Examples
    --------
    >>> parser_of("genres", "Genres.", "data", runs=4).parse_args(["--runs", "2"]).runs
    2
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if "cache" in plain:
        defaults["cache"] = default_cache()
    if "out" in defaults:
        defaults["out"] = RESULTS / f"{defaults['out']}.jsonl"
    for option in dict.fromkeys((*plain, *defaults)):
        parser.add_argument(f"--{option.replace('_', '-')}", **_OPTIONS[option])
    parser.set_defaults(**defaults)
    return parser


def run(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    work: Callable[[argparse.Namespace], int | None],
) -> int:
    """Parse the arguments and work; return the exit code.

    Whole numbers of ``--runs``, ``--jobs`` and ``--draws`` are 1 or more, ``--seeds`` a list.
    """
    given = parser.parse_args(arguments)
    try:
        for name in ("runs", "jobs", "draws", "links", "repeats"):
            value = getattr(given, name, None)
            if isinstance(value, int) and value < 1:
                raise InputError(f"--{name} {value}; give 1 or more")
        if getattr(given, "seeds", None):
            given.seeds = numbers(given.seeds)
        return work(given) or 0
    except ComrafError as error:
        say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


def stored(
    given: argparse.Namespace,
    measure: Callable[[ResultStore], object],
    show: Callable[[list[Record]], str],
) -> int:
    """Measure what is not stored yet, unless ``--table-only`` is given, and print what there is."""
    store = ResultStore(given.out)
    code = 0
    try:
        if not given.table_only:
            if getattr(given, "fresh", False):
                store.set_aside()
            with store.writing():
                measure(store)
    except KeyboardInterrupt:
        say("stopped; what was measured is kept, the same command goes on from there")
        code = 130
    print(show(store.records()) or "No results yet.")
    return code


def fill(
    store: ResultStore,
    work: Callable[[Record], Iterable[Record]],
    tasks: Iterable[Record],
    jobs: int = 1,
) -> None:
    """Do the tasks that nothing is stored of, and store what they find with what they are.

    Examples
    --------
    >>> import tempfile
    >>> store = ResultStore(Path(tempfile.mkdtemp()) / "results.jsonl")
    >>> with store.writing():
    ...     fill(store, lambda task: [{"twice": 2 * task["seed"]}], [{"seed": 3}, {"seed": 3}])
    >>> store.records()
    [{'seed': 3, 'twice': 6}]
    """
    known = store.records()
    todo: list[Record] = []
    for task in tasks:
        if not any(task.items() <= one.items() for one in (*known, *todo)):
            todo.append(task)
    for task, found in parallel(work, todo, jobs):
        for record in found:
            store.append({**task, **record})
        say(", ".join(f"{name} {value}" for name, value in task.items()))


def say(line: str) -> None:
    """Tell how far a run is; tables alone go to the standard output."""
    print(line, file=sys.stderr, flush=True)


def numbers(texts: Iterable[object]) -> list[int]:
    """Seeds out of numbers and ranges.

    Examples
    --------
    >>> numbers(["0-2", "7"])
    [0, 1, 2, 7]
    """
    found: list[int] = []
    for text in map(str, texts):
        first, dash, last = text.partition("-")
        try:
            low, high = int(first), int(last if dash else first)
        except ValueError:
            raise InputError(f"seed {text!r}; write a number or a range like 0-4") from None
        if high < low:
            raise InputError(f"seeds {text!r} run backwards; write {high}-{low}")
        found += range(low, high + 1)
    return list(dict.fromkeys(found))


def check(what: str, name: str, allowed: Collection[str], *others: str) -> str:
    """Return `name` if it is allowed, else say what is.

    Examples
    --------
    >>> check("method", "ltb", ["ltb", "occc"])
    'ltb'
    """
    if name not in allowed:
        choices = ", ".join([*allowed, *others])
        raise InputError(f"unknown {what} {name!r}; choose from {choices}")
    return name


def given_folder(given: str | os.PathLike[str] | None) -> Path | None:
    """The folder of raw collections that was given, or that the environment names, if any."""
    data = given or os.environ.get("COMRAF_DATA")
    return Path(data) if data else None


def data_folder(given: str | os.PathLike[str] | None) -> Path:
    """The same, refused where there is none.

    Examples
    --------
    >>> data_folder("collections").name
    'collections'
    """
    data = given_folder(given)
    if data is None:
        raise InputError(
            "no data folder; give the folder of the raw collections with --data "
            "or the environment variable COMRAF_DATA"
        )
    return data


def raw_folder(what: str, data: Path | None, cache: Path) -> Path:
    """The folder to make a table from that is not in the cache."""
    if data is None or not data.is_dir():
        raise ReadError(
            f"{what} is not in the cache {str(cache)!r}, and there is no data folder "
            "to make it from; give one with --data or the environment variable COMRAF_DATA"
        )
    return data


def default_cache() -> Path:
    """The folder for finished tables in the user's cache folder.

    Examples
    --------
    >>> default_cache().name
    'comraf-bench'
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "comraf-bench"


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that are started meanwhile have a single thread, unless the user says otherwise."""
    added = [name for name in ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def parallel(
    work: Callable[[Task], Found], tasks: Sequence[Task], jobs: int
) -> Iterator[tuple[Task, Found]]:
    """Tasks with what became of them, in order, or as they end where several processes share them.

    Examples
    --------
    >>> list(parallel(abs, [-2, 3], 1))
    [(-2, 2), (3, 3)]
    """
    if jobs == 1:
        for task in tasks:
            yield task, work(task)
        return
    # Not forked: libraries with threads of their own don't survive it.
    context = multiprocessing.get_context("spawn")
    with _one_thread(), ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting = {pool.submit(work, task): task for task in tasks}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def apart(work: Callable[..., Record], *arguments: Any, limit: float | None = None) -> Record:
    """Measure in a process of its own, which is ended after so many seconds.

    Returns
    -------
    dict
        What ``work`` gives, and ``status``; whatever it raises is a result too.
    """
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(theirs, work, arguments))
    with _one_thread():
        process.start()
    theirs.close()
    try:
        if not mine.poll(limit):
            return {"status": "failed", "error": f"not done after {limit:g} seconds"}
        found: Record = mine.recv()
        return found
    except EOFError:
        process.join()
        return {"status": "failed", "error": f"the process ended with code {process.exitcode}"}
    finally:
        if process.is_alive():
            process.terminate()
        process.join()


def _send(connection: Any, work: Callable[..., Record], arguments: tuple[Any, ...]) -> None:
    try:
        found = {"status": "ok", **work(*arguments)}
    except Exception as error:  # noqa: BLE001 - whatever a fit raises is a result too
        found = {"status": "failed", "error": f"{type(error).__name__}: {error}"[:300]}
    connection.send(found)
    connection.close()


def peak_megabytes() -> float | None:
    """Return the highest resident memory of this process, None where the system can't tell.

    On Linux from ``/proc``, not ``getrusage``: there a process inherits the peak of
    the one that started it.
    """
    linux = _proc_megabytes("VmHWM")
    if linux is not None:
        return linux
    with contextlib.suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return float(peak) / (1e6 if sys.platform == "darwin" else 1e3)
    with contextlib.suppress(ImportError, AttributeError):
        psutil = importlib.import_module("psutil")
        return float(psutil.Process().memory_info().peak_wset) / 1e6
    return None


def now_megabytes() -> float | None:
    """Return the resident memory of this process, None where the system can't tell."""
    linux = _proc_megabytes("VmRSS")
    if linux is not None:
        return linux
    with contextlib.suppress(ImportError):
        psutil = importlib.import_module("psutil")
        return float(psutil.Process().memory_info().rss) / 1e6
    return None


def _proc_megabytes(key: str) -> float | None:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024 / 1e6
    return None


def save_npz(path: Path, **arrays: Any) -> None:
    """Write an ``.npz`` file, its folder too; a file half-written is never seen under `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with files_whole(path, durable=False) as (part,), part.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


@contextlib.contextmanager
def load_npz(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The arrays of an ``.npz`` file; one that lacks some or is damaged is refused."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            yield arrays
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ReadError(
            f"the cached table {str(path)!r} can't be read ({error}); delete it and run again"
        ) from error


def sparse_parts(table: Any, name: str = "") -> dict[str, Any]:
    """The arrays of a sparse table, by the names that `sparse_from` looks for."""
    parts = {part: getattr(table, part) for part in ("data", "indices", "indptr")}
    parts["shape"] = np.asarray(table.shape, dtype=np.int64)
    return {f"{name}{part}": array for part, array in parts.items()}


def sparse_from(arrays: Mapping[str, Any], name: str = "", kind: Any = sp.csr_array) -> Any:
    """A sparse table out of its arrays.

    Examples
    --------
    >>> sparse_from(sparse_parts(sp.csr_array([[0, 3]]), "words."), "words.").toarray().tolist()
    [[0, 3]]
    """
    parts = tuple(arrays[f"{name}{part}"] for part in ("data", "indices", "indptr"))
    return kind(parts, shape=tuple(arrays[f"{name}shape"].tolist()))


def cached(
    path: Path, data: Path | None, file: str, make: Callable[[Path], Mapping[str, Any]]
) -> Path:
    """The `path` of what was made of a raw file, made anew where that has changed.

    What is there is taken as it is where the raw file is not.
    """
    source = None if data is None else data / file
    if source is None or not source.is_file():
        if path.is_file():
            return path
        raise InputError(f"{source or file} is not there; see --data")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    try:
        with load_npz(path) as arrays:
            made_of = str(arrays["made_of"])
    except ReadError:
        made_of = ""
    if made_of != digest:
        save_npz(path, made_of=np.asarray(digest), **make(source))
    return path


def mean_error(values: Sequence[float], digits: int = 3, sign: str = "", scale: float = 1.0) -> str:
    """Mean and its standard error, where there are two values or more.

    Examples
    --------
    >>> mean_error([0.5, 0.7]), mean_error([0.25]), mean_error([0.5, 0.7], sign="+")
    ('.600 ± .100', '.250', '+.600 ± .100')
    """
    if not len(values):
        return "–"
    found = [f"{scale * statistics.fmean(values):{sign}.{digits}f}"]
    if len(values) > 1:
        found.append(f"{scale * statistics.stdev(values) / len(values) ** 0.5:.{digits}f}")
    if scale == 1.0:  # scores read better without their zero
        found = [
            text.replace("0.", ".", 1) if text.lstrip("+-")[:2] == "0." else text for text in found
        ]
    return " ± ".join(found)


def percent(values: Sequence[float], sign: str = "") -> str:
    """The same of shares in percent.

    Examples
    --------
    >>> percent([0.4, 0.5]), percent([0.4]), percent([])
    ('45.0 ± 5.0', '40.0', '–')
    """
    return mean_error(values, 1, sign, 100.0)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table.

    Examples
    --------
    >>> print(markdown(["method", "runs"], [("MDC", 3)]))
    | method | runs |
    |---|---|
    | MDC | 3 |
    """
    return "\n".join(_lines(heads, rows))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table line by line, as it is measured."""
    for line in _lines(heads, rows):
        print(line, flush=True)


def _lines(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    for place, row in enumerate(itertools.chain([heads], rows)):
        yield f"| {' | '.join(map(str, row))} |"
        if not place:
            yield "|" + "---|" * len(heads)
