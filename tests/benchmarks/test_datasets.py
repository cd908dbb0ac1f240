"""Tables out of raw collections."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets import check_name, load, prepare
from benchmarks.datasets.base import Dataset
from benchmarks.datasets.newsgroups import sample_groups
from comraf.errors import InputError, ReadError


def test_newsgroups_read_subject_and_body_only(data: Path, tmp_path: Path) -> None:
    """Headers that give the group away, long lines and stop words leave no words."""
    table = load("20ng", data, tmp_path / "cache")
    words = set(table.column_names)
    assert {"altatheismsubject", "continued", "scispacealpha", "common", "caf"} <= words
    assert not words & {"pathword", "xrefword", "fromword", "the", "and"}
    assert not any("blobword" in word for word in words)


def test_newsgroups_drop_rare_words_and_empty_documents(data: Path, tmp_path: Path) -> None:
    """A word of two documents goes however often it occurs; so does an empty document."""
    table = load("20ng", data, tmp_path / "cache")
    assert not any(word.startswith("unique") for word in table.column_names)
    assert np.bincount(table.counts.indices).min() >= 3
    assert "sci.space/9999" not in table.row_names
    assert table.counts.shape[0] == len(table.row_names) == table.truth.size == 48
    assert table.files == ("newsgroups/20_newsgroups.tar.gz",)


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("different3", ("alt.atheism", "rec.sport.baseball", "sci.space")),
        ("similar3", ("comp.graphics", "comp.os.ms-windows.misc", "comp.windows.x")),
    ],
)
def test_subsets_hold_their_groups(
    name: str, groups: tuple[str, ...], data: Path, tmp_path: Path
) -> None:
    """A subset has its three groups, and each row's class is its own group."""
    table = load(name, data, tmp_path / "cache")
    assert table.class_names == groups
    assert table.n_classes == 3
    for row, truth in zip(table.row_names, table.truth, strict=True):
        assert row.split("/")[0] == table.class_names[truth]


def test_draws_are_repeatable_and_differ(data: Path, tmp_path: Path) -> None:
    """The same draw gives the same rows, another draw others, each with equal groups."""
    load("20ng", data, tmp_path / "cache")
    whole = Dataset.load(next((tmp_path / "cache").glob("20ng-all-words-*.npz")))
    first, again, other = (
        sample_groups(whole, "draw", per_group=4, draw=draw) for draw in (0, 0, 1)
    )
    assert first.row_names == again.row_names
    assert first.row_names != other.row_names
    assert np.bincount(first.truth).tolist() == [4] * 6


def test_classic_reads_titles_and_abstracts(data: Path, tmp_path: Path) -> None:
    """Four classes; authors, numbers and the bogus last record stay out."""
    table = load("classic", data, tmp_path / "cache")
    assert table.class_names == ("cacm", "cisi", "cranfield", "medline")
    assert table.counts.shape[0] == 20
    assert set(table.column_names) == {"algol", "cell", "library", "study", "title", "wing"}
    row = table.row_names.index("cranfield/1")
    assert table.counts[row, table.column_names.index("wing")] == 3


def test_cora_keeps_its_words(data: Path, tmp_path: Path) -> None:
    """Binary words, class names by the file's own list."""
    table = load("cora", data, tmp_path / "cache")
    assert table.class_names == ("Alpha", "Beta", "Gamma")
    assert set(table.counts.data.tolist()) == {1}
    assert table.counts.shape == (36, 30)


def test_second_load_comes_from_the_cache(data: Path, tmp_path: Path) -> None:
    """The cached file is used again and holds the same table."""
    first = prepare("cora", data, tmp_path / "cache")
    stamp = first.stat().st_mtime_ns
    assert prepare("cora", data, tmp_path / "cache") == first
    assert first.stat().st_mtime_ns == stamp
    table = Dataset.load(first)
    assert table.fingerprint() == load("cora", data, tmp_path / "cache").fingerprint()
    assert not list((tmp_path / "cache").glob("*.part"))


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("20ng", "newsgroups/20_newsgroups.tar.gz"),
        ("classic", "classic/MED.ALL.gz"),
        ("cora", "papers/cora.npz"),
        ("brown", "brown/brown.zip"),
    ],
)
@pytest.mark.parametrize("harm", ["missing", "truncated"])
def test_bad_raw_files_are_one_clear_error(
    name: str, file: str, harm: str, data: Path, tmp_path: Path
) -> None:
    """The error names the file; nothing is left in the cache."""
    path = data / file
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(ReadError, match=path.name):
        load(name, data, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*"))


@pytest.mark.parametrize("name", ["", "20NG", "100each-", "100each-x", "../cora"])
def test_unknown_names_are_refused(name: str) -> None:
    """Only names of the registry reach the file system."""
    with pytest.raises(InputError, match="choose from 20ng"):
        check_name(name)
