"""What ``comraf inspect`` sees in documents that are not yet read."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from comraf.collection.remarks import Remarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from comraf.collection.items import Item, Reader, Skip, Unit

__all__ = ["Seen", "look", "skips_listed", "skips_told"]

# Records are counted in files of up to this size; reading a larger one takes a while.
_MOST_BYTES = 64 * 2**20
# Of what is not counted, and of files of their own, so many tell what there is.
_SAMPLE = 200
_SECONDS = 5.0
_MOST_VALUES = 50_000


@dataclass
class Seen:
    """What was found in the items that were read.

    Examples
    --------
    >>> from comraf.collection.items import Item
    >>> seen = Seen()
    >>> seen.add(Item("1", "It leaks.", values={"tags": ("pumps",)}))
    >>> seen.sides()
    ['text: 1 of 1', 'tags: 1 of 1; 1 value, commonest: pumps']
    """

    held: str = ""
    n_items: int = 0
    n_skipped: int = 0
    first_skip: str = ""
    skips: list[Skip] = field(default_factory=list)
    whole: bool = True
    remarks: Remarks = field(default_factory=Remarks)
    _have: Counter[str] = field(default_factory=Counter)
    _values: dict[str, Counter[str]] = field(default_factory=dict)
    _dates: list[datetime] = field(default_factory=list)

    @property
    def why(self) -> str:
        """Why there is nothing."""
        if self.n_skipped:
            return f"The first that can't: {self.first_skip}"
        return "There are no items in it."

    def add(self, item: Item) -> None:
        """Take note of an item."""
        self.n_items += 1
        for name, there in (("title", item.title), ("text", item.text), ("truth", item.truth)):
            self._have[name] += bool(there)
        people = tuple(person.name or person.address for person in item.people)
        several = {"people": people, **item.values, "links": item.links}
        for side, values in several.items():
            if values:
                self._have[side] += 1
                counts = self._values.setdefault(side, Counter())
                if len(counts) < _MOST_VALUES:
                    counts.update(set(values))
        if item.date is not None:
            self._have["date"] += 1
            ends = [*self._dates, item.date]
            self._dates = [min(ends), max(ends)]
        for note in item.notes:
            self.remarks.add(note)

    def sides(self) -> list[str]:
        """What the items have, a line for each."""
        order = ["title", "text", "truth", "date", *self._values]
        return [line for side in order if (line := self.side(side))]

    def side(self, side: str) -> str:
        """What the items have of a side; empty when they have nothing."""
        from comraf.cli.wording import counted

        if not self._have[side]:
            return ""
        of = f"{self.n_items:,}" if self.whole else f"the first {self.n_items:,}"
        line = f"{side}: {self._have[side]:,} of {of}"
        if side == "date":
            line += f"; {self._dates[0]:%Y-%m-%d} to {self._dates[-1]:%Y-%m-%d}"
        elif side in self._values:
            common = [value for value, _ in self._values[side].most_common(5)]
            told = ", ".join(value[:40] for value in common)
            line += f"; {counted(len(self._values[side]), 'value')}, commonest: {told}"
        return line


def skips_told(skips: Iterable[Skip], most: int) -> list[str]:
    """The commonest reasons why items were skipped, each with the first of them.

    Examples
    --------
    >>> from comraf.collection.items import Skip
    >>> skips_told([Skip("a.pdf", "damaged"), Skip("b.pdf", "damaged")], 3)
    ['skipped 2: damaged (the first: a.pdf)']
    """
    from comraf.cli.show import clean

    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for skip in skips:
        counts[skip.reason] += 1
        first.setdefault(skip.reason, skip.source)
    return [
        f"skipped {count:,}: {clean(reason, 200)} "
        f"({'the first: ' if count > 1 else ''}{clean(first[reason], 100)})"
        for reason, count in counts.most_common(most)
    ]


def skips_listed(skips: Iterable[Skip], number: int, most: int = 10) -> list[str]:
    """The first items that were skipped with their reasons, and how many more there are.

    Examples
    --------
    >>> from comraf.collection.items import Skip
    >>> skips_listed([Skip("a.jpg", "truncated"), Skip("b.jpg", "empty")], 2, 1)
    ['skipped a.jpg: truncated', 'skipped 1 more']
    """
    from itertools import islice

    from comraf.cli.show import clean

    lines = [
        f"skipped {clean(skip.source, 100)}: {clean(skip.reason, 200)}"
        for skip in islice(skips, most)
    ]
    if number > len(lines):
        lines.append(f"skipped {number - len(lines):,} more")
    return lines


def look(reader: Reader, units: Sequence[Unit], path: Path) -> Seen:
    """Read as much as it takes to tell what there is; all of it where records are counted.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from comraf.collection.detect import open_reader
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("Pumps leak.")
    ...     reader = open_reader(folder)
    ...     look(reader, reader.scan(), pathlib.Path(folder)).held
    '1 file'
    """
    from comraf.cli.wording import counted
    from comraf.collection.items import Skip
    from comraf.collection.kinds import kind_of

    kind = kind_of(reader.kind)
    # within a zip file units have paths too
    paths = {path if path.is_file() or not unit.path else path / unit.path for unit in units}
    size = sum(place.stat().st_size for place in paths if place.is_file())
    is_counted = kind.many and size <= _MOST_BYTES
    seen = Seen()
    started = time.monotonic()
    for found in (found for unit in units for found in reader.read(unit)):
        if isinstance(found, Skip):
            seen.n_skipped += 1
            seen.first_skip = seen.first_skip or f"{found.source}: {found.reason}"
            if len(seen.skips) < _SAMPLE:
                seen.skips.append(found)
        else:
            seen.add(found)
        late = time.monotonic() - started > _SECONDS and seen.n_items
        if not is_counted and (seen.n_items >= _SAMPLE or late):
            seen.whole = seen.n_items + seen.n_skipped >= len(units) and not kind.many
            break
    if not kind.many:
        seen.held = counted(len(units), kind.noun if kind.noun != "document" else "file")
    elif not is_counted:
        seen.held = f"{counted(len(paths), 'file')} of {size / 1e6:,.0f} MB"
    else:
        files = f" in {counted(len(paths), 'file')}" if len(paths) > 1 else ""
        lost = f", {seen.n_skipped:,} more that can't be read" if seen.n_skipped else ""
        seen.held = f"{counted(seen.n_items, kind.noun)}{files}{lost}"
    return seen
