"""Tables of nearest neighbours: against plain sorting, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from comraf.errors import InputError, ReadError, TooLargeError
from comraf.graph import (
    NeighbourTable,
    TiedTable,
    as_embeddings,
    neighbour_table,
    neighbours_among,
)
from comraf.graph import neighbours as module


def brute(vectors: Any, k: int, metric: str) -> np.ndarray:
    """Who is near whom, by sorting all distances in double precision."""
    x = np.asarray(vectors, dtype=np.float64)
    if metric == "cosine":
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
    far = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    out = np.zeros(far.shape, dtype=bool)
    np.put_along_axis(out, np.argsort(far, axis=1)[:, :k], True, axis=1)
    return out


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), k=st.integers(1, 45))
def test_the_nearest_are_those_that_sorting_finds(metric: str, seed: int, n: int, k: int) -> None:
    """Every row has its k nearest, never itself."""
    vectors = np.random.default_rng(seed).normal(size=(n, 6))
    table = neighbour_table(vectors, k, metric=metric)
    assert isinstance(table, NeighbourTable)
    assert ((table.toarray() > 0) == brute(vectors, min(k, n - 1), metric)).all()
    assert not table.diagonal().any()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row at a time finds what all at once find."""
    vectors = np.random.default_rng(0).normal(size=(60, 5))
    whole = neighbour_table(vectors, 4)
    monkeypatch.setattr(module, "_BLOCK", 1)
    assert (neighbour_table(vectors, 4) != whole).nnz == 0


def test_distances_far_from_the_origin_are_not_rounded_away() -> None:
    """A common offset changes no neighbour."""
    vectors = np.random.default_rng(0).normal(size=(50, 4))
    near = neighbour_table(vectors, 3, metric="euclidean")
    assert (neighbour_table(vectors + 200, 3, metric="euclidean") != near).nnz == 0


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_length_does_not_matter_to_cosines(scale: float) -> None:
    """Neither tiny nor huge vectors overflow or vanish."""
    vectors = np.random.default_rng(0).normal(size=(40, 4))
    assert (neighbour_table(vectors * scale, 3) != neighbour_table(vectors, 3)).nnz == 0


def test_mutual_neighbours_are_symmetric() -> None:
    """Of a pair that is kept each is near the other; pairs kept are those of both directions."""
    vectors = np.random.default_rng(1).normal(size=(50, 4))
    plain = neighbour_table(vectors, 5).toarray() > 0
    mutual = neighbour_table(vectors, 5, mutual=True).toarray() > 0
    assert (mutual == (plain & plain.T)).all()
    assert mutual.any()


def test_weights_fall_with_rank_and_similarity() -> None:
    """The nearest counts most, under both."""
    vectors = np.array([[1, 0], [1, 0.1], [1, 0.5], [1, 2.0]])
    rank = neighbour_table(vectors, 3, weights="rank").toarray()[0]
    near = neighbour_table(vectors, 3, weights="similarity").toarray()[0]
    gauss = neighbour_table(vectors, 3, weights="similarity", metric="euclidean").toarray()[0]
    assert rank.tolist() == [0, 3, 2, 1]
    for row in (near, gauss):
        assert row[1] > row[2] > row[3] > 0


def test_opposites_do_not_count_by_similarity() -> None:
    """A negative cosine is no neighbour where similarity is what counts."""
    table = neighbour_table([[1, 0], [1, 0.1], [-1, 0]], 2, weights="similarity")
    assert table.toarray()[2].tolist() == [0, 0, 0]


def test_documents_without_a_vector_stand_apart() -> None:
    """A row of zeros has no neighbours and is nobody's."""
    table = neighbour_table([[1, 0], [0, 0], [1, 1]], 2).toarray()
    assert not table[1].any()
    assert not table[:, 1].any()
    with pytest.raises(InputError, match="all vectors are zeros"):
        neighbour_table(np.zeros((3, 2)))


def test_embeddings_come_from_files_columns_and_frames(tmp_path: Path) -> None:
    """A .npy file, a column of lists and a data frame are the same matrix."""
    import pandas as pd

    matrix = np.arange(6.0).reshape(3, 2)
    np.save(tmp_path / "e.npy", matrix)
    column = pd.DataFrame({"e": matrix.tolist()})["e"]
    for given_as in (str(tmp_path / "e.npy"), tmp_path / "e.npy", column, pd.DataFrame(matrix)):
        assert (as_embeddings(given_as) == matrix).all()
    assert (as_embeddings(column.to_numpy()) == matrix).all()


@pytest.mark.parametrize(
    ("given_as", "said"),
    [
        ([[1, np.nan], [1, 2]], "row 0"),
        ([[1.0, 1e300], [1, 2]], "row 0 has a number that is not finite"),
        ([["a", "b"]], "no matrix"),
        ([1.0, 2.0], "document 0 has no vector"),
        (np.zeros((2, 0)), "shape"),
        (np.zeros((2, 2, 2)), "shape"),
        (np.zeros((2, 2), complex), "complex"),
        (sp.csr_array(np.eye(2)), "sparse"),
        ([[1.0, 2.0]], "two or more"),
    ],
)
def test_what_is_no_embedding_is_refused(given_as: Any, said: str) -> None:
    """A message says what is wrong, and where."""
    with pytest.raises(InputError, match=said):
        neighbour_table(given_as)


