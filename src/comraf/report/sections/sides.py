"""The other sides: who clusters with whom, clustered tables, clusters of words and others."""

from __future__ import annotations

from comraf.report.data import ReportData, Side, SideCluster
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.parts import group_link
from comraf.report.plots.heat import heat_key, plot_heat
from comraf.report.plots.people import plot_people
from comraf.report.scales import percent, plural
from comraf.report.sections.frame import Section

__all__ = ["clustered_tables", "other_clusters", "who_with_whom"]

_SHOWN_AT_ONCE = 12
_LEAST_SHARE = 0.12  # of a cluster's counts, for a group to be named beside it


def who_with_whom(data: ReportData) -> Section | None:
    """Clusters of people, the groups they belong to, and whom they appear with.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> who_with_whom(data) is None
    True
    """
    sides = [side for side in data.sides if side.kind == "people" and side.clusters]
    if not sides:
        return None
    many = plural(data.kind)
    body: list[object] = [_clusters(side, data, many) for side in sides]
    if data.people is not None:
        body.append(
            el(
                "figure",
                el(
                    "figcaption",
                    f"The {len(data.people.names)} people in most {many}, ordered by cluster; "
                    f"darker where two share more of their {many}. Frames are the clusters found.",
                    class_="soft",
                ),
                plot_people(data.people, data.kind),
                class_="side",
            )
        )
    about = (
        "People are clustered by the groups they take part in, not by who writes to whom: two of "
        f"one cluster appear in the same kind of {many}."
    )
    return Section("people", "People", "Who clusters with whom", about, body)


def clustered_tables(data: ReportData) -> Section | None:
    """A heat map for each clustered table.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> clustered_tables(data) is None
    True
    """
    maps = [heat for heat in data.heat_maps if heat.columns]
    if not maps or len(data.groups) < 2:
        return None
    figures: list[Markup] = [heat_key()]
    for heat in maps:
        shown = (
            f"{len(heat.columns)} of {heat.n_columns} clusters, those that tell most"
            if len(heat.columns) < heat.n_columns
            else f"{len(heat.columns)} clusters"
        )
        figures.append(
            el(
                "figure",
                el(
                    "figcaption",
                    el("h3", "Groups by clusters of ", user(heat.side, 40)),
                    el("span", f"{shown}; {heat.information:.3f} nats", class_="soft"),
                ),
                plot_heat(heat, data.groups),
            )
        )
    about = (
        "Every cell compares how often a cluster occurs in a group with how often it would if "
        "groups did not matter. Columns bear the two commonest members of their cluster."
    )
    return Section("tables", "Tables", "Clustered tables", about, figures)


def other_clusters(data: ReportData) -> Section | None:
    """Clusters of all sides but people.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> other_clusters(data) is None
    True
    """
    sides = [side for side in data.sides if side.kind != "people" and side.clusters]
    if not sides:
        return None
    names = " and ".join(plain(side.name, 40) for side in sides[:4])
    about = (
        "Commonest members first, with how often they occur; below, the groups that most of "
        "these occurrences are in."
    )
    body = [
        el("div", el("h3", user(side.name, 40)), _clusters(side, data), class_="side")
        for side in sides
    ]
    return Section("sides", "Other sides", f"Clusters of {names}", about, body)


def _clusters(side: Side, data: ReportData, counted: str = "") -> Markup:
    items = [_cluster(cluster, data) for cluster in side.clusters]
    first, rest = items[:_SHOWN_AT_ONCE], items[_SHOWN_AT_ONCE:]
    left = side.n_clusters - len(side.clusters)
    folded = None
    if rest:
        summary = f"{len(rest)} more clusters" + (f" (and {left} not shown)" if left > 0 else "")
        folded = el("details", el("summary", summary), el("ol", rest, class_="kin"))
    return el("div", el("ol", first, class_="kin"), folded)


def _cluster(cluster: SideCluster, data: ReportData) -> Markup:
    members = [
        el("span", user(item.value, 60), el("small", f"{item.strength:,.0f}"))
        for item in cluster.members
    ]
    more = cluster.size - len(cluster.members)
    if more > 0:
        members.append(el("span", f"{more:,} more", class_="soft"))
    ranked = sorted(range(len(cluster.groups)), key=lambda i: -cluster.groups[i])
    kept = [i for i in ranked[:4] if cluster.groups[i] >= _LEAST_SHARE] or ranked[:1]
    where = [
        group_link(data.groups[i].number, [" ", percent(cluster.groups[i])])
        for i in kept
        if i < len(data.groups)
    ]
    return el(
        "li",
        el("p", join(members, ", "), class_="members"),
        el("p", el("span", f"cluster {cluster.number}"), where, class_="in"),
    )
