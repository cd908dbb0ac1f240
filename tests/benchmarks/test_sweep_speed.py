"""The engine's speed, on tables too small to tell it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.datasets import load
from benchmarks.sweep_speed import commonest_words, mdc, sweeps


def test_sweeps_are_timed(data: Path, tmp_path: Path) -> None:
    """Two kinds of sweep, as many timings as asked for, none of them negative."""
    table = load("cora", data, tmp_path / "cache")
    found = sweeps(table, 3, word_clusters=5, repeats=2, bar=1.0)
    assert [timing.work.rsplit(", ", 1)[1] for timing in found] == [
        "from random labels",
        "after five sweeps",
    ]
    for timing in found:
        assert len(timing.cpu) == len(timing.wall) == 2
        assert min(timing.wall) > 0
        assert "cells" in timing.note


def test_mdc_is_timed(data: Path, tmp_path: Path) -> None:
    """One timing a seed, the table's shape in the row."""
    timing = mdc(load("cora", data, tmp_path / "cache"), repeats=2)
    assert timing.work == "MDC, 36 documents × 30 words, k = 3, one restart"
    assert len(timing.cpu) == 2


def test_commonest_words_keep_rows_and_truth(data: Path, tmp_path: Path) -> None:
    """Words of the most documents stay, in order; no row is lost."""
    table = load("cora", data, tmp_path / "cache")
    small = commonest_words(table, 7)
    assert small.counts.shape == (36, 7)
    assert np.array_equal(small.truth, table.truth)
    documents = dict(zip(table.column_names, np.bincount(table.counts.indices), strict=True))
    kept = [documents[word] for word in small.column_names]
    left = [n for word, n in documents.items() if word not in small.column_names]
    assert min(kept) >= max(left)
