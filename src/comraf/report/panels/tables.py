"""The clustered tables: over- and under-use of clusters by groups, as heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from comraf.report.counting import View, log_lift
from comraf.report.data import Group, HeatMap, ReportData
from comraf.report.drawing import SHADES, matrix, shade
from comraf.report.markup import plain
from comraf.report.panels.panel import Panel
from comraf.report.panels.sides import FEW_GROUPS, strongest
from comraf.report.privacy import ValueNames
from comraf.results.contributions import contributions

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["PANEL", "make_heat_map"]

_MOST_COLUMNS = 40
_LONGEST_HEAD = 24

_TEMPLATE = """\
<h2>Clustered tables</h2>
<p class="about">Every cell compares how often a cluster (or a single value, of sides that were not
 clustered) occurs in a group with how often it would if groups did not matter. Columns bear the
 two commonest members of their cluster.</p>
{{ heat_key(shades) }}
{% for heat, said, table in maps %}
{% call fold("Groups by clusters of " if heat.clustered else "Groups by ", heat.side, said,
  opened and loop.first) %}
<figure>
{% call(i) matrix(table) %}{% set group = data.groups[i] %}
<a href="#g{{ group.number }}" class="line">{{ clip(group.name, 40) }}{{ swatch(group.number) }}</a>
{%- endcall %}
</figure>
{%- endcall %}
{% endfor %}
"""


def make_heat_map(view: View, names: ValueNames, information: float) -> HeatMap:
    """A clustered table: which clusters of a side are over- and under-used by which groups.

    Columns are ordered by the group that uses them most, so that the table falls into blocks.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_array([[9.0, 0.0], [0.0, 9.0]])
    >>> view = View("words", counts, counts, np.array([1, 0]), 2)
    >>> heat = make_heat_map(view, ValueNames({"words": ["sea", "leaf"]}, {}, private=False), 0.69)
    >>> heat.columns, heat.cells[0][0] > 0 > heat.cells[0][1]
    (((1, 'sea'), (0, 'leaf')), True)
    """
    joint = view.joint
    mean = float(view.by_group.sum()) / max(1, int(view.table.nnz))
    lift = log_lift(joint, max(mean, 1e-12))
    of_cluster = joint.sum(axis=0)
    # What a column adds to the information: those that add least are left out first.
    worth = np.asarray(contributions(sp.csr_array(joint)).sum(axis=0))
    kept = np.argsort(-worth[: view.n_clusters - view.single], kind="stable")[:_MOST_COLUMNS]
    kept = kept[of_cluster[kept] > 0]
    # Within a block the clearest column comes first.
    kept = kept[np.lexsort((kept, -lift[:, kept].max(axis=0), lift[:, kept].argmax(axis=0)))]
    mass = view.mass
    columns = []
    for c in kept.tolist():
        members = strongest(view.name, np.flatnonzero(view.clusters == c), mass, names, 2)
        both = ", ".join(member.value for member in members)
        columns.append((c, both if len(both) <= _LONGEST_HEAD or not members else members[0].value))
    return HeatMap(
        view.name,
        tuple(columns),
        tuple(tuple(round(cell, 3) for cell in row) for row in lift[:, kept].tolist()),
        int((mass > 0).sum()) if view.single else int((of_cluster > 0).sum()),
        information,
        not view.single,
    )


def _gather(answer: Answer) -> dict[str, Any]:
    edges = reversed(answer.result.edges)
    information = {frozenset((edge.a, edge.b)): edge.information for edge in edges}
    return {
        "heat_maps": tuple(
            make_heat_map(
                view,
                answer.value_names,
                information.get(frozenset((answer.documents, view.name)), 0.0),
            )
            for view in answer.described
            if answer.n_groups > 1
        )
    }


def _table(heat: HeatMap, groups: tuple[Group, ...]) -> dict[str, Any]:
    """Groups by clusters of a side, or by its values where it was not clustered."""

    def describe(i: int, j: int) -> str:
        number, members = heat.columns[j]
        times = 2.0 ** max(-30.0, min(30.0, heat.cells[i][j]))
        often = f"{times:.1f} times as often as expected" if times >= 0.1 else "hardly ever"
        what = f"{heat.side} {number} ({plain(members, 40)})" if heat.clustered else members
        return f"group {groups[i].number} ({plain(groups[i].name, 40)}) and {what}: {often}"

    return matrix(
        [members or f"{heat.side} {number}" for number, members in heat.columns],
        [[shade(cell) for cell in row] for row in heat.cells],
        f"Heat map of {len(groups)} groups by {len(heat.columns)} "
        f"{'clusters' if heat.clustered else 'values'} of {plain(heat.side, 40)}",
        describe=describe,
        cell=20 if len(groups) <= 40 else 14,
    )


def _drawn(data: ReportData) -> list[HeatMap]:
    return [heat for heat in data.heat_maps if heat.columns] if len(data.groups) > 1 else []


def _show(data: ReportData) -> dict[str, Any]:
    maps = []
    for heat in _drawn(data):
        what = "clusters" if heat.clustered else "values"
        said = f"{len(heat.columns)} {what}"
        if len(heat.columns) < heat.n_columns:
            said = f"{len(heat.columns)} of {heat.n_columns:,} {what}, those that tell most"
        if heat.information:
            said += f"; {heat.information:.3f} nats"
        maps.append((heat, said, _table(heat, data.groups)))
    return {"maps": maps, "shades": SHADES, "opened": len(data.groups) <= FEW_GROUPS}


PANEL = Panel(
    name="tables",
    short="Tables",
    template=_TEMPLATE,
    needs=_drawn,
    gather=_gather,
    show=_show,
)
