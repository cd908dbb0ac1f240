"""Photos of kinds that are not read, and files beside photos that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="photos need Pillow, the extra images")

from PIL import Image

from comraf.collection.detect import detect, open_reader
from comraf.collection.items import Skip
from comraf.collection.readers.images import PhotoReader
from comraf.errors import ReadError
from comraf.images.sample import write_photos
from tests.collection.given import read_all

MIF1 = b"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic" + bytes(40)
HEIC = MIF1.replace(b"ftypmif1", b"ftypheic")
AVIF = MIF1.replace(b"ftypmif1", b"ftypavif").replace(b"heic", b"miaf")
MP4 = MIF1.replace(b"ftypmif1", b"ftypisom").replace(b"mif1heic", b"isommp41")


def paint(path: Path) -> None:
    """A photo of noise."""
    pixels = np.random.default_rng(0).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)


@pytest.mark.parametrize(("head", "called"), [(HEIC, "HEIC"), (MIF1, "HEIC"), (AVIF, "AVIF")])
def test_only_photos_that_are_not_read(tmp_path: Path, head: bytes, called: str) -> None:
    """A phone's folder, or one of its photos: named as what it is, with the way out."""
    (tmp_path / "IMG_0001").write_bytes(head)
    for path in (tmp_path, tmp_path / "IMG_0001"):
        with pytest.raises(ReadError, match=f"{called} photos are not read; export them as JPEG"):
            detect(path)


def test_films_are_no_photos(tmp_path: Path) -> None:
    """What starts alike but is a film stays a binary file."""
    (tmp_path / "film.mp4").write_bytes(MP4)
    with pytest.raises(ReadError, match="is a binary file"):
        detect(tmp_path)


def test_photos_that_are_not_read_beside_others(tmp_path: Path) -> None:
    """They are noted by their kind, not by their ending; one called .jpg is skipped as HEIC."""
    paint(tmp_path / "a.png")
    (tmp_path / "b.HEIC").write_bytes(HEIC)
    (tmp_path / "c.heif").write_bytes(MIF1)
    (tmp_path / "d.jpg").write_bytes(HEIC)
    reader = PhotoReader(tmp_path)
    skips = read_all(reader)
    assert "2 HEIC photos are not read; export them as JPEG" in reader.notes
    assert not any("endings" in note for note in reader.notes)
    assert [s.reason for s in skips if isinstance(s, Skip)] == [
        "HEIC photos are not read; export them as JPEG"
    ]
    assert "3 HEIC" in open_reader(tmp_path).notes[0]


def test_a_sample_has_nothing_to_note(tmp_path: Path) -> None:
    """Captions and classes of a sample are no files left out; another table is."""
    write_photos(tmp_path / "photos", 4)
    reader = open_reader(tmp_path / "photos")
    reader.scan()
    assert reader.notes == []
    (tmp_path / "photos" / "classes.csv").write_text("colour,price\nred,3\n")
    reader = open_reader(tmp_path / "photos")
    assert reader.notes == ["read as images: 4 of 5 files looked at are images (the others: 1 csv)"]
    reader.scan()
    assert reader.notes[-1] == "1 file left out by its ending: .csv"
