"""A reader of items that are at hand."""

from __future__ import annotations

from collections.abc import Iterator

from comraf.collection.items import Item, Skip, Unit


class Given:
    """Reads what it was given, in this process."""

    parallel = False

    def __init__(self, *items: Item, kind: str = "text", tagged: bool = False) -> None:
        self.items = items
        self.kind = kind
        self.tagged = tagged
        self.notes: list[str] = []

    def scan(self) -> list[Unit]:
        return [Unit("all")]

    def read(self, unit: Unit) -> Iterator[Item | Skip]:
        yield from self.items
