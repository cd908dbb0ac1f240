"""Photos of one colour, and the command line that they are given to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")
from PIL import Image
from typer.testing import CliRunner, Result

from comraf.cli import app

SHADES = {"sea": (30, 60, 170), "wood": (40, 110, 30)}
QUICK = ("--effort", "quick")


def shot(path: Path, colour: tuple[int, int, int], seed: int, **options: object) -> None:
    """Save a photo of one colour with some noise."""
    noise = np.random.default_rng(seed).integers(-25, 26, (48, 64, 3))
    pixels = np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, quality=90, **options)


def comraf(*words: object) -> Result:
    """Run the command line."""
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "120"})
