"""What every reader yields: items, and the ones that had to be skipped.

A reader turns a path into *units* (a file, a stretch of a big file), and a unit into
items. Units carry a fingerprint, so a grown mailbox is read again only where it
changed; they are small and independent, so they can be read in parallel.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

__all__ = [
    "COLUMNS",
    "DATE_LENGTHS",
    "RAW_SIDES",
    "READING_VERSION",
    "Address",
    "DateStep",
    "Item",
    "MovableReader",
    "Reader",
    "Role",
    "Skip",
    "Unit",
    "digest_of",
    "distinct",
]

READING_VERSION = 3
"""Changes when the same bytes would give other items, so that stored ones are not reused."""

Role = Literal["from", "to", "cc", "author"]
DateStep = Literal["day", "month", "year"]
DATE_LENGTHS: Mapping[DateStep, int] = {"day": 10, "month": 7, "year": 4}
"""How much of an ISO date is known where a date is only a month or a year."""


RAW_SIDES = ("words", "titles", "people", "values", "dates")
"""What is counted while reading; the sides of a collection are made of these later."""

COLUMNS = {
    "id": "string",
    "title": "string",
    "date": "timestamp[us, tz=UTC]",
    "source": "string",
    "truth": "string",
    "digest": "string",
    "notes": "list<string>",
    "text": "string",
}
"""What is kept of every item, and as what."""


@dataclass(frozen=True, slots=True)
class Address:
    """One mention of a person: the name as written, the address, and the role.

    Either ``name`` or ``address`` may be empty, never both.
    """

    name: str
    address: str
    role: Role


@dataclass(frozen=True, slots=True)
class Item:
    r"""One thing of the collection: a message, a row, a page.

    No string holds control characters or lone surrogates, so that it can be printed
    to a terminal and stored as UTF-8 whatever the source was.

    Attributes
    ----------
    id : str
        Unique within the collection (a Message-ID, a key column, a relative path) if
        the source is sane; a collection tells true duplicates from clashes by ``digest``.
    text : str
        What is shown, and tokenised together with the title (see `content`).
    title : str
        Subject or title; a side of its own.
    date : datetime or None
        Always aware and in UTC; a source without a zone is taken to mean UTC.
    source : str
        Where it came from, relative to the collection's root.
    people : tuple of Address
        Senders, recipients, authors, as written.
    values : mapping of str to tuple of str
        Further sides: ``{"tags": ("a", "b"), "organisation": ("X",)}``.
    truth : str or None
        The class it is known to belong to, kept for scoring only.
    digest : str
        Fingerprint of what the item says (not of where it lies): two items with one
        digest are copies of each other.
    notes : tuple of str
        What had to be repaired or left out while reading ("cut at 8 MB").
    tags : tuple of tuple of str
        Parts of speech, sentence by sentence, where the source has them.
    features : bytes
        What can be seen in a photo, packed (`comraf.images.PhotoFeatures`); empty for
        items that are none.
    links : tuple of str
        Places that a page links to, with its own: hosts with their first directories.
    date_step : {"day", "month", "year"}
        How much of the date is known; the rest of it is the beginning of that time.

    Examples
    --------
    >>> item = Item("1", "The pump leaks again.", title="Pump")
    >>> item.content
    'Pump\n\nThe pump leaks again.'
    """

    id: str
    text: str
    title: str = ""
    date: datetime | None = None
    source: str = ""
    people: tuple[Address, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    truth: str | None = None
    digest: str = ""
    notes: tuple[str, ...] = ()
    tags: tuple[tuple[str, ...], ...] = ()
    features: bytes = b""
    links: tuple[str, ...] = ()
    date_step: DateStep = "day"

    @property
    def content(self) -> str:
        """Title and text in one, the title not twice: what words are counted over."""
        if not self.title or self.text.startswith(self.title):
            return self.text
        return f"{self.title}\n\n{self.text}" if self.text else self.title


@dataclass(frozen=True, slots=True)
class Skip:
    """An item that could not be read, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the source that can be read on its own.

    Attributes
    ----------
    path : str
        Relative to the reader's root, with forward slashes.
    start, stop : int, int or None
        Which stretch of it, in the format's own measure (bytes, rows, row groups).
    fingerprint : str
        Changes when the bytes may have changed (a hash, or size and time).
    line : int
        Number of the first line or row of the stretch, for messages and ids.
    """

    path: str
    start: int = 0
    stop: int | None = None
    fingerprint: str = ""
    line: int = 1


class Reader(Protocol):
    """One format. Instances hold only options and can be sent to another process.

    Attributes
    ----------
    kind : str
        Name of the format, as in ``open_reader(path, kind=...)``.
    parallel : bool
        Whether units may be read in other processes (data frames stay where they are).
    notes : list of str
        What was decided, guessed or left out while opening and scanning, for people.
    """

    kind: str
    parallel: bool
    notes: list[str]

    def scan(self) -> list[Unit]:
        """List the units without keeping their content."""
        ...

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield what the unit holds; a bad item becomes a Skip, never an error."""
        ...


class MovableReader(Reader, Protocol):
    """A reader whose items depend on the bytes of their unit, not on where the unit lies.

    When something before a unit has gone or come, or its file has another name, the unit
    need not be read again: only the sources of its items have changed.
    """

    def content(self, unit: Unit) -> Hashable:
        """Return what stays when a unit moves; units that differ in their bytes differ in it."""
        ...

    def source(self, unit: Unit) -> str:
        """Return the source of the items of a unit."""
        ...


def digest_of(*parts: str) -> str:
    """Fingerprint of strings: 32 hexadecimal digits, the same on every machine.

    Examples
    --------
    >>> digest_of("a", "bc") == digest_of("ab", "c")
    False
    >>> len(digest_of("a"))
    32
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        # the length goes first, so that no two lists of parts run together the same way
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def distinct(names: Iterable[str]) -> list[str]:
    """Names of which no two are alike; a name that was given is nobody else's new one.

    Examples
    --------
    >>> distinct(["a", "a", "a (2)", ""])
    ['a', 'a (3)', 'a (2)', ' (1)']
    """
    given = list(names)
    taken = set(given)
    often: dict[str, int] = {}
    out = []
    for name in given:
        often[name] = number = often.get(name, 0) + 1
        new = name
        if number > 1 or not name:
            while (new := f"{name} ({number})") in taken:
                number += 1
            often[name] = number
            taken.add(new)
        out.append(new)
    return out
