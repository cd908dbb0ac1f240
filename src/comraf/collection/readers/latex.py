r"""TeX's way of writing letters, as BibTeX files hold it, turned into letters.

Accents (``{\"o}``, ``\'{\i}``, ``\v s``), letters with names (``\ss``, ``{\O}``), signs that TeX
keeps for itself, dashes and quotes. Commands that only change the look go; those of Greek
letters and other signs leave their name, since ``$\alpha$-stable`` is about alpha.
"""

from __future__ import annotations

import re
import unicodedata

from comraf.collection.text.lists import read_lists
from comraf.collection.text.normal import normalized

# fmt: off
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", '"': "\u0308",
    ".": "\u0307", "u": "\u0306", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323",
    "c": "\u0327", "k": "\u0328", "b": "\u0331", "t": "\u0361",
}
# fmt: on
_TEX = read_lists("tex.txt")
_LETTERS = dict(word.split("=") for word in _TEX["letters"].split())
_LETTERS |= dict.fromkeys(_TEX["blanks"].split(), " ")
_LOOKS = frozenset(_TEX["looks"].split())
# An accent over a letter: \"{o}, \" o, \'{\i}, \'\i; one named by a letter ends as commands do.
_ACCENT = re.compile(
    r"\\(?:([\"'`^~=.])|([uvHcbdkrt])(?![A-Za-z]))[ \t\n]{0,8}"
    r"(?:\{[ \t]{0,8}(?:\\([ij])(?![A-Za-z])|([^\W\d_]))?[ \t]{0,8}\}"
    r"|\\([ij])(?![A-Za-z])[ \t]{0,8}|([^\W\d_]))"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)[ \t\n]{0,8}(?:\{\})?")
_SIGN = re.compile(r"\\([^A-Za-z])")
_SPECIAL = re.compile(r"[\\{}$~]|--|``|''|[^\x00-\x7f]")
_MATH = re.compile(r"[${}]")
_DASHES = re.compile(r"-{2,3}")
# Signs that were written with a backslash wait here, out of the way of what strips them.
_HIDE = {"{": "\ue000", "}": "\ue001", "$": "\ue002", "~": "\ue003"}
_SHOW = {ord(hidden): shown for shown, hidden in _HIDE.items()}


def plain_text(tex: str) -> str:
    r"""Return TeX as people read it.

    Examples
    --------
    >>> plain_text(r"{\"O}zg{\"u}r {\L}ukasz Erd{\H o}s Fran\c{c}ois Mart{\'\i}n")
    'Özgür Łukasz Erdős François Martín'
    >>> plain_text(r"{The {$\alpha$}-\emph{Stable} Case --- 50\% off} at AT\&T")
    'The alpha-Stable Case — 50% off at AT&T'
    """
    if not _SPECIAL.search(tex):
        return tex
    if "\\" in tex:
        tex = tex.translate(_GONE)
        tex = _ACCENT.sub(_accented, tex)
        tex = _COMMAND.sub(_named, tex)
        tex = _SIGN.sub(_signed, tex)
    if "{" in tex or "}" in tex or "$" in tex:
        tex = _MATH.sub("", tex)
    tex = tex.replace("~", " ").replace("``", "“").replace("''", "”")
    tex = _DASHES.sub(lambda run: "–" if len(run[0]) == 2 else "—", tex)
    return normalized("NFC", tex.translate(_SHOW))


# The hiding places themselves are private signs that mean nothing in a text.
_GONE = dict.fromkeys(_SHOW)


def _accented(match: re.Match[str]) -> str:
    mark = match[1] or match[2]
    letter = match[3] or match[4] or match[5] or match[6]
    if letter is None:
        return _HIDE.get(mark, mark) if match[1] else ""
    return unicodedata.normalize("NFC", letter + _ACCENTS[mark])


def _named(match: re.Match[str]) -> str:
    name = match[1]
    if (letter := _LETTERS.get(name)) is not None:
        return _HIDE.get(letter, letter)
    return "" if name in _LOOKS else name


def _signed(match: re.Match[str]) -> str:
    sign = match[1]
    if sign in "-/(),;:!":
        # places to break a word, narrow blanks, the brackets of a formula
        return " " if sign in ",;:" else ""
    return _HIDE.get(sign, " " if sign.isspace() or sign == "\\" else sign)
