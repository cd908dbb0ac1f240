"""Must-links and cannot-links: pairs of items with weights."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.supervision.naming import Items, listed, quoted, refuse_itself, whole_numbers

__all__ = ["Links", "read_links"]

_ALLOWED = "give pairs (a, b) or triples (a, b, weight), or an array of two or three columns"


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of items that belong together, or that do not, as they were given.

    Attributes
    ----------
    pairs : numpy.ndarray of int64, shape (m, 2)
        Rows of both items of each link.
    weights : numpy.ndarray of float, shape (m,)
        What breaking a link costs; infinite: it must hold.

    Examples
    --------
    >>> links = read_links([(0, 1), (1, 2, 0.5)], 3)
    >>> links.hard.tolist(), links.soft.pairs.tolist(), len(links)
    ([[0, 1]], [[1, 2]], 2)
    """

    pairs: NDArray[np.int64]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def hard(self) -> NDArray[np.int64]:
        """Pairs of the links that must hold."""
        return self.pairs[np.isinf(self.weights)]

    @property
    def soft(self) -> Links:
        """The links that may be broken at a price."""
        finite = np.isfinite(self.weights)
        return Links(self.pairs[finite], self.weights[finite])


def read_links(
    given: object,
    n: int,
    ids: Sequence[Hashable] | None = None,
    *,
    what: str = "must_link",
    weight: float = math.inf,
) -> Links:
    """Bring links to pairs of rows with weights.

    Parameters
    ----------
    given : array, DataFrame or iterable of pairs, or None
        Pairs of items, by row number or id, each with a weight as its third entry or without.
    n : int
        Number of items.
    ids : sequence of hashable, optional
        Name of each item. A whole number is a row number, unless ids are numbers.
    what : str
        Name of the parameter, for messages.
    weight : float
        Weight of the links that have none of their own; infinite: they must hold.

    Returns
    -------
    Links
        In the given order; a link that is given twice is there twice.

    Raises
    ------
    InputError
        Unknown items, an item linked with itself, weights that are negative or no numbers.

    Examples
    --------
    >>> links = read_links([("ant", "bee"), ("bee", "cat", 2.0)], 3, ids=["ant", "bee", "cat"])
    >>> links.pairs.tolist(), links.weights.tolist()
    ([[0, 1], [1, 2]], [inf, 2.0])
    >>> read_links([(0, 1), (2, 2)], 3, what="cannot_link")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: cannot_link links 1 item with itself: 2; a link joins two items
    """
    items = Items(n, ids)
    _check_weight(weight, "the weight of a link")
    keys, weights = _columns(given, what, float(weight))
    pairs = _rows(keys, items, what)
    itself = dict.fromkeys(pairs[pairs[:, 0] == pairs[:, 1], 0].tolist())
    refuse_itself(what, [items.name(row) for row in itself])
    bad = np.flatnonzero(~(weights >= 0))
    if bad.size:
        shown = (
            f"{weights[i]:g} for {items.name(pairs[i, 0])} and {items.name(pairs[i, 1])}"
            for i in bad
        )
        raise InputError(
            f"{what} has {bad.size:,} weight{'s' if bad.size > 1 else ''} that can't be used: "
            f"{listed(shown, bad.size)}; a weight is 0 or more, or inf"
        )
    return Links(pairs, weights)


def _columns(
    given: Any, what: str, weight: float
) -> tuple[NDArray[Any] | list[tuple[Any, Any]], NDArray[np.float64]]:
    """The two items of each link, as one array of numbers or as a list, and the weights."""
    if given is None:
        given = ()
    if hasattr(given, "to_numpy"):  # pandas, polars
        given = given.to_numpy()
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InputError(f"{what} is of type {type(given).__name__}; {_ALLOWED}")
    if isinstance(given, np.ndarray):
        if given.size == 0 and (given.ndim == 1 or given.shape[0] == 0):
            given = ()
        elif given.ndim != 2 or given.shape[1] not in (2, 3):
            raise InputError(f"{what} has shape {given.shape}; {_ALLOWED}")
        elif given.dtype.kind in "iuf":
            last = given[:, 2] if given.shape[1] == 3 else np.full(len(given), weight)
            return given[:, :2], last.astype(np.float64)
        else:
            given = given.tolist()
    keys: list[tuple[Any, Any]] = []
    weights: list[float] = []
    for place, link in enumerate(given):
        if type(link) is tuple or type(link) is list:
            right = len(link) in (2, 3)
        else:  # a row of an array, a named tuple
            right = isinstance(link, (np.ndarray, Sequence)) and len(link) in (2, 3)
        if not right or isinstance(link, (str, bytes)):
            raise InputError(f"entry {place} of {what} is {quoted(link)}; {_ALLOWED}")
        keys.append((link[0], link[1]))
        if len(link) == 3:
            _check_weight(link[2], f"entry {place} of {what} has the weight")
            weights.append(float(link[2]))
        else:
            weights.append(weight)
    return keys, np.array(weights, dtype=np.float64)


def _check_weight(value: Any, what: str) -> None:
    """Refuse what is no number of 0 or more."""
    right = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    if not right or not value >= 0:
        raise InputError(f"{what} {quoted(value)}; a weight is 0 or more, or inf")


def _rows(keys: NDArray[Any] | list[tuple[Any, Any]], items: Items, what: str) -> NDArray[np.int64]:
    if isinstance(keys, np.ndarray):
        found = whole_numbers(keys)
        if found is not None and items.numbered:
            if np.all((found >= 0) & (found < items.n)):
                return found
            flat = found.ravel()
            inside = (flat >= 0) & (flat < items.n)
            items.check_found(what, flat.tolist(), np.where(inside, flat, -1).tolist())
        flat_keys = keys.ravel().tolist()
        if keys.dtype.kind == "f":  # 3.0 means 3, also beside a 0.5 that means nobody
            flat_keys = [int(key) if key.is_integer() else key for key in flat_keys]
    else:
        flat_keys = [key for link in keys for key in link]
    rows = [items.row(key) for key in flat_keys]
    items.check_found(what, flat_keys, rows)
    return np.array(rows, dtype=np.int64).reshape(-1, 2)
