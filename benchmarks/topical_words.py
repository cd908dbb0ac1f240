"""How many words it takes to find the topical ones: the bound against the measured.

Run with ``python -m benchmarks.topical_words``: for constants from .25 to 16 in
``N = constant * m / pi * ln(m / delta)``, the share of topical words that are found in
simulated runs, and the same for 330,000 words. Needs no data.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence

from benchmarks.harness import parser_of, print_table, run
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
    parser = parser_of("topical_words", __doc__, runs=100, seed=0)
    add = parser.add_argument
    add("--words", type=int, default=12_000, help="size of the vocabulary")
    add("--pi", type=float, default=0.2, help="share of samples on the topic")
    add("--topical", type=float, default=0.2, help="share of topical words")
    add("--delta", type=float, default=0.01, help="probability of a mistake")
    add("--samples", type=int, default=330_000, help="one more number of samples")
    return run(parser, arguments, _print)


def _print(given: argparse.Namespace) -> None:
    def rows() -> Iterator[list[str]]:
        start = time.perf_counter()
        for constant, found in measured(
            given.words, given.pi, given.topical, given.delta, given.runs, given.seed, given.samples
        ):
            now = time.perf_counter()
            yield [
                "" if constant is None else f"{constant:g}",
                f"{found.n_samples:,}",
                f"{100 * found.accuracy:.2f} ± {100 * found.error:.2f}",
                f"{100 * found.perfect:.0f}",
                f"{now - start:.1f}",
            ]
            start = now

    print(f"m = {given.words:,}, pi = {given.pi:g}, p_w = {given.topical:g}, {given.runs:,} runs\n")
    heads = ["constant", "samples", "accuracy, %", "runs without a mistake, %", "seconds"]
    print_table(heads, rows())


if __name__ == "__main__":
    sys.exit(main())
