"""Colours, textures and blobs in words, for names of groups and for those who can't see."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.collection.text.lists import read_lists
from comraf.collection.vision.colours import to_lab
from comraf.collection.vision.regions import FEATURE_NAMES, N_FILTERS, N_ORIENTATIONS

_COLOUR = re.compile(r"#[0-9a-f]{6}")
_TEXTURE = re.compile(r"(coarse|medium|fine) (0|45|90|135)°")
# At 0° brightness changes from left to right, as it does at the edges of upright things.
_LINES = {"0": "upright", "90": "level", "45": "rising", "135": "falling"}
_DIRECTIONS = ("upright", "rising", "level", "falling")
# Energies of all filters together that the eye takes for smooth, faint and strong texture, and
# the share of one direction or scale from which it is seen as such: alike they have 1/4 and 1/3.
_SMOOTH, _FAINT, _STRONG = 0.02, 0.035, 0.08
_DIRECTED, _FINE, _COARSE = 0.4, 0.41, 0.38
_NUMBER = re.compile(r" \(\d+\)$")
_BLOB = re.compile(r"blob (\d+)(?: \w+)?")
_WORDS = dict(line.rsplit(" ", 1) for line in read_lists("colours.txt")["words"].split("\n"))


@cache
def _lab_of_words() -> np.ndarray:
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
    apart = np.square(_lab_of_words() - np.asarray(to_lab(pixel))[0]).sum(axis=1)
    return list(_WORDS)[int(apart.argmin())]


def texture_word(value: str) -> str:
    """A direction and scale of texture as what it is seen as.

    Examples
    --------
    >>> texture_word("fine 0°"), texture_word("coarse 135°")
    ('fine upright lines', 'coarse falling lines')
    """
    found = _TEXTURE.fullmatch(value)
    return f"{found[1]} {_LINES[found[2]]} lines" if found else value


def look_words(features: NDArray[Any]) -> list[str]:
    """What regions look like: a colour, and a texture where there is one.

    Parameters
    ----------
    features : array, regions x 30
        As in `comraf.collection.vision.regions.FEATURE_NAMES`; of a blob, the mean of its regions.

    Examples
    --------
    >>> features = np.zeros((2, 30))
    >>> features[:, 12:15] = [[0.1, 0.2, 0.4], [0.2, 0.5, 0.15]]
    >>> features[1, [8, 9, 10, 11]] = [0.04, 0.005, 0.005, 0.005]
    >>> look_words(features)
    ['smooth dark blue', 'green with fine upright lines']
    """
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(FEATURE_NAMES):
        return ["" for _ in rows]  # features of somebody's own have no words
    energies = np.maximum(rows[:, :N_FILTERS], 0.0)
    total = energies.sum(axis=1)
    shares = energies / np.maximum(total, 1e-300)[:, None]
    by_scale = shares.reshape(len(rows), -1, N_ORIENTATIONS).sum(axis=2)
    by_direction = shares.reshape(len(rows), -1, N_ORIENTATIONS).sum(axis=1)
    light = np.rint(np.clip(rows[:, N_FILTERS : N_FILTERS + 3], 0, 1) * 255).astype(int)
    said = []
    for rgb, energy, scale, direction in zip(
        light.tolist(), total.tolist(), by_scale.tolist(), by_direction.tolist(), strict=True
    ):
        colour = colour_word("#{:02x}{:02x}{:02x}".format(*rgb))
        if energy < _SMOOTH:
            said.append(f"smooth {colour}")
            continue
        lines = max(direction) > _DIRECTED
        if energy < _FAINT:
            how = "faint "
        elif energy > _STRONG:
            how = "strong "
        elif scale[-1] > _FINE:
            how = "fine "
        elif scale[0] > _COARSE:
            how = "coarse "
        else:
            how = ""
        what = f"{_DIRECTIONS[int(np.argmax(direction))]} lines" if lines else "texture"
        said.append(f"{colour} with {how}{what}")
    return said


def blob_names(values: Sequence[str], looks: object) -> list[str]:
    """Blobs by what they look like, with their number where several look the same.

    Parameters
    ----------
    values : sequence of str
        What they are called in files.
    looks : list of str
        From `look_words`. Anything else is as good as nothing.

    Examples
    --------
    >>> names = ["blob 07 98d3", "blob 08 98d3", "blob 09 98d3"]
    >>> blob_names(names, ["smooth blue", "green with fine texture", "smooth blue"])
    ['smooth blue (7)', 'green with fine texture', 'smooth blue (9)']
    """
    if not isinstance(looks, (list, tuple)) or len(looks) != len(values):
        return list(values)
    often = Counter(looks)
    named = []
    for value, look in zip(values, looks, strict=True):
        found = _BLOB.fullmatch(value)
        if not isinstance(look, str) or not look or found is None:
            named.append(value)
        else:
            named.append(look if often[look] == 1 else f"{look} ({int(found[1])})")
    return named


def without_number(name: str) -> str:
    """A blob's words alone; nothing if it has none.

    Examples
    --------
    >>> without_number("smooth blue (7)"), without_number("blob 07 98d3")
    ('smooth blue', '')
    """
    return "" if _BLOB.fullmatch(name) else _NUMBER.sub("", name)
