"""The report, a page of HTML: inline style and SVG, no script, nothing from elsewhere."""

from __future__ import annotations

from comraf.report.data import ReportData
from comraf.report.markup import Markup, el, plain, user
from comraf.report.plots.documents import choice_rules
from comraf.report.scales import count_of, day
from comraf.report.sections.frame import contents
from comraf.report.sections.glance import glance, map_of_documents, over_time
from comraf.report.sections.groups import each_group
from comraf.report.sections.made import against_classes, how_found, notes
from comraf.report.sections.sides import clustered_tables, other_clusters, who_with_whom
from comraf.report.style import photo_rules, stylesheet

__all__ = ["POLICY", "document", "render"]

#: What a browser may load for the page: its own style and pictures within it, nothing else.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


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
    >>> from comraf.report import Group, Model, ReportData
    >>> page = render(ReportData("Letters", 2, (Group(0, "sea, ship", 2, 1.0),), Model((), ())))
    >>> page.startswith("<!doctype html>"), "<script" in page
    (True, False)
    """
    sections = [
        section
        for section in (
            glance(data, pages),
            map_of_documents(data),
            over_time(data),
            each_group(data, pages),
            who_with_whom(data),
            clustered_tables(data),
            other_clusters(data),
            against_classes(data),
            how_found(data),
            notes(data),
        )
        if section is not None
    ]
    body = el(
        "div",
        contents(sections, data.groups),
        el("main", _opening(data), [section.html() for section in sections], _footer(data, pages)),
        class_="frame",
    )
    rules = stylesheet() + choice_rules([group.number for group in data.groups])
    if any(group.swatches or group.pictures for group in data.groups):
        rules += photo_rules()
    return document(plain(data.title, 120), body, rules)


def document(title: str, body: Markup, rules: str, base: str | None = None) -> str:
    """A whole page, under the strictest policy.

    Parameters
    ----------
    title : str
    body : Markup
    rules : str
        Its style.
    base : str, optional
        What its links are relative to.

    Examples
    --------
    >>> document("<sea>", el("p", "tide"), "p{color:red}").count("<sea>")
    0
    """
    head = el(
        "head",
        el("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        el("base", href=base) if base else None,
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("meta", name="robots", content="noindex"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title, " · comraf"),
        # The sheet is ours and holds no "<"; escaping it would break its child selectors.
        el("style", Markup(rules)),
    )
    page = el("html", head, el("body", body), lang="en")
    return f"<!doctype html>\n{page}\n"


def _opening(data: ReportData) -> Markup:
    sentence: list[object] = [
        f"{count_of(data.n_documents, data.kind)} in {count_of(len(data.groups), 'group')}"
    ]
    sides = [node for node in data.model.nodes if node.name != "documents"]
    for i, side in enumerate(sides):
        link = ", found from " if i == 0 else " and " if i == len(sides) - 1 else ", "
        what = "kinds of texture" if data.kind == "photo" and side.name == "texture" else side.name
        # of neighbours there are as many as documents, which says nothing
        number = "" if side.name == "neighbours" else f"{side.size:,} "
        sentence += [link, number, user(what, 40)]
    sentence.append(" at once." if len(sides) > 1 else ".")
    if data.first is not None and data.last is not None:
        sentence.append(f" From {day(data.first)} to {day(data.last)}.")
    for score in data.scores[:1]:
        # Only the first letter: names of measures have capitals of their own.
        name = plain(score.name, 60)
        sentence += [
            " ",
            user(name[:1].upper() + name[1:]),
            f" against the known classes: {score.value:.2f}.",
        ]
    warnings = [
        el("p", el("b", "Mind: "), user(line, 600), class_="warn", role="note")
        for line in data.warnings
    ]
    source = user(data.source, 200) if data.source and data.source != data.title else None
    return el(
        "header",
        el("p", "What is in ", source, class_="kicker") if source else None,
        user(data.title, 120, tag="h1"),
        el("p", sentence, class_="lede"),
        warnings,
    )


def _footer(data: ReportData, pages: str) -> Markup:
    made = "" if data.made is None else f" on {day(data.made.date())} at {data.made:%H:%M}"
    version = f"comraf {plain(data.version, 20)}".strip()
    took = f"; clustering took {data.seconds:,.1f} s" if data.seconds else ""
    return el(
        "footer",
        f"Made by {version}{made}{took}. The page holds no script and loads nothing.",
        f" The pages of groups are in the folder {pages} beside it." if pages else None,
    )
