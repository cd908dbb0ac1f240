"""Several fits one after the other as one: a clock, a checkpoint, one tale of progress."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from comraf.errors import InputError, InterruptedWarning, TimeLimitWarning, WriteError
from comraf.estimators._run import Verbose, listener_for, to_user
from comraf.estimators.comraf import Comraf
from comraf.graph import Graph, Star
from comraf.inference.checkpoint import Kept, remove_checkpoint
from comraf.inference.control import check_time_limit
from comraf.progress import Event, Listener, Reporter

__all__ = ["Course"]

# What a step may take where next to nothing is left of a time limit, or after Ctrl-C.
_MOMENT = 0.01
_TASK = "Comraf*"
_STEP = re.compile(r"step-\d+")


class Course:
    """The course of a series of stars.

    Parameters
    ----------
    stars : sequence of Star
    graph : Graph
        Theirs.
    checkpoint : path-like, Kept or None
        Folder with a checkpoint of each step. Those of steps that have ended stay until all
        have, so that a series that is taken up again comes to the same graphs.
    time_limit : float or None
        Of all steps together.
    verbose : int or callable
    """

    def __init__(
        self,
        stars: Sequence[Star],
        graph: Graph,
        checkpoint: str | os.PathLike[str] | Kept | None,
        time_limit: float | None,
        verbose: Verbose,
    ) -> None:
        self._stars = stars
        self._kept = isinstance(checkpoint, Kept)
        self._folder = None if checkpoint is None else _folder(checkpoint)
        self._limit = check_time_limit(time_limit)
        self._started = time.monotonic()
        self._stopped: type[InterruptedWarning] | None = None
        listener = listener_for(verbose)
        self._reporter = None if listener is None else Reporter(listener)
        work = [_work(graph, star) for star in stars]
        self._shares = [one / sum(work) for one in work]

    def solve(self, number: int, model: Comraf, about: Mapping[str, Any]) -> None:
        """Fit the model of a step; a second Ctrl-C while the rest is done in haste gets through."""
        try:
            self._fit(number, model, about)
        except KeyboardInterrupt:  # before or after the search, which has its own way with it
            if self._stopped is not None:
                raise
            self._stopped = InterruptedWarning
            self._fit(number, model, about)

    def _fit(self, number: int, model: Comraf, about: Mapping[str, Any]) -> None:
        place = None
        # what follows a step in haste is about other graphs than what will follow the whole step
        if self._folder is not None and self._stopped is None:
            place = Kept(self._folder / f"step-{number + 1}")
        model.set_params(
            time_limit=self._left(), checkpoint=place, verbose=self._listener(number) or 0
        )
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", InterruptedWarning)
            model.fit(**about)
        # parameters as the caller would have them: the clock and the listener were ours
        model.set_params(time_limit=None, checkpoint=None, verbose=0)
        for one in told:
            if not issubclass(one.category, InterruptedWarning):
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            elif self._stopped is None:
                self._stopped = one.category

    def _left(self) -> float | None:
        """Seconds that the next step may take."""
        if self._stopped is not None:
            return _MOMENT
        if self._limit is None:
            return None
        return max(_MOMENT, self._limit - (time.monotonic() - self._started))

    def _listener(self, number: int) -> Listener | None:
        """Tells the events of a step as a part of the whole."""
        reporter = self._reporter
        if reporter is None:
            return None
        before, share = sum(self._shares[:number]), self._shares[number]

        def tell(event: Event) -> None:
            done = min(1.0, before + share * event.done)
            reporter.tell(replace(event, task=_TASK, done=done))

        return tell

    def end(self) -> None:
        """All steps are done: put the checkpoint away, or say that there was a stop."""
        if self._stopped is None:
            if self._folder is not None and not self._kept:
                for number in range(len(self._stars)):
                    remove_checkpoint(self._folder / f"step-{number + 1}")
                with suppress(OSError):
                    self._folder.rmdir()
            return
        why = "stopped early"
        if issubclass(self._stopped, TimeLimitWarning):
            why = f"the time limit of {self._limit:g} seconds was reached"
        message = (
            f"{why}: the result is the best state found until then, brought to the numbers of "
            "clusters wanted in haste"
        )
        if self._folder is not None:
            message += f"; the checkpoint {self._folder} stays, and the same fit goes on from it"
        warnings.warn(message, self._stopped, stacklevel=to_user())


def _folder(checkpoint: str | os.PathLike[str] | Kept) -> Path:
    try:
        folder = Path(os.path.realpath(os.fspath(checkpoint)))
    except (TypeError, ValueError) as error:
        raise InputError(
            "{given}; give the path of a folder: {error}", "checkpoint", checkpoint, error=error
        ) from None
    if folder.exists() and not folder.is_dir():
        raise WriteError(
            f"the checkpoint can't be written: {folder} is a file; name a folder, new or empty"
        )
    others = (
        [e.name for e in folder.iterdir() if not _STEP.fullmatch(e.name)] if folder.is_dir() else []
    )
    if others:
        raise WriteError(
            f"{folder} holds {sorted(others)[0]!r} and no checkpoint of a series; name a folder "
            "that is new or empty"
        )
    return folder


def _work(graph: Graph, star: Star) -> float:
    """About how much there is to do for a star: every count is held against every cluster."""
    node = graph.nodes[graph.index[star.node]]
    counts = sum(graph.edges[i].counts.nnz for i in star.edges)
    return float(max(1, counts) * (node.n_clusters or 2))
