"""Folders of plain text, Markdown and HTML files: one document a file."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from comraf.collection.items import Item, Skip, Unit, digest_of
from comraf.collection.kinds import Kind
from comraf.collection.readers.charsets import Lines, check_encoding, clean, clean_line, decode
from comraf.collection.readers.files import (
    FileReader,
    check_folders,
    left_out,
    os_path,
    portable,
    read_file,
    walk,
)
from comraf.collection.readers.html import (
    HTML_LIMIT,
    html_charset,
    html_text,
    http_header,
    looks_html,
)
from comraf.collection.text.addresses import LINKS_VERSION, page_places
from comraf.errors import Note, ReadError, Setting

HTML_ENDINGS = (".html", ".htm", ".xhtml")
MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown")
TEXT_ENDINGS = (".txt", ".text", ".asc", ".rst", ".tex", ".org")
MAX_BYTES = 8 << 20

_TITLE_LIMIT = 300
# Lines from which a file may be a list of texts.
_MANY_LINES = 20
#: Code of the note about a file whose lines may be documents.
ONE_DOCUMENT = "one_document"
_BOMS = (b"\xff\xfe", b"\xfe\xff")
_FRONT = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FRONT_TITLE = re.compile(r"(?m)^title[ \t]*:[ \t]*(\S.*)$")
_HEADING = re.compile(r"(?m)^[ ]{0,3}#{1,6}[ \t]+(\S[^\n]{0,400})")
_SETEXT = re.compile(r"(?m)^(\S[^\n]{0,300})\n(?:={3,}|-{3,})[ \t]*$")
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,500})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,200}\])")
_LINK = re.compile(r"\[([^\[\]\n]{1,500})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,200}\])")
_DEFINITION = re.compile(r"(?m)^[ ]{0,3}\[[^\]\n]{1,200}\]:[ \t]*\S+.*$")
_MARKS = re.compile(
    r"(?m)^[ ]{0,3}(?:#{1,6}[ \t]+|>[ \t]?|```.*$|~~~.*$|={3,}[ \t]*$|-{3,}[ \t]*$)"
)
_BREAK = re.compile(r"(?i)<br\s*/?>")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,500}>")


def looks_binary(head: bytes) -> bool:
    r"""Tell whether a file that starts with these bytes is no text.

    Examples
    --------
    >>> looks_binary(b"\x89PNG\r\n\x00\x1a"), looks_binary("café".encode())
    (True, False)
    """
    if head.startswith(_BOMS):
        return False
    odd = sum(byte < 9 or (14 <= byte < 32 and byte != 27) for byte in head[:4096])
    return b"\x00" in head or odd * 20 > len(head[:4096])


def why_no_text(data: bytes) -> str:
    r"""Return why nothing can be read in a file of these bytes; empty for a text.

    Examples
    --------
    >>> why_no_text(b" \n"), why_no_text(b"\x89PNG\r\n\x00\x1a"), why_no_text(b"pumps")
    ('empty', 'binary, not text', '')
    """
    if not data.strip():
        return "empty"
    return "binary, not text" if looks_binary(data[:4096]) else ""


class TextFolderReader(FileReader):
    r"""A folder tree of text, Markdown and HTML files.

    The id of a document is its relative path. The title of a page is its ``<title>`` or
    first heading, of a Markdown file its front matter's title or first heading, of a
    plain text there is none. Of HTML only the visible text is used, and where its links
    lead to; a page is told by its beginning where its ending does not say so (``.php``), and
    the header that a server sent with it is left out.

    Parameters
    ----------
    path : path-like
        The folder, or one file.
    truth : {None, "folders", "folders:N"}
        "folders" takes the folder of a document as its class, "folders:1" the topmost one.
    max_bytes : int
        How much of a file is read at most.
    encoding : str, optional
        Found when not given: what a page says, or UTF-8, or by looking.
    all_files : bool, default False
        Whether all files that are not binary are read, whatever their endings. Otherwise
        those of text, Markdown and HTML, those without an ending, and pages.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.md").write_text("# Pumps\n\nThey *leak*.")
    ...     reader = TextFolderReader(folder)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.title, item.id
    ('Pumps', 'a.md')
    """

    kind = "text"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        truth: str | None = None,
        max_bytes: int = MAX_BYTES,
        encoding: str | None = None,
        all_files: bool = False,
    ) -> None:
        check_encoding(encoding)
        check_folders(truth)
        super().__init__(path)
        self.truth = truth
        self.max_bytes = max_bytes
        self.encoding = encoding
        self.all_files = all_files
        # part of how pages are read: collections of before links were read are made anew
        self.links = LINKS_VERSION

    def scan(self) -> list[Unit]:
        """List the files by their endings, those without one, and pages; if none, all files."""
        self.renew()
        if self.path.is_file():
            self._hint()
            return self.whole()
        known = HTML_ENDINGS + MARKDOWN_ENDINGS + TEXT_ENDINGS
        units: list[Unit] = []
        others: list[Unit] = []
        known_some = False
        for path, mark, readable in walk(self.root, self.notes):
            fits = not readable or path.lower().endswith(known) or self._fits(path)
            known_some |= fits
            bare = not os.path.splitext(path)[1]
            (units if fits or bare else others).append(Unit(portable(path), fingerprint=mark))
        if not known_some:
            units, others = sorted(units + others, key=lambda unit: unit.path), []
        if not units:
            raise ReadError(f"There are no files in {self.root!r} or below it.")
        if others:
            endings = Counter(os.path.splitext(unit.path)[1] or "none" for unit in others)
            self.notes.append(left_out(endings))
        return units

    def _hint(self) -> None:
        """Say so where one file may hold a text on every line."""
        plain = not self.root.lower().endswith(HTML_ENDINGS + MARKDOWN_ENDINGS)
        head = read_file(self.root, "", 1 << 16)
        lines = head.strip().split(b"\n")
        many = len(lines) >= _MANY_LINES and all(map(bytes.strip, lines))
        if plain and many and not looks_html(head):
            text = "the whole file is one document; if every line is one, choose {lines}"
            self.notes.append(Note(text, ONE_DOCUMENT, lines=Setting("kind", "lines")))

    def _fits(self, path: str) -> bool:
        try:
            with open(os.path.join(self.root, path), "rb") as file:
                head = file.read(4096)
        except OSError:
            return False
        if looks_html(head) or http_header(head):
            return True
        return self.all_files and not looks_binary(head)

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the document of a unit, as an item or as a skip."""
        source = self.source(unit)
        data, cut = self.beginning(unit, self.max_bytes)
        why = why_no_text(data)
        yield Skip(source, why) if why else self._item(data, source, unit, cut)

    def _item(self, data: bytes, source: str, unit: Unit, cut: Iterable[str]) -> Item | Skip:
        notes = [*cut]
        links: tuple[str, ...] = ()
        lower = source.lower()
        is_html = lower.endswith(HTML_ENDINGS)
        if not lower.endswith(MARKDOWN_ENDINGS):
            # pages of a server have the endings of its programs, or none
            is_html = is_html or looks_html(data)
            data = data[http_header(data) :]
        text, note = decode(data, self.encoding or (html_charset(data) if is_html else None))
        if note:
            notes.append(note)
        if is_html:
            if len(text) > HTML_LIMIT:
                notes.append(f"HTML cut at {HTML_LIMIT:,} characters")
            links = page_places(text[:HTML_LIMIT])
            title, text = html_text(text)
        elif lower.endswith(MARKDOWN_ENDINGS):
            title, text = markdown_text(clean(text))
        else:
            title, text = "", _BREAK.sub("\n", clean(text))
        text = text.strip()
        title = title[:_TITLE_LIMIT]
        if not text and not title:
            return Skip(source, "no visible text")
        return Item(
            id=source,
            text=text,
            title=title,
            source=source,
            truth=self.folder_class(unit.path),
            digest=digest_of(title, text),
            notes=tuple(notes),
            links=links,
        )


