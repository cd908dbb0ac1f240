"""Rows out of files: CSV and TSV, JSON lines, Parquet. One at a time, damage included.

Every function yields ``(number, row, note)``: the line or row number, the row as a
mapping or the reason why it is none, and what was repaired.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from comraf.collection.items import Unit
from comraf.collection.readers.files import stamp
from comraf.collection.readers.tabular_columns import Row
from comraf.errors import InputError, MissingExtraError, ReadError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

__all__ = [
    "delimited_rows",
    "json_rows",
    "json_units",
    "open_parquet",
    "parquet_rows",
    "sniff_delimiter",
]

Numbered = tuple[int, Row | str, str]

LINE_LIMIT = 64 << 20
"""Bytes of one line, and characters of one cell, beyond which a row is skipped."""
JSON_UNIT = 16 << 20
"""Bytes of JSON lines that make one unit."""
ARRAY_LIMIT = 256 << 20
"""Size up to which a JSON array, which can't be read piece by piece, is accepted."""

# Characters over which a quote in a TSV file, which may mean nothing, is followed.
_CELL_LIMIT = 1 << 18
_DELIMITERS = (",", ";", "\t", "|")
_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


class _Lines:
    """Lines of a file as text, decoded one by one so that one bad byte harms one line."""

    def __init__(self, file: BinaryIO, encoding: str | None, *, line: int = 0) -> None:
        self.line = line
        self.note = ""
        self.lost = ""
        head = file.read(4)
        file.seek(-len(head), os.SEEK_CUR)
        self._text: io.TextIOWrapper | None = None
        if encoding is None and head.startswith(_WIDE_BOMS):
            wide = b"\x00\x00" in (head[:2], head[2:4])
            encoding = "utf-32" if wide else "utf-16"
        if encoding is not None:
            self._text = io.TextIOWrapper(file, encoding, errors="replace", newline="")
        elif head.startswith(codecs.BOM_UTF8):
            file.seek(len(codecs.BOM_UTF8), os.SEEK_CUR)
        self._file = file

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        stream = self._text if self._text is not None else self._file
        raw = stream.readline(LINE_LIMIT)
        if not raw:
            raise StopIteration
        self.line += 1
        if len(raw) >= LINE_LIMIT and raw[-1:] not in ("\n", b"\n"):
            self.lost = f"longer than {LINE_LIMIT >> 20} MB"
            while raw and raw[-1:] not in ("\n", b"\n"):
                raw = stream.readline(LINE_LIMIT)
            return "\n"
        if isinstance(raw, str):
            return raw
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = raw[error.start]
            self.note = f"line {self.line} is not UTF-8 (byte 0x{byte:02x}): read as Windows-1252"
            return raw.decode("cp1252", "replace")


def check_encoding(encoding: str | None) -> None:
    """Refuse the name of an encoding that does not exist.

    Examples
    --------
    >>> check_encoding("latin-1")
    """
    try:
        if encoding is not None:
            codecs.lookup(encoding)
    except LookupError:
        raise InputError(
            f"encoding={encoding!r} is not known. Common ones are 'utf-8', 'cp1252', 'latin-1' "
            f"and 'utf-16'; leave it out to have it found."
        ) from None


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
        sample = list(islice(_Lines(file, encoding), 500))
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        try:
            counts = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            continue
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
    r"""Yield the rows of a CSV or TSV file; the first result is the header itself.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.csv")
    ...     _ = file.write_text("a,b\n1,2\n3\n")
    ...     for number, row, _ in delimited_rows(str(file), ","):
    ...         print(number, row)
    1 {'a': 'a', 'b': 'b'}
    2 {'a': '1', 'b': '2'}
    3 the row has 1 cells, the header 2
    """
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    with open(path, "rb") as file:
        lines = _Lines(file, encoding)
        records = _tabbed(lines) if delimiter == "\t" else _quoted(lines, delimiter)
        names: list[str] = []
        for first, cells, note in records:
            if isinstance(cells, str):
                yield first, cells, note
            elif not names:
                names = _unique(cells) if header else [f"column {i + 1}" for i in range(len(cells))]
                yield first, dict(zip(names, names, strict=True)), note
                if not header:
                    yield first, dict(zip(names, cells, strict=True)), note
            elif len(cells) != len(names):
                yield first, f"the row has {len(cells)} cells, the header {len(names)}", note
            else:
                yield first, dict(zip(names, cells, strict=True)), note


def _quoted(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str] | str, str]]:
    """Yield the cells of each row of a CSV file; a quoted cell may run over lines."""
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        first = lines.line + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield first, f"not CSV: {error}", ""
            continue
        note, lines.note = lines.note, ""
        if lines.lost:
            yield first, lines.lost, ""
            lines.lost = ""
        elif len(cells) > 1 or (cells and cells[0].strip()):
            yield first, cells, note


def _tabbed(lines: _Lines) -> Iterator[tuple[int, list[str] | str, str]]:
    """Yield the cells of each row of a TSV file.

    Quotes mean something to some programs and nothing to others. So a row is what
    stands on one line, and a quote is believed only where that makes too short a row.
    """
    width = 0
    held: list[str] = []
    start = 1
    for text in lines:
        note, lines.note = lines.note, ""
        if lines.lost:
            yield lines.line, lines.lost, ""
            lines.lost = ""
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
            held, start = cells, lines.line
            continue
        yield lines.line, [_bare(cell) for cell in cells], note
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
    names: list[str] = []
    for number, cell in enumerate(cells, 1):
        name = " ".join(cell.split()) or f"column {number}"
        names.append(name if name not in names else f"{name} ({number})")
    return names


