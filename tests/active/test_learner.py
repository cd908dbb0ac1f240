"""Questions are worth asking, the budget holds, and neighbourhoods are what answers say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_blobs

from comraf.active import (
    NPU,
    Constraints,
    ExploreConsolidate,
    LabelOracle,
    MinMax,
    NoisyOracle,
    RandomPairs,
)
from comraf.errors import InputError
from comraf.supervision import close, read_links

LEARNERS = [ExploreConsolidate, MinMax]
ANY = [*LEARNERS, NPU, RandomPairs]


class Recorder:
    """An oracle that keeps what it was asked, and sees at once when it follows."""

    def __init__(self, oracle: Any, n: int) -> None:
        self.oracle, self.n = oracle, n
        self.asked: list[tuple[int, int]] = []
        self.must: list[tuple[int, int]] = []
        self.cannot: list[tuple[int, int]] = []

    def same(self, i: int, j: int) -> bool | None:
        """Pass a question on that the closure of earlier answers can't answer."""
        assert i != j
        assert (min(i, j), max(i, j)) not in self.asked
        closure = close(self.n, read_links(self.must, self.n), read_links(self.cannot, self.n))
        a, b = sorted((int(closure.group[i]), int(closure.group[j])))
        assert a != b, "asked what must-links say"
        assert [a, b] not in closure.cannot.tolist(), "asked what cannot-links say"
        self.asked.append((min(i, j), max(i, j)))
        answer: bool | None = self.oracle.same(i, j)
        if answer is not None:
            (self.must if answer else self.cannot).append((i, j))
        return answer


def blobs(k: int, n: int = 60, spread: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Well separated classes on a circle."""
    angle = 2 * np.pi * np.arange(k) / k
    centers = 10 * np.column_stack([np.cos(angle), np.sin(angle)])
    return make_blobs(n, centers=centers, cluster_std=spread, random_state=0)  # type: ignore[return-value]


def check(found: Constraints, n: int) -> None:
    """Links don't contradict each other, and they imply the neighbourhoods."""
    closure = close(n, read_links(found.must_link, n), read_links(found.cannot_link, n))
    groups = [set(closure.group[rows].tolist()) for rows in found.neighbourhoods]
    assert all(len(group) == 1 for group in groups)
    assert len(set().union(*groups)) == len(groups)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ANY),
    st.integers(2, 25),
    st.integers(0, 60),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.0, 0.3]),
    st.booleans(),
    st.integers(0, 99),
)
def test_nothing_that_follows_is_asked_and_the_budget_holds(
    learner: Any, n: int, budget: int, k: int, wrong: float, unsure: float, know: bool, seed: int
) -> None:
    """Whatever the oracle is worth: no idle question, no question too many, no contradiction."""
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, 2)), rng.integers(k, size=n)
    oracle = NoisyOracle(LabelOracle(labels), wrong=wrong, unsure=unsure, random_state=seed)
    recorder = Recorder(oracle, n)
    more = {"k": k} if know and learner is not RandomPairs and 2 <= k <= n else {}
    found = learner(budget, random_state=seed, **more).run(X, recorder)
    assert len(recorder.asked) == found.n_asked <= budget
    assert found.n_asked == len(found.must_link) - found.n_inferred + len(found.cannot_link) + len(
        found.unsure
    )
    check(found, n)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_all_classes_are_found(learner: Any, k: int) -> None:
    """With a perfect oracle, Explore meets k classes within the thesis's bound of queries."""
    X, labels = blobs(k)
    for seed in range(5):
        budget = k * k * (k - 1) // 2
        found = learner(budget, k=k, random_state=seed).run(X, LabelOracle(labels))
        classes = [set(labels[rows].tolist()) for rows in found.neighbourhoods]
        assert all(len(each) == 1 for each in classes)
        assert set().union(*classes) == set(range(k))
        assert len(classes) == k


def test_far_classes_cost_a_question_for_each_pair() -> None:
    """Far apart, every class is met at its first item: k(k-1)/2 questions and not one more."""
    X, labels = blobs(5)
    found = ExploreConsolidate(10, k=5, random_state=0).run(X, LabelOracle(labels))
    assert (found.n_asked, len(found.neighbourhoods), len(found.must_link)) == (10, 5, 0)
    short = ExploreConsolidate(9, k=5, random_state=0).run(X, LabelOracle(labels))
    assert len(short.neighbourhoods) == 4  # the fifth was not compared with all others
    assert len(short.cannot_link) == 9  # but its answers are kept


@pytest.mark.parametrize("learner", LEARNERS)
def test_enough_questions_place_every_item(learner: Any) -> None:
    """Without a limit all items are placed, each in at most k - 1 questions after Explore."""
    X, labels = blobs(4)
    found = learner(10_000, k=4, random_state=0).run(X, LabelOracle(labels))
    seen = found.labels
    assert (seen >= 0).all()
    assert len(set(zip(seen.tolist(), labels.tolist(), strict=True))) == 4
    assert found.n_asked <= 60 * 3
    unknown = learner(10_000, random_state=0).run(X, LabelOracle(labels))
    assert (unknown.labels >= 0).all()
    assert len(unknown.neighbourhoods) == 4
    assert unknown.n_inferred == 0  # nothing can be inferred without k


