"""Sample photos: the same for everybody, whole, neither too easy nor too hard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="photos need Pillow, the extra images")

from comraf import ComrafStar
from comraf.errors import InputError, WriteError
from comraf.images import PHOTO_WEIGHTS, open_photo, photo_features, photo_tables
from comraf.images.sample import SCENE_NAMES, iter_photos, sample_photo, write_photos
from comraf.metrics import micro_accuracy


def test_same_seed_same_photos() -> None:
    """Pixels, captions, dates and places depend on seed and number alone."""
    first, again = sample_photo(5, seed=3), sample_photo(5, seed=3)
    assert np.array_equal(first.pixels, again.pixels)
    assert (first.captions, first.date, first.place) == (again.captions, again.date, again.place)
    other = sample_photo(5, seed=4)
    assert first.pixels.shape != other.pixels.shape or (first.pixels != other.pixels).any()


def test_folder_is_whole(tmp_path: Path) -> None:
    """Every photo opens, and captions and classes name files that are there."""
    made = write_photos(tmp_path / "p", 27, 1)
    names = {path.name for path in made.glob("*.jpg")}
    assert len(names) == 27
    for name in names:
        assert max(open_photo(made / name).pixels.shape) <= 240
    told = dict(line.split(",") for line in (made / "classes.csv").read_text().splitlines()[1:])
    assert told.keys() == names
    assert set(told.values()) == set(SCENE_NAMES)
    captioned = [line.split("\t") for line in (made / "captions.tsv").read_text().splitlines()]
    assert all(len(line) == 2 and line[0] in names and line[1].strip() for line in captioned)
    assert 20 <= len({name for name, _ in captioned}) < 28


def test_dates_and_places_are_read_back() -> None:
    """What was written to the EXIF is what the reader finds there."""
    found = 0
    for photo in iter_photos(18):
        seen = open_photo(photo.jpeg())
        assert (seen.date is None) == (photo.date is None)
        if photo.date is not None:
            assert seen.date == photo.date.replace(microsecond=0)
        assert bool(seen.place) == (photo.place is not None)
        if photo.place is not None:
            north, east = (float(part[:-1]) for part in seen.place.split())
            assert abs(north - abs(photo.place[0])) <= 0.06
            assert abs(east - abs(photo.place[1])) <= 0.06
            found += 1
    assert 0 < found < 18


def test_neither_trivial_nor_hopeless() -> None:
    """Colours alone find some of the scenes; with texture and blobs it is more, but not all."""
    photos = list(iter_photos(135))
    seen = photo_tables([photo_features(open_photo(one.jpeg())) for one in photos], blobs=200)
    truth = [photo.scene for photo in photos]
    scores = []
    for names in (("colours",), ("colours", "texture", "blobs")):
        weights = {name: PHOTO_WEIGHTS[name] for name in names}
        model = ComrafStar(len(SCENE_NAMES), edge_weights=weights, random_state=0)
        labels = model.fit_predict({name: seen.tables[name] for name in names})
        scores.append(micro_accuracy(truth, labels))
    assert 0.4 < scores[0] < scores[1] < 0.98


def test_nothing_half_written(tmp_path: Path) -> None:
    """Where writing fails, or the folder is taken, nothing is left behind."""
    (tmp_path / "file").touch()
    for taken in (tmp_path / "file", tmp_path):
        with pytest.raises(WriteError):
            write_photos(taken, 2)
    with pytest.raises(WriteError, match=r"there is no folder .*no; make it first"):
        write_photos(tmp_path / "no" / "where", 2)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("bad", [{"n_photos": 0}, {"n_photos": True}, {"seed": -1}])
def test_bad_numbers(tmp_path: Path, bad: dict[str, int]) -> None:
    """Numbers that make no sense are refused by name."""
    with pytest.raises(InputError, match=next(iter(bad))):
        write_photos(tmp_path / "p", **bad)
