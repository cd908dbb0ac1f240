"""The sides of a collection, made of what was counted while reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from comraf.collection.counting import COUNTED, SEPARATOR
from comraf.collection.files import Files
from comraf.collection.fold import Fold, RawCounts
from comraf.collection.kinds import kind_of
from comraf.collection.options import SideOptions
from comraf.collection.sides import LISTS, SIDES, SideKind
from comraf.collection.text.stopwords import (
    STOP_WORDS,
    caption_language,
    guess_languages,
    script_of,
)

_T = TypeVar("_T")
Raw = list[tuple[int, str]]
"""Raw values of a side with their numbers."""

_SMALL = 20
# Captions of fewer words than this tell too little of a language to announce it.
_FEW_WORDS = 500


class SideMaker:
    """Plans every side that there is something for.

    Parameters
    ----------
    files : Files
        Where the items were written.
    vocabularies : mapping of str to mapping
        The raw values by their numbers, for each of the raw sides.
    n_items : int
    kind : str
        Kind of the reader.
    options : SideOptions
    """

    def __init__(
        self,
        files: Files,
        vocabularies: Mapping[str, Mapping[str, int]],
        n_items: int,
        kind: str,
        options: SideOptions,
    ) -> None:
        self.files = files
        self.vocabularies = vocabularies
        self.n_items = n_items
        self.kind = kind_of(kind)
        self.options = options
        self.notes: list[str] = []
        self._raw: dict[str, RawCounts] = {}
        self._made: dict[Any, Any] = {}

    def once(self, make: Callable[[SideMaker], _T]) -> _T:
        """What several sides are made of, made for the first of them."""
        if make not in self._made:
            self._made[make] = make(self)
        found: _T = self._made[make]
        return found

    def raw(self, name: str) -> RawCounts:
        """Return the counts of one raw side."""
        if name not in self._raw:
            self._raw[name] = RawCounts(self.files, name, len(self.vocabularies[name]))
        return self._raw[name]

    def folds(self) -> Iterator[Fold]:
        """Yield the plans of all sides that are wanted and have values, one at a time."""
        for name, kind in SIDES.items():
            if name != LISTS and not self.options.wants(name):
                continue
            if kind.fold is not None:
                yield from (fold for fold in kind.fold(self) if fold.values)
            elif name in self.counted:
                yield self.as_counted(kind)

    def most(self, share: float) -> int:
        """In how many items a value may be; few items are not cut by shares."""
        return self.n_items if self.n_items < _SMALL else int(share * self.n_items)

    def least(self, number: int) -> int:
        """In how many items a value must be; of very few items, in one."""
        return number if self.n_items >= 10 else 1

    @cached_property
    def listed(self) -> dict[str, Raw]:
        """Raw values of lists and columns of the source, by the name of their side."""
        from comraf.collection.sides.lists import list_name

        found: dict[str, Raw] = {}
        for name, raws in self._by_side[False].items():
            side = list_name(name)
            if side in self.counted:  # a column may have the name of what was counted
                side = f"{side} column"
            found.setdefault(side, []).extend(raws)
            if side.casefold() == f"{name.strip()} column".casefold() and self.options.wants(side):
                self.notes.append(f"column {name!r} is side {side!r}: {name!r} is another side")
        return {side: sorted(raws) for side, raws in found.items()}

    @property
    def counted(self) -> dict[str, Raw]:
        """Raw values that were counted in the items, by side."""
        return self._by_side[True]

    @cached_property
    def _by_side(self) -> dict[bool, dict[str, Raw]]:
        """Raw values of sides, those that were counted apart from those of lists."""
        found: dict[bool, dict[str, Raw]] = {True: {}, False: {}}
        for i, raw in enumerate(self.vocabularies["values"]):
            counted = raw.startswith(COUNTED) and SEPARATOR in raw[1:]
            side, _, value = raw[counted:].partition(SEPARATOR)
            found[counted].setdefault(side, []).append((i, value))
        return found

    def as_they_are(
        self, name: str, raws: Raw, least: int, share: float = 1.0, **more: Any
    ) -> Fold:
        """A side whose values are raw values: signs and case make a difference here."""
        counts = self.raw("values")
        target = np.full(counts.n_values, -1, np.int64)
        for number, (i, _) in enumerate(raws):
            target[i] = number
        values = [value for _, value in raws]
        return Fold(name, "values", counts, target, values, least, self.most(share), **more)

    def as_counted(self, kind: SideKind) -> Fold:
        """A side that was counted and says nothing more."""
        options = getattr(self.options, kind.options)
        least = self.least(options.min_documents)
        raws = self.counted[kind.name]
        return self.as_they_are(kind.name, raws, least, options.max_share, facts=kind.facts)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages as told, or as the stop words show."""
        if self.options.words.languages is not None:
            return self.options.words.languages
        known = self.vocabularies["words"]
        _, total = self.raw("words").frequencies
        listed = set().union(*STOP_WORDS.values())
        counts = {word: int(total[known[word]]) for word in listed if word in known}
        running: Counter[str] = Counter()
        for word, count in zip(known, total.tolist(), strict=True):
            if " " not in word:
                running[script_of(word)] += int(count)
        found = guess_languages(counts, running)
        if self.kind.photos:
            # captions are short and alike: "man" in each third makes them no Danish
            found = caption_language(found, counts)
            if sum(running.values()) < _FEW_WORDS:
                return found or ("en",)
        if found:
            self.notes.append(f"language by its stop words: {', '.join(found)}")
        # words of archives of counts often have no strings
        elif not self.kind.counted:
            self.notes.append("language not recognised: English stop words are left out")
        return found or ("en",)
