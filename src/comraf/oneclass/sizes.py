"""How large is the core? Several sizes are tried and scored; nobody guesses in silence.

Three things speak for a size. *Separation*: documents inside score higher than those outside, as
the share of the variance of scores that the border explains. *Stability*: nearly the same core
is found when a fifth of the documents is taken away; what chance alone would agree on is taken
off. *Balance*: the entropy of the split in bits, for five documents that are all alike can be
found in any collection. The score of a size is the product of the three. How stable the core is
when half of the words are taken away is shown, too; it was found to say little about the size.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array

from comraf.errors import InputError
from comraf.oneclass.base import OneClassBase, check_one_class, order_of, with_background
from comraf.oneclass.size_plot import draw
from comraf.oneclass.starting import border_variance
from comraf.parameters import check_int, check_random
from comraf.progress import Event, Listener

__all__ = ["SHARES", "SizeScore", "Suggestion", "suggest_n_core"]

#: Sizes that are tried by default, as shares of the documents.
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8)
# Scores beyond these percentiles are pulled in: one document of a thousand words that all tell
# would otherwise be all of the variance.
_ENDS = (2.0, 98.0)
_WORDS_LEFT, _DOCUMENTS_LEFT = 0.5, 0.8
_CLEAR = 0.82
_TASK = "sizes of the core"


@dataclass(frozen=True)
class SizeScore:
    """What speaks for one size.

    Attributes
    ----------
    size : int
        Documents in the core.
    score : float
        ``separation * stability * balance``, 0 where stability is negative.
    separation : float
        Share of the variance of scores that lies between core and rest, 0 to 1.
    stability : float
        Mean agreement with the cores of fewer documents, 1 for the same core, 0 for chance.
    word_stability : float
        The same for fewer words.
    f : float or None
        Harmonic mean of precision and recall, where the truth is known.
    """

    size: int
    score: float
    separation: float
    stability: float
    word_stability: float
    f: float | None = None


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Sizes of the core with what speaks for each.

    Attributes
    ----------
    rows : tuple of SizeScore
        By rising size.
    n_documents : int
        Documents that there are.
    n_sampled : int
        Documents that were looked at; sizes are scaled up to all.
    n_fits : int
        How often the estimator was fitted.
    seconds : float
        How long it took.
    interrupted : bool
        Whether it was stopped before all sizes were tried.

    Examples
    --------
    >>> rows = (SizeScore(5, 0.11, 0.4, 0.5, 0.4), SizeScore(10, 0.55, 0.75, 0.9, 0.6))
    >>> found = Suggestion(rows, 40, 40, 14, 0.1)
    >>> found.best
    10
    >>> print(found)
    10 of 40 documents, score 0.55 (separation 0.75, stability 0.90); next: 5 with 0.11
    """

    rows: tuple[SizeScore, ...]
    n_documents: int
    n_sampled: int
    n_fits: int
    seconds: float
    interrupted: bool = False

    @property
    def best_row(self) -> SizeScore:
        """The size with the best score; the smaller of two that are equal."""
        return max(self.rows, key=lambda row: (row.score, -row.size))

    @property
    def best(self) -> int:
        """The suggested size."""
        return self.best_row.size

    @property
    def clear(self) -> bool:
        """Whether the best core is more stable than one of documents without any topic.

        The most stable cores of words drawn at random reach .8; those of texts are above.
        """
        return self.best_row.score > 0 and self.best_row.stability > _CLEAR

    @property
    def doubt(self) -> str:
        """What speaks against every size; empty where the best one is clear."""
        if self.clear:
            return ""
        if not any(row.separation > 0 for row in self.rows):
            return "all documents score alike, so that no size is better than another"
        return "no size is stable" if self.best_row.stability <= _CLEAR else "no size stands out"

    @property
    def table(self) -> list[dict[str, Any]]:
        """All rows as plain data; ``f`` is left out where nothing is known."""
        rows = [asdict(row) for row in self.rows]
        return [{k: v for k, v in row.items() if v is not None} for row in rows]

    def to_svg(self) -> str:
        """A picture of the scores over the sizes, as SVG text."""
        return draw(self.rows, self.best, self.n_documents)

    def __str__(self) -> str:
        best = self.best_row
        others = sorted((r for r in self.rows if r is not best), key=lambda r: -r.score)
        after = f"; next: {others[0].size:,} with {others[0].score:.2f}" if others else ""
        doubt = f"; {self.doubt}" if self.doubt else ""
        part = (
            f", judged by {self.n_sampled:,} of them" if self.n_sampled < self.n_documents else ""
        )
        return (
            f"{best.size:,} of {self.n_documents:,} documents{part}, score {best.score:.2f} "
            f"(separation {best.separation:.2f}, stability {best.stability:.2f}){after}{doubt}"
        )


