"""What a panel says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from comraf.report.data import Group, ReportData
from comraf.report.jinja import draw
from comraf.report.scales import plural

if TYPE_CHECKING:
    from markupsafe import Markup

    from comraf.report.answer import Answer

__all__ = ["GroupPanel", "Panel"]

Values = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A section of the page: what it needs, how its data is gathered, how it is drawn.

    Parameters
    ----------
    name : str
        Its anchor.
    short : str
        Its heading in the contents.
    template : str
        A Jinja template: a heading ``<h2>``, perhaps a ``<p class="about">``, and the rest. It
        knows ``data``, ``many`` (what documents are called), what ``show`` gives, and all that
        `comraf.report.jinja` has. Text of strangers goes through the filter ``user`` or
        ``plain``, which take a length.
    needs : callable
        Whether the data has anything to show.
    gather : callable
        From the answer, what is to be kept of it in the data: fields of `ReportData`, or entries
        of its ``more``.
    show : callable
        From the data, what the template is given.
    rules : callable
        From the data, style of its own.

    Examples
    --------
    >>> from comraf.report.data import Model
    >>> panel = Panel(name="size", short="Size", template="<h2>{{ data.title }}: {{ many }}</h2>")
    >>> panel.html(ReportData("Letters", 3, (), Model((), ()), kind="letter"))
    Markup('<h2>Letters: letters</h2>')
    """

    name: str
    short: str
    template: str
    needs: Callable[[ReportData], object] = lambda data: True
    gather: Callable[[Answer], Mapping[str, Any]] = lambda answer: {}
    show: Callable[[ReportData], Mapping[str, Any]] = lambda data: {}
    rules: Callable[[ReportData], str] = lambda data: ""

    def html(self, data: ReportData) -> Markup:
        """The section without its frame."""
        return draw(self.template, data=data, many=plural(data.kind), **self.show(data))


@dataclass(frozen=True, kw_only=True)
class GroupPanel:
    """A part of every group: of its line in the table, of its card, and of its page.

    Parameters
    ----------
    name : str
    needs : callable
        Whether a group has anything to show.
    gather : callable
        From the answer, and what earlier panels have gathered of each group, fields of every
        `Group` or entries of its ``more``.
    show : callable
        From a group and the data, what the templates are given besides ``group``, ``data`` and
        ``many``.
    line, card, lists, full : str
        Jinja templates: after the name in the table, on the card, among the lists of what tells
        the group, and on its page.
    line_shows : callable
        From the data, what its line in the table tells of groups: "words".
    about : str
        A Jinja template, a sentence above all cards, where a group has something to show.
    rules : callable
        From groups, style of its own.
    """

    name: str
    needs: Callable[[Group], object]
    gather: Callable[[Answer, Sequence[Values]], Sequence[Values]]
    show: Callable[[Group, ReportData], Values] = lambda group, data: {}
    line_shows: Callable[[ReportData], Sequence[str]] = lambda data: ()
    line: str = ""
    card: str = ""
    lists: str = ""
    full: str = ""
    about: str = ""
    rules: Callable[[Sequence[Group]], str] = lambda groups: ""

    def html(self, place: str, group: Group, data: ReportData, **more: Any) -> Markup | str:
        """What stands at one of the places; empty where there is nothing to show."""
        template = getattr(self, place)
        if not template or not self.needs(group):
            return ""
        context = {"group": group, "data": data, "many": plural(data.kind), **more}
        return draw(template, **context, **self.show(group, data)).strip()
