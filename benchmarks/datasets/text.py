"""Text to counts, one recipe for every text collection.

Lower case; words are runs of letters a-z; scikit-learn's English stop
list. Words in few documents are dropped later, when the rows are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix

__all__ = ["MIN_DOCUMENTS", "count_words", "drop_blobs"]

MIN_DOCUMENTS = 3

_LONGEST_BLOB = 50
# Single letters stay: X and C are words in these collections.
_WORD = r"[a-z]+"
_BLANK = re.compile(r"\s")


def drop_blobs(text: str) -> str:
    r"""Drop lines over 50 characters without white space: encoded files, rulers, signatures.

    Examples
    --------
    >>> drop_blobs("kept\n" + "M" * 51 + "\nkept too")
    'kept\nkept too'
    """
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(
        line for line in lines if len(line) <= _LONGEST_BLOB or _BLANK.search(line) is not None
    )


def count_words(texts: Sequence[str]) -> tuple[csr_matrix, list[str]]:
    """Count the words of each text; return the table and the words of its columns.

    Examples
    --------
    >>> counts, words = count_words(["The cat and the CAT", "a dog, 2 dogs"])
    >>> words, counts.toarray().tolist()
    (['cat', 'dog', 'dogs'], [[2, 0, 0], [0, 1, 1]])
    """
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(
        lowercase=True, token_pattern=_WORD, stop_words="english", dtype=np.int32
    )
    counts = csr_matrix(vectorizer.fit_transform(texts))
    return counts, vectorizer.get_feature_names_out().tolist()
