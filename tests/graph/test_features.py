"""Features as tables: what each way makes, what is refused, and that groups survive it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine

from comraf import ComrafStar, NeighbourTable, feature_table, feature_tables
from comraf.errors import InputError
from comraf.metrics import micro_accuracy

WAYS = ["neighbours", "bins", "codewords", "halves"]
RNG = np.random.default_rng(0)
KINDS = np.arange(60) % 3
CENTRES = np.array([[6, -6, 0, 5, -5], [-6, 0, 6, 5, 0], [0, 6, -6, -5, 5]])
POINTS = RNG.normal(size=(60, 5)) + CENTRES[KINDS]


@pytest.mark.parametrize("how", WAYS)
def test_every_way_makes_whole_counts_that_keep_the_groups(how):
    """Three clear groups of points are found again in each kind of table."""
    table = feature_table(POINTS, how)
    assert sp.issparse(table)
    assert table.shape[0] == 60
    assert table.data.min() > 0
    assert (table.data == np.rint(table.data)).all()
    labels = ComrafStar(3, random_state=0).fit_predict(table)
    assert micro_accuracy(KINDS, labels) > 0.95


@pytest.mark.parametrize("how", WAYS)
def test_scale_and_place_of_a_feature_do_not_matter(how):
    """Other units give the same table; a feature that never changes adds nothing to it."""
    other = POINTS * [1e-150, 1, 1024, 2, 0.5] + [0, 1, 0, 4, 0]
    plain = feature_table(POINTS, how).toarray()
    np.testing.assert_allclose(feature_table(other, how).toarray(), plain, atol=1)
    if how != "bins":
        constant = feature_table(np.hstack([POINTS, np.full((60, 1), 7.0)]), how)
        np.testing.assert_array_equal(constant.toarray(), plain)


def test_auto_keeps_counts_and_finds_neighbours_of_measurements():
    """Mostly zero and never negative: counts, or weights of them. All else: neighbours."""
    counts = (RNG.random((40, 30)) < 0.1).astype(int)
    counts[:, 0] = 1
    np.testing.assert_array_equal(feature_table(counts).toarray(), counts)
    np.testing.assert_array_equal(feature_table(sp.csc_matrix(counts)).toarray(), counts)
    assert not isinstance(feature_table(counts), NeighbourTable)
    weights = counts * RNG.random(30)  # such as tf-idf
    np.testing.assert_array_equal(feature_table(weights).toarray(), weights)
    assert list(feature_tables({"title": weights, "text": weights})) == ["title", "text"]
    # three neighbours by cosines of the weights as they are, the row itself left out
    near = feature_table(weights, "neighbours", n_neighbors=3).toarray()
    lengths = np.linalg.norm(weights, axis=1)
    cosines = weights @ weights.T / np.outer(lengths, lengths) - 9 * np.eye(40)
    closest = np.argsort(-cosines, axis=1)[:, :3]
    assert np.mean([near[i, closest[i]].all() for i in range(40)]) > 0.9
    for measured in (POINTS, np.rint(10 * np.abs(POINTS)), -counts, np.abs(POINTS)):
        assert isinstance(feature_table(measured), NeighbourTable)
    assert isinstance(feature_table(counts, "neighbours"), NeighbourTable)
    frame = pd.DataFrame(POINTS)
    assert (feature_table(frame) != feature_table(POINTS)).nnz == 0


def test_bins_share_a_value_between_two_quantiles():
    """Every feature of every row has the same mass; the middle value is in the middle bin."""
    table = feature_table(np.arange(5.0)[:, None] ** 3, "bins", n_bins=3).toarray()
    assert (table.sum(axis=1) == 32).all()
    assert table[2].tolist() == [0, 32, 0]
    assert table[0, 0] > table[0, 1] > 0
    assert table[4, 2] > table[4, 1] > 0


def test_what_is_no_matrix_of_features_is_refused():
    """The message says what was given and what to do."""
    with pytest.raises(InputError, match="counts are 0 or more"):
        feature_table(POINTS, "counts")
    with pytest.raises(InputError, match="not finite"):
        feature_table([[1.0, np.nan]])
    with pytest.raises(InputError, match="shape"):
        feature_table([1.0, 2.0])
    with pytest.raises(InputError, match="no matrix of numbers"):
        feature_table([["a", "b"]])
    with pytest.raises(InputError, match="choose one of"):
        feature_table(POINTS, "magic")
    with pytest.raises(InputError, match="nothing tells them apart"):
        feature_table(np.ones((4, 3)), "halves")
    with pytest.raises(InputError, match="n_bins"):
        feature_table(POINTS, "bins", n_bins=1)
    with pytest.raises(InputError, match="61 for 60 rows"):
        feature_table(POINTS, "codewords", n_codewords=61)


def test_neighbours_beat_raw_measurements_on_real_ones():
    """Wines by their chemistry: proline in hundreds must not drown all else."""
    wine = load_wine()
    raw = ComrafStar(3, random_state=0).fit_predict(feature_table(wine.data, "counts"))
    near = ComrafStar(3, random_state=0).fit_predict(feature_table(wine.data))
    assert micro_accuracy(wine.target, near) > 0.9 > micro_accuracy(wine.target, raw)


def test_several_views_have_one_more_table_of_all_that_is_measured():
    """Neighbours by all measured views, whatever their units and widths; counts stay apart."""
    counts = np.eye(60, 40, dtype=int) + np.eye(60, 40, -1, dtype=int)
    counts[:, 0] = 1
    views = {"a": POINTS[:, :2], "b": POINTS[:, 2:] * 1000, "words": counts}
    tables = feature_tables(views, n_neighbors=5)
    assert list(tables) == ["a", "b", "words", "together"]
    np.testing.assert_array_equal(tables["words"].toarray(), counts)
    repeated = feature_tables(views | {"b": np.tile(POINTS[:, 2:], (1, 7))}, n_neighbors=5)
    assert (repeated["together"] != tables["together"]).nnz == 0
    labels = ComrafStar(3, random_state=0).fit_predict(tables)
    assert micro_accuracy(KINDS, labels) > 0.95


def test_errors_of_all_views_together_name_the_view():
    """A view that says nothing is found by its name, with the way out."""
    views = {"a": POINTS, "same": np.full((60, 3), 1.5)}
    with pytest.raises(InputError, match=r"the view 'same', in the table 'together'.*together=F"):
        feature_tables(views, "bins")
    assert list(feature_tables(views, "bins", together=False)) == ["a", "same"]


@pytest.mark.parametrize(
    ("views", "said"),
    [
        ({}, "at least one"),
        ({"a": POINTS, "b": POINTS[:9]}, "same rows"),
        ({"together": POINTS, "b": POINTS}, "another name"),
        ({"a": POINTS, "bad": [["x"]]}, "'bad'"),
    ],
)
def test_views_that_do_not_fit_are_refused_by_name(views, said):
    """What is wrong, and with which view."""
    with pytest.raises(InputError, match=said):
        feature_tables(views)