def suggest_n_core(
    estimator: OneClassBase,
    X: Any,
    *,
    words: Sequence[str] | None = None,
    sizes: Sequence[int] | None = None,
    truth: Any = None,
    resamples: int = 3,
    max_documents: int = 2_000,
    random_state: Any = 0,
    listener: Listener | None = None,
) -> Suggestion:
    """Try several sizes of the core, and score each.

    It costs ``len(sizes) * (1 + 2 * resamples)`` fits, on no more than ``max_documents``
    documents. Ctrl-C ends it early, and what was tried until then is given.

    Parameters
    ----------
    estimator : OneClassBase
        Finds the core; its ``n_core`` does not matter, and it is not fitted itself.
    X : array, sparse table or DataFrame of shape (documents, words)
        Counts.
    words : sequence of str, optional
        Name of each column.
    sizes : sequence of int, optional
        Sizes to try; by default twelve, from a twentieth to four fifths of the documents.
    truth : sequence of bool, optional
        Which documents are known to be in the core: each size gets its F-measure too, which
        does not count for the score.
    resamples : int
        How often words, and how often documents, are taken away at random, for each size.
    max_documents : int
        Of larger collections so many documents are drawn.
    random_state : int, RandomState or None
        Seed; the same one gives the same suggestion.
    listener : callable, optional
        Called with every event of the work.

    Returns
    -------
    Suggestion

    Examples
    --------
    >>> from comraf.oneclass import MaxKL
    >>> draws = np.random.default_rng(0).random((60, 40))
    >>> X = (draws < 0.2).astype(int)
    >>> X[:18, :10] = draws[:18, :10] < 0.8
    >>> suggest_n_core(MaxKL(1, background="flat"), X, sizes=[6, 12, 18, 30, 48]).best
    18
    """
    check_int("resamples", resamples)
    check_int("max_documents", max_documents, least=10)
    check_one_class(estimator)
    began = time.perf_counter()
    random = check_random(random_state)
    if words is None and hasattr(X, "columns"):
        words = [str(column) for column in X.columns]
    if isinstance(X, Mapping) and not sp.issparse(X):
        raise InputError(
            "X has several sides, and a size is suggested for one table; give that of words, "
            "such as X['words']"
        )
    # A copy of its own: tables of a collection lie on the disk and can't be changed.
    table = sp.csr_array(check_array(X, accept_sparse="csr", dtype=np.float64), copy=True)
    n = table.shape[0]
    if n < 3:
        raise InputError(f"there are {n} documents; a size can be suggested for 3 or more")
    known = _truth(truth, n)
    tried = _sizes(sizes, n)
    rows = np.arange(n)
    if n > max_documents:
        rows = np.sort(random.choice(n, max_documents, replace=False))
        table = table[rows]
        known = None if known is None else known[rows]
    work = with_background(estimator, table, words)
    # Far apart first, so that whoever stops early has seen the whole range.
    order = sorted(range(len(tried)), key=lambda i: int(f"{i:016b}"[::-1], 2))
    found: dict[int, SizeScore] = {}
    scan = _Scan(work, table, words, known, resamples, random)
    interrupted = False
    try:
        for step, i in enumerate(order):
            if listener is not None:
                message = f"{tried[i]:,} of {n:,}"
                listener(Event(_TASK, step / len(tried), step + 1, len(tried), message=message))
            scaled = min(max(round(tried[i] * len(rows) / n), 1), len(rows) - 1)
            found[i] = scan.score(tried[i], scaled)
    except KeyboardInterrupt:
        if not found:
            raise
        interrupted = True
    if listener is not None and not interrupted:
        listener(Event(_TASK, 1.0, len(tried), len(tried)))
    return Suggestion(
        tuple(found[i] for i in sorted(found)),
        n,
        len(rows),
        scan.n_fits,
        time.perf_counter() - began,
        interrupted,
    )


