"""In which order nodes are split, merged and swept: plain data, made before the run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from comraf.errors import InputError
from comraf.parameters import check_int

__all__ = [
    "SCHEDULES",
    "NodeTask",
    "Step",
    "double",
    "make_schedule",
    "round_robin",
    "split_levels",
    "thesis",
    "weighted",
]

Action = Literal["split", "gather", "merge", "exhaustive", "sweep"]

# A node without a number of clusters of its own is split to about this many times the root
# of the number of its neighbour's values: 2,000 documents want 128 word clusters, 20,000
# want 256, and more of them say more about noise than about the data.
_ROOTS = 2.5
# But few clusters can't tell many others apart: a small side is split up to this many
# times the clusters wanted of its neighbours, while there are two values for each.
_CLUSTERS_A_NEIGHBOUR = 4
# Doubling overshoots a number that is no power of two. Merging down to it, one pair at a time, is
# worth its cost for clusters that people read; beyond so many the last split stops at the number.
_MOST_TRIMMED = 256
# Merging peers costs the square of their number, so a side of many values is gathered into
# fewer clusters first, where that saves at least this factor.
_WORTH_GATHERING = 4


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration over one node: change the number of clusters, then local search.

    ``split`` halves clusters at random up to ``n_clusters``; ``gather`` puts single values
    to that many random ones among them; ``merge`` joins closest peers down to it;
    ``exhaustive`` merges one pair at a time with a local search after each; ``sweep`` is
    local search alone. ``node`` is the node's place in the graph (in an estimator 0 is the
    rows, then the tables in their order).
    """

    node: int
    action: Action
    n_clusters: int

    def __post_init__(self) -> None:
        if self.action not in get_args(Action):
            raise InputError(
                "a step's action is {action!r}; choose one of {allowed}",
                action=self.action,
                allowed=list(get_args(Action)),
            )
        check_int("a step's n_clusters", self.n_clusters)


@dataclass(frozen=True, slots=True)
class NodeTask:
    """What a schedule needs to know of a hidden node.

    ``neighbours`` is the largest number of clusters wanted of a node it is joined to, and
    ``facing`` the largest number of values of one. A bottom-up node of many values is first
    gathered into ``coarse`` clusters, if that is given; its last merges are ``exhaustive``
    or like the others.
    """

    node: int
    size: int
    n_clusters: int | None
    top_down: bool
    neighbours: int = 1
    facing: int = 1
    coarse: int | None = None
    exhaustive: bool = True

    @property
    def gathers(self) -> int | None:
        """Clusters into which single values are gathered, if they are."""
        if self.coarse is None:
            return None
        # merges must still have something to do
        m = max(self.coarse, 4 * (self.n_clusters or 1))
        return m if self.size > _WORTH_GATHERING * m else None


