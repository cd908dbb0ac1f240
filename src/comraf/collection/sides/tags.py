"""Tags that people gave."""

from __future__ import annotations

from comraf.collection.sides import SideKind

__all__ = ["TAGS"]


def _key(value: str) -> str:
    """Signs tell tags apart: C, C++ and C# are three."""
    return " ".join(value.split()).casefold()


TAGS = SideKind("tags", "tags that people gave", key=_key, groups="list", from_lists=True)
