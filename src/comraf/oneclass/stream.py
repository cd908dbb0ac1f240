"""The topic of each week: a dated stream in blocks, the core of each, and what becomes of it.

Two topics are alike by their cores' distributions of words. Each word counts as far as it is
more frequent in the core than in the whole stream, shrunken so that rare words have little say;
the likeness is the cosine of the two, 0 to 1. From .5 on they are one story (on 26 blocks of news
titles and as many of tweets, cores of one story have .86 and more, of two stories under .45).
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from comraf.errors import InputError
from comraf.oneclass.base import (
    OneClassBase,
    check_one_class,
    fewest_documents,
    with_background,
    words_of,
)
from comraf.oneclass.sizes import Suggestion, suggest_n_core
from comraf.parameters import check_int
from comraf.progress import Event, Listener

__all__ = [
    "ALIKE",
    "UNITS",
    "Block",
    "Skipped",
    "Stream",
    "Topic",
    "TopicWord",
    "cut_blocks",
    "follow_topics",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Calendar units that blocks can have.
UNITS = ("day", "week", "month")
#: Topics that are at least so like each other are one story.
ALIKE = 0.5
_TASK = "topics"
# Occurrences that it takes to believe half of what a word's frequency in a core says.
_PRIOR = 2.0
# Resamples of words and of documents for each size that is tried.
_RESAMPLES = 2
# Days between which every week and month is one that a calendar has.
_FIRST, _LAST = np.datetime64("0001-01-08"), np.datetime64(date.max) - 31


@dataclass(frozen=True, eq=False)
class Block:
    """A part of the stream.

    Attributes
    ----------
    name : str
        The day, the Monday of the week, the month, or a number.
    rows : numpy.ndarray of int64
        Documents, in order of time.
    first, last : datetime.date or None
        Its first and its last day: of the calendar's unit, or of its documents; None where
        nothing is dated.
    """

    name: str
    rows: Ints
    first: date | None = None
    last: date | None = None

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class TopicWord:
    """A word of a topic.

    Attributes
    ----------
    word : str
        Or the number of its column.
    score : float
        As in the estimator's ``word_scores_``.
    inside, block : int
        Documents of the core, and of the whole block, that have it.
    """

    word: str
    score: float
    inside: int
    block: int


@dataclass(frozen=True, eq=False)
class Topic:
    """The topic of one block.

    Attributes
    ----------
    block : Block
        Where it was found.
    n_core : int
        Documents in the core.
    ranking : numpy.ndarray of int64
        All documents of the block, best first: the core is its beginning.
    scores : numpy.ndarray of float
        One for each of these.
    words : tuple of TopicWord
        The most telling, best first.
    story : int
        Number of the story, from 0; topics with the same number are one story.
    change : {"first", "new", "goes on", "returns"}
        Compared with what was before: like the topic of the block before, like an earlier one
        only, or like none.
    likeness : float
        To the topic of the block before, 0 to 1; 0 for the first.
    shared : tuple of str
        Words that the block before, or the one whose story returns, has among its words too.
    after : int or None
        Which topic it takes up (the latest one of its story), by its number in the stream; None
        where it is new.
    suggestion : Suggestion or None
        What spoke for the size, where it was not given.
    """

    block: Block
    n_core: int
    ranking: Ints
    scores: Floats
    words: tuple[TopicWord, ...]
    story: int
    change: str
    likeness: float
    shared: tuple[str, ...] = ()
    after: int | None = None
    suggestion: Suggestion | None = None

    @property
    def core(self) -> Ints:
        """Documents of the core, best first."""
        return self.ranking[: self.n_core]


@dataclass(frozen=True, eq=False)
class Skipped:
    """A block without a topic, and why."""

    block: Block
    reason: str


@dataclass(frozen=True, eq=False)
class Stream:
    """Topics of all blocks.

    Attributes
    ----------
    topics : tuple of Topic
        In order of time.
    skipped : tuple of Skipped
        Blocks that had none.
    likeness : numpy.ndarray of shape (topics, topics)
        Of each topic to each other.
    interrupted : bool
        Whether it was stopped before the last block.
    """

    topics: tuple[Topic, ...]
    skipped: tuple[Skipped, ...]
    likeness: Floats
    interrupted: bool = False

    @property
    def n_stories(self) -> int:
        """How many different stories there are."""
        return len({topic.story for topic in self.topics})


def cut_blocks(dates: Any, by: str | int) -> tuple[list[Block], Ints]:
    """Cut documents into blocks of time; give the blocks that have any, and undated rows.

    Parameters
    ----------
    dates : array of datetime64, or sequence of dates and None
        Of each document.
    by : "day", "week", "month" or int
        Calendar unit, or about how many documents a block has. Where nothing at all is dated,
        blocks of so many documents are cut in the order given.

    Examples
    --------
    >>> days = np.array(["1993-04-19", "1993-04-25", "NaT", "1993-04-26"], dtype="datetime64[s]")
    >>> blocks, undated = cut_blocks(days, "week")
    >>> [(b.name, b.rows.tolist(), str(b.last)) for b in blocks], undated.tolist()
    ([('1993-04-19', [0, 1], '1993-04-25'), ('1993-04-26', [3], '1993-05-02')], [2])
    >>> [b.rows.tolist() for b in cut_blocks([None] * 5, 2)[0]]
    [[0, 1, 2], [3, 4]]
    """
    when, day = _days(dates)
    dated = ~np.isnat(day)
    undated = np.flatnonzero(~dated)
    order = np.flatnonzero(dated)[np.argsort(when[dated], kind="stable")].astype(np.int64)
    if isinstance(by, numbers.Integral) and not isinstance(by, bool):
        size = check_int("by", by)
        if not dated.any():
            order, undated = np.arange(len(day)), undated[:0]
        if not len(order):
            return [], undated
        parts = np.array_split(order, max(1, round(len(order) / size)))
        digits = len(str(len(parts)))
        blocks = []
        for number, rows in enumerate(parts, start=1):
            first, last = day[rows[[0, -1]]].tolist()
            blocks.append(Block(f"{number:0{digits}d}", rows.astype(np.int64), first, last))
        return blocks, undated
    if by not in UNITS:
        raise InputError(
            "{given}; give {allowed:,} or a number of documents", "by", by, allowed=UNITS
        )
    firsts, lasts = _ends(day[order], str(by))
    blocks = []
    for start in np.unique(firsts):
        inside = firsts == start
        first, last = start.item(), lasts[inside][0].item()
        name = first.isoformat()[: 7 if by == "month" else 10]
        blocks.append(Block(name, order[inside], first, last))
    return blocks, undated


def follow_topics(
    X: Any,
    blocks: Sequence[Block],
    estimator: OneClassBase,
    *,
    words: Sequence[str] | None = None,
    size: float | None = 0.3,
    least: int = 20,
    n_words: int = 20,
    listener: Listener | None = None,
) -> Stream:
    """Find the topic of each block, and say which is new, goes on or returns.

    Parameters
    ----------
    X : array or sparse table of shape (documents, words)
        Counts of the whole stream.
    blocks : sequence of Block
        From `cut_blocks`.
    estimator : OneClassBase
        Finds cores; its ``n_core`` does not matter, and it is not fitted itself.
    words : sequence of str, optional
        Name of each column.
    size : int, float or None
        Documents in each core, or their share of the block (below 1); None lets
        `comraf.oneclass.sizes.suggest_n_core` find one for each block.
    least : int
        Smaller blocks are skipped.
    n_words : int
        Words that are kept of each topic.
    listener : callable, optional
        Called with every event of the work.

    Returns
    -------
    Stream
        Ctrl-C ends it early, with the blocks until then.

    Examples
    --------
    >>> from comraf.oneclass import OCCC
    >>> draws = np.random.default_rng(0).random((90, 30))
    >>> X = (draws < 0.15).astype(int)
    >>> X[:10, :5] = X[30:40, :5] = X[60:70, 5:10] = 1
    >>> blocks, _ = cut_blocks([None] * 90, 30)
    >>> found = follow_topics(X, blocks, OCCC(1, background="flat"), size=10)
    >>> [(topic.change, topic.story) for topic in found.topics]
    [('first', 0), ('goes on', 0), ('new', 1)]
    """
    check_int("least", least, least=3)
    check_int("n_words", n_words, least=0)
    _check_size(size)
    check_one_class(estimator)
    table = sp.csr_array(X)
    for block in blocks if isinstance(blocks, Sequence) else [blocks]:
        if not isinstance(block, Block):
            raise InputError(f"{block!r} is no block; give a list of them, as cut_blocks makes it")
        if len(block) and block.rows.max() >= table.shape[0]:
            raise InputError(
                f"the block {block.name!r} has row {block.rows.max()}, but X has "
                f"{table.shape[0]:,} rows; give the documents that the blocks were cut of"
            )
    names = words_of(words, table.shape[1])
    work = with_background(estimator, table, names)
    follower = _Follower(table, names, n_words)
    skipped: list[Skipped] = []
    interrupted = False
    try:
        for step, block in enumerate(blocks):
            if listener is not None:
                done = step / len(blocks)
                listener(Event(_TASK, done, step + 1, len(blocks), message=block.name))
            reason = _too_small(block, size, least) or _wordless(table[block.rows], work)
            if reason is None:
                follower.add(block, work, size)
            else:
                skipped.append(Skipped(block, reason))
    except KeyboardInterrupt:
        if not follower.topics:
            raise
        interrupted = True
    if listener is not None:
        listener(Event(_TASK, 1.0, len(blocks), len(blocks)))
    return Stream(tuple(follower.topics), tuple(skipped), follower.likeness(), interrupted)


class _Follower:
    """Topics so far, and the stories that they tell."""

    def __init__(self, table: Any, names: list[str] | None, n_words: int) -> None:
        self.table, self.names, self.n_words = table, names, n_words
        spread = np.bincount(table.indices[table.data != 0], minlength=table.shape[1])
        self._general = spread / max(spread.sum(), 1)
        self._profiles: list[Any] = []
        self.topics: list[Topic] = []

    def add(self, block: Block, estimator: OneClassBase, size: float | None) -> None:
        """Find the topic of a block and compare it with those before."""
        part = self.table[block.rows]
        suggestion = None
        if size is None:
            suggestion = suggest_n_core(estimator, part, resamples=_RESAMPLES)
            if suggestion.interrupted:  # whoever stops it there means the whole
                raise KeyboardInterrupt
            k = suggestion.best
        else:
            k = int(size) if size >= 1 else min(max(round(size * len(block)), 1), len(block) - 1)
        own = clone(estimator).set_params(n_core=k)
        found = own.fit(part)
        profile = self._profile(part[found.core_])
        likeness = [_cosine(profile, other) for other in self._profiles]
        words = self._words(found, part)
        after = self._continued(likeness)
        last = len(likeness) - 1
        change = "first" if last < 0 else "new"
        story = len({topic.story for topic in self.topics})
        shared: tuple[str, ...] = ()
        if after is not None:
            change = "goes on" if after == last else "returns"
            story = self.topics[after].story
            before = {word.word for word in self.topics[after].words}
            shared = tuple(word.word for word in words if word.word in before)
        self._profiles.append(profile)
        self.topics.append(
            Topic(
                block,
                k,
                block.rows[found.ranking_],
                found.scores_[found.ranking_],
                words,
                story,
                change,
                likeness[-1] if likeness else 0.0,
                shared,
                after,
                suggestion,
            )
        )

    def likeness(self) -> Floats:
        """Of each topic to each other."""
        if not self._profiles:
            return np.zeros((0, 0))
        table = sp.vstack(self._profiles)
        out = np.clip((table @ table.T).toarray(), 0.0, 1.0)
        np.fill_diagonal(out, 1.0)
        return np.asarray(out)

    def _continued(self, likeness: Sequence[float]) -> int | None:
        """The topic that a new one takes up: the last, or the latest of the likest story."""
        if not likeness:
            return None
        if likeness[-1] >= ALIKE:
            return len(likeness) - 1
        best = max(range(len(likeness)), key=lambda i: (likeness[i], i))
        if likeness[best] < ALIKE:
            return None
        return max(i for i, t in enumerate(self.topics) if t.story == self.topics[best].story)

    def _profile(self, core: Any) -> Any:
        """What a core's distribution of words adds to that of the stream; sparse, unit length."""
        columns, counts = np.unique(core.indices[core.data != 0], return_counts=True)
        total = max(int(counts.sum()), 1)
        expected = total * self._general[columns]
        value = counts / total * np.log((counts + _PRIOR) / (expected + _PRIOR))
        keep = (counts > 1) & (value > 0)
        value, columns = value[keep], columns[keep]
        length = float(np.sqrt(value @ value))
        value = value / length if length > 0 else value
        shape = (1, core.shape[1])
        return sp.csr_array((value, columns, [0, len(columns)]), shape=shape)

    def _words(self, found: Any, part: Any) -> tuple[TopicWord, ...]:
        inside = np.bincount(part[found.core_].indices, minlength=part.shape[1])
        every = np.bincount(part.indices, minlength=part.shape[1])
        out = []
        for j in np.asarray(found.topical_words_, dtype=np.int64)[: self.n_words].tolist():
            name = str(j) if self.names is None else self.names[j]
            score = float(found.word_scores_[j])
            out.append(TopicWord(name, score, int(inside[j]), int(every[j])))
        return tuple(out)


