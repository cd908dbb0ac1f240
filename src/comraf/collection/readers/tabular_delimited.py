"""Rows of CSV and TSV files that people made by hand: quotes that mean nothing included.

A quote that is opened and never closed would swallow the rest of the file, and a million
rows would look like one. So a cell that runs over several lines is believed only if it is
closed as it should be and its row is as long as the header; else the quote is a sign like
any other, and the lines after it are rows of their own.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import islice
from typing import NamedTuple

from comraf.collection.readers import charsets
from comraf.collection.readers.charsets import Lines
from comraf.collection.readers.tabular_columns import Row

Numbered = tuple[int, Row | str, str]
"""Line or row number, the row or the reason why it is none, what was repaired."""

_Cells = tuple[int, list[str] | str, str]

# Characters over which a quote in a TSV file, which may mean nothing, is followed.
_CELL_LIMIT = 1 << 18
_DELIMITERS = (",", ";", "\t", "|")
_SNIFFED = 1 << 20
_LOST = '"lost"lost\n'
# Lines that may be read again for each line of a file, and some more, because a quote was not
# closed: a file in which every line opens one would be read again from each of them.
_AGAIN = 4
_AGAIN_MORE = 10_000


class _Line(NamedTuple):
    number: int
    text: str
    note: str = ""
    lost: str = ""


class _Feed:
    """Lines for the parser, which remembers those of the latest row and can take some back."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._back: deque[_Line] = deque()
        # lines are many and seldom odd: what is odd about one is kept apart
        self._odd: dict[int, tuple[str, str]] = {}
        self.texts: list[str] = []
        self.number = 0
        self._left = _AGAIN_MORE

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._back:
            number, text, note, lost = self._back.popleft()
        else:
            lines = self._lines
            text = next(lines)
            number, note, lost = lines.line, lines.note, lines.lost
            self._left += _AGAIN
        if not self.texts:
            self.number = number
        if note or lost:
            self._odd[len(self.texts)] = (note, lost)
        self.texts.append(text)
        # what is lost closes no quote: a row that runs over it can't be right
        return text if not lost else _LOST

    def begin(self) -> None:
        """Forget the row before."""
        self.texts.clear()
        self._odd.clear()

    def first(self) -> _Line:
        """Return the first line of the row."""
        return _Line(self.number, self.texts[0], *self._odd.get(0, ("", "")))

    def note(self) -> str:
        """Return what was repaired in the lines of the row."""
        return next((note for note, _ in self._odd.values() if note), "") if self._odd else ""

    @property
    def tired(self) -> bool:
        """Whether lines were read again so often that no quote is followed any more."""
        return self._left < 0

    def give_back(self) -> None:
        """Give all lines of the row back but the first."""
        self._left -= len(self.texts) - 1
        rest = [
            _Line(self.number + i, text, *self._odd.get(i, ("", "")))
            for i, text in enumerate(self.texts)
        ]
        self._back.extendleft(reversed(rest[1:]))


