"""From units to chunks: items read and counted, ready to be sent to another process.

A chunk numbers its own words, so chunks can be made anywhere and in any order; who gathers
them gives the words their final numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.items import (
    COLUMNS,
    DATE_LENGTHS,
    RAW_SIDES,
    Item,
    Reader,
    Skip,
    Unit,
    digest_of,
)
from comraf.collection.options import SideOptions
from comraf.collection.sides import SIDES, SideKind
from comraf.collection.text.segment import breaker_name
from comraf.collection.text.words import WORDS_VERSION, Lexicon, count_words, strip_prefixes
from comraf.registry import load

SEPARATOR = "\x1f"
"""Stands between the parts of a raw value; no item holds control characters."""

COUNTED = SEPARATOR
"""Begins raw values that were counted: parts of speech, style, links; the others are lists."""

_MOST_ITEMS = 1000
_MOST_TEXT = 4_000_000
_LINE = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Counting:
    """What must be known to count an item; items counted alike can be used again.

    Examples
    --------
    >>> Counting.of(SideOptions()).signature()[:45]
    'words 3, ngrams 1, numbers False, titles True'
    """

    options: SideOptions = field(default_factory=SideOptions)
    breaker: str = field(default_factory=breaker_name)
    # where sides that are counted are defined: other processes may not know them all
    places: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: SideOptions) -> Counting:
        """Find the sides that are counted."""
        counted = [name for name, kind in SIDES.items() if kind.count and kind.counts(options)]
        return cls(options, places=tuple(SIDES.places[name] for name in counted))

    def signature(self) -> str:
        """Return a line that differs when counts would differ."""
        words = self.options.words
        parts = [
            f"words {WORDS_VERSION}, ngrams {words.ngrams}, numbers {words.numbers}, "
            f"titles {words.titles}",
            self.breaker,
            # said only where it was asked for: collections of before stay as good as new
            *(kind.signature_of(self.options) for kind in SIDES.values()),
        ]
        return ", ".join(filter(None, parts))


@dataclass(slots=True)
class RawBlock:
    """Counts of some documents: a piece of a sparse table with names of its own.

    Attributes
    ----------
    names : list of str
        Values by their numbers in this block.
    lengths : ndarray of int32
        Entries of each document.
    ids, counts : ndarray of int32
        Values and how often, document after document.
    """

    names: list[str]
    lengths: NDArray[np.int32]
    ids: NDArray[np.int32]
    counts: NDArray[np.int32]

    def select(self, keep: NDArray[np.bool_]) -> RawBlock:
        """The counts of some of the documents."""
        entries = np.repeat(keep, self.lengths)
        return RawBlock(self.names, self.lengths[keep], self.ids[entries], self.counts[entries])


@dataclass(slots=True)
class Chunk:
    """Some items, column by column.

    Attributes
    ----------
    units : list of int
        Number of the unit that each item comes from.
    columns : dict of str to list
        What is kept of them (`comraf.collection.files.COLUMNS`), and features of photos.
    raws : dict of str to RawBlock
        For each of `RAW_SIDES`.
    skips : list of (int, Skip)
        With the numbers of their units.
    copies : list of (int, list of bytes)
        Units of which items were dropped before as copies, and the keys of these.
    finished : int
        Units that were read to their end.
    """

    units: list[int] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(
        default_factory=lambda: {name: [] for name in (*COLUMNS, "features")}
    )
    raws: dict[str, RawBlock] = field(default_factory=dict)
    skips: list[tuple[int, Skip]] = field(default_factory=list)
    copies: list[tuple[int, list[bytes]]] = field(default_factory=list)
    finished: int = 0

    def __len__(self) -> int:
        return len(self.units)


class _Counts:
    """Counts of some documents that grow document by document, their values numbered."""

    def __init__(self, names: list[str] | dict[str, int]) -> None:
        self.names = names
        self.lengths: list[int] = []
        self.ids: list[int] = []
        self.counts: list[int] = []

    def add(self, counts: Mapping[int, int]) -> None:
        self.lengths.append(len(counts))
        self.ids.extend(counts)
        self.counts.extend(counts.values())

    def block(self) -> RawBlock:
        parts = (np.array(part, np.int32) for part in (self.lengths, self.ids, self.counts))
        return RawBlock(list(self.names), *parts)


class _Maker:
    """One chunk in the making."""

    def __init__(self, counting: Counting) -> None:
        self.counting = counting
        kinds: list[SideKind] = [load(place) for place in counting.places]
        self.counters = [(kind.name, kind.count) for kind in kinds if kind.count]
        self.chunk = Chunk()
        self.size = 0
        self.words, self.titles = (
            Lexicon(numbers=counting.options.words.numbers) for _ in range(2)
        )
        self.people: dict[str, int] = {}
        self.values: dict[str, int] = {}
        self.days: dict[str, int] = {}
        names = (self.words.words, self.titles.words, self.people, self.values, self.days)
        self.counts = [_Counts(part) for part in names]

    @property
    def full(self) -> bool:
        return len(self.chunk) >= _MOST_ITEMS or self.size >= _MOST_TEXT

    def add(self, unit: int, item: Item) -> None:
        title = strip_prefixes(item.title)
        texts: tuple[str, ...] = (item.text,)
        if self.counting.options.words.titles and title and not item.text.startswith(item.title):
            texts = (title, item.text)
        mentions = (SEPARATOR.join((p.role, p.name, p.address)) for p in item.people)
        listed = (SEPARATOR.join((side, v)) for side in item.values for v in item.values[side])
        moment = item.date
        if moment is not None and moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        # a year alone is in no month, and a month in no week
        known = DATE_LENGTHS[item.date_step]
        days = () if moment is None else (moment.date().isoformat()[:known],)
        # counted first: if that fails, the chunk is as it was
        counted = (
            count_words(texts, self.words, self.counting.options.words.ngrams),
            count_words((title,), self.titles),
            _numbered(self.people, mentions),
            _numbered(self.values, listed) | self._counted(item),
            _numbered(self.days, days),
        )
        row = {
            "id": _storable(item.id),
            "title": _storable(item.title or first_line(item.text)),
            "date": None if moment is None else (moment - _EPOCH) // _MICROSECOND,
            "source": _storable(item.source),
            "truth": None if item.truth is None else _storable(item.truth),
            "digest": item.digest or digest_of(item.title, item.text),
            "notes": item.notes,
            "text": _storable(item.text),
            "features": item.features,
        }
        for name, column in self.chunk.columns.items():
            column.append(row[name])
        self.chunk.units.append(unit)
        for counts, found in zip(self.counts, counted, strict=True):
            counts.add(found)
        self.size += len(item.text) + len(item.features)

    def _counted(self, item: Item) -> dict[int, int]:
        """Values of the sides that are counted, with how often each stands in the item."""
        numbers = self.values
        return {
            numbers.setdefault(_storable(f"{COUNTED}{name}{SEPARATOR}{value}"), len(numbers)): n
            for name, count in self.counters
            for value, n in count(item, self.counting).items()
        }

    def finish(self) -> Chunk:
        blocks = (counts.block() for counts in self.counts)
        self.chunk.raws = dict(zip(RAW_SIDES, blocks, strict=True))
        return self.chunk


def first_line(text: str) -> str:
    r"""What a text without a title is called: its first line, or the beginning of a long one.

    Examples
    --------
    >>> first_line("\n  Old pumps\nThey leak."), first_line("word " * 40)[-10:]
    ('Old pumps', 'word word…')
    """
    line = next((line for line in text[:2000].split("\n") if line.strip()), "").strip()
    if len(line) <= _LINE:
        return line
    return f"{line[:_LINE].rpartition(' ')[0] or line[:_LINE]}…"


def _storable(text: str) -> str:
    """Readers promise text that can be written as UTF-8; a data frame may break it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _numbered(numbers: dict[str, int], names: Iterable[str]) -> dict[int, int]:
    return dict.fromkeys((numbers.setdefault(_storable(n), len(numbers)) for n in names), 1)


