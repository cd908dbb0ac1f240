"""The sides of a collection, made of what was counted while reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from comraf.collection.chunks import COUNTED, SEPARATOR
from comraf.collection.fold import Fold, Ints, RawTable
from comraf.collection.kinds import kind_of
from comraf.collection.options import SideOptions
from comraf.collection.shelf import Shelf
from comraf.collection.sides import LISTS, SIDES, SideKind
from comraf.collection.text.stopwords import (
    STOP_WORDS,
    caption_language,
    guess_languages,
    script_of,
)

__all__ = ["Raw", "SideMaker"]

Raw = list[tuple[int, str]]
"""Raw values of a side with their numbers."""

_SMALL = 20
# Captions of fewer words than this tell too little of a language to announce it.
_FEW_WORDS = 500


class SideMaker:
    """Plans every side that there is something for.

    Parameters
    ----------
    shelf : Shelf
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
        shelf: Shelf,
        vocabularies: Mapping[str, Mapping[str, int]],
        n_items: int,
        kind: str,
        options: SideOptions,
    ) -> None:
        self.shelf = shelf
        self.vocabularies = vocabularies
        self.n_items = n_items
        self.kind = kind_of(kind)
        self.options = options
        self.notes: list[str] = []

    def raw(self, name: str) -> RawTable:
        """Return the counts of one raw side."""
        return RawTable(self.shelf, name, len(self.vocabularies[name]))

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
        for i, raw in enumerate(self.vocabularies["values"]):
            if not _is_counted(raw):
                side, _, value = raw.partition(SEPARATOR)
                found.setdefault(list_name(side), []).append((i, value))
        # a column may have the name of what pages link to
        for side in found.keys() & self.counted.keys():
            found[f"{side} column"] = found.pop(side)
        return found

    @cached_property
    def counted(self) -> dict[str, Raw]:
        """Raw values that were counted in the items, by side."""
        found: dict[str, Raw] = {}
        for i, raw in enumerate(self.vocabularies["values"]):
            if _is_counted(raw):
                side, _, value = raw[1:].partition(SEPARATOR)
                found.setdefault(side, []).append((i, value))
        return found

    def as_they_are(self, raws: Raw) -> tuple[Ints, list[str]]:
        """Every raw value is a value: signs and case make a difference here."""
        target = np.full(len(self.vocabularies["values"]), -1, np.int64)
        for number, (i, _) in enumerate(raws):
            target[i] = number
        return target, [value for _, value in raws]

    def as_counted(self, kind: SideKind) -> Fold:
        """The plan of a side that was counted and says nothing more."""
        options = getattr(self.options, kind.options)
        target, values = self.as_they_are(self.counted[kind.name])
        least, most = self.least(options.min_documents), self.most(options.max_share)
        facts: dict[str, Any] = {"observed": True} if kind.observed else {}
        if kind.weight is not None:
            facts["weight"] = kind.weight
        return Fold(kind.name, "values", "values", target, values, least, most, facts=facts)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages as told, or as the stop words show."""
        if self.options.words.languages is not None:
            return self.options.words.languages
        known = self.vocabularies["words"]
        _, total = self.raw("words").frequencies()
        listed = set().union(*STOP_WORDS.values())
        counts = {word: int(total[known[word]]) for word in listed if word in known}
        running: Counter[str] = Counter()
        for word, count in zip(known, total.tolist(), strict=True):
            if " " not in word:
                running[script_of(word)] += int(count)
        found = guess_languages(counts, running)
        little = False
        if self.kind.photos:
            # captions are short and alike: "man" in each third makes them no Danish
            found = caption_language(found, counts)
            little = sum(running.values()) < _FEW_WORDS
        if little:
            return found or ("en",)
        if found:
            self.notes.append(f"language by its stop words: {', '.join(found)}")
        # words of archives of counts often have no strings
        elif not self.kind.counted:
            self.notes.append("language not recognised: English stop words are left out")
        return found or ("en",)


def _is_counted(raw: str) -> bool:
    return raw.startswith(COUNTED) and SEPARATOR in raw[1:]
