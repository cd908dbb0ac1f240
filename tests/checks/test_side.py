"""Sides pass the check of sides, and one that breaks a rule does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from comraf.checks import check_side
from comraf.collection import SIDES
from comraf.collection.items import Address, Item
from comraf.collection.options import SideOptions, SubjectOptions
from comraf.collection.sides import SideKind
from comraf.errors import InputError, RuleError

ITEMS = [
    Item(
        str(i),
        f"The pump -- leaks... again, {'we' if i % 2 else 'you'} say!",
        title=f"Pump {'abc'[i % 3]}x",
        date=datetime(2001, 1 + i % 3, 2, tzinfo=UTC),
        people=(Address("Ann Li" if i % 2 else "Bo Ek", f"{'ab'[i % 2]}@x{i % 3}.org", "from"),),
        values={"tags": ("a", "bc"[i % 2]), "citations": (f"{(i * 7) % 20}", f"z{i % 3}")},
        links=("x.org/a", f"y{i % 2}.org/b"),
    )
    for i in range(24)
]
OPTIONS = {
    "days": SideOptions(dates=("day",)),
    "weeks": SideOptions(dates=("week",)),
    "subjects": SideOptions(subjects=SubjectOptions(max_share=1.0)),
}


@pytest.mark.parametrize(
    "side", "words subjects people organisations citations tags style days weeks months".split()
)
def test_sides_keep_the_rules(side: str) -> None:
    """Whatever they are counted from."""
    check_side(side, ITEMS, options=OPTIONS.get(side))


RANDOM = np.random.default_rng(0)
GOOD = SideKind("marks", "marks", count=lambda item, counting: Counter(set(item.text) & set("!-")))


@pytest.mark.parametrize(
    ("mistake", "rule"),
    [
        ({"count": lambda item, counting: {"a": 0}}, "counts are whole numbers above 0: 0 times"),
        ({"count": lambda item, counting: {"a": 0.5}}, "whole numbers above 0: 0.5 times 'a'"),
        ({"count": lambda item, counting: {"\x1f": 1}}, r"can be stored.*'\\x1f' in item '0'"),
        ({"count": lambda item, counting: {1: 1}}, "values are strings"),
        ({"count": lambda item, counting: {str(RANDOM.random()): 1}}, "the same counts each time"),
        (
            {"count": lambda item, counting: {"a": 1 + len(item.text)}},
            "an item without content has no values",
        ),
        ({"count": lambda item, counting: {}}, "the items given have values of the side"),
        ({"describe": lambda value: None}, "a value has a description, a string: .* is None"),
        ({"groups": "often"}, "groups is one of .*'alone'.*: it is 'often'"),
        ({"options": "marks"}, "options is one of"),
        ({"weight": 0.0}, "weight is a number above 0, or None: it is 0.0"),
        ({"version": "2"}, "version is a whole number"),
        ({"about": ""}, "says what its values are"),
    ],
)
def test_a_side_that_breaks_a_rule_is_told(mistake: dict[str, object], rule: str) -> None:
    """In a sentence that says where."""
    check_side(GOOD, ITEMS)
    with pytest.raises(RuleError, match=rule):
        check_side(replace(GOOD, **mistake), ITEMS)


def test_a_side_that_is_not_made_is_told() -> None:
    """Items that have nothing of it make no side."""
    with pytest.raises(RuleError, match="the items given make a side: sides are"):
        check_side(SIDES["couplings"], ITEMS)


def test_a_side_without_a_line_is_told() -> None:
    """With those that have one."""
    with pytest.raises(InputError, match=r"side='emojis' is unknown; choose one of .*words"):
        check_side("emojis")
