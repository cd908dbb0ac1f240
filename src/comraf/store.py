"""Files and folders that are whole or not there, and places that one process writes at a time.

Whatever is written gets a hidden name beside its place, is brought to the disk, and then takes
its place in one step. A hidden folder is locked by its writer, and the lock goes with the process,
however that ends. So what nobody holds was left by a process that was killed: whoever next writes
to the same place removes it, and puts back an older folder whose successor never came.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from comraf.errors import WriteError

__all__ = [
    "acquire",
    "claimed",
    "files_whole",
    "flush",
    "folder_whole",
    "hidden_folder",
    "leftovers",
    "nearest_existing",
    "parents_made",
    "put",
    "put_back",
    "reason_of",
    "release",
    "remove",
    "remove_leftovers",
    "scratch_folder",
    "sync",
    "write_pieces",
    "write_whole",
    "writing",
]

# Longest name, in bytes, that is part of a hidden one.
_LONGEST = 100
# What hidden names end with; those of older versions may have a shorter number.
_LEFT = r"\.(?:[0-9a-f]{8}){1,2}\.(?:older|partial)"
# Other hidden names: of scratch folders, locks and probes, and what older versions made.
_ELDER = r"\.comraf-[a-z0-9_]{8}"
_OTHERS = re.compile(rf"\.comraf-[0-9a-f]{{16}}\.(?:new|work|probe|lock)|{_ELDER}")
# Endings of folders that their writers hold.
_HELD = frozenset((".older", ".partial", ".work"))
_DAY = 24 * 60 * 60.0
_NO_ROOM = frozenset((errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)))
_NO_SYNC = frozenset((errno.EINVAL, errno.ENOSYS, errno.ENOTSUP))
_ERRNO = re.compile(r"\[errno (\d+)\]", re.I)

# Places that this process holds, and the thread that does.
_held: dict[Path, int] = {}


def acquire(path: str | os.PathLike[str], *, make: bool = False) -> int | None:
    """Lock a file or folder until `release` or the end of the process, however that comes.

    Parameters
    ----------
    path : path-like
    make : bool
        Whether to make the file if it is not there.

    Returns
    -------
    int or None
        What to give to `release`; None where the system or the disk has no such locks.

    Raises
    ------
    BlockingIOError
        Somebody else holds it.
    OSError
        It can't be opened.

    Examples
    --------
    >>> release(acquire("."))
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    # a link that lies in wait must not have a file made elsewhere, and a pipe is not waited for
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW if make else os.O_RDONLY
    handle = os.open(path, flags | os.O_NONBLOCK, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return handle


def release(lock: int | None) -> None:
    """Give a lock back.

    Examples
    --------
    >>> release(None)
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
    for home in (nearest_existing(target.parent), target):
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
        release(lock)


def _hold_new(file: Path) -> int | None:
    """Lock a file that goes when it is let go: what was locked must be what is there now."""
    while True:
        lock = acquire(file, make=True)
        with suppress(FileNotFoundError):
            if lock is None or os.path.samestat(os.fstat(lock), os.stat(file)):
                return lock
        release(lock)


def write_whole(
    path: Path, pieces: Iterable[str | bytes], *, durable: bool = True, private: bool = False
) -> None:
    """Write a file that is either there and whole, or not there.

    Parameters
    ----------
    path : Path
    pieces : iterable of str or bytes
        What goes into it; text is written as UTF-8.
    durable, private : bool
        See `files_whole`.

    Raises
    ------
    WriteError
        It can't be written. What was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.csv"), ["a", b"b"])
    ...     Path(folder, "a.csv").read_text()
    'ab'
    """
    with writing(path), files_whole(path, durable=durable, private=private) as [part]:
        write_pieces(part, pieces)


def write_pieces(path: Path, pieces: Iterable[str | bytes]) -> None:
    """Write text, as UTF-8, or bytes to a file, piece by piece.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pieces(Path(folder, "a"), ["a", "b"])
    ...     Path(folder, "a").read_bytes()
    b'ab'
    """
    with path.open("wb") as stream:
        for piece in pieces:
            stream.write(
                piece.encode("utf-8", "backslashreplace") if isinstance(piece, str) else piece
            )


@contextmanager
def files_whole(
    *paths: Path, durable: bool = True, private: bool = False
) -> Iterator[tuple[Path, ...]]:
    """Give hidden files to write to; if all goes well they take their places, else they go.

    Parameters
    ----------
    *paths : Path
        Where they go, one after the other, when all of them are written.
    durable : bool
        Whether they must survive a loss of power; what can be made again need not.
    private : bool
        Whether only their owner may read them.

    Raises
    ------
    OSError
        They can't be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with files_whole(Path(folder, "a"), Path(folder, "b")) as parts:
    ...         [part.write_text("x") for part in parts], Path(folder, "a").exists()
    ...     sorted(os.listdir(folder))
    ([1, 1], False)
    ['a', 'b']
    """
    parts = tuple(path.with_name(_hidden(f"{_short(path.name)}.", "partial")) for path in paths)
    try:
        for part in parts:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
        yield parts
        for part in parts if durable else ():
            sync(part)
        for part, path in zip(parts, paths, strict=True):
            part.replace(path)
        for folder in {path.parent for path in paths} if durable else ():
            sync(folder)
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink(missing_ok=True)


@contextmanager
def folder_whole(
    target: Path, *, replace: bool = False, durable: bool = True, private: bool = False
) -> Iterator[Path]:
    """Give a folder to write into; it becomes ``target`` if all goes well, else it goes.

    Parameters
    ----------
    target : Path
        Must not exist, or be empty, unless ``replace``.
    replace : bool
        Whether the folder that is there now gives way to the new one, when that is whole.
    durable, private : bool
        As in `files_whole`.

    Raises
    ------
    WriteError
        It can't be written, or another process is just writing it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with folder_whole(Path(folder, "deep", "mail")) as stage:
    ...         _ = (stage / "a").write_text("x")
    ...         os.path.exists(Path(folder, "deep", "mail"))
    ...     os.listdir(Path(folder, "deep")), os.listdir(Path(folder, "deep", "mail"))
    False
    (['mail'], ['a'])
    """
    with ExitStack() as stack:
        with writing(target):
            stack.enter_context(parents_made(target.parent))
            if remove_leftovers(target):
                raise WriteError(
                    f"{target}: another process is just writing it; wait for that to end, or "
                    "choose another place"
                )
            stage = stack.enter_context(hidden_folder(target.parent, target.name, private=private))
        yield stage
        with writing(target):
            if durable:
                flush(stage)
            put(stage, target, replace=replace)


@contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """Give a private folder for work in progress; it is gone afterwards.

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
    with ExitStack() as stack:
        with writing(beside):
            work = stack.enter_context(_held_folder(beside, "comraf-", "work", private=True))
        yield work


@contextmanager
def hidden_folder(home: Path, name: str, *, private: bool = False) -> Iterator[Path]:
    """Give a hidden folder in ``home`` that is held, and gone afterwards unless it was renamed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with hidden_folder(Path(folder), "mail") as stage:
    ...         remove_leftovers(Path(folder, "mail")), stage.exists()
    ...     os.listdir(folder)
    (True, True)
    []
    """
    with _held_folder(home, f"{_short(name)}.", "partial", private=private) as place:
        yield place


@contextmanager
def _held_folder(home: Path, begin: str, end: str, *, private: bool) -> Iterator[Path]:
    while True:
        place = home / _hidden(begin, end)
        place.mkdir(mode=0o700 if private else 0o777)
        try:
            lock = _hold_folder(place)
        except BlockingIOError:  # somebody who sweeps takes it for a leftover
            continue
        if place.exists():
            break
        release(lock)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        release(lock)


def _hold_folder(folder: Path) -> int | None:
    """Hold a folder; None where that is not possible; BlockingIOError where somebody else does."""
    try:
        return acquire(folder)
    except BlockingIOError:
        raise
    except OSError:
        return None


def put(stage: Path, target: Path, *, replace: bool = False) -> None:
    """Put a finished folder in its place, which is free or an empty folder unless ``replace``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "a").mkdir()
    ...     put(Path(folder, "a"), Path(folder, "b"))
    ...     os.listdir(folder)
    ['b']
    """
    if target.is_dir():
        # what is inside may be private: only the older folder can say otherwise
        shutil.copymode(target, stage)
    if replace and target.exists():
        _exchange(stage, target)
    else:
        if os.name != "posix":
            with suppress(OSError):
                target.rmdir()
        stage.rename(target)  # also takes the place of a folder that is empty, never of another
    sync(target.parent)


def _exchange(stage: Path, target: Path) -> None:
    older = stage.with_suffix(".older")
    try:
        # held, so that nobody takes it for forgotten between the two steps
        lock = _hold_folder(target)
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
        release(lock)


def put_back(target: Path) -> None:
    """Put a folder back that was moved away for a newer one, if that one never came.

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
    for place in leftovers(target):
        if place.suffix != ".older":
            continue
        try:
            lock = _hold_folder(place)
        except BlockingIOError:
            # it is being replaced at this very moment
            return
        try:
            with suppress(OSError):
                place.rename(target)
                return
        finally:
            release(lock)


def leftovers(target: Path, names: str | None = None) -> list[Path]:
    """Hidden files and folders that writers of a place made, those that were whole once first.

    They were left by writers that were killed, or somebody is writing there now.

    Parameters
    ----------
    target : Path
    names : str, optional
        What to look for beside the place in place of its own name: a regular expression.

    Examples
    --------
    >>> leftovers(Path("mail"))
    []
    """
    if names is None:  # older versions cut long names otherwise
        names = f"{re.escape(_short(target.name))}|{re.escape(target.name[:60])}"
    pattern = re.compile(rf"\.(?:{names}){_LEFT}")
    found = [place for place in _listed(target.parent) if pattern.fullmatch(place.name)]
    return sorted(found, key=lambda place: (place.suffix, place.name))


def remove_leftovers(target: Path) -> bool:
    """Remove what killed processes left in and beside a place; tell whether one writes it now.

    Only files and folders of our own making go: those whose process has ended and, where no
    lock tells, those of this user after a day. Whatever can't be removed stays; that is no error.

    Parameters
    ----------
    target : Path
        What is about to be written. It need not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, ".mail.0123456789abcdef.partial").mkdir()
    ...     Path(folder, ".comraf-0123456789abcdef.work").mkdir()
    ...     remove_leftovers(Path(folder, "mail")), os.listdir(folder)
    (False, [])
    """
    target = Path(os.path.realpath(target))
    put_back(target)
    home = nearest_existing(target.parent)
    busy = [place for place in leftovers(home / target.name) if not _removed(place)]
    inside = leftovers(target / "comraf") if target.is_dir() else []
    for place in [*inside, *_listed(home), *_listed(target)]:
        if place in inside or (_OTHERS.fullmatch(place.name) and _is_mine(place)):
            _removed(place)
    return bool(busy)


def _removed(place: Path) -> bool:
    """Remove something hidden unless it is in use, or may be; False where it surely is."""
    if place.is_symlink():
        return True
    held = [place] if place.suffix == ".lock" or (place.suffix in _HELD and place.is_dir()) else []
    if place.suffix == ".work":  # scratch folders of older versions were held otherwise
        held.append(place / "lock")
    locks: list[int | None] = []
    try:
        with suppress(FileNotFoundError, PermissionError):
            for each in held:
                locks.append(acquire(each))  # noqa: PERF401 - those before one that fails count
        if any(lock is not None for lock in locks) or _is_old(place):
            remove(place)
        return True
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    finally:
        for lock in locks:
            release(lock)


def _is_mine(place: Path) -> bool:
    """Whether a file or folder is this user's and no link."""
    with suppress(OSError):
        facts = place.lstat()
        mine = not hasattr(os, "getuid") or facts.st_uid == os.getuid()
        return mine and not place.is_symlink()
    return False


