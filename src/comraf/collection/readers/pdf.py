"""PDF files, one document each, through pypdf (the extra ``pdf``)."""

from __future__ import annotations

import io
import logging
import os
import re
import time
from collections.abc import Iterator
from typing import Any

from comraf.collection.items import Address, Item, Skip, Unit, digest_of
from comraf.collection.kinds import Kind
from comraf.collection.readers.charsets import clean, clean_line
from comraf.collection.readers.files import FileReader, check_folders
from comraf.collection.readers.papers_fields import people_of
from comraf.collection.readers.tabular_cells import cell_date
from comraf.errors import import_extra
from comraf.parameters import check_int

MAX_BYTES = 128 << 20
MAX_PAGES = 400
MAX_TEXT = 8 << 20
MAX_SECONDS = 60.0
PAGE_SECONDS = 5.0

_HYPHEN = re.compile(r"(?<![^\W\d_])([^\W\d_]{1,60})-\n(?=([a-z][^\W\d_]{0,60}))")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# What keeps its hyphen, where the text does not show otherwise.
_COMPOUND = frozenset("all cross full half high long low self short single two well".split())
# What programs put where a title should be.
_NO_TITLE = re.compile(r"(?i)untitled.*|.*\.(?:docx?|tex|dvi|pdf|indd|qxd|rtf|odt|pptx?)|[\W\d_]*")


