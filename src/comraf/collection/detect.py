"""Finding out what lies at a path, and opening it with the right reader."""

from __future__ import annotations

import inspect
import os
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from comraf.collection.items import Reader
from comraf.collection.packed import (
    HEAD,
    OFFICE,
    file_head,
    how_to_unpack,
    is_csr_file,
    packing_of,
    refuse,
)
from comraf.collection.readers.bibtex import BibtexReader, is_bibtex
from comraf.collection.readers.captions import is_caption_file
from comraf.collection.readers.csr import CsrReader
from comraf.collection.readers.files import (
    check_path,
    is_classes_file,
    is_own_folder,
    leads_out,
    walk,
)
from comraf.collection.readers.folder import (
    HTML_ENDINGS,
    MARKDOWN_ENDINGS,
    TEXT_ENDINGS,
    LinesReader,
    TextFolderReader,
    looks_binary,
)
from comraf.collection.readers.frames import FrameReader, is_frame
from comraf.collection.readers.html import http_header, looks_html
from comraf.collection.readers.images import PhotoReader
from comraf.collection.readers.mail import MaildirReader, MailFolderReader
from comraf.collection.readers.mail_headers import MAIL_FIELDS, split_message
from comraf.collection.readers.mail_mbox import MboxReader, is_mbox
from comraf.collection.readers.news import NewsReader
from comraf.collection.readers.papers_json import PapersReader, holds_papers
from comraf.collection.readers.pdf import PdfReader
from comraf.collection.readers.ris import RisReader, is_ris
from comraf.collection.readers.smart import SmartReader, is_smart
from comraf.collection.readers.stackexchange import StackExchangeReader, is_stackexchange
from comraf.collection.readers.tabular import TabularReader, format_of
from comraf.collection.readers.tagged import CATS, TaggedReader, is_tagged, tagged_zip
from comraf.errors import InputError, ReadError
from comraf.images.kinds import PHOTO_ENDINGS, photo_format, unread_format

__all__ = ["READERS", "Finding", "detect", "open_reader"]

READERS: dict[str, Callable[..., Reader]] = {
    "mail": MailFolderReader,
    "maildir": MaildirReader,
    "mbox": MboxReader,
    "news": NewsReader,
    "csv": partial(TabularReader, format="csv"),
    "tsv": partial(TabularReader, format="tsv"),
    "jsonl": partial(TabularReader, format="jsonl"),
    "parquet": partial(TabularReader, format="parquet"),
    "tagged": TaggedReader,
    "text": TextFolderReader,
    "lines": LinesReader,
    "bibtex": BibtexReader,
    "ris": RisReader,
    "smart": SmartReader,
    "papers": PapersReader,
    "csr": CsrReader,
    "stackexchange": StackExchangeReader,
    "pdf": PdfReader,
    "images": PhotoReader,
    "frame": FrameReader,
}
"""Kinds of collections and what opens them."""

