"""What the one-class estimators share: reading, cuts, the background, and what a fit leaves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import validate_data

from comraf.docstrings import DocumentedOnce
from comraf.errors import InputError
from comraf.graph.tables import check_sparse
from comraf.oneclass.background import background_shares
from comraf.parameters import check_int, check_number

__all__ = [
    "OneClassBase",
    "Side",
    "check_one_class",
    "fewest_documents",
    "order_of",
    "with_background",
    "words_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Of all values together: doubles count whole words no further.
_MOST = 1e15
# From so many documents on a word must be in three of them, as in collections.
_MANY = 300
# A word's general share, at the least: ratios to it, and their squares, stay finite.
_LEAST_SHARE = 1e-30


@dataclass(frozen=True, eq=False)
class Side:
    """A table after the cuts.

    Attributes
    ----------
    counts : csr_array of shape (n, m)
        Entries of the columns that are left; ones where vectors are binary.
    kept : numpy.ndarray of int64
        Which columns these are.
    n_columns : int
        How many there were.
    background : numpy.ndarray of shape (m,)
        General share of each, smoothed, with a sum of 1; empty where it is not asked for.
    words : list of str, optional
        Names of all columns.
    """

    counts: Any
    kept: Ints
    n_columns: int
    background: Floats
    words: list[str] | None = None

    @property
    def sums(self) -> Floats:
        """Total of each column that is left."""
        m = self.counts.shape[1]
        sums = np.bincount(self.counts.indices, weights=self.counts.data, minlength=m)
        return sums.astype(np.float64)

    @property
    def spread(self) -> Ints:
        """Number of documents that have each column."""
        return np.bincount(self.counts.indices, minlength=self.counts.shape[1])

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Documents of which nothing is left."""
        return np.asarray(np.diff(self.counts.indptr) == 0)

    def ratios(self, prior: float = 0.0) -> Floats:
        """How much more frequent each word is here than in general.

        With a prior, ratios are posterior means under a gamma distribution of mean 1 that counts
        as much as ``prior`` occurrences: rare words stay near 1. Always positive.
        """
        sums = self.sums
        return np.asarray((sums + prior) / (sums.sum() * self.background + prior))

    def scatter(self, values: Floats, fill: float = 0.0) -> Floats:
        """Values of the columns that are left, among those of all."""
        out = np.full(self.n_columns, fill)
        out[self.kept] = values
        return out

    def named(self, columns: Ints) -> Any:
        """Columns that are left, as columns of the whole table or by name."""
        whole = self.kept[columns]
        return whole if self.words is None else [self.words[j] for j in whole]


def order_of(scores: Floats, last: NDArray[np.bool_] | None = None) -> Ints:
    """Rows by falling score, ties in the order of rows; those that are ``last`` come last.

    Examples
    --------
    >>> order_of(np.array([1.0, 3.0, 3.0, 2.0])).tolist()
    [1, 2, 3, 0]
    """
    keys = (-scores,) if last is None else (-scores, last)
    return np.lexsort(keys).astype(np.int64)


def fewest_documents(given: int | None, n: int) -> int:
    """In how many of ``n`` documents a word must be; None: 3, and 2 below 300 documents.

    Examples
    --------
    >>> fewest_documents(None, 1000), fewest_documents(None, 100), fewest_documents(5, 100)
    (3, 2, 5)
    """
    if given is None:
        return 3 if n >= _MANY else 2
    return max(check_int("min_documents", given, least=0), 1)


def words_of(words: Sequence[str] | None, m: int, table: str = "X") -> list[str] | None:
    """Names of the columns as texts, one for each."""
    names = None if words is None else [str(word) for word in words]
    if names is not None and len(names) != m:
        raise InputError(f"there are {len(names):,} words for {m:,} columns of {table}")
    return names


def with_background(
    estimator: OneClassBase, table: Any, words: Sequence[str] | None
) -> OneClassBase:
    """The estimator with its background looked up once, for many fits on parts of a table."""
    cuts = estimator.min_background > 0
    used = np.bincount(table.indices, minlength=table.shape[1]) > 0
    compares = estimator._compares or (estimator.background is not None and cuts)
    if not compares or not used.any():
        return estimator
    shares, unseen = estimator._shares(words_of(words, len(used)), used, len(used))
    # Where rare words are cut, those never seen are the rarest, and must be seen to be.
    filled = shares if cuts else np.where(shares > 0, shares, unseen)
    return clone(estimator).set_params(background=filled)  # type: ignore[no-any-return]


def check_one_class(estimator: Any) -> None:
    """Refuse what is no estimator of a core."""
    if not isinstance(estimator, OneClassBase):
        raise InputError(
            f"estimator is {type(estimator).__name__}; give one of comraf.oneclass, such as "
            "OCCC(n_core=10)"
        )


