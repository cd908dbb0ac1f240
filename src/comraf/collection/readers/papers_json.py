"""Papers in JSON, JSON lines, CSV, TSV or Parquet, by the names that their fields go by.

Made for what Semantic Scholar, AMiner, OpenAlex, Crossref, arXiv, Zotero (CSL), Scopus and the
Web of Science give out: authors are lists of names or of objects, venues may lie in objects,
citations are a list, abstracts may come word by word.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from comraf.collection.items import Item, Skip, Unit
from comraf.collection.readers.bibtex import bibtex_name
from comraf.collection.readers.files import os_path, portable
from comraf.collection.readers.papers import MAX_BYTES, Paper, PaperFiles, paper_item
from comraf.collection.readers.tabular import FORMATS, SAMPLE, format_of
from comraf.collection.readers.tabular_cells import cell_start, cell_text, guess_separator
from comraf.collection.readers.tabular_columns import Row
from comraf.collection.readers.tabular_delimited import Numbered, delimited_rows, sniff_delimiter
from comraf.collection.readers.tabular_rows import json_rows, json_units, open_parquet, parquet_rows
from comraf.errors import ReadError

__all__ = ["PapersReader", "holds_papers", "looks_like_papers", "record_paper"]

_NAMES = {
    "id": "id _id key paperid paper_id corpusid doi citationkey pmid ut eid di url openalex",
    "title": "title display_name papertitle paper_title article_title ti name",
    "abstract": "abstract paperabstract summary description ab annotation text body "
    "abstract_inverted_index indexed_abstract",
    "authors": "authors author authorships author_names authors_parsed author_full_names au af "
    "creators creator",
    "venue": "venue journal journals journal_name container_title containertitle booktitle "
    "source_title conference primary_location so publication publication_title journal_ref "
    "publicationvenue published_in",
    "date": "date year publication_date publicationdate issued published py publication_year "
    "update_date created created_at submitted month",
    "keywords": "keywords keyword author_keywords index_keywords tags fields_of_study "
    "fieldsofstudy fos subjects subject concepts topics categories category mesh de "
    "s2fieldsofstudy",
    "citations": "references reference citations outcitations out_citations referenced_works "
    "cites cited_references cited reference_ids referenced_papers bibliography cr",
}
_MEANING = {name: role for role, names in _NAMES.items() for name in names.split()}
_PLAIN = re.compile(r"[\W_]+")
# Where, within an object, the string lies that names it.
_CALLED = (
    "display_name name raw full_name title text value term keyword category paperId paper_id id "
    "DOI doi key unstructured source author".split()
)
# A paper that is cited goes by its number where it has one: titles are spelled in many ways, and
# a "key" counts the references of one paper.
_CITED_AS = (
    "paperId paper_id id DOI doi arxivId title article-title unstructured raw name text key".split()
)
_LISTED = ("papers", "items", "results", "data", "message", "records", "works", "entries", "hits")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_BY = re.compile(r"[;\n|]")
_AND = re.compile(r",? and |, | & ")
# Categories as arXiv writes them, blanks between: cs.LG stat.ML
_CODES = re.compile(r"(?:[a-z-]{2,20}\.[A-Za-z-]{2,20})(?: [a-z-]{2,20}(?:\.[A-Za-z-]{2,20})?)*")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_MOST_PARTS = 10_000
_MOST_WORDS = 200_000
_MOST_DEPTH = 4
_WRAPPED = re.compile(r'"(?:' + "|".join(_LISTED) + r')"\s{0,20}:\s{0,20}\[\s{0,20}(?=\{)')
_LOOK_AT = 4 << 20
# Known classes, for scoring only.
_TRUTHS = ("truth", "label", "class", "target", "gold")
_TITLES = frozenset(("title", "display_name", "papertitle", "paper_title", "article_title", "ti"))


def looks_like_papers(row: Mapping[str, object]) -> bool:
    """Tell whether a row or object is a paper that a plain table's reader would take apart.

    That is: it has a title, and its citations as a list, or its authors or its venue as
    objects, or its abstract word by word.

    Examples
    --------
    >>> looks_like_papers({"title": "Pumps", "authors": [{"name": "Ann Li"}]})
    True
    >>> looks_like_papers({"title": "Pumps", "authors": "Ann Li", "citations": 12})
    False
    """
    roles = {_role(name): value for name, value in row.items() if _role(name) and value}
    if not any(_plain(name) in _TITLES and value for name, value in row.items()):
        return False
    cited = roles.get("citations")
    if isinstance(cited, list) and "abstract" not in roles and "authors" not in roles:
        cited = None
    authors, venue = roles.get("authors"), roles.get("venue")
    objects = isinstance(authors, list) and any(isinstance(a, (dict, list)) for a in authors)
    return (
        objects
        or isinstance(venue, dict)
        or isinstance(roles.get("abstract"), dict)
        or isinstance(cited, list)
        or (isinstance(cited, str) and ";" in cited and "authors" in roles)
    )


def holds_papers(path: str, kind: str) -> bool:
    """Tell by its beginning whether a table of some kind holds papers.

    Examples
    --------
    >>> holds_papers("nowhere.csv", "csv")
    False
    """
    try:
        if kind == "jsonl":
            return _json_papers(path)
        if kind in ("csv", "tsv"):
            rows = [row for _, row, _ in islice(_rows(path, kind, Unit("")), 20)]
            return any(looks_like_papers(row) for row in rows[1:] if not isinstance(row, str))
    except (OSError, ValueError):
        return False
    return False


def _json_papers(path: str) -> bool:
    with open(path, "rb") as file:
        text = file.read(_LOOK_AT).decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    starts = [text.find("{")]
    if wrapped := _WRAPPED.search(text, 0, 1 << 16):
        starts.append(wrapped.end())
    for start in starts:
        if start < 0:
            continue
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        rows = [value] if looks_like_papers(value) else _listed(value)[:1]
        if any(isinstance(row, dict) and looks_like_papers(row) for row in rows):
            return True
    return False


def _plain(name: str) -> str:
    return _PLAIN.sub("_", str(name).strip().lower()).strip("_")


def _role(name: str) -> str:
    return _MEANING.get(_plain(name), "")


def record_paper(row: Row, separators: Mapping[str, str] | None = None) -> Paper:
    """Turn one row or object into a paper.

    Examples
    --------
    >>> paper = record_paper({"title": ["Pumps"], "year": 1999, "references": [{"DOI": "10.1/x"}],
    ...     "author": [{"given": "Ann", "family": "Li"}], "container-title": ["J. Pumps"]})
    >>> paper.title, paper.authors, paper.venue, paper.citations, paper.date
    ('Pumps', ('Ann Li',), 'J. Pumps', ('10.1/x',), '1999')
    """
    found: dict[str, list[tuple[str, object]]] = {}
    for name, value in row.items():
        role = _role(str(name))
        if role and value is not None and value != "" and value != []:
            found.setdefault(role, []).append((_plain(str(name)), value))
    # of several names for one thing, the one that stands first in the list is meant
    for role, several in found.items():
        order = _NAMES[role].split()
        several.sort(key=lambda pair: order.index(pair[0]))

    def first(role: str) -> object:
        return found[role][0][1] if role in found else None

    def parts(role: str, *, every: bool = False) -> tuple[str, ...]:
        out: list[str] = []
        for name, value in found.get(role, ()):
            if role == "citations" and _is_count(value):
                continue
            called = _CITED_AS if role == "citations" else _CALLED
            out += _parts(value, (separators or {}).get(name, ""), called)
            if out and not every:
                break
        return tuple(out)

    return Paper(
        id=_name(first("id")),
        title=_name(first("title")),
        abstract=_TAG.sub(" ", _abstract(first("abstract"))),
        authors=_people(first("authors")),
        venue=_venue(first("venue")),
        date=_date([value for _, value in found.get("date", ())]),
        keywords=parts("keywords", every=True),
        citations=parts("citations"),
        fields={str(name).lower(): _name(value) for name, value in row.items()},
    )


def _is_count(value: object) -> bool:
    """Tell whether a paper's citations are only counted."""
    if isinstance(value, (int, float)):
        return True
    return isinstance(value, str) and _NUMBER.fullmatch(value.strip()) is not None


