"""The heat map of a clustered table: over- and under-use of clusters by groups."""

from __future__ import annotations

from collections.abc import Sequence

from comraf.report.data import Group, HeatMap
from comraf.report.markup import Markup, el, plain
from comraf.report.parts import row_name
from comraf.report.plots.matrix import plot_matrix
from comraf.report.scales import STEPS, binned

__all__ = ["heat_key", "plot_heat", "shade"]


def plot_heat(heat: HeatMap, groups: Sequence[Group]) -> Markup:
    """Groups by clusters of a side, or by its values where it was not clustered.

    Examples
    --------
    >>> heat = HeatMap("words", ((0, "sea, ship"),), ((2.1,),), 1, 0.5)
    >>> "4.3 times as often as expected" in plot_heat(heat, [Group(0, "sea", 1, 1.0)])
    True
    """
    fills = [[shade(cell) for cell in row] for row in heat.cells]

    def describe(i: int, j: int) -> str:
        number, members = heat.columns[j]
        times = 2.0 ** max(-30.0, min(30.0, heat.cells[i][j]))
        often = f"{times:.1f} times as often as expected" if times >= 0.1 else "hardly ever"
        what = f"{heat.side} {number} ({plain(members, 40)})" if heat.clustered else members
        return f"group {groups[i].number} ({plain(groups[i].name, 40)}) and {what}: {often}"

    return plot_matrix(
        [row_name(group) for group in groups],
        [members or f"{heat.side} {number}" for number, members in heat.columns],
        fills,
        f"Heat map of {len(groups)} groups by {len(heat.columns)} "
        f"{'clusters' if heat.clustered else 'values'} of {plain(heat.side, 40)}",
        describe=describe,
        cell=20 if len(groups) <= 40 else 14,
    )


def heat_key() -> Markup:
    """What the colours mean.

    Examples
    --------
    >>> "more than expected" in heat_key()
    True
    """
    steps = [f"u{i}" for i in range(STEPS, 0, -1)] + ["z"] + [f"o{i}" for i in range(1, STEPS + 1)]
    boxes = [
        el("rect", x=22 * i, y=0, width=21, height=12, class_=step) for i, step in enumerate(steps)
    ]
    scale = el("svg", boxes, viewBox=f"0 0 {22 * len(steps)} 12", aria_hidden="true")
    return el(
        "div", "less than expected", scale, "more than expected (2, 4, 8, 16 times)", class_="key"
    )


def shade(value: float) -> str:
    """The class of a cell that is log2 of observed over expected.

    Examples
    --------
    >>> shade(1.2), shade(0.1), shade(-9.0)
    ('o1', 'z', 'u4')
    """
    step = binned(value)
    return f"o{step}" if step > 0 else f"u{-step}" if step < 0 else "z"