def sniff_delimiter(path: str, encoding: str | None = None) -> str:
    r"""Return what separates the cells of a file: the sign that gives the most even rows.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.csv")
    ...     _ = file.write_text("a;b\n1,5;2\n")
    ...     sniff_delimiter(str(file))
    ';'
    """
    with open(path, "rb") as file:
        sample = []
        size = 0
        for line in islice(Lines(file, encoding), 500):
            sample.append(line)
            size += len(line)
            if size > _SNIFFED:
                break
    text = "".join(sample).encode("utf-8", "replace")
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        rows = _quoted(Lines(BytesIO(text), None), delimiter)
        counts = [len(cells) for _, cells, _ in rows if not isinstance(cells, str)]
        if not counts or counts[0] < 2:
            continue
        even = sum(count == counts[0] for count in counts) / len(counts)
        score = (round(even, 1), counts[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best


def delimited_rows(
    path: str, delimiter: str, *, encoding: str | None = None, header: bool = True
) -> Iterator[Numbered]:
    r"""Yield the rows of a CSV or TSV file below its header.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.csv")
    ...     _ = file.write_text("a,b\n1,2\n3\n")
    ...     for number, row, _ in delimited_rows(str(file), ","):
    ...         print(number, row)
    2 {'a': '1', 'b': '2'}
    3 the row has 1 cells, the header 2
    """
    with open(path, "rb") as file:
        lines = Lines(file, encoding)
        records = _tabbed(lines) if delimiter == "\t" else _quoted(lines, delimiter)
        names: list[str] = []
        for first, cells, note in records:
            if isinstance(cells, str):
                yield first, cells, note
            elif not names:
                names = _unique(cells) if header else [f"column {i + 1}" for i in range(len(cells))]
                if not header:
                    yield first, dict(zip(names, cells, strict=True)), note
            elif len(cells) != len(names):
                yield first, f"the row has {len(cells)} cells, the header {len(names)}", note
            else:
                yield first, dict(zip(names, cells, strict=True)), note


def _quoted(lines: Lines, delimiter: str) -> Iterator[_Cells]:
    """Yield the cells of each row of a CSV file; a quoted cell may run over lines."""
    csv.field_size_limit(max(csv.field_size_limit(), charsets.LINE_LIMIT))
    feed = _Feed(lines)
    # strict, so that a quote where none can be is told at once
    rows = csv.reader(feed, delimiter=delimiter, strict=True)
    width = 0
    while True:
        feed.begin()
        try:
            cells: list[str] | None = None
            if feed.tired:
                next(feed)
            else:
                cells = next(rows)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        note = feed.note()
        if cells is None or (len(feed.texts) > 1 and len(cells) != width):
            first = feed.first()
            found = _one_line(first, cells, width, delimiter)
            if found is not cells:
                feed.give_back()
                note = first.note
            if isinstance(found, str):
                yield first.number, found, note
                continue
            if found is not cells and _quote_state(first.text, delimiter) == "open":
                note = note or f"line {first.number} opens a quote and never closes it"
            cells = found
        if len(cells) > 1 or (cells and cells[0].strip()):
            width = width or len(cells)
            yield feed.number, cells, note


def _one_line(first: _Line, cells: list[str] | None, width: int, delimiter: str) -> list[str] | str:
    """What a row is that is not as it should be: its first line, the whole, or nothing."""
    if first.lost:
        return first.lost
    if _quote_state(first.text, delimiter) != "open":
        return _cells(first.text, delimiter) if cells is None else cells
    literal = first.text.rstrip("\r\n").split(delimiter)
    if len(literal) == width or (cells is None and not width):
        return literal
    return "a quote is opened and never closed" if cells is None else cells


def _quote_state(text: str, delimiter: str, *, inside: bool = False) -> str:
    r"""Tell whether a line leaves a quote open, or has one where none can be.

    Examples
    --------
    >>> _quote_state('1,"a', ","), _quote_state('b",2\n', ",", inside=True)
    ('open', 'closed')
    >>> _quote_state('b"c,2\n', ",", inside=True)
    'stray'
    """
    at = 0
    while True:
        if inside:
            at = text.find('"', at)
            if at < 0:
                return "open"
            after = text[at + 1 : at + 2]
            if after == '"':
                at += 2
                continue
            if after in ("", "\r", "\n"):
                return "closed"
            if after != delimiter:
                return "stray"
            at += 2
            inside = False
        elif text.startswith('"', at):
            at += 1
            inside = True
        else:
            at = text.find(delimiter, at) + 1
            if not at:
                return "closed"


def _cells(text: str, delimiter: str) -> list[str]:
    """Cut one record into cells; what defeats the parser is cut at the delimiters."""
    try:
        return next(csv.reader((text,), delimiter=delimiter))
    except (csv.Error, StopIteration):
        return text.rstrip("\r\n").split(delimiter)


def _tabbed(lines: Lines) -> Iterator[_Cells]:
    """Yield the cells of each row of a TSV file."""
    # Quotes mean something to some programs and nothing to others. So a row is what stands on one
    # line, and a quote is believed only where that makes too short a row.
    width = 0
    held: list[str] = []
    start = 1
    for text in lines:
        number, note = lines.line, lines.note
        if lines.lost:
            yield number, lines.lost, ""
            continue
        cells = text.rstrip("\r\n").split("\t")
        if not held and cells == [""]:
            continue
        if held and len(cells) != width:
            # the rest of a quoted cell, as long as it fits
            joined = [*held[:-1], f"{held[-1]}\n{cells[0]}", *cells[1:]]
            if len(joined) <= width and len(joined[-1]) < _CELL_LIMIT:
                held = joined
                if len(held) == width and not _open(held[-1]):
                    yield start, [_bare(cell) for cell in held], note
                    held = []
                continue
        if held:
            yield start, [_bare(cell) for cell in held], ""
            held = []
        if not width:
            width = len(cells)
        elif len(cells) <= width and _open(cells[-1]):
            held, start = cells, number
            continue
        yield number, [_bare(cell) for cell in cells], note
    if held:
        yield start, [_bare(cell) for cell in held], ""


def _open(cell: str) -> bool:
    return cell.startswith('"') and cell.count('"') % 2 == 1


def _bare(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _unique(cells: Sequence[str]) -> list[str]:
    """Give columns without a name, or with another's name, a name of their own."""
    names: dict[str, None] = {}
    for number, cell in enumerate(cells, 1):
        name = " ".join(cell.split()) or f"column {number}"
        while name in names:
            name = f"{name} ({number})"
        names[name] = None
    return list(names)
