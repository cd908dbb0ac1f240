"""Names and addresses of people, brought to a form in which spellings can be compared."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from comraf.collection.text.lists import read_lists
from comraf.collection.text.normal import normalized

Key = tuple[str, str]
"""First and last name, folded for comparing."""

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "œ": "oe", "ı": "i"}
)
# German and Scandinavian mail spells these out where it can't write them.
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>|\"[^\"]*\"|(?<=\s)'[^']+'(?=\s)")
_AFTER = re.compile(r"\s*(?:;|--| - ).*$", re.S)
_VIA = re.compile(r"(?i)\s+(?:via|on behalf of|im auftrag von|par l'intermédiaire de)\s.*$")
_THROUGH = re.compile(r"(?i)\S\s+via\s+\S")
# Chinese, Japanese and Korean names: the family comes first, often without a blank.
_EASTERN = re.compile(
    r"[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3·\u30fb\s]{2,12}"
)
_LONGEST = 1000
_NOT_NAME = re.compile(r"[@:=_\d\\|]|https?|www\.")
_LISTS = read_lists("people.txt")
_SUFFIX = frozenset(_LISTS["suffixes"].split())
_TITLE = frozenset(_LISTS["titles"].split())
_PARTICLES = frozenset(_LISTS["particles"].split())
_PART = r"[^\W\d_](?:[^\W_]|['-])"
_LOCAL_NAME = re.compile(rf"({_PART}*?)(?:[._]([^\W\d_]))?[._]({_PART}+)")
_HEX = re.compile(r"\+([0-9a-f]{2})")
_NOTES = re.compile(r"([^/@]+)/[^@]*@.*")
_X500 = re.compile(r"/o=([^/]+).*/cn=([^/]+)$")
_SECOND_LEVEL = frozenset("co com org net ac gov edu or ne go gob gouv".split())

FREE_MAIL = frozenset(_LISTS["free mail"].split())
"""Providers of private mail: an address there tells nothing about where someone works."""

COMMON_SURNAMES = frozenset(_LISTS["common surnames"].split())
"""Surnames that many people share: a surname alone never unites them."""

_SHORT = {
    full: tuple(sorted(short)) for full, *short in map(str.split, _LISTS["nicknames"].split("\n"))
}
NICKNAMES: dict[str, frozenset[str]] = {
    name: frozenset(full for full, short in _SHORT.items() if name in short)
    for short in _SHORT.values()
    for name in short
}
"""Short English first names, and the full ones they may stand for."""


def formal_names(first: str) -> frozenset[str]:
    """Return a first name and the full ones that it may be short for.

    Examples
    --------
    >>> sorted(formal_names("bob")), sorted(formal_names("ann"))
    (['bob', 'robert'], ['ann'])
    """
    return NICKNAMES.get(first, frozenset()) | {first}


def short_names(first: str) -> tuple[str, ...]:
    """Return what a first name may be shortened to.

    Examples
    --------
    >>> short_names("robert")
    ('bob', 'bobby', 'rob')
    """
    return _SHORT.get(first, ())


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in parts, folded for comparing, and as it should be shown.

    Attributes
    ----------
    first, last : str
        In lower case without accents; ``first`` may be an initial, ``last`` may be empty.
    middle : str
        Initials of what stands between, run together.
    display : str
        First name first, or as written where the family comes first.
    others : tuple of (str, str)
        First and last name as others would fold and cut them: umlauts spelled out, hyphens
        left out, a name in the middle counted to the first or to the last.
    """

    first: str
    middle: str
    last: str
    display: str
    others: tuple[Key, ...] = ()

    @property
    def full(self) -> bool:
        """Whether both names are there and neither is an initial."""
        return len(self.first) > 1 and len(self.last) > 1

    @property
    def key(self) -> Key:
        """First and last name."""
        return self.first, self.last


