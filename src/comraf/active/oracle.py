"""Who answers: a label array, a noisy simulation, a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comraf.active.answers import Answers, ordered
from comraf.errors import InputError
from comraf.parameters import check_number
from comraf.supervision.naming import quoted

__all__ = ["CarefulOracle", "LabelOracle", "NoisyOracle", "Oracle", "PersonOracle", "read_answer"]

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("same", "s", "yes", "y"), True),
    **dict.fromkeys(("different", "d", "no", "n"), False),
    **dict.fromkeys(("don't know", "dont know", "unknown", "?", ""), None),
}


@runtime_checkable
class Oracle(Protocol):
    """Whoever can be asked whether two items belong together."""

    def same(self, i: int, j: int) -> bool | None:
        """Whether items `i` and `j` belong together; None: don't know."""
        ...  # pragma: no cover


def read_answer(given: object) -> bool | None:
    """Bring an answer to True, False or None, or refuse it.

    A number is refused: 1 could be meant as a yes, or as a class.

    Examples
    --------
    >>> read_answer("Same"), read_answer("n"), read_answer(None)
    (True, False, None)
    """
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, np.bool_):
        return bool(given)
    if isinstance(given, str):
        word = given.strip().lower().replace("’", "'")
        if word in _WORDS:
            return _WORDS[word]
    raise InputError(
        f"{quoted(given)} is no answer; say True or 'same', False or 'different', None or "
        "'don't know'"
    )


class LabelOracle:
    """Answers from known classes; items without one are "don't know".

    Parameters
    ----------
    labels : array-like, shape (n,)
        Class of each item; None, NaN, and -1 among whole numbers mean that it is not known.

    Examples
    --------
    >>> oracle = LabelOracle(["cat", "cat", "dog", None])
    >>> oracle.same(0, 1), oracle.same(1, 2), oracle.same(2, 3)
    (True, False, None)
    """

    def __init__(self, labels: ArrayLike | Sequence[Any]) -> None:
        found: NDArray[Any] = (
            labels if isinstance(labels, np.ndarray) else np.array(list(labels), dtype=object)  # type: ignore[arg-type]
        )
        if found.ndim != 1:
            raise InputError(f"labels have shape {found.shape}; give one label for each item")
        self._labels = [None if _missing(label) else label for label in found.tolist()]

    def __len__(self) -> int:
        return len(self._labels)

    @property
    def n_known(self) -> int:
        """How many items have a label."""
        return sum(label is not None for label in self._labels)

    def same(self, i: int, j: int) -> bool | None:
        """Whether both labels are equal; None where one is not known."""
        if max(i, j) >= len(self):
            raise InputError(
                f"item {max(i, j)} was asked about, but there are labels of {len(self):,} items; "
                "give a label for each item"
            )
        a, b = self._labels[i], self._labels[j]
        return None if a is None or b is None else bool(a == b)


def _missing(label: Any) -> bool:
    if label is None or label != label:  # NaN is not equal to itself
        return True
    return isinstance(label, int) and not isinstance(label, bool) and label == -1


class NoisyOracle:
    """Another oracle with some answers turned round, and some kept back.

    What happens to a pair depends on the pair and the seed alone, not on what was asked before,
    so that a run that was stopped and resumed meets the same answers.

    Parameters
    ----------
    oracle : Oracle
        Who knows.
    wrong : float
        Share of answers that are turned round.
    unsure : float
        Share of answers that are "don't know" instead.
    random_state : int
        Seed of the noise.

    Examples
    --------
    >>> noisy = NoisyOracle(LabelOracle([0] * 1000), wrong=0.2, unsure=0.1)
    >>> said = [noisy.same(0, j) for j in range(1, 1000)]
    >>> 150 < said.count(False) < 230, 70 < said.count(None) < 130
    (True, True)
    """

    def __init__(
        self, oracle: Oracle, *, wrong: float = 0.1, unsure: float = 0.0, random_state: int = 0
    ) -> None:
        self._wrong, self._unsure = check_number("wrong", wrong), check_number("unsure", unsure)
        if wrong + unsure > 1:
            raise InputError(f"wrong and unsure are {wrong} and {unsure}; together at most 1")
        self._oracle, self._seed = oracle, int(random_state)

    def same(self, i: int, j: int) -> bool | None:
        """The other oracle's answer, or not."""
        answer = self._oracle.same(i, j)
        chance = np.random.default_rng([self._seed, *ordered(i, j)]).random()
        if answer is None or chance < self._unsure:
            return None
        return not answer if chance < self._unsure + self._wrong else answer


class PersonOracle:
    """Answers from a function that shows two items to a person.

    Parameters
    ----------
    ask : callable
        Takes two items and returns True, False or None, or one of the words "same",
        "different", "don't know" and their first letters.
    items : sequence, optional
        What to hand to `ask` for each row; row numbers if left out.

    Examples
    --------
    >>> person = PersonOracle(lambda a, b: "same" if a[0] == b[0] else "?", ["ant", "ape", "bee"])
    >>> person.same(0, 1), person.same(1, 2)
    (True, None)
    """

    def __init__(
        self, ask: Callable[[Any, Any], object], items: Sequence[Any] | None = None
    ) -> None:
        self._ask, self._items = ask, items

    def same(self, i: int, j: int) -> bool | None:
        """What the person says."""
        if self._items is not None and max(i, j) >= len(self._items):
            raise InputError(
                f"item {max(i, j)} was asked about, but there are {len(self._items):,} items to "
                "show; give one for each row"
            )
        shown = (i, j) if self._items is None else (self._items[i], self._items[j])
        return read_answer(self._ask(*shown))


class CarefulOracle:
    """Another oracle that is never asked what follows from its earlier answers.

    Attributes
    ----------
    n_asked : int
        Questions that were passed on.

    Examples
    --------
    >>> careful = CarefulOracle(LabelOracle([0, 0, 0, 1]), 4)
    >>> [careful.same(*pair) for pair in [(0, 1), (1, 2), (0, 2), (2, 3), (3, 0)]]
    [True, True, True, False, False]
    >>> careful.n_asked
    3
    """

    def __init__(self, oracle: Oracle, n: int) -> None:
        self._oracle, self._answers = oracle, Answers(n)
        self.n_asked = 0

    def same(self, i: int, j: int) -> bool | None:
        """What is known already, or else what the oracle says."""
        known = self._answers.follows(i, j)
        if known is not None or self._answers.unsure(i, j):
            return known
        answer = read_answer(self._oracle.same(i, j))
        self.n_asked += 1
        self._answers.tell(i, j, answer)
        return answer
