"""Writing a result as a folder that is either there and whole, or not there.

Everything is first written to a hidden folder and then renamed. A folder that holds something
already, or can't be renamed (a mount point, the working folder), is filled file by file
instead: ``result.json`` goes first and comes last, so a folder with a ``result.json`` is whole.
Whoever is killed meanwhile leaves a hidden folder that is ``ready``; the next one who writes or
reads moves the rest. One process writes at a time, see `comraf.store.claimed`.

Only what an older result of comraf's lists, and comraf writes, is ever removed. Whatever else
is in the way is kept under another name.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from comraf.errors import ComrafWarning, Setting, WriteError
from comraf.store import (
    claimed,
    flush,
    hidden_folder,
    nearest_existing,
    parents_made,
    put,
    put_back,
    remove,
    write_pieces,
    writing,
)

__all__ = [
    "RESULT_FILE",
    "check_folder",
    "csv_lines",
    "csv_names",
    "plain_cell",
    "recover",
    "safe_cell",
    "set_aside",
    "write_folder",
]

RESULT_FILE = "result.json"
# A spreadsheet takes a cell that begins with one of these for a formula and runs it.
_FORMULA_STARTS = "=+-@\uff1d\uff0b\uff0d\uff20"
_SPLIT = re.compile(rf'([;\t\n|][\s"]*+)([{re.escape(_FORMULA_STARTS)}]?)')
_MADE_SAFE = re.compile(rf"([;\t\n|][\s\"]*+)'(?=[{re.escape(_FORMULA_STARTS)}])")
_LINES = 10_000
_MOST_RESULT = 2**28
# What comraf writes into a folder of its own, and may remove again: files, folders, and in those.
_OWN_FILES = re.compile(r"result\.json|[\w.-]+\.csv|(report|topics)\.html|(graph|merges)\.svg")
_OWN_FOLDERS = re.compile(r"model|collection|clustering|neighbours|report-pages")
_OWN_INSIDE = re.compile(r"[\w.-]+\.(json|safetensors|parquet|npz|npy|html)")
_HIDDEN = re.compile(r"\.comraf(-[0-9a-f]{16}\.(lock|probe)|\.[0-9a-f]{16}\.(partial|ready))")
_PLAN = "plan.json"
# Names that Windows keeps for itself, whatever their ending, and those of files about no side.
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d|clusters|skipped)$")


def safe_cell(text: str) -> str:
    """Make a cell harmless that a spreadsheet would run as a formula.

    An apostrophe in front makes every spreadsheet show the rest as it is; so does one within,
    where a spreadsheet that splits at semicolons or tabs would begin another cell.

    Examples
    --------
    >>> safe_cell("sea"), safe_cell("=HYPERLINK(A1)"), safe_cell("a;=1+1")
    ('sea', "'=HYPERLINK(A1)", "a;'=1+1")
    """
    # csv.writer leaves a lone carriage return unquoted, and readers end the line there.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Some split lines at semicolons or tabs, whatever is between quotes, and drop quotes there.
    text = _SPLIT.sub(lambda found: f"{found[1]}'{found[2]}" if found[2] else found[1], text)
    bare = text.lstrip()
    if text[:1] in ("\t", "\n") or (bare and bare[0] in _FORMULA_STARTS):
        return "'" + text
    return text


def plain_cell(text: str) -> str:
    """What a cell said before `safe_cell` made it harmless.

    Examples
    --------
    >>> plain_cell("'=HYPERLINK(A1)"), plain_cell("'tis")
    ('=HYPERLINK(A1)', "'tis")
    """
    bare = _MADE_SAFE.sub(r"\1", text).removeprefix("'")
    return bare if bare != text and safe_cell(bare) == text else text


def csv_lines(lines: Iterable[Sequence[object]], delimiter: str = ",") -> Iterator[str]:
    r"""Yield lines of a CSV file, in pieces, with texts that no spreadsheet runs.

    Examples
    --------
    >>> "".join(csv_lines([("word", "cluster"), ("sea", 0), ("=1+1", -1)]))
    "word,cluster\nsea,0\n'=1+1,-1\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    for i, line in enumerate(lines):
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in line])
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
    with writing(path):
        if target.is_symlink():  # whatever leads somewhere was followed
            raise WriteError(f"{path}: is a link that leads to itself; name a folder, new or empty")
        if target.exists():
            if not target.is_dir():
                raise WriteError(f"{path}: is a file; name a folder, new or empty")
            if not force and any(not _HIDDEN.fullmatch(name) for name in os.listdir(target)):
                raise WriteError(
                    "{path}: the folder is not empty; name another one, or add {force} to write "
                    "into it",
                    code="not_empty",
                    path=path,
                    force=Setting("force", True),
                )
        place = target if _stays(target) else nearest_existing(target.parent)
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
        The folder; see `check_folder`.
    files : mapping of str to str or iterable of str
        File name -> its text, whole or in pieces. ``result.json`` must be one of them, and
        list all of them under ``"files"``: a later run with ``force`` knows by it which
        files it may remove.
    folders : mapping of str to callable, optional
        Name of a folder inside -> what fills it, called with a path that does not exist
        yet. They are listed under ``"folders"`` in ``result.json``.
    force : bool
        Whether the folder may hold something. Files of an older result are replaced; others
        stay, under another name if they are in the way, which is warned of. Who has claimed
        the folder before (see `comraf.store.claimed`) has looked into it then: what came
        later stays too.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    WriteError
        It can't be written, or another process is writing it. What was there before is still
        there.

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
    target = _resolved(path)
    with claimed(target) as looked, writing(path):
        recover(target)
        check_folder(path, force=force or looked)
        home, name = (target, "comraf") if _stays(target) else (target.parent, target.name)
        with parents_made(target.parent), hidden_folder(home, name) as stage:
            for file, text in files.items():
                write_pieces(stage / file, (text,) if isinstance(text, str) else text)
            for folder, fill in (folders or {}).items():
                fill(stage / folder)
            flush(stage)
            _put(stage, target)
    return Path(path)