def merge_levels(size: int, k: int) -> list[int]:
    """Numbers of clusters after each of the ceil(log2(size/k)) merging iterations.

    Examples
    --------
    >>> merge_levels(100, 8)
    [50, 25, 13, 8]
    """
    levels = []
    while size > k:
        size = max(k, (size + 1) // 2)
        levels.append(size)
    return levels


def split_levels(size: int, k: int | None, neighbours: int = 1, facing: int = 1) -> list[int]:
    """Numbers of clusters after each splitting iteration, doubling, at most ``size``.

    Examples
    --------
    >>> split_levels(1000, 5)
    [2, 4, 8]
    >>> split_levels(1000, None, facing=100)
    [2, 4, 8, 16, 32]
    >>> split_levels(100, None, neighbours=5)
    [2, 4, 8, 16]
    >>> split_levels(5000, 600)[-2:]
    [512, 600]
    """
    if k is None:
        wanted = max(_ROOTS * math.sqrt(facing), _CLUSTERS_A_NEIGHBOUR * neighbours)
        n_levels = round(math.log2(max(2.0, min(size / 2, wanted))))
    else:
        n_levels = math.ceil(math.log2(k)) if k > 1 else 0
    most = k if k is not None and k > _MOST_TRIMMED else size
    levels = [min(size, most, 2**level) for level in range(1, n_levels + 1)]
    return [level for i, level in enumerate(levels) if level > (levels[i - 1] if i else 1)]


def _round_robin(tasks: Sequence[NodeTask], first: int, splits_a_merge: int = 1) -> list[Step]:
    down = [task for task in tasks if task.top_down]
    up = [task for task in tasks if not task.top_down]
    merges = {task.node: _merges(task) for task in up}
    splits = {
        task.node: split_levels(task.size, task.n_clusters, task.neighbours, task.facing)
        for task in down
    }
    rounds = max((len(waiting) for waiting in merges.values()), default=0)
    steps: list[Step] = []

    def go_down(task: NodeTask) -> None:
        levels = splits[task.node]
        if levels:
            steps.append(Step(task.node, "split", levels.pop(0)))
        elif task.size > 1:
            steps.append(Step(task.node, "sweep", reached[task.node]))
        if steps and steps[-1].node == task.node:
            reached[task.node] = steps[-1].n_clusters

    reached = {task.node: 1 for task in down}
    lead = max(1, first)
    for task in down:
        # a number of clusters that was asked for is reached before the last merge
        if task.n_clusters is not None:
            later = splits_a_merge * max(0, rounds - 1)
            lead = max(lead, len(splits[task.node]) - later)
    if not up:
        lead = max((len(levels) for levels in splits.values()), default=0)
    for number in range(lead):
        for task in down:
            if splits[task.node] and (number < max(1, first) or task.n_clusters or not up):
                go_down(task)
    for number in range(rounds):
        if number == rounds - 1:
            steps.extend(_trim(down, reached))
        for task in up:
            waiting = merges[task.node]
            due = math.floor((number + 1) * len(waiting) / rounds)
            if due > math.floor(number * len(waiting) / rounds):
                steps.append(waiting[due - 1])
        if number < rounds - 1:
            for _ in range(splits_a_merge):
                for task in down:
                    go_down(task)
    if rounds == 0:
        steps.extend(_trim(down, reached))
    return steps


def _trim(down: Sequence[NodeTask], reached: dict[int, int]) -> list[Step]:
    """Doubling overshoots a number that is no power of two: merge down to it."""
    steps = []
    for task in down:
        if task.n_clusters is not None and reached[task.node] > task.n_clusters:
            steps.append(Step(task.node, "exhaustive", task.n_clusters))
            reached[task.node] = task.n_clusters
    return steps


def thesis(tasks: Sequence[NodeTask]) -> list[Step]:
    """Four iterations over the top-down nodes, then plain round robin (thesis 4.6.4).

    Examples
    --------
    >>> words = NodeTask(1, 4096, None, True, neighbours=8, facing=64)
    >>> [step.node for step in thesis([NodeTask(0, 64, 8, False), words])]
    [1, 1, 1, 1, 0, 1, 0, 1, 0]
    """
    return _round_robin(tasks, first=4)


def round_robin(tasks: Sequence[NodeTask]) -> list[Step]:
    """Plain round robin from the start: one split, one merge, and so on (2005 paper)."""
    return _round_robin(tasks, first=1)


def double(tasks: Sequence[NodeTask]) -> list[Step]:
    """Two steps over the top-down nodes for each merge: figure 3 of 2005 peaks near there."""
    return _round_robin(tasks, first=2, splits_a_merge=2)


def weighted(tasks: Sequence[NodeTask]) -> list[Step]:
    """Every node's own number of steps, spread as evenly as can be (2005 paper, section 3).

    A node that takes few steps waits for those that take many: no sweeps in between.

    Examples
    --------
    >>> words = NodeTask(1, 4096, 4, True)
    >>> [step.node for step in weighted([NodeTask(0, 64, 4, False), words])]
    [1, 0, 1, 0, 0, 0]
    """
    turns: list[tuple[float, int, Step]] = []
    for task in tasks:
        if task.top_down:
            levels = split_levels(task.size, task.n_clusters, task.neighbours, task.facing)
            steps = [Step(task.node, "split", level) for level in levels]
            steps += _trim([task], {task.node: levels[-1] if levels else 1})
        else:
            steps = _merges(task)
        for number, step in enumerate(steps):
            # a split just before the merges of the same moment, which then have it to go by
            moment = (number + (0.0 if task.top_down else 1.0)) / len(steps)
            turns.append((moment, 0 if task.top_down else 1, step))
    return [step for _, _, step in sorted(turns, key=lambda turn: turn[:2])]


def _merges(task: NodeTask) -> list[Step]:
    """All steps of a bottom-up node."""
    start = task.gathers
    levels = merge_levels(start or task.size, task.n_clusters or 1)
    steps = [Step(task.node, "merge", level) for level in levels]
    if steps and task.exhaustive:
        steps[-1] = Step(task.node, "exhaustive", levels[-1])
    return [Step(task.node, "gather", start), *steps] if start else steps


SCHEDULES: dict[str, Callable[[Sequence[NodeTask]], list[Step]]] = {
    "thesis": thesis,
    "round_robin": round_robin,
    "double": double,
    "weighted": weighted,
}


def make_schedule(name: str, tasks: Sequence[NodeTask]) -> list[Step]:
    """The steps of a schedule by name.

    Examples
    --------
    >>> len(make_schedule("round_robin", [NodeTask(0, 64, 8, False)]))
    3
    """
    if name not in SCHEDULES:
        raise InputError(parameter="schedule", given=name, allowed=SCHEDULES)
    return SCHEDULES[name](tasks)
