"""What every side of a collection keeps to."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

import numpy as np

from comraf.checks.rules import hold, same
from comraf.collection.build import build_collection
from comraf.collection.counting import SEPARATOR, Counting
from comraf.collection.items import Address, Item, Skip, Unit
from comraf.collection.options import SideOptions
from comraf.collection.sides import SIDES, Groups, SideKind, named_options
from comraf.errors import InputError

__all__ = ["check_side"]


def check_side(
    side: str | SideKind,
    items: Sequence[Item] = (),
    *,
    options: SideOptions | None = None,
) -> None:
    """Hold a side to what collections and their sides are made by.

    1. ``count`` gives values, which are strings that can be stored, and how often each stands in
       an item: whole numbers above 0, the same each time, none for an item without content.
    2. A value has a description: a string, for people.
    3. A side with a line in `comraf.collection.SIDES` can be built: a column for each
       value, counts of 0 or more, the same table for the same items in another order.
    4. What it says about itself is allowed: ``groups``, ``options``, ``weight``, ``version``.

    Parameters
    ----------
    side : str or SideKind
        A name in `comraf.collection.SIDES`, or a side of your own.
    items : sequence of Item
        Some that have values of the side; a few odd ones are tried in any case.
    options : SideOptions, optional
        How it is counted; by default as usual, for someone who names the side.

    Raises
    ------
    RuleError
        The rule that is broken, and for which item.

    Examples
    --------
    >>> check_side("style", [Item("1", "Well... the pump -- that one!")])
    """
    if isinstance(side, str) and side not in SIDES:
        raise InputError(parameter="side", given=side, allowed=SIDES)
    kind = SIDES[side] if isinstance(side, str) else side
    options = options or SideOptions.from_json(named_options([kind.name]))
    _check_words(kind)
    if kind.count is not None:
        count, counting = kind.count, Counting(options)

        def counted(item: Item) -> Mapping[str, int]:
            return count(item, counting)

        found = sum([_check_counts(kind, item, counted) for item in (*items, *_ODD)])
        hold(found or not items, "the items given have values of the side", "they have none")
    if SIDES.places.get(kind.name) is not None and SIDES[kind.name] is kind and items:
        _check_built(kind, items, options)


_ODD = (
    Item("empty", ""),
    Item("blank", " \n\t"),
    Item("title", "", title="Pump"),
    Item("signs", "\u200f\u0301\ufffd <>&\"'\\ \U0001f468\u200d\U0001f469\u200d\U0001f467 漢字 ß"),
    Item("long", "pump " * 2000 + "x" * 2000),
    Item("person", "pump", people=(Address("", "a@x.org", "from"),), values={"tags": ("a", "")}),
)
"""Items that exist, and that nobody thinks of."""


def _check_words(kind: SideKind) -> None:
    """Rule 4."""
    allowed = get_args(Groups)
    hold(kind.groups in allowed, f"groups is one of {allowed}", f"it is {kind.groups!r}")
    known = tuple(SideOptions.__dataclass_fields__)
    hold(kind.options in known, f"options is one of {known}", f"it is {kind.options!r}")
    hold(kind.about, "a side says what its values are", "about is empty")
    whole = isinstance(kind.version, int) and kind.version > 0
    hold(whole, "version is a whole number above 0", f"it is {kind.version!r}")
    heavy = kind.weight is None or 0 < kind.weight < float("inf")
    hold(heavy, "weight is a number above 0, or None", f"it is {kind.weight!r}")


def _check_counts(kind: SideKind, item: Item, count: Callable[[Item], Mapping[str, int]]) -> int:
    """Rules 1 and 2 for an item; the number of its values."""
    counts = dict(count(item))
    hold(
        counts == dict(count(item)),
        "the same item has the same counts each time",
        f"item {item.id!r}",
    )
    empty = item.id in ("empty", "blank")
    hold(not (empty and counts), "an item without content has no values", f"it has {counts}")
    for value, n in counts.items():
        bad = not isinstance(value, str) or not value or SEPARATOR in value
        bad = bad or any(unicodedata.category(c) in ("Cc", "Cs") for c in value)
        rule = "values are strings that can be stored, without control characters"
        hold(not bad, rule, f"{value!r} in item {item.id!r}")
        whole = isinstance(n, int | np.integer) and n > 0
        rule = "counts are whole numbers above 0"
        hold(whole, rule, f"{n!r} times {value!r} in item {item.id!r}")
        told = kind.describe(value)
        rule = "a value has a description, a string"
        hold(isinstance(told, str) and told, rule, f"that of {value!r} is {told!r}")
    return len(counts)


class _Items:
    """A reader of items that are at hand."""

    parallel = False

    def __init__(self, items: Sequence[Item]) -> None:
        self.items, self.kind = items, "text"
        self.notes: list[str] = []

    def scan(self) -> list[Unit]:
        return [Unit("all")]

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        yield from self.items


def _check_built(kind: SideKind, items: Sequence[Item], options: SideOptions) -> None:
    """Rule 3."""
    one, other = (
        build_collection(_Items(given), options=options) for given in (items, items[::-1])
    )
    name = kind.name
    hold(name in one.sides, "the items given make a side", f"sides are {list(one.sides)}")
    table, values = one.tables[name], one.sides[name].values
    fits = table.shape == (len(one), len(values))
    rule = "a table has a row for each item and a column for each value"
    hold(fits, rule, f"{table.shape} for {len(one)} items and {len(values)} values")
    hold(len(set(values)) == len(values), "every value has one column", "some have several")
    hold(table.min() >= 0, "counts are 0 or more", f"there is {table.min()}")
    rule = "the same items in another order have the same table"
    same(sorted(other.sides[name].values), sorted(values), rule, "values")
    columns = [other.sides[name].values.index(value) for value in values]
    rows = [other.ids.index(item) for item in one.ids]
    same(other.tables[name].toarray()[np.ix_(rows, columns)], table.toarray(), rule, "counts")
