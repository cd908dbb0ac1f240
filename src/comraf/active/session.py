"""A session of questions: one at a time, within a budget, never twice the same."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.active.answers import Answers, ordered
from comraf.active.journal import Journal
from comraf.active.oracle import Oracle, read_answer
from comraf.active.skeleton import Questions, Skeleton
from comraf.active.space import Space, fingerprint
from comraf.active.standing import sort_noisy, sort_sure, start_from
from comraf.errors import ConflictError, InputError
from comraf.parameters import check_int
from comraf.supervision import Links, close, read_links
from comraf.supervision.frames import texts_of

__all__ = ["Constraints", "Learner", "Session"]


@dataclass(frozen=True, eq=False)
class Constraints:
    """What a session of questions has brought.

    Attributes
    ----------
    n : int
        Number of items.
    must_link, cannot_link : numpy.ndarray of int64, shape (m, 2)
        Pairs of rows that belong together, and that do not. Pairs that were known before come
        first; pairs that were inferred are the last ones of `must_link`.
    unsure : numpy.ndarray of int64, shape (u, 2)
        Pairs that were answered with "don't know".
    neighbourhoods : list of numpy.ndarray
        Rows that are known to be together; different neighbourhoods are apart where their items
        were compared, and always so after Explore.
    n_asked, n_inferred, n_known : int
        Questions that were answered, must-links that were inferred, and links that were known
        before.
    left_out : numpy.ndarray of int64, shape (r, 2)
        With noise, pairs whose answers are not among the links: those that contradict where both
        items were placed, and those about items that were not placed. So the links never
        contradict each other, and what follows from them is as good as they are.

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
    n_known: int = 0
    left_out: NDArray[np.int64] = field(default_factory=lambda: _pairs([]))

    @property
    def labels(self) -> NDArray[np.int64]:
        """Number of each item's neighbourhood, -1 where it is in none: seeds for clustering."""
        found = np.full(self.n, -1, dtype=np.int64)
        for place, rows in enumerate(self.neighbourhoods):
            found[rows] = place
        return found


@dataclass
class Session:
    """All that changes between two questions."""

    skeleton: Skeleton
    journal: Journal
    answers: Answers
    rng: np.random.Generator
    known_links: list[tuple[int, int, bool]] = field(default_factory=list)
    inferred: list[tuple[int, int]] = field(default_factory=list)
    questions: Questions | None = None
    pending: tuple[int, int] | None = None

    def infer(self, i: int, j: int) -> None:
        """Take two items for being together about which nobody need be asked."""
        self.answers.tell(i, j, True)
        self.inferred.append(ordered(i, j))

    def known(self, i: int, j: int) -> tuple[bool | None] | None:
        """An answer that need not be asked for, in a tuple of one.

        Answers so far come first. Then the journal: when a session is resumed, it is replayed
        question by question and reaches the state in which it was left. Only last what follows
        from the whole journal, which may know more than the session knew at this point. Where
        answers may be wrong, nothing follows: only the very same pair is not asked again.
        """
        if self.journal.noisy:
            return self.journal.find(i, j)
        follows = self.answers.follows(i, j)
        if follows is not None or self.answers.unsure(i, j):
            return (follows,)
        given = self.journal.find(i, j)
        if given is None:
            late = self.journal.facts.follows(i, j)
            return None if late is None else (late,)
        return given

    def tell(self, i: int, j: int, same: bool | None) -> None:
        """Take an answer for true, unless it may be wrong: then it has to be weighed first."""
        if not self.journal.noisy:
            self.answers.tell(i, j, same)


