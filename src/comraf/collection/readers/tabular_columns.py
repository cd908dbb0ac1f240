"""Which column of a table is what: as told, the rest by sensible guesses.

The guesses, made on the first rows and always told to the user:

- *id*: called ``id``, ``key``, ``doi`` or alike, and never twice the same;
- *date*: called ``date``, ``time``, ``year`` or alike and made of dates;
- *people*: called ``author``, ``from``, ``to``, ``director_name`` or alike;
- *truth*: called ``label``, ``class``, ``category`` or alike, with few values; it is
  never used for clustering, only for scoring;
- *title*: called ``title``, ``subject`` or ``headline``, or so in another language, or
  ``movie_title``; else ``name``, if most are different;
- *text*: of what is left, the column with the longest cells on average; never links, ids,
  dates, lists, or a column with few different entries. Where there is none, the title;
- *lists*: called ``tags``, ``keywords`` or alike, or lists by type, or short entries with
  separators that come again and again;
- *values*: short cells with few distinct values. Numbers are left out unless asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

from comraf.collection.items import Role
from comraf.collection.readers.tabular_cells import (
    cell_date,
    cell_list,
    cell_start,
    cell_text,
    guess_separator,
)
from comraf.collection.text.lists import read_lists
from comraf.errors import InputError, Note, Setting

#: Code of the notes about columns that are of no use.
COLUMNS_LEFT_OUT = "columns_left_out"

Row = Mapping[str, object]
"""One row of a table: column names to cells of any type."""

Several = str | Sequence[str] | Mapping[str, str] | None
"""One column, several, or several with their separators; None asks for a guess."""

_NAMES = read_lists("columns.txt")
# A longer name, such as movie_title, says the same with its last word.
_ENDS = frozenset(_NAMES.pop("last words").split())
_HINTS = {name: role for role, names in _NAMES.items() for name in names.split()}
_ROLES: dict[str, Role] = {"from": "from", "to": "to", "cc": "cc", "author": "author"}
# Roles of several columns and of one, in the order in which they are taken.
_SEVERAL: tuple[Literal["text", "lists", "values", "people"], ...]
_SEVERAL = ("text", "lists", "values", "people")
_SINGLE: tuple[Literal["id", "date", "truth", "title"], ...] = ("id", "date", "truth", "title")
_PLAIN = re.compile(r"[\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# What stands behind a name: Title (orig.), Price [EUR].
_ASIDE = re.compile(r"(?<=\w)\s*[(\[].*[)\]]\W*$")
_URL = re.compile(r"(?i)(?:https?://|ftp://|www\.)\S+")
# One word with a digit in it, or an address: tt3332064, a/b.html, ann@x.org.
_CODE = re.compile(r"(?=[!-~]*[\d@/])[!-~]+")
# As much of a cell as says what it is.
_ENOUGH = 10_000
# Longer cells on average are texts, not entries.
_SHORT = 60
# A list of numbers, the beginning of which is enough, with a point or an exponent in it.
_VECTOR = re.compile(r"\s*\[(?=[^\]]*[.e])\s*[-+]?[\d.][-+\d.e,\s]*(?:\]\s*)?$")
_NUMBER = re.compile(r"[-+]?[$€£¥₹₽₩]?\s?[-+]?(?:\d[\d,]*)?\.?\d+(?:[eE][-+]?\d+)?\s?[%$€£¥₹₽₩]?")


@dataclass(frozen=True, slots=True)
class Columns:
    """What each used column is; lists and people with their separators.

    Examples
    --------
    >>> Columns(text=("body",)).used
    ('body',)
    """

    text: tuple[str, ...] = ()
    title: str = ""
    id: str = ""
    date: str = ""
    people: tuple[tuple[str, Role, str], ...] = ()
    lists: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] = ()
    truth: str = ""
    truth_separator: str = ""
    day_first: bool = False

    @property
    def used(self) -> tuple[str, ...]:
        """Every column that is looked at, each once."""
        names = [*self.text, self.title, self.id, self.date, *(p[0] for p in self.people)]
        names += [*(name for name, _ in self.lists), *self.values, self.truth]
        return tuple(dict.fromkeys(name for name in names if name))


class ColumnOptions(TypedDict, total=False):
    """What a user can say of the columns of a table; see `choose_columns`."""

    text: Several
    title: str | None
    id: str | None
    date: str | None
    people: Several
    lists: Several
    values: Several
    truth: str | None
    guess: bool


def choose_columns(
    names: Sequence[str], rows: Sequence[Row], **options: Unpack[ColumnOptions]
) -> tuple[Columns, list[str]]:
    """Settle which column is what.

    Parameters
    ----------
    names : sequence of str
        The columns that there are.
    rows : sequence of mapping
        A sample of rows.
    text, title, id, date, people, lists, values, truth
        What the user said. None asks for a guess, an empty string or list says that
        there is no such column.
    guess : bool, default=True
        Whether roles that were not given are guessed at all.

    Returns
    -------
    columns : Columns
    notes : list of str
        What was guessed and what was left out.

    Examples
    --------
    >>> rows = [{"id": 1, "tags": "a;b", "body": "A long text."}, {"id": 2, "body": "Another one"}]
    >>> columns, notes = choose_columns(["id", "tags", "body"], rows)
    >>> columns.text, columns.id, columns.lists
    (('body',), 'id', (('tags', ';'),))
    """
    chooser = _Chooser(names, rows, options.pop("guess", True))
    # what was given is taken first, so that no guess can take it away
    given = {role: chooser.given(role, options.get(role)) for role in (*_SEVERAL, *_SINGLE)}
    found = {}
    for role in _SINGLE:
        named = given[role]
        found[role] = chooser.find(role) if named is None else next(iter(named), "")
    people = chooser.people(given["people"])
    texts = tuple(given["text"] or ())
    if given["text"] is None and (longest := chooser.longest()):
        texts = (longest,)
    elif given["text"] is None and options.get("title") is None and (only := found["title"]):
        texts, found["title"] = (only,), ""
        chooser.guessed[chooser.guessed.index(Setting("title", only))] = Setting("text", only)
    lists = chooser.lists(given["lists"])
    chooser.chosen_values = given["values"] is None
    values = chooser.values() if given["values"] is None else tuple(given["values"])
    if not (texts or found["title"] or people or lists or values):
        raise InputError(
            "No column looks like text. The columns are: {columns}. Say which one holds the text "
            "with {text_column}; a table of counts is read by "
            "comraf.collection.read_table.",
            code="no_text_column",
            columns=_listed(names),
            text_column=Setting("text"),
        )
    columns = Columns(
        text=texts,
        people=people,
        lists=lists,
        values=values,
        **found,
        truth_separator=chooser.truth_separator(found["truth"]),
        day_first=chooser.day_first(found["date"]),
    )
    chooser.tell(columns)
    return columns, chooser.notes


def columns_left_out(names: Sequence[str], why: str) -> Note:
    """The note about columns that no side is made of.

    Examples
    --------
    >>> columns_left_out(["price"], "numbers")
    "columns left out: 'price' (numbers)"
    """
    text = "columns left out: {shown} ({why})"
    return Note(text, COLUMNS_LEFT_OUT, shown=_listed(names), names=list(names), why=why)


def choose_sides(
    names: Sequence[str], rows: Sequence[Row]
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...], list[str]]:
    """Tell which of some columns are lists (with separators) or short values, and what is left.

    Examples
    --------
    >>> rows = [{"data": ["mnist"], "lang": "en", "n": 1}, {"data": ["cora"], "lang": "de"}]
    >>> choose_sides(["data", "lang", "n"], rows)
    ((('data', ''),), ('lang',), ['n'])
    """
    chooser = _Chooser(names, rows, guess=True)
    return chooser.lists(None), chooser.values(), list(chooser.free)


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(map(repr, names[:40])) + (" ..." if len(names) > 40 else "")


class _Chooser:
    """The sample, and which columns are still free."""

    def __init__(self, names: Sequence[str], rows: Sequence[Row], guess: bool) -> None:
        self.names = list(names)
        self.rows = rows
        self.guess = guess
        self.chosen_values = True  # whether columns of values are found by looking
        self.free = dict.fromkeys(self.names)
        self.guessed: list[Setting] = []
        self.reasons: dict[str, list[str]] = {}
        self.notes: list[str] = []
        self.cells = {
            name: [text for row in rows if (text := cell_text(cell_start(row.get(name), _ENOUGH)))]
            for name in self.names
        }

    def given(self, role: str, asked: Several) -> dict[str, str] | None:
        """Return the columns that the user named for a role, with separators."""
        if asked is None:
            return None if self.guess else {}
        if isinstance(asked, str):
            asked = [asked] if asked else []
        chosen = dict(asked) if isinstance(asked, Mapping) else dict.fromkeys(asked, "")
        for name in chosen:
            if name not in self.cells:
                cut = any(name in map(str.strip, other.split(",")) for other in self.names)
                raise InputError(
                    f"There is no column {name!r} for {role}. The columns are: "
                    f"{_listed(self.names)}."
                    + (" A name with a comma in it stands in double quotes." if cut else "")
                )
            self.free.pop(name, None)
        return chosen

    def take(self, name: str, role: str, why: str) -> str:
        self.free.pop(name, None)
        self.guessed.append(Setting(role, name))
        self.reasons.setdefault(why, []).append(name)
        return name

    def find(self, role: str) -> str:
        """Guess the one column of a role by its name and its cells."""
        # a name that says it outright comes before one that ends so
        for name in sorted(self.free, key=lambda name: _plain(name) not in _HINTS):
            if _hint(name) == role and self.fits(name, role):
                return self.take(name, role, "by name")
        if role == "date":
            for name in list(self.free):
                if not self.numeric(name) and self.dated(name) >= 0.9:
                    return self.take(name, role, "dates")
        if role == "title":
            for name in list(self.free):
                most = not self.few(name) and not self.coded(name) and not self.numeric(name)
                if _hint(name) == "name" and self.cells[name] and most:
                    return self.take(name, role, "by name")
        return ""

    def fits(self, name: str, role: str) -> bool:
        cells = self.cells[name]
        if not cells:
            return False
        if role == "id":
            return len(set(cells)) == len(self.rows)
        if role == "date":
            return self.dated(name) >= 0.8
        if role == "truth":
            return len(set(cells)) <= max(2, len(cells) // 2) and self.mean_length(name) <= 80
        return True

    def dated(self, name: str) -> float:
        found = (cell_start(row.get(name), _ENOUGH) for row in self.rows[:100])
        cells = [cell for cell in found if cell_text(cell)]
        return sum(cell_date(cell) is not None for cell in cells) / max(1, len(cells))

    def numeric(self, name: str) -> bool:
        cells = self.cells[name]
        if self.is_vector(name):
            return True
        return sum(_NUMBER.fullmatch(cell) is not None for cell in cells) > 0.8 * len(cells)

    def coded(self, name: str) -> str:
        """Say that the cells are links or ids, if they are: neither is text."""
        cells = self.cells[name]
        for what, pattern in (("links", _URL), ("ids", _CODE)):
            if sum(pattern.fullmatch(cell) is not None for cell in cells) > 0.8 * len(cells):
                return what
        return ""

    def few(self, name: str) -> bool:
        """Tell whether short entries come again and again."""
        cells = self.cells[name]
        return 2 * len(set(cells)) <= len(cells) and self.mean_length(name) <= _SHORT

    def mean_length(self, name: str) -> float:
        cells = self.cells[name]
        return sum(map(len, cells)) / max(1, len(self.rows))

    def is_list(self, name: str) -> bool:
        """Tell whether the cells are lists by type."""
        return any(isinstance(row.get(name), (list, tuple)) for row in self.rows)

    def is_vector(self, name: str) -> bool:
        """Tell whether the cells are embeddings: lists of numbers that are not all whole."""
        found = (row.get(name) for row in self.rows)
        cells = [cell for cell in found if cell is not None and cell_text(cell_start(cell, 8))]
        return sum(map(_is_vector, cells)) > 0.8 * len(cells)

    def longest(self) -> str:
        """Guess the text: the column with the longest cells on average."""
        able = [name for name in self.free if self.is_prose(name)]
        return self.take(max(able, key=self.mean_length), "text", "longest cells") if able else ""

    def is_prose(self, name: str) -> bool:
        if not self.cells[name] or self.numeric(name) or self.is_list(name):
            return False
        if _hint(name) == "text":
            return True
        if self.few(name):
            return False
        listed = _hint(name) == "lists"
        if listed and (self.mean_length(name) <= _SHORT or self.looks_listed(name)):
            return False
        return not self.coded(name) and self.dated(name) < 0.9

    def people(self, asked: dict[str, str] | None) -> tuple[tuple[str, Role, str], ...]:
        found = self.separated(asked, "people", "by name", self.names_people)
        return tuple((name, _ROLES.get(_hint(name), "author"), by) for name, by in found)

    def lists(self, asked: dict[str, str] | None) -> tuple[tuple[str, str], ...]:
        return self.separated(asked, "lists", "several entries in a cell", self.looks_listed)

    def separated(
        self, asked: dict[str, str] | None, role: str, why: str, fits: Callable[[str], bool]
    ) -> tuple[tuple[str, str], ...]:
        """Columns of several entries, with what stands between these."""
        if asked is None:
            asked = {self.take(name, role, why): "" for name in list(self.free) if fits(name)}
        return tuple(
            (name, by or guess_separator(self.cells[name], people=role == "people"))
            for name, by in asked.items()
        )

    def names_people(self, name: str) -> bool:
        return _hint(name) in _ROLES and bool(self.cells[name]) and not self.numeric(name)

    def looks_listed(self, name: str) -> bool:
        cells = self.cells[name]
        if not cells or self.numeric(name):
            return False
        if self.is_list(name):
            return True
        separator = guess_separator(cells)
        if not separator:
            return False
        parts = [part for cell in cells for part in cell_list(cell, separator)]
        if not parts or sum(map(len, parts)) > 60 * len(parts):
            return False
        return _hint(name) == "lists" or len(set(parts)) <= 0.7 * len(parts)

    def values(self) -> tuple[str, ...]:
        if not self.guess:
            return ()
        return tuple(
            self.take(name, "values", "few different entries")
            for name in list(self.free)
            if (cells := self.cells[name])
            and not self.numeric(name)
            and self.mean_length(name) <= _SHORT
            and 2 <= len(set(cells)) <= max(2, len(cells) // 2)
        )

    def truth_separator(self, name: str) -> str:
        if not name:
            return ""
        separator = guess_separator(self.cells[name])
        # commas are common within the name of a class
        if separator in ("", ",") and not self.is_list(name):
            return ""
        self.notes.append(
            f"{name!r} holds several classes in some rows: the first one is the truth"
        )
        return separator

    def day_first(self, name: str) -> bool:
        """Tell whether 03/04/2020 is in April: some first number must be above 12."""
        starts = [re.match(r"(\d{1,2})[/-]\d{1,2}[/-]\d{2,4}", c) for c in self.cells.get(name, ())]
        return any(start is not None and int(start[1]) > 12 for start in starts)

    def tell(self, columns: Columns) -> None:
        if self.guessed:
            chosen = "columns chosen by looking at them: {columns}"
            self.notes.insert(0, Note(chosen, "columns_chosen", columns=self.guessed))
            whys = (f"{why}: {_listed(names)}" for why, names in self.reasons.items())
            self.notes.insert(1, f"why these columns: {'; '.join(whys)}")
        left: dict[str, list[str]] = {}
        for name in self.names:
            if name not in columns.used:
                left.setdefault(self.why_left(name), []).append(name)
        self.notes += [columns_left_out(names, why) for why, names in left.items()]

    def why_left(self, name: str) -> str:
        """Say why a column is of no use."""
        cells = self.cells[name]
        if not cells:
            return "empty"
        if not self.guess:
            return "not asked for"
        if self.numeric(name):
            return "numbers"
        if found := self.coded(name):
            return found
        if len(set(cells)) == 1:
            return "always the same"
        if self.dated(name) >= 0.9:
            return "more dates"
        if self.mean_length(name) > _SHORT:
            return "another text"
        # where columns of values were named, those that weren't are not looked at
        return "nearly all different" if self.chosen_values else "not asked for"


def _is_vector(cell: object) -> bool:
    """Tell a vector, as a list or as text such as "[0.5, -1]", from a list of years or names."""
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if isinstance(cell, (list, tuple)):
        numbers = all(isinstance(part, (int, float)) for part in cell)
        return numbers and any(isinstance(p, float) and not p.is_integer() for p in cell)
    return isinstance(cell, str) and _VECTOR.match(cell[:_ENOUGH]) is not None


def _plain(name: str) -> str:
    return _PLAIN.sub("_", _HUMP.sub("_", _ASIDE.sub("", name.strip()))).strip("_").lower()


def _hint(name: str) -> str:
    """What the name of a column says: itself, or its last word; director_name is a director."""
    plain = _plain(name)
    if plain in _HINTS:
        return _HINTS[plain]
    head, _, last = plain.rpartition("_")
    if last == "name":
        bearer = _HINTS.get(head.rstrip("_0123456789").rpartition("_")[2], "")
        return bearer if bearer in _ROLES else "name"
    return _HINTS[last] if last in _ENDS else ""
