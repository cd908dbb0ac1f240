"""Normalised point-based uncertainty: ask where re-clusterings disagree and answers are cheap.

After Xiong, Azimi and Fern (2014), with two changes. The likeness of items is how often a committee
of seeded clusterings puts them together, in place of a random forest trained on a clustering. And
an item is compared with a few likely neighbourhoods only: with many classes, comparing it with all
takes the whole budget.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.active.answers import Answers
from comraf.active.committee import Committee
from comraf.active.session import Learner, Session
from comraf.active.skeleton import Questions, Skeleton
from comraf.parameters import check_int

__all__ = ["NPU"]

# The committee meets again when so many times more items are placed than the last time.
_GROWTH = 1.25
# With k unknown, the committee looks for so many classes more than were found.
_MORE = 4
# A neighbourhood that nobody voted for may be the right one all the same.
_FLOOR = 1e-3


class NPU(Learner):
    """Active choice of pairs where clusterings of what is known disagree.

    First an item from the middle of each large cluster without a neighbourhood, until there are
    k neighbourhoods; then a few likely members of each; then always the item with the greatest
    uncertainty for each question that it is expected to take. Clusterings are made anew as answers
    come in.

    Parameters
    ----------
    n_queries : int
        Most questions that may be asked, those of earlier sessions in the journal included.
    k : int, optional
        Number of classes, if it is known.
    metric : {"euclidean", "cosine"}
        How far apart two rows are.
    tries : int
        Most neighbourhoods an item is compared with, the likeliest first. One that belongs to
        none of them begins another as long as there are fewer than k, and is set aside then.
    balance : int
        Items that are tried for each neighbourhood in turn, those that most clusterings put with
        it, before uncertainty has its say. Where classes are many, a few members of each help
        more than many members of the doubtful ones.
    committee : int
        Clusterings that vote on which items are alike.
    random_state : int, Generator or None
        Seed. With None, a journal brings its own.

    Notes
    -----
    Neighbourhoods are apart where their items were compared; two that are close to each other are
    always compared, and joined if they turn out to be of one class.

    Examples
    --------
    >>> from comraf.active import LabelOracle, NPU
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]]
    >>> found = NPU(8, k=2, random_state=0).run(X, LabelOracle("aaabbb"))
    >>> sorted(group.tolist() for group in found.neighbourhoods)
    [[0, 1, 2], [3, 4, 5]]
    """

    def __init__(
        self,
        n_queries: int,
        k: int | None = None,
        *,
        metric: str = "euclidean",
        tries: int = 3,
        balance: int = 8,
        committee: int = 16,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(n_queries, k, metric=metric, random_state=random_state)
        self.tries = check_int("tries", tries)
        self.balance = check_int("balance", balance, 0)
        self.committee = check_int("committee", committee)

    def _questions(self, session: Session) -> Questions:
        skeleton, answers = session.skeleton, session.answers
        committee = Committee(skeleton.space, self.committee, session.rng)
        met, turns = -1, dict[int, int]()
        while skeleton.open.any():
            places = skeleton.neighbourhoods
            placed = sum(len(rows) for rows in places)
            if met < 0 or placed >= _GROWTH * met + 2:
                yield from _review(skeleton, committee, answers)
                committee.cluster(places, len(places) + _MORE if self.k is None else self.k)
                met = placed
            votes = committee.votes(places)
            x = self._next(session, committee, votes, turns)
            yield from self._place(x, skeleton, answers, votes[x])

    def _neighbourhoods(self, session: Session, facts: Answers) -> list[list[int]]:
        joined: list[list[int]] = []
        for rows in super()._neighbourhoods(session, facts):
            # Two that were begun apart may be one class by answers that came since.
            same = next((other for other in joined if facts.follows(rows[0], other[0])), None)
            if same is None:
                joined.append(rows)
            else:
                same.extend(row for row in rows if row not in same)
        return joined

    def _next(
        self,
        session: Session,
        committee: Committee,
        votes: NDArray[np.float64],
        turns: dict[int, int],
    ) -> int:
        skeleton = session.skeleton
        rows = np.flatnonzero(skeleton.open)
        many = votes.shape[1]
        if self.k is None or many < self.k:
            found = _middle(rows, skeleton, committee)
            if found is not None:
                return found
        if many < 2:
            return int(session.rng.choice(rows))
        # A neighbourhood is known by its first item: places change when two are joined.
        first = [members[0] for members in skeleton.neighbourhoods]
        smallest = min(first, key=lambda row: turns.get(row, 0))
        if turns.get(smallest, 0) < self.balance:
            turns[smallest] = turns.get(smallest, 0) + 1
            likely = votes[rows, first.index(smallest)]
            return int(session.rng.choice(rows[likely >= likely.max() - 1e-12]))
        chances = votes[rows] + _FLOOR
        chances /= chances.sum(axis=1, keepdims=True)
        questions = np.minimum(np.arange(1, many + 1), self.tries)
        cost = -np.sort(-chances, axis=1) @ questions
        score = -(chances * np.log(chances)).sum(axis=1) / cost
        return int(session.rng.choice(rows[score >= score.max() - 1e-12]))

    def _place(
        self, x: int, skeleton: Skeleton, answers: Answers, votes: NDArray[np.float64]
    ) -> Questions:
        if skeleton.neighbourhoods:
            # Stable: among equal votes, the nearest centre comes first.
            turns = sorted(skeleton.by_centroid(x), key=lambda turn: -votes[turn[0]])
            known = {place: answers.follows(x, member) for place, member in turns}
            turns = [turn for turn in turns if known[turn[0]] is not False]
            turns.sort(key=lambda turn: known[turn[0]] is None)
            for place, member in turns[: self.tries]:
                verdict = yield x, member
                if verdict is None:
                    skeleton.set_aside(x)
                    return
                if verdict:
                    skeleton.add(x, place)
                    return
        if self.k is None or len(skeleton.neighbourhoods) < self.k:
            skeleton.start(x)
        else:
            skeleton.set_aside(x)


def _middle(rows: NDArray[Any], skeleton: Skeleton, committee: Committee) -> int | None:
    """The item in the middle of the largest cluster in which no neighbourhood lies."""
    labels = committee.labels[0]
    sizes = np.bincount(labels[rows], minlength=int(labels.max()) + 1)
    for members in skeleton.neighbourhoods:
        sizes[np.bincount(labels[members]).argmax()] = 0
    if not sizes.any():
        return None
    cluster = int(sizes.argmax())
    inside = rows[labels[rows] == cluster]
    center = committee.rows[labels == cluster].mean(axis=0)
    return int(inside[((committee.rows[inside] - center) ** 2).sum(axis=1).argmin()])


def _review(skeleton: Skeleton, committee: Committee, answers: Answers) -> Questions:
    """Compare neighbourhoods with the one nearest to each, and join those of one class."""
    places = skeleton.neighbourhoods
    place = 0
    while place < len(places):
        if len(places) < 2:
            return
        far = committee.likeness(places)[place]
        far[place] = np.inf
        other = int(far.argmin())
        one, two = places[place][0], places[other][0]
        if answers.follows(one, two) is not False and not answers.unsure(one, two):
            verdict = yield one, two
            if verdict:
                skeleton.merge(min(place, other), max(place, other))
                continue
        place += 1
