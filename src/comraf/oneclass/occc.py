"""OCCC: a cluster of telling words, and the documents that have most of them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.oneclass.base import OneClassBase, Side, order_of
from comraf.oneclass.starting import (
    Start,
    best_start,
    by_words,
    check_effort,
    contrast,
    first_cores,
    worth,
)
from comraf.parameters import check_int
from comraf.supervision.naming import listed, quoted

__all__ = ["OCCC"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Sizes of the word cluster that a scan tries.
_SIZES = 24
# The heuristic may say that no word is telling, or fewer; this share of the words is, at least.
_LEAST_SHARE = 20


@dataclass(eq=False)
class _Found:
    """Scores of rows and of words, for each side, and which words are in the cluster."""

    scores: Floats
    words: list[Floats]
    cluster: list[Ints]
    trace: list[float]


@dataclass(eq=False, repr=False, kw_only=True)
class OCCC(OneClassBase):
    """One-class co-clustering: a cluster of telling words and a core of documents.

    As published (``effort="paper"``): words are scored by log p(w)/q(w), how much more frequent
    they are here than in general; the best make the cluster, and the documents with the largest
    sums of scores over it make the core (Bekkerman 2008, 6.4).

    By default this is where the search starts. Word scores are taken anew from the core, which
    is drawn anew from them, until it stands still or ``max_iter`` is reached. Scores compare the
    core with the whole collection; they are shrunken so that rare words have little say, only
    those above 0 count, and a document's sum is divided by the root of its length. Without these
    three both steps would climb one objective, the divergence of the core's words from the
    collection's times the number of its words. With them the sum of the core's scores mostly
    rises, but may fall at a round by a few hundredths (``trace_`` has it). What is found is the
    best core for its words, by sorting; sweeps over exchanges of single documents, of which one
    may still be better, are not made. Besides the published start there are those from the
    documents of each word that stands out most from the background. The core is kept whose scores
    are high and fall at its border.

    The background says where to start, and no more: leave out stop words before. Where tables are
    large, starts are compared on rows drawn at random.

    With several sides ``background`` may be a mapping from sides; sides that it has not, other
    than "words", have a flat one.

    Parameters
    ----------
    effort : {"default", "paper"}
        Ours, or as published: one pass, no shrinking, no other starts.
    n_words : None, "scan" or int
        Size of the word cluster (of each side). None: as published by the heuristic of 6.4.1,
        m - 2 * (words with a negative score), at least a twentieth of the words; by default the
        words that are more frequent in the core than in the collection. "scan": the size with the
        best core of a range of sizes.
    iterative : bool or None
        Whether word scores are taken anew from the core until it stands still. None: by effort.
        Together with "paper", words are then compared with the background, without shrinking.
    starts : int
        Words whose documents are starts too; nothing to "paper".
    max_iter : int
        Most rounds from one start.

    Attributes
    ----------
    n_words_ : int or dict
        Size of the word cluster, of each side where there are several.
    heuristic_ : int or dict
        What the heuristic says, which may be 0 or less.
    clamped_ : bool
        Whether that was too small and the least size was taken in its place.
    trace_ : list of float
        Sum of the core's scores at each round of the start that was kept. It may fall, and as
        published the first is of all documents' words, not the core's.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]])
    >>> found = OCCC(n_core=2, background=[1, 1, 8]).fit(X, words=["quark", "boson", "the"])
    >>> found.core_.tolist(), found.topical_words_
    ([0, 1], ['quark', 'boson'])
    """

    effort: str = "default"
    n_words: int | str | None = None
    iterative: bool | None = None
    starts: int = 20
    max_iter: int = 20

    def fit(self, X: Any, y: Any = None, *, words: Any = None) -> Self:
        """Find the core.

        Parameters
        ----------
        X : array, sparse table, DataFrame or mapping
            Counts, documents by words; or several such tables of the same documents by the name
            of their side, {"words": X, "people": A}. Scores add up over sides.
        y : ignored
            For scikit-learn's sake.
        words : sequence of str or mapping, optional
            Name of each column; of each side's columns, {"words": [...]}.

        Returns
        -------
        self
        """
        if sp.issparse(X) or not isinstance(X, Mapping):  # some sparse tables are mappings too
            return super().fit(X, words=words)
        self._solve_all(self._sides(X, words))
        return self

    def _solve(self, side: Side) -> None:
        self._solve_all({"": side})

    def _sides(self, X: Mapping[Any, Any], words: Any) -> dict[str, Side]:
        if not X:
            raise InputError("there is no table in X; give at least one, such as {'words': X}")
        if words is not None and not isinstance(words, Mapping):
            words = {"words": words}
        given = self.background
        for what, names in (("words", words), ("background", given)):
            if isinstance(names, Mapping):
                strange = [name for name in names if name not in X]
                if strange:
                    sides = listed(map(quoted, X), len(X))
                    raise InputError(
                        f"{what} has {quoted(strange[0])}, which is no side of X; these are {sides}"
                    )
        out: dict[str, Side] = {}
        rows = None
        for name, table in X.items():
            if isinstance(given, Mapping):
                own = given.get(name, None if name == "words" else "flat")
            else:
                own = given if name == "words" or len(X) == 1 else "flat"
            # each side is read as if it were the only one, with limits of its own
            reader = OCCC(
                self.n_core,
                background=own,
                binary=self.binary,
                min_documents=self.min_documents,
                min_background=self.min_background if name == "words" or len(X) == 1 else 0.0,
            )
            side = reader._side(table, (words or {}).get(name), f"side {quoted(name)}")
            if rows is not None and side.counts.shape[0] != rows:
                raise InputError(
                    f"side {quoted(name)} has {side.counts.shape[0]:,} rows, the first {rows:,}; "
                    "all must be about the same documents"
                )
            rows = side.counts.shape[0]
            out[str(name)] = side
        return out

    def _solve_all(self, named: dict[str, Side]) -> None:
        paper = check_effort(self.effort)
        check_int("starts", self.starts, least=0)
        check_int("max_iter", self.max_iter)
        size = self._check_size()
        sides = list(named.values())
        empty = np.logical_and.reduce([side.empty for side in sides])
        iterative = not paper if self.iterative is None else bool(self.iterative)
        sizes = [size]
        if size == "scan":
            most = max(side.counts.shape[1] for side in sides)
            sizes = np.unique(np.geomspace(1, most, _SIZES).astype(int)).tolist()
        runs = (self._search(sides, paper, iterative, one) for one in sizes)
        found = max(runs, key=lambda run: worth(run.scores, self.n_core))
        self._settle(named, found, empty)

    def _check_size(self) -> Any:
        if self.n_words is None or self.n_words == "scan":
            return self.n_words
        if not isinstance(self.n_words, numbers.Integral):
            raise InputError(f"n_words={self.n_words!r}; give a whole number, 'scan' or None")
        return check_int("n_words", self.n_words)

    def _search(
        self, sides: Sequence[Side], paper: bool, iterative: bool, size: int | None
    ) -> _Found:
        """The best core for one size of the word cluster."""

        def run(sides: Sequence[Side], k: int, rows: Start) -> _Found:
            words = [np.log(s.ratios()) if rows is None else contrast(s, rows) for s in sides]
            found = self._score(sides, words, k, size, paper)
            return self._climb(sides, k, found, size, paper) if iterative else found

        def value(sides: Sequence[Side], k: int, rows: Start) -> float:
            return worth(run(sides, k, rows).scores, k)

        cores = [None] if paper else first_cores(sides, self.n_core, self.starts)
        best = best_start(sides, self.n_core, cores, value, self.random_state)
        return run(sides, self.n_core, best)

    def _climb(
        self, sides: Sequence[Side], k: int, found: _Found, size: int | None, paper: bool
    ) -> _Found:
        """Words from the core and the core from words, until it stands still."""
        trace = list(found.trace)
        empty = np.logical_and.reduce([side.empty for side in sides])
        core = np.sort(order_of(found.scores, empty)[:k])
        for _ in range(self.max_iter):
            if paper:  # a word that the core has not must not cost an infinite amount
                words = [contrast(side, core, side.background, prior=0.5) for side in sides]
            else:
                words = [contrast(side, core) for side in sides]
            found = self._score(sides, words, k, size, paper)
            trace += found.trace
            new = np.sort(order_of(found.scores, empty)[:k])
            if np.array_equal(new, core):
                break
            core = new
        found.trace = trace
        return found

    def _score(
        self, sides: Sequence[Side], words: list[Floats], k: int, size: int | None, paper: bool
    ) -> _Found:
        """Scores of rows by the words of each side that are in its cluster."""
        # No plan for the engine's sweep: with the words fixed, one sort finds the best k rows,
        # while moves of single rows keep no size, and a plan has no roots of lengths.
        n = sides[0].counts.shape[0]
        scores, cluster = np.zeros(n), []
        for side, word in zip(sides, words, strict=True):
            order = order_of(word)
            if size is not None:
                chosen = order[:size]
            elif paper:
                chosen = order[: _heuristic(word)[1]]
            else:
                chosen = order[word[order] > 0]
            held = np.zeros(len(word))
            held[chosen] = word[chosen]
            scores += side.counts @ held if paper else by_words(side, held)
            cluster.append(chosen)
        best = np.partition(scores, n - k)[n - k :]
        return _Found(scores, words, cluster, [float(best.sum())])

    def _settle(self, named: dict[str, Side], found: _Found, empty: NDArray[np.bool_]) -> None:
        self._rank(found.scores, empty)
        self.trace_ = found.trace
        sides = list(named.values())
        says = [_heuristic(np.log(side.ratios())) for side in sides]
        too_few = any(told < least for told, least in says)
        self.clamped_ = too_few and self.n_words is None and self.effort == "paper"

        def each(values: Iterable[Any]) -> Any:
            found = dict(zip(named, values, strict=True))
            return found[""] if list(named) == [""] else found

        self.n_words_ = each(map(len, found.cluster))
        self.word_scores_ = each(map(Side.scatter, sides, found.words))
        self.topical_words_ = each(map(Side.named, sides, found.cluster))
        self.heuristic_ = each(told for told, _ in says)


def _heuristic(word: Floats) -> tuple[int, int]:
    """Telling words by 6.4.1, and the same, clamped to what can be used."""
    m = len(word)
    says = m - 2 * int((word < 0).sum())
    return says, min(max(says, m // _LEAST_SHARE, 1), m)
