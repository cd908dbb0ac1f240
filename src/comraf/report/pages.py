"""Pages beside a report: one for each group, with every document that is in it.

They have no script; what is looked for is found by the browser's own search. All links of a page
are relative to the report, which a ``base`` element says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from comraf.report.data import Group, ReportData, page_name
from comraf.report.page import contents, fill_page, render
from comraf.report.panels.groups import GROUP_PANELS, in_full
from comraf.results.files import RESULT_FILE, write_folder

__all__ = ["PAGES", "group_pages", "page_writer", "write_report"]

#: The folder beside a report that holds a page for each group.
PAGES = "report-pages"
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
    >>> from comraf.report.data import Group, Model, Sample
    >>> group = Group(0, "sea", 2, 1.0, items=(Sample("Tides"), Sample("<b>Ships</b>")))
    >>> [(name, page)] = group_pages(ReportData("Letters", 2, (group,), Model((), ())))
    >>> name, "Tides" in page, "<b>Ships" in page
    ('group-0.html', True, False)
    """
    data = replace(data, pages=PAGES)
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
    >>> from comraf.report.data import Group, Model, Sample
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
    """One part of a group's list; the first has all that is known of the group above it."""
    first = MOST_ITEMS * (part - 1)
    around = [(one, way) for one, way in zip(near, "←→", strict=False) if one is not None]
    return fill_page(
        "group.html",
        "".join(panel.rules((group,)) for panel in GROUP_PANELS),
        data=data,
        # the contents of the report, of which a telephone shows the first line only
        contents=contents([("groups", "Each group")], data.groups, data.link),
        report=REPORT,
        group=group,
        part=part,
        parts=parts,
        page_name=page_name,
        full=in_full(group, data) if part == 1 else None,
        items=group.items[first : first + MOST_ITEMS],
        first=first + 1,
        around=around,
    )
