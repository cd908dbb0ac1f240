"""Captions of photos, from a table or a JSON file that lies beside them."""

from __future__ import annotations

import csv
import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from comraf.collection.readers.charsets import clean, clean_line, decode
from comraf.collection.readers.files import read_file
from comraf.collection.readers.folder import looks_binary
from comraf.collection.readers.html import html_text
from comraf.collection.vision.kinds import PHOTO_ENDINGS
from comraf.errors import ReadError

CAPTION_FILES = ("captions.tsv", "captions.csv", "captions.json", "captions.jsonl", "captions.txt")
"""Names that a file of captions goes by; the first one that holds captions is read."""

MAX_BYTES = 256 << 20
_MOST_SIDECAR = 1 << 20
_LONGEST = 10_000
_FILE = ("file", "filename", "file_name", "image", "image_name", "img", "photo", "name", "path")
_CAPTION = ("caption", "captions", "text", "comment", "sentence", "sentences", "description", "raw")
_ENDINGS = "(?:" + "|".join(map(re.escape, PHOTO_ENDINGS)) + ")"
# one of several captions: photo.jpg#2
_NUMBERED = re.compile(f"(.+{_ENDINGS})" + r"#\d+", re.I | re.S)
_PHOTO = re.compile(rf"[^\t\n]{{0,999}}{_ENDINGS}(?:#\d+)?", re.I)
_ABOUT = "{path}: {why}"
_MEND = "mend it, or save the captions again as TSV, CSV or JSON"
_DELIMITERS = "\t,;|"
# a quotation mark that is not closed by then was never meant to go over lines
_MOST_LINES = 100
# blanks between the end of a quoted cell and what parts it from the next
_AFTER_QUOTE = re.compile(r'(?<=") +(?=[,;|]|$)')
# several captions in a row are told by quotation marks around each of them
_EACH_QUOTED = re.compile(r'[^,]*(?:, *"(?:[^"]|"")*" *)+')
_TAG = re.compile(r"<(?:[a-z][^<>]*|/[a-z][^<>]*)>|<(?:script|style)\b", re.I)

# columns of names and of captions, and how many columns there are
_Header = tuple[int, list[int], int]


def is_caption_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file has the name of one of captions, or lies beside a photo as its text.

    Examples
    --------
    >>> is_caption_file("album/captions.tsv"), is_caption_file("album/diary.txt")
    (True, False)
    """
    name = os.fspath(path)
    if os.path.basename(name).lower() in CAPTION_FILES:
        return True
    stem, ending = os.path.splitext(name)
    if ending.lower() != ".txt":
        return False
    return os.path.isfile(stem) or any(os.path.isfile(stem + photo) for photo in PHOTO_ENDINGS)


def read_captions(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Return pairs of a photo's name and a caption, in the order of the file.

    Parameters
    ----------
    path : path-like
        TSV, CSV, JSON or JSON lines, told by its ending; several captions a photo are
        several lines, or a list in JSON.

    Raises
    ------
    ReadError
        The file can't be read, or not understood.

    Examples
    --------
    >>> read_captions("nowhere.tsv")
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: nowhere.tsv: can't be read: No such file or directory
    """
    name = os.fspath(path)
    try:
        data = read_file(name, "", MAX_BYTES + 1)
    except OSError as error:
        why = f"can't be read: {error.strerror or error}"
        raise ReadError(_ABOUT, path=name, why=why) from error
    # zeros are what is left of UTF-16 that does not say so, and can be read
    if looks_binary(data[:4096].replace(b"\x00", b"")):
        raise ReadError(_ABOUT, path=name, why=f"is no text; {_MEND}")
    if len(data) > MAX_BYTES:
        why = f"captions of more than {MAX_BYTES >> 20} MB are not read"
        raise ReadError(_ABOUT, path=name, why=why)
    try:
        return parse_captions(decode(data)[0], os.path.splitext(name)[1].lower())
    except ReadError as error:
        raise ReadError(_ABOUT, path=name, why=error) from error


def parse_captions(text: str, ending: str = ".tsv") -> list[tuple[str, str]]:
    r"""Return pairs of a photo's name and a caption from the text of a file.

    Examples
    --------
    >>> parse_captions("image,caption\na.jpg,A dog.\na.jpg,\"A cat, asleep.\"", ".csv")
    [('a.jpg', 'A dog.'), ('a.jpg', 'A cat, asleep.')]
    >>> parse_captions('{"a.jpg": ["A dog.", "A cat."]}', ".json")
    [('a.jpg', 'A dog.'), ('a.jpg', 'A cat.')]
    """
    if ending in (".json", ".jsonl", ".ndjson"):
        pairs: Iterable[tuple[Any, Any]] = _json(text, lines=ending != ".json")
    else:
        pairs = _table(text, "\t" if ending == ".tsv" else None)
    found = []
    for name, caption in pairs:
        # runs of blanks may be part of a name
        plain = clean(str(name)).strip()
        if match := _NUMBERED.fullmatch(plain):
            plain = match[1]
        words = plain_caption(str(caption))
        if plain and words:
            found.append((plain, words))
    return found


