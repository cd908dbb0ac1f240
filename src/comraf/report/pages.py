"""Pages beside a report: one for each group, with every document that is in it.

They have no script; what is looked for is found by the browser's own search. All links of a page
are relative to the report, which a ``base`` element says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path

from comraf.report.data import Group, ReportData
from comraf.report.marks import barred
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.page import document, render
from comraf.report.parts import PAGES, page_name, swatch
from comraf.report.scales import plural
from comraf.report.sections.frame import Section, contents
from comraf.report.sections.groups import group_facts, group_in_full, sample_line
from comraf.report.style import photo_rules, stylesheet
from comraf.results.files import RESULT_FILE, write_folder

__all__ = ["group_pages", "page_writer", "write_report"]

#: Documents of a page. With the limits of titles, names and sources a page stays under 1 MB.
MOST_ITEMS = 300
REPORT = "report.html"


def group_pages(data: ReportData) -> Iterator[tuple[str, str]]:
    """The pages of a report, one after the other.

    Parameters
    ----------
    data : ReportData
        From `comraf.report.report_data`.

    Yields
    ------
    name, page : str
        The name of a file in the folder ``report-pages`` beside ``report.html``, and its HTML.
        A group of more than 300 documents has several.

    Examples
    --------
    >>> from comraf.report import Group, Model, Sample
    >>> group = Group(0, "sea", 2, 1.0, items=(Sample("Tides"), Sample("<b>Ships</b>")))
    >>> [(name, page)] = group_pages(ReportData("Letters", 2, (group,), Model((), ())))
    >>> name, "Tides" in page, "<b>Ships" in page
    ('group-0.html', True, False)
    """
    groups = sorted(data.groups, key=lambda group: -group.size)
    for place, group in enumerate(groups):
        near = (groups[place - 1] if place else None, *groups[place + 1 : place + 2])
        parts = max(1, -(-len(group.items) // MOST_ITEMS))
        for part in range(1, parts + 1):
            yield page_name(group.number, part), _page(data, group, part, parts, near)


def page_writer(data: ReportData) -> Callable[[Path], None]:
    """What fills the folder of pages, for `comraf.results.files.write_folder`."""

    def fill(folder: Path) -> None:
        folder.mkdir()
        for name, page in group_pages(data):
            (folder / name).write_text(page, encoding="utf-8", newline="")

    return fill


def write_report(data: ReportData, folder: str | PathLike[str], *, force: bool = False) -> Path:
    """Write a report and the pages with all documents of each group.

    Parameters
    ----------
    data : ReportData
        From `comraf.report.report_data`.
    folder : path-like
        A folder, new or empty. It appears whole or not at all.
    force : bool
        Whether it may hold something: an older report in it is replaced, other files stay.

    Returns
    -------
    pathlib.Path
        The report to open: ``report.html``. Beside it are ``report-pages``, unless the report is
        without text, and ``result.json``, which lists what was written.

    Examples
    --------
    >>> import tempfile
    >>> from comraf.report import Group, Model, Sample
    >>> group = Group(0, "sea", 1, 1.0, items=(Sample("Tides"),))
    >>> data = ReportData("Letters", 1, (group,), Model((), ()))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = write_report(data, folder)
    ...     sorted(path.name for path in report.parent.rglob("*.html"))
    ['group-0.html', 'report.html']
    """
    folders = {PAGES: page_writer(data)} if data.text_shown else {}
    listed = {"files": [RESULT_FILE, REPORT], "folders": list(folders)}
    files = {
        RESULT_FILE: json.dumps({"format": "comraf-result", "version": 1, **listed}),
        REPORT: render(data, pages=PAGES if folders else ""),
    }
    return write_folder(folder, files, folders=folders, force=force) / REPORT


def _page(
    data: ReportData, group: Group, part: int, parts: int, near: Sequence[Group | None]
) -> str:
    first = MOST_ITEMS * (part - 1)
    shown = group.items[first : first + MOST_ITEMS]
    dated = data.first is not None
    about = f"All {len(group.items):,}"
    if len(group.items) < group.size:
        about = f"{len(group.items):,} of {group.size:,}, since the collection is very large"
    about += ", the most typical first."
    if parts > 1:
        about += f" Here are {first + 1:,} to {first + len(shown):,}."
    items = el("ul", [sample_line(item, (), dated) for item in shown])
    listed = Section(
        "all",
        "",
        f"{plural(data.kind).capitalize()} of this group",
        about,
        el("div", items, class_="samples" if dated else "samples undated"),
    )
    turn = _turning(group, part, parts)
    main = el(
        "main",
        el(
            "header",
            el("p", el("a", "← ", user(data.title, 120), href=REPORT), class_="kicker"),
            el("h1", swatch(group.number), " ", user(group.name, 160)),
            group_facts(group, data),
        ),
        group_in_full(group, data) if part == 1 else turn,
        listed.html() if shown else None,
        turn,
        _footer(near),
        class_=f"group {barred(group.number)}",
    )
    # the contents of the report, of which a telephone shows the first line only
    back = Section("groups", "Each group", "", "", "")
    rules = stylesheet()
    if group.swatches or group.pictures:
        rules += photo_rules()
    title = f"{group.number} {plain(group.name, 100)}" + (f" ({part})" if parts > 1 else "")
    body = el("div", contents([back], data.groups, PAGES), main, class_="frame")
    return document(title, body, rules, base=f"../{REPORT}")


def _turning(group: Group, part: int, parts: int) -> Markup | None:
    """Links to the parts of a long list."""
    if parts == 1:
        return None
    links = [
        el("b", i) if i == part else el("a", i, href=f"{PAGES}/{page_name(group.number, i)}")
        for i in range(1, parts + 1)
    ]
    return el("p", "Part ", join(links, " "), class_="turn")


def _footer(near: Sequence[Group | None]) -> Markup:
    """Back to the report, and on to the groups before and after this one."""
    links: list[object] = [el("a", "the report", href=REPORT)]
    for group, way in zip(near, "←→", strict=False):
        if group is not None:
            name = [way, " ", swatch(group.number), " ", user(group.name, 40)]
            links.append(el("a", name, href=f"{PAGES}/{page_name(group.number)}"))
    return el("footer", join(links, " · "))
