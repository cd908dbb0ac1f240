"""Who appears with whom: people by people, ordered by cluster."""

from __future__ import annotations

from comraf.report.data import PeopleMatrix
from comraf.report.markup import Markup, plain, user
from comraf.report.plots.matrix import plot_matrix
from comraf.report.scales import lightness, plural

__all__ = ["plot_people"]


def plot_people(people: PeopleMatrix, kind: str) -> Markup:
    """A square of shared documents; the clusters found are framed on its diagonal.

    Examples
    --------
    >>> people = PeopleMatrix("people", ("Ada", "Bo"), (0, 0), ((3, 2), (2, 2)))
    >>> "Ada and Bo: 2" in plot_people(people, "message")
    True
    """
    names = [plain(name, 60) for name in people.names]
    fills = []
    for i, row in enumerate(people.cells):
        # Shared documents over those of the less busy of the two.
        shares = [
            shared / max(1, min(people.cells[i][i], people.cells[j][j]))
            for j, shared in enumerate(row)
        ]
        fills.append(["" if i == j or not s else f"s{lightness(s)}" for j, s in enumerate(shares)])

    def describe(i: int, j: int) -> str:
        if i == j:
            return f"{names[i]}: {people.cells[i][i]:,} in all"
        return f"{names[i]} and {names[j]}: {people.cells[i][j]:,} {plural(kind)} shared"

    return plot_matrix(
        [user(name, 60, class_="clip") for name in people.names],
        _heads(people.clusters),
        fills,
        f"{len(names)} people by people: shared {plural(kind)}, clusters framed",
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
