"""What finding a core costs: a generated table of many tokens, one core, after reading."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import markdown
from benchmarks.oneclass_data import Pile
from benchmarks.oneclass_methods import METHODS, warm

__all__ = ["cost_table", "generated"]

_LENGTH = 200
_WORDS = 100_000
# Methods whose cost grows with the square of the documents, or that fit many times over.
_SLOW = ("svm", "lof", "occc-best", "order")


def generated(tokens: int, seed: int = 0) -> Pile:
    """Documents of 200 words; a fifth of them take a fifth of their words from a topic.

    Words are as frequent as in texts, by Zipf's law. The background is that law.

    Examples
    --------
    >>> pile = generated(20_000)
    >>> pile.counts.shape[0], int(pile.counts.sum()), int(pile.truth.sum())
    (100, 20000, 20)
    """
    rng = np.random.default_rng(seed)
    n = max(tokens // _LENGTH, 10)
    general = 1 / np.arange(10.0, _WORDS + 10)
    general /= general.sum()
    topic = rng.permutation(_WORDS)[:500]
    columns = rng.choice(_WORDS, size=n * _LENGTH, p=general)
    truth = np.arange(n) < n // 5
    chosen = np.repeat(truth, _LENGTH) & (rng.random(n * _LENGTH) < 0.2)
    columns[chosen] = rng.choice(topic, size=int(chosen.sum()))
    ends = np.arange(0, n * _LENGTH + 1, _LENGTH)
    table: Any = sp.csr_matrix((np.ones(n * _LENGTH), columns, ends), shape=(n, _WORDS))
    table.sum_duplicates()
    order = rng.permutation(n)
    words = np.array([f"w{i}" for i in range(_WORDS)])
    return Pile(table[order], words, general, truth[order], truth[order].astype(np.int64))


def cost_table(tokens: int, methods: Sequence[str]) -> str:
    """Markdown: seconds of one fit of each method, on one core."""
    from threadpoolctl import threadpool_limits

    pile = generated(tokens)
    total, entries = int(pile.counts.sum()), pile.counts.nnz
    about = (
        f"{total:,} tokens, {entries:,} entries, {len(pile.truth):,} documents; one core, "
        "after reading."
    )
    lines = []
    k = int(pile.truth.sum())
    with threadpool_limits(1):
        warm()
        for name in methods:
            if name in _SLOW:
                continue
            begun = time.perf_counter()
            scores = METHODS[name].scores(pile, 0)
            seconds = time.perf_counter() - begun
            right = pile.truth[np.argsort(-scores, kind="stable")[:k]].mean()
            lines.append([METHODS[name].title, f"{seconds:.2f}", f"{right:.3f}"])
    return f"{about}\n\n{markdown(['method', 's', 'accuracy'], lines)}"
