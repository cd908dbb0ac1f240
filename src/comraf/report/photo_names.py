"""Names for groups of photos without words: what each has that the others have less of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from comraf.collection.sides import SIDES, photo_sides

__all__ = ["photo_names"]

# A colour that is so little of what tells a group apart is no name for it.
_TRACE = 0.06

Telling = Mapping[str, Sequence[tuple[str, float]]]


def photo_names(telling: Sequence[Telling], most: int = 3) -> list[str]:
    """A name for each group, all different: words for its colours, and more where it takes more.

    A colour that several groups are rich in names the one that is richest in it; the others are
    called by it only if they have nothing better.

    Parameters
    ----------
    telling : sequence of mapping
        For each group and side the values that tell it apart, with what each is worth.
    most : int
        So many colours make a name.

    Returns
    -------
    list of str
        Empty for a group that nothing is telling of.

    Examples
    --------
    >>> night = {"colours": [("#000000", 0.6), ("#102060", 0.3)]}
    >>> stage = {"colours": [("#000000", 0.3), ("#c02020", 0.2)]}
    >>> photo_names([night, stage], most=1)
    ['black', 'red']
    >>> photo_names([night, {**night, "texture": [("fine 0°", 0.1)]}])
    ['black, dark blue', 'black, dark blue, fine upright lines']
    """
    shares = [_shares(group, "colours") for group in telling]
    names: list[str] = []
    taken: set[frozenset[str]] = set()
    used: Counter[str] = Counter()
    for place, (mine, group) in enumerate(zip(shares, telling, strict=True)):
        richer = {
            word: sum(o.get(word, 0.0) > share for o in shares) for word, share in mine.items()
        }
        worth = {w: share / ((1 + richer[w]) ** 2 * (1 + used[w])) for w, share in mine.items()}
        colours = sorted(worth, key=lambda word: (mine[word] < _TRACE, -worth[word]))
        rest = [word for side in ("texture", "blobs") for word in _shares(group, side)]
        if colours:
            parts, rest = colours[:most], [*rest, *colours[most:]]
        else:
            read = [side for side in group if side not in photo_sides()]
            others = [value for side in read for value, _ in group[side]]
            parts, rest = (rest or others)[:most], rest[most:]
        # in another order they would be the same words
        while frozenset(parts) in taken and rest:
            parts.append(rest.pop(0))
        name = ", ".join(parts)
        names.append(f"{name} ({place})" if name in names and name else name)
        taken.add(frozenset(parts))
        used.update(parts)
    return names


def _shares(group: Telling, side: str) -> dict[str, float]:
    """Words for the values of a side, each with its share of all that they are worth."""
    found: dict[str, float] = {}
    for value, worth in group.get(side, ()):
        if word := SIDES[side].describe(value):
            found[word] = found.get(word, 0.0) + worth
    total = sum(found.values()) or 1.0
    return {word: worth / total for word, worth in found.items()}
