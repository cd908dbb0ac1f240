"""Names of groups, and what the things in them are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comraf.collection.collection import Collection
    from comraf.results.telling import Cluster

__all__ = ["group_names", "noun_of"]


def noun_of(collection: Collection) -> str:
    """What one item of a collection is called."""
    return "document" if collection.photos is None else "photo"


def group_names(groups: Sequence[Cluster], classes: Sequence[str] = ()) -> tuple[str, ...]:
    """A name for each group: its class, or its three most telling words or other values.

    Groups of the same class have both. Groups of photos without captions go by colours, and no
    two by the same.

    Examples
    --------
    >>> from comraf.results.telling import Cluster
    >>> sea = Cluster(0, 3, 1.0, {"words": [("sea", 0.2), ("ship", 0.1)]})
    >>> group_names([sea]), group_names([sea], ["water"])
    (('sea, ship',), ('water',))
    """
    seen = [group for group in groups if _by_colours(group)]
    coloured = {}
    if seen:
        from comraf.report.photo_names import photo_names

        names_of = photo_names([group.telling for group in seen])
        coloured = {group.number: name for group, name in zip(seen, names_of, strict=True)}
    names: list[str] = []
    for group in groups:
        telling = group.telling.get("words") or next(
            (values for values in group.telling.values() if values), []
        )
        name = coloured.get(group.number) or ", ".join(value for value, _ in telling[:3])
        name = name or f"group {group.number}"
        if classes and (own := classes[group.number]):
            name = own if classes.count(own) == 1 else f"{own} ({name})"
        names.append(name)
    return tuple(names)


def _by_colours(group: Cluster) -> bool:
    return "colours" in group.telling and not group.telling.get("words")
