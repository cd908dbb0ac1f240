"""How it was found: the graph that was solved, and the objective while the run went on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from comraf.graph.picture import RADIUS, arranged, curves
from comraf.progress import TracePoint
from comraf.report.data import Model, ModelEdge, ModelNode, ReportData
from comraf.report.markup import plain
from comraf.report.panels.panel import Panel
from comraf.report.scales import plural, ticks

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["PANEL"]

_MOST_STEPS = 600
_WIDTH, _HEIGHT, _LANE = 560.0, 190.0, 20.0
_LEFT, _RIGHT, _TOP = 112.0, 14.0, 12.0

_TEMPLATE = """\
<h2>How it was found</h2>
<p class="about">The groups are those for which the clusters of all sides tell most about each
 other: the objective adds up the mutual information along the lines of the graph, in nats.
{%- if data.interrupted %} The run was stopped early; this is the best that was found until then.
{%- endif %}</p>
{% for line in data.known %}<p class="about">{{ line|user(600) }}</p>
{% endfor %}
<div class="made">
<figure><figcaption><h3 class="label">the graph: values → clusters, information along lines</h3>
</figcaption>
<div class="model"><svg viewBox="{{ graph.box }}" role="img"><title>{{ graph.label }}</title>
{% for line in graph.lines %}
<path d="{{ line.path }}" stroke-width="{{ line.thick }}"><title>{{ line.said }}</title></path>
{% endfor %}
{% for node, x, y, said in graph.circles %}
<g{{ "" if node.hidden else ' class="seen"'|safe }}><title>{{ called(node.name)|plain(60) }}: {{
  said }}</title><circle cx="{{ x }}" cy="{{ y }}" r="{{ graph.radius }}"/>
<text x="{{ x }}" y="{{ y - 1 }}" font-weight="600">{{ called(node.name)|plain(12) }}</text>
<text x="{{ x }}" y="{{ y + 15 }}" class="small num">{{ said }}</text></g>
{% endfor %}
{% for line in graph.lines %}
<text x="{{ line.x }}" y="{{ line.y }}" class="small halo num">{{ line.text }}</text>
{% endfor %}
</svg></div></figure>
{% if data.trace %}
<figure><figcaption>
<h3 class="label">the objective, step by step, and the side that moved</h3></figcaption>
{% if trace %}
<div class="trace"><svg viewBox="{{ trace.box }}" role="img"><title>{{ trace.label }}</title>
{% for value, y in trace.ticks %}
<line x1="{{ trace.left }}" x2="{{ trace.right }}" y1="{{ y }}" y2="{{ y }}" class="rule"/>
<text x="{{ trace.left - 8 }}" y="{{ y + 4 }}" text-anchor="end" class="small num">{{ value
  }}</text>
{% endfor %}
<path d="{{ trace.curve }}" class="curve"/>
<circle cx="{{ trace.end[0] }}" cy="{{ trace.end[1] }}" r="3.5" class="end"/>
{% for node, y, dots in trace.lanes %}
<text x="{{ trace.left - 8 }}" y="{{ y + 4 }}" text-anchor="end" class="small">{{
  called(node)|plain(11) }}</text>
{% for x, step in dots %}
<circle cx="{{ x }}" cy="{{ y }}" r="2.3" class="act"><title>step {{ step.step }}: {{
  called(node)|plain(30) }}, {{ step.action }}, {{ step.n_clusters|commas }} clusters</title>
