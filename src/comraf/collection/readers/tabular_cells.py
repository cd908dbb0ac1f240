"""Cells of tables as text, lists, people and dates, whatever type they come in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime

from comraf.collection.items import Address, DateStep, Role
from comraf.collection.readers.charsets import clean, clean_line
from comraf.collection.readers.mail_headers import parse_addresses, parse_date

_MISSING = frozenset(("", "nan", "none", "null", "n/a", "na", "<na>", "nat"))
_SLASHED = re.compile(
    r"(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?"
)
_AFTERNOON = re.compile(r"(?i)\d\s*([ap])\.?m\b")
_NUMBER = re.compile(r"\d{4}|-?\d{9,13}(?:\.\d+)?")
_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile(r"[^\W\d_]+\.?,? \d{4}|\d{4} [^\W\d_]+\.?|\d{4}[-/]\d{1,2}")
_LONG_DATES = (
    "%d %B %Y|%d %b %Y|%B %d, %Y|%b %d, %Y|%B %d %Y|%b %d %Y|%B %Y|%b %Y|%Y %B %d|%Y %b %d|"
    "%Y %B|%Y %b|%Y-%b-%d|%Y-%m|%Y/%m|%Y%m%d"
).split("|")
_BREAK = re.compile(r"(?i)<br\s*/?>")
_AND = re.compile(r"\s*,\s*(?:and|&)\s+|\s+(?:and|&)\s+|\s*,\s*")


def cell_start(value: object, length: int) -> object:
    """Return a cell without what is too long to be what the cell is held to be.

    Examples
    --------
    >>> cell_start("a pump", 3), cell_start(["a", "b"], 1)
    ('a p', ['a', 'b'])
    """
    return value[:length] if isinstance(value, str) else value


def cell_text(value: object) -> str:
    r"""Return a cell as clean text; empty when it is missing.

    Examples
    --------
    >>> cell_text(None), cell_text(float("nan")), cell_text(3.0), cell_text(["a", "b"])
    ('', '', '3', 'a\nb')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return _BREAK.sub("\n", clean(value)).strip()
    if isinstance(value, bytes):
        return clean(value.decode("utf-8", "replace")).strip()
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else str(value)
    if isinstance(value, dict):
        return ""
    if isinstance(value, (date, datetime, int)):
        # pandas' date that is none (NaT) calls itself a datetime and differs from itself
        return str(value) if value == value else ""
    if isinstance(value, Iterable):
        return "\n".join(text for part in value if (text := cell_text(part)))
    text = clean(str(value)).strip()
    # the missing values of data frame libraries are objects of their own
    return "" if text.lower() in _MISSING else text


def cell_list(value: object, separator: str) -> tuple[str, ...]:
    """Return the parts of a cell, each once, in order.

    Examples
    --------
    >>> cell_list("b; a;; b", ";"), cell_list(["x", None], "")
    (('b', 'a'), ('x',))
    """
    if isinstance(value, (list, tuple, set)) or hasattr(value, "tolist"):
        values = value if isinstance(value, (list, tuple, set)) else value.tolist()
        parts: Iterable[str] = map(cell_text, values if isinstance(values, Iterable) else (values,))
    else:
        text = cell_text(value)
        parts = text.split(separator) if separator else (text,)
    found = dict.fromkeys(clean_line(part) for part in parts)
    return tuple(part for part in found if part and part.lower() not in _MISSING)


def cell_people(value: object, separator: str, role: Role) -> tuple[Address, ...]:
    """Return the people named in a cell.

    Examples
    --------
    >>> [person.name for person in cell_people("Ann Li, Bo Yu and Cy Oz", ",", "author")]
    ['Ann Li', 'Bo Yu', 'Cy Oz']
    >>> cell_people("Ann <ann@x.org>", "", "from")
    (Address(name='Ann', address='ann@x.org', role='from'),)
    """
    if isinstance(value, str):
        if "@" in value and separator in ("", ",", ";", "\n"):
            return tuple(parse_addresses(" ".join(value.replace("\n", ", ").split()), role))
        if separator == ",":
            names: Iterable[str] = _AND.split(clean_line(value))
            names = dict.fromkeys(name.strip(" ,") for name in names)
            return tuple(Address(n, "", role) for n in names if n and n.lower() not in _MISSING)
    people: list[Address] = []
    for part in cell_list(value, separator):
        if "@" in part:
            people.extend(parse_addresses(part, role))
        else:
            people.append(Address(part, "", role))
    return tuple(people)


