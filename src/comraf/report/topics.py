"""Topics of a stream as one HTML file: a timeline of stories, and what each block is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise

from comraf.report.marks import HUES, hue, look
from comraf.report.markup import Markup, el, join, plain, user
from comraf.report.page import POLICY
from comraf.report.parts import bar
from comraf.report.scales import count_of, day, percent
from comraf.report.sections.frame import Section
from comraf.report.style import stylesheet

__all__ = ["Article", "TopicEntry", "TopicsData", "render_topics"]

_MOST_LANES = 60
_MOST_ARTICLES = 12
_FIRST_ARTICLES = 4
_LANE, _CELL, _LEFT, _WIDEST = 26, 34, 210, 960
# Room for a label of ten digits under the lanes.
_TICK = 84
_NAMED_BY = 3
# How wide a gap in time is, in columns: less than one, for nothing is in it.
_GAP = 0.6
# Shares that differ by no more are one share, and their bars would say nothing.
_SAME_SHARE = 0.03
# Lanes have no marks, so a dozen stories have a colour of their own: the sheet's and these.
_MORE_HUES = (
    ("#0b86a3", "#3fc6e6"),
    ("#e0219b", "#ff8fd8"),
    ("#9a8400", "#a8862a"),
    ("#5b3fc4", "#8f7bff"),
)
# The lanes' own rules: colours are the sheet's.
_RULES = (
    ".stories svg{max-width:none;height:auto}.stories text{font-size:12px}"
    ".stories .soft{fill:var(--soft)}.stories rect{fill:var(--c,var(--soft))}"
    ".stories .back{fill:var(--wash)}.stories .cut{fill:none;stroke:var(--line)}"
    ".stories path{fill:none;stroke:var(--c,var(--soft));stroke-width:1.6}"
    ".stories .again{stroke-dasharray:3 3}.stories .gap{stroke:var(--soft);stroke-dasharray:1 4}"
    + "".join(f".t{i}{{--c:{light}}}" for i, (light, _) in enumerate(_MORE_HUES, len(HUES)))
    + "@media screen and (prefers-color-scheme: dark){"
    + "".join(f".t{i}{{--c:{dark}}}" for i, (_, dark) in enumerate(_MORE_HUES, len(HUES)))
    + "}"
)


@dataclass(frozen=True)
class Article:
    """A document of a topic."""

    title: str
    date: date | None = None
    source: str = ""


@dataclass(frozen=True)
class TopicEntry:
    """The topic of one block, as it is shown.

    Attributes
    ----------
    name : str
        Of the block.
    when : str
        Its days, for people.
    n_documents, n_core : int
        Of the block, and of its topic.
    story : int
        Number of the story, from 0.
    change : str
        A sentence on how it compares with what was before.
    goes_on, returns : bool
        Whether it takes up the block before, or an earlier one.
    words : tuple of (str, float)
        The telling words with their strength, best first.
    articles : tuple of Article
        The best of the core.
    size_note : str
        What spoke for the size of the core.
    first, last : date or None
        First and last day of the block; where one begins later than on the day after the one
        before it, the timeline has a gap.
    """

    name: str
    when: str
    n_documents: int
    n_core: int
    story: int
    change: str
    words: tuple[tuple[str, float], ...] = ()
    articles: tuple[Article, ...] = ()
    goes_on: bool = False
    returns: bool = False
    size_note: str = ""
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True)
class TopicsData:
    """Everything that the page shows.

    Attributes
    ----------
    title : str
        What the stream is called.
    entries : tuple of TopicEntry
        In order of time.
    span : str
        From when to when it is, for people; empty where nothing is dated.
    unit : str
        What a block is: "day", "week", "month", "block".
    skipped : tuple of (str, str)
        Blocks without a topic, and why.
    notes : tuple of str
        What was decided or left out.
    made : datetime or None
        When.
    version : str
        Of comraf.
    """

    title: str
    entries: tuple[TopicEntry, ...]
    unit: str = "week"
    span: str = ""
    skipped: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    made: datetime | None = None
    version: str = ""


def render_topics(data: TopicsData) -> str:
    """Draw the page: no script, nothing from elsewhere, every string escaped.

    Examples
    --------
    >>> entry = TopicEntry("1993-04-19", "19 to 25 Apr", 40, 12, 0, "The first.", (("<b>", 1.0),))
    >>> page = render_topics(TopicsData("news", (entry,)))
    >>> page.startswith("<!doctype html>"), "&lt;b&gt;" in page
    (True, True)
    >>> "<script" in page
    False
    """
    sections = [
        Section("time", "Timeline", "Stories over time", _about(data), stories(data.entries)),
        Section("topics", f"Each {data.unit}", f"Each {data.unit}", "", _cards(data)),
    ]
    if data.skipped:
        lines = [el("li", user(name, 60), ": ", user(why, 300)) for name, why in data.skipped]
        text = "They were too small, or nothing could be found in them."
        body = el("ul", lines, class_="plain")
        sections.append(Section("skipped", "Left out", "Left out", text, body))
    if data.notes:
        body = el("ul", [el("li", user(note, 600)) for note in data.notes], class_="plain")
        sections.append(Section("notes", "Notes", "Notes", "", body))
    links = [el("li", el("a", s.short, href=f"#{s.anchor}")) for s in sections]
    contents = el("nav", el("p", "comraf"), el("ol", links), class_="toc", aria_label="Contents")
    main = el("main", _opening(data), [section.html() for section in sections], _footer(data))
    head = el(
        "head",
        el("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("meta", name="robots", content="noindex"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", plain(data.title, 120), " · topics · comraf"),
        # Sheets of our own, without any "<".
        el("style", Markup(stylesheet() + _RULES)),
    )
    body = el("body", el("div", contents, main, class_="frame"))
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def stories(entries: Sequence[TopicEntry]) -> Markup:
    """A lane for each story, a column for each block, and a gap where time passes between two.

    A bar is the core's share of the block; its number of documents, where all shares are one.

    Examples
    --------
    >>> entry = TopicEntry("1", "", 40, 12, 0, "The first.", (("sea", 1.0),))
    >>> stories([entry]).count("<rect")
    2
    """
    lanes = list(dict.fromkeys(entry.story for entry in entries))
    shown = {story: place for place, story in enumerate(lanes[:_MOST_LANES])}
    if not shown:
        return el("p", "No block has a topic.")
    gaps = _gaps(entries)
    columns = len(entries) + _GAP * len(gaps)
    cell = max(9.0, min(float(_CELL), (_WIDEST - _LEFT) / columns))
    width, height = _LEFT + cell * columns + 12, _LANE * len(shown) + 26
    left, at = [], float(_LEFT)
    for i in range(len(entries)):
        at += _GAP * cell if i in gaps else 0.0
        left.append(at)
        at += cell
    even = _one_share(entries) is not None
    sizes = [entry.n_core / (1 if even else entry.n_documents) for entry in entries]
    top = max(sizes)
    parts: list[Markup] = []
    for story, place in shown.items():
        first = next(i for i, entry in enumerate(entries) if entry.story == story)
        y = place * _LANE
        name = ", ".join(plain(word, 18) for word, _ in entries[first].words[:_NAMED_BY])
        label = plain(name or "(no telling word)", 30)
        parts += [
            el("rect", x=_LEFT, y=y + 2, width=width - _LEFT - 12, height=_LANE - 4, class_="back"),
            el("a", el("text", label, x=_LEFT - 8, y=y + 17, text_anchor="end"), href=f"#b{first}"),
        ]
        mine = [i for i, entry in enumerate(entries) if entry.story == story]
        lines = [
            el(
                "path",
                d=f"M{left[a] + cell / 2:.1f} {y + _LANE - 4}H{left[b] + cell / 2:.1f}",
                class_=None if entries[b].goes_on else "again",
            )
            for a, b in pairwise(mine)
        ]
        bars = []
        for i in mine:
            entry = entries[i]
            rise = max(3.0, (_LANE - 6) * sizes[i] / top)
            said = f"{plain(entry.when or entry.name, 60)}: {entry.n_core:,} of "
            said += f"{count_of(entry.n_documents, 'document')}; {plain(entry.change, 200)}"
            box = el(
                "rect",
                el("title", said),
                x=left[i] + 1,
                y=y + _LANE - 3 - rise,
                width=cell - 2,
                height=rise,
            )
            bars.append(el("a", box, href=f"#b{i}", aria_label=said))
        parts.append(el("g", lines, bars, class_=_colour(story)))
    for i, days in gaps.items():
        x, foot = left[i] - _GAP / 2 * cell, _LANE * len(shown)
        told = el("title", f"{count_of(days, 'day')} without a topic")
        parts.append(el("path", told, d=f"M{x:.1f} 0V{foot}", class_="gap"))
    step = int(-(-_TICK // cell))
    for i in range(0, len(entries), step):
        x = left[i] + 0.5 * cell
        label = plain(entries[i].name, 12)
        parts.append(el("text", label, x=x, y=height - 6, text_anchor="middle", class_="soft"))
    said = f"{count_of(len(shown), 'story')} over {count_of(len(entries), 'block')}"
    figure = el(
        "svg",
        el("title", said),
        parts,
        viewBox=f"0 0 {width:.0f} {height}",
        width=round(width),
        height=height,
        role="img",
    )
    rest = len(lanes) - len(shown)
    more = el("p", f"{count_of(rest, 'more story')} below.", class_="soft") if rest else None
    hint = el("div", el("p", "scroll sideways →", class_="hint"), class_="room")
    scroll = el("div", figure, class_="scroll stories")
    return el("div", hint, scroll, more, style=f"--wide:{round(width)}px")


def _gaps(entries: Sequence[TopicEntry]) -> dict[int, int]:
    """Blocks before which days are missing, and how many."""
    found = {}
    for i, (a, b) in enumerate(pairwise(entries), start=1):
        if a.last is not None and b.first is not None and (b.first - a.last).days > 1:
            found[i] = (b.first - a.last).days - 1
    return found


def _one_share(entries: Sequence[TopicEntry]) -> float | None:
    """The share of its block that every core is; None where they differ."""
    shares = sorted(entry.n_core / entry.n_documents for entry in entries)
    if not shares or shares[-1] - shares[0] > _SAME_SHARE:
        return None
    return shares[len(shares) // 2]


def _colour(story: int) -> str:
    """The class of a story's colour; the first twelve differ."""
    more = len(HUES) <= story < len(HUES) + len(_MORE_HUES)
    return f"t{story}" if more else hue(story)


