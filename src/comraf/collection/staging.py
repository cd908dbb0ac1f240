"""How the folder of a collection appears: whole or not at all, whatever happens meanwhile.

It is written under a hidden name beside its place and renamed when it is whole. As long as
its writer lives, the writer holds a lock on it; of a writer that was killed, the text would
stay behind for ever. So whoever next writes to, opens or deletes the same place removes what
nobody holds any more, and puts back a collection whose successor never came.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from comraf.collection.shelf import FolderShelf, why, writing
from comraf.disk import hold, let_go
from comraf.errors import WriteError

__all__ = ["check_target", "has_leftovers", "put_back", "staged", "sweep"]

_PARTIAL, _OLDER = ".partial", ".older"
_LONGEST = 100


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
                    f"{path}: the folder is not empty; name another one. A collection that has "
                    "grown is read anew with update_collection"
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
    """Give a folder to write into; it becomes ``target`` if all goes well, else it goes.

    Parameters
    ----------
    target : Path
        Must not exist, or be empty, unless ``replace``.
    replace : bool
        Whether what is there now is a collection that gives way to the new one.

    Raises
    ------
    WriteError
        It can't be written, or another process is just writing it.

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
    stage: Path | None = None
    lock: int | None = None
    try:
        with writing(target):
            for parent in [*reversed(target.parent.parents), target.parent]:
                if not parent.exists():
                    parent.mkdir()
                    made.append(parent)
            if sweep(target):
                raise WriteError(
                    f"{target}: another process is just writing it; wait for that to end, or "
                    "choose another place"
                )
            stage, lock = _make_stage(target)
        yield FolderShelf(stage, shown=target)
        with writing(target):
            _flush(stage)
            _rename(stage, target, replace=replace)
    except BaseException:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)
        for parent in reversed(made):
            with suppress(OSError):
                parent.rmdir()
        raise
    finally:
        let_go(lock)


def sweep(target: Path) -> bool:
    """Remove what killed writers left of a collection; tell whether one is writing it now.

    Where the system can't tell the two apart, everything stays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, ".mail.0123456789abcdef.partial").mkdir()
    ...     sweep(Path(folder, "mail")), os.listdir(folder)
    (False, [])
    """
    put_back(target)
    busy = False
    for place in _leftovers(target):
        try:
            lock = _lock(place)
        except BlockingIOError:
            busy = True
            continue
        if lock is not None:
            shutil.rmtree(place, ignore_errors=True)
            let_go(lock)
    return busy


def has_leftovers(target: Path) -> bool:
    """Tell whether a writer left something of a collection, or is writing it now.

    Examples
    --------
    >>> has_leftovers(Path("mail"))
    False
    """
    return bool(_leftovers(target))


def put_back(target: Path) -> None:
    """Put a collection back that was moved away for a newer one, if that one never came.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, ".mail.0123456789abcdef.older").mkdir()
    ...     put_back(Path(folder, "mail"))
    ...     os.listdir(folder)
    ['mail']
    """
    if target.exists():
        return
    for place in _leftovers(target):
        if place.suffix != _OLDER:
            continue
        try:
            lock = _lock(place)
        except BlockingIOError:
            # it is being replaced at this very moment
            return
        try:
            with suppress(OSError):
                place.rename(target)
                return
        finally:
            let_go(lock)


def _make_stage(target: Path) -> tuple[Path, int | None]:
    while True:
        stage = target.parent / f".{_short(target.name)}.{secrets.token_hex(8)}{_PARTIAL}"
        stage.mkdir(mode=0o700)
        try:
            lock = _lock(stage)
        except BlockingIOError:
            # another process sweeps, and takes the new folder for an old one
            continue
        if stage.exists():
            return stage, lock
        let_go(lock)


def _short(name: str) -> str:
    """A name that leaves room for more, and is nobody else's."""
    if len(os.fsencode(name)) <= _LONGEST:
        return name
    return f"{name[:20]}~{hashlib.blake2b(os.fsencode(name), digest_size=8).hexdigest()}"


def _leftovers(target: Path) -> list[Path]:
    """Hidden folders beside a collection, the ones with text that was whole first."""
    pattern = re.compile(rf"\.{re.escape(_short(target.name))}\.[0-9a-f]{{16}}\.(?:older|partial)")
    try:
        found = [place for place in target.parent.iterdir() if pattern.fullmatch(place.name)]
    except OSError:
        return []
    return sorted(found, key=lambda place: (place.suffix, place.name))


def _lock(folder: Path) -> int | None:
    """Hold a folder; None where that is not possible; BlockingIOError where somebody else does."""
    try:
        return hold(folder)
    except BlockingIOError:
        raise
    except OSError:
        return None


def _flush(folder: Path) -> None:
    """See that the bytes are on the disk before the folder gets its name."""
    for entry in [*folder.iterdir(), folder]:
        _sync(entry)


def _sync(path: Path) -> None:
    # folders can't be opened everywhere, and not every disk can be told to hurry
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
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
        else:
            _exchange(stage, target)
    else:
        stage.rename(target)
    _sync(target.parent)


def _exchange(stage: Path, target: Path) -> None:
    older = stage.with_suffix(_OLDER)
    try:
        # held, so that nobody takes it for forgotten between the two steps
        lock = _lock(target)
    except BlockingIOError:
        raise WriteError(f"{target}: another process is just replacing it; try again") from None
    try:
        target.rename(older)
        try:
            stage.rename(target)
        except BaseException:
            older.rename(target)
            raise
        shutil.rmtree(older, ignore_errors=True)
    finally:
        let_go(lock)