def _name(value: object, depth: int = 0, called: Sequence[str] = _CALLED) -> str:
    """The string by which a value, a list's first or an object is called."""
    if isinstance(value, str):
        return value
    if depth >= _MOST_DEPTH:
        return ""
    if isinstance(value, Mapping):
        named = (_name(value[key], depth + 1) for key in called if value.get(key))
        return next((name for name in named if name), "")
    if isinstance(value, (list, tuple)):
        return next((name for part in value[:10] if (name := _name(part, depth + 1))), "")
    return cell_text(value)


def _parts(value: object, separator: str, called: Sequence[str] = _CALLED) -> list[str]:
    if isinstance(value, str):
        text = value[: 1 << 22]
        if _CODES.fullmatch(text[:1000]):
            return text.split()
        return text.split(separator) if separator else _BY.split(text)
    if isinstance(value, Mapping):
        inner = value.get("data") or value.get("items")
        if isinstance(inner, list):
            return _parts(inner, separator, called)
        return [_name(value, called=called)]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Iterable):
        named = (_name(part, called=called) for part in islice(value, _MOST_PARTS))
        return [name for name in named if name]
    return [cell_text(value)]


def _people(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        text = value[: 1 << 20]
        parts = _BY.split(text)
        if len(parts) == 1:
            # "Li, Ann and Yu, Bo" is BibTeX's form; "Ann Li, Bo Yu and Cy Oz" is anybody's
            pairs = text.split(" and ")
            named = len(pairs) > 1 and all(name.count(",") == 1 for name in pairs)
            parts = pairs if named else _AND.split(text)
            if len(parts) == 2 and "," in text and " " not in parts[0].strip():
                parts = [text]
        return tuple(bibtex_name(part) for part in parts)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return (_person(value),) if value else ()
    return tuple(_person(part) for part in value[:_MOST_PARTS])


def _person(value: object) -> str:
    if isinstance(value, (list, tuple)):
        # the form of arXiv: the last name stands first
        last, first = (*[cell_text(part) for part in value[:2]], "", "")[:2]
        return f"{first} {last}".strip()
    if isinstance(value, Mapping):
        lower = {str(key).lower(): part for key, part in value.items()}
        given = lower.get("given") or lower.get("first") or lower.get("firstname") or ""
        family = lower.get("family") or lower.get("last") or lower.get("lastname") or ""
        if family:
            middle = _parts(lower.get("middle") or [], "")
            whole = [cell_text(given), *middle, cell_text(lower.get("non-dropping-particle"))]
            return " ".join(part for part in [*whole, cell_text(family)] if part)
        if isinstance(inner := lower.get("author"), Mapping):
            return _name(inner)
    name = _name(value)
    return bibtex_name(name) if name.count(",") == 1 else name


def _venue(value: object) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("source"), Mapping):
        return _name(value["source"])
    return _name(value)


