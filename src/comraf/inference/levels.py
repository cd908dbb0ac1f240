"""Levels of a hierarchy: a few of the partitions that a search walks through on its way.

A bottom-up side goes from many clusters to the number wanted. What it passes is a taxonomy
whose levels one can cut; only levels that people can read are kept, and not too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from comraf.inference.problem import Problem
from comraf.objectives import Labels, State

__all__ = ["MOST_LEVELS", "Level", "Walk", "finest", "has_levels", "levels_of"]

#: Levels of a node at most, the final one among them.
MOST_LEVELS = 12
# Levels that are kept of one way down, in which clusters are merged a pair at a time.
_ON_THE_WAY = 6

#: Number of clusters, and the cluster of each value.
Level = tuple[int, Labels]


def finest(size: int, wanted: int) -> int:
    """The most clusters that a level is kept with.

    Examples
    --------
    >>> finest(20_000, 20), finest(20_000, 4), finest(100, 4)
    (160, 64, 25)
    """
    return min(max(64, 8 * wanted), size // 4)


def has_levels(problem: Problem, node: int) -> bool:
    """Whether a node walks down to a number: top-down ones walk up."""
    about = problem.graph.nodes[node]
    return about.hidden and about.direction == "bottom-up" and about.n_clusters is not None


class Walk:
    """Notes a few partitions on the way from one number of clusters down to another.

    Examples
    --------
    >>> walk = Walk(8, 2)
    >>> for k in range(7, 1, -1):
    ...     walk.note(np.arange(8, dtype=np.int32) % k, k)
    >>> [k for k, _ in walk.levels]
    [7, 5, 4, 3]
    """

    def __init__(self, high: int, low: int) -> None:
        spaced = np.geomspace(max(high, 1), max(low, 1), _ON_THE_WAY + 2)[1:-1]
        numbers = {int(number) for number in np.round(spaced)}
        self._low = low
        self._wanted = sorted((n for n in numbers if low < n < high), reverse=True)
        self.levels: list[Level] = []

    def note(self, labels: Labels, k: int) -> None:
        """Keep a partition if it is one of those wanted; ``labels`` may change afterwards."""
        if not self._wanted or k > self._wanted[0] or k <= self._low:
            return
        self._wanted = [number for number in self._wanted if number < k]
        kept = np.array(labels, dtype=np.int32)
        kept.flags.writeable = False
        self.levels.append((k, kept))


def levels_of(
    problem: Problem, state: State, walked: Mapping[int, Iterable[Level]]
) -> dict[int, tuple[Labels, ...]]:
    """Levels of every bottom-up node with a number: finest first, the state's own last.

    ``state`` has its clusters numbered by mass, and so will the levels.
    """
    out = {}
    for node in problem.hidden:
        if not has_levels(problem, node):
            continue
        k = state.n_clusters[node]
        most = finest(problem.sizes[node], problem.graph.nodes[node].n_clusters or 1)
        # of several partitions into as many clusters the latest is the best
        by_number = dict(walked.get(node, ()))
        numbers = sorted((n for n in by_number if k < n <= most), reverse=True)
        kept = _thinned(numbers, MOST_LEVELS - 1)
        out[node] = (
            *(problem.canonical(state.replace(node, by_number[n], n)).labels[node] for n in kept),
            state.labels[node],
        )
    return out


def _thinned(numbers: Sequence[int], most: int) -> list[int]:
    """At most so many of the numbers, spread evenly, the first among them."""
    if len(numbers) <= most:
        return list(numbers)
    places = np.round(np.linspace(0, len(numbers) - 1, most)).astype(int)
    return [numbers[i] for i in np.unique(places)]
