"""What is kept of a photo, in memory and on disk."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace

import numpy as np
import pytest

from comraf.collection.vision.cache import photo_digest
from comraf.collection.vision.regions import (
    FEATURE_NAMES,
    N_REGIONS,
    TEXTURE_NAMES,
    gabor_energies,
    grey_of,
    region_features,
    region_labels,
    region_means,
    texture_masses,
)
from comraf.errors import ReadError
from comraf.images import FeatureCache, Photo, PhotoFeatures, open_photo, photo_features


@pytest.mark.parametrize("shape", [(24, 24), (25, 37), (192, 127), (101, 192)])
def test_grid(shape):
    """Means of blocks are those of labelled pixels, whatever the size; all regions have some."""
    rng = np.random.default_rng(1)
    values = rng.random(shape)
    labels = region_labels(*shape).ravel()
    sizes = np.bincount(labels, minlength=N_REGIONS)
    assert sizes.min() > 0
    assert sizes.max() < 3 * sizes.min() + 8
    assert np.allclose(region_means(values), np.bincount(labels, values.ravel()) / sizes)


def test_thirty_features(noise):
    """Moments are those of a plain computation with Lab and RGB, region by region."""
    energies = gabor_energies(noise[..., 0] / np.float32(255))
    found = region_features(noise, energies)
    assert found.shape == (24, 30) == (24, len(FEATURE_NAMES))
    red = noise[..., 0][region_labels(60, 90) == 7] / 255
    third = ((red - red.mean()) ** 3).mean() / red.std() ** 3
    named = dict(zip(FEATURE_NAMES, found[7].tolist(), strict=True))
    assert named["mean of red"] == pytest.approx(red.mean(), abs=1e-4)
    assert named["deviation of red"] == pytest.approx(red.std(), abs=1e-4)
    assert named["skewness of red"] == pytest.approx(third, abs=1e-3)


def test_plain_photo_has_no_texture():
    """One colour has no energy, no deviation and no skewness, and nothing is NaN."""
    found = photo_features(Photo(np.full((50, 70, 3), 123, np.uint8), 70, 50))
    assert found.texture.max() < 1e-5
    assert np.isfinite(found.features).all()
    assert np.abs(found.features[:, 18:]).max() < 1e-3


@pytest.mark.parametrize("wave", [16, 8, 4])
@pytest.mark.parametrize("turn", range(4))
def test_gabor_finds_stripes(wave, turn):
    """Stripes of a scale and a direction excite that filter most."""
    y, x = np.mgrid[:96, :144]
    angle = np.pi * turn / 4
    along = x * np.cos(angle) + y * np.sin(angle)
    grey = (0.5 + 0.5 * np.cos(2 * np.pi * along / wave)).astype(np.float32)
    best = int(gabor_energies(grey).mean(axis=0).argmax())
    assert best == [16, 8, 4].index(wave) * 4 + turn
    assert len(TEXTURE_NAMES) == 12


def test_gabor_knows_where():
    """Texture in one corner is energy of that corner's regions."""
    grey = np.full((96, 144), 0.5, np.float32)
    grey[:24, :24] = np.indices((24, 24)).sum(axis=0) % 2
    energies = gabor_energies(grey).sum(axis=1)
    assert energies.argmax() == 0
    assert energies[23] < 0.01 * energies[0]


def test_triplets_add_up(noise):
    """Counts of bins sum to the pixels of regions and of the photo."""
    found = photo_features(Photo(noise, 90, 60))
    assert found.region_sizes.sum() == 60 * 90 == found.colours()[1].sum()
    assert (found.region_sizes == np.bincount(region_labels(60, 90).ravel())).all()


def test_there_and_back(noise):
    """Features come back from their bytes as they were, and the thumbnail is a photo."""
    found = photo_features(Photo(noise, 900, 600, place="48.9N 2.4E", notes=("x",)))
    again = PhotoFeatures.from_bytes(found.to_bytes())
    assert (PhotoFeatures.features_in(found.to_bytes()) == found.features).all()
    for name in ("regions", "bins", "counts", "texture", "features"):
        assert (getattr(again, name) == getattr(found, name)).all()
    assert (again.width, again.place, again.notes) == (900, "48.9N 2.4E", ("x",))
    assert found.to_bytes() == again.to_bytes()
    assert max(open_photo(again.thumbnail).pixels.shape) <= 160


