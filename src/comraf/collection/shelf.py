"""Where the files of a collection lie: in a folder, or in memory."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from comraf.errors import ReadError, WriteError

__all__ = ["FolderShelf", "MemoryShelf", "Shelf", "why", "writing"]

_NO_ROOM = frozenset((errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)))
_ERRNO = re.compile(r"\[errno (\d+)\]", re.I)


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


def why(error: BaseException) -> str:
    """Return what the system says about a failure, without the library's own words.

    Examples
    --------
    >>> why(OSError(28, "No space left on device")), why(ValueError())
    ('No space left on device', 'ValueError')
    """
    number = _number(error)
    if number is not None:
        return os.strerror(number)
    return getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__


def _number(error: BaseException) -> int | None:
    """The system's number of a failure, also where a library hides it in its message."""
    number = getattr(error, "errno", None)
    if isinstance(number, int):
        return number
    match = _ERRNO.search(str(error))
    return int(match[1]) if match else None


@contextmanager
def writing(where: object) -> Iterator[None]:
    """Turn a failure to write into one error that says where.

    Examples
    --------
    >>> with writing("out"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    ...
    comraf.errors.WriteError: out: can't be written: No space left on device; ...
    """
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        advice = "free some space or " if _number(error) in _NO_ROOM else ""
        raise WriteError(
            f"{where}: can't be written: {why(error)}; nothing half-written is left there: "
            f"{advice}choose another place"
        ) from error
