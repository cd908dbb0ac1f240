"""RIS, as reference managers write it, and PubMed's form of it (``.nbib``).

Both are lines of a tag, a dash and a value; a line without a tag goes on with the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from comraf.collection.readers.bibtex import BIBTEX, bibtex_name
from comraf.collection.readers.papers import Paper, PaperFiles

# RIS has two letters and two blanks, or one in all of a file; PubMed fills up to four letters.
# Where a wrapped abstract goes on with "HIV - positive", that is neither.
_RIS = re.compile(r"[ \t\ufeff]{0,4}([A-Z][A-Z0-9])  -(?: |$)")
_NARROW = re.compile(r"[ \t\ufeff]{0,4}([A-Z][A-Z0-9])  ?-(?: |$)")
_PUBMED = re.compile(r"[ \t\ufeff]{0,4}(?=[A-Z]{2,4} {0,2}-)(?=.{4}-)([A-Z]{2,4}) {0,2}-(?: |$)")
_START = re.compile(
    r"[ \t\ufeff]{0,4}(TY(?=  ?- ?[A-Z]{3,6}[ \t]*$)|PMID(?=- ?\d)|ER(?=  ?-[ \t]*$)) {0,2}- ?"
)
_IS_NARROW = re.compile(r"(?m)^[ \t\ufeff]{0,4}TY -")
_HEAD = re.compile(r"(?m)^[ \t\ufeff]{0,4}(?:TY  ?- ?[A-Z]{3,6}[ \t\r]*$|PMID- ?\d+)")
# What a tag means; the first of several that is there counts.
_TITLE = ("TI", "T1", "CT", "BTI", "TT")
_TEXT = ("AB", "N2")
_PEOPLE = ("AU", "A1", "FAU", "A2", "ED")
_VENUE = ("JO", "JF", "JT", "T2", "JA", "J2", "TA", "BT", "PB")
_DATE = ("DA", "PY", "Y1", "DP")
_ID = ("ID", "AN", "PMID", "DO", "UT", "LB")
_WORDS = ("KW", "OT", "MH", "DE")
_CITED = ("CR", "REF", "CIN")
_TAGS = {
    "authors": _PEOPLE,
    "venue": _VENUE,
    "date": _DATE,
    "keywords": _WORDS,
    "citations": _CITED,
}
_PARTS = {tag.lower(): part for part, tags in _TAGS.items() for tag in tags}
# Of these, a line without a tag is one more; of others it goes on with the one before.
_LISTED = frozenset(("AU", "A1", "A2", "ED", "KW", "DE", "CR", "REF"))
_MESH = re.compile(r"[*]|/.*")


def is_ris(head: bytes) -> bool:
    r"""Tell whether a file that starts with these bytes is RIS.

    Examples
    --------
    >>> is_ris(b"TY  - JOUR\r\nTI  - Pumps\r\nER  - \r\n"), is_ris(b"TY - see you")
    (True, False)
    """
    return _HEAD.search(head.decode("utf-8", "replace")) is not None


class RisReader(PaperFiles):
    r"""RIS or PubMed: a ``.ris`` or ``.nbib`` file, or a folder tree of them.

    The text is the abstract, people are the authors; sides are ``venues``, ``keywords`` (also
    PubMed's headings) and ``citations`` where the file has them (``CR``).

    Parameters
    ----------
    path : path-like
        The file or the folder.
    truth : str, optional
        "folders", "files", or a tag such as "TY".

    Examples
    --------
    >>> import tempfile, pathlib
    >>> text = "TY  - JOUR\nTI  - Pumps\nAU  - Li, Ann\nPY  - 1999//\nKW  - leaks\nER  - \n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "refs.ris")
    ...     _ = file.write_text(text)
    ...     reader = RisReader(file)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.title, item.people[0].name, item.date.year, item.values
    ('Pumps', 'Ann Li', 1999, {'keywords': ('leaks',)})
    """

    kind = "ris"
    endings = (".ris", ".nbib")
    parts = _PARTS

    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """Yield the records of a file."""
        record: dict[str, list[list[str]]] = {}
        first = number = 0
        value: list[str] | None = None
        tag = ""
        form = plain = _NARROW if _IS_NARROW.search(text) else _RIS
        for number, line in enumerate(text.splitlines(), 1):
            match = form.match(line) or _START.match(line)
            if match is None:
                if value is not None and line.strip():
                    if tag in _LISTED and form is plain:
                        value = []
                        record[tag].append(value)
                    value.append(line.strip())
                continue
            tag = match[1]
            if tag in ("TY", "PMID"):
                form = plain if tag == "TY" else _PUBMED
            if tag in ("TY", "PMID", "ER") and record:
                yield first, _paper(record)
                record, value = {}, None
            if tag == "ER":
                continue
            first = first if record else number
            value = [line[match.end() :].strip()]
            record.setdefault(tag, []).append(value)
        if record:
            yield first, _paper(record)


def _paper(record: dict[str, list[list[str]]]) -> Paper | str:
    fields = {tag: [" ".join(lines) for lines in values] for tag, values in record.items()}

    def first(tags: Sequence[str]) -> str:
        return next((value for tag in tags for value in fields.get(tag, ()) if value), "")

    # full names stand beside abbreviated ones in PubMed's form
    people = next((fields[tag] for tag in ("FAU", *_PEOPLE) if fields.get(tag)), [])
    return Paper(
        id=first(_ID),
        title=first(_TITLE),
        abstract=first(_TEXT),
        authors=tuple(bibtex_name(name) for name in people),
        venue=first(_VENUE),
        date=first(_DATE).strip("/ "),
        keywords=tuple(
            _MESH.sub("", word) if tag == "MH" else word
            for tag in _WORDS
            for value in fields.get(tag, ())
            for word in value.split(";")
        ),
        citations=tuple(value for tag in _CITED for value in fields.get(tag, ())),
        fields={tag.lower(): values[0] for tag, values in fields.items() if values},
    )


RIS = replace(
    BIBTEX,
    name="ris",
    about="RIS",
    reader=RisReader,
    recognise=lambda look: look.is_open and is_ris(look.head),
    endings=RisReader.endings,
)
