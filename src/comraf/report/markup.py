"""A stranger's text on its way into the page: on one line, nothing unseen, not too long.

Escaping is left to the templates (see `comraf.report.jinja`).
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["number", "plain", "visible"]

# Never shown, wherever they come from: control codes, lone surrogates, characters that XML
# forbids, and marks that reorder or hide the text around them (a subject must not be able to
# turn the rest of its line around). ZWJ and ZWNJ stay: several scripts are spelled with them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_BREAKS = re.compile("[\t\n\r\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile(r"\s+")
# A tower of accents would cover the lines above it.
_MOST_MARKS = 4


def plain(text: object, limit: int = 200) -> str:
    r"""A stranger's text on one line: nothing unseen, no towers of accents, not too long.

    Examples
    --------
    >>> plain("pay\n\tnow \u202eexe.fdp", 12)
    'pay now exe…'
    """
    # Cut first: a message of a hundred megabytes is not worth cleaning for one line of it.
    rest = str(text)[: 4 * limit + 100]
    line = _SPACES.sub(" ", _UNSEEN.sub("", _BREAKS.sub(" ", rest))).strip()
    if not line.isascii():
        line = _limit_accents(line)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def visible(text: str) -> str:
    r"""Text without characters that are never shown.

    Examples
    --------
    >>> visible("exe\u202efdp")
    'exefdp'
    """
    return _UNSEEN.sub("", text)


def number(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough, and half of a page is made of them.

    Examples
    --------
    >>> number(2), number(2.504), number(25.04)
    ('2', '2.5', '25')
    """
    if isinstance(value, int):
        return str(value)
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
    text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _limit_accents(line: str) -> str:
    """A line with a few accents to a letter."""
    kept: list[str] = []
    run = 0
    for character in line:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)
