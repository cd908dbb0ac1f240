"""Collections in languages and scripts of all kinds."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from comraf.collection.build import build_collection, update_collection
from comraf.collection.detect import open_reader
from comraf.collection.readers.folder import TextFolderReader
from comraf.collection.text import segment
from comraf.collection.text.stopwords import STOP_WORDS
from comraf.collection.text.words import tokenise
from comraf.errors import SegmentationWarning
from tests.collection.languages import LANGUAGES, TOPICS, nouns, write_notes


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes in all six languages."""
    return write_notes(tmp_path_factory.mktemp("notes"))


def test_six_languages_give_words(notes: Path) -> None:
    """The nouns are there, the function words are not, and no sentence is a word."""
    pytest.importorskip("icu4py")
    collection = build_collection(open_reader(notes))
    values = set(collection.sides["words"].values)
    for language in LANGUAGES:
        written = {noun for topic in TOPICS for noun in nouns(language, topic)}
        # a dictionary may part a compound, as Thai sail-boat
        whole = {noun for noun in written if tokenise(noun) == [unicodedata.normalize("NFC", noun)]}
        assert len(whole) >= 0.8 * len(written)
        found = {unicodedata.normalize("NFC", noun) for noun in whole} & values
        assert len(found) >= 0.9 * len(whole), language
        assert not values & STOP_WORDS[language]
    assert max(map(len, values)) <= 10
    assert set(collection.sides["words"].facts["languages"]) == set(LANGUAGES)
    assert not any("languages]" in note for note in collection.notes)


def test_without_the_extra_there_is_a_warning(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of two and three characters stand in for words, and that is said."""
    monkeypatch.setattr(segment, "_icu", lambda: None)
    monkeypatch.setattr(TextFolderReader, "parallel", False)  # read here
    with pytest.warns(SegmentationWarning, match=r"pip install 'comraf\[languages\]'"):
        collection = build_collection(open_reader(notes))
    assert any("pairs of characters" in note for note in collection.notes)
    unspaced = [v for v in collection.sides["words"].values if segment.UNSPACED.match(v)]
    assert unspaced
    assert max(map(len, unspaced)) <= 3
    assert set(collection.sides["words"].facts["languages"]) == set(LANGUAGES)


def test_a_collection_is_counted_again_when_the_extra_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces that were stored before are not mixed with words."""
    pytest.importorskip("icu4py")
    source = write_notes(tmp_path / "notes", ("zh",))
    with monkeypatch.context() as patched:
        patched.setattr(segment, "_icu", lambda: None)
        patched.setattr(TextFolderReader, "parallel", False)  # read here
        with pytest.warns(SegmentationWarning):
            build_collection(open_reader(source), out=tmp_path / "kept")
    updated = update_collection(tmp_path / "kept", open_reader(source))
    fresh = build_collection(open_reader(source))
    assert updated.sides["words"].values == fresh.sides["words"].values


def test_names_in_a_foreign_script_are_no_reason_to_warn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """One Chinese signature in English mail is not worth a word."""
    monkeypatch.setattr(segment, "_icu", lambda: None)
    monkeypatch.setattr(TextFolderReader, "parallel", False)  # read here
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("The old pump leaks again. " * 30 + "北京大学")
    collection = build_collection(open_reader(tmp_path))
    assert not [w for w in recwarn if issubclass(w.category, SegmentationWarning)]
    assert collection.sides["words"].facts["languages"] == ["en"]
