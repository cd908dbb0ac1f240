"""Progress on the terminal: one listener on the stream of events."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from comraf.cli.show import clean
from comraf.progress import Event

__all__ = ["Bar", "in_words"]


def in_words(event: Event) -> str:
    """One line about an event.

    Examples
    --------
    >>> in_words(Event("MDC", 0.3, node="words", n_clusters=16, restart=1, n_restarts=4,
    ...                objective=1.25))
    'words: 16 clusters · try 2 of 4 · objective 1.2500'
    """
    parts = []
    if event.run is not None and event.n_runs is not None and event.n_runs > 1:
        parts.append(f"run {event.run} of {event.n_runs}")
    if event.node is not None:
        clusters = "" if event.n_clusters is None else f": {event.n_clusters:,} clusters"
        parts.append(f"{clean(event.node, 24)}{clusters}")
    if event.restart is not None and event.n_restarts is not None and event.n_restarts > 1:
        parts.append(f"try {min(event.restart + 1, event.n_restarts)} of {event.n_restarts}")
    if event.objective is not None:
        parts.append(f"objective {event.objective:.4f}")
    if event.message:
        parts.append(clean(event.message, 60))
    return " · ".join(parts) or event.task


class Bar:
    """A bar on standard error while it is a terminal; silent otherwise.

    Examples
    --------
    >>> with Bar(quiet=True) as bar:
    ...     bar.say("reading")
    ...     bar(Event("MDC", 0.5))
    """

    def __init__(self, *, quiet: bool = False, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=None)
        self._phase: str | None = None

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def say(self, text: str) -> None:
        """Show what is being done while nobody knows how long it takes."""
        self._phase = None
        self._progress.reset(self._task, total=None, description=Text(text).plain)

    def __call__(self, event: Event) -> None:
        """Listen; a new task starts the clock and the estimate anew."""
        if event.task != self._phase:
            self._phase = event.task
            self._progress.reset(self._task, total=1.0)
        self._progress.update(
            self._task, completed=event.done, total=1.0, description=in_words(event)
        )
