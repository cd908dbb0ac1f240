"""How it was found, how well it agrees with what is known, and what to know about it."""

from __future__ import annotations

from dataclasses import replace

from comraf.report.data import Model, ReportData, TraceStep
from comraf.report.markup import Markup, el, user
from comraf.report.plots.model import plot_model
from comraf.report.plots.trace import plot_trace
from comraf.report.plots.truth import FEW_GROUPS, plot_truth
from comraf.report.scales import count_of, plural
from comraf.report.sections.frame import Section

__all__ = ["against_classes", "how_found", "notes"]

_MOST_NOTES = 40


def against_classes(data: ReportData) -> Section | None:
    """Scores and the table of classes by groups, where classes are known.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> against_classes(data) is None
    True
    """
    if data.truth is None and not data.scores:
        return None
    about = (
        "The classes were known beforehand and had no part in finding the groups. Each row shows "
        f"where the {plural(data.kind)} of a class went; darker is a larger share of the class."
    )
    body: list[object] = []
    if data.scores:
        rows = [
            el(
                "tr",
                el("td", user(score.name, 60)),
                el("td", f"{score.value:.3f}", class_="num"),
                el("td", user(score.meaning, 300), class_="soft"),
            )
            for score in data.scores
        ]
        body.append(el("table", el("tbody", rows), class_="facts"))
    if data.truth is not None:
        shown, total = len(data.truth.classes), data.truth.n_classes
        caption = f"{shown} largest of {total} classes" if shown < total else f"{shown} classes"
        if len(data.groups) > FEW_GROUPS:
            caption += " by the numbers of the groups"
        if data.truth.unknown:
            caption += f"; {count_of(data.truth.unknown, data.kind)} of no known class"
        body.append(
            el(
                "figure",
                el("figcaption", caption, class_="soft"),
                plot_truth(data.truth, data.groups),
                class_="side",
            )
        )
    return Section("classes", "Known classes", "Against the known classes", about, body)


def how_found(data: ReportData) -> Section:
    """The graph, the objective's trace, and the edges in numbers.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> "objective" in how_found(data).html()
    True
    """
    about = (
        "The groups are those for which the clusters of all sides tell most about each other: the "
        "objective adds up the mutual information along the lines of the graph, in nats."
    )
    if data.interrupted:
        about += " The run was stopped early; this is the best that was found until then."
    model, trace = _called(data)
    figures: list[Markup] = [
        el(
            "figure",
            el(
                "figcaption",
                el("h3", "the graph: values → clusters, information along lines", class_="label"),
            ),
            plot_model(model),
        )
    ]
    if data.trace:
        figures.append(
            el(
                "figure",
                el(
                    "figcaption",
                    el(
                        "h3", "the objective, step by step, and the side that moved", class_="label"
                    ),
                ),
                plot_trace(trace),
                el(
                    "p",
                    "It rises while sides are split into more clusters, and falls while others "
                    "merge into the number that was asked for.",
                    class_="about",
                ),
            )
        )
    rows = [
        el(
            "tr",
            el("td", user(edge.a, 40), " – ", user(edge.b, 40)),
            el("td", f"{edge.entries:,}", class_="num"),
            el("td", f"{edge.weight:.3g}", class_="num"),
            el("td", f"{edge.information:.4f}", class_="num"),
        )
        for edge in model.edges
    ]
    head = el(
        "tr",
        el("th", "table", scope="col"),
        el("th", "entries", scope="col", class_="num"),
        el("th", "weight", scope="col", class_="num"),
        el("th", "information", scope="col", class_="num"),
    )
    total = el(
        "tr",
        el("td", "objective"),
        el("td"),
        el("td"),
        el("td", el("b", f"{data.objective:.4f}"), class_="num"),
    )
    table = el("table", el("thead", head), el("tbody", rows, total), class_="facts")
    said = [el("p", user(line, 600), class_="about") for line in data.known]
    body = [*said, el("div", figures, class_="made"), el("div", table, class_="scroll")]
    return Section("found", "How it was found", "How it was found", about, body)


def _called(data: ReportData) -> tuple[Model, tuple[TraceStep, ...]]:
    """The graph and the steps with photos by that name; all else is as it was clustered."""
    if data.kind != "photo":
        return data.model, data.trace

    def named(node: str) -> str:
        return "photos" if node == "documents" else node

    nodes = tuple(replace(node, name=named(node.name)) for node in data.model.nodes)
    edges = tuple(replace(edge, a=named(edge.a), b=named(edge.b)) for edge in data.model.edges)
    return Model(nodes, edges), tuple(replace(s, node=named(s.node)) for s in data.trace)


def notes(data: ReportData) -> Section:
    """What was decided, skipped and left out, and what the words of this page mean.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> notes(data).anchor
    'notes'
    """
    body: list[object] = []
    if data.notes:
        items = [user(line, 400, tag="li") for line in data.notes[:_MOST_NOTES]]
        body.append(
            el("div", el("h3", "while reading", class_="label"), el("ul", items, class_="plain"))
        )
    skipped = data.skipped
    if skipped is not None and skipped.total:
        reasons = [
            el("li", el("span", f"{reason.count:,} × ", class_="num"), user(reason.name, 200))
            for reason in skipped.reasons
        ]
        examples = [
            el("li", user(where, 160), el("span", " – ", class_="soft"), user(why, 200))
            for where, why in skipped.examples
        ]
        body.append(
            el(
                "div",
                el("h3", f"{count_of(skipped.total, 'item')} skipped", class_="label"),
                el("ul", reasons, class_="plain") if reasons else None,
                el("details", el("summary", "which"), el("ul", examples, class_="plain"))
                if examples
                else None,
                class_="side",
            )
        )
    body.append(
        el("div", el("h3", "words of this page", class_="label"), _words(data), class_="side")
    )
    return Section("notes", "Notes", "Notes", None, body)


def _words(data: ReportData) -> Markup:
    many = plural(data.kind)
    entries = [
        (
            "telling",
            f"A value tells a group by p(v,g) log p(v,g) / p(v)p(g): often in the group's "
            f"{many}, and more often than elsewhere.",
        ),
        (
            "typical",
            f"{many.capitalize()} whose words and other values speak most for their group; "
            "the most typical come first in a group's list.",
        ),
        ("nat", "The unit of information here; 0.69 nats are one bit."),
    ]
    if any(g.confidence is not None for g in data.groups):
        entries.append(("confidence", f"How sure the group of each {data.kind} is, 0 to 100%."))
    if not data.text_shown:
        entries.append(
            (
                "without text",
                "Texts, titles, sources and ids are left out. People and other names are replaced "
                "by their rank, classes by numbers. Single telling words are kept, except those "
                "that are part of a known name or address, or look like a number.",
            )
        )
    return el("dl", ([el("dt", term), el("dd", meaning)] for term, meaning in entries))