def _about(data: TopicsData) -> str:
    share = _one_share(data.entries)
    bars = "shares of the documents"
    if share is not None:
        bars = f"numbers of documents, for each topic is about {share:.0%} of its {data.unit}"
    gaps = " A dotted line down is a gap in time." if _gaps(data.entries) else ""
    return (
        f"Each {data.unit} has one topic: the largest part of its documents that hangs together. "
        "Topics that are alike are one story, on one lane; a line joins blocks in which it goes "
        f"on, a broken line those in which it returns.{gaps} Bars are {bars}; those "
        "before words say how many documents of the topic have them."
    )


def _opening(data: TopicsData) -> Markup:
    told = len({entry.story for entry in data.entries})
    total = sum(entry.n_documents for entry in data.entries)
    text = (
        f"{count_of(total, 'document')} in {count_of(len(data.entries), data.unit)}, "
        f"{count_of(told, 'story')}."
    )
    if data.span:
        text += f" {data.span}."
    return el(
        "header",
        el("p", f"The topic of each {data.unit}", class_="kicker"),
        user(data.title, 120, tag="h1"),
        el("p", user(text, 400), class_="lede"),
    )


def _cards(data: TopicsData) -> list[Markup]:
    return [_card(i, entry) for i, entry in enumerate(data.entries)]


