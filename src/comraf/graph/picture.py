"""A picture of a graph as SVG text: hidden nodes white, observed ones shaded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comraf.graph.model import Graph, Node

__all__ = ["RADIUS", "arranged", "curves", "draw"]

Place = tuple[float, float]

_INK, _SHADE, _QUIET = "#1f2937", "#cbd5e1", "#475569"
RADIUS = 46.0
# From the middle to the ring at least, and along the ring from one circle to the next.
_REACH, _ARC = 176.0, 118.0


def draw(graph: Graph) -> str:
    """SVG of the graph; self-contained, without script or outside references.

    Examples
    --------
    >>> from comraf.graph import Edge, Graph, Node
    >>> graph = Graph(
    ...     [Node("d", n_clusters=1), Node("w", observed="singletons")], [Edge("d", "w", [[1]])]
    ... )
    >>> draw(graph).startswith("<svg")
    True
    """
    names, ends = [node.name for node in graph.nodes], [(edge.a, edge.b) for edge in graph.edges]
    places, width, height = arranged(names, ends)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13" text-anchor="middle">',
        f"<title>{escape(_title(graph))}</title>",
    ]
    parts += _lines(graph, places)
    for node in graph.nodes:
        parts.append(_circle(graph, node, *places[node.name]))
    parts.append("</svg>")
    return "\n".join(parts)


def _title(graph: Graph) -> str:
    nodes = ", ".join(node.name + ("" if node.hidden else " (observed)") for node in graph.nodes)
    return _printable(f"Comraf graph of {nodes}")


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def arranged(
    names: Sequence[str], ends: Sequence[tuple[str, str]], margin: float = RADIUS + 8
) -> tuple[dict[str, Place], float, float]:
    """Middles of circles, and the width and height they take.

    The node that all edges share is in the middle of the others; where there is none, all are
    on a ring, and up to three in a row.

    Examples
    --------
    >>> arranged(["a", "b"], [("a", "b")])
    ({'a': (54.0, 54.0), 'b': (230.0, 54.0)}, 284.0, 108.0)
    """
    hub = max(names, key=lambda name: sum(name in pair for pair in ends), default="")
    star = len(names) > 2 and all(hub in pair for pair in ends)
    ring = [name for name in names if not (star and name == hub)]
    if len(names) <= 2 or (star and len(ring) == 2):
        row = [ring[0], hub, ring[1]] if star else names
        places = {name: (_REACH * i, 0.0) for i, name in enumerate(row)}
    else:
        reach = max(_REACH, len(ring) * _ARC / (2 * math.pi))
        places = {}
        for i, name in enumerate(ring):
            angle = 2 * math.pi * i / len(ring) - math.pi / 2
            places[name] = (reach * math.cos(angle), reach * math.sin(angle))
        if star:
            places[hub] = (0.0, 0.0)
    xs, ys = zip(*places.values(), strict=True) if places else ((0.0,), (0.0,))
    moved = {name: (x - min(xs) + margin, y - min(ys) + margin) for name, (x, y) in places.items()}
    return moved, max(xs) - min(xs) + 2 * margin, max(ys) - min(ys) + 2 * margin


def curves(
    ends: Sequence[tuple[str, str]], places: Mapping[str, Place]
) -> Iterator[tuple[str, float, float]]:
    """Each edge as the data of a path, and where a label goes; several of a pair side by side.

    Examples
    --------
    >>> list(curves([("a", "b")], {"a": (0.0, 0.0), "b": (10.0, 0.0)}))
    [('M0.0 0.0Q5.0 0.0 10.0 0.0', 5.0, 4.0)]
    """
    drawn: Counter[frozenset[str]] = Counter()
    for a, b in ends:
        number = drawn[frozenset((a, b))]
        drawn[frozenset((a, b))] += 1
        (x1, y1), (x2, y2) = places[a], places[b]
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        bend = 40.0 * ((number + 1) // 2) * (1 if number % 2 else -1)
        cx = (x1 + x2) / 2 - (y2 - y1) / length * bend
        cy = (y1 + y2) / 2 + (x2 - x1) / length * bend
        path = f"M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}"
        yield path, (cx + (x1 + x2) / 2) / 2, (cy + (y1 + y2) / 2) / 2 + 4


def _lines(graph: Graph, places: Mapping[str, Place]) -> list[str]:
    """Edges as lines, with the weights that are not 1."""
    lines: list[str] = []
    weights: list[str] = []  # drawn last, so that no line runs over them
    ends = [(edge.a, edge.b) for edge in graph.edges]
    for edge, (path, x, y) in zip(graph.edges, curves(ends, places), strict=True):
        lines.append(f'<path d="{path}" fill="none" stroke="{_INK}" stroke-width="2"/>')
        if edge.weight != 1:
            weights.append(
                # on the line, halfway between the circles, with a rim that keeps it legible
                f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" fill="{_QUIET}" stroke="#ffffff" '
                f'stroke-width="6" stroke-linejoin="round" paint-order="stroke">'
                f"{edge.weight:.3g}</text>"
            )
    return lines + weights


def _circle(graph: Graph, node: Node, x: float, y: float) -> str:
    fill = "#ffffff" if node.hidden else _SHADE
    size = graph.sizes.get(node.name)
    shown = "?" if size is None else f"{size:,}"
    if not node.hidden:
        how = "observed"
    else:
        arrow = "\u2191" if node.direction == "bottom-up" else "\u2193"
        how = f"{arrow} {node.n_clusters or 'as many as fit'}"
    full = _printable(node.name)
    name = full if len(full) <= 12 else full[:11] + "\u2026"
    return (
        f"<g><title>{escape(full)}</title>"
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:g}" fill="{fill}" stroke="{_INK}" '
        f'stroke-width="2"/>'
        # all of it within the circle: below it lines and other circles may be
        f'<text x="{x:.1f}" y="{y - 8:.1f}" font-weight="600" fill="{_INK}">{escape(name)}</text>'
        f'<text x="{x:.1f}" y="{y + 8:.1f}" font-size="11" fill="{_QUIET}">{shown}</text>'
        f'<text x="{x:.1f}" y="{y + 23:.1f}" font-size="10" fill="{_QUIET}">{how}</text>'
        f"</g>"
    )
