"""What a run has reached, as a part of a checkpoint, and back; checked on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.inference.checkpoint import Part
from comraf.inference.levels import Level
from comraf.inference.problem import Problem
from comraf.objectives import Labels, State
from comraf.progress import TracePoint
from comraf.results.archive import nothing_left, take_array, whole

__all__ = ["Agreed", "Snapshot", "bytes_needed"]

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A run after a whole number of steps; ``finished`` when nothing is left to do for it."""

    step: int
    finished: bool
    state: State
    trace: tuple[TracePoint, ...]
    walked: Mapping[int, Sequence[Level]]

    def packed(self, problem: Problem) -> Part:
        """As a part of a checkpoint."""
        arrays: Arrays = {f"{i}.labels": self.state.labels[i] for i in problem.hidden}
        walked = {
            str(node): _pack(f"{node}.walked", self.walked[node], arrays) for node in self.walked
        }
        document = {
            "step": self.step,
            "finished": self.finished,
            "n_clusters": [self.state.n_clusters[i] for i in problem.hidden],
            "trace": [asdict(point) for point in self.trace],
            "walked": walked,
        }
        return document, arrays

    @classmethod
    def unpacked(cls, problem: Problem, part: Part) -> Snapshot:
        """From a part of a checkpoint; a ValueError or KeyError says what is wrong with it."""
        document, arrays = part[0], dict(part[1])
        step = whole(document["step"], "step")
        hidden = {}
        for node, k in zip(problem.hidden, document["n_clusters"], strict=True):
            hidden[node] = _labels(arrays, f"{node}.labels", problem.sizes[node], k), int(k)
        trace = tuple(TracePoint(**point) for point in document["trace"])
        walked = {
            int(node): _unpack(f"{node}.walked", numbers, problem.sizes[int(node)], arrays)
            for node, numbers in document["walked"].items()
        }
        nothing_left(arrays)
        return cls(step, bool(document["finished"]), problem.start(hidden), trace, walked)


@dataclass(frozen=True, eq=False)
class Agreed:
    """What runs agreed on for one side: labels, the run they started from, levels walked."""

    labels: Labels
    leader: int
    walked: Sequence[Level]

    def packed(self) -> Part:
        """As a part of a checkpoint."""
        arrays: Arrays = {"labels": self.labels}
        walked = _pack("walked", self.walked, arrays)
        k = int(self.labels.max()) + 1
        return {"n_clusters": k, "leader": self.leader, "walked": walked}, arrays

    @classmethod
    def unpacked(cls, part: Part, size: int, n_runs: int) -> Agreed:
        """From a part of a checkpoint; a ValueError or KeyError says what is wrong with it."""
        document, arrays = part[0], dict(part[1])
        labels = _labels(arrays, "labels", size, document["n_clusters"])
        walked = _unpack("walked", document["walked"], size, arrays)
        nothing_left(arrays)
        return cls(labels, whole(document["leader"], "leader", 0, n_runs - 1), walked)


def bytes_needed(problem: Problem, n_runs: int, n_levels: int) -> int:
    """The most that a checkpoint takes, old and new parts side by side."""
    labels = sum(problem.sizes[node] for node in problem.hidden)
    return 4 * labels * (1 + n_levels) * (n_runs + 1) + 2**20


def _pack(name: str, levels: Sequence[Level], arrays: Arrays) -> list[int]:
    for i, (_, labels) in enumerate(levels):
        arrays[f"{name}.{i}"] = labels
    return [k for k, _ in levels]


def _unpack(name: str, numbers: Sequence[int], size: int, arrays: Arrays) -> list[Level]:
    return [(int(k), _labels(arrays, f"{name}.{i}", size, k)) for i, k in enumerate(numbers)]


def _labels(arrays: Arrays, name: str, size: int, k: Any) -> Labels:
    """Labels in which every one of k clusters has a member."""
    k = whole(k, "n_clusters", 1, max(1, size))
    labels = take_array(arrays, name, dtype=np.int32, shape=(size,), low=0, high=k - 1)
    if size and len(np.unique(labels)) != k:
        raise ValueError(f"{name!r} does not have {k} clusters")
    labels.flags.writeable = False
    return labels
