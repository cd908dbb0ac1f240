"""Tables of documents: CSV, TSV, JSON lines and Parquet files, one document a row."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Unpack

from comraf.collection.items import Item, Skip, Unit, digest_of
from comraf.collection.kinds import Kind
from comraf.collection.packed import HEAD
from comraf.collection.readers.charsets import check_encoding, clean_line
from comraf.collection.readers.files import (
    FileReader,
    os_path,
    portable,
    stamp,
    walk,
)
from comraf.collection.readers.tabular_cells import (
    cell_list,
    cell_moment,
    cell_people,
    cell_start,
    cell_text,
)
from comraf.collection.readers.tabular_columns import (
    ColumnOptions,
    Columns,
    Row,
    choose_columns,
)
from comraf.collection.readers.tabular_delimited import Numbered, sniff_delimiter
from comraf.collection.readers.tabular_rows import json_units, open_parquet, table_rows
from comraf.errors import InputError, Message, ReadError
from comraf.parameters import check_choice

FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet", ".pq"),
}
"""Formats and the endings of their files."""
_DELIMITED = ("csv", "tsv")

SAMPLE = 300
"""Rows that are looked at to tell what the columns are."""
SAMPLE_TEXT = 16 << 20
"""Characters beyond which no more rows are looked at."""

MAX_TEXT = 8 << 20
"""Characters of one document that are kept; what is longer is no document but a file of them."""

_TITLE_LIMIT = 1000
_VALUE_LIMIT = 300
_LIST_LIMIT = 1 << 20


def row_item(row: Row, columns: Columns, source: str, notes: tuple[str, ...] = ()) -> Item | Skip:
    """Turn one row into an item.

    Parameters
    ----------
    row : mapping
        Column names to cells.
    columns : Columns
        What is what.
    source : str
        Where the row stands; also its id when there is no column for that.
    notes : tuple of str
        What was repaired.

    Examples
    --------
    >>> row_item({"body": "It leaks.", "tags": "a;b"},
    ...     Columns(text=("body",), lists=(("tags", ";"),)), "t.csv:2").values
    {'tags': ('a', 'b')}
    """

    def line(name: str) -> str:
        return clean_line(cell_text(cell_start(row.get(name), 4 * _TITLE_LIMIT)))

    cells = [row.get(name) for name in columns.text]
    parts_of_text = (cell_text(cell_start(cell, MAX_TEXT)) for cell in cells)
    text = "\n\n".join(part for part in parts_of_text if part)
    if len(text) > MAX_TEXT or any(isinstance(c, str) and len(c) > MAX_TEXT for c in cells):
        text = text[:MAX_TEXT]
        notes = (*notes, f"cut at {MAX_TEXT:,} characters")
    title = line(columns.title)[:_TITLE_LIMIT] if columns.title else ""
    people = tuple(
        person
        for name, role, separator in columns.people
        for person in cell_people(cell_start(row.get(name), _LIST_LIMIT), separator, role)
    )
    values: dict[str, tuple[str, ...]] = {}
    for name, separator in columns.lists:
        if parts := cell_list(cell_start(row.get(name), _LIST_LIMIT), separator):
            values[name] = tuple(dict.fromkeys(part[:_VALUE_LIMIT] for part in parts))
    for name in columns.values:
        if value := line(name):
            values[name] = (value[:_VALUE_LIMIT],)
    if not (text or title or people or values):
        return Skip(source, "the row is empty")
    truth = None
    if columns.truth:
        start = cell_start(row.get(columns.truth), 4 * _TITLE_LIMIT)
        classes = cell_list(start, columns.truth_separator)
        truth = classes[0] if classes else None
    key = line(columns.id) if columns.id else ""
    cell = row.get(columns.date) if columns.date else None
    moment, step = cell_moment(cell, day_first=columns.day_first)
    return Item(
        id=key or source,
        text=text,
        title=title,
        date=moment,
        date_step=step,
        source=source,
        people=people,
        values=values,
        truth=truth,
        digest=digest_of(title, text, *(person.address or person.name for person in people)),
        notes=notes,
    )


class TabularReader(FileReader):
    r"""A table of documents in a file, or in several files of one folder.

    A CSV or TSV file is read as one unit, JSON lines in stretches, Parquet by row groups.

    Parameters
    ----------
    path : path-like
        The file, or a folder of files of one format.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        Found from the ending when not given.
    text : str or sequence of str, optional
        Column or columns that are the text, one after the other.
    title, id, date : str, optional
        Columns of that meaning; ``""`` says that there is none.
    people : str, sequence of str or mapping, optional
        Columns that name people; a mapping gives their separators.
    lists : str, sequence of str or mapping, optional
        Columns with several entries in a cell; a mapping gives their separators.
    values : str or sequence of str, optional
        Columns with a single entry that is a side of its own.
    truth : str, optional
        Column of the known class, for scoring only.
    guess : bool, default=True
        Whether what is not given is guessed (see `.tabular_columns` for the rules).
        The guesses are in ``notes``.
    delimiter : str, optional
        What separates cells; found when not given.
    encoding : str, optional
        Found when not given: UTF-8, and Windows-1252 for lines that are not.
    header : bool, default=True
        Whether the first row of a CSV or TSV file names the columns.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "papers.csv")
    ...     _ = file.write_text("title,authors,abstract\nPumps,Ann Li and Bo Yu,They leak.\n")
    ...     reader = TabularReader(file)
    ...     item = next(reader.read(reader.scan()[0]))
    >>> item.title, item.text, [person.name for person in item.people]
    ('Pumps', 'They leak.', ['Ann Li', 'Bo Yu'])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 -- the word that users know
        delimiter: str | None = None,
        encoding: str | None = None,
        header: bool = True,
        **columns: Unpack[ColumnOptions],
    ) -> None:
        super().__init__(path)
        if format is None:
            format = format_of(self.root) or "csv"  # noqa: A001
        check_choice("format", format, FORMATS)
        if delimiter is not None and len(delimiter) != 1:
            raise InputError(
                f"delimiter={delimiter!r} must be one character, such as ',' or '\\t'."
            )
        check_encoding(encoding)
        self.kind = format
        self.delimiter = delimiter
        self.encoding = encoding
        self.header = header
        self.files = self._files()
        self.names, sample = self._look()
        self.columns, notes = choose_columns(self.names, sample, **columns)
        self.notes += notes

    def _files(self) -> list[str]:
        if self.path.is_file():
            if self.path.stat().st_size == 0:
                raise ReadError(f"The file {self.root!r} is empty.")
            return [""]
        endings = FORMATS[self.kind]
        found = [
            portable(path)
            for path, _, readable in walk(self.root, [])
            if readable and path.lower().endswith(endings)
        ]
        if not found:
            raise ReadError(f"There is no {self.kind} file in {self.root!r} or below it.")
        return found

    def _look(self) -> tuple[list[str], list[Row]]:
        """Read the names of the columns and the first rows, of the first file that has any."""
        given = self.delimiter
        foreign: list[ReadError] = []
        for path in list(self.files):
            self.delimiter = given
            try:
                found = self._look_at(os_path(self.root, path))
            except ReadError as error:
                foreign.append(error)
                continue
            if foreign:
                del self.files[: len(foreign)]
                files = "1 file" if len(foreign) == 1 else f"{len(foreign)} files"
                self.notes.append(f"{files} passed over; the first: {foreign[0].statement}")
            return found
        if len(foreign) == 1:
            raise foreign[0]
        raise ReadError(
            "None of the {n} {kind} files in {path!r} can be read. The first: {error}",
            n=len(foreign),
            kind=self.kind,
            path=self.root,
            error=foreign[0],
        )

    def _look_at(self, first: str) -> tuple[list[str], list[Row]]:
        if self.kind in _DELIMITED and self.delimiter is None:
            sniffed = "\t" if self.kind == "tsv" else sniff_delimiter(first, self.encoding)
            self.delimiter = sniffed
            if self.kind == "csv" and sniffed != ",":
                self.notes.append(f"cells are separated by {sniffed!r}")
        try:
            found = _beginning(self.rows(first, Unit("")))
        except OSError as error:
            raise ReadError(f"Can't read {first!r}: {error}") from error
        rows: list[Row] = [row for _, row, _ in found if not isinstance(row, str)]
        reasons = [f"{number}: {row}" for number, row, _ in found if isinstance(row, str)]
        if self.kind in _DELIMITED and len(reasons) > len(rows):
            raise ReadError(
                "{lost} of the first {n} rows of {path!r} can't be read as {kind} with the "
                "delimiter {delimiter!r}. Line {reason}",
                advice="{mend}",
                lost=len(reasons),
                n=len(found),
                path=first,
                kind=self.kind,
                reason=reasons[0],
                delimiter=self.delimiter,
                mend=Message("give delimiter=... or another kind", code="delimiter"),
            )
        if not rows:
            why = f" The first line that is wrong: {reasons[0]}." if reasons else ""
            if self.kind in _DELIMITED:
                raise ReadError(f"{first!r} has a header and no rows.")
            raise ReadError(f"{first!r} holds no rows that can be read as {self.kind}.{why}")
        names = list(dict.fromkeys(name for row in rows for name in row))
        return names, rows

    def rows(
        self, path: str, unit: Unit, columns: Sequence[str] | None = None
    ) -> Iterator[Numbered]:
        """Yield the rows of a unit of a file, of which not all columns may be wanted."""
        return table_rows(
            path,
            self.kind,
            unit,
            columns=columns,
            delimiter=self.delimiter,
            encoding=self.encoding,
            header=self.header,
        )

    def scan(self) -> list[Unit]:
        """List the files, or the pieces of them that can be read on their own."""
        self.renew()
        cut = {"jsonl": json_units, "parquet": _row_groups}.get(self.kind, _whole)
        return list(self.units(self.files, cut))

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the documents of a unit; rows that can't be used become skips."""
        name = self.source(unit)
        used = self.columns.used
        for number, row, note in self.rows(os_path(self.root, unit.path), unit, used):
            source = f"{name}:{number}"
            if isinstance(row, str):
                yield Skip(source, row)
            elif self.kind in _DELIMITED and not row.keys() >= set(used):
                missing = next(column for column in used if column not in row)
                yield Skip(name, f"the file has no column {missing!r}")
                return
            else:
                yield row_item(row, self.columns, source, (note,) if note else ())

    def cells(self, column: str) -> Iterator[tuple[str, object]]:
        """Yield where each row stands, as items say it, and its cell of a column as it is.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "a.jsonl")
        ...     _ = file.write_text('{"text": "It leaks.", "vector": [1, 2]}')
        ...     list(TabularReader(file).cells("vector"))
        [('a.jsonl:1', [1, 2])]
        """
        for unit in self.scan():
            name = self.source(unit)
            for number, row, _ in self.rows(os_path(self.root, unit.path), unit, [column]):
                if not isinstance(row, str):
                    yield f"{name}:{number}", row.get(column)


