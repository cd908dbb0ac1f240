"""What stands when all is said: links from known ones, from answers, and from what they imply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from comraf.active.answers import Answers, ordered
from comraf.active.journal import Journal
from comraf.active.skeleton import Skeleton
from comraf.errors import InputError

__all__ = ["Standing", "sort_noisy", "sort_sure", "start_from"]

Pair = tuple[int, int]
Link = tuple[int, int, bool]


@dataclass
class Standing:
    """Pairs by what is believed of them, and all that follows.

    Examples
    --------
    >>> journal = Journal(None, n=3, items="", seed=0)
    >>> journal.append(0, 1, True)
    >>> standing = sort_sure(journal, [(1, 2, False)], [])
    >>> standing.must, standing.cannot, standing.facts.follows(0, 2)
    ([(0, 1)], [(1, 2)], False)
    """

    facts: Answers
    must: list[Pair] = field(default_factory=list)
    cannot: list[Pair] = field(default_factory=list)
    unsure: list[Pair] = field(default_factory=list)
    left_out: list[Pair] = field(default_factory=list)
    n_inferred: int = 0

    def take(self, i: int, j: int, same: bool | None) -> None:
        """Believe one answer."""
        self.facts.tell(i, j, same)
        kinds = {True: self.must, False: self.cannot, None: self.unsure}
        kinds[same].append((i, j))

    def infer(self, i: int, j: int) -> None:
        """Believe that two items are together about which nobody was asked."""
        self.take(i, j, True)
        self.n_inferred += 1


def sort_sure(journal: Journal, known: Iterable[Link], inferred: Iterable[Pair]) -> Standing:
    """All that is known and was said; then what was inferred, as far as it does not contradict.

    An answer from an earlier session with another k may contradict what was inferred with this
    one. What was said goes before what was inferred.

    Examples
    --------
    >>> journal = Journal(None, n=3, items="", seed=0)
    >>> journal.append(0, 1, False)
    >>> sort_sure(journal, [], [(0, 1), (1, 2)]).must
    [(1, 2)]
    """
    standing = Standing(Answers(journal.n))
    for link in (*known, *journal):
        standing.take(*link)
    for pair in inferred:
        if standing.facts.follows(*pair) is not False:
            standing.infer(*pair)
    return standing


def sort_noisy(
    journal: Journal, known: Iterable[Link], neighbourhoods: Sequence[Sequence[int]]
) -> Standing:
    """Answers that agree with the neighbourhoods in which both items were placed.

    Members of a neighbourhood that no such answer joins, because all others were excluded for
    them, get an inferred link.

    Examples
    --------
    >>> journal = Journal(None, n=4, items="", seed=0, noisy=True)
    >>> for answer in [(0, 1, True), (0, 2, False), (1, 2, True), (2, 3, True)]:
    ...     journal.append(*answer)
    >>> standing = sort_noisy(journal, [], [[0, 1], [2]])
    >>> standing.must, standing.cannot, standing.left_out
    ([(0, 1)], [(0, 2)], [(1, 2), (2, 3)])
    """
    standing = Standing(Answers(journal.n))
    for link in known:
        standing.take(*link)
    place = {row: at for at, rows in enumerate(neighbourhoods) for row in rows}
    for i, j, same in journal:
        if same is None:
            standing.take(i, j, None)
        elif i in place and j in place and same is (place[i] == place[j]):
            standing.take(i, j, same)
        else:
            standing.left_out.append((i, j))
    for rows in neighbourhoods:
        for row in rows[1:]:
            if not standing.facts.follows(rows[0], row):
                standing.infer(*ordered(rows[0], row))
    return standing


def start_from(skeleton: Skeleton, known: Sequence[Link], answers: Answers, k: int | None) -> None:
    """Begin with neighbourhoods that are known: large groups first, each apart from all before.

    Parameters
    ----------
    skeleton : Skeleton
        Without neighbourhoods; gets them.
    known : sequence of (int, int, bool)
        Links that are known.
    answers : Answers
        What follows from them.
    k : int or None
        Number of classes.

    Raises
    ------
    InputError
        Groups that are all apart from each other, and more of them than classes.

    Examples
    --------
    >>> from comraf.active.space import Space
    >>> known, answers = [(0, 1, True), (1, 3, False)], Answers(4)
    >>> for link in known:
    ...     answers.tell(*link)
    >>> skeleton = Skeleton(Space([[0.0], [1.0], [8.0], [9.0]]))
    >>> start_from(skeleton, known, answers, 2)
    >>> skeleton.neighbourhoods
    [[0, 1], [3]]
    """
    groups = answers.groups()
    joined = {row for group in groups for row in group}
    alone = {row for i, j, _ in known for row in (i, j)} - joined
    groups.extend([row] for row in sorted(alone))
    groups.sort(key=len, reverse=True)  # groups of one size keep their order
    chosen: list[list[int]] = []
    for group in groups:
        if all(answers.follows(group[0], other[0]) is False for other in chosen):
            chosen.append(group)
    if k is not None and len(chosen) > k:
        raise InputError(
            f"k is {k:,}, but known links keep {len(chosen):,} groups apart from each other, with "
            f"rows {', '.join(str(group[0]) for group in chosen[:6])}; give a larger k, or take "
            "links out"
        )
    for group in chosen:
        skeleton.start(group[0])
        for row in group[1:]:
            skeleton.add(row, len(skeleton.neighbourhoods) - 1)
