"""``topics``: what each week of a dated stream was mostly about, and what becomes of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from comraf.errors import ComrafError, InputError, Setting
from comraf.progress import Listener, unheard
from comraf.workflows.answer import Held, Holding, source_name
from comraf.workflows.cores import (
    AUTO,
    Documents,
    Size,
    check_share,
    core_size,
    few_known,
    read_background,
    size_from,
)
from comraf.workflows.naming import counted, html_table, path_name
from comraf.workflows.options import Option, takes
from comraf.workflows.organize import OrganizeOptions, read_documents

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.oneclass.stream import Block, Stream, Topic

__all__ = ["Topics", "TopicsOptions", "topics"]

FORMAT = "comraf-topics-1"
_DEFAULT_SHARE = 0.3
_COUNT = re.compile(r"(\d+)(?:[- ]?documents?)?")
_SHOWN_ARTICLES = 12
# Letters of a text that stand for a title.
_OPENING = 120
_SHOWN_WORDS = 12


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """What a stream is cut into, and how much of each block is its core.

    Parameters
    ----------
    by : {"day", "week", "month"} or int
        Blocks: day, week (from Monday), month, or about so many documents.
    n_core : int or "auto"
        Documents in each core; auto tries several sizes and says the score.
    share : float
        Share of each block that is its core. Default: 0.3.
    min_block_size : int
        Blocks with fewer documents are left out.
    """

    by: Annotated[str | int, Option(metavar="UNIT", read=str)] = "week"
    n_core: Annotated[Size, Option("-n", "--core", metavar="N", read=size_from)] = None
    share: Annotated[float | None, Option(metavar="X")] = None
    min_block_size: Annotated[int, Option("--least", metavar="N", least=3)] = 20


@dataclass(frozen=True, kw_only=True)
class TopicsOptions(Documents, Blocks):
    """Options of `topics`.

    Parameters
    ----------
    method : {"ltb", "occc"}
        ltb: a topic mixed into general words; occc: a cluster of telling words.
    min_documents : int
        Leave out words that are in fewer documents. Default: 3 (less where they are few).
    random_state : int
        Seed of methods that draw.

    Examples
    --------
    >>> TopicsOptions(by="200-documents").blocks, TopicsOptions().blocks
    (200, 'week')
    >>> TopicsOptions(n_core=12).size, TopicsOptions().size, TopicsOptions(n_core="auto").size
    (12, 0.3, None)
    """

    method: Literal["ltb", "occc"] = "ltb"
    min_documents: Annotated[int | None, Option(metavar="N", least=1)] = None

    @property
    def blocks(self) -> str | int:
        """What the stream is cut into: a unit of the calendar, or so many documents."""
        from comraf.oneclass.stream import UNITS

        text = str(self.by).strip()
        found = _COUNT.fullmatch(text)
        if found and len(found[1]) < 10 and int(found[1]) > 0:
            return int(found[1])
        if self.by not in UNITS:
            said = "{given} is not possible; give {units:,}, or a number of documents"
            raise InputError(said, "by", self.by, units=list(UNITS))
        return text

    @property
    def size(self) -> float | None:
        """Size of cores: documents, a share of a block, or None where it is to be found."""
        number = core_size(self.n_core)
        check_share(self.share, "n_core", self.n_core)
        if self.n_core is not None:
            return number
        return _DEFAULT_SHARE if self.share is None else self.share

    def check(self, path: Any) -> None:
        """Refuse what can't be meant, before anything is read."""
        _ = self.blocks, self.size
        self.check_documents(path)


