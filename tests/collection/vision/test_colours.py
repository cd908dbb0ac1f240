"""Palettes of every size, and Lab."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.collection.vision.colours import N_BINS, bin_colours, bins_of, to_lab
from comraf.errors import InputError
from comraf.images import Palette


@pytest.mark.parametrize("space", ["rgb", "lab"])
@pytest.mark.parametrize("n", [8, 11, 64, 256, 1000, 1024])
def test_palette(n, space):
    """There are as many colours as asked for, each used, named apart and sorted."""
    palette = Palette(n, space)
    assert len(set(palette.names)) == n == len(palette)
    assert list(palette.names) == sorted(palette.names)
    assert set(palette.lookup.tolist()) == set(range(n))
    assert palette.lookup.shape == (N_BINS,)


def test_rgb_boxes_are_even():
    """Where n allows it the boxes are cubes of one size."""
    sizes = np.bincount(Palette(64).lookup)
    assert set(sizes.tolist()) == {N_BINS // 64}
    uneven = np.bincount(Palette(100).lookup)
    assert uneven.max() <= 2.5 * uneven.min()


def test_lab_is_more_even_to_the_eye():
    """In Lab the farthest that a bin lies from its colour is smaller than in RGB."""
    lab = to_lab(bin_colours())

    def spread(space: str) -> float:
        palette = Palette(128, space)
        return float(np.linalg.norm(lab - to_lab(palette.colours)[palette.lookup], axis=1).max())

    assert spread("lab") < 0.8 * spread("rgb")


def test_near_colour():
    """A pixel is counted as a colour near it."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (500, 3), dtype=np.uint8)
    palette = Palette(512)
    found = palette.colours[palette.lookup[bins_of(pixels)]].astype(int)
    assert np.abs(found - pixels).max() <= 20


def test_lab_known_values():
    """Red, green and blue have the Lab that tables give."""
    lab = to_lab(np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8))
    expected = [[53.24, 80.09, 67.20], [87.73, -86.18, 83.18], [32.30, 79.19, -107.86]]
    assert np.allclose(lab, expected, atol=0.05)


@pytest.mark.parametrize("n", [7, 1025, 2.5, True, "256"])
def test_bad_size(n):
    """A palette of an impossible size is refused."""
    with pytest.raises(InputError, match="from 8 to 1,024"):
        Palette(n)


def test_bad_space():
    """An unknown space is refused by name."""
    with pytest.raises(InputError, match="hsv"):
        Palette(16, "hsv")
