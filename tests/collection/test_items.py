"""What readers yield."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from comraf.collection.items import Address, Item, Skip, Unit, digest_of


@pytest.mark.parametrize(
    ("title", "text", "content"),
    [
        ("Pumps", "They leak.", "Pumps\n\nThey leak."),
        ("", "They leak.", "They leak."),
        ("Pumps", "", "Pumps"),
        ("Pumps", "Pumps\n\nThey leak.", "Pumps\n\nThey leak."),
    ],
)
def test_content_holds_the_title_once(title: str, text: str, content: str) -> None:
    """Words are counted over title and text, and a page's own heading not twice."""
    assert Item("1", text, title=title).content == content


def test_digest_keeps_parts_apart() -> None:
    """Moving a letter from one part to the next makes another digest."""
    assert digest_of("ab", "c") != digest_of("a", "bc")
    assert digest_of("a", "") != digest_of("a")
    assert digest_of("\ud800") != digest_of("")


def test_what_readers_yield_can_travel() -> None:
    """Items, skips and units survive the way to another process and can't be changed."""
    item = Item("1", "x", people=(Address("Ann", "a@x.org", "from"),), values={"tags": ("a",)})
    for thing in (item, Skip("a", "b"), Unit("a", 1, 2, "f", 3)):
        assert pickle.loads(pickle.dumps(thing)) == thing  # noqa: S301 -- our own bytes
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, dataclasses.fields(thing)[0].name, "z")
