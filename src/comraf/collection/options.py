"""How a collection is built: which sides, and what is left out of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from comraf.collection.text.addresses import POPULAR_HOSTS, host_of, is_popular
from comraf.collection.text.pos import POS_SIDES, check_tagger
from comraf.collection.text.stopwords import LANGUAGES
from comraf.errors import InputError
from comraf.parameters import check_choice, check_int

__all__ = [
    "DATE_STEPS",
    "LinkOptions",
    "PeopleOptions",
    "PhotoOptions",
    "PosOptions",
    "SideOptions",
    "StyleOptions",
    "SubjectOptions",
    "ValueOptions",
    "WordOptions",
]

DATE_STEPS: Mapping[str, str] = {"day": "days", "week": "weeks", "month": "months"}
"""What dates can be cut into, and the names of the sides."""


#: Kinds of regions that a collection of photos may have.
MOST_BLOBS = 100_000


_Check = Callable[[str, Any], None]


def _count(least: int = 1, most: int | None = None) -> _Check:
    """A whole number, or None for what is usual."""

    def check(name: str, value: Any) -> None:
        if value is not None:
            check_int(name, value, least, most)

    return check


def _share(name: str, value: Any) -> None:
    if value is not None and (not isinstance(value, (int, float)) or not 0 < value <= 1):
        raise InputError("{given} must be a share above 0 and up to 1", name, value)


def _choices(what: str, allowed: Iterable[str]) -> _Check:
    """Each of several, or the only one, is allowed."""

    def check(_: str, value: Any) -> None:
        for one in (value,) if isinstance(value, str) else value or ():
            check_choice(what, one, allowed)

    return check


def _tagger(_: str, value: str | None) -> None:
    if value is not None:
        check_tagger(value)


def _orders(name: str, value: tuple[int, ...]) -> None:
    if not value or any(order not in POS_SIDES for order in value):
        text = "{given} of parts of speech must be some of {allowed}"
        raise InputError(text, name, value, allowed=POS_SIDES)


def _several(name: str, value: Any) -> None:
    if isinstance(value, str):
        raise InputError(f"{name}={value!r} must be several hosts, not one text")


Count = Annotated[int, _count()]
MaybeCount = Annotated[int | None, _count()]
Share = Annotated[float, _share]


@cache
def _checks(kind: type) -> dict[str, list[_Check]]:
    """What each option must hold, by its annotation."""
    out: dict[str, list[_Check]] = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        out[name] = list(getattr(hint, "__metadata__", ()))
        if get_origin(hint) is Literal:
            out[name].append(_choices(name, get_args(hint)))
    return out


class _Checked:
    """Options that are checked as their annotations say."""

    __slots__ = ()

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, checks in _checks(kind).items():
            for check in checks:
                check(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class WordOptions(_Checked):
    """Which words count.

    Attributes
    ----------
    languages : tuple of str or None
        Codes of the languages whose stop words go ("en", "de", "ru", "zh" ...; see
        `comraf.collection.text.stopwords.LANGUAGES`); None finds out by the stop words
        themselves; an empty tuple keeps them all.
    stop_words : tuple of str
        Further words to leave out.
    min_documents : int or None
        Words in fewer documents go; None takes 3, or less for a small collection (2 below
        300 documents, 1 below 10).
    max_share : float
        Words in more than this share of the documents go (not below 20 documents).
    ngrams : int
        Longest run of words that counts as a value of its own; runs of more than 5 would
        count every sentence.
    numbers : bool
        Whether words without a letter count.
    stem : bool
        Whether a plural in -s is counted with its singular, where that occurs too.
    titles : bool
        Whether the words of the title count as words of the text.
    """

    languages: Annotated[tuple[str, ...] | None, _choices("language", LANGUAGES)] = None
    stop_words: tuple[str, ...] = ()
    min_documents: MaybeCount = None
    max_share: Share = 0.5
    ngrams: Annotated[int, _count(most=5)] = 1
    numbers: bool = False
    stem: bool = False
    titles: bool = True


@dataclass(frozen=True, slots=True)
class SubjectOptions(_Checked):
    """Which words of titles and subject lines count; stop words are those of the text.

    Attributes
    ----------
    min_documents : int or None
        Words in fewer titles go; None takes 2, or 1 below 10 documents.
    max_share : float
        Words in more than this share of the titles go (not below 20 documents).
    """

    min_documents: MaybeCount = None
    max_share: Share = 0.5


@dataclass(frozen=True, slots=True)
class PeopleOptions(_Checked):
    """Which people count.

    Attributes
    ----------
    unite : bool
        Whether the spellings of one person's name and address are united; see
        `comraf.collection.people`.
    min_documents : int
        People in fewer documents go.
    owner : {"drop", "keep"}
        What happens to the owner of a mailbox, who is in nearly every message and so says
        nothing about any of them.
    lists : {"keep", "drop"}
        What happens to mailing lists.
    """

    unite: bool = True
    min_documents: Count = 2
    owner: Literal["drop", "keep"] = "drop"
    lists: Literal["keep", "drop"] = "keep"


@dataclass(frozen=True, slots=True)
class ValueOptions(_Checked):
    """Which values of a list (tags, keywords, organisations) count.

    Attributes
    ----------
    min_documents : int
        Values in fewer documents go.
    max_share : float
        Values in more than this share of the documents go (not below 20 documents).
    """

    min_documents: Count = 2
    max_share: Share = 1.0


@dataclass(frozen=True, slots=True)
class PosOptions(_Checked):
    """Which runs of parts of speech count; the side of pairs is "pos", others "pos1" to "pos4".

    Attributes
    ----------
    orders : tuple of int
        Lengths of the runs, from 1 to 4; each is a side of its own.
    tagger : str or None
        Who tags texts that come without tags: "auto", "nltk", "nltk:FOLDER" or "spacy:MODEL"
        (see `comraf.collection.text.pos.load_tagger`). None tags nothing, unless
        ``SideOptions.sides`` names one of these sides.
    min_documents : int or None
        Runs in fewer documents go; None takes 1 for single tags, 3 for pairs and 10 for
        longer runs, less for a small collection.
    max_share : float or None
        Runs in more than this share of the documents go; None takes 1, and 0.15 for runs of
        4 (the thesis: 99 of 672 documents).
    marks : bool
        Whether the marks of the Brown corpus for titles, headlines and foreign words stay on
        its tags.
    """

    orders: Annotated[tuple[int, ...], _orders] = (1, 2)
    tagger: Annotated[str | None, _tagger] = None
    min_documents: MaybeCount = None
    max_share: Annotated[float | None, _share] = None
    marks: bool = True


@dataclass(frozen=True, slots=True)
class StyleOptions(_Checked):
    """Whether punctuation and function words are a side, "style".

    Attributes
    ----------
    count : bool
        Whether they are counted; also if ``SideOptions.sides`` names the side.
    min_documents : int
        Those in fewer documents go.
    """

    count: bool = False
    min_documents: Count = 2


@dataclass(frozen=True, slots=True)
class PhotoOptions(_Checked):
    """What is counted in photos: the sides "colours", "texture" and "blobs".

    Attributes
    ----------
    colours : int
        Size of the palette, from 8 to 1,024.
    space : {"rgb", "lab"}
        What the palette is even in: light, or what eyes see.
    blobs : int
        How many kinds of regions to find; at most two for each photo, and 100,000.
    blobs_by : {"comraf", "kmeans"}
        Who finds them: Comraf* by the colours and texture of regions, or k-means on 30
        features of them.
    codebook : str or None
        Folder of a collection whose blobs are used instead of new ones, so that new photos
        can be held against it.
    """

    colours: Annotated[int, _count(8, 1024)] = 256
    space: Literal["rgb", "lab"] = "rgb"
    blobs: Annotated[int, _count(2, MOST_BLOBS)] = 2000
    blobs_by: Literal["comraf", "kmeans"] = "comraf"
    codebook: str | None = None


@dataclass(frozen=True, slots=True)
class LinkOptions(_Checked):
    """Which links of pages count; the side is "links", of hosts with their first directories.

    As in the thesis (4.7.4), the page's own address counts with those that it links to, and
    so do links within its own site: what stands on every page of a site goes by its share.

    Attributes
    ----------
    count : bool
        Whether links are counted.
    popular : tuple of str or None
        Hosts that everybody links to and that say nothing, with all below them; None takes
        `comraf.collection.text.addresses.POPULAR_HOSTS`, an empty tuple none.
    min_documents : int
        Places that fewer pages have go.
    max_share : float
        Places that more than this share of the documents have go: they are popular here (not
        below 20 documents).

    Examples
    --------
    >>> LinkOptions().leaves_out("maps.google.com/maps"), LinkOptions(popular=("a.org",)).popular
    (True, ('a.org',))
    """

    count: bool = True
    popular: Annotated[tuple[str, ...] | None, _several] = None
    min_documents: Count = 2
    max_share: Share = 0.5

    def leaves_out(self, place: str) -> bool:
        """Tell whether a place is on a popular host."""
        hosts = POPULAR_HOSTS if self.popular is None else self.popular
        return is_popular(host_of(place), hosts)


@dataclass(frozen=True, slots=True)
class SideOptions(_Checked):
    """How a collection is built.

    Attributes
    ----------
    words, subjects, people, organisations, values
        What counts on each side; ``values`` is for all sides that come from lists.
    pos, style
        Parts of speech, which tagged texts come with and others get where a tagger is named;
        punctuation and function words, where asked for.
    photos
        Colours, texture and blobs of photos.
    links
        Where pages link to.
    dates : tuple of {"day", "week", "month"}
        Sides made of the dates.
    sides : tuple of str or None
        Sides to build; None builds all that there is something for.
    duplicates : {"drop", "keep"}
        What happens to second copies. A copy has the same id, content and truth as an item
        before it; in mail, also the same sender, recipients, date, subject and text under
        another id. Two items with one id that are no copies both stay.
    also : tuple of str
        Sides to count that are not counted unless they are asked for.

    Examples
    --------
    >>> options = SideOptions(words=WordOptions(min_documents=5), dates=("week",))
    >>> options.people.min_documents
    2
    >>> SideOptions.from_json(options.to_json()) == options
    True
    """

    words: WordOptions = field(default_factory=WordOptions)
    subjects: SubjectOptions = field(default_factory=SubjectOptions)
    people: PeopleOptions = field(default_factory=PeopleOptions)
    organisations: ValueOptions = field(default_factory=lambda: ValueOptions(max_share=0.5))
    values: ValueOptions = field(default_factory=ValueOptions)
    pos: PosOptions = field(default_factory=PosOptions)
    style: StyleOptions = field(default_factory=StyleOptions)
    photos: PhotoOptions = field(default_factory=PhotoOptions)
    links: LinkOptions = field(default_factory=LinkOptions)
    dates: Annotated[tuple[str, ...], _choices("date step", DATE_STEPS)] = ("month",)
    sides: tuple[str, ...] | None = None
    duplicates: Literal["drop", "keep"] = "drop"
    also: tuple[str, ...] = ()

    def wants(self, side: str) -> bool:
        """Tell whether a side is to be built."""
        return self.sides is None or side in self.sides

    @property
    def pos_orders(self) -> tuple[int, ...]:
        """Lengths of the runs of tags that are counted: those of the sides named, if any are."""
        named = tuple(order for order, side in POS_SIDES.items() if side in (self.sides or ()))
        return named or tuple(sorted(set(self.pos.orders)))

    @property
    def tagger(self) -> str | None:
        """Who tags texts without tags, if anybody."""
        if self.sides is None:
            return self.pos.tagger
        named = any(side in self.sides for side in POS_SIDES.values())
        return (self.pos.tagger or "auto") if named else None

    @property
    def counts_style(self) -> bool:
        """Whether punctuation and function words are counted."""
        return self.wants("style") if self.sides is not None else self.style.count

    def without_limits(self) -> SideOptions:
        """The same, but every value counts however rare or common, and every copy and person.

        Examples
        --------
        >>> SideOptions().without_limits().words.max_share
        1.0
        """
        most: dict[str, Any] = {"min_documents": 1, "max_share": 1.0, "owner": "keep"}
        most |= {"lists": "keep", "codebook": None}
        parts: dict[str, Any] = {}
        for part in fields(self):
            if is_dataclass(old := getattr(self, part.name)) and not isinstance(old, type):
                changed = {f.name: most[f.name] for f in fields(old) if f.name in most}
                parts[part.name] = replace(old, **changed)
        return replace(self, **parts, duplicates="keep")

    def to_json(self) -> dict[str, Any]:
        """Return the options as plain values."""
        out = asdict(self)
        if not self.also:
            del out["also"]  # as in the collections of before
        return out

    @classmethod
    def from_json(cls, values: Any) -> SideOptions:
        """Return options from plain values; raises InputError for what can't be options."""
        try:
            given = dict(values)
            parts: dict[str, Any] = {
                name: kind(**_typed(kind, given.pop(name)))
                for name, kind in get_type_hints(cls).items()
                if name in given and isinstance(kind, type) and is_dataclass(kind)
            }
            return cls(**parts, **_typed(cls, given))
        except (TypeError, ValueError, AttributeError) as error:
            names = ", ".join(f.name for f in fields(cls))
            text = "these are no options of a collection ({names}): {error}"
            raise InputError(text, names=names, error=error) from None


def _typed(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Options from plain values, lists as tuples, each of the type that it is declared with."""
    found = {k: tuple(v) if isinstance(v, list) else v for k, v in dict(values).items()}
    hints = get_type_hints(kind)
    for name, value in found.items():
        if name in hints and not _fits(value, hints[name]):
            raise TypeError(f"{name}={str(value)[:80]} is of the wrong type")
    return found


def _fits(value: object, hint: Any) -> bool:
    inner = get_args(hint)
    if get_origin(hint) is Literal:
        return value in inner
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(_fits(one, inner[0]) for one in value)
    if inner:
        return any(_fits(value, one) for one in inner)
    if hint in (int, float):
        kinds = (int,) if hint is int else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool) and abs(value) < 2**62
    return isinstance(value, hint)
