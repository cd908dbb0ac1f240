"""Photos made on the spot."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL", reason="photos need Pillow, the extra images")

from PIL import Image

Packed = Callable[..., bytes]


@pytest.fixture
def packed() -> Packed:
    """Return a function that packs pixels into a file of a format."""

    def pack(pixels: Any, form: str = "PNG", mode: str | None = None, **options: Any) -> bytes:
        image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
        if mode is not None:
            image = image.convert(mode)
        file = io.BytesIO()
        image.save(file, form, **options)
        return file.getvalue()

    return pack


@pytest.fixture
def noise() -> np.ndarray:
    """Return a small photo of nothing in particular."""
    rng = np.random.default_rng(3)
    return rng.integers(0, 256, (60, 90, 3), dtype=np.uint8)
