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
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.address_book import Mention, address_book, agreement
from benchmarks.harness import apart, data_folder, markdown, parser_of, print_table, run
from comraf.collection.items import Item
from comraf.errors import ComrafError, ReadError

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


def _people() -> Iterator[list[str]]:
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
        yield [
            f"{name}, seeds {seeds.start}-{seeds.stop - 1}",
            *(f"{spellings:.0f}", f"{persons:.0f}"),
            *(f"{p:.3f} ± {dp:.3f}", f"{r:.3f} ± {dr:.3f}"),
        ]


def _row(name: str, path: Path, kind: str, jobs: int) -> list[str]:
    got = apart(build, path, kind, jobs)
    if got["status"] != "ok":
        raise ComrafError(f"{name}: {got['error']}")
    cells = [name, f"{got['documents']:,.0f}", f"{got['words']:,.0f}", f"{got['wall']:.1f}"]
    each = 1e3 * got["cpu"] / got["documents"]
    return [*cells, f"{got['cpu']:.1f}", f"{each:.2f}", f"{got['megabytes']:.0f}"]


def _built(options: argparse.Namespace) -> Iterator[list[str]]:
    from comraf.collection.sample import write_mbox

    with tempfile.TemporaryDirectory() as place:
        if options.data or not options.generated:
            archive = data_folder(options.data) / "newsgroups" / "20_newsgroups.tar.gz"
            try:
                with tarfile.open(archive) as packed:
                    packed.extractall(place, filter="data")
            except (OSError, EOFError, tarfile.TarError) as error:
                raise ReadError(f"{str(archive)!r} is no whole archive ({error})") from error
            yield _row("20 Newsgroups, raw", Path(place), "news", options.jobs)
        for n in options.generated:
            box = Path(place, f"{n}.mbox")
            write_mbox(box, n)
            yield _row(f"{n:,} generated messages", box, "mbox", options.jobs)
            box.unlink()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = parser_of("reading", __doc__, "data", jobs=2)
    add = parser.add_argument
    add("--generated", nargs="*", type=int, default=[], metavar="N", help="mailboxes of N messages")
    add("--people", action="store_true", help="how well spellings of invented people are united")

    def work(options: argparse.Namespace) -> None:
        if options.people:
            print(markdown(["people", "spellings", "persons", "precision", "recall"], _people()))
            return
        heads = ["what", "documents", "words", "wall s", "CPU s", "CPU ms a document"]
        print_table([*heads, "MB at most"], _built(options))

    return run(parser, arguments, work)


if __name__ == "__main__":
    sys.exit(main())
