"""The kinds of collections that can be read: one line here, all else in the reader's own file.

A new reader is a file in ``readers/`` with a `Kind` in it, and a line in `KINDS`; see
"Adding a reader" in CONTRIBUTING.md.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from comraf.collection.packed import file_head, packing_of
from comraf.docstrings import meanings
from comraf.registry import Registry

if TYPE_CHECKING:
    from comraf.collection.items import Reader

__all__ = ["KINDS", "Kind", "Look", "kind_of"]

_READERS = "comraf.collection.readers"


class Look:
    """What can be seen of a file without reading it: its name and its first bytes.

    Parameters
    ----------
    path : str
    folder : str
        The folder that was given, in which the file was found; empty when the file itself was.
    kind : str
        What it was recognised as so far, where a special kind of that is looked for.
    """

    def __init__(self, path: str, folder: str = "", kind: str = "") -> None:
        self.path = path
        self.folder = folder
        self.kind = kind

    @cached_property
    def head(self) -> bytes:
        """The first 16,384 bytes; nothing when the file can't be read."""
        return file_head(self.path)

    @property
    def ending(self) -> str:
        """The ending of the name in small letters, with its dot."""
        return os.path.splitext(self.path)[1].lower()

    @property
    def packing(self) -> str | None:
        """What it is packed with, as "zip" or "gzip"; None when it is not."""
        return packing_of(self.head)

    @cached_property
    def is_text(self) -> bool:
        """Whether there is something in it, and that is text."""
        from comraf.collection.readers.folder import looks_binary
        from comraf.collection.vision.kinds import unread_format

        head = self.head
        if not head.strip(b"\x00 \t\r\n") or self.packing or unread_format(head):
            return False
        return not looks_binary(head[:4096])

    @cached_property
    def claim(self) -> str:
        """The kind that owns the ending of the name; empty when none does."""
        lower = self.path.lower()
        return next((name for name, kind in KINDS.items() if lower.endswith(kind.endings)), "")

    @cached_property
    def is_html(self) -> bool:
        """Whether it begins as a page does."""
        from comraf.collection.readers.html import looks_html

        return looks_html(self.head)

    @cached_property
    def is_page(self) -> bool:
        """Whether it is a page by its name, by its beginning or by what a server sent with it."""
        from comraf.collection.readers.html import http_header

        if self.claim:
            return self.claim == "text"
        return self.is_html or bool(http_header(self.head))

    @property
    def is_open(self) -> bool:
        """Whether its name does not say what it is and it is no page: its bytes decide."""
        return not self.claim and not self.is_html