def _date(values: list[object]) -> str:
    for value in values:
        if isinstance(value, Mapping):
            parts: Any = value.get("date-parts") or value.get("date_parts")
            while isinstance(parts, list) and parts and isinstance(parts[0], list):
                parts = parts[0]
            if isinstance(parts, list) and parts and isinstance(parts[0], (int, str)):
                numbers = [cell_text(part) for part in parts[:3]]
                if len(numbers) == 3:
                    return "-".join(part.zfill(2) for part in numbers)
                return numbers[0]
        if text := _name(value):
            return text
    return ""


def _abstract(value: object) -> str:
    if not isinstance(value, Mapping):
        return cell_text(cell_start(value, 16 << 20))
    inverted = value.get("InvertedIndex") or value
    if not isinstance(inverted, Mapping):
        return ""
    # OpenAlex: each word with the places where it stands
    places: dict[int, str] = {}
    for word, at in inverted.items():
        for place in at if isinstance(at, list) else ():
            if isinstance(place, int) and len(places) < _MOST_WORDS:
                places[place] = str(word)
    return " ".join(places[place] for place in sorted(places))


class PapersReader(PaperFiles):
    r"""Papers in a JSON, JSON lines, CSV, TSV or Parquet file, or a folder tree of such files.

    Fields are known by their names: ``title``, ``abstract``, ``authors``, ``venue``,
    ``keywords``, ``references`` and what else they are called in common sources. Numbers of
    citations are no citations. Other tables are for the kinds ``csv``, ``jsonl``, ``parquet``.

    Parameters
    ----------
    path : path-like
        The file or the folder.
    truth : str, optional
        "folders", "files", or the name of a field; when not given, a field called ``label``,
        ``class`` or ``truth``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> line = '{"id": "p1", "title": "Pumps", "authors": [{"name": "Ann Li"}], "cites": ["p0"]}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "papers.jsonl")
    ...     _ = file.write_text(line)
    ...     reader = PapersReader(file)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.id, item.people[0].name, item.values
    ('p1', 'Ann Li', {'citations': ('p0',)})
    """

    kind = "papers"
    endings = tuple(ending for endings in FORMATS.values() for ending in endings)

    def fits(self, head: bytes) -> bool:
        """Files are told by their endings alone."""
        return False

    def scan(self) -> list[Unit]:
        """List the files, JSON lines in stretches."""
        units: list[Unit] = []
        for unit in super().scan():
            whole = os_path(self.root, unit.path)
            try:
                lines = (format_of(whole) or "jsonl") == "jsonl" and not _is_one_object(whole)
                units += json_units(unit.path, whole) if lines else [unit]
            except OSError:
                # read() will say why, so that it is counted
                units.append(unit)
        return units

    def truth_of(self, paper: Paper, name: str) -> str | None:
        """Return the class of a paper; a field called ``label`` or alike tells it unasked."""
        if self.truth is not None:
            return super().truth_of(paper, name)
        return next((paper.fields[field] for field in _TRUTHS if paper.fields.get(field)), None)

    def papers(self, text: str) -> Iterator[tuple[int, Paper | str]]:
        """Yield the papers of a JSON text that holds one object around them."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield 1, f"not JSON: {type(error).__name__}: {str(error)[:120]}"
            return
        for number, row in enumerate(_listed(value), 1):
            good = isinstance(row, dict)
            yield number, record_paper(row) if good else "not a JSON object"

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the papers of a file; rows that can't be used become skips."""
        name = unit.path or portable(self.path.name)
        whole = os_path(self.root, unit.path)
        kind = format_of(whole) or "jsonl"
        try:
            if kind == "jsonl" and _is_one_object(whole):
                yield from super().read(unit)
                return
            rows = _rows(whole, kind, unit)
            separators: Mapping[str, str] = {}
            waiting: list[Numbered] = []
            if kind != "jsonl":
                waiting = list(islice(rows, SAMPLE))
                separators = _separators([r for _, r, _ in waiting if not isinstance(r, str)])
            is_header = kind in ("csv", "tsv")
            for number, row, _ in chain(waiting, rows):
                source = f"{name}:{number}"
                if isinstance(row, str):
                    yield Skip(source, row)
                elif is_header:
                    is_header = False
                else:
                    paper = record_paper(row, separators)
                    yield paper_item(paper, source, self.truth_of(paper, name))
        except (ReadError, OSError) as error:
            yield Skip(name, f"can't be read: {getattr(error, 'strerror', None) or error}"[:300])


