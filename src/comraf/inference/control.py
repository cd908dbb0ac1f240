"""How long work is told to stop, tells its progress, and runs side by side."""

from __future__ import annotations

import numbers
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from comraf.errors import InputError
from comraf.inference.team import ALONE, Team, noted
from comraf.parameters import check_number
from comraf.progress import Event, Listener, Reporter, Stop

if TYPE_CHECKING:
    from comraf.inference.checkpoint import Checkpoint
    from comraf.inference.executor import Executor

__all__ = [
    "Control",
    "Haste",
    "Stopped",
    "check_time_limit",
    "effective_jobs",
    "run_all",
    "run_seeds",
]

T = TypeVar("T")

# Attempts that are prepared at a time; each batch is waited for.
_BATCH = 256


def check_time_limit(time_limit: float | None) -> float | None:
    """The seconds that a fit may take, more than 0, or None.

    Examples
    --------
    >>> check_time_limit(0)
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: time_limit=0; give the seconds that a fit may take, or None
    """
    if time_limit is None:
        return None
    seconds = check_number("time_limit", time_limit)
    if seconds == 0:
        raise InputError("{given}; give the seconds that a fit may take, or None", "time_limit", 0)
    return seconds


class Stopped(Exception):
    """Raised inside the work when it has been asked to stop; never reaches the user."""


class Haste:
    """A tick for what is still worth doing after a stop: it lets a moment pass, not more.

    Examples
    --------
    >>> Haste(seconds=0.0)(0.5)
    Traceback (most recent call last):
    ...
    comraf.inference.control.Stopped
    """

    def __init__(self, seconds: float = 0.4) -> None:
        self._until = time.monotonic() + seconds

    def __call__(self, part: float) -> None:
        """Go on, or stop for good."""
        if time.monotonic() >= self._until:
            raise Stopped


