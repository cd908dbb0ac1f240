"""Papers: what all formats of references have in common.

A paper has a title, an abstract, authors (people), a venue, keywords, and the papers that it
cites; each of these is a side of its own.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from comraf.collection.items import Address, Item, Skip, Unit, digest_of
from comraf.collection.readers.charsets import clean, clean_line, decode
from comraf.collection.readers.files import Notes, check_path, portable, read_file, stamp, walk
from comraf.collection.readers.mail_folders import folder_truth
from comraf.collection.readers.tabular_cells import cell_date
from comraf.errors import InputError, ReadError

__all__ = ["MAX_BYTES", "Paper", "PaperFiles", "paper_item"]

MAX_BYTES = 256 << 20
"""Size up to which a file of papers is read; a larger one has to be cut first."""

_TEXT_LIMIT = 8 << 20
_LINE_LIMIT = 1000
_VALUE_LIMIT = 300
_MOST_VALUES = 10_000
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
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
    return Item(
        id=clean_line(paper.id[:_LINE_LIMIT]) or source,
        text=text,
        title=title,
        date=cell_date(paper.date) or _year(paper.date),
        source=source,
        people=people,
        values=values,
        truth=truth,
        digest=digest_of(title, text, *(person.name for person in people)),
        notes=notes,
    )


def _lines(values: Iterable[str]) -> tuple[str, ...]:
    """Clean values, each once; endless lists are no lists."""
    found: dict[str, None] = {}
    for value in values:
        if line := clean_line(value[: 4 * _VALUE_LIMIT])[:_VALUE_LIMIT].strip():
            found[line] = None
        if len(found) >= _MOST_VALUES:
            break
    return tuple(found)


def _year(text: str) -> datetime | None:
    match = _YEAR.search(text[:200])
    return cell_date(match[1]) if match else None


class PaperFiles(Notes, ABC):
    """A file of papers, or a folder tree of such files; formats add how a text is read.

    Parameters
    ----------
    path : path-like
        The file or the folder.
    truth : str, optional
        What is known about each paper, for scoring only: "folders" takes the folder of its
        file, "files" the name of its file, anything else is the name of a field.
    """

    kind = ""
    parallel = True
    endings: tuple[str, ...] = ()
    charset: str | None = None

    def __init__(self, path: str | os.PathLike[str], *, truth: str | None = None) -> None:
        super().__init__()
        if truth is not None and not truth.strip():
            raise InputError("truth='' names nothing; it can be 'folders', 'files' or a field.")
        self.path = check_path(path)
        self.root = str(self.path)
        self.truth = truth

    @abstractmethod
    def fits(self, head: bytes) -> bool:
        """Tell whether a file that starts with these bytes is of the format."""

    @abstractmethod
    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """Yield line number and paper, or the reason why there is none."""

    def scan(self) -> list[Unit]:
        """List the files of the format."""
        self.renew()
        if self.path.is_file():
            return [Unit("", fingerprint=stamp(os.stat(self.path)))]
        units = []
        others = 0
        for path, mark, readable in walk(self.root, self.notes):
            known = not readable or path.lower().endswith(self.endings)
            if known or self.fits(_head(os.path.join(self.root, path))):
                units.append(Unit(portable(path), fingerprint=mark))
            else:
                others += 1
        if not units:
            raise ReadError(f"There is no {self.kind} file in {self.root!r} or below it.")
        if others:
            self.notes.append(f"{others} files are not {self.kind} and were passed over")
        return units

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the papers of a file; what can't be used becomes a skip."""
        name = unit.path or portable(self.path.name)
        try:
            data = read_file(self.root, unit.path, MAX_BYTES + 1)
        except OSError as error:
            yield Skip(name, f"can't be read: {error.strerror or error}")
            return
        if len(data) > MAX_BYTES:
            yield Skip(name, f"larger than {MAX_BYTES >> 20} MB: cut it into several files")
            return
        text, note = decode(data, self.charset)
        del data
        found = False
        for line, paper in self.papers(text):
            found = True
            source = f"{name}:{line}"
            if isinstance(paper, str):
                yield Skip(source, paper)
            else:
                yield paper_item(paper, source, self.truth_of(paper, name))
        if not found:
            yield Skip(
                name, f"holds nothing in the form of {self.kind}{': ' if note else ''}{note}"
            )

    def truth_of(self, paper: Paper, name: str) -> str | None:
        """Return the class that a paper of a file is known to belong to."""
        if self.truth is None:
            return None
        if self.truth == "folders":
            place = self.path.resolve()
            return folder_truth(name) or portable((place if place.is_dir() else place.parent).name)
        if self.truth == "files":
            return name.rpartition("/")[2].partition(".")[0] or name
        return clean_line(paper.fields.get(self.truth.lower(), "")[:_LINE_LIMIT]) or None


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(16384)
    except OSError:
        return b""
