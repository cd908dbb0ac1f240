"""Options for long searches: a time limit, checkpoints, a log; the same for every command."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from comraf.cli.program import complain
from comraf.errors import InputError, InterruptedWarning, TimeLimitWarning

__all__ = ["CheckpointOption", "LogOption", "LongRun", "ResumeOption", "TimeLimitOption", "Watch"]

TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="End the search after this long and keep the best until then, as Ctrl-C does but "
        "with exit code 0. Reading and writing come on top.",
        show_default=False,
    ),
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Keep what the search has reached in this folder, new or empty, so that --resume "
        "can go on from it. It is removed once the answer is there.",
        show_default=False,
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on from the checkpoint in the folder of --checkpoint, if there is one: the "
        "answer is that of a search that was never interrupted.",
    ),
]
LogOption = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="FILE",
        help="Add every event of the work to this file, one JSON object a line.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class LongRun:
    """What was asked for about the length of the search.

    Examples
    --------
    >>> LongRun(time_limit=60.0).parameters()
    {'time_limit': 60.0}
    """

    time_limit: float | None = None
    checkpoint: Path | None = None
    resume: bool = False
    log: Path | None = None

    def check(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.time_limit is not None and not 0 < self.time_limit < float("inf"):
            raise InputError(
                f"--time-limit {self.time_limit:g} is not possible; give seconds, more than 0"
            )
        if self.resume and self.checkpoint is None:
            raise InputError("--resume goes on from a checkpoint; name its folder: --checkpoint")
        if self.checkpoint is None:
            return
        from comraf.inference.checkpoint import is_checkpoint

        there = is_checkpoint(self.checkpoint)
        if there and not self.resume:
            raise InputError(
                f"{self.checkpoint} holds the checkpoint of an earlier search; add --resume to go "
                "on from it, or remove the folder to begin anew"
            )
        if self.resume and not there:
            complain("note", f"there is no checkpoint in {self.checkpoint}: the search begins anew")

    def parameters(self) -> dict[str, Any]:
        """What the estimators are to be told."""
        told: dict[str, Any] = {}
        if self.time_limit is not None:
            told["time_limit"] = self.time_limit
        if self.checkpoint is not None:
            from comraf.inference.checkpoint import Kept

            # It goes when the answer is written, and not before.
            told["checkpoint"] = Kept(self.checkpoint)
        return told

    def is_over(self) -> None:
        """The answer is written: the checkpoint has done its work."""
        if self.checkpoint is not None:
            from comraf.inference.checkpoint import remove_checkpoint

            remove_checkpoint(self.checkpoint)

    def stays(self) -> str:
        """What to say of the checkpoint after a search that was cut short."""
        if self.checkpoint is None:
            return ""
        return f"; --resume goes on from the checkpoint in {self.checkpoint}"


@dataclass
class Watch:
    """What is seen while a search runs."""

    out_of_time: bool = False

    @contextmanager
    def over(self) -> Iterator[None]:
        """Keep the warnings about early ends to oneself: the command says that itself.

        Examples
        --------
        >>> watch = Watch()
        >>> with watch.over():
        ...     warnings.warn("the time is up", TimeLimitWarning)
        >>> watch.out_of_time
        True
        """
        with warnings.catch_warnings():
            warnings.simplefilter("always", InterruptedWarning)
            others = warnings.showwarning

            def show(
                message: Warning | str,
                category: type[Warning],
                filename: str,
                lineno: int,
                file: TextIO | None = None,
                line: str | None = None,
            ) -> None:
                if issubclass(category, InterruptedWarning):
                    self.out_of_time |= issubclass(category, TimeLimitWarning)
                else:
                    others(message, category, filename, lineno, file, line)

            warnings.showwarning = show
            yield
