"""The sides of a collection, made of what was counted while reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

import numpy as np

from comraf.collection.chunks import COUNTED, SEPARATOR
from comraf.collection.correspondents import Correspondents
from comraf.collection.fold import Fold, Ints, RawTable
from comraf.collection.kinds import kind_of
from comraf.collection.names import parse_mailbox
from comraf.collection.options import DATE_STEPS, SideOptions
from comraf.collection.people import is_nobody
from comraf.collection.shelf import Shelf
from comraf.collection.text.addresses import LINKS_SIDE
from comraf.collection.text.folding import fold_words
from comraf.collection.text.pos import POS_SIDES
from comraf.collection.text.segment import warn_of_pieces
from comraf.collection.text.spelling import ORGANISATIONS, is_missing, value_key
from comraf.collection.text.stopwords import (
    STOP_WORDS,
    caption_language,
    guess_languages,
    script_of,
    stop_words,
)
from comraf.collection.text.style import STYLE_SIDE, is_mark

__all__ = ["ORGANISATIONS", "SideMaker"]

_SMALL = 20
_SAME_AS_ORGANISATION = frozenset(
    "organisation organisations organization organizations affiliation affiliations company "
    "companies institution institutions employer".split()
)
_RESERVED = frozenset(("documents", "words", "subjects", "people", *DATE_STEPS.values()))
_RESERVED |= {*POS_SIDES.values(), STYLE_SIDE}
#: Runs of tags in fewer documents go, by their length; and in a larger share of them.
_RARE_RUNS = {1: 1, 2: 3, 3: 10, 4: 10}
_FREQUENT_RUNS = {4: 0.15}
# Captions of fewer words than this tell too little of a language to announce it.
_FEW_WORDS = 500
# Lists whose values are not clustered unless asked for.
_OBSERVED = ("citations",)
# How much of a day must be known.
_KNOWN = {"day": 10, "week": 10, "month": 7}


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
        self._languages: tuple[str, ...] | None = options.words.languages

    def raw(self, name: str) -> RawTable:
        """Return the counts of one raw side."""
        return RawTable(self.shelf, name, len(self.vocabularies[name]))

    def folds(self) -> Iterator[Fold]:
        """Yield the plans of all sides that are wanted and have values, one at a time."""
        options = self.options
        makers: list[Callable[[], Fold]] = []
        photos = self.kind.photos
        # photos without captions have no words to look for a language in
        if options.wants("words") and (self.vocabularies["words"] or not photos):
            makers.append(self._words)
        # the title of a photo is its first caption, whose words count already
        if options.wants("subjects") and not (photos and options.sides is None):
            makers.append(self._subjects)
        if self.vocabularies["people"]:
            if options.wants("people"):
                makers.append(self._people)
            if options.wants(ORGANISATIONS) and not self._has_organisations():
                makers.append(self._domains)
        for make in makers:
            fold = make()
            if fold.values:
                yield fold
        yield from (fold for fold in self._values() if fold.values)
        for step in options.dates:
            if options.wants(DATE_STEPS[step]) and self.vocabularies["dates"]:
                fold = self._dates(step)
                if fold.values:
                    yield fold

    def _most(self, share: float) -> int:
        return self.n_items if self.n_items < _SMALL else int(share * self.n_items)

    def _languages_of(self) -> tuple[str, ...]:
        """The languages as told, or as the stop words show."""
        if self._languages is not None:
            return self._languages
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
            found = found or ("en",)
        elif found:
            self.notes.append(f"language by its stop words: {', '.join(found)}")
        else:
            found = ("en",)
            # words of such archives are counted already, and often have no strings
            if not self.kind.counted:
                self.notes.append("language not recognised: English stop words are left out")
        self._languages = found
        return found

    def _word_fold(self, name: str, raw: str, least: int, share: float) -> Fold:
        languages = self._languages_of()
        extra = set(self.options.words.stop_words)
        if languages:
            extra |= self.kind.stop_words
        target, values, dropped = fold_words(
            list(self.vocabularies[raw]),
            languages=languages,
            extra=extra,
            stem=self.options.words.stem,
        )
        facts = {"languages": list(languages), "stop_words": dropped}
        return Fold(name, "words", raw, target, values, least, self._most(share), facts=facts)

    def _tell_of_pieces(self) -> None:
        """Say so where text without blanks could not be cut into words."""
        known = self.vocabularies["words"]
        counts = self.raw("words").frequencies()[1].tolist()
        note = warn_of_pieces(zip(known, counts, strict=True), stacklevel=2)
        if note:
            self.notes.append(note)

    def _words(self) -> Fold:
        self._tell_of_pieces()
        options = self.options.words
        least = options.min_documents
        if least is None:
            least = 1 if self.n_items < 10 else 2 if self.n_items < 300 else 3
        fold = self._word_fold("words", "words", least, options.max_share)
        # cuts that nobody asked for must not be the reason that there is nothing
        fold.gentle = options.min_documents is None
        return fold

    def _subjects(self) -> Fold:
        options = self.options.subjects
        least = options.min_documents
        if least is None:
            least = 1 if self.n_items < 10 else 2
        return self._word_fold("subjects", "titles", least, options.max_share)

    def _people(self) -> Fold:
        options = self.options.people
        mentions = [_mention(value) for value in self.vocabularies["people"]]
        # a table with recipients is mail too
        sent = any(role in ("to", "cc") for role, _, _ in mentions)
        found = Correspondents(
            mentions,
            self.raw("people").whole(),
            unite=options.unite,
            mailbox=self.kind.messages or sent,
        )
        target = found.labels.copy()
        facts: dict[str, Any] = {"spellings": found.n_mentions, "people": len(found.people)}
        if found.owner is not None:
            owner = found.people[found.owner]
            facts["owner"] = owner.name
            share = f"{found.documents[found.owner] / max(self.n_items, 1):.0%}"
            out = "; left out of the people" if options.owner == "drop" else ""
            self.notes.append(f"owner of the mailbox: {owner.name}, in {share} of messages{out}")
            if options.owner == "drop":
                target[target == found.owner] = -1
        lists = [i for i, role in enumerate(found.roles) if role == "list"]
        if lists:
            facts["lists"] = len(lists)
            if options.lists == "drop":
                target[np.isin(target, lists)] = -1
        return Fold(
            "people",
            "people",
            "people",
            target,
            [person.name for person in found.people],
            options.min_documents if self.n_items >= 10 else 1,
            presence=True,
            details={
                "role": found.roles,
                "host": [person.host for person in found.people],
                "addresses": [list(person.addresses) for person in found.people],
                "spellings": [list(person.spellings) for person in found.people],
                "sent": found.sent.tolist(),
                "received": found.received.tolist(),
            },
            facts=facts,
        )

    def _has_organisations(self) -> bool:
        return any(
            value.partition(SEPARATOR)[0].casefold() in _SAME_AS_ORGANISATION
            for value in self.vocabularies["values"]
        )

    def _domains(self) -> Fold:
        """Organisations of people, by the domains of their addresses."""
        options = self.options.organisations
        mentions = self.vocabularies["people"]
        target = np.full(len(mentions), -1, np.int64)
        numbers: dict[str, int] = {}
        hosts: list[Counter[str]] = []
        for i, value in enumerate(mentions):
            _, name, address = _mention(value)
            if not address or is_nobody(name, address):
                continue
            mail = parse_mailbox(address)
            if mail.private or not mail.host:
                continue
            number = numbers.setdefault(mail.organisation, len(numbers))
            if number == len(hosts):
                hosts.append(Counter())
            hosts[number][mail.registered] += 1
            target[i] = number
        values = [min(seen, key=lambda host: (-seen[host], host)) for seen in hosts]
        return Fold(
            ORGANISATIONS,
            "values",
            "people",
            target,
            _distinct(values),
            options.min_documents if self.n_items >= 10 else 1,
            self._most(options.max_share),
            presence=True,
            facts={"from": "domains of addresses"},
        )

    def _values(self) -> Iterator[Fold]:
        """One side for each name that lists and columns came with."""
        known = self.vocabularies["values"]
        sides: dict[str, list[tuple[int, str]]] = {}
        counted: dict[str, list[tuple[int, str]]] = {}
        for i, raw in enumerate(known):
            if raw.startswith(COUNTED) and SEPARATOR in raw[1:]:
                side, _, value = raw[1:].partition(SEPARATOR)
                counted.setdefault(side, []).append((i, value))
                continue
            side, _, value = raw.partition(SEPARATOR)
            sides.setdefault(_side_name(side), []).append((i, value))
        if LINKS_SIDE in counted and LINKS_SIDE in sides:
            sides[f"{LINKS_SIDE} column"] = sides.pop(LINKS_SIDE)
        frequency = self.raw("values").frequencies()[0] if known else np.zeros(0, np.int64)
        for side in sorted(sides):
            if not self.options.wants(side):
                continue
            organisations = side == ORGANISATIONS
            options = self.options.organisations if organisations else self.options.values
            target, values = _united(sides[side], frequency, len(known), side)
            yield Fold(
                side,
                "values",
                "values",
                target,
                values,
                options.min_documents if self.n_items >= 10 else 1,
                self._most(options.max_share),
                presence=True,
                # who cites whom: clusters of so few counts blur what they say (benchmarks.papers)
                facts={"observed": True} if side in _OBSERVED else {},
            )
        for order, side in POS_SIDES.items():
            if side in counted and self.options.wants(side):
                yield self._runs(order, counted[side], len(known))
        if STYLE_SIDE in counted and self.options.counts_style:
            yield self._style(counted[STYLE_SIDE], len(known))
        if LINKS_SIDE in counted and self.options.links.count and self.options.wants(LINKS_SIDE):
            yield self._links(counted[LINKS_SIDE], len(known))

    def _runs(self, order: int, raws: list[tuple[int, str]], n_raw: int) -> Fold:
        """Runs of parts of speech of one length; single tags are few enough to be observed."""
        options = self.options.pos
        least = options.min_documents
        if least is None:
            # a hundredth of a small collection says as much as 10 of a large one
            least = max(1, min(_RARE_RUNS[order], self.n_items // 50))
        share = options.max_share if options.max_share is not None else _FREQUENT_RUNS.get(order, 1)
        target, values = _as_they_are(raws, n_raw)
        return Fold(
            POS_SIDES[order],
            "values",
            "values",
            target,
            values,
            least,
            self._most(share),
            gentle=options.min_documents is None,
            facts={"order": order, "observed": order == 1},
        )

    def _style(self, raws: list[tuple[int, str]], n_raw: int) -> Fold:
        """Punctuation, and function words of the languages found."""
        languages = self._languages_of()
        words = stop_words(languages or ("en",))
        kept = [(i, value) for i, value in raws if is_mark(value) or value in words]
        target, values = _as_they_are(kept, n_raw)
        least = self.options.style.min_documents if self.n_items >= 10 else 1
        return Fold(STYLE_SIDE, "values", "values", target, values, least)

    def _links(self, raws: list[tuple[int, str]], n_raw: int) -> Fold:
        """Places that pages link to; those on popular hosts say nothing."""
        options = self.options.links
        kept = [(i, place) for i, place in raws if not options.leaves_out(place)]
        target, values = _as_they_are(kept, n_raw)
        return Fold(
            LINKS_SIDE,
            "values",
            "values",
            target,
            values,
            options.min_documents if self.n_items >= 10 else 1,
            self._most(options.max_share),
            presence=True,
            facts={"popular": len(raws) - len(kept)},
        )

    def _dates(self, step: str) -> Fold:
        target = np.full(len(self.vocabularies["dates"]), -1, np.int64)
        numbers: dict[str, int] = {}
        for i, text in enumerate(self.vocabularies["dates"]):
            if len(text) < _KNOWN[step]:
                continue  # a year alone is in no month
            target[i] = numbers.setdefault(_cut_date(text, step), len(numbers))
        return Fold(DATE_STEPS[step], "dates", "dates", target, list(numbers), presence=True)


def _mention(value: str) -> tuple[str, str, str]:
    role, name, address = value.split(SEPARATOR, 2)
    return role, name, address


def _distinct(values: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    out = []
    for value in values:
        seen[value] += 1
        out.append(value if seen[value] == 1 else f"{value} ({seen[value]})")
    return out


def _side_name(name: str) -> str:
    plain = name.strip() or "values"
    if plain.casefold() in _SAME_AS_ORGANISATION:
        return ORGANISATIONS
    return f"{plain} column" if plain.casefold() in _RESERVED else plain


def _united(
    raws: list[tuple[int, str]], frequency: Ints, n_raw: int, side: str
) -> tuple[Ints, list[str]]:
    """Spellings that make no difference are one value, by its commonest."""
    target = np.full(n_raw, -1, np.int64)
    numbers: dict[str, int] = {}
    spelled: list[Counter[str]] = []
    for i, value in raws:
        if is_missing(value):
            continue
        number = numbers.setdefault(value_key(side, value), len(numbers))
        if number == len(spelled):
            spelled.append(Counter())
        spelled[number][value] += int(frequency[i])
        target[i] = number
    names = [min(seen, key=lambda text: (-seen[text], text)) for seen in spelled]
    return target, _distinct(names)


def _as_they_are(raws: list[tuple[int, str]], n_raw: int) -> tuple[Ints, list[str]]:
    """Every raw value is a value: signs and case make a difference here."""
    target = np.full(n_raw, -1, np.int64)
    for number, (i, _) in enumerate(raws):
        target[i] = number
    return target, [value for _, value in raws]


def _cut_date(text: str, step: str) -> str:
    """Return the day, the week or the month of a day.

    Examples
    --------
    >>> _cut_date("2001-12-31", "week"), _cut_date("2001-12-31", "month")
    ('2002-W01', '2001-12')
    """
    if step == "day":
        return text
    if step == "month":
        return text[:7]
    year, week, _ = date.fromisoformat(text).isocalendar()
    return f"{year:04d}-W{week:02d}"
