"""Classic: titles and abstracts of four SMART collections; the truth is which one."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.datasets.base import Dataset
from benchmarks.datasets.text import MIN_DOCUMENTS, count_words, drop_blobs
from comraf.errors import ReadError

__all__ = ["classic", "classic_files", "dotted_records", "smart_bodies"]

_COLLECTIONS = {
    "cranfield": "classic/cran.all.1400.gz",
    "medline": "classic/MED.ALL.gz",
    "cisi": "classic/CISI.ALL.gz",
    "cacm": "classic/cacm.all.gz",
}
classic_files = tuple(_COLLECTIONS.values())

_FIELD = re.compile(r"\.([A-Z])(?:\s+(\S+))?\s*")


def dotted_records(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield (number, title and abstract) of each record in SMART's dotted format.

    Records without a title and an abstract are left out: one collection ends in a
    bogus number with nothing after it.

    Examples
    --------
    >>> list(dotted_records(".I 1\n.T\nOn wings\n.A\nDoe\n.W\nThey lift.\n.I 9"))
    [('1', 'On wings\nThey lift.')]
    """
    number, field = "", ""
    lines: list[str] = []
    for line in [*text.split("\n"), ".I"]:
        mark = _FIELD.fullmatch(line)
        # Only .I has something after it; elsewhere a dot and a letter is text.
        if mark is None or (mark.group(2) and mark.group(1) != "I"):
            if field in ("T", "W"):
                lines.append(line)
            continue
        field = mark.group(1)
        if field == "I":
            if number and any(part.strip() for part in lines):
                yield number, "\n".join(lines)
            number, lines = mark.group(2) or "", []


def smart_bodies(path: Path) -> list[tuple[str, str]]:
    """Number and text of each record of a packed collection."""
    try:
        text = gzip.decompress(path.read_bytes()).decode("latin-1").replace("\r\n", "\n")
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(f"{str(path)!r} is not a whole gzip file ({error})") from error
    return [(number, drop_blobs(body)) for number, body in dotted_records(text)]


def classic(data: Path) -> Dataset:
    """Read the four collections."""
    texts, classes, names = [], [], []
    for collection, file in _COLLECTIONS.items():
        for number, body in smart_bodies(data / file):
            texts.append(body)
            classes.append(collection)
            names.append(f"{collection}/{number}")
    counts, words = count_words(texts)
    table = Dataset.build("classic", counts, classes, names, words, classic_files)
    return table.select("classic", np.arange(len(names)), min_documents=MIN_DOCUMENTS)
