"""Which pairs to ask about: by Explore and Consolidate, by min-max, or at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from comraf.active.answers import Answers, ordered
from comraf.active.consolidate import at_random, consolidate, farthest_first
from comraf.active.explore import explore
from comraf.active.noisy import Trust, consolidate_noisy, explore_noisy
from comraf.active.session import Constraints, Learner, Session
from comraf.active.skeleton import Questions
from comraf.parameters import check_number

__all__ = ["Constraints", "ExploreConsolidate", "MinMax", "RandomPairs"]


class ExploreConsolidate(Learner):
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
    noise : float
        Share of answers that are expected to be wrong, below 0.5 (8.2). With 0 each answer is
        taken for true. Above, an item is placed only when its answers with several members of
        neighbourhoods make that 95% certain; one that stays in doubt is set aside, and answers
        about it are left out of the links (`Constraints.left_out`). This takes some 2 questions
        more for each item at 10%, 3 at 20%.
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
        noise: float = 0.0,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(n_queries, k, metric=metric, random_state=random_state)
        self.outliers = check_number("outliers", outliers, below=1)
        self.noise = check_number("noise", noise, below=0.5)

    def _questions(self, session: Session) -> Questions:
        thin = session.skeleton.space.thin(self.outliers) if self.outliers else None
        if self.noise:
            trust, known = Trust(self.noise), session.answers
            yield from explore_noisy(session.skeleton, self.k, session.rng, trust, known, thin)
        else:
            yield from explore(session.skeleton, self.k, session.rng, thin)
        if self.k is None or len(session.skeleton.neighbourhoods) < self.k:
            return
        turns = self._turns(session, thin)
        if self.noise:
            yield from consolidate_noisy(session.skeleton, turns, trust, known)
        else:
            yield from consolidate(session.skeleton, turns, session.answers, session.infer)

    def _turns(self, session: Session, thin: NDArray[np.bool_] | None) -> Iterator[int]:
        """Items in the order in which the second phase asks about them."""
        return at_random(session.skeleton, session.rng)


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

    def _turns(self, session: Session, thin: NDArray[np.bool_] | None) -> Iterator[int]:
        return farthest_first(session.skeleton, thin)


class RandomPairs(Learner):
    """Pairs at random: what an active choice is measured against.

    Neighbourhoods are the groups of two items or more that must-links join.

    Examples
    --------
    >>> from comraf.active import LabelOracle, RandomPairs
    >>> found = RandomPairs(100, random_state=0).run([[0.0], [1.0], [8.0]], LabelOracle("aab"))
    >>> found.n_asked, [group.tolist() for group in found.neighbourhoods]
    (2, [[0, 1]])
    """

    def __init__(
        self,
        n_queries: int,
        *,
        metric: str = "euclidean",
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(n_queries, metric=metric, random_state=random_state)

    def _questions(self, session: Session) -> Questions:
        n = session.journal.n
        seen: set[tuple[int, int]] = set()
        while len(seen) < n * (n - 1) // 2:
            i, j = session.rng.integers(n, size=2).tolist()
            pair = ordered(i, j)
            if i != j and pair not in seen:
                seen.add(pair)
                yield pair

    def _neighbourhoods(self, session: Session, facts: Answers) -> list[list[int]]:
        return facts.groups()
