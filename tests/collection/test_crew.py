from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from comraf.collection import crew, guard
from comraf.collection.build import build_collection
from comraf.collection.counting import Chunk, Counting
from comraf.collection.crew import Crew
from comraf.collection.detect import open_reader
from comraf.collection.items import Item, Skip, Unit
from comraf.errors import InputError, ReadError


class Slow:
    """A reader whose early units take longest."""

    kind = "slow"
    parallel = True

    def __init__(self) -> None:
        self.notes: list[str] = []

    def scan(self) -> list[Unit]:
        return [Unit(str(i)) for i in range(12)]

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        time.sleep(0.02 * (12 - int(unit.path)) / 12)
        yield Item(unit.path, f"text {unit.path}")


class Dying(Slow):
    """A reader that takes its whole process down."""

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        if unit.path == "5":
            os._exit(3)
        yield Item(unit.path, "text")


class Deadly(Slow):
    """A reader that takes its process down wherever it reads."""

    def scan(self) -> list[Unit]:
        return [Unit(str(i)) for i in range(60)]

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        os._exit(3)
        yield Item(unit.path, "text")


class Halfway(Slow):
    """A reader that dies in the middle of a long unit."""

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        yield Item(unit.path, "text")
        if unit.path == "1":
            yield from (Item(f"1.{i}", "text") for i in range(2500))
            os._exit(3)


def _batches(reader: Slow) -> list[list[tuple[int, Unit]]]:
    return [[(i, unit)] for i, unit in enumerate(reader.scan())]


def _all(reader: Slow, n_jobs: int) -> list[Chunk]:
    batches = _batches(reader)
    with Crew(reader, Counting(), batches, n_jobs) as team:
        return [chunk for number in range(len(batches)) for chunk in team.results(number)]


def test_results_come_in_order_whoever_is_faster() -> None:
    """Three processes give what one gives, in the same order."""
    alone = _all(Slow(), 1)
    together = _all(Slow(), 3)
    assert [chunk.columns["id"] for chunk in together] == [chunk.columns["id"] for chunk in alone]
    assert [c.raws["words"].names for c in together] == [c.raws["words"].names for c in alone]


def test_a_unit_that_kills_its_process_is_skipped() -> None:
    """It is found and listed, and all others are read, each once."""
    reader = Dying()
    batches = [list(enumerate(reader.scan()))[:8], list(enumerate(reader.scan()))[8:]]
    with Crew(reader, Counting(), batches, 2) as team:
        chunks = [chunk for number in range(2) for chunk in team.results(number)]
    ids = [name for chunk in chunks for name in chunk.columns["id"]]
    assert ids == [str(i) for i in range(12) if i != 5]
    assert sum(chunk.finished for chunk in chunks) == 12
    ((number, skip),) = [skip for chunk in chunks for skip in chunk.skips]
    assert (number, skip.source) == (5, "5")
    assert "exit code 3" in skip.reason


def test_what_came_before_a_death_is_not_read_twice() -> None:
    """Of a unit that had given items, what it gave is kept, and the rest is told as lost."""
    batches = [[(0, Unit("0")), (1, Unit("1"))], [(2, Unit("2"))]]
    with Crew(Halfway(), Counting(), batches, 2) as team:
        chunks = [chunk for number in range(2) for chunk in team.results(number)]
    ids = [name for chunk in chunks for name in chunk.columns["id"]]
    assert len(ids) == len(set(ids))
    assert {"0", "2"} <= set(ids)
    assert [number for chunk in chunks for number, _ in chunk.skips] == [1]


class Mined(Slow):
    """A reader that takes its process down again and again."""

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        if int(unit.path) % 4 == 1:
            os._exit(3)
        yield Item(unit.path, "text")


def test_many_units_that_kill_are_skipped_while_others_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many there are: it is only where nothing is read between that it is given up."""
    monkeypatch.setattr(crew, "_MOST_DEATHS", 2)
    chunks = _all(Mined(), 1)
    assert sorted(i for chunk in chunks for i, _ in chunk.skips) == [1, 5, 9]
    read = sorted(int(name) for chunk in chunks for name in chunk.columns["id"])
    assert read == [i for i in range(12) if i % 4 != 1]


def test_processes_that_all_die_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for ever, and nobody starts processes without end."""
    monkeypatch.setattr(crew, "_MOST_DEATHS", 3)
    with pytest.raises(ReadError, match="exit code 3"):
        _all(Deadly(), 2)


