"""The other sides: who clusters with whom, clustered tables, clusters of words and others."""

from __future__ import annotations

from comraf.report.data import ReportData, Side, SideCluster
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.parts import group_link
from comraf.report.plots.heat import heat_key, plot_heat
from comraf.report.plots.people import plot_people
from comraf.report.scales import count_of, percent, plural
from comraf.report.sections.frame import Section

__all__ = ["clustered_tables", "other_clusters", "who_with_whom"]

_SHOWN_AT_ONCE = 8
_FEW = 24  # groups; beyond, tables and lists are folded away to keep the page short
_NAMED = 4  # sides in a heading
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
    body: list[object] = [
        [el("h3", user(side.name, 40)) if len(sides) > 1 else None, _clusters(side, data)]
        for side in sides
    ]
    if data.people is not None:
        caption = el(
            "figcaption",
            f"The {len(data.people.names)} people in most {many}, ordered by cluster; frames are "
            "the clusters found. Blue: two are named together more often than expected of people "
            "who are named together with others as often as they are; sand: less often. So a "
            "list of recipients that has everybody colours nothing.",
            class_="soft",
        )
        figure = el("figure", caption, heat_key(), plot_people(data.people, data.kind))
        body.append(_folded("Who is named together with whom", "", figure))
    about = (
        "People are clustered by the groups they take part in, not by who writes to whom: two of "
        f"one cluster appear in the same kind of {many}."
    )
    if not any(side.clustered for side in sides):
        about = f"The people in most {many}, and the groups that these are in."
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
    for i, heat in enumerate(maps):
        what = "clusters" if heat.clustered else "values"
        shown = f"{len(heat.columns)} {what}"
        if len(heat.columns) < heat.n_columns:
            shown = f"{len(heat.columns)} of {heat.n_columns:,} {what}, those that tell most"
        if heat.information:
            shown += f"; {heat.information:.3f} nats"
        name = ["Groups by clusters of " if heat.clustered else "Groups by ", user(heat.side, 40)]
        figure = el("figure", plot_heat(heat, data.groups))
        figures.append(_folded(name, shown, figure, opened=i == 0 and len(data.groups) <= _FEW))
    about = (
        "Every cell compares how often a cluster (or a single value, of sides that were not "
        "clustered) occurs in a group with how often it would if groups did not matter. Columns "
        "bear the two commonest members of their cluster."
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
    called = [plain(side.name, 40) for side in sides]
    if len(called) > _NAMED:
        called = [*called[:_NAMED], "others"]
    names = " and ".join([", ".join(called[:-1]), called[-1]] if len(called) > 1 else called)
    about = (
        "Commonest members first, with how often they occur; below, the groups that most of "
        "these occurrences are in."
    )
    body = []
    for i, side in enumerate(sides):
        what = "cluster" if side.clustered else "value"
        shown = count_of(side.n_clusters, what) + ("" if side.clustered else ", not clustered")
        opened = i == 0 and len(data.groups) <= _FEW
        body.append(_folded(user(side.name, 40), shown, _clusters(side, data), opened=opened))
    what = "Clusters" if any(side.clustered for side in sides) else "Values"
    return Section("sides", "Other sides", f"{what} of {names}", about, body)


def _folded(name: object, said: str, body: object, *, opened: bool = False) -> Markup:
    """Something large under a line that opens it."""
    about = [" ", el("span", said, class_="soft")] if said else None
    return el("details", el("summary", el("h3", name), about), body, class_="fold", open=opened)


def _clusters(side: Side, data: ReportData) -> Markup:
    items = [_cluster(cluster, data, side.clustered) for cluster in side.clusters]
    first, rest = items[:_SHOWN_AT_ONCE], items[_SHOWN_AT_ONCE:]
    left = side.n_clusters - len(side.clusters)
    folded = None
    if rest:
        what = "clusters" if side.clustered else "values"
        summary = f"{len(rest)} more {what}" + (f" (and {left:,} not shown)" if left > 0 else "")
        folded = el("details", el("summary", summary), el("ol", rest, class_="kin"))
    return el("div", el("ol", first, class_="kin"), folded)


def _cluster(cluster: SideCluster, data: ReportData, clustered: bool) -> Markup:
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
        el("p", el("span", f"cluster {cluster.number}" if clustered else "in"), where, class_="in"),
    )
