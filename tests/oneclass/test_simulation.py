"""The generative process behind the theorem, and the bound."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.errors import InputError, TooLargeError
from comraf.oneclass.simulation import bound, found_share, simulate_topical_words


def test_as_measured_in_the_thesis() -> None:
    """330,000 words tell 98% of the topical ones; from the constant 2 on, all of them."""
    few = simulate_topical_words(runs=20, random_state=0)
    assert few.n_topical == 2_400
    assert 0.980 <= few.accuracy <= 0.985
    enough = bound(12_000, 0.2, constant=2, p_w=0.2)
    many = simulate_topical_words(n_samples=enough, runs=20, random_state=0)
    assert many.accuracy == 1.0
    assert many.perfect == 1.0


def test_ties_are_honest() -> None:
    """Where all words are equally frequent, as many are right as chance would find."""
    assert found_share(np.ones(10, dtype=np.int64), 2) == pytest.approx(0.2)
    assert found_share(np.array([3, 3, 3, 0]), 2) == pytest.approx(2 / 3)
    assert found_share(np.array([0, 0, 5, 5]), 2) == 0.0


def test_counts_are_those_of_single_draws() -> None:
    """Drawing counts at once is drawing word by word: the same accuracy, within its error."""
    m, n_topical, samples, pi = 60, 12, 400, 0.3
    random = np.random.default_rng(1)
    one_by_one = []
    for _ in range(300):
        topical = random.random(samples) < pi
        words = np.where(
            topical, random.integers(0, n_topical, samples), random.integers(0, m, samples)
        )
        one_by_one.append(found_share(np.bincount(words, minlength=m), n_topical))
    at_once = simulate_topical_words(m, pi, 0.2, samples, runs=300, random_state=2)
    error = np.hypot(at_once.error, np.std(one_by_one) / np.sqrt(300))
    assert abs(at_once.accuracy - np.mean(one_by_one)) < 4 * error
    assert 0.5 < at_once.accuracy < 0.99


def test_bound() -> None:
    """Log-linear in the number of words, by the formula."""
    assert bound(1_000, 0.5, 0.1) == int(np.ceil(16 * 1_000 / 0.5 * np.log(10_000)))
    assert bound(1_000, 0.5, 0.1, constant=2) == pytest.approx(bound(1_000, 0.5, 0.1) / 8, rel=1e-4)


@pytest.mark.parametrize(
    ("pi", "p_w"),
    [(0.1, 0.3), (0.8, 0.2)],
)
def test_bound_refuses_where_the_proof_fails(pi: float, p_w: float) -> None:
    """Both conditions of the proof are checked."""
    with pytest.raises(InputError, match="the bound holds for"):
        bound(1_000, pi, p_w=p_w)


@pytest.mark.parametrize(
    "given", [{"pi": 0.0}, {"pi": 1.0}, {"p_w": 2}, {"m": 1}, {"n_samples": 0}, {"runs": 0}]
)
def test_bad_values(given: dict[str, float]) -> None:
    """The bad value is named."""
    with pytest.raises(InputError, match=next(iter(given))):
        simulate_topical_words(**given)  # type: ignore[arg-type]


def test_more_words_than_memory_holds() -> None:
    """They are refused before memory is taken."""
    with pytest.raises(TooLargeError, match="1,000,000,000,000 words would need about"):
        simulate_topical_words(10**12, n_samples=10, runs=1)
