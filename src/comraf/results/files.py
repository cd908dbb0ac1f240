"""Writing a result as a folder that is either there and whole, or not there.

Everything is first written to a hidden folder beside the wanted one and then renamed. A
folder that can't be renamed (a mount point, the working folder, one that also holds files
of the user's) is filled file by file instead: ``result.json`` goes first and comes last, so
a folder with a ``result.json`` is whole. Files of other names stay as they are.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from comraf.errors import WriteError

__all__ = ["RESULT_FILE", "check_folder", "csv_names", "labels_csv", "safe_cell", "write_folder"]

RESULT_FILE = "result.json"
# A spreadsheet takes a cell that begins with one of these for a formula and runs it.
_FORMULA_STARTS = "=+-@\uff1d\uff0b\uff0d\uff20"
_LINES = 10_000
_MOST_RESULT = 2**28
# Names that Windows keeps for itself, whatever their ending, and those of files about no side.
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d|clusters|skipped)$")


def safe_cell(text: str) -> str:
    """Make a cell harmless that a spreadsheet would run as a formula.

    An apostrophe in front makes every spreadsheet show the rest as it is.

    Examples
    --------
    >>> safe_cell("sea"), safe_cell("=HYPERLINK(A1)")
    ('sea', "'=HYPERLINK(A1)")
    """
    # csv.writer leaves a lone carriage return unquoted, and readers end the line there.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    bare = text.lstrip()
    if text[:1] in ("\t", "\n") or (bare and bare[0] in _FORMULA_STARTS):
        return "'" + text
    return text


def labels_csv(what: str, names: Sequence[str] | None, labels: Iterable[int]) -> Iterator[str]:
    r"""Yield the lines of a CSV file with one value and its cluster a line, in pieces.

    Parameters
    ----------
    what : str
        Heading of the first column.
    names : sequence of str or None
        Names of the values; None numbers them from 0.
    labels : iterable of int
        Their clusters.

    Examples
    --------
    >>> "".join(labels_csv("word", ["sea", "=1+1"], [0, 1]))
    "word,cluster\nsea,0\n'=1+1,1\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([safe_cell(what), "cluster"])
    for i, label in enumerate(labels):
        writer.writerow([i if names is None else safe_cell(names[i]), int(label)])
        if i % _LINES == _LINES - 1:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def csv_names(sides: Sequence[str]) -> dict[str, str]:
    """File names for sides of any name: readable, legal everywhere, all different.

    Examples
    --------
    >>> csv_names(["words", "To/Cc", "to cc"])
    {'words': 'words.csv', 'To/Cc': 'To-Cc.csv', 'to cc': 'to-cc-2.csv'}
    """
    taken: set[str] = set()
    files: dict[str, str] = {}
    for side in sides:
        stem = re.sub(r"[^\w.]+", "-", side).strip("-.")[:60] or "side"
        if _RESERVED.match(stem):
            stem += "-side"
        name, number = stem, 1
        # Some file systems don't tell capitals apart.
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.lower())
        files[side] = f"{name}.csv"
    return files


def check_folder(path: str | os.PathLike[str], *, force: bool = False, needed: int = 2**16) -> None:
    """Refuse a folder that can't be written to, before long work is done for it.

    Parameters
    ----------
    path : path-like
        The folder wanted. It may be missing, or exist and be empty.
    force : bool
        Whether it may hold something.
    needed : int
        Bytes that will about be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_folder(folder)
    """
    target = _resolved(path)
    with _as_write_error(path):
        if target.exists():
            if not target.is_dir():
                raise WriteError(f"{path}: is a file; name a folder, new or empty")
            if not force and any(target.iterdir()):
                raise WriteError(
                    f"{path}: the folder is not empty; name another one, or add --force "
                    "(force=True) to write into it"
                )
        place = target if _fills(target) else _nearest(target.parent)
        if not place.is_dir():
            raise WriteError(f"{path}: {place} is not a folder")
        # Asking for permissions is no proof: a disk may be read-only or over its quota.
        probe = place / f".comraf-{secrets.token_hex(8)}.probe"
        try:
            probe.write_bytes(b"comraf")
        finally:
            with suppress(OSError):
                probe.unlink(missing_ok=True)
        free = shutil.disk_usage(place).free
        if free < needed:
            raise WriteError(
                f"{path}: about {needed:,} bytes are needed, but the disk has {free:,} free"
            )


