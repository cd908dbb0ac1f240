"""How much a file may ask for, settled before any of it is taken; files that may be anything."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from comraf.errors import ReadError, TooLargeError
from comraf.graph.tables import available_memory
from comraf.store import reason_of

# Row numbers, column numbers and cluster labels are 32-bit inside.
MOST_VALUES = 2**31 - 1

# Lines of numbers, names and texts pack 3 to 50 times; what packs far better says nothing.
_RATIO = 200
_SMALL = 64 << 20
_MEMORY = 1 << 30

ITEM_SECONDS = 120
"""Seconds of work that the reading of one item may take."""


def most_unpacked(size: int) -> int:
    """Bytes that a packed file of so many bytes may unpack to.

    Examples
    --------
    >>> most_unpacked(1000), most_unpacked(10**6)
    (67108864, 200000000)
    """
    return max(_SMALL, _RATIO * size)


def check_groups(file: Any, size: int, where: str) -> int:
    """Refuse a Parquet file whose parts claim far more than a file of this size can hold.

    Returns the size of the largest part.
    """
    meta = file.metadata
    most = most_unpacked(size)

    def check(claimed: int) -> None:
        if claimed > most:
            raise ReadError(
                f"{where}: {in_words(size)} claim to unpack to {in_words(claimed)}, more than the "
                f"{in_words(most)} that are believed; the file is damaged or hostile"
            )

    schema = [file.schema.column(number) for number in range(len(file.schema))]
    # a single row of a column of lists may be meant to hold any number of values
    single = [column.path for column in schema if column.max_repetition_level == 0]
    largest = 0
    for group in range(meta.num_row_groups):
        found = meta.row_group(group)
        check(max(found.total_byte_size, 8 * found.num_rows))
        largest = max(largest, found.total_byte_size)
        # Columns whose description is damaged end the process when they are asked about. Reading
        # a row looks at the same description, and only raises an error.
        rows = file.iter_batches(1, row_groups=[group], columns=single, use_threads=False)
        next(rows, None)
        columns = [found.column(number) for number in range(found.num_columns)]
        check(8 * max((column.num_values for column in columns), default=0))
    return largest


def texts_of(file: Any) -> list[str]:
    """Columns of text of an open Parquet file, to be read as numbers into a list of values.

    Else one long value that is meant a million times would be there a million times.
    """
    columns = (file.schema.column(number) for number in range(len(file.schema)))
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def most_memory(size: int) -> int:
    """Bytes of memory that the reading of a file of so many bytes may take.

    Examples
    --------
    >>> most_memory(0), most_memory(10**6)
    (1073741824, 1273741824)
    """
    return _MEMORY + _RATIO * size


def in_words(size: float) -> str:
    """Bytes in words.

    Examples
    --------
    >>> in_words(2.5e9), in_words(70)
    ('2.5 GB', '70 bytes')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{int(size)} bytes"


class Budget:
    """The memory one file may take: what is free now, or less if the caller says so.

    A file that is there may take no more than `most_memory` of its size.

    Parameters
    ----------
    source : str
        Name of the file.
    max_bytes : int, optional
        An upper bound below the free memory.

    Examples
    --------
    >>> Budget("mail.npz", max_bytes=1000).check(10, "its table")
    >>> Budget("mail.npz", max_bytes=1000).check(5000, "its table")
    Traceback (most recent call last):
    ...
    comraf.errors.TooLargeError: mail.npz: its table would need about 5.0 kB of memory, but \
only 1.0 kB may be used, by what is free and by the size of the file; select fewer rows or \
columns, or use a machine with more memory
    """

    def __init__(self, source: str, max_bytes: int | None = None) -> None:
        self.source = source
        free = available_memory()
        self.bytes = free if max_bytes is None else min(free, float(max_bytes))
        with suppress(OSError, ValueError):
            self.bytes = min(self.bytes, float(most_memory(os.path.getsize(source))))

    def check(self, needed: float, what: str) -> None:
        """Refuse what does not fit."""
        if needed > self.bytes:
            raise TooLargeError(
                f"{self.source}: {what} would need about {in_words(needed)} of memory, but only "
                f"{in_words(self.bytes)} may be used, by what is free and by the size of the "
                "file; select fewer rows or columns, or use a machine with more memory"
            )

    def check_shape(self, n_rows: int, n_columns: int, n_entries: int) -> None:
        """Refuse a table that is too large to hold, by its shape and number of entries."""
        for count, what in ((n_rows, "rows"), (n_columns, "columns")):
            if count > MOST_VALUES:
                raise TooLargeError(
                    f"{self.source}: the table has {count:,} {what}; at most {MOST_VALUES:,} "
                    "are possible. If they are mostly empty, number the used ones from 0"
                )
        # Reading holds every entry about three times over: as read, sorted, and as CSR.
        # An empty row costs too: where it starts, its cluster, its line in the answer.
        needed = 64 * (n_rows + n_columns) + 3 * 16 * n_entries
        self.check(needed, f"a table of {n_rows:,} x {n_columns:,} with {n_entries:,} entries")


