"""Threads that help inside one sweep, and Ctrl-C while threads are at work."""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

__all__ = ["ALONE", "Team", "noted"]

# Each thread gets about so many pieces of a task, since elements differ in length.
_PIECES = 4
# Cells that a piece has at least: it is handed over in a tenth of the time they take.
_PIECE_CELLS = 100_000


class Team:
    """So many threads, of which those that have nothing else to do help the others.

    Parameters
    ----------
    n_threads : int
        How many may work at a time; what comes out never depends on it.
    stop : callable, optional
        Called by Ctrl-C while helpers are at work.

    Examples
    --------
    >>> seen = []
    >>> with Team(2).at_work() as team:
    ...     team.share(lambda first, last: seen.extend(range(first, last)), 0, 5, 1e6)
    >>> sorted(seen)
    [0, 1, 2, 3, 4]
    """

    def __init__(self, n_threads: int, stop: Callable[[], None] = lambda: None) -> None:
        self.n_threads, self._stop = n_threads, stop
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._members = self._lent = 0

    @contextmanager
    def at_work(self) -> Iterator[Team]:
        """Have helpers meanwhile; none outlives it."""
        self._pool = ThreadPoolExecutor(self.n_threads - 1) if self.n_threads > 1 else None
        try:
            yield self
        finally:
            pool, self._pool = self._pool, None
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)

    @contextmanager
    def member(self) -> Iterator[None]:
        """The calling thread has a task of its own meanwhile, side by side with others."""
        with self._lock:
            self._members += 1
        try:
            yield
        finally:
            with self._lock:
                self._members -= 1

    def share(
        self, work: Callable[[int, int], None], start: int, stop: int, cells_each: float
    ) -> None:
        """``work(first, last)`` for pieces that make up ``start:stop``, in any order.

        Pieces must not depend on each other. An element costs about so many cells.
        """
        n = stop - start
        pieces = min(n, int(n * cells_each / _PIECE_CELLS))
        pool = self._pool
        helpers = self._borrow(pieces - 1) if pool is not None else 0
        if pool is None or not helpers:
            work(start, stop)
            return
        length = -(-n // min(pieces, _PIECES * (helpers + 1)))
        left = deque(range(start, stop, length))

        def take() -> None:
            while left:
                try:
                    first = left.popleft()
                except IndexError:  # another thread was quicker
                    return
                work(first, min(stop, first + length))

        with noted(self._stop):
            futures = [pool.submit(take) for _ in range(helpers)]
            try:
                take()
            finally:  # arrays must stand still when this returns
                wait([future for future in futures if not future.cancel()])
                with self._lock:
                    self._lent -= helpers
        for future in futures:
            if not future.cancelled():
                future.result()

    def _borrow(self, most: int) -> int:
        """Helpers for a thread: its fair share of those that are idle."""
        with self._lock:
            members = max(1, self._members)
            idle = self.n_threads - members - self._lent
            helpers = max(0, min(most, idle, -(-self.n_threads // members) - 1))
            self._lent += helpers
            return helpers


#: A team of the calling thread alone.
ALONE = Team(1)


@contextmanager
def noted(stop: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C only be noted meanwhile: an exception in the midst of a lock breaks the lock."""
    mine = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if mine:
        signal.signal(signal.SIGINT, lambda number, frame: stop())
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)
