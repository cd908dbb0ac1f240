"""Raw collections turned into tables with names and truth.

Each collection is a function from the data folder to a :class:`Dataset`; the
registry below is the whole list. Tables are cached, because parsing text takes
longer than many of the fits that are measured on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.datasets.base import Dataset
from benchmarks.datasets.brown import brown, brown_files
from benchmarks.datasets.cache import Cache, sources_key
from benchmarks.datasets.classic import classic, classic_files
from benchmarks.datasets.cora import cora, cora_files
from benchmarks.datasets.newsgroups import (
    DIFFERENT,
    SIMILAR,
    newsgroups,
    newsgroups_files,
    pick_groups,
    sample_groups,
    whole,
)
from comraf.errors import InputError, ReadError

__all__ = ["DESCRIPTIONS", "Dataset", "check_name", "load", "prepare"]

DESCRIPTIONS = {
    "20ng": "20 Newsgroups, whole (k = 20)",
    "different3": "20 Newsgroups: " + ", ".join(DIFFERENT) + " (k = 3)",
    "similar3": "20 Newsgroups: " + ", ".join(SIMILAR) + " (k = 3)",
    "100each-N": "20 Newsgroups: 100 documents of each group, draw N = 0, 1, 2, ... (k = 20)",
    "classic": "Cranfield, Medline, CISI, CACM (k = 4)",
    "cora": "Cora papers, binary words (k = 7)",
    "brown": "Brown corpus, words of 500 texts (k = 15 genres)",
}

_DRAW = re.compile(r"100each-(\d{1,6})")

_Builder = Callable[[Path], Dataset]
_COLLECTIONS: dict[str, tuple[_Builder, tuple[str, ...]]] = {
    "classic": (classic, classic_files),
    "cora": (cora, cora_files),
    "brown": (brown, brown_files),
}


def check_name(name: str) -> str:
    """Return `name` if it is a dataset's, else say what is allowed.

    Examples
    --------
    >>> check_name("100each-2")
    '100each-2'
    >>> check_name("30ng")
    Traceback (most recent call last):
        ...
    comraf.errors.InputError: unknown dataset '30ng'; choose from 20ng, different3, similar3, \
100each-N, classic, cora, brown
    """
    if name in _COLLECTIONS or name in ("20ng", "different3", "similar3") or _DRAW.fullmatch(name):
        return name
    raise InputError(f"unknown dataset {name!r}; choose from {', '.join(DESCRIPTIONS)}")


def prepare(name: str, data: Path, cache: Path) -> Path:
    """Make sure the table of `name` is in the cache folder; return its file.

    Parameters
    ----------
    name : str
        A dataset's name (see ``DESCRIPTIONS``).
    data : Path
        Folder of the raw collections.
    cache : Path
        Folder for the finished tables; made if it is missing.
    """
    check_name(name)
    if not data.is_dir():
        raise ReadError(
            f"the data folder {str(data)!r} is not a folder; give the one that holds the raw "
            "collections with --data or the environment variable COMRAF_DATA"
        )
    store = Cache(cache)
    if name in _COLLECTIONS:
        build, files = _COLLECTIONS[name]
        return store.get(name, sources_key(data, files), lambda: build(data))
    key = sources_key(data, newsgroups_files)

    def messages() -> Dataset:
        # All words of all messages: every subset is cut from this one table.
        return Dataset.load(store.get("20ng-all-words", key, lambda: newsgroups(data)))

    return store.get(name, key, lambda: _subset(name, messages()))


def load(name: str, data: Path, cache: Path) -> Dataset:
    """Return the dataset `name`, from the cache if it is there."""
    return Dataset.load(prepare(name, data, cache))


def _subset(name: str, messages: Dataset) -> Dataset:
    if name == "20ng":
        return whole(messages)
    if name == "different3":
        return pick_groups(messages, name, DIFFERENT)
    if name == "similar3":
        return pick_groups(messages, name, SIMILAR)
    draw = _DRAW.fullmatch(name)
    assert draw is not None, "check_name lets only these names through"
    return sample_groups(messages, name, per_group=100, draw=int(draw.group(1)))