def _rows(whole: str, kind: str, unit: Unit) -> Iterator[Numbered]:
    if kind in ("csv", "tsv"):
        return delimited_rows(whole, "\t" if kind == "tsv" else sniff_delimiter(whole, None))
    if kind == "parquet":
        with open_parquet(whole) as file:
            groups = file.num_row_groups
        return parquet_rows(whole, range(groups), None)
    return json_rows(whole, unit.start, unit.stop, unit.line)


def _separators(rows: list[Row]) -> dict[str, str]:
    """What stands between the entries of the cells that are lists."""
    names = dict.fromkeys(name for row in rows for name in row)
    found = {}
    for name in names:
        if _role(name) in ("keywords", "citations"):
            cells = [cell_text(cell_start(row.get(name), 10_000)) for row in rows[1:]]
            found[_plain(name)] = guess_separator([cell for cell in cells if cell])
    return found


def _is_one_object(path: str) -> bool:
    """Tell whether a file is one JSON object over several lines, with the papers inside."""
    if os.path.getsize(path) > MAX_BYTES:
        return False
    with open(path, "rb") as file:
        head = file.read(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith(b"{"):
        return False
    line, ended, _ = head.partition(b"\n")
    if not ended and len(head) < 1 << 15:
        return any(f'"{name}"'.encode() in line[:200] for name in _LISTED) and b"[" in line
    return not line.rstrip().endswith(b"}")


def _listed(value: object, depth: int = 0) -> list[Any]:
    """The list of objects within an object around it."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or depth >= _MOST_DEPTH:
        return []
    for name in _LISTED:
        if isinstance(value.get(name), (list, dict)) and (found := _listed(value[name], depth + 1)):
            return found
    if value and all(isinstance(inner, dict) for inner in value.values()):
        # objects under their keys
        return [{"id": key, **inner} for key, inner in value.items()]
    return [value] if any(_role(str(name)) == "title" for name in value) else []
