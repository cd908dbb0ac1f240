"""Which pairs to ask about: one question at a time, within a budget, never twice the same."""

from __future__ import annotations

import numbers
import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.active.answers import Answers, ordered
from comraf.active.consolidate import at_random, consolidate, farthest_first
from comraf.active.explore import explore
from comraf.active.journal import Journal
from comraf.active.oracle import Oracle, read_answer
from comraf.active.skeleton import Questions, Skeleton
from comraf.active.space import Space, fingerprint
from comraf.errors import InputError

__all__ = ["Constraints", "ExploreConsolidate", "MinMax", "RandomPairs"]


@dataclass(frozen=True, eq=False)
class Constraints:
    """What a session of questions has brought.

    Attributes
    ----------
    n : int
        Number of items.
    must_link, cannot_link : numpy.ndarray of int64, shape (m, 2)
        Pairs of rows that belong together, and that do not. Pairs that were inferred from the
        number of classes are the last ones of `must_link`.
    unsure : numpy.ndarray of int64, shape (u, 2)
        Pairs that were answered with "don't know".
    neighbourhoods : list of numpy.ndarray
        Rows that are known to be together; different neighbourhoods are apart where their items
        were compared, and always so after Explore.
    n_asked, n_inferred : int
        Questions that were answered, and must-links that were inferred.

    Examples
    --------
    >>> from comraf.active import ExploreConsolidate, LabelOracle
    >>> found = ExploreConsolidate(3, k=2).run([[0.0], [1.0], [8.0], [9.0]], LabelOracle("aabb"))
    >>> sorted(sorted(group.tolist()) for group in found.neighbourhoods)
    [[0, 1], [2, 3]]
    >>> found.n_asked, len(found.must_link), len(found.cannot_link)
    (3, 2, 1)
    """

    n: int
    must_link: NDArray[np.int64]
    cannot_link: NDArray[np.int64]
    unsure: NDArray[np.int64]
    neighbourhoods: list[NDArray[np.int64]]
    n_asked: int
    n_inferred: int

    @property
    def labels(self) -> NDArray[np.int64]:
        """Number of each item's neighbourhood, -1 where it is in none: seeds for clustering."""
        found = np.full(self.n, -1, dtype=np.int64)
        for place, rows in enumerate(self.neighbourhoods):
            found[rows] = place
        return found


@dataclass
class _Session:
    """All that changes between two questions."""

    skeleton: Skeleton
    journal: Journal
    answers: Answers
    rng: np.random.Generator
    inferred: list[tuple[int, int]] = field(default_factory=list)
    questions: Questions | None = None
    pending: tuple[int, int] | None = None

    def infer(self, i: int, j: int) -> None:
        self.answers.tell(i, j, True)
        self.inferred.append(ordered(i, j))

    def known(self, i: int, j: int) -> tuple[bool | None] | None:
        """An answer that need not be asked for, in a tuple of one.

        Answers so far come first. Then the journal: when a session is resumed, it is replayed
        question by question and reaches the state in which it was left. Only last what follows
        from the whole journal, which may know more than the session knew at this point.
        """
        follows = self.answers.follows(i, j)
        if follows is not None or self.answers.unsure(i, j):
            return (follows,)
        given = self.journal.find(i, j)
        if given is None:
            late = self.journal.facts.follows(i, j)
            return None if late is None else (late,)
        return given


