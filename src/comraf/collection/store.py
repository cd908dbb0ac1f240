"""Collections on disk: a folder of Parquet files and a JSON header.

``collection.json`` names the format and its version and lists the sides; ``items.parquet``
holds the items with their texts; each side has a file of values and a file with its table,
one row a document; ``units.parquet``, ``vocabulary.parquet`` and ``skipped.parquet`` let a
grown source be read again only where it is new.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.collection import Collection, Person, Side
from comraf.collection.fold import as_csr_piece
from comraf.collection.gather import ITEMS_FILE, SKIPPED_FILE, items_schema
from comraf.collection.header import FORMAT, HEADER_FILE, VERSION, is_collection, read_header
from comraf.collection.items import Skip
from comraf.collection.photos import StoredPhotos
from comraf.collection.shelf import FolderShelf, Shelf, check_target, staged
from comraf.errors import ComrafError, MissingExtraError, ReadError, WriteError
from comraf.graph.tables import check_fits
from comraf.store import leftovers, put_back, sweep, why, writing

__all__ = [
    "FORMAT",
    "HEADER_FILE",
    "VERSION",
    "Stored",
    "delete_collection",
    "is_collection",
    "need_pyarrow",
    "open_collection",
    "open_stored",
    "reading",
]


def need_pyarrow() -> None:
    """Raise a clear error where pyarrow is missing.

    Examples
    --------
    >>> need_pyarrow()
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "collections are kept as Parquet, which needs pyarrow; install it with: "
            "pip install pyarrow"
        ) from None


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


