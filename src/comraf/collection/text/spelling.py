"""When two values of a list are one, spelled differently."""

from __future__ import annotations

import re

__all__ = ["ORGANISATIONS", "is_missing", "value_key"]

ORGANISATIONS = "organisations"

# Their signs tell things apart: C, C++ and C# are three tags, 10.1/a-1 and 10.1/a.1 two papers.
_AS_THEY_ARE = frozenset(("cocitations", "couplings", "questions"))
_CITED, _TAGS = "citations", "tags"
_REFERENCE = 3
_MISSING = frozenset("none n/a na unknown private ? - . nil null".split())
_PLAIN = re.compile(r"[\W_]+")
_LEGAL = re.compile(r"(?i)[\s,]+(?:inc|incorporated|corp|corporation|ltd|limited|llc|gmbh|plc)\.?$")
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
    side = side.casefold()
    words = value.split()
    if side in _AS_THEY_ARE or (side == _CITED and len(words) < _REFERENCE):
        return " ".join(words)
    folded = " ".join(words).casefold()
    if side == _TAGS:
        return folded
    if side == ORGANISATIONS:
        return " ".join(_PLAIN.sub(" ", _LEGAL.sub("", folded)).split()) or folded
    plain = (_bare(word) for word in _BETWEEN.sub(" ", folded).split())
    return " ".join(word for word in plain if word) or folded


def _bare(word: str) -> str:
    """A word without the marks around it; the point of .NET and the minus of A- are its own."""
    return "" if _ALONE.fullmatch(word) else word.strip(_AROUND).rstrip("." + _AROUND)
