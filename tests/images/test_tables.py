"""Tables of photos and regions, and blobs."""

from __future__ import annotations

import numpy as np
import pytest

from comraf import ComrafStar, NeighbourTable
from comraf.collection.vision.codebooks import learn_blobs
from comraf.errors import InputError
from comraf.estimators.organizer import Organizer
from comraf.images import (
    PHOTO_WEIGHTS,
    Codebook,
    Looks,
    Palette,
    Photo,
    blob_table,
    photo_features,
    photo_tables,
    photo_vectors,
)


@pytest.fixture(scope="module")
def photos():
    """Twelve photos of two kinds: plain red ones and striped blue ones."""
    rng = np.random.default_rng(5)
    found = []
    for number in range(12):
        pixels = np.zeros((48, 72, 3), np.uint8)
        pixels[..., 0 if number % 2 else 2] = 180
        if not number % 2:
            pixels[:, ::4] = 255
        pixels = pixels // 2 + rng.integers(0, 60, pixels.shape, dtype=np.uint8)
        found.append(photo_features(Photo(pixels, 72, 48)))
    return found


def test_shapes_and_sums(photos):
    """Tables of photos and of their regions count the same pixels."""
    found = photo_tables(photos, colours=64, blobs=5, regions=True)
    assert found.tables["colours"].shape == (12, 64)
    assert found.regions_colours.shape == (288, 64)
    assert (found.tables["colours"].sum(axis=1) == 48 * 72).all()
    summed = found.regions_colours.toarray().reshape(12, 24, 64).sum(axis=1)
    assert (summed == found.tables["colours"].toarray()).all()
    assert (found.images_regions.sum(axis=1) == 48 * 72).all()
    assert (found.images_regions.sum(axis=0) == found.regions_colours.sum(axis=1)).all()
    assert found.regions_texture.shape == (288, 12)
    assert found.tables["texture"].toarray().min() > 0
    assert found.names["colours"] == Palette(64).names


def test_kinds_differ(photos):
    """Photos of one kind share colours and blobs, those of two kinds do not."""
    found = photo_tables(photos, colours=64, blobs=4)
    blobs = found.tables["blobs"].toarray()
    assert (blobs.sum(axis=1) == 24).all()
    assert (blobs[0] @ blobs[2]) > 0
    assert (blobs[0] @ blobs[1]) == 0


def test_left_out(photos):
    """Sides that are not wanted are not made."""
    found = photo_tables(photos, colours=None, texture=False, blobs=None)
    assert found.tables == {}
    assert found.images_regions is None


def test_new_photos_same_blobs(photos):
    """A codebook maps new photos to the blobs of earlier ones."""
    first = photo_tables(photos, blobs=6)
    again = photo_tables(photos[3:5], blobs=first.codebook)
    assert again.names["blobs"] == first.names["blobs"]
    assert (again.tables["blobs"].toarray() == first.tables["blobs"].toarray()[3:5]).all()


def test_same_seed_same_blobs(photos):
    """Nothing depends on chance but on the seed."""
    one, two = (photo_tables(photos, blobs=6).codebook for _ in range(2))
    assert (one.centers == two.centers).all()
    other = Codebook.learn(np.concatenate([p.features for p in photos]), 6, seed=1)
    assert other.names[0] != one.names[0]