class Stored:
    """The files of a collection, read and checked piece by piece."""

    def __init__(self, shelf: Shelf, header: Mapping[str, Any]) -> None:
        self.shelf = shelf
        self.header = header
        self.n_items: int = header["n_items"]
        self._sides = {side["name"]: side for side in header["sides"]}
        self._file: Any = None
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._texts: tuple[int, Any] = (-1, None)
        self._photos: StoredPhotos | None = None

    def items(self) -> Any:
        """Return the open file of items."""
        if self._file is None:
            import pyarrow as pa

            with reading(self.shelf):
                file = self.open(ITEMS_FILE)
                schema = items_schema(pa)
                for field in schema:
                    found = file.schema_arrow.field(field.name).type
                    if found != field.type:
                        raise ReadError(
                            f"{self.shelf}: the collection is damaged: {field.name} of its items "
                            f"holds {found}, not {field.type}"
                        )
                rows = [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)]
                if sum(rows) != self.n_items:
                    raise ReadError(
                        f"{self.shelf}: the collection is damaged: {sum(rows)} items are there, "
                        f"{self.n_items} are announced"
                    )
                self._starts = np.concatenate([[0], np.cumsum(rows, dtype=np.int64)])
                self._file = file
        return self._file

    def open(self, name: str) -> Any:
        """Return an open file, none of whose row groups is larger than the memory."""
        import pyarrow.parquet as pq

        file = pq.ParquetFile(self.shelf.source(name), page_checksum_verification=True)
        groups = range(file.num_row_groups)
        largest = max((file.metadata.row_group(g).total_byte_size for g in groups), default=0)
        check_fits(largest, f"a part of {name} in {self.shelf}", "the collection may be damaged")
        return file

    def photos(self) -> StoredPhotos:
        """Return what can be seen in the items, read when it is asked for."""
        if self._photos is None:
            self._photos = StoredPhotos(self.shelf, self.n_items, reading)
        return self._photos

    def close(self) -> None:
        """Close the file of items; it is opened again when it is needed."""
        if self._photos is not None:
            self._photos.close()
        if self._file is not None:
            self._file.close()
            self._file = None

    def starts(self) -> NDArray[np.int64]:
        """Number of the first item of each row group, and the number of items."""
        self.items()
        return self._starts

    def strings(self, column: str) -> tuple[Any, ...]:
        """Return a column of the items."""
        with reading(self.shelf):
            values = self.items().read(columns=[column]).column(0).to_pylist()
        if column != "truth" and None in values:
            raise ReadError(f"{self.shelf}: the collection is damaged: an item has no {column}")
        return tuple(values)

    def dates(self) -> NDArray[np.datetime64]:
        """Return the dates of the items."""
        with reading(self.shelf):
            column = self.items().read(columns=["date"]).column(0)
            moments: NDArray[np.datetime64] = column.to_numpy().astype("datetime64[s]")
        moments.flags.writeable = False
        return moments

    def text(self, item: int) -> str:
        """Return the text of an item; its neighbours stay at hand for the next call."""
        starts = self.starts()
        group = int(np.searchsorted(starts, item, side="right")) - 1
        if self._texts[0] != group:
            with reading(self.shelf):
                column = self.items().read_row_group(group, columns=["text"]).column(0)
                self._texts = (group, column)
        with reading(self.shelf):
            text = self._texts[1][item - int(starts[group])].as_py()
        return text or ""

    def skipped(self) -> tuple[Skip, ...]:
        """Return what could not be read."""
        with reading(self.shelf), self.open(SKIPPED_FILE) as file:
            table = file.read(columns=["source", "reason"])
            rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
            return tuple(Skip(source, reason) for source, reason in rows)

    def side(self, name: str) -> Side:
        """Return a side."""
        entry = self._sides[name]
        with reading(self.shelf), self.open(entry["values"]) as file:
            table = file.read()
            values = tuple(table.column("value").to_pylist())
            documents = table.column("documents").to_numpy().astype(np.int64)
            if len(values) != entry["n_values"] or len(set(values)) < len(values):
                raise ReadError(
                    f"{self.shelf}: the collection is damaged: side {name!r} has {len(values)} "
                    f"values, of which {len(set(values))} differ; {entry['n_values']} are announced"
                )
            if not all(isinstance(value, str) for value in values):
                raise ReadError(f"{self.shelf}: the collection is damaged: a value has no name")
            people: tuple[Person, ...] = ()
            if entry["kind"] == "people":
                people = tuple(_person(row) for row in table.to_pylist())
        documents.flags.writeable = False
        facts = MappingProxyType(entry["facts"])
        return Side(name, entry["kind"], values, documents, facts, people)

    def table(self, name: str) -> sp.csr_array:
        """Return the table of a side: items x values, whole numbers."""
        entry = self._sides[name]
        n_values, n_entries = entry["n_values"], entry["n_entries"]
        check_fits(
            12 * n_entries + 8 * self.n_items,
            f"the table of {self.n_items:,} items x {n_values:,} {name}",
            "build the collection with higher cuts, or use a machine with more memory",
        )
        with reading(self.shelf), self.open(entry["table"]) as file:
            if file.metadata.num_rows != self.n_items:
                raise ReadError(
                    f"{self.shelf}: the collection is damaged: the table of {name!r} has "
                    f"{file.metadata.num_rows} rows for {self.n_items} items"
                )
            index = np.int32 if max(n_entries, n_values) < 2**31 else np.int64
            indptr = np.zeros(self.n_items + 1, index)
            indices = np.empty(n_entries, index)
            data = np.empty(n_entries, np.int32)
            row = entries = 0
            for group in range(file.num_row_groups):
                lists = file.read_row_group(group, columns=["columns", "counts"])
                piece = as_csr_piece(
                    lists.column(0).combine_chunks(), lists.column(1).combine_chunks(), n_values
                )
                end = entries + piece.nnz
                indices[entries:end] = piece.indices
                data[entries:end] = piece.data
                indptr[row + 1 : row + 1 + piece.shape[0]] = piece.indptr[1:] + entries
                row, entries = row + piece.shape[0], end
            if entries != n_entries:
                raise ValueError(f"{entries} entries of {n_entries} in the table of {name!r}")
            _check_table(indptr, indices, data, n_values)
            table = sp.csr_array((data, indices, indptr), shape=(self.n_items, n_values))
        for array in (table.data, table.indices, table.indptr):
            array.flags.writeable = False
        return table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copy all files to a new folder."""
        target = check_target(path)
        with staged(target) as shelf, writing(path):
            for name in self.shelf.names():
                if isinstance(self.shelf, FolderShelf):
                    shutil.copyfile(self.shelf.path / name, shelf.path / name)
                else:
                    shelf.write(name, self.shelf.read(name))


def _check_table(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], n_values: int
) -> None:
    if len(indices) == 0:
        return
    if indices.min() < 0 or indices.max() >= n_values:
        raise ValueError(f"a column beyond the {n_values} values")
    if data.min() < 1:
        raise ValueError("a count below 1")
    rises = indices[1:] > indices[:-1]
    firsts = indptr[1:-1]
    rises[firsts[(firsts > 0) & (firsts < len(indices))] - 1] = True
    if not rises.all():
        raise ValueError("columns that are not in order")


def _person(row: Mapping[str, Any]) -> Person:
    return Person(
        row["value"],
        row["role"],
        row["host"] or "",
        tuple(row["addresses"]),
        tuple(row["spellings"]),
        int(row["sent"]),
        int(row["received"]),
    )


def open_collection(path: str | os.PathLike[str]) -> Collection:
    """Open a collection that was saved. Nothing but its header is read yet.

    Raises
    ------
    ReadError
        There is none, it is damaged, or a newer comraf wrote it.

    Examples
    --------
    >>> open_collection("nowhere")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: 'nowhere' is no folder; ...
    """
    stored = open_stored(path)
    return Collection(stored, stored.header)


def open_stored(path: str | os.PathLike[str]) -> Stored:
    """Return the files of a collection, their header checked.

    Examples
    --------
    >>> open_stored(".")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: '.' holds no collection: collection.json is missing
    """
    need_pyarrow()
    folder = Path(path)
    put_back(Path(os.path.realpath(folder)))
    if not folder.is_dir():
        raise ReadError(f"{str(path)!r} is no folder; a collection is one with {HEADER_FILE} in it")
    if not (folder / HEADER_FILE).is_file():
        raise ReadError(f"{str(path)!r} holds no collection: {HEADER_FILE} is missing")
    shelf = FolderShelf(folder)
    return Stored(shelf, read_header(shelf))


def delete_collection(path: str | os.PathLike[str]) -> None:
    """Delete a collection with all of its text. Deletes nothing that is no collection.

    What a build or an update that was killed left of it goes too.

    Raises
    ------
    ReadError
        The folder holds no collection, or also holds something else.
    WriteError
        It can't be deleted, or is just being written.

    Examples
    --------
    >>> delete_collection(".")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: '.' holds no collection, so nothing is deleted
    """
    folder = Path(path)
    if folder.is_symlink():
        raise ReadError(f"{str(path)!r} is a link; give the folder that it leads to")
    whole = Path(os.path.realpath(folder))
    put_back(whole)
    started = not folder.exists() and bool(leftovers(whole))
    if not started and not is_collection(folder):
        raise ReadError(f"{str(path)!r} holds no collection, so nothing is deleted")
    strangers = [] if started else [e.name for e in folder.iterdir() if not _is_own(e)]
    if strangers:
        raise ReadError(
            f"{str(path)!r} also holds {strangers[0]!r}, which is no part of the collection; move "
            "it away first. Nothing is deleted"
        )
    if sweep(whole):
        raise WriteError(f"{path}: is just being written by another process; end that first")
    if started:
        return
    try:
        # the texts first, the header last: what is left of a failure is still known as one
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name == HEADER_FILE)
        for entry in entries:
            entry.unlink()
        folder.rmdir()
    except OSError as error:
        raise WriteError(f"{path}: can't be deleted: {why(error)}") from error


def _is_own(entry: Path) -> bool:
    if entry.is_dir() and not entry.is_symlink():
        return False
    return entry.name == HEADER_FILE or entry.suffix == ".parquet"