def make_chunks(
    reader: Reader, units: Iterable[tuple[int, Unit]], counting: Counting
) -> Iterator[Chunk]:
    """Read units and count their items, at most a thousand items or 4 MB of text at a time.

    A unit that breaks its reader becomes a skip: one bad file must not end the reading of a
    million others.

    Examples
    --------
    >>> from comraf.collection.items import Item, Unit
    >>> class Two:
    ...     def read(self, unit):
    ...         yield Item("1", "The pump leaks.")
    ...         yield Item("2", "The pump is old.")
    >>> chunk, = make_chunks(Two(), [(0, Unit("a"))], Counting())
    >>> chunk.columns["id"], chunk.raws["words"].names
    (['1', '2'], ['the', 'pump', 'leaks', 'is', 'old'])
    """
    maker = _Maker(counting)
    for number, unit in units:
        try:
            for found in reader.read(unit):
                if isinstance(found, Skip):
                    maker.chunk.skips.append((number, found))
                else:
                    maker.add(number, found)
                if maker.full or len(maker.chunk.skips) >= 10 * _MOST_ITEMS:
                    yield maker.finish()
                    maker = _Maker(counting)
        # whatever a reader raises is about this unit alone
        except Exception as error:  # noqa: BLE001
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            maker.chunk.skips.append((number, Skip(unit.path, f"can't be read: {reason}")))
        maker.chunk.finished += 1
    yield maker.finish()
