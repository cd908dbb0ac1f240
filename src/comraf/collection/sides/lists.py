"""Lists and columns of the source: each name is a side, spellings of a value are one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from comraf.collection.fold import Fold, Ints
from comraf.collection.sides import SIDES, SideKind, side_of
from comraf.collection.sides.maker import Raw, SideMaker

__all__ = ["VALUES", "distinct", "is_missing", "list_name", "plain_key", "value_key"]

_ORGANISATIONS = frozenset(
    "organisation organisations organization organizations affiliation affiliations company "
    "companies institution institutions employer".split()
)
_MISSING = frozenset("none n/a na unknown private ? - . nil null".split())
# Named one by one: what Unicode counts as no letter holds the vowels of Hindi and Thai.
_MARKS = r"-‐‑‒–—_.,;:'’‘\"“”«»()\[\]{}/&|!?·、。・，：；،"
# A point within a number is part of it.
_BETWEEN = re.compile(rf"(?<=\w)(?!(?<=\d)[.,]\d)[{_MARKS}]+(?=\w)|_+")
_AROUND = ",;:'’‘\"“”«»()[]{}|!?·、。・，：；،"
_ALONE = re.compile(rf"[{_MARKS}]*")


def is_missing(value: str) -> bool:
    """Tell whether a value only says that there is none.

    Examples
    --------
    >>> is_missing(" N/A"), is_missing("-"), is_missing("nan bread")
    (True, True, False)
    """
    return value.strip().casefold() in _MISSING


def value_key(side: str, value: str) -> str:
    """Return what all spellings of a value have in common.

    Case and blanks make no difference, nor do marks between letters or at the end of a word;
    signs that mean something stay, such as those of C++ and .NET. Keys and numbers of papers
    and of posts are taken as they are, and tags but for their case; organisations are the same
    with and without "Inc.".

    Parameters
    ----------
    side : str
        Name of the side: how much a sign means depends on it.
    value : str

    Examples
    --------
    >>> [value_key("keywords", word) for word in ("Machine-Learning", "machine  learning", "C++")]
    ['machine learning', 'machine learning', 'c++']
    >>> value_key("citations", "10.1/A-1"), value_key("tags", "Node.js")
    ('10.1/A-1', 'node.js')
    >>> value_key("organisations", "Acme, Inc."), value_key("venues", "J. of Pumps")
    ('acme', 'j of pumps')
    """
    return _key_of(side)(value)


def _key_of(side: str) -> Callable[[str], str]:
    return side_of(side.casefold()).key or plain_key


def plain_key(value: str) -> str:
    """What the spellings of a value have in common on most sides.

    Examples
    --------
    >>> plain_key("Machine-Learning")
    'machine learning'
    """
    folded = " ".join(value.split()).casefold()
    plain = (_bare(word) for word in _BETWEEN.sub(" ", folded).split())
    return " ".join(word for word in plain if word) or folded


def _bare(word: str) -> str:
    """A word without the marks around it; the point of .NET and the minus of A- are its own."""
    return "" if _ALONE.fullmatch(word) else word.strip(_AROUND).rstrip("." + _AROUND)


@lru_cache(maxsize=1000)
def list_name(name: str) -> str:
    """The name of the side that a list or column of the source becomes.

    Examples
    --------
    >>> list_name("Company"), list_name("words"), list_name("venues")
    ('organisations', 'words column', 'venues')
    """
    plain = name.strip() or "values"
    folded = plain.casefold()
    if folded in _ORGANISATIONS:
        return "organisations"
    known = SIDES.get(folded)
    reserved = known is not None and not known.from_lists and not known.mark
    return f"{plain} column" if reserved or folded == "documents" else plain


def distinct(values: list[str]) -> list[str]:
    """Names of values, numbered where two are the same.

    Examples
    --------
    >>> distinct(["a", "a"])
    ['a', 'a (2)']
    """
    seen: Counter[str] = Counter()
    out = []
    for value in values:
        seen[value] += 1
        out.append(value if seen[value] == 1 else f"{value} ({seen[value]})")
    return out


def _united(raws: Raw, frequency: Ints, key: Callable[[str], str]) -> tuple[Ints, list[str]]:
    """Spellings that make no difference are one value, by its commonest."""
    target = np.full(len(frequency), -1, np.int64)
    numbers: dict[str, int] = {}
    spelled: list[Counter[str]] = []
    for i, value in raws:
        if is_missing(value):
            continue
        number = numbers.setdefault(key(value), len(numbers))
        if number == len(spelled):
            spelled.append(Counter())
        spelled[number][value] += int(frequency[i])
        target[i] = number
    names = [min(seen, key=lambda text: (-seen[text], text)) for seen in spelled]
    return target, distinct(names)


def _fold(maker: SideMaker) -> Iterator[Fold]:
    """One side for each name that lists and columns came with."""
    if not maker.listed:
        return
    frequency = maker.raw("values").frequencies[0]
    for side in sorted(maker.listed):
        if not maker.options.wants(side):
            continue
        kind = side_of(side)
        options = getattr(maker.options, kind.options)
        target, values = _united(maker.listed[side], frequency, _key_of(side))
        yield Fold(
            side,
            "values",
            maker.raw("values"),
            target,
            values,
            maker.least(options.min_documents),
            maker.most(options.max_share),
            presence=True,
            facts=kind.facts,
        )


VALUES = SideKind(
    "values",
    "values of a list or column",
    fold=_fold,
    key=plain_key,
    groups="list",
    from_lists=True,
)