def test_damaged_bytes(noise):
    """Damaged features are a ReadError, wherever the damage is."""
    whole = photo_features(Photo(noise, 90, 60)).to_bytes()
    with pytest.raises(ReadError, match="damaged"):
        PhotoFeatures.from_bytes(whole[:-40])
    with pytest.raises(ReadError, match="damaged"):
        PhotoFeatures.from_bytes(b"nothing")
    for bad in (whole[:-40], b"nothing"):
        with pytest.raises(ReadError, match="damaged"):
            PhotoFeatures.features_in(bad)
    rng = np.random.default_rng(0)
    for _ in range(60):
        data = np.frombuffer(whole, np.uint8).copy()
        data[rng.integers(0, len(data), 8)] = rng.integers(0, 256, 8)
        try:
            again = PhotoFeatures.from_bytes(data.tobytes())
            assert again.texture.shape == (24, 12)
        except ReadError:
            pass


def test_cache(packed, noise, tmp_path):
    """Features are computed once, and again when their file is damaged."""
    cache = FeatureCache(tmp_path / "deep" / "cache")
    data = packed(noise)
    digest = photo_digest(data)
    assert cache.get(digest) is None
    first = cache.of(data)
    assert list(cache.digests()) == [digest]
    (path,) = (p for p in cache.folder.rglob("*.npz"))
    before = path.stat().st_mtime_ns
    assert (cache.of(data).bins == first.bins).all()
    assert path.stat().st_mtime_ns == before
    path.write_bytes(path.read_bytes()[:100])
    assert cache.get(digest) is None
    assert (cache.of(data).bins == first.bins).all()
    assert cache.get(digest) is not None
    assert not list(cache.folder.rglob(".*"))


def test_cache_of_another_size(packed, noise, tmp_path):
    """A photo looked at with another size has other features."""
    data = packed(np.repeat(noise, 3, axis=0))
    FeatureCache(tmp_path).of(data)
    other = FeatureCache(tmp_path, side=96)
    assert other.get(photo_digest(data)) is None


def test_cache_names(tmp_path):
    """No name leads out of the folder."""
    with pytest.raises(ReadError, match="fingerprint"):
        FeatureCache(tmp_path).put("../../etc", None)
    assert FeatureCache(tmp_path).get("../../etc") is None


def _fill(folder: str, files: list[bytes]) -> None:
    cache = FeatureCache(folder)
    for data in files:
        cache.of(data)


def test_cache_shared(packed, tmp_path):
    """Two processes that fill one folder at once leave whole files, one a photo."""
    files = [packed(np.full((24, 24, 3), value, np.uint8)) for value in range(0, 250, 25)]
    context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
    crew = [context.Process(target=_fill, args=(str(tmp_path), files)) for _ in range(2)]
    for process in crew:
        process.start()
    for process in crew:
        process.join(30)
    cache = FeatureCache(tmp_path)
    assert len(list(cache.digests())) == len(files)
    assert all(cache.get(digest) is not None for digest in cache.digests())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("counts", 4_000_000_000),
        ("counts", 0),
        ("texture", 3e4),
        ("texture", 3e38),
        ("texture", np.nan),
        ("features", 3e38),
        ("features", np.inf),
    ],
)
def test_numbers_no_photo_can_have(packed, noise, tmp_path, name, value):
    """Kept features with such numbers are damaged, and made anew."""
    cache = FeatureCache(tmp_path)
    data = packed(noise)
    good = cache.of(data)
    bad = replace(good, **{name: np.full_like(getattr(good, name), value)})
    with pytest.raises(ReadError, match="damaged"):
        PhotoFeatures.from_bytes(bad.to_bytes())
    if name == "features":
        with pytest.raises(ReadError, match="damaged"):
            PhotoFeatures.features_in(bad.to_bytes())
    cache.put(photo_digest(data), bad)
    assert cache.get(photo_digest(data)) is None
    assert (getattr(cache.of(data), name) == getattr(good, name)).all()


def test_photo_without_pixels(noise):
    """Features of no pixels are damaged."""
    none = {name: np.zeros(0, kind) for name, kind in (("regions", "u1"), ("bins", "u2"))}
    bad = replace(photo_features(Photo(noise, 90, 60)), counts=np.zeros(0, "u4"), **none)
    with pytest.raises(ReadError, match="no pixels"):
        PhotoFeatures.from_bytes(bad.to_bytes())


