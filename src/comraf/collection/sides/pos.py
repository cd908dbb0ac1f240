"""Runs of parts of speech; single tags are few enough to be observed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from comraf.collection.counting import Counting
from comraf.collection.fold import Fold
from comraf.collection.items import Item
from comraf.collection.options import SideOptions
from comraf.collection.sides import SideKind
from comraf.collection.sides.maker import SideMaker
from comraf.collection.text.pos import (
    POS_SIDES,
    POS_VERSION,
    Sentences,
    count_tags,
    load_tagger,
    plain_tag,
)

#: Runs of tags in fewer documents go, by their length; and in a larger share of them.
_RARE = {1: 1, 2: 3, 3: 10, 4: 10}
_FREQUENT = {4: 0.15}
_last: list[Any] = [None, None, ()]


def _tags_of(item: Item, options: SideOptions) -> Sentences:
    """The parts of speech of an item: its own, or a tagger's."""
    if not item.tags:
        return load_tagger(options.tagger)(item.content) if options.tagger is not None else ()
    if options.pos.marks:
        return item.tags
    return tuple(tuple(map(plain_tag, sentence)) for sentence in item.tags)


def _signature(options: SideOptions) -> str:
    orders, tagger, marks = options.pos_orders, options.tagger, options.pos.marks
    if (orders, tagger, marks) == ((1, 2), None, True):
        return ""
    return f"pos {POS_VERSION}: {' '.join(map(str, orders))} by {tagger}, marks {marks}"


def _count(order: int, item: Item, counting: Counting) -> Mapping[str, int]:
    if _last[0] is not item or _last[1] is not counting:  # tagging takes long: once for all
        _last[:] = [item, counting, _tags_of(item, counting.options)]
    return count_tags(_last[2], (order,))[order] if _last[2] else {}


def _fold(order: int, maker: SideMaker) -> Iterator[Fold]:
    side, options = POS_SIDES[order], maker.options.pos
    if side not in maker.counted:
        return
    least = options.min_documents
    if least is None:
        # a hundredth of a small collection says as much as 10 of a large one
        least = max(1, min(_RARE[order], maker.n_items // 50))
    share = options.max_share if options.max_share is not None else _FREQUENT.get(order, 1)
    yield maker.as_they_are(
        side,
        maker.counted[side],
        least,
        share,
        gentle=options.min_documents is None,
        facts={"order": order, "observed": order == 1},
    )


def _runs(order: int, about: str) -> SideKind:
    return SideKind(
        POS_SIDES[order],
        about,
        count=partial(_count, order),
        counted=lambda options: order in options.pos_orders,
        # one for all lengths
        signature=_signature if order == 1 else lambda _: "",
        fold=partial(_fold, order),
        options="pos",
        limits=(),
        on=False,
        when_named={"tagger": "auto", "orders": [order]},
        groups="asked",
    )


POS1 = replace(_runs(1, "parts of speech"), observed=True)
POS2 = _runs(2, "pairs of parts of speech")
POS3 = _runs(3, "runs of three parts of speech")
POS4 = _runs(4, "runs of four parts of speech")
