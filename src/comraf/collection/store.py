"""Collections on disk: a folder of Parquet files and a JSON header.

``collection.json`` names the format and its version and lists the sides; ``items.parquet``
holds the items with their texts and what was counted in them. Each side has a file of values
and one that says which of them each raw value is; sides that were not counted while reading,
and those of version 1, have a file with their table, one row a document. ``units.parquet``,
``vocabulary.parquet`` and ``skipped.parquet`` let a grown source be read again only where it
is new.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.collection import Collection, Person, Side
from comraf.collection.files import (
    FEATURES_FILE,
    ITEMS_FILE,
    SKIPPED_FILE,
    Files,
    FolderFiles,
    Rows,
    arrow_schema,
    check_target,
    items_schema,
    numbers,
    open_table,
    reading,
    side_files,
    staged,
)
from comraf.collection.fold import RawCounts, mapped
from comraf.collection.items import RAW_SIDES, Skip
from comraf.collection.options import SideOptions
from comraf.collection.vision.stored import StoredPhotos
from comraf.errors import InputError, Note, ReadError, WriteError, damaged
from comraf.graph.tables import check_fits
from comraf.store import leftovers, put_back, reason_of, remove_leftovers, writing

__all__ = [
    "FORMAT",
    "HEADER_FILE",
    "VERSION",
    "Stored",
    "delete_collection",
    "is_collection",
    "open_collection",
    "open_stored",
    "read_header",
    "write_header",
]

FORMAT = "comraf collection"
VERSION = 2
HEADER_FILE = "collection.json"
_MOST_HEADER = 1 << 26
_KINDS = ("words", "people", "values", "dates")
_COUNTS = ("n_items", "n_skipped", "n_duplicates", "n_truths")


def _wrong(files: Files, what: object) -> ReadError:
    return ReadError("{files}: the collection is damaged: {what}", files=files, what=what)


def write_header(files: Files, header: Mapping[str, Any]) -> None:
    """Write what a collection says about itself."""
    whole = {"format": FORMAT, "version": VERSION, **header}
    with writing(files):
        text = json.dumps(whole, ensure_ascii=False, indent=1)
        # names that come from files may hold what is no character
        files.write(HEADER_FILE, text.encode("utf-8", "replace"))


def read_header(files: Files) -> dict[str, Any]:
    """Read and check what a collection says about itself."""
    try:
        data = files.read(HEADER_FILE)
        if len(data) > _MOST_HEADER:
            raise ReadError(f"{files}: {HEADER_FILE} is far too large to be a header")
        header = json.loads(data)
    except (ValueError, RecursionError) as error:
        path = f"{files}: {HEADER_FILE}"
        raise damaged("{path} is no JSON: {error}", error, path=path) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ReadError(f"{files}: is not a collection of comraf")
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ReadError(f"{files}: the version of the collection, {version!r}, is not a number")
    if version > VERSION:
        raise ReadError(
            f"{files}: the collection has format version {version}, and this comraf reads up to "
            f"{VERSION}; install a newer comraf, or build the collection again"
        )
    _check_header(header, files)
    return header


def _check_header(header: dict[str, Any], files: Files) -> None:
    def need(good: bool, what: str) -> None:
        if not good:
            raise _wrong(files, what)

    for name in _COUNTS:
        need(_is_count(header.get(name)), f"{name} is {header.get(name)!r}, not a number of items")
    need(isinstance(header.get("kind"), str), "its kind is missing")
    notes, sides = header.get("notes"), header.get("sides")
    if not isinstance(notes, list) or not isinstance(sides, list):
        raise _wrong(files, "its notes or its sides are no list")
    try:
        header["notes"] = [Note.read(note) for note in notes]
        SideOptions.from_json(header.get("options"))
    except (ValueError, InputError) as error:
        raise _wrong(files, error) from None
    names = set()
    for number, side in enumerate(sides):
        named = isinstance(side, dict) and isinstance(side.get("name"), str)
        need(named, f"side {number} has no name")
        need(side["name"] not in names, f"two sides are called {side['name']!r}")
        names.add(side["name"])
        called, raw = f"side {side['name']!r}", side.get("raw", "")
        # a path here would let a hostile header read other files
        own = (side.get("values"), side.get("table")) == side_files(number, raw)
        need(own, f"{called} names files that are not its own")
        counts = all(
            map(_is_count, (side.get("n_values"), side.get("n_entries"), side.get("total")))
        )
        known = not raw or (raw in RAW_SIDES and isinstance(side.get("presence"), bool))
        need(counts and known and side.get("kind") in _KINDS, f"{called} is not described")
        need(isinstance(side.get("facts"), dict), f"{called} has no facts")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**48


def is_collection(path: str | os.PathLike[str]) -> bool:
    """Tell whether a folder holds a collection, of any version.

    Examples
    --------
    >>> is_collection(".")
    False
    """
    try:
        with open(Path(path, HEADER_FILE), "rb") as file:
            header = json.loads(file.read(_MOST_HEADER))
        return isinstance(header, dict) and header.get("format") == FORMAT
    except (OSError, ValueError, RecursionError):
        return False


class Stored:
    """The files of a collection, read and checked piece by piece."""

    def __init__(self, files: Files, header: Mapping[str, Any]) -> None:
        self.files = files
        self.header = header
        self.n_items: int = header["n_items"]
        self._sides = {side["name"]: side for side in header["sides"]}
        self._open: dict[str, Rows] = {}

    def rows(self, name: str = ITEMS_FILE) -> Rows:
        """Return the open file of items, or of what is seen in them."""
        if name not in self._open:
            kinds = items_schema() if name == ITEMS_FILE else arrow_schema({"features": "binary"})
            with reading(self.files):
                rows = Rows(self.files, name)
                for field in kinds:
                    found = rows.file.schema_arrow.field(field.name).type
                    if found != field.type:
                        what = f"{field.name} of its items holds {found}, not {field.type}"
                        raise _wrong(self.files, what)
            if len(rows) != self.n_items:
                what = f"{len(rows)} items are in {name}, {self.n_items} are announced"
                raise _wrong(self.files, what)
            self._open[name] = rows
        return self._open[name]

    def features(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield what is seen in items that follow each other, packed as it is kept."""
        rows = self.rows(FEATURES_FILE)
        with reading(self.files):
            yield from rows.values("features", start, stop)

    def photos(self) -> StoredPhotos:
        """Return what can be seen in the items, read when it is asked for."""
        return StoredPhotos(self.features, self.n_items, self.files)

    def close(self) -> None:
        """Close what is open; it is opened again when it is needed."""
        while self._open:
            self._open.popitem()[1].close()

    def strings(self, column: str) -> tuple[Any, ...]:
        """Return a column of the items."""
        rows = self.rows()
        with reading(self.files):
            values = rows.file.read(columns=[column]).column(0).to_pylist()
        if column != "truth" and None in values:
            raise _wrong(self.files, f"an item has no {column}")
        return tuple(values)

    def dates(self) -> NDArray[np.datetime64]:
        """Return the dates of the items."""
        rows = self.rows()
        with reading(self.files):
            column = rows.file.read(columns=["date"]).column(0)
            given = numbers(column.is_valid().cast("int8")) > 0
            moments: NDArray[np.datetime64] = np.full(len(given), "NaT", "datetime64[s]")
            told = numbers(column.drop_null().cast("timestamp[us]").cast("int64"))
            moments[given] = told.view("datetime64[us]")
        moments.flags.writeable = False
        return moments

    def text(self, item: int) -> str:
        """Return the text of an item; its neighbours stay at hand for the next call."""
        rows = self.rows()
        with reading(self.files):
            (piece,) = rows.pieces(["text"], item, item + 1)
            return piece.column(0)[0].as_py() or ""

    def skipped(self) -> tuple[Skip, ...]:
        """Return what could not be read."""
        with reading(self.files), open_table(self.files, SKIPPED_FILE) as file:
            table = file.read(columns=["source", "reason"])
            rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
            return tuple(Skip(source, reason) for source, reason in rows)

    def side(self, name: str) -> Side:
        """Return a side."""
        entry = self._sides[name]
        with reading(self.files), open_table(self.files, entry["values"]) as file:
            table = file.read()
            columns = {field.name: table.column(field.name) for field in table.schema}
            values = tuple(columns.pop("value").to_pylist())
            documents = numbers(columns.pop("documents")).astype(np.int64)
            if len(values) != entry["n_values"] or len(set(values)) < len(values):
                what = (
                    f"side {name!r} has {len(values)} values, of which {len(set(values))} differ; "
                    f"{entry['n_values']} are announced"
                )
                raise _wrong(self.files, what)
            if not all(isinstance(value, str) for value in values):
                raise _wrong(self.files, "a value has no name")
            more = {name: column.to_pylist() for name, column in columns.items()}
            people: tuple[Person, ...] = ()
            if entry["kind"] == "people":
                people = tuple(_person(row) for row in table.to_pylist())
                more = {}
        documents.flags.writeable = False
        facts = MappingProxyType({**entry["facts"], **more})
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
        with reading(self.files):
            index = np.int32 if max(n_entries, n_values) < 2**31 else np.int64
            indptr = np.zeros(self.n_items + 1, index)
            indices = np.empty(n_entries, index)
            data = np.empty(n_entries, np.int32)
            row = entries = 0
            for piece in self._pieces(entry):
                end = entries + piece.nnz
                indices[entries:end] = piece.indices
                data[entries:end] = piece.data
                indptr[row + 1 : row + 1 + piece.shape[0]] = piece.indptr[1:] + entries
                row, entries = row + piece.shape[0], end
            if entries != n_entries or row != self.n_items:
                raise ValueError(
                    f"{entries} entries of {n_entries}, {row} items of {self.n_items} are in the "
                    f"table of {name!r}"
                )
            _check_columns(indptr, indices, n_values)
            table = sp.csr_array((data, indices, indptr), shape=(self.n_items, n_values))
        for array in (table.data, table.indices, table.indptr):
            array.flags.writeable = False
        return table

    def _pieces(self, entry: Mapping[str, Any]) -> Iterator[sp.csr_array]:
        """A side's table: as it was written, or from what was counted in the items."""
        n_values, file = entry["n_values"], entry["table"]
        if not entry.get("raw"):
            return RawCounts(self.files, "", n_values, file).pieces()
        with open_table(self.files, file) as found:
            target = numbers(found.read(columns=["value"]).column(0)).astype(np.int64)
        if len(target) and not -1 <= target.min() <= target.max() < n_values:
            raise ValueError(f"a column beyond the {n_values} values")
        counts = RawCounts(self.files, entry["raw"], len(target))
        return mapped(counts.pieces(), target, n_values, presence=entry["presence"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copy all files to a new folder."""
        target = check_target(path)
        with staged(target) as files, writing(path):
            for name in self.files.names():
                if isinstance(self.files, FolderFiles):
                    shutil.copyfile(self.files.path / name, files.path / name)
                else:
                    files.write(name, self.files.read(name))


def _check_columns(indptr: NDArray[Any], indices: NDArray[Any], n_values: int) -> None:
    if len(indices) == 0:
        return
    if indices.max() >= n_values:
        raise ValueError(f"a column beyond the {n_values} values")
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
    folder = Path(path)
    put_back(Path(os.path.realpath(folder)))
    if not folder.is_dir():
        raise ReadError(f"{str(path)!r} is no folder; a collection is one with {HEADER_FILE} in it")
    if not (folder / HEADER_FILE).is_file():
        raise ReadError(f"{str(path)!r} holds no collection: {HEADER_FILE} is missing")
    files = FolderFiles(folder)
    return Stored(files, read_header(files))


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
    if remove_leftovers(whole):
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
        raise WriteError(f"{path}: can't be deleted: {reason_of(error)}") from error


def _is_own(entry: Path) -> bool:
    if entry.is_dir() and not entry.is_symlink():
        return False
    return entry.name == HEADER_FILE or entry.suffix == ".parquet"
