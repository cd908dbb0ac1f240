"""The fields of a paper, by the names that they go by in common sources.

Made for what Semantic Scholar, AMiner, OpenAlex, Crossref, arXiv, Zotero (CSL), Scopus and the
Web of Science give out: authors are lists of names or of objects, venues may lie in objects,
citations are a list, abstracts may come word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from comraf.collection.readers.bibtex import bibtex_name
from comraf.collection.readers.papers import Paper
from comraf.collection.readers.tabular_cells import cell_start, cell_text, guess_separator
from comraf.collection.readers.tabular_columns import Row, choose_sides
from comraf.collection.text.lists import read_lists

_NAMES = read_lists("paper_fields.txt")
TERMS = ("keywords", "topics", "concepts", "categories")
"""Roles that are lists of terms, each a side of its own."""
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
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
BY = re.compile(r"[;\n|]")
"""What stands between the parts of a text that is a list."""
_AND = re.compile(r",? and |, | & ")
# Categories as arXiv writes them, blanks between: cs.LG stat.ML
_CODES = re.compile(r"(?:[a-z-]{2,20}\.[A-Za-z-]{2,20})(?: [a-z-]{2,20}(?:\.[A-Za-z-]{2,20})?)*")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_MOST_PARTS = 10_000
_MOST_WORDS = 200_000
_MOST_DEPTH = 4
TRUTHS = ("truth", "label", "class", "target", "gold")
"""Fields of known classes, for scoring only."""
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
    roles = {role_of(name): value for name, value in row.items() if role_of(name) and value}
    if not any(plain_name(name) in _TITLES and value for name, value in row.items()):
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


def plain_name(name: str) -> str:
    """Return the name of a field without case and signs.

    Examples
    --------
    >>> plain_name("Author Keywords")
    'author_keywords'
    """
    return _PLAIN.sub("_", str(name).strip().lower()).strip("_")


def role_of(name: str) -> str:
    """Tell what a field is by its name; empty when it can be anything.

    Examples
    --------
    >>> role_of("Source title"), role_of("datasets")
    ('venue', '')
    """
    return _MEANING.get(plain_name(name), "")


@dataclass(frozen=True, slots=True)
class Rest:
    """Further fields that are sides: lists with their separators, and short values.

    Examples
    --------
    >>> Rest((("data", ";"),), ("lang",)).sides({"data": "mnist;cora", "lang": "en"})
    {'data': ('mnist', 'cora'), 'lang': ('en',)}
    """

    lists: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] = ()

    def sides(self, row: Row) -> dict[str, tuple[str, ...]]:
        """Return the sides of a row."""
        found = {name: tuple(_parts(row.get(name), by)) for name, by in self.lists}
        return found | {name: (_name(row.get(name)),) for name in self.values}


def choose_rest(rows: Sequence[Row], truth: str = "") -> tuple[Rest, list[str]]:
    """Tell which fields that have no meaning of their own are sides, and which are left.

    Examples
    --------
    >>> rows = [{"title": "Pumps", "data": [{"name": "mnist"}], "pages": 12}] * 2
    >>> choose_rest(rows)
    (Rest(lists=(('data', ''),), values=()), ['pages'])
    """
    known = {*TRUTHS, truth.lower()}
    names = dict.fromkeys(str(name) for row in rows for name in row)
    free = [name for name in names if not role_of(name) and name.strip().lower() not in known]
    plain = [{name: _flat(row.get(name)) for name in free} for row in rows]
    lists, values, left = choose_sides(free, plain)
    return Rest(lists, values), left


def _flat(value: object) -> object:
    """A list of objects as a list of names, an object as its name; the rest as it is."""
    if isinstance(value, Mapping):
        return _name(value)
    if isinstance(value, (list, tuple)) and any(isinstance(p, (Mapping, list)) for p in value):
        return _parts(value, "")
    return value


def record_paper(
    row: Row, separators: Mapping[str, str] | None = None, rest: Rest | None = None
) -> Paper:
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
        role = role_of(str(name))
        if role and value is not None and value != "" and value != []:
            found.setdefault(role, []).append((plain_name(str(name)), value))
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
        authors=people_of(first("authors")),
        venue=_venue(first("venue")),
        date=_date([value for _, value in found.get("date", ())]),
        keywords=parts("keywords", every=True),
        citations=parts("citations"),
        sides={
            **({} if rest is None else rest.sides(row)),
            **{role: parts(role, every=True) for role in TERMS[1:]},
        },
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
        return text.split(separator) if separator else BY.split(text)
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


def people_of(value: object) -> tuple[str, ...]:
    """Return the names of people in a field, as they are spoken.

    Examples
    --------
    >>> people_of("Li, Ann and Yu, Bo"), people_of([{"given": "Ann", "family": "Li"}])
    (('Ann Li', 'Bo Yu'), ('Ann Li',))
    """
    if isinstance(value, str):
        text = value[: 1 << 20]
        parts = BY.split(text)
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
    return bibtex_name(name) if name.count(",") == 1 or "\\" in name else name


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


def separators_of(rows: list[Row]) -> dict[str, str]:
    """Tell what stands between the entries of the cells that are lists.

    Examples
    --------
    >>> separators_of([{"keywords": "a, b"}])
    {'keywords': ','}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    found = {}
    for name in names:
        if role_of(name) in (*TERMS, "citations"):
            cells = [cell_text(cell_start(row.get(name), 10_000)) for row in rows]
            found[plain_name(name)] = guess_separator([cell for cell in cells if cell])
    return found
