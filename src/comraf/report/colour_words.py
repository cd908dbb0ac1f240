"""Colours and textures of photos in words, for names of groups and for those who can't see."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from comraf.images.colours import to_lab

__all__ = ["colour_title", "colour_word", "is_colour", "texture_word"]

_COLOUR = re.compile(r"#[0-9a-f]{6}")
_TEXTURE = re.compile(r"(coarse|medium|fine) (0|45|90|135)°")
# At 0° brightness changes from left to right, as it does at the edges of upright things.
_LINES = {"0": "upright", "90": "level", "45": "slanting", "135": "slanting"}
# Words that everybody uses, each with colours that it is used for.
_WORDS = {
    "black": "#0a0a0c",
    "dark grey": "#404042",
    "grey": "#808080",
    "light grey": "#bcbcbc",
    "white": "#f4f4f4",
    "dark red": "#701518",
    "red": "#c41e20",
    "pink": "#e07890",
    "light pink": "#f0bcc4",
    "dark brown": "#3c2614",
    "brown": "#7c5028",
    "light brown": "#ac8458",
    "beige": "#dcc8a4",
    "orange": "#e47c1c",
    "yellow": "#ecd428",
    "light yellow": "#f4eca0",
    "olive": "#7c7828",
    "dark green": "#1c4018",
    "green": "#3c8c2c",
    "grey green": "#6c8064",
    "light green": "#a0d080",
    "dark turquoise": "#145858",
    "turquoise": "#3cb4b0",
    "dark blue": "#14285c",
    "blue": "#2858b8",
    "grey blue": "#587490",
    "light blue": "#8cb8e4",
    "pale blue": "#c4d8e8",
    "dark purple": "#3c1450",
    "purple": "#7c3ca0",
    "light purple": "#b8a0d4",
    "magenta": "#c02880",
}


@cache
def _known() -> np.ndarray:
    colours = [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in _WORDS.values()]
    return np.asarray(to_lab(np.array([colours], np.uint8))[0])


def is_colour(value: str) -> bool:
    """Whether a value is a colour as palettes name them, and safe to put into a style.

    Examples
    --------
    >>> is_colour("#8a4b2c"), is_colour("red;background:url(x)")
    (True, False)
    """
    return _COLOUR.fullmatch(value) is not None


@cache
def colour_word(value: str) -> str:
    """The plain word that is nearest to a colour.

    Examples
    --------
    >>> colour_word("#102060"), colour_word("#f0f0f0"), colour_word("#305020")
    ('dark blue', 'white', 'dark green')
    """
    if not is_colour(value):
        return value
    pixel = np.array([[[int(value[i : i + 2], 16) for i in (1, 3, 5)]]], np.uint8)
    apart = np.square(_known() - np.asarray(to_lab(pixel))[0]).sum(axis=1)
    return list(_WORDS)[int(apart.argmin())]


def texture_word(value: str) -> str:
    """A direction and scale of texture as what it is seen as.

    Examples
    --------
    >>> texture_word("fine 0°"), texture_word("coarse 135°")
    ('fine upright lines', 'coarse slanting lines')
    """
    found = _TEXTURE.fullmatch(value)
    return f"{found[1]} {_LINES[found[2]]} lines" if found else value


def colour_title(values: Iterable[str], most: int = 3) -> str:
    """A few different words for colours, in their order.

    Examples
    --------
    >>> colour_title(["#102060", "#102050", "#f0f0f0"])
    'dark blue, white'
    """
    return ", ".join(list(dict.fromkeys(map(colour_word, values)))[:most])
