"""Who appears with whom: people by people, ordered by cluster."""

from __future__ import annotations

from comraf.report.data import PeopleMatrix
from comraf.report.markup import Markup, plain, user
from comraf.report.plots.heat import shade
from comraf.report.plots.matrix import plot_matrix
from comraf.report.scales import plural

__all__ = ["plot_people"]


def plot_people(people: PeopleMatrix, kind: str) -> Markup:
    """Who is named together more often than expected; clusters are framed on the diagonal.

    Examples
    --------
    >>> people = PeopleMatrix("people", ("Ada", "Bo"), (0, 0), ((3, 2), (2, 2)), ((0, 1), (1, 0)))
    >>> "Ada and Bo: 2 messages shared, 2.0 times" in plot_people(people, "message")
    True
    """
    names = [plain(name, 60) for name in people.names]
    lifts = people.lifts or [[0.0] * len(names)] * len(names)
    fills = [
        [
            "" if i == j or (not people.cells[i][j] and lift > -0.5) else shade(lift)
            for j, lift in enumerate(row)
        ]
        for i, row in enumerate(lifts)
    ]

    def describe(i: int, j: int) -> str:
        shared = f"{people.cells[i][j]:,} {plural(kind)} shared"
        return f"{names[i]} and {names[j]}: {shared}, {2.0 ** lifts[i][j]:.1f} times the expected"

    return plot_matrix(
        [user(name, 60, class_="clip") for name in people.names],
        _heads(people.clusters),
        fills,
        f"{len(names)} people by people: more or fewer shared {plural(kind)} than expected, "
        "clusters framed",
        describe=describe,
        blocks=_blocks(people.clusters),
        cell=16,
    )


def _heads(clusters: tuple[int, ...]) -> list[str]:
    """The table is symmetric and its rows are named: clusters are enough above the columns."""
    return [
        f"cluster {cluster}" if i == 0 or clusters[i - 1] != cluster else ""
        for i, cluster in enumerate(clusters)
    ]


def _blocks(clusters: tuple[int, ...]) -> list[tuple[int, int]]:
    blocks = []
    start = 0
    for i in range(1, len(clusters) + 1):
        if i == len(clusters) or clusters[i] != clusters[start]:
            if i - start > 1:
                blocks.append((start, i - 1))
            start = i
    return blocks
