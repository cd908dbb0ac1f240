"""What tells a group apart on each side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp

from comraf.report.counting import View, worths
from comraf.report.data import Group, ReportData, Telling, Weighted
from comraf.report.markup import plain
from comraf.report.panels.panel import GroupPanel, Values
from comraf.results.contributions import best_columns

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["PANEL", "has_words", "telling_views"]

_MOST_SIDES = 4  # unless more of them made the groups or were asked for

# Telling words that are not in the name already.
_LINE = """\
{% if fresh %}<small class="words">{{ listed(fresh[:most], 200) }}</small>{% endif %}
"""

_CARD = """\
{% for side in group.telling if side.values %}
<p class="clip"><span dir="auto" class="soft">{{ side.side|plain(40) }}</span> {{
  listed(side.values[:10]|map(attribute="value")|list, 60) }}</p>
{% endfor %}
"""

# Single words fit two columns on a telephone, names do not.
_LISTS = """\
{% for side, most in sides %}
<div{{ "" if side.kind == "words" else ' class="wide"'|safe }}><h4 dir="auto">{{
  side.side|plain(40) }}</h4><ol class="bars">
{% for item in side.values %}
<li>{{ bar(item.strength / most) }}<span dir="auto" class="clip" title="{{
  item.value|plain(120) }}">{{ item.value|plain(80) }}</span></li>
{% endfor %}
</ol></div>
{% endfor %}
"""

# Lists of other panels stand beside those of the words.
_FULL = """\
{% if lists %}
<div class="tell{{ ' flow' if lists|length > (1 if group.telling else 0) else '' }}">
{% for part in lists %}{{ part }}{% endfor %}</div>
{% endif %}
"""


def telling_views(answer: Answer) -> list[tuple[View, sp.csr_array]]:
    """Sides that are told of in every group, with what each value is worth; words first."""
    # Dates have a place of their own in the report. A group of photos is a mosaic: names of
    # some that are near each other add nothing.
    besides = ("dates", "looks", "neighbours") if answer.photos else ("dates",)
    shown = [v for v in answer.views if v.kind not in besides and v.name not in besides[1:]]
    first = [v for v in shown if v.solved or v.kind == "words" or v.name in answer.wanted]
    first += [view for view in shown if view not in first][: max(0, _MOST_SIDES - len(first))]
    first.sort(key=lambda view: view.kind != "words")
    return [(view, worths(view.by_group)) for view in first]


def _gather(answer: Answer, groups: Sequence[Values]) -> list[Values]:
    """What tells each group, and a name made of it."""
    names, most = answer.value_names, answer.n_telling
    by_side: list[list[Telling]] = []
    for view, worth in answer.telling_views:
        rows = []
        # More than are wanted, since some may have to be left out.
        for best in best_columns(worth, most * (4 if names.private else 1)):
            shown = ((names.name(view.name, column), strength) for column, strength in best)
            named = [Weighted(name, strength) for name, strength in shown if name is not None]
            rows.append(Telling(view.name, tuple(named[:most]), view.kind))
        by_side.append(rows)
    found: list[Values] = []
    for c in range(len(groups)):
        telling = tuple(side[c] for side in by_side if side[c].values)
        # a side of words, if there is one, is the first
        name = {"name": ", ".join(w.value for w in telling[0].values[:3])} if telling else {}
        found.append({"telling": telling, **name})
    return found


def _show(group: Group, data: ReportData) -> dict[str, Any]:
    name = plain(group.name, 120).casefold()
    words = dict.fromkeys(w.value for t in group.telling if t.kind == "words" for w in t.values)
    fresh = [word for value in words if (word := plain(value, 30)).casefold() not in name]
    return {
        "fresh": fresh,
        "sides": [
            (side, max((item.strength for item in side.values), default=0.0) or 1.0)
            for side in group.telling
        ],
    }


def has_words(group: Group) -> bool:
    """Whether words tell a group."""
    return any(side.kind == "words" for side in group.telling)


PANEL = GroupPanel(
    name="telling",
    needs=lambda group: True,
    gather=_gather,
    show=_show,
    line_shows=lambda data: ["words"] if any(map(has_words, data.groups)) else [],
    line=_LINE,
    card=_CARD,
    lists=_LISTS,
    full=_FULL,
)
