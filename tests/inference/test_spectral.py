"""Flat starts for an agreement."""

from __future__ import annotations

import numpy as np
import pytest

from comraf.inference import spectral
from comraf.inference.spectral import spectral_starts
from comraf.metrics import nmi


def noisy_runs(n=400, k=5, n_runs=6, noise=0.1, seed=0):
    """A partition, and runs that split its clusters in two and misplace some values."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    runs = []
    for _ in range(n_runs):
        labels = truth * 2 + rng.integers(0, 2, n)
        wrong = rng.random(n) < noise
        labels[wrong] = rng.integers(0, 2 * k, int(wrong.sum()))
        runs.append(labels.astype(np.int32))
    return truth, runs


def test_finds_what_noisy_runs_share():
    """Clusters cut in two at random and blurred in each run are found whole."""
    truth, runs = noisy_runs()
    starts = spectral_starts(runs, 5, 3, np.random.default_rng(0))
    assert starts
    assert max(nmi(truth, labels) for labels in starts) > 0.95


@pytest.mark.parametrize("points", [50, 20_000])
def test_centres_from_some_of_the_points(points, monkeypatch):
    """Centres sought among a part of the values serve all of them."""
    monkeypatch.setattr(spectral, "_MOST_POINTS", points)
    truth, runs = noisy_runs(noise=0.05)
    starts = spectral_starts(runs, 5, 4, np.random.default_rng(0))
    assert max(nmi(truth, labels) for labels in starts) > 0.9


def test_nothing_where_nothing_can_be_found(monkeypatch):
    """No start from one run, from fewer clusters than wanted, or from runs too wide to look at."""
    _, runs = noisy_runs()
    rng = np.random.default_rng(0)
    assert spectral_starts(runs[:1], 5, 2, rng) == []
    assert spectral_starts([np.zeros(9, np.int32)] * 3, 5, 2, rng) == []
    monkeypatch.setattr(spectral, "_MOST_COLUMNS", 12)
    assert spectral_starts(runs, 5, 2, rng) == []


def test_runs_beyond_the_limit_are_left_out(monkeypatch):
    """With room for three runs the first three decide."""
    truth, runs = noisy_runs(noise=0.02)
    monkeypatch.setattr(spectral, "_MOST_COLUMNS", 30)
    limited = spectral_starts(runs, 5, 2, np.random.default_rng(1))
    monkeypatch.setattr(spectral, "_MOST_COLUMNS", 2048)
    three = spectral_starts(runs[:3], 5, 2, np.random.default_rng(1))
    np.testing.assert_array_equal(limited, three)
    assert max(nmi(truth, labels) for labels in limited) > 0.9
