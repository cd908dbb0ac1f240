"""The files of a collection, in a folder or in memory; its tables are Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.items import COLUMNS, RAW_SIDES
from comraf.errors import ComrafError, ReadError, WriteError
from comraf.graph.tables import check_fits
from comraf.store import folder_whole, put_back, reason_of, writing

ITEMS_FILE = "items.parquet"
UNITS_FILE = "units.parquet"
SKIPPED_FILE = "skipped.parquet"
VOCABULARY_FILE = "vocabulary.parquet"
FEATURES_FILE = "features.parquet"
"""What can be seen in photos, one row an item; only collections of photos have it."""


def arrow_schema(columns: Mapping[str, str]) -> Any:
    """Return a schema of pyarrow from the names and types of columns."""
    import pyarrow as pa

    types = {
        "list<int32>": pa.list_(pa.int32()),
        "list<string>": pa.list_(pa.string()),
        "list<binary>": pa.list_(pa.binary()),
        "timestamp[us, tz=UTC]": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema(
        [(name, types.get(kind) or pa.type_for_alias(kind)) for name, kind in columns.items()]
    )


def items_schema() -> Any:
    """Return the columns of the file that holds the items, with what was counted in them."""
    numbers = {f"{raw}:{part}": "list<int32>" for raw in RAW_SIDES for part in ("ids", "counts")}
    first, *others = COLUMNS.items()
    return arrow_schema(dict([first, ("given_id", "string"), *others]) | numbers)


def side_files(number: int, raw: str = "") -> tuple[str, str]:
    """Names of the files of a side, by its place in the header and what its table is made of.

    Examples
    --------
    >>> side_files(0, "words"), side_files(3)
    (('side-0.parquet', 'map-0.parquet'), ('side-3.parquet', 'table-3.parquet'))
    """
    return f"side-{number}.parquet", f"{'map' if raw else 'table'}-{number}.parquet"


class FolderFiles:
    """The files of a folder, which messages may call by another name."""

    def __init__(self, path: Path, *, shown: Path | None = None) -> None:
        self.path = path
        self.shown = path if shown is None else shown

    def sink(self, name: str) -> Any:
        """Return the path of a file."""
        return str(self.path / name)

    def source(self, name: str) -> Any:
        """Return the path of a file that is there."""
        place = self.path / name
        if not place.is_file():
            raise ReadError(f"{self.path}: the file {name} of the collection is missing")
        return str(place)

    def read(self, name: str) -> bytes:
        """Return a whole file."""
        try:
            return Path(self.source(name)).read_bytes()
        except ReadError:
            raise
        except OSError as error:
            raise ReadError(f"{self.path / name}: can't be read: {reason_of(error)}") from error

    def write(self, name: str, data: bytes) -> None:
        """Write a whole file."""
        (self.path / name).write_bytes(data)

    def names(self) -> list[str]:
        """Return the names of all files."""
        return sorted(entry.name for entry in self.path.iterdir())

    def __str__(self) -> str:
        return str(self.shown)


class MemoryFiles:
    """Files that are only in memory, packed as they would be on disk."""

    def __init__(self) -> None:
        self._files: dict[str, Any] = {}

    def sink(self, name: str) -> Any:
        """Return a stream that grows in memory."""
        import pyarrow as pa

        self._files[name] = pa.BufferOutputStream()
        return self._files[name]

    def source(self, name: str) -> Any:
        """Return a stream over a finished file."""
        import pyarrow as pa

        return pa.BufferReader(self._buffer(name))

    def read(self, name: str) -> bytes:
        """Return a whole file."""
        data: bytes = self._buffer(name).to_pybytes()
        return data

    def write(self, name: str, data: bytes) -> None:
        """Keep a whole file."""
        import pyarrow as pa

        self._files[name] = pa.py_buffer(data)

    def names(self) -> list[str]:
        """Return the names of all files."""
        return sorted(self._files)

    def _buffer(self, name: str) -> Any:
        file = self._files[name]
        if hasattr(file, "getvalue"):
            file = self._files[name] = file.getvalue()
        return file

    def __str__(self) -> str:
        return "a collection in memory"


Files = FolderFiles | MemoryFiles
"""Files by name, for pyarrow (`sink`, `source`) and as plain bytes (`read`, `write`)."""


@contextmanager
def reading(where: object) -> Iterator[None]:
    """Whatever a damaged file does to its reader becomes one error.

    Examples
    --------
    >>> with reading("mail"):
    ...     raise ValueError("no sense in it")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: mail: the collection is damaged: no sense in it
    """
    import pyarrow as pa

    try:
        yield
    except ComrafError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, MemoryError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ReadError(f"{where}: the collection is damaged: {reason}") from error


def table_writer(files: Files, name: str, schema: Any, level: int | None = None) -> Any:
    """Return a writer of a Parquet file that grows."""
    import pyarrow.parquet as pq

    return pq.ParquetWriter(
        files.sink(name),
        schema,
        compression="zstd",
        compression_level=level,
        write_page_checksum=True,
    )


def write_table(files: Files, name: str, table: Any) -> None:
    """Write a whole table of pyarrow."""
    with writing(files), table_writer(files, name, table.schema) as writer:
        writer.write_table(table)


def open_table(files: Files, name: str) -> Any:
    """Return an open Parquet file, none of whose row groups is larger than the memory."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(files.source(name), page_checksum_verification=True)
    groups = range(file.num_row_groups)
    largest = max((file.metadata.row_group(g).total_byte_size for g in groups), default=0)
    check_fits(largest, f"a part of {name} in {files}", "the collection may be damaged")
    return file


