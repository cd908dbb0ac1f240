"""What the methods of this room are measured against: cores without a model of words.

They have no background and no words of their own: ``word_scores_`` are logs of how much more
frequent a word is in the core found than in the collection, shrunken, and ``topical_words_`` those
above 0.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.oneclass.base import OneClassBase, Side, order_of
from comraf.oneclass.starting import contrast
from comraf.parameters import check_int, check_number, check_random

__all__ = [
    "CentroidCosine",
    "LocalOutlierCore",
    "OneClassIB",
    "RandomCore",
    "RateDistortion",
    "SVMCore",
]

Floats = NDArray[np.float64]

# Part of a centroid that is the whole collection: a word it has not met is not impossible.
_MIXED = 0.05
# Rounds of a search that has not come to an end by then.
_MOST_ROUNDS = 100


class _Baseline(OneClassBase):
    """A method that only scores rows."""

    _compares = False

    def _solve(self, side: Side) -> None:
        self._rank(self._scores(side), side.empty)
        self._tell(side, contrast(side, self.core_))

    @abstractmethod
    def _scores(self, side: Side) -> Floats:
        """How much each row is like a core."""


@dataclass(eq=False, repr=False, kw_only=True)
class CentroidCosine(_Baseline):
    """Cosine of each document's tf-idf row with the mean of all: the rival to beat.

    By default counts stay as they are, and no word is cut.

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 0, 1], [0, 0, 3, 1]])
    >>> sorted(CentroidCosine(n_core=3).fit(X).core_.tolist())
    [0, 1, 2]
    """

    binary: bool = False
    min_documents: int | None = 1

    def _scores(self, side: Side) -> Floats:
        rows = _tf_idf(side)
        return np.asarray(rows @ np.asarray(rows.mean(axis=0)).ravel())


@dataclass(eq=False, repr=False, kw_only=True)
class SVMCore(CentroidCosine):
    """One-class support vector machine on tf-idf rows, with the core's complement as outliers.

    Outliers are what the machine is made of where they are many, so that it is near chance for
    a small core.

    Parameters
    ----------
    kernel : str
        Any of scikit-learn's; rows have unit length.

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 0, 1], [0, 0, 3, 1]])
    >>> len(SVMCore(n_core=2).fit(X).core_)
    2
    """

    kernel: str = "rbf"

    def _scores(self, side: Side) -> Floats:
        from sklearn.svm import OneClassSVM

        rows = sp.csr_matrix(_tf_idf(side))
        svm = OneClassSVM(kernel=self.kernel, nu=1 - self.n_core / rows.shape[0], gamma=1.0)
        return np.asarray(svm.fit(rows).decision_function(rows), dtype=np.float64).ravel()


@dataclass(eq=False, repr=False, kw_only=True)
class LocalOutlierCore(CentroidCosine):
    """Local outlier factor of tf-idf rows by cosine: how dense a row's surroundings are.

    Parameters
    ----------
    n_neighbors : int
        Neighbours that are looked at; fewer where there are not as many rows.

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 0, 1], [0, 0, 3, 1]])
    >>> sorted(LocalOutlierCore(n_core=3, n_neighbors=2).fit(X).core_.tolist())
    [0, 1, 2]
    """

    n_neighbors: int = 20

    def _scores(self, side: Side) -> Floats:
        import warnings

        from sklearn.neighbors import LocalOutlierFactor

        rows = sp.csr_matrix(_tf_idf(side))
        n_neighbors = min(check_int("n_neighbors", self.n_neighbors), rows.shape[0] - 1)
        factor = LocalOutlierFactor(n_neighbors=n_neighbors, metric="cosine", algorithm="brute")
        with warnings.catch_warnings():  # of identical rows: these share a density, no harm done
            warnings.simplefilter("ignore", UserWarning)
            factor.fit(rows)
        found = factor.negative_outlier_factor_
        return np.asarray(np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=-1e300))


@dataclass(eq=False, repr=False, kw_only=True)
class RateDistortion(_Baseline):
    """One-class rate distortion: documents near a centroid that they make themselves.

    A document x is in the class to the degree q_x = min(1, q0 * exp(-beta * KL(v_x | c)) / p_x),
    where v_x is its distribution of words, c the mean of these over the class and q0 the class's
    mass. ``beta`` is raised until no more than ``n_core`` documents are in it wholly; they are
    ranked by divergence then. A small part of the centroid is the whole collection.

    Parameters
    ----------
    step : float
        Factor by which beta is raised, above 1.

    Attributes
    ----------
    beta_ : float
        Where it ended.

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 0, 1], [0, 0, 3, 1]])
    >>> RateDistortion(n_core=2, min_documents=1).fit(X).core_.tolist()
    [0, 1]
    """

    step: float = 1.1

    def _scores(self, side: Side) -> Floats:
        check_number("step", self.step, above=1)
        rows, selves, whole = _distributions(side)
        n = rows.shape[0]
        use = ~side.empty
        prior = np.where(use, 1.0, 0.0) / use.sum()
        inside = np.where(use, 1.0, 0.0)
        beta, distances = 0.01, np.zeros(n)
        while True:
            for _ in range(_MOST_ROUNDS):
                mass = float(prior @ inside)
                if mass <= 0:
                    break
                center = np.asarray(rows.T @ (prior * inside)) / mass
                distances = selves - rows @ np.log((1 - _MIXED) * center + _MIXED * whole)
                level = np.log(mass) - beta * distances - math.log(1 / use.sum())
                new = np.where(use, np.exp(np.minimum(level, 0.0)), 0.0)
                moved = float(np.abs(new - inside).max())
                inside = new
                if moved < 1e-6:
                    break
            # identical documents stay together for ever: then beta has no end to reach
            if (inside[use] >= 1 - 1e-9).sum() <= self.n_core or beta > 1e6:
                break
            beta *= float(self.step)
        self.beta_ = beta
        return -distances


@dataclass(eq=False, repr=False, kw_only=True)
class OneClassIB(_Baseline):
    """One-class information bottleneck: the k documents nearest to a centroid of their own.

    In the manner of Crammer and Chechik's local search (2004), from memory: a ball of some
    Bregman divergence that holds ``n_core`` documents, moved to their mean and filled anew until
    it stands still, from several documents as starts; the ball with the least sum is kept.

    Parameters
    ----------
    divergence : {"euclidean", "kl"}
        Squared distance of rows of unit length (the "l2-norm" of the papers), or divergence of
        distributions from the centroid.
    starts : int
        Documents to start from besides the mean of all, drawn at random.

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 0, 1], [0, 0, 3, 1]])
    >>> sorted(OneClassIB(n_core=2, min_documents=1, random_state=0).fit(X).core_.tolist())
    [0, 1]
    """

    divergence: str = "euclidean"
    starts: int = 20

    def _scores(self, side: Side) -> Floats:
        if self.divergence not in ("euclidean", "kl"):
            raise InputError(f"divergence={self.divergence!r}; it must be 'euclidean' or 'kl'")
        count = check_int("starts", self.starts, least=0)
        rows, selves, whole = _distributions(side)
        if self.divergence == "euclidean":
            rows = _unit(rows)

        def distances_from(center: Floats) -> Floats:
            if self.divergence == "kl":
                center = (1 - _MIXED) * center + _MIXED * whole
                return np.asarray(selves - rows @ np.log(center))
            return np.asarray(1 - 2 * (rows @ center) + float(center @ center))

        full = np.flatnonzero(~side.empty)
        rng = check_random(self.random_state)
        drawn = rng.permutation(full)[:count]
        best, least = np.zeros(rows.shape[0]), math.inf
        for members in [full, *drawn[:, None]]:
            for _ in range(_MOST_ROUNDS):
                distances = distances_from(_mean(rows, members))
                new = np.sort(order_of(-distances, side.empty)[: self.n_core])
                if np.array_equal(new, members):
                    break
                members = new
            total = float(distances[members].sum())
            if total < least:
                best, least = -distances, total
        return best


class RandomCore(_Baseline):
    """Rows in random order: what chance reaches.

    Examples
    --------
    >>> X = np.array([[1, 1], [1, 0], [0, 1]])
    >>> len(RandomCore(n_core=2, random_state=0).fit(X).core_)
    2
    """

    def _scores(self, side: Side) -> Floats:
        rng = check_random(self.random_state)
        return np.asarray(rng.uniform(size=side.counts.shape[0]), dtype=np.float64)


def _tf_idf(side: Side) -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer

    return sp.csr_array(TfidfTransformer().fit_transform(sp.csr_matrix(side.counts)))


def _distributions(side: Side) -> tuple[Any, Floats, Floats]:
    """Distribution of words of each row, the sum of p log p of each, and the mean of all."""
    X = side.counts
    length = np.asarray(X.sum(axis=1)).ravel()
    rows = sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-300)) @ X)
    logs = sp.csr_array((rows.data * np.log(rows.data), rows.indices, rows.indptr), rows.shape)
    return rows, np.asarray(logs.sum(axis=1)).ravel(), side.sums / side.sums.sum()


def _unit(rows: Any) -> Any:
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1 / np.where(length > 0, length, 1)) @ rows)


def _mean(rows: Any, members: NDArray[Any]) -> Floats:
    chosen = np.zeros(rows.shape[0])
    chosen[members] = 1 / len(members)
    return np.asarray(rows.T @ chosen)
