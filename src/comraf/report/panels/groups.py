"""Each group on a card: what tells it apart, what it is made of, documents to look at."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from comraf.report.data import Group, ReportData
from comraf.report.jinja import draw
from comraf.report.panels import classes, photos, samples, telling
from comraf.report.panels.panel import GroupPanel, Panel, Values
from comraf.results.scorer import Placed

if TYPE_CHECKING:
    from markupsafe import Markup

    from comraf.report.answer import Answer

__all__ = ["GROUP_PANELS", "MOST_CARDS", "PANEL", "draw_parts", "in_full"]

#: Parts of every group, in the order in which they stand on its card and its page.
GROUP_PANELS: tuple[GroupPanel, ...] = (
    photos.PICTURES,
    telling.PANEL,
    photos.LOOKS,
    classes.GROUP_PANEL,
    samples.PANEL,
)
#: Groups that have a card in the report, if all have pages.
MOST_CARDS = 60
_MANY = 24  # groups; beyond, there are three in a row

_TEMPLATE = """\
<h2>Each group</h2>
<p class="about">Telling values are those that a group has more often than its size alone would
 explain, most telling first.
{%- for line in about %}{{ line }}{% endfor %}
{%- if not data.text_shown %} This report was made without {{ "photos and captions"
  if data.kind == "photo" else "the text of documents" }} and without names.{% endif %}
{%- if left_out %} The {{ groups|length }} largest groups; the others have pages, as all do.
{%- endif %}</p>
<div class="cards{{ ' many' if crowded else '' }}">
{% for group in groups %}
<article id="g{{ group.number }}" class="group {{ group.number|barred }}">
<h3>{{ swatch(group.number) }}{{ group.name|user(160) }}</h3>
{{ facts(group, data.kind) }}
{% for part in parts(group) %}{{ part }}{% endfor %}
{% if data.pages %}
<p><a href="{{ data.link(group.number) }}">
{%- if group.items %}all {{ group.size|count_of(data.kind) }}{% else %}more of this group
{%- endif %} →</a></p>
{% else %}{% set rest = full(group) %}
{% if rest %}<details><summary>more of this group</summary>{{ rest }}</details>{% endif %}
{% endif %}
</article>
{% endfor %}
</div>
"""


def draw_parts(place: str, group: Group, data: ReportData, **more: Any) -> list[Markup | str]:
    """What all panels have to show of a group at one of its places."""
    return [panel.html(place, group, data, **more) for panel in GROUP_PANELS]


def in_full(group: Group, data: ReportData, beyond: int = 0) -> Markup:
    """All that is known of a group but the list of its documents.

    ``beyond`` of its typical pictures are shown elsewhere.

    Examples
    --------
    >>> from comraf.report.data import Model, Sample
    >>> group = Group(0, "sea", 1, 1.0, samples=(Sample("A letter"),))
    >>> "typical documents" in in_full(group, ReportData("L", 1, (group,), Model((), ())))
    True
    """
    lists = [part for part in draw_parts("lists", group, data) if part]
    parts = draw_parts("full", group, data, beyond=beyond, lists=lists)
    return draw("{% for part in parts %}{{ part }}{% endfor %}", parts=parts)


def _gather(answer: Answer) -> dict[str, Any]:
    """Every group with all that is shown of it."""
    n = max(1, len(answer.labels))
    found: list[Values] = [{} for _ in range(answer.n_groups)]
    for panel in GROUP_PANELS:
        for group, more in zip(found, panel.gather(answer, found), strict=True):
            group.update(more)
    nearest = _neighbours(answer.labels, answer.placed, answer.n_groups)
    for c, (group, rows) in enumerate(zip(found, answer.members, strict=True)):
        group.setdefault("name", f"group {c}")
        # Names that were given may hold people: a report without text makes its own.
        if answer.names is not None and answer.include_text and str(answer.names[c]).strip():
            group["name"] = str(answer.names[c])
        if answer.confidence is not None and len(rows):
            group["confidence"] = float(answer.confidence[rows].mean())
        group |= {"number": c, "size": len(rows), "share": len(rows) / n, "nearest": nearest[c]}
    known = {field.name for field in fields(Group)}
    return {
        "groups": tuple(
            Group(
                **{name: value for name, value in group.items() if name in known},
                more={name: value for name, value in group.items() if name not in known},
            )
            for group in found
        )
    }


def _neighbours(
    labels: npt.NDArray[np.integer], placed: Placed, n_groups: int, most: int = 3
) -> list[tuple[int, ...]]:
    """For each group, those that most of its documents would go to next."""
    if n_groups < 3:
        return [()] * n_groups
    votes = np.zeros((n_groups, n_groups), dtype=np.int64)
    np.add.at(votes, (labels, placed.runner_up), 1)
    nearest = []
    for c in range(n_groups):
        order = np.argsort(-votes[c], kind="stable")[:most]
        # A handful of stray documents makes no neighbour.
        enough = 0.15 * votes[c].sum()
        nearest.append(tuple(int(d) for d in order if d != c and votes[c, d] > enough))
    return nearest


def _show(data: ReportData) -> dict[str, Any]:
    groups = sorted(data.groups, key=lambda group: -group.size)
    left_out = bool(data.pages) and len(groups) > MOST_CARDS
    groups = groups[:MOST_CARDS] if left_out else groups
    return {
        "groups": groups,
        "left_out": left_out,
        "crowded": len(groups) > _MANY,
        "about": [
            draw(panel.about, data=data) for panel in GROUP_PANELS if any(map(panel.needs, groups))
        ],
        "parts": lambda group: draw_parts("card", group, data),
        "full": lambda group: in_full(group, data, beyond=photos.ON_CARD),
    }


PANEL = Panel(
    name="groups",
    short="Each group",
    template=_TEMPLATE,
    gather=_gather,
    show=_show,
    rules=lambda data: "".join(panel.rules(data.groups) for panel in GROUP_PANELS),
)
