"""How fast documents become tables, and in how much memory; how well people are united.

::

    python -m benchmarks.reading --data DIR             # 20 Newsgroups raw, two processes
    python -m benchmarks.reading --generated 10000 20000 40000
    python -m benchmarks.reading --people               # against what is known about them

Each line of the first table is measured in a process of its own, which makes peak memory its
own too. The generated mailboxes and the invented people are the project's and need no data.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.address_book import Mention, address_book, agreement
from benchmarks.run import data_folder
from comraf.collection.items import Item

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


def _united(mentions: Sequence[Mention]) -> tuple[float, float]:
    """Precision and recall, over pairs of mentions, of what is united."""
    from comraf.collection.people import unite

    labels, _ = unite([(m.name, m.address) for m in mentions], [m.weight for m in mentions])
    known = [i for i, mention in enumerate(mentions) if mention.person >= 0]
    return agreement([mentions[i].person for i in known], [int(labels[i]) for i in known])


def _sample_mentions(n_messages: int, seed: int) -> list[Mention]:
    """Everybody in a sample mailbox, with the truth that comes with it."""
    from comraf.collection import sample
    from comraf.collection.readers.mail_mbox import MboxReader

    truth = {a: i for i, p in enumerate(sample.people()) for a in p.addresses}
    truth.update({entry[0]: 1000 + i for i, entry in enumerate(sample.LISTS.values())})
    with tempfile.TemporaryDirectory() as place:
        reader = MboxReader(sample.write_mbox(Path(place, "box"), n_messages, seed))
        items = [item for unit in reader.scan() for item in reader.read(unit)]
    people = [person for item in items if isinstance(item, Item) for person in item.people]
    counts = Counter((person.name, person.address) for person in people)
    return [Mention(*pair, n, truth[pair[1]]) for pair, n in counts.items()]


def _people() -> Iterator[str]:
    yield "| people | spellings | persons | precision | recall |"
    yield "|---|---|---|---|---|"
    seeds = range(10, 20)
    books = {
        "sample mailboxes of 1,500 messages": [_sample_mentions(1500, s) for s in seeds],
        "address books of 300": [address_book(300, s) for s in seeds],
        "address books of 1,000": [address_book(1000, s) for s in seeds],
    }
    for name, found in books.items():
        scores = np.array([_united(mentions) for mentions in found])
        spellings = np.mean([len(mentions) for mentions in found])
        persons = np.mean([len({m.person for m in mentions}) for mentions in found])
        (p, r), (dp, dr) = scores.mean(axis=0), scores.std(axis=0)
        yield (
            f"| {name}, seeds {seeds.start}-{seeds.stop - 1} | {spellings:.0f} | {persons:.0f} "
            f"| {p:.3f} ± {dp:.3f} | {r:.3f} ± {dr:.3f} |"
        )


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
    parser.add_argument(
        "--people", action="store_true", help="how well spellings of invented people are united"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes that read; default 2")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        path, kind, jobs = options.one
        print(json.dumps(build(Path(path), kind, int(jobs))))
        return 0
    if options.people:
        print("\n".join(_people()))
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