@dataclass(frozen=True, eq=False)
class Topics(Holding):
    """The topics of a stream.

    Attributes
    ----------
    path : path-like or data frame
        The stream.
    options : TopicsOptions
        What was asked for.
    collection : Collection
        Its documents. Close the topics, use them in a ``with`` statement, or let them go: the
        documents that were read are on the disk as long as they are there.
    stream : Stream
        The topics, one for each block.
    notes : tuple of str
        What one should know of them.
    """

    path: Any
    options: TopicsOptions
    collection: Collection
    stream: Stream
    notes: tuple[str, ...] = ()
    held: Held = field(default_factory=Held, repr=False)

    def __repr__(self) -> str:
        found = counted(len(self.stream.topics), self.unit)
        stories = counted(self.stream.n_stories, "story", "stories")
        return f"Topics({found} of {source_name(self.path)} in {stories})"

    def _repr_html_(self) -> str:
        heads, *lines = _topic_lines(self.stream)
        return html_table(repr(self), heads, lines)

    @property
    def unit(self) -> str:
        """What a block is called."""
        by = self.options.blocks
        return by if isinstance(by, str) else "block"

    @property
    def sizes(self) -> str:
        """How large cores are, in a sentence."""
        size = self.options.size
        if size is None:
            return (
                f"The core of each {self.unit} has the size with the best score of those tried: "
                "separation times stability times balance, 0 to 1."
            )
        if size >= 1:
            return f"A core is {int(size):,} documents."
        return f"A core is {size:.0%} of a {self.unit}."

    def to_dict(self) -> dict[str, Any]:
        """The topics as plain data."""
        from comraf.workflows.writing import versions

        options, stream = self.options, self.stream
        size = options.size
        return {
            "format": FORMAT,
            "source": path_name(self.path),
            "by": options.blocks,
            "size": AUTO if size is None else size,
            "method": options.method,
            "background": options.background,
            "seed": options.random_state,
            "least": options.min_block_size,
            "interrupted": stream.interrupted,
            "n_stories": stream.n_stories,
            "topics": [_plain(self.collection, stream, topic) for topic in stream.topics],
            "likeness": [[round(float(v), 4) for v in row] for row in stream.likeness],
            "skipped": [
                {"block": s.block.name, "documents": len(s.block), "reason": s.reason}
                for s in stream.skipped
            ],
            "notes": [*self.collection.notes, *self.notes],
            "versions": versions(),
        }

    def to_html(self) -> str:
        """The timeline, a page that stands alone."""
        from comraf.report.topics import render_topics

        return render_topics(_page(self))

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the timeline, the topics and their documents, as ``comraf topics`` does.

        Parameters
        ----------
        folder : path-like
            It must be new or empty, unless ``force`` is set.
        force : bool
        """
        from comraf.results.files import RESULT_FILE, csv_lines, write_folder
        from comraf.workflows.writing import as_json

        files: dict[str, Any] = {
            "topics.html": self.to_html(),
            "topics.csv": csv_lines(_topic_lines(self.stream)),
            "articles.csv": csv_lines(_article_lines(self.collection, self.stream)),
        }
        kept = {**self.to_dict(), "files": [RESULT_FILE, *files], "folders": []}
        write_folder(folder, {**files, RESULT_FILE: as_json(kept)}, force=force)


@takes(TopicsOptions)
def topics(
    path: Any,
    *,
    options: TopicsOptions,
    listener: Listener = unheard,
    beside: Path | None = None,
) -> Topics:
    r"""Find the topic of each week of a dated stream, and what becomes of it.

    Parameters
    ----------
    path : path-like or data frame
        What ``comraf organize`` takes, with dates.
    listener : callable, optional
        Called with every event of the work.
    beside : path-like, optional
        Folder on whose disk the collection is kept meanwhile; by default that of temporary files.
    options
        All others as for ``comraf topics``; see `TopicsOptions`.

    Returns
    -------
    Topics

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "news.csv")
    ...     lines = [f"2024-01-{1 + i:02},river flood dam boat{i}" for i in range(14)]
    ...     _ = file.write_text("date,text\n" + "\n".join(lines) + "\n")
    ...     with topics(file, n_core=3, min_block_size=7, background="flat") as found:
    ...         [(topic.block.name, topic.n_core) for topic in found.stream.topics]
    [('2024-01-01', 3), ('2024-01-08', 3)]
    """
    path = Path(path) if isinstance(path, (str, os.PathLike)) else path
    options.check(path)
    finder = options.estimator(read_background(options.background))
    reading = options.reading(OrganizeOptions, min_documents=options.min_documents)
    with ExitStack() as stack:
        collection = read_documents(path, reading, stack, listener, beside)
        stream, notes = _find(path, collection, finder, options, listener)
        found = Topics(path, options, collection, stream, notes)
        found.held.stack.push(stack.pop_all())
    return found


def _find(
    path: Any, collection: Collection, finder: Any, options: TopicsOptions, listener: Listener
) -> tuple[Stream, tuple[str, ...]]:
    """Topics of a collection, and what has to be said about how they were found."""
    import numpy as np

    from comraf.oneclass.stream import cut_blocks, follow_topics

    if "words" not in collection.tables:
        raise InputError(f"{path_name(path)} has no words, which topics are made of")
    n, by = len(collection), options.blocks
    dates = np.asarray(collection.dates)
    blocks, undated = cut_blocks(dates, by)
    if not blocks:
        raise InputError(
            "none of the {n:,} documents has a date, so there is no {unit} to cut the stream "
            "into; name the column of dates with {p[date]}, or cut it into blocks of so many "
            "documents, in the order given, with {blocks}",
            n=n,
            unit=by,
            blocks=Setting("by", 200),
        )
    notes = []
    if len(undated):
        has = "has" if len(undated) == 1 else "have"
        notes.append(f"{len(undated):,} of {n:,} documents {has} no date and are left out")
    elif isinstance(by, int) and np.isnat(dates).all():
        notes.append("no document has a date; blocks are cut in the order given")
    words = collection.sides["words"].values
    notes += few_known(finder.background, words, Setting("background", options.background))
    stream = follow_topics(
        collection.tables["words"],
        blocks,
        finder,
        words=words,
        size=options.size,
        least=options.min_block_size,
        listener=listener,
    )
    if not stream.topics:
        raise _nothing(stream, options)
    return stream, tuple(notes)


def _nothing(stream: Stream, options: TopicsOptions) -> InputError:
    """Why no block has a topic: the largest is what nearly had one."""
    largest = max(stream.skipped, key=lambda skip: len(skip.block))
    n, size, least = len(largest.block), options.size, options.min_block_size
    unit = options.blocks if isinstance(options.blocks, str) else "block"
    about = {
        "blocks": f"no {unit} of {len(stream.skipped):,}",
        "where": f"the largest, {largest.block.name},",
        "count": counted(n, "document"),
    }
    if n < least:
        return InputError(
            "{blocks} has the {least:,} documents of {p[min_block_size]}: {where} has {count}; "
            "take longer blocks with {p[by]}, or lower {p[min_block_size]}",
            least=least,
            **about,
        )
    if size is not None and size >= n:
        return InputError(
            "{blocks} is large enough for {given}: {where} has {count}, so give {p[n_core]} at "
            "most {most}, or take longer blocks with {p[by]}",
            "n_core",
            int(size),
            most=n - 1,
            **about,
        )
    text = "{blocks} has a topic: {where} has {reason}; take longer blocks with {p[by]}"
    return InputError(text, reason=largest.reason, **about)


def change_word(topics: Sequence[Topic], topic: Topic) -> str:
    """How a topic compares with what was before, in a word or two."""
    if topic.change == "returns" and topic.after is not None:
        return f"returns ({topics[topic.after].block.name})"
    return topic.change


def _sentence(topics: Sequence[Topic], topic: Topic) -> str:
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


def _plain(collection: Collection, stream: Stream, topic: Topic) -> dict[str, Any]:
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


def _topic_lines(stream: Stream) -> Iterator[Sequence[Any]]:
    yield "block first last documents core size_score story change after likeness words".split()
    for topic in stream.topics:
        score = _size_score(topic)
        yield (
            *(topic.block.name, topic.block.first or "", topic.block.last or ""),
            *(len(topic.block), topic.n_core, "" if score is None else score),
            *(topic.story, topic.change),
            "" if topic.after is None else stream.topics[topic.after].block.name,
            Decimal(f"{topic.likeness:.4f}"),
            " ".join(word.word for word in topic.words),
        )


def _article_lines(collection: Collection, stream: Stream) -> Iterator[Sequence[Any]]:
    yield "block", "story", "rank", "item", "date", "score", "title"
    for topic in stream.topics:
        scores = topic.scores[: topic.n_core].tolist()
        for rank, (i, score) in enumerate(zip(topic.core.tolist(), scores, strict=True), start=1):
            when = _day(collection, i)
            yield (
                *(topic.block.name, topic.story, rank, collection.ids[i]),
                "" if when is None else when.isoformat(),
                Decimal(f"{score:.4f}"),  # not a text: a negative score is no formula
                collection.titles[i],
            )


def _opening(collection: Collection, i: int) -> str:
    """The first words of a document without a title; nothing if its text has gone."""
    try:
        return " ".join(collection.text(i)[:_OPENING].split())
    except (ComrafError, OSError):
        return ""


def _page(found: Topics) -> Any:
    from comraf import __version__
    from comraf.report.topics import Article, TopicEntry, TopicsData

    collection, stream = found.collection, found.stream
    calendar = isinstance(found.options.blocks, str)
    source = source_name(found.path)
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
                _when(topic.block, found.unit),
                len(topic.block),
                topic.n_core,
                topic.story,
                _sentence(stream.topics, topic),
                # By how many documents of the core have a word: comparable within a topic.
                tuple((w.word, w.inside / topic.n_core) for w in topic.words[:_SHOWN_WORDS]),
                articles,
                goes_on=topic.change == "goes on",
                returns=topic.change == "returns",
                size_note="" if topic.suggestion is None else f"size: {topic.suggestion}",
                # Blocks of so many documents lie as close as these: they have no gaps.
                first=topic.block.first if calendar else None,
                last=topic.block.last if calendar else None,
            )
        )
    return TopicsData(
        source,
        tuple(entries),
        found.unit,
        _span(stream.topics),
        tuple((skip.block.name, skip.reason) for skip in stream.skipped),
        (found.sizes, *found.notes),
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
