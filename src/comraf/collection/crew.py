"""Several processes that read at once, while their results come back in order.

Batch ``b`` goes to worker ``b % n``, and the results are taken in the order of the batches:
what comes out does not depend on who was faster. A worker waits when nobody takes its
results, so no more than a few chunks lie in memory, however large the collection.
"""

from __future__ import annotations

import multiprocessing
import pickle
import queue
import signal
import threading
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from comraf.collection.chunks import Chunk, Counting, make_chunks
from comraf.collection.items import Reader, Unit
from comraf.errors import InputError, ReadError

__all__ = ["Batch", "Crew"]

Batch = Sequence[tuple[int, Unit]]
"""Units with their numbers."""

_AHEAD = 3


def _work(connection: Connection, reader: Reader, counting: Counting) -> None:
    """Read batches until there are no more; runs in a process of its own."""
    # Ctrl-C reaches all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while (batch := connection.recv()) is not None:
            for chunk in make_chunks(reader, batch, counting):
                connection.send(chunk)
            connection.send(None)
    except (EOFError, OSError):
        return


class Crew:
    """Workers that read batches of units.

    Parameters
    ----------
    reader : Reader
        Sent to each worker.
    counting : Counting
    batches : sequence of Batch
    n_jobs : int
        Number of workers; with one, everything happens in this process.

    Examples
    --------
    >>> from comraf.collection.items import Item, Unit
    >>> class One:
    ...     def read(self, unit):
    ...         yield Item(unit.path, "text")
    >>> with Crew(One(), Counting(), [[(0, Unit("a"))], [(1, Unit("b"))]], 1) as crew:
    ...     [chunk.ids for number in range(2) for chunk in crew.results(number)]
    [['a'], ['b']]
    """

    def __init__(
        self, reader: Reader, counting: Counting, batches: Sequence[Batch], n_jobs: int
    ) -> None:
        self._reader = reader
        self._counting = counting
        self._batches = batches
        self._n = min(n_jobs, len(batches)) if n_jobs > 1 and len(batches) > 1 else 0
        self._stop = threading.Event()
        self._processes: list[Any] = []
        self._connections: list[Connection] = []
        self._queues: list[queue.Queue[Any]] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Crew:
        try:
            for number in range(self._n):
                self._start(number)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self.close()
            raise InputError(
                f"the reader can't be sent to another process ({error}); use n_jobs=1"
            ) from error
        except BaseException:
            self.close()
            raise
        return self

    def _start(self, number: int) -> None:
        # "spawn" works alike everywhere, and copies neither threads nor locks
        context = multiprocessing.get_context("spawn")
        mine, theirs = context.Pipe()
        process = context.Process(
            target=_work, args=(theirs, self._reader, self._counting), daemon=True
        )
        process.start()
        theirs.close()
        results: queue.Queue[Any] = queue.Queue(_AHEAD)
        thread = threading.Thread(
            target=self._serve, args=(mine, results, self._batches[number :: self._n]), daemon=True
        )
        self._processes.append(process)
        self._connections.append(mine)
        self._queues.append(results)
        self._threads.append(thread)
        thread.start()

    def _serve(
        self, connection: Connection, results: queue.Queue[Any], batches: Sequence[Batch]
    ) -> None:
        """Hand a worker its batches, and take what it makes of them."""
        try:
            for batch in batches:
                connection.send(batch)
                while (chunk := connection.recv()) is not None:
                    self._put(results, chunk)
                self._put(results, None)
            connection.send(None)
        except (EOFError, OSError) as error:
            self._put(results, error)

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
            if isinstance(thing, BaseException):
                process = self._processes[number % self._n]
                process.join(timeout=5)
                code = process.exitcode
                raise ReadError(
                    f"a process that was reading died (exit code {code}). If this is a script, "
                    "its work must stand below if __name__ == '__main__'; if memory ran out, use "
                    "fewer processes; n_jobs=1 reads without any"
                ) from thing
            yield thing

    def close(self) -> None:
        """End the workers."""
        self._stop.set()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()
        for thread in self._threads:
            thread.join(timeout=5)
        for connection in self._connections:
            connection.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
