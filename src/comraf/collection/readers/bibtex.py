"""BibTeX and BibLaTeX: references in braces, damage included.

A file is cut where an entry starts at the beginning of a line, so that an entry that is never
closed spoils only itself; time and memory grow with the size of the file alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from comraf.collection.kinds import Kind
from comraf.collection.readers.latex import plain_text
from comraf.collection.readers.papers import Paper, PaperFiles

_START = re.compile(r"(?m)^[ \t\ufeff]*+@[ \t]*+([A-Za-z]++)[ \t\r\n]*+[{(]")
_WORDS_BEFORE = re.compile(r"(?m)^[ \t\ufeff]*+[^%#\s\ufeff]")
_INNER = re.compile(r"@[ \t]*+([A-Za-z]++)[ \t\r\n]*+[{(]")
_FIELD = re.compile(r"[\s,]*+([^\s,={}\"#()@][^\s,={}\"#()]{0,200}+)\s*+=\s*+")
_BARE = re.compile(r"[^\s,{}\"#()]+")
_BRACES = re.compile(r"\\.|[{}]", re.S)
_QUOTES = re.compile(r"\\.|[{}\"]", re.S)
_SPACE = re.compile(r"\s*+")
_END = re.compile(r"[\s,]*+[)}]")
_KEY = re.compile(r"\s*+([^,={}\"\n]{0,300})(?:,|\s*+(?=}))")
_NO_PAPER = frozenset(("comment", "preamble", "string", "xdata"))
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_VENUES = ("journaltitle", "journal", "booktitle", "series", "school", "institution", "publisher")
_ABSTRACTS = ("abstract", "summary", "annotation")
_KEYWORDS = ("keywords", "keyword", "author_keywords", "keywords-plus", "mesh")
_CITED = ("cites", "citations", "references", "cited-references", "bibliography")
_PARTS = {
    **dict.fromkeys(("author", "editor"), "authors"),
    **dict.fromkeys(_VENUES, "venue"),
    **dict.fromkeys(_KEYWORDS, "keywords"),
    **dict.fromkeys(_CITED, "citations"),
    **dict.fromkeys(("date", "year", "month"), "date"),
}
_IDS = re.compile(r"[\s,;]+")
# Keys have no initials, brackets or quotes.
_PROSE = re.compile(r"\w\.\s|\s[(\"“]\S")
_AND = re.compile(r"(?i) and ")
# A macro that is made of macros can double again and again: it may be as long as a name, and
# all of them together may not blow up a file.
_MACRO = 1000
_GROWTH = 32 << 20
# What entries may take from others by crossref is this, and 8 times the file.
_LENT = 1 << 20
# Characters of a field that are looked at: of a line, and of a text.
_LONGEST = 10_000
_ABSTRACT = 16 << 20
# How often an entry may point to another for what it does not say itself.
_DEPTH = 3


def is_bibtex(head: bytes) -> bool:
    r"""Tell whether a file that starts with these bytes is BibTeX.

    Examples
    --------
    >>> is_bibtex(b"% my papers\n@Article{k1,\n  title = {Pumps}}"), is_bibtex(b"@home: ok {")
    (True, False)
    """
    text = head.decode("utf-8", "replace")
    first = True
    for match in _START.finditer(text):
        # any words may stand before an entry, but then it is rather a text about BibTeX
        if first and _WORDS_BEFORE.search(text, 0, match.start()):
            return False
        first = False
        rest = text[match.end() : match.end() + 400]
        if match[1].lower() in _NO_PAPER:
            continue
        key = _KEY.match(rest)
        if key and "=" in rest and (len(rest) < 400 or _FIELD.match(rest, key.end())):
            return True
    return False


class BibtexReader(PaperFiles):
    r"""BibTeX: a ``.bib`` file, or a folder tree of them.

    The text is the abstract; people are the authors, or the editors where there
    are none; sides are ``venues`` (journal, proceedings, school), ``keywords`` and
    ``citations`` (fields ``cites``, ``references``, ``cited-references``). Macros and ``#`` are
    resolved, ``crossref`` and ``xdata`` are followed, and TeX's accents become letters.

    Parameters
    ----------
    path : path-like
        The file or the folder.
    truth : str, optional
        "folders", "files", or a field such as "groups"; "entrytype" is the kind of entry.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "refs.bib")
    ...     _ = file.write_text(r"@article{k1, title = {Pumps}, author = {Erd{\H o}s, Paul}}")
    ...     reader = BibtexReader(file)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.id, item.title, item.people[0].name
    ('k1', 'Pumps', 'Paul Erdős')
    """

    kind = "bibtex"
    endings = (".bib", ".bibtex", ".biblatex")
    parts = _PARTS

    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """Yield the entries of a file."""
        macros = _Macros(len(text))
        entries: list[tuple[int, str | _Entry]] = []
        known: dict[str, Mapping[str, str]] = {}
        for line, found in _entries(text, macros):
            entries.append((line, found))
            if not isinstance(found, str) and found.key:
                known.setdefault(found.key.lower(), found.fields)
        lent = _Lent(len(text))
        for line, found in entries:
            if isinstance(found, str):
                yield line, found
            elif found.kind != "xdata":
                yield line, _paper(found, known, lent)

    def truth_of(self, paper: Paper, name: str) -> str | None:
        """Return the class that a paper of a file is known to belong to."""
        truth = super().truth_of(paper, name)
        part = self.part_of(self.truth or "")
        if truth and part == "keywords":
            truth = _terms(truth)[0]
        elif truth and part == "authors":
            truth = bibtex_name((split_names(truth) or [""])[0])
        return None if truth is None else " ".join(plain_text(truth).split()) or None


class _Macros:
    """Names that stand for strings, and how much they may still give."""

    def __init__(self, size: int) -> None:
        self._texts = {month[:3].lower(): month for month in _MONTHS}
        self._left = _GROWTH + size

    def define(self, fields: Mapping[str, str]) -> None:
        self._texts.update({name.lower(): text[:_MACRO] for name, text in fields.items()})

    def __getitem__(self, name: str) -> str:
        text = self._texts.get(name.lower(), name)
        self._left -= len(text)
        return text if self._left > 0 else name


class _Lent:
    """How much entries may still take from others: a long one could be taken by thousands."""

    def __init__(self, size: int) -> None:
        self._left = _LENT + 8 * size

    def allows(self, fields: Mapping[str, str]) -> bool:
        self._left -= sum(50 + len(name) + len(value) for name, value in fields.items())
        return self._left > 0


class _Entry(NamedTuple):
    """One entry as it stands."""

    kind: str
    key: str
    fields: dict[str, str]
    whole: bool


def _entries(text: str, macros: _Macros) -> Iterator[tuple[int, str | _Entry]]:
    starts = [match.start() for match in _START.finditer(text)]
    line, counted = 1, 0
    for start, stop in pairwise([*starts, len(text)]):
        part = text[start:stop]
        line += text.count("\n", counted, start)
        counted = start
        here, seen, position = line, 0, 0
        while match := _INNER.search(part, position):
            here += part.count("\n", seen, match.start())
            seen = match.start()
            found, position = _entry(part, match, macros)
            if found is not None:
                yield here, found


def _entry(part: str, match: re.Match[str], macros: _Macros) -> tuple[str | _Entry | None, int]:
    """Read what stands behind ``@kind{``; also where it ends."""
    kind = match[1].lower()
    at = match.end()
    if kind in ("comment", "preamble"):
        return None, _closing(part, at, _BRACES) or len(part)
    key = ""
    if kind != "string" and (named := _KEY.match(part, at)):
        key, at = named[1].strip(), named.end()
    fields: dict[str, str] = {}
    while field := _FIELD.match(part, at):
        value, at, whole = _value(part, field.end(), macros)
        fields.setdefault(field[1].lower(), value)
        if not whole:
            return _entry_or_reason(kind, key, fields, whole=False), len(part)
    if kind == "string":
        macros.define(fields)
        return None, max(at, match.end())
    if closed := _END.match(part, at):
        return _entry_or_reason(kind, key, fields, whole=True), closed.end()
    end = _closing(part, at, _BRACES) or len(part)
    return _entry_or_reason(kind, key, fields, whole=False), max(end, match.end())


def _entry_or_reason(
    kind: str, key: str, fields: dict[str, str], *, whole: bool
) -> str | _Entry | None:
    if kind == "string":
        return None
    if not fields:
        return f"the entry {key[:60]!r} has no fields"
    return _Entry(kind, key, fields, whole)


def _closing(text: str, at: int, pattern: re.Pattern[str]) -> int:
    """Where the brace that is open at a place is closed; 0 when it never is."""
    depth = 0
    for match in pattern.finditer(text, at):
        sign = match[0]
        if sign == "{":
            depth += 1
        elif sign == "}":
            if depth == 0:
                return match.end()
            depth -= 1
        elif sign == '"' and depth == 0:
            return match.end()
    return 0


def _value(part: str, at: int, macros: _Macros) -> tuple[str, int, bool]:
    """Read the pieces of a field between ``#`` signs: value, end, whether it is closed."""
    pieces: list[str] = []
    while True:
        sign = part[at : at + 1]
        if sign in ("{", '"'):
            end = _closing(part, at + 1, _BRACES if sign == "{" else _QUOTES)
            if not end:
                # what is left of a value that is never closed is better than nothing
                return "".join([*pieces, part[at + 1 :]]), len(part), False
            piece = part[at + 1 : end - 1]
            at = end
        elif bare := _BARE.match(part, at):
            piece = macros[bare[0]]
            at = bare.end()
        else:
            piece = ""
        pieces.append(piece)
        at = _after_space(part, at)
        if part[at : at + 1] != "#":
            return "".join(pieces), at, True
        at = _after_space(part, at + 1)


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _paper(entry: _Entry, known: Mapping[str, Mapping[str, str]], lent: _Lent) -> Paper | str:
    fields = dict(entry.fields)
    parent: Mapping[str, str] = fields
    for _ in range(_DEPTH):
        name = parent.get("crossref") or parent.get("xdata") or ""
        found = known.get(name.strip().lower())
        if found is None or found is parent or not lent.allows(found):
            break
        for field, value in found.items():
            # the title of the whole is the venue of its part
            to = "booktitle" if field == "title" and "crossref" in parent else field
            fields.setdefault(to, value)
        parent = found

    def text(*names: str, most: int = _LONGEST) -> str:
        """The first of some fields that says something."""
        given = next((fields[name] for name in names if fields.get(name)), "")
        return plain_text(given[:most])

    cited = next((fields[name] for name in _CITED if fields.get(name)), "")
    subtitle = text("subtitle").strip()
    title = (text("title") or plain_text(entry.fields.get("booktitle", "")[:_LONGEST])).strip()
    people = fields.get("author") or fields.get("editor") or ""
    return Paper(
        id=entry.key,
        title=f"{title}: {subtitle}" if subtitle and title else title or subtitle,
        abstract=text(*_ABSTRACTS, most=_ABSTRACT),
        authors=tuple(bibtex_name(name) for name in split_names(people)),
        venue=text(*_VENUES),
        date=(text("date") or f"{text('month')} {text('year')}").strip().partition("/")[0],
        keywords=tuple(
            word
            for name in _KEYWORDS
            if name in fields
            for word in _terms(text(name, most=_ABSTRACT))
        ),
        citations=_cited(cited),
        fields={**entry.fields, "entrytype": entry.kind, "key": entry.key},
        notes=() if entry.whole else ("a damaged entry: read as far as it goes",),
    )


def _terms(text: str) -> list[str]:
    """Terms between semicolons, else commas: a term may hold a comma, never a semicolon."""
    return text.split(";" if ";" in text else ",")


def _cited(text: str) -> tuple[str, ...]:
    """Keys between commas or blanks; or whole references, one a line or between semicolons."""
    if not text:
        return ()
    lines = text.strip().split("\n")
    pieces = [piece.strip() for line in lines for piece in re.split("[,;]", line)]
    spaced = sum(" " in piece for piece in pieces)
    separated = ";" in text or (len(lines) > 1 and "," in text)
    if separated and spaced > 0.2 * len(pieces):
        parts = text.split(";") if ";" in text else lines
        return tuple(plain_text(part).strip(" .") for part in parts)
    if _PROSE.search(text.strip().rstrip(".")):
        return tuple(plain_text(line).strip(" .") for line in lines)
    return tuple(_IDS.split(plain_text(text)))


def split_names(text: str) -> list[str]:
    """Cut a list of names at each "and" that stands outside of braces.

    Examples
    --------
    >>> split_names("Li, Ann and {Barnes and Noble} and others")
    ['Li, Ann', '{Barnes and Noble}', 'others']
    """
    names: list[str] = []
    start = 0
    depth = 0
    last = 0
    # to one blank first: a pattern of runs of blanks would try each of a million
    text = f" {' '.join(text.split())} "
    for match in _AND.finditer(text):
        piece = text[last : match.start()]
        depth += piece.count("{") - piece.count("}")
        last = match.start()
        if depth <= 0:
            names.append(text[start : match.start()])
            start = match.end()
            depth = 0
    names.append(text[start:])
    return [name.strip() for name in names if name.strip()]


def bibtex_name(name: str) -> str:
    r"""Return a name the way it is spoken: "Li, Jr., Ann" is "Ann Li Jr.".

    Examples
    --------
    >>> bibtex_name("van Gogh, Vincent"), bibtex_name(r"{\O}stby, A."), bibtex_name("{W, Inc.}")
    ('Vincent van Gogh', 'A. Østby', 'W, Inc.')
    """
    stripped = name.strip()
    if (
        stripped.startswith("{")
        and stripped.endswith("}")
        and _closing(stripped, 1, _BRACES) == len(stripped)
    ):
        # an organisation: its commas are its own
        return " ".join(plain_text(stripped).split())
    parts = [" ".join(plain_text(part).split()) for part in _outer_commas(stripped)]
    if len(parts) == 2:
        parts = [parts[1], parts[0]]
    elif len(parts) > 2:
        parts = [parts[2], parts[0], parts[1]]
    return " ".join(part for part in parts if part)


def _outer_commas(name: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for at, sign in enumerate(name[:2000]):
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        elif sign == "," and depth <= 0:
            parts.append(name[start:at])
            start = at + 1
    return [*parts, name[start:2000]]


BIBTEX = Kind(
    "bibtex",
    "BibTeX",
    BibtexReader,
    noun="record",
    recognise=lambda look: look.is_open and is_bibtex(look.head),
    endings=BibtexReader.endings,
    family="papers",
    whole=True,
    many=True,
)