def test_extreme_photos_are_none_of_these():
    """The hardest contrasts, and a single bright pixel, stay within the bounds."""
    checks = (np.indices((192, 192)).sum(axis=0) % 2 * 255).astype(np.uint8)
    stripes = np.tile(np.repeat(np.uint8([255, 0]), 2), (192, 48))
    speck = np.zeros((192, 192), np.uint8)
    speck[5, 5] = 255
    for grey in (checks, stripes, speck):
        found = photo_features(Photo(np.repeat(grey[..., None], 3, axis=2), 192, 192))
        assert PhotoFeatures.from_bytes(found.to_bytes()).texture.max() < 1


def test_huge_file_in_the_cache(packed, noise, tmp_path, monkeypatch):
    """A file too large for features of a photo is not read, and made anew."""
    cache = FeatureCache(tmp_path)
    data = packed(noise)
    cache.of(data)
    (path,) = tmp_path.rglob("*.npz")
    with path.open("wb") as file:
        file.truncate(3 << 30)  # a hole: it takes no space
    with monkeypatch.context() as patch:
        patch.setattr(PhotoFeatures, "from_bytes", lambda data: pytest.fail("it was read"))
        assert cache.get(photo_digest(data)) is None
    assert cache.of(data).width == 90
    assert path.stat().st_size < 1 << 20


@pytest.mark.parametrize(("wave", "scale"), [(16, "coarse"), (8, "medium"), (4, "fine")])
@pytest.mark.parametrize("angle", ["0", "90"])
def test_waves_of_a_length_answer_at_their_scale(wave, scale, angle):
    """Of one height, and of the same strength at every scale but for the root of its length."""
    x = np.arange(192)
    line = 0.5 + 0.25 * np.cos(2 * np.pi * x / wave)
    grey = np.tile(line, (192, 1)).astype(np.float32)
    grey = grey if angle == "0" else grey.T.copy()
    energies = gabor_energies(grey).mean(axis=0)
    best = int(energies.argmax())
    assert TEXTURE_NAMES[best] == f"{scale} {angle}°"
    # half of the height of the wave on either side of the frequencies, by the filter's own scale
    assert energies[best] == pytest.approx(0.125 / np.sqrt(wave), rel=0.03)


def test_a_tilted_wave_answers_at_its_angle():
    """At 45 degrees brightness changes from the upper left to the lower right."""
    y, x = np.mgrid[:192, :192]
    for sign, name in ((1, "medium 45°"), (-1, "medium 135°")):
        grey = 0.5 + 0.25 * np.cos(2 * np.pi * (x + sign * y) / (8 * np.sqrt(2)))
        energies = gabor_energies(grey.astype(np.float32)).mean(axis=0)
        assert TEXTURE_NAMES[int(energies.argmax())] == name


def test_grey_weighs_colours_as_eyes_do():
    """Green is brightest and blue is darkest, and together they are white."""
    pixels = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]], np.uint8)
    assert grey_of(pixels)[0] == pytest.approx([0.299, 0.587, 0.114, 1.0], abs=1e-6)


def test_masses_of_texture_are_of_one_fineness():
    """A hundred-thousandth counts, and half of one does as well as rounding has it."""
    assert texture_masses(np.array([1e-5, 0.4e-5, 0.6e-5, 0.5])).tolist() == [1, 0, 1, 50_000]


@pytest.mark.parametrize("wave", [16, 8])
@pytest.mark.parametrize("turn", range(4))
def test_filters_touch_at_half_their_height(wave, turn):
    """Halfway to the next direction, on both sides, and to the next scale, half is left."""
    y, x = np.mgrid[:192, :192]

    def energy(forward, sideward):
        angle = np.pi * turn / 4
        u = forward * np.cos(angle) - sideward * np.sin(angle)
        v = forward * np.sin(angle) + sideward * np.cos(angle)
        grey = (0.5 + 0.5 * np.cos(2 * np.pi * (x * u + y * v) / wave)).astype(np.float32)
        return gabor_energies(grey).mean(axis=0)[[16, 8, 4].index(wave) * 4 + turn]

    most = energy(1, 0)
    assert most == pytest.approx(0.25 / np.sqrt(wave), rel=0.1)
    for side in (np.tan(np.pi / 8), -np.tan(np.pi / 8)):
        assert energy(1, side) == pytest.approx(most / 2, rel=0.15)
    for along in (2 / 3, 4 / 3):
        assert energy(along, 0) == pytest.approx(most / 2, rel=0.15)
