"""Words of titles and subject lines."""

from __future__ import annotations

from collections.abc import Iterator

from comraf.collection.fold import Fold
from comraf.collection.sides import SideKind
from comraf.collection.sides.maker import SideMaker
from comraf.collection.sides.words import word_fold


def _fold(maker: SideMaker) -> Iterator[Fold]:
    if maker.kind.photos and maker.options.sides is None:
        return  # the title of a photo is its first caption, whose words count already
    options = maker.options.subjects
    least = maker.least(2) if options.min_documents is None else options.min_documents
    yield word_fold(maker, "subjects", "titles", least, options.max_share)


SUBJECTS = SideKind(
    "subjects",
    "words of titles and subject lines",
    fold=_fold,
    options="subjects",
    rank=2,
    listed=False,
)
