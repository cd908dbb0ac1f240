"""What is told where there is nothing to find."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")

from comraf.images.sample import sample_photo
from tests.cli.talking import comraf


def test_photos_that_are_all_the_same(tmp_path: Path) -> None:
    """Groups of copies are a warning; one photo that differs is enough to find something."""
    album = tmp_path / "album"
    album.mkdir()
    (album / "0.jpg").write_bytes(sample_photo(0).jpeg())
    for number in range(1, 12):
        shutil.copy(album / "0.jpg", album / f"{number}.jpg")
    quick = ("-k", 2, "--effort", "quick")
    found = comraf("organize", album, *quick, "--out", tmp_path / "same")
    assert found.exit_code == 0, found.output
    assert "nothing to find: the photos are all alike" in " ".join(found.output.split())
    (album / "0.jpg").write_bytes(sample_photo(1).jpeg())
    found = comraf("organize", album, *quick, "--out", tmp_path / "other")
    assert "nothing to find" not in " ".join(found.output.split())
