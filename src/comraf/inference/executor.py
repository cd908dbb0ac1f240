"""Where independent runs are made: in threads of this process, or wherever else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol, TypeVar

from comraf.errors import InputError, Setting
from comraf.inference.control import Control, run_all
from comraf.registry import Registry

__all__ = ["ENGINES", "Executor", "Threads", "executing"]

A = TypeVar("A")
T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Makes runs that do not depend on each other."""

    def each(
        self,
        work: Callable[[A, T, Control], R | None],
        about: A,
        tasks: Sequence[T],
        take: Callable[[T, R], None],
        *,
        n_jobs: int,
        control: Control,
        share: float,
    ) -> None:
        """``work(about, task, control)`` for each task; ``take(task, result)`` as each ends.

        All three are data that can be sent elsewhere. A task is ``share`` of the control's work.
        Those that a stop cuts short give None, or nothing. ``take`` is called in this process.
        """
        ...

    def check(self) -> None:
        """Refuse what can't work, before anything is read."""
        ...

    def close(self) -> None:
        """Give back what was taken for the work."""
        ...


class Threads:
    """Runs in threads of this process.

    Examples
    --------
    >>> found = {}
    >>> Threads().each(
    ...     lambda about, task, control: about + task, 10, [1, 2], found.__setitem__,
    ...     n_jobs=2, control=Control(), share=0.5,
    ... )
    >>> sorted(found.items())
    [(1, 11), (2, 12)]
    """

    def each(
        self,
        work: Callable[[A, T, Control], R | None],
        about: A,
        tasks: Sequence[T],
        take: Callable[[T, R], None],
        *,
        n_jobs: int,
        control: Control,
        share: float,
    ) -> None:
        """See `Executor.each`."""

        def one(task: T) -> None:
            made = work(about, task, control.part(share))
            if made is not None:
                take(task, made)

        run_all([partial(one, task) for task in tasks], n_jobs, control)

    def check(self) -> None:
        """Threads always work."""

    def close(self) -> None:
        """Nothing is held."""


#: Executors by name.
ENGINES: Registry[Any] = Registry(
    {"threads": f"{__name__}:Threads", "dask": "comraf.scale.runs:DaskRuns"}
)


@contextmanager
def executing(engine: str | Executor, scheduler: str | None = None) -> Iterator[Executor | None]:
    """An executor by its name, or one of the caller's own; None for threads, as a matter of course.

    Examples
    --------
    >>> with executing("threads") as executor:
    ...     executor is None
    True
    >>> with executing("cloud"):
    ...     pass
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: engine='cloud' is unknown; choose one of ['threads', 'dask']
    """
    if not isinstance(engine, str):
        if not (callable(getattr(engine, "each", None)) and scheduler is None):
            text = "{given}; give a name, or an executor without {p[scheduler]}"
            raise InputError(text, "engine", engine)
        yield engine
        return
    if engine not in ENGINES:
        raise InputError(parameter="engine", given=engine, allowed=ENGINES)
    if engine == "threads":
        if scheduler is not None:
            dask = Setting("engine", "dask")
            raise InputError("{given} needs {dask}", "scheduler", scheduler, dask=dask)
        yield None
        return
    executor: Executor = ENGINES[engine](scheduler)
    try:
        yield executor
    finally:
        executor.close()
