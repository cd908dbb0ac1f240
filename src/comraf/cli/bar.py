"""Progress on the terminal, in a pipe and in a log: listeners on the stream of events."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Column
from rich.text import Text

from comraf.cli.program import complain
from comraf.cli.show import clean
from comraf.errors import WriteError
from comraf.progress import Event, LogListener, told_of_compiling

__all__ = ["Bar", "in_time", "in_words"]

# What is not a terminal gets a line after so many seconds of one task, and then now and then.
_FIRST_LINE, _NEXT_LINE = 10.0, 60.0
# Columns that everything but the words takes: spinner, share, time, and blanks between.
_TAKEN = 3 + 5 + 13
_NARROW, _WIDE = 10, 24


def in_time(seconds: float) -> str:
    """How long, roughly.

    Examples
    --------
    >>> in_time(0.4), in_time(59), in_time(95), in_time(3720), in_time(1e6)
    ('1 s', '59 s', '1 min 35 s', '1 h 2 min', '11 days')
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 3600:
        return f"{round(whole / 60)} min"
    if whole < 2 * 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86_400} days"


def _clock(seconds: float) -> str:
    """How long, in few columns."""
    whole = max(1, round(seconds))
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    if whole < 100 * 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return in_time(whole)


class _Left:
    """Time left as it is shown: it counts down between events, and goes when it has run out."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if not seconds else time.monotonic() + seconds

    def __format__(self, spec: str) -> str:
        left = 0.0 if self._end is None else self._end - time.monotonic()
        return f"{_clock(left)} left" if left > 0 else ""


def in_words(event: Event, width: int | None = None) -> str:
    """One line about an event; shorter words where there are few columns for it.

    Examples
    --------
    >>> event = Event("MDC", 0.3, node="words", n_clusters=16, restart=1, n_restarts=4,
    ...               objective=1.25, run=3, n_runs=8)
    >>> in_words(event)
    'run 3 of 8 · words: 16 clusters · try 2 of 4 · objective 1.2500'
    >>> in_words(event, 52)
    'run 3/8 · words: 16 clusters · try 2/4 · obj. 1.2500'
    >>> in_words(event, 50)
    'run 3/8 · words: 16 · try 2/4 · obj. 1.2500'
    >>> in_words(event, 30)
    '3/8 · words: 16 · 2/4 · 1.2500'
    """
    for style in range(4):
        line = _line(event, style)
        if width is None or len(line) <= width:
            return line
    return clean(line, max(width or 0, 1))


def _line(event: Event, style: int) -> str:
    parts = []
    of = " of " if style == 0 else "/"
    run, attempt = ("run ", "try ") if style < 3 else ("", "")
    if event.run is not None and event.n_runs is not None and event.n_runs > 1:
        parts.append(f"{run}{event.run}{of}{event.n_runs}")
    if event.node is not None:
        clusters = ""
        if event.n_clusters is not None:
            clusters = f": {event.n_clusters:,}" + (" clusters" if style < 2 else "")
        parts.append(f"{clean(event.node, (24, 16, 16, 12)[style])}{clusters}")
    if event.restart is not None and event.n_restarts is not None and event.n_restarts > 1:
        tried = min(event.restart + 1, event.n_restarts)
        parts.append(f"{attempt}{tried}{of}{event.n_restarts}")
    if event.objective is not None:
        parts.append(f"{('objective ', 'obj. ', 'obj. ', '')[style]}{event.objective:.4f}")
    if event.message:
        parts.append(clean(event.message, (60, 40, 30, 20)[style]))
    return " · ".join(parts) or event.task


class Bar:
    """A bar on standard error while it is a terminal, else a line now and then.

    Parameters
    ----------
    quiet : bool
        Say nothing at all. A log is written all the same.
    console : rich.console.Console, optional
        Where to show it; standard error by default.
    log : path-like, optional
        File to which every event is added as a line of JSON.

    Examples
    --------
    >>> with Bar(quiet=True) as bar:
    ...     bar.say("reading")
    ...     bar(Event("MDC", 0.5))
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        console: Console | None = None,
        log: str | os.PathLike[str] | None = None,
    ) -> None:
        self._console = console or Console(stderr=True)
        self._log = None
        if log is not None:
            try:
                self._log = LogListener(log)
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                raise WriteError(f"{log}: the log can't be written: {reason}") from error
        self._lines = not quiet and not self._console.is_terminal
        self._progress = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=_NARROW if self._console.width < 110 else _WIDE),
            TextColumn("{task.fields[share]:>4}"),
            TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True)),
            TextColumn(
                "{task.description}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis"),
            ),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._progress.add_task("", total=None, left="", share="")
        self._phase: str | None = None
        self._due = 0.0

    def __enter__(self) -> Bar:
        self._told = told_of_compiling(self._compiling)
        self._told.__enter__()
        self._progress.start()
        return self

    def _compiling(self, event: Event) -> None:
        """Say why nothing moves for a while, in a pipe as well."""
        self.say(event.message)
        if self._lines:
            complain("progress", event.message)

    def __exit__(self, *error: object) -> None:
        self._told.__exit__(None, None, None)
        self.stop()
        if self._log is not None:
            self._log.close()

    def stop(self) -> None:
        """Take the bar away."""
        if not self._progress.disable:  # some versions of rich end what they never began by a line
            self._progress.stop()

    def say(self, text: str) -> None:
        """Show what is being done while nobody knows how long it takes."""
        self._phase = None
        self._progress.reset(
            self._task, total=None, description=Text(text).plain, left="", share=""
        )
        if self._log is not None:
            self._log.write({"message": text})

    def __call__(self, event: Event) -> None:
        """Listen; a new task starts the clock anew."""
        if not event.task:
            self.say(event.message)
            return
        if self._log is not None:
            self._log(event)
        if event.called is not None:
            event = replace(event, node=event.called)
        now = time.monotonic()
        if event.task != self._phase:
            self._phase = event.task
            self._progress.reset(self._task, total=1.0)
            self._due = now + _FIRST_LINE
        left = event.seconds_left
        room = self._console.width - _TAKEN - (_NARROW if self._console.width < 110 else _WIDE)
        self._progress.update(
            self._task,
            completed=event.done,
            total=1.0 if event.done > 0 else None,  # no share is known yet
            share=f"{event.done:.0%}" if event.done > 0 else "",
            description=in_words(event, room),
            left=_Left(left),
        )
        if self._lines and now >= self._due:
            self._due = now + _NEXT_LINE
            told = [*([f"{event.done:.0%}"] if event.done > 0 else []), in_words(event)]
            if left:
                told.append(f"about {in_time(left)} left")
            complain("progress", " · ".join(told))
