"""What 1,000 photos cost: reading them with all features, and Comraf* on these.

::

    python -m benchmarks.photo_cost --data DIR              # Corel-1000, two processes
    python -m benchmarks.photo_cost --folder PHOTOS -k 12

Seconds of wall time; kernels are compiled before anything is timed.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness import data_folder, parser_of, run
from benchmarks.images_data import FILES
from comraf import ComrafStar
from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.errors import InputError
from comraf.images import photo_tables

__all__ = ["main", "measure"]


def measure(folder: Path, k: int, jobs: int) -> dict[str, float]:
    """Seconds by what was done, and the number of photos."""
    seconds: dict[str, float] = {}
    # the first fit compiles, whatever it is of
    ComrafStar(2, random_state=0).fit([[3, 0], [2, 1], [0, 4], [1, 5]])
    start = time.perf_counter()
    collection = build_collection(open_reader(folder, kind="images"), n_jobs=jobs)
    seconds["reading, features and blobs"] = time.perf_counter() - start
    tables = photo_tables(collection.photos, neighbours=15)
    for effort in ("quick", "default"):
        start = time.perf_counter()
        ComrafStar(k, effort=effort, random_state=0, n_jobs=jobs).fit(tables)
        seconds[f"ComrafStar, {effort}"] = time.perf_counter() - start
    return {"photos": float(len(collection)), **seconds}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of("photo_cost", __doc__, "data", jobs=2)
    add = parser.add_argument
    add("--folder", type=Path, help="photos of your own instead")
    add("-k", type=int, default=10, help="clusters; default 10")
    return run(parser, arguments, _print)


def _print(options: argparse.Namespace) -> None:
    if options.folder is not None:
        found = measure(options.folder, options.k, options.jobs)
    else:
        archive = data_folder(options.data) / FILES["corel"]
        if not archive.is_file():
            raise InputError(f"{archive} is not there; see --data")
        with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as inside:
            inside.extractall(folder, filter="data")
            found = measure(Path(folder), options.k, options.jobs)
    print(f"{found.pop('photos'):,.0f} photos, {options.jobs} processes")
    for what, seconds in found.items():
        print(f"{what}: {seconds:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