def _beginning(rows: Iterator[Numbered]) -> list[Numbered]:
    """The first rows, fewer where they are very long."""
    found: list[Numbered] = []
    size = 0
    for numbered in islice(rows, SAMPLE):
        found.append(numbered)
        row = numbered[1]
        if not isinstance(row, str):
            size += sum(len(cell) for cell in row.values() if isinstance(cell, str))
        if size > SAMPLE_TEXT:
            break
    return found


def _whole(path: str, whole: str) -> list[Unit]:
    return [Unit(path, fingerprint=stamp(os.stat(whole)))]


def _row_groups(path: str, whole: str) -> list[Unit]:
    mark = stamp(os.stat(whole))
    units = []
    with open_parquet(whole) as file:
        line = 1
        for group in range(file.num_row_groups):
            units.append(Unit(path, group, group + 1, mark, line))
            line += file.metadata.row_group(group).num_rows
    return units


def format_of(path: str) -> str | None:
    """Return the format that a file's ending stands for.

    Examples
    --------
    >>> format_of("a.tsv"), format_of("a.txt")
    ('tsv', None)
    """
    lower = path.lower()
    return next((name for name, ends in FORMATS.items() if lower.endswith(ends)), None)


def _is_json(head: bytes) -> bool:
    line = head.split(b"\n", 1)[0].strip()
    return line.startswith(b'{"') and (line.endswith(b"}") or len(head) == HEAD)


