"""Which collections a rule may be chosen on, and which it is reported on.

The half is a hash of the name of the collection's family: tables cut from the same items, or
from overlapping ones, are in the same half. It was fixed before the first rule was tried, and
nothing about a collection but this name enters.
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["CHOSEN_ON", "REPORTED_ON", "family", "half"]

#: Rules are chosen on one half of the collections and reported on the other.
CHOSEN_ON, REPORTED_ON = "A", "B"

_FAMILIES: dict[str, str] = {
    "20ng": "newsgroups",
    "similar3": "newsgroups",
    "different3": "newsgroups",
    "k1b": "webace",
    "wap": "webace",
    "WebKB": "webkb",
}
_NUMBERED = re.compile(r"(100each|ambient)-\d+")


def family(name: str) -> str:
    """What a collection is cut from; mostly its own name, without the size of a sample.

    Examples
    --------
    >>> family("100each-1"), family("20ng:2000"), family("ambient-7"), family("tdt2")
    ('newsgroups', 'newsgroups', 'ambient', 'tdt2')
    """
    whole = name.partition(":")[0]
    numbered = _NUMBERED.fullmatch(whole)
    if numbered:
        return {"100each": "newsgroups"}.get(numbered[1], numbered[1])
    return _FAMILIES.get(whole, whole)


def half(name: str) -> str:
    """The half that a collection is in.

    Examples
    --------
    >>> half("20ng"), half("similar3"), half("tdt2"), half("WebKB") == half("webkb")
    ('A', 'A', 'B', True)
    """
    digest = hashlib.sha256(family(name).encode()).digest()
    return (CHOSEN_ON, REPORTED_ON)[digest[0] & 1]
