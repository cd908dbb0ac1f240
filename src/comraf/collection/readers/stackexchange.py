"""Stack Exchange dumps: ``Posts.xml``, a row for each question or answer.

Rows are cut out of the stream by their first bytes and each is parsed by itself, so that a
dump of any size takes little memory, a damaged row spoils only itself, and no declaration
reaches a row: there are no entities but XML's own five. A file with a document type or with
entities of its own is refused as a whole.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from xml.parsers import expat

from comraf.collection.items import Address, Item, Skip, Unit, digest_of
from comraf.collection.kinds import Kind
from comraf.collection.readers.charsets import clean_line
from comraf.collection.readers.files import FileReader
from comraf.collection.readers.html import HTML_LIMIT, html_text
from comraf.collection.readers.tabular_cells import cell_date
from comraf.collection.text.addresses import LINKS_VERSION, page_places
from comraf.errors import ReadError
from comraf.parameters import check_choice

UNIT = 16 << 20
"""Bytes that make one unit."""
ROW_LIMIT = 4 << 20
"""Bytes of one row; a post has at most 30,000 characters."""

_FILE = "Posts.xml"
# A row ends before the next "<", which no value can hold.
_ROW = re.compile(rb"<row\s[^<]*")
_ROOT = re.compile(rb"<posts\s*>|<posts\s[^<>]*>", re.I)
_HOSTILE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST)", re.I)
_TAGS = re.compile(r"[<>|]+")
_NUMBERED = re.compile(r"user\d+")
_BLOCK = 1 << 20
_QUESTION, _ANSWER = "1", "2"


def is_stackexchange(head: bytes) -> bool:
    """Tell whether a file that starts with these bytes is a dump of posts.

    Examples
    --------
    >>> is_stackexchange(b'<?xml version="1.0"?><posts><row Id="1" PostTypeId="1" />')
    True
    >>> is_stackexchange(b"<html><body>")
    False
    """
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"<") and _ROOT.search(start, 0, 8192) is not None


class StackExchangeReader(FileReader):
    r"""The posts of a Stack Exchange site: ``Posts.xml``, or folders with such files.

    A document is a question: its title, its body without markup, its owner (people), its
    ``tags`` and where its links lead to. Answers are left out unless asked for; they have no
    title and no tags, and their side ``questions`` names what they answer. In a tree of several
    sites, numbers of posts and users have the folder of their site before them.

    Parameters
    ----------
    path : path-like
        The file, or a folder tree with files called ``Posts.xml``.
    answers : {"drop", "keep"}
        Whether each answer is a document of its own.
    truth : {None, "folders", "tags"}
        "folders" takes the folder of the file, the site, as the class; "tags" the first tag
        of a question, and then tags are no side.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> row = ('<row Id="4" PostTypeId="1" Title="Pumps" Body="&lt;p&gt;It &lt;b&gt;leaks'
    ...        '&lt;/b&gt;.&lt;/p&gt;" Tags="&lt;water&gt;&lt;tools&gt;" OwnerUserId="7" />')
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "Posts.xml")
    ...     _ = file.write_text(f"<posts>\n{row}\n</posts>")
    ...     reader = StackExchangeReader(file)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.title, item.text, item.values, item.people[0].name
    ('Pumps', 'It leaks.', {'tags': ('water', 'tools')}, 'user 7')
    """

    kind = "stackexchange"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        answers: str = "drop",
        truth: str | None = None,
    ) -> None:
        check_choice("answers", answers, ("drop", "keep"))
        if truth is not None:
            check_choice("truth", truth, ("folders", "tags"))
        super().__init__(path)
        self.answers = answers
        self.truth = truth
        # part of how posts are read: collections of before links were read are made anew
        self.links = LINKS_VERSION
        if answers == "drop":
            self.notes.append("only questions are read; answers can be had from Python")

    def scan(self) -> list[Unit]:
        """Cut the files into stretches of whole rows."""
        self.renew()
        files = [p for p in self.paths() if not p or PurePosixPath(p).name.lower() == _FILE.lower()]
        if not files:
            raise ReadError(f"There is no {_FILE} in {self.root!r} or below it.")
        refused = ""

        def stretches(path: str, whole: str) -> list[Unit]:
            nonlocal refused
            try:
                return _units(path, whole)
            except ReadError as error:
                refused = str(error)
                self.notes.append(refused)
                return []

        units = list(self.units(files, stretches))
        if not units:
            raise ReadError(refused or f"There are no posts in {self.root!r}.")
        return units

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the posts of a stretch; a damaged row becomes a skip."""
        name = self.source(unit)
        data, _ = self.beginning(unit, UNIT + 3 * ROW_LIMIT)
        for number, row in enumerate(_ROW.finditer(data)):
            found = self._post(row[0], name, f"{name}@{unit.start}+{number}")
            if found is not None:
                yield found

    def _post(self, row: bytes, name: str, place: str) -> Item | Skip | None:
        if len(row) > ROW_LIMIT:
            return Skip(place, f"a row of more than {ROW_LIMIT >> 20} MB")
        try:
            fields = _attributes(row)
        except (expat.ExpatError, ValueError, LookupError) as error:
            return Skip(place, f"damaged XML: {str(error)[:120]}")
        # numbers are a site's own
        site = name.rpartition("/")[0]
        site = f"{site} " if site else ""
        kind = fields.get("PostTypeId", _QUESTION)
        if kind != _QUESTION and not (kind == _ANSWER and self.answers == "keep"):
            return None
        title = clean_line(fields.get("Title", "")[:1000])
        body = fields.get("Body", "")
        text = html_text(body)[1]
        source = f"{name}:{clean_line(fields.get('Id', ''))[:40] or place}"
        if not (title or text):
            return Skip(source, "neither a title nor a text")
        tags = tuple(dict.fromkeys(filter(None, map(clean_line, _tags(fields.get("Tags", ""))))))
        # what is scored against makes no side
        sided = tags and self.truth != "tags"
        values: dict[str, tuple[str, ...]] = {"tags": tags} if sided else {}
        parent = clean_line(fields.get("ParentId", "")[:40])
        if kind == _ANSWER and parent:
            values["questions"] = (f"{site}{parent}",)
        truth = self.folder_class(name)
        if self.truth == "tags":
            truth = tags[0] if tags else None
        number = clean_line(fields.get("Id", "")[:40])
        return Item(
            id=f"{site}{number}" if number else source,
            text=text,
            title=title,
            date=cell_date(fields.get("CreationDate", "")),
            source=source,
            people=_owner(fields, site),
            values=values,
            truth=truth,
            digest=digest_of(title, text),
            links=page_places(body[:HTML_LIMIT]),
        )


