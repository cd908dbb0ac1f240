"""What a collection says about itself: ``collection.json``, written last and read first."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from comraf.collection.options import SideOptions
from comraf.collection.shelf import Shelf
from comraf.errors import InputError, Note, ReadError, damaged
from comraf.store import writing

__all__ = [
    "FORMAT",
    "HEADER_FILE",
    "VERSION",
    "is_collection",
    "read_header",
    "side_files",
    "write_header",
]

FORMAT = "comraf collection"
VERSION = 1
HEADER_FILE = "collection.json"
_MOST_HEADER = 1 << 26
_KINDS = ("words", "people", "values", "dates")
_COUNTS = ("n_items", "n_skipped", "n_duplicates", "n_truths")


def write_header(shelf: Shelf, header: Mapping[str, Any]) -> None:
    """Write what a collection says about itself.

    Examples
    --------
    >>> from comraf.collection.shelf import MemoryShelf
    >>> shelf = MemoryShelf()
    >>> write_header(shelf, {"kind": "mail"})
    >>> json.loads(shelf.read(HEADER_FILE))["format"]
    'comraf collection'
    """
    whole = {"format": FORMAT, "version": VERSION, **header}
    with writing(shelf):
        text = json.dumps(whole, ensure_ascii=False, indent=1)
        # names that come from files may hold what is no character
        shelf.write(HEADER_FILE, text.encode("utf-8", "replace"))


def read_header(shelf: Shelf) -> dict[str, Any]:
    """Read and check what a collection says about itself.

    Examples
    --------
    >>> from comraf.collection.shelf import MemoryShelf
    >>> shelf = MemoryShelf()
    >>> write_header(shelf, {"kind": "mail"})
    >>> read_header(shelf)
    Traceback (most recent call last):
    ...
    comraf.errors.ReadError: a collection in memory: the collection is damaged: n_items is None...
    """
    try:
        data = shelf.read(HEADER_FILE)
        if len(data) > _MOST_HEADER:
            raise ReadError(f"{shelf}: {HEADER_FILE} is far too large to be a header")
        header = json.loads(data)
    except (ValueError, RecursionError) as error:
        path = f"{shelf}: {HEADER_FILE}"
        raise damaged("{path} is no JSON: {error}", error, path=path) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ReadError(f"{shelf}: is not a collection of comraf")
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ReadError(f"{shelf}: the version of the collection, {version!r}, is not a number")
    if version > VERSION:
        raise ReadError(
            f"{shelf}: the collection has format version {version}, and this comraf reads up to "
            f"{VERSION}; install a newer comraf, or build the collection again"
        )
    _check_header(header, shelf)
    return header


def _check_header(header: dict[str, Any], shelf: Shelf) -> None:
    def wrong(what: object) -> ReadError:
        return ReadError("{shelf}: the collection is damaged: {what}", shelf=shelf, what=what)

    for name in _COUNTS:
        if not _is_count(header.get(name)):
            raise wrong(f"{name} is {header.get(name)!r}, not a number of items")
    if not isinstance(header.get("kind"), str):
        raise wrong("its kind is missing")
    notes = header.get("notes")
    try:
        header["notes"] = [Note.read(note) for note in notes] if isinstance(notes, list) else None
    except ValueError:
        header["notes"] = None
    if header["notes"] is None:
        raise wrong("its notes are no list of lines")
    try:
        SideOptions.from_json(header.get("options"))
    except InputError as error:
        raise wrong(error) from None
    sides = header.get("sides")
    if not isinstance(sides, list):
        raise wrong("its sides are no list")
    names = set()
    for number, side in enumerate(sides):
        if not isinstance(side, dict) or not isinstance(side.get("name"), str):
            raise wrong(f"side {number} has no name")
        if side["name"] in names:
            raise wrong(f"two sides are called {side['name']!r}")
        names.add(side["name"])
        # a path here would let a hostile header read other files
        if (side.get("values"), side.get("table")) != side_files(number):
            raise wrong(f"side {side['name']!r} names files that are not its own")
        counts = (side.get("n_values"), side.get("n_entries"), side.get("total"))
        if not all(map(_is_count, counts)) or side.get("kind") not in _KINDS:
            raise wrong(f"side {side['name']!r} is not described")
        if not isinstance(side.get("facts"), dict):
            raise wrong(f"side {side['name']!r} has no facts")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**48


def side_files(number: int) -> tuple[str, str]:
    """Names of the files of a side, by its place in the header.

    Examples
    --------
    >>> side_files(0)
    ('side-0.parquet', 'table-0.parquet')
    """
    return f"side-{number}.parquet", f"table-{number}.parquet"


def is_collection(path: str | os.PathLike[str]) -> bool:
    """Tell whether a folder holds a collection, of any version.

    Examples
    --------
    >>> is_collection(".")
    False
    """
    try:
        with open(Path(path, HEADER_FILE), "rb") as file:
            header = json.loads(file.read(_MOST_HEADER))
        return isinstance(header, dict) and header.get("format") == FORMAT
    except (OSError, ValueError, RecursionError):
        return False
