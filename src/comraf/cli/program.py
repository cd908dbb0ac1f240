"""How every command ends: exit codes, one sentence for bad input, no traceback.

==== =====================================================================
0    done, or ended by --time-limit with the best until then
1    a fault of comraf's own, or the reader of its output went away
2    the input or an option can't be used; nothing was written
130  stopped by Ctrl-C; what was found until then is kept where possible
==== =====================================================================
"""

from __future__ import annotations

import codecs
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Any

import typer
import typer.core

from comraf.cli.wording import in_options
from comraf.errors import ComrafError, NoticeWarning, SegmentationWarning

__all__ = ["Program", "complain", "has_written", "until_the_end"]

# Typer brings the parser's exceptions along under different names in different versions.
_ParserError: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


# What our own sentences and tables use beyond ASCII, for terminals that have nothing else.
_PLAIN = str.maketrans(
    {"…": "...", "─": "-", "━": "-", "·": "-", "–": "-", "−": "-", "×": "x", "→": "->", "≠": "!="}
    | dict.fromkeys("“”", '"')
    | dict.fromkeys("‘’", "'")
)


def _nearly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(char if char.isascii() else "?" for char in text), error.end


codecs.register_error("comraf.nearly", _nearly)


class _State:
    """What has happened so far in this run of the program."""

    stopped = False  # Ctrl-C was answered with a sentence already
    written = ""  # where the answer is, once it is there
    held = ExitStack()  # what is given back when the command ends


def until_the_end(held: AbstractContextManager[object]) -> None:
    """Enter something that is left when the command has ended, however it does.

    Examples
    --------
    >>> until_the_end(suppress())
    """
    _State.held.enter_context(held)


def has_written(place: object) -> None:
    """Remember that the answer is on the disk, for whoever presses Ctrl-C after that.

    Examples
    --------
    >>> has_written("out")
    """
    _State.written = str(place)


def complain(kind: str, message: object) -> None:
    """Write one sentence to standard error, in the words of the command line.

    Examples
    --------
    >>> complain("warning", "the table is small")
    """
    # One line whatever a file's name holds, and no control codes for the terminal.
    said = " ".join(in_options(message).split())
    text = "".join(char if char.isprintable() else " " for char in said)
    typer.echo(f"comraf: {kind}: {text}", err=True)
    if kind == "stopped":
        _State.stopped = True


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    *_: Any,
    **__: Any,
) -> None:
    """Warnings of the library in one sentence, without a line of its source."""
    where = f" ({filename}:{lineno}, {category.__name__})" if _debugging() else ""
    kind = "note" if issubclass(category, NoticeWarning) else "warning"
    complain(kind, in_options(message) + where)


def _stopped() -> int:
    if not _State.stopped:
        done = _State.written
        complain("stopped", f"{done} was written before" if done else "nothing was written")
    return 130


def _debugging() -> bool:
    return os.environ.get("COMRAF_DEBUG", "") not in ("", "0")


class Program(typer.core.TyperGroup):
    """The group of all commands, with comraf's way of ending.

    Examples
    --------
    >>> from typer.testing import CliRunner
    >>> from comraf.cli import app
    >>> CliRunner().invoke(app, ["cluster", "nowhere.npz", "-k", "2"]).exit_code
    2
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and leave with its exit code."""
        _open_closed()
        for stream in (sys.stdout, sys.stderr):
            # A name that the terminal can't show must not end the work.
            with suppress(AttributeError, ValueError):
                stream.reconfigure(errors="comraf.nearly")  # type: ignore[union-attr]
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            # what is to be known is told whatever Python itself was asked to keep quiet about
            warnings.simplefilter("default", UserWarning)
            # the collection's notes say it too, and each command shows them
            warnings.simplefilter("ignore", SegmentationWarning)
            code = self._run(args, prog_name, complete_var, windows_expand_args, extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(
        self,
        args: Sequence[str] | None,
        prog_name: str | None,
        complete_var: str | None,
        windows_expand_args: bool,
        extra: dict[str, Any],
    ) -> int:
        _State.stopped, _State.written = False, ""
        try:
            with ExitStack() as _State.held:
                code = super().main(
                    args, prog_name, complete_var, False, windows_expand_args, **extra
                )
            sys.stdout.flush()
        except (KeyboardInterrupt, typer.Abort):
            return _stopped()
        except Exception as error:  # noqa: BLE001 - the last one to see it
            return _explained(error)
        # The parser turns Ctrl-C into this code without a word.
        if code == 130:
            return _stopped()
        return code if isinstance(code, int) else 0

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C is told apart from the parser's own ways of leaving."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(_stopped()) from None


def _open_closed() -> None:
    """Let what is told go nowhere where a stream is closed; no file of ours may take its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            setattr(sys, name, open(os.devnull, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115


def _explained(error: Exception) -> int:
    """Say what went wrong; give the exit code."""
    if _debugging():
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has seen enough. Python flushes once more at the end.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, ComrafError):
        complain("error", error)
        return 2
    if isinstance(error, _ParserError):
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        message = str(error.format_message()) if hasattr(error, "format_message") else str(error)
        complain("error", message.rstrip(".") + hint)
        return 2
    if isinstance(error, MemoryError):
        complain("error", "the memory is not enough for this; select fewer rows or columns")
        return 2
    if isinstance(error, RecursionError):
        complain("error", "what is read is nested too deeply; no file of comraf's own is")
        return 2
    if isinstance(error, OverflowError):
        complain("error", f"a number in what is read is too large: {error}")
        return 2
    if isinstance(error, OSError):
        complain("error", f"{error.filename or 'standard output'}: {error.strerror or error}")
        return 2
    complain(
        "fault",
        f"{type(error).__name__}: {error}. This is a fault of comraf's; set COMRAF_DEBUG=1 to see "
        "where it happened, and please report it",
    )
    return 1
