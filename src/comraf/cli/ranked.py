"""A ranked list as ``comraf rerank`` reads it: all rows and columns, and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.cli.wording import names_in
from comraf.errors import InputError, ReadError

if TYPE_CHECKING:
    from comraf.collection.readers.tabular import TabularReader
    from comraf.progress import Listener

__all__ = ["Ranked", "read_ranked"]

_TEXT = "text body content snippet description summary abstract".split()
_LINKS = ("url", "link", "href", "address")
_PLAIN = re.compile(r"[\W_]+")
_LEAST = 3


@dataclass(frozen=True, eq=False)
class Ranked:
    """A list in its order.

    Attributes
    ----------
    names : list of str
        Columns.
    rows : list of dict
        Cells by column, the first result first.
    titles : list of str
        What each is called.
    counts : csr_array of shape (rows, words)
        Their words.
    words : list of str
        Names of the columns of ``counts``.
    notes : list of str
        What the user should know.
    """

    names: list[str]
    rows: list[dict[str, Any]]
    titles: list[str]
    counts: Any
    words: list[str]
    notes: list[str]


def read_ranked(
    path: Path,
    *,
    kind: str | None = None,
    text: str | None = None,
    title: str | None = None,
    rank: str | None = None,
    listener: Listener | None = None,
) -> Ranked:
    r"""Read a list with all of its columns, and count the words of its results.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "hits.csv")
    ...     _ = file.write_text("at,title,snippet\n2,Sea,old ship\n1,Tea,hot cup\n3,Tea,cold cup\n")
    ...     ranked = read_ranked(file, rank="at")
    >>> ranked.titles, ranked.counts.shape[0], "snippet" in ranked.names
    (['Tea', 'Sea', 'Tea'], 3, True)
    """
    from comraf.collection.readers.tabular import FORMATS, TabularReader

    if kind is not None and kind not in FORMATS:
        raise InputError(f"--kind {kind} is no kind of list; it can be {', '.join(FORMATS)}")
    if not path.exists():
        raise ReadError(f"There is no file {str(path)!r}")
    if not path.is_file():
        raise InputError(f"{path} is a folder; name a file with one result a row")
    look = TabularReader(path, format=kind or _kind(path))
    names, numbered, lost = _rows(look)
    if len(numbered) < _LEAST:
        raise InputError(
            f"{path} has {len(numbered)} results that can be read; there must be at least {_LEAST}"
        )
    chosen = _columns(text, names, "--text") if text is not None else None
    heading = None if title is None else _columns(title, names, "--title")[0]
    if chosen is None:
        chosen = [c for c in names if _PLAIN.sub("", c).lower() in _TEXT and c != heading]
        chosen = chosen or [c for c in look.columns.text if c != heading]
    if heading is None:
        # titles that come again and again were taken for the text
        named = [c for c in look.columns.text if _PLAIN.sub("", c).lower() == "title"]
        heading = look.columns.title or next(iter(named), "")
        heading = "" if heading in chosen else heading
    if not chosen and not heading:
        raise InputError(f"{path} has no column that looks like text; name one with --text")
    if rank is not None:
        column = _columns(rank, names, "--rank")[0]
        numbered.sort(key=lambda pair: _rank(pair, column))  # those of one rank as they stood
    counts, words, told = _words(path, look, chosen, heading, [n for n, _ in numbered], listener)
    notes = [f"{lost:,} rows can't be read and are left out"] if lost else []
    notes.append(f"words are those of {', '.join([heading, *chosen] if heading else chosen)}")
    links = [c for c in names if _PLAIN.sub("", c).lower() in _LINKS]
    rows = [row for _, row in numbered]
    titles = [_title(row, [heading, *links, *chosen]) for row in rows]
    return Ranked(names, rows, titles, counts, words, notes + told)


def _kind(path: Path) -> str:
    from comraf.collection.readers.tabular import FORMATS

    ending = path.suffix.lower()
    known = [kind for kind, endings in FORMATS.items() if ending in endings]
    if not known:
        raise InputError(
            f"{path}: lists end in .csv, .tsv, .jsonl or .parquet; say with --kind what it is"
        )
    return known[0]


def _rows(reader: TabularReader) -> tuple[list[str], list[tuple[int, dict[str, Any]]], int]:
    """Names of columns, rows with the number of their line, and how many can't be read."""
    names: dict[str, None] = {}
    rows: list[tuple[int, dict[str, Any]]] = []
    lost = 0
    try:
        for place, (number, row, _) in enumerate(_numbered(reader)):
            if isinstance(row, str):
                lost += 1
                continue
            names.update(dict.fromkeys(row))
            if place or reader.kind not in ("csv", "tsv"):  # the first one is the heading
                rows.append((number, dict(row)))
    except OSError as error:
        raise ReadError(f"Can't read {reader.root!r}: {error.strerror or error}") from error
    return list(names), rows, lost


