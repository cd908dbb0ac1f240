"""Papers: what all formats of references have in common.

A paper has a title, an abstract, authors (people), a venue, keywords, and the papers that it
cites; each of these is a side of its own.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from comraf.collection.items import Address, Item, Skip, Unit, digest_of
from comraf.collection.kinds import KINDS, Look
from comraf.collection.readers.charsets import check_encoding, clean, clean_line, decode
from comraf.collection.readers.files import FileReader, by_folders
from comraf.collection.readers.tabular_cells import cell_moment
from comraf.errors import InputError

MAX_BYTES = 256 << 20
"""Size up to which a file of papers is read; a larger one has to be cut first."""

_TEXT_LIMIT = 8 << 20
_LINE_LIMIT = 1000
_VALUE_LIMIT = 300
_MOST_VALUES = 10_000
# What is no field: where a paper lies.
_LOOK_AT = 1000
_SHOWN = 30
_SEVERAL = ("authors", "keywords", "citations", "topics", "concepts", "categories")
# Not the number of a report: r1940, tn.1832
_YEAR = re.compile(r"(?<![A-Za-z]\.)(?<!\w)(1[89]\d\d|20\d\d|2100)(?!\d)")
_MONTHS = {
    name[:3].lower(): name
    for name in "January February March April May June July August September October November "
    "December".split()
}
_MONTH = re.compile(
    r"(?i)(?<![^\W\d_])(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:\.|uary|ruary|ch|"
    r"il|ust|ember|tember|ober)?(?![^\W\d_])"
)
_OTHERS = frozenset(("others", "et al", "et al.", "anonymous", "anon", "anon.", "[anonymous]"))


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper as a format tells it, before it is cleaned.

    Attributes
    ----------
    id, title, abstract, venue, date : str
        Empty when not known; a date can be a year.
    authors, keywords, citations : tuple of str
        Names of people, terms, and names or keys of the papers cited.
    sides : mapping of str to tuple of str
        Further sides.
    fields : mapping of str to str
        All that the format says, for who asks for one of them as the truth.
    notes : tuple of str
        What had to be repaired.
    """

    id: str = ""
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    date: str = ""
    keywords: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    sides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_NOTHING = Paper()


def paper_item(paper: Paper, source: str, truth: str | None = None) -> Item | Skip:
    """Turn a paper into an item.

    Examples
    --------
    >>> paper = Paper("k1", "Pumps", "They leak.", ("Ann Li",), "J. Pumps", "1999", ("leaks",))
    >>> item = paper_item(paper, "refs.bib:1")
    >>> item.id, item.people[0].name, item.values
    ('k1', 'Ann Li', {'venues': ('J. Pumps',), 'keywords': ('leaks',)})
    """
    title = clean_line(paper.title[: 4 * _LINE_LIMIT])[:_LINE_LIMIT]
    notes = paper.notes
    if len(paper.abstract) > _TEXT_LIMIT:
        notes = (*notes, f"cut at {_TEXT_LIMIT:,} characters")
    text = clean(paper.abstract[:_TEXT_LIMIT]).strip()
    if not (title or text):
        return Skip(source, "neither a title nor a text")
    sides: dict[str, Iterable[str]] = {
        "venues": (paper.venue,),
        "keywords": paper.keywords,
        # who cites itself says nothing
        "citations": (cited for cited in paper.citations if cited.strip() != paper.id),
        **paper.sides,
    }
    values = {side: kept for side, given in sides.items() if (kept := _lines(given))}
    people = tuple(
        Address(name, "", "author") for name in _lines(paper.authors) if name.lower() not in _OTHERS
    )
    moment, step = cell_moment(paper.date)
    if moment is None:
        moment, step = cell_moment(loose_date(paper.date))
    return Item(
        id=clean_line(paper.id[:_LINE_LIMIT]) or source,
        text=text,
        title=title,
        date=moment,
        date_step=step,
        source=source,
        people=people,
        values=values,
        truth=truth,
        digest=digest_of(title, text, *(person.name for person in people)),
        notes=notes,
    )


def without(paper: Paper, parts: set[str]) -> Paper:
    """Leave parts of a paper out, or sides of its own.

    Examples
    --------
    >>> without(Paper("k1", "Pumps", keywords=("leaks",)), {"keywords"}).keywords
    ()
    """
    sides = {side: values for side, values in paper.sides.items() if side.lower() not in parts}
    nothing: dict[str, Any] = {
        part: getattr(_NOTHING, part)
        for part in ("authors", "venue", "date", "keywords", "citations")
        if part in parts
    }
    return replace(paper, sides=sides, **nothing)


def _lines(values: Iterable[str]) -> tuple[str, ...]:
    """Clean values, each once; endless lists are no lists."""
    found: dict[str, None] = {}
    for value in values:
        if line := clean_line(value[: 4 * _VALUE_LIMIT])[:_VALUE_LIMIT].strip():
            found[line] = None
        if len(found) >= _MOST_VALUES:
            break
    return tuple(found)


