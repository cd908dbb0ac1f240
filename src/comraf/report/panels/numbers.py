"""How many groups: what each number foretells, and which are good places to cut."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from comraf.report.panels.panel import Panel

if TYPE_CHECKING:
    from comraf.report.answer import Answer
    from comraf.report.data import ReportData

__all__ = ["PANEL"]

_WIDTH, _HEIGHT, _LEFT, _BELOW = 560.0, 150.0, 46.0, 24.0

_TEMPLATE = """\
<h2>How many groups</h2>
<p class="about">Groups by half of the values: how much of the other half do they foretell, as a
 share of the most that any number does? {{ best }} is where twice as many groups begin to add
 little{% if others %}; {{ others }} would be good numbers, too{% endif %}.</p>
<div class="trace"><svg viewBox="{{ box }}" role="img"><title>{{ label }}</title>
{% for y, said in ticks %}
<line x1="{{ left }}" x2="{{ right }}" y1="{{ y }}" y2="{{ y }}" class="rule"/>
<text x="{{ left - 8 }}" y="{{ y + 4 }}" text-anchor="end" class="small num">{{ said }}</text>
{% endfor %}
<path d="{{ curve }}" class="curve"/>
{% for k, x, y in marks %}
<circle cx="{{ x }}" cy="{{ y }}" r="3.5" class="end"><title>{{ k }} groups</title></circle>
<text x="{{ x }}" y="{{ bottom }}" text-anchor="middle" class="small num">{{ k }}</text>
{% endfor %}
</svg></div>
"""


def _gather(answer: Answer) -> dict[str, Any]:
    return {"numbers": dict(answer.numbers)} if answer.numbers else {}


def _show(data: ReportData) -> dict[str, Any]:
    found = data.more["numbers"]
    most = math.log(max(found["curve"][-1][0], 3) / 2)

    def place(k: int, share: float) -> tuple[float, float]:
        """Numbers stand by their ratio: from 2 to 4 is as far as from 10 to 20."""
        along = _LEFT + (_WIDTH - _LEFT - 10.0) * math.log(k / 2) / most
        return round(along, 1), round(8.0 + (1.0 - max(share, 0.0)) * (_HEIGHT - 8.0), 1)

    points = [place(k, share) for k, share in found["curve"]]
    shares = dict(map(tuple, found["curve"]))
    others = [str(k) for k in found["plateaus"] if k != found["best"]]
    return {
        "box": f"0 0 {_WIDTH:.0f} {_HEIGHT + _BELOW:.0f}",
        "label": f"What is foretold by {found['curve'][0][0]} to {found['curve'][-1][0]} groups",
        "best": found["best"],
        "others": " and ".join(others),
        "left": _LEFT,
        "right": _WIDTH - 10.0,
        "bottom": _HEIGHT + _BELOW - 6.0,
        "ticks": [(place(2, share)[1], f"{share:.0%}") for share in (0.0, 0.5, 1.0)],
        "curve": "".join(f"{'L' if i else 'M'}{x} {y}" for i, (x, y) in enumerate(points)),
        "marks": [(k, *place(k, shares[k])) for k in found["plateaus"]],
    }


PANEL = Panel(
    name="numbers",
    short="How many",
    template=_TEMPLATE,
    needs=lambda data: "numbers" in data.more,
    gather=_gather,
    show=_show,
)
