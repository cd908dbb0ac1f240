"""Words of the text."""

from __future__ import annotations

from collections.abc import Iterator

from comraf.collection.fold import Fold
from comraf.collection.sides import SideKind
from comraf.collection.sides.maker import SideMaker
from comraf.collection.text.folding import fold_words
from comraf.collection.text.segment import warn_of_pieces


def word_fold(maker: SideMaker, name: str, raw: str, least: int, share: float) -> Fold:
    """The plan of a side of words: stop words go, and plurals if they are to be stemmed."""
    languages = maker.languages
    extra = set(maker.options.words.stop_words)
    if languages:
        extra |= maker.kind.stop_words
    target, values, dropped = fold_words(
        list(maker.vocabularies[raw]),
        languages=languages,
        extra=extra,
        stem=maker.options.words.stem,
    )
    facts = {"languages": list(languages), "stop_words": dropped}
    return Fold(
        name, "words", maker.raw(raw), target, values, least, maker.most(share), facts=facts
    )


def _fold(maker: SideMaker) -> Iterator[Fold]:
    known = maker.vocabularies["words"]
    if maker.kind.photos and not known:
        return  # photos without captions have no words to look for a language in
    counts = maker.raw("words").frequencies[1].tolist()
    # say so where text without blanks could not be cut into words
    if note := warn_of_pieces(zip(known, counts, strict=True), stacklevel=2):
        maker.notes.append(note)
    options, n = maker.options.words, maker.n_items
    least = options.min_documents
    if least is None:
        least = 1 if n < 10 else 2 if n < 300 else 3
    fold = word_fold(maker, "words", "words", least, options.max_share)
    # cuts that nobody asked for must not be the reason that there is nothing
    fold.gentle = options.min_documents is None
    yield fold


WORDS = SideKind("words", "words of the text", fold=_fold, options="words", rank=0, listed=False)
