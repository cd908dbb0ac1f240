"""Known classes by groups, in numbers of documents."""

from __future__ import annotations

from collections.abc import Sequence

from comraf.report.data import Group, TruthTable
from comraf.report.markup import Markup, plain, user
from comraf.report.plots.matrix import plot_matrix
from comraf.report.scales import lightness

__all__ = ["FEW_GROUPS", "plot_truth"]

#: Beyond, columns are too narrow for names and counts: the groups' numbers stand above them.
FEW_GROUPS = 30


def plot_truth(truth: TruthTable, groups: Sequence[Group]) -> Markup:
    """Where the documents of each class went; a row's colours add up to the class.

    Examples
    --------
    >>> table = TruthTable(("harbour",), ((3, 1),), 1, 0)
    >>> groups = [Group(0, "sea", 3, 0.75), Group(1, "leaf", 1, 0.25)]
    >>> "harbour in group 0 (sea): 3" in plot_truth(table, groups)
    True
    """
    names = [plain(name, 60) for name in truth.classes]
    fills = [
        [f"s{lightness((n / max(1, sum(row))) ** 2)}" if n else "" for n in row]
        for row in truth.cells
    ]
    few = len(groups) <= FEW_GROUPS
    texts = [[str(n) if n else "" for n in row] for row in truth.cells] if few else None

    def describe(i: int, j: int) -> str:
        group = groups[j]
        count = truth.cells[i][j]
        return f"{names[i]} in group {group.number} ({plain(group.name, 40)}): {count:,}"

    return plot_matrix(
        [user(name, 60, class_="clip") for name in truth.classes],
        [f"{group.number} {group.name}" if few else str(group.number) for group in groups],
        fills,
        f"{len(names)} known classes by {len(groups)} groups",
        describe=describe,
        texts=texts,
        cell=30 if few else 18,
        # room for a number of three digits
        least=22 if few else 13,
    )
