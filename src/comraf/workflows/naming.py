"""Names of groups, what the things in them are called, and whether there is anything in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from comraf.collection.sides import photo_sides
from comraf.errors import Note, Setting

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.results.contributions import Cluster
    from comraf.results.result import Result
    from comraf.select import Audit, Numbers, Structure

    _Values = Sequence[tuple[str, float]]

__all__ = [
    "counted",
    "group_names",
    "html_table",
    "left_out",
    "noun_of",
    "other_numbers",
    "structure_warnings",
    "unplaced",
]

# Nats; rounding alone makes less, and any group that differs at all makes more.
_NOTHING = 1e-9
# Rows that a notebook shows.
_MOST_ROWS = 40


def counted(number: int, what: str, many: str | None = None) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "file"), counted(1200, "row"), counted(2, "copy", "copies")
    ('1 file', '1,200 rows', '2 copies')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def html_table(about: object, heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """What a notebook shows of a result: its line, and the first rows of its table, escaped.

    Examples
    --------
    >>> html_table("1 < 2", ["n"], [[1]])
    '<p>1 &lt; 2</p><table><tr><th>n</th></tr><tr><td>1</td></tr></table>'
    """

    def row(cells: Iterable[object], tag: str) -> str:
        inside = (f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)
        return f"<tr>{''.join(inside)}</tr>"

    body = "".join(row(cells, "td") for cells in islice(rows, _MOST_ROWS))
    return f"<p>{escape(str(about))}</p><table>{row(heads, 'th')}{body}</table>"


def noun_of(collection: Collection) -> str:
    """What one item of a collection is called, as its kind has it."""
    from comraf.collection.kinds import kind_of

    return kind_of(collection.kind).noun


def group_names(
    groups: Sequence[Cluster], classes: Sequence[str] = (), made_by: Sequence[str] | None = None
) -> tuple[str, ...]:
    """A name for each group: its class, or its three most telling words or other values.

    Groups of the same class have both. Groups of photos without captions go by colours, and no
    two by the same.

    Parameters
    ----------
    groups : sequence of Cluster
        What tells each of them apart.
    classes : sequence of str
        The class that prevails in each, if any.
    made_by : sequence of str, optional
        Of photos the sides that made the groups, from which their names come; no two groups
        have the same.

    Examples
    --------
    >>> from comraf.results.contributions import Cluster
    >>> sea = Cluster(0, 3, 1.0, {"words": [("sea", 0.2), ("ship", 0.1)]})
    >>> group_names([sea]), group_names([sea], ["water"])
    (('sea, ship',), ('water',))
    >>> pumps = [("pump", 0.3), ("pumps", 0.2), ("valves", 0.1), ("valve", 0.1), ("leak", 0.1)]
    >>> group_names([Cluster(0, 3, 1.0, {"words": pumps})])
    ('pump, valves, leak',)
    >>> june = Cluster(0, 3, 1.0, {"colours": [("#000000", 0.2)], "months": [("2019-06", 0.1)]})
    >>> group_names([june], made_by=["colours"]), group_names([june], made_by=["months"])
    (('black',), ('2019-06',))
    """
    told = [_had_a_say(group.telling, made_by) for group in groups]
    seen = [place for place, sides in enumerate(told) if _by_looks(sides)]
    coloured = {}
    if seen:
        from comraf.report.photo_names import photo_names

        coloured = dict(zip(seen, photo_names([told[place] for place in seen]), strict=True))
    names: list[str] = []
    for place, group in enumerate(groups):
        sides = told[place]
        best = sides.get("words") or next((values for values in sides.values() if values), [])
        name = coloured.get(place) or ", ".join(_apart([value for value, _ in best]))
        name = name or f"group {group.number}"
        if classes and (own := classes[group.number]):
            name = own if classes.count(own) == 1 else f"{own} ({name})"
        if made_by is not None and name in names:
            name += f" ({group.number})"
        names.append(name)
    return tuple(names)


def _apart(values: Sequence[str], most: int = 3) -> list[str]:
    """The first values, without plurals of those before them, or singulars."""
    from comraf.collection.text.folding import singular

    kept: list[str] = []
    for value in values:
        if not any(
            singular(value, {one}) == one or singular(one, {value}) == value for one in kept
        ):
            kept.append(value)
        if len(kept) == most:
            break
    return kept


def _had_a_say(
    telling: Mapping[str, _Values], made_by: Sequence[str] | None
) -> Mapping[str, _Values]:
    """What tells a group of photos apart, of the sides that made it."""
    if made_by is None:
        return telling
    wanted = [side for side in made_by if side != "neighbours"]
    looks = photo_sides()
    # who is near whom is no name, and comes of what they look like: the same colours and texture
    if "neighbours" in made_by and not {"words", *looks} & {*wanted}:
        wanted = [*wanted, *looks]
    return {side: telling[side] for side in wanted if side in telling} or telling


def _by_looks(told: Mapping[str, _Values]) -> bool:
    return any(told.get(side) for side in photo_sides()) and not told.get("words")


def path_name(path: Any) -> str:
    """A path as it was given; a data frame has no name."""
    return str(path) if isinstance(path, (str, os.PathLike)) else "documents"


def unplaced(collection: Collection, sides: Sequence[str]) -> tuple[str, ...]:
    """A note about photos that have nothing of the sides that made the groups, if there are any."""
    if collection.photos is None:
        return ()
    import numpy as np

    has = np.zeros(len(collection), dtype=bool)
    for side in sides:
        if side not in collection.tables:  # of a graph of the user's own
            return ()
        has |= np.diff(collection.tables[side].indptr) > 0
    lost = int((~has).sum())
    if not lost:
        return ()
    photos, were = ("photo has", "was") if lost == 1 else ("photos have", "were")
    return (f"{lost:,} {photos} no {' or '.join(sides)} and {were} put anywhere",)


def left_out(judged: Audit | None, wanted: Sequence[str], by: Sequence[str]) -> tuple[Note, ...]:
    """Which sides harm, what was done about it, and how to have it otherwise."""
    if judged is None or not judged.harmful:
        return ()
    out = [name for name in wanted if name not in by]
    if out:
        said = f"{judged.sentence}; left out: {', '.join(out)}. To group by all of them, say"
        return (Note("{said} {by}", "left_out", said=said, by=Setting("by", list(wanted))),)
    said = f"{judged.sentence}. To group by the others alone, say"
    return (Note("{said} {by}", "left_out", said=said, by=Setting("by", list(judged.kept))),)


def other_numbers(numbers: Numbers | None) -> tuple[Note, ...]:
    """That the number of groups was chosen, and which others are good places to cut."""
    if numbers is None:
        return ()
    said = f"{numbers.best} groups are what the values suggest"
    if not numbers.others:
        return (Note("{said}", "numbers", said=said),)
    others = " or ".join(map(str, numbers.others))
    said = f"{said}; {others} would be good numbers, too. Ask for one with"
    wanted = Setting("n_clusters", numbers.others[0])
    return (Note("{said} {k}", "numbers", said=said, k=wanted),)


def structure_warnings(
    collection: Collection, result: Result, found: Structure | None, all_counted: bool
) -> tuple[str, ...]:
    """Say why there may be nothing in the groups of documents, if there is a reason to.

    Parameters
    ----------
    collection : Collection
    result : Result
    found : Structure or None
        Whether groups foretell more than chance, if that was asked.
    all_counted : bool
        Whether these counts are of all sides: what is measured, as pixels are, isn't dealt out.
    """
    noun = noun_of(collection)
    if len(collection) == 1:
        return (f"only one {noun} was read, and there is nothing to tell it from",)
    if result.n_clusters["documents"] == 1:
        said = "one group is all there is, so nothing tells it apart; ask for 2 or more"
        return (Note("{said} ({p[n_clusters]})", "one_group", said=said),)
    if found is not None and found.found is False and all_counted:
        return (
            "there may be nothing to find: groups by one half of the values tell no more of the "
            f"other half than groups dealt out at random ({found.p_value:.0%} of these tell as "
            "much)",
        )
    if result.interrupted:  # the groups may hold nothing because nobody looked for them
        return ()
    if max((edge.information for edge in result.edges), default=0.0) < _NOTHING:
        # pixels can't be dealt out, but that they are all the same is seen without it
        return (
            f"there is nothing to find: the {noun}s are all alike, so the groups hold no "
            "information",
        )
    return ()
