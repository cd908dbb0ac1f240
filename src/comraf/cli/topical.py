"""The work of ``comraf topics``: from a collection to topics, and the files of the answer."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from comraf.errors import ComrafError, InputError

if TYPE_CHECKING:
    from comraf.cli.bar import Bar
    from comraf.collection.collection import Collection
    from comraf.oneclass.stream import Block, Stream, Topic

__all__ = ["Told", "change_word", "find", "sentence", "written"]

FORMAT = "comraf-topics-1"
_SHOWN_ARTICLES = 12
# Letters of a text that stand for a title.
_OPENING = 120
_SHOWN_WORDS = 12


@dataclass(frozen=True)
class Told:
    """What was asked for.

    Attributes
    ----------
    source, path : str
        What the stream is called, and where it is.
    by : str or int
        Calendar unit, or documents of a block.
    size : int, float or None
        Of cores: documents, a share, or to be found.
    method, background : str
        As on the command line.
    seed, least : int
        Seed, and documents that a block must have.
    """

    source: str
    path: str
    by: str | int
    size: float | None
    method: str
    background: str
    seed: int = 0
    least: int = 20

    @property
    def unit(self) -> str:
        """What a block is called."""
        return self.by if isinstance(self.by, str) else "block"

    @property
    def sizes(self) -> str:
        """How large cores are, in a sentence.

        Examples
        --------
        >>> Told("a", "a", "week", 0.3, "ltb", "flat").sizes
        'A core is 30% of a week (-n or --share choose, -n auto finds one).'
        """
        if self.size is None:
            return (
                f"The core of each {self.unit} has the size with the best score of those tried: "
                "separation times stability times balance, 0 to 1."
            )
        if self.size >= 1:
            return f"A core is {int(self.size):,} documents."
        return (
            f"A core is {self.size:.0%} of a {self.unit} (-n or --share choose, -n auto finds one)."
        )


def find(
    collection: Collection, finder: Any, told: Told, listener: Bar
) -> tuple[Stream, list[str]]:
    """Topics of a collection, and what has to be said about how they were found."""
    import numpy as np

    from comraf.cli.coring import few_known
    from comraf.oneclass.stream import cut_blocks, follow_topics

    if "words" not in collection.tables:
        raise InputError(f"{told.path} has no words; topics are told by words")
    n = len(collection)
    dates = np.asarray(collection.dates)
    blocks, undated = cut_blocks(dates, told.by)
    if not blocks:
        raise InputError(
            f"none of the {n:,} documents has a date, so there is no {told.by} to cut the stream "
            "into; name the column of dates with --date, or cut it into blocks of so many "
            "documents, in the order given, with --by 200"
        )
    notes = []
    if len(undated):
        has = "has" if len(undated) == 1 else "have"
        notes.append(f"{len(undated):,} of {n:,} documents {has} no date and are left out")
    elif isinstance(told.by, int) and np.isnat(dates).all():
        notes.append("no document has a date; blocks are cut in the order given")
    words = collection.sides["words"].values
    hardly = few_known(finder.background, words, f"--background {told.background}")
    if hardly is not None:
        notes.append(hardly)
    stream = follow_topics(
        collection.tables["words"],
        blocks,
        finder,
        words=words,
        size=told.size,
        least=told.least,
        listener=listener,
    )
    if not stream.topics:
        raise InputError(_nothing(stream, told))
    return stream, notes


def _nothing(stream: Stream, told: Told) -> str:
    """Why no block has a topic: the largest is what nearly had one."""
    largest = max(stream.skipped, key=lambda skip: len(skip.block))
    n = len(largest.block)
    count = f"{n:,} document{'' if n == 1 else 's'}"
    said = f"no {told.unit} of {len(stream.skipped):,}"
    where = f"the largest, {largest.block.name},"
    if n < told.least:
        return (
            f"{said} has the {told.least:,} documents of --least: {where} has {count}; take "
            "longer blocks with --by, or lower --least"
        )
    if told.size is not None and told.size >= n:
        return (
            f"{said} is large enough for -n {int(told.size)}: {where} has {count}, so give -n "
            f"at most {n - 1}, or take longer blocks with --by"
        )
    return f"{said} has a topic: {where} has {largest.reason}; take longer blocks with --by"


def change_word(topics: Sequence[Topic], topic: Topic) -> str:
    """How a topic compares with what was before, in a word or two."""
    if topic.change == "returns" and topic.after is not None:
        return f"returns ({topics[topic.after].block.name})"
    return topic.change


def sentence(topics: Sequence[Topic], topic: Topic) -> str:
    """How a topic compares with what was before, for people."""
    if topic.change == "first":
        return "The first."
    near = f"likeness to the topic before: {topic.likeness:.2f}"
    if topic.after is None:
        return f"New; {near}."
    shared = f", shares {', '.join(topic.shared[:5])}" if topic.shared else ""
    if topic.change == "goes on":
        return f"Goes on; {near}{shared}."
    return f"Returns from {topics[topic.after].block.name}{shared}; {near}."


def written(
    collection: Collection, stream: Stream, told: Told, notes: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answer as plain data, and all files of its folder."""
    from comraf.cli.answer import as_json, versions
    from comraf.report.topics import render_topics
    from comraf.results.files import RESULT_FILE

    topics = [_plain(collection, stream, i) for i in range(len(stream.topics))]
    answer: dict[str, Any] = {
        "format": FORMAT,
        "source": told.path,
        "by": told.by,
        "size": "auto" if told.size is None else told.size,
        "method": told.method,
        "background": told.background,
        "seed": told.seed,
        "least": told.least,
        "interrupted": stream.interrupted,
        "n_stories": stream.n_stories,
        "topics": topics,
        "likeness": [[round(float(v), 4) for v in row] for row in stream.likeness],
        "skipped": [
            {"block": s.block.name, "documents": len(s.block), "reason": s.reason}
            for s in stream.skipped
        ],
        "notes": [*collection.notes, *notes],
        "versions": versions(),
    }
    files: dict[str, Any] = {
        "topics.html": render_topics(_page(collection, stream, told, notes)),
        "topics.csv": _topics_csv(stream),
        "articles.csv": _articles_csv(collection, stream),
    }
    kept = {**answer, "files": [RESULT_FILE, *files], "folders": []}
    files[RESULT_FILE] = as_json(kept)
    return answer, files


