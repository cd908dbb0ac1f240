"""The dotted format of the SMART collections: Cranfield, Medline, CISI, CACM and their like.

A record starts with ``.I`` and its number; a line of a dot and a letter starts a field:
``.T`` title, ``.A`` authors, ``.B`` where it appeared, ``.W`` text, ``.K`` keywords, ``.C``
categories, ``.N`` when it was entered, ``.X`` links to other records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from comraf.collection.items import Item, Skip, Unit
from comraf.collection.kinds import Kind
from comraf.collection.readers.bibtex import bibtex_name
from comraf.collection.readers.papers import Paper, PaperFiles, loose_date

_RECORD = re.compile(r"(?m)^\.I[ \t]+(\S{1,100})[ \t\r]*$")
_FIELD = re.compile(r"(?m)^\.([A-Z])(?:[ \t]*\r?$|[ \t]+(?=\S))")
_LINK = re.compile(r"^(\S+)\s+(\S+)\s+\S+$")
_BY = re.compile(r"\n|;| and | & ")
_WHERE = re.compile(
    r"(?i)[\d,(]|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b"
)
_VOLUME = re.compile(r"(?i)(?:^|[\s,;.]+)(?:vol|volume|no|number|issue|part|pp?|pages)\.?$")
_BYLINE = re.compile(r"(?i)\b(?:department|dept|univ|university|institute|corp|laborator|division)")
# CACM's numbers for kinds of links; elsewhere the number says how often.
_LINKS = frozenset(("citations", "cocitations", "couplings"))
_CITES, _CITED_TOGETHER, _CITE_ALIKE = "5", "6", "4"

_PARTS = {"a": "authors", "b": "venue", "k": "keywords", "x": "citations", "c": "categories"}


def is_smart(head: bytes) -> bool:
    r"""Tell whether a file that starts with these bytes is in the dotted format.

    Examples
    --------
    >>> is_smart(b".I 1\n.T\nPumps\n.W\nThey leak.\n"), is_smart(b".I am here\n")
    (True, False)
    """
    text = head.decode("latin-1")
    record = _RECORD.search(text)
    if record is None or text[: record.start()].strip(" \t\r\n.X"):
        return False
    following = text[record.end() :].lstrip()
    return _FIELD.match(following) is not None or _RECORD.match(following) is not None


class SmartReader(PaperFiles):
    r"""A file in the dotted format of SMART, or a folder tree of them.

    The id is the number behind ``.I``, in a folder with the file's name before it. Sides are
    the authors (people), ``venues`` (``.B`` without volume, date and pages; an author's address
    is none), ``keywords``, ``categories`` and what ``.X`` links to: ``citations``,
    ``cocitations`` (cited together, as in CISI) and ``couplings`` (citing the same). A record
    without title and text, such as the one that ends Cranfield, is skipped.

    Parameters
    ----------
    path : path-like
        The file or the folder.
    truth : str, optional
        "files" takes the name of the file, which is the collection; "folders" its folder.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pumps.all")
    ...     _ = file.write_text(".I 1\n.T\nPumps\n.A\nLi, A.\n.W\nThey leak.\n.I 78888\n")
    ...     reader = SmartReader(file, truth="files")
    ...     item, skip = reader.read(reader.scan()[0])
    >>> item.title, item.text, item.people[0].name, item.truth
    ('Pumps', 'They leak.', 'A. Li', 'pumps')
    >>> skip.reason
    'neither a title nor a text'
    """

    kind = "smart"
    endings = (".all", ".smart")
    parts = _PARTS

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the records of a file; numbers of several files are told apart."""
        if not unit.path:
            yield from super().items(unit)
            return
        file = unit.path.rpartition("/")[2].partition(".")[0]
        for found in super().items(unit):
            if isinstance(found, Skip):
                yield found
                continue
            values = {
                side: tuple(f"{file} {number}" for number in held) if side in _LINKS else held
                for side, held in found.values.items()
            }
            yield replace(found, id=f"{file} {found.id}", values=values)

    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """Yield the records of a file."""
        typed = _is_typed(text)
        starts = list(_RECORD.finditer(text))
        line, counted = 1, 0
        for number, record in enumerate(starts):
            stop = starts[number + 1].start() if number + 1 < len(starts) else len(text)
            line += text.count("\n", counted, record.start())
            counted = record.start()
            yield line, _paper(record[1], text[record.end() : stop], typed)


def _is_typed(text: str) -> bool:
    """Tell whether the second number of a link is its kind, and not how often it was seen."""
    kinds: set[str] = set()
    for match in re.finditer(r"(?m)^\d+[ \t]+(\d+)[ \t]+\d+[ \t\r]*$", text):
        kinds.add(match[1])
        if len(kinds) > 3:
            return False
    return kinds <= {_CITES, _CITED_TOGETHER, _CITE_ALIKE} and _CITES in kinds


def _paper(number: str, record: str, typed: bool) -> Paper:
    fields: dict[str, str] = {}
    marks = list(_FIELD.finditer(record))
    for i, mark in enumerate(marks):
        stop = marks[i + 1].start() if i + 1 < len(marks) else len(record)
        value = record[mark.end() : stop].strip()
        fields[mark[1]] = f"{fields[mark[1]]}\n{value}" if fields.get(mark[1]) else value
    title = fields.get("T", "")
    text = fields.get("W", "")
    flat = " ".join(title.split())
    # Cranfield says the title twice
    if flat and " ".join(text[: 2 * len(title)].split()).startswith(flat):
        text = _after_words(text, flat)
    links: dict[str, list[str]] = {_CITES: [], _CITED_TOGETHER: [], _CITE_ALIKE: []}
    for row in fields.get("X", "").split("\n"):
        if (link := _LINK.match(row.strip())) and link[1] != number:
            links[link[2] if typed and link[2] in links else _CITED_TOGETHER].append(link[1])
    where = fields.get("B", "")
    return Paper(
        id=number,
        title=title,
        abstract=text,
        authors=tuple(bibtex_name(name) for name in _BY.split(fields.get("A", ""))),
        venue="" if _BYLINE.search(where) else _venue(where),
        date=loose_date(where, last=True),
        keywords=tuple(fields.get("K", "").replace("\n", " ").split(",")),
        citations=tuple(links[_CITES]),
        sides={
            "categories": tuple(fields.get("C", "").replace(",", " ").split()),
            "cocitations": tuple(links[_CITED_TOGETHER]),
            "couplings": tuple(links[_CITE_ALIKE]),
        },
        fields={name.lower(): value for name, value in fields.items()},
    )


def _venue(where: str) -> str:
    """Where a record appeared, without volume, date and pages."""
    return _VOLUME.sub("", _WHERE.split(where, 1)[0].strip(" ,.;")).strip(" ,.;")


def _after_words(text: str, words: str) -> str:
    """What stands behind some words, however their blanks are written."""
    left = sum(not letter.isspace() for letter in words)
    for at, letter in enumerate(text):
        if not left:
            return text[at:].lstrip(" .")
        left -= not letter.isspace()
    return ""


SMART = Kind(
    "smart",
    "SMART",
    SmartReader,
    noun="record",
    recognise=lambda look: look.is_open and is_smart(look.head),
    whole=True,
    many=True,
)
