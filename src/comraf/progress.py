"""What long work tells while it runs.

One stream of :class:`Event` objects; a terminal bar, a log file or a web page are
listeners on it. A listener is any callable that takes an event. Events arrive one
at a time (never from two threads at once), so a listener needs no lock of its own.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

__all__ = ["Event", "Listener", "PrintListener", "Reporter", "TracePoint"]


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


Listener = Callable[[Event], None]


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


class Reporter:
    """Serialises events to one listener and thins out the frequent ones.

    ``tell`` always gets through; ``tick`` at most ``hertz`` times a second.

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

    def tell(self, event: Event) -> None:
        """Pass an event on."""
        if self._listener is None:
            return
        with self._lock:
            self._last = time.monotonic()
            self._listener(event)

    def tick(self, make: Callable[[], Event]) -> None:
        """Pass ``make()`` on if the last event is long enough ago."""
        if self._listener is None or time.monotonic() - self._last < self._gap:
            return
        self.tell(make())
