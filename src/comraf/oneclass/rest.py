"""What does not belong: documents whose words are not those of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.oneclass.base import OneClassBase, Side, order_of
from comraf.parameters import check_number

__all__ = ["LikeTheRest", "rest_scores"]

Floats = NDArray[np.float64]

_SHARE = 0.95
# Occurrences that it takes to believe half of what a word's frequency says.
_PRIOR = 20.0


def rest_scores(spread: Any, background: Any, pi: float = _SHARE) -> Floats:
    """What each word of a document says for its belonging to the others.

    ``log(1 - pi + pi * rho)``, where rho is how much more often the *other* documents have the
    word than would be expected: a document is no witness in its own case. A word that no other
    document has gets ``log(1 - pi)``, the least of all.

    Parameters
    ----------
    spread : array
        Number of documents that have each word.
    background : array
        How frequent each word is in general.
    pi : float
        How much a word counts that is foreign to the rest, between 0 and 1.

    Examples
    --------
    >>> rest_scores([3, 1, 2], [0.25, 0.5, 0.25], 0.5).round(2).tolist()
    [0.15, -0.69, -0.18]
    """
    counts = np.asarray(spread, dtype=np.float64)
    expected = counts.sum() * np.asarray(background, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(expected > 0, np.maximum(counts - 1, 0) / expected, 0.0)
    return np.log(1 - pi + pi * np.minimum(ratio, 1e12))


@dataclass(eq=False, repr=False, kw_only=True)
class LikeTheRest(OneClassBase):
    """The core is what is like the rest, and a small remainder is foreign to it.

    A document's score is the mean, over its words, of `rest_scores`: the log-likelihood
    ratio of LTB, with the document itself left out, and by the word so that short documents are
    not foreign for being short. Made for large cores, where few documents don't belong.
    By default words of a single document count too: they are what is foreign in it. Counts are
    always made ``binary``.

    Parameters
    ----------
    pi : float
        How much a foreign word counts, between 0 and 1.

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 0, 1]])
    >>> LikeTheRest(n_core=3, background="flat").fit(X).ranking_[-1:].tolist()
    [3]
    """

    min_documents: int | None = 1
    pi: float = _SHARE

    def _solve(self, side: Side) -> None:
        pi = check_number("pi", self.pi, above=0, below=1)
        X = side.counts
        word = rest_scores(side.spread, side.background, pi)
        lengths = np.diff(X.indptr)
        total = np.bincount(
            np.repeat(np.arange(X.shape[0]), lengths),
            weights=word[X.indices],
            minlength=X.shape[0],
        )
        # Telling are words that many have, not those that few happen to share.
        about = np.log(side.ratios(_PRIOR))
        telling = order_of(about * side.spread)
        telling = telling[(about[telling] > 0) & (word[telling] > 0)]
        self._rank(total / np.maximum(lengths, 1), side.empty)
        self._tell(side, word, telling)
