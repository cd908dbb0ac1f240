"""Files and folders: walking without surprises, reading without blowing up.

Nothing here opens what is not a regular file, follows a link in circles or out of the folder
that was given (unless asked to), or reads more of a file than asked.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from comraf.collection.items import Item, Skip, Unit
from comraf.errors import InputError, Note, ReadError
from comraf.store import reason_of

# Bytes of a name that are not UTF-8 become private characters, so that a path can be
# stored and shown; os_path turns them back.
_OUT = {0xDC80 + i: 0xF780 + i for i in range(128)}
_BACK = {0xF780 + i: 0xDC80 + i for i in range(128)}
# Line ends, control codes, marks of direction and bytes that are no text: none of them can
# be seen, and in a list or on a terminal they would do harm.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\uf780-\uf7ff\ud800-\udfff]"
)
_JUNK = frozenset(("thumbs.db", "desktop.ini", "__macosx"))
_OWN = frozenset(("collection.json", "items.parquet"))
_FOLDERS = re.compile(r"folders(?::([1-9]\d?))?")

SPECIAL = "special"
"""What stands for the fingerprint of a pipe or a device, which must not even be opened."""


_following = ContextVar("_following", default=False)

#: Code of the note about links that lead out of a folder.
LINKS_OUT = "links_out"


@contextmanager
def follow_links() -> Iterator[None]:
    """Let readers follow symbolic links that lead out of the folder they are given.

    Otherwise they are counted and left out: a folder from somebody else must not bring in what
    lies elsewhere on the disk. Links within the folder, and one that is given itself, are always
    followed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as mine, tempfile.TemporaryDirectory() as given:
    ...     _ = pathlib.Path(mine, "diary.txt").write_text("private")
    ...     pathlib.Path(given, "a.txt").symlink_to(pathlib.Path(mine, "diary.txt"))
    ...     told = []
    ...     without = [path for path, _, _ in walk(given, told)]
    ...     with follow_links():
    ...         without, [path for path, _, _ in walk(given, [])], told[0][:44]
    ([], ['a.txt'], '1 symbolic link leads out of the folder: not')
    """
    before = _following.set(True)
    try:
        yield
    finally:
        _following.reset(before)


def leads_out(path: str, root: str) -> bool:
    """Tell whether a symbolic link leads out of a folder, and is not to be followed.

    Examples
    --------
    >>> leads_out(".", ".")
    False
    """
    if _following.get() or not os.path.islink(path):
        return False
    home = os.path.join(os.path.realpath(root), "")
    return not os.path.join(os.path.realpath(path), "").startswith(home)


class Notes:
    """What a reader has to tell: what came up on opening, and in the latest scan.

    Examples
    --------
    >>> told = Notes()
    >>> told.notes.append("read as mail")
    >>> told.renew()
    >>> told.notes.append("2 folders dropped")
    >>> told.renew()
    >>> told.notes
    ['read as mail']
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._opening: list[str] | None = None

    def renew(self) -> None:
        """Forget what earlier scans told."""
        if self._opening is None:
            self._opening = list(self.notes)
        self.notes[:] = self._opening


class FileReader(Notes):
    """A reader of a file, or of the files of its format in a folder tree, each one unit.

    A format adds `items`, and `fits` where not every file is one of its own.

    Parameters
    ----------
    path : path-like
        The file or the folder.
    """

    kind = ""
    parallel = True
    truth: str | None = None
    #: What a damaged file may raise.
    damage: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.path = check_path(path)
        self.root = str(self.path)

    def fits(self, path: str) -> bool:
        """Tell whether a file, by its path below the folder, is of the format."""
        return True

    def scan(self) -> list[Unit]:
        """List the files of the format, with what tells whether one has changed."""
        self.renew()
        if self.path.is_file():
            return self.whole()
        units: list[Unit] = []
        others = 0
        for path, mark, readable in walk(self.root, self.notes):
            if not readable or self.fits(path):
                units.append(Unit(portable(path), fingerprint=mark))
            else:
                others += 1
        if not units:
            what = f"is no {self.kind} file" if others else "are no files"
            raise ReadError(f"There {what} in {self.root!r} or below it.")
        if others:
            self.notes.append(f"{others} files are not {self.kind} and were passed over")
        return units

    def whole(self) -> list[Unit]:
        """Return the file that was given, as one unit."""
        return [Unit("", fingerprint=stamp(os.stat(self.path)))]

    def paths(self) -> list[str]:
        """List the files below the folder; an empty path is the file that was given itself."""
        if self.path.is_file():
            return [""]
        return [portable(path) for path, _, _ in walk(self.root, self.notes)]

    def units(
        self, paths: Iterable[str], cut: Callable[[str, str], Iterable[Unit]]
    ) -> Iterator[Unit]:
        """Cut files into units; one that can't be read stays whole, and `read` says why."""
        for path in paths:
            try:
                yield from cut(path, os_path(self.root, path))
            except OSError as error:
                if isinstance(error, ReadError):
                    raise
                yield Unit(path)

    def source(self, unit: Unit) -> str:
        """Return where a unit lies, for people: below the folder, or the name of the file."""
        return unit.path or portable(self.path.name)

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield what a unit holds; where it can't be read, a skip says why."""
        try:
            yield from self.items(unit)
        except self.damage as error:
            yield Skip(self.source(unit), f"can't be read: {reason_of(error)}"[:300])

    def items(self, unit: Unit) -> Iterator[Item | Skip]:
        """Yield the items of a unit, and a skip for each that can't be used."""
        raise NotImplementedError

    def beginning(self, unit: Unit, most: int) -> tuple[bytes, tuple[str, ...]]:
        """Return the bytes of a unit, and a note where there are more than are read."""
        data = read_file(self.root, unit.path, most + 1, unit.start, unit.stop)
        return (data[:most], (f"cut at {most:,} bytes",)) if len(data) > most else (data, ())

    def folder_class(self, path: str) -> str | None:
        """Return the class that the folder of a file gives; None where folders are no truth."""
        if not by_folders(self.truth):
            return None
        place = self.path.resolve()
        home = place if place.is_dir() else place.parent
        return folder_truth(path, self.truth) or portable(home.name)


