"""Neighbourhoods while they grow: items known to be together, one neighbourhood for each class."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from comraf.active.space import Space

__all__ = ["Questions", "Skeleton"]

# A way of choosing questions: yields two rows to ask about, and is sent the answer.
Questions = Generator[tuple[int, int], bool | None, None]


class Skeleton:
    """Neighbourhoods, items set aside, and how far the others are from all neighbourhoods.

    Attributes
    ----------
    neighbourhoods : list of lists of int
        Rows of each neighbourhood, in the order in which they joined.
    open : numpy.ndarray of bool, shape (n,)
        Items that are in no neighbourhood and not set aside.

    Examples
    --------
    >>> skeleton = Skeleton(Space([[0.0], [1.0], [5.0], [6.0]]))
    >>> skeleton.start(0)
    >>> skeleton.farthest()
    3
    >>> skeleton.start(3)
    >>> skeleton.by_member(2), skeleton.open.tolist()
    ([(1, 3), (0, 0)], [False, True, True, False])
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.neighbourhoods: list[list[int]] = []
        self.open = np.ones(space.n, dtype=bool)
        self._near = np.full(space.n, np.inf)
        self._sums: NDArray[np.float64] | None = None

    def start(self, x: int) -> None:
        """Begin a neighbourhood with one item."""
        self.neighbourhoods.append([])
        self._sums = None
        self.add(x, len(self.neighbourhoods) - 1)

    def add(self, x: int, place: int) -> None:
        """Put an item into a neighbourhood."""
        self.neighbourhoods[place].append(x)
        self.open[x] = False
        np.minimum(self._near, self.space.to_row(x), out=self._near)
        if self._sums is not None:
            self._sums[place] += self.space.dense(x)

    def merge(self, place: int, other: int) -> None:
        """Put all of one neighbourhood into another; the later ones move up."""
        self.neighbourhoods[place].extend(self.neighbourhoods.pop(other))
        self._sums = None

    def set_aside(self, x: int) -> None:
        """Ask no more about an item."""
        self.open[x] = False

    def forget(self) -> None:
        """Drop all neighbourhoods; their items stay set aside."""
        self.neighbourhoods.clear()
        self._near.fill(np.inf)
        self._sums = None

    def waiting(self, leave_out: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Rows that are open; those to leave out only when no others remain."""
        rows = np.flatnonzero(self.open if leave_out is None else self.open & ~leave_out)
        return rows if rows.size else np.flatnonzero(self.open)

    def any(
        self, rng: np.random.Generator, leave_out: NDArray[np.bool_] | None = None
    ) -> int | None:
        """An open item at random; None if there is none."""
        rows = self.waiting(leave_out)
        return int(rng.choice(rows)) if rows.size else None

    def farthest(self, leave_out: NDArray[np.bool_] | None = None) -> int | None:
        """The open item farthest from all items of neighbourhoods; None if there is none."""
        rows = self.waiting(leave_out)
        return int(rows[np.argmax(self._near[rows])]) if rows.size else None

    def by_member(self, x: int) -> list[tuple[int, int]]:
        """Neighbourhoods by the distance of their nearest members to x, with these members."""
        # All members at once: taking sparse rows for one neighbourhood after another is slow.
        everyone = [row for members in self.neighbourhoods for row in members]
        far = self.space.to_row(x, everyone)
        found, first = [], 0
        for place, members in enumerate(self.neighbourhoods):
            best = first + int(np.argmin(far[first : first + len(members)]))
            found.append((float(far[best]), place, everyone[best]))
            first += len(members)
        return [(place, member) for _, place, member in sorted(found)]

    def by_centroid(self, x: int) -> list[tuple[int, int]]:
        """Neighbourhoods by the distance of their centroids to x, with their nearest members."""
        if self._sums is None:
            self._sums = self.space.sums(self.neighbourhoods)
        sizes = np.array([len(members) for members in self.neighbourhoods])
        distances = self.space.to_sums(x, self._sums, sizes)
        members = dict(self.by_member(x))
        return [(int(place), members[int(place)]) for place in np.argsort(distances, kind="stable")]
