"""Topics of a stream as one HTML file: a timeline of stories, and what each block is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from comraf.report.marks import HUES, hue, look
from comraf.report.markup import plain
from comraf.report.page import contents, fill_page
from comraf.report.scales import count_of
from comraf.report.style import sheet

__all__ = ["Article", "TopicEntry", "TopicsData", "render_topics", "stories"]

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
# Lanes have no marks, so a dozen stories have a colour of their own: the sheet's and four more,
# which are in topics.css, as t8 to t11.
_COLOURS = 12


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
    sections = [("time", "Timeline"), ("topics", f"Each {data.unit}")]
    sections += [("skipped", "Left out")] if data.skipped else []
    sections += [("notes", "Notes")] if data.notes else []
    n_stories = len({entry.story for entry in data.entries})
    total = sum(entry.n_documents for entry in data.entries)
    opening = (
        f"{count_of(total, 'document')} in {count_of(len(data.entries), data.unit)}, "
        f"{count_of(n_stories, 'story')}."
    )
    return fill_page(
        "topics.html",
        sheet("topics.css"),
        data=data,
        contents=contents(sections),
        opening=f"{opening} {data.span}." if data.span else opening,
        share=_one_share(data.entries),
        **stories(data.entries),
        entries=[_card(entry) for entry in data.entries],
    )


def stories(entries: Sequence[TopicEntry]) -> dict[str, Any]:
    """A lane for each story, a column for each block, and a gap where time passes between two.

    A bar is the core's share of the block; its number of documents, where all shares are one.

    Examples
    --------
    >>> entry = TopicEntry("1", "", 40, 12, 0, "The first.", (("sea", 1.0),))
    >>> [(lane["label"], len(lane["bars"])) for lane in stories([entry])["lanes"]]
    [('sea', 1)]
    """
    if not entries:
        return {"lanes": [], "gaps": []}
    found = list(dict.fromkeys(entry.story for entry in entries))
    gaps = _gaps(entries)
    columns = len(entries) + _GAP * len(gaps)
    cell = max(9.0, min(float(_CELL), (_WIDEST - _LEFT) / columns))
    width = _LEFT + cell * columns + 12
    left, at = [], float(_LEFT)
    for i in range(len(entries)):
        at += _GAP * cell if i in gaps else 0.0
        left.append(at)
        at += cell
    even = _one_share(entries) is not None
    sizes = [entry.n_core / (1 if even else entry.n_documents) for entry in entries]
    lanes = []
    for place, story in enumerate(found[:_MOST_LANES]):
        y = place * _LANE
        mine = [i for i, entry in enumerate(entries) if entry.story == story]
        name = ", ".join(plain(word, 18) for word, _ in entries[mine[0]].words[:_NAMED_BY])
        bars = []
        for i in mine:
            entry = entries[i]
            rise = max(3.0, (_LANE - 6) * sizes[i] / max(sizes))
            said = f"{plain(entry.when or entry.name, 60)}: {entry.n_core:,} of "
            said += f"{count_of(entry.n_documents, 'document')}; {plain(entry.change, 200)}"
            bars.append((i, said, left[i] + 1, y + _LANE - 3 - rise, cell - 2, rise))
        lanes.append(
            {
                "y": y,
                "first": mine[0],
                "label": plain(name or "(no telling word)", 30),
                "width": width - _LEFT - 12,
                "height": _LANE - 4,
                "colour": _colour(story),
                "lines": [
                    (
                        f"M{left[a] + cell / 2:.1f} {y + _LANE - 4}H{left[b] + cell / 2:.1f}",
                        not entries[b].goes_on,
                    )
                    for a, b in pairwise(mine)
                ],
                "bars": bars,
            }
        )
    foot = _LANE * len(lanes)
    step = int(-(-_TICK // cell))
    return {
        "lanes": lanes,
        "left": _LEFT,
        "width": round(width),
        "height": foot + 26,
        "gaps": [(f"M{left[i] - _GAP / 2 * cell:.1f} 0V{foot}", days) for i, days in gaps.items()],
        "ticks": [
            (left[i] + 0.5 * cell, plain(entries[i].name, 12)) for i in range(0, len(entries), step)
        ],
        "more": len(found) - len(lanes),
    }


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
    return f"t{story}" if len(HUES) <= story < _COLOURS else hue(story)


def _card(entry: TopicEntry) -> dict[str, Any]:
    """What is shown of the topic of one block."""
    half = -(-len(entry.words) // 2)
    articles = entry.articles[:_MOST_ARTICLES]
    return {
        "topic": entry,
        "name": ", ".join(word for word, _ in entry.words[:_NAMED_BY]) or "(no telling word)",
        # its colour on the timeline, and its mark
        "colour": _colour(entry.story),
        "mark": look(entry.story).split()[1],
        "most": max((strength for _, strength in entry.words), default=0.0) or 1.0,
        "lists": [part for part in (entry.words[:half], entry.words[half:]) if part],
        "first": articles[:_FIRST_ARTICLES],
        "folded": articles[_FIRST_ARTICLES:],
        "rest": entry.n_core - len(articles),
    }
