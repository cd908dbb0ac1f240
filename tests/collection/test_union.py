"""Groups of spellings, and what keeps them apart."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.collection.names import parse_mailbox
from comraf.collection.uniting import Node, Union, same_person


def _union(*addresses: str, together: bool = False) -> Union:
    nodes = [
        Node(address, parse_mailbox(address), mentions=(i,)) for i, address in enumerate(addresses)
    ]
    return Union(nodes, (lambda mention: np.array([7])) if together else None)


def test_what_is_joined_knows_what_both_knew() -> None:
    """Names, organisations and initials of both are the group's."""
    union = _union("sally.beck@a.com", "sally.k.beck@b.com")
    assert union.join(0, 1)
    (group,) = union.groups.values()
    assert group.names == (("sally", "beck"),)
    assert group.organisations == ("a", "b")
    assert group.middles == "k"
    assert union.root(0) == union.root(1)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("sally.beck@a.com", "steve.beck@a.com"),
        ("sally.k.beck@a.com", "sally.m.beck@a.com"),
        ("sally.beck@a.com", "sally.beck2@a.com"),
    ],
)
def test_contradictions_keep_apart(one: str, two: str) -> None:
    """Another name, another initial, another number."""
    union = _union(one, two)
    assert not union.join(0, 1)
    assert len(union.groups) == 2


def test_numbers_contradict_through_others() -> None:
    """Who was joined with one of two numbered addresses is not the other one either."""
    union = _union("sally.beck@a.com", "sally.beck2@a.com", "sb@a.com")
    assert union.join(0, 2)
    assert not union.join(2, 1)
    # at another host the number starts anew
    elsewhere = _union("sally.beck@a.com", "sally.beck2@mail.a.com")
    assert elsewhere.join(0, 1)


def test_only_one_candidate_is_joined() -> None:
    """Two are one too many, unless they are one already; the same document parts them."""
    addresses = ("sbeck@a.com", "sally.beck@a.com", "steve.beck@a.com", "beck@a.com")
    union = _union(*addresses)
    assert not union.join_if_one(0, [1, 2])
    assert union.join(1, 3)
    assert union.join_if_one(0, [1, 3, 1])
    assert not _union(*addresses, together=True).join_if_one(0, [1])


def test_short_names_may_be_the_same_person() -> None:
    """Nicknames and turned names fit, other surnames don't."""
    assert same_person(("bill", "li"), ("william", "li"))
    assert same_person(("li", "bill"), ("bill", "li"))
    assert not same_person(("bill", "li"), ("bill", "yu"))
