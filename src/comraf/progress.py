"""What long work tells while it runs.

One stream of `Event` objects; a terminal bar, a log file or a web page are
listeners on it. A listener is any callable that takes an event. Events arrive one
at a time (never from two threads at once), so a listener needs no lock of its own.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

__all__ = [
    "Event",
    "Listener",
    "LogListener",
    "Pace",
    "PrintListener",
    "Reporter",
    "Stop",
    "TracePoint",
    "compiling",
    "say",
    "told_of_compiling",
    "unheard",
]

# How every log begins: nothing is added to any other file.
_LOG_START = b'{"time": '


@dataclass(frozen=True, slots=True)
class Event:
    """One moment of long work.

    Attributes
    ----------
    task : str
        What is being done, in words a user knows ("MDC", "reading mail").
    done : float
        Finished share of the whole task, 0 to 1; never falls within a task.
    step, n_steps : int
        Position in the task's list of steps (1-based).
    node : str or None
        The side that is being clustered.
    n_clusters : int or None
        Clusters that side has now.
    restart, n_restarts : int or None
        Restarts finished in this step, and how many there are.
    run, n_runs : int or None
        Which of several independent runs this is about (1-based), and how many there are.
    objective : float or None
        Value of the objective at the end of the last finished step.
    message : str
        A line for people; may be empty.
    seconds : float or None
        Time since the task began.
    seconds_left : float or None
        About how long it will still take; None while nobody can say.
    called : str or None
        What the side is called for people, where that is not its name.
    """

    task: str
    done: float
    step: int = 0
    n_steps: int = 0
    node: str | None = None
    n_clusters: int | None = None
    restart: int | None = None
    n_restarts: int | None = None
    objective: float | None = None
    message: str = ""
    run: int | None = None
    n_runs: int | None = None
    seconds: float | None = None
    seconds_left: float | None = None
    called: str | None = None


Listener = Callable[[Event], None]


class Stop(Exception):
    """A listener raises it to end a search as Ctrl-C does: the best until then is kept."""


def say(listener: Listener, text: str) -> None:
    """Tell what is being done while nobody knows how long it takes.

    Examples
    --------
    >>> say(lambda event: print(event.message), "reading")
    reading
    """
    listener(Event("", 0.0, message=text))


def unheard(event: Event) -> None:
    """A listener that does nothing."""


_COMPILING = "compiling: the first search on a machine takes some seconds longer"
_waiting: list[Listener] = []


@contextmanager
def told_of_compiling(listener: Listener) -> Iterator[None]:
    """Meanwhile tell a listener, once, when kernels are compiled that are not in the cache.

    Who listens already goes on alone.

    Examples
    --------
    >>> with told_of_compiling(lambda event: print(event.message)):
    ...     compiling()
    ...     compiling()
    compiling: the first search on a machine takes some seconds longer
    """
    mine = [] if _waiting else [listener]
    _waiting.extend(mine)
    try:
        yield
    finally:
        for one in mine:
            with suppress(ValueError):  # it was told
                _waiting.remove(one)


def compiling() -> None:
    """Tell who waits that a kernel is being compiled."""
    while _waiting:
        with suppress(IndexError):  # another thread was quicker
            say(_waiting.pop(), _COMPILING)


@dataclass(frozen=True, slots=True)
class TracePoint:
    """The objective after one finished step: what remains of the events in a result."""

    step: int
    node: str
    action: str
    n_clusters: int
    objective: float


class PrintListener:
    """Writes a line for every finished step: the listener of ``verbose=1``.

    Examples
    --------
    >>> PrintListener(sys.stdout)(Event("MDC", 0.5, step=1, n_steps=2, node="words", n_clusters=4))
    MDC  50%  step 1 of 2: words, 4 clusters
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        """Print the event if it ends a step or a restart's worth of work."""
        if not event.task:
            print(event.message, file=self._stream or sys.stderr, flush=True)
            return
        if event.restart != event.n_restarts:
            return
        line = f"{event.task} {event.done:4.0%}"
        if event.run is not None and event.n_runs is not None and event.n_runs > 1:
            line += f"  run {event.run} of {event.n_runs}"
        if event.node is not None:
            line += f"  step {event.step} of {event.n_steps}: {event.node}"
            line += f", {event.n_clusters} clusters"
        if event.objective is not None:
            line += f", objective {event.objective:.6f}"
        print(line, file=self._stream or sys.stderr, flush=True)


