"""Words of scripts that are written without blanks.

Chinese, Japanese, Thai, Lao, Khmer and Burmese show no ends of words; only a dictionary
does. ICU has one for each of them, and comes with the extra ``comraf[languages]``. Without
it, text is cut into overlapping pairs (Chinese, Japanese) or triples (the others) of
characters: no words, and far better than whole sentences.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from comraf.errors import SegmentationWarning

# Han and kana; then Thai, Lao, Burmese, Khmer. Their digits are left to the other digits.
_PAIRED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_TRIPLED = "\u0e00-\u0e4f\u0e5a-\u0ecf\u0edc-\u0edf\u1000-\u103f\u104a-\u109f\u1780-\u17df"

IDEOGRAPH = re.compile(f"[{_PAIRED}]")
"""One character that may be a word by itself."""

UNSPACED = re.compile(f"[{_PAIRED}]+|[{_TRIPLED}]+")
"""A run of characters in which words are not parted."""

# Fewer of all running words are names and spam in a collection of another language.
_WORTH_TELLING = 0.02

# ICU reads one text; no dictionary has a word with a line break in it.
_BETWEEN = "\n"


@lru_cache(maxsize=1)
def _icu() -> tuple[str, Callable[[str], Iterable[str]]] | None:
    """ICU's version and its cutter, or None where it is not installed."""
    try:
        from icu4py import icu_version
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    # Its dictionaries go by the script of the characters, whatever the locale.
    return str(icu_version), lambda text: WordBreaker(text, "en")


def breaker_name() -> str:
    """Tell what cuts unspaced text: "icu" with its version, or "" for pairs and triples.

    Examples
    --------
    >>> breaker_name() == "" or breaker_name().startswith("icu ")
    True
    """
    found = _icu()
    return "" if found is None else f"icu {found[0]}"


def cut_runs(words: Iterable[str]) -> list[str]:
    """Cut what is unspaced in words into words of their own; the rest stays as it is.

    Parameters
    ----------
    words : iterable of str
        What stood between blanks and punctuation.

    Examples
    --------
    >>> cut_runs(["linux", "大学linux", "3月"])
    ['linux', '大学', 'linux', '3', '月']
    """
    found = _icu()
    parts = [part for word in words for part in _parts(word)]
    runs = [text for text, unspaced in parts if unspaced]
    if found is None:
        cut: Iterator[list[str]] = map(cut_pieces, runs)
    else:
        cut = _cut_all(runs, found[1])
    out: list[str] = []
    for text, unspaced in parts:
        if unspaced:
            out.extend(next(cut))
        else:
            out.append(text)
    return out


def _parts(word: str) -> Iterator[tuple[str, bool]]:
    last = 0
    for run in UNSPACED.finditer(word):
        if run.start() > last:
            yield word[last : run.start()], False
        yield run[0], True
        last = run.end()
    if last < len(word):
        yield word[last:], False


def _cut_all(runs: list[str], cutter: Callable[[str], Iterable[str]]) -> Iterator[list[str]]:
    """One call for all runs of a text: making a cutter takes longer than a short run."""
    words: list[str] = []
    if runs:
        for piece in cutter(_BETWEEN.join(runs)):
            if piece == _BETWEEN:
                yield words
                words = []
            else:
                words.append(piece)
        yield words


def cut_pieces(run: str) -> list[str]:
    """Cut a run of unspaced characters into overlapping pairs or triples.

    Examples
    --------
    >>> cut_pieces("東京都"), cut_pieces("都")
    (['東京', '京都'], ['都'])
    """
    size = 2 if IDEOGRAPH.match(run) else 3
    return [run[i : i + size] for i in range(max(1, len(run) - size + 1))]


def pieces_note(counts: Iterable[tuple[str, int]]) -> str | None:
    """Tell what is missing where unspaced text was cut into pieces that are no words.

    Parameters
    ----------
    counts : iterable of (str, int)
        Words and how often they occur.

    Returns
    -------
    str or None
        None when there is a dictionary, or no such text worth telling of.

    Examples
    --------
    >>> pieces_note([("pump", 100), ("大学", 1)]) is None
    True
    """
    if breaker_name():
        return None
    running = pairs = triples = 0
    for word, count in counts:
        running += count
        if not word.isascii() and UNSPACED.match(word):
            if IDEOGRAPH.match(word):
                pairs += count
            else:
                triples += count
    least = max(1, _WORTH_TELLING * running)
    found = [
        told
        for told, count in (
            ("Chinese or Japanese text is cut into pairs of characters", pairs),
            ("Thai, Lao, Khmer or Burmese text is cut into triples of characters", triples),
        )
        if count >= least
    ]
    if not found:
        return None
    return f"{' and '.join(found)}, not words; pip install 'comraf[languages]' finds the words"


def warn_of_pieces(counts: Iterable[tuple[str, int]], stacklevel: int = 1) -> str | None:
    """Warn where unspaced text was cut into pieces that are no words; return what was said.

    Parameters
    ----------
    counts : iterable of (str, int)
        Words and how often they occur.
    stacklevel : int
        How far above the caller the warning points.

    Examples
    --------
    >>> warn_of_pieces([("pump", 100)]) is None
    True
    """
    note = pieces_note(counts)
    if note:
        warnings.warn(note, SegmentationWarning, stacklevel=stacklevel + 1)
    return note