def plain_caption(text: str) -> str:
    """Return a caption as one line of what a reader of it sees.

    Examples
    --------
    >>> plain_caption("A <b>dog</b> &amp; a cat <3 <script>bark()</script>")
    'A dog & a cat <3'
    """
    text = text[: 2 * _LONGEST]
    if "&" in text:
        # markup that was escaped on its way into the table is markup all the same
        text = html.unescape(text)
    if _TAG.search(text) or _has_comment(text):
        text = html_text(text)[1]
    return clean_line(text)[:_LONGEST]


def read_sidecar(root: str, path: str) -> tuple[tuple[str, ...], str]:
    """Return the captions in a text beside a photo, a line each, and what was wrong with it.

    Parameters
    ----------
    root, path : str
        The folder, and the file in it.

    Raises
    ------
    OSError
        It can't be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("A dog.")
    ...     read_sidecar(folder, "a.txt")
    (('A dog.',), '')
    """
    data = read_file(root, path, _MOST_SIDECAR + 1)
    if looks_binary(data[:4096].replace(b"\x00", b"")):
        return (), "what lies beside it as its text is no text, and no caption"
    note = ""
    if len(data) > _MOST_SIDECAR:
        note = f"of the text beside it only the first {_MOST_SIDECAR >> 20} MB are read"
    lines = decode(data[:_MOST_SIDECAR])[0].splitlines()
    if not note and any(len(line) > _LONGEST for line in lines):
        note = f"of a line in the text beside it only {_LONGEST:,} characters are read"
    return tuple(said for line in lines if (said := plain_caption(line))), note


def _has_comment(text: str) -> bool:
    start = text.find("<!--")
    return start >= 0 and text.find("-->", start + 4) >= 0


def _table(text: str, delimiter: str | None) -> Iterator[tuple[str, str]]:
    text = clean(text)
    if not text.strip():
        return
    if delimiter is None or delimiter not in text:
        delimiter = _delimiter(text.lstrip().split("\n", 1)[0])
    header: _Header | None = None
    for number, row in enumerate(_rows(text, delimiter)):
        if number == 0 and (header := _header(row)) is not None:
            continue
        name, cells = row[0], row[1:]
        if header is not None:
            name = row[header[0]] if header[0] < len(row) else ""
            cells = [row[i] for i in header[1] if i < len(row)]
        for cell in cells:
            # the number of a caption is none, unless a heading says so or there is no other
            if header is not None or len(cells) == 1 or not cell.strip().isdigit():
                yield name, cell


