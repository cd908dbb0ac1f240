"""Tags that people gave, and places where photos were taken."""

from __future__ import annotations

from comraf.collection.sides import SideKind
from comraf.collection.sides.lists import plain_key


def _key(value: str) -> str:
    """Signs tell tags apart: C, C++ and C# are three."""
    return " ".join(value.split()).casefold()


TAGS = SideKind("tags", "tags that people gave", key=_key, groups="list", from_lists=True)
PLACES = SideKind(
    "places", "where photos were taken", key=plain_key, groups="list", from_lists=True
)
