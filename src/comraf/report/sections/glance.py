"""Groups at a glance: one line each, and the map and lanes that compare them."""

from __future__ import annotations

from comraf.report.data import Group, ReportData
from comraf.report.marks import barred, hue
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.parts import MOST_CARDS, bar, page_name, swatch
from comraf.report.plots.documents import plot_map
from comraf.report.plots.spark import spark
from comraf.report.plots.timeline import plot_timeline, shared_top
from comraf.report.scales import percent, plural
from comraf.report.sections.frame import Section
from comraf.report.sections.photos import strip

__all__ = ["glance", "map_of_documents", "over_time"]

_MANY = 30  # groups; beyond, each takes less room


def glance(data: ReportData, pages: str = "") -> Section:
    """The table of all groups; their names lead to their pages, if there are any.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> glance(data).html().count("<tr>")
    2
    """
    largest = max((group.size for group in data.groups), default=1) or 1
    timed = data.timeline is not None
    peopled = any(side.kind == "people" for g in data.groups for side in g.telling)
    known = any(group.truth for group in data.groups)
    heads: list[Markup | None] = [
        el("th", el("span", "number", class_="unseen"), scope="col"),
        el("th", "group", scope="col"),
        el("th", plural(data.kind), scope="col", class_="size"),
        el("th", "over time", scope="col", class_="when") if timed else None,
        el("th", "people", scope="col", class_="who") if peopled else None,
        el("th", "known class", scope="col", class_="class") if known else None,
    ]
    # groups are numbered by how much was counted in them
    order = sorted(range(len(data.groups)), key=lambda place: -data.groups[place].size)
    # where there is no section for a group, links to it lead here
    first = len(order) if not pages else MOST_CARDS
    rows = [
        _row(data, place, largest, peopled, known, pages, anchor=rank >= first)
        for rank, place in enumerate(order)
    ]
    many = " many" if len(data.groups) > _MANY else ""
    table = el("table", el("thead", el("tr", heads)), el("tbody", rows), class_=f"glance{many}")
    about = f"Each group with the {_told(data)} that tell it from the rest, most telling first."
    if len(data.groups) == 1:
        about = f"The only group, with its {_told(data)}."
    if pages:
        about += f" Its name leads to a page with all of its {plural(data.kind)}."
    if timed and data.timeline is not None:
        about += f" Columns over time count {plural(data.kind)} a {data.timeline.unit}, "
        about += "each on its own scale."
    return Section("glance", "At a glance", "Groups at a glance", about, table)


def _told(data: ReportData) -> str:
    """What stands beside the names of groups."""
    if data.kind != "photo":
        return "words"
    # regions stand where a group has no words
    worded = [any(side.kind == "words" for side in group.telling) for group in data.groups]
    looks = zip(worded, data.groups, strict=True)
    there = {
        "words": any(worded),
        "regions": any(group.regions and not said for said, group in looks),
        "colours": any(strip(group) for group in data.groups),
    }
    told = [side for side, shown in there.items() if shown]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told) or "values"


def _row(
    data: ReportData,
    place: int,
    largest: int,
    peopled: bool,
    known: bool,
    pages: str,
    *,
    anchor: bool,
) -> Markup:
    group = data.groups[place]
    size = [el("span", f"{group.size:,}"), bar(group.size / largest)]
    cells: list[Markup | None] = [
        el("td", swatch(group.number)),
        el(
            "td",
            user(
                group.name,
                120,
                tag="a",
                href=f"{pages}/{page_name(group.number)}" if pages else f"#g{group.number}",
            ),
            # where no other column takes the width, words do
            _more(group, 7 if peopled or known or data.timeline is not None else 14),
            strip(group),
            class_="name",
        ),
        el("td", el("div", size, class_=f"hbar {barred(group.number)}"), class_="size"),
    ]
    if data.timeline is not None:
        counts = data.timeline.counts[place]
        label = f"{plural(data.kind)} of group {group.number} by {data.timeline.unit}"
        cells.append(
            el("td", spark(counts, max(counts) or 1, label, hue(group.number)), class_="when")
        )
    if peopled:
        most = 2 if len(data.groups) > _MANY else 3
        people = [w.value for t in group.telling if t.kind == "people" for w in t.values[:most]]
        cells.append(el("td", (user(name, 40, class_="clip") for name in people), class_="who"))
    if known:
        cells.append(el("td", _commonest(group), class_="class"))
    return el("tr", cells, id=f"g{group.number}" if anchor else None)


def _more(group: Group, most: int) -> Markup | None:
    """Telling words that are not in the name already."""
    name = plain(group.name, 120).casefold()
    words = [w.value for t in group.telling if t.kind == "words" for w in t.values]
    fresh = [plain(w, 30) for w in dict.fromkeys(words) if plain(w, 30).casefold() not in name]
    if not fresh and not words:  # photos without captions
        fresh = [plain(item.look, 60) for item in group.regions[:3]]
    if not fresh:
        return None
    return el("small", join([user(word) for word in fresh[:most]], ", "), class_="words")


def _commonest(group: Group) -> list[Markup] | None:
    if not group.truth:
        return None
    best = group.truth[0]
    share = best.count / max(1, sum(item.count for item in group.truth))
    return [user(best.name, 40), el("span", f" {percent(share)}", class_="soft num")]


def map_of_documents(data: ReportData) -> Section | None:
    """The map, if there is one.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> map_of_documents(data) is None
    True
    """
    if data.map is None or not data.map.points:
        return None
    many = plural(data.kind)
    about = (
        f"A dot is one of the {many}, drawn towards the groups that it resembles: in the middle "
        "of a cloud are typical ones, between two clouds those that could belong to either. "
        "Only nearness means something, not left or right, up or down."
    )
    n_copies = sum(point.copies > 1 for point in data.map.points)
    if n_copies:
        about += f" {n_copies:,} larger dots stand for several with nearly the same words."
    shown = sum(point.copies for point in data.map.points)
    if shown < data.map.n_documents:
        about += f" Shown: {shown:,} of {data.map.n_documents:,}."
    return Section("map", "Map", f"Map of {many}", about, plot_map(data.map, data.groups, many))


def over_time(data: ReportData) -> Section | None:
    """Lanes over time, if there are dates.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> over_time(data) is None
    True
    """
    line = data.timeline
    if line is None:
        return None
    many = plural(data.kind)
    top = shared_top(line)
    about = f"{many.capitalize()} of each group by {line.unit}. All groups share one scale; "
    about += f"the tallest column stands for {top:,}"
    cut = max((max(row) for row in line.counts), default=0) > top
    about += ", and those with still more are cut off." if cut else "."
    if line.undated:
        about += f" {line.undated:,} without a date are not shown."
    if line.outside:
        about += f" {line.outside:,} with a date far from all others are not shown."
    return Section(
        "time", "Over time", "Groups over time", about, plot_timeline(line, data.groups, data.kind)
    )
