"""The sides that a collection can have: one file a side, one line here.

A new side is a file beside this one with a `SideKind` in it, and a line in `SIDES`; see
"Adding a side" in CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from comraf.registry import Registry

if TYPE_CHECKING:
    from comraf.collection.counting import Counting
    from comraf.collection.fold import Fold
    from comraf.collection.items import Item
    from comraf.collection.options import SideOptions
    from comraf.collection.sides.maker import SideMaker

__all__ = [
    "LISTS",
    "NEIGHBOURS",
    "SIDES",
    "Groups",
    "SideKind",
    "named_options",
    "photo_sides",
    "side_of",
]

LISTS = "values"
"""Name of the kind that all sides have which come from lists and columns of the source."""

NEIGHBOURS = "neighbours"
"""Name of the side that says which items are near which."""

Groups = Literal["always", "alone", "asked", "list"]
"""When a side makes groups."""

_HERE = "comraf.collection.sides"
_VISION = "comraf.collection.vision"


@dataclass(frozen=True)
class SideKind:
    """A side: how it is counted and folded, when it makes groups, how its values are told.

    Attributes
    ----------
    name : str
        Of the side, as in ``by=[...]`` and ``--by``.
    about : str
        What its values are, in a few words.
    count : callable or None
        From an `Item` and how it is counted to its values and how often each stands in it.
        None where the values are read as such, or made of other counts.
    fold : callable or None
        From a `SideMaker` to the plans by which raw values become values of the side. None:
        as they were counted, with the limits of lists.
    version : int
        Changes when the same item would be counted otherwise, so that counts are not used again.
    counted : callable or None
        Whether options have it counted. None: where it is wanted, and on or named.
    signature : callable or None
        How it is counted with some options, or "" where as usual; stored counts of another
        signature are not used. None: its name and version where it is counted.
    key : callable or None
        What all spellings of a value have in common, for sides from lists; None if signs and
        case make a difference.
    options : str
        Which of `SideOptions` are about it.
    limits : tuple of str
        Which of the limits that are set for all sides at once it goes by.
    on : bool
        Whether it is counted unless the user says otherwise.
    when_named : mapping
        Options that hold where the user names the side.
    groups : {"always", "alone", "asked", "list"}
        Whether it makes groups if the user names no side: always, where nothing else does, only
        when it is asked for, or unless it is a column of one value an item.
    rank : int
        Place among the sides that make groups; those of one rank come as they lie.
    observed : bool
        Whether its values stand as they are and are not clustered.
    weight : float or None
        What it weighs if its numbers are measures and no counts; counts are weighed by how many
        they are.
    mark : str
        The fact by which it is told from a column of the source that is called the same.
    from_lists : bool
        Whether a list or column of its name is this side; others of that name are renamed.
    photos : bool
        Whether it is what photos look like.
    items : bool
        Whether its values are items, of this collection or others: they go by their titles.
    listed : bool
        Whether an item's values are worth listing beside its title and text.
    describe : callable
        A value as people say it.
    """

    name: str
    about: str
    count: Callable[[Item, Counting], Mapping[str, int]] | None = None
    fold: Callable[[SideMaker], Iterator[Fold]] | None = None
    version: int = 1
    counted: Callable[[SideOptions], bool] | None = None
    signature: Callable[[SideOptions], str] | None = None
    key: Callable[[str], str] | None = None
    options: str = LISTS
    limits: tuple[str, ...] = ("min_documents", "max_share")
    on: bool = True
    when_named: Mapping[str, Any] = field(default_factory=dict)
    groups: Groups = "always"
    rank: int = 9
    observed: bool = False
    weight: float | None = None
    mark: str = ""
    from_lists: bool = False
    photos: bool = False
    items: bool = False
    listed: bool = True
    describe: Callable[[str], str] = str

    def counts(self, options: SideOptions) -> bool:
        """Whether it is counted with these options."""
        if self.counted is not None:
            return self.counted(options)
        named = self.name in (options.sides or options.also)
        return options.wants(self.name) and (self.on or named)

    def signature_of(self, options: SideOptions) -> str:
        """How it is counted, for `comraf.collection.counting.Counting.signature`."""
        if self.signature is not None:
            return self.signature(options)
        return f"{self.name} {self.version}" if self.count and self.counts(options) else ""

    @property
    def facts(self) -> dict[str, Any]:
        """What is stored with the side, for whoever makes groups by it."""
        out: dict[str, Any] = {"observed": True} if self.observed else {}
        return out if self.weight is None else {**out, "weight": self.weight}


SIDES: Registry[SideKind] = Registry(
    {
        # the order in which they are made
        "words": f"{_HERE}.words:WORDS",
        "subjects": f"{_HERE}.subjects:SUBJECTS",
        "people": f"{_HERE}.people:PEOPLE",
        "organisations": f"{_HERE}.organisations:ORGANISATIONS",
        LISTS: f"{_HERE}.lists:VALUES",
        "citations": f"{_HERE}.citations:CITATIONS",
        "cocitations": f"{_HERE}.citations:COCITATIONS",
        "couplings": f"{_HERE}.citations:COUPLINGS",
        "questions": f"{_HERE}.citations:QUESTIONS",
        "tags": f"{_HERE}.tags:TAGS",
        "places": f"{_HERE}.tags:PLACES",
        "pos1": f"{_HERE}.pos:POS1",
        "pos": f"{_HERE}.pos:POS2",
        "pos3": f"{_HERE}.pos:POS3",
        "pos4": f"{_HERE}.pos:POS4",
        "style": f"{_HERE}.style:STYLE",
        "links": f"{_HERE}.links:LINKS",
        "days": f"{_HERE}.dates:DAYS",
        "weeks": f"{_HERE}.dates:WEEKS",
        "months": f"{_HERE}.dates:MONTHS",
        "colours": f"{_VISION}.sides:COLOURS",
        "texture": f"{_VISION}.sides:TEXTURE",
        "blobs": f"{_VISION}.sides:BLOBS",
        NEIGHBOURS: f"{_HERE}.neighbours:SIDE",
    }
)
"""Sides by name."""


def side_of(name: str, facts: Mapping[str, Any] | None = None) -> SideKind:
    """What is known about a side, by its name and the facts stored with it.

    Examples
    --------
    >>> side_of("months").groups, side_of("venues").groups
    ('asked', 'list')
    >>> side_of("links").name, side_of("links", {"popular": 3}).name  # a column, and of pages
    ('values', 'links')
    """
    if name in SIDES:
        kind = SIDES[name]
        if not kind.mark or kind.mark in (facts or {}):
            return kind
    return SIDES[LISTS]


def photo_sides() -> tuple[str, ...]:
    """Names of the sides that are what photos look like.

    Examples
    --------
    >>> photo_sides()
    ('colours', 'texture', 'blobs')
    """
    return tuple(name for name, kind in SIDES.items() if kind.photos)


def named_options(named: Iterable[str], given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What is said about the sides, with those that are counted only when they are named.

    Parameters
    ----------
    named : iterable of str
        Sides that the user names.
    given : mapping, optional
        Options as for `comraf.collection.options.SideOptions.from_json`.

    Examples
    --------
    >>> named_options(["words", "pos3", "style"])
    {'pos': {'tagger': 'auto', 'orders': [3]}, 'style': {'count': True}}
    """
    out = dict(given or {})
    for kind in [SIDES[name] for name in named if name in SIDES and not SIDES[name].on]:
        if kind.options == LISTS:
            out["also"] = [*out.get("also", ()), kind.name]
            continue
        about = out[kind.options] = {**kind.when_named, **out.get(kind.options, {})}
        for option, value in kind.when_named.items():
            if isinstance(value, list):  # several sides have a say
                about[option] = sorted({*about[option], *value})
    return out
