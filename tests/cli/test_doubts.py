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


def test_a_search_without_time_says_nothing_about_the_documents(
    reviews: Path, tmp_path: Path
) -> None:
    """Groups that nobody has looked for are no sign that there are none."""
    asked = ("organize", reviews, "-k", 3, "--effort", "quick", "--time-limit", "1e-9")
    found = comraf(*asked, "--out", tmp_path / "out")
    assert found.exit_code == 0, found.output
    assert "time limit was reached" in found.stderr
    assert "nothing to find" not in found.stderr
