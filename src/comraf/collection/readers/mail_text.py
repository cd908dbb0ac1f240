"""What a person wrote, apart from what the mail program put around it.

A quoted reply repeats words of another message of the same collection and blurs the
difference between the two; a forwarded message is what its sender wants to be read.
So quotes can be dropped while forwards stay, without their header lines.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

from comraf.collection.text.lists import read_lists

Quotes = Literal["auto", "drop", "keep"]

ENOUGH_WORDS = 20
"""``quotes="auto"`` leaves quoted text in when fewer words than this would remain."""

# Scripts that write without blanks: their long lines are prose.
_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef"
_LONG_LINE = re.compile(rf"(?m)^[^\s{_UNSPACED}]{{51,}}+[ \t]*(?:\n|\Z)")
# Lotus Notes: Ann Li/HOU/ECT@ECT is Ann Li, and so is Ann Li@ECT.
_NOTES = re.compile(
    r"(?<=[^\W\d_])(?:/[^\W\d_][\w &-]{0,30}){1,4}@\w{1,30}(?![\w.])|"
    r"(?<=[a-z])(?:/[A-Z][A-Za-z_]{1,15}){2,4}(?![\w/.])|"
    r"(?<=\w)@[^\W\d_]{1,30}(?![\w.])"
)
_UUENCODED = re.compile(r"(?m)^begin(?:-base64)? [0-7]{3,4} \S.*$")

_QUOTED = re.compile(r"[ \t]{0,3}[A-Z]{0,3}>")
_PHRASES = {name: text.replace("\n", "|") for name, text in read_lists("mail_phrases.txt").items()}
_ORIGINAL = re.compile(rf"(?i)[ \t>]*[-_*]{{2,}}[ \t]*(?:{_PHRASES['original']})[ \t]*[-_*]{{2,}}")
_FORWARDED = re.compile(
    rf"(?i)[ \t>]*(?:[-_*]{{3,}}[ \t]*(?:{_PHRASES['forwarded']})|begin forwarded message[ \t]*:)"
)
_HEADER, _SENDER, _SENT, _SUBJECT, _TO = (
    re.compile(rf"(?i)[ \t>*]*(?:{_PHRASES[field]})[ \t\u00a0]*\*?:{value}")
    for field, value in (
        ("fields", ""),
        ("from", r"[ \t*]*\S"),
        ("sent", ""),
        ("subject", ""),
        ("to", ""),
    )
)
_WROTE = re.compile(rf"(?i)(?:{_PHRASES['wrote']})[^\n:]{{0,80}}:[ \t]*$")
_FOOTER = re.compile(rf"(?i)[ \t]*(?:{_PHRASES['footer']})")
_ATTRIBUTION = re.compile(
    r"(?i)[ \t>]*(?:on|am|le|el|il|op|em|den|dne|w dniu|in article|in message|at|\d|<?\S+@\S+|"
    r"[\"\w][\w .,'\"-]{0,60}[<(])"
)
_DATED = re.compile(r"\d:\d\d|\b(?:19|20)\d\d\b|@")
_STAMP = re.compile(r"\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}[ \t,]+(?:at[ \t]+)?\d{1,2}:\d{2}")
_FORWARD_SUBJECT = re.compile(r"(?i)[ \t]*(?:\[[^\]]*\][ \t]*)?(?:fwd?|fw|wg|tr|rv|enc|i)[ \t]*:")
_MOST_FORWARDS = 50
_MOST_LINES = 20_000
_WORD = re.compile(r"[^\W\d_]{2,}")


def drop_long_lines(text: str) -> str:
    r"""Remove lines of more than 50 characters without white space, and uuencoded files.

    Such lines are pieces of binary files or drawn rules, not words. Lines in scripts
    that write without blanks (Chinese, Japanese, Thai and others) stay.

    Examples
    --------
    >>> drop_long_lines("see\n" + "M" * 61 + "\nbelow")
    'see\nbelow'
    """
    parts = []
    position = 0
    while match := _UUENCODED.search(text, position):
        end = text.find("\nend", match.end())
        if end < 0:
            break
        parts.append(text[position : match.start()])
        position = end + 4
    parts.append(text[position:])
    return _LONG_LINE.sub("", "".join(parts))


def drop_notes_paths(text: str) -> str:
    r"""Leave of the addresses of Lotus Notes the names: the rest is where a server stood.

    Examples
    --------
    >>> drop_notes_paths("Ann Li/HOU/ECT@ECT, Bo Yu@Enron, cy@x.org and/or http://x.org/A/B")
    'Ann Li, Bo Yu, cy@x.org and/or http://x.org/A/B'
    """
    return _NOTES.sub("", text) if "/" in text or "@" in text else text


def is_forward(subject: str) -> bool:
    """Tell whether a subject line announces a forwarded message.

    Examples
    --------
    >>> is_forward("FW: budget"), is_forward("RE: FW: budget")
    (True, False)
    """
    return _FORWARD_SUBJECT.match(subject) is not None


def strip_signature(text: str) -> str:
    r"""Cut the signature that follows the conventional ``-- `` line, and phone footers.

    Examples
    --------
    >>> strip_signature("See you.\n-- \nAnn\n555-1234")
    'See you.'
    """
    return "\n".join(_without_signature(text.split("\n"))).rstrip()


def _without_signature(lines: list[str]) -> list[str]:
    # the last of several: people quote signatures and draw rules
    for number in range(len(lines) - 1, max(-1, len(lines) - 40), -1):
        line = lines[number]
        if line in ("-- ", "--") or _FOOTER.match(line):
            return lines[:number]
    return lines


def strip_quotes(
    text: str, *, quotes: Quotes = "drop", signatures: bool = True, forward: bool = False
) -> str:
    r"""Drop what the message repeats of others.

    Parameters
    ----------
    text : str
        The body, with ``\n`` as line end.
    quotes : {"auto", "drop", "keep"}, default="drop"
        "auto" drops quotes unless fewer than 20 words would remain.
    signatures : bool, default=True
        Whether the signature goes too.
    forward : bool, default=False
        The subject says that the message is forwarded: the first message within it is
        then what it is about, whatever its marker.

    Examples
    --------
    >>> strip_quotes("Yes.\n\nOn Monday, Ann wrote:\n> Shall we meet?\nAt ten.")
    'Yes.\n\nAt ten.'
    >>> strip_quotes("fyi\n---- Forwarded by Ann on 2 May ----\nTo: Joe\n\nThe pump leaks.")
    'fyi\n\nThe pump leaks.'
    """
    if quotes == "keep":
        return strip_signature(text) if signatures else text
    n = ENOUGH_WORDS
    kept = _own_lines(text, signatures=signatures, forward=forward)
    own = "\n".join(kept).strip("\n")
    if quotes == "auto" and sum(1 for _ in islice(_WORD.finditer(own), n)) < n:
        return strip_signature(text) if signatures else text
    return own


def _own_lines(text: str, *, signatures: bool, forward: bool) -> list[str]:
    # what follows so many lines counts as one more line: no mail is like that
    lines = text.split("\n", _MOST_LINES)
    kept: list[str] = []
    block: list[str] = []

    def close() -> None:
        kept.extend(_without_signature(block) if signatures else block)
        block.clear()

    # looked for once: looking around every line would cost more than all the rest
    stamped = _STAMP.search(text) is not None
    number = 0
    forwards = 0
    may_forward = forward
    while number < len(lines):
        line = lines[number]
        if _QUOTED.match(line):
            close()
            number += 1
        elif forwards < _MOST_FORWARDS and _FORWARDED.match(line):
            close()
            forwards += 1
            number = _skip_headers(lines, number + 1)
            may_forward = False
        elif _ORIGINAL.match(line) or _header_block(lines, number, stamped):
            close()
            if not may_forward:
                break
            may_forward = False
            number = _skip_headers(lines, number + 1)
        elif length := _attribution(lines, number):
            after = lines[number + length : number + length + 4]
            if _QUOTED.match(next((later for later in after if later.strip()), "")):
                close()
                number += length
            elif _DATED.search(" ".join(lines[number : number + length])):
                # nothing marks the quoted lines: they run to the end
                break
            else:
                block.append(line)
                number += 1
        else:
            block.append(line)
            number += 1
    close()
    while kept and not kept[-1].strip("_-*= \t"):
        kept.pop()
    return kept


def _header_block(lines: list[str], number: int, stamped: bool) -> bool:
    """Tell whether the header lines of a quoted message start here, with no other marker."""
    line = lines[number]
    if _SENDER.match(line):
        nearby = lines[number + 1 : number + 8]
        return any(_SENT.match(later) or _TO.match(later) for later in nearby) and any(
            _SUBJECT.match(later) for later in nearby
        )
    # Lotus Notes: the sender and a time stamp, then "To:" and "Subject:"
    if not stamped or not _near_stamp(lines, number):
        return False
    nearby = lines[number + 1 : number + 16]
    to = next((i for i, later in enumerate(nearby[:6]) if _TO.match(later)), None)
    if to is None or any(_FORWARDED.match(later) for later in nearby[:to]):
        return False
    return any(_SUBJECT.match(later) for later in nearby[to:])


def _near_stamp(lines: list[str], number: int) -> bool:
    """Tell whether a line, or one of the two right below it, holds a date and time."""
    for line in lines[number : number + 3]:
        if not line.strip() or len(line) > 200:
            return False
        if _STAMP.search(line):
            return True
    return False


def _skip_headers(lines: list[str], number: int) -> int:
    """Step over the header lines of a forwarded message."""
    last = number
    seen = False
    for position in range(number, min(len(lines), number + 40)):
        line = lines[position]
        if _HEADER.match(line):
            seen = True
            last = position + 1
            if _SUBJECT.match(line):
                break
        elif not line.strip() or _STAMP.search(line) or line.rstrip().endswith("---"):
            continue
        elif not lines[position - 1].strip() if seen else position - number > 12:
            break
    return last


def _attribution(lines: list[str], number: int) -> int:
    """Length of an "On ..., ... wrote:" line that starts here, which may be folded; or 0."""
    if not _ATTRIBUTION.match(lines[number]):
        return 0
    for length in (1, 2, 3):
        line = lines[number + length - 1] if number + length <= len(lines) else ""
        if not line.strip() or len(line) > 300:
            return 0
        if _WROTE.search(line):
            return length
    return 0
