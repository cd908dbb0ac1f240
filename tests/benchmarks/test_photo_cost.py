"""The cost of photos: what is timed is told, and what is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")

from benchmarks.photo_cost import main
from comraf.images.sample import write_photos


def test_all_steps_are_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Photos of a folder are read and clustered with both efforts."""
    write_photos(tmp_path / "p", 18, seed=0)
    assert main(["--folder", str(tmp_path / "p"), "-k", "3", "--jobs", "1"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("18 photos, 1 processes")
    assert len(re.findall(r": \d+\.\d s", told)) == 3
