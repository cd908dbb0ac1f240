"""``comraf assign`` with photos: how sure it is of them, and what it tells of captions."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="photos need the extra images (Pillow)")

from comraf.images.sample import write_photos
from tests.cli.talking import comraf, rows


@pytest.fixture(scope="module")
def albums(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Generated photos with captions, and the answer about 60 of them; 20 are left for later."""
    home = tmp_path_factory.mktemp("placed")
    write_photos(home / "all", 80, seed=3)
    for number, photo in enumerate(sorted((home / "all").glob("*.jpg"))):
        part = home / ("new" if number % 4 == 0 else "first")
        part.mkdir(exist_ok=True)
        shutil.copy(photo, part)
    shutil.copy(home / "all" / "captions.tsv", home / "first")
    return home / "first", home / "new"


def test_new_photos_are_no_surer_than_the_first(albums: tuple[Path, Path], tmp_path: Path) -> None:
    """Pixels are no independent witnesses: new photos are about as sure as those of the fit."""
    first, new = albums
    out, placed = tmp_path / "out", tmp_path / "placed.csv"
    by = ("--by", "colours,texture,blobs,neighbours")
    found = comraf("organize", first, "-k", 7, *by, "--effort", "quick", "-q", "--out", out)
    assert found.exit_code == 0, found.output
    assert comraf("assign", out, new, "--out", placed).exit_code == 0

    def mean(file: Path) -> float:
        return float(np.mean([float(row["confidence"]) for row in rows(file)]))

    assert abs(mean(placed) - mean(out / "clusters.csv")) < 0.1


def test_photos_without_captions_among_those_with(
    albums: tuple[Path, Path], tmp_path: Path
) -> None:
    """Where captions made the groups, and new photos have none, one line names --captions."""
    first, new = albums
    out = tmp_path / "out"
    by = ("--by", "words,colours")
    assert comraf("organize", first, "-k", 7, *by, "--effort", "quick", "--out", out).exit_code == 0
    found = comraf("assign", out, new)
    told = " ".join(found.output.split())
    assert found.exit_code == 0
    assert "captions helped to make these groups" in told
    assert "--captions FILE" in told
    captions = new.parent / "all" / "captions.tsv"
    some = tmp_path / "some.tsv"
    names = {photo.name for photo in new.iterdir()}
    lines = captions.read_text(encoding="utf-8").splitlines()
    some.write_text("\n".join(line for line in lines if line.split("\t")[0] in names))
    found = comraf("assign", out, new, "--captions", some)
    assert found.exit_code == 0, found.output
    assert "captions helped" not in found.output