def test_files_that_are_no_matrix_are_refused(tmp_path: Path) -> None:
    """Damaged files, several arrays and pickles."""
    np.save(tmp_path / "pickle.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "several.npz", a=np.eye(2))
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY nothing")
    for name in ("pickle.npy", "several.npz", "bad.npy", "none.npy"):
        with pytest.raises(ReadError):
            as_embeddings(tmp_path / name)


def test_what_cannot_fit_is_refused_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is asked for first."""
    monkeypatch.setattr("comraf.graph.tables.available_memory", lambda: 1e6)
    with pytest.raises(TooLargeError, match="neighbours"):
        neighbour_table(np.random.default_rng(0).normal(size=(500, 8)))


@pytest.mark.parametrize("wrong", [{"metric": "hamming"}, {"weights": "none"}, {"n_neighbors": 0}])
def test_unknown_choices_are_refused(wrong: dict[str, Any]) -> None:
    """With the choices there are."""
    with pytest.raises(InputError):
        neighbour_table(np.eye(3), **wrong)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("weights", ["equal", "rank", "similarity"])
def test_neighbours_of_new_documents_are_those_of_a_plain_search(metric: str, weights: str) -> None:
    """Nearest first, among the known ones only; who has no vector has no neighbours."""
    rng = np.random.default_rng(3)
    known, new = rng.normal(size=(30, 4)) + 5, rng.normal(size=(7, 4)) + 5
    known[4] = new[2] = 0
    table = neighbours_among(new, known, 3, metric=metric, weights=weights)
    assert table.shape == (7, 30)
    assert table[[2]].nnz == table[:, [4]].nnz == 0
    there = np.delete(np.arange(30), 4)
    for i in (0, 1, 3, 4, 5, 6):
        if metric == "cosine":
            far = -(known[there] @ new[i]) / np.linalg.norm(known[there], axis=1)
        else:
            far = np.linalg.norm(known[there] - new[i], axis=1)
        wanted = there[np.argsort(far)[:3]]
        assert set(table[[i]].indices) == set(wanted)
        if weights == "rank":
            assert table[[i]].toarray()[0][wanted].tolist() == [3, 2, 1]


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_documents_equally_near_are_neighbours_equally_often(metric: str) -> None:
    """Of many copies none becomes everybody's neighbour, and who is whose is no chance."""
    rng = np.random.default_rng(0)
    vectors = np.repeat(rng.normal(size=(3, 50)), 40, axis=0)
    table = neighbour_table(vectors, 5, metric=metric)
    assert np.bincount(table.indices, minlength=120).tolist() == [5] * 120
    assert table[[0]].indices.tolist() == [1, 2, 3, 4, 5]
    assert table[[39]].indices.tolist() == [0, 1, 2, 3, 4]
    # one nearer document is kept, whoever is tied behind it
    spread = np.array([[1, 0], [1, 0.1], *[[1, 1]] * 9, [0, 1]])
    assert 1 in neighbour_table(spread, 3)[[0]].indices


def test_what_a_neighbour_counts_is_settled_by_the_fit() -> None:
    """Documents that come along change nothing; one of the fit's own counts what it did there."""
    rng = np.random.default_rng(0)
    known, new = rng.normal(size=(30, 4)), rng.normal(size=(1, 4))
    far = 30 * rng.normal(size=(5, 4))
    how: dict[str, Any] = {"metric": "euclidean", "weights": "similarity"}
    alone = neighbours_among(new, known, 5, **how).toarray()
    among = neighbours_among(np.vstack([new, far]), known, 5, **how).toarray()[:1]
    assert (alone == among).all()
    fitted = neighbour_table(known, 5, **how).toarray()
    again = neighbours_among(known, known, 6, **how).toarray()
    np.fill_diagonal(again, 0)
    wide = neighbour_table(known, 6, **how).toarray()
    assert (again[fitted > 0] == wide[fitted > 0]).all()


def test_new_vectors_of_another_model_are_refused() -> None:
    """And copies of an unknown kind."""
    with pytest.raises(InputError, match="3 dimensions, those of the fit 2"):
        neighbours_among(np.eye(3), np.ones((4, 2)))
    with pytest.raises(InputError, match="no known embeddings"):
        neighbours_among(np.eye(3), np.ones((0, 3)))
    with pytest.raises(InputError, match="'observed', 'tied'"):
        neighbour_table(np.eye(3), copy="deep")


def test_a_tied_table_stays_one() -> None:
    """What arithmetic makes of it knows too that its columns are tied."""
    table = neighbour_table(np.random.default_rng(0).normal(size=(9, 3)), 2, copy="tied")
    assert isinstance(table, TiedTable)
    assert isinstance(table * 2, TiedTable)
    assert isinstance(table.astype(float), TiedTable)
