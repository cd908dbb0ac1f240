"""Words of pages, and their weights by how common they are in general."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.appearances.pages import Page
from comraf.collection.text.segment import warn_of_pieces
from comraf.collection.text.stopwords import WEB_WORDS, guess_languages, stop_words
from comraf.collection.text.words import Lexicon, count_words, tokenise
from comraf.errors import InputError
from comraf.oneclass.background import FlatBackground, background_shares

__all__ = ["WordTable", "background_tfidf", "telling", "word_table"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Equation 4.9 wants counts of pages of the web; shares are taken of so many words.
_GENERAL_WORDS = 1e9


@dataclass(frozen=True, eq=False)
class WordTable:
    """How often each page has each word.

    Attributes
    ----------
    counts : scipy.sparse.csr_array of shape (pages, words)
    words : tuple of str
    """

    counts: Any
    words: tuple[str, ...]


def word_table(pages: Sequence[Page], *, min_documents: int = 2) -> WordTable:
    """Count words, without those that say nothing and those of fewer pages than asked for.

    Function words of the language are left out. The words of a page's own name don't count in
    it: they say by which name it was found, and not whether it is about the circle. Other
    names count, they are the most telling words there are.

    Examples
    --------
    >>> pages = [Page("a", "Ann Lee", "Ann Lee sails with Bob Ray"),
    ...          Page("b", "Bob Ray", "Ray sails with Ann")]
    >>> word_table(pages, min_documents=1).words
    ('ann', 'bob', 'ray', 'sails')
    """
    lexicon = Lexicon()
    own = {page.name: {lexicon[token] for token in tokenise(page.name)} for page in pages}
    counted = []
    running: dict[str, int] = {}
    for page in pages:
        counts = count_words((page.title, page.text), lexicon)
        for number, count in counts.items():
            word = lexicon.words[number]
            running[word] = running.get(word, 0) + count
        counted.append({j: c for j, c in counts.items() if j not in own[page.name]})
    warn_of_pieces(running.items(), stacklevel=2)
    stop = stop_words(guess_languages(running)) | WEB_WORDS
    spread = np.zeros(len(lexicon.words), dtype=np.int64)
    for counts in counted:
        spread[list(counts)] += 1
    kept = [
        j
        for j, word in enumerate(lexicon.words)
        if spread[j] >= max(1, min_documents) and word not in stop
    ]
    if not kept:
        raise InputError(
            f"no word is in {min_documents} or more of the {len(pages):,} pages; "
            "more text is needed to compare them"
        )
    # by the alphabet, so that the order of pages does not matter
    kept.sort(key=lambda j: lexicon.words[j])
    place = {j: new for new, j in enumerate(kept)}
    indices: list[int] = []
    data: list[int] = []
    indptr = [0]
    for counts in counted:
        line = sorted((place[j], c) for j, c in counts.items() if j in place)
        indices += [j for j, _ in line]
        data += [c for _, c in line]
        indptr.append(len(indices))
    table = sp.csr_array(
        (np.array(data, dtype=np.float64), np.array(indices, dtype=np.int64), indptr),
        shape=(len(pages), len(kept)),
    )
    return WordTable(table, tuple(lexicon.words[j] for j in kept))


def background_tfidf(table: WordTable, background: Any = None) -> Any:
    """Rows of unit length: frequency over the logarithm of how common a word is (eq. 4.9).

    The background's shares stand for counts in a thousand million words, and a count is never
    below 2. A flat background knows nothing: then the pages that have the word are counted.

    Examples
    --------
    >>> table = WordTable(sp.csr_array(np.array([[1.0, 1.0]])), ("the", "quark"))
    >>> rare = background_tfidf(table, np.array([0.05, 1e-7])).toarray()[0]
    >>> bool(rare[1] > rare[0])
    True
    """
    counts = table.counts
    if isinstance(background, FlatBackground) or (
        isinstance(background, str) and background == "flat"
    ):
        common = 1.0 + np.bincount(counts.indices, minlength=counts.shape[1])
    else:
        shares, unseen = background_shares(background, counts.shape[1], list(table.words))
        total = shares.sum() if shares.sum() > 1 else 1.0  # counts, or shares
        common = np.where(shares > 0, shares, unseen) / total * _GENERAL_WORDS
    weights = 1.0 / np.log(np.maximum(2.0, common))
    rows = counts @ sp.diags_array(weights)
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return sp.csr_array(sp.diags_array(scale) @ rows)


def telling(table: Any, core: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    """Columns that the core has far more often than the rest, the most telling first.

    A column's worth is the number of pages of the core that have it times the logarithm of
    how much more often they have it than the rest, each share smoothed by half a page.

    Returns
    -------
    columns : array of int
        Those with a positive worth.
    inside, outside : array of int
        For all columns: pages of the core and of the rest that have them.

    Examples
    --------
    >>> table = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1]])
    >>> telling(table, np.array([True, True, False]))[0].tolist()
    [0, 1]
    """
    table = sp.csr_array(table)
    m = table.shape[1]
    entries = core[np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))]
    inside = np.bincount(table.indices[entries], minlength=m)
    outside = np.bincount(table.indices[~entries], minlength=m)
    n_in = int(core.sum())
    n_out = len(core) - n_in
    share_in, share_out = (inside + 0.5) / (n_in + 1.0), (outside + 0.5) / (n_out + 1.0)
    worth = inside * np.log(share_in / share_out)
    order = np.lexsort((np.arange(m), -worth))
    return order[worth[order] > 0], inside, outside
