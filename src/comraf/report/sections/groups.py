"""Each group: what tells it apart, what it is made of, documents to look at."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from comraf.collection.text.segment import UNSPACED
from comraf.collection.text.words import letter_pattern, tokenise
from comraf.report.data import Group, ReportData, Sample, Telling
from comraf.report.marks import barred
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.parts import MOST_CARDS, bar, group_link, page_name, swatch
from comraf.report.scales import count_of, day, percent, plural
from comraf.report.sections.frame import Section
from comraf.report.sections.photos import few_pictures, look_lists, mosaic, strip, swatch_list

__all__ = ["each_group", "group_facts", "group_in_full", "marked", "sample_line"]

# In the few lines of a group: values of a side, documents, pictures.
_ON_A_LINE, _FIRST, _MOST_PICTURES = 10, 2, 6
_MANY = 24  # groups; beyond, there are three in a row
_WORDS = re.compile(r"(\w+)")


def each_group(data: ReportData, pages: str = "") -> Section:
    """All groups, one after the other, a few lines each.

    Parameters
    ----------
    data : ReportData
    pages : str
        The folder with a page for each group, which has the rest; without one, the rest is
        folded away.

    Examples
    --------
    >>> from comraf.report.data import Group, Model
    >>> data = ReportData("Letters", 1, (Group(0, "sea", 1, 1.0),), Model((), ()))
    >>> each_group(data).html().count("<article")
    1
    """
    about = (
        "Telling values are those that a group has more often than its size alone would explain, "
        "most telling first."
    )
    if any(group.swatches for group in data.groups):
        about += (
            " Of colours it is said which share of the group's pixels they are, and of all pixels; "
            "of regions, which share of them look like that (a blob is a kind of region)."
        )
    if not data.text_shown:
        left_out = "photos and captions" if data.kind == "photo" else "the text of documents"
        about += f" This report was made without {left_out} and without names."
    shown = sorted(data.groups, key=lambda group: -group.size)
    if pages and len(shown) > MOST_CARDS:
        shown = shown[:MOST_CARDS]
        about += f" The {MOST_CARDS} largest groups; the others have pages, as all do."
    many = " many" if len(shown) > _MANY else ""
    cards = el("div", [_card(group, data, pages) for group in shown], class_=f"cards{many}")
    return Section("groups", "Each group", "Each group", about, cards)


def _card(group: Group, data: ReportData, pages: str) -> Markup:
    """A group in a few lines, and where the rest is."""
    lines = [
        el(
            "p",
            user(side.side, 40, class_="soft"),
            " ",
            join([user(item.value, 60) for item in side.values[:_ON_A_LINE]], ", "),
            class_="clip",
        )
        for side in group.telling
        if side.values
    ]
    titles = [
        el(
            "li",
            user(sample.title or "(no title)", 160, class_="clip"),
            el("time", day(sample.date), datetime=sample.date.isoformat()) if sample.date else None,
        )
        for sample in group.samples[:_FIRST]
        if sample.sure
    ]
    rest: Markup | None
    if pages:
        all_of = f"all {count_of(group.size, data.kind)}" if group.items else "more of this group"
        rest = el("p", el("a", all_of, " →", href=f"{pages}/{page_name(group.number)}"))
    else:
        more = group_in_full(group, data, beyond=_MOST_PICTURES)
        rest = el("details", el("summary", "more of this group"), more) if more else None
    return el(
        "article",
        el("h3", swatch(group.number), user(group.name, 160)),
        group_facts(group, data),
        few_pictures(group, _MOST_PICTURES),
        strip(group),
        lines,
        el("ul", titles, class_="titles") if titles else None,
        rest,
        id=f"g{group.number}",
        class_=f"group {barred(group.number)}",
    )


def group_facts(group: Group, data: ReportData) -> Markup:
    """Size, share, confidence and neighbours of a group, on a line.

    Examples
    --------
    >>> from comraf.report.data import Model
    >>> group = Group(0, "sea", 1, 1.0)
    >>> "1 document" in group_facts(group, ReportData("L", 1, (group,), Model((), ())))
    True
    """
    meta = [
        el("span", count_of(group.size, data.kind)),
        el("span", f"{percent(group.share)} of all"),
    ]
    if group.confidence is not None:
        meta.append(el("span", f"confidence {percent(group.confidence)}", title="mean of all"))
    if group.near:
        links = join([group_link(number) for number in group.near], " ")
        meta.append(el("span", "nearest ", links))
    return el("p", meta, class_="meta")


def group_in_full(group: Group, data: ReportData, beyond: int = 0) -> list[Markup]:
    """All that is known of a group but the list of its documents.

    ``beyond`` of its typical pictures are shown elsewhere.

    Examples
    --------
    >>> from comraf.report.data import Model
    >>> group = Group(0, "sea", 1, 1.0, samples=(Sample("A letter"),))
    >>> "typical documents" in group_in_full(group, ReportData("L", 1, (group,), Model((), ())))[0]
    True
    """
    sides = [_telling(side) for side in group.telling]
    seen = [part for part in (swatch_list(group), *look_lists(group)) if part is not None]
    sides += seen
    parts = (
        mosaic(group, data.kind, beyond),
        el("div", sides, class_="tell flow" if seen else "tell") if sides else None,
        _mixture(group),
        _samples(group, data),
    )
    return [part for part in parts if part is not None]


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
    typical = [sample_line(sample, words, dated) for sample in group.samples if sample.sure]
    doubtful = [sample_line(sample, words, dated) for sample in group.samples if not sample.sure]
    many = plural(data.kind)
    parts: list[Markup] = []
    if typical:
        parts += [el("h4", f"typical {many}"), el("ul", typical)]
    if doubtful:
        parts += [el("h4", f"{many} that another group fits almost as well"), el("ul", doubtful)]
    return el("div", parts, class_="samples" if dated else "samples undated")


def sample_line(sample: Sample, words: Collection[str], dated: bool) -> Markup:
    """One document of a list.

    Examples
    --------
    >>> "<b" in sample_line(Sample("A letter"), (), dated=False)
    True
    """
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
        facts.append(["almost as well in ", group_link(sample.rival)])
    if sample.source:
        # of a long path the end is what tells it from others
        end = sample.source if len(sample.source) <= 160 else "…" + sample.source[-159:]
        facts.append(user(end, 160))
    aside = [el("span", fact) for fact in facts]
    if who:
        aside.insert(0, el("span", join(who, ", ")))
    return el(
        "li",
        when,
        el(
            "div",
            user(sample.title or "(no title)", 300, tag="b"),
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
