"""Which words of a vocabulary count, and which are one.

Decided once for each different word, after all texts were read: only then is it known which
languages the texts are in, and whether a singular stands beside a plural.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from comraf.collection.text.stopwords import WEB_WORDS, elisions, stop_words

_NOT_PLURAL = frozenset(
    "always charles james kansas lens news perhaps series species texas".split()
)
_HISSING = ("s", "x", "z", "ch", "sh")


def singular(word: str, known: Iterable[str]) -> str:
    """Return the singular of an English plural, if that is a known word; else the word.

    Examples
    --------
    >>> known = {"car", "body", "box", "bus", "new", "glass"}
    >>> [singular(word, known) for word in ("cars", "bodies", "boxes", "bus", "glass", "gas")]
    ['car', 'body', 'box', 'bus', 'glass', 'gas']
    """
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return word
    if word in _NOT_PLURAL:
        return word
    if word.endswith("ies"):
        candidates = [word[:-3] + "y", word[:-1]]
    elif word.endswith("es") and word[:-2].endswith(_HISSING):
        candidates = [word[:-2], word[:-1]]
    else:
        candidates = [word[:-1]]
    return next((one for one in candidates if len(one) > 2 and one in known), word)


def fold_words(
    words: Sequence[str],
    *,
    languages: Sequence[str] = ("en",),
    extra: Iterable[str] = (),
    stem: bool = False,
) -> tuple[NDArray[np.int64], list[str], int]:
    """Drop stop words and unite the forms of a word.

    An n-gram goes if one of its words is a stop word.

    Parameters
    ----------
    words : sequence of str
        The vocabulary, as `.words.Lexicon` numbers it.
    languages : sequence of str
        Whose stop words go.
    extra : iterable of str
        Further words to drop.
    stem : bool
        Whether plurals are counted with their singulars.

    Returns
    -------
    target : ndarray of int64
        For each word the number of what it is counted as, or -1.
    values : list of str
        The names of these.
    dropped : int
        Number of stop words.

    Examples
    --------
    >>> target, values, dropped = fold_words(["the", "pump", "pumps", "of the"], stem=True)
    >>> target.tolist(), values, dropped
    ([-1, 0, 0, -1], ['pump'], 2)
    """
    stops = stop_words(languages) | {word.casefold() for word in extra}
    if languages:
        stops |= WEB_WORDS
    prefixes = elisions(languages)
    known = set(words) if stem else frozenset()
    numbers: dict[str, int] = {}
    target = np.full(len(words), -1, np.int64)
    dropped = 0
    for i, word in enumerate(words):
        parts = word.split(" ") if " " in word else (word,)
        kept = [_base(part, prefixes) for part in parts]
        if any(part in stops or base in stops for part, base in zip(parts, kept, strict=True)):
            dropped += 1
            continue
        if stem:
            kept = [singular(part, known) for part in kept]
        target[i] = numbers.setdefault(" ".join(kept), len(numbers))
    return target, list(numbers), dropped


def _base(word: str, prefixes: tuple[str, ...]) -> str:
    if prefixes and "'" in word and word.startswith(prefixes):
        return word[word.index("'") + 1 :] or word
    return word
