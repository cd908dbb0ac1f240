"""Another process that reads for this one, with limits to its memory and its time.

A parser that a hostile file drives mad takes down a process that nobody misses. The process is
a program of its own: it is not forked, so threads and locks stay here, and unlike one of
`multiprocessing` it does not run the user's script again. So it works from notebooks and
from scripts without ``if __name__ == "__main__"``.

Where the system has no such limits (they are those of Linux), reading goes on without them.
"""

from __future__ import annotations

import atexit
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import spawn
from typing import IO, Any, cast

from comraf.collection.counting import Counting, make_chunks
from comraf.collection.items import Item, Reader, Skip, Unit
from comraf.collection.readers.files import os_path
from comraf.collection.readers.limits import ITEM_SECONDS, in_words, most_memory
from comraf.collection.text.pos import load_tagger
from comraf.errors import ReadError

# Threads that read nothing faster, but take addresses, which are what is limited.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_IO_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
}
_START = "import sys; sys.path[:] = {!r}; from comraf.collection.guard import serve; serve()"
# Seconds that a library has to come back to Python in, once an item's time is over.
_GRACE = 10
#: How a worker ends whose library did not.
OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0) or None
_serving = False


class Worker:
    """A process that reads, and the line to it. A worker that has done its work can be kept."""

    def __init__(self) -> None:
        if _serving:
            raise ReadError(
                "a process that was to read started to read by itself: the work of this script "
                "must stand below if __name__ == '__main__'"
            )
        program = spawn.get_executable()
        if not program or getattr(sys, "frozen", False):
            raise OSError("Python is part of another program here, which can't be started for this")
        # a group of its own: Ctrl-C is for this process, which ends the other one
        apart: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
        path = [place for place in sys.path if isinstance(place, str)]
        command = [os.fsdecode(program), "-P", "-c", _START.format(path)]
        self.owner = os.getpid()
        self.process = subprocess.Popen(  # noqa: S603 ourselves
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ENVIRONMENT},
            **apart,
        )
        self._inward = cast("IO[bytes]", self.process.stdin)
        self._outward = cast("IO[bytes]", self.process.stdout)

    def engage(self, work: bytes) -> None:
        """Send a reader and how to count, pickled; the answer is why they can't be used, or ""."""
        # a reader that was made in the user's own script can only be known from there
        main = {}
        if in_main(work):
            known = spawn.get_preparation_data("reader")
            main = {key: known[key] for key in known if key.startswith("init_main_from_")}
        self.send((os.getcwd(), sys.path, main, work))

    def send(self, thing: object) -> None:
        """Send anything; OSError if nobody listens."""
        try:
            _put(self._inward, thing)
        except ValueError as error:  # closed on this side
            raise OSError(str(error)) from error

    def receive(self) -> Any:
        """Wait for an answer; EOFError if none comes any more."""
        try:
            return _get(self._outward)
        except ValueError as error:
            raise EOFError(str(error)) from error

    def exit_code(self) -> int | None:
        """How it ended; None if it has not within a few seconds."""
        try:
            return self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """End it now, whatever it does."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Close the line to it."""
        for stream in (self._inward, self._outward):
            with suppress(OSError):
                stream.close()

    def keep(self) -> None:
        """Let it wait for the next who wants something read: starting one takes longer."""
        if _idle:
            self.end()
            self.close()
        else:
            _idle.append(self)


_idle: list[Worker] = []


def in_main(work: bytes) -> bool:
    """Tell whether what was pickled needs the user's own script to be understood.

    Examples
    --------
    >>> in_main(pickle.dumps(Counting()))
    False
    """
    return b"__main__" in work


def hire() -> Worker:
    """A worker that waits, or a new one.

    Examples
    --------
    >>> worker = hire()
    >>> worker.process.poll() is None
    True
    >>> worker.keep()
    """
    with suppress(IndexError):  # another thread may take the last one first
        while True:
            worker = _idle.pop()
            # not one that belongs to the process that this one was forked from
            if worker.owner == os.getpid() and worker.process.poll() is None:
                return worker
    return Worker()


