from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.collection.text import pos
from comraf.collection.text.pos import (
    count_tags,
    load_tagger,
    plain_tag,
    sentences,
    split_tagged,
)
from comraf.errors import InputError, MissingExtraError, ReadError

TAGS = st.lists(st.lists(st.sampled_from(["nn", "vb", "at", ",", "."]), max_size=8), max_size=5)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("The/at 1/2/cd ./.", [("The", "at"), ("1/2", "cd"), (".", ".")]),
        (",/,-hl (/( --/-- ``/`` '/' */*", [(",", ",-hl"), ("(", "("), ("--", "--")]),
        ("I'm/ppss+bem Joe's/np$-tl won't/md*", [("I'm", "ppss+bem"), ("Joe's", "np$-tl")]),
        ("plain 3/4 12/31/1999 a/ /b http://x.org/a_b", []),
    ],
)
def test_words_and_tags_are_told_apart(line: str, found: list[tuple[str, str]]) -> None:
    """The tag is behind the last slash; what has none is left out."""
    assert split_tagged(line)[: len(found)] == found
    assert len(split_tagged(line)) == (0 if not found else len(line.split()))


@given(TAGS, st.integers(1, 4))
def test_runs_are_those_of_a_plain_count(text: list[list[str]], order: int) -> None:
    """A sentence of n tags has n - order + 1 runs, and none goes over its end."""
    expected: Counter[str] = Counter()
    for sentence in text:
        for start in range(len(sentence) - order + 1):
            expected[" ".join(sentence[start : start + order])] += 1
    assert count_tags(text, [order]) == {order: expected}


def test_runs_of_five_are_refused() -> None:
    """Runs are of 1 to 4 tags."""
    with pytest.raises(InputError, match="from 1 to 4"):
        count_tags([["nn"]], [5])


def test_marks_of_the_brown_corpus_go() -> None:
    """Titles, headlines and foreign words have the tags of other words."""
    given_tags = ["nn-tl", "fw-at-hl", "nn+bez-tl", "--", "-nc", "*", "FW-NN"]
    assert [plain_tag(tag) for tag in given_tags] == ["nn", "at", "nn+bez", "--", "-nc", "*", "NN"]


def test_sentences_end_at_signs_and_empty_lines() -> None:
    """Abbreviations before small letters, and numbers, don't end a sentence."""
    text = "It cost 3.50 approx. once. Then\n\nA title\n\nNo! Yes."
    assert list(sentences(text)) == ["It cost 3.50 approx. once.", "Then", "A title", "No!", "Yes."]


def test_without_a_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is downloaded; the message names the extra and the way to a model."""
    for name in ("nltk", "nltk.tag.perceptron", "spacy", "spacy.util"):
        monkeypatch.setitem(sys.modules, name, None)
    pos._loaded.cache_clear()
    for name in ("auto", "nltk", "spacy:en_core_web_sm"):
        with pytest.raises(MissingExtraError, match=r"comraf\[pos\]"):
            load_tagger(name)


@pytest.mark.parametrize("name", ["", "spacy:", "nltk:", "stanza", "spacy"])
def test_an_unknown_tagger_is_refused(name: str) -> None:
    """A name that can't be a tagger's is told from one that is not installed."""
    with pytest.raises(InputError, match="is unknown") as caught:
        load_tagger(name)
    assert not isinstance(caught.value, MissingExtraError)


def _model(folder: Path) -> Path:
    parts = {
        "weights": {"bias": {"NN": 1.0}, "i suffix ing": {"VBG": 5.0}},
        "tagdict": {"the": "DT", ".": "."},
        "classes": ["DT", "NN", "VBG", "."],
    }
    for name, value in parts.items():
        (folder / f"tiny.{name}.json").write_text(json.dumps(value))
    return folder


def test_nltk_tags_with_a_model_of_the_users_own(tmp_path: Path) -> None:
    """Sentences, words and signs get tags by the weights in the folder."""
    pytest.importorskip("nltk")
    tag = load_tagger(f"nltk:{_model(tmp_path)}")
    assert tag("the pump is leaking. The hose") == (
        ("DT", "NN", "NN", "VBG", "."),
        ("NN", "NN"),
    )
    assert tag("") == ()


def test_a_damaged_model_is_a_clear_error(tmp_path: Path) -> None:
    """Files that are missing, no JSON or of another shape are named."""
    with pytest.raises(ReadError, match=r"must hold one file each"):
        pos._model_files(tmp_path)
    _model(tmp_path)
    (tmp_path / "tiny.classes.json").write_text("{}")
    with pytest.raises(ReadError, match="holds no list"):
        pos._model_files(tmp_path)
    (tmp_path / "tiny.weights.json").write_text("[" * 100_000)
    with pytest.raises(ReadError, match="can't be read"):
        pos._model_files(tmp_path)


@pytest.fixture(scope="module")
def spacy_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny tagger of spaCy's own making, trained on three sentences and saved."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")
    from spacy.training import Example

    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    told = {
        "the pump leaks .": ["DT", "NN", "VBZ", "."],
        "a valve breaks .": ["DT", "NN", "VBZ", "."],
        "the old pump broke .": ["DT", "JJ", "NN", "VBD", "."],
    }
    examples = [
        Example.from_dict(nlp.make_doc(text), {"tags": tags}) for text, tags in told.items()
    ]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("spacy") / "model"
    nlp.to_disk(folder)
    return folder


def test_a_saved_pipeline_of_spacy_tags(spacy_model: Path) -> None:
    """Sentence by sentence, though the pipeline has a tagger alone."""
    tag = load_tagger(f"spacy:{spacy_model}")
    assert tag("the valve leaks . the old pump broke .") == (
        ("DT", "NN", "VBZ", "."),
        ("DT", "JJ", "NN", "VBD", "."),
    )
    assert tag("") == ()


def test_folders_that_spacy_can_not_use_are_told(spacy_model: Path, tmp_path: Path) -> None:
    """Empty, damaged, without a tagger, and not there at all."""
    import spacy

    for text in (None, "{"):
        folder = tmp_path / f"bad{text is None}"
        folder.mkdir()
        if text is not None:
            (folder / "meta.json").write_text(text)
        with pytest.raises(ReadError, match="can't be loaded as a model of spaCy"):
            load_tagger(f"spacy:{folder}")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="has no tagger"):
        load_tagger(f"spacy:{tmp_path / 'blank'}")
    with pytest.raises(MissingExtraError, match="no such folder"):
        load_tagger(f"spacy:{tmp_path / 'none'}")


def test_closing_quotes_stay() -> None:
    """What closes a quotation belongs to its sentence."""
    text = '"Stop!" He ran. (He fell.) "No." Then.'
    assert list(sentences(text)) == ['"Stop!"', "He ran.", "(He fell.)", '"No."', "Then."]
