"""How much a file may ask for, settled before any of it is taken."""

from __future__ import annotations

from comraf.errors import TooLargeError
from comraf.graph.tables import available_memory

__all__ = ["Budget", "in_words"]

# Row numbers, column numbers and cluster labels are 32-bit inside.
MOST_VALUES = 2**31 - 1


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

    Parameters
    ----------
    source : str
        Name of the file, for messages.
    max_bytes : int, optional
        An upper bound below the free memory.

    Examples
    --------
    >>> Budget("mail.npz", max_bytes=1000).check(10, "its table")
    >>> Budget("mail.npz", max_bytes=1000).check(5000, "its table")
    Traceback (most recent call last):
    ...
    comraf.errors.TooLargeError: mail.npz: its table would need about 5.0 kB of memory, but \
only 1.0 kB may be used; select fewer rows or columns, or use a machine with more memory
    """

    def __init__(self, source: str, max_bytes: int | None = None) -> None:
        self.source = source
        free = available_memory()
        self.bytes = free if max_bytes is None else min(free, float(max_bytes))

    def check(self, needed: float, what: str) -> None:
        """Refuse what does not fit."""
        if needed > self.bytes:
            raise TooLargeError(
                f"{self.source}: {what} would need about {in_words(needed)} of memory, but only "
                f"{in_words(self.bytes)} may be used; select fewer rows or columns, or use a "
                "machine with more memory"
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
        needed = 8 * (n_rows + n_columns) + 3 * 16 * n_entries
        self.check(needed, f"a table of {n_rows:,} x {n_columns:,} with {n_entries:,} entries")