@dataclass(eq=False, repr=False, kw_only=True)
class OneClassBase(DocumentedOnce, BaseEstimator, ABC):
    """Reading, checking and keeping, for the estimators of this room.

    Parameters
    ----------
    n_core : int
        How many documents make the core: at least 1, fewer than there are.
    background : None, "flat", array or Background
        How frequent words are in general: one number for each column, or something that knows
        words. None takes `comraf.oneclass.WordFrequencies` of English and needs ``words``.
    binary : bool
        Whether it only counts that a document has a word, not how often.
    min_documents : int or None
        Words in fewer documents are cut. None: 3, and 2 below 300 documents.
    min_background : float
        Words whose general frequency is below this are cut, those never seen too.
    random_state : int, RandomState or None
        Seed, for methods that draw.

    Attributes
    ----------
    core_ : numpy.ndarray of int64
        Rows of the core, best first.
    ranking_ : numpy.ndarray of int64
        All rows, best first; ties in the order of rows, rows without a word left at the end.
    scores_ : numpy.ndarray of float
        For each row, higher where it is more like the core. Rows without a word left have the
        lowest score that a row has.
    labels_ : numpy.ndarray of int32
        1 in the core, 0 outside.
    word_scores_ : numpy.ndarray of float
        For each column, higher where it tells more of the core; 0 for words cut.
    topical_words_ : list of str or numpy.ndarray of int64
        The telling words alone, best first: names where there are any, else columns.
    """

    # The constructor is made of these, and of those that a method adds: a parameter is said once.
    n_core: int = field(kw_only=False)
    background: Any = None
    binary: bool = True
    min_documents: int | None = None
    min_background: float = 0.0
    random_state: Any = None
    # Whether a method needs to know how frequent words are in general.
    _compares: ClassVar[bool] = True

    def fit(self, X: Any, y: Any = None, *, words: Sequence[str] | None = None) -> Self:
        """Find the core.

        Parameters
        ----------
        X : array, sparse table or DataFrame of shape (documents, words)
            Counts; a frame's columns are the words.
        y : ignored
            For scikit-learn's sake.
        words : sequence of str, optional
            Name of each column.

        Returns
        -------
        self
        """
        side = self._side(X, words)
        self._solve(side)
        return self

    def fit_predict(self, X: Any, y: Any = None, *, words: Sequence[str] | None = None) -> Any:
        """Fit, and give ``labels_``: 1 in the core, 0 outside."""
        return self.fit(X, y, words=words).labels_

    @abstractmethod
    def _solve(self, side: Side) -> None:
        """Score rows and words, and keep the core."""

    def _side(self, X: Any, words: Sequence[str] | None, name: str = "X") -> Side:
        """Read a table, cut words, and look up how frequent they are in general."""
        floor = check_number("min_background", self.min_background)
        if isinstance(X, Mapping) and not sp.issparse(X):  # some sparse tables are mappings too
            raise InputError(
                f"{name} has several sides, of which {type(self).__name__} takes one; give it one "
                "table, such as X['words'], or take OCCC, which takes several"
            )
        columns = getattr(X, "columns", None)
        check_sparse(X, name)
        table = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C")
        table = sp.csr_array(table, copy=sp.issparse(X))  # the caller's is left as it is
        table.sum_duplicates()
        table.eliminate_zeros()
        if len(table.data) and table.data.min() < 0:
            raise InputError(
                f"Negative values in data: {name} has {table.data.min():g}; give counts of words"
            )
        with np.errstate(over="ignore"):
            total = float(table.data.sum())
        if not self.binary and total > _MOST:
            raise InputError(
                f"the values of {name} add up to {total:.0e}, more than {_MOST:.0e}; "
                "give counts of words, or divide by something"
            )
        n, m = table.shape
        self._check_core(n)
        least = fewest_documents(self.min_documents, n)
        if words is None and columns is not None:
            words = [str(column) for column in columns]
        names = words_of(words, m, name)
        keep = np.bincount(table.indices, minlength=m) >= least
        shares, unseen = np.ones(m), 1.0
        compares = self._compares or (self.background is not None and floor > 0)
        if compares:
            shares, unseen = self._shares(names, keep, m)
            keep &= shares >= floor
        kept = np.flatnonzero(keep)
        if not len(kept):
            raise InputError(
                "no word of {name} is left: {m:,} columns, of which none is in at least {least} "
                "documents and at least {floor:g} frequent in general; lower {p[min_documents]} or "
                "{p[min_background]}, or give more documents",
                name=name,
                m=m,
                least=least,
                floor=floor,
            )
        counts = sp.csr_array(table[:, kept]) if len(kept) < m else table
        counts.sort_indices()
        if self.binary:
            counts = sp.csr_array(
                (np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape
            )
        smooth = np.where(shares[kept] > 0, shares[kept], unseen)
        share = np.empty(0)
        if compares:
            share = np.maximum(smooth / smooth.max(), _LEAST_SHARE)
            share /= share.sum()
        return Side(counts, kept, m, share, names)

    def _shares(
        self, names: list[str] | None, keep: NDArray[np.bool_], m: int
    ) -> tuple[Floats, float]:
        by_words = self.background is None or hasattr(self.background, "frequencies")
        if names is None or not by_words:
            return background_shares(self.background, m, names)
        # Looked up for words that may stay alone: a vocabulary has a long tail.
        some = np.flatnonzero(keep)
        found, unseen = background_shares(
            self.background, len(some), [names[j] for j in some.tolist()]
        )
        shares = np.zeros(m)
        shares[some] = found
        return shares, unseen

    def _check_core(self, n: int) -> None:
        k = check_int("n_core", self.n_core)
        if k >= n:
            raise InputError(
                "{given}, but n_samples={n}; the core must leave out at least one row",
                "n_core",
                k,
                n=n,
            )

    def _tell(self, side: Side, words: Floats, telling: Ints | None = None) -> None:
        """Set the scores of words, and which are telling: by default those above 0."""
        if telling is None:
            order = order_of(words)
            telling = order[words[order] > 0]
        self.word_scores_ = side.scatter(words)
        self.topical_words_ = side.named(telling)

    def _rank(self, scores: Floats, empty: NDArray[np.bool_]) -> None:
        """Set what all estimators leave of the scores of rows."""
        if empty.any() and not empty.all():
            scores = np.where(empty, scores[~empty].min(), scores)
        self.scores_ = scores
        self.ranking_ = order_of(scores, empty)
        self.core_ = self.ranking_[: self.n_core].copy()
        self.labels_ = np.zeros(len(scores), dtype=np.int32)
        self.labels_[self.core_] = 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