class _Scan:
    """Fits for one size after another."""

    def __init__(
        self,
        estimator: OneClassBase,
        table: Any,
        words: Sequence[str] | None,
        truth: NDArray[np.bool_] | None,
        resamples: int,
        random: np.random.RandomState,
    ) -> None:
        self.estimator, self.table, self.words, self.truth = estimator, table, words, truth
        self.n_fits = 0
        n, m = table.shape
        # The same resamples for all sizes, so that luck is the same for all.
        gone = [random.random_sample(m) >= _WORDS_LEFT for _ in range(resamples)]
        self.thinned = [_without(table, columns) for columns in gone]
        left = max(2, round(_DOCUMENTS_LEFT * n))
        self.parts = [np.sort(random.choice(n, left, replace=False)) for _ in range(resamples)]

    def score(self, told: int, k: int) -> SizeScore:
        """What speaks for a core of k documents, which is ``told`` of the whole collection."""
        n = self.table.shape[0]
        whole = self._fit(self.table, k)
        inside = whole.labels_.astype(bool)
        by_words = [self._agreement(table, k, inside) for table in self.thinned]
        by_documents = []
        for part in self.parts:
            fewer = min(max(round(k * len(part) / n), 1), len(part) - 1)
            expected = np.zeros(len(part), dtype=bool)
            expected[order_of(-np.argsort(whole.ranking_)[part].astype(float))[:fewer]] = True
            by_documents.append(self._agreement(self.table[part], fewer, expected))
        stability, separation = _mean(by_documents), _separation(whole.scores_, k)
        score = separation * max(stability, 0.0) * _entropy(k / n)
        f = None
        if self.truth is not None:
            right = int(self.truth[whole.core_].sum())
            f = 2 * right / (k + int(self.truth.sum()))
        return SizeScore(told, score, separation, stability, _mean(by_words), f)

    def _agreement(self, table: Any, k: int, expected: NDArray[np.bool_]) -> float | None:
        """Overlap of two cores of k documents, beyond what chance gives."""
        try:
            core = self._fit(table, k).core_
        except InputError:
            return None  # nothing is left of so few words: it says nothing about the size
        by_chance = k / table.shape[0]
        return float((expected[core].mean() - by_chance) / (1 - by_chance))

    def _fit(self, table: Any, k: int) -> Any:
        self.n_fits += 1
        return clone(self.estimator).set_params(n_core=k).fit(table, words=self.words)


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else 0.0


def _entropy(share: float) -> float:
    return -(share * math.log2(share) + (1 - share) * math.log2(1 - share))


def _separation(scores: NDArray[np.float64], k: int) -> float:
    best = np.clip(scores, *np.percentile(scores, _ENDS))
    between, spread = border_variance(best, k)
    return min(between / spread, 1.0) if spread > 1e-12 * max(1.0, best.mean() ** 2) else 0.0


def _without(table: Any, columns: NDArray[np.bool_]) -> Any:
    """A table without the entries of some columns; its shape and their names stay."""
    keep = ~columns[table.indices]
    starts = np.concatenate([[0], np.cumsum(keep)])[table.indptr]
    return sp.csr_array((table.data[keep], table.indices[keep], starts), shape=table.shape)


def _sizes(sizes: Sequence[int] | None, n: int) -> list[int]:
    if sizes is None:
        return sorted({min(max(round(share * n), 1), n - 1) for share in SHARES})
    if not isinstance(sizes, Iterable):
        raise InputError(f"sizes={sizes!r}; give a list of numbers of documents, such as [10, 20]")
    found = sorted({check_int("sizes", size) for size in sizes})
    if not found or found[-1] >= n:
        shown = f"{found[-1]:,} is among them" if found else "there are none"
        raise InputError(f"sizes must be from 1 to {n - 1:,} of {n:,} documents; {shown}")
    return found


def _truth(truth: Any, n: int) -> NDArray[np.bool_] | None:
    if truth is None:
        return None
    known = np.asarray(truth).astype(bool)
    if known.shape != (n,):
        raise InputError(f"truth has shape {known.shape} for {n:,} documents")
    return known