def _delimiter(first: str) -> str:
    """What stands between the name of a photo and its caption, by the first line.

    Examples
    --------
    >>> _delimiter("a.jpg;A dog, a cat, and a cow"), _delimiter("image| text")
    (';', '|')
    """
    there = [mark for mark in _DELIMITERS if mark in first]
    for mark in there:
        if _PHOTO.fullmatch(first.split(mark, 1)[0].strip().strip('"')):
            return mark
    if "\t" in there:
        return "\t"
    for mark in there:
        names = {clean_line(cell).strip('"').casefold() for cell in first.split(mark)}
        if names & {*_FILE, *_CAPTION}:
            return mark
    if not there:
        raise ReadError(
            "has no captions: each line must hold the name of a photo and a caption, with a tab "
            f"or a comma between them, and the first one is {clean_line(first)[:60]!r}; {_MEND}"
        )
    # names come first, and captions may hold more of any mark
    return min(there, key=first.index)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Cells of each row that has any; a comma in a caption without quotes parts nothing."""
    mark = re.escape(delimiter)
    photo = re.compile(rf'"?[^\n{mark}]{{0,999}}{_ENDINGS}(?:#\d+)?"?\s*{mark}', re.I)
    header: _Header | None = None
    first = True
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        # in lines with tabs quotation marks are part of what is said
        quoted = None
        if '"' in lines[at] and delimiter != "\t":
            quoted = _quoted(lines[at : at + _MOST_LINES], delimiter, photo)
        row, n_lines = quoted or (lines[at].split(delimiter), 1)
        raw = "\n".join(lines[at : at + n_lines])
        at += n_lines
        if not any(cell.strip() for cell in row):
            continue
        # blanks after the marks are lost where quotation marks are read
        between = f"{delimiter} " if quoted else delimiter
        if first:
            header, first = _header(row), False
        if header is not None:
            row = _fitted(row, header, between)
        elif delimiter == "," and not (quoted and _EACH_QUOTED.fullmatch(raw)):
            start = 2 if len(row) > 2 and row[1].strip().isdigit() else 1
            row = [row[0], between.join(row[start:]).strip(", ")]
        yield row


def _quoted(
    lines: list[str], delimiter: str, photo: re.Pattern[str]
) -> tuple[list[str], int] | None:
    """Cells of a row whose quotation marks are read, and its number of lines."""
    # None where a mark is never closed, or only after the name of another photo: it is none then.

    def fed() -> Iterator[str]:
        for number, line in enumerate(lines):
            if number and photo.match(line.lstrip()):
                return
            yield f"{_AFTER_QUOTE.sub('', line)}\n"

    reader = csv.reader(fed(), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        return next(reader), reader.line_num
    except csv.Error:
        return None


def _fitted(row: list[str], header: _Header, between: str) -> list[str]:
    """As many cells as the header has; those that are too many belong to the last caption."""
    _, captions, wide = header
    end = len(row)
    while end > wide and not row[end - 1].strip():
        end -= 1
    row = row[:end]
    extra, last = len(row) - wide, captions[-1]
    if extra <= 0:
        return row
    after = last + extra + 1
    return [*row[:last], between.join(row[last:after]), *row[after:]]


def _header(row: list[str]) -> _Header | None:
    """Columns of the names and of the captions, and how many there are; None for no header."""
    names = [clean_line(cell).casefold().strip('"') for cell in row]
    if any(_PHOTO.fullmatch(name) for name in names):
        return None
    file = next((i for i, name in enumerate(names) if name in _FILE), None)
    captions = [i for i, name in enumerate(names) if name.rstrip("0123456789_ ") in _CAPTION]
    if file is None and not captions:
        return None
    if not captions:
        # labels, links and licences are not what is said of a photo
        shown = ", ".join(clean_line(cell)[:40] for cell in row[:8])
        raise ReadError(
            f"no column holds captions ({shown}); the heading of one that does is "
            f"{', '.join(_CAPTION[:-1])} or {_CAPTION[-1]}"
        )
    return 0 if file is None else file, captions, len(row)


def _json(text: str, *, lines: bool) -> Iterator[tuple[Any, Any]]:
    if not text.strip():
        return
    number = 1
    try:
        if lines:
            found: Any = []
            for line in text.split("\n"):
                if line.strip():
                    found.append(json.loads(line))
                number += 1
        else:
            found = json.loads(text)
    except json.JSONDecodeError as error:
        at = number - 1 + error.lineno
        raise ReadError(
            f"is no JSON at line {at}, column {error.colno} ({error.msg}); {_MEND}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ReadError(f"is no JSON that can be read ({error}); {_MEND}") from None
    if isinstance(found, dict) and isinstance(found.get("annotations"), list):
        yield from _annotated(found)
    elif isinstance(found, dict) and isinstance(found.get("images"), list):
        yield from _records(found["images"])
    elif isinstance(found, dict):
        for name, value in found.items():
            for caption in _sayings(value):
                yield name, caption
    elif isinstance(found, list):
        yield from _records(found)
    else:
        raise ReadError(
            f"is JSON, but neither a mapping from photos to captions nor a list; {_MEND}"
        )


def _records(records: list[Any]) -> Iterator[tuple[Any, Any]]:
    for record in records:
        if isinstance(record, dict):
            name = next((record[key] for key in _FILE if record.get(key)), "")
            for key in _CAPTION:
                said = record.get(key)
                if isinstance(said, (int, float)) and not isinstance(said, bool):
                    said = str(said)
                for caption in _sayings(said):
                    yield name, caption
        elif isinstance(record, list) and len(record) > 1:
            for caption in _sayings(record[1:]):
                yield record[0], caption


def _annotated(found: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Photos and captions in two lists that are tied by a number."""
    images = [image for image in found.get("images") or () if isinstance(image, dict)]
    names = {
        str(image.get("id")): next((image[key] for key in _FILE if image.get(key)), "")
        for image in images
    }
    for note in found["annotations"]:
        if isinstance(note, dict):
            for caption in _sayings(note.get("caption")):
                yield names.get(str(note.get("image_id")), ""), caption


def _sayings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key in _CAPTION:
            if isinstance(value.get(key), (str, list)):
                yield from _sayings(value[key])
                return
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, (str, dict)):
                yield from _sayings(one)
