"""Words that say how a sentence is built and not what it is about, by language.

The lists were written for this project and are in ``comraf/data/stop_words.txt``. They hold
function words: articles, pronouns, prepositions, conjunctions, auxiliaries, the commonest
adverbs, and the contractions of all of these. Words with a meaning of their own are left in,
however frequent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from comraf.collection.text.lists import read_lists

STOP_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(body.replace("~", "\u200c").partition("\n")[2].split())
    for code, body in read_lists("stop_words.txt").items()
}
"""Stop words by the code of their language."""

LANGUAGES = tuple(STOP_WORDS)

WEB_WORDS = frozenset("http https www com org edu html htm mailto nbsp ftp".split())
"""Pieces of addresses; they say nothing in any language."""

MAIL_WORDS = frozenset("am bcc cc forwarded fyi message original pm sent subject".split())
"""What mail programs write over quoted and forwarded messages."""

NEWS_WORDS = frozenset(("article", "writes", "wrote"))
"""Half of all newsgroup posts hold "In article ... writes:"."""

_ELIDED = {
    "fr": tuple("c'|d'|j'|l'|m'|n'|s'|t'|qu'|jusqu'|lorsqu'|puisqu'".split("|")),
    "it": tuple("l'|d'|c'|un'|dell'|all'|dall'|nell'|sull'|quell'|quest'".split("|")),
}
# Share of all running words that a language's function words must reach, those of the
# languages found before it left out. In a text of that language they are a quarter to a half
# of it; chance hits in others stay under 0.5%.
_ENOUGH = 0.015
# Fewer different words are no second language.
_MANY = 3
# Words of a script count as if they were at least so many of all.
_RARE_SCRIPT = 0.05
_SCRIPTS = [line.split() for line in read_lists("scripts.txt")["scripts"].split("\n")]
_STARTS = [chr(int(start, 16)) for start, _ in _SCRIPTS]


def stop_words(languages: Iterable[str]) -> frozenset[str]:
    """Return the stop words of some languages together.

    Examples
    --------
    >>> "nicht" in stop_words(["en", "de"]), "nicht" in stop_words(["en"])
    (True, False)
    """
    return frozenset().union(*(STOP_WORDS[language] for language in languages))


def elisions(languages: Iterable[str]) -> tuple[str, ...]:
    """Return what stands before an apostrophe and goes: ``l'eau`` is about ``eau``.

    Examples
    --------
    >>> elisions(["en"]), elisions(["it"])[:2]
    ((), ("l'", "d'"))
    """
    return tuple(
        dict.fromkeys(part for language in languages for part in _ELIDED.get(language, ()))
    )


def script_of(word: str) -> str:
    """The writing that a word begins with, as far as the known languages need to be told apart.

    Examples
    --------
    >>> [script_of(word) for word in ("pump", "насос", "水泵", "ポンプ")]
    ['latin', 'cyrillic', 'han', 'han']
    """
    return _SCRIPTS[bisect_right(_STARTS, word[:1]) - 1][1]


def guess_languages(
    counts: Mapping[str, int], total: int | Mapping[str, int] | None = None
) -> tuple[str, ...]:
    """Tell in which of the known languages a collection is, by its stop words.

    The language whose words are the most comes first. Each further one has to bring enough
    words that are on no list before it, so related languages don't claim each other's texts.

    Parameters
    ----------
    counts : mapping of str to int
        How often each word occurs; words that are on no list may be missing.
    total : int or mapping of str to int, optional
        Number of running words; the sum of the counts when not given. By `script_of`:
        then a language is measured by the words of its script only, since texts without blanks
        have far more words, or pieces, than others.

    Returns
    -------
    tuple of str
        Codes, the commonest language first; empty when it is none of them.

    Examples
    --------
    >>> guess_languages({"the": 50, "and": 20, "pump": 90})
    ('en',)
    >>> guess_languages({"nicht": 30, "und": 60, "pumpe": 90})
    ('de',)
    """
    by_script = total if isinstance(total, Mapping) else {}
    every = sum(counts.values()) if total is None else total
    running = sum(by_script.values()) if isinstance(every, Mapping) else every
    if not running:
        return ()
    # Words of a script that hardly occurs are quotations.
    enough = {
        language: _ENOUGH * max(by_script.get(script, running), _RARE_SCRIPT * running)
        for language, script in _scripts().items()
    }
    # Single letters are initials, formulas and lists in any language.
    seen = {
        word: count
        for word, count in counts.items()
        if count > 0 and (len(word) > 1 or not word.isascii()) and word not in WEB_WORDS
    }
    left = {language: words & seen.keys() for language, words in STOP_WORDS.items()}
    found: list[str] = []
    while left:
        hits = {language: _hits(words, seen, not found) for language, words in left.items()}
        hits = {code: n for code, n in hits.items() if n and n >= enough[code]}
        if not hits:
            break
        best = max(hits, key=lambda language: hits[language])
        taken = left.pop(best)
        found.append(best)
        left = {language: words - taken for language, words in left.items()}
    return tuple(found)


def caption_language(found: Sequence[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the language of captions: the first one found, unless it may as well be English.

    Captions have few stop words and say the same again and again; "man", "in" and "at" are
    words of several languages. Another one than English has to have far more of them.

    Parameters
    ----------
    found : sequence of str
        What `guess_languages` found.
    counts : mapping of str to int
        How often stop words of any language occur.

    Examples
    --------
    >>> caption_language(("da", "en"), {"man": 30, "in": 20, "two": 5})
    ('en',)
    >>> caption_language(("de",), {"ein": 30, "der": 20, "und": 9, "in": 5})
    ('de',)
    """
    if not found or found[0] == "en":
        return tuple(found[:1])
    if _scripts()[found[0]] != _scripts()["en"]:
        return (found[0],)
    seen = {word: count for word, count in counts.items() if len(word) > 1 and count > 0}
    other, english = STOP_WORDS[found[0]] & seen.keys(), STOP_WORDS["en"] & seen.keys()
    own = other - english
    more = sum(seen[word] for word in own) > 2 * sum(seen[word] for word in english - other)
    # a few words that are frequent may be nouns in English
    return (found[0],) if more and len(own) >= _MANY else ("en",)


@lru_cache(1)
def _scripts() -> dict[str, str]:
    """The script of each language: the one of most of its stop words."""
    return {
        language: Counter(map(script_of, words)).most_common(1)[0][0]
        for language, words in STOP_WORDS.items()
    }


def _hits(words: Iterable[str], seen: Mapping[str, int], first: bool) -> int:
    """How often the words of a language occur."""
    # In a second language no single word may be more than half of it: a name, or an odd word of the
    # first, is no language however frequent it is.
    found = [seen[word] for word in words]
    if first:
        return sum(found)
    if len(found) < _MANY:
        return 0
    return min(sum(found), 2 * (sum(found) - max(found)))