class Control:
    """Shared by all threads of one run: the stop flag, the clock and the stream of events.

    Parameters
    ----------
    listener : callable, optional
        Gets the events; if it raises `comraf.progress.Stop`, the work stops.
    time_limit : float, optional
        Seconds from now after which the work stops by itself.
    checkpoint : Checkpoint, optional
        Where the work keeps what it has reached, if it can.
    executor : Executor, optional
        What makes independent runs; by default threads.

    Examples
    --------
    >>> control = Control()
    >>> control.stop()
    >>> control.stopped, control.out_of_time
    (True, False)
    """

    def __init__(
        self,
        listener: Listener | None = None,
        *,
        time_limit: float | None = None,
        checkpoint: Checkpoint | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.reporter = Reporter(listener)
        self.executor = executor
        self._checkpoint = checkpoint
        self._team = ALONE
        self._stop = False  # not an Event, whose lock a signal's handler might wait for for ever
        self._deadline: float | None = None
        limit = check_time_limit(time_limit)
        if limit is not None:
            self._deadline = time.monotonic() + limit
        self._out_of_time = False
        self._done = 0.0
        self._lock = threading.Lock()

    @property
    def stopped(self) -> bool:
        """Whether stopping has been asked for, or the time is up."""
        if self._stop:
            return True
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._out_of_time = True
            self._stop = True
            return True
        return False

    @property
    def out_of_time(self) -> bool:
        """Whether it was the time limit that stopped the work, and not a person."""
        return self._out_of_time

    @property
    def checkpoint(self) -> Checkpoint | None:
        """Where the work keeps what it has reached."""
        return self._checkpoint

    @property
    def team(self) -> Team:
        """The threads that help inside a sweep."""
        return self._team

    @contextmanager
    def helped(self, n_threads: int) -> Iterator[None]:
        """Have so many threads meanwhile, the calling one included."""
        with Team(n_threads, self.stop).at_work() as self._team:
            try:
                yield
            finally:
                self._team = ALONE

    def stop(self) -> None:
        """Ask every thread to stop at its next slice."""
        if not self.stopped:  # if the time is up, that is why
            self._stop = True

    def part(self, share: float) -> Control:
        """A control for a part of the work: its whole is ``share`` of this one's.

        Examples
        --------
        >>> whole = Control()
        >>> half = whole.part(0.5)
        >>> half.settle(1.0)
        >>> whole.done
        0.5
        """
        return _Part(self, share)

    def advance(self, share: float, make: Callable[[float], Event]) -> None:
        """Note that ``share`` of the whole work is done; stop here if asked to."""
        if self.stopped:
            raise Stopped
        # told under the lock, so that no listener ever sees the share fall
        with self._lock:
            self._done = done = min(1.0, self._done + share)
            with self._heeded():
                self.reporter.tick(lambda: make(done))

    def settle(self, done: float) -> None:
        """Set the finished share exactly (estimates within a step may be off)."""
        with self._lock:
            self._done = max(self._done, min(1.0, done))

    def add(self, share: float) -> None:
        """Note that more is done, without telling."""
        with self._lock:
            self._done = min(1.0, self._done + share)

    def tell(self, make: Callable[[float], Event]) -> None:
        """Tell an event now, whatever was told a moment ago."""
        with self._lock, self._heeded():  # as in advance: shares are told as they rise
            self.reporter.tell(make(self._done))

    @contextmanager
    def _heeded(self) -> Iterator[None]:
        """Stop when the listener asks for it."""
        try:
            yield
        except Stop:
            self.stop()

    @property
    def done(self) -> float:
        """Finished share of the whole."""
        return self._done


class _Part(Control):
    """A share of another control's work; stopping and telling are the other's."""

    def __init__(self, whole: Control, share: float) -> None:
        self._whole, self._share = whole, share
        self._own = 0.0
        self.reporter, self.executor = whole.reporter, whole.executor

    @property
    def stopped(self) -> bool:
        return self._whole.stopped

    @property
    def out_of_time(self) -> bool:
        return self._whole.out_of_time

    @property
    def checkpoint(self) -> Checkpoint | None:
        return self._whole.checkpoint

    @property
    def team(self) -> Team:
        return self._whole.team

    def stop(self) -> None:
        self._whole.stop()

    def advance(self, share: float, make: Callable[[float], Event]) -> None:
        step = max(0.0, min(share, 1.0 - self._own))
        self._own += step
        self._whole.advance(step * self._share, make)

    def settle(self, done: float) -> None:
        # what other parts have done is in the whole's sum too: add the difference only
        missing = max(0.0, min(1.0, done) - self._own)
        self._own += missing
        self._whole.add(missing * self._share)

    def add(self, share: float) -> None:
        self._whole.add(share * self._share)

    def tell(self, make: Callable[[float], Event]) -> None:
        self._whole.tell(make)

    @property
    def done(self) -> float:
        return self._whole.done


def effective_jobs(n_jobs: int | None) -> int:
    """Number of threads for joblib's convention: None is 1, -1 is all cores.

    Examples
    --------
    >>> effective_jobs(None), effective_jobs(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral):
        raise InputError("{given}; give a whole number, or -1 for all cores", "n_jobs", n_jobs)
    if n_jobs == 0:
        raise InputError(
            "{given} is not allowed; give a positive number, or -1 for all cores", "n_jobs", 0
        )
    if n_jobs < 0:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return max(1, (cores or 1) + 1 + n_jobs)
    return int(n_jobs)


def run_all(tasks: Sequence[Callable[[], T]], n_jobs: int, control: Control) -> list[T | None]:
    """Results of all tasks in order, None for those cut short by a stop.

    Ctrl-C in the calling thread becomes a stop: what has finished is kept.
    """
    if n_jobs == 1 or len(tasks) < 2:
        return _run_inline(tasks, control)
    results: list[T | None] = [None] * len(tasks)

    def own(task: Callable[[], T]) -> T:
        with control.team.member():
            return task()

    with noted(control.stop):
        pool = ThreadPoolExecutor(max_workers=min(n_jobs, len(tasks)))
        futures: dict[Future[T], int] = {}
        try:
            waiting = True
            while waiting:
                try:
                    for i in range(len(futures), 0 if control.stopped else len(tasks)):
                        futures[pool.submit(own, tasks[i])] = i
                    _wait_for(set(futures), control)
                    waiting = False
                except KeyboardInterrupt:  # of a handler that is not Python's own
                    control.stop()
            for future, i in futures.items():
                if not future.cancelled():
                    with suppress(Stopped):
                        results[i] = future.result()
        finally:  # the threads hold the caller's arrays: none may outlive this
            pool.shutdown(wait=True, cancel_futures=True)
    return results


def _wait_for(pending: set[Future[T]], control: Control) -> None:
    """Wait until all have ended; a failure of one, or a stop, cuts the others short."""
    while pending:
        # a wait without end would not let Ctrl-C through on every system
        done, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
        for future in done:
            if not future.cancelled() and not isinstance(future.exception(), Stopped | None):
                control.stop()
        if control.stopped:
            pending = {future for future in pending if not future.cancel()}


def _run_inline(tasks: Sequence[Callable[[], T]], control: Control) -> list[T | None]:
    results: list[T | None] = [None] * len(tasks)
    for i, task in enumerate(tasks):
        if control.stopped:
            break
        try:
            results[i] = task()
        except (Stopped, KeyboardInterrupt):
            control.stop()
    return results


def run_seeds(
    attempt: Callable[[np.random.SeedSequence], T],
    seed: np.random.SeedSequence,
    n: int,
    n_jobs: int,
    control: Control,
) -> Iterator[list[T]]:
    """Results of so many attempts, a batch at a time, in the order of their seeds.

    Nothing is prepared for attempts that a stop or a time limit never lets begin.

    Examples
    --------
    >>> seed = np.random.SeedSequence(0)
    >>> batches = run_seeds(lambda child: child.spawn_key, seed, 2, 1, Control())
    >>> list(batches)
    [[(0,), (1,)]]
    """
    for begun in range(0, n, _BATCH):
        if control.stopped:
            return
        tasks = [partial(attempt, child) for child in seed.spawn(min(_BATCH, n - begun))]
        yield [found for found in run_all(tasks, n_jobs, control) if found is not None]
