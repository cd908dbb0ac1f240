from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

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


def _batches(reader: Slow) -> list[list[tuple[int, Unit]]]:
    return [[(i, unit)] for i, unit in enumerate(reader.scan())]


def _all(reader: Slow, n_jobs: int) -> list[Chunk]:
    batches = _batches(reader)
    with Crew(reader, Counting(), batches, n_jobs) as crew:
        return [chunk for number in range(len(batches)) for chunk in crew.results(number)]


def test_results_come_in_order_whoever_is_faster() -> None:
    """Three processes give what one gives, in the same order."""
    alone = _all(Slow(), 1)
    together = _all(Slow(), 3)
    assert [chunk.ids for chunk in together] == [chunk.ids for chunk in alone]
    assert [c.raws["words"].names for c in together] == [c.raws["words"].names for c in alone]


def test_a_dead_process_is_an_error_that_says_so() -> None:
    """Nothing waits for ever for a process that has gone."""
    with pytest.raises(ReadError, match="exit code 3"):
        _all(Dying(), 2)


def test_leaving_early_ends_the_processes() -> None:
    """Workers that have more to give are ended, not waited for."""
    reader = Slow()
    with Crew(reader, Counting(), _batches(reader), 2) as crew:
        next(crew.results(0))
        processes = list(crew._processes)
    assert not any(process.is_alive() for process in processes)


def test_a_reader_that_cannot_be_sent_is_refused() -> None:
    """The message says what to do."""
    reader = Slow()
    reader.handle = lambda: None
    with pytest.raises(InputError, match="n_jobs=1"):
        _all(reader, 2)