def _cosine(a: Any, b: Any) -> float:
    return float(min(max((a @ b.T).sum(), 0.0), 1.0))


def _check_size(size: Any) -> None:
    if size is None:
        return
    good = isinstance(size, numbers.Real) and not isinstance(size, bool)
    if not good or not (0 < float(size) < 1 or (size >= 1 and float(size).is_integer())):
        raise InputError(f"size={size!r}; give a share between 0 and 1, a whole number, or None")


def _too_small(block: Block, size: float | None, least: int) -> str | None:
    n = len(block)
    if n < least:
        return f"{n:,} document{'' if n == 1 else 's'}; {least:,} are needed"
    if size is not None and size >= n:
        return f"{n:,} documents; a core of {int(size):,} must leave out some"
    return None


def _wordless(part: Any, estimator: OneClassBase) -> str | None:
    """Why nothing would be left of a block's words; None where something is."""
    fewest = fewest_documents(estimator.min_documents, part.shape[0])
    keep = np.bincount(part.indices[part.data != 0], minlength=part.shape[1]) >= fewest
    if estimator.background is not None and estimator.min_background > 0:
        keep &= np.asarray(estimator.background) >= estimator.min_background
    if keep.any():
        return None
    return f"no word that {fewest:,} of its documents have"


def _days(dates: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """The moment and the day of each document; no day where undated."""
    if hasattr(dates, "dtype"):  # a Series, too
        dates = np.asarray(dates)
    if isinstance(dates, np.ndarray) and dates.dtype.kind == "M":
        moment = dates.astype("datetime64[s]")
        day = moment.astype("datetime64[D]")
    else:
        moment = day = np.array([_day(when) for when in dates], dtype="datetime64[D]")
    # years that a calendar does not have (the last week must end in it too)
    return moment, np.where((day < _FIRST) | (day > _LAST), np.datetime64("NaT"), day)


def _day(when: Any) -> date | None:
    if when is None or when != when:  # NaN and NaT
        return None
    if not isinstance(when, date):
        raise InputError(
            f"{when!r} is no date; give datetime64 (as numpy.array(dates, 'datetime64[s]') or "
            "pandas.to_datetime make it), dates, or None where there is none"
        )
    return date.fromordinal(when.toordinal())  # of a time, its day


def _ends(days: NDArray[Any], by: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The first and the last day of the units that days are in."""
    if by == "month":
        months = days.astype("datetime64[M]")
        return months.astype(days.dtype), (months + 1).astype(days.dtype) - 1
    first = days - (days.astype(np.int64) + 3) % 7 if by == "week" else days  # 1970-01-01: Thursday
    return first, first + (6 if by == "week" else 0)