class _Learner(ABC):
    """Questions one by one; what they are about is for each learner to say."""

    def __init__(
        self,
        n_queries: int,
        *,
        metric: str = "euclidean",
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_queries = _whole("n_queries", n_queries, 0)
        self.metric = metric
        self.random_state = random_state
        self._session: _Session | None = None

    def start(
        self,
        X: Any,
        *,
        journal: str | os.PathLike[str] | None = None,
        ids: Sequence[Hashable] | None = None,
    ) -> None:
        """Begin a session, or go on with the one in the journal.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame, shape (n, d)
            The items.
        journal : path, optional
            File in which every answer is kept at once. If it exists, its answers count towards
            `n_queries`, and the session goes on where it was left.
        ids : sequence of hashable, optional
            Names of items: a journal with other names is refused.

        Raises
        ------
        InputError
            Items that can't be used, or a journal about others.
        ReadError, WriteError
            A journal that can't be read or written.
        """
        space = Space(X, self.metric)
        self._check(space.n)
        seed = _seed(self.random_state)
        kept = Journal(journal, n=space.n, items=fingerprint(space.given, ids), seed=seed)
        rng = np.random.default_rng(kept.seed if self.random_state is None else seed)
        session = _Session(Skeleton(space), kept, Answers(space.n), rng)
        session.questions = self._questions(session)
        self._session = session
        self._advance(session, None)

    def query(self) -> tuple[int, int] | None:
        """The two rows to ask about, the same until answered; None when nothing is to be asked."""
        return self._started().pending

    def answer(self, same: object) -> None:
        """Answer the present question.

        Parameters
        ----------
        same : bool, str or None
            Whether both items belong together: True or "same", False or "different", None or
            "don't know". With a journal, the answer is on the disk when this returns.
        """
        session = self._started()
        if session.pending is None:
            raise InputError("there is no question to answer: query() gives None")
        verdict = read_answer(same)
        session.journal.append(*session.pending, verdict)
        pair, session.pending = session.pending, None
        session.answers.tell(*pair, verdict)
        self._advance(session, (verdict,))

    def run(
        self,
        X: Any,
        oracle: Oracle,
        *,
        journal: str | os.PathLike[str] | None = None,
        ids: Sequence[Hashable] | None = None,
    ) -> Constraints:
        """Ask an oracle until the budget is spent or nothing is left to ask.

        Parameters
        ----------
        X, journal, ids
            As for `start`.
        oracle : Oracle
            Who answers.

        Returns
        -------
        Constraints
        """
        self.start(X, journal=journal, ids=ids)
        while (pair := self.query()) is not None:
            self.answer(oracle.same(*pair))
        return self.result()

    def result(self) -> Constraints:
        """What is known so far; a session may go on afterwards."""
        session = self._started()
        facts = Answers(session.journal.n)
        sorted_out: dict[bool | None, list[tuple[int, int]]] = {True: [], False: [], None: []}
        for i, j, same in session.journal:
            facts.tell(i, j, same)
            sorted_out[same].append((i, j))
        # An answer from an earlier session with another k may contradict what was inferred with
        # this one. What was said goes before what was inferred.
        right = []
        for pair in session.inferred:
            if facts.follows(*pair) is not False:
                facts.tell(*pair, True)
                right.append(pair)
        return Constraints(
            n=session.journal.n,
            must_link=_pairs(sorted_out[True] + right),
            cannot_link=_pairs(sorted_out[False]),
            unsure=_pairs(sorted_out[None]),
            neighbourhoods=[
                np.array(sorted(rows), dtype=np.int64)
                for rows in self._neighbourhoods(session, facts)
            ],
            n_asked=len(session.journal),
            n_inferred=len(right),
        )

    @property
    def n_asked(self) -> int:
        """Questions answered so far, those in the journal among them."""
        return len(self._started().journal)

    @abstractmethod
    def _check(self, n: int) -> None:
        """Refuse parameters that do not suit the number of items."""

    @abstractmethod
    def _questions(self, session: _Session) -> Questions:
        """Pairs in the order in which they are wanted, whatever is known about them."""

    def _neighbourhoods(self, session: _Session, facts: Answers) -> list[list[int]]:
        # Without contradictions these are the skeleton's neighbourhoods as they are.
        return [
            [row for row in rows if facts.follows(rows[0], row)]
            for rows in session.skeleton.neighbourhoods
        ]

    def _started(self) -> _Session:
        if self._session is None:
            raise InputError("there is no session yet; call start(X) or run(X, oracle) first")
        return self._session

    def _advance(self, session: _Session, answer: tuple[bool | None] | None) -> None:
        """Send an answer, and all that are known already, up to a question that must be asked."""
        assert session.questions is not None  # noqa: S101 - start() has set it
        try:
            while True:
                if answer is None:
                    pair = next(session.questions)
                else:
                    pair = session.questions.send(*answer)
                answer = session.known(*pair)
                if answer is None:
                    break
                session.answers.tell(*pair, *answer)
        except StopIteration:
            return
        if len(session.journal) >= self.n_queries:
            # Midway through an item: it joins no neighbourhood, and its answers stay.
            session.questions.close()
            return
        session.pending = pair


class ExploreConsolidate(_Learner):
    """Active choice of pairs by Explore and Consolidate (Basu 2005, chapter 5).

    Explore asks about items far from all others until it has met every class; Consolidate then
    asks about random items, each against the nearest class first. With k unknown, Explore goes on.

    Parameters
    ----------
    n_queries : int
        Most questions that may be asked, those of earlier sessions in the journal included.
    k : int, optional
        Number of classes, if it is known.
    metric : {"euclidean", "cosine"}
        How far apart two rows are.
    outliers : float
        Share of items with the thinnest surroundings that Explore passes over as long as there
        are others (8.3): farthest-first traversal is drawn to outliers.
    random_state : int, Generator or None
        Seed. With None, a journal brings its own.

    Examples
    --------
    >>> from comraf.active import ExploreConsolidate
    >>> classes = [0, 0, 1, 1]
    >>> learner = ExploreConsolidate(n_queries=10, k=2, random_state=0)
    >>> learner.start([[0.0], [1.0], [8.0], [9.0]])
    >>> while (pair := learner.query()) is not None:
    ...     learner.answer(classes[pair[0]] == classes[pair[1]])
    >>> learner.n_asked, sorted(group.tolist() for group in learner.result().neighbourhoods)
    (3, [[0, 1], [2, 3]])
    """

    def __init__(
        self,
        n_queries: int,
        k: int | None = None,
        *,
        metric: str = "euclidean",
        outliers: float = 0.0,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(n_queries, metric=metric, random_state=random_state)
        self.k = None if k is None else _whole("k", k, 2)
        if not 0 <= outliers < 1:
            raise InputError(f"outliers is {outliers!r}; give a share from 0 to below 1")
        self.outliers = float(outliers)

    def _check(self, n: int) -> None:
        if self.k is not None and self.k > n:
            raise InputError(f"k is {self.k:,}, but there are only {n:,} items; give a smaller k")

    def _questions(self, session: _Session) -> Questions:
        thin = session.skeleton.space.thin(self.outliers) if self.outliers else None
        yield from explore(session.skeleton, self.k, session.rng, thin)
        if self.k is None or len(session.skeleton.neighbourhoods) < self.k:
            return
        yield from self._consolidate(session, thin)

    def _consolidate(self, session: _Session, thin: NDArray[np.bool_] | None) -> Questions:
        turns = at_random(session.skeleton, session.rng)
        return consolidate(session.skeleton, turns, session.answers, session.infer)


class MinMax(ExploreConsolidate):
    """Explore, then always the item least like any that is known (Mallapragada et al. 2008).

    As `ExploreConsolidate`, but the second phase takes the item whose greatest similarity to the
    items of all neighbourhoods is least, in place of a random one.

    Examples
    --------
    >>> from comraf.active import LabelOracle, MinMax
    >>> found = MinMax(3, k=2).run([[0.0], [1.0], [8.0], [9.0]], LabelOracle("aabb"))
    >>> found.n_asked, found.n_inferred
    (3, ...)
    """

    def _consolidate(self, session: _Session, thin: NDArray[np.bool_] | None) -> Questions:
        turns = farthest_first(session.skeleton, thin)
        return consolidate(session.skeleton, turns, session.answers, session.infer)


class RandomPairs(_Learner):
    """Pairs at random: what an active choice is measured against.

    Neighbourhoods are the groups of two items or more that must-links join.

    Examples
    --------
    >>> from comraf.active import LabelOracle, RandomPairs
    >>> found = RandomPairs(100, random_state=0).run([[0.0], [1.0], [8.0]], LabelOracle("aab"))
    >>> found.n_asked, [group.tolist() for group in found.neighbourhoods]
    (2, [[0, 1]])
    """

    def _check(self, n: int) -> None:
        """Any number of items will do."""

    def _questions(self, session: _Session) -> Questions:
        n = session.journal.n
        seen: set[tuple[int, int]] = set()
        while len(seen) < n * (n - 1) // 2:
            i, j = session.rng.integers(n, size=2).tolist()
            pair = ordered(i, j)
            if i != j and pair not in seen:
                seen.add(pair)
                yield pair

    def _neighbourhoods(self, session: _Session, facts: Answers) -> list[list[int]]:
        return facts.groups()


def _pairs(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _whole(name: str, value: object, least: int) -> int:
    right = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not right or int(value) < least:  # type: ignore[call-overload]
        raise InputError(f"{name} is {value!r}; give a whole number of {least} or more")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _seed(random_state: int | np.random.Generator | None) -> int:
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**53))
    if random_state is None:
        return int(np.random.default_rng().integers(2**53))
    return _whole("random_state", random_state, 0)
