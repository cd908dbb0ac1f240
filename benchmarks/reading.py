"""How fast documents become tables, and in how much memory.

::

    python -m benchmarks.reading --data DIR             # 20 Newsgroups raw, two processes
    python -m benchmarks.reading --generated 10000 20000 40000

Each line is measured in a process of its own, which makes peak memory its own too. The
generated mailboxes are written by the project and need no data.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.run import data_folder

__all__ = ["build", "main"]


def build(path: Path, kind: str, n_jobs: int) -> dict[str, float]:
    """Read a path into a collection on disk; seconds, memory, sizes."""
    import resource

    from comraf.collection.build import build_collection
    from comraf.collection.detect import open_reader

    with tempfile.TemporaryDirectory() as out:
        started = time.perf_counter()
        collection = build_collection(
            open_reader(path, kind=kind), out=Path(out, "collection"), n_jobs=n_jobs
        )
        wall = time.perf_counter() - started
        own, children = (
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        return {
            "documents": len(collection),
            "words": len(collection.sides["words"]),
            "wall": wall,
            "cpu": sum(u.ru_utime + u.ru_stime for u in (own, children)),
            # the largest child is counted once for each: an upper bound of the whole
            "megabytes": (own.ru_maxrss + n_jobs * children.ru_maxrss) / 1024,
        }


def _measured(path: Path, kind: str, n_jobs: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.reading", "--one", str(path), kind, str(n_jobs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _row(name: str, got: dict[str, float]) -> str:
    return (
        f"| {name} | {got['documents']:,.0f} | {got['words']:,.0f} | {got['wall']:.1f} "
        f"| {got['cpu']:.1f} | {1e3 * got['cpu'] / got['documents']:.2f} "
        f"| {got['megabytes']:.0f} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reading",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", help="folder of the raw collections (default: COMRAF_DATA)")
    parser.add_argument(
        "--generated", nargs="*", type=int, default=[], metavar="N", help="mailboxes of N messages"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes that read; default 2")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        path, kind, jobs = options.one
        print(json.dumps(build(Path(path), kind, int(jobs))))
        return 0
    print("| what | documents | words | wall s | CPU s | CPU ms a document | MB at most |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        if options.data or not options.generated:
            archive = data_folder(options.data) / "newsgroups" / "20_newsgroups.tar.gz"
            with tarfile.open(archive) as packed:
                packed.extractall(place, filter="data")
            print(_row("20 Newsgroups, raw", _measured(Path(place), "news", options.jobs)))
        for n in options.generated:
            from comraf.collection.sample import write_mbox

            box = Path(place, f"{n}.mbox")
            write_mbox(box, n)
            print(_row(f"{n:,} generated messages", _measured(box, "mbox", options.jobs)))
            box.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