def check_folders(truth: str | None) -> None:
    """Refuse a truth that is neither none nor the folders.

    Examples
    --------
    >>> check_folders("folders:1")
    """
    if truth is not None and not by_folders(truth):
        raise InputError(
            "{given} is not known; it can be {allowed:or} (the topmost).",
            "truth",
            truth,
            allowed=["folders", "folders:1"],
        )


def by_folders(truth: str | None) -> bool:
    """Tell whether folders are the truth: all of them, or so many from the top.

    Examples
    --------
    >>> by_folders("folders"), by_folders("folders:1"), by_folders("folders:0"), by_folders(None)
    (True, True, False, False)
    """
    return truth is not None and _FOLDERS.fullmatch(truth) is not None


def folder_truth(path: str, truth: str | None = "folders") -> str:
    """Return the class that a message's path gives: its folder, the hierarchy made flat.

    Examples
    --------
    >>> folder_truth("projects/pumps/12"), folder_truth("projects/pumps/12", "folders:1")
    ('projects/pumps', 'projects')
    """
    folders = path.split("/")[:-1]
    depth = _FOLDERS.fullmatch(truth or "")
    return "/".join(folders[: int(depth[1])] if depth and depth[1] else folders)


def portable(path: str) -> str:
    r"""Return a path with forward slashes that can be written as UTF-8.

    Examples
    --------
    >>> portable("a/caf\udce9").encode() != b""
    True
    """
    return path.replace(os.sep, "/").translate(_OUT)


def escaped(path: str) -> str:
    r"""Return a path as a name for people: what can't be seen in it as an escape.

    Examples
    --------
    >>> escaped("sea/a b.jpg"), escaped("two\nlines.jpg"), escaped(portable("caf\udce9"))
    ('sea/a b.jpg', 'two\\nlines.jpg', 'caf\\xe9')
    """
    return _UNSEEN.sub(_escape, path)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xF780 <= code <= 0xF7FF:
        return f"\\x{code - 0xF700:02x}"
    return found[0].encode("unicode_escape").decode("ascii")


def os_path(root: str, path: str) -> str:
    """Return what to open for a unit's path below a root.

    Examples
    --------
    >>> os_path("", "a.txt")
    'a.txt'
    """
    whole = os.path.join(root, *path.split("/")) if path else root
    if os.path.lexists(whole):
        return whole
    return os.path.join(root, *path.translate(_BACK).split("/"))


def check_path(path: str | os.PathLike[str]) -> Path:
    """Return the path if there is something that can be read; else say what is wrong.

    Examples
    --------
    >>> check_path("no such place")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: There is nothing at 'no such place'. Check the spelling; ...
    """
    try:
        place = Path(path)
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        what = "a symbolic link to nothing" if os.path.islink(path) else "nothing"
        raise ReadError(
            f"There is {what} at {str(path)!r}. Check the spelling; a relative path starts from "
            f"{os.getcwd()!r}."
        ) from None
    except (OSError, ValueError, TypeError) as error:
        raise ReadError(f"Can't look at {str(path)!r}: {reason_of(error)}.") from error
    if stat.S_ISDIR(mode):
        try:
            with os.scandir(place):
                pass
        except OSError as error:
            raise ReadError(f"Can't list the folder {str(path)!r}: {reason_of(error)}.") from error
    elif not stat.S_ISREG(mode):
        raise ReadError(f"{str(path)!r} is neither a file nor a folder (a device or a pipe).")
    else:
        try:
            with open(place, "rb") as file:
                file.read(1)
        except OSError as error:
            raise ReadError(f"Can't read {str(path)!r}: {reason_of(error)}.") from error
    return place