def json_units(path: str, whole: str) -> list[Unit]:
    r"""Cut a file of JSON lines into units at line ends.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.jsonl")
    ...     _ = file.write_text('{"a": 1}\n')
    ...     [(unit.start, unit.stop) for unit in json_units("a.jsonl", str(file))]
    [(0, 9)]
    """
    with open(whole, "rb") as file:
        # a new line never stands inside a JSON string, so any line end is a place to cut;
        # arrays and files of two bytes a letter stay in one piece
        if file.read(4).startswith(_WIDE_BOMS) or _is_array(whole):
            return [Unit(path, fingerprint=stamp(os.fstat(file.fileno())))]
        file.seek(0)
        units: list[Unit] = []
        start, line = 0, 1
        while block := file.read(JSON_UNIT):
            pieces = [block]
            while pieces[-1][-1:] != b"\n" and len(pieces) < 8:
                pieces.append(file.readline(JSON_UNIT))
                if not pieces[-1]:
                    break
            block = b"".join(pieces)
            mark = hashlib.blake2b(block, digest_size=8).hexdigest()
            units.append(Unit(path, start, start + len(block), mark, line))
            start += len(block)
            line += block.count(b"\n")
    return units


def _is_array(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4096).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def json_rows(
    path: str,
    start: int = 0,
    stop: int | None = None,
    line: int = 1,
    *,
    encoding: str | None = None,
) -> Iterator[Numbered]:
    r"""Yield the objects of a file of JSON lines, or of one small JSON array.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.jsonl")
    ...     _ = file.write_text('{"a": 1}\n[2]\n')
    ...     list(json_rows(str(file)))
    [(1, {'a': 1}, ''), (2, 'not a JSON object but a list', '')]
    """
    if start == 0 and _is_array(path):
        yield from _array_rows(path)
        return
    with open(path, "rb") as file:
        file.seek(start)
        source: BinaryIO = file
        if stop is not None:
            source = io.BytesIO(file.read(stop - start))
        lines = _Lines(source, encoding, line=line - 1)
        for text in lines:
            note, lines.note = lines.note, ""
            if lines.lost:
                yield lines.line, lines.lost, ""
                lines.lost = ""
            elif text.strip():
                yield lines.line, _object(text, json.loads), note


def _object(text: str, load: Callable[[str], object]) -> Row | str:
    try:
        value = load(text)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {type(error).__name__}: {str(error)[:120]}"
    if isinstance(value, dict):
        return value
    return f"not a JSON object but a {type(value).__name__}"


def _array_rows(path: str) -> Iterator[Numbered]:
    size = os.path.getsize(path)
    if size > ARRAY_LIMIT:
        raise ReadError(
            f"{path!r} is one JSON array of {size >> 20} MB, which can't be read piece by piece. "
            f"Turn it into JSON lines, one object a line: jq -c '.[]' in.json > out.jsonl"
        )
    with open(path, "rb") as file:
        try:
            values = json.loads(file.read())
        except (ValueError, RecursionError) as error:
            yield 1, f"not JSON: {type(error).__name__}: {str(error)[:120]}", ""
            return
    for number, value in enumerate(values, 1):
        yield number, value if isinstance(value, dict) else "not a JSON object", ""


def open_parquet(path: str) -> pq.ParquetFile:
    """Open a Parquet file, or say what is wrong with it.

    Examples
    --------
    >>> open_parquet("nowhere.parquet")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: Can't read 'nowhere.parquet' as Parquet: ...
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError(
            "Parquet files need pyarrow. Install it with: pip install 'comraf[parquet]'"
        ) from None
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise ReadError(f"Can't read {path!r} as Parquet: {str(error)[:200]}") from error


def parquet_rows(
    path: str, groups: Iterable[int], columns: Sequence[str] | None, line: int = 1
) -> Iterator[Numbered]:
    """Yield the rows of some row groups of a Parquet file.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow as pa, pyarrow.parquet as pq
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = str(pathlib.Path(folder, "a.parquet"))
    ...     pq.write_table(pa.table({"a": [1, 2]}), file)
    ...     [row for _, row, _ in parquet_rows(file, [0], None)]
    [{'a': 1}, {'a': 2}]
    """
    import pyarrow as pa

    with open_parquet(path) as file:
        number = line
        batches = file.iter_batches(batch_size=256, row_groups=list(groups), columns=columns)
        while True:
            try:
                batch = next(batches, None)
                rows: list[dict[str, Any]] = [] if batch is None else _plain(batch).to_pylist()
            except (OSError, ValueError, pa.ArrowException) as error:
                yield number, f"damaged Parquet data: {str(error)[:200]}", ""
                return
            if batch is None:
                return
            for row in rows:
                yield number, row, ""
                number += 1


def _plain(batch: Any) -> Any:
    """Turn nanoseconds into microseconds, which Python's dates can hold."""
    import pyarrow as pa

    for number, kind in enumerate(batch.schema.types):
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            column = batch.column(number).cast(pa.timestamp("us", tz=kind.tz), safe=False)
            batch = batch.set_column(number, batch.schema.field(number).name, column)
    return batch