@dataclass(frozen=True, slots=True)
class Mailbox:
    """An address in parts.

    Attributes
    ----------
    address : str
        The form under which all spellings of one address meet.
    local, host : str
        What stands before and after the ``@``.
    organisation : str
        Who runs the host, the same for ``enron.com`` and ``ect.enron.co.uk``; empty when
        that can't be told.
    name : PersonName or None
        What the local part says about the name: ``sally.beck`` is Sally Beck.
    """

    address: str
    local: str
    host: str
    organisation: str
    name: PersonName | None

    @property
    def private(self) -> bool:
        """Whether it tells nothing about where its owner works."""
        if not self.organisation or self.organisation in FREE_MAIL:
            return True
        return self.registered in FREE_MAIL

    @property
    def registered(self) -> str:
        """The domain that was registered: ``enron.co.uk`` for ``ect.enron.co.uk``."""
        labels = self.host.split(".")
        if self.organisation not in labels:
            return self.host
        last = len(labels) - 1 - labels[::-1].index(self.organisation)
        return ".".join(labels[last:])


def fold_name(text: str) -> str:
    """Lower case, no accents, single blanks.

    Examples
    --------
    >>> fold_name("Søren  KJÆR-Dvořák")
    'soren kjaer-dvorak'
    """
    folded = text.casefold()
    if not folded.isascii():
        folded = normalized("NFKD", folded.translate(_LETTERS))
        folded = "".join(c for c in folded if not unicodedata.combining(c))
    return " ".join(folded.split())


@lru_cache(maxsize=65536)
def parse_name(text: str) -> PersonName | None:
    """Read the name of a person as headers and author lists spell it.

    Returns None for what is no name: an address, a number, nothing at all.

    Examples
    --------
    >>> parse_name("'Beck, Sally K. (Legal)'").key, parse_name("Dr Sally Beck/HOU/ECT").display
    (('sally', 'beck'), 'Sally Beck')
    >>> parse_name("Jan van der Berg").last, parse_name("sbeck@enron.com")
    ('van der berg', None)
    >>> parse_name("Jürgen Müller").others
    (('juergen', 'mueller'),)
    """
    if len(text) > _LONGEST:
        return None
    text = text.replace("\u2019", "'").strip(" '\"`,;.-")
    text = _AFTER.sub("", _VIA.sub("", _ASIDE.sub(" ", text)).partition("/")[0]).strip(" '\"`,.-")
    if not text or len(text) > 100 or _NOT_NAME.search(text):
        return None
    if _EASTERN.fullmatch(text):
        whole = "".join(text.replace("·", "").replace("\u30fb", "").split())
        # which part is the family's is not known; who has the same whole name is the same
        return PersonName(whole, "", whole, text) if len(whole) > 1 else None
    family, comma, given = text.partition(",")
    if comma and (fold_name(given).replace(".", "") in _SUFFIX or _is_remark(text, given)):
        comma = ""
        text = family
    if comma:
        given = given.partition(",")[0]
        words = _words(given)
        last = _words(family)
    else:
        words = _words(text)
        cut = _surname_starts(words)
        words, last = words[:cut], words[cut:]
    if not words and not last:
        return None
    if not words:
        words, last = last, []
    first = _bare(words[0])
    middle = "".join(_bare(word)[:1] for word in words[1:])
    display = " ".join([*words, *last])
    if display.isupper() or display.islower():
        display = _capital(display)
    surname = " ".join(map(_bare, last))
    return PersonName(first, middle, surname, display, _others(words, last, (first, surname)))


def _others(words: list[str], last: list[str], usual: Key) -> tuple[Key, ...]:
    found: set[Key] = set()
    for spelled_out in (False, True):
        given, family = (
            [
                _bare(word.casefold().translate(_SPELLED_OUT) if spelled_out else word)
                for word in part
            ]
            for part in (words, last)
        )
        surname = " ".join(family)
        between = [word for word in given[1:] if len(word) > 1]
        cuts = [(given[0], surname)]
        if between:
            cuts += [(" ".join([given[0], *between]), surname)]
            cuts += [(given[0], " ".join([*between, surname]))]
        found.update(cuts)
        found.update((a.replace("-", " "), b.replace("-", " ")) for a, b in cuts)
    return tuple(sorted(key for key in found - {usual} if len(key[0]) > 1 and len(key[1]) > 1))