def stamp(info: os.stat_result) -> str:
    """Return a fingerprint of a file from its size and time.

    Examples
    --------
    >>> import os
    >>> "-" in stamp(os.stat("."))
    True
    """
    return f"{info.st_size:x}-{info.st_mtime_ns:x}"


def is_own_folder(path: str | os.PathLike[str]) -> bool:
    """Tell by the names of its files whether a folder is a collection that comraf wrote.

    Examples
    --------
    >>> is_own_folder(".")
    False
    """
    return all(os.path.isfile(os.path.join(path, name)) for name in _OWN)


def walk(
    root: str, notes: list[str], *, hidden: bool = False, special: bool = False
) -> Iterator[tuple[str, str, bool]]:
    """Yield every file below a folder: relative path, fingerprint, whether it can be read.

    Sorted by name. Links within the folder are followed, but no folder is entered twice; those
    that lead out of it only within `follow_links`. What can't be
    listed comes as one entry that can't be read, so that it is counted. Hidden files,
    those that systems leave behind, and collections that were written among what they
    were read from are passed over. So are pipes and devices, unless special ones are asked for:
    those come with SPECIAL for a fingerprint, as what can't be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("x")
    ...     [path for path, _, _ in walk(folder, [])]
    ['a.txt']
    """
    seen: set[tuple[int, int]] = set()
    circles = outside = 0
    stack = [""]
    while stack:
        folder = stack.pop()
        whole = os.path.join(root, folder) if folder else root
        try:
            info = os.stat(whole)
            if (info.st_dev, info.st_ino) in seen:
                circles += 1
                continue
            seen.add((info.st_dev, info.st_ino))
            with os.scandir(whole) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            yield folder, "", False
            continue
        if {entry.name for entry in listed} >= _OWN:
            notes.append(f"{portable(folder) or 'the folder'} is a collection: not read as files")
            continue
        folders = []
        for entry in listed:
            if entry.name.lower() in _JUNK or (entry.name.startswith(".") and not hidden):
                continue
            path = os.path.join(folder, entry.name) if folder else entry.name
            if entry.is_symlink() and leads_out(entry.path, root):
                outside += 1
                continue
            try:
                info = entry.stat()
            except OSError:
                yield path, "", False
                continue
            if stat.S_ISDIR(info.st_mode):
                folders.append(path)
            elif stat.S_ISREG(info.st_mode):
                yield path, stamp(info), True
            elif special:
                yield path, SPECIAL, False
        stack.extend(reversed(folders))
    if circles:
        were = "linked folder was" if circles == 1 else "linked folders were"
        notes.append(f"{circles} {were} already read and not entered again")
    if outside:
        links = "symbolic link leads" if outside == 1 else "symbolic links lead"
        text = "{n:,} {links} out of the folder: not followed without --follow-links"
        notes.append(Note(text, LINKS_OUT, n=outside, links=links))


def read_file(root: str, path: str, limit: int, start: int = 0, stop: int | None = None) -> bytes:
    """Return at most ``limit`` bytes of a regular file, or of a stretch of it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("abcdef")
    ...     read_file(folder, "a.txt", 3)
    b'abc'
    """
    whole = os_path(root, path)
    # a pipe that took the file's place since the scan must not block
    handle = os.open(whole, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ReadError("not a regular file")
        if start:
            file.seek(start)
        wanted = limit if stop is None else min(limit, stop - start)
        blocks = []
        while wanted > 0 and (block := file.read(wanted)):
            blocks.append(block)
            wanted -= len(block)
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)


def left_out(endings: Counter[str]) -> str:
    """Tell how many files of which endings were left out.

    Examples
    --------
    >>> left_out(Counter([".png"])), left_out(Counter([".png", ".csv", ".png"]))
    ('1 file left out by its ending: .png', '3 files left out by their endings: .png 2, .csv 1')
    """
    common = endings.most_common(6)
    if endings.total() == 1:
        return f"1 file left out by its ending: {common[0][0]}"
    shown = ", ".join(f"{ending} {count:,}" for ending, count in common)
    return f"{endings.total():,} files left out by their endings: {shown}"


def is_classes_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file says which photo beside it is of which class, for ``evaluate``.

    Examples
    --------
    >>> is_classes_file("album/flowers.csv")
    False
    """
    if os.path.basename(os.fspath(path)).lower() != "classes.csv":
        return False
    try:
        with open(path, "rb") as file:
            return file.read(10) == b"item,truth"
    except OSError:
        return False