def _is_tabbed(head: bytes) -> bool:
    lines = head.split(b"\n")[:-1][:20]
    tabs = {line.count(b"\t") for line in lines}
    return len(lines) > 1 and len(tabs) == 1 and 0 not in tabs


CSV = Kind(
    "csv",
    "CSV",
    partial(TabularReader, format="csv"),
    noun="row",
    recognise=lambda look: False,
    endings=FORMATS["csv"],
    family="table",
    whole=True,
    many=True,
)
TSV = replace(
    CSV,
    name="tsv",
    about="TSV",
    reader=partial(TabularReader, format="tsv"),
    # in a folder of texts, one that has tabs is a text like the others
    recognise=lambda look: not look.folder and _is_tabbed(look.head),
    endings=FORMATS["tsv"],
)
JSONL = replace(
    CSV,
    name="jsonl",
    about="JSON lines",
    reader=partial(TabularReader, format="jsonl"),
    recognise=lambda look: look.claim in ("", "text") and _is_json(look.head),
    endings=FORMATS["jsonl"],
)
PARQUET = replace(
    CSV,
    name="parquet",
    about="Parquet",
    reader=partial(TabularReader, format="parquet"),
    recognise=lambda look: look.head.startswith(b"PAR1"),
    endings=FORMATS["parquet"],
    binary=True,
)
