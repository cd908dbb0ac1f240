"""Oracles answer as they should, and their answers are followed to all they imply."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comraf.active import Answers, CarefulOracle, LabelOracle, NoisyOracle, Oracle, PersonOracle
from comraf.errors import ConflictError, InputError
from comraf.supervision import close, read_links

TRIPLES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=25)


@given(TRIPLES)
def test_one_by_one_equals_all_at_once(told: list[tuple[int, int, bool]]) -> None:
    """Answers taken one at a time imply what `supervision.close` says of them together."""
    answers = Answers(10)
    kept: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for i, j, same in told:
        if i == j:
            continue
        if answers.follows(i, j) is (not same):
            with pytest.raises(ConflictError, match="earlier answers"):
                answers.tell(i, j, same)
        else:
            answers.tell(i, j, same)
            kept[same].append((i, j))
    closure = close(10, read_links(kept[True], 10), read_links(kept[False], 10))
    apart = {tuple(pair) for pair in closure.cannot.tolist()}
    for i in range(10):
        for j in range(10):
            a, b = sorted((int(closure.group[i]), int(closure.group[j])))
            expected = True if a == b else False if (a, b) in apart else None
            assert answers.follows(i, j) is expected
    large = [np.flatnonzero(closure.group == g).tolist() for g in range(closure.n_groups)]
    assert answers.groups() == [rows for rows in large if len(rows) > 1]


@pytest.mark.parametrize(
    "labels", [np.array([1, 1, 2, -1]), ["a", "a", "b", None], [1.0, 1.0, 2.0, float("nan")]]
)
def test_labels_answer(labels: object) -> None:
    """Equal, different, and unknown in each of its spellings."""
    oracle = LabelOracle(labels)  # type: ignore[arg-type]
    assert isinstance(oracle, Oracle)
    assert [oracle.same(0, 1), oracle.same(1, 2), oracle.same(2, 3)] == [True, False, None]


def test_noise_depends_on_the_pair_alone() -> None:
    """Asked in another order, or the other way round, a pair is answered the same."""
    noisy = NoisyOracle(LabelOracle([0] * 40), wrong=0.3, unsure=0.2, random_state=5)
    pairs = [(i, j) for i in range(40) for j in range(i)]
    said = [noisy.same(i, j) for i, j in pairs]
    assert said[::-1] == [noisy.same(j, i) for i, j in pairs[::-1]]
    assert abs(said.count(False) / len(pairs) - 0.3) < 0.06
    assert abs(said.count(None) / len(pairs) - 0.2) < 0.06
    other = NoisyOracle(LabelOracle([0] * 40), wrong=0.3, unsure=0.2, random_state=6)
    assert said != [other.same(i, j) for i, j in pairs]


def test_a_careful_oracle_asks_once() -> None:
    """A "don't know" is not asked again, and what follows is not asked at all."""
    asked: list[tuple[int, int]] = []

    def ask(i: int, j: int) -> str:
        asked.append((i, j))
        return "?" if 3 in (i, j) else "same"

    careful = CarefulOracle(PersonOracle(ask), 4)
    said = [careful.same(*pair) for pair in [(0, 1), (1, 2), (2, 0), (3, 0), (0, 3), (1, 0)]]
    assert said == [True, True, True, None, None, True]
    assert asked == [(0, 1), (1, 2), (3, 0)]
    assert careful.n_asked == 3


def test_bad_answers_and_shares_are_refused() -> None:
    """Words that are no answer, shares that are none, labels of two dimensions."""
    with pytest.raises(InputError, match="item 2 was asked about, but there are labels of 2 items"):
        NoisyOracle(LabelOracle("ab")).same(0, 2)
    with pytest.raises(InputError, match="item 2 was asked about, but there are 2 items to show"):
        PersonOracle(lambda a, b: True, ["a", "b"]).same(2, 0)
    for pair in ((0, 7), (-1, 0)):
        with pytest.raises(InputError, match="but there are items 0 to 2"):
            Answers(3).tell(*pair, True)
    with pytest.raises(InputError, match="'maybe' is no answer"):
        PersonOracle(lambda a, b: "maybe").same(0, 1)
    with pytest.raises(InputError, match="wrong and unsure are 2"):
        NoisyOracle(LabelOracle([0]), wrong=2)
    with pytest.raises(InputError, match="together at most 1"):
        NoisyOracle(LabelOracle([0]), wrong=0.6, unsure=0.6)
    with pytest.raises(InputError, match="shape"):
        LabelOracle(np.zeros((2, 2)))