def _is_old(place: Path) -> bool:
    """Whether something of this user's has not changed for a day, nor a collection in it."""
    if not _is_mine(place) or (re.fullmatch(_ELDER, place.name) and not _holds_a_collection(place)):
        return False
    latest = 0.0
    for inside in (place, *place.glob("*"), *place.glob("*/*")):
        with suppress(OSError):
            latest = max(latest, inside.lstat().st_mtime)
    return time.time() - latest > _DAY


def _holds_a_collection(folder: Path) -> bool:
    """Whether nothing else is in a folder: eight letters are a name that anybody may choose."""
    names = rf"collection|\.collection{_LEFT}"
    return folder.is_dir() and all(re.fullmatch(names, p.name) for p in _listed(folder))


def remove(place: Path) -> None:
    """Remove a file or a folder with all in it, as far as that is possible.

    Examples
    --------
    >>> remove(Path("no-such-file"))
    """
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(OSError):
            place.unlink(missing_ok=True)


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _hidden(begin: str, end: str) -> str:
    return f".{begin}{secrets.token_hex(8)}.{end}"


def _short(name: str) -> str:
    """A name that leaves room for more, and is nobody else's."""
    if len(os.fsencode(name)) <= _LONGEST:
        return name
    return f"{name[:20]}~{hashlib.blake2b(os.fsencode(name), digest_size=8).hexdigest()}"


