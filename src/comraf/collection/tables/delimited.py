"""CSV and TSV files of (row, column, count) triplets, one entry a line.

Files of many millions of lines are common, so they are read block by block. A block
without quotes, all of whose lines have the same number of cells, is taken apart at one go;
from the first block that is not so plain, Python's ``csv`` module reads line by line. It is
also the judge of what is wrong: the quick way only ever passes a block on.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from comraf.collection.readers.limits import Budget, Unpacking, in_words, open_bytes
from comraf.collection.tables.counts import Raw, check_values
from comraf.collection.tables.triplets import Columns, Triplets, find_columns
from comraf.errors import InputError, ReadError

_BLOCK = 2**18  # small enough for its strings to stay in the processor's cache
_LONGEST_LINE = 2**20
_RECORDS = 2048
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
    with open_bytes(path) as stream:
        return _Reader(budget, None).read(stream)


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
    with open_bytes(path) as stream:
        return _Reader(budget, "\t").read(stream)


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
        for data in _blocks(stream, budget.source):
            text = _decoded(data, len(names), budget.source).replace("\r\n", "\n")
            names.extend(text.removesuffix("\n").split("\n"))
            n_bytes += len(data)
            budget.check(n_bytes + 160 * len(names), "the names")
    return tuple(names)


def _blocks(stream: Unpacking, source: str) -> Iterator[bytes]:
    """The file in pieces that end where lines end."""
    n_lines = 0
    for data in stream.blocks(_BLOCK, stream.read(_BLOCK).removeprefix(_BOM), _LONGEST_LINE):
        if b"\n" not in data and len(data) > _LONGEST_LINE:
            raise ReadError(
                f"{source}, line {n_lines + 1}: is longer than {in_words(_LONGEST_LINE)}; a "
                "triplet is one short line. Is this a text file of triplets?"
            )
        yield data
        n_lines += data.count(b"\n")


def _decoded(data: bytes, lines_before: int, source: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = lines_before + data.count(b"\n", 0, error.start) + 1
        raise ReadError(
            f"{source}, line {line}: is not UTF-8 text (byte {data[error.start]:#04x}); save the "
            "file as UTF-8"
        ) from None


class _Reader:
    """One pass over one file."""

    def __init__(self, budget: Budget, delimiter: str | None) -> None:
        self._source = budget.source
        self._delimiter = delimiter or ","
        self._sniff = delimiter is None
        self._triplets = Triplets(budget)
        self._columns = Columns(0, 1, None, 2)
        self._line = 0  # lines that were dealt with
        self._since = 0  # bytes since the memory was last looked at

    def read(self, stream: Unpacking) -> Raw:
        blocks = _blocks(stream, self._source)
        for first in blocks:
            left = self._begin(first)
            if left is not None:
                blocks = chain([left], blocks)
                break
        for data in blocks:
            if not self._plain(data):
                self._by_line(chain([data], blocks))
                break
            self._line += data.count(b"\n")
            self._watch(len(data))
        return self._triplets.table()

    def _watch(self, n_bytes: int) -> None:
        self._since += n_bytes
        if self._since > 2**26:
            self._since = 0
            self._triplets.settle()

    def _begin(self, data: bytes) -> bytes | None:
        """Find out about the columns; give back what is still to be read."""
        text = _decoded(data, self._line, self._source)
        lines = list(io.StringIO(text, newline=""))
        first = next((line for line in lines if line.strip("\r\n")), None)
        if first is None:  # a block of blank lines
            self._line += data.count(b"\n")
            return None
        if self._sniff and "," not in first:
            self._delimiter = next((mark for mark in ";\t" if mark in first), ",")
        # The first record may go over several lines, if it is quoted.
        reader = csv.reader(lines, delimiter=self._delimiter, strict=True)
        try:
            cells = next(cells for cells in reader if cells)
        except csv.Error as error:
            line = self._line + lines.index(first) + 1
            raise ReadError(f"{self._source}, line {line}: is not CSV: {error}") from None
        before = "".join(lines[: reader.line_num])
        if self._is_header(cells):
            self._line += before.count("\n")
            return data[len(before.encode("utf-8")) :]
        return data

    def _is_header(self, cells: list[str]) -> bool:
        named = find_columns(cells, self._source)
        if named is not None:
            self._columns = named
            return True
        if len(cells) not in (2, 3):
            raise InputError(
                f"{self._source}: has {len(cells)} columns and no header that says which are "
                "meant; expected row, column, count (or row, column), one entry a line, or a "
                "header with these names"
            )
        self._columns = Columns(0, 1, 2 if len(cells) == 3 else None, len(cells))
        return len(cells) == 3 and not _is_number(cells[2])

    def _plain(self, data: bytes) -> bool:
        """Take a block apart at one go; False if it is not that plain."""
        if b'"' in data:
            return False
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
            if b"\r" in data:
                return False
        if not data.endswith(b"\n"):
            data += b"\n"
        n_fields = self._columns.n_fields
        parting = self._delimiter.encode()
        codes = np.frombuffer(data, np.uint8)
        marks = codes[(codes == parting[0]) | (codes == 10)]
        if marks.size % n_fields:
            return False
        shape = np.frombuffer(parting * (n_fields - 1) + b"\n", np.uint8)
        if not (marks.reshape(-1, n_fields) == shape).all():
            return False
        n = marks.size // n_fields
        try:
            cells = data.decode("utf-8").replace("\n", self._delimiter).split(self._delimiter)
            counts = None
            if self._columns.amount is not None:
                texts = cells[self._columns.amount : n * n_fields : n_fields]
                counts = np.fromiter(map(float, texts), np.float64, n)
        except ValueError:
            return False
        if counts is not None and check_values(counts) is not None:
            return False
        triplets = self._triplets
        rows = triplets.rows.numbers(cells[self._columns.row : n * n_fields : n_fields], n)
        columns = triplets.columns.numbers(cells[self._columns.column : n * n_fields : n_fields], n)
        if "" in triplets.rows or "" in triplets.columns:
            return False
        triplets.add(rows, columns, counts)
        return True

    def _by_line(self, blocks: Iterator[bytes]) -> None:
        """Read the rest of the file with the csv module."""
        start = self._line
        reader = csv.reader(
            chain.from_iterable(self._texts(blocks)), delimiter=self._delimiter, strict=True
        )
        while True:
            before = start + reader.line_num
            try:
                records = list(islice(reader, _RECORDS))
            except csv.Error as error:
                line = start + reader.line_num
                raise ReadError(
                    f"{self._source}, line {line}: is not CSV: {error}. Is a quote opened and "
                    "never closed?"
                ) from None
            if not records:
                return
            self._take(records, before)

    def _texts(self, blocks: Iterator[bytes]) -> Iterator[io.StringIO]:
        for data in blocks:
            text = _decoded(data, self._line, self._source)
            self._line += data.count(b"\n")
            yield io.StringIO(text, newline="")
            self._watch(len(data))

    def _take(self, records: list[list[str]], before: int) -> None:
        """Check some records and add them; ``before`` is the number of lines above them."""
        wanted = self._columns
        lengths = set(map(len, records))
        if lengths - {0, wanted.n_fields}:
            at = next(
                i for i, cells in enumerate(records) if len(cells) not in (0, wanted.n_fields)
            )
            raise ReadError(
                f"{self._source}, line {_line(records, at, before)}: has "
                f"{len(records[at])} columns, the lines above have {wanted.n_fields}"
            )
        filled = [cells for cells in records if cells] if 0 in lengths else records
        if not filled:
            return
        parts = list(zip(*filled, strict=True))
        rows, columns = parts[wanted.row], parts[wanted.column]
        for names, what in ((rows, "row"), (columns, "column")):
            if "" in names:
                at = _place(records, names.index(""))
                raise InputError(
                    f"{self._source}, line {_line(records, at, before)}: the {what}'s name is empty"
                )
        counts = None
        if wanted.amount is not None:
            counts = self._numbers(parts[wanted.amount], records, before)
        n = len(filled)
        self._triplets.add(
            self._triplets.rows.numbers(rows, n), self._triplets.columns.numbers(columns, n), counts
        )

    def _numbers(
        self, texts: tuple[str, ...], records: list[list[str]], before: int
    ) -> npt.NDArray[np.float64]:
        try:
            values = np.fromiter(map(float, texts), np.float64, len(texts))
            bad = check_values(values)
        except ValueError:
            bad = next(i for i, text in enumerate(texts) if not _is_number(text))
        if bad is None:
            return values
        at = _place(records, bad)
        cells = records[at]
        raise InputError(
            f"{self._source}, line {_line(records, at, before)}: the count of row "
            f"{cells[self._columns.row]!r}, column {cells[self._columns.column]!r} is "
            f"{texts[bad][:40]!r}; counts must be finite numbers of 0 or more"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _place(records: list[list[str]], n: int) -> int:
    """Position among all records of the n-th that is not blank."""
    return next(islice((i for i, cells in enumerate(records) if cells), n, None))


def _line(records: list[list[str]], at: int, before: int) -> int:
    """Line of a record: those above it, some of which may hold line ends within quotes."""
    return before + 1 + sum(1 + sum(cell.count("\n") for cell in cells) for cells in records[:at])
