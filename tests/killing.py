"""Writers that are killed in the midst of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["killed_at"]


def killed_at(step: int, write: Callable[[], object], changes: Iterable[str]) -> bool:
    """Write in a process that SIGKILL ends before a change; False if it got to the end.

    ``changes`` are the calls of the system that are counted.
    """
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    done = 0

    def counted(plain: Any) -> Any:
        def change(*args: Any, **more: Any) -> Any:
            nonlocal done
            done += 1
            if done == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return plain(*args, **more)

        return change

    try:
        for name in changes:
            setattr(os, name, counted(getattr(os, name)))
        write()
    finally:
        os._exit(0)