def test_the_last_class_is_inferred() -> None:
    """With two classes, one "different" places an item, and the link is there to be used."""
    X, labels = blobs(2, n=30, spread=6.0)
    found = ExploreConsolidate(1000, k=2, random_state=1).run(X, LabelOracle(labels))
    assert found.n_inferred > 0
    assert (labels[found.must_link[:, 0]] == labels[found.must_link[:, 1]]).all()
    assert found.n_asked <= 1 + 29


class Silent:
    """An oracle that can't judge some items."""

    def __init__(self, labels: np.ndarray, unknown: set[int]) -> None:
        self.labels, self.unknown = labels, unknown
        self.asked: list[tuple[int, int]] = []

    def same(self, i: int, j: int) -> bool | None:
        """None if one of both can't be judged."""
        self.asked.append((i, j))
        if {i, j} & self.unknown:
            return None
        return bool(self.labels[i] == self.labels[j])


def test_dont_know_sets_aside_in_explore() -> None:
    """One question about an item that can't be judged, and no second."""
    X, labels = blobs(3)
    unknown = set(np.flatnonzero(labels == 2)[::2].tolist())
    first = int(np.flatnonzero(labels == 0)[0])
    for seed in range(8):
        oracle = Silent(labels, unknown - {first})
        found = ExploreConsolidate(300, random_state=seed).run(X, oracle)
        placed = set(np.flatnonzero(found.labels >= 0).tolist())
        assert len(found.neighbourhoods) == 3
        assert placed == set(range(60)) - unknown  # a silent first item is left, too
        as_candidates = [pair[0] for pair in oracle.asked if pair[0] in unknown]
        assert len(as_candidates) == len(set(as_candidates))


def test_a_silent_first_item_is_left_after_three_questions() -> None:
    """Exploration begins anew, and those it was compared with get another chance."""
    X, labels = blobs(3)
    learner = ExploreConsolidate(200, k=3, random_state=0)
    learner.start(X)
    pair = learner.query()
    assert pair is not None
    start = pair[1]
    oracle = Silent(labels, {start})
    found = ExploreConsolidate(200, k=3, random_state=0).run(X, oracle)
    assert all(start in pair for pair in oracle.asked[:3])
    assert len(found.unsure) >= 3
    assert (np.delete(found.labels, start) >= 0).all()
    assert found.labels[start] == -1


def test_consolidate_infers_nothing_after_dont_know() -> None:
    """An item with a "don't know" goes where an answer puts it, or is set aside."""
    X, labels = blobs(3)
    learner = ExploreConsolidate(1000, k=3, random_state=0)
    learner.start(X)
    while len(learner.result().neighbourhoods) < 3:
        i, j = learner.query() or (0, 0)
        learner.answer(labels[i] == labels[j])
    answers = [False, None, False]
    x = (learner.query() or (0, 0))[0]
    for said in answers:
        pair = learner.query()
        assert pair is not None
        assert pair[0] == x  # the third is asked, not inferred
        learner.answer(said)
    assert learner.result().labels[x] == -1
    assert learner.result().n_inferred == 0
    again = learner.query()
    assert again is not None
    assert again[0] != x
    for said in (None, True):  # a must-link after a "don't know" still counts
        y = (learner.query() or (0, 0))[0]
        learner.answer(said)
    assert learner.result().labels[y] >= 0


@pytest.mark.parametrize("learner", LEARNERS)
def test_items_nobody_can_judge_come_up_once(learner: Any) -> None:
    """In both phases: at most k questions about such an item, and the session comes to an end."""
    X, labels = blobs(3)
    unknown = set(range(0, 60, 4))
    oracle = Silent(labels, unknown)
    found = learner(1000, k=3, random_state=0).run(X, oracle)
    assert set(np.flatnonzero(found.labels < 0).tolist()) == unknown
    asked = [pair[0] for pair in oracle.asked]
    assert max(asked.count(item) for item in unknown) <= 3


