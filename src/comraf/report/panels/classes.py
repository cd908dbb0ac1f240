"""Known classes: where the documents of each went, and what each group is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from comraf.report.data import ClassShare, Group, ReportData, Score, TruthTable
from comraf.report.drawing import matrix
from comraf.report.markup import plain
from comraf.report.panels.panel import GroupPanel, Panel, Values
from comraf.report.scales import lightness, plural

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["GROUP_PANEL", "PANEL"]

_MOST_CLASSES = 40
_MOST_IN_GROUP = 6
# Beyond, columns are too narrow for names and counts: the groups' numbers stand above them.
_FEW_GROUPS = 30

_TEMPLATE = """\
<h2>Against the known classes</h2>
<p class="about">The classes were known beforehand and had no part in finding the groups. Each row
 shows where the {{ many }} of a class went; darker is a larger share of the class.</p>
{% if data.scores %}
<table class="facts"><tbody>
{% for score in data.scores %}
<tr><td>{{ score.name|user(60) }}</td><td class="num">{{ "%.3f"|format(score.value) }}</td>
<td class="soft">{{ score.meaning|user(300) }}</td></tr>
{% endfor %}
</tbody></table>
{% endif %}
{% if data.truth is not none %}{% set shown = data.truth.classes|length %}
<figure class="side"><figcaption class="soft">
{%- if shown < data.truth.n_classes %}{{ shown }} largest of {{ data.truth.n_classes }} classes
{%- else %}{{ shown }} classes{% endif %}
{%- if not few %} by the numbers of the groups{% endif %}
{%- if data.truth.unknown %}; {{ data.truth.unknown|count_of(data.kind) }} of no known class
{%- endif %}</figcaption>
{% call(i) matrix(table) %}{{ clip(data.truth.classes[i], 60) }}{% endcall %}
</figure>
{% endif %}
"""

_MIXTURE = """\
<div class="mixed"><h4>known classes</h4>
<div class="mix" aria-hidden="true">
{%- for item in group.truth %}<i style="--w:{{ '%.4f'|format(item.count / total) }}"></i>
{%- endfor %}</div>
<p>{% for item in group.truth %}<span>{{ item.name|user(40) }}<span class="soft">{{
  " " ~ (item.count / total)|percent }}</span></span>{{ "" if loop.last else " · " }}
{%- endfor %}</p>
</div>
"""


def _gather(answer: Answer) -> dict[str, Any]:
    truth, scores = answer.truth, answer.scores
    if scores is None:
        scores = () if truth is None else _scores(truth, answer.labels, answer.kind)
    table = None if truth is None else _truth_table(truth, answer.labels, answer.n_groups)
    return {"truth": table, "scores": tuple(scores)}


def _truth_table(
    truth: Sequence[str | None], labels: npt.NDArray[np.integer], k: int
) -> TruthTable | None:
    sizes = Counter(value for value in truth if value is not None)
    if not sizes:
        return None
    ranked = sorted(sizes, key=lambda name: (-sizes[name], name))
    place = {name: i for i, name in enumerate(ranked[:_MOST_CLASSES])}
    cells = np.zeros((len(place), k), dtype=np.int64)
    for value, group in zip(truth, labels.tolist(), strict=True):
        if value in place:
            cells[place[value], group] += 1
    return TruthTable(
        tuple(place),
        tuple(tuple(row) for row in cells.tolist()),
        len(sizes),
        sum(value is None for value in truth),
    )


def _scores(
    truth: Sequence[str | None], labels: npt.NDArray[np.integer], kind: str
) -> tuple[Score, ...]:
    if len({value for value in truth if value is not None}) < 2:
        return ()
    from comraf.metrics import explained_scores

    return tuple(Score(*score) for score in explained_scores(truth, labels, plural(kind)))


def _show(data: ReportData) -> dict[str, Any]:
    """Where the documents of each class went; a row's colours add up to the class."""
    few = len(data.groups) <= _FEW_GROUPS
    if data.truth is None:
        return {"few": few}
    classes, cells, groups = data.truth.classes, data.truth.cells, data.groups
    fills = [
        [f"s{lightness((n / max(1, sum(row))) ** 2)}" if n else "" for n in row] for row in cells
    ]

    def describe(i: int, j: int) -> str:
        where = f"group {groups[j].number} ({plain(groups[j].name, 40)})"
        return f"{plain(classes[i], 60)} in {where}: {cells[i][j]:,}"

    table = matrix(
        [f"{group.number} {group.name}" if few else str(group.number) for group in groups],
        fills,
        f"{len(classes)} known classes by {len(groups)} groups",
        describe=describe,
        texts=[[str(n) if n else "" for n in row] for row in cells] if few else (),
        cell=30 if few else 18,
        # room for a number of three digits
        least=22 if few else 13,
    )
    return {"few": few, "table": table}


def _gather_mixtures(answer: Answer, groups: Sequence[Values]) -> list[Values]:
    """The commonest classes of each group."""
    if answer.truth is None:
        return [{} for _ in groups]
    found = []
    for rows in answer.members:
        classes = Counter(name for row in rows.tolist() if (name := answer.truth[row]) is not None)
        ranked = sorted(classes.items(), key=lambda item: (-item[1], item[0]))
        kept = [ClassShare(name, n) for name, n in ranked[:_MOST_IN_GROUP]]
        if rest := sum(n for _, n in ranked[_MOST_IN_GROUP:]):
            kept.append(ClassShare(f"{len(ranked) - _MOST_IN_GROUP} more", rest))
        found.append({"truth": tuple(kept)})
    return found


def _total(group: Group) -> int:
    return sum(item.count for item in group.truth)


PANEL = Panel(
    name="classes",
    short="Known classes",
    template=_TEMPLATE,
    needs=lambda data: data.truth is not None or data.scores,
    gather=_gather,
    show=_show,
)
GROUP_PANEL = GroupPanel(
    name="classes",
    needs=_total,
    gather=_gather_mixtures,
    show=lambda group, data: {"total": _total(group)},
    full=_MIXTURE,
)
