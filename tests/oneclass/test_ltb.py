"""LTB: the likelihood, the ranking, and a plain twin of one run."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from comraf.errors import InputError
from comraf.oneclass import LTB
from comraf.oneclass.ltb_kernels import pass_over


def topic_and_noise(seed: int = 0, n: int = 60, k: int = 20) -> tuple[Any, Any, Any]:
    """Counts with a topic in the first k rows, general frequencies, and who is in the core."""
    rng = np.random.default_rng(seed)
    m, m_topic = 120, 15
    general = 1 / np.arange(1, m + 1)
    rng.shuffle(general)
    general /= general.sum()
    topic = np.zeros(m)
    topic[rng.choice(m, m_topic, replace=False)] = 1 / m_topic
    X = np.zeros((n, m))
    for i in range(n):
        p = 0.3 * topic + 0.7 * general if i < k else general
        X[i] = rng.multinomial(rng.integers(30, 60), p)
    return X, general, np.arange(n) < k


def plain_ltb(
    X: Any, q: Any, k: int, pi_start: float, rounds: int, smoothing: float = 0.0
) -> tuple[Any, Any, list[float]]:
    """Logits, topic and likelihoods by the formulas as they are printed."""
    n = X.shape[0]
    N_w, N = X.sum(axis=0), X.sum()
    rho = (N_w / N) / (q / q.sum())
    p_r, p_g = rho / rho.sum(), (1 / rho) / (1 / rho).sum()
    pi, p_d = np.full(n, pi_start), k / n
    trace = []
    for t in range(rounds):
        mixed = pi[:, None] * p_r + (1 - pi[:, None]) * p_g
        inside = np.log(p_d) + (X * np.log(mixed)).sum(axis=1)
        outside = np.log(1 - p_d) + (X * np.log(p_g)).sum(axis=1)
        trace.append(float(np.logaddexp(inside, outside).sum()))
        logit = inside - outside
        used = p_r
        if t == rounds - 1:
            break
        alpha = 1 / (1 + np.exp(-logit))
        beta = pi[:, None] * p_r / mixed
        pi = np.clip((X * beta).sum(axis=1) / X.sum(axis=1), 1e-6, 1 - 1e-6)
        topical = (alpha[:, None] * X * beta).sum(axis=0)
        # both get so many occurrences besides, spread as words are here
        extra = smoothing * N_w / N
        p_r = (topical + extra) / (topical + extra).sum()
        p_g = (N_w - topical + extra) / (N_w - topical + extra).sum()
    return logit, used, trace


@pytest.mark.parametrize("smoothing", [None, 0.5, 8.0])
@pytest.mark.parametrize("binary", [True, False])
def test_same_as_plain_numpy(binary: bool, smoothing: float | None) -> None:
    """Logits, topic and likelihood are those of the printed formulas, smoothed if asked for."""
    X, q, _ = topic_and_noise()
    kept = (X > 0).sum(axis=0) >= 2
    table = np.minimum(X, 1) if binary else X
    logit, topic, trace = plain_ltb(table[:, kept], q[kept], 20, 0.5, 5, smoothing or 0.0)
    model = LTB(20, background=q, binary=binary, effort="paper", smoothing=smoothing).fit(X)
    np.testing.assert_allclose(model.scores_, logit, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.topic_[kept], topic, rtol=1e-8, atol=1e-14)
    np.testing.assert_allclose(model.trace_, trace, rtol=1e-10)
    assert np.all(model.topic_[~kept] == 0)


@pytest.mark.parametrize(("n", "few"), [(24, True), (60, False)])
def test_smoothing_by_default(n: int, few: bool) -> None:
    """Fifty occurrences, or a twentieth of all where that is less."""
    X, q, _ = topic_and_noise(n=n, k=8)
    total = float((X[:, (X > 0).sum(axis=0) >= 2] > 0).sum())
    assert (total / 20 < 50) == few
    value = min(50.0, total / 20)
    model, told, other = (
        LTB(8, background=q, random_state=0, starts=0, smoothing=smoothing).fit(X).scores_
        for smoothing in (None, value, 1.1 * value)
    )
    np.testing.assert_allclose(model, told, rtol=1e-10)
    assert not np.allclose(model, other, rtol=1e-4)


@pytest.mark.parametrize(
    ("below", "expected"), [(0, 0.95), (1, 0.8), (3, 0.4), (4, 0.2), (5, 0.05), (7, 0.05)]
)
def test_pi_by_the_share_of_telling_words(below: int, expected: float) -> None:
    """p_w: of ten words, those left when twice the ones rarer than usual are gone (6.4.1)."""
    counts = np.where(np.arange(10) < below, 1, 3)
    if below == 0:
        counts[:] = 2
    X = np.repeat(np.eye(10, dtype=int), counts, axis=0)
    options: dict[str, Any] = {"background": np.ones(10), "min_documents": 1, "effort": "paper"}
    model = LTB(2, pi="p_w", max_iter=1, **options).fit(X)
    np.testing.assert_allclose(model.pi_, expected)
    by_documents = LTB(2, pi="p_d", max_iter=1, **options).fit(X)
    np.testing.assert_allclose(by_documents.pi_, 2 / len(X))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("pi", [0.5, "p_d", "p_w", 0.9])
def test_likelihood_never_falls(seed: int, pi: Any) -> None:
    """As published, each round is at least as likely as the one before."""
    X, q, _ = topic_and_noise(seed)
    model = LTB(20, background=q, binary=bool(seed % 2), effort="paper", pi=pi, max_iter=40).fit(X)
    steps = np.diff(model.trace_)
    assert len(steps) == 39
    assert steps.min() >= -1e-7 * abs(model.trace_[0])
    assert steps.max() > 0


def test_ranking_is_by_logit_where_posteriors_are_all_one() -> None:
    """Long documents have posteriors of 1.0 exactly, and still an order."""
    X, q, _ = topic_and_noise()
    model = LTB(20, background=q, binary=False).fit(100 * X)
    posterior = 1 / (1 + np.exp(-model.scores_))
    assert (posterior[model.core_] == 1.0).sum() > 1
    assert np.all(np.diff(model.scores_[model.ranking_]) <= 0)
    assert len(np.unique(model.scores_[model.core_])) == 20


def test_documents_of_a_hundred_thousand_words() -> None:
    """No overflow, no NaN, and the core is still found."""
    rng = np.random.default_rng(0)
    m = 2000
    q = rng.dirichlet(np.full(m, 0.5)) + 1e-9
    topic = rng.dirichlet(np.full(m, 0.02)) + 1e-12
    mix = 0.5 * topic / topic.sum() + 0.5 * q / q.sum()
    X = np.array([rng.multinomial(100_000, mix if i < 4 else q / q.sum()) for i in range(12)])
    for effort in ("default", "paper"):
        model = LTB(4, background=q, binary=False, effort=effort).fit(X)
        assert np.all(np.isfinite(model.scores_))
        assert np.all(np.isfinite(model.word_scores_))
        assert sorted(model.core_.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("ratio", [0.0, 1e9])
def test_many_single_words_do_not_run_over(ratio: float) -> None:
    """All say the same: a product of their factors would be 0 or infinite."""
    n = 3000
    ratios, pi = np.empty(1), np.array([0.5])
    pass_over(
        np.array([0, n]), np.arange(n), np.ones(n), np.full(n, ratio), pi, 0.0, 1e-6, ratios,
        np.empty(n),
    )  # fmt: skip
    assert ratios[0] == pytest.approx(n * np.log(0.5 + 0.5 * ratio))


def test_until_the_ranking_stands_still() -> None:
    """max_iter=None ends by itself, and one round more leaves the ranking as it is."""
    X, q, _ = topic_and_noise()
    ended = LTB(20, background=q, max_iter=None).fit(X)
    assert 2 <= ended.n_iter_ < 500
    further = LTB(20, background=q, max_iter=ended.n_iter_ + 1).fit(X)
    assert np.array_equal(ended.ranking_[:20], further.ranking_[:20])


def test_two_million_tokens() -> None:
    """The published run takes less than 2 s, and far less where the machine is free."""
    rng = np.random.default_rng(0)
    n, each, m = 10_000, 200, 30_000
    indices = (m * rng.random(n * each) ** 3).astype(np.int32)
    X = sp.csr_array((np.ones(n * each), indices, np.arange(0, n * each + 1, each)), shape=(n, m))
    LTB(2, background="flat", effort="paper").fit(np.eye(5)[[0, 0, 1, 1, 2]])  # compiles
    start = time.process_time()
    model = LTB(2_000, background="flat", binary=False, effort="paper").fit(X)
    assert time.process_time() - start < 2
    assert np.all(np.isfinite(model.scores_))


@pytest.mark.parametrize(
    ("name", "value"),
    [("pi", 0), ("pi", 1.0), ("pi", "p"), ("max_iter", 0), ("smoothing", -1), ("effort", "much")],
)
def test_bad_parameters_are_named(name: str, value: Any) -> None:
    """The message has the parameter and what it was."""
    X, q, _ = topic_and_noise()
    with pytest.raises(InputError, match=f"{name}={value!r}"):
        LTB(20, background=q, **{name: value}).fit(X)