def test_iris_neighbourhoods_are_pure_and_larger_than_random() -> None:
    """The same budget knows the class of more items than random pairs do."""
    X, labels = load_iris(return_X_y=True)
    for budget in (30, 60, 100):
        active, random = [], []
        for seed in range(10):
            found = ExploreConsolidate(budget, k=3, random_state=seed).run(X, LabelOracle(labels))
            assert found.n_asked == budget
            assert len(found.neighbourhoods) == 3
            assert all(len(set(labels[rows].tolist())) == 1 for rows in found.neighbourhoods)
            other = RandomPairs(budget, random_state=seed).run(X, LabelOracle(labels))
            # Three neighbourhoods seed three clusters: so compare with the three largest.
            largest = sorted((len(rows) for rows in other.neighbourhoods), reverse=True)[:3]
            active.append(sum(len(rows) for rows in found.neighbourhoods))
            random.append(sum(largest))
        assert min(np.array(active) - random) > 0
        assert np.mean(active) > 1.5 * np.mean(random)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_sparse_rows_ask_the_same_questions(metric: str, learner: Any) -> None:
    """Dense and sparse rows of equal values give one result, and sparse ones stay sparse."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=80)
    X = rng.poisson(0.3 + 4.0 * (np.arange(30) % 3 == labels[:, None]))
    X = X * rng.uniform(0.9, 1.1, X.shape)  # among equal distances, rounding would choose
    one = learner(60, k=3, metric=metric, random_state=0).run(X, LabelOracle(labels))
    other = learner(60, k=3, metric=metric, random_state=0).run(
        sp.csr_matrix(X), LabelOracle(labels)
    )
    assert one.must_link.tolist() == other.must_link.tolist()
    assert one.cannot_link.tolist() == other.cannot_link.tolist()


def test_wide_sparse_rows_are_not_densified() -> None:
    """A table that would take 80 GB dense is explored in little memory."""
    X = sp.random_array((10_000, 1_000_000), density=1e-5, format="csr", rng=0)
    X = X + sp.csr_array((np.ones(10_000), (np.arange(10_000), np.arange(10_000) % 5)), X.shape)
    labels = np.arange(10_000) % 5
    found = ExploreConsolidate(30, k=5, metric="cosine", random_state=0).run(X, LabelOracle(labels))
    assert found.n_asked == 30
    assert all(len(set(labels[rows].tolist())) == 1 for rows in found.neighbourhoods)


def test_outliers_are_passed_over() -> None:
    """Far items with thin surroundings cost Explore nothing when it is told to leave them."""
    X, labels = blobs(3, n=90)
    lost = 60.0 * np.column_stack([np.cos(np.arange(6)), np.sin(np.arange(6))])
    X, labels = np.vstack([X, lost]), np.append(labels, np.zeros(6, dtype=int))
    plain = ExploreConsolidate(3, k=3, random_state=1).run(X, LabelOracle(labels))
    careful = ExploreConsolidate(3, k=3, outliers=0.1, random_state=1).run(X, LabelOracle(labels))
    assert len(plain.neighbourhoods) < 3 == len(careful.neighbourhoods)


def test_equal_items_and_one_item() -> None:
    """Nothing to tell items apart, or nothing to ask: no loop, no error."""
    same = ExploreConsolidate(50, random_state=0).run(np.ones((6, 2)), LabelOracle([0] * 6))
    assert [len(rows) for rows in same.neighbourhoods] == [6]
    alone = ExploreConsolidate(50).run([[1.0]], LabelOracle([0]))
    assert alone.n_asked == 0


@pytest.mark.parametrize(
    ("make", "X", "words"),
    [
        (lambda: ExploreConsolidate(-1), None, "n_queries=-1"),
        (lambda: ExploreConsolidate(5, k=1), None, "k=1"),
        (lambda: ExploreConsolidate(5, outliers=1.0), None, "outliers=1.0"),
        (
            lambda: ExploreConsolidate(5, outliers="few"),
            None,
            "outliers='few'; it must be a finite number of 0 or more, below 1",
        ),
        (lambda: ExploreConsolidate(5, random_state="a"), [[1.0], [2.0]], "random_state"),
        (lambda: ExploreConsolidate(5, k=4), [[1.0], [2.0]], "only 2 items"),
        (lambda: ExploreConsolidate(5, metric="l1"), [[1.0], [2.0]], "metric='l1' is unknown"),
        (lambda: MinMax(5, metric="cosine"), [[1.0], [0.0]], "1 of 2 rows are all zero, row 1"),
        (lambda: RandomPairs(5), [[1.0], [np.nan]], "NaN"),
    ],
)
def test_bad_input_is_named(make: Any, X: Any, words: str) -> None:
    """A message says what was given."""
    with pytest.raises(InputError, match=words):
        make().start(X)


def test_answers_out_of_turn_are_refused() -> None:
    """No session, no question, no answer: each is said, and a wrong word changes nothing."""
    learner = ExploreConsolidate(1, k=2, random_state=0)
    with pytest.raises(InputError, match="no session yet"):
        learner.query()
    learner.start([[0.0], [1.0], [9.0]])
    pair = learner.query()
    with pytest.raises(InputError, match="1 is no answer"):
        learner.answer(1)
    assert learner.query() == pair
    learner.answer("different")
    assert learner.query() is None
    with pytest.raises(InputError, match="no question"):
        learner.answer(True)


def test_labels_in_place_of_an_oracle_are_refused() -> None:
    """The message says what wraps them."""
    with pytest.raises(InputError, match=r"oracle is list; give one .* LabelOracle"):
        RandomPairs(2).run([[0.0], [1.0]], ["a", "b"])
