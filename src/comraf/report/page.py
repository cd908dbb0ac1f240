"""The report, a page of HTML: inline style and SVG, no script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from comraf.report.data import Group, ReportData
from comraf.report.jinja import environment
from comraf.report.panels import PANELS
from comraf.report.style import stylesheet

__all__ = ["POLICY", "contents", "fill_page", "render"]

#: What a browser may load for the page: its own style and pictures within it, nothing else.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_MOST_LISTED = 200


def render(data: ReportData, *, pages: str = "") -> str:
    """Draw a report.

    Parameters
    ----------
    data : ReportData
        From `comraf.report.report_data`.
    pages : str
        The folder of `comraf.report.group_pages` beside the file, which the page then
        links to. Without one, what would be on these pages is folded away, and documents that
        are no samples are not listed.

    Returns
    -------
    str
        A whole HTML document. Every string of ``data`` is escaped, cleaned of invisible
        characters and cut to a length that fits its place.

    Examples
    --------
    >>> from comraf.report.data import Group, Model, ReportData
    >>> page = render(ReportData("Letters", 2, (Group(0, "sea, ship", 2, 1.0),), Model((), ())))
    >>> page.startswith("<!doctype html>"), "<script" in page
    (True, False)
    """
    data = replace(data, pages=pages)
    panels = [panel for panel in PANELS if panel.needs(data)]
    return fill_page(
        "page.html",
        "".join(panel.rules(data) for panel in panels),
        data=data,
        contents=contents([(panel.name, panel.short) for panel in panels], data.groups),
        sections=[(panel.name, panel.html(data)) for panel in panels],
        sides=[node for node in data.model.nodes if node.name != "documents"],
    )


def contents(
    sections: Sequence[tuple[str, str]],
    groups: Sequence[Group] = (),
    link: Callable[[int], str] = "#g{}".format,
) -> list[tuple[str, str, list[tuple[Group, str]]]]:
    """Anchors and headings of sections, and the groups with their links below "Each group"."""
    largest = sorted(groups, key=lambda group: -group.size)[:_MOST_LISTED]
    inner = [(group, link(group.number)) for group in largest]
    return [(name, short, inner if name == "groups" else []) for name, short in sections]


def fill_page(template: str, rules: str = "", **context: Any) -> str:
    """A whole page under the strictest policy, with the sheet of all pages and more rules."""
    page = environment().get_template(template)
    return page.render(context, policy=POLICY, rules=stylesheet() + rules) + "\n"
