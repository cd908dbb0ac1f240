"""Ctrl-C while an answer is being finished: once waits for it, twice does not."""

from __future__ import annotations

import signal
import threading
from types import FrameType

from comraf.cli.program import complain
from comraf.workflows.search import LongRun

__all__ = ["DeferredInterrupt", "resume_hint"]


def resume_hint(options: LongRun) -> str:
    """What to say of the checkpoint after a search that was cut short."""
    if options.checkpoint is None:
        return ""
    return f"; --resume goes on from the checkpoint in {options.checkpoint}"


class DeferredInterrupt:
    """While this lasts, the first Ctrl-C is only noted; the second one is a KeyboardInterrupt.

    For the seconds after a search in which its answer is described and written: whoever
    stops there has waited for the answer already.

    Examples
    --------
    >>> with DeferredInterrupt() as interrupt:
    ...     pass
    >>> interrupt.pressed
    False
    """

    def __init__(self) -> None:
        self.pressed = False
        self._before: object = None

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        complain("finishing", "the answer is being written; Ctrl-C again leaves without it")

    def __enter__(self) -> DeferredInterrupt:
        # Whoever has a handler of their own (or ignores it, as under nohup) keeps it.
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._before = None