@dataclass(frozen=True)
class Kind:
    """A kind of collection: who reads it, how it is recognised, what its items are called.

    Attributes
    ----------
    name : str
        As in ``kind=...`` and ``--kind``.
    about : str
        What it is, in a few words, for help and errors.
    reader : callable
        Opens a path; its keyword-only parameters are the options of the kind.
    noun : str
        What one item is called.
    recognise : callable or None
        Tells by a `Look` whether a file is of this kind. None: only who names the kind gets it.
    endings : tuple of str
        Text files with these endings are of this kind, whatever stands in them.
    binary : bool
        Whether files that are no text are looked at, too.
    family : str
        Kinds of one family have the same sides, so that new items of one can be placed among
        those of another; by default each is one by itself.
    whole : bool
        Whether one file of it is a collection, even with a few texts beside it.
    many : bool
        Whether a file holds many items.
    zipped : bool
        Whether it may be a packed file.
    refines : tuple of str
        Kinds of which this is a special one: `recognise` is asked of their files.
    messages : bool
        Whether items have a sender and a moment, so that a copy is known without its id.
    photos : bool
        Whether items are photos, which come with features.
    counted : bool
        Whether words were counted by somebody else, so that a text can't be read.
    in_memory : bool
        Whether it is an object and no file.
    stop_words : frozenset of str
        Words that such items are full of and that say nothing.
    when_named : mapping
        Options that hold where the user names the kind.
    words : mapping
        Options that always hold for the words of such items.
    """

    name: str
    about: str
    reader: Callable[..., Reader]
    noun: str = "document"
    recognise: Callable[[Look], bool] | None = None
    endings: tuple[str, ...] = ()
    binary: bool = False
    family: str = ""
    whole: bool = False
    many: bool = False
    zipped: bool = False
    refines: tuple[str, ...] = ()
    messages: bool = False
    photos: bool = False
    counted: bool = False
    in_memory: bool = False
    stop_words: frozenset[str] = frozenset()
    when_named: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)

    @property
    def usual(self) -> dict[str, Any]:
        """What the options that naming the kind changes are where it is found by looking."""
        parameters = inspect.signature(self.reader).parameters
        return {name: parameters[name].default for name in self.when_named}

    @property
    def options(self) -> dict[str, str]:
        """The options of the reader, and what each means (the first sentence of its docs).

        Examples
        --------
        >>> KINDS["news"].options["max_bytes"]
        'How much of a post is read at most'
        """
        make = self.reader.func if isinstance(self.reader, partial) else self.reader
        known: dict[str, str] = {}
        for base in reversed(inspect.getmro(make) if inspect.isclass(make) else (make,)):
            known |= meanings(base.__doc__)
        given = inspect.signature(self.reader).parameters.values()
        names = [p.name for p in given if p.kind is p.KEYWORD_ONLY]
        if any(p.kind is p.VAR_KEYWORD for p in given):
            # options that several readers share, such as those of tables
            names = [*known, *names]
        sentences = {name: re.split(r"[.;]\s", text, maxsplit=1)[0] for name, text in known.items()}
        return {
            name: sentences.get(name, "").rstrip(".") for name in names if name not in _NO_OPTIONS
        }

    def is_like(self, other: Kind) -> bool:
        """Whether items of the two have the same sides."""
        return self.name == other.name or (self.family != "" and self.family == other.family)


# What a reader opens, and how one that reads several kinds is told which.
_NO_OPTIONS = ("path", "frame", "format")

KINDS: Registry[Kind] = Registry(
    {
        # the order in which they are tried: what says most surely what it is comes first
        "maildir": f"{_READERS}.mail:MAILDIR",
        "csr": f"{_READERS}.csr:CSR",
        "parquet": f"{_READERS}.tabular:PARQUET",
        "pdf": f"{_READERS}.pdf:PDF",
        "images": f"{_READERS}.images:IMAGES",
        "mbox": f"{_READERS}.mail_mbox:MBOX",
        "stackexchange": f"{_READERS}.stackexchange:STACKEXCHANGE",
        "bibtex": f"{_READERS}.bibtex:BIBTEX",
        "smart": f"{_READERS}.smart:SMART",
        "ris": f"{_READERS}.ris:RIS",
        "jsonl": f"{_READERS}.tabular:JSONL",
        "csv": f"{_READERS}.tabular:CSV",
        "news": f"{_READERS}.news:NEWS",
        "mail": f"{_READERS}.mail:MAIL",
        "tagged": f"{_READERS}.tagged:TAGGED",
        "tsv": f"{_READERS}.tabular:TSV",
        "text": f"{_READERS}.folder:TEXT",
        # found in what is read as another kind, or only where the user says so
        "papers": f"{_READERS}.papers_json:PAPERS",
        "lines": f"{_READERS}.folder:LINES",
        "frame": f"{_READERS}.frames:FRAME",
    }
)
"""Kinds of collections by name."""


def kind_of(name: object) -> Kind:
    """A kind by its name; a plain one for names from elsewhere.

    Examples
    --------
    >>> kind_of("mbox").noun, kind_of("minutes").noun
    ('message', 'document')
    """
    if isinstance(name, str) and name in KINDS:
        return KINDS[name]
    from comraf.collection.readers.folder import TextFolderReader

    return Kind(str(name), "", TextFolderReader)