def cell_date(value: object, *, day_first: bool = False) -> datetime | None:
    """Return a cell as a date in UTC, None when it is none.

    Understood are date objects, ISO 8601, mail dates, ``31.12.1999``, ``12/31/1999``,
    ``31 December 1999``, ``1999 Dec 31``, ``1999-12``, years, and seconds or
    milliseconds since 1970.

    Examples
    --------
    >>> str(cell_date("03/04/2020")), str(cell_date("03/04/2020", day_first=True).date())
    ('2020-03-04 00:00:00+00:00', '2020-04-03')
    >>> str(cell_date(1999).date()), cell_date("soon")
    ('1999-01-01', None)
    """
    return cell_moment(value, day_first=day_first)[0]


def cell_moment(value: object, *, day_first: bool = False) -> tuple[datetime | None, DateStep]:
    """Return a cell as a date, and whether it names the day, the month or only the year.

    Examples
    --------
    >>> [(str(found.date()), step) for found, step in map(cell_moment, ("1999", "2001 Mar"))]
    [('1999-01-01', 'year'), ('2001-03-01', 'month')]
    """
    try:
        return _date(value, day_first), _step(value)
    except (ValueError, OverflowError, OSError):
        return None, "day"


def _step(value: object) -> DateStep:
    if isinstance(value, date):  # which datetime is, too
        return "day"
    text = clean_line(cell_text(cell_start(value, 200)))[:100]
    if _YEAR.fullmatch(text):
        return "year"
    return "month" if _MONTH.fullmatch(text) else "day"


def _date(value: object, day_first: bool) -> datetime | None:
    if hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime()
    if isinstance(value, datetime):
        if value != value:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    text = clean_line(cell_text(cell_start(value, 200)))[:100]
    if not text or not any(letter.isdigit() for letter in text):
        return None
    if _NUMBER.fullmatch(text):
        return _from_number(float(text), len(text.lstrip("-").partition(".")[0]))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        pass
    else:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if match := _SLASHED.match(text):
        return _from_match(match, text, day_first)
    for form in _LONG_DATES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return parse_date(text)


def _from_number(number: float, digits: int) -> datetime | None:
    if digits == 4:
        return datetime(int(number), 1, 1, tzinfo=UTC) if 1000 <= number < 3000 else None
    return datetime.fromtimestamp(number / 1000 if digits > 11 else number, tz=UTC)


def _from_match(match: re.Match[str], text: str, day_first: bool) -> datetime:
    a, b, c = (int(match[i]) for i in (1, 2, 3))
    if len(match[1]) == 4:
        year, month, day = a, b, c
    else:
        year = c if c > 99 else c + (2000 if c < 69 else 1900)
        # with dots the day comes first everywhere
        day, month = (a, b) if day_first or "." in match[0][:6] or a > 12 else (b, a)
    hour = int(match[4] or 0)
    if half := _AFTERNOON.search(text, match.start(4) if match[4] else len(text)):
        hour = hour % 12 + (12 if half[1] in "pP" else 0)
    return datetime(year, month, day, hour, int(match[5] or 0), int(match[6] or 0), tzinfo=UTC)


def guess_separator(cells: list[str], *, people: bool = False) -> str:
    """Return what separates the entries of list cells, empty when they hold one each.

    Examples
    --------
    >>> guess_separator(["a; b", "c", "d; e; f"]), guess_separator(["a", "b"])
    (';', '')
    """
    filled = [cell for cell in cells if cell]
    if not filled:
        return ""
    for separator in ("\n", ";", "|"):
        if sum(separator in cell for cell in filled) >= 0.2 * len(filled):
            return separator
    if people:
        pairs = [cell.split(" and ") for cell in filled if " and " in cell]
        # BibTeX's form: Last, First and Last, First
        if pairs and all(name.count(",") == 1 for names in pairs for name in names):
            return " and "
        if any(" and " in cell or "," in cell for cell in filled):
            return ","
        return ""
    commas = [cell for cell in filled if "," in cell]
    parts = [part for cell in commas for part in cell.split(",")]
    if len(commas) >= 0.2 * len(filled) and sum(map(len, parts)) <= 40 * len(parts):
        return ","
    return ""
