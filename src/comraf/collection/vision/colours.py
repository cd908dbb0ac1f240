"""Colours: counts over a fine grid of RGB, and palettes that the grid is mapped to.

A photo keeps its counts over 32 x 32 x 32 bins. A palette is one look-up from these bins to
its colours, so palettes of any size are made of the same counts, without the photos.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from comraf.parameters import check_choice, check_int

__all__ = ["N_BINS", "Palette", "bin_colours", "bins_of", "to_lab"]

LEVELS = 32
N_BINS = LEVELS**3

Floats = NDArray[np.float32]
# D65, the white of sRGB
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _TO_XYZ.sum(axis=1)


def bins_of(pixels: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Number of the bin of each pixel: five bits of red, green and blue.

    Examples
    --------
    >>> bins_of(np.array([[[255, 0, 8]]], np.uint8)).tolist()
    [[31745]]
    """
    high = (pixels >> 3).astype(np.uint16)
    return ((high[..., 0] << 10) | (high[..., 1] << 5) | high[..., 2]).astype(np.uint16)


def bin_colours() -> NDArray[np.uint8]:
    """The RGB colour in the middle of each bin.

    Examples
    --------
    >>> bin_colours()[[0, -1]].tolist()
    [[4, 4, 4], [252, 252, 252]]
    """
    levels = np.arange(LEVELS, dtype=np.uint8) * 8 + 4
    return np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)


@lru_cache(maxsize=1)
def _linear() -> Floats:
    share = np.arange(256) / 255.0
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return light.astype(np.float32)


def to_lab(pixels: NDArray[np.uint8]) -> Floats:
    """RGB as CIE Lab (white D65), in which distances are more like those that are seen.

    Examples
    --------
    >>> to_lab(np.array([[255, 255, 255], [0, 0, 0]], np.uint8)).round().tolist()
    [[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    xyz = _linear()[pixels] @ (_TO_XYZ / _WHITE[:, None]).T.astype(np.float32)
    edge = 6 / 29
    bent = np.where(xyz > edge**3, np.cbrt(xyz), xyz / (3 * edge**2) + 4 / 29)
    x, y, z = bent[..., 0], bent[..., 1], bent[..., 2]
    lab: Floats = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)
    return lab.astype(np.float32, copy=False)


class Palette:
    """A few colours, and which of them each bin of the grid is counted as.

    Parameters
    ----------
    n : int, default 256
        Number of colours, from 8 to 1,024.
    space : {"rgb", "lab"}
        "rgb" cuts the cube of red, green and blue into boxes as near to cubes as `n` allows;
        "lab" takes the centres of k-means over the whole grid in Lab, so that steps look alike.
        Neither depends on the photos: the same colour has the same name in every collection.

    Attributes
    ----------
    colours : ndarray of uint8, n x 3
        RGB, in the order of their names.
    names : tuple of str
        "#8a4b2c" and so on, no two alike, sorted.
    lookup : ndarray of uint16
        For each of the 32,768 bins the number of its colour.

    Examples
    --------
    >>> palette = Palette(64)
    >>> palette.names[palette.lookup[bins_of(np.array([250, 3, 9], np.uint8))]]
    '#e02020'
    """

    def __init__(self, n: int = 256, space: Literal["rgb", "lab"] = "rgb") -> None:
        check_choice("space", space, ("rgb", "lab"))
        self.n = check_int("n", n, 8, 1024)
        self.space = space
        self.colours, self.lookup = _palette(self.n, space)
        self.names = tuple(f"#{r:02x}{g:02x}{b:02x}" for r, g, b in self.colours.tolist())

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Palette({self.n}, space={self.space!r})"


@lru_cache(maxsize=16)
def _palette(n: int, space: str) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    owner = _boxes(n) if space == "rgb" else _lab_cells(n)
    colours = bin_colours().astype(np.float64)
    sizes = np.bincount(owner, minlength=n)
    means = np.stack([np.bincount(owner, colours[:, c], n) for c in range(3)], axis=1)
    rounded = np.rint(means / sizes[:, None]).astype(np.uint8)
    order = np.lexsort(rounded.T[::-1])
    place = np.empty(n, np.uint16)
    place[order] = np.arange(n, dtype=np.uint16)
    palette, lookup = rounded[order], place[owner]
    palette.flags.writeable = lookup.flags.writeable = False
    return palette, lookup


def _boxes(n: int) -> NDArray[np.int64]:
    """Cut the cube in two along its longest side, and the parts again, until there are n."""
    owner = np.zeros((LEVELS, LEVELS, LEVELS), np.int64)
    boxes = [((0, LEVELS), (0, LEVELS), (0, LEVELS), n, 0)]
    while boxes:
        *sides, count, first = boxes.pop()
        spans = [(int(low), int(high)) for low, high in sides]
        if count == 1:
            owner[tuple(slice(low, high) for low, high in spans)] = first
            continue
        lengths = [high - low for low, high in spans]
        # green before red before blue: that is how well eyes tell them apart
        axis = max((1, 0, 2), key=lambda a: lengths[a])
        low, high = spans[axis]
        part = count // 2
        middle = low + min(max(round((high - low) * part / count), 1), high - low - 1)
        for (start, stop), share, begin in (
            ((low, middle), part, first),
            ((middle, high), count - part, first + part),
        ):
            cut = [*spans]
            cut[axis] = (start, stop)
            boxes.append((cut[0], cut[1], cut[2], share, begin))
    return owner.ravel()


def fill_empty(owner: NDArray[Any], far: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Give each centre that owns no point the one that is worst off; return how many each owns.

    Examples
    --------
    >>> owner, far = np.array([0, 0, 1]), np.array([1.0, 9.0, 99.0])
    >>> fill_empty(owner, far, 3).tolist(), owner.tolist()
    ([1, 1, 1], [0, 2, 1])
    """
    counts = np.bincount(owner, minlength=n)
    for empty in np.flatnonzero(counts == 0).tolist():
        worst = int(np.where(counts[owner] > 1, far, -1.0).argmax())
        counts[owner[worst]] -= 1
        counts[empty] += 1
        owner[worst], far[worst] = empty, 0.0
    return counts


def _lab_cells(n: int) -> NDArray[np.int64]:
    """k-means of the grid in Lab, from the boxes of RGB: nothing is drawn at random."""
    from scipy.spatial import cKDTree

    points = to_lab(bin_colours()).astype(np.float64)
    owner = _boxes(n)
    for _ in range(20):
        sizes = np.bincount(owner, minlength=n)
        sums = np.stack([np.bincount(owner, points[:, c], n) for c in range(3)], axis=1)
        centres = sums / np.maximum(sizes, 1)[:, None]
        far, new = cKDTree(centres).query(points)
        fill_empty(new, far, n)
        if np.array_equal(new, owner):
            break
        owner = new
    return owner
