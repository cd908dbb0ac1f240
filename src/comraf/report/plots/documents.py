"""The map of documents: dots in the colours of their groups, a number on each group."""

from __future__ import annotations

import math
from collections.abc import Sequence

from comraf.report.data import DocumentMap, Group, MapPoint
from comraf.report.marks import hollow, look, mark_path, marker, outline
from comraf.report.markup import Markup, el, plain, user
from comraf.report.parts import swatch
from comraf.report.scales import dot_size

__all__ = ["apart", "choice_rules", "plot_map"]

_WIDTH = 1000.0
_MARGIN = 22.0
# A hundred names would be longer than the map.
_FEW = 40
# Room for the number of a group, and how often numbers in each other's way step aside.
_DIGIT, _LINE, _TURNS = 12.0, 20.0, 40


def choice_rules(numbers: Sequence[int]) -> str:
    """Rules that fade all groups but the one chosen under the map.

    Examples
    --------
    >>> choice_rules([3])
    '#map:has(#pick3:checked) .dots:not(.d3){opacity:.1}'
    """
    return "".join(f"#map:has(#pick{n}:checked) .dots:not(.d{n}){{opacity:.1}}" for n in numbers)


def plot_map(chart: DocumentMap, groups: Sequence[Group], many: str = "documents") -> Markup:
    """The map and, under it, buttons that single out a group.

    Examples
    --------
    >>> chart = DocumentMap((MapPoint(0.2, 0.3, 0, "A letter"),), (MapPoint(0.2, 0.3, 0),), 1)
    >>> "<title>A letter (group 0)</title>" in plot_map(chart, [Group(0, "sea", 1, 1.0)])
    True
    """
    # The same rule as the layout's: dots just touch where they are dense.
    radius = min(5.5, 0.14 * math.sqrt(0.6 * _WIDTH**2 / max(1, len(chart.points))))
    inner_height = _WIDTH * chart.aspect
    by_group: dict[int, list[Markup]] = {}
    for point in chart.points:
        dot = _dot(point, radius, inner_height)
        by_group.setdefault(point.group, []).append(dot)
    told = {group.number: f"group {group.number}: {plain(group.name, 60)}" for group in groups}
    layers = [
        # Links cannot be nested or grouped by keyboard users one dot at a time: one per group.
        el(
            "a",
            el("title", told.get(number, f"group {number}")),
            el("g", dots, class_=f"dots d{number} {look(number)}"),
            href=f"#g{number}",
            aria_label=told.get(number, f"group {number}"),
        )
        for number, dots in sorted(by_group.items())
    ]
    places = [(_x(point), _y(point, inner_height)) for point in chart.labels]
    tags = [
        el("text", point.group, x=x, y=y + 6, class_="tag", aria_hidden="true")
        for point, (x, y) in zip(
            chart.labels, apart(places, [len(str(p.group)) for p in chart.labels]), strict=True
        )
    ]
    width, height = _WIDTH + 2 * _MARGIN, inner_height + 2 * _MARGIN
    picture = el(
        "svg",
        el(
            "title",
            f"Map of {sum(point.copies for point in chart.points):,} {many} in "
            f"{len(by_group)} groups",
        ),
        layers,
        tags,
        viewBox=f"0 0 {width:g} {height:.0f}",
        role="group",
    )
    many = " many" if len(by_group) > _FEW else ""
    return el("div", el("div", picture, class_=f"map{many}"), _choices(groups, by_group))


def apart(
    places: Sequence[tuple[float, float]], digits: Sequence[int]
) -> list[tuple[float, float]]:
    """Places of numbers, moved a little where they would be written over each other.

    Parameters
    ----------
    places : sequence of (float, float)
        Where their middles are wanted.
    digits : sequence of int
        How long each of them is.

    Examples
    --------
    >>> apart([(10.0, 10.0), (10.0, 12.0)], [1, 1])
    [(2.0, 10.0), (18.0, 12.0)]
    """
    out = [list(place) for place in places]
    order = sorted(range(len(out)), key=lambda i: (out[i][1], out[i][0]))
    for _ in range(_TURNS):
        moved = False
        for n, i in enumerate(order):
            for j in order[n + 1 :]:
                wide = _DIGIT * (digits[i] + digits[j]) / 2 + 4
                dx, dy = out[j][0] - out[i][0], out[j][1] - out[i][1]
                if abs(dx) >= wide or abs(dy) >= _LINE:
                    continue
                moved = True
                # Along the axis on which less is missing; half a step each.
                axis, miss, way = (
                    (0, wide - abs(dx), 1 if dx >= 0 else -1)
                    if wide - abs(dx) < _LINE - abs(dy)
                    else (1, _LINE - abs(dy), 1 if dy >= 0 else -1)
                )
                out[i][axis] -= way * miss / 2
                out[j][axis] += way * miss / 2
        if not moved:
            break
    return [(x, y) for x, y in out]


def _choices(groups: Sequence[Group], present: dict[int, list[Markup]]) -> Markup:
    def choice(ident: str, content: object, checked: bool = False, name: str = "") -> Markup:
        button = el("input", type="radio", name="pick", id=ident, class_="unseen", checked=checked)
        return el("label", button, content, title=plain(name, 80) or None)

    picks = [choice("pick", "all groups", True)]
    # With many groups numbers do; the table above has the names.
    few = len(present) <= _FEW
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
    more = f" and {point.copies - 1:,} more nearly like it" if point.copies > 1 else ""
    where = f"{more} (group {point.group})"
    title = el("title", plain(point.title, 90) + where) if point.title else None
    radius *= dot_size(point.copies)
    x, y = _x(point), _y(point, height)
    mark = marker(point.group)
    if mark is None:  # no look is left for it: the number itself is the dot
        size = max(9.0, 2.6 * radius)
        return el("text", title, point.group, x=x, y=y + 0.36 * size, font_size=size)
    rim = 0.85 if hollow(mark) else 1.0
    shape = (
        {"cx": x, "cy": y, "r": radius * rim}
        if outline(mark) is None
        else {"d": mark_path(mark, x, y, 1.25 * radius * rim)}
    )
    tag = "circle" if outline(mark) is None else "path"
    # An element with content is not closed in one go, even if the content is nothing.
    return el(tag, title, **shape) if title else el(tag, **shape)