def warm() -> None:
    """Have a worker start while something else is done.

    Examples
    --------
    >>> warm()
    """
    with suppress(OSError):
        hire().keep()


@atexit.register
def _end_idle() -> None:
    while _idle:
        worker = _idle.pop()
        if worker.owner == os.getpid():
            worker.end()
            worker.close()


def _put(stream: IO[bytes], thing: object) -> None:
    stream.write(pickle.dumps(thing, protocol=5))  # what can't be pickled leaves no half of it
    stream.flush()


def _get(stream: IO[bytes]) -> Any:
    try:
        return pickle.load(stream)  # noqa: S301 from our own process
    except pickle.UnpicklingError as error:  # half of an answer
        raise EOFError(str(error)) from error


def serve() -> None:
    """Read what is asked for until nobody asks any more; runs in the other process."""
    global _serving
    _serving = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit("RLIMIT_CORE", 0)  # whoever is killed for a file leaves no other one
    # what libraries print must not get between the answers
    inward, outward = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        while True:
            _work(_get(inward), inward, outward)
    except (EOFError, OSError):
        return


def _work(order: Any, inward: IO[bytes], outward: IO[bytes]) -> None:
    """Read the batches for one reader."""
    folder, sys.path[:], main, work = order
    with suppress(OSError):
        os.chdir(folder)
    if main:
        spawn.prepare(main)
    try:
        guarded = _Guarded(*pickle.loads(work))  # noqa: S301 from our own process
    except (ImportError, AttributeError) as error:
        _put(outward, str(error) or type(error).__name__)
        return
    _put(outward, "")
    while (batch := _get(inward)) is not None:
        for chunk in guarded.chunks(batch):
            _put(outward, chunk)
        _put(outward, None)


class _Guarded:
    """A reader each of whose units may take so much memory, and each item so much time."""

    def __init__(self, reader: Reader, counting: Counting) -> None:
        self._reader = reader
        self._counting = counting
        self._timed = False
        self._ready = False
        if hasattr(signal, "SIGPROF"):
            signal.signal(signal.SIGPROF, self._late)

    def chunks(self, batch: Sequence[tuple[int, Unit]]) -> Iterator[Any]:
        tagged = getattr(self._reader, "tagged", False)  # text that brings its tags needs no tagger
        if not self._ready and self._counting.options.tagger is not None and not tagged:
            load_tagger(self._counting.options.tagger)  # is ours, and not what is limited
        self._ready = True
        self._taken = _addresses()
        try:
            for chunk in make_chunks(cast("Reader", self), batch, self._counting):
                self._time(0)
                yield chunk
        finally:
            self._time(0)
            _limit("RLIMIT_AS", None)

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        most = most_memory(self._size(unit))
        _limit("RLIMIT_AS", None if self._taken is None else self._taken + most)
        try:
            self._time(ITEM_SECONDS)
            for found in self._reader.read(unit):
                yield found
                self._time(ITEM_SECONDS)
        except MemoryError:
            raise MemoryError(f"it takes more than {in_words(most)} of memory") from None
        finally:
            self._time(0)

    def _size(self, unit: Unit) -> int:
        try:
            return os.stat(os_path(getattr(self._reader, "root", ""), unit.path)).st_size
        except (OSError, ValueError):
            return 0

    def _time(self, seconds: float) -> None:
        self._timed = seconds > 0
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, seconds)
            # Python hears of the timer only when a library returns: one that does not is killed
            end = math.ceil(time.process_time() + seconds) + _GRACE
            _limit("RLIMIT_CPU", end if self._timed else None)

    def _late(self, *_: object) -> None:
        if self._timed:
            self._timed = False
            raise TimeoutError(f"it takes more than {ITEM_SECONDS} seconds")


def _addresses() -> int | None:
    """Bytes of addresses that this process has; None where there is no limit to them."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None


def _limit(what: str, most: int | None) -> None:
    """Let this process have so much of a thing and no more; None lifts the limit."""
    try:
        import resource

        kind = getattr(resource, what)
        hard = resource.getrlimit(kind)[1]
        soft = hard if most is None else most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (soft, hard))
    except (ImportError, OSError, ValueError):
        return
