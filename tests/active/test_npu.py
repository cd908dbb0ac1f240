"""NPU asks little that is idle, finds many classes, and goes on where it was left."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from comraf.active import NPU, ExploreConsolidate, LabelOracle, NoisyOracle, RandomPairs
from comraf.active.committee import Committee
from comraf.active.space import Space
from comraf.errors import InputError


def many_classes() -> tuple[np.ndarray, np.ndarray]:
    """Sixteen classes that overlap, in eight dimensions."""
    X, labels = make_blobs(480, n_features=8, centers=16, cluster_std=2.2, random_state=3)
    return X, labels


def test_many_classes_get_more_members_than_explore_gives_them() -> None:
    """With 16 classes and 100 questions: far more items of known class, and of all classes."""
    X, labels = many_classes()
    for seed in range(2):
        found = NPU(100, k=16, committee=8, random_state=seed).run(X, LabelOracle(labels))
        assert found.n_asked == 100
        assert all(len(set(labels[rows].tolist())) == 1 for rows in found.neighbourhoods)
        explored = ExploreConsolidate(100, k=16, random_state=seed).run(X, LabelOracle(labels))
        drawn = RandomPairs(100, random_state=seed).run(X, LabelOracle(labels))
        assert len(found.must_link) > 2 * max(len(explored.must_link), len(drawn.must_link))
        classes = {int(labels[rows[0]]) for rows in found.neighbourhoods if len(rows) > 1}
        assert len(classes) >= 12


def test_neighbourhoods_of_one_class_are_joined() -> None:
    """One class in several places: what is begun apart is compared, and becomes one."""
    X, places = make_blobs(
        90, centers=[[0, 0], [1.5, 0], [9, 9], [10.5, 9]], cluster_std=0.2, random_state=0
    )
    labels = places // 2
    found = NPU(200, k=2, tries=1, committee=4, random_state=0).run(X, LabelOracle(labels))
    assert sorted(set(labels[rows].tolist()).pop() for rows in found.neighbourhoods) == [0, 1]
    free = NPU(400, committee=4, random_state=0).run(X, LabelOracle(labels))
    assert len(free.neighbourhoods) == 2
    assert (free.labels >= 0).all()


def test_a_stopped_session_ends_where_a_whole_one_does(tmp_path: Path) -> None:
    """Cut after any number of answers, "don't know" among them: the same questions follow."""
    X, labels = many_classes()
    oracle = NoisyOracle(LabelOracle(labels), wrong=0.0, unsure=0.1)
    whole = NPU(60, k=16, committee=4, random_state=2).run(X, oracle)
    path = tmp_path / "answers.jsonl"
    for budget in (1, 25, 60):
        found = NPU(budget, k=16, committee=4, random_state=2).run(X, oracle, journal=path)
        assert found.n_asked == budget
    assert found.must_link.tolist() == whole.must_link.tolist()
    assert found.cannot_link.tolist() == whole.cannot_link.tolist()
    assert found.labels.tolist() == whole.labels.tolist()


def test_re_clustering_as_it_goes_is_quick() -> None:
    """Sparse rows stay sparse, and a question takes milliseconds."""
    rng = np.random.default_rng(0)
    labels = rng.integers(20, size=600)
    topics = rng.dirichlet(np.full(3000, 0.02), 20)
    X = sp.csr_array(np.array([rng.multinomial(60, topics[c]) for c in labels], dtype=float))
    began = time.process_time()
    found = NPU(150, k=20, metric="cosine", random_state=0).run(X, LabelOracle(labels))
    assert time.process_time() - began < 20
    assert found.n_asked == 150
    assert len({int(labels[rows[0]]) for rows in found.neighbourhoods}) >= 19


def test_votes_follow_what_is_known() -> None:
    """Members of a committee start from neighbourhoods: known items pull their surroundings."""
    X = np.array([[0.0], [0.2], [1.0], [1.2], [1.4], [1.6]])
    committee = Committee(Space(X), 9, np.random.default_rng(0))
    committee.cluster([[0], [3]], 2)
    votes = committee.votes([[0], [3]])
    assert votes.shape == (6, 2)
    assert (votes >= 0).all()
    assert (votes <= 1).all()
    assert votes.argmax(axis=1).tolist() == [0, 0, 1, 1, 1, 1]
    apart = committee.likeness([[0, 1], [2, 3], [4, 5]])
    assert apart[0].argsort().tolist() == [0, 1, 2]


def test_equal_items_few_items_and_bad_values() -> None:
    """Nothing to cluster, or nothing to ask: an end; bad values are named."""
    same = NPU(50, k=3, random_state=0).run(np.ones((6, 2)), LabelOracle([0] * 6))
    assert [len(rows) for rows in same.neighbourhoods] == [6]
    assert NPU(50).run([[1.0]], LabelOracle([0])).n_asked == 0
    for bad, words in (({"tries": 0}, "tries=0"), ({"committee": 0}, "committee=0")):
        with pytest.raises(InputError, match=words):
            NPU(5, **bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="only 2 items"):
        NPU(5, k=3).start([[0.0], [1.0]])
