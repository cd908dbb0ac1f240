"""Several processes that read at once, while their results come back in order.

Batch ``b`` goes to worker ``b % n``, and the results are taken in the order of the batches:
what comes out does not depend on who was faster. A worker waits when nobody takes its
results, so no more than a few chunks lie in memory, however large the collection.

A file may be so hostile that it takes the process down that reads it. Then another process
takes over and reads what is left one unit at a time, so that it is known which unit it was:
that one is skipped and listed, and the others are read.
"""

from __future__ import annotations

import pickle
import queue
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from comraf.collection.counting import Chunk, Counting, make_chunks
from comraf.collection.guard import OUT_OF_TIME, Worker, hire, in_main
from comraf.collection.items import Reader, Skip, Unit
from comraf.collection.readers.limits import ITEM_SECONDS
from comraf.errors import InputError, ReadError, Setting

Batch = Sequence[tuple[int, Unit]]
"""Units with their numbers."""

_AHEAD = 3
# More than so many deaths while nothing at all is read are no matter of single files.
_MOST_DEATHS = 20


class _NotSentError(InputError):
    """The reader can't be used in another process."""


def _ready(worker: Worker) -> None:
    """Wait until a worker has its reader."""
    try:
        if why := worker.receive():
            raise _not_sent(why)
    except (EOFError, OSError) as error:
        raise ReadError(
            f"a process that was to read died (exit code {worker.exit_code()}). If this is a "
            "script with a reader of its own, its work must stand below if __name__ == "
            "'__main__'; if memory ran out, use fewer processes"
        ) from error


def _not_sent(why: object) -> _NotSentError:
    text = "the reader can't be sent to another process ({why}); use {alone}"
    return _NotSentError(text, why=why, alone=Setting("n_jobs", 1))


class Crew:
    """Workers that read batches of units.

    Parameters
    ----------
    reader : Reader
        Sent to each worker.
    counting : Counting
    batches : sequence of Batch
    n_jobs : int
        Number of workers. One reads in another process too, with a limit to its memory, unless
        the reader can't be sent there; 0 reads in this process.

    Examples
    --------
    >>> from comraf.collection.items import Item, Unit
    >>> class One:
    ...     def read(self, unit):
    ...         yield Item(unit.path, "text")
    >>> with Crew(One(), Counting(), [[(0, Unit("a"))], [(1, Unit("b"))]], 1) as crew:
    ...     [chunk.columns["id"] for number in range(2) for chunk in crew.results(number)]
    [['a'], ['b']]
    """

    def __init__(
        self, reader: Reader, counting: Counting, batches: Sequence[Batch], n_jobs: int
    ) -> None:
        self._reader = reader
        self._counting = counting
        self._batches = batches
        self._n = min(n_jobs, len(batches))
        self._alone = n_jobs == 1
        self._work = b""
        self._stop = threading.Event()
        # held while a worker is started or all are ended: none may start after that
        self._starting = threading.Lock()
        self._deaths = 0
        self._done: set[int] = set()
        self._workers: list[Worker] = []
        self._queues: list[queue.Queue[Any]] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Crew:
        if not self._n:
            return self
        try:
            self._work = pickle.dumps((self._reader, self._counting))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            if not self._alone:
                raise _not_sent(error) from error
        if self._alone and (not self._work or in_main(self._work)):
            self._n = 0
        try:
            for number in range(self._n):
                self._start(number)
        except BaseException:
            self.close()
            raise
        return self

    def _start(self, number: int) -> None:
        try:
            self._workers.append(hire())
        except OSError as error:  # a system that starts no processes
            if not self._alone:
                raise ReadError(
                    "no process to read with can be started ({error}); use {alone}",
                    error=error,
                    alone=Setting("n_jobs", 1),
                ) from error
            self._n = 0
            return
        self._queues.append(queue.Queue(_AHEAD))
        thread = threading.Thread(target=self._serve, args=(number,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self, number: int) -> None:
        """Hand a worker its batches, and take what it makes of them."""
        results = self._queues[number]
        try:
            self._workers[number].engage(self._work)
            _ready(self._workers[number])
            mine = self._batches[number :: self._n]
            for place, batch in enumerate(mine, 1):
                for chunk in self._read(number, list(batch)):
                    self._put(results, chunk)
                if place == len(mine):  # before the last result is taken and all workers are ended
                    self._workers[number].send(None)
                    self._done.add(number)
                self._put(results, None)
        # whatever it is, who waits for results must hear of it
        except Exception as error:  # noqa: BLE001
            self._put(results, error)

    def _read(self, number: int, left: list[tuple[int, Unit]]) -> Iterator[Chunk]:
        """Yield what a worker makes of a batch, or several workers, if they die of it."""
        alone = False
        while left:
            part = left[:1] if alone else left
            finished = 0
            begun = -1
            worker = self._workers[number]
            try:
                worker.send(part)
                while (chunk := worker.receive()) is not None:
                    self._deaths = 0
                    finished += chunk.finished
                    begun = chunk.units[-1] if chunk.units else begun
                    yield chunk
                left = left[len(part) :]
            except (EOFError, OSError) as error:
                code = self._replace(number, error)
                left = left[finished:]
                # a unit of which something has come is not read twice
                if left and (alone or begun == left[0][0]):
                    unit_number, unit = left.pop(0)
                    reason = f"the process that read it died (exit code {code})"
                    if code == OUT_OF_TIME:
                        reason = f"it takes more than {ITEM_SECONDS} seconds"
                    yield Chunk(skips=[(unit_number, Skip(unit.path, reason))], finished=1)
                    alone = False
                else:
                    alone = True

    def _replace(self, number: int, error: BaseException) -> int | None:
        """Start another worker in the place of one that died; return how it died."""
        code = self._workers[number].exit_code()
        with self._starting:
            self._deaths += 1
            if self._deaths > _MOST_DEATHS or self._stop.is_set():
                raise ReadError(
                    f"{self._deaths} processes that were reading died, the last with exit code "
                    f"{code}. If memory ran out, use fewer processes"
                ) from error
            self._workers[number].close()
            self._workers[number] = hire()
            self._workers[number].engage(self._work)
        _ready(self._workers[number])
        return code

    def _put(self, results: queue.Queue[Any], thing: object) -> None:
        while not self._stop.is_set():
            try:
                results.put(thing, timeout=0.2)
                return
            except queue.Full:
                continue

    def results(self, number: int) -> Iterator[Chunk]:
        """Yield the chunks of a batch; batches must be asked for in order."""
        if not self._n:
            yield from make_chunks(self._reader, self._batches[number], self._counting)
            return
        results = self._queues[number % self._n]
        while True:
            try:
                # a short wait at a time, so that Ctrl-C is heard on every system
                thing = results.get(timeout=0.5)
            except queue.Empty:
                continue
            if thing is None:
                return
            if isinstance(thing, _NotSentError) and self._alone:
                self._n = 0
                yield from self.results(number)
                return
            if isinstance(thing, BaseException):
                raise thing
            yield thing

    def close(self) -> None:
        """End the workers."""
        with self._starting:
            self._stop.set()
            workers = list(self._workers)
        for number, worker in enumerate(workers):
            if number not in self._done:
                worker.end()
        for thread in self._threads:
            thread.join(timeout=5)
        for number, worker in enumerate(workers):
            if number in self._done:
                worker.keep()
            else:
                worker.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
