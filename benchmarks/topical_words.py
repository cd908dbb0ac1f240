"""How many words it takes to find the topical ones: the bound against the measured.

Run with ``python -m benchmarks.topical_words``: for constants from .25 to 16 in
``N = constant * m / pi * ln(m / delta)``, the share of topical words that are found in
simulated runs, and the same for 330,000 words. Needs no data.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

from comraf.oneclass.simulation import Simulation, bound, simulate_topical_words

__all__ = ["CONSTANTS", "main", "measured"]

CONSTANTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0)


def measured(
    m: int, pi: float, p_w: float, delta: float, runs: int, seed: int, samples: int
) -> Iterator[tuple[float | None, Simulation]]:
    """A constant and what its number of samples gives; None for the number given."""
    yield None, simulate_topical_words(m, pi, p_w, samples, runs, seed)
    for constant in CONSTANTS:
        n = bound(m, pi, delta, constant=constant, p_w=p_w)
        yield constant, simulate_topical_words(m, pi, p_w, n, runs, seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.topical_words", description=__doc__)
    parser.add_argument("--words", type=int, default=12_000, help="size of the vocabulary")
    parser.add_argument("--pi", type=float, default=0.2, help="share of samples on the topic")
    parser.add_argument("--topical", type=float, default=0.2, help="share of topical words")
    parser.add_argument("--delta", type=float, default=0.01, help="probability of a mistake")
    parser.add_argument("--samples", type=int, default=330_000, help="one more number of samples")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    print(f"m = {given.words:,}, pi = {given.pi:g}, p_w = {given.topical:g}, {given.runs:,} runs\n")
    print("| constant | samples | accuracy, % | runs without a mistake, % | seconds |")
    print("|---:|---:|---:|---:|---:|")
    start = time.perf_counter()
    for constant, found in measured(
        given.words, given.pi, given.topical, given.delta, given.runs, given.seed, given.samples
    ):
        now = time.perf_counter()
        print(
            f"| {'' if constant is None else f'{constant:g}'} | {found.n_samples:,} "
            f"| {100 * found.accuracy:.2f} ± {100 * found.error:.2f} | {100 * found.perfect:.0f} "
            f"| {now - start:.1f} |",
            flush=True,
        )
        start = now
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
