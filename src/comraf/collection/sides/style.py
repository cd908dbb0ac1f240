"""How something is said: punctuation and the words that carry no topic, counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from comraf.collection.counting import Counting
from comraf.collection.fold import Fold
from comraf.collection.items import Item
from comraf.collection.sides import SideKind
from comraf.collection.sides.maker import SideMaker
from comraf.collection.text.stopwords import STOP_WORDS, stop_words
from comraf.collection.text.words import tokenise

_MARK = re.compile(r"[^\w\s]|_")
_RUN = re.compile(r"\.{2,}|…|-{2,}|[–—]|!{2,}|\?{2,}|``|''|[“”„«»]|[^\w\s]|_")
# One mark, however it is written.
_SAME = {"…": "...", "–": "--", "—": "--", "``": '"', "''": '"', "“": '"', "”": '"', "„": '"'}
_SAME |= {"«": '"', "»": '"', "‘": "'", "’": "'", "„": '"'}


@lru_cache(maxsize=1)
def _function_words() -> frozenset[str]:
    return frozenset().union(*STOP_WORDS.values())


def is_mark(value: str) -> bool:
    """Tell a mark of punctuation from a word.

    Examples
    --------
    >>> is_mark("--"), is_mark("don't")
    (True, False)
    """
    return _MARK.match(value) is not None


def _mark(found: str) -> str:
    if found[0] in ".-!?" and len(found) > 1:
        return {".": "...", "-": "--", "!": "!!", "?": "??"}[found[0]]
    return _SAME.get(found, found)


def count_style(text: str) -> Counter[str]:
    """Count the punctuation and the function words of a text.

    Words are those of all languages whose stop words are known; who makes a side of them
    keeps those of the languages found. Runs of a mark are one mark; quotes are quotes.

    Examples
    --------
    >>> sorted(count_style("Well... the pump -- that one -- isn't mine!").items())
    [('!', 1), ('--', 2), ('...', 1), ("isn't", 1), ('mine', 1), ('one', 1), ('that', 1), ...
    """
    known = _function_words()
    counts = Counter(word for word in tokenise(text) if word in known)
    # an apostrophe within a word is spelling
    bare = re.sub(r"(?<=\w)['’](?=\w)", "", text)
    counts.update(_mark(found) for found in _RUN.findall(bare))
    return counts


def _count(item: Item, counting: Counting) -> Mapping[str, int]:
    return count_style(item.content)


def _fold(maker: SideMaker) -> Iterator[Fold]:
    """Punctuation, and function words of the languages found."""
    if "style" not in maker.counted or not maker.options.counts_style:
        return
    words = stop_words(maker.languages or ("en",))
    raws = [raw for raw in maker.counted["style"] if is_mark(raw[1]) or raw[1] in words]
    yield maker.as_they_are("style", raws, maker.least(maker.options.style.min_documents))


STYLE = SideKind(
    "style",
    "punctuation and function words",
    count=_count,
    counted=lambda options: options.counts_style,
    fold=_fold,
    options="style",
    limits=(),
    on=False,
    when_named={"count": True},
    groups="asked",
)
