"""What makes a group unmistakable: its number, and a pair of colour and mark of its own.

Eight colours and twelve marks give 96 groups a look that no other has. Whatever comes after
them has none: it is shown by its number alone, in grey, rather than by a look that is taken.
"""

from __future__ import annotations

import math

__all__ = [
    "HUES",
    "MARKS",
    "PLAIN",
    "Points",
    "barred",
    "hollow",
    "hue",
    "look",
    "mark_path",
    "mark_rules",
    "marker",
    "outline",
]

Points = list[tuple[float, float]]

#: Colours of groups: (on light paper, on dark paper). Chosen so that any two stay apart for
#: people with protan, deutan and tritan vision, and each has a contrast of 3 with its paper.
HUES = (
    ("#1c4da4", "#5aa0e6"),
    ("#cc6526", "#e4a067"),
    ("#3aa17d", "#62f2ce"),
    ("#b277c7", "#9a58b0"),
    ("#745914", "#f2dc70"),
    ("#88194a", "#d8617f"),
    ("#344400", "#4d8c1c"),
    ("#69777e", "#9fb4c4"),
)
#: Marks in the order in which they are taken, so that those of one colour differ most where
#: groups are few. Hollow ones end in "-".
MARKS = (
    *("circle", "circle-", "diamond", "square-", "triangle", "cross"),
    *("square", "wedge-", "star", "diamond-", "wedge", "triangle-"),
)
#: Classes of a group that is shown by its number alone.
PLAIN = "cn kn"

# How wide the rim of a hollow mark is, as a share of its half width.
_RIM = 0.32


def hue(group: int) -> str:
    """The class of a group's colour.

    Examples
    --------
    >>> hue(0), hue(9), hue(500)
    ('c0', 'c1', 'cn')
    """
    return "cn" if marker(group) is None else f"c{group % len(HUES)}"


def marker(group: int) -> int | None:
    """Which mark a group's dots have; None where all looks are taken.

    Examples
    --------
    >>> marker(3), marker(8), marker(17), marker(500)
    (0, 1, 2, None)
    """
    turn = group // len(HUES)
    return turn if turn < len(MARKS) else None


def look(group: int) -> str:
    """The classes of a group's colour and mark; no two groups share them, but for the plain one.

    Examples
    --------
    >>> look(3), look(12), look(500)
    ('c3 k0', 'c4 k1', 'cn kn')
    """
    mark = marker(group)
    return PLAIN if mark is None else f"{hue(group)} k{mark}"


def barred(group: int) -> str:
    """The classes of a group's bars: solid ones for the first of a colour, then rims and hatches.

    Examples
    --------
    >>> barred(3), barred(11), barred(19), barred(500)
    ('c3', 'c3 rim', 'c3 hatch', 'cn')
    """
    turn = marker(group)
    return f"{hue(group)} {'rim' if turn % 2 else 'hatch'}" if turn else hue(group)


def hollow(mark: int) -> bool:
    """Whether a mark is only a rim.

    Examples
    --------
    >>> hollow(0), hollow(1)
    (False, True)
    """
    return MARKS[mark].endswith("-")


def outline(mark: int) -> Points | None:
    """Corners of a mark in a square from -1 to 1, downwards; None for the round ones.

    Examples
    --------
    >>> outline(2)
    [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]
    >>> outline(0) is None
    True
    """
    name = MARKS[mark].rstrip("-")
    if name == "diamond":
        return [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]
    if name == "square":
        return [(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)]
    if name == "triangle":
        return [(0.0, -0.95), (1.0, 0.8), (-1.0, 0.8)]
    if name == "wedge":
        return [(0.0, 0.95), (-1.0, -0.8), (1.0, -0.8)]
    if name == "cross":
        corner = [(-0.32, -1.0), (0.32, -1.0), (0.32, -0.32)]
        points: Points = []
        for _ in range(4):
            points += corner
            corner = [(-y, x) for x, y in corner]
        return points
    if name == "star":
        turns = [(math.pi * i / 5, 1.0 if i % 2 == 0 else 0.42) for i in range(10)]
        return [(r * math.sin(a), -r * math.cos(a)) for a, r in turns]
    return None


def mark_path(mark: int, x: float, y: float, radius: float) -> str:
    """A mark with corners around a place, as the data of a path.

    Examples
    --------
    >>> mark_path(2, 10, 10, 2)
    'M10 8L12 10 10 12 8 10z'
    """
    corners = " ".join(
        f"{_short(x + radius * dx)} {_short(y + radius * dy)}" for dx, dy in outline(mark) or []
    )
    first, second, rest = corners.split(" ", 2)
    return f"M{first} {second}L{rest}z"


def mark_rules() -> str:
    """The style of the marks before numbers; round ones are the sheet's own.

    Examples
    --------
    >>> ".dot.k2::before{" in mark_rules()
    True
    """
    rules = []
    for mark in range(len(MARKS)):
        points = outline(mark)
        if points is None:
            continue
        edge = [*points, points[0]]
        if hollow(mark):
            # The hole is a second turn within the first, joined to it by a line without width.
            cx = sum(x for x, _ in points) / len(points)
            cy = sum(y for _, y in points) / len(points)
            keep = 1 - _RIM * (1.45 if len(points) == 3 else 1.0)
            hole = [(cx + keep * (x - cx), cy + keep * (y - cy)) for x, y in edge]
            edge = [*edge, *hole, edge[0]]
        corners = ",".join(f"{50 + 50 * x:.3g}% {50 + 50 * y:.3g}%" for x, y in edge)
        rules.append(f".dot.k{mark}::before{{clip-path:polygon(evenodd,{corners})}}")
    cornered = [m for m in range(len(MARKS)) if outline(m) is not None]
    names = ",".join(f".dot.k{m}::before" for m in cornered)
    rims = ",".join(f".map .dots.k{m}>*" for m in range(len(MARKS)) if hollow(m))
    return (
        f"{names}{{border:0;border-radius:0;width:.96em;height:.96em}}"
        + "".join(rules)
        + f"{rims}{{fill:var(--wash);fill-opacity:1}}\n"
    )


def _short(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