def _plain(collection: Collection, stream: Stream, number: int) -> dict[str, Any]:
    topic = stream.topics[number]
    after = None if topic.after is None else stream.topics[topic.after].block.name
    return {
        "block": topic.block.name,
        "first": None if topic.block.first is None else topic.block.first.isoformat(),
        "last": None if topic.block.last is None else topic.block.last.isoformat(),
        "documents": len(topic.block),
        "core": topic.n_core,
        "story": topic.story,
        "change": topic.change,
        "after": after,
        "likeness": round(topic.likeness, 4),
        "shared_words": list(topic.shared),
        "size_score": _size_score(topic),
        "words": [
            {"word": w.word, "score": round(w.score, 4), "core": w.inside, "block": w.block}
            for w in topic.words
        ],
        "articles": [collection.ids[i] for i in topic.core.tolist()],
    }


def _size_score(topic: Topic) -> float | None:
    return None if topic.suggestion is None else round(topic.suggestion.best_row.score, 4)


def _topics_csv(stream: Stream) -> str:
    from comraf.results.files import safe_cell

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(
        "block first last documents core size_score story change after likeness words".split()
    )
    for topic in stream.topics:
        score = _size_score(topic)
        after = "" if topic.after is None else stream.topics[topic.after].block.name
        writer.writerow(
            [
                topic.block.name,
                topic.block.first or "",
                topic.block.last or "",
                len(topic.block),
                topic.n_core,
                "" if score is None else score,
                topic.story,
                topic.change,
                after,
                f"{topic.likeness:.4f}",
                safe_cell(" ".join(word.word for word in topic.words)),
            ]
        )
    return buffer.getvalue()


def _articles_csv(collection: Collection, stream: Stream) -> Iterator[str]:
    from comraf.results.files import safe_cell

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["block", "story", "rank", "item", "date", "score", "title"])
    for topic in stream.topics:
        scores = topic.scores[: topic.n_core].tolist()
        for rank, (i, score) in enumerate(zip(topic.core.tolist(), scores, strict=True), start=1):
            when = _day(collection, i)
            item, title = safe_cell(collection.ids[i]), safe_cell(collection.titles[i])
            told = "" if when is None else when.isoformat()
            writer.writerow(
                [topic.block.name, topic.story, rank, item, told, f"{score:.4f}", title]
            )
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _opening(collection: Collection, i: int) -> str:
    """The first words of a document without a title; nothing if its text has gone."""
    try:
        return " ".join(collection.text(i)[:_OPENING].split())
    except (ComrafError, OSError):
        return ""


def _page(collection: Collection, stream: Stream, told: Told, notes: Sequence[str]) -> Any:
    from comraf import __version__
    from comraf.report.topics import Article, TopicEntry, TopicsData

    entries = []
    for topic in stream.topics:
        articles = tuple(
            Article(
                collection.titles[i] or _opening(collection, i) or collection.ids[i],
                _day(collection, i),
                collection.ids[i],
            )
            for i in topic.core[:_SHOWN_ARTICLES].tolist()
        )
        entries.append(
            TopicEntry(
                topic.block.name,
                _when(topic.block, told.unit),
                len(topic.block),
                topic.n_core,
                topic.story,
                sentence(stream.topics, topic),
                # By how many documents of the core have a word: comparable within a topic.
                tuple((w.word, w.inside / topic.n_core) for w in topic.words[:_SHOWN_WORDS]),
                articles,
                goes_on=topic.change == "goes on",
                returns=topic.change == "returns",
                size_note="" if topic.suggestion is None else f"size: {topic.suggestion}",
                # Blocks of so many documents lie as close as these: they have no gaps.
                first=topic.block.first if isinstance(told.by, str) else None,
                last=topic.block.last if isinstance(told.by, str) else None,
            )
        )
    return TopicsData(
        told.source,
        tuple(entries),
        told.unit,
        _span(stream.topics),
        tuple((skip.block.name, skip.reason) for skip in stream.skipped),
        (told.sizes, *notes),
        datetime.now().astimezone(),
        __version__,
    )


def _when(block: Block, unit: str) -> str:
    """The days of a block as people write them."""
    from comraf.report.scales import day

    if block.first is None or block.last is None:
        return ""
    if unit == "month":
        return day(block.first).partition(" ")[2]
    if block.first == block.last:
        return day(block.first)
    same = block.first.year == block.last.year
    return f"{day(block.first, year=not same)} to {day(block.last)}"


def _span(topics: Sequence[Topic]) -> str:
    from comraf.report.scales import day

    first, last = topics[0].block.first, topics[-1].block.last
    return "" if first is None or last is None else f"From {day(first)} to {day(last)}"


def _day(collection: Collection, item: int) -> date | None:
    from comraf.report.periods import day_of

    return day_of(collection.dates[item])