def _tags(text: str) -> list[str]:
    """Tags as they were written, ``<a><b>``, and as they are now, ``|a|b|``."""
    return [tag[:300] for tag in _TAGS.split(text[:10_000])]


def _owner(fields: dict[str, str], site: str) -> tuple[Address, ...]:
    """The owner, by number: names change and are shared; who has left has only a name."""
    number = clean_line(fields.get("OwnerUserId", "")[:40])
    # -1 is the site itself
    if number and number != "-1":
        return (Address(f"{site}user {number}", "", "author"),)
    name = clean_line(fields.get("OwnerDisplayName", "")[:300])
    if _NUMBERED.fullmatch(name):
        name = f"{site}{name}"
    return (Address(name, "", "author"),) if name else ()


def _attributes(row: bytes) -> dict[str, str]:
    found: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            found.update(attributes)

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = start
    parser.Parse(row, True)
    return found


def _units(path: str, whole: str) -> list[Unit]:
    """Stretches of whole rows; a file that declares anything is refused."""
    units: list[Unit] = []
    with open(whole, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(8192)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise ReadError(f"{whole!r} has two bytes a letter; dumps are UTF-8: convert it first")
        start = 0
        while start < size:
            file.seek(start)
            block = file.read(UNIT)
            if start + len(block) < size:
                # up to where a row starts, so that none is cut
                more = b""
                while len(more) < 2 * ROW_LIMIT and (piece := file.read(_BLOCK)):
                    more += piece
                    if match := _ROW.search(more):
                        more = more[: match.start()]
                        break
                block += more
            if _HOSTILE.search(block):
                raise ReadError(
                    f"{whole!r} declares a document type or entities, which no dump does and "
                    "which can be used for attacks: it is not read."
                )
            mark = hashlib.blake2b(block, digest_size=8).hexdigest()
            if not block:
                break
            units.append(Unit(path, start, start + len(block), mark))
            start += len(block)
    return units


STACKEXCHANGE = Kind(
    "stackexchange",
    "Stack Exchange dumps",
    StackExchangeReader,
    noun="post",
    recognise=lambda look: look.is_open and is_stackexchange(look.head),
    whole=True,
    many=True,
)