def _numbered(reader: TabularReader) -> Iterator[Any]:
    from comraf.collection.readers.tabular_delimited import delimited_rows
    from comraf.collection.readers.tabular_rows import json_rows, open_parquet, parquet_rows

    if reader.kind in ("csv", "tsv"):
        yield from delimited_rows(reader.root, reader.delimiter or ",")
    elif reader.kind == "jsonl":
        yield from json_rows(reader.root)
    else:
        with open_parquet(reader.root) as file:
            groups = range(file.num_row_groups)
        yield from parquet_rows(reader.root, groups, None)


def _words(
    path: Path,
    look: TabularReader,
    text: Sequence[str],
    title: str,
    numbers: Sequence[int],
    listener: Listener | None,
) -> tuple[Any, list[str], list[str]]:
    """Words of each row. Rows without any are empty, and second copies count as themselves."""
    import numpy as np
    import scipy.sparse as sp

    from comraf.collection.build import build_collection
    from comraf.collection.options import SideOptions, WordOptions
    from comraf.collection.readers.tabular import TabularReader

    none = {"id": "", "date": "", "people": [], "lists": [], "values": [], "truth": ""}
    reader = TabularReader(
        path,
        format=look.kind,
        delimiter=look.delimiter,
        text=list(text),
        title=title,
        **none,  # type: ignore[arg-type]
    )
    options = SideOptions(
        words=WordOptions(min_documents=1, max_share=1.0), sides=("words",), duplicates="keep"
    )
    collection = build_collection(reader, options=options, listener=listener)
    place = {number: i for i, number in enumerate(numbers)}
    rows = [place.get(int(source.rpartition(":")[2]), -1) for source in collection.sources]
    table = sp.coo_array(collection.tables["words"])
    where = np.asarray(rows, dtype=np.int64)[table.coords[0]]
    keep = where >= 0
    words = list(collection.sides["words"].values)
    counts = sp.csr_array(
        (table.data[keep], (where[keep], table.coords[1][keep])), shape=(len(numbers), len(words))
    )
    empty = int((np.diff(counts.indptr) == 0).sum())
    told = [f"{empty:,} results have no words, and come last in the ranking"] if empty else []
    return counts, words, told


def _columns(given: str, names: Sequence[str], option: str) -> list[str]:
    found = names_in(given)
    if not found:
        raise InputError(f"{option} names no column")
    for name in found:
        if name not in names:
            raise InputError(f"{option} {name}: there is no such column; there are {_list(names)}")
    return found


def _list(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _rank(pair: tuple[int, dict[str, Any]], column: str) -> float:
    import math

    number, row = pair
    try:
        value = float(row[column])  # 0 is a rank too, and an empty cell is none
    except (KeyError, TypeError, ValueError, OverflowError):
        value = math.nan
    if math.isnan(value):
        shown = str(row.get(column))[:40]
        raise InputError(f"--rank {column}: line {number} has {shown!r}, which is no number")
    return value


def _title(row: dict[str, Any], columns: Sequence[str]) -> str:
    from comraf.collection.readers.charsets import clean_line
    from comraf.collection.readers.tabular_cells import cell_start, cell_text

    for column in columns:
        found = clean_line(cell_text(cell_start(row.get(column), 400))) if column else ""
        if found:
            return found
    return "(nothing)"
