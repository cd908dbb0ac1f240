"""Texts as rows for the estimators of this room."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from comraf.collection.readers.mail_headers import split_message
from comraf.collection.readers.mail_text import strip_signature
from comraf.collection.recipes import document_frequencies, named_recipe, tfidf
from comraf.collection.text.segment import warn_of_pieces
from comraf.collection.text.stopwords import stop_words
from comraf.collection.text.words import Lexicon, count_words
from comraf.errors import InputError

__all__ = ["TextVectors"]


class TextVectors(TransformerMixin, BaseEstimator):
    """Rows of words from texts, by a named recipe.

    Parameters
    ----------
    text : {"basu", "bekkerman"}
        "basu" (thesis 2.5): stop words go, and words in fewer than 5 documents or more than 95%
        of them; entries are ``f * log2(N / df)``, rows of unit length. "bekkerman": stop words and
        words in fewer than 3 documents go; entries are counts.
    messages : bool
        Whether each text is a mail message or a post: its header goes, and with "basu" its
        signature too.
    min_documents, max_share : int and float, optional
        Other limits than those of the recipe; a small collection may need them.

    Attributes
    ----------
    words_ : list of str
        The words of the columns.
    frequencies_ : numpy.ndarray of int64
        In how many documents each of them stands.
    n_documents_ : int
        How many documents there were.

    Examples
    --------
    >>> texts = ["the cat and a mouse", "a cat, a mouse, a dog", "the dog and its bone"]
    >>> vectors = TextVectors(min_documents=2)
    >>> rows = vectors.fit_transform(texts)
    >>> vectors.words_, rows.shape, rows.toarray().round(2)[2].tolist()
    (['cat', 'dog', 'mouse'], (3, 3), [0.0, 1.0, 0.0])
    """

    def __init__(
        self,
        text: str = "basu",
        *,
        messages: bool = False,
        min_documents: int | None = None,
        max_share: float | None = None,
    ) -> None:
        self.text = text
        self.messages = messages
        self.min_documents = min_documents
        self.max_share = max_share

    def fit(self, texts: Iterable[str], y: Any = None) -> Self:
        """Learn words and their frequencies."""
        self._learn(texts)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None, **_: Any) -> sp.csr_array:
        """Learn words, and return the rows of the same texts."""
        return self._weighed(self._learn(texts))

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """Rows of other texts; words that were not there when fitted do not count."""
        check_is_fitted(self)
        lexicon = Lexicon()
        counts = self._counts(texts, lexicon)
        column = {word: place for place, word in enumerate(self.words_)}
        target = np.array([column.get(word, -1) for word in lexicon.words], dtype=np.int64)
        return self._weighed(_mapped(counts, target, len(self.words_)))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Words of the columns, as scikit-learn asks for them."""
        check_is_fitted(self)
        return np.array(self.words_, dtype=object)

    def _learn(self, texts: Iterable[str]) -> sp.csr_array:
        limits = named_recipe(self.text).words
        least = limits.min_documents if self.min_documents is None else self.min_documents
        share = limits.max_share if self.max_share is None else self.max_share
        if least is None or isinstance(least, bool) or not isinstance(least, int) or least < 1:
            raise InputError("{given} must be a whole number, 1 or more", "min_documents", least)
        if not 0 < share <= 1:
            raise InputError("{given} must be a share above 0 and up to 1", "max_share", share)
        lexicon = Lexicon()
        counts = self._counts(texts, lexicon)
        n = counts.shape[0]
        running = np.asarray(counts.sum(axis=0), dtype=np.int64).tolist()
        warn_of_pieces(zip(lexicon.words, running, strict=True), stacklevel=3)
        common = stop_words(limits.languages or ())
        df = document_frequencies(counts)
        keep = (df >= least) & (df <= share * n)
        keep &= np.array([word not in common for word in lexicon.words], dtype=bool)
        if not keep.any():
            raise InputError(
                "no word of the {words:,} is left: none stands in at least {least} and at most "
                "{share:.0%} of the {n:,} texts; give another {p[min_documents]} or {p[max_share]}",
                words=len(lexicon.words),
                least=least,
                share=share,
                n=n,
            )
        order = sorted(np.flatnonzero(keep).tolist(), key=lexicon.words.__getitem__)
        target = np.full(len(lexicon.words), -1, dtype=np.int64)
        target[order] = np.arange(len(order))
        self.words_ = [lexicon.words[place] for place in order]
        self.frequencies_ = df[order]
        self.n_documents_ = n
        return _mapped(counts, target, len(order))

    def _weighed(self, counts: sp.csr_array) -> sp.csr_array:
        if named_recipe(self.text).weights == "counts":
            return counts
        return tfidf(counts, frequencies=self.frequencies_, n_documents=self.n_documents_)

    def _counts(self, texts: Iterable[str], lexicon: Lexicon) -> sp.csr_array:
        if isinstance(texts, str | bytes):
            raise InputError("a single text was given; give a list of texts")
        if hasattr(texts, "columns"):  # walking over a frame gives the names of its columns
            raise InputError("a table was given; give one column of texts, such as df['text']")
        indptr, indices, data = [0], list[int](), list[int]()
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(
                    f"text {place} is a {type(text).__name__}; every text must be a string"
                )
            counts = count_words((self._body(text),), lexicon)
            indices.extend(counts)
            data.extend(counts.values())
            indptr.append(len(indices))
        if len(indptr) == 1:
            raise InputError("there are no texts; give at least one")
        shape = (len(indptr) - 1, len(lexicon.words))
        return sp.csr_array((np.array(data, dtype=np.float64), indices, indptr), shape=shape)

    def _body(self, text: str) -> str:
        if not self.messages:
            return text
        raw = text.encode("utf-8", "surrogateescape")
        _, start = split_message(raw)
        body = raw[start:].decode("utf-8", "replace").replace("\r\n", "\n")
        drop = named_recipe(self.text).reading["signatures"] == "drop"
        return strip_signature(body) if drop else body


def _mapped(counts: sp.csr_array, target: Any, n_columns: int) -> sp.csr_array:
    """Columns renumbered; those of -1 go."""
    keep = target[counts.indices] >= 0
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))[keep]
    entries = (counts.data[keep], (rows, target[counts.indices[keep]]))
    return sp.csr_array(sp.coo_array(entries, shape=(counts.shape[0], n_columns)))
