"""Captions of photos, from a table or a JSON file that lies beside them."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from comraf.collection.readers.charsets import clean, clean_line, decode
from comraf.collection.readers.files import read_file
from comraf.errors import ReadError
from comraf.images.kinds import PHOTO_ENDINGS

__all__ = ["CAPTION_FILES", "parse_captions", "read_captions"]

CAPTION_FILES = ("captions.tsv", "captions.csv", "captions.json", "captions.jsonl", "captions.txt")
"""Names that a file of captions goes by; the first one that is there is read."""

MAX_BYTES = 256 << 20
_LONGEST = 10_000
_FILE = ("file", "filename", "file_name", "image", "image_name", "img", "photo", "name", "path")
_CAPTION = ("caption", "captions", "text", "comment", "sentence", "sentences", "description", "raw")
# one of several captions: photo.jpg#2
_NUMBERED = re.compile("(" + ".+(?:" + "|".join(map(re.escape, PHOTO_ENDINGS)) + r"))#\d+", re.I)


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
        raise ReadError(f"{name}: can't be read: {error.strerror or error}") from error
    if len(data) > MAX_BYTES:
        raise ReadError(f"{name}: captions of more than {MAX_BYTES >> 20} MB are not read")
    try:
        return parse_captions(decode(data)[0], os.path.splitext(name)[1].lower())
    except ReadError as error:
        raise ReadError(f"{name}: {error}") from error


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
        plain = clean_line(str(name))
        if match := _NUMBERED.fullmatch(plain):
            plain = match[1]
        words = clean_line(str(caption))[:_LONGEST]
        if plain and words:
            found.append((plain, words))
    return found


def _table(text: str, delimiter: str | None) -> Iterator[tuple[str, str]]:
    text = clean(text)
    if not text.strip():
        return
    if delimiter is None:
        first = text.lstrip().split("\n", 1)[0]
        delimiter = max("\t,;|", key=first.count)
        if not first.count(delimiter):
            raise ReadError(
                "each line must hold the name of a photo and a caption, with a tab or a comma "
                "between them"
            )
    # in lines with tabs quotation marks are part of what is said
    if delimiter == "\t":
        rows = csv.reader(text.split("\n"), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(text.splitlines(True), delimiter=delimiter, skipinitialspace=True)
    columns: tuple[int, list[int]] | None = None
    try:
        for number, row in enumerate(row for row in rows if any(cell.strip() for cell in row)):
            if number == 0 and (columns := _header(row)) is not None:
                continue
            name, cells = row[0], row[1:]
            if columns is not None:
                name = row[columns[0]] if columns[0] < len(row) else ""
                cells = [row[i] for i in columns[1] if i < len(row)]
            for cell in cells:
                # the number of a caption is no caption
                if not cell.strip().isdigit():
                    yield name, cell
    except csv.Error as error:
        raise ReadError(f"is no table of captions: {error}") from None


def _header(row: list[str]) -> tuple[int, list[int]] | None:
    """Columns of the names and of the captions, if this is a row of headings."""
    names = [clean_line(cell).casefold() for cell in row]
    file = next((i for i, name in enumerate(names) if name in _FILE), None)
    captions = [i for i, name in enumerate(names) if name.rstrip("0123456789_ ") in _CAPTION]
    if file is None and not captions:
        return None
    file = 0 if file is None else file
    return file, captions or [i for i in range(len(row)) if i != file]


def _json(text: str, *, lines: bool) -> Iterator[tuple[Any, Any]]:
    if not text.strip():
        return
    try:
        if lines:
            found: Any = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"is no JSON: {error}") from None
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
        raise ReadError("is JSON, but neither a mapping from photos to captions nor a list")


def _records(records: list[Any]) -> Iterator[tuple[Any, Any]]:
    for record in records:
        if isinstance(record, dict):
            name = next((record[key] for key in _FILE if record.get(key)), "")
            for key in _CAPTION:
                for caption in _sayings(record.get(key)):
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
