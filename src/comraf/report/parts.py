"""Pieces that several parts of the page share."""

from __future__ import annotations

from comraf.report.data import Group
from comraf.report.marks import look
from comraf.report.markup import Markup, el, user

__all__ = ["bar", "group_link", "row_name", "swatch"]


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
