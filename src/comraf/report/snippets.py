"""The stretch of a text that shows best why a document is where it is."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from comraf.collection.text.segment import UNSPACED
from comraf.collection.text.words import letter_pattern, tokenise
from comraf.errors import ReadError
from comraf.report.markup import plain

if TYPE_CHECKING:
    from markupsafe import Markup

    from comraf.collection.collection import Collection as Texts

__all__ = ["MOST_READ", "bare_title", "beginnings", "marked", "snippet"]

#: Characters of a text that are looked at.
MOST_READ = 20_000
_WORD = re.compile(r"\w+")
_WORDS = re.compile(r"(\w+)")
_SENTENCE = re.compile(r"[.!?:;]\s+")
_QUOTED = re.compile(r"^\s*[>|].*$", re.MULTILINE)
# What programs and forwarders write between the lines; it tells nothing of the message.
_RULES = re.compile(r"[-_=*~#]{4,}")
_PREFIX = re.compile(r"^(?:\s*(?:re|fw|fwd|aw|wg|sv|vs|antw|tr|rv)\s*(?:\[\d+\])?\s*:)+\s*", re.I)


def beginnings(collection: Texts, rows: Iterable[int], most: int) -> dict[int, str]:
    """The first characters of some texts; empty where one can't be read."""
    texts: dict[int, str] = {}
    for row in rows:
        try:
            texts[row] = str(collection.text(row) or "")[:most]
        except ReadError:
            # The text may have been deleted since; all else is still known.
            texts[row] = ""
    return texts


def bare_title(title: str) -> str:
    """A subject without its Re: and Fwd:, to tell threads by.

    Examples
    --------
    >>> bare_title("RE: Fwd: Pump")
    'pump'
    """
    return _PREFIX.sub("", title).casefold().strip()


def snippet(text: str, telling: Collection[str], length: int = 260, title: str = "") -> str:
    """About ``length`` characters of a text where most of the telling words are.

    Examples
    --------
    >>> text = "Good morning to all of you. " * 9 + "The pump in the cellar leaks again."
    >>> snippet(text, {"pump", "cellar"}, 30)
    '…The pump in the cellar leaks…'
    """
    start = text[:MOST_READ]
    body = _RULES.sub(" ", _QUOTED.sub(" ", start))
    line = plain(body, MOST_READ) or plain(_RULES.sub(" ", start), MOST_READ)
    if title and line.startswith(title):
        line = line[len(title) :].lstrip()
    if len(line) <= length:
        return line
    first = _best_start(line, telling, length)
    stretch = line[first : first + length]
    if first + length < len(line) and " " in stretch[length // 2 :]:
        stretch = stretch.rsplit(" ", 1)[0]
    before = "…" if first else ""
    after = "…" if first + len(stretch) < len(line) else ""
    return f"{before}{stretch.strip()}{after}"


def _best_start(line: str, telling: Collection[str], length: int) -> int:
    """The sentence from which on most different telling words follow."""
    words = [(m.start(), m.group().casefold()) for m in _WORD.finditer(line)]
    found_words = [(place, word) for place, word in words if word in telling]
    places = [place for place, _ in found_words]
    best, most = 0, 0
    for start in (0, *(m.end() for m in _SENTENCE.finditer(line))):
        inside = found_words[bisect_left(places, start) : bisect_left(places, start + length)]
        found = len({word for _, word in inside})
        # The opening of a message says most: leave it only for something clearly better.
        if found > most + (1 if best == 0 and most else 0):
            best, most = start, found
    return best


def marked(text: str, words: Collection[str]) -> Markup:
    """Text with the telling words marked.

    Examples
    --------
    >>> str(marked("The Pump & the <b>", {"pump"}))
    'The <mark>Pump</mark> &amp; the &lt;b&gt;'
    >>> str(marked("我们买水泵。", {"水泵"}))
    '我们买<mark>水泵</mark>。'
    """
    from markupsafe import Markup

    if text.isascii():
        parts = _WORDS.split(text)
    else:
        parts = re.split(f"({letter_pattern()}+)", text)
        # where no blanks part the words, look for each of them
        wanted = sorted((word for word in words if UNSPACED.match(word)), key=len, reverse=True)
        if wanted:
            inside = re.compile(f"({'|'.join(map(re.escape, wanted))})")
            parts = [piece for part in parts for piece in inside.split(part)]
    mark = Markup("<mark>{}</mark>")
    return Markup().join(mark.format(p) if _is_one_of(p, words) else p for p in parts)


def _is_one_of(part: str, words: Collection[str]) -> bool:
    """Whether a part of a text is one of the words, in whatever spelling."""
    if part.isascii() or part in words:
        return part.casefold() in words
    found = tokenise(part)
    return len(found) == 1 and found[0].casefold() in words
