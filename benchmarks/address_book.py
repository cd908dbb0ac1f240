"""An invented address book: people, their many spellings and addresses, and who is who.

The sample mailbox has forty people who were invented one by one. This book has as many as
wanted, drawn from lists of names as real ones are: a few names are common, namesakes work for
different firms, each firm builds its addresses in its own way and numbers those that clash,
some people also have private mail or a domain of their own, and every mail program spells
names as it likes. Nothing here looks at how spellings are united.
"""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Mention", "address_book", "agreement"]

_FIRST = """James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William
Barbara Richard Susan Joseph Jessica Thomas Sarah Christopher Karen Daniel Lisa Matthew Nancy
Anthony Margaret Donald Sandra Steven Andrew Kimberly Paul Emily Kenneth Michelle Kevin Carol
Brian Amanda Timothy Edward Deborah Jason Stephanie Jeffrey Rebecca Laura Gary Nicholas Eric
Jonathan Angela Stephen Anna Benjamin Samuel Gregory Katherine Raymond Patrick Søren José Zoë
Łukasz Björn Chloé Renée Jürgen Małgorzata Ömer Anaïs Íñigo Priya Oluwaseun Jean-Luc Mei Tariq
Ingrid Hiroshi Fatima Dmitri Noor Sunniva Kwame Elif Tomasz Agnes Colm Yara Idris""".split()
_COMMON = "Smith Johnson Brown Lee Garcia Wong Patel Nguyen Miller Davis Martin Clark".split()
_LAST = """Quillfeather Oakhurst Lavenham Kitchin Shankley Haedrick Whalesby Prestwood Delaunay
Beldon Calgary Kishman Bradbury Ostrander Vickers Colwell Hodgman Ruscoe Zuffer Sturmey Tychon
Arora Benevides Staab Haverstock Quenet Storey Thrumble Pellworm Vandermeer Ostrowski Bjarnason
Fjeldstad Kowalczyk Dvořák Ibáñez Demirtaş Müller-Hof O'Malley McAllister Fitzgerald St-Pierre
Achterberg Castellan Figueiras Raghunathan Siddiqui Okonkwo Adeyemi Nakagawa Takahashi Papadakis
Georgiou Lindqvist Holmgren Virtanen Korhonen Horváth Novotný Svoboda Petrov Sokolov Bakker
Dekker Bianchi Moreau Lefebvre Girardot Schmitz Krüger Vogelsang Wexcombe Thistlewood Marchbank
Penhallow Trevanion Carrowmore Ballantine Dunmorrow Eastlake Farrington Gainsbury Hollingworth
Inglethorpe Jessamine Kilbride Larkhill Mortensen Northcote Osgathorpe Pemberley Quarrington
Ravenscroft Silverthorn Tattersall Underhay Vellacott Winterbourne Yarborough Zellweg Aldercott
Brambling Coppinger Drysdale Ellerby Fotheringay Gravelle Hathersage Ilkeston Jorvik Kestrel
Lockeridge Maplethorpe Nettlecombe Oxenholme Pickersgill Quorndon Rosamund Skelmorlie""".split()
_SHORT = {
    "Robert": "Bob", "William": "Bill", "Richard": "Rick", "Michael": "Mike", "David": "Dave",
    "Elizabeth": "Liz", "Jennifer": "Jen", "Christopher": "Chris", "Daniel": "Dan",
    "Matthew": "Matt", "Anthony": "Tony", "Steven": "Steve", "Kenneth": "Ken", "Thomas": "Tom",
    "Timothy": "Tim", "Edward": "Ed", "Jeffrey": "Jeff", "Rebecca": "Becky", "Samuel": "Sam",
    "Benjamin": "Ben", "James": "Jim", "Deborah": "Debbie", "Katherine": "Kathy",
    "Andrew": "Andy", "Joseph": "Joe", "Gregory": "Greg", "Oluwaseun": "Seun",
}  # fmt: skip
_FREE = ("gmail.com", "yahoo.com", "hotmail.com", "aol.com", "gmx.de")
_FIRMS = (
    ("borealis-energy.com", "trading.borealis-energy.com", "{f}.{l}"),
    ("hartwellbank.com", "hartwellbank.co.uk", "{i}{l}"),
    ("stbrendan.org", "wards.stbrendan.org", "{i}.{l}"),
    ("larkfield.edu", "cs.larkfield.edu", "{l8}"),
    ("vandelay.de", "mail.vandelay.de", "{f}.{l}"),
    ("oakpartners.net", "ny.oakpartners.net", "{f}"),
    ("harbourcity.gov", "parks.harbourcity.gov", "{f}_{l}"),
    ("kestrelworks.io", "eu.kestrelworks.io", "{f}{li}"),
)
_DEPARTMENTS = ("Legal", "Trading", "London", "IT", "External")
_MACHINES = ("notifications@codehub.com", "no-reply@meetings.net", "updates@linkup.com")
_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "ß": "ss"})
_GERMAN = str.maketrans({"ü": "ue", "ö": "oe", "ä": "ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe"})


@dataclass(frozen=True, slots=True)
class Mention:
    """One way in which someone is named, and who it is.

    Attributes
    ----------
    name, address : str
        As in a header; either may be empty.
    weight : int
        In how many messages.
    person : int
        The truth; -1 where nobody could tell.
    """

    name: str
    address: str
    weight: int
    person: int


