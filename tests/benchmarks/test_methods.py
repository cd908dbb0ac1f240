"""The registry: each method clusters what is easy to cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchmarks.methods import METHODS, weigh
from benchmarks.worker import scores


@pytest.fixture(scope="module")
def blocks() -> tuple[csr_matrix, np.ndarray]:
    """Three plain topics, forty documents each, lengths far apart."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 40)
    rates = np.where(truth[:, None] == np.repeat([0, 1, 2], 30)[None, :], 1.0, 0.03)
    lengths = rng.choice([1.0, 4.0], size=truth.size)
    return csr_matrix(rng.poisson(rates * lengths[:, None]).astype(np.int32)), truth


@pytest.mark.parametrize(
    ("name", "weighting"),
    # weights are made in one place: one method of each kind tries all of them
    [(name, "raw") for name in METHODS]
    + [
        (name, w) for name in ("mdc", "sib-n10", "kmeans-lsa") for w in METHODS[name].weightings[1:]
    ],
)
def test_methods_find_plain_blocks(
    name: str, weighting: str, blocks: tuple[csr_matrix, np.ndarray]
) -> None:
    """Three obvious topics are found, twice alike by one seed, and the table is left as it was."""
    if METHODS[name].installed() is None:
        pytest.skip(f"{METHODS[name].package} is not installed")
    counts, truth = blocks
    before = counts.copy()
    labels, again = (METHODS[name].fit(counts, 3, 0, weighting) for _ in range(2))
    assert labels.shape == truth.shape
    assert labels.dtype == np.int64
    # One restart may end in a poor optimum; ten may not.
    assert scores(truth, labels)["accuracy"] > (0.6 if name in ("sib-n1", "mdc") else 0.9)
    assert np.array_equal(labels, again)
    assert (counts != before).nnz == 0


def test_lda_takes_documents_without_words() -> None:
    """An empty row gets a label and does not shift the others."""
    pytest.importorskip("tomotopy")
    counts = csr_matrix(np.array([[9, 9, 0, 0], [0, 0, 0, 0], [0, 0, 9, 9]] * 4, dtype=np.int32))
    labels = METHODS["lda"].fit(counts, 2, 0, "raw")
    assert labels.size == 12
    assert len({labels[0], labels[2]}) == 2


def test_weightings_by_hand() -> None:
    """Each weighting's numbers on one small table."""
    counts = csr_matrix(np.array([[3, 1], [0, 4]], dtype=np.int32))
    assert weigh(counts, "raw").data.tolist() == [3, 1, 4]
    assert weigh(counts, "binary").data.tolist() == [1, 1, 1]
    assert weigh(counts, "log").data == pytest.approx(np.log2([4, 2, 5]))
    assert weigh(counts, "equal_rows").data.tolist() == [0.75, 0.25, 1]