@contextmanager
def parents_made(folder: Path) -> Iterator[None]:
    """Make a folder and those above it; take them away again if it comes to nothing.

    Examples
    --------
    >>> with parents_made(Path.cwd()):
    ...     pass
    """
    made: list[Path] = []
    try:
        for parent in [*reversed(folder.parents), folder]:
            if not parent.exists():
                parent.mkdir()
                made.append(parent)
        yield
    except BaseException:
        for parent in reversed(made):
            with suppress(OSError):
                parent.rmdir()
        raise


def nearest_existing(path: Path) -> Path:
    """The path itself, or the first one above it that is there.

    Examples
    --------
    >>> nearest_existing(Path("no", "such", "folder")) == Path.cwd()
    True
    """
    path = path.absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def flush(folder: Path) -> None:
    """See that the files of a folder are on the disk, before it gets its name.

    Examples
    --------
    >>> flush(Path("no-such-folder"))
    """
    for entry in [*_listed(folder), folder]:
        sync(entry)


def sync(path: Path) -> None:
    """Bring a file or folder to the disk; not every disk can be told to, nor takes folders.

    Examples
    --------
    >>> sync(Path("."))
    """
    is_file = path.is_file()
    try:
        handle = os.open(path, os.O_RDWR if is_file else os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if is_file and error.errno not in _NO_SYNC:
            raise


def reason_of(error: BaseException) -> str:
    """Return what the system says about a failure, without the library's own words.

    Examples
    --------
    >>> reason_of(OSError(28, "No space left on device")), reason_of(ValueError())
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
            f"{where}: can't be written: {reason_of(error)}; nothing half-written is left there: "
            f"{advice}choose another place"
        ) from error