# Kinds of which one file holds a whole collection.
_WHOLE = ("csv", "tsv", "jsonl", "parquet", "bibtex", "ris", "smart", "stackexchange")
# A corpus that is read when it is given itself, not as one of the files of a folder.
_ZIPPED = "zip of tagged texts"
_LOOK_AT = 64
_PER_FOLDER = 3
_MAIL_SIGNS = MAIL_FIELDS | {"received", "return-path", "mime-version", "newsgroups"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a path holds, and how that was seen.

    Attributes
    ----------
    kind : str
        A key of `READERS`.
    reason : str
        For people.
    plain : bool
        Whether nothing is to be told: all are photos, and each says so itself.
    """

    kind: str
    reason: str
    plain: bool = field(default=False, repr=False)


def open_reader(
    path: str | os.PathLike[str] | Any, *, kind: str | None = None, **options: Any
) -> Reader:
    r"""Open a collection with the reader that fits.

    Parameters
    ----------
    path : path-like or DataFrame
        A file, a folder, or a data frame.
    kind : str, optional
        A key of `READERS`; found by looking when not given.
    **options
        For that reader: ``truth="folders"`` or ``quotes="drop"`` for mail,
        ``text="abstract"`` for tables, and so on.

    Returns
    -------
    Reader
        Its ``notes`` tell how the kind was found and what was guessed.

    Raises
    ------
    ReadError
        There is nothing there, or nothing that can be read.
    InputError
        An unknown kind or option, or a column that does not exist.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "1.eml").write_text("From: a@x.org\nSubject: Hi\n\nHello")
    ...     open_reader(folder).kind
    'mail'
    """
    if kind is not None and kind not in READERS:
        raise InputError(f"kind={kind!r} is not known; it can be {', '.join(map(repr, READERS))}.")
    if kind == "frame" or is_frame(path):
        if kind not in (None, "frame"):
            raise InputError(f"kind={kind!r} reads files; a data frame was given.")
        return _opened("frame", path, options)
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(
            f"Expected a path or a data frame, got {type(path).__name__}. For a table of counts "
            f"in memory use an estimator directly."
        )
    place = check_path(path)
    if kind != "tagged":  # who says so may give a zip file
        refuse(place)
    if kind is not None:
        # who says that all is text gets all of it
        return _opened(kind, place, {"all_files": True, **options} if kind == "text" else options)
    finding = _detect(place)
    # who names columns wants the table as it is
    if not options.keys() - {"truth", "encoding"}:
        finding = _papers(finding, place)
    try:
        reader = _opened(finding.kind, place, options)
    except ReadError as error:
        if place.is_dir() and (zipped := _zipped(str(place))):
            raise ReadError(f"{error} {zipped!r} holds tagged texts: give that file.") from None
        raise
    if not finding.plain:
        reader.notes.insert(0, finding.reason)
    return reader


def _opened(kind: str, path: Any, options: dict[str, Any]) -> Reader:
    make = READERS[kind]
    allowed = [
        name
        for name, parameter in inspect.signature(make).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name != "format"
    ]
    if unknown := [name for name in options if name not in allowed]:
        raise InputError(
            f"The reader for {kind!r} has no option {unknown[0]!r}; it has {', '.join(allowed)}."
        )
    return make(path, **options)


def detect(path: str | os.PathLike[str], *, papers: bool = True) -> Finding:
    """Find out what lies at a path.

    Parameters
    ----------
    path : path-like
    papers : bool
        Whether tables of papers are told from other tables.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("Pumps leak.")
    ...     detect(folder)
    Finding(kind='text', reason='read as text: 1 of 1 files looked at are text')
    """
    place = check_path(path)
    finding = _detect(place)
    return _papers(finding, place) if papers else finding


def _detect(place: Path) -> Finding:
    refuse(place)
    if place.is_file():
        kind = "csr" if is_csr_file(place) else _file_kind(str(place))
        if kind in ("text", "other") and _is_tabbed(file_head(str(place))):
            kind = "tsv"
        if kind in READERS:
            return Finding(kind, f"read as {_called(kind, place)}, by the beginning of the file")
        raise ReadError(_no_fit(place, kind))
    return _folder(place)


def _called(kind: str, path: Path) -> str:
    """What people call a kind of file: what reads JSON lines and texts reads their kin too."""
    ending = path.suffix.lower()
    if kind == "text" and _is_page(str(path)):
        return "HTML"
    return "JSON" if kind == "jsonl" and ending == ".json" else kind


def _papers(finding: Finding, place: Path) -> Finding:
    """Tell papers from other tables: their authors and citations have forms of their own."""
    kind = finding.kind
    if kind not in ("csv", "tsv", "jsonl"):
        return finding
    files = [str(place)] if place.is_file() else list(_sample(str(place)))
    first = next((f for f in files if place.is_file() or format_of(f) == kind), None)
    if first is None or not holds_papers(first, kind):
        return finding
    return Finding("papers", f"{finding.reason}, and as papers by the names of its fields")


def _file_kind(path: str) -> str:
    """Name what one file looks like: a kind, or "packed", "binary", "empty", "other"."""
    head = file_head(path)
    ending = os.path.splitext(path)[1].lower()
    if not head.strip(b"\x00 \t\r\n"):
        return "empty"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"%PDF-"):
        return "pdf"
    if photo_format(head):
        return "images"
    if unread := unread_format(head):
        return unread
    if (packing := packing_of(head)) is not None:
        return "tagged" if packing == "zip" and tagged_zip(path) else "packed"
    if looks_binary(head[:4096]):
        return "binary"
    if is_mbox(head):
        return "mbox"
    if references := _reference_kind(ending, head):
        return references
    table = format_of(path)
    if table == "jsonl" or (table is None and _is_json(head)):
        return "jsonl"
    if table is not None:
        return table
    if ending in HTML_ENDINGS + MARKDOWN_ENDINGS or looks_html(head) or http_header(head):
        return "text"
    if message := _message_kind(head):
        return message
    if is_tagged(head):
        return "tagged"
    return "text" if ending in TEXT_ENDINGS or ending == "" else "other"


def _reference_kind(ending: str, head: bytes) -> str:
    """Name the format of references that a file is in; empty when it is in none."""
    if ending in BibtexReader.endings:
        return "bibtex"
    if ending in RisReader.endings:
        return "ris"
    if ending in (*HTML_ENDINGS, *MARKDOWN_ENDINGS) or format_of(f"x{ending}") or looks_html(head):
        return ""
    if is_stackexchange(head):
        return "stackexchange"
    if is_bibtex(head):
        return "bibtex"
    if is_smart(head):
        return "smart"
    return "ris" if is_ris(head) else ""


def _is_page(path: str) -> bool:
    if path.lower().endswith(MARKDOWN_ENDINGS):
        return False
    return path.lower().endswith(HTML_ENDINGS) or looks_html(file_head(path))


def _is_tabbed(head: bytes) -> bool:
    lines = head.split(b"\n")[:-1][:20]
    tabs = {line.count(b"\t") for line in lines}
    return len(lines) > 1 and len(tabs) == 1 and 0 not in tabs


def _is_json(head: bytes) -> bool:
    line = head.split(b"\n", 1)[0].strip()
    return line.startswith(b'{"') and (line.endswith(b"}") or len(head) == HEAD)


def _message_kind(head: bytes) -> str:
    """Tell mail from news by the fields that a file starts with; empty when it has none."""
    headers, body = split_message(head, _MAIL_SIGNS)
    if len(headers) < 2 or body == 0:
        return ""
    return "news" if "newsgroups" in headers else "mail"


def _folder(place: Path) -> Finding:
    root = str(place)
    seen: Counter[str] = Counter()
    example: dict[str, str] = {}
    captions: Counter[str] = Counter()
    pages = 0
    for path in _sample(root):
        parent = os.path.dirname(path)
        if os.path.basename(parent) in ("cur", "new") and os.path.isdir(
            os.path.join(os.path.dirname(parent), "cur")
        ):
            kind = "maildir"
        else:
            kind = _file_kind(path)
        if kind == "tagged" and zipfile.is_zipfile(path):
            kind = _ZIPPED
        seen[kind] += 1
        beside = is_caption_file(path) or is_classes_file(path)
        captions[kind] += kind != "images" and beside
        pages += path.lower().endswith(HTML_ENDINGS) or (kind == "text" and _is_page(path))
        example.setdefault(kind, path)
    if not seen:
        told: list[str] = []
        unread = sum(1 for _ in walk(root, told))
        links = "".join(f"; {note}" for note in told if "follow-links" in note)
        if unread or links:
            raise ReadError(f"In the folder {root!r} there are no files that can be read{links}.")
        raise ReadError(f"The folder {root!r} is empty: there are no files in it or below it.")
    fitting = Counter({kind: count for kind, count in seen.items() if kind in READERS})
    total = sum(seen.values())
    if not fitting:
        kind = seen.most_common(1)[0][0]
        raise ReadError(_no_fit(Path(example[kind]), kind, root))
    # what is said of photos does not count against them
    kind = (fitting - captions if fitting["images"] else fitting).most_common(1)[0][0]
    count = fitting[kind]
    if fitting["tagged"] and os.path.isfile(os.path.join(root, CATS)):
        kind, count = "tagged", fitting["tagged"]
    if fitting["images"]:
        kind, count = _photos_or(kind, fitting, pages)
    if kind == "images":
        # what is said of the photos is read with them
        seen -= captions
        total = sum(seen.values())
    # a README beside a table does not make it a folder of texts
    tables = [name for name in _WHOLE if fitting[name]]
    if kind == "text" and len(tables) == 1 and count <= 3 and total <= 8:
        kind = tables[0]
        count = fitting[kind]
    rest = ", ".join(f"{n} {name}" for name, n in seen.most_common() if name != kind)
    others = f" (the others: {rest})" if rest else ""
    called = "HTML" if kind == "text" and pages == count else kind
    some = f", {pages} of them HTML" if kind == "text" and 0 < pages < count else ""
    return Finding(
        kind,
        f"read as {called}: {count} of {total} files looked at are {called}{some}{others}",
        plain=kind == "images" and count == total,
    )


def _zipped(root: str) -> str:
    """A corpus of tagged texts in a folder that is read only when it is given itself."""
    return next((path for path in _sample(root) if tagged_zip(path)), "")


def _photos_or(kind: str, fitting: Counter[str], pages: int) -> tuple[str, int]:
    """Photos, or what they are pictures of something in: pages that were saved with them."""
    photos = fitting["images"]
    if kind == "images" and pages:
        # of web pages the text counts, however many pictures they have
        kind = "text"
    elif kind == "text" and not pages and 2 * photos >= fitting["text"]:
        kind = "images"  # captions lie beside the photos, one text each
    return kind, fitting[kind]


def _sample(root: str) -> Iterator[str]:
    """Yield a few files of many folders, without listing a large folder to its end."""
    waiting = [root]
    entered: set[tuple[int, int]] = set()
    found = 0
    while waiting and found < _LOOK_AT and len(entered) < 4 * _LOOK_AT:
        folder = waiting.pop(0)
        folders: list[str] = []
        files = 0
        most = _PER_FOLDER if waiting or folder != root else _LOOK_AT
        try:
            info = os.stat(folder)
            if (info.st_dev, info.st_ino) in entered or is_own_folder(folder):
                continue
            entered.add((info.st_dev, info.st_ino))
            with os.scandir(folder) as entries:
                for number, entry in enumerate(entries):
                    if number > 5000 or (files >= most and len(folders) >= _LOOK_AT):
                        break
                    with suppress(OSError):  # a link in a circle
                        if leads_out(entry.path, root):
                            continue
                        if entry.is_dir():
                            folders.append(entry.path)
                        elif not entry.name.startswith(".") and entry.is_file() and files < most:
                            files += 1
                            yield entry.path
        except OSError:
            continue
        found += files
        waiting.extend(sorted(folders))


def _no_fit(path: Path, kind: str, folder: str | None = None) -> str:
    """Say why nothing can be read, and what could be done."""
    where = (
        f"Nothing in the folder {folder!r} can be read: {path.name!r} is"
        if folder
        else (f"{str(path)!r} can't be read: it is")
    )
    if kind == _ZIPPED:
        return f"{where} a corpus of tagged texts: give that file itself."
    if kind == "empty":
        return f"{where} empty."
    if kind == unread_format(file_head(str(path))):
        return f"{where} a {kind} photo. {kind} photos are not read; export them as JPEG."
    if advice := OFFICE.get(path.suffix.lower()):
        return f"{where} {advice}."
    if kind == "packed":
        how = how_to_unpack(path, packing_of(file_head(str(path))) or "zip")
        return f"{where} packed. Unpack it and give what comes out: {how}"
    if path.suffix.lower() in PHOTO_ENDINGS:
        return f"{where} no photo, whatever its name says, or a damaged one."
    what = "a binary file" if kind == "binary" else "no kind of file that is known"
    return (
        f"{where} {what}. Known are mail (maildir, mbox, folders of messages), newsgroup posts, "
        f"CSV, TSV, JSON lines, Parquet, BibTeX, RIS, SMART, Stack Exchange dumps, PDF, photos, "
        f"and folders of .txt, .md and .html files. If you know "
        f"that it is one of these, say so with kind=..., one of {', '.join(READERS)}."
    )