def loose_date(text: str, *, last: bool = False) -> str:
    """Return the year within a text, the last one if asked for, and the month it names.

    Examples
    --------
    >>> loose_date("2001 Jan-Feb"), loose_date("naca r1940, 1955", last=True)
    ('January 2001', '1955')
    """
    years = _YEAR.findall(text[:200])
    if not years:
        return ""
    month = _MONTH.search(text[:200])
    year = years[-1 if last else 0]
    return f"{_MONTHS[month[0][:3].lower()]} {year}" if month else year


class PaperFiles(FileReader, ABC):
    """A file of papers, or a folder tree of such files; formats add how a text is read.

    Parameters
    ----------
    path : path-like
        The file or the folder.
    truth : str, optional
        What is known about each paper, for scoring only: "folders" takes the folder of its
        file, "files" the name of its file, anything else is the name of a field, which then
        makes no side: what is scored against must not help.
    encoding : str, optional
        Found when not given.
    """

    endings: tuple[str, ...] = ()
    #: Which part of a paper, or side of its own, a field becomes, by its name in small letters.
    parts: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        truth: str | None = None,
        encoding: str | None = None,
    ) -> None:
        if truth is not None and not truth.strip():
            raise InputError(
                "{given} names nothing; it can be {allowed:or}, or a field.",
                "truth",
                truth,
                allowed=["folders", "files"],
            )
        super().__init__(path)
        check_encoding(encoding)
        self.truth = truth
        self.encoding = encoding
        self._fields: Counter[str] = Counter()
        self._field = "" if truth in (None, "files") or by_folders(truth) else truth.strip().lower()
        if self._field and self.part_of(self._field) in _SEVERAL:
            self.notes.append(f"where {truth!r} names several, the first one is the truth")
        self.look()

    def look(self) -> None:
        """Look at the beginning of what there is, where a format asks for it."""

    def part_of(self, name: str) -> str:
        """Tell which part of a paper, or side of its own, a field becomes; empty when none."""
        return self.parts.get(name.lower(), "")

    def truth_parts(self) -> set[str]:
        """Name the parts of a paper and sides of its own that tell the truth."""
        return {self._field, self.part_of(self._field)} if self._field else set()

    @abstractmethod
    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """Yield line number and paper, or the reason why there is none."""

    def fits(self, path: str) -> bool:
        """Tell whether a file is of the format, by its ending or its beginning."""
        if path.lower().endswith(self.endings):
            return True
        recognise = KINDS[self.kind].recognise
        return recognise is not None and recognise(Look(os.path.join(self.root, path)))

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the papers of a file; what can't be used becomes a skip."""
        name = self.source(unit)
        data, cut = self.beginning(unit, MAX_BYTES)
        if cut:
            yield Skip(name, f"larger than {MAX_BYTES >> 20} MB: cut it into several files")
            return
        text, note = decode(data, self.encoding)
        del data
        found = False
        for line, paper in self.papers(text):
            found = True
            source = f"{name}:{line}"
            if isinstance(paper, str):
                yield Skip(source, paper)
            else:
                yield self.item(paper, source, name, note)
        if not found:
            yield Skip(
                name, f"holds nothing in the form of {self.kind}{': ' if note else ''}{note}"
            )

    def item(self, paper: Paper, source: str, name: str, note: str = "") -> Item | Skip:
        """Turn a paper of a file into an item, without what its truth was made from."""
        truth = self.truth_of(paper, name)
        if len(self._fields) < _MOST_VALUES:
            self._fields.update(key for key, value in paper.fields.items() if value)
        if note:
            paper = replace(paper, notes=(*paper.notes, note))
        if parts := self.truth_parts():
            paper = without(paper, parts)
        return paper_item(paper, source, truth)

    @property
    def fields(self) -> dict[str, int]:
        """The fields of the papers read up to now, the commonest first, and how many have them."""
        return dict(self._fields.most_common())

    def check_truth(self, have: int, n: int) -> str:
        """Say how many items have the field that is the truth; refuse one that none has."""
        if not self._field or have == n:
            return ""
        if have:
            return f"{have} of {n} items have {self.truth!r}, and only those are scored"
        self._fields.clear()
        for read, _ in enumerate(found for unit in self.scan() for found in self.read(unit)):
            if read >= _LOOK_AT:
                break
        names = list(self.fields)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise InputError(
            "{given}: not one of {n} items has such a field; there are {names:,}{more}, or "
            "'folders' and 'files'.",
            "truth",
            self.truth,
            n=n,
            names=names[:_SHOWN],
            more=more,
        )

    def truth_of(self, paper: Paper, name: str) -> str | None:
        """Return the class that a paper of a file is known to belong to."""
        if self.truth is None:
            return None
        if by_folders(self.truth):
            return self.folder_class(name)
        if self.truth == "files":
            return name.rpartition("/")[2].partition(".")[0] or name
        return clean_line(paper.fields.get(self._field, "")[:_LINE_LIMIT]) or None
