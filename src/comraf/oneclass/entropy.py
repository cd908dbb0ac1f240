"""Cores by entropy: documents whose words are frequent here, or more frequent than in general."""

from __future__ import annotations

import numpy as np

from comraf.oneclass.base import OneClassBase, Side, order_of

__all__ = ["MaxKL", "MinEntropy"]


class MinEntropy(OneClassBase):
    """Documents with the least word entropy: those that use words frequent in the collection.

    The score of a document is the mean of log P(w) over its words. Optimal where all words of
    the topic are equally frequent and so are all others (Bekkerman 2008, 6.3); in real texts
    common words win, so this is where theory starts and `MaxKL` goes on. It uses no
    background, unless ``min_background`` asks for a cut.

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> MinEntropy(n_core=2).fit(X).core_.tolist()
    [0, 1]
    """

    _compares = False

    def _solve(self, side: Side) -> None:
        sums = side.sums
        scores = np.log(sums / sums.sum())
        length = np.asarray(side.counts.sum(axis=1)).ravel()
        means = (side.counts @ scores) / np.where(length > 0, length, 1)
        frequent = order_of(scores)
        telling = frequent[scores[frequent] > -np.log(len(scores))]
        self._rank(means, side.empty)
        self._tell(side, scores, telling)


class MaxKL(OneClassBase):
    """Documents with the largest share in the divergence of the collection from the background.

    The score of a document is the sum over its words of log p(w)/q(w), where p is how frequent a
    word is here and q how frequent it is in general (Bekkerman 2008, 6.3.1).

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]])
    >>> found = MaxKL(n_core=2, background=[1, 1, 8]).fit(X, words=["quark", "boson", "the"])
    >>> found.core_.tolist(), found.topical_words_
    ([0, 1], ['boson', 'quark'])
    """

    def _solve(self, side: Side) -> None:
        scores = np.log(side.ratios())
        self._rank((side.counts @ scores) / side.sums.sum(), side.empty)
        self._tell(side, scores)
