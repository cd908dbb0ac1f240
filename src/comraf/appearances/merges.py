"""Precision and recall along the merges of clusters (figure 4.7 of the thesis)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.appearances.links import interconnected
from comraf.metrics import one_class_precision_recall_f

__all__ = ["Level", "at_size", "merges_csv", "merges_svg", "walk_levels"]

_WIDE, _HIGH, _EDGE = 420, 320, 46


@dataclass(frozen=True, eq=False)
class Level:
    """The most interconnected cluster at one stage of the merging.

    Attributes
    ----------
    n_clusters : int
        How many clusters there were.
    members : array of bool
        The pages of the one.
    precision, recall, f : float or None
        Where the truth is known.
    """

    n_clusters: int
    members: NDArray[np.bool_]
    precision: float | None = None
    recall: float | None = None
    f: float | None = None

    @property
    def size(self) -> int:
        """Pages of the cluster."""
        return int(self.members.sum())


def walk_levels(
    table: Any, levels: Sequence[NDArray[Any]], truth: Sequence[bool | None] | None = None
) -> tuple[Level, ...]:
    """The most interconnected cluster of every partition, the finest first.

    Examples
    --------
    >>> table = np.array([[1, 0], [1, 0], [0, 1]])
    >>> walked = walk_levels(table, [np.array([0, 0, 1]), np.array([0, 0, 0])], [True, True, False])
    >>> [(level.n_clusters, level.size, level.recall) for level in walked]
    [(2, 2, 1.0), (1, 3, 1.0)]
    """
    found = []
    for labels in levels:
        members = np.asarray(labels == interconnected(table, labels))
        n = len(np.unique(labels))
        if truth is None:
            found.append(Level(n, members))
        else:
            found.append(Level(n, members, *one_class_precision_recall_f(truth, members)))
    return tuple(sorted(found, key=lambda level: -level.n_clusters))


def at_size(levels: Sequence[Level], n_core: int) -> Level:
    """The level whose cluster is nearest to a size; of equally near ones the coarser.

    Examples
    --------
    >>> levels = [Level(4, np.array([True, False, False])), Level(2, np.array([True, True, True]))]
    >>> at_size(levels, 2).n_clusters
    2
    """
    return min(reversed(levels), key=lambda level: abs(level.size - n_core))


def merges_csv(levels: Sequence[Level]) -> str:
    r"""A line for each level.

    Examples
    --------
    >>> merges_csv([Level(2, np.array([True, False]), 1.0, 0.5, 2 / 3)])
    'clusters,size,precision,recall,f\n2,1,1.0000,0.5000,0.6667\n'
    """
    lines = ["clusters,size,precision,recall,f"]
    for level in levels:
        scores = (level.precision, level.recall, level.f)
        told = ",".join("" if score is None else f"{score:.4f}" for score in scores)
        lines.append(f"{level.n_clusters},{level.size},{told}")
    return "\n".join(lines) + "\n"


def merges_svg(levels: Sequence[Level], title: str = "") -> str:
    """Precision over recall, a point for each level with its number of clusters.

    Examples
    --------
    >>> picture = merges_svg([Level(2, np.array([True, False]), 1.0, 0.5, 2 / 3)], "Merges <1>")
    >>> picture.startswith("<svg"), "Merges &lt;1&gt;" in picture
    (True, True)
    """
    wide, high = _WIDE - 2 * _EDGE, _HIGH - 2 * _EDGE

    def x(recall: float) -> float:
        return _EDGE + recall * wide

    def y(precision: float) -> float:
        return _HIGH - _EDGE - precision * high

    known = [
        (level.recall, level.precision, level.n_clusters)
        for level in levels
        if level.recall is not None and level.precision is not None
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" '
        f'height="{_HIGH}" role="img" font-family="sans-serif" font-size="11">',
        f"<title>{escape(title or 'Precision and recall along the merges')}</title>",
        f'<rect width="{_WIDE}" height="{_HIGH}" fill="#fff"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [
            f'<path d="M{x(0):.1f} {y(tick):.1f}H{x(1):.1f}M{x(tick):.1f} {y(0):.1f}V{y(1):.1f}" '
            'stroke="#e2e5ea" fill="none"/>',
            f'<text x="{_EDGE - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.0%}</text>',
            f'<text x="{x(tick):.1f}" y="{y(0) + 15:.1f}" text-anchor="middle">{tick:.0%}</text>',
        ]
    line = " ".join(f"{x(recall):.1f},{y(precision):.1f}" for recall, precision, _ in known)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f6fb4" stroke-width="1.5"/>')
    for recall, precision, n in known:
        at = f'cx="{x(recall):.1f}" cy="{y(precision):.1f}"'
        parts.append(f'<circle {at} r="3" fill="#1f6fb4"><title>{n} clusters</title></circle>')
        parts.append(f'<text x="{x(recall) + 5:.1f}" y="{y(precision) - 5:.1f}">{n}</text>')
    middle = _EDGE + high / 2
    parts += [
        f'<text x="{_EDGE + wide / 2}" y="{_HIGH - 8}" text-anchor="middle">recall</text>',
        f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">'
        "precision</text>",
        f'<text x="{_EDGE}" y="20" font-weight="bold">{escape(title)}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
