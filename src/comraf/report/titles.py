"""Values as people read them: titles for documents, identifiers without their host."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from comraf.collection.sides import NEIGHBOURS, SIDES

if TYPE_CHECKING:
    from comraf.results.contributions import Cluster

__all__ = ["item_titles", "titled_clusters", "value_titles"]

_BLOBS = "blobs"
_HOST = re.compile(r"https?://(?:openalex\.org|(?:dx\.)?doi\.org)/(?=.)", re.IGNORECASE)
_LONGEST = 70


def item_titles(collection: Any) -> Sequence[str]:
    """A title for each document, or its id where it has none.

    Examples
    --------
    >>> from types import SimpleNamespace as Record
    >>> item_titles(Record(titles=["Pumps", ""], ids=["a1", "a2"]))
    ['Pumps', 'a2']
    """
    ids = _ids(collection)
    if ids is None:
        return collection.titles  # type: ignore[no-any-return]
    return [str(title or name) for title, name in zip(collection.titles, ids, strict=True)]


def value_titles(collection: Any) -> dict[str, Sequence[str]]:
    """Names of the values of each side of a collection, as they are shown.

    A cited paper that is in the collection goes by its title, and so do neighbours, who are
    documents; identifiers of others lose the host they all have. Files keep the values
    themselves. Blobs go by what they look like.

    Examples
    --------
    >>> from types import SimpleNamespace as Record
    >>> cited = Record(values=("https://doi.org/10.1/x", "https://openalex.org/W2"))
    >>> papers = Record(
    ...     ids=["W2"], titles=["Pumps"], sides={"citations": cited}, tables={"citations": None}
    ... )
    >>> value_titles(papers)["citations"]
    ['10.1/x', 'Pumps']
    """
    sides: Mapping[str, Any] = collection.sides
    out: dict[str, Sequence[str]] = {name: side.values for name, side in sides.items()}
    known: dict[str, str] = {}
    referred = [name for name, kind in SIDES.items() if kind.items and name in sides]
    ids = _ids(collection) if referred else None
    if ids is not None:
        titled = zip(ids, collection.titles, strict=True)
        known = {_HOST.sub("", name): _short(title) for name, title in titled if title}
    for name in referred:
        bare = [_HOST.sub("", value) for value in out[name]]
        out[name] = [known.get(value, value) for value in bare]
    if NEIGHBOURS in collection.tables and NEIGHBOURS not in out:
        out[NEIGHBOURS] = [_short(title) for title in item_titles(collection)]
    blobs = sides.get(_BLOBS)
    if blobs is not None and (looks := getattr(blobs, "facts", {}).get("looks")):
        from comraf.collection.vision.words import blob_names

        out[_BLOBS] = blob_names(blobs.values, looks)
    return out


def titled_clusters(groups: Sequence[Cluster], collection: Any) -> list[Cluster]:
    """Groups whose telling values are called as they are shown."""
    values = value_titles(collection)
    called = {
        name: dict(zip(side.values, values[name], strict=True))
        for name, side in collection.sides.items()
        if values[name] is not side.values
    }
    return [
        replace(
            group,
            telling={
                side: [(called[side].get(value, value), worth) for value, worth in best]
                if side in called
                else best
                for side, best in group.telling.items()
            },
        )
        for group in groups
    ]


def _ids(collection: Any) -> Sequence[str] | None:
    """Names of the documents, if what is shown has them."""
    ids: Sequence[str] | None = getattr(collection, "ids", None)
    return ids if ids is not None and len(ids) == len(collection.titles) else None


def _short(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"