def test_blobs_are_k_means():
    """Well separated regions are found again, and each is nearest to its centre."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(7, 5)) * 30
    truth = np.arange(700) % 7
    features = centers[truth] + rng.normal(size=(700, 5))
    labels = Codebook.learn(features, 7).assign(features)
    pairs = set(zip(truth.tolist(), labels.tolist(), strict=True))
    assert len(pairs) == 7


def test_fewer_regions_than_blobs():
    """There are no more blobs than different regions, and a constant feature is no trouble."""
    features = np.repeat(np.arange(3.0)[:, None] * [1.0, 0.0], 8, axis=0)
    codebook = Codebook.learn(features, 100)
    assert len(codebook) == 3
    assert sorted(np.bincount(codebook.assign(features)).tolist()) == [8, 8, 8]


def test_empty_is_refused():
    """No photos, and an iterator that can be gone through only once, are refused."""
    with pytest.raises(InputError, match="no photos"):
        photo_tables([])
    with pytest.raises(InputError, match="several times"):
        photo_tables(iter([1]))


@pytest.mark.parametrize("labels", [[0] * 23, [0.5] * 24, [-1] * 24, []])
def test_bad_labels(labels):
    """Labels that are no labels of regions are refused."""
    with pytest.raises(InputError, match="labels"):
        blob_table(labels)


def test_labels_from_elsewhere():
    """Clusters of regions, however found, become photos x blobs."""
    table = blob_table(np.r_[np.zeros(24, int), np.arange(24) % 3], 4)
    assert table.toarray().tolist() == [[24, 0, 0, 0], [8, 8, 8, 0]]


def test_bad_codebook():
    """A codebook that is none is refused, and so are regions of another kind."""
    with pytest.raises(InputError, match="scales above 0"):
        Codebook([[1.0]], [0.0], [0.0])
    with pytest.raises(InputError, match="features"):
        Codebook([[1.0]], [0.0], [1.0]).assign(np.zeros((3, 2)))
    with pytest.raises(InputError, match="n_blobs=0"):
        Codebook.learn(np.zeros((3, 2)), 0)


def test_tables_are_a_mapping(photos):
    """Names, tables and weights go together, are printed shortly, and take captions in."""
    found = photo_tables(photos, colours=64, blobs=5, regions=True)
    assert list(found) == ["colours", "texture", "blobs"]
    assert found["colours"] is found.tables["colours"]
    assert [table.shape[0] for table in found.values()] == [12, 12, 12]
    assert repr(found) == "PhotoTables(12 photos: colours 64, texture 12, blobs 5; 288 regions)"
    both = found | {"words": np.ones((12, 7), int)}
    assert both["words"].shape == (12, 7)
    assert "words" not in found
    assert both.weights == {name: PHOTO_WEIGHTS[name] for name in found}
    assert list({"words": np.ones((12, 7), int)} | found) == ["words", *found]
    other = found | {"blobs": np.ones((12, 3), int)}
    assert other.codebook is None
    assert "blobs" not in other.names
    assert (found | photo_tables(photos, blobs=4)).names["blobs"] != found.names["blobs"]
    assert both.images_regions is found.images_regions
    assert found == found
    assert found != both
    with pytest.raises(InputError, match="'words' has 3 rows, but there are 12 photos"):
        found | {"words": np.ones((3, 7), int)}


def test_neighbours_by_looks(photos):
    """Photos are near those of their kind, and so are new ones to the photos they are put among."""
    found = photo_tables(photos, blobs=4, neighbours=3)
    assert isinstance(found["neighbours"], NeighbourTable)
    assert found.weights["neighbours"] == PHOTO_WEIGHTS["neighbours"]
    near = found["neighbours"].toarray()
    assert (near.sum(axis=1) == 3).all()
    assert near[::2, 1::2].sum() == near[1::2, ::2].sum() == near.trace() == 0
    model = ComrafStar(2, effort="quick", random_state=0).fit(found)
    by_name = {node.name: node.observed for node in model.graph_.nodes}
    assert by_name["neighbours"] == "singletons"
    weights = {edge.b: edge.weight for edge in model.graph_.edges}
    assert weights == {name: PHOTO_WEIGHTS[name] for name in found}
    new = photo_tables(photos[:3], blobs=found.codebook, neighbours=found.looks)
    assert new["neighbours"].shape == (3, 12)
    assert (new["neighbours"].diagonal() == 1).all()  # each is nearest to itself
    assert (model.predict(new) == model.labels_[:3]).all()
    assert (found | {"neighbours": near}).looks is None


def test_vectors_are_on_one_scale(photos):
    """Each feature has mean 0 and deviation 1 over all regions, or is 0 where it never varies."""
    looks = photo_vectors(photos)
    regions = looks.vectors.reshape(-1, 30)
    assert np.abs(regions.mean(axis=0)).max() < 1e-4
    assert np.allclose(regions.std(axis=0), 1, atol=1e-4)
    assert np.allclose(looks.of(photos[4:6]), looks.vectors[4:6])
    plain = photo_features(Photo(np.full((48, 72, 3), 77, np.uint8), 72, 48))
    assert not photo_vectors([plain] * 7).vectors.any()
    with pytest.raises(InputError, match="no photos"):
        photo_vectors([])
    with pytest.raises(InputError, match="positive"):
        Looks(looks.vectors, looks.mean, 0 * looks.scale)
    with pytest.raises(InputError, match="720"):
        Looks(looks.vectors[:, :9], looks.mean, looks.scale)


def test_graph_of_images_and_regions(photos):
    """The graph of figure 7.2: images and regions hidden, all else observed."""
    found = photo_tables(photos, blobs=None, regions=True) | {"words": np.ones((12, 3), int)}
    graph = found.graph(2, n_blobs=6)
    hidden = {node.name: node.n_clusters for node in graph.nodes if node.hidden}
    assert hidden == {"images": 2, "regions": 6}
    # regions are told apart by fewer colours than images
    assert graph.sizes["colours"] == 256
    assert graph.sizes["region colours"] == 64
    assert graph.sizes["words"] == 3
    with pytest.raises(InputError, match="regions=True"):
        photo_tables(photos, blobs=None).graph(2)


def test_at_most_two_blobs_for_each_photo(photos):
    """However many are asked for; and numbers that are none are refused."""
    assert len(photo_tables(photos[:4], blobs=100).codebook) == 8
    assert len(photo_tables(photos[:4]).codebook) == 8
    for bad in (0, True, "many"):
        with pytest.raises(InputError, match="blobs="):
            photo_tables(photos, blobs=bad)
    with pytest.raises(InputError, match="blobs_by='magic'"):
        photo_tables(photos, blobs_by="magic")


def test_what_are_no_features_is_refused_with_the_way_to_them():
    """Pictures, names and folders are answered by what makes features of them."""
    for given in ("Photos", ["a.jpg"], [np.zeros((4, 4, 3))], 7):
        with pytest.raises(InputError, match=r"photo_features\(open_photo\(path\)\)"):
            photo_tables(given)


def test_photos_counted_otherwise_are_refused(photos):
    """Columns of another palette or codebook are no columns of the fit, as many as they may be."""
    tables = photo_tables(photos, blobs=6)
    for model in (
        ComrafStar(2, effort="quick", random_state=0).fit(tables),
        Organizer(2, effort="quick", random_state=0).fit(tables),
    ):
        same = photo_tables(photos[:4], blobs=tables.codebook)
        assert (model.predict(same) == model.labels_[:4]).all()
        other = photo_tables(photos, blobs=learn_blobs(photos, 6, seed=7))
        assert other["blobs"].shape == tables["blobs"].shape
        with pytest.raises(InputError, match=r"'blobs' has other columns.*blobs=tables\.codebook"):
            model.predict(other)
        with pytest.raises(InputError, match="'colours' has other columns"):
            model.predict(photo_tables(photos, space="lab", blobs=tables.codebook))
        # tables without names are taken as they stand
        assert (model.predict(dict(same)) == model.labels_[:4]).all()


def test_columns_in_another_order(photos):
    """What is named is found by its name."""
    tables = photo_tables(photos, blobs=6)
    model = ComrafStar(2, effort="quick", random_state=0).fit(tables)
    turned = tables | {"colours": tables["colours"][:, ::-1]}
    turned.names["colours"] = tables.names["colours"][::-1]
    assert (model.predict(turned) == model.labels_).all()
    assert np.allclose(model.place(turned).margin, model.place(tables).margin)


def test_flat_drawings():
    """Photos without any texture have no such table, and can be clustered by what they have."""
    shades = [np.full((48, 72, 3), shade, np.uint8) for shade in (0, 3, 250, 255)]
    flat = [photo_features(Photo(pixels, 72, 48)) for pixels in shades]
    tables = photo_tables(flat, blobs=2, regions=True)
    assert list(tables) == list(tables.names) == ["colours", "blobs"]
    assert tables.regions_texture is None
    labels = ComrafStar(2, random_state=0).fit_predict(tables)
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert "texture" not in tables.graph(2, n_blobs=2).index
    assert list(photo_tables(flat, colours=None, blobs=None)) == []


@pytest.mark.parametrize("bad", [0, -5, 2.5, "x", None])
def test_numbers_of_clusters_are_checked(photos, bad):
    """Numbers that are none are refused by name."""
    tables = photo_tables(photos, blobs=None, regions=True)
    with pytest.raises(InputError, match="n_blobs="):
        tables.graph(2, n_blobs=bad)
    with pytest.raises(InputError, match="n_clusters="):
        tables.graph(bad)
    if bad != 0:
        with pytest.raises(InputError, match="seed="):
            photo_tables(photos, blobs=5, seed=bad)


def test_marks_of_codebooks():
    """A mark tells some billions of codebooks apart."""
    names = Codebook(np.zeros((2, 3)), np.zeros(3), np.ones(3)).names
    assert {len(name.split()[-1]) for name in names} == {8}
