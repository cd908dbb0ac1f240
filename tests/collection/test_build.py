from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from comraf.collection import sample
from comraf.collection.build import build_collection
from comraf.collection.collection import Collection
from comraf.collection.detect import open_reader
from comraf.collection.items import Item, Skip, Unit
from comraf.collection.options import SideOptions, WordOptions
from comraf.collection.store import open_collection
from comraf.errors import InputError, ReadError, WriteError
from comraf.progress import Event


@pytest.fixture(scope="module")
def mailbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A maildir of the sample mailbox."""
    return sample.write_maildir(tmp_path_factory.mktemp("mail") / "box", 300)


def same(one: Collection, two: Collection) -> bool:
    """Whether two collections hold the same."""
    assert one.ids == two.ids
    assert one.titles == two.titles
    assert one.sources == two.sources
    assert one.truth == two.truth
    assert np.array_equal(one.dates, two.dates, equal_nan=True)
    assert list(one.texts(range(len(one)))) == list(two.texts(range(len(two))))
    assert (one.duplicates, one.n_skipped) == (two.duplicates, two.n_skipped)
    assert list(one.sides) == list(two.sides)
    for name in one.sides:
        assert one.sides[name].values == two.sides[name].values
        assert one.sides[name].people == two.sides[name].people
        assert (one.tables[name] != two.tables[name]).nnz == 0
    return True


class Numbered:
    """A reader of made-up items, a unit each; some are bad."""

    kind = "text"
    parallel = True

    def __init__(self, n: int, *, bad: int = 0) -> None:
        self.n = n
        self.bad = bad
        self.notes = ["made up"]

    def scan(self) -> list[Unit]:
        return [Unit(str(i)) for i in range(self.n)]

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        number = int(unit.path)
        if number < self.bad:
            yield Skip(unit.path, "broken")
        else:
            yield Item(unit.path, f"pump w{number % 7}x", notes=("line 3 repaired",))


def test_processes_do_not_change_the_result(mailbox: Path, tmp_path: Path) -> None:
    """One process and three give the same collection, down to the bytes of its files."""
    reader = open_reader(mailbox, truth="folders")
    alone = build_collection(reader, out=tmp_path / "one")
    together = build_collection(reader, out=tmp_path / "three", n_jobs=3)
    assert same(alone, together)
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "three" / file.name).read_bytes(), file.name


def test_memory_and_disk_hold_the_same(mailbox: Path, tmp_path: Path) -> None:
    """A collection built in memory, saved and opened again is the one built on disk."""
    built = build_collection(open_reader(mailbox))
    built.save(tmp_path / "saved")
    assert same(built, open_collection(tmp_path / "saved"))
    assert same(built, build_collection(open_reader(mailbox), out=tmp_path / "out"))


def test_the_sample_mailbox_is_understood(mailbox: Path) -> None:
    """Every invented person is one person, lists are lists, and the owner is Nora."""
    found = build_collection(open_reader(mailbox, truth="folders"))
    people = found.sides["people"]
    where = {address: p.name for p in people.people for address in p.addresses}
    for person in sample.people():
        assert len({where[a] for a in person.addresses if a in where}) <= 1
    assert found.sides["people"].facts["owner"] == "Nora Lindqvist"
    assert sum(person.role == "list" for person in people.people) == len(sample.LISTS)
    assert found.duplicates > 0
    assert found.truth is not None
    assert set(found.truth) == set(sample.TOPICS.values())


def test_copies_go_and_clashes_stay(tmp_path: Path) -> None:
    """The same id and content is a copy; the same id with other content is kept."""

    class Clashing(Numbered):
        def read(self, unit: Unit) -> Iterator[Item | Skip]:
            texts = {"0": "pump", "1": "pump", "2": "hose", "3": "clamp"}
            yield Item("same", texts[unit.path])

    found = build_collection(Clashing(4))
    assert found.ids == ("same", "same#2", "same#3")
    assert found.duplicates == 1
    kept = build_collection(Clashing(4), options=SideOptions(duplicates="keep"))
    assert len(kept) == 4


def test_a_copy_in_another_class_is_kept() -> None:
    """A message filed under two classes counts for both, as the papers have it."""

    class Crossed(Numbered):
        def read(self, unit: Unit) -> Iterator[Item | Skip]:
            yield Item("same", "pump", truth=f"class {int(unit.path) % 2}")

    found = build_collection(Crossed(4))
    assert found.truth == ("class 0", "class 1")


def test_a_made_up_id_that_is_taken_gets_another() -> None:
    """An item that is really called like a renamed one keeps the collection's ids unique."""

    class Awkward(Numbered):
        def read(self, unit: Unit) -> Iterator[Item | Skip]:
            yield Item(("a", "a", "a#2", "a")[int(unit.path)], f"text{unit.path}")

    ids = build_collection(Awkward(4)).ids
    assert len(set(ids)) == 4
    assert ids[0] == "a"


