"""Finding out what lies at a path, and opening it with the right reader."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from comraf.collection.items import Reader
from comraf.collection.kinds import KINDS, Look
from comraf.collection.packed import OFFICE, file_head, how_to_unpack, packing_of
from comraf.collection.readers.captions import is_caption_file
from comraf.collection.readers.files import (
    LINKS_OUT,
    check_path,
    is_classes_file,
    is_own_folder,
    leads_out,
    walk,
)
from comraf.collection.readers.folder import HTML_ENDINGS, MARKDOWN_ENDINGS
from comraf.collection.readers.frames import is_frame
from comraf.collection.readers.tagged import CATS, tagged_zip
from comraf.collection.vision.kinds import PHOTO_ENDINGS, unread_format
from comraf.errors import InputError, Note, ReadError, code_of

__all__ = ["Finding", "detect", "open_reader"]

# A corpus that is read when it is given itself, not as one of the files of a folder.
_ZIPPED = "zip of tagged texts"
_LOOK_AT = 64
_PER_FOLDER = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """What a path holds, and how that was seen.

    Attributes
    ----------
    kind : str
        A name in `comraf.collection.KINDS`.
    reason : str
        For people.
    plain : bool
        Whether nothing is to be told: all are photos, and each says so itself.
    """

    kind: str
    reason: str
    plain: bool = field(default=False, repr=False)


def open_reader(
    path: str | os.PathLike[str] | Any, *, kind: str | None = None, **options: Any
) -> Reader:
    r"""Open a collection with the reader that fits.

    Parameters
    ----------
    path : path-like or DataFrame
        A file, a folder, or a data frame.
    kind : str, optional
        A name in `comraf.collection.KINDS`; found by looking when not given.
    **options
        For that reader: ``truth="folders"`` or ``quotes="drop"`` for mail,
        ``text="abstract"`` for tables, and so on.

    Returns
    -------
    Reader
        Its ``notes`` tell how the kind was found and what was guessed.

    Raises
    ------
    ReadError
        There is nothing there, or nothing that can be read.
    InputError
        An unknown kind or option, or a column that does not exist.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "1.eml").write_text("From: a@x.org\nSubject: Hi\n\nHello")
    ...     open_reader(folder).kind
    'mail'
    """
    if kind is not None and kind not in KINDS:
        raise InputError(
            "{given} is unknown; choose one of {allowed}",
            "kind",
            kind,
            code="unknown_kind",
            allowed=sorted(KINDS),
            files=_of_files(),
        )
    named = None if kind is None else KINDS[kind]
    if is_frame(path) or (named and named.in_memory):
        if named and not named.in_memory:
            raise InputError("{given} reads files; a data frame was given.", "kind", kind)
        return _opened("frame", path, options)
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(
            f"Expected a path or a data frame, got {type(path).__name__}. For a table of counts "
            f"in memory use an estimator directly."
        )
    place = check_path(path)
    if not (named and named.zipped):
        _refuse(place)
    if named:
        return _opened(named.name, place, {**named.when_named, **options})
    finding = _detect(place)
    # who names columns wants the table as it is
    if not options.keys() - {"truth", "encoding"}:
        finding = _refined(finding, place)
    try:
        reader = _opened(finding.kind, place, options)
    except ReadError as error:
        if place.is_dir() and (zipped := _zipped(str(place))):
            raise error.about(
                "{error} {zipped!r} holds tagged texts: give that file.", zipped=zipped
            ) from None
        raise
    if not finding.plain:
        reader.notes.insert(0, finding.reason)
    return reader


def _opened(kind: str, path: Any, options: dict[str, Any]) -> Reader:
    allowed = KINDS[kind].options
    if unknown := [name for name in options if name not in allowed]:
        raise InputError(
            "The reader for {kind!r} has no option {option!r}; it has {allowed:,}.",
            code="reader_option",
            kind=kind,
            option=unknown[0],
            allowed=allowed,
        )
    return KINDS[kind].reader(path, **options)


def detect(path: str | os.PathLike[str], *, refine: bool = True) -> Finding:
    """Find out what lies at a path.

    Parameters
    ----------
    path : path-like
    refine : bool
        Whether special kinds, such as tables of papers, are told from plain ones.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("Pumps leak.")
    ...     detect(folder)
    Finding(kind='text', reason='read as text: 1 of 1 files looked at are text')
    """
    place = check_path(path)
    finding = _detect(place)
    return _refined(finding, place) if refine else finding


def _refuse(path: Path) -> None:
    """Say what to do with what no reader is for, whatever kind was asked for."""
    if path.is_dir():
        if is_own_folder(path):
            raise InputError(
                f"{str(path)!r} is a collection already: open it with "
                "comraf.collection.store.open_collection, or name what it was read from."
            )
        return
    look = Look(str(path))
    if look.packing is None or any(
        kind.zipped and kind.recognise and kind.recognise(look) for kind in KINDS.values()
    ):
        return
    if look.packing == "zip" and not zipfile.is_zipfile(path):
        # the list of what is in it stands at its end
        raise ReadError(f"{str(path)!r} is damaged: its end is missing. Get a whole copy of it.")
    raise _no_fit(path, "packed")


def _detect(place: Path) -> Finding:
    _refuse(place)
    if place.is_file():
        look = Look(str(place))
        kind = _file_kind(look)
        if kind in KINDS:
            return Finding(kind, f"read as {_called(kind, look)}, by the beginning of the file")
        raise _no_fit(place, kind)
    return _folder(place)


def _called(kind: str, look: Look) -> str:
    """What people call a kind of file: what reads JSON lines and texts reads their kin too."""
    if kind == "text" and _is_page(look):
        return "HTML"
    return "JSON" if kind == "jsonl" and look.ending == ".json" else kind


def _refined(finding: Finding, place: Path) -> Finding:
    """Tell special kinds from what they look like, such as papers from other tables."""
    for name, kind in KINDS.items():
        if finding.kind not in kind.refines or kind.recognise is None:
            continue
        endings = KINDS[finding.kind].endings
        files = [str(place)] if place.is_file() else _sample(str(place))
        first = next((f for f in files if place.is_file() or f.lower().endswith(endings)), None)
        if first is not None and kind.recognise(Look(first, kind=finding.kind)):
            return Finding(name, f"{finding.reason}, and as {name} by the names of its fields")
    return finding


def _file_kind(look: Look) -> str:
    """Name what one file looks like: a kind, or "packed", "binary", "empty", "other"."""
    for name, kind in KINDS.items():
        if kind.recognise is None or kind.refines or not (look.is_text or kind.binary):
            continue
        if kind.recognise(look) or (look.is_text and look.claim == name):
            return name
    if look.is_text:
        return "other"
    if not look.head.strip(b"\x00 \t\r\n"):
        return "empty"
    return unread_format(look.head) or ("packed" if look.packing else "binary")


def _is_page(look: Look) -> bool:
    return look.ending not in MARKDOWN_ENDINGS and (look.ending in HTML_ENDINGS or look.is_html)


def _folder(place: Path) -> Finding:
    root = str(place)
    seen: Counter[str] = Counter()
    example: dict[str, str] = {}
    captions: Counter[str] = Counter()
    pages = 0
    for path in _sample(root):
        look = Look(path, root)
        kind = _file_kind(look)
        if kind == "tagged" and zipfile.is_zipfile(path):
            kind = _ZIPPED
        seen[kind] += 1
        beside = is_caption_file(path) or is_classes_file(path)
        captions[kind] += kind != "images" and beside
        pages += look.ending in HTML_ENDINGS or (kind == "text" and _is_page(look))
        example.setdefault(kind, path)
    if not seen:
        notes: list[str] = []
        unread = sum(1 for _ in walk(root, notes))
        links = "".join(f"; {note}" for note in notes if code_of(note) == LINKS_OUT)
        if unread or links:
            raise ReadError(f"In the folder {root!r} there are no files that can be read{links}.")
        raise ReadError(f"The folder {root!r} is empty: there are no files in it or below it.")
    fitting = Counter({kind: count for kind, count in seen.items() if kind in KINDS})
    if not fitting:
        kind = seen.most_common(1)[0][0]
        raise _no_fit(Path(example[kind]), kind, root)
    # what is said of photos does not count against them
    kind = (fitting - captions if fitting["images"] else fitting).most_common(1)[0][0]
    if fitting["tagged"] and os.path.isfile(os.path.join(root, CATS)):
        kind = "tagged"
    if kind == "images" and pages:
        # of web pages the text counts, however many pictures they have
        kind = "text"
    elif kind == "text" and not pages and 0 < fitting["text"] <= 2 * fitting["images"]:
        kind = "images"  # captions lie beside the photos, one text each
    if kind == "images":
        # what is said of the photos is read with them
        seen -= captions
    total = sum(seen.values())
    # a README beside a table does not make it a folder of texts
    tables = [name for name in fitting if KINDS[name].whole]
    if kind == "text" and len(tables) == 1 and fitting[kind] <= 3 and total <= 8:
        kind = tables[0]
    count = fitting[kind]
    rest = ", ".join(f"{n} {name}" for name, n in seen.most_common() if name != kind)
    called = "HTML" if kind == "text" and pages == count else kind
    some = f", {pages} of them HTML" if kind == "text" and 0 < pages < count else ""
    reason = f"read as {called}: {count} of {total} files looked at are {called}{some}"
    if rest:
        reason = Note("{reason} (the others: {rest})", "mixed_folder", reason=reason, rest=rest)
    return Finding(kind, reason, plain=kind == "images" and count == total)


def _zipped(root: str) -> str:
    """A corpus of tagged texts in a folder that is read only when it is given itself."""
    return next((path for path in _sample(root) if tagged_zip(path)), "")


def _sample(root: str) -> Iterator[str]:
    """Yield a few files of many folders, without listing a large folder to its end."""
    waiting = [root]
    entered: set[tuple[int, int]] = set()
    found = 0
    while waiting and found < _LOOK_AT and len(entered) < 4 * _LOOK_AT:
        folder = waiting.pop(0)
        folders: list[str] = []
        files = 0
        most = _PER_FOLDER if waiting or folder != root else _LOOK_AT
        try:
            info = os.stat(folder)
            if (info.st_dev, info.st_ino) in entered or is_own_folder(folder):
                continue
            entered.add((info.st_dev, info.st_ino))
            with os.scandir(folder) as entries:
                for number, entry in enumerate(entries):
                    if number > 5000 or (files >= most and len(folders) >= _LOOK_AT):
                        break
                    with suppress(OSError):  # a link in a circle
                        if leads_out(entry.path, root):
                            continue
                        if entry.is_dir():
                            folders.append(entry.path)
                        elif not entry.name.startswith(".") and entry.is_file() and files < most:
                            files += 1
                            yield entry.path
        except OSError:
            continue
        found += files
        waiting.extend(sorted(folders))


def _no_fit(path: Path, kind: str, folder: str | None = None) -> ReadError:
    """Why nothing can be read, and what could be done."""
    where = (
        f"Nothing in the folder {folder!r} can be read: {path.name!r} is"
        if folder
        else (f"{str(path)!r} can't be read: it is")
    )
    if kind == _ZIPPED:
        return ReadError(f"{where} a corpus of tagged texts: give that file itself.")
    if kind == "empty":
        return ReadError(f"{where} empty.")
    if kind == unread_format(file_head(str(path))):
        return ReadError(
            f"{where} a {kind} photo. {kind} photos are not read; export them as JPEG."
        )
    if advice := OFFICE.get(path.suffix.lower()):
        return ReadError("{where} {what}.", where=where, what=advice)
    if kind == "packed":
        packing = packing_of(file_head(str(path))) or "zip"
        return ReadError(
            f"{where} a packed {packing} file. Unpack it and give what comes out: "
            f"{how_to_unpack(path, packing)}"
        )
    if path.suffix.lower() in PHOTO_ENDINGS:
        return ReadError(f"{where} no photo, whatever its name says, or a damaged one.")
    what = "a binary file" if kind == "binary" else "no kind of file that is known"
    known = sorted((KINDS[name].about for name in _of_files()), key=str.casefold)
    return ReadError(
        "{where} {what}. Known are {known:,}. If you know that it is one of these, say so with "
        "{given}, one of {allowed:,}.",
        "kind",
        where=where,
        what=what,
        known=known,
        allowed=_of_files(),
    )


def _of_files() -> list[str]:
    """Kinds that are read from files."""
    return [name for name in sorted(KINDS) if not KINDS[name].in_memory]
