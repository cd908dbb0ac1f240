"""Where the files of a collection lie: in a folder, or in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from comraf.errors import ReadError, WriteError
from comraf.store import folder_whole, put_back, why

__all__ = ["FolderShelf", "MemoryShelf", "Shelf", "check_target", "staged"]


class Shelf(Protocol):
    """Files by name, for pyarrow and for plain bytes."""

    def sink(self, name: str) -> Any:
        """Return what a Parquet writer can write to."""
        ...

    def source(self, name: str) -> Any:
        """Return what a Parquet file can be read from."""
        ...

    def read(self, name: str) -> bytes:
        """Return a whole file."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Write a whole file."""
        ...

    def names(self) -> list[str]:
        """Return the names of all files."""
        ...


class FolderShelf:
    """The files of a folder.

    Parameters
    ----------
    path : Path
        The folder.
    shown : Path, optional
        What it is called in messages; the path when not given.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shelf = FolderShelf(Path(folder))
    ...     shelf.write("a.json", b"{}")
    ...     shelf.names(), shelf.read("a.json")
    (['a.json'], b'{}')
    """

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
            raise ReadError(f"{self.path / name}: can't be read: {why(error)}") from error

    def write(self, name: str, data: bytes) -> None:
        """Write a whole file."""
        (self.path / name).write_bytes(data)

    def names(self) -> list[str]:
        """Return the names of all files."""
        return sorted(entry.name for entry in self.path.iterdir())

    def __str__(self) -> str:
        return str(self.shown)


class MemoryShelf:
    """Files that are only in memory, packed as they would be on disk.

    Examples
    --------
    >>> shelf = MemoryShelf()
    >>> shelf.write("a.json", b"{}")
    >>> shelf.read("a.json")
    b'{}'
    """

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
        raise WriteError(f"{path}: can't be written: {why(error)}") from error
    return target


@contextmanager
def staged(target: Path, *, replace: bool = False) -> Iterator[FolderShelf]:
    """Give a private folder for a collection, see `comraf.store.folder_whole`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with staged(Path(folder, "mail")) as shelf:
    ...         shelf.write("a.json", b"{}")
    ...     sorted(place.name for place in Path(folder).iterdir())
    ['mail']
    """
    with folder_whole(target, replace=replace, private=True) as stage:
        yield FolderShelf(stage, shown=target)
