"""Where pages link to: hosts with their first directories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from comraf.collection.counting import Counting
from comraf.collection.fold import Fold
from comraf.collection.items import Item
from comraf.collection.sides import SideKind
from comraf.collection.sides.maker import SideMaker


def _count(item: Item, counting: Counting) -> Mapping[str, int]:
    return dict.fromkeys(item.links, 1)


def _fold(maker: SideMaker) -> Iterator[Fold]:
    """Places that pages link to; those on popular hosts say nothing."""
    options = maker.options.links
    if "links" not in maker.counted or not options.count:
        return
    raws = maker.counted["links"]
    kept = [(i, place) for i, place in raws if not options.leaves_out(place)]
    least, facts = maker.least(options.min_documents), {"popular": len(raws) - len(kept)}
    yield maker.as_they_are("links", kept, least, options.max_share, presence=True, facts=facts)


LINKS = SideKind(
    "links",
    "places that pages link to",
    count=_count,
    counted=lambda options: options.links.count,
    signature=lambda options: "" if options.links.count else "no links",
    fold=_fold,
    options="links",
    groups="alone",  # few pages share any link
    mark="popular",
)
