"""Talking with a person at a terminal, or with a pipe: lines that are typed, and what is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.files import claim
from comraf.cli.interrupts import DeferredInterrupt
from comraf.cli.program import has_written
from comraf.cli.show import clean, open_console
from comraf.errors import WriteError
from comraf.workflows.answer import Answer

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Lines", "Talking", "check_place", "cut_short", "group_and_save", "wrapped"]

_WIDEST = 100
_MOST_TEXT = 4_000


def check_place(place: Path, named: bool, force: bool) -> None:
    """Refuse a folder that can't be written to, or has something else in it."""
    try:
        claim(place, force=force)
    except WriteError as error:
        if named or error.code == "not_empty":  # that names --out already
            raise
        raise error.about("{error}; choose another place with --out") from None


class Lines:
    r"""Lines that are typed, or come from a pipe; None at the end, whatever the reason.

    Examples
    --------
    >>> import io
    >>> lines = Lines(io.BytesIO(b"s\n D \r\n"))
    >>> lines.waiting(), lines.next(), lines.next(), lines.next()
    (True, 's', 'd', None)
    """

    def __init__(self, stream: Any = None) -> None:
        given = sys.stdin if stream is None else stream
        self._stream: Any = getattr(given, "buffer", given)
        self.typed = bool(given is not None and given.isatty())
        self._held: list[bytes] = []

    def waiting(self) -> bool:
        """Whether there is a line at all; it stays to be read."""
        self._held.append(self._line())
        return bool(self._held[0])

    def next(self, *, as_typed: bool = False) -> str | None:
        """The next line without blanks around it, in small letters unless as it was typed."""
        line = self._held.pop() if self._held else self._line()
        said = line.decode("utf-8", "replace").strip()
        return (said if as_typed else said.lower()) if line else None

    def _line(self) -> bytes:
        if self._stream is None:  # standard input was closed before we began
            return b""
        try:
            return bytes(self._stream.readline())
        except (OSError, ValueError):  # the terminal has gone
            return b""


@dataclass
class Talking:
    """One who asks, and reads what is typed.

    Attributes
    ----------
    lines : Lines
        Where answers come from.
    """

    lines: Lines

    @cached_property
    def console(self) -> Console:
        """Where all is shown."""
        return open_console()

    def read(self, prompt: str, *, as_typed: bool = False) -> str | None:
        """What is typed after a prompt; None at the end."""
        self.console.print(prompt, end="", markup=False, soft_wrap=True)
        sys.stdout.flush()
        said = self.lines.next(as_typed=as_typed)
        if not self.lines.typed or said is None:
            # Nobody has pressed Enter: what was read stands behind the question.
            self.print(clean(said or "", _WIDEST))
        return said

    def print(self, line: str) -> None:
        """Show a line as it is."""
        self.console.print(line, markup=False, soft_wrap=True)


def wrapped(text: str, console: Console, most: int) -> Iterator[str]:
    """At most so many lines of a text; wide letters take two places, as on the terminal."""
    from rich.text import Text

    width = max(20, min(console.width, _WIDEST))
    found = Text(clean(text, _MOST_TEXT)).wrap(console, width - 4)
    lines = [line.plain.rstrip() for line in found]
    for number, line in enumerate(lines[:most] if text else (), start=1):
        yield f"  {line}{' …' if number == most < len(lines) else ''}"


def cut_short(done: Any) -> bool:
    """Whether Ctrl-C ended the search, or the look at what it found."""
    return done.result.interrupted or getattr(done, "unchecked", False)


def group_and_save(
    place: Path, group: Callable[[Any], Any], save: Callable[[Any], object], quiet: bool
) -> tuple[Any, bool]:
    """Group and write the folder; what came out, and whether Ctrl-C was pressed meanwhile."""
    from comraf.cli.bar import Bar
    from comraf.cli.organize import in_own_words, warn

    interrupt = DeferredInterrupt()
    with Bar(quiet=quiet) as bar:
        bar.say("grouping")
        done = group(bar)
        if isinstance(done, Answer):
            in_own_words(done)
        bar.say("writing the answer")
        with interrupt:
            save(done)
        has_written(place)
    if isinstance(done, Answer):
        warn(done)
    return done, interrupt.pressed
