"""A search that goes on beside the page: its progress, how it is cancelled, what came of it."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from comraf.errors import ComrafError, InputError
from comraf.progress import Event
from comraf.session import StaleError

if TYPE_CHECKING:
    from comraf.studio.view import View
    from comraf.workflows.answer import Answer
    from comraf.workflows.regroup import Regrouping

__all__ = ["Rerun"]

# What may be said while a search is on without changing which groups it replaces.
_HARMLESS = {"rename", "pin", "doubt", "label", "answer", "move"}


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


class Rerun:
    """The one search of a studio that may be on.

    Its state is "none", "running", "done", "cancelled", "failed", or "waiting": groups were found,
    but others were merged or split meanwhile, so that somebody has to say which stand. The
    project is locked only to begin and to take what was found.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._progress = _Progress()
        self._cancelled = threading.Event()
        self._found: Answer | None = None

    def shown(self) -> dict[str, Any]:
        """How far it is, as plain data."""
        return asdict(self._progress)

    def start(self, at: int) -> None:
        """Begin a search by what holds now."""
        session = self._view.project.session
        if at != session.version:
            raise StaleError("the groups have changed meanwhile; look again, then say it once more")
        if self._progress.state == "running":
            raise InputError("a search is running already; cancel it, or wait until it ends")
        search = self._view.project.regrouping()
        self._cancelled, self._found = threading.Event(), None
        self._progress = _Progress("running", before=at)
        threading.Thread(
            target=self._work, args=(search, self._progress, self._cancelled), daemon=True
        ).start()

    def cancel(self) -> None:
        """End it, or leave what was found; nothing was changed, and nothing is."""
        if self._progress.state not in ("running", "waiting"):
            return
        self._cancelled.set()
        self._found = None
        self._progress.state = "cancelled"

    def take(self, at: int) -> None:
        """Take groups that were found while others were merged or split."""
        if self._found is None:
            raise InputError("there are no groups that wait to be taken")
        self._take(self._found, self._progress, at)

    def _work(self, search: Regrouping, progress: _Progress, cancelled: threading.Event) -> None:
        """Search, and take what is found."""

        def heard(event: Event) -> None:
            if cancelled.is_set():
                raise _CancelledError
            progress.done, progress.seconds_left = event.done, event.seconds_left

        try:
            found = search.search(heard)
            with self._view.lock:
                if cancelled.is_set():
                    return
                if self._is_current(search.version):
                    self._take(found, progress, self._view.project.session.version)
                else:
                    self._found, progress.state = found, "waiting"
        except _CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - a fault of comraf's own is said, not shown
            with self._view.lock:
                if not cancelled.is_set():
                    own = not isinstance(error, (ComrafError, OSError))
                    fault = f"comraf made a mistake here ({type(error).__name__})"
                    progress.state, progress.error = "failed", fault if own else str(error)

    def _is_current(self, version: int) -> bool:
        """Whether nothing was said since a version that the new groups would undo."""
        for entry in self._view.project.session.history():
            if entry.id == version:
                return True
            if entry.kind not in _HARMLESS:
                return False
        return False

    def _take(self, found: Answer, progress: _Progress, at: int) -> None:
        progress.before = at
        step = self._view.project.take(found, at=at)
        self._found = None
        progress.after, progress.n_moved = step.entry, step.change.n_moved
        progress.state, progress.done = "done", 1.0
