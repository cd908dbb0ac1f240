"""Each group: what tells it apart, what it is made of, documents to look at."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from comraf.collection.text.segment import UNSPACED
from comraf.collection.text.words import letter_pattern, tokenise
from comraf.report.data import Group, ReportData, Sample, Telling
from comraf.report.marks import barred
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.parts import bar, group_link, swatch
from comraf.report.scales import count_of, day, percent, plural
from comraf.report.sections.frame import Section
from comraf.report.sections.photos import look_lists, mosaic, swatch_list

__all__ = ["each_group", "marked"]

_OPEN_UP_TO = 12  # groups; with more, their documents are folded away
_FIRST = 3
_WORDS = re.compile(r"(\w+)")


def each_group(data: ReportData) -> Section:
    """All groups, one after the other.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> each_group(data).html().count("<article")
    1
    """
    about = (
        "Telling values are those that a group has more often than its size alone would explain; "
        "bars compare them within the group."
    )
    if any(group.swatches for group in data.groups):
        about += (
            " Of colours it is said which share of the group's pixels they are, and of all pixels; "
            "of regions, which share of them look like that (a blob is a kind of region)."
        )
    if not data.text_shown:
        left_out = "photos and captions" if data.kind == "photo" else "the text of documents"
        about += f" This report was made without {left_out} and without names."
    cards = [_card(group, data) for group in sorted(data.groups, key=lambda group: -group.size)]
    return Section("groups", "Each group", "Each group", about, cards)


def _card(group: Group, data: ReportData) -> Markup:
    meta = [
        el("span", count_of(group.size, data.kind)),
        el("span", f"{percent(group.share)} of all"),
    ]
    if group.confidence is not None:
        meta.append(el("span", f"mean confidence {percent(group.confidence)}"))
    if group.near:
        links = join([group_link(number) for number in group.near], " ")
        meta.append(el("span", "nearest ", links))
    sides = [_telling(side) for side in group.telling]
    seen = [part for part in (swatch_list(group), *look_lists(group)) if part is not None]
    sides += seen
    return el(
        "article",
        el("h3", swatch(group.number), user(group.name, 160)),
        el("p", meta, class_="meta"),
        mosaic(group, data.kind),
        el("div", sides, class_="tell flow" if seen else "tell") if sides else None,
        _mixture(group),
        _samples(group, data),
        id=f"g{group.number}",
        class_=f"group {barred(group.number)}",
    )


def _telling(telling: Telling) -> Markup:
    most = max((item.strength for item in telling.values), default=0.0) or 1.0
    items = [
        el(
            "li",
            bar(item.strength / most),
            user(item.value, 80, class_="clip", title=plain(item.value, 120)),
        )
        for item in telling.values
    ]
    # Single words fit two columns on a telephone, names do not.
    wide = None if telling.kind == "words" else "wide"
    return el("div", user(telling.side, 40, tag="h4"), el("ol", items, class_="bars"), class_=wide)


def _mixture(group: Group) -> Markup | None:
    total = sum(item.count for item in group.truth)
    if not total:
        return None
    strip = [el("i", style=f"--w:{item.count / total:.4f}") for item in group.truth]
    legend = [
        el(
            "span",
            user(item.name, 40),
            el("span", f" {percent(item.count / total)}", class_="soft"),
        )
        for item in group.truth
    ]
    return el(
        "div",
        el("h4", "known classes"),
        el("div", strip, class_="mix", aria_hidden="true"),
        el("p", join(legend, " · ")),
        class_="mixed",
    )


def _samples(group: Group, data: ReportData) -> Markup | None:
    if not group.samples:
        return None
    words = {
        plain(item.value, 80).casefold()
        for side in group.telling
        if side.kind == "words"
        for item in side.values
    }
    dated = data.first is not None
    typical = [_sample(sample, words, dated) for sample in group.samples if sample.sure]
    doubtful = [_sample(sample, words, dated) for sample in group.samples if not sample.sure]
    first = typical[:_FIRST] if len(data.groups) <= _OPEN_UP_TO else []
    rest = typical[len(first) :]
    many = plural(data.kind)
    folded: list[Markup] = []
    if rest:
        folded.append(el("ul", rest))
    if doubtful:
        folded.append(el("h4", f"{many} that nearly went elsewhere"))
        folded.append(el("ul", doubtful))
    n = len(rest) + len(doubtful)
    summary = count_of(n, f"more {data.kind}") if first else count_of(n, data.kind)
    if doubtful:
        summary += f", {len(doubtful)} of them nearly elsewhere"
    return el(
        "div",
        el("h4", f"typical {many}") if first else None,
        el("ul", first) if first else None,
        el("details", el("summary", summary), folded) if folded else None,
        class_="samples" if dated else "samples undated",
    )


def _sample(sample: Sample, words: Collection[str], dated: bool) -> Markup:
    when = None
    if sample.date is not None:
        when = el("time", day(sample.date), datetime=sample.date.isoformat())
    elif dated:
        when = el("span", "no date", class_="nodate")
    who = [user(name, 60) for name in sample.people]
    if sample.more_people:
        who.append(el("span", f"{sample.more_people:,} more"))
    facts: list[object] = []
    if sample.confidence is not None:
        facts.append(f"confidence {percent(sample.confidence)}")
    if sample.truth is not None:
        facts.append(["class ", user(sample.truth, 40)])
    if sample.rival is not None:
        facts.append(["nearly ", group_link(sample.rival)])
    aside = [el("span", fact) for fact in facts]
    if who:
        aside.insert(0, el("span", join(who, ", ")))
    return el(
        "li",
        when,
        el(
            "div",
            user(sample.title or "(no title)", 160, tag="b"),
            el("div", join(aside, " · "), class_="who") if aside else None,
            el("q", marked(plain(sample.snippet, 320), words), dir="auto")
            if sample.snippet
            else None,
        ),
    )


def marked(text: str, words: Collection[str]) -> Sequence[str | Markup]:
    """Text with the telling words marked.

    Examples
    --------
    >>> join(marked("The Pump & the <b>", {"pump"}))
    'The <mark>Pump</mark> &amp; the &lt;b&gt;'
    >>> join(marked("我们买水泵。", {"水泵"}))
    '我们买<mark>水泵</mark>。'
    """
    if text.isascii():
        parts = _WORDS.split(text)
    else:
        parts = re.split(f"({letter_pattern()}+)", text)
        # where no blanks part the words, look for each of them
        wanted = sorted((word for word in words if UNSPACED.match(word)), key=len, reverse=True)
        if wanted:
            inside = re.compile(f"({'|'.join(map(re.escape, wanted))})")
            parts = [piece for part in parts for piece in inside.split(part)]
    return [el("mark", part) if _is_one_of(part, words) else part for part in parts]


def _is_one_of(part: str, words: Collection[str]) -> bool:
    """Whether a part of a text is one of the words, in whatever spelling."""
    if part.isascii() or part in words:
        return part.casefold() in words
    found = tokenise(part)
    return len(found) == 1 and found[0].casefold() in words