def sent_through(name: str) -> bool:
    """Tell whether a name says that somebody's message was sent on by a list or a service.

    Examples
    --------
    >>> sent_through("Ann Li via Growers"), sent_through("Via Roma")
    (True, False)
    """
    return _THROUGH.search(name[:_LONGEST]) is not None


def _is_remark(text: str, given: str) -> bool:
    """What follows the comma is no name: "Ann Li, attorney to be"."""
    return not text.islower() and any(
        len(word) > 1 and word.islower() and word not in _PARTICLES for word in given.split()
    )


def _words(text: str) -> list[str]:
    words = text.replace(".", ". ").split()
    # only an initial keeps its dot: ann.li is Ann Li
    words = [word.rstrip(".") if len(word) > 3 else word for word in words]
    while len(words) > 1 and _bare(words[0]) in _TITLE:
        words = words[1:]
    while len(words) > 1 and _bare(words[-1]) in _SUFFIX:
        words = words[:-1]
    return [word for word in words if any(map(str.isalpha, word))]


def _bare(word: str) -> str:
    return fold_name(word).strip(".'\"`-")


def _surname_starts(words: list[str]) -> int:
    cut = max(len(words) - 1, 1)
    while cut > 1 and _bare(words[cut - 1]) in _PARTICLES:
        cut -= 1
    return cut


def _capital(text: str) -> str:
    return re.sub(r"(^|[\s'.-])(\w)", lambda m: m[1] + m[2].upper(), text.lower())


@lru_cache(maxsize=65536)
def organisation_of(host: str) -> str:
    """Return who runs a host: the label that is registered.

    Examples
    --------
    >>> organisation_of("ect.enron.com"), organisation_of("enron.co.uk"), organisation_of("ect")
    ('enron', 'enron', '')
    """
    labels = host.strip(".").split(".")
    if len(labels) < 2:
        return ""
    if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL:
        return labels[-3]
    return labels[-2]


@lru_cache(maxsize=65536)
def parse_mailbox(address: str) -> Mailbox:
    """Read an address in any of the forms that mail carries.

    Examples
    --------
    >>> parse_mailbox("'Sally.Beck+news@ENRON.com'").address
    'sally.beck@enron.com'
    >>> parse_mailbox("Sally_Beck/HOU/ECT@ECT").name.display
    'Sally Beck'
    >>> parse_mailbox("IMCEANOTES-Sally+20Beck+2FHOU+2FECT+40ECT@ENRON.com").address
    'sally beck'
    >>> parse_mailbox("/O=ENRON/OU=NA/CN=RECIPIENTS/CN=SBECK").address
    'sbeck@enron'
    """
    text = address.strip(" '\"<>()[],;").casefold()
    if text.startswith("imceanotes-"):
        text = _HEX.sub(lambda m: chr(int(m[1], 16)), text[11:].rpartition("@")[0] or text[11:])
    if text.startswith("/o=") and (match := _X500.match(text)):
        organisation = fold_name(match[1])
        return Mailbox(f"{match[2]}@{organisation}", match[2], "", organisation, None)
    if match := _NOTES.match(text):
        name = parse_name(match[1].replace("_", " "))
        return Mailbox(fold_name(match[1].replace("_", " ")), "", "", "", name)
    local, _, host = text.rpartition("@")
    if not local:
        local, host = host, ""
    local = local.strip("'\" ").partition("+")[0] or local
    local = local.replace("'.'", ".")
    host = host.strip(". ")
    if host in ("gmail.com", "googlemail.com"):
        host = "gmail.com"
        bare = local.replace(".", "")
    else:
        bare = local
    name = _local_name(local)
    return Mailbox(f"{bare}@{host}" if host else bare, local, host, organisation_of(host), name)


def _local_name(local: str) -> PersonName | None:
    match = _LOCAL_NAME.fullmatch(local)
    if match is None or len(match[1]) < 2:
        return None
    first, middle, last = match[1], match[2] or "", match[3].rstrip("0123456789-'")
    if len(last) < 2 or last in _SUFFIX:  # bill.iii has lost his last name
        return None
    display = " ".join(part for part in (first, middle, last) if part)
    return PersonName(fold_name(first), middle, fold_name(last), _capital(display))
