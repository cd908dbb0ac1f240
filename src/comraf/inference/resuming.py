"""What an earlier search with the same seed has left, and what this one leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from comraf.inference.checkpoint import Checkpoint
from comraf.inference.fingerprint import fingerprint
from comraf.inference.levels import MOST_LEVELS
from comraf.inference.options import MDCOptions
from comraf.inference.problem import Problem
from comraf.inference.snapshot import Agreed, Snapshot, bytes_needed

__all__ = ["Saved"]


class Saved:
    """The runs and agreements in a checkpoint; empty, and keeping nothing, without one.

    Attributes
    ----------
    runs : dict of int to Snapshot
        What each run had reached, by its number from 0.
    agreed : dict of int to Agreed
        What was agreed on, by node.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._checkpoint: Checkpoint | None = None
        self.runs: dict[int, Snapshot] = {}
        self.agreed: dict[int, Agreed] = {}

    def open(
        self,
        checkpoint: Checkpoint,
        options: MDCOptions,
        seed: np.random.SeedSequence,
        n_runs: int,
        targets: Sequence[int],
    ) -> None:
        """Begin a checkpoint or take one up: all of it is read and checked here."""
        problem = self._problem
        needed = bytes_needed(problem, n_runs, MOST_LEVELS)
        checkpoint.open(fingerprint(problem, options, seed), needed)
        try:
            for number in range(n_runs):
                if (part := checkpoint.load(_run(number))) is not None:
                    with checkpoint.reading(_run(number)):
                        self.runs[number] = Snapshot.unpacked(problem, part)
            for node in targets:
                if (part := checkpoint.load(_agreement(node))) is not None:
                    with checkpoint.reading(_agreement(node)):
                        self.agreed[node] = Agreed.unpacked(part, problem.sizes[node], n_runs)
        except BaseException:
            checkpoint.close()
            raise
        self._checkpoint = checkpoint

    def keeper(self, number: int) -> Callable[[Snapshot], None] | None:
        """What a run calls after each of its steps, if anything is kept."""
        if self._checkpoint is None:
            return None
        return lambda snapshot: self.save_run(number, snapshot)

    def save_run(self, number: int, snapshot: Snapshot) -> None:
        """Keep what a run has reached."""
        if self._checkpoint is not None:
            self._checkpoint.save(_run(number), snapshot.packed(self._problem))

    def save_agreed(self, node: int, agreed: Agreed) -> None:
        """Keep what the runs agreed on."""
        if self._checkpoint is not None:
            self._checkpoint.save(_agreement(node), agreed.packed())


def _run(number: int) -> str:
    return f"run-{number + 1}"


def _agreement(node: int) -> str:
    return f"agreement-{node}"