class LogListener:
    """Adds every event to a file, one JSON object a line.

    A log that is there already is added to. Close it, or use it in a ``with`` statement.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    OSError
        The file can't be opened, or holds something that is no log. Once it is open nothing is
        raised any more: where it can't be written (a full disk), that is warned of once, and
        the work goes on.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with LogListener(os.path.join(folder, "fit.jsonl")) as log:
    ...         log(Event("MDC", 0.5, node="words", n_clusters=4))
    ...     line = json.loads(open(os.path.join(folder, "fit.jsonl")).read())
    >>> line["node"], line["n_clusters"], line["done"]
    ('words', 4, 0.5)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if os.path.isfile(self.path):
            with open(self.path, "rb") as there:
                if there.read(len(_LOG_START)) not in (_LOG_START, b""):
                    raise FileExistsError(
                        errno.EEXIST, "the file holds something else; name another one", self.path
                    )
        self._stream: TextIO | None = open(  # noqa: SIM115
            self.path, "a", encoding="utf-8", errors="backslashreplace"
        )

    def __call__(self, event: Event) -> None:
        """Write the event; what it does not say is left out of the line."""
        said = {k: v for k, v in asdict(event).items() if v not in (None, "")}
        said.pop("called", None)
        if not event.task:  # only a word on what is being done
            said.pop("done")
        self.write(said)

    def write(self, said: dict[str, object]) -> None:
        """Write one line about anything, with the time in front."""
        if self._stream is None:
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            self._stream.write(json.dumps({"time": now} | said, ensure_ascii=False) + "\n")
            self._stream.flush()
        except OSError as error:
            self._give_up()
            warnings.warn(
                f"{self.path}: the log can't be written any more ({error.strerror or error}); "
                "the work goes on without it",
                stacklevel=2,
            )

    def _give_up(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(OSError):  # what is still in its buffer can't be written either
                stream.close()

    def close(self) -> None:
        """Close the file; later events are not written."""
        self._give_up()

    def __enter__(self) -> LogListener:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Pace:
    """How long work still takes, by how fast its share done has risen lately.

    Work may begin in the middle (from a checkpoint), and its parts are of unlike speed: the
    later half of the time since it began is what counts. Nothing is said at the beginning, as
    long as the last quarter of the time tells another story than the last half, and until the
    moment of the end has stayed about the same for a second.

    Examples
    --------
    >>> pace = Pace()
    >>> pace.left(0.0, 0.5), pace.left(10.0, 0.6), pace.left(20.0, 0.7), pace.left(60.0, 0.71)
    (None, None, 30.0, None)
    """

    # Nobody can say anything sooner, or by less.
    _SECONDS, _SHARE = 3.0, 0.02
    # Two estimates that differ by more than this factor, and this many seconds, are none.
    _FACTOR, _APART = 1.5, 2.0
    _STEADY = 1.0
    _MARKS = 64

    def __init__(self) -> None:
        self._marks: list[tuple[float, float]] = []
        self._end: tuple[float, float] | None = None  # what was expected first, and when

    def left(self, seconds: float, done: float) -> float | None:
        """Seconds left when ``seconds`` after the start a share ``done`` is finished."""
        if done >= 1.0:
            return 0.0
        if not self._marks:
            self._marks.append((seconds, done))
            return None
        start = self._marks[0]
        gap = (seconds - start[0]) / self._MARKS
        if seconds - self._marks[-1][0] > gap:
            self._marks.append((seconds, done))
            if len(self._marks) > 2 * self._MARKS:
                del self._marks[1::2]
        if seconds - start[0] < self._SECONDS or done - start[1] < self._SHARE:
            return None
        half, quarter = (self._since(seconds, done, part) for part in (0.5, 0.25))
        if half is None or quarter is None or not self._alike(half, quarter):
            self._end = None
            return None
        if self._end is None or not self._alike(half, self._end[1] - seconds):
            self._end = seconds, seconds + half
        if seconds - self._end[0] < self._STEADY:
            return None
        return max(1.0, round(half, 1))  # there is work left

    def _alike(self, one: float, other: float) -> bool:
        """Whether two estimates are about the same."""
        return abs(one - other) <= max(self._APART, (self._FACTOR - 1.0) * min(one, other))

    def _since(self, seconds: float, done: float, part: float) -> float | None:
        """Seconds left by the pace of the last part of the time; None where nothing was done."""
        begin = seconds - part * (seconds - self._marks[0][0])
        since = [mark for mark in self._marks if mark[0] <= begin][-1]
        risen = done - since[1]
        return (1.0 - done) * (seconds - since[0]) / risen if risen > 0 else None


class Reporter:
    """Serialises events to one listener and thins out the frequent ones.

    ``tell`` always gets through; ``tick`` at most ``hertz`` times a second. Events get the
    time since their task began, and about how long it still takes.

    Examples
    --------
    >>> seen = []
    >>> reporter = Reporter(seen.append)
    >>> reporter.tell(Event("demo", 0.5))
    >>> seen[0].done
    0.5
    """

    def __init__(self, listener: Listener | None = None, *, hertz: float = 10.0) -> None:
        self._listener = listener
        self._gap = 1.0 / hertz
        self._last = float("-inf")
        self._lock = threading.Lock()
        self._task: str | None = None
        self._began = self._last
        self._pace = Pace()

    def tell(self, event: Event) -> None:
        """Pass an event on."""
        if self._listener is None:
            return
        with self._lock:
            self._last = now = time.monotonic()
            if event.task != self._task:
                self._task, self._began, self._pace = event.task, now, Pace()
            seconds = now - self._began
            left = self._pace.left(seconds, event.done)
            self._listener(replace(event, seconds=round(seconds, 3), seconds_left=left))

    def tick(self, make: Callable[[], Event]) -> None:
        """Pass ``make()`` on if the last event is long enough ago."""
        if self._listener is None or time.monotonic() - self._last < self._gap:
            return
        self.tell(make())
