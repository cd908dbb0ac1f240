"""CSV and TSV files of (row, column, count) triplets, one entry a line.

Files of many millions of lines are common, so Arrow reads those that are plain: without quotes,
with the same number of cells in every line. All others are read line by line with Python's
``csv`` module, which is also the judge of what is wrong: what Arrow refuses is read again by it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from comraf.collection.readers.limits import Budget, Unpacking, in_words, open_bytes
from comraf.collection.tables.counts import Raw, check_values
from comraf.collection.tables.triplets import Columns, Triplets, find_columns
from comraf.errors import ComrafError, InputError, ReadError

_BLOCK = 2**18
_LONGEST_LINE = 2**20
_RECORDS = 2**11  # at a time: so few stay in the processor's cache
_BOM = b"\xef\xbb\xbf"


def read_csv(path: Path, budget: Budget) -> Raw:
    r"""Read triplets parted by commas (or by semicolons or tabs, as the first line shows).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.csv")
    ...     _ = file.write_text("document,word,count\nd1,sea,2\nd1,sea,1\nd2,ship,1\n")
    ...     raw = read_csv(file, Budget("a.csv"))
    >>> raw.matrix.toarray().tolist(), raw.row_names, raw.column_names
    ([[3, 0], [0, 1]], ('d1', 'd2'), ('sea', 'ship'))
    """
    return _read(path, budget, "")


def read_tsv(path: Path, budget: Budget) -> Raw:
    r"""Read triplets parted by tabs.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.tsv")
    ...     _ = file.write_text("d1\tsea\nd2\tship\n")
    ...     read_tsv(file, Budget("a.tsv")).matrix.toarray().tolist()
    [[1, 0], [0, 1]]
    """
    return _read(path, budget, "\t")


def read_names(path: Path, budget: Budget) -> tuple[str, ...]:
    r"""Read names, one a line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "words.txt")
    ...     _ = file.write_text("sea\nship\n")
    ...     read_names(file, Budget("words.txt"))
    ('sea', 'ship')
    """
    names: list[str] = []
    n_bytes = 0
    with open_bytes(path) as stream:
        for text in _texts(stream, budget.source):
            names.extend(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))
            n_bytes += len(text)
            budget.check(n_bytes + 160 * len(names), "the names")
    return tuple(names)


def _texts(stream: Unpacking, source: str) -> Iterator[str]:
    """The file in pieces that end where lines end."""
    n_lines = 0
    for data in stream.blocks(_BLOCK, stream.read(_BLOCK).removeprefix(_BOM), _LONGEST_LINE):
        if b"\n" not in data and len(data) > _LONGEST_LINE:
            raise ReadError(
                f"{source}, line {n_lines + 1}: is longer than {in_words(_LONGEST_LINE)}; a "
                "triplet is one short line. Is this a text file of triplets?"
            )
        try:
            yield data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = n_lines + data.count(b"\n", 0, error.start) + 1
            raise ReadError(
                f"{source}, line {line}: is not UTF-8 text (byte {data[error.start]:#04x}); save "
                "the file as UTF-8"
            ) from None
        n_lines += data.count(b"\n")


def _records(stream: Unpacking, source: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line that has any, with the number of the (last) line."""
    lines = chain.from_iterable(io.StringIO(text, newline="") for text in _texts(stream, source))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise ReadError(
            f"{source}, line {reader.line_num}: is not CSV: {error}. Is a quote opened and never "
            "closed?"
        ) from None


class _Form(NamedTuple):
    """How a file is to be read: what parts its cells, what they are, lines above the entries."""

    delimiter: str
    columns: Columns
    n_above: int


def _read(path: Path, budget: Budget, delimiter: str) -> Raw:
    form = _form(path, budget.source, delimiter)
    triplets = Triplets(budget)
    if form is not None:
        with open_bytes(path) as stream:
            is_plain = _read_plain(stream, form, triplets)
        if not is_plain:
            triplets = Triplets(budget)
            with open_bytes(path) as stream:
                _read_lines(stream, form, triplets, budget.source)
    return triplets.table()


