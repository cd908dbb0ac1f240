"""Lists and columns of the source: each name is a side, spellings of a value are one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from comraf.collection.fold import Fold
from comraf.collection.options import ValueOptions
from comraf.collection.sides import SIDES, SideKind, side_of
from comraf.collection.sides.maker import SideMaker

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


def united(
    maker: SideMaker,
    name: str,
    raw: str,
    found: Iterable[tuple[int, str, str, int]],
    options: ValueOptions,
    facts: dict[str, Any],
) -> Fold:
    """A side whose values are raw values that share a key, called by the commonest.

    Parameters
    ----------
    found : iterable of (int, str, str, int)
        The number of a raw value, its key, what it is called, and how often.
    """
    counts = maker.raw(raw)
    target = np.full(counts.n_values, -1, np.int64)
    numbers: dict[str, int] = {}
    spelled: list[Counter[str]] = []
    for i, key, value, often in found:
        target[i] = number = numbers.setdefault(key, len(numbers))
        if number == len(spelled):
            spelled.append(Counter())
        spelled[number][value] += often
    taken: Counter[str] = Counter()
    values = []
    for spellings in spelled:
        value = min(spellings, key=lambda text: (-spellings[text], text))
        taken[value] += 1
        values.append(value if taken[value] == 1 else f"{value} ({taken[value]})")
    least, most = maker.least(options.min_documents), maker.most(options.max_share)
    return Fold(name, "values", counts, target, values, least, most, presence=True, facts=facts)


def _fold(maker: SideMaker) -> Iterator[Fold]:
    """One side for each name that lists and columns came with."""
    for side in filter(maker.options.wants, sorted(maker.listed)):
        kind, key = side_of(side), _key_of(side)
        often = maker.raw("values").frequencies[0]
        raws = ((i, value) for i, value in maker.listed[side] if not is_missing(value))
        found = ((i, key(value), value, int(often[i])) for i, value in raws)
        options = getattr(maker.options, kind.options)
        yield united(maker, side, "values", found, options, kind.facts)


VALUES = SideKind(
    "values",
    "values of a list or column",
    fold=_fold,
    key=plain_key,
    groups="list",
    from_lists=True,
)
