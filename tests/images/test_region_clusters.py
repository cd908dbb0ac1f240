"""Blobs that Comraf makes of regions."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.collection.vision.counting import region_rows
from comraf.errors import InputError
from comraf.images import Photo, RegionClusters, photo_features, photo_tables, region_clusters


@pytest.fixture(scope="module")
def photos():
    """Twenty photos: a sky above, one of two grounds below."""
    rng = np.random.default_rng(2)
    found = []
    for number in range(20):
        pixels = np.zeros((48, 72, 3), np.uint8)
        pixels[:24] = (90, 140, 230)
        pixels[24:] = (40, 150, 40) if number % 2 else (210, 190, 120)
        if not number % 4:
            pixels[24:, ::6] //= 2
        pixels = pixels // 2 + rng.integers(0, 50, pixels.shape, dtype=np.uint8)
        found.append(photo_features(Photo(pixels, 72, 48)))
    return found


def test_regions_alike_share_a_blob(photos):
    """Skies are together, and the two grounds apart."""
    found = photo_tables(photos, blobs=6, blobs_by="comraf")
    assert isinstance(found.codebook, RegionClusters)
    assert len(found.codebook) == 6
    blobs = found.region_blobs.reshape(20, 24)
    sky, grass, sand = (
        set(blobs[:, :12].flat),
        set(blobs[1::2, 12:].flat),
        set(blobs[::2, 12:].flat),
    )
    assert not sky & grass
    assert not sky & sand
    assert not grass & sand
    assert (found["blobs"].sum(axis=1) == 24).all()


def test_new_photos_go_where_old_ones_went(photos):
    """The blobs of earlier photos, applied to the same photos, are mostly theirs again."""
    first = photo_tables(photos, blobs=6, blobs_by="comraf")
    again = photo_tables(photos[:5], blobs=first.codebook)
    assert again.names["blobs"] == first.names["blobs"]
    assert (again.region_blobs == first.region_blobs[:120]).all()


def test_many_regions_are_sampled(photos, monkeypatch):
    """A part of the regions is clustered, all are placed; the same seed gives the same blobs."""
    monkeypatch.setattr(region_clusters, "_MOST_REGIONS", 100)
    one, two = (photo_tables(photos, blobs=6, blobs_by="comraf", seed=3) for _ in range(2))
    assert one.names["blobs"] == two.names["blobs"]
    assert (one.region_blobs == two.region_blobs).all()
    assert one.region_blobs.shape == (480,)
    other = photo_tables(photos, blobs=6, blobs_by="comraf", seed=4)
    assert other.names["blobs"] != one.names["blobs"]


def test_one_colour_without_texture():
    """Photos of one flat colour have no texture to be clustered by, and no trouble with it."""
    flat = [
        photo_features(Photo(np.full((24, 36, 3), shade, np.uint8), 36, 24)) for shade in (9, 250)
    ]
    found = photo_tables(flat, blobs_by="comraf")
    assert list(found.codebook.counts) == ["colours"]
    first, second = found.region_blobs.reshape(2, 24)
    assert not set(first) & set(second)


def test_centres_are_averages(photos):
    """What a blob looks like is the average of its regions' features."""
    rows = np.concatenate([region_rows(one) for one in photos])
    features = np.concatenate([one.features for one in photos])
    book = RegionClusters.learn_from(rows, features, 5)
    labels = book.assign(rows)
    seen = book.centers * book.scale + book.mean
    np.testing.assert_allclose(features[labels == 2].mean(axis=0), seen[2], rtol=0.05, atol=0.02)


def test_bad_clusters_are_refused():
    """Counts of another shape, and rows of another kind, are no clusters of regions."""
    args = np.zeros((2, 3)), np.zeros(3), np.ones(3)
    with pytest.raises(InputError, match="'colours'"):
        RegionClusters(*args, {"colours": np.ones((2, 5))}, {"colours": 1.0}, {"colours": 1.0})
    with pytest.raises(InputError, match="above 0"):
        RegionClusters(*args, {"colours": np.ones((2, 64))}, {"colours": 0.0}, {"colours": 1.0})
    book = RegionClusters(*args, {"colours": np.ones((2, 64))}, {"colours": 1.0}, {"colours": 1.0})
    with pytest.raises(InputError, match="rows of 64 colours"):
        book.assign(np.zeros((24, 30)))