def test_bad_items_are_skipped_counted_and_listed() -> None:
    """What can't be read does not stop the rest."""
    found = build_collection(Numbered(50, bad=5))
    assert (len(found), found.n_skipped) == (45, 5)
    assert found.skipped[0] == Skip("0", "broken")
    assert any("5 items skipped" in note for note in found.notes)
    assert any(note == "45 items: line 3 repaired" for note in found.notes)
    assert "made up" in found.notes


def test_nothing_readable_is_an_error(tmp_path: Path) -> None:
    """The first reason is told, and no folder is left."""
    with pytest.raises(ReadError, match="0: broken"):
        build_collection(Numbered(5, bad=5), out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_nothing_left_after_the_cuts_is_an_error() -> None:
    """Cuts that leave no value of any side are named."""
    options = SideOptions(words=WordOptions(min_documents=1000), dates=())
    with pytest.raises(InputError, match="min_documents"):
        build_collection(Numbered(30), options=options)


def test_texts_of_numbers_alone_are_told() -> None:
    """The message says how numbers can be counted."""

    class Sums(Numbered):
        def read(self, unit: Unit) -> Iterator[Item | Skip]:
            yield Item(unit.path, f"{unit.path} 17 25")

    with pytest.raises(InputError, match="numbers=True"):
        build_collection(Sums(30))
    counted = build_collection(Sums(30), options=SideOptions(words=WordOptions(numbers=True)))
    assert len(counted) == 30


@pytest.mark.parametrize("n_jobs", [0, -2, True, 1.5, "2"])
def test_a_senseless_number_of_processes_is_refused(n_jobs: object) -> None:
    """The message holds what was given."""
    with pytest.raises(InputError, match="n_jobs"):
        build_collection(Numbered(3), n_jobs=n_jobs)


def test_a_full_folder_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    """Nothing of the user's is overwritten."""
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(WriteError, match="not empty"):
        build_collection(Numbered(3), out=tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_progress_is_told_and_never_falls(mailbox: Path) -> None:
    """Each task goes from 0 to 1."""
    events: list[Event] = []
    build_collection(open_reader(mailbox), listener=events.append)
    for task in ("reading", "building tables"):
        shares = [event.done for event in events if event.task == task]
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_an_error_of_the_listener_stops_cleanly(mailbox: Path, tmp_path: Path) -> None:
    """A listener may interrupt: nothing half-written is left."""

    def stop(event: Event) -> None:
        if event.task == "building tables":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_collection(open_reader(mailbox), out=tmp_path / "out", n_jobs=2, listener=stop)
    assert list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_texts(tmp_path: Path) -> None:
    """Four times the text needs hardly more memory."""

    class Long(Numbered):
        def read(self, unit: Unit) -> Iterator[Item | Skip]:
            yield Item(unit.path, f"{unit.path} pump" + " " * 20_000)

    def peak(n: int) -> int:
        build_collection(Long(20), out=tmp_path / f"warm{n}")
        tracemalloc.start()
        build_collection(Long(n), out=tmp_path / f"out{n}")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(2000) < 1.5 * peak(500)


SCRIPT = """
import sys, time
from collections.abc import Iterator
from comraf.collection.build import build_collection
from comraf.collection.items import Item, Unit

class Slow:
    kind, parallel = "text", True
    def __init__(self): self.notes = []
    def scan(self): return [Unit(str(i)) for i in range(4000)]
    def read(self, unit):
        time.sleep(0.01)
        yield Item(unit.path, "pump " * 50)

if __name__ == "__main__":
    build_collection(Slow(), out=sys.argv[1], n_jobs=2,
                     listener=lambda event: print(event.done, flush=True))
"""


def environment() -> dict[str, str]:
    """What a process needs to find the package that is tested."""
    import comraf

    source = str(Path(comraf.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}


def reading_process(folder: Path) -> subprocess.Popen[str]:
    """A process in a session of its own that has begun to build a collection, place/out."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder / "place" / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    while float(process.stdout.readline() or 1) == 0.0:
        pass
    return process


@pytest.mark.skipif(os.name != "posix", reason="sends a signal as a terminal does")
def test_ctrl_c_ends_everything_and_leaves_nothing(tmp_path: Path) -> None:
    """An interrupt from the terminal ends all processes and removes the started folder."""
    process = reading_process(tmp_path)
    assert any((tmp_path / "place").iterdir())
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in told
    assert not (tmp_path / "place").exists()
    for _ in range(50):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("processes are left")


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_a_disk_that_fills_up_is_a_clear_error(tmp_path: Path) -> None:
    """When no more can be written, nothing half-written stays."""
    code = f"""
    import resource
    from comraf.collection.build import build_collection
    from comraf.collection.items import Item, Unit
    from comraf.errors import WriteError
    import random

    class Big:
        kind, parallel, notes = "text", False, []
        def scan(self): return [Unit(str(i)) for i in range(3000)]
        def read(self, unit):
            rng = random.Random(int(unit.path))
            yield Item(unit.path, " ".join(f"w{{rng.randrange(10**6)}}x" for _ in range(100)))

    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        build_collection(Big(), out={str(tmp_path / "out")!r})
    except WriteError as error:
        print("told:", error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert "told:" in done.stdout, done.stderr
    assert "can't be written" in done.stdout
    assert list(tmp_path.iterdir()) == []
