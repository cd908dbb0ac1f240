"""Which two items of a project to ask about next, by what was said and by its present groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comraf.errors import InputError
from comraf.workflows.questions import Documents, learner_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from comraf.active import Answers
    from comraf.active.session import Learner
    from comraf.results.groups import Groups
    from comraf.results.scorer import Placed
    from comraf.session.session import SessionState
    from comraf.workflows.answer import Answer

__all__ = ["WAYS", "Chooser", "in_turn", "least_sure", "links_of"]

#: Who may choose: what the groups are least sure of, or a learner of `comraf.active`.
WAYS = ("unsure", "explore", "npu")
# Learners are asked as long as somebody answers; who asks counts.
_NO_END = 2**31

Pair = tuple[int, int]


class Chooser:
    """Chooses pairs of documents of an answer, each with what was said before.

    Parameters
    ----------
    answer : Answer
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._items: Documents | None = None
        self._held: _Held | None = None

    def learned(self, by: str, said: SessionState) -> Pair | None:
        """The question of a learner; None when it has none left.

        It goes on where it was, unless something else was said than an answer to its question.
        """
        held = self._held
        if held is None or held.by != by or held.k != len(said.groups) or not held.goes_on(said):
            self._held = held = None  # what is about to be made may fail
            held = self._begin(by, said)
        self._held = held
        held.tell(said)
        return held.pair

    def _begin(self, by: str, said: SessionState) -> _Held:
        if self._items is None:
            sides = [node.name for node in self._answer.graph.nodes if node.name != "documents"]
            options = replace(self._answer.options, by=tuple(sides))
            self._items = Documents(self._answer.collection, options, self._answer.path)
        items, k = self._items, len(said.groups)
        place = {int(row): number for number, row in enumerate(items.rows)}
        known: dict[str, Any] = {
            f"known_{what}": [
                (place[i], place[j])
                for (i, j), how in said.answers.items()
                if how == relation and {i, j} <= place.keys()
            ]
            for what, relation in (("must", "same"), ("cannot", "different"))
        }
        found: Learner | None = None
        # what was said may keep more documents apart than there are groups
        for classes in (max(2, k), None):
            found = learner_of(by, _NO_END, classes, random_state=self._answer.options.random_state)
            try:
                found.start(items.X, **known)
                break
            except InputError:
                if classes is None:
                    raise
        assert found is not None  # noqa: S101 - the loop has made one
        sure = {pair: how for pair, how in said.answers.items() if how != "unknown"}
        return _Held(by, k, found, items, sure)


@dataclass
class _Held:
    """A learner in the midst of its questions, and the answers that it has heard."""

    by: str
    k: int
    learner: Learner
    items: Documents
    answers: Mapping[Pair, str] = field(default_factory=dict)

    @property
    def pair(self) -> Pair | None:
        """The present question, by the numbers of documents."""
        found = self.learner.query()
        if found is None:
            return None
        one, other = (int(self.items.rows[row]) for row in found)
        return one, other

    def goes_on(self, said: SessionState) -> bool:
        """Whether nothing was said but an answer to the present question."""
        more = said.answers.items() - self.answers.items()
        if self.answers.items() - said.answers.items():
            return False
        pair = self.pair
        return not more or (
            pair is not None and {one for one, _ in more} == {(min(pair), max(pair))}
        )

    def tell(self, said: SessionState) -> None:
        """Give it the answers to its questions that are there."""
        while (pair := self.pair) is not None:
            how = said.answers.get((min(pair), max(pair)))
            if how is None:
                break
            self.learner.answer({"same": True, "different": False}.get(how))
        self.answers = dict(said.answers)


def least_sure(
    groups: Groups,
    placed: Placed,
    answers: Answers,
    pinned: frozenset[int] = frozenset(),
    doubted: frozenset[int] = frozenset(),
) -> Iterator[Pair]:
    """Pairs across the smallest margins, the least sure items first, without those that follow.

    An item is compared with the surest one of its group, or one that others were compared with
    already; if it does not belong there, with that of the runner-up. Items whose group was called
    wrong come first, those that are pinned not at all.

    Examples
    --------
    >>> from comraf.active import Answers
    >>> from comraf.results.groups import Groups
    >>> from comraf.results.scorer import Placed
    >>> other, sure = np.array([1, 1, 0, 0]), np.array([0.9, 0.4, 0.8, 0.6])
    >>> placed = Placed(1 - other, other, sure, np.ones(4, int), sure)
    >>> groups, answers = Groups.start([0, 0, 1, 1]), Answers(4)
    >>> next(least_sure(groups, placed, answers))
    (1, 0)
    >>> answers.tell(1, 0, False)
    >>> next(least_sure(groups, placed, answers))
    (1, 2)
    """
    if len(groups) < 2:
        return
    best = _representatives(groups, placed, answers, doubted)
    sure = placed.confidence.copy()
    sure[list(doubted)] = -1.0
    for x in np.argsort(sure, kind="stable").tolist():
        if not placed.known[x] or (x in pinned and x not in doubted):
            continue
        own, other = int(groups.of[x]), groups.order[int(placed.runner_up[x])]
        for group in (other, own) if x in doubted else (own, other):
            y = best.get(group)
            if y is None or x == y or answers.unsure(x, y):
                break
            follows = answers.follows(x, y)
            if follows is None:
                yield x, y
            if follows is not False:
                break


def _representatives(
    groups: Groups, placed: Placed, answers: Answers, doubted: frozenset[int]
) -> dict[int, int]:
    """The item that stands for each group: of those that were asked about most, the surest."""
    many = np.zeros(len(groups.of))
    for joined in answers.groups():
        of, counts = np.unique(groups.of[joined], return_counts=True)
        for group, n in zip(of.tolist(), counts.tolist(), strict=True):
            inside = [row for row in joined if groups.of[row] == group]
            many[inside] = n if n > 1 else 0
    worth = many + placed.confidence
    worth[list(doubted)] = -1.0
    worth[placed.known == 0] = -1.0
    order = np.argsort(-worth, kind="stable")
    order = order[worth[order] >= 0]
    found, first = np.unique(groups.of[order], return_index=True)
    return dict(zip(found.tolist(), order[first].tolist(), strict=True))


def links_of(answers: Mapping[Pair, str]) -> dict[str, Any]:
    """Must- and cannot-links of answers, as arrays of pairs.

    Examples
    --------
    >>> links_of({(0, 1): "same", (1, 2): "unknown"})["must_link"].tolist()
    [[0, 1]]
    """
    return {
        what: np.array(
            [pair for pair, how in answers.items() if how == relation], dtype=np.int64
        ).reshape(-1, 2)
        for what, relation in (("must_link", "same"), ("cannot_link", "different"))
    }


def in_turn(groups: Groups, worth: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """All items: the best of each group, the largest group first, then the second of each ...

    Among those that are equally good, chance decides, always in the same way.

    Examples
    --------
    >>> from comraf.results.groups import Groups
    >>> in_turn(Groups.start([0, 1, 1, 1]), np.array([0.5, 0.2, 0.9, 0.4])).tolist()
    [2, 0, 3, 1]
    """
    n = len(groups.of)
    chance = np.random.default_rng(0).permutation(n)
    best = chance[np.argsort(-worth[chance], kind="stable")]
    _, which, sizes = np.unique(groups.of[best], return_inverse=True, return_counts=True)
    turn = np.empty(n, dtype=np.int64)
    turn[np.argsort(which, kind="stable")] = np.concatenate([np.arange(k) for k in sizes])
    return best[np.lexsort((which, -sizes[which], turn))]