class Learner(ABC):
    """Questions one by one; what they are about is for each learner to say."""

    #: Share of answers that are expected to be wrong.
    noise = 0.0

    def __init__(
        self,
        n_queries: int,
        k: int | None = None,
        *,
        metric: str = "euclidean",
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_queries = check_int("n_queries", n_queries, 0)
        self.k = None if k is None else check_int("k", k, 2)
        self.metric = metric
        self.random_state = random_state
        self._session: Session | None = None

    def start(
        self,
        X: Any,
        *,
        journal: str | os.PathLike[str] | None = None,
        ids: Sequence[Hashable] | None = None,
        known_must: Any = None,
        known_cannot: Any = None,
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
        known_must, known_cannot : iterable of pairs, optional
            Rows, by number or name (of `ids`, or of a frame's rows), that are known to belong
            together, and not to. They cost no question, are always taken for true, and are no part
            of the journal: give them again when a session is resumed.

        Raises
        ------
        InputError
            Items that can't be used, or a journal about others.
        ConflictError
            What is known contradicts itself or the journal.
        ReadError, WriteError
            A journal that can't be read or written.
        """
        space = Space(X, self.metric)
        if self.k is not None and self.k > space.n:
            few = f"k is {self.k:,}, but there are only {space.n:,} items; give a smaller k"
            raise InputError(few)
        seed = _seed(self.random_state)
        known = _read_known(known_must, known_cannot, space.n, _names(X, ids))
        kept = Journal(
            journal,
            n=space.n,
            items=fingerprint(space.given, ids),
            seed=seed,
            known=known,
            noisy=self.noise > 0,
        )
        rng = np.random.default_rng(kept.seed if self.random_state is None else seed)
        session = Session(Skeleton(space), kept, Answers(space.n), rng, known)
        for link in known:
            session.answers.tell(*link)
        start_from(session.skeleton, known, session.answers, self.k)
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
        session.tell(*pair, verdict)
        self._advance(session, (verdict,))

    def run(
        self,
        X: Any,
        oracle: Oracle,
        *,
        journal: str | os.PathLike[str] | None = None,
        ids: Sequence[Hashable] | None = None,
        known_must: Any = None,
        known_cannot: Any = None,
    ) -> Constraints:
        """Ask an oracle until the budget is spent or nothing is left to ask.

        Parameters
        ----------
        X, journal, ids, known_must, known_cannot
            As for `start`.
        oracle : Oracle
            Who answers.

        Returns
        -------
        Constraints
        """
        if not callable(getattr(oracle, "same", None)):
            raise InputError(
                f"oracle is {type(oracle).__name__}; give one that answers same(i, j), such as "
                "LabelOracle(labels) or PersonOracle(function)"
            )
        self.start(X, journal=journal, ids=ids, known_must=known_must, known_cannot=known_cannot)
        while (pair := self.query()) is not None:
            self.answer(oracle.same(*pair))
        return self.result()

    def result(self) -> Constraints:
        """What is known so far; a session may go on afterwards."""
        session = self._started()
        known, places = session.known_links, session.skeleton.neighbourhoods
        if session.journal.noisy:
            sorted_out = sort_noisy(session.journal, known, places)
        else:
            sorted_out = sort_sure(session.journal, known, session.inferred)
        return Constraints(
            n=session.journal.n,
            must_link=_pairs(sorted_out.must),
            cannot_link=_pairs(sorted_out.cannot),
            unsure=_pairs(sorted_out.unsure),
            neighbourhoods=[
                np.array(sorted(rows), dtype=np.int64)
                for rows in self._neighbourhoods(session, sorted_out.facts)
            ],
            n_asked=len(session.journal),
            n_inferred=sorted_out.n_inferred,
            n_known=len(known),
            left_out=_pairs(sorted_out.left_out),
        )

    @property
    def n_asked(self) -> int:
        """Questions answered so far, those in the journal among them."""
        return len(self._started().journal)

    @abstractmethod
    def _questions(self, session: Session) -> Questions:
        """Pairs in the order in which they are wanted, whatever is known about them."""

    def _neighbourhoods(self, session: Session, facts: Answers) -> list[list[int]]:
        places = session.skeleton.neighbourhoods
        if session.known_links:
            # Items that are known to be with others need no turn of their own to join them.
            rows = range(session.journal.n)
            return [[row for row in rows if facts.follows(place[0], row)] for place in places]
        # Without contradictions these are the skeleton's neighbourhoods as they are.
        return [[row for row in place if facts.follows(place[0], row)] for place in places]

    def _started(self) -> Session:
        if self._session is None:
            raise InputError("there is no session yet; call start(X) or run(X, oracle) first")
        return self._session

    def _advance(self, session: Session, answer: tuple[bool | None] | None) -> None:
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
                session.tell(*pair, *answer)
        except StopIteration:
            return
        if len(session.journal) >= self.n_queries:
            # Midway through an item: it joins no neighbourhood, and its answers stay.
            session.questions.close()
            return
        session.pending = pair


def _names(X: Any, ids: Sequence[Hashable] | None) -> Sequence[Hashable] | None:
    """What rows go by: their ids, else their names in a frame."""
    index = getattr(X, "index", None)
    return texts_of(index) if ids is None and hasattr(index, "equals") else ids


def _read_known(
    must: Any, cannot: Any, n: int, ids: Sequence[Hashable] | None
) -> list[tuple[int, int, bool]]:
    """Links that are known, each once; a contradiction is named as a chain."""
    together = read_links(must, n, ids, what="known_must")
    apart = read_links(cannot, n, ids, what="known_cannot")
    one, two = (Links(links.pairs, np.full(len(links), np.inf)) for links in (together, apart))
    try:
        close(n, one, two, ids=ids)
    except ConflictError as error:
        raise error.about(advice="leave one of these known links out") from None
    found = [
        (*ordered(int(i), int(j)), same)
        for links, same in ((together, True), (apart, False))
        for i, j in links.pairs
    ]
    return list(dict.fromkeys(found))


def _pairs(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _seed(random_state: int | np.random.Generator | None) -> int:
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**53))
    if random_state is None:
        return int(np.random.default_rng().integers(2**53))
    return check_int("random_state", random_state, 0)
