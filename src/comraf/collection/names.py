"""Names and addresses of people, brought to a form in which spellings can be compared."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from comraf.collection.text.normal import normalized

__all__ = [
    "COMMON_SURNAMES",
    "FREE_MAIL",
    "NICKNAMES",
    "Key",
    "Mailbox",
    "PersonName",
    "fold_name",
    "formal_names",
    "organisation_of",
    "parse_mailbox",
    "parse_name",
    "sent_through",
    "short_names",
]

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
_SUFFIX = frozenset("jr sr ii iii iv phd md esq cpa mba dds pe msc bsc ma".split())
_TITLE = frozenset(
    "mr mrs ms miss dr prof professor sir dame rev sister brother herr frau dipl mme mlle".split()
)
# They begin a surname: "van der Berg" is one.
_PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le ter ten bin ibn al el st af zu".split()
)
_PART = r"[^\W\d_](?:[^\W_]|['-])"
_LOCAL_NAME = re.compile(rf"({_PART}*?)(?:[._]([^\W\d_]))?[._]({_PART}+)")
_HEX = re.compile(r"\+([0-9a-f]{2})")
_NOTES = re.compile(r"([^/@]+)/[^@]*@.*")
_X500 = re.compile(r"/o=([^/]+).*/cn=([^/]+)$")
_SECOND_LEVEL = frozenset("co com org net ac gov edu or ne go gob gouv".split())

FREE_MAIL = frozenset(
    """126 163 aol bellsouth bigpond bluewin btinternet comcast compuserve earthlink erols fastmail
    gmail gmx googlemail hotmail icloud juno laposte libero lycos mindspring msn netcom netscape
    netzero outlook pacbell prodigy proton protonmail qq rediffmail rocketmail sbcglobal swbell
    sympatico t-online verizon virgilio wanadoo webtv yahoo yandex ymail zoho aol.com att.net
    charter.net cox.net cs.com email.com ev1.net excite.com flash.net free.fr gte.net home.com
    iname.com live.com mac.com mail.com mail.ru me.com orange.fr rogers.com rr.com shaw.ca sina.com
    usa.net web.de""".split()
)
"""Providers of private mail: an address there tells nothing about where someone works."""

COMMON_SURNAMES = frozenset(
    """adams ali allen anderson andrews armstrong arnold austin bailey baker barker barnes bell
    bennett berry bishop black boyd bradley brewer brooks brown bryant burke burns burton butler
    campbell carpenter carr carroll carter chapman chavez chen clark cole coleman collins cook
    cooper cox crawford cruz cunningham daniels davidson davis dean diaz dixon duncan dunn edwards
    elliott ellis evans ferguson fernandez fischer fisher fleming foster fox francis franklin
    freeman garcia gardner george gibson gomez gonzalez gordon graham grant gray green greene
    griffin gupta hall hamilton hansen hanson harper harris harrison hart harvey hawkins hayes
    henderson henry hernandez hicks hill hoffman holmes howard howell hudson hughes hunt hunter
    jackson jacobs james jenkins jensen johnson johnston jones jordan kelley kelly kennedy khan
    kim king knight kumar lane larson lawrence lawson lee lewis li lim lin little liu long lopez
    lynch marshall martin martinez mason matthews mccarthy mcdonald meyer miller mills mitchell
    montgomery moore morales moreno morgan morris morrison murphy murray myers müller nelson
    newman nguyen nichols o'brien o'connor o'neil o'neill oliver olson ortiz owens palmer park
    parker patel patrick patterson payne perez perkins perry peters peterson phillips pierce
    porter powell price ramirez ramos reed reid reyes reynolds rice richards richardson riley
    rivera roberts robertson robinson rodriguez rogers rose ross russell ryan sanchez sanders
    saunders schmidt schneider scott shah sharma shaw silva simmons simpson sims singh smith
    snyder spencer stephens stevens stewart stone sullivan taylor thomas thompson torres tran
    tucker turner wagner walker wallace wang ward warren washington watkins watson weaver webb
    weber weiss welch wells west wheeler white williams williamson willis wilson wong wood woods
    wright wu yang young zhang zhao""".split()
)
"""Surnames that many people share: a surname alone never unites them."""

_NICK_GROUPS = """
alexander alex|alexandra alex sandra|andrew andy drew|anthony tony|barbara barb|benjamin ben|
catherine cathy kate|katherine kathy kate katie|charles charlie chuck|christine chris tina|
christopher chris|christina chris tina|cynthia cindy|daniel dan danny|david dave|deborah debbie deb
debra|donald don|douglas doug|edward ed eddie ted|elizabeth liz beth betty lisa eliza|eugene gene|
frederick fred|gerald gerry jerry|geoffrey geoff|gregory greg|harold hal|henry hank harry|
jacqueline jackie|james jim jimmy jamie|janet jan|jeffrey jeff|jennifer jen jenny|jessica jess|
john jack johnny|jonathan jon|joseph joe joey|joshua josh|judith judy|kenneth ken kenny|kimberly
kim|lawrence larry|leonard len leo|louis lou|margaret meg maggie peggy|matthew matt|michael mike
mick|mitchell mitch|nathaniel nate|nicholas nick|oluwaseun seun|pamela pam|patricia pat patty patti
tricia|patrick pat|peter pete|philip phil|phillip phil|raymond ray|rebecca becky|richard rick rich
dick|robert bob rob bobby|ronald ron|samantha sam|samuel sam|stephanie steph|stephen steve|steven
steve|stuart stu|susan sue susie|suzanne sue suzy|theodore ted theo|theresa terry|thomas tom tommy|
timothy tim|valerie val|victor vic|victoria vicky|vincent vince|virginia ginny|walter walt|william
bill will willie billy|winifred win|zachary zach
"""


def _nicknames() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in _NICK_GROUPS.split("|"):
        formal, *short = group.split()
        for name in short:
            table.setdefault(name, set()).add(formal)
    return {name: frozenset(formal) for name, formal in table.items()}


NICKNAMES = _nicknames()
"""Short English first names, and the full ones they may stand for."""

_SHORT: dict[str, tuple[str, ...]] = {}
for _name, _formal in sorted(NICKNAMES.items()):
    for _full in _formal:
        _SHORT[_full] = (*_SHORT.get(_full, ()), _name)


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
    shown : str
        First name first, or as written where the family comes first.
    others : tuple of (str, str)
        First and last name as others would fold and cut them: umlauts spelled out, hyphens
        left out, a name in the middle counted to the first or to the last.
    """

    first: str
    middle: str
    last: str
    shown: str
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
    >>> parse_name("'Beck, Sally K. (Legal)'").key, parse_name("Dr Sally Beck/HOU/ECT").shown
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
    shown = " ".join([*words, *last])
    if shown.isupper() or shown.islower():
        shown = _capital(shown)
    surname = " ".join(map(_bare, last))
    return PersonName(first, middle, surname, shown, _others(words, last, (first, surname)))


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
    >>> parse_mailbox("Sally_Beck/HOU/ECT@ECT").name.shown
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
    shown = " ".join(part for part in (first, middle, last) if part)
    return PersonName(fold_name(first), middle, fold_name(last), _capital(shown))
