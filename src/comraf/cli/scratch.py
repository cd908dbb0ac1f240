"""Folders for work in progress, and what is done about those that were left behind.

A folder that is being worked in has a lock on a file in it. The lock goes with the process,
however that ends, so a folder whose lock is free belongs to nobody any more.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from comraf.cli.program import until_the_end
from comraf.disk import claimed, hold, let_go, nearest
from comraf.errors import WriteError
from comraf.results.files import check_folder, recover

__all__ = ["claim", "scratch_folder", "sweep"]

_LOCK = "lock"
# Taken into use only after the lock is held; until then the folder has another name.
_WORK = re.compile(r"\.comraf-[0-9a-f]{16}\.work")
# What other versions and other parts of comraf may leave: these go by age alone.
_OLDER = r"\.comraf-[a-z0-9_]{8}"
_OTHERS = rf"\.comraf-[0-9a-f]{{16}}\.(?:new|work|probe|lock)|{_OLDER}"
_DAY = 24 * 60 * 60.0


@contextlib.contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """A folder for work in progress; it is gone afterwards.

    Parameters
    ----------
    beside : Path
        The folder in which it is made: on the disk of the answer, which must have room.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with scratch_folder(Path(place)) as work:
    ...         (work / "a").write_text("b")
    ...     list(Path(place).iterdir())
    1
    []
    """
    token = secrets.token_hex(8)
    new, work = beside / f".comraf-{token}.new", beside / f".comraf-{token}.work"
    lock = None
    try:
        try:
            new.mkdir(mode=0o700)
            lock = hold(new / _LOCK, make=True)  # on a disk without locks age has to do
            new.rename(work)
        except OSError as error:
            raise WriteError(f"{beside}: can't be written: {error.strerror or error}") from error
        yield work
    finally:
        let_go(lock)
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(new, ignore_errors=True)


def claim(place: Path, *, force: bool) -> None:
    """Keep a place for the answer of this command, and refuse what can't be written to.

    Whoever else wants to write there is refused until the command has ended.
    """
    until_the_end(claimed(place))
    recover(place)
    sweep(place)
    check_folder(place, force=force)


def sweep(target: Path) -> int:
    """Remove what earlier runs left beside a place to write to, when they were killed.

    Only folders and files of our own making go: those whose process has ended, and those of
    an unknown one after a day. Whatever can't be removed stays; that is no error.

    Parameters
    ----------
    target : Path
        What is about to be written. It need not exist.

    Returns
    -------
    int
        How many were removed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     left = Path(place, ".comraf-0123456789abcdef.work")
    ...     left.mkdir()
    ...     (left / "lock").touch()
    ...     sweep(Path(place, "out")), left.exists()
    (1, False)
    """
    target = Path(os.path.realpath(target))
    half_written = rf"\.{re.escape(target.name[:60])}\.(?:[0-9a-f]{{8}}){{1,2}}\.(?:partial|older)"
    removed = _sweep(nearest(target.parent), re.compile(f"{_OTHERS}|{half_written}"))
    if target.is_dir():
        inside = re.compile(_OTHERS + r"|\.comraf\.[0-9a-f]{16}\.partial")
        removed += _sweep(target, inside)
    return removed


def _sweep(folder: Path, others: re.Pattern[str]) -> int:
    removed = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if not _is_stale(entry, others):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)
                removed += 1
    return removed


def _is_stale(entry: os.DirEntry[str], others: re.Pattern[str]) -> bool:
    work = _WORK.fullmatch(entry.name)
    if not (work or others.fullmatch(entry.name)) or entry.is_symlink():
        return False
    facts = entry.stat(follow_symlinks=False)
    if hasattr(os, "getuid") and facts.st_uid != os.getuid():
        return False
    if re.fullmatch(_OLDER, entry.name) and not _holds_a_collection(entry.path):
        return False
    if work or entry.name.endswith(".lock"):
        held = _is_held(Path(entry.path, _LOCK) if work else Path(entry.path))
        if held is not None:
            return not held
    return time.time() - _last_change(Path(entry.path), facts.st_mtime) > _DAY


def _holds_a_collection(folder: str) -> bool:
    """Whether nothing else is in a folder: eight letters are a name that anybody may choose."""
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return all(re.fullmatch(r"collection|\.collection\.[0-9a-f]{16}\.partial", n) for n in names)


def _last_change(path: Path, own: float) -> float:
    """When anything in a folder changed last, down to the files of a collection in it."""
    latest = own
    for depth in ("*", "*/*"):
        for inside in path.glob(depth):
            with contextlib.suppress(OSError):
                latest = max(latest, inside.lstat().st_mtime)
    return latest


def _is_held(file: Path) -> bool | None:
    """Whether a process holds a lock; None where that can't be found out."""
    try:
        lock = hold(file)
    except BlockingIOError:
        return True
    except OSError:
        return None
    let_go(lock)
    return None if lock is None else False
