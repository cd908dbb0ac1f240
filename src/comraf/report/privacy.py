"""Which names may be shown.

A report without text is for sharing. It keeps the numbers and the single words that tell
groups apart, since these are the result; it leaves out everything that was written in or
about one document (text, title, id, source), and replaces names: a value of any side that
does not consist of words becomes its rank ("person 3", the third most frequent), a known
class its number. Words that are part of a correspondent's name or address, that hold an @
or look like a number are left out as well. Names that no address shows are words like any
other, and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from comraf.report.scales import plural

__all__ = ["ValueNames", "kind_of_side", "singular"]

# For sides that don't say what they are.
_WORDS = frozenset({"words", "subjects", "titles", "subject words", "title words", "terms"})
_PEOPLE = frozenset({"people", "persons", "authors", "senders", "recipients", "correspondents"})
_DATES = frozenset({"days", "weeks", "months", "years", "dates"})
_SINGULAR = {"people": "person", "persons": "person"}
_PARTS = re.compile(r"[^\W\d_]{3,}")
_PRIVATE = re.compile(r"@|\d{4}|\d.*\d.*\d.*\d")


def kind_of_side(name: str, side: Any = None) -> str:
    """What the values of a side are: "words", "people", "dates" or "values".

    Examples
    --------
    >>> kind_of_side("words"), kind_of_side("authors"), kind_of_side("tags")
    ('words', 'people', 'values')
    """
    said = getattr(side, "kind", None)
    if said in ("words", "people", "dates", "values"):
        return str(said)
    known = {"words": _WORDS, "people": _PEOPLE, "dates": _DATES}
    return next((kind for kind, names in known.items() if name in names), "values")


class ValueNames:
    """Names of values as they may be shown, or None for what may not be.

    Parameters
    ----------
    values : mapping of str to sequence of str
        The names of each side.
    kinds : mapping of str to str
        What the values of each side are.
    private : bool
        Whether to hide: False shows everything.
    sides : mapping, optional
        The collection's sides, which may know further spellings of people.

    Examples
    --------
    >>> values = {"words": ["sea", "ada", "0031455"], "people": ["Ada <ada@example.org>", "Bo"]}
    >>> names = ValueNames(values, {"words": "words", "people": "people"}, private=True)
    >>> names.rank("people", np.array([2, 9]))
    >>> [names.name("people", i) for i in (0, 1)], [names.name("words", i) for i in (0, 1, 2)]
    (['person 2', 'person 1'], ['sea', None, None])
    """

    def __init__(
        self,
        values: Mapping[str, Sequence[str]],
        kinds: Mapping[str, str],
        *,
        private: bool,
        sides: Mapping[str, Any] | None = None,
    ) -> None:
        self.private = private
        self._values = values
        self._kinds = kinds
        self._ranks: dict[str, npt.NDArray[np.int64]] = {}
        self._parts: set[str] = set()
        if private:
            for side, names in values.items():
                if kinds.get(side) != "words":
                    for name in (*names, *_other_spellings((sides or {}).get(side))):
                        self._parts.update(_PARTS.findall(str(name).lower()))

    def rank(self, side: str, mass: npt.NDArray[Any]) -> None:
        """Number the values of a side by how often they occur."""
        ranks = np.empty(len(mass), dtype=np.int64)
        ranks[np.argsort(-mass, kind="stable")] = np.arange(1, len(mass) + 1)
        self._ranks[side] = ranks

    def name(self, side: str, index: int) -> str | None:
        """The name of a value, a stand-in, or None."""
        values = self._values.get(side)
        if values is not None and not self.private:
            return str(values[index])
        if values is not None and self._kinds.get(side) == "words":
            word = str(values[index])
            parts = _PARTS.findall(word.lower())
            return None if _PRIVATE.search(word) or self._parts.intersection(parts) else word
        ranks = self._ranks.get(side)
        return f"{singular(side)} {index if ranks is None else ranks[index]}"


def _other_spellings(side: Any) -> Iterator[str]:
    """All spellings and addresses that were united, and the owner who may have been dropped."""
    for person in getattr(side, "people", ()):
        yield from person.addresses
        yield from person.spellings
    owner = (getattr(side, "facts", None) or {}).get("owner")
    if isinstance(owner, str):
        yield owner


def singular(side: str) -> str:
    """One value of a side.

    Examples
    --------
    >>> singular("people"), singular("tags"), singular("glass")
    ('person', 'tag', 'glass')
    """
    if side in _SINGULAR:
        return _SINGULAR[side]
    one = side[:-1] if side.endswith("s") and not side.endswith("ss") else side
    return one if plural(one) == side else side