@dataclass(slots=True)
class _Book:
    rng: random.Random
    taken: set[str] = field(default_factory=set)
    mentions: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def often(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, items: Sequence[str]) -> str:
        return items[int(self.rng.random() * len(items))]

    def skewed(self, items: Sequence[str]) -> str:
        return items[int(self.rng.random() ** 1.6 * len(items))]

    def free(self, local: str, host: str) -> str:
        """An address that nobody has: who comes later gets a number."""
        address, number = f"{local}@{host}", 1
        while address in self.taken:
            number += 1
            address = f"{local}{number}@{host}"
        self.taken.add(address)
        return address

    def add(self, person: int, name: str, address: str, weight: int) -> None:
        known = self.mentions.setdefault((name, address), [person, 0])
        known[1] += weight
        if known[0] != person:
            known[0] = -1


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def _local(text: str, *, german: bool = False) -> str:
    bare = _plain(text.translate(_GERMAN) if german else text).lower()
    return bare.replace("'", "").replace(" ", "")


def _addresses(book: _Book, first: str, last: str, firm: tuple[str, str, str]) -> list[str]:
    german = firm[0].endswith(".de")
    f, surname = _local(first, german=german), _local(last, german=german)
    parts = {"f": f, "l": surname, "i": f[0], "l8": f"{f[0]}{surname}"[:8], "li": surname[0]}
    found = [book.free(firm[2].format(**parts), firm[0])]
    if book.often(0.25):
        found.append(f"{found[0].partition('@')[0]}@{firm[1]}")
    others = [form for form in ("{f}.{l}", "{i}{l}", "{i}.{l}", "{f}_{l}") if form != firm[2]]
    alias = book.pick(others).format(**parts)
    if book.often(0.15) and not found[0].startswith(f"{alias}@"):
        found.append(book.free(alias, firm[0]))
    return found


def _private(book: _Book, first: str, last: str) -> list[str]:
    found = []
    f, surname = _local(first), _local(last).replace("-", "")
    if book.often(0.35):
        short = _local(_SHORT.get(first, first))
        year = str(60 + int(book.rng.random() * 40))
        form = book.pick(
            (f"{f}.{surname}", f"{f}{surname}", f"{short}{surname}", f"{f}.{surname}{year}",
             f"{f[0]}{surname}{year}", f"{f}_{surname}", f"sailor{year}")
        )  # fmt: skip
        found.append(book.free(form, book.pick(_FREE)))
    if book.often(0.06):
        found.append(book.free(f, f"{surname}.org"))
    return found


def _spellings(book: _Book, first: str, middle: str, last: str) -> list[str]:
    """How the people and programs that write to one address spell its owner's name."""
    usual = [f"{first} {last}", f"{first} {last}", f"{last}, {first}", f"{first} {middle}. {last}"]
    odd = [
        f"{_plain(first)} {_plain(last)}",
        f"{_plain(first)} {_plain(last)}".upper(),
        f"{first.translate(_GERMAN)} {last.translate(_GERMAN)}",
        f"'{last}, {first}'",
        f"{last}, {first} ({book.pick(_DEPARTMENTS)})",
        f"{first[0]}. {last}",
        f"{_SHORT.get(first, first)} {last}",
        first,
        "",
    ]
    found = ["" if book.often(0.2) else book.pick(usual)]
    while book.often(0.45) and len(found) < 4:
        found.append(book.pick(odd))
    return list(dict.fromkeys(found))


def address_book(n_people: int = 300, seed: int = 0) -> list[Mention]:
    """Invent people and every way in which mail names them.

    Parameters
    ----------
    n_people : int, default 300
    seed : int, default 0
        The same seed gives the same book.

    Returns
    -------
    list of Mention
        All different.

    Examples
    --------
    >>> book = address_book(50, seed=1)
    >>> len({mention.person for mention in book}) >= 50
    True
    """
    book = _Book(random.Random(seed))
    everybody: list[tuple[str, str]] = []
    for person in range(n_people):
        first = book.skewed(_FIRST)
        last = book.skewed(_COMMON) if book.often(0.15) else book.pick(_LAST)
        middle = book.pick("ABCDEGHJKLMNPRST")
        number = int(book.rng.random() ** 1.4 * len(_FIRMS))
        everybody.append((first, last))
        addresses = _addresses(book, first, last, _FIRMS[number]) if book.often(0.85) else []
        addresses += _private(book, first, last)
        if book.often(0.04):
            addresses += _addresses(book, first, last, _FIRMS[number - 1])
        for address in addresses or [book.free(_local(first + last), book.pick(_FREE))]:
            for place, name in enumerate(_spellings(book, first, middle, last)):
                book.add(person, name, address, 1 + int(book.rng.random() ** 3 * 40) // (1 + place))
        if book.often(0.1):
            book.add(person, f"{first} {last}", "", 2)
    for number, machine in enumerate(_MACHINES, n_people):
        for first, last in everybody[:: max(1, n_people // 12)]:
            book.add(number, f"{first} {last}", machine, 1 + int(book.rng.random() * 9))
    # a name without an address is anybody's who has it
    namesakes = Counter(everybody)
    unknown = {f"{first} {last}" for (first, last), n in namesakes.items() if n > 1}
    return [
        Mention(name, address, weight, -1 if not address and name in unknown else person)
        for (name, address), (person, weight) in book.mentions.items()
    ]


def agreement(truth: Sequence[int], found: Sequence[int]) -> tuple[float, float]:
    """Precision and recall over all pairs of mentions that are, or are held to be, one person.

    Examples
    --------
    >>> agreement([0, 0, 0, 1], [5, 5, 6, 6])
    (0.5, 0.3333333333333333)
    """

    def pairs(counts: Counter[object]) -> int:
        return sum(n * (n - 1) // 2 for n in counts.values())

    both = pairs(Counter(zip(truth, found, strict=True)))
    held, true = pairs(Counter(found)), pairs(Counter(truth))
    return both / held if held else 1.0, both / true if true else 1.0
