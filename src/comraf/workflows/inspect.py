"""``inspect``: what a path holds, found by reading as little of it as will tell."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comraf.collection.gather import Remarks
from comraf.errors import ReadError
from comraf.workflows.answer import answer_in
from comraf.workflows.naming import counted
from comraf.workflows.options import takes
from comraf.workflows.reading import Source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from comraf.collection.collection import Collection
    from comraf.collection.items import Item, Reader, Skip, Unit
    from comraf.results.model import Model

__all__ = ["Contents", "Inspection", "inspect"]

# Records are counted in files of up to this size; reading a larger one takes a while.
_MOST_BYTES = 64 * 2**20
# Of what is not counted, and of files of their own, so many tell what there is.
_SAMPLE = 200
_SECONDS = 5.0
_MOST_VALUES = 50_000


@dataclass
class Contents:
    """What was found in the items that were read.

    Examples
    --------
    >>> from comraf.collection.items import Item
    >>> found = Contents()
    >>> found.add(Item("1", "It leaks.", values={"tags": ("pumps",)}))
    >>> found.sides()
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


@dataclass(frozen=True, eq=False)
class Inspection:
    """A path that was looked into.

    Attributes
    ----------
    path : Path
    reader : Reader
        Who would read it, with notes on what was guessed.
    units : sequence of Unit
        Pieces that can be read on their own.
    contents : Contents
        What was found in those that were read.
    """

    path: Path
    reader: Reader
    units: Sequence[Unit]
    contents: Contents

    def __repr__(self) -> str:
        return f"Inspection({self.path.name}: {self.reader.kind}, {self.contents.held})"

    @property
    def notes(self) -> list[str]:
        """What was guessed about it."""
        return [*self.reader.notes, *self.contents.remarks.counted()]


@takes(Source)
def inspect(
    path: str | Path, *, options: Source
) -> Inspection | Model | Collection | dict[str, Any]:
    """Say what a path holds; nothing is written.

    Parameters
    ----------
    path : path-like
        What `comraf.organize` takes, or a folder that comraf wrote.
    options
        As for ``comraf inspect``; see `comraf.workflows.reading.Source`.

    Returns
    -------
    Inspection
        Of documents that are not yet read. Of a folder that comraf wrote its `Collection`, its
        `Model`, or what ``result.json`` says of the groups.

    Raises
    ------
    ReadError
        If nothing of it can be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("Pumps leak.")
    ...     inspect(folder).contents.held
    '1 file'
    """
    from comraf.collection.detect import open_reader

    path = Path(path)
    if (path / "result.json").is_file():
        return answer_in(path)
    if (path / "model.json").is_file():
        from comraf.results.model import load_model

        return load_model(path)
    if (path / "collection.json").is_file():
        from comraf.collection.store import open_collection

        return open_collection(path)
    with options.following():
        reader = open_reader(path, kind=options.kind, **options.for_reader())
        units = reader.scan()
        contents = _contents(reader, units, path)
    if not contents.n_items:
        # nothing to organise: the same answer that organize would give
        raise ReadError(f"{path}: nothing of it can be read. {contents.why}")
    return Inspection(path, reader, units, contents)


def _contents(reader: Reader, units: Sequence[Unit], path: Path) -> Contents:
    """Read as much as it takes to tell what there is; all of it where records are counted."""
    from comraf.collection.items import Skip
    from comraf.collection.kinds import kind_of

    kind = kind_of(reader.kind)
    # within a zip file units have paths too
    paths = {path if path.is_file() or not unit.path else path / unit.path for unit in units}
    size = sum(place.stat().st_size for place in paths if place.is_file())
    is_counted = kind.many and size <= _MOST_BYTES
    seen = Contents()
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