class Unwelcome(Slow):
    """A reader that kills whoever unpacks it."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (3,)


def test_a_process_that_does_not_start_is_an_error() -> None:
    """Nobody waits for it, and the message says what may be wrong."""
    with pytest.raises(ReadError, match="__main__"):
        _all(Unwelcome(), 2)


def test_leaving_early_ends_the_processes() -> None:
    """Workers that have more to give are ended, not waited for."""
    reader = Slow()
    with Crew(reader, Counting(), _batches(reader), 2) as team:
        next(team.results(0))
        processes = [worker.process for worker in team._workers]
    assert all(process.poll() is not None for process in processes)


def test_a_reader_that_cannot_be_sent_is_refused() -> None:
    """The message says what to do."""
    reader = Slow()
    reader.handle = lambda: None
    with pytest.raises(InputError, match="n_jobs=1"):
        _all(reader, 2)


class Greedy(Slow):
    """A reader that takes more and more memory for one unit."""

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        held = [b"x" * (1 << 20) for _ in range(1500 if unit.path == "1" else 1)]
        yield Item(unit.path, f"text {len(held)}")


class Endless(Slow):
    """A reader that never comes to an end with one unit."""

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        while unit.path == "1":
            pass
        yield Item(unit.path, "text")


class Chatty(Slow):
    """A reader that prints, as libraries do."""

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        os.write(1, b"hello\n")
        yield Item(unit.path, "text")


def test_what_a_reader_prints_does_no_harm(capfd: pytest.CaptureFixture[str]) -> None:
    """It does not get between the answers of the process, nor into the standard output."""
    chunks = _all(Chatty(), 1)
    assert [name for chunk in chunks for name in chunk.columns["id"]] == [str(i) for i in range(12)]
    assert capfd.readouterr().out == ""


def test_a_worker_that_died_while_it_waited_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may end what seems to do nothing."""
    monkeypatch.setattr(sys, "path", [*sys.path, Path("elsewhere")])  # which Python passes over
    guard._end_idle()
    _all(Slow(), 1)
    for worker in guard._idle:
        os.kill(worker.process.pid, signal.SIGTERM)
        worker.exit_code()
    assert len(_all(Slow(), 1)) > 0


def test_one_reads_in_a_program_that_python_is_a_part_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a program, started again, would not read: all is read in this process then."""
    guard._end_idle()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert [name for chunk in _all(Slow(), 1) for name in chunk.columns["id"]] == [
        str(i) for i in range(12)
    ]
    assert not guard._idle
    with pytest.raises(ReadError, match=r"part of another program.*use n_jobs=1"):
        _all(Slow(), 2)


class Stuck(Slow):
    """A reader whose library does not come back from one unit."""

    def __setstate__(self, state: dict[str, object]) -> None:
        # in the process that reads
        self.__dict__.update(state)
        guard.ITEM_SECONDS, guard._GRACE = 0.2, 0

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        if unit.path == "1":
            sum(range(10**15))
        yield Item(unit.path, "text")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the addresses of a process")
def test_a_unit_that_takes_too_much_memory_is_skipped() -> None:
    """Also with one job; it is told which, and the others are read."""
    chunks = _all(Greedy(), 1)
    ((number, skip),) = [skip for chunk in chunks for skip in chunk.skips]
    assert number == 1
    assert "more than 1.1 GB of memory" in skip.reason
    assert [name for chunk in chunks for name in chunk.columns["id"]] == [
        "0",
        *map(str, range(2, 12)),
    ]


def _late(seconds: float) -> list[tuple[int, Skip]]:
    guard.ITEM_SECONDS = seconds
    guarded = guard._Guarded(Endless(), Counting())
    units = [(i, Unit(str(i))) for i in range(3)]
    return [skip for chunk in guarded.chunks(units) for skip in chunk.skips]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer to end it with")
def test_an_item_that_takes_too_long_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a file without end."""
    monkeypatch.setattr(guard, "ITEM_SECONDS", 120)
    before = signal.getsignal(signal.SIGPROF)
    try:
        ((number, skip),) = _late(0.2)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert number == 1
    assert "more than 0.2 seconds" in skip.reason


@pytest.mark.skipif(not hasattr(signal, "SIGXCPU"), reason="there is no limit to end it with")
def test_a_library_that_does_not_come_back_is_ended() -> None:
    """Python's signals wait for it, so the system ends the process; the others are read."""
    try:
        chunks = _all(Stuck(), 1)
    finally:
        guard._end_idle()
    ((number, skip),) = [skip for chunk in chunks for skip in chunk.skips]
    assert number == 1
    assert "more than 120 seconds" in skip.reason
    assert sorted(int(i) for chunk in chunks for i in chunk.columns["id"]) == [0, *range(2, 12)]


SCRIPT = """
import sys
from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
print("here", flush=True)
for n_jobs in (1, 2):
    print(len(build_collection(open_reader(sys.argv[1]), n_jobs=n_jobs).ids))
"""


@pytest.mark.parametrize("way", ["script", "notebook"])
def test_scripts_without_a_guard_and_notebooks_read(way: str, tmp_path: Path) -> None:
    """Processes that read do not run the script again, and need none."""
    (tmp_path / "texts").mkdir()
    for i in range(40):
        (tmp_path / "texts" / f"{i}.txt").write_text(f"The pump leaks w{i % 4}x.")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script) if way == "script" else "-", str(tmp_path / "texts")]
    text = None if way == "script" else SCRIPT
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["here", "40", "40"], done.stderr
    assert not done.stderr


def test_a_worker_that_waits_is_used_again_where_paths_begin_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process serves several builds, from whatever folder they are asked for."""
    before = []
    for name in ("a", "b"):
        (tmp_path / name / "texts").mkdir(parents=True)
        (tmp_path / name / "texts" / "1.txt").write_text(f"The pump {name * 5} leaks.")
        monkeypatch.chdir(tmp_path / name)
        found = build_collection(open_reader("texts"))
        assert name * 5 in found.sides["words"].values
        before.append([worker.process.pid for worker in guard._idle])
    assert before[0] == before[1]
    assert len(before[0]) == 1
