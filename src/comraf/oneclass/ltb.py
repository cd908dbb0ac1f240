"""LTB: the latent topic/background model, by expectation maximisation."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.oneclass.base import OneClassBase, Side, order_of
from comraf.oneclass.ltb_kernels import pass_over
from comraf.oneclass.starting import (
    Start,
    best_start,
    by_words,
    check_effort,
    contrast,
    first_cores,
    start_ratios,
    worth,
)
from comraf.parameters import check_int, check_number

__all__ = ["LTB", "Run", "climb"]

Floats = NDArray[np.float64]

# How near a document's share of topical words may come to 0 and to 1.
_LEAST_PI = 1e-6
# The general model keeps this part of a word's frequency at least, so that ratios stay finite.
_LEAST_GENERAL = 1e-9
# A word that the topic has lost: its score stays a number.
_LEAST_TOPIC = 1e-300
# Rounds after which the ranking is taken to wander for ever.
_MOST_ROUNDS = 500
# EM fits noise when it goes on for long: the published number of rounds.
_ROUNDS = 5
# Occurrences that both models get besides, no more than this part of all there are.
_SMOOTHING = 50.0
_SMOOTHING_SHARE = 0.05
# A start's topic has this many words of the whole collection for each of its documents.
_MIXED = 0.5


@dataclass(eq=False)
class Run:
    """Where EM has ended.

    Attributes
    ----------
    ratios : numpy.ndarray of shape (n,)
        Log likelihood ratio of each document, core against rest.
    topic, general : numpy.ndarray of shape (m,)
        Distributions of words, as they were when ratios were last computed.
    pi : numpy.ndarray of shape (n,)
        Share of topical words in each document, if it is in the core.
    n_iter : int
        Rounds of expectation and maximisation.
    trace : list of float
        Log likelihood of all documents at each expectation; without smoothing it never falls.
    """

    ratios: Floats
    topic: Floats
    general: Floats
    pi: Floats
    n_iter: int = 0
    trace: list[float] = field(default_factory=list)


def climb(
    side: Side,
    topic: Floats,
    general: Floats,
    pi: Floats,
    share: float,
    max_iter: int | None,
    smoothing: float,
) -> Run:
    """EM from a start.

    Parameters
    ----------
    side : Side
        Documents.
    topic, general : array of shape (m,)
        Distributions of words to start from.
    pi : array of shape (n,)
        Shares of topical words to start from.
    share : float
        Share of documents in the core.
    max_iter : int or None
        Rounds; None goes on until the ranking stands still.
    smoothing : float
        Occurrences, spread as words are in the collection, that both models get besides.

    Returns
    -------
    Run
    """
    X = side.counts
    n, m = X.shape
    sums = side.sums
    extra = smoothing * sums / sums.sum()
    base = math.log(share) - math.log1p(-share)
    pi, ratios, topical = pi.copy(), np.zeros(n), np.zeros(m)
    indptr, indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
    trace: list[float] = []
    before: NDArray[Any] | None = None
    while True:
        held = pi.copy()
        pass_over(indptr, indices, X.data, topic / general, pi, base, _LEAST_PI, ratios, topical)
        both = np.logaddexp(math.log(share) + ratios, math.log1p(-share))
        trace.append(float(both.sum() + sums @ np.log(general)))
        if max_iter is not None:
            if len(trace) >= max_iter:
                break
        else:
            order = order_of(ratios)
            if len(trace) >= _MOST_ROUNDS or (before is not None and np.array_equal(order, before)):
                break
            before = order
        grown = topical + extra
        if grown.sum() <= 0:  # no document has anything of the topic
            break
        topic = grown / grown.sum()
        general = np.maximum(sums - topical, _LEAST_GENERAL * sums) + extra
        general = general / general.sum()
    return Run(ratios, topic, general, held, len(trace), trace)


@dataclass(eq=False, repr=False, kw_only=True)
class LTB(OneClassBase):
    """Latent topic/background: the core's documents mix a topic into general words.

    A document outside the core draws all its words from a general distribution; one in the core
    draws a share of them, its own, from the topic. EM finds both distributions and the shares
    (Bekkerman 2008, 6.5). Documents are ranked by the log odds of being in the core, since many
    posteriors are 1 as far as doubles go.

    As published (``effort="paper"``) there is one start: the topic is as p(w)/q(w), the general
    distribution as its inverse. EM keeps what it starts from, and rare words decide that. By
    default ratios are shrunken, both distributions are smoothed by the collection's, and there
    are further starts from the documents of each word that stands out most from the background.
    The run is kept whose core has high scores, in the sense of `OCCC`, that fall at its
    border: the likelihood prefers long documents. The background says where to start, and no
    more: leave out stop words before. Where the table is large, starts are compared
    on rows drawn at random.

    Parameters
    ----------
    effort : {"default", "paper"}
        Ours, or as published: one start, no shrinking and no smoothing.
    pi : float, "p_d" or "p_w"
        Share of topical words that each document starts with: a number, the core's share of the
        documents, or the share of words that are telling by the heuristic of OCCC, from .05 to
        .95.
    max_iter : int or None
        Rounds of EM; None goes on until the ranking stands still. Few are better: in the end
        each document finds some words that are its own topic.
    starts : int
        Words whose documents are starts too; nothing to "paper".
    smoothing : float or None
        Occurrences, spread as words are in the collection, that both distributions get at each
        round. None: 50 (a twentieth of all there are, if that is less), and 0 to "paper"; with 0
        the likelihood never falls.

    Attributes
    ----------
    pi_ : numpy.ndarray
        Share of topical words in each document, if it is in the core.
    topic_, general_ : numpy.ndarray
        Distributions of words, one number for each column; 0 for words cut.
    word_scores_ : numpy.ndarray
        Log of how much likelier a word is in the topic than in general; 0 for words cut.
    topical_words_ : list of str or numpy.ndarray
        Words likelier in the topic, by their probability in it.
    trace_ : list of float
        Log likelihood at each round of the start that was kept.
    n_iter_ : int
        Rounds.

    Examples
    --------
    >>> X = np.array([[1, 1, 1, 0], [1, 1, 0, 1], [0, 0, 1, 1], [0, 0, 1, 0], [0, 0, 0, 1]])
    >>> LTB(n_core=2, background=[1, 1, 9, 9]).fit(X).core_.tolist()
    [0, 1]
    """

    effort: str = "default"
    pi: float | str = 0.5
    max_iter: int | None = _ROUNDS
    starts: int = 20
    smoothing: float | None = None

    def _solve(self, side: Side) -> None:
        paper = check_effort(self.effort)
        if self.max_iter is not None:
            check_int("max_iter", self.max_iter)
        starts = check_int("starts", self.starts, least=0)
        k = self.n_core
        # A few rounds show which start is good, however many are asked for.
        few = _ROUNDS if self.max_iter is None else min(self.max_iter, _ROUNDS)

        def value(sides: Sequence[Side], k: int, rows: Start) -> float:
            ratios = self._run(sides[0], k, rows, paper, few).ratios
            core = order_of(ratios, sides[0].empty)[:k]
            return worth(by_words(sides[0], np.maximum(contrast(sides[0], core), 0)), k)

        cores = [] if paper else first_cores([side], k, starts)[1:]
        best = best_start([side], k, [None, *cores], value, self.random_state)
        self._settle(side, self._run(side, k, best, paper, self.max_iter), k / side.counts.shape[0])

    def _run(self, side: Side, k: int, rows: Start, paper: bool, max_iter: int | None) -> Run:
        """EM from the words of some rows, or from all words' ratios."""
        n = side.counts.shape[0]
        if rows is None:
            ratios = side.ratios() if paper else start_ratios(side)
            topic, general = ratios / ratios.sum(), (1 / ratios) / (1 / ratios).sum()
        else:
            general = side.sums / side.sums.sum()
            own = np.zeros(n)
            own[rows] = 1.0
            topic = np.asarray(side.counts.T @ own) + _MIXED * max(len(rows), 1) * general
            topic = topic / topic.sum()
        pi = np.full(n, self._start_pi(side, k / n))
        smoothing = self._smoothing(paper, float(side.counts.data.sum()))
        return climb(side, topic, general, pi, k / n, max_iter, smoothing)

    def _settle(self, side: Side, run: Run, share: float) -> None:
        log_odds = math.log(share) - math.log1p(-share) + run.ratios
        word = np.log(np.maximum(run.topic, _LEAST_TOPIC) / run.general)
        order = order_of(run.topic)
        self._rank(log_odds, side.empty)
        self._tell(side, word, order[word[order] > 0])
        self.pi_, self.trace_, self.n_iter_ = run.pi, run.trace, run.n_iter
        self.topic_, self.general_ = side.scatter(run.topic), side.scatter(run.general)

    def _smoothing(self, paper: bool, total: float) -> float:
        if self.smoothing is None:
            return 0.0 if paper else min(_SMOOTHING, _SMOOTHING_SHARE * total)
        return check_number("smoothing", self.smoothing)

    def _start_pi(self, side: Side, share: float) -> float:
        if isinstance(self.pi, str):
            if self.pi == "p_d":
                return share
            if self.pi == "p_w":
                ratios = side.ratios()
                few = (len(ratios) - 2 * int((ratios < 1).sum())) / len(ratios)
                return min(max(few, 0.05), 0.95)
        elif isinstance(self.pi, numbers.Real) and 0 < float(self.pi) < 1:
            return float(self.pi)
        raise InputError("{given}; give a number between 0 and 1, 'p_d' or 'p_w'", "pi", self.pi)
