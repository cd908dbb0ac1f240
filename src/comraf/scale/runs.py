"""Independent runs over the workers of a Dask scheduler.

What the runs have in common (tables, options) is sent to all workers once; a task is the number
of a run and its seed; what comes back is where it ended. All of it travels by pickle, see
``docs/scale.md``.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from multiprocessing.resource_tracker import ensure_running
from typing import Any, TypeVar
from uuid import uuid4

from comraf.errors import InputError, Message, Parameter, SchedulerError, Setting, import_extra
from comraf.inference.control import Control, Stopped
from comraf.inference.team import noted
from comraf.progress import Event

__all__ = ["DaskRuns"]

A = TypeVar("A")
T = TypeVar("T")
R = TypeVar("R")

# Packages that must be the same everywhere: they make the answer, or read what is sent.
_SAME = ("python", "comraf", "numpy", "numba", "scipy", "distributed", "cloudpickle")
# Seconds to wait for a scheduler and its first worker, and between looks at what has ended.
_PATIENCE, _PAUSE = 10.0, 0.05
# Seconds that fetching a finished run may take before it is tried again.
_FETCH = 60.0
# Times that everything is sent anew after all workers that had it were lost.
_ROUNDS = 4
_RESUME = Message(
    "; with {kept} finished runs are kept, and the same search goes on from them",
    {"kept": Setting("checkpoint")},
)


class DaskRuns:
    """Makes runs on the workers of a Dask scheduler, or in processes of its own.

    Parameters
    ----------
    scheduler : str or None
        Address of a scheduler, such as ``tcp://10.0.0.1:8786``. None starts ``n_jobs`` worker
        processes on this machine, and ends them in the end.
    """

    def __init__(self, scheduler: str | None = None) -> None:
        if scheduler is not None and not (isinstance(scheduler, str) and scheduler.strip()):
            text = "{given}; give an address such as tcp://10.0.0.1:8786, or None"
            raise InputError(text, "scheduler", scheduler)
        self.scheduler = scheduler
        self._distributed = import_extra(
            "distributed",
            "runs in processes and on other machines need Dask. Install it with: "
            'pip install "comraf[scale]", or search in threads',
        )
        self._client: Any = None
        self._cluster: Any = None

    def __repr__(self) -> str:
        return f"DaskRuns(scheduler={self.scheduler!r})"

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
        """See `comraf.inference.executor.Executor.each`."""
        if not tasks or control.stopped:
            return
        left = dict(enumerate(tasks))

        def ended(number: int, made: R) -> None:
            take(left.pop(number), made)
            control.add(share)
            said = f"Dask: {self._client.dashboard_link}"
            n, of = len(tasks) - len(left), len(tasks)
            control.tell(lambda done: Event("MDC", done, run=n, n_runs=of, message=said))

        with noted(control.stop), self._blamed():
            self._start(n_jobs)
            said = f"Dask: {self._client.dashboard_link}"
            control.tell(lambda done: Event("MDC", done, message=said))
            for _ in range(_ROUNDS):
                self._round(work, about, left, ended, control)
                if not left or control.stopped:
                    return
        raise SchedulerError(
            "the workers of {place} were lost {n} times, with all that they had; look at their "
            "memory, or use fewer of them at a time{resume}",
            place=self._place,
            n=_ROUNDS,
            resume=_RESUME,
        )

    def check(self) -> None:
        """Refuse a scheduler that can't be reached, or whose workers differ."""
        if self.scheduler is not None:
            self._start(0)

    def close(self) -> None:
        """Leave the scheduler, and end the processes that were started here."""
        client, cluster, self._client, self._cluster = self._client, self._cluster, None, None
        for one in (client, cluster):
            if one is not None:
                with suppress(OSError, TimeoutError, RuntimeError):
                    one.close(timeout=5)

    @property
    def _place(self) -> str:
        return self.scheduler or "this machine"

    def _round(
        self,
        work: Callable[[A, T, Control], R | None],
        about: A,
        left: Mapping[int, T],
        ended: Callable[[int, R], None],
        control: Control,
    ) -> None:
        """Send what is left to do and take what comes back; what gets lost stays left."""
        client = self._client
        try:
            shared = client.scatter(about, broadcast=True, hash=False, timeout=_PATIENCE)
        except TimeoutError:
            raise SchedulerError(
                "no workers of {place} are left; start some, and look at the memory of those that "
                "died{resume}",
                place=self._place,
                resume=_RESUME,
            ) from None
        except TypeError as error:
            text = (
                "this can't be sent to workers: {error}; leave out {engine}, or terms of your own"
            )
            engine = Parameter("engine")
            raise InputError(text, error=error, engine=engine) from None
        name = f"comraf-run-{uuid4().hex[:8]}"
        waiting = {
            client.submit(_run, work, shared, task, key=f"{name}-{i}", pure=False): i
            for i, task in left.items()
        }
        try:
            while waiting:
                over = [future for future in waiting if future.done()]
                if client.status != "running":  # futures of a lost connection are done, too
                    raise OSError("the connection was lost")
                for future in over:
                    number = waiting.pop(future)
                    made = self._fetched(future)
                    if made is not None:
                        ended(number, made)
                if control.stopped:
                    return
                if not over:
                    time.sleep(_PAUSE)
        finally:
            with suppress(OSError, TimeoutError, RuntimeError):
                if waiting and client.status == "running":
                    client.cancel(list(waiting), force=True)

    def _fetched(self, future: Any) -> Any:
        """What a run has ended with; None where it was lost."""
        if future.status == "finished":
            with suppress(OSError, TimeoutError, CancelledError):  # its worker has died since
                return future.result(timeout=_FETCH)
        if future.status != "error":
            return None
        error = future.exception(timeout=_FETCH)
        if isinstance(error, self._distributed.KilledWorker):
            raise SchedulerError(
                "workers died on the same run {n} times, the last at {worker}; give workers more "
                "memory, or use fewer on a machine{resume}",
                n=error.allowed_failures + 1,
                worker=error.last_worker.address,
                resume=_RESUME,
            )
        if not isinstance(error, Stopped):
            raise error
        return None

    def _start(self, n_jobs: int) -> None:
        """Find the scheduler or start one, and see that all machines are fit for the work."""
        if self._client is not None:
            return
        distributed = self._distributed
        place: Any = self.scheduler
        if place is None:
            place = self._cluster = self._local(n_jobs)
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # we say it ourselves
        try:
            # one that finds nobody would close itself when collected, and block the next one
            client = distributed.Client.__new__(distributed.Client)
            client.__init__(place, timeout=_PATIENCE, set_as_default=False)
            self._client = client
            client.wait_for_workers(1, timeout=_PATIENCE)
        except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
            if self._client is None:
                with suppress(OSError, TimeoutError, RuntimeError, AttributeError, AssertionError):
                    client.close(timeout=1)
                client.status = "closed"
                raise SchedulerError(
                    "no scheduler answers at {place}: {error}; start one with `dask scheduler`, or "
                    "leave out {scheduler} for processes on this machine",
                    place=self._place,
                    error=_first_line(error),
                    scheduler=Parameter("scheduler"),
                ) from None
            raise SchedulerError(
                "the scheduler at {place} has no workers; start some with `dask worker {place}`",
                place=self._place,
            ) from None
        self._check_versions()

    def _local(self, n_jobs: int) -> Any:
        """Processes on this machine, which hear nobody else and no Ctrl-C."""
        try:
            with _ctrl_c_blocked():
                return self._distributed.LocalCluster(
                    n_workers=n_jobs,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
        except (OSError, TimeoutError, RuntimeError) as error:
            raise SchedulerError(
                "no processes can be started here: {error}; a script needs {guard} around what it "
                "does, because each process imports it",
                error=_first_line(error),
                guard='`if __name__ == "__main__":`',
            ) from error

    def _check_versions(self) -> None:
        """Refuse workers that would not find the same, or not understand what is sent."""
        found = self._client.get_versions(packages=["comraf", "numba", "scipy"])
        mine = _versions(found["client"])
        wrong: dict[str, list[str]] = {}
        for address, told in found["workers"].items():
            theirs = _versions(told)
            other = [
                f"{name} {theirs[name] or 'missing'} (here {mine[name]})"
                for name in _SAME
                if theirs[name] != mine[name]
            ]
            if other:
                wrong.setdefault(", ".join(other), []).append(address)
        if wrong:
            lines = [f"{', '.join(machines)}: {what}" for what, machines in wrong.items()]
            raise SchedulerError(
                "workers of {place} have other versions than this process: {wrong:,}; install "
                "the same everywhere, or the answer would not be the same",
                place=self._place,
                wrong=lines,
            )

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        """Say of a connection that breaks whose it was, and how to go on."""
        try:
            yield
        except SchedulerError:
            raise
        except (OSError, TimeoutError, RuntimeError) as error:
            if self._client is not None and self._client.status == "running":
                raise
            raise SchedulerError(
                "the scheduler ({place}) went away: {error}{resume}",
                place=self._place,
                error=_first_line(error),
                resume=_RESUME,
            ) from error


class _Away(Control):
    """The control of a run on a worker: stopped when the client does not want it any more."""

    def __init__(self) -> None:
        super().__init__()
        distributed = import_extra("distributed", "")
        worker = distributed.get_worker()
        self._task = worker.state.tasks.get(worker.get_current_task())

    @property
    def stopped(self) -> bool:
        if self._task is not None and self._task.state == "cancelled":
            self.stop()
        return super().stopped


def _run(work: Callable[[A, T, Control], R | None], about: A, task: T) -> R:
    """One run, on a worker."""
    made = work(about, task, _Away())
    if made is None:
        raise Stopped
    return made


def _versions(told: Mapping[str, Any]) -> dict[str, str | None]:
    """Of the packages that must be the same; of Python without its last number."""
    found = told["packages"]
    python = ".".join(str(found["python"]).split(".")[:2])
    return {name: found.get(name) for name in _SAME} | {"python": python}


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Threads and processes that are started meanwhile do not hear Ctrl-C, not even later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # the first process started would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