class PdfReader(FileReader):
    """A folder tree of PDF files, or one.

    The text is what the pages say; the title is the one that the file declares, else its first
    line of words; the authors are those declared. Encrypted files, scans without text and
    damaged files are skipped.

    Parameters
    ----------
    path : path-like
        The folder or the file.
    truth : {None, "folders"}
        "folders" takes the folder of a document as its class.
    max_pages : int
        How many pages of a document are read at most.

    Raises
    ------
    MissingExtraError
        pypdf is not installed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from pypdf import PdfWriter
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = PdfWriter()
    ...     _ = writer.add_blank_page(100, 100)
    ...     _ = writer.write(pathlib.Path(folder, "a.pdf"))
    ...     reader = PdfReader(folder)
    ...     next(reader.read(reader.scan()[0]))
    Skip(source='a.pdf', reason='no text in its 1 pages: a scan, which would have to be recognised')
    """

    kind = "pdf"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        truth: str | None = None,
        max_pages: int = MAX_PAGES,
    ) -> None:
        check_folders(truth)
        check_int("max_pages", max_pages, 1)
        _pypdf()
        super().__init__(path)
        self.truth = truth
        self.max_pages = max_pages

    def fits(self, path: str) -> bool:
        """Tell PDF files by their ending."""
        return path.lower().endswith(".pdf")

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the document of a unit, as an item or as a skip."""
        source = self.source(unit)
        data, cut = self.beginning(unit, MAX_BYTES)
        if cut:
            yield Skip(source, f"larger than {MAX_BYTES >> 20} MB")
            return
        try:
            yield self._item(data, source, unit)
        # a hostile or damaged file can trip a parser in any way
        except Exception as error:  # noqa: BLE001
            reason = " ".join((str(error) or type(error).__name__).split())[:200]
            yield Skip(source, f"damaged PDF: {reason}")

    def _item(self, data: bytes, source: str, unit: Unit) -> Item | Skip:
        pypdf = _pypdf()
        file = pypdf.PdfReader(io.BytesIO(data), strict=False)
        if file.is_encrypted and not file.decrypt(""):
            return Skip(source, "encrypted: it opens only with its password")
        notes: list[str] = []
        pages, n_pages = _pages(file, self.max_pages, notes)
        text = _joined(clean("\n".join(pages))).strip()
        if not text:
            why = notes[0] if notes else "a scan, which would have to be recognised"
            return Skip(source, f"no text in its {n_pages} pages: {why}")
        declared = _declared(file)
        title = declared["title"]
        if not title or _NO_TITLE.fullmatch(title):
            lines = (clean_line(line) for line in text[:5000].split("\n"))
            title = next((line for line in lines if sum(c.isalpha() for c in line) > 3), "")[:200]
        names = [clean_line(name)[:300] for name in people_of(declared["author"])]
        people = tuple(Address(name, "", "author") for name in dict.fromkeys(names) if " " in name)
        keywords = [
            clean_line(word)[:300] for word in re.split("[;,]", declared["keywords"][:10_000])
        ]
        return Item(
            id=source,
            text=text,
            title=title[:1000],
            date=cell_date(declared["date"]),
            source=source,
            people=people,
            values={"keywords": kept} if (kept := tuple(w for w in keywords if w)) else {},
            truth=self.folder_class(unit.path),
            digest=digest_of(title, text),
            notes=tuple(notes),
        )


def _joined(text: str) -> str:
    """A text whose words are not cut at the ends of lines; hyphens of their own stay."""
    whole = set(_WORD.findall(text.lower()))

    def put(match: re.Match[str]) -> str:
        first, second = match[1].lower(), match[2].lower()
        if first + second in whole:
            return match[1]
        chained = text[match.start() - 1 : match.start()] == "-"  # state-of-the-art
        own = chained or first in _COMPOUND or f"{first}-{second}" in whole
        return f"{match[1]}-" if own else match[1]

    return _HYPHEN.sub(put, text)


def _pages(file: Any, most: int, notes: list[str]) -> tuple[list[str], int]:
    """The texts of the pages, as far as they can be had in reasonable time."""
    pages: list[str] = []
    size = lost = 0
    started = time.monotonic()
    n_pages = len(file.pages)
    for number in range(n_pages):
        if number >= most or size > MAX_TEXT or time.monotonic() - started > MAX_SECONDS:
            notes.append(f"read to page {number} of {n_pages}")
            break
        try:
            text = file.pages[number].extract_text(visitor_operand_before=_Clock()) or ""
        # one bad page must not take the others with it
        except (Exception, _LateError):  # noqa: BLE001
            lost += 1
            continue
        pages.append(text[: MAX_TEXT - size + 1])
        size += len(pages[-1])
    if lost:
        notes.append(f"{lost} pages can't be read")
    return pages, n_pages


class _LateError(BaseException):
    """A page takes too long; pypdf goes on after whatever is a mere Exception."""


class _Clock:
    """Ends the work on a page that takes too long: forms within forms can double it at will."""

    def __init__(self) -> None:
        self._end = time.monotonic() + PAGE_SECONDS

    def __call__(self, *_: object) -> None:
        if time.monotonic() > self._end:
            raise _LateError


def _declared(file: Any) -> dict[str, str]:
    """What the file says about itself; any part of it may be missing or wrong."""
    declared = dict.fromkeys(("title", "author", "keywords", "date"), "")
    try:
        about = dict(file.metadata or {})
    except Exception:  # noqa: BLE001
        return declared
    for name, key in (("title", "/Title"), ("author", "/Author"), ("keywords", "/Keywords")):
        value = about.get(key)
        declared[name] = clean_line(value[:10_000]) if isinstance(value, str) else ""
    made = about.get("/CreationDate")
    # D:YYYYMMDD and the time, of which the day is enough
    if isinstance(made, str) and made[2:10].isdigit():
        declared["date"] = made[2:10]
    return declared


def _pypdf() -> Any:
    pypdf = import_extra(
        "pypdf",
        "PDF files need pypdf. Install it with: pip install 'comraf[pdf]', or turn the files "
        "into text first, for example with pdftotext",
    )
    # what it says about damaged files is told as skips and notes
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    return pypdf


PDF = Kind(
    "pdf",
    "PDF",
    PdfReader,
    recognise=lambda look: look.head.startswith(b"%PDF-"),
    binary=True,
    family="text",
)
