"""The graph that was solved, with what came out of it."""

from __future__ import annotations

import math

from comraf.report.data import Model, ModelNode
from comraf.report.markup import Markup, el, plain

__all__ = ["plot_model"]

_RADIUS = 46.0
_REACH = 176.0


def plot_model(model: Model) -> Markup:
    """Nodes as circles, edges as lines as thick as the information they hold.

    Examples
    --------
    >>> from comraf.report.data import ModelEdge
    >>> nodes = (ModelNode("documents", 9, 2, "bottom-up"), ModelNode("words", 30, 4, "top-down"))
    >>> model = Model(nodes, (ModelEdge("documents", "words", 1.0, 0.7, 80),))
    >>> plot_model(model).count("<circle")
    2
    """
    places, width, height = _places(model)
    most = max((abs(edge.information) for edge in model.edges), default=0.0) or 1.0
    lines: list[Markup] = []
    words: list[Markup] = []  # over the circles
    seen: dict[frozenset[str], int] = {}
    for edge in model.edges:
        pair = frozenset((edge.a, edge.b))
        number = seen.get(pair, 0)
        seen[pair] = number + 1
        (x1, y1), (x2, y2) = places[edge.a], places[edge.b]
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        # Several edges of one pair lie side by side.
        bend = 40.0 * ((number + 1) // 2) * (1 if number % 2 else -1)
        cx = (x1 + x2) / 2 - (y2 - y1) / length * bend
        cy = (y1 + y2) / 2 + (x2 - x1) / length * bend
        thick = 2.0 + 9.0 * abs(edge.information) / most
        lines.append(
            el(
                "path",
                el("title", _told(edge.a, edge.b, edge.information)),
                d=f"M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}",
                stroke_width=thick,
            )
        )
        weight = f" × {edge.weight:.3g}" if edge.weight != 1.0 else ""
        words.append(
            el(
                "text",
                f"{edge.information:.2f}{weight}",
                x=(cx + (x1 + x2) / 2) / 2,
                y=(cy + (y1 + y2) / 2) / 2 + 4,
                class_="small halo num",
            )
        )
    circles = [_circle(node, *places[node.name]) for node in model.nodes]
    names = ", ".join(plain(node.name, 40) for node in model.nodes)
    picture = el(
        "svg",
        el("title", f"Graph of {names}"),
        lines,
        circles,
        words,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
    )
    return el("div", picture, class_="model")


def _told(a: str, b: str, information: float) -> str:
    return f"{plain(a, 40)} and {plain(b, 40)}: {information:.3f} nats"


def _places(model: Model) -> tuple[dict[str, tuple[float, float]], float, float]:
    """The node that all edges share in the middle; a ring where there is none."""
    names = [node.name for node in model.nodes]
    degree = {name: sum(name in (e.a, e.b) for e in model.edges) for name in names}
    hub = max(names, key=lambda name: degree[name], default="")
    star = len(names) > 2 and all(hub in (e.a, e.b) for e in model.edges)
    ring = [name for name in names if not (star and name == hub)]
    margin = _RADIUS + 8
    if len(names) <= 2 or (star and len(ring) == 2):
        row = [ring[0], hub, ring[1]] if star else names
        gap = 2 * _RADIUS + 84
        places = {name: (margin + gap * i, margin) for i, name in enumerate(row)}
        return places, 2 * margin + gap * max(0, len(row) - 1), 2 * margin
    reach = max(_REACH, len(ring) * 118 / (2 * math.pi))
    places = {}
    for i, name in enumerate(ring):
        angle = 2 * math.pi * i / len(ring) - math.pi / 2
        places[name] = (reach * math.cos(angle), reach * math.sin(angle))
    if star:
        places[hub] = (0.0, 0.0)
    left = min(x for x, _ in places.values()) - margin
    top = min(y for _, y in places.values()) - margin
    right = max(x for x, _ in places.values()) + margin
    bottom = max(y for _, y in places.values()) + margin
    moved = {name: (x - left, y - top) for name, (x, y) in places.items()}
    return moved, right - left, bottom - top


def _circle(node: ModelNode, x: float, y: float) -> Markup:
    below = f"{node.size:,} → {node.n_clusters:,}" if node.hidden else f"{node.size:,} observed"
    return el(
        "g",
        el("title", f"{plain(node.name, 60)}: {below}"),
        el("circle", cx=x, cy=y, r=_RADIUS),
        el("text", plain(node.name, 12), x=x, y=y - 1, font_weight=600),
        el("text", below, x=x, y=y + 15, class_="small num"),
        class_=None if node.hidden else "seen",
    )
