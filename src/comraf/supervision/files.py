"""Files of labels and of links, by item id: columns parted by commas, tabs or blanks."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from comraf.errors import InputError, ReadError
from comraf.supervision.naming import Located, quoted, refuse_itself, refuse_two_labels

__all__ = [
    "GROUP_NAMES",
    "ITEM_NAMES",
    "LABEL_NAMES",
    "UNKNOWN",
    "as_text",
    "cells",
    "read_label_file",
    "read_link_file",
    "text_of",
]

ITEM_NAMES = {"id", "item", "doc", "document", "file", "name", "row", "word", "person"}
LABEL_NAMES = {"label", "class", "category", "truth", "target", "topic", "folder"}
# Taken for classes where there is none of those.
GROUP_NAMES = {"group", "cluster"}
_WEIGHTS = {"weight", "w"}
# What other programs write for a class that is not known, beside nothing at all.
UNKNOWN = {"-1", "nan", "NaN", "None", "null", "NA", "<NA>"}
# Names of two columns of ids: id1 and id2, item_a and item_b, or one of these pairs.
_NUMBERED = re.compile(r"(?P<stem>[a-z]+)[ _.-]?(?:1|2|a|b|from|to)")
_COUPLES = {("from", "to"), ("source", "target"), ("first", "second"), ("left", "right")}
# Some ten million lines; a device that never ends is no file of labels.
_MOST_BYTES = 2**28

_Row = tuple[int, list[str]]


def read_label_file(path: str | os.PathLike[str]) -> list[tuple[str, str | None]]:
    r"""Read the classes of items.

    One item a line: its id and its class, parted by a comma, a semicolon, a tab or, where there
    is none of these, by blanks. A first line with names such as ``id,label`` or ``item,truth`` is
    a header; then there may be other columns, which are left out. An empty class and -1 mean that
    it is unknown; so do nan, None, null and NA, which other programs write for it.

    Parameters
    ----------
    path : path
        A text file in UTF-8.

    Returns
    -------
    list of (id, class)
        Each id once, in the order of the file; the class is None where it is unknown. Made a
        ``dict``, it is what `read_labels` takes.

    Raises
    ------
    ReadError
        The file is missing or not such a table.
    InputError
        An item has two classes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "labels.csv")
    ...     _ = file.write_text("id,label\nant,insect\nbee,\n")
    ...     read_label_file(file)
    [('ant', 'insect'), ('bee', None)]
    """
    rows, columns, _ = _table(path, _label_columns, (2,), "an id and a label")
    found: dict[str, str | None] = {}
    lines: dict[str, int] = {}
    twice: dict[str, str] = {}
    for line, row in rows:
        item, label = row[columns[0]], row[columns[1]] or None
        if not item:
            raise ReadError(f"{path}, line {line}: has no id; each line is an id and a label")
        label = None if label in UNKNOWN else label
        before = found.get(item)
        if before is None:
            found[Located.at(item, line)], lines[item] = label, line
        elif label is not None and label != before:
            twice.setdefault(
                item,
                f"{quoted(item)} is {quoted(before)} in line {lines[item]} and {quoted(label)} in "
                f"line {line}",
            )
    refuse_two_labels(path, twice.values())
    return list(found.items())


def read_link_file(
    path: str | os.PathLike[str], *, weight: float = math.inf
) -> list[tuple[str, str, float]]:
    r"""Read links between items.

    One link a line: two ids and, where it has one, its weight, parted as in a file of labels.
    A first line with names such as ``id1,id2``, ``from,to`` or ``a,b,weight`` is a header.

    Parameters
    ----------
    path : path
        A text file in UTF-8.
    weight : float
        Weight of links that have none of their own.

    Returns
    -------
    list of (id, id, weight)
        What `read_links` takes.

    Raises
    ------
    ReadError
        The file is missing or not such a table.
    InputError
        A weight is negative or no number, or an item is linked with itself.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "together.txt")
    ...     _ = file.write_text("ant bee\nbee cat 0.5\n")
    ...     read_link_file(file)
    [('ant', 'bee', inf), ('bee', 'cat', 0.5)]
    """
    links: list[tuple[str, str, float]] = []
    itself: list[str] = []
    rows, columns, named = _table(path, _link_columns, (2, 3), "two ids and perhaps a weight")
    for line, row in rows:
        one, other = row[columns[0]], row[columns[1]]
        if not one or not other:
            raise ReadError(f"{path}, line {line}: has no id; each line is two ids")
        if one == other:
            itself.append(f"{quoted(one)} (line {line})")
        if named:
            text = row[columns[2]] if len(columns) == 3 else ""
        else:
            text = row[2] if len(row) == 3 else ""
        price = _weight(text, path, line) if text else weight
        links.append((Located.at(one, line), Located.at(other, line), price))
    refuse_itself(path, itself)
    return links


def _weight(text: str, path: object, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 0:
        raise InputError(
            f"{path}, line {line}: the weight {quoted(text)} can't be used; a weight is a number "
            "of 0 or more, or inf"
        )
    return value


def _table(
    path: str | os.PathLike[str],
    header: Callable[[list[str]], list[int]],
    widths: tuple[int, ...],
    wanted: str,
) -> tuple[list[_Row], list[int], bool]:
    """Rows of cells with their line numbers, the places of the columns, and if a header says so."""
    rows = list(cells(text_of(path), path))
    columns = header([cell.casefold() for cell in rows[0][1]]) if rows else []
    if columns:
        width = len(rows[0][1])
        for line, row in rows[1:]:
            if len(row) != width:
                raise ReadError(
                    f"{path}, line {line}: has {len(row)} columns and the header has {width}"
                )
        return rows[1:], columns, True
    for line, row in rows:
        if len(row) not in widths:
            shown = ", ".join(quoted(cell) for cell in row[:4]) + (" …" if len(row) > 4 else "")
            raise ReadError(
                f"{path}, line {line}: has {len(row)} column{'s' if len(row) > 1 else ''} "
                f"({shown}); each line is {wanted}, parted by a comma, a tab or blanks"
            )
    return rows, [0, 1], False


def _label_columns(names: list[str]) -> list[int]:
    """Where a header has ids and labels; nothing if it is none."""
    ids = [place for place, name in enumerate(names) if name in ITEM_NAMES]
    labels = [place for place, name in enumerate(names) if name in LABEL_NAMES]
    labels += [place for place, name in enumerate(names) if name in GROUP_NAMES]
    if ids and labels:
        return [ids[0], labels[0]]
    # item,name: the name is the class's
    return [ids[0], ids[1]] if len(names) == 2 and names[1:] == ["name"] and ids[:1] == [0] else []


def _link_columns(names: list[str]) -> list[int]:
    weights = [place for place, name in enumerate(names) if name in _WEIGHTS]
    rest = [place for place in range(len(names)) if place not in weights]
    if len(rest) != 2 or len(weights) > 1:
        return []
    one, other = (names[place] for place in rest)
    stems = {match["stem"] for match in map(_NUMBERED.fullmatch, (one, other)) if match}
    # Items may well be called a and b, so these two are a header only beside a weight.
    is_header = (
        bool(weights)
        or (one, other) in _COUPLES
        or {one, other} <= ITEM_NAMES
        or (len(stems) == 1 and stems <= ITEM_NAMES and one != other)
    )
    return rest + weights if is_header else []


def cells(text: str, path: object) -> Iterator[_Row]:
    r"""Lines of a table with their numbers, parted by tabs, commas, semicolons or blanks.

    Examples
    --------
    >>> list(cells("a,b\n\nc,d", "x.csv"))
    [(1, ['a', 'b']), (3, ['c', 'd'])]
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    mark = next((mark for mark in "\t,;" if mark in first), None)
    if mark is None:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, line.split()
        return
    reader = csv.reader(text.split("\n"), delimiter=mark, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise ReadError(f"{path}, line {reader.line_num}: {error}") from None


def text_of(path: str | os.PathLike[str]) -> str:
    """The text of a file."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ReadError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from None
    return as_text(data, path)


def as_text(data: bytes, path: object) -> str:
    r"""The text of a file with plain ends of lines; what is none is refused.

    Examples
    --------
    >>> as_text(b"ant\r\nbee", "x.csv").split()
    ['ant', 'bee']
    """
    if len(data) > _MOST_BYTES:
        raise ReadError(
            f"{path}: has more than {_MOST_BYTES:,} bytes, which is too much for a file of labels "
            "or links"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError(
            f"{path}, line {line}: is not UTF-8 text (byte {data[error.start]:#04x}); save the "
            "file as UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ReadError(f"{path}, line {line}: holds a NUL byte; it must be a text file in UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")
