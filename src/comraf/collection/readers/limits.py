"""How much a file may ask for, settled before any of it is taken."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from comraf.errors import ReadError, TooLargeError
from comraf.graph.tables import available_memory

__all__ = [
    "ITEM_SECONDS",
    "Budget",
    "check_groups",
    "in_words",
    "most_memory",
    "most_unpacked",
    "texts_of",
]

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