def numbers(column: Any) -> NDArray[Any]:
    """Whole numbers of a column, none missing; pyarrow's own way imports all of pandas."""
    if column.null_count:
        raise ValueError("a number is missing")
    parts = [np.from_dlpack(part) for part in getattr(column, "chunks", (column,))]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, column.type.to_pandas_dtype())


class Rows:
    """The rows of a Parquet file; no more than one row group is in memory."""

    def __init__(self, files: Files, name: str) -> None:
        self.file = open_table(files, name)
        groups = [self.file.metadata.row_group(g) for g in range(self.file.num_row_groups)]
        sizes = [group.num_rows for group in groups]
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self._last: tuple[Any, Any] = (None, None)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def pieces(
        self, columns: list[str] | None = None, start: int = 0, stop: int | None = None
    ) -> Iterator[Any]:
        """Yield the rows from `start` to `stop`, those of one row group at a time."""
        end = len(self) if stop is None else stop
        while start < end:
            group = int(np.searchsorted(self.starts, start, side="right")) - 1
            first, last = int(self.starts[group]), min(end, int(self.starts[group + 1]))
            if self._last[0] != (group, columns):
                self._last = ((group, columns), self.file.read_row_group(group, columns))
            yield self._last[1].slice(start - first, last - start)
            start = last

    def values(self, column: str, start: int = 0, stop: int | None = None) -> Iterator[Any]:
        """Yield the values of one column from `start` to `stop`."""
        for piece in self.pieces([column], start, stop):
            yield from piece.column(0).to_pylist()

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return where a collection can be written, or say why it can't.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_target(Path(folder, "mail")).name
    'mail'
    """
    try:
        target = Path(os.path.realpath(path))
        put_back(target)
        if target.exists():
            if not target.is_dir():
                raise WriteError(f"{path}: is a file; name a folder, new or empty")
            if any(target.iterdir()):
                raise WriteError(
                    "{path}: the folder is not empty; name another one. A collection that has "
                    "grown is read anew with update_collection",
                    code="collection_there",
                    path=path,
                )
    except ValueError as error:
        raise WriteError(f"{path!r}: is not the name of a folder: {error}") from None
    except OSError as error:
        if isinstance(error, WriteError):
            raise
        raise WriteError(f"{path}: can't be written: {reason_of(error)}") from error
    return target


@contextmanager
def staged(target: Path, *, replace: bool = False) -> Iterator[FolderFiles]:
    """Give a private folder for a collection, see `comraf.store.folder_whole`."""
    with folder_whole(target, replace=replace, private=True) as stage:
        yield FolderFiles(stage, shown=target)
