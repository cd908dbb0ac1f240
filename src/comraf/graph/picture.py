"""A picture of a graph as SVG text: hidden nodes white, observed ones shaded."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comraf.graph.model import Graph, Node

__all__ = ["draw"]

_INK, _SHADE, _QUIET = "#1f2937", "#cbd5e1", "#475569"
_RADIUS = 46


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
    places, width, height = _places(graph)
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
    text = f"Comraf graph of {nodes}"
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _places(graph: Graph) -> tuple[dict[str, tuple[float, float]], float, float]:
    """The best-connected node in the middle where the graph is a star, a ring otherwise."""
    names = [node.name for node in graph.nodes]
    degree = {name: sum(name in (e.a, e.b) for e in graph.edges) for name in names}
    hub = max(names, key=lambda name: degree[name]) if names else ""
    star = len(names) > 2 and all(hub in (e.a, e.b) for e in graph.edges)
    ring = [name for name in names if not (star and name == hub)]
    margin = _RADIUS + 34
    if len(names) <= 2 or (star and len(names) == 3):
        row = [ring[0], hub, ring[1]] if star else names
        places = {name: (margin + 190.0 * i, float(margin)) for i, name in enumerate(row)}
        return places, 2 * margin + 190 * max(0, len(row) - 1), 2 * margin
    radius = max(150.0, len(ring) * 125 / (2 * math.pi))
    centre = radius + margin
    places = {}
    for i, name in enumerate(ring):
        angle = 2 * math.pi * i / len(ring) - math.pi / 2
        places[name] = (centre + radius * math.cos(angle), centre + radius * math.sin(angle))
    if star:
        places[hub] = (centre, centre)
    return places, 2 * centre, 2 * centre


def _lines(graph: Graph, places: dict[str, tuple[float, float]]) -> list[str]:
    """Edges as lines; several between one pair as curves side by side."""
    parts: list[str] = []
    weights: list[str] = []  # drawn last, so that no line runs over them
    seen: dict[frozenset[str], int] = {}
    for edge in graph.edges:
        pair = frozenset((edge.a, edge.b))
        number = seen.get(pair, 0)
        seen[pair] = number + 1
        (x1, y1), (x2, y2) = places[edge.a], places[edge.b]
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        bend = 36.0 * ((number + 1) // 2) * (1 if number % 2 else -1)
        cx = (x1 + x2) / 2 - (y2 - y1) / length * bend
        cy = (y1 + y2) / 2 + (x2 - x1) / length * bend
        parts.append(
            f'<path d="M{x1:.1f} {y1:.1f} Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}" '
            f'fill="none" stroke="{_INK}" stroke-width="2"/>'
        )
        if edge.weight != 1:
            weights.append(
                # on the line, halfway between the circles, with a rim that keeps it legible
                f'<text x="{(cx + (x1 + x2) / 2) / 2:.1f}" y="{(cy + (y1 + y2) / 2) / 2 + 4:.1f}" '
                f'font-size="11" fill="{_QUIET}" stroke="#ffffff" stroke-width="6" '
                f'stroke-linejoin="round" paint-order="stroke">{edge.weight:.3g}</text>'
            )
    return parts + weights


def _circle(graph: Graph, node: Node, x: float, y: float) -> str:
    fill = "#ffffff" if node.hidden else _SHADE
    size = graph.sizes.get(node.name)
    shown = "?" if size is None else f"{size:,}"
    if not node.hidden:
        how = "observed"
    else:
        arrow = "\u2191" if node.direction == "bottom-up" else "\u2193"
        how = f"{arrow} {node.n_clusters or 'as many as fit'}"
    full = "".join(char if char.isprintable() else "\ufffd" for char in node.name)
    name = full if len(full) <= 12 else full[:11] + "\u2026"
    return (
        f"<g><title>{escape(full)}</title>"
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="{fill}" stroke="{_INK}" '
        f'stroke-width="2"/>'
        # all of it within the circle: below it lines and other circles may be
        f'<text x="{x:.1f}" y="{y - 8:.1f}" font-weight="600" fill="{_INK}">{escape(name)}</text>'
        f'<text x="{x:.1f}" y="{y + 8:.1f}" font-size="11" fill="{_QUIET}">{shown}</text>'
        f'<text x="{x:.1f}" y="{y + 23:.1f}" font-size="10" fill="{_QUIET}">{how}</text>'
        f"</g>"
    )
