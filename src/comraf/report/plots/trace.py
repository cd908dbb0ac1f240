"""The objective while the run went on, and which side moved when."""

from __future__ import annotations

import math
from collections.abc import Sequence

from comraf.report.data import TraceStep
from comraf.report.markup import Markup, el, plain
from comraf.report.scales import ticks

__all__ = ["plot_trace"]

_WIDTH, _HEIGHT, _LANE = 560.0, 190.0, 20.0
_LEFT, _RIGHT, _TOP = 112.0, 14.0, 12.0


def plot_trace(trace: Sequence[TraceStep]) -> Markup:
    """A curve, and under it a lane of dots for each side.

    Examples
    --------
    >>> steps = [TraceStep(1, "words", "split", 2, 0.2), TraceStep(2, "words", "split", 4, 0.5)]
    >>> plot_trace(steps).count("<circle")
    3
    """
    steps = [step for step in trace if math.isfinite(step.objective)]
    if not steps:
        return Markup()
    low = min(0.0, *(s.objective for s in steps)) if len(steps) > 1 else 0.0
    high = max(s.objective for s in steps)
    high = high if high > low else low + 1.0
    first, last = steps[0].step, max(steps[-1].step, steps[0].step + 1)

    def x(step: float) -> float:
        return _LEFT + (step - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (_HEIGHT - _TOP)

    parts: list[Markup] = []
    for tick in ticks(low, high):
        parts.append(
            el("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y(tick), y2=y(tick), class_="rule")
        )
        parts.append(
            el(
                "text",
                f"{tick:g}",
                x=_LEFT - 8,
                y=y(tick) + 4,
                text_anchor="end",
                class_="small num",
            )
        )
    curve = "".join(
        f"{'L' if i else 'M'}{x(s.step):.1f} {y(s.objective):.1f}" for i, s in enumerate(steps)
    )
    parts.append(el("path", d=curve, class_="curve"))
    parts.append(el("circle", cx=x(steps[-1].step), cy=y(steps[-1].objective), r=3.5, class_="end"))
    nodes = list(dict.fromkeys(step.node for step in steps))
    for lane, node in enumerate(nodes):
        height = _HEIGHT + _LANE * (lane + 1)
        parts.append(
            el(
                "text",
                plain(node, 11),
                x=_LEFT - 8,
                y=height + 4,
                text_anchor="end",
                class_="small",
            )
        )
        parts += [
            el(
                "circle",
                el(
                    "title",
                    f"step {s.step}: {plain(node, 30)}, {s.action}, {s.n_clusters:,} clusters",
                ),
                cx=x(s.step),
                cy=height,
                r=2.3,
                class_="act",
            )
            for s in steps
            if s.node == node
        ]
    label = (
        f"Objective over {len(steps)} steps, from {steps[0].objective:.3f} to "
        f"{steps[-1].objective:.3f} nats"
    )
    picture = el(
        "svg",
        el("title", label),
        parts,
        viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT + _LANE * (len(nodes) + 0.8):.0f}",
        role="img",
    )
    return el("div", picture, class_="trace")
