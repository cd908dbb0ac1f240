"""Where the files of a collection lie: in a folder, or in memory.

A folder is written under a hidden name beside its place and renamed when it is whole, so a
collection is either there or not there, whatever happens meanwhile.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from comraf.errors import ReadError, WriteError

__all__ = ["FolderShelf", "MemoryShelf", "Shelf", "check_target", "staged", "writing"]


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

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shelf = FolderShelf(Path(folder))
    ...     shelf.write("a.json", b"{}")
    ...     shelf.names(), shelf.read("a.json")
    (['a.json'], b'{}')
    """

    def __init__(self, path: Path) -> None:
        self.path = path

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
            raise ReadError(f"{self.path / name}: can't be read: {_why(error)}") from error

    def write(self, name: str, data: bytes) -> None:
        """Write a whole file."""
        (self.path / name).write_bytes(data)

    def names(self) -> list[str]:
        """Return the names of all files."""
        return sorted(entry.name for entry in self.path.iterdir())

    def __str__(self) -> str:
        return str(self.path)


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


def _why(error: BaseException) -> str:
    return getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__


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
        raise WriteError(
            f"{where}: can't be written: {_why(error)}; nothing is left there. Free some space or "
            "choose another place"
        ) from error


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
        if target.exists():
            if not target.is_dir():
                raise WriteError(f"{path}: is a file; name a folder, new or empty")
            if any(target.iterdir()):
                raise WriteError(
                    f"{path}: the folder is not empty; name another one. A collection that has "
                    "grown is read anew with update_collection"
                )
    except ValueError as error:
        raise WriteError(f"{path!r}: is not the name of a folder: {error}") from None
    except OSError as error:
        if isinstance(error, WriteError):
            raise
        raise WriteError(f"{path}: can't be written: {_why(error)}") from error
    return target


@contextmanager
def staged(target: Path, *, replace: bool = False) -> Iterator[FolderShelf]:
    """Give a folder to write into; it becomes ``target`` if all goes well, else it goes.

    Parameters
    ----------
    target : Path
        Must not exist, or be empty, unless ``replace``.
    replace : bool
        Whether what is there now is a collection that gives way to the new one.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with staged(Path(folder, "mail")) as shelf:
    ...         shelf.write("a.json", b"{}")
    ...     sorted(place.name for place in Path(folder).iterdir())
    ['mail']
    """
    made: list[Path] = []
    stage = target.parent / f".{target.name[:60]}.{secrets.token_hex(8)}.partial"
    try:
        with writing(target):
            for parent in [*reversed(target.parent.parents), target.parent]:
                if not parent.exists():
                    parent.mkdir()
                    made.append(parent)
            stage.mkdir(mode=0o700)
        yield FolderShelf(stage)
        with writing(target):
            _flush(stage)
            _rename(stage, target, replace=replace)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        for parent in reversed(made):
            with suppress(OSError):
                parent.rmdir()
        raise


def _flush(folder: Path) -> None:
    """See that the bytes are on the disk before the folder gets its name."""
    for entry in folder.iterdir():
        handle = os.open(entry, os.O_RDONLY)
        try:
            with suppress(OSError):
                os.fsync(handle)
        finally:
            os.close(handle)


def _rename(stage: Path, target: Path, *, replace: bool) -> None:
    # mail is private: only the folder's own permissions were there to say otherwise
    if target.exists():
        shutil.copymode(target, stage)
        if not replace:
            target.rmdir()
            stage.rename(target)
            return
        older = stage.with_suffix(".older")
        target.rename(older)
        try:
            stage.rename(target)
        except BaseException:
            older.rename(target)
            raise
        shutil.rmtree(older, ignore_errors=True)
        return
    stage.rename(target)