</circle>
{% endfor %}
{% endfor %}
</svg></div>
{% endif %}
<p class="about">It rises while sides are split into more clusters, and falls while others merge
 into the number that was asked for.</p></figure>
{% endif %}
</div>
<div class="scroll"><table class="facts">
<thead><tr><th scope="col">table</th><th scope="col" class="num">entries</th>
<th scope="col" class="num">weight</th><th scope="col" class="num">information</th></tr></thead>
<tbody>
{% for edge in edges %}
<tr><td>{{ called(edge.a)|user(40) }} – {{ called(edge.b)|user(40) }}</td>
<td class="num">{{ edge.entries|commas }}</td>
<td class="num">{{ "%.3g"|format(edge.weight) }}</td>
<td class="num">{{ "%.4f"|format(edge.information) }}</td></tr>
{% endfor %}
<tr><td>objective</td><td></td><td></td>
<td class="num"><b>{{ "%.4f"|format(data.objective) }}</b></td></tr>
</tbody></table></div>
"""


def _gather(answer: Answer) -> dict[str, Any]:
    graph, result = answer.graph, answer.result
    nodes = tuple(
        ModelNode(
            node.name,
            graph.sizes[node.name],
            int(result.n_clusters.get(node.name, graph.sizes[node.name])),
            node.direction,
            node.hidden,
        )
        for node in graph.nodes
    )
    edges = tuple(
        ModelEdge(e.a, e.b, float(e.weight), float(found.information), int(e.counts.nnz))
        for e, found in zip(graph.edges, result.edges, strict=True)
    )
    points = result.trace
    step = max(1, -(-len(points) // _MOST_STEPS))
    kept = [*points[:-1:step], points[-1]] if points else []
    return {
        "model": Model(nodes, edges),
        "objective": float(result.objective),
        "seconds": float(result.seconds),
        "trace": tuple(kept),
        "interrupted": bool(result.interrupted),
        "known": tuple(map(str, answer.known)),
    }


def _show(data: ReportData) -> dict[str, Any]:
    many = plural(data.kind)

    def called(node: str) -> str:
        """What a node is called for a reader, who knows documents as messages or photos."""
        return many if node == "documents" else node

    return {
        "called": called,
        "graph": _graph(data.model, called),
        "trace": _curve(data.trace),
        "edges": data.model.edges,
    }


def _graph(model: Model, called: Callable[[str], str]) -> dict[str, Any]:
    """Nodes as circles, edges as lines as thick as the information they hold."""
    ends = [(edge.a, edge.b) for edge in model.edges]
    places, width, height = arranged([node.name for node in model.nodes], ends)
    most = max((abs(edge.information) for edge in model.edges), default=0.0) or 1.0
    lines = []
    for edge, (path, x, y) in zip(model.edges, curves(ends, places), strict=True):
        weight = f" × {edge.weight:.3g}" if edge.weight != 1.0 else ""
        lines.append(
            {
                "path": path,
                "thick": 2.0 + 9.0 * abs(edge.information) / most,
                "said": f"{plain(called(edge.a), 40)} and {plain(called(edge.b), 40)}: "
                f"{edge.information:.3f} nats",
                "text": f"{edge.information:.2f}{weight}",
                "x": x,
                "y": y,
            }
        )
    circles = [
        (
            node,
            *places[node.name],
            f"{node.size:,} → {node.n_clusters:,}" if node.hidden else f"{node.size:,} observed",
        )
        for node in model.nodes
    ]
    return {
        "box": f"0 0 {width:.0f} {height:.0f}",
        "label": f"Graph of {', '.join(plain(called(node.name), 40) for node in model.nodes)}",
        "lines": lines,
        "circles": circles,
        "radius": RADIUS,
    }


def _curve(trace: Sequence[TracePoint]) -> dict[str, Any] | None:
    """A curve, and under it a lane of dots for each side."""
    steps = [step for step in trace if math.isfinite(step.objective)]
    if not steps:
        return None
    low = min(0.0, *(s.objective for s in steps)) if len(steps) > 1 else 0.0
    high = max(s.objective for s in steps)
    high = high if high > low else low + 1.0
    first, last = steps[0].step, max(steps[-1].step, steps[0].step + 1)

    def x(step: float) -> float:
        return _LEFT + (step - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HEIGHT - _TOP)

    nodes = list(dict.fromkeys(step.node for step in steps))
    return {
        "box": f"0 0 {_WIDTH:.0f} {_HEIGHT + _LANE * (len(nodes) + 0.8):.0f}",
        "label": f"Objective over {len(steps)} steps, from {steps[0].objective:.3f} to "
        f"{steps[-1].objective:.3f} nats",
        "left": _LEFT,
        "right": _WIDTH - _RIGHT,
        "ticks": [(f"{tick:g}", y(tick)) for tick in ticks(low, high)],
        "curve": "".join(
            f"{'L' if i else 'M'}{x(s.step):.1f} {y(s.objective):.1f}" for i, s in enumerate(steps)
        ),
        "end": (x(steps[-1].step), y(steps[-1].objective)),
        "lanes": [
            (
                node,
                _HEIGHT + _LANE * (lane + 1),
                [(x(step.step), step) for step in steps if step.node == node],
            )
            for lane, node in enumerate(nodes)
        ],
    }


PANEL = Panel(
    name="found", short="How it was found", template=_TEMPLATE, gather=_gather, show=_show
)
