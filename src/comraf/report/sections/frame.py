"""What every section has, and the contents beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from comraf.report.data import Group
from comraf.report.markup import Markup, el, user
from comraf.report.parts import page_name, swatch

__all__ = ["Section", "contents"]

_MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its anchor, a line on how to read what follows, and what follows.

    ``short`` is the heading in the contents.

    Examples
    --------
    >>> Section("map", "Map", "Map of letters", "", "...").html()
    '<section id="map"><h2>Map of letters</h2>...</section>'
    """

    anchor: str
    short: str
    heading: str
    about: object
    body: object

    def html(self) -> Markup:
        """The section as it stands in the page."""
        return el(
            "section",
            el("h2", self.heading),
            el("p", self.about, class_="about") if self.about else None,
            self.body,
            id=self.anchor,
        )


def contents(sections: Sequence[Section], groups: Sequence[Group], pages: str = "") -> Markup:
    """Links to every section, and below "Each group" to every group or, if there are, its page.

    Examples
    --------
    >>> section = Section("groups", "Each group", "Each group", "", "")
    >>> contents([section], [Group(0, "sea", 1, 1.0)]).count("<a ")
    2
    """
    items = []
    for section in sections:
        inner = None
        if section.anchor == "groups":
            links = [
                el(
                    "li",
                    el(
                        "a",
                        swatch(group.number),
                        user(group.name, 60, class_="clip"),
                        href=f"{pages}/{page_name(group.number)}" if pages else f"#g{group.number}",
                    ),
                )
                for group in sorted(groups, key=lambda group: -group.size)[:_MOST_LISTED]
            ]
            inner = el("ol", links)
        items.append(el("li", el("a", section.short, href=f"#{section.anchor}"), inner))
    return el("nav", el("p", "comraf"), el("ol", items), class_="toc", aria_label="Contents")