def _form(path: Path, source: str, delimiter: str) -> _Form | None:
    """Look at the first line that has anything in it; None where there is none."""
    if not delimiter:
        with open_bytes(path) as stream:
            lines = chain.from_iterable(map(str.splitlines, _texts(stream, source)))
            first = next(filter(None, lines), "")
        delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    with open_bytes(path) as stream:
        line, cells = next(_records(stream, source, delimiter), (0, []))
    if not cells:
        return None
    if named := find_columns(cells, source):
        return _Form(delimiter, named, line)
    if len(cells) not in (2, 3):
        raise InputError(
            f"{source}: has {len(cells)} columns and no header that says which are meant; expected "
            "row, column, count (or row, column), one entry a line, or a header with these names"
        )
    columns = Columns(0, 1, 2 if len(cells) == 3 else None, len(cells))
    return _Form(delimiter, columns, line if len(cells) == 3 and not _is_number(cells[2]) else 0)


class _Unquoted:
    """A file for Arrow, which takes what a closed quote is followed by for a part of the name."""

    closed = False

    def __init__(self, stream: Unpacking) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        import pyarrow as pa

        data = self._stream.read(size)
        if b'"' in data:
            raise pa.ArrowInvalid("there are quotes in it")
        return data

    def close(self) -> None:
        pass


def _read_plain(stream: Unpacking, form: _Form, triplets: Triplets) -> bool:
    """Read all entries with Arrow; False if they are not that plain."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(place) for place in range(form.columns.n_fields)]
    row, column, amount = (str(place) for place in form.columns[:3])
    types = {name: pa.float64() if name == amount else pa.string() for name in names}
    try:
        batches = arrow_csv.open_csv(
            pa.PythonFile(_Unquoted(stream), mode="r"),
            arrow_csv.ReadOptions(
                use_threads=False,
                block_size=_BLOCK,
                skip_rows=form.n_above,
                column_names=names,
            ),
            arrow_csv.ParseOptions(delimiter=form.delimiter, quote_char=False),
            arrow_csv.ConvertOptions(column_types=types, null_values=[]),
        )
        for batch in batches:
            counts = batch.column(amount).to_numpy() if amount in types else None
            if counts is not None and check_values(counts) is not None:
                return False
            triplets.add(
                triplets.rows.numbers_in(batch.column(row)),
                triplets.columns.numbers_in(batch.column(column)),
                counts,
            )
            if "" in triplets.rows or "" in triplets.columns:
                return False
    except pa.ArrowInvalid:
        return False
    return True


def _read_lines(stream: Unpacking, form: _Form, triplets: Triplets, source: str) -> None:
    """Read all entries with the csv module, and say what is wrong with them."""
    entries = _entries(stream, form, source)
    while some := list(islice(entries, _RECORDS)):
        rows, columns, counts = zip(*some, strict=True)
        triplets.add(
            triplets.rows.numbers(rows, len(some)),
            triplets.columns.numbers(columns, len(some)),
            np.array(counts),
        )


def _entries(stream: Unpacking, form: _Form, source: str) -> Iterator[tuple[str, str, float]]:
    row, column, amount, n_fields = form.columns
    records = _records(stream, source, form.delimiter)
    if form.n_above:
        next(records)
    count = 1.0
    for line, cells in records:
        try:
            if amount is not None:
                count = float(cells[amount])
            good = cells[row] and cells[column] and 0 <= count < np.inf and len(cells) == n_fields
        except (ValueError, IndexError):
            good = False
        if not good:
            first = line - sum(cell.count("\n") for cell in cells)
            raise _fault(cells, form.columns, f"{source}, line {first}")
        yield cells[row], cells[column], count


def _fault(cells: list[str], columns: Columns, where: str) -> ComrafError:
    row, column, amount, n_fields = columns
    if len(cells) != n_fields:
        return ReadError(f"{where}: has {len(cells)} columns, the lines above have {n_fields}")
    for place, what in ((row, "row"), (column, "column")):
        if not cells[place]:
            return InputError(f"{where}: the {what}'s name is empty")
    return InputError(
        f"{where}: the count of row {cells[row]!r}, column {cells[column]!r} is "
        f"{cells[amount or 0][:40]!r}; counts must be finite numbers of 0 or more"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
