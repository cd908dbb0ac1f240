"""Rows out of files: JSON lines, Parquet. One at a time, damage included.

Every function yields ``(number, row, note)``: the line or row number, the row as a
mapping or the reason why it is none, and what was repaired.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from comraf.collection.items import Unit
from comraf.collection.readers.charsets import Lines, is_wide
from comraf.collection.readers.files import stamp
from comraf.collection.readers.limits import check_groups, most_unpacked, texts_of
from comraf.collection.readers.tabular_columns import Row
from comraf.collection.readers.tabular_delimited import (
    Numbered,
    delimited_rows,
    sniff_delimiter,
)
from comraf.errors import ReadError

if TYPE_CHECKING:
    import pyarrow.parquet as pq


JSON_UNIT = 16 << 20
"""Bytes of JSON lines that make one unit."""
MOST_KEYS = 1000
"""Keys of one JSON object beyond which it is a dictionary rather than a row."""
ARRAY_LIMIT = 256 << 20
"""Size up to which a JSON array, which can't be read piece by piece, is accepted."""


def table_rows(
    path: str,
    kind: str,
    unit: Unit | None = None,
    *,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
) -> Iterator[Numbered]:
    r"""Yield the rows of a file, or of a unit of it, whatever its format.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.csv")
    ...     _ = file.write_text("a;b\n1;2\n")
    ...     list(table_rows(str(file), "csv"))
    [(2, {'a': '1', 'b': '2'}, '')]
    """
    unit = unit or Unit("")
    if kind in ("csv", "tsv"):
        if delimiter is None:
            delimiter = "\t" if kind == "tsv" else sniff_delimiter(path, encoding)
        return delimited_rows(path, delimiter, encoding=encoding, header=header)
    if kind == "jsonl":
        return json_rows(path, unit.start, unit.stop, unit.line, encoding=encoding)
    with open_parquet(path) as file:
        last = file.num_row_groups if unit.stop is None else unit.stop
        if columns is not None:
            columns = [name for name in columns if name in file.schema_arrow.names]
    return parquet_rows(path, range(unit.start, last), columns, unit.line)


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
        if is_wide(file.read(4)) or _is_array(whole):
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
        lines = Lines(source, encoding, line=line - 1)
        for text in lines:
            if lines.lost:
                yield lines.line, lines.lost, ""
            elif text.strip():
                yield lines.line, _object(text, json.loads), lines.note


def _object(text: str, load: Callable[[str], object]) -> Row | str:
    try:
        value = load(text)
    except (ValueError, RecursionError) as error:
        return _no_json(error)
    if isinstance(value, dict):
        if len(value) > MOST_KEYS and not any(isinstance(v, float) for v in value.values()):
            # a row may hold a long vector of numbers, a number a key
            return f"a JSON object of {len(value):,} keys, which is no row of a table"
        return value
    return f"not a JSON object but a {type(value).__name__}"


def _no_json(error: Exception) -> str:
    """What is wrong with one line, whose number is told elsewhere."""
    if isinstance(error, json.JSONDecodeError):
        what = error.msg.removesuffix(" at").removesuffix(" starting")
        return f"not JSON: {what}, at character {error.pos + 1} of the line"
    return f"not JSON: {type(error).__name__}: {str(error)[:120]}"


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
            line = getattr(error, "lineno", 1)
            yield line, f"not JSON: {str(error)[:120]}", ""
            return
    if values and not any(isinstance(value, dict) for value in values):
        yield 1, "a JSON array without one object", ""
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        check_groups(file, os.path.getsize(path), path)
        if texts := texts_of(file):
            file.close()
            file = pq.ParquetFile(path, read_dictionary=texts)
        return file
    except ReadError:
        raise
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
        left = most_unpacked(os.path.getsize(path))
        batches = file.iter_batches(batch_size=256, row_groups=list(groups), columns=columns)
        while True:
            try:
                batch = next(batches, None)
                left -= 0 if batch is None else sum(map(_size, batch.columns))
                if left < 0:
                    yield number, "damaged Parquet data: its texts are far longer than it is", ""
                    return
                rows: list[dict[str, Any]] = [] if batch is None else _plain(batch).to_pylist()
            except (OSError, ValueError, pa.ArrowException) as error:
                yield number, f"damaged Parquet data: {str(error)[:200]}", ""
                return
            if batch is None:
                return
            for row in rows:
                yield number, row, ""
                number += 1


def _size(column: Any) -> int:
    """Bytes that a column takes when each of its texts is written out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        lengths = pc.binary_length(column.dictionary)
        return int(pc.sum(lengths.take(column.indices)).as_py() or 0)
    if pa.types.is_struct(column.type):
        return sum(map(_size, column.flatten()))
    if pa.types.is_map(column.type):  # which can't be flattened
        first, last = column.offsets[0].as_py(), column.offsets[-1].as_py()
        return _size(column.values.slice(first, last - first))
    if pa.types.is_nested(column.type):
        return _size(column.flatten()) if hasattr(column, "values") else int(column.nbytes)
    return int(column.nbytes)


def _plain(batch: Any) -> Any:
    """Write out texts; turn nanoseconds into microseconds, which Python's dates can hold."""
    import pyarrow as pa

    for number, kind in enumerate(batch.schema.types):
        if pa.types.is_dictionary(kind):
            column = batch.column(number).dictionary_decode()
            batch = batch.set_column(number, batch.schema.field(number).name, column)
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            column = batch.column(number).cast(pa.timestamp("us", tz=kind.tz), safe=False)
            batch = batch.set_column(number, batch.schema.field(number).name, column)
    return batch
