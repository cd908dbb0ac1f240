"""A search that goes on beside the page: its progress, how it is cancelled, what came of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from comraf.errors import InputError
from comraf.progress import Event, Stop
from comraf.session import StaleError
from comraf.store import remove
from comraf.studio.wording import on_page
from comraf.workflows.regroup import kept_in

if TYPE_CHECKING:
    from comraf.studio.view import View
    from comraf.workflows.answer import Answer
    from comraf.workflows.regroup import Regrouping

__all__ = ["Rerun"]

# Points of the objective that the page draws.
_MOST_POINTS = 100
# A search that was cancelled ends with its next event.
_SECONDS_TO_END = 3.0
# What may be said while a search is on without changing which groups it replaces.
_HARMLESS = {"rename", "pin", "doubt", "label", "answer", "side answer", "move"}


class _CancelledError(Exception):
    """Ends a search from within."""


@dataclass
class _Progress:
    """What the page shows of a search."""

    state: str = "none"
    done: float = 0.0
    seconds_left: float | None = None
    before: int | None = None
    after: int | None = None
    n_moved: int = 0
    error: str = ""
    doing: str = ""
    objective: float | None = None
    trace: list[tuple[float, float]] = field(default_factory=list)
    stopping: bool = False
    stopped: bool = False

    def hear(self, event: Event) -> None:
        """Take note of an event."""
        self.done, self.seconds_left = max(self.done, event.done), event.seconds_left
        told = event.message
        if event.node is not None:
            told = f"{event.called or event.node} in {event.n_clusters:,}"
            if event.n_runs is not None and event.n_runs > 1 and event.run:
                told += f", run {event.run} of {event.n_runs}"
        self.doing = told or self.doing
        if event.objective is not None and event.seconds is not None:
            self.objective = event.objective
            self.trace.append((round(event.seconds, 2), event.objective))
            if len(self.trace) > _MOST_POINTS:
                del self.trace[1::2]


class Rerun:
    """The one search of a studio that may be on.

    Its state is "none", "running", "done", "cancelled", "failed", or "waiting": groups were found,
    but others were merged or split meanwhile, so that somebody has to say which stand. The
    project is locked only to begin and to take what was found. What a search has reached is kept
    on the disk until it ends, so that one that was stopped, or killed, can go on.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._progress = _Progress()
        self._cancelled, self._stop = threading.Event(), threading.Event()
        self._found: Answer | None = None
        self._search: Regrouping | None = None
        self._thread: threading.Thread | None = None

    def shown(self) -> dict[str, Any]:
        """How far it is, as plain data."""
        idle = self._progress.state not in ("running", "waiting")
        return asdict(self._progress) | {
            "unfinished": idle and kept_in(self._view.project.unfinished) is not None
        }

    def start(self, at: int, **settings: Any) -> None:
        """Begin a search by what holds now."""
        project = self._view.project
        if at != project.session.version:
            raise StaleError("the groups have changed meanwhile; look again, then say it once more")
        self._check_free()
        self._begin(project.regrouping(**settings).begin(project.unfinished))

    def resume(self) -> None:
        """Go on with the search that was stopped, or was on when the studio ended."""
        self._check_free()
        search = self._view.project.resumed()
        if search is None:
            raise InputError("there is no search to go on with")
        self._begin(search)

    def _check_free(self) -> None:
        if self._progress.state == "running":
            raise InputError("a search is running already; cancel it, or wait until it ends")
        if self._thread is not None:  # one that was cancelled may not have noticed yet
            self._thread.join(_SECONDS_TO_END)
            if self._thread.is_alive():
                raise InputError("the search that was cancelled is ending; try again in a moment")

    def _begin(self, search: Regrouping) -> None:
        self._cancelled, self._stop = threading.Event(), threading.Event()
        self._found, self._search = None, search
        self._progress = _Progress("running", before=search.version)
        given = (search, self._progress, self._cancelled, self._stop)
        self._thread = threading.Thread(target=self._work, args=given, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it soon, and take the best until then; it can go on later."""
        if self._progress.state == "running":
            self._stop.set()
            self._progress.stopping = True

    def cancel(self) -> None:
        """End it, or leave what was found; nothing was changed, and nothing is."""
        state = self._progress.state
        if state == "running":
            self._cancelled.set()  # what is kept of it goes when it has ended
        else:
            self._forget()
        if state in ("running", "waiting"):
            self._found = None
            self._progress.state = "cancelled"

    def _forget(self) -> None:
        """Remove what is kept of a search."""
        kept = self._view.project.unfinished
        with suppress(OSError):
            if kept.exists():
                remove(kept)
                kept.parent.rmdir()  # if there is no other

    def take(self, at: int) -> None:
        """Take groups that were found while others were merged or split."""
        if self._found is None or self._search is None:
            raise InputError("there are no groups that wait to be taken")
        self._take(self._found, self._search, self._progress, at)

    def _work(
        self,
        search: Regrouping,
        progress: _Progress,
        cancelled: threading.Event,
        stop: threading.Event,
    ) -> None:
        """Search, and take what is found."""

        def heard(event: Event) -> None:
            if cancelled.is_set():
                raise _CancelledError
            progress.hear(event)
            if stop.is_set():
                raise Stop

        try:
            found = search.search(heard)
            with self._view.lock:
                if cancelled.is_set():
                    raise _CancelledError
                if self._is_current(search.version, search.taken):
                    self._take(found, search, progress, self._view.project.session.version)
                else:
                    self._found, progress.state = found, "waiting"
        except _CancelledError:
            self._forget()
        except Exception as error:  # noqa: BLE001 - a fault of comraf's own is said, not shown
            with self._view.lock:
                if not cancelled.is_set():
                    progress.state, progress.error = "failed", on_page(error)
                self._forget()

    def _is_current(self, version: int, taken: Sequence[int]) -> bool:
        """Whether nothing was said since a version that the new groups would undo."""
        for entry in self._view.project.session.history():
            if entry.id == version:
                return True
            if entry.kind not in _HARMLESS and entry.id not in taken:
                return False
        return False

    def _take(self, found: Answer, search: Regrouping, progress: _Progress, at: int) -> None:
        progress.before = at
        step = self._view.project.take(found, search.settings, at=at)
        self._found = None
        progress.after, progress.n_moved = step.entry, step.change.n_moved
        progress.stopped = found.result.interrupted
        progress.state, progress.done = "done", 1.0
        if progress.stopped:
            search.note((*search.taken, step.entry))
        else:
            self._forget()
