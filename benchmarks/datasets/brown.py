"""The Brown corpus: words, without their tags, of 500 texts in 15 genres."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np

from benchmarks.datasets.base import Dataset
from benchmarks.datasets.text import MIN_DOCUMENTS, count_words
from comraf.errors import ReadError

__all__ = ["brown", "brown_files", "untagged"]

brown_files = ("brown/brown.zip",)


def untagged(text: str) -> str:
    """Strip the tag behind the last slash of each token.

    Examples
    --------
    >>> untagged("The/at and/or/cc jury/nn ./.")
    'The and/or jury .'
    """
    return " ".join(token.rpartition("/")[0] for token in text.split())


def brown(data: Path) -> Dataset:
    """Read the texts named in the corpus's own list of genres."""
    path = data / brown_files[0]
    try:
        with zipfile.ZipFile(path) as archive:
            genres = dict(
                line.split()
                for line in archive.read("brown/cats.txt").decode().splitlines()
                if line
            )
            names = sorted(genres)
            texts = [untagged(archive.read(f"brown/{name}").decode("latin-1")) for name in names]
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ReadError(f"{str(path)!r} is not the Brown corpus ({error})") from error
    counts, words = count_words(texts)
    table = Dataset.build("brown", counts, [genres[n] for n in names], names, words, brown_files)
    return table.select("brown", np.arange(len(names)), min_documents=MIN_DOCUMENTS)
