"""How text becomes rows, by the name of whose experiments did it so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.collection.options import SideOptions, WordOptions
from comraf.errors import InputError
from comraf.parameters import check_choice


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is read of a text, which words count, and for how much.

    Attributes
    ----------
    name : str
    words : WordOptions
        Which words count.
    weights : {"tfidf", "counts"}
        "tfidf": ``f * log2(N / df)`` in rows of unit length; "counts": how often a word stands.
    reading : mapping
        What the readers of mail and posts leave out (their options).

    Examples
    --------
    >>> recipe = named_recipe("basu")
    >>> recipe.words.min_documents, recipe.words.max_share, recipe.weights
    (5, 0.95, 'tfidf')
    >>> recipe.sides.sides
    ('words',)
    """

    name: str
    words: WordOptions
    weights: Literal["tfidf", "counts"]
    reading: Mapping[str, Any]

    @property
    def sides(self) -> SideOptions:
        """For `comraf.collection.build.build_collection`: the words by this recipe."""
        return SideOptions(words=self.words, sides=("words",))


RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        # Basu's thesis, 2.5: no header (nor subject), no signature; the quotes stay.
        "basu": Recipe(
            "basu",
            WordOptions(languages=("en",), min_documents=5, max_share=0.95, titles=False),
            "tfidf",
            MappingProxyType({"quotes": "keep", "signatures": "drop"}),
        ),
        # Bekkerman's thesis, 4.3: rare words and stop words go, the others are counted.
        "bekkerman": Recipe(
            "bekkerman",
            WordOptions(languages=("en",), min_documents=3, max_share=1.0),
            "counts",
            MappingProxyType({"quotes": "keep", "signatures": "keep"}),
        ),
    }
)
"""Recipes by name."""


def named_recipe(name: str) -> Recipe:
    """A recipe by its name.

    Examples
    --------
    >>> named_recipe("salton")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: text='salton' is unknown; choose one of ['basu', 'bekkerman']
    """
    check_choice("text", name, sorted(RECIPES))
    return RECIPES[name]


def document_frequencies(counts: sp.csr_array) -> NDArray[np.int64]:
    """In how many rows each column is not 0.

    Examples
    --------
    >>> document_frequencies(sp.csr_array([[2, 0], [1, 3]])).tolist()
    [2, 1]
    """
    there = counts.indices[counts.data != 0]
    return np.bincount(there, minlength=counts.shape[1]).astype(np.int64)


def tfidf(
    counts: Any,
    *,
    frequencies: NDArray[np.int64] | None = None,
    n_documents: int | None = None,
) -> sp.csr_array:
    """Rows of unit length whose entries are ``f * log2(N / df)``.

    Parameters
    ----------
    counts : array or sparse matrix, documents by words
        How often each word stands in each document.
    frequencies, n_documents : optional
        In how many documents of how many each word stands; those of `counts` unless given (new
        documents take the weights of those that the vocabulary was made from).

    Returns
    -------
    csr_array
        A document without any weighty word is a row of zeros.

    Examples
    --------
    >>> tfidf([[1, 0, 2], [1, 3, 0]]).toarray().tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    from sklearn.preprocessing import normalize

    table = sp.csr_array(counts, dtype=np.float64)
    df = document_frequencies(table) if frequencies is None else np.asarray(frequencies)
    n = table.shape[0] if n_documents is None else n_documents
    if df.shape != (table.shape[1],):
        raise InputError(
            f"there are {df.size:,} document frequencies for {table.shape[1]:,} columns; give one "
            "for each"
        )
    idf = np.log2(n / np.maximum(df, 1))
    out = table.copy()
    out.data = table.data * idf[table.indices]
    out.eliminate_zeros()
    return sp.csr_array(normalize(out))
