"""Where words begin and end, in any script.

A word is a run of letters, marks and digits, with apostrophes inside. Scripts that write
without blanks are cut by `comraf.collection.text.segment`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from comraf.collection.text.normal import normalized
from comraf.collection.text.segment import IDEOGRAPH, UNSPACED, cut_runs

WORDS_VERSION = 3
"""Changes when the same text would give other words, so that stored counts are not reused."""

MAX_LENGTH = 40
"""Longer runs are keys, hashes and pieces of files, not words."""

# Text that is all ASCII, which most is, takes a pattern of twice the speed.
_ASCII = re.compile(r"[a-z0-9]++(?:'[a-z0-9]++)*+")
_PREFIX = re.compile(
    r"(?i)\s*+(?:(?:re|fwd?|aw|wg|antw|sv|vs|rv|tr|enc|rif|doorst|vb|ynt|odp|res)"
    r"\s*+(?:(?:\[\d+\]|\(\d+\))\s*+)?[:：]\s*+)+"
)
# An address of the web has no words; one of mail has those before the @.
_URL = re.compile(r"(?i)(?:https?|ftp)://\S++|\bwww\.\S++|(?<=[\w.-])@[\w-]++(?:\.[\w-]++)++")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th|am|pm|s)?")
_TAGGED = re.compile(r"(\s*\[[^\[\]]{1,40}\])\s*")
# What is spelled in several ways: apostrophes as they are typeset, soft hyphens, the
# stretching of Arabic words, the dot that a Turkish capital leaves over its small letter.
_SPELLED = (
    ("\u2019", "'"),
    ("\u02bc", "'"),
    ("\u00ad", ""),
    ("\u0640", ""),
    ("i\u0307", "i"),
)
# Full-width Latin letters and half-width kana, as East Asian text has them.
_WIDE = re.compile("[\uff10-\uff9f]+")


def strip_prefixes(title: str) -> str:
    """Take "Re:", "Fwd:" and the like off a subject line, also behind a list's tag.

    Examples
    --------
    >>> strip_prefixes("RE: Fwd: the pump"), strip_prefixes("[growers] Re: Re[2]: seeds")
    ('the pump', '[growers] seeds')
    """
    bare = _PREFIX.sub("", title, count=1) if _PREFIX.match(title) else title
    tag = _TAGGED.match(bare)
    if tag and (inner := _PREFIX.match(bare, tag.end())):
        return f"{tag[1].strip()} {bare[inner.end() :]}"
    return bare


@lru_cache(maxsize=1)
def letter_pattern() -> str:
    r"""Return a pattern of one letter, digit or mark; Python's own classes leave marks out.

    Examples
    --------
    >>> bool(re.fullmatch(f"{letter_pattern()}+", "हिन्दी")), bool(re.fullmatch(r"\w+", "हिन्दी"))
    (True, False)
    """
    runs: list[list[int]] = []
    for code in range(0x300, 0x1F000):
        if unicodedata.category(chr(code)) in ("Mn", "Mc"):
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
    marks = "".join(f"{chr(a)}-{chr(b)}" for a, b in runs)
    return rf"(?:[^\W_]|[{marks}\u200c\u200d])"


@lru_cache(maxsize=1)
def _unicode_pattern() -> re.Pattern[str]:
    letter = letter_pattern()
    return re.compile(rf"[^\W_]{letter}*+(?:['\u05f4]{letter}++)*+")


def tokenise(text: str) -> list[str]:
    """Cut text into words, in lower case, numbers and single letters included.

    Examples
    --------
    >>> tokenise("Don't shout: the Château's 3rd pier, X11_server")
    ["don't", 'shout', 'the', "château's", '3rd', 'pier', 'x11', 'server']
    >>> tokenise("東京 ok")
    ['東京', 'ok']
    """
    if text.isascii():
        return _ASCII.findall(text.lower())
    folded = normalized("NFC", text.casefold())
    if not folded.isascii():
        for other, usual in _SPELLED:
            folded = folded.replace(other, usual)
    unspaced = UNSPACED.search(folded) is not None
    if unspaced:
        folded = _WIDE.sub(lambda run: normalized("NFKC", run[0]), folded)
    found = _unicode_pattern().findall(folded)
    if "σ" in folded:
        # folding has one sigma for all places, which no reader of Greek would write
        found = [_ending(word) if word.endswith("σ") else word for word in found]
    return cut_runs(found) if unspaced else found


def _ending(word: str) -> str:
    return f"{word[:-1]}ς" if len(word) > 1 else word


class Lexicon(dict[str, int]):
    """Numbers for words as they come; what is no word gets -1.

    Looking up a word that is not there yet decides about it once: a possessive ``'s`` goes,
    and numbers, single letters and endless runs are none.

    Parameters
    ----------
    numbers : bool
        Whether numbers (``7``, ``1990s``, ``3rd``, ``10pm``) are kept.

    Attributes
    ----------
    words : list of str
        The words by their numbers.

    Examples
    --------
    >>> lexicon = Lexicon()
    >>> [lexicon[word] for word in ("pump", "7", "pump's", "leak")], lexicon.words
    ([0, -1, 0, 1], ['pump', 'leak'])
    """

    def __init__(self, *, numbers: bool = False) -> None:
        super().__init__()
        self.numbers = numbers
        self.words: list[str] = []

    def __missing__(self, raw: str) -> int:
        word = raw[:-2] if raw.endswith("'s") and len(raw) > 3 else raw
        if word != raw:
            number = self[word]
        elif self._is_word(word):
            number = len(self.words)
            self.words.append(word)
        else:
            number = -1
        self[raw] = number
        return number

    def _is_word(self, word: str) -> bool:
        if not 2 <= len(word) <= MAX_LENGTH:
            # a single ideograph is a word
            return len(word) == 1 and IDEOGRAPH.match(word) is not None
        if self.numbers:
            return True
        return _NUMBER.fullmatch(word) is None and any(map(str.isalpha, word))


def count_words(texts: tuple[str, ...], lexicon: Lexicon, ngrams: int = 1) -> dict[int, int]:
    """Count the words of one document, by their numbers in a lexicon.

    Parameters
    ----------
    texts : tuple of str
        Its texts; no n-gram runs from one into the next.
    lexicon : Lexicon
        Grows with new words.
    ngrams : int
        Also count runs of 2, 3, ... up to this many words, joined by blanks.

    Examples
    --------
    >>> lexicon = Lexicon()
    >>> counts = count_words(("Old pump, old hose",), lexicon, ngrams=2)
    >>> {lexicon.words[number]: count for number, count in counts.items()}
    {'old': 2, 'pump': 1, 'hose': 1, 'old pump': 1, 'pump old': 1, 'old hose': 1}
    >>> counts = count_words(("ann.li@x.org: http://x.org/hose?id=7",), lexicon := Lexicon())
    >>> lexicon.words
    ['ann', 'li']
    """
    counts: dict[int, int] = {}
    for text in texts:
        tokens = tokenise(_without_addresses(text))
        for word, count in Counter(tokens).items():
            number = lexicon[word]
            if number >= 0:
                counts[number] = counts.get(number, 0) + count
        if ngrams > 1:
            _count_ngrams(tokens, lexicon, ngrams, counts)
    return counts


def _without_addresses(text: str) -> str:
    if "@" in text or "://" in text or "www." in text.lower():
        return _URL.sub(" ", text)
    return text


def _count_ngrams(tokens: list[str], lexicon: Lexicon, most: int, counts: dict[int, int]) -> None:
    numbers = [lexicon[token] for token in tokens]
    words = [lexicon.words[number] if number >= 0 else "" for number in numbers]
    for size in range(2, most + 1):
        for run in zip(*(words[i:] for i in range(size)), strict=False):
            if not all(run):
                continue
            gram = " ".join(run)
            number = dict.get(lexicon, gram, -1)
            if number < 0:
                # past __missing__: a run of words may be longer than a word
                number = len(lexicon.words)
                lexicon.words.append(gram)
                lexicon[gram] = number
            counts[number] = counts.get(number, 0) + 1
