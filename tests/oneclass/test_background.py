"""Backgrounds: where general frequencies come from, and what is said where there are none."""

from __future__ import annotations

import builtins
import csv
import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import InputError, MissingExtraError, ReadError
from comraf.oneclass import (
    Background,
    CorpusBackground,
    FrequencyFile,
    MaxKL,
    WordFrequencies,
)
from comraf.oneclass.background import background_shares

X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]])
WORDS = ["quark", "boson", "the"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'word,count\nthe,6\ntea,3\n"a, b",1\n'),
        ("a.tsv", "the\t6\ntea\t3\na, b\t1\n"),
        ("a.csv.gz", 'the,6\n\ntea,3\n"a, b",1\n'),
    ],
)
def test_frequency_file(tmp_path: Path, name: str, text: str) -> None:
    """Commas, tabs, gzip, a heading, an empty line; shares in the order asked for."""
    raw = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    found = FrequencyFile(tmp_path / name)
    assert isinstance(found, Background)
    assert found.frequencies(["tea", "THE", "a, b", "x"]).tolist() == [0.3, 0.6, 0.1, 0.0]
    assert found.unseen == 0.05


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"the,1\ntea,much\n", "line 2"),
        (b"the,1\ntea,-1\n", "line 2"),
        (b"the,nan\n", "line 1"),
        (b"", "no line"),
        (b"the,\xff\n", "UTF-8"),
    ],
)
def test_bad_frequency_file_is_refused(tmp_path: Path, text: bytes, says: str) -> None:
    """The message says which line, or what the file is not."""
    (tmp_path / "a.csv").write_bytes(text)
    with pytest.raises(ReadError, match=says):
        FrequencyFile(tmp_path / "a.csv")
    with pytest.raises(ReadError, match="can't be read"):
        FrequencyFile(tmp_path / "not there.csv")


def test_cell_too_long_for_a_table(tmp_path: Path) -> None:
    """The reader of tables gives up, which is said in a sentence."""
    (tmp_path / "a.csv").write_text("the,1\n" + 3000 * "x" + ",1\n", encoding="utf-8")
    before = csv.field_size_limit(1000)
    try:
        with pytest.raises(ReadError, match="can't be read as lines"):
            FrequencyFile(tmp_path / "a.csv")
    finally:
        csv.field_size_limit(before)


def test_gzip_with_rubbish_inside(tmp_path: Path) -> None:
    """A good beginning and a stream that no one can unpack."""
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"the,1\n")[:10] + b"\xff" * 40)
    with pytest.raises(ReadError, match="can't be unpacked as gzip"):
        FrequencyFile(tmp_path / "a.csv.gz")


def test_capitals_of_a_list_do_not_matter(tmp_path: Path) -> None:
    """German nouns have capitals in lists, and none in a collection's words."""
    (tmp_path / "de.csv").write_text("Haus,5\nHAUS,1\nessen,3\nEssen,1\n", encoding="utf-8")
    found = FrequencyFile(tmp_path / "de.csv")
    np.testing.assert_allclose(found.frequencies(["haus", "Haus", "essen"]), [0.6, 0.5, 0.3])


def test_numbers_too_large_to_add_up(tmp_path: Path) -> None:
    """Said as it is."""
    (tmp_path / "a.csv").write_text("the,1e308\ntea,1e308\n", encoding="utf-8")
    with pytest.raises(InputError, match="too large"):
        FrequencyFile(tmp_path / "a.csv")


def test_corpus_sparse_and_dense() -> None:
    """Both give the same shares, and one count for each word will do."""
    counts = np.array([[3, 0], [0, 1]])
    for given in (counts, sp.csr_array(counts), np.array([3, 1])):
        assert CorpusBackground(given, ["the", "tea"]).frequencies(["tea"]).tolist() == [0.25]
    with pytest.raises(InputError, match="3 words"):
        CorpusBackground(counts, ["a", "b", "c"])
    with pytest.raises(InputError, match="above 0"):
        CorpusBackground(0 * counts, ["a", "b"])


def test_unknown_language_lists_some_and_names_ways_out() -> None:
    """Nobody has to guess what to do about Klingon."""
    with pytest.raises(InputError, match=r"'tlh'.*ar.*more.*FrequencyFile"):
        WordFrequencies("tlh").frequencies(["the"])


def test_wordfreq_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the message has the command that gets it."""
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "wordfreq":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'comraf\[background\]'"):
        MaxKL(2).fit(X, words=WORDS)


def test_no_background_and_no_words() -> None:
    """The three ways out are named."""
    with pytest.raises(InputError, match=r"array.*FrequencyFile.*WordFrequencies"):
        MaxKL(2).fit(X)
    with pytest.raises(InputError, match="goes by words"):
        MaxKL(2, background=WordFrequencies()).fit(X)


def test_default_is_english() -> None:
    """With words and nothing else, wordfreq's English is the background."""
    found = MaxKL(2).fit(X, words=WORDS)
    assert (
        found.core_.tolist()
        == MaxKL(2, background=WordFrequencies("en")).fit(X, words=WORDS).core_.tolist()
        == [0, 1]
    )
    assert "the" not in found.topical_words_


def test_bad_arrays() -> None:
    """Wrong length, negative, not finite, all zero, no numbers: each is named."""
    for bad, says in (
        ([1.0, 2.0], "shape"),
        ([1, -1, 1], "negative"),
        ([1, np.nan, 1], "not finite"),
        ([0, 0, 0], "0 for every column"),
        (object(), "background="),
        ("english", "background='english'"),
    ):
        with pytest.raises(InputError, match=says):
            MaxKL(2, background=bad).fit(X)


def test_unseen_words_are_rare_not_impossible() -> None:
    """A 0 becomes half of the smallest share, or what the background says."""
    shares, unseen = background_shares(np.array([0.0, 4.0, 1.0]), 3, None)
    assert (shares.tolist(), unseen) == ([0.0, 4.0, 1.0], 0.5)
    scores = MaxKL(2, background=[0, 4, 1]).fit(X).scores_
    np.testing.assert_allclose(scores, MaxKL(2, background=[0.5, 4, 1]).fit(X).scores_)


@pytest.mark.parametrize(
    ("language", "package"), [("zh", "jieba"), ("ja", "MeCab"), ("ko", "MeCab")]
)
def test_a_language_that_needs_another_package(
    monkeypatch: pytest.MonkeyPatch, language: str, package: str
) -> None:
    """What wordfreq lacks is named, and how to get along without."""
    pytest.importorskip("wordfreq")
    monkeypatch.setitem(sys.modules, package, None)
    for name in ("wordfreq.mecab", "wordfreq.chinese"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(MissingExtraError, match=rf"{package}.*wordfreq\[cjk\].*FrequencyFile"):
        WordFrequencies(language).frequencies(["a"])
