"""Texts as rows: the recipes of the two theses."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from comraf.collection.build import build_collection
from comraf.collection.detect import open_reader
from comraf.collection.recipes import named_recipe, tfidf
from comraf.collection.text import segment
from comraf.errors import InputError, SegmentationWarning
from comraf.kmeans import KMeans, TextVectors


def test_entries_are_counts_times_the_logarithm_of_rarity() -> None:
    """Each entry is f log2(N/df), and each row has unit length."""
    counts = np.array([[3, 1, 0], [0, 2, 0], [0, 1, 4], [5, 0, 1]])
    df = (counts > 0).sum(axis=0)
    wanted = counts * np.log2(4 / df)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.allclose(tfidf(counts).toarray(), wanted)
    assert np.allclose(tfidf(sp.csc_matrix(counts)).toarray(), wanted)


def test_a_word_of_all_documents_has_no_weight_and_an_empty_document_stays() -> None:
    """What stands everywhere says nothing; a row of nothing else is a row of zeros, not NaN."""
    rows = tfidf([[1, 0], [1, 2]])
    assert rows.toarray().tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_rare_and_common_words_and_stop_words_go() -> None:
    """Words in fewer than 5 texts, in more than 95%, and stop words have no column."""
    texts = [
        f"the pump leaks {'rust' if i < 5 else 'hose'} {'odd' if i < 4 else ''}" for i in range(40)
    ]
    vectors = TextVectors().fit(texts)
    assert vectors.words_ == ["hose", "rust"]
    assert vectors.frequencies_.tolist() == [35, 5]


def test_new_texts_have_the_weights_of_the_old_ones() -> None:
    """A text has the same row alone as it had among the others."""
    texts = ["red pump", "red hose red", "blue hose", "blue pump valve", "valve red"]
    vectors = TextVectors(min_documents=1)
    rows = vectors.fit_transform(texts)
    assert np.allclose(vectors.transform([texts[1]]).toarray(), rows[[1]].toarray())
    assert vectors.transform(["never seen before"]).nnz == 0


def test_messages_lose_header_and_signature_with_basu_and_header_alone_with_bekkerman() -> None:
    """Words of the header, the subject among them, never count."""
    message = "From: ann@example.org\nSubject: secretive\n\nThe pump leaks.\n-- \nAnn of Plumbing"
    basu = TextVectors(messages=True, min_documents=1, max_share=1.0).fit([message, message])
    assert basu.words_ == ["leaks", "pump"]
    other = TextVectors("bekkerman", messages=True, min_documents=1).fit([message, message])
    assert other.words_ == ["ann", "leaks", "plumbing", "pump"]
    assert other.transform([message]).toarray().tolist() == [[1.0, 1.0, 1.0, 1.0]]


def test_a_collection_can_be_read_by_the_same_recipe(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The reader, the sides and the weights of a recipe give what TextVectors gives."""
    bodies = [
        f"The pump leaks {'rust' if i % 2 else 'hose'} {'valve' if i % 3 else ''}"
        for i in range(24)
    ]
    for i, body in enumerate(bodies):
        header = f"From: a{i}@example.org\nSubject: hidden word\nMessage-ID: <{i}@example.org>\n\n"
        (tmp_path / f"{i:02}.eml").write_text(f"{header}{body}\n-- \nsigned signed\n")
    recipe = named_recipe("basu")
    collection = build_collection(open_reader(tmp_path, **recipe.reading), options=recipe.sides)
    side = collection.sides["words"]
    vectors = TextVectors()
    rows = vectors.fit_transform(bodies)
    assert list(side.values) == vectors.words_
    assert np.allclose(tfidf(collection.tables["words"]).toarray(), rows.toarray())


def test_clusters_come_of_texts() -> None:
    """Two kinds of text are told apart through the rows."""
    texts = ["pump hose valve leak", "goal match team score"] * 10
    rows = TextVectors(max_share=1.0).fit_transform(texts)
    labels = KMeans(2, metric="cosine", random_state=0).fit_predict(rows)
    assert len(set(labels[::2])) == len(set(labels[1::2])) == 1
    assert labels[0] != labels[1]


@pytest.mark.parametrize(
    ("options", "texts", "said"),
    [
        ({"text": "salton"}, ["a b"], "text='salton' is unknown"),
        ({}, "one text", "give a list of texts"),
        ({}, pd.DataFrame({"text": ["pump"]}), "give one column of texts"),
        ({}, [], "there are no texts"),
        ({}, ["pump", 3], "text 1 is a int"),
        ({}, ["pump", "hose"], "no word of the 2 is left"),
        ({"min_documents": 0}, ["pump"], "min_documents=0"),
        ({"max_share": math.nan}, ["pump"], "max_share=nan"),
    ],
)
def test_bad_input_is_named(options, texts, said) -> None:  # type: ignore[no-untyped-def]
    """What is wrong is said, and the way out."""
    with pytest.raises(InputError, match=said):
        TextVectors(**options).fit(texts)


def test_pieces_are_warned_of_where_no_dictionary_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts without blanks are cut into pairs then, and the extra that finds words is named."""
    monkeypatch.setattr(segment, "_icu", lambda: None)
    with pytest.warns(SegmentationWarning, match=r"comraf\[languages\]"):
        TextVectors(min_documents=1, max_share=1.0).fit(["北京大学", "東京大学の図書館"])