def write_folder(
    path: str | os.PathLike[str],
    files: Mapping[str, str | Iterable[str]],
    *,
    folders: Mapping[str, Callable[[Path], None]] | None = None,
    force: bool = False,
) -> Path:
    """Write files into a folder, all of them or none.

    Parameters
    ----------
    path : path-like
        The folder; see :func:`check_folder`.
    files : mapping of str to str or iterable of str
        File name -> its text, whole or in pieces. ``result.json`` must be one of them, and
        list all of them under ``"files"``: a later run with ``force`` knows by it which
        files it may remove.
    folders : mapping of str to callable, optional
        Name of a folder inside -> what fills it, called with a path that does not exist
        yet. They are listed under ``"folders"`` in ``result.json``.
    force : bool
        Whether the folder may hold something. Files of an older result are replaced;
        others stay.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    WriteError
        It can't be written. What was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = write_folder(Path(folder, "out"), {"result.json": '{"files": ["result.json"]}'})
    ...     [file.name for file in made.iterdir()]
    ['result.json']
    """
    if RESULT_FILE not in files:
        raise ValueError(f"{RESULT_FILE} is missing among {sorted(files)}")
    check_folder(path, force=force)
    target = _resolved(path)
    with _as_write_error(path):
        if _fills(target):
            with _staged(target, files, folders or {}) as stage:
                _fill(target, stage, files, folders or {})
        else:
            with (
                _parents(target.parent),
                _staged(target.parent, files, folders or {}, target.name) as stage,
            ):
                _rename(stage, target)
    return Path(path)


def _resolved(path: str | os.PathLike[str]) -> Path:
    # A link stays a link: the folder that it leads to is what is written.
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:
        raise WriteError(f"{path!r}: is not the name of a folder: {error}") from None


def _nearest(path: Path) -> Path:
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


@contextmanager
def _as_write_error(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        raise WriteError(f"{path}: can't be written: {error.strerror or error}") from error


def _older(target: Path, key: str) -> set[str]:
    """Names that an older result in the folder lists as its own, under "files" or "folders"."""
    try:
        if (target / RESULT_FILE).stat().st_size > _MOST_RESULT:
            return set()
        listed = json.loads((target / RESULT_FILE).read_bytes()).get(key, [])
        names = {name for name in listed if isinstance(name, str) and Path(name).name == name}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return set()
    there = Path.is_file if key == "files" else _is_real_folder
    return {name for name in names - {".", ".."} if there(target / name)}


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _fills(target: Path) -> bool:
    """Whether a folder must be filled in place rather than be replaced as a whole."""
    if not target.is_dir():
        return False
    if target.is_mount() or target == Path.cwd() or target in Path.cwd().parents:
        return True
    if not os.access(target.parent, os.W_OK):
        return True
    own = _older(target, "files") | _older(target, "folders")
    return not {entry.name for entry in target.iterdir()} <= own


@contextmanager
def _parents(folder: Path) -> Iterator[None]:
    """Make the folders above the wanted one; take them away again if it comes to nothing."""
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


@contextmanager
def _staged(
    place: Path,
    files: Mapping[str, str | Iterable[str]],
    folders: Mapping[str, Callable[[Path], None]],
    name: str = "comraf",
) -> Iterator[Path]:
    """Write the files to a hidden folder, which is gone afterwards unless it was renamed."""
    stage = place / f".{name[:60]}.{secrets.token_hex(8)}.partial"
    try:
        stage.mkdir()
        for file, text in files.items():
            with (stage / file).open(
                "x", encoding="utf-8", errors="backslashreplace", newline=""
            ) as stream:
                for piece in (text,) if isinstance(text, str) else text:
                    stream.write(piece)
                stream.flush()
                os.fsync(stream.fileno())
        for folder, fill in folders.items():
            fill(stage / folder)
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _rename(stage: Path, target: Path) -> None:
    """Put a finished folder in its place; an older result there goes only after that."""
    if not target.exists():
        stage.rename(target)
        return
    shutil.copymode(target, stage)
    if os.name == "posix" and not any(target.iterdir()):
        stage.rename(target)  # takes the place of an empty folder in one step
        return
    older = stage.with_suffix(".older")
    target.rename(older)
    try:
        stage.rename(target)
    except BaseException:
        older.rename(target)
        raise
    shutil.rmtree(older, ignore_errors=True)


def _fill(
    target: Path, stage: Path, files: Mapping[str, object], folders: Mapping[str, object]
) -> None:
    """Move finished files into a folder that stays; ``result.json`` last."""
    own_folders = _older(target, "folders")
    for name in files:
        if (target / name).is_dir():
            raise WriteError(f"{target / name}: is a folder, but a file is to be written there")
    for name in folders:
        if (target / name).exists() and name not in own_folders:
            raise WriteError(f"{target / name}: is in the way and is not of an older result")
    stale = _older(target, "files") - set(files)
    (target / RESULT_FILE).unlink(missing_ok=True)
    for name in own_folders:
        shutil.rmtree(target / name)
    for name in folders:
        (stage / name).rename(target / name)
    for name in stale - {RESULT_FILE}:
        (target / name).unlink(missing_ok=True)
    for name in [*(name for name in files if name != RESULT_FILE), RESULT_FILE]:
        (stage / name).replace(target / name)
