"""Pieces that several parts of the page share."""

from __future__ import annotations

from comraf.report.data import Group
from comraf.report.marks import look
from comraf.report.markup import Markup, el, user

__all__ = ["MOST_CARDS", "PAGES", "bar", "group_link", "page_name", "row_name", "swatch"]

#: The folder beside a report that holds a page for each group.
PAGES = "report-pages"
#: Groups that have a section of their own in the report, if all have pages.
MOST_CARDS = 60


def page_name(number: int, part: int = 1) -> str:
    """The file of a group's page, or of a further part of its list.

    Examples
    --------
    >>> page_name(3), page_name(3, 2)
    ('group-3.html', 'group-3-2.html')
    """
    return f"group-{number}.html" if part == 1 else f"group-{number}-{part}.html"


def swatch(number: int) -> Markup:
    """A group's number after its mark.

    Examples
    --------
    >>> swatch(3)
    '<span class="dot c3 k0">3</span>'
    """
    return el("span", number, class_=f"dot {look(number)}")


def group_link(number: int, content: object = None) -> Markup:
    """A link to a group, by its number alone or with something after it.

    Examples
    --------
    >>> group_link(3).startswith('<a href="#g3"')
    True
    """
    spoken = el("span", "group ", class_="unseen")
    return el("a", spoken, swatch(number), content, href=f"#g{number}")


def row_name(group: Group) -> Markup:
    """A group before its row of a heat map.

    Examples
    --------
    >>> row_name(Group(0, "sea", 3, 1.0)).count("sea")
    1
    """
    return el(
        "a",
        user(group.name, 40, class_="clip"),
        swatch(group.number),
        href=f"#g{group.number}",
        class_="line",
    )


def bar(share: float) -> Markup:
    """A thin bar, its length a share of the room there is.

    Examples
    --------
    >>> bar(0.5)
    '<i style="--w:50.0%"></i>'
    """
    return el("i", style=f"--w:{100 * max(0.0, min(1.0, share)):.1f}%")
