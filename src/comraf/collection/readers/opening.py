"""Opening files that may be anything: missing, empty, a folder, packed or a bomb."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from comraf.collection.readers.limits import in_words, most_unpacked
from comraf.errors import ReadError

__all__ = ["Unpacking", "checked_path", "open_bytes"]

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
        raise ReadError(f"{found}: can't be read: {_reason(error)}") from error
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
        raise ReadError(f"{path}: can't be read: {_reason(error)}") from error


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


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
