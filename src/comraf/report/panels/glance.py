"""Groups at a glance: one line each."""

from __future__ import annotations

from typing import Any

from comraf.report.data import ReportData
from comraf.report.panels.groups import GROUP_PANELS, MOST_CARDS, draw_parts
from comraf.report.panels.panel import Panel
from comraf.report.scales import listing

__all__ = ["PANEL"]

_MANY = 30  # groups; beyond, each takes less room

_TEMPLATE = """\
<h2>Groups at a glance</h2>
<p class="about">
{%- if rows|length == 1 %}The only group, with its {{ line_shows }}.
{%- else %}Each group with the {{ line_shows }} that tell it from the rest, most telling first.
{%- endif %}
{%- if data.pages %} Its name leads to a page with all of its {{ many }}.{% endif %}
{%- if data.timeline %} Columns over time count {{ many }} a {{ data.timeline.unit }}, each on its
 own scale.{% endif %}</p>
<table class="glance{{ ' many' if crowded else '' }}">
<thead><tr>
<th scope="col"><span class="unseen">number</span></th>
<th scope="col">group</th>
<th scope="col" class="size">{{ many }}</th>
{% if data.timeline %}<th scope="col" class="when">over time</th>{% endif %}
{% if peopled %}<th scope="col" class="who">people</th>{% endif %}
{% if known %}<th scope="col" class="class">known class</th>{% endif %}
</tr></thead>
<tbody>
{% for row in rows %}{% set group = row.group %}
<tr{% if row.anchor %} id="g{{ group.number }}"{% endif %}>
<td>{{ swatch(group.number) }}</td>
<td class="name"><a dir="auto" href="{{ data.link(group.number) }}">{{ group.name|plain(120) }}</a>
{%- for part in row.parts %}{{ part }}{% endfor %}</td>
<td class="size"><div class="hbar {{ group.number|barred }}"><span>{{ group.size|commas }}</span>
{{- bar(group.size / largest) }}</div></td>
{% if data.timeline %}
<td class="when">{{ spark(row.counts, row.counts|max or 1, many ~ " of group " ~ group.number
  ~ " by " ~ data.timeline.unit, group.number|hue) }}</td>
{% endif %}
{% if peopled %}
<td class="who">{% for name in row.people %}{{ clip(name, 40) }}{% endfor %}</td>
{% endif %}
{% if known %}
<td class="class">{% if group.truth %}{{ group.truth[0].name|user(40) }}<span class="soft num">{{
  " " ~ row.share|percent }}</span>{% endif %}</td>
{% endif %}
</tr>
{% endfor %}
</tbody>
</table>
"""


def _show(data: ReportData) -> dict[str, Any]:
    """Lines of the table; names of groups lead to their pages, if there are any."""
    crowded = len(data.groups) > _MANY
    # groups are numbered by how much was counted in them
    order = sorted(range(len(data.groups)), key=lambda place: -data.groups[place].size)
    peopled = any(side.kind == "people" for g in data.groups for side in g.telling)
    known = any(group.truth for group in data.groups)
    # where no other column takes the width, words do
    most = 7 if peopled or known or data.timeline else 14
    rows = []
    for rank, place in enumerate(order):
        group = data.groups[place]
        telling = [side for side in group.telling if side.kind == "people"]
        truth = [item.count for item in group.truth]
        rows.append(
            {
                "group": group,
                # where there is no section for a group, links to it lead here
                "anchor": bool(data.pages) and rank >= MOST_CARDS,
                "parts": draw_parts("line", group, data, most=most),
                "counts": data.timeline.counts[place] if data.timeline else (),
                "people": [w.value for t in telling for w in t.values[: 2 if crowded else 3]],
                "share": truth[0] / max(1, sum(truth)) if truth else 0.0,
            }
        )
    return {
        "rows": rows,
        "crowded": crowded,
        "line_shows": listing([name for part in GROUP_PANELS for name in part.line_shows(data)])
        or "words",
        "largest": max((group.size for group in data.groups), default=1) or 1,
        "peopled": peopled,
        "known": known,
    }


PANEL = Panel(name="glance", short="At a glance", template=_TEMPLATE, show=_show)
