"""One measured fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchmarks.datasets import load
from benchmarks.harness import peak_megabytes
from benchmarks.worker import _compilation, measure, scores, sliver


def test_measure_says_all(data: Path, tmp_path: Path) -> None:
    """Scores, seconds and megabytes of a fit on a small table."""
    result = measure(load("cora", data, tmp_path / "cache"), "kmeans-lsa", "raw", 0)
    assert result["accuracy"] > 0.9
    assert result["n_clusters"] == 3
    assert result["cpu_s"] > 0
    assert result["wall_s"] > 0
    assert result["compile_s"] == 0
    assert result["peak_mb"] >= result["before_mb"] > 10


def test_scores_by_hand() -> None:
    """Six documents: five of them lie in a cluster where their class leads."""
    truth = np.array([0, 0, 0, 1, 1, 1])
    labels = np.array([0, 0, 1, 1, 1, 1])
    found = scores(truth, labels)
    assert found["accuracy"] == pytest.approx(5 / 6, abs=1e-6)
    # H(truth) = 1, H(labels) = .9183, I = .4591 bits
    assert found["nmi"] == pytest.approx(0.4591479 / ((1 + 0.9182958) / 2), abs=1e-5)
    # pairs: 4 together in both, 6 by truth, 7 by labels, of 15
    assert found["ari"] == pytest.approx((4 - 42 / 15) / (6.5 - 42 / 15), abs=1e-6)


def test_sliver_keeps_types_and_has_rows_for_every_cluster() -> None:
    """The table that warms up is small, of the same types, without empty columns."""
    counts = csr_matrix(np.eye(500, dtype=np.int32))
    piece = sliver(counts, 30)
    assert piece.shape == (120, 120)
    assert piece.dtype == counts.dtype
    assert piece.indices.dtype == counts.indices.dtype
    assert sliver(counts[:7], 3).shape == (7, 7)


def test_peak_rises_with_use() -> None:
    """A hundred megabytes that are written show in the peak."""
    before = peak_megabytes()
    if before is None:
        pytest.skip("this system doesn't tell")
    block = np.ones(int(before * 1e6 / 8) + 12_500_000)
    after = peak_megabytes()
    assert after is not None
    assert after > before + 90
    assert block.size


def test_compilation_is_seen() -> None:
    """What numba compiles inside the block is counted, what was compiled before is not."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def twice(x):  # type: ignore[no-untyped-def]
        return x + x

    with _compilation() as first:
        twice(1)
    with _compilation() as second:
        twice(2)
    assert first.seconds > 0
    assert second.seconds == 0
