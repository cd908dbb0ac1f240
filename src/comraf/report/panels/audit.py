"""What each side adds to what groups tell of the main one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comraf.report.panels.panel import Panel

if TYPE_CHECKING:
    from comraf.report.answer import Answer
    from comraf.report.data import ReportData

__all__ = ["PANEL"]

# A change as large as this fills half of the column.
_WIDEST = 0.3
_HALF = 90.0

_TEMPLATE = """\
<h2>What each side adds</h2>
<p class="about">Groups by half of the values, with and without a side: how much more or less they
 tell of the other half of the main one. A side that takes much harms, and is left out unless it
 was asked for.</p>
<div class="scroll"><table class="facts adds">
<thead><tr><th scope="col">side</th><th scope="col">verdict</th>
<th scope="col" class="num">change</th><th scope="col"></th>
<th scope="col" class="num">{{ many }} with it</th></tr></thead>
<tbody>
{% for side, verdict, change, bar, coverage in rows %}
<tr><td>{{ side|user(40) }}</td><td>{{ verdict }}</td>
<td class="num">{{ change }}</td>
<td>{% if bar %}<svg viewBox="0 0 180 14" width="180" height="14" role="img"><title>{{ change
  }}</title><line x1="90" x2="90" y1="0" y2="14"/>
<rect x="{{ bar[0] }}" y="3" width="{{ bar[1] }}" height="8"/></svg>{% endif %}</td>
<td class="num">{{ coverage }}</td></tr>
{% endfor %}
</tbody></table></div>
"""
_RULES = ".adds rect { fill: var(--accent); } .adds line { stroke: var(--line); }"


def _gather(answer: Answer) -> dict[str, Any]:
    return {"audit": [*answer.audit]} if answer.audit else {}


def _show(data: ReportData) -> dict[str, Any]:
    return {"rows": [_row(*row) for row in data.more["audit"]]}


def _row(side: str, verdict: str, change: float, coverage: float) -> tuple[Any, ...]:
    """A line of the table, with the left end and the width of its bar."""
    share = f"{coverage:.0%}"
    if change != change:  # the main side's, which is never left out
        return side, verdict, "", None, share
    wide = round(min(abs(change) / _WIDEST, 1.0) * _HALF, 1)
    return side, verdict, f"{change:+.1%}", (_HALF if change > 0 else _HALF - wide, wide), share


PANEL = Panel(
    name="audit",
    short="Sides",
    template=_TEMPLATE,
    needs=lambda data: "audit" in data.more,
    gather=_gather,
    show=_show,
    rules=lambda data: _RULES if "audit" in data.more else "",
)
