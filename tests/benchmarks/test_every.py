"""All collections with their sides, samples of them, and the halves they fall into."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.every_data import NAMES, load
from benchmarks.halves import family, half
from comraf.errors import ReadError


def test_newsgroups_have_their_sides_and_classes(data: Path, tmp_path: Path) -> None:
    """Messages are read by the reader of news, and subsets are cut from the whole."""
    whole = load("20ng", data, tmp_path / "cache")
    assert whole.n_classes == 6
    assert "words" in whole.usual
    part = load("similar3", data, tmp_path / "cache")
    assert (len(part), part.n_classes) == (24, 3)
    assert part.tables["words"].shape[0] == 24


def test_a_sample_is_as_large_as_its_name_says_and_always_the_same(
    data: Path, tmp_path: Path
) -> None:
    """Every value of a sample is in two items or more, and no class has fewer than three."""
    first, again = (load("20ng:30", data, tmp_path / "cache") for _ in range(2))
    assert len(first) == 30
    assert np.array_equal(first.truth, again.truth)
    for table in first.tables.values():
        assert np.bincount(table.indices).min() >= 2
    assert np.unique(first.truth[first.truth >= 0], return_counts=True)[1].min() >= 3


def test_a_collection_comes_from_the_cache_without_the_data(data: Path, tmp_path: Path) -> None:
    """What was prepared once needs no raw files; what was not says which folder it needs."""
    cache = tmp_path / "cache"
    before = load("classic", data, cache)
    after = load("classic", None, cache)
    assert list(before.tables) == list(after.tables)
    assert (before.usual, before.observed) == (after.usual, after.observed)
    with pytest.raises(ReadError, match="COMRAF_DATA"):
        load("brown", None, cache)


def test_halves_don_t_share_items() -> None:
    """Collections of a family are in one half, samples with the whole, and both have many."""
    halves = {family(name): half(name) for name in NAMES}
    assert {half(name) for name in NAMES if family(name) == "newsgroups"} == {"A"}
    assert all(half(f"{name}:2000") == half(name) for name in NAMES)
    assert min(list(halves.values()).count(part) for part in "AB") >= 12
