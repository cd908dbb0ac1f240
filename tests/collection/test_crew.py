from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from comraf.collection import crew
from comraf.collection.chunks import Chunk, Counting
from comraf.collection.crew import Crew
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


def _die(*_: object) -> None:
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
    assert [chunk.ids for chunk in together] == [chunk.ids for chunk in alone]
    assert [c.raws["words"].names for c in together] == [c.raws["words"].names for c in alone]


def test_a_unit_that_kills_its_process_is_skipped() -> None:
    """It is found and listed, and all others are read, each once."""
    reader = Dying()
    batches = [list(enumerate(reader.scan()))[:8], list(enumerate(reader.scan()))[8:]]
    with Crew(reader, Counting(), batches, 2) as team:
        chunks = [chunk for number in range(2) for chunk in team.results(number)]
    ids = [name for chunk in chunks for name in chunk.ids]
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
    ids = [name for chunk in chunks for name in chunk.ids]
    assert len(ids) == len(set(ids))
    assert {"0", "2"} <= set(ids)
    assert [number for chunk in chunks for number, _ in chunk.skips] == [1]


def test_processes_that_all_die_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for ever, and nobody starts processes without end."""
    monkeypatch.setattr(crew, "_MOST_DEATHS", 3)
    with pytest.raises(ReadError, match="exit code 3"):
        _all(Deadly(), 2)


def test_a_process_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script without a guard is told about it."""
    monkeypatch.setattr(crew, "_work", _die)
    with pytest.raises(ReadError, match="__main__"):
        _all(Slow(), 2)


def test_leaving_early_ends_the_processes() -> None:
    """Workers that have more to give are ended, not waited for."""
    reader = Slow()
    with Crew(reader, Counting(), _batches(reader), 2) as team:
        next(team.results(0))
        processes = [worker.process for worker in team._workers]
    assert not any(process.is_alive() for process in processes)


def test_a_reader_that_cannot_be_sent_is_refused() -> None:
    """The message says what to do."""
    reader = Slow()
    reader.handle = lambda: None
    with pytest.raises(InputError, match="n_jobs=1"):
        _all(reader, 2)
