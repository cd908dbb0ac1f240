"""The map of documents: dots in the colours of their groups, a number on each group."""

from __future__ import annotations

import math
from collections.abc import Sequence

from comraf.report.data import DocumentMap, Group, MapPoint
from comraf.report.markup import Markup, el, plain, user
from comraf.report.parts import swatch
from comraf.report.scales import hue, marker

__all__ = ["choice_rules", "plot_map"]

_WIDTH = 1000.0
_MARGIN = 22.0


def choice_rules(numbers: Sequence[int]) -> str:
    """Rules that fade all groups but the one chosen under the map.

    Examples
    --------
    >>> choice_rules([3])
    '#map:has(#pick3:checked) .dots:not(.d3){opacity:.1}'
    """
    return "".join(f"#map:has(#pick{n}:checked) .dots:not(.d{n}){{opacity:.1}}" for n in numbers)


def plot_map(chart: DocumentMap, groups: Sequence[Group]) -> Markup:
    """The map and, under it, buttons that single out a group.

    Examples
    --------
    >>> chart = DocumentMap((MapPoint(0.2, 0.3, 0, "A letter"),), (MapPoint(0.2, 0.3, 0),), 1)
    >>> "<title>A letter</title>" in plot_map(chart, [Group(0, "sea", 1, 1.0)])
    True
    """
    # The same rule as the layout's: dots just touch where they are dense.
    radius = min(5.5, 0.14 * math.sqrt(0.6 * _WIDTH**2 / max(1, len(chart.points))))
    inner_height = _WIDTH * chart.aspect
    by_group: dict[int, list[Markup]] = {}
    for point in chart.points:
        dot = _dot(point, radius, inner_height)
        by_group.setdefault(point.group, []).append(dot)
    names = {group.number: group.name for group in groups}
    layers = [
        # Links cannot be nested or grouped by keyboard users one dot at a time: one per group.
        el(
            "a",
            el("g", dots, class_=f"dots d{number} {hue(number)} k{marker(number)}"),
            href=f"#g{number}",
            aria_label=f"group {number}: {plain(names.get(number, ''), 60)}",
        )
        for number, dots in sorted(by_group.items())
    ]
    tags = [
        el(
            "text",
            point.group,
            x=_x(point),
            y=_y(point, inner_height) + 6,
            class_="tag",
            aria_hidden="true",
        )
        for point in chart.labels
    ]
    width, height = _WIDTH + 2 * _MARGIN, inner_height + 2 * _MARGIN
    picture = el(
        "svg",
        el("title", f"Map of {len(chart.points):,} documents in {len(by_group)} groups"),
        layers,
        tags,
        viewBox=f"0 0 {width:g} {height:.0f}",
        role="group",
    )
    return el("div", el("div", picture, class_="map"), _choices(groups, by_group))


def _choices(groups: Sequence[Group], present: dict[int, list[Markup]]) -> Markup:
    def choice(ident: str, content: object, checked: bool = False, name: str = "") -> Markup:
        button = el("input", type="radio", name="pick", id=ident, class_="unseen", checked=checked)
        return el("label", button, content, title=plain(name, 80) or None)

    picks = [choice("pick", "all groups", True)]
    # A hundred names would be longer than the map: numbers do, the table above has the names.
    few = len(present) <= 40
    picks += [
        choice(
            f"pick{g.number}",
            [swatch(g.number), [" ", user(g.name, 40)] if few else None],
            name=g.name,
        )
        for g in groups
        if g.number in present
    ]
    return el(
        "fieldset", el("legend", "Single out a group", class_="unseen"), picks, class_="picks"
    )


def _x(point: MapPoint) -> float:
    return _MARGIN + point.x * _WIDTH


def _y(point: MapPoint, height: float) -> float:
    return _MARGIN + point.y * height


def _dot(point: MapPoint, radius: float, height: float) -> Markup:
    title = el("title", plain(point.title, 90)) if point.title else None
    x, y = _x(point), _y(point, height)
    if marker(point.group) == 2:
        r = radius * 1.25
        shape = f"M{x:.1f} {y - r:.1f}l{r:.1f} {r:.1f} {-r:.1f} {r:.1f} {-r:.1f} {-r:.1f}z"
        return el("path", title, d=shape) if title else el("path", d=shape)
    r = radius * (0.85 if marker(point.group) else 1.0)
    if title is None:
        return el("circle", cx=x, cy=y, r=r)
    return el("circle", title, cx=x, cy=y, r=r)
