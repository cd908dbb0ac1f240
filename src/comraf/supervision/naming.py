"""Which row a user's name for an item means, and how items are named in messages."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError, Message
from comraf.parameters import check_int

__all__ = [
    "MOST_LISTED",
    "Items",
    "Located",
    "check_pairs",
    "listed",
    "quoted",
    "refuse_itself",
    "refuse_two_labels",
    "whole_numbers",
]

# Offenders that a message names before it only counts them.
MOST_LISTED = 5
_LONGEST = 60  # characters of a name


class Located(str):
    """A name from a file; messages tell the line that it stands in.

    Examples
    --------
    >>> quoted(Located.at("tea", 3))
    "'tea' (line 3)"
    """

    __slots__ = ("line",)
    line: int

    @classmethod
    def at(cls, name: str, line: int) -> Located:
        """A name and its line."""
        made = cls(name)
        made.line = line
        return made


def whole_numbers(values: NDArray[Any]) -> NDArray[np.int64] | None:
    """An array as int64, or nothing where an entry is no whole number.

    Examples
    --------
    >>> whole_numbers(np.array([1.0, 2.0])).tolist(), whole_numbers(np.array([1.5]))
    ([1, 2], None)
    """
    if values.dtype.kind == "i":
        return values.astype(np.int64)
    if values.dtype.kind == "u":
        return values.astype(np.int64) if np.all(values <= 2**62) else None
    if values.dtype.kind == "f" and np.all(np.abs(values) < 2.0**53):  # NaN is not below
        return values.astype(np.int64) if np.all(values == np.floor(values)) else None
    return None


def listed(texts: Iterable[str], total: int) -> str:
    """The first offenders, and how many there are besides.

    Examples
    --------
    >>> listed("abcdefg", 7)
    'a, b, c, d, e and 2 more'
    """
    shown = [text for text, _ in zip(texts, range(min(MOST_LISTED, total)), strict=False)]
    more = total - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def quoted(value: object) -> str:
    """A value as it would be typed, cut in the middle where it is long.

    Examples
    --------
    >>> quoted("tea"), quoted(12)
    ("'tea'", '12')
    """
    place = f" (line {value.line})" if isinstance(value, Located) else ""
    return _cut(repr(_plain(value))) + place


def refuse_itself(where: object, names: Sequence[str]) -> None:
    """Refuse links that join an item with itself.

    Examples
    --------
    >>> refuse_itself("must_link", ["ant"])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: must_link links 1 item with itself: ant; a link joins two items
    """
    if names:
        one = len(names) == 1
        raise InputError(
            f"{where} links {len(names):,} item{'' if one else 's'} with "
            f"{'itself' if one else 'themselves'}: {listed(names, len(names))}; a link joins two "
            "items"
        )


def refuse_two_labels(where: object, items: Collection[str]) -> None:
    """Refuse items with two classes each.

    Examples
    --------
    >>> refuse_two_labels("labels", ["ant (1 and 2)"])
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: labels has two labels for 1 item: ant (1 and 2); give each item one
    """
    if items:
        raise InputError(
            f"{where} has two labels for {len(items):,} item{'s' if len(items) > 1 else ''}: "
            f"{listed(items, len(items))}; give each item one"
        )


def check_pairs(pairs: NDArray[np.int64], n: int, what: str, things: str = "items") -> None:
    """Refuse pairs of numbers that are not from 0 to below n.

    Examples
    --------
    >>> check_pairs(np.array([[0, 3]]), 3, "cannot holds group", "groups")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: cannot holds group 3, but there are 3 groups
    """
    outside = pairs[(pairs < 0) | (pairs >= n)]
    if outside.size:
        raise InputError(f"{what} {outside[0]}, but there are {n:,} {things}")


class Items:
    """The n items of a side: row numbers and, where there are any, ids.

    A key is an id first. A whole number is also a row number, unless ids are numbers
    themselves: then 7 can only mean the item whose id is 7.

    Parameters
    ----------
    n : int
        Number of items.
    ids : sequence of hashable, optional
        Name of each item.

    Examples
    --------
    >>> items = Items(3, ["ant", "bee", "cat"])
    >>> items.row("cat"), items.row(1), items.row("dog"), items.name(0)
    (2, 1, -1, 'ant')
    """

    def __init__(self, n: int, ids: Sequence[Hashable] | None = None) -> None:
        self.n = check_int("n", n, least=0)
        self.ids = _as_list(ids)
        if self.ids is not None and len(self.ids) != self.n:
            raise InputError(
                f"there are {len(self.ids):,} ids for {self.n:,} items; give one for each item"
            )
        self._index: dict[Hashable, int] | None = None
        # Types are few where ids are many.
        self._numbered = self.ids is None or not any(
            issubclass(kind, numbers.Number) for kind in {*map(type, self.ids)} - {bool}
        )

    @property
    def numbered(self) -> bool:
        """Whether a whole number is a row number."""
        return self._numbered

    def row(self, key: object) -> int:
        """Row of an item; -1 if there is none, -2 if several have this id."""
        if type(key) is int and self.ids is None:  # by far the commonest, and the quickest
            return key if 0 <= key < self.n else -1
        if isinstance(key, (bool, np.bool_)):
            return -1
        if self.ids is not None:
            if self._index is None:
                self._index = self._indexed()
            try:
                found = self._index.get(key)
            except TypeError:  # it can't be hashed, so it is no id
                return -1
            if found is not None:
                return int(found)
        if self._numbered and isinstance(key, numbers.Integral) and 0 <= int(key) < self.n:
            return int(key)
        return -1

    def _indexed(self) -> dict[Hashable, int]:
        names = self.ids or []
        try:
            index = {name: row for row, name in enumerate(names)}
            if len(index) < len(names):
                first: dict[Hashable, int] = {}
                for row, name in enumerate(names):
                    if first.setdefault(name, row) != row:
                        index[name] = -2
        except TypeError:
            raise InputError("ids hold a value that can't be hashed; use strings or numbers") from (
                None
            )
        return index

    def check_found(self, what: str, keys: Sequence[Any], rows: Collection[int]) -> None:
        """Refuse keys that are nobody's, or those of several items; the message lists them."""
        for code, trouble in ((-1, "not there"), (-2, "not the only ones with their id")):
            bad = [k for k, r in zip(keys, rows, strict=True) if r == code]
            if bad:
                try:
                    bad = list(dict.fromkeys(bad))
                except TypeError:  # keys that can't be hashed: those that look alike are one
                    bad = list({repr(key): key for key in bad}.values())
                one = len(bad) == 1
                raise InputError(
                    "{what} names {n:,} {items} {trouble}: {bad}; {use}",
                    what=what,
                    n=len(bad),
                    items="item that is" if one else "items that are",
                    trouble=trouble,
                    bad=listed((quoted(key) for key in bad), len(bad)),
                    use=self._allowed(),
                )

    def _allowed(self) -> Message:
        """What may be given as an item."""
        if self.n == 0:
            return Message("there are no items")
        if self.ids is None:
            return Message(f"use row numbers from 0 to {self.n - 1}")
        text = "use ids that one item has, such as {example}"
        values = {"example": quoted(self.ids[0]), "last": self.n - 1}
        if not self._numbered:
            return Message(text, values)
        return Message(f"{text}, or row numbers from 0 to {{last}}", values, "item_names")

    def name(self, row: int) -> str:
        """What an item is called in a message: its id, or else its row number."""
        if self.ids is None:
            return str(row)
        name = _plain(self.ids[row])
        text = str(name)
        # Quotes only where a reader could not see where the name ends.
        if not text or not text.isprintable() or any(mark in text for mark in " ,;=≠'\""):
            text = repr(name)
        return _cut(text)


def _as_list(ids: object) -> list[Any] | None:
    if ids is None or isinstance(ids, list):
        return ids
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise InputError(
            f"ids are of type {type(ids).__name__}; give a list with one for each item"
        )
    return ids.tolist() if isinstance(ids, np.ndarray) else list(ids)


def _plain(value: object) -> object:
    """A NumPy scalar as the Python value that it shows."""
    return value.item() if isinstance(value, (np.number, np.str_, np.bytes_, np.bool_)) else value


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}…{text[1 - half :]}"
