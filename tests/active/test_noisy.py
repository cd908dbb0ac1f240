"""Wrong answers don't spread: items are placed by several answers, or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.metrics import normalized_mutual_info_score

from comraf.active import ExploreConsolidate, Journal, LabelOracle, MinMax, NoisyOracle
from comraf.active.noisy import Trust
from comraf.errors import ConflictError, InputError
from comraf.kmeans import HMRFKMeans
from comraf.supervision import close, read_links

CENTERS = [[0.0, 0.0], [8.0, 0.0], [4.0, 7.0]]
X, CLASSES = make_blobs(150, centers=CENTERS, cluster_std=1.8, random_state=0)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([ExploreConsolidate, MinMax]),
    st.integers(2, 30),
    st.integers(0, 120),
    st.sampled_from([0.01, 0.1, 0.3]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([None, 2, 4]),
    st.integers(0, 99),
)
def test_links_never_contradict_and_every_answer_is_accounted_for(
    learner: type[ExploreConsolidate],
    n: int,
    budget: int,
    noise: float,
    unsure: float,
    k: int | None,
    seed: int,
) -> None:
    """Whatever answers say: consistent links, the budget holds, no pair is asked twice."""
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(n, 2)), rng.integers(3, size=n)
    asked: set[tuple[int, int]] = set()
    noisy = NoisyOracle(LabelOracle(labels), wrong=0.3, unsure=unsure, random_state=seed)

    class Watching:
        def same(self, i: int, j: int) -> bool | None:
            pair = (min(i, j), max(i, j))
            assert i != j
            assert pair not in asked
            asked.add(pair)
            return noisy.same(i, j)

    k = k if k is None or k <= n else None
    found = learner(budget, k, noise=noise, random_state=seed).run(rows, Watching())
    assert found.n_asked == len(asked) <= budget
    kept = len(found.must_link) - found.n_inferred + len(found.cannot_link)
    assert kept + len(found.unsure) + len(found.left_out) == found.n_asked
    closure = close(n, read_links(found.must_link, n), read_links(found.cannot_link, n))
    groups = [set(closure.group[rows].tolist()) for rows in found.neighbourhoods]
    assert all(len(group) == 1 for group in groups)
    assert len(set().union(*groups)) == len(groups)
    # a neighbourhood has several members from the beginning
    assert all(len(rows) > Trust(noise).enough for rows in found.neighbourhoods)


@pytest.mark.parametrize(("wrong", "least"), [(0.1, 0.95), (0.2, 0.92)])
def test_neighbourhoods_are_purer_and_clusters_better(wrong: float, least: float) -> None:
    """With the same wrong answers: purer neighbourhoods, no class twice, higher NMI."""
    purity: dict[float, list[float]] = {0.0: [], wrong: []}
    scores: dict[float, list[float]] = {0.0: [], wrong: []}
    for seed in range(4):
        oracle = NoisyOracle(LabelOracle(CLASSES), wrong=wrong, random_state=seed)
        for noise in (0.0, wrong):
            found = ExploreConsolidate(120, 3, noise=noise, random_state=seed).run(X, oracle)
            assert len(found.neighbourhoods) == 3
            most = [np.bincount(CLASSES[rows]).max() for rows in found.neighbourhoods]
            purity[noise].append(sum(most) / sum(len(rows) for rows in found.neighbourhoods))
            model = HMRFKMeans(3, n_init=1, random_state=0)
            labels = model.fit_predict(X, must_link=found.must_link, cannot_link=found.cannot_link)
            scores[noise].append(normalized_mutual_info_score(CLASSES, labels))
    assert np.mean(purity[wrong]) > max(least, float(np.mean(purity[0.0])) + 0.05)
    assert np.mean(scores[wrong]) > np.mean(scores[0.0])


def test_one_stray_answer_begins_nothing() -> None:
    """A single "different" about an item of a class that is there leads to further questions."""
    rows = np.array([[0.0], [0.1], [0.2], [0.3], [5.0]])
    learner = ExploreConsolidate(50, noise=0.01, random_state=0)
    learner.start(rows)
    told: list[tuple[int, int]] = []
    while (pair := learner.query()) is not None:
        # all are of one class; the first answer about the far item is wrong
        stray = 4 in pair and not any(4 in earlier for earlier in told)
        told.append(pair)
        learner.answer(not stray)
    found = learner.result()
    assert len(found.neighbourhoods) == 1
    assert sum(4 in pair for pair in told) > 1
    assert len(found.cannot_link) == 0
    assert len(found.left_out) == 1


def test_items_that_stay_in_doubt_are_left_out() -> None:
    """Answers about one item contradict each other for good: it is set aside, with all of them."""
    rows, classes = make_blobs(60, centers=CENTERS, cluster_std=0.3, random_state=1)
    turn = {"same": False}

    def answer(i: int, j: int) -> bool:
        if 7 in (i, j):
            turn["same"] = not turn["same"]
            return turn["same"]
        return bool(classes[i] == classes[j])

    learner = ExploreConsolidate(10_000, 3, noise=0.2, random_state=0)
    learner.start(rows)
    while (pair := learner.query()) is not None:
        learner.answer(answer(*pair))
    found = learner.result()
    assert set(np.flatnonzero(found.labels < 0).tolist()) == {7}
    assert len(found.left_out) > 0
    assert (found.left_out == 7).any(axis=1).all()


def test_a_session_with_contradictions_resumes(tmp_path: Path) -> None:
    """Stopped after any number of answers, it goes on to the same result; a strict one refuses."""
    path = tmp_path / "answers.jsonl"
    oracle = NoisyOracle(LabelOracle(CLASSES), wrong=0.2, random_state=1)
    whole = ExploreConsolidate(90, 3, noise=0.2, random_state=5).run(X, oracle)
    for budget in (7, 40, 41, 90):
        part = ExploreConsolidate(budget, 3, noise=0.2, random_state=5)
        found = part.run(X, oracle, journal=path)
        assert found.n_asked == budget
    assert found.must_link.tolist() == whole.must_link.tolist()
    assert found.left_out.tolist() == whole.left_out.tolist()
    with pytest.raises(ConflictError, match=r"line \d+ of .*noise=0\.1"):
        ExploreConsolidate(100, 3).start(X, journal=path)


def test_a_noisy_journal_keeps_what_contradicts() -> None:
    """Both answers are there, and nothing follows from them."""
    journal = Journal(None, n=3, items="x", seed=0, noisy=True)
    for pair, same in (((0, 1), True), ((1, 2), True), ((0, 2), False)):
        journal.append(*pair, same)
    assert len(journal) == 3
    assert journal.facts.follows(0, 1) is None


@pytest.mark.parametrize("noise", [-0.1, 0.5, float("nan")])
def test_bad_shares_are_refused(noise: float) -> None:
    """Half of all answers wrong says nothing."""
    with pytest.raises(InputError, match="noise="):
        ExploreConsolidate(5, noise=noise)