class LinesReader(TextFolderReader):
    r"""Text files with one document on each line; empty lines are none.

    The parameters are those of `TextFolderReader`, and ``max_bytes`` is of a line. The
    id of a document is its file with the number of its line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("Pumps leak.\n\nPumps rust.\n")
    ...     reader = LinesReader(folder)
    ...     [(item.id, item.text) for item in reader.read(reader.scan()[0])]
    [('a.txt:1', 'Pumps leak.'), ('a.txt:3', 'Pumps rust.')]
    """

    kind = "lines"

    def _hint(self) -> None:
        """Every line is a document already."""

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the documents of a file."""
        source = self.source(unit)
        truth = self.folder_class(unit.path)
        with open(os_path(self.root, unit.path), "rb") as file:
            lines = Lines(file, self.encoding)
            for line in lines:
                name = f"{source}:{lines.line}"
                notes = [lines.note] if lines.note else []
                if lines.lost:
                    yield Skip(name, lines.lost)
                elif text := clean(line).strip():
                    if len(text) > self.max_bytes:
                        text = text[: self.max_bytes]
                        notes.append(f"cut at {self.max_bytes:,} characters")
                    yield Item(
                        id=name,
                        text=text,
                        source=name,
                        truth=truth,
                        digest=digest_of(text),
                        notes=tuple(notes),
                    )


def markdown_text(text: str) -> tuple[str, str]:
    r"""Return the title and the words of a Markdown document, without its marks and links.

    Examples
    --------
    >>> markdown_text("---\ntitle: Pumps\n---\nSee [the site](http://x.org).")
    ('Pumps', 'See the site.')
    """
    title = ""
    if front := _FRONT.match(text):
        if named := _FRONT_TITLE.search(front[1]):
            title = clean_line(named[1].strip("'\" "))
        text = text[front.end() :]
    text = _without_comments(text)
    if not title:
        headings = [match for match in (_HEADING.search(text), _SETEXT.search(text)) if match]
        if headings:
            title = min(headings, key=lambda match: match.start())[1].rstrip("# \t")
            title = clean_line(_TAG.sub(" ", _LINK.sub(r"\1", _IMAGE.sub(" ", title)))).strip(
                "*_` "
            )
    for pattern, put in ((_IMAGE, r"\1"), (_LINK, r"\1"), (_DEFINITION, ""), (_MARKS, "")):
        text = pattern.sub(put, text)
    return title, _TAG.sub(" ", text).strip()


def _without_comments(text: str) -> str:
    parts = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        parts.append(text[position:start])
        position = end + 3
    return "".join([*parts, text[position:]])


TEXT = Kind(
    "text",
    "folders of .txt, .md and .html files",
    TextFolderReader,
    recognise=lambda look: look.is_page or look.ending in ("", *TEXT_ENDINGS),
    endings=HTML_ENDINGS + MARKDOWN_ENDINGS,
    family="text",
    # who says that all is text gets all of it
    when_named={"all_files": True},
)
LINES = Kind("lines", "a text on each line", LinesReader, noun="line", family="text", many=True)
