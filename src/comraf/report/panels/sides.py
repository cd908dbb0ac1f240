"""Clusters of all sides but people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comraf.report.counting import View
from comraf.report.data import ReportData, Side, SideCluster, Weighted
from comraf.report.markup import plain
from comraf.report.panels.panel import Panel
from comraf.report.privacy import ValueNames
from comraf.report.scales import count_of, listing

if TYPE_CHECKING:
    from comraf.report.answer import Answer

__all__ = ["FEW_GROUPS", "PANEL", "by_value", "cluster_rows", "make_side", "strongest"]

_MOST_CLUSTERS = 60
_MOST_VALUES = 400  # that are looked at, of a side without clusters
_MOST_MEMBERS = 14
_SHOWN_AT_ONCE = 8
#: Beyond, tables and lists are folded away to keep the page short.
FEW_GROUPS = 24
_NAMED = 4  # sides in a heading
_LEAST_SHARE = 0.12  # of a cluster's counts, for a group to be named beside it

_TEMPLATE = """\
<h2>{{ "Clusters" if clustered else "Values" }} of {{ names }}</h2>
<p class="about">Commonest members first, with how often they occur; below, the groups that most of
 these occurrences are in.</p>
{% for side in sides %}
{% call fold("", side.name, side.shown, opened and loop.first) %}{{ clusters(side.rows) }}
{%- endcall %}
{% endfor %}
"""


def by_value(view: View) -> View:
    """A side that was not clustered, each of its commonest values as a cluster of its own.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_array([[4.0, 0.0, 1.0], [0.0, 3.0, 1.0]])
    >>> by_value(View("tags", counts, counts, None, 0)).clusters.tolist()
    [0, 1, 2]
    """
    mass = view.mass
    n = min(_MOST_VALUES, len(mass))
    labels = np.full(len(mass), n, dtype=np.int32)
    labels[np.argsort(-mass, kind="stable")[:n]] = np.arange(n)
    return replace(view, labels=labels, n_clusters=n + 1, single=True)


def make_side(view: View, names: ValueNames) -> Side:
    """A side's clusters, those with most counts first.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_array([[4.0, 0.0, 1.0], [0.0, 3.0, 1.0]])
    >>> view = View("words", counts, counts, np.array([0, 1, 0]), 2)
    >>> side = make_side(view, ValueNames({"words": ["sea", "leaf", "sun"]}, {}, private=False))
    >>> [member.value for member in side.clusters[0].members], side.clusters[1].groups
    (['sea', 'sun'], (0.0, 1.0))
    """
    mass = view.mass
    joint = view.joint
    of_cluster = joint.sum(axis=0)
    sizes = np.bincount(view.clusters, minlength=view.n_clusters)
    order = np.argsort(-of_cluster, kind="stable")
    order = order[(of_cluster[order] > 0) & (order < view.n_clusters - view.single)]
    clusters = []
    for c in order[:_MOST_CLUSTERS].tolist():
        values = np.flatnonzero(view.clusters == c)
        clusters.append(
            SideCluster(
                number=c,
                size=int(sizes[c]),
                share=float(of_cluster[c] / of_cluster.sum()),
                members=strongest(view.name, values, mass, names),
                groups=tuple((joint[:, c] / of_cluster[c]).tolist()),
            )
        )
    n_all = int((mass > 0).sum()) if view.single else len(order)
    return Side(view.name, len(view.clusters), n_all, tuple(clusters), view.kind, not view.single)


def strongest(
    side: str, values: np.ndarray, mass: np.ndarray, names: ValueNames, most: int = _MOST_MEMBERS
) -> tuple[Weighted, ...]:
    """The commonest of some values of a side, by the names they may be shown by."""
    ranked = values[np.argsort(-mass[values], kind="stable")]
    kept: list[Weighted] = []
    for value in ranked[: 6 * most].tolist():
        name = names.name(side, value)
        if name is not None and mass[value] > 0:
            kept.append(Weighted(name, float(mass[value])))
        if len(kept) == most:
            break
    return tuple(kept)


def cluster_rows(side: Side, data: ReportData) -> dict[str, Any]:
    """Clusters of a side for the macro ``clusters``, with the groups that each is mostly in."""
    rows = []
    for cluster in side.clusters:
        ranked = sorted(range(len(cluster.groups)), key=lambda i: -cluster.groups[i])
        kept = [i for i in ranked[:4] if cluster.groups[i] >= _LEAST_SHARE] or ranked[:1]
        rows.append(
            {
                "members": cluster.members,
                "more": max(0, cluster.size - len(cluster.members)),
                "label": f"cluster {cluster.number}" if side.clustered else "in",
                "where": [
                    (data.groups[i].number, cluster.groups[i]) for i in kept if i < len(data.groups)
                ],
            }
        )
    return {
        "first": rows[:_SHOWN_AT_ONCE],
        "rest": rows[_SHOWN_AT_ONCE:],
        "left": side.n_clusters - len(side.clusters),
        "what": "clusters" if side.clustered else "values",
    }


def _others(data: ReportData) -> list[Side]:
    return [side for side in data.sides if side.kind != "people" and side.clusters]


def _show(data: ReportData) -> dict[str, Any]:
    sides = _others(data)
    called = [plain(side.name, 40) for side in sides]
    if len(called) > _NAMED:
        called = [*called[:_NAMED], "others"]
    return {
        "clustered": any(side.clustered for side in sides),
        "names": listing(called),
        "opened": len(data.groups) <= FEW_GROUPS,
        "sides": [
            {
                "name": side.name,
                "shown": count_of(side.n_clusters, "cluster")
                if side.clustered
                else count_of(side.n_clusters, "value") + ", not clustered",
                "rows": cluster_rows(side, data),
            }
            for side in sides
        ],
    }


def _gather(answer: Answer) -> dict[str, Any]:
    return {"sides": tuple(make_side(view, answer.value_names) for view in answer.described)}


PANEL = Panel(
    name="sides",
    short="Other sides",
    template=_TEMPLATE,
    needs=_others,
    gather=_gather,
    show=_show,
)
