"""Files that are whole or not there, and places that one process writes at a time."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from comraf.errors import WriteError

__all__ = ["claimed", "hold", "let_go", "nearest", "write_whole"]

# Places that this process holds, and the thread that does.
_held: dict[Path, int] = {}


def hold(path: str | os.PathLike[str], *, make: bool = False) -> int | None:
    """Lock a file or folder until `let_go` or the end of the process, however that comes.

    Parameters
    ----------
    path : path-like
    make : bool
        Whether to make the file if it is not there.

    Returns
    -------
    int or None
        What to give to `let_go`; None where the system or the disk has no such locks.

    Raises
    ------
    BlockingIOError
        Somebody else holds it.
    OSError
        It can't be opened.

    Examples
    --------
    >>> let_go(hold("."))
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    # a link that lies in wait must not have a file made elsewhere
    new = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    handle = os.open(path, new if make else os.O_RDONLY, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return handle


def let_go(lock: int | None) -> None:
    """Give a lock back.

    Examples
    --------
    >>> let_go(None)
    """
    if lock is not None:
        os.close(lock)


@contextmanager
def claimed(target: Path) -> Iterator[bool]:
    """Be the only one who writes to a place; tells whether this thread was so before.

    The lock is on a hidden file beside the place, or else in it, which is gone afterwards.

    Raises
    ------
    WriteError
        Another process, or another thread, is writing there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with claimed(Path(folder, "out")) as before, claimed(Path(folder, "out")) as again:
    ...         len(os.listdir(folder)), before, again
    ...     os.listdir(folder)
    (1, False, True)
    []
    """
    target = Path(os.path.realpath(target))
    if _held.get(target) == threading.get_ident():
        yield True
        return
    token = hashlib.sha256(os.fsencode(target)).hexdigest()[:16]
    lock = file = None
    for home in (nearest(target.parent), target):
        place = home / f".comraf-{token}.lock"
        try:
            lock, file = _hold_new(place), place
            break
        except BlockingIOError:
            raise WriteError(
                f"{target}: another run of comraf is writing to it; wait for that to end, or name "
                "another place"
            ) from None
        except OSError:  # nothing can be written here; if nowhere, whoever writes says why
            continue
    _held[target] = threading.get_ident()
    try:
        yield False
    finally:
        _held.pop(target, None)
        if file is not None:  # which is there also where the disk has no locks
            with suppress(OSError):
                file.unlink()
        let_go(lock)


def _hold_new(file: Path) -> int | None:
    """Lock a file that goes when it is let go: what was locked must be what is there now."""
    while True:
        lock = hold(file, make=True)
        with suppress(FileNotFoundError):
            if lock is None or os.path.samestat(os.fstat(lock), os.stat(file)):
                return lock
        let_go(lock)


def nearest(path: Path) -> Path:
    """The folder itself, or the first one above it that is there.

    Examples
    --------
    >>> nearest(Path("no", "such", "folder")) == Path.cwd()
    True
    """
    path = path.absolute()
    while not path.is_dir() and path != path.parent:
        path = path.parent
    return path


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a text file that is either there and whole, or not there.

    Raises
    ------
    WriteError
        It can't be written. What was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.csv"), ["a", "b"])
    ...     Path(folder, "a.csv").read_text()
    'ab'
    """
    partial = path.with_name(f".{path.name[:60]}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("x", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            for piece in pieces:
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except OSError as error:
        raise WriteError(f"{path}: can't be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
