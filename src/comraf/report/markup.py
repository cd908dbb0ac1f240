"""HTML and SVG out of Python values; whatever is not markup already is escaped.

Tags and attribute names are written in this package; everything else comes from strangers'
mail and goes through `plain` and `el`, which are the only doors into the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape

__all__ = ["Markup", "el", "join", "plain", "user"]

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
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
# HTML elements that never have content, and SVG ones that we never give any.
_VOID = frozenset({"base", "img", "input", "meta"})
_EMPTY = frozenset({"circle", "line", "path", "rect", "use"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


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
        line = _level(line)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _level(line: str) -> str:
    kept: list[str] = []
    run = 0
    for character in line:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def el(tag: str, *content: object, **attributes: object) -> Markup:
    """An element. Strings are escaped unless they are `Markup`; None is left out.

    An attribute's trailing underscore is dropped and others become hyphens (``class_``,
    ``aria_label``); True writes the bare name, None and False nothing.

    Examples
    --------
    >>> el("p", "1 < 2", class_="x", title='"')
    '<p class="x" title="&quot;">1 &lt; 2</p>'
    >>> el("p", el("b", "bold"), None, 3)
    '<p><b>bold</b>3</p>'
    """
    if not _NAME.fullmatch(tag):
        raise ValueError(f"{tag!r} is no tag name")
    parts = [tag]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        name = key.rstrip("_").replace("_", "-")
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no attribute name")
        parts.append(name if value is True else f'{name}="{_value(value)}"')
    opening = " ".join(parts)
    if tag in _VOID:
        return Markup(f"<{opening}>")
    if tag in _EMPTY and not content:
        return Markup(f"<{opening}/>")
    return Markup(f"<{opening}>{join(content)}</{tag}>")


def join(content: object, separator: str = "") -> Markup:
    """Any nesting of strings, numbers, markup and None as one piece of markup.

    Examples
    --------
    >>> join(["a & b", [Markup("<br>"), None], 2])
    'a &amp; b<br>2'
    """
    if isinstance(content, Markup):
        return content
    if content is None:
        return Markup()
    if isinstance(content, str):
        return Markup(escape(_UNSEEN.sub("", content), quote=False))
    if isinstance(content, (int, float)):
        return Markup(_number(content))
    if isinstance(content, Iterable):
        return Markup(escape(separator).join(join(part) for part in content))
    raise TypeError(f"{type(content).__name__} has no place in a page")


def user(text: object, limit: int = 200, tag: str = "span", **attributes: object) -> Markup:
    """A stranger's text in an element that finds its own writing direction.

    Examples
    --------
    >>> user("<b>hi</b>")
    '<span dir="auto">&lt;b&gt;hi&lt;/b&gt;</span>'
    """
    return el(tag, plain(text, limit), dir="auto", **attributes)


def _value(value: object) -> str:
    if isinstance(value, (int, float)):
        return _number(value)
    return escape(_UNSEEN.sub("", _BREAKS.sub(" ", str(value))), quote=True)


def _number(value: float) -> str:
    # Coordinates: a tenth of a pixel is enough, and half of the file is made of them.
    if isinstance(value, int):
        return str(value)
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
    text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
