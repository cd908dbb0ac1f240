"""Items at hand for a collection, and what a reader yields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from comraf.collection.items import Item, Reader, Skip, Unit


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


def read_all(reader: Reader) -> list[Any]:
    """Everything that a reader yields."""
    return [found for unit in reader.scan() for found in reader.read(unit)]


def by_source(reader: Reader) -> dict[str, Any]:
    """What a reader yields, by where it stands."""
    return {found.source: found for found in read_all(reader)}


def items(reader: Reader) -> list[Item]:
    """The items that a reader yields."""
    return [found for found in read_all(reader) if isinstance(found, Item)]


def skips(reader: Reader) -> list[tuple[str, str]]:
    """Where the skips that a reader yields stand, and their reasons."""
    return [(found.source, found.reason) for found in read_all(reader) if isinstance(found, Skip)]
