"""Tables of counts: one front door, `read_table`, and a file for each format."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from comraf.collection.readers.limits import Budget, checked_path
from comraf.errors import InputError, Setting
from comraf.parameters import check_choice
from comraf.registry import load

if TYPE_CHECKING:
    import scipy.sparse as sp

    from comraf.collection.tables.counts import Raw

__all__ = ["FORMATS", "NamedTable", "read_table"]

# A format's reader, imported when a file of that format is read, and the endings of its files.
FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "npz": ("arrays:read_npz", (".npz",)),
    "npy": ("arrays:read_npy", (".npy",)),
    "mtx": ("market:read_market", (".mtx", ".mtx.gz")),
    "csv": ("delimited:read_csv", (".csv", ".csv.gz")),
    "tsv": ("delimited:read_tsv", (".tsv", ".tsv.gz", ".tab")),
    "parquet": ("parquet:read_parquet", (".parquet", ".pq")),
}
SUFFIXES = {ending: name for name, (_, endings) in FORMATS.items() for ending in endings}


@dataclass(frozen=True, eq=False)
class NamedTable:
    """A table of counts as it was read.

    Attributes
    ----------
    matrix : scipy.sparse.csr_array
        Counts of 0 or more, int64 where all are whole, else float64; sorted, no pair twice.
    row_names, column_names : tuple of str or None
        Names in the order of the matrix; None where the format has none.
    source : str
        The file it came from.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> NamedTable(sp.csr_array([[1, 2]]), None, ("sea", "ship"), "a.csv").column_names
    ('sea', 'ship')
    """

    matrix: sp.csr_array
    row_names: tuple[str, ...] | None
    column_names: tuple[str, ...] | None
    source: str


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    row_names: str | os.PathLike[str] | None = None,
    column_names: str | os.PathLike[str] | None = None,
    max_bytes: int | None = None,
) -> NamedTable:
    r"""Read a table of counts from a file.

    Parameters
    ----------
    path : path-like
        SciPy sparse ``.npz`` (or one dense array in ``.npz`` or ``.npy``), Matrix Market
        ``.mtx`` or ``.mtx.gz``, triplets in ``.csv`` or ``.tsv`` (also ``.gz``) or
        ``.parquet``. Triplets are row, column and count; without a count every line counts
        one, and repeated pairs are summed. Their rows and columns are numbered in the order
        in which they appear.
    format : {"npz", "npy", "mtx", "csv", "tsv", "parquet"}, optional
        What the file is, where its name does not tell.
    row_names, column_names : path-like, optional
        Text files with one name a line, for formats that have no names.
    max_bytes : int, optional
        The most memory to take; all that is free by default.

    Returns
    -------
    NamedTable

    Raises
    ------
    ReadError
        The file is missing, truncated, damaged or hostile.
    InputError
        The file is whole, but does not hold a table of counts.
    TooLargeError
        The table does not fit into memory; nothing of it was taken.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mail.csv")
    ...     _ = path.write_text("document,word,count\nm1,sea,2\nm2,ship,1\n")
    ...     table = read_table(path)
    >>> table.matrix.shape, table.row_names
    ((2, 2), ('m1', 'm2'))
    """
    found = checked_path(path)
    reader = load(f"{__name__}.{FORMATS[_format(found, format)][0]}")
    source = str(found)
    budget = Budget(source, max_bytes)
    raw: Raw = reader(found, budget)
    if row_names is not None:
        raw = raw._replace(row_names=_names(row_names, raw, 0, max_bytes))
    if column_names is not None:
        raw = raw._replace(column_names=_names(column_names, raw, 1, max_bytes))
    table = NamedTable(raw.matrix, raw.row_names, raw.column_names, source)
    return _checked(table)


def _format(path: Path, given: str | None) -> str:
    if given is not None:
        check_choice("format", given, FORMATS)
        return given
    name = path.name.lower()
    for suffix, known in SUFFIXES.items():
        if name.endswith(suffix):
            return known
    raise InputError(
        "{path}: the name does not tell the format; expected one that ends in {endings:,}, or say "
        "which it is: {csv}",
        path=path,
        endings=list(SUFFIXES),
        csv=Setting("format", "csv"),
    )


def _names(
    path: str | os.PathLike[str], raw: Raw, axis: int, max_bytes: int | None
) -> tuple[str, ...]:
    from comraf.collection.tables.counts import check_names
    from comraf.collection.tables.delimited import read_names

    found = checked_path(path)
    what = ("row", "column")[axis]
    if (raw.row_names, raw.column_names)[axis] is not None:
        raise InputError(
            f"{found}: {what} names are given, but the table's own file names its {what}s already"
        )
    names = read_names(found, Budget(str(found), max_bytes))
    check_names(names, int(raw.matrix.shape[axis]), what, str(found))
    return names


def _checked(table: NamedTable) -> NamedTable:
    n_rows, n_columns = table.matrix.shape
    for size, what in ((n_rows, "rows"), (n_columns, "columns")):
        if size == 0:
            raise InputError(
                f"{table.source}: the table is {n_rows} x {n_columns}; without {what} there is "
                "nothing to cluster"
            )
    matrix = table.matrix
    if not matrix.count_nonzero():
        raise InputError(
            f"{table.source}: every count of the {n_rows:,} x {n_columns:,} table is 0; there is "
            "nothing to cluster by"
        )
    matrix.eliminate_zeros()
    return replace(table, matrix=matrix)