def _card(number: int, entry: TopicEntry) -> Markup:
    most = max((strength for _, strength in entry.words), default=0.0) or 1.0
    words = [
        el("li", bar(strength / most), user(word, 60, class_="clip"))
        for word, strength in entry.words
    ]
    articles = [_article(article) for article in entry.articles[:_MOST_ARTICLES]]
    rest = entry.n_core - len(articles)
    more = f"and {rest:,} more in articles.csv" if rest else ""
    folded = articles[_FIRST_ARTICLES:]
    meta = [
        el("span", f"{entry.n_core:,} of {count_of(entry.n_documents, 'document')}"),
        el("span", percent(entry.n_core / entry.n_documents)),
        el("span", user(entry.size_note, 200)) if entry.size_note else None,
    ]
    name = ", ".join(word for word, _ in entry.words[:_NAMED_BY]) or "(no telling word)"
    heading = el("span", user(entry.when or entry.name, 80), ": ", user(name, 120))
    half = -(-len(words) // 2)
    lists = [el("ol", part, class_="bars") for part in (words[:half], words[half:]) if part]
    return el(
        "article",
        el("h3", el("span", entry.story, class_=_mark(entry.story)), heading),
        el("p", meta, class_="meta"),
        el("p", user(entry.change, 400), class_="about"),
        el("div", lists, class_="tell") if words else None,
        el(
            "div",
            el("ul", articles[:_FIRST_ARTICLES]),
            el(
                "details",
                el("summary", count_of(len(folded), "more document")),
                el("ul", folded),
                el("p", more, class_="soft") if more else None,
            )
            if folded
            else None,
            class_="samples",
        ),
        id=f"b{number}",
        class_=f"group {_colour(entry.story)}",
    )


def _mark(story: int) -> str:
    """Classes of a story's number: its colour on the timeline, and its mark."""
    return f"dot {_colour(story)} {look(story).split()[1]}"


def _article(article: Article) -> Markup:
    when = (
        el("time", day(article.date), datetime=article.date.isoformat())
        if article.date is not None
        else el("span", "no date", class_="nodate")
    )
    title = user(article.title or "(no title)", 160, tag="b")
    source = user(article.source, 100, tag="div", class_="who") if article.source else None
    return el("li", when, el("div", title, source))


def _footer(data: TopicsData) -> Markup:
    made = "" if data.made is None else f" on {day(data.made.date())} at {data.made:%H:%M}"
    version = f"comraf {plain(data.version, 20)}".strip()
    parts = join([f"Made by {version}{made}. The page holds no script and loads nothing."])
    return el("footer", parts)