def recover(path: str | os.PathLike[str]) -> None:
    """Finish what a killed writer began in a folder; for whoever has claimed it, or reads it.

    Examples
    --------
    >>> recover("no-such-folder")
    """
    target = _resolved(path)
    with suppress(OSError):
        ready = [p for p in target.glob(".comraf.*.ready") if _HIDDEN.fullmatch(p.name)]
        if ready:
            with claimed(target):
                for place in filter(_is_real_folder, ready):
                    _move_in(place, target)
        put_back(target)  # versions up to 0.1 left the older result, and no newer one


def _resolved(path: str | os.PathLike[str]) -> Path:
    # A link stays a link: the folder that it leads to is what is written.
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:
        raise WriteError(f"{path!r}: is not the name of a folder: {error}") from None


def _own(target: Path) -> set[str]:
    """Names that an older result in the folder lists as its own, if it is one of comraf's."""
    try:
        if (target / RESULT_FILE).stat().st_size > _MOST_RESULT:
            return set()
        answer = json.loads((target / RESULT_FILE).read_bytes())
        if not str(answer["format"]).startswith("comraf-"):
            return set()
        names = {RESULT_FILE, *answer.get("files", []), *answer.get("folders", [])}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return set()
    return {name for name in names if isinstance(name, str) and _is_own(target, name)}


def _is_own(target: Path, name: str) -> bool:
    """Whether something has a name that comraf writes, and holds nothing else."""
    place = target / name
    if _OWN_FILES.fullmatch(name):
        return place.is_file() and not place.is_symlink()
    return (
        bool(_OWN_FOLDERS.fullmatch(name))
        and _is_real_folder(place)
        and all(_OWN_INSIDE.fullmatch(e.name) and not _is_real_folder(e) for e in place.iterdir())
    )


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _stays(target: Path) -> bool:
    """Whether a folder must be filled in place rather than be replaced as a whole."""
    if not target.is_dir():
        return False
    if target.is_mount() or target == Path.cwd() or target in Path.cwd().parents:
        return True
    return not os.access(target.parent, os.W_OK) or any(target.iterdir())


def _put(stage: Path, target: Path) -> None:
    """Put a finished folder in its place in one step, or into what is there."""
    if stage.parent != target:
        try:
            put(stage, target)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EACCES, errno.EPERM):
                raise
    own = _own(target)
    plan = {"own": sorted(own), "stale": sorted(own - set(os.listdir(stage)))}
    (stage / _PLAN).write_text(json.dumps(plan), encoding="utf-8")
    token = stage.name.split(".")[-2]
    ready = target / f".comraf.{token}.ready"
    stage.rename(ready)
    _move_in(ready, target)


def _move_in(ready: Path, target: Path) -> None:
    """Move what is ready into a folder that stays; may be killed, and begun again, anywhere."""
    try:
        plan = json.loads((ready / _PLAN).read_bytes())
        own = {str(name) for name in plan["own"]}
        stale = [str(name) for name in plan["stale"] if name != RESULT_FILE]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        own, stale = set(), []  # the plan goes last of all: nothing is left to be moved
    if (ready / RESULT_FILE).exists():
        _make_room(target, RESULT_FILE, own)
        for name in stale:
            if _is_own(target, name):
                _make_room(target, name, own)
        for name in sorted(set(os.listdir(ready)) - {RESULT_FILE, _PLAN}):
            _make_room(target, name, own)
            (ready / name).rename(target / name)
        (ready / RESULT_FILE).rename(target / RESULT_FILE)
    remove(ready)


def _make_room(target: Path, name: str, own: set[str]) -> None:
    """Remove something of an older result; keep whatever else is there under another name."""
    place = target / name
    if not os.path.lexists(place):
        return
    if name in own and _is_own(target, name):
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
        return
    set_aside(place)


def set_aside(place: Path) -> None:
    """Keep what is in the way, and not comraf's, under another name; nothing where nothing is.

    Examples
    --------
    >>> set_aside(Path("no-such-file"))
    """
    if os.path.lexists(place):
        kept = place.with_name(f"{place.name}.before-comraf")
        while os.path.lexists(kept):
            kept = kept.with_name(f"{kept.name}~")
        place.rename(kept)
        told = f"{place} was not comraf's; it is kept as {kept.name}"
        warnings.warn(told, ComrafWarning, stacklevel=2)