_CHUNK = 64 * 2**20


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path of a file that exists, is a plain file and is not empty.

    Examples
    --------
    >>> checked_path("no/such/table.csv")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: no/such/table.csv: there is no such file
    """
    found = Path(path)
    try:
        status = found.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise ReadError(f"{found}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{found}: can't be read: {reason_of(error)}") from error
    if stat.S_ISDIR(status.st_mode):
        raise ReadError(f"{found}: is a folder; give the file that holds the table")
    if not stat.S_ISREG(status.st_mode):
        raise ReadError(f"{found}: is not a plain file; save what it gives to a file first")
    if status.st_size == 0:
        raise ReadError(f"{found}: the file is empty")
    return found


@contextmanager
def open_bytes(path: Path) -> Iterator[Unpacking]:
    """Open a file for reading, unpacked if its name ends in ``.gz``.

    Every way in which reading can fail becomes one `comraf.errors.ReadError`.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.csv.gz")
    ...     _ = file.write_bytes(gzip.compress(b"a,b,1"))
    ...     with open_bytes(file) as stream:
    ...         stream.read(100)
    b'a,b,1'
    """
    try:
        with path.open("rb") as raw:
            if path.suffix.lower() == ".gz":
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield Unpacking(unpacked, path, packed=path.stat().st_size)
            else:
                yield Unpacking(raw, path)
    except ReadError:
        raise
    except EOFError:
        raise ReadError(
            f"{path}: the file ends in the middle of its packed data; get a whole copy of it"
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ReadError(f"{path}: can't be unpacked as gzip: {error}") from error
    except OSError as error:
        raise ReadError(f"{path}: can't be read: {reason_of(error)}") from error


class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Unpacking:
    """A stream that refuses to unpack without end.

    Examples
    --------
    >>> import io
    >>> Unpacking(io.BytesIO(b"abc"), Path("a.txt")).read(2)
    b'ab'
    """

    def __init__(self, stream: _Source, path: Path, packed: int | None = None) -> None:
        self._stream = stream
        self._path = path
        self._packed = packed
        self.most = None if packed is None else most_unpacked(packed)
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes."""
        data = self._stream.read(size if size >= 0 else _CHUNK)
        self.taken += len(data)
        if self.most is not None and self.taken > self.most:
            raise ReadError(
                f"{self._path}: {in_words(self._packed or 0)} unpack to more than "
                f"{in_words(self.most)}, which no table does; if you trust the file, unpack it "
                "yourself and read that"
            )
        return data

    def blocks(self, size: int, begun: bytes = b"", longest: int = 2**20) -> Iterator[bytes]:
        """Yield what is left in pieces that end where lines end, or where one is too long."""
        tail, more = begun, True
        while more:
            end = tail.rfind(b"\n") + 1 or (len(tail) if len(tail) > longest else 0)
            if end:
                yield tail[:end]
            data = self.read(size)
            tail, more = tail[end:] + data, bool(data)
        if tail:
            yield tail
