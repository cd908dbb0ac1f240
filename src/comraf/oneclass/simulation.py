"""How many words it takes to tell the topical ones: the generative process, and its bound.

Each word of a text is drawn, with probability pi, evenly from the topical words, and otherwise
evenly from all words. The topical words are then taken to be the most frequent ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comraf.errors import InputError
from comraf.graph.tables import check_fits
from comraf.parameters import check_int, check_number, check_random

__all__ = ["Simulation", "bound", "found_share", "simulate_topical_words"]

Ints = NDArray[np.int64]

#: The constant with which the theorem is proved; in practice 2 is enough.
CONSTANT = 16.0


@dataclass(frozen=True, eq=False)
class Simulation:
    """What came out of simulated runs.

    Attributes
    ----------
    n_samples : int
        Words drawn in each run.
    n_topical : int
        How many words are topical.
    accuracies : numpy.ndarray
        For each run, the share of the topical words that were found.

    Examples
    --------
    >>> print(Simulation(100, 5, np.array([1.0, 0.9])))
    95.00% of 5 topical words found in 100 samples, +- 5.00 (2 runs, 1 without a mistake)
    """

    n_samples: int
    n_topical: int
    accuracies: NDArray[np.float64]

    @property
    def accuracy(self) -> float:
        """Mean over the runs."""
        return float(self.accuracies.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean; 0 for a single run."""
        n = len(self.accuracies)
        return float(self.accuracies.std(ddof=1) / math.sqrt(n)) if n > 1 else 0.0

    @property
    def perfect(self) -> float:
        """Share of runs that found all of them."""
        return float((self.accuracies == 1.0).mean())

    def __str__(self) -> str:
        return (
            f"{self.accuracy:.2%} of {self.n_topical:,} topical words found in "
            f"{self.n_samples:,} samples, +- {100 * self.error:.2f} ({len(self.accuracies):,} "
            f"runs, {round(self.perfect * len(self.accuracies)):,} without a mistake)"
        )


def found_share(counts: Ints, n_topical: int) -> float:
    """Share of the first ``n_topical`` words that are among the most frequent ones.

    Words as frequent as the last that is taken are equally good. It is not known which of them
    are topical, so as many are taken for right as would be on average: whoever sorts topical
    words first would count ties for right.

    Parameters
    ----------
    counts : numpy.ndarray of int
        How often each word was drawn, topical words first.
    n_topical : int
        How many there are.

    Examples
    --------
    >>> found_share(np.array([5, 3, 3, 1]), 2)  # one of two words that are drawn 3 times
    0.75
    """
    least = int(np.partition(counts, len(counts) - n_topical)[len(counts) - n_topical])
    topical = counts[:n_topical]
    places = n_topical - int((counts > least).sum())
    right, tied = int((topical == least).sum()), int((counts == least).sum())
    return (int((topical > least).sum()) + places * right / tied) / n_topical


def bound(
    m: int, pi: float, delta: float = 0.01, *, constant: float = CONSTANT, p_w: float | None = None
) -> int:
    """Samples that are enough to find all topical words with probability 1 - delta.

    ``N = constant * m / pi * ln(m / delta)``, proved for a constant of 16.

    Parameters
    ----------
    m : int
        Number of words.
    pi : float
        Probability that a word is drawn from the topical ones.
    delta : float
        Probability of a mistake.
    constant : float
        A smaller one than 16 is no longer proved.
    p_w : float, optional
        Share of words that are topical. Where it is given, it is checked that the proof holds:
        ``p_w < 2 pi`` and ``pi <= 2 p_w (1 - pi)``.

    Examples
    --------
    >>> bound(12_000, 0.2)
    13437919
    >>> bound(12_000, 0.2, constant=2)
    1679740
    """
    check_int("m", m, least=2)
    pi, delta = _share("pi", pi), _share("delta", delta)
    constant = check_number("constant", constant, above=0)
    if p_w is not None:
        p_w = _share("p_w", p_w)
        if not p_w < 2 * pi:
            raise InputError(f"p_w={p_w:g} and pi={pi:g}; the bound holds for p_w < 2 pi only")
        if not pi <= 2 * p_w * (1 - pi):
            raise InputError(
                f"p_w={p_w:g} and pi={pi:g}; the bound holds for pi <= 2 p_w (1 - pi) only"
            )
    return math.ceil(constant * m / pi * math.log(m / delta))


def simulate_topical_words(
    m: int = 12_000,
    pi: float = 0.2,
    p_w: float = 0.2,
    n_samples: int = 330_000,
    runs: int = 100,
    random_state: Any = None,
) -> Simulation:
    """Draw words as the generative process does, and take the most frequent for topical.

    Parameters
    ----------
    m : int
        Number of words.
    pi : float
        Probability that a word is drawn from the topical ones.
    p_w : float
        Share of words that are topical; their number is rounded, at least 1, at most m - 1.
    n_samples : int
        Words drawn.
    runs : int
        How often all of it is done.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    Simulation
        Its ``accuracy`` is the mean share of topical words found; ties are counted as
        `found_share` does.

    Examples
    --------
    >>> simulate_topical_words(1_000, n_samples=200_000, runs=5, random_state=0).accuracy
    1.0
    """
    check_int("m", m, least=2)
    pi, p_w = _share("pi", pi), _share("p_w", p_w)
    check_int("n_samples", n_samples)
    check_int("runs", runs)
    random = check_random(random_state)
    check_fits(24.0 * m, f"counts of {m:,} words", "simulate fewer words")
    n_topical = min(max(round(p_w * m), 1), m - 1)
    even, even_topical = np.full(m, 1 / m), np.full(n_topical, 1 / n_topical)
    accuracies = np.empty(runs)
    for run in range(runs):
        # Words are independent, so that their counts say all: a draw costs m, whatever N is.
        topical = random.binomial(n_samples, pi)
        counts = random.multinomial(n_samples - topical, even).astype(np.int64)
        counts[:n_topical] += random.multinomial(topical, even_topical)
        accuracies[run] = found_share(counts, n_topical)
    return Simulation(n_samples, n_topical, accuracies)


def _share(name: str, value: Any) -> float:
    return check_number(name, value, above=0, below=1)
