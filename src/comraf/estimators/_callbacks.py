"""scikit-learn's callbacks, where it has them (from 1.9 on): tasks made of our events.

A fit is a task; its runs are tasks in it, if there are several, and their steps (or the
restarts of a flat search) are tasks in these. A callback that answers the end of a task with
True stops the search, as Ctrl-C would: the best state until then is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from comraf.progress import Event, Listener

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn
    with_callbacks = None

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands where callbacks are not supported yet, and does nothing."""


__all__ = ["CallbackSupportMixin", "FitTasks", "both", "has_callbacks"]

T = TypeVar("T")


def has_callbacks(estimator: Any) -> bool:
    """Whether anybody waits for an estimator's tasks: callbacks of its own or of a parent's.

    Examples
    --------
    >>> has_callbacks(None)
    False
    """
    if with_callbacks is None or not isinstance(estimator, CallbackSupportMixin):
        return False
    return bool(getattr(estimator, "_skl_callbacks", None)) or hasattr(
        estimator, "_parent_callback_ctx"
    )


def both(first: Listener | None, second: Listener | None) -> Listener | None:
    """One listener of two.

    Examples
    --------
    >>> seen = []
    >>> both(None, seen.append) == seen.append
    True
    """
    if first is None or second is None:
        return first or second

    def listen(event: Event) -> None:
        first(event)
        second(event)

    return listen


class FitTasks:
    """Listens to the events of a fit and begins and ends scikit-learn's tasks by them.

    Parameters
    ----------
    estimator : estimator
        One with callbacks.
    """

    def __init__(self, estimator: Any) -> None:
        self.stop: Callable[[], None] = lambda: None
        self._estimator = estimator
        self._root: Any = None
        # Begun and not yet ended, outermost first: by run, and by run and step.
        self._open: dict[tuple[int, int], Any] = {}
        self._ended: set[tuple[int, int]] = set()
        self._finishing: Any = None
        self._restarts = 0

    def __call__(self, event: Event) -> None:
        """Begin and end what the event says."""
        if self._root is None:
            self._begin(event)
        if event.n_steps and event.restart is not None:
            self._step(event)
        elif event.restart is not None and event.run is None and not event.message:
            while self._restarts < event.restart:
                self._restarts += 1
                task = self._task(self._root, "restart", self._restarts - 1)
                self._end(task)
        elif event.message and event.run is None and self._finishing is None:
            self._finishing = self._task(self._root, event.message, self._last)

    def within(self, work: Callable[[], T]) -> T:
        """Do the work of the fit, and let its callbacks put away their things after it."""

        def to_the_end(_: Any) -> T:
            try:
                return work()
            finally:
                self.end()

        result: T = with_callbacks(to_the_end)(self._estimator)
        return result

    def end(self) -> None:
        """The fit is over, or was stopped: end what is open."""
        if self._root is None:
            self._begin(Event("", 1.0))
        for key in sorted(self._open, key=lambda key: -key[1]):
            self._end(self._open[key])
        self._open.clear()
        if self._finishing is not None:
            self._end(self._finishing)
        self._end(self._root)

    def _begin(self, event: Event) -> None:
        several = event.n_runs is not None and event.n_runs > 1
        self._last = (event.n_runs if several else event.n_steps or event.n_restarts) or 0
        self._root = self._estimator._init_callback_context(
            max_subtasks=self._last + 1,  # and one for what comes after them
            sequential_subtasks=False,
        ).call_on_fit_task_begin(estimator=self._estimator)

    def _step(self, event: Event) -> None:
        run = event.run or 1
        parent = self._root
        if event.n_runs is not None and event.n_runs > 1:
            if (run, 0) not in self._open:
                self._open[run, 0] = self._task(self._root, "run", run - 1, event.n_steps)
            parent = self._open[run, 0]
        key = (run, event.step)
        if key in self._ended:  # one that was told of late
            return
        if key not in self._open:
            self._open[key] = self._task(parent, "step", event.step - 1)
        if event.restart == event.n_restarts:
            self._ended.add(key)
            self._end(self._open.pop(key))

    def _task(self, parent: Any, name: str, number: int, most: int = 0) -> Any:
        return parent.subcontext(
            task_name=name, task_id=number, max_subtasks=most, sequential_subtasks=False
        ).call_on_fit_task_begin(estimator=self._estimator)

    def _end(self, task: Any) -> None:
        if task.call_on_fit_task_end(estimator=self._estimator):
            self.stop()
