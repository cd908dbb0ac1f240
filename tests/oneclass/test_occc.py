"""OCCC: scores by hand, the word cluster, rounds, and several sides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.oneclass import OCCC, MaxKL, MinEntropy
from comraf.oneclass.starting import first_cores, prominence


def planted(seed: int = 0, strength: float = 0.25) -> tuple[Any, Any, Any]:
    """Counts with a topic in 30 of 100 rows, general frequencies, and who is in the core."""
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.full(200, 0.3)) + 1e-6
    q /= q.sum()
    topic = np.zeros(200)
    topic[rng.choice(200, 20, replace=False)] = 0.05
    core = rng.permutation(100) < 30
    mixes = [strength * topic + (1 - strength) * q if inside else q for inside in core]
    return np.array([rng.multinomial(40, mix) for mix in mixes]), q, core


def test_published_scores_by_hand() -> None:
    """Sums of log p/q over the cluster of the heuristic's size, one constant for all rows."""
    X, q, _ = planted()
    B = np.minimum(X, 1)
    kept = B.sum(axis=0) >= 2
    B, q_kept = B[:, kept], q[kept] / q[kept].sum()
    score = np.log(B.sum(axis=0) / B.sum() / q_kept)
    size = len(score) - 2 * int((score < 0).sum())
    model = OCCC(30, background=q, effort="paper").fit(X)
    assert model.heuristic_ == size
    assert model.clamped_ == (size < len(score) // 20)
    cluster = np.argsort(-score, kind="stable")[: model.n_words_]
    np.testing.assert_allclose(model.scores_, B[:, cluster] @ score[cluster])
    assert model.topical_words_.tolist() == np.flatnonzero(kept)[cluster].tolist()


def test_max_kl_and_min_entropy_by_hand() -> None:
    """Both are the printed sums; entropy is a mean, so that short rows do not win."""
    X, q, _ = planted()
    kept = (X > 0).sum(axis=0) >= 2
    A, q_kept = X[:, kept], q[kept] / q[kept].sum()
    p = A.sum(axis=0) / A.sum()
    kl = MaxKL(30, background=q, binary=False).fit(X)
    np.testing.assert_allclose(kl.scores_, (A / A.sum()) @ np.log(p / q_kept))
    entropy = MinEntropy(30, binary=False).fit(X)
    np.testing.assert_allclose(entropy.scores_, (A @ np.log(p)) / A.sum(axis=1))


def test_all_words_given_is_max_kl() -> None:
    """With every word in the cluster the ranking is that of MaxKL."""
    X, q, _ = planted()
    all_words = OCCC(30, background=q, effort="paper", n_words=10_000).fit(X)
    assert np.array_equal(all_words.ranking_, MaxKL(30, background=q).fit(X).ranking_)


def test_heuristic_that_is_too_small_is_clamped_and_says_so() -> None:
    """A collection of mostly common words: the heuristic goes below 1."""
    X = np.eye(12)[np.repeat(np.arange(12), 2)]
    X[:, 0] = 1  # one word everywhere, so that all others are rarer here than in general
    model = OCCC(3, background="flat", effort="paper").fit(X)
    assert model.heuristic_ < 1
    assert model.clamped_
    assert model.n_words_ == 1


def test_planted_core_is_found_and_better_than_published() -> None:
    """Rounds and starts find what one pass does not, averaged over draws."""
    ours, published = [], []
    for seed in range(5):
        X, q, core = planted(seed)
        q = q * np.random.default_rng(seed).lognormal(0, 1.5, len(q))  # no background fits
        ours.append(core[OCCC(30, background=q).fit(X).core_].mean())
        published.append(core[OCCC(30, background=q, effort="paper").fit(X).core_].mean())
    assert np.mean(ours) > np.mean(published) + 0.1


def test_scan_and_iterative_run_everywhere() -> None:
    """Every way of choosing words goes with every effort and gives a core of its size."""
    X, q, core = planted()
    for effort in ("default", "paper"):
        for n_words in (None, "scan", 15):
            for iterative in (True, False):
                model = OCCC(
                    30, background=q, effort=effort, n_words=n_words, iterative=iterative, starts=5
                ).fit(X)
                assert len(model.core_) == 30
                assert core[model.core_].mean() > 0.4
                if n_words == 15:
                    assert model.n_words_ == len(model.topical_words_) == 15


def test_one_side_in_a_mapping_is_the_table_itself() -> None:
    """A mapping with one table changes nothing but the form of what is told of words."""
    X, q, _ = planted()
    alone = OCCC(30, background=q).fit(X)
    mapped = OCCC(30, background=q).fit({"words": sp.csr_array(X)})
    np.testing.assert_allclose(alone.scores_, mapped.scores_)
    assert mapped.n_words_ == {"words": alone.n_words_}
    assert mapped.topical_words_["words"].tolist() == alone.topical_words_.tolist()


def test_a_background_is_that_of_the_words_and_not_of_other_sides() -> None:
    """One that is given without a name is for the words; a mapping says the same."""
    X, q, _ = planted()
    sides = {"words": X, "people": np.eye(len(X))[:, :40] + 1}
    scores = OCCC(30, background=q).fit(sides).scores_
    np.testing.assert_array_equal(OCCC(30, background={"words": q}).fit(sides).scores_, scores)
    assert not np.allclose(OCCC(30, background="flat").fit(sides).scores_, scores)


def test_second_side_helps() -> None:
    """Weak words and telling people: both together find more than words alone."""
    words_only, both = [], []
    for seed in range(4):
        X, q, core = planted(seed, strength=0.08)
        rng = np.random.default_rng(seed)
        people = np.zeros((100, 40))
        for i, inside in enumerate(core):
            people[i, rng.choice(5 if inside else 40, 3)] = 1
        names = {"people": [f"p{j}" for j in range(40)]}
        words_only.append(core[OCCC(30, background=q).fit(X).core_].mean())
        model = OCCC(30, background=q).fit({"words": X, "people": people}, words=names)
        both.append(core[model.core_].mean())
        assert set(model.topical_words_["people"][:3]) <= {f"p{j}" for j in range(5)}
    assert np.mean(both) > np.mean(words_only) + 0.1


def test_sides_that_do_not_fit_are_named() -> None:
    """Different rows, no table, and words of a side that is not there."""
    X, q, _ = planted()
    with pytest.raises(InputError, match="'people' has 99 rows, the first 100"):
        OCCC(30, background=q).fit({"words": X, "people": X[1:]})
    with pytest.raises(InputError, match="no table"):
        OCCC(30, background=q).fit({})
    with pytest.raises(InputError, match="'links', which is no side"):
        OCCC(30, background=q).fit({"words": X}, words={"links": ["a"]})


@pytest.mark.parametrize(("name", "value"), [("n_words", 0), ("n_words", "all"), ("max_iter", 0)])
def test_bad_parameters_are_named(name: str, value: Any) -> None:
    """The message has the parameter and what it was."""
    X, q, _ = planted()
    with pytest.raises(InputError, match=f"{name}={value!r}"):
        OCCC(30, background=q, **{name: value}).fit(X)


def test_words_rarer_than_in_general_are_no_starts() -> None:
    """Of few words all would be among the twenty that stand out most, and mislead."""
    rng = np.random.default_rng(6)
    X = (rng.random((30, 20)) < 0.2).astype(int)
    X[:10, :6] = 1
    method = OCCC(10, background="flat", random_state=0)
    side = method._side(X, None)
    assert len(first_cores([side], 10, 20)) == 1 + int((prominence(side) > 0).sum()) < 20
    assert (method.fit(X).core_ < 10).all()
